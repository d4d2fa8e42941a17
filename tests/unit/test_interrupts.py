"""Ctrl-C is heard wherever it falls."""

from __future__ import annotations

import signal
import sys
import threading
import time
import weakref

import pytest

from tripletree import _interrupts
from tripletree._interrupts import heard_interrupts, no_lost_interrupts
from tripletree.commands import console

LONG = 10.0  # seconds; a key pressed again is heard in a fraction of one


class Something:
    """What can die."""


def press_in_a_callback():
    """Ctrl-C where Python drops what is raised: as the last reference goes."""
    something = Something()
    watched = weakref.ref(something, lambda _: signal.raise_signal(signal.SIGINT))
    del something
    assert watched() is None


@pytest.fixture(autouse=True)
def _python_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_dropped_interrupt_is_raised_again():
    hook = sys.unraisablehook
    began = time.monotonic()

    def sleep():
        with no_lost_interrupts() as raised:
            press_in_a_callback()
            assert raised
            time.sleep(LONG)

    with pytest.raises(KeyboardInterrupt):
        sleep()
    assert time.monotonic() - began < LONG
    assert sys.unraisablehook is hook


def delicate(name, seconds=0.1):
    """A function of a module of this name: presses Ctrl-C, and goes on for a while."""
    module = {"__name__": name, "press": signal.raise_signal, "sleep": time.sleep}
    exec(
        f"def run(done):\n    press(2)\n    sleep({seconds})\n    done.append(1)\n",
        module,
    )
    return module["run"]


@pytest.mark.parametrize(
    "name", ["numba", "numba.core.compiler", "llvmlite.binding", "threading"]
)
@pytest.mark.parametrize("seconds", [0, LONG])
def test_a_compiler_is_not_cut_short(name, seconds):
    """Nor is a key forgotten, if all ends right after it."""
    began, done = time.monotonic(), []
    run = delicate(name)

    def work():
        with no_lost_interrupts() as raised:
            run(done)
            assert not raised
            time.sleep(seconds)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done
    assert time.monotonic() - began < LONG
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_waiting_for_a_thread_is_cut_short():
    press = threading.Timer(0.2, _interrupts._press)
    began = time.monotonic()

    def work():
        with no_lost_interrupts():
            press.start()
            threading.Event().wait(LONG)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - began < LONG


def test_others_are_cut_short_at_once():
    done = []
    run = delicate("numbat")

    def work():
        with no_lost_interrupts():
            run(done)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert not done


def test_an_import_is_not_cut_short(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = "import signal\nsignal.raise_signal(signal.SIGINT)\nis_whole = True\n"
    (tmp_path / "pressing.py").write_text(text)

    def work():
        with no_lost_interrupts():
            import pressing

            assert pressing.is_whole
            time.sleep(LONG)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert sys.modules.pop("pressing").is_whole


def test_ignored_interrupts_stay_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    done = []
    with no_lost_interrupts():
        delicate("numba")(done)
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_nothing_is_pressed_after_the_end():
    """A key that waits is raised once, in a busy process too."""
    n_raised = 0
    for _ in range(100):
        try:
            with no_lost_interrupts():
                delicate("numba", 0.0)([])
                deadline = time.monotonic() + _interrupts.A_MOMENT
                while time.monotonic() < deadline:
                    pass
        except KeyboardInterrupt:
            n_raised += 1
        sum(range(1_000))
    time.sleep(3 * _interrupts.A_MOMENT)
    assert n_raised == 100


def test_after_the_end_nothing_is_raised():
    keys = _interrupts._Keys(signal.default_int_handler, sys.unraisablehook)
    keys.is_over = True
    keys.wait_or_raise(signal.SIGINT, None)
    assert keys.is_waiting
    keys.ended.set()


def test_the_end_waits_for_a_key_that_is_being_pressed(monkeypatch):
    """And the thread that presses has nothing more to do then."""
    events, is_seen = [], threading.Event()
    press_on = _interrupts._Keys._press_on

    def press():
        events.append("pressing")
        assert is_seen.wait(LONG)
        time.sleep(0.2)
        events.append("pressed")

    def watched(keys):
        press_on(keys)
        events.append("no more")

    def work():
        with no_lost_interrupts():
            delicate("numba", 0.0)([])
            while not events:
                time.sleep(0.001)
            assert events == ["pressing"]
            is_seen.set()

    monkeypatch.setattr(_interrupts, "_press", press)
    monkeypatch.setattr(_interrupts._Keys, "_press_on", watched)
    with pytest.raises(KeyboardInterrupt):
        work()
    assert events[:2] == ["pressing", "pressed"]
    deadline = time.monotonic() + LONG
    while len(events) < 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert events == ["pressing", "pressed", "no more"]


def test_other_threads_press_nothing(monkeypatch):
    pressed = []
    monkeypatch.setattr(_interrupts, "_press", lambda: pressed.append(1))
    hook = sys.unraisablehook
    seen = []

    def work():
        with no_lost_interrupts():
            seen.append(sys.unraisablehook is hook)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]
    assert not pressed


def test_a_handler_that_notes_is_told_at_the_end():
    noted = []
    signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    with no_lost_interrupts() as raised:
        delicate("numba", 0.0)([])
    assert len(noted) == 1
    assert not raised


def test_a_key_that_is_only_noted_was_not_raised():
    noted = []
    signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    with no_lost_interrupts() as raised:
        signal.raise_signal(signal.SIGINT)
    assert len(noted) == 1
    assert not raised


def test_many_keys_are_raised_as_one(monkeypatch):
    raised = []

    def raise_once(number, frame):
        raised.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, raise_once)
    module = {"__name__": "llvmlite", "press": signal.raise_signal}
    exec("def run():\n    for _ in range(5):\n        press(2)\n", module)

    def work():
        with no_lost_interrupts():
            module["run"]()
            try:
                time.sleep(LONG)
            finally:
                time.sleep(5 * _interrupts.A_MOMENT)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert len(raised) == 1


def test_a_key_that_falls_where_keys_are_ignored_is_pressed_again():
    def work():
        with no_lost_interrupts():
            delicate("numba", 0.0)([])
            handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
            time.sleep(5 * _interrupts.A_MOMENT)
            signal.signal(signal.SIGINT, handler)
            time.sleep(LONG)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - began < LONG


def test_a_compiler_outside_changes_nothing():
    """A module that runs a command while it is imported can be stopped."""
    done = []
    module = {"__name__": "numba", "quiet": no_lost_interrupts, "run": delicate("job")}
    exec("def outside(done):\n    with quiet():\n        run(done)\n", module)
    with pytest.raises(KeyboardInterrupt):
        module["outside"](done)
    assert not done


def test_a_search_hears_what_was_raised():
    done = []

    def work():
        with no_lost_interrupts(), heard_interrupts() as heard:
            delicate("numba", 0.0)(done)
            assert not heard
            try:
                time.sleep(LONG)
            except KeyboardInterrupt:
                assert heard
                raise

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done


def test_other_dropped_errors_are_shown_as_ever(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)

    def fail(_):
        raise ValueError

    with no_lost_interrupts() as raised:
        something = Something()
        watched = weakref.ref(something, fail)
        del something
        assert watched() is None
    assert not raised
    assert [unraisable.exc_type for unraisable in seen] == [ValueError]


def test_errors_of_what_was_cut_short_are_not_shown(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)

    class AtOdds:
        def __del__(self):
            raise KeyError

    def work():
        with no_lost_interrupts():
            signal.raise_signal(signal.SIGINT)

    with no_lost_interrupts():
        with pytest.raises(KeyboardInterrupt):
            work()
        AtOdds()
    assert not seen
    AtOdds()
    assert len(seen) == 1


def test_an_error_in_place_of_an_interrupt_is_a_stop(capsys, monkeypatch):
    """As an engine does, or NumPy where a key falls into a question about a file."""
    monkeypatch.setattr(console, "has_said_stopped", False)

    def fail():
        with console.one_line_errors():
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                message = "expected str, not BufferedWriter"
                raise TypeError(message) from None

    with pytest.raises(console.typer.Exit) as end:
        fail()
    assert end.value.exit_code == console.INTERRUPTED
    assert capsys.readouterr().err == "tripletree: stopped.\n"


def test_an_error_after_a_dropped_interrupt_is_a_stop(capsys, monkeypatch):
    monkeypatch.setattr(console, "has_said_stopped", False)
    monkeypatch.setattr(_interrupts, "A_MOMENT", LONG)

    def fail():
        with console.one_line_errors():
            press_in_a_callback()
            message = "the callback was cut short"
            raise RuntimeError(message)

    with pytest.raises(console.typer.Exit) as end:
        fail()
    assert end.value.exit_code == console.INTERRUPTED
    assert capsys.readouterr().err == "tripletree: stopped.\n"
