"""Ctrl-C is heard wherever it falls."""

from __future__ import annotations

import signal
import sys
import time
import weakref

import pytest

from tripletree import _interrupts
from tripletree._interrupts import no_lost_interrupts
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
        with no_lost_interrupts() as lost:
            press_in_a_callback()
            assert lost
            time.sleep(LONG)

    with pytest.raises(KeyboardInterrupt):
        sleep()
    assert time.monotonic() - began < LONG
    assert sys.unraisablehook is hook


def test_nothing_is_pressed_after_the_end(monkeypatch):
    monkeypatch.setattr(_interrupts, "A_MOMENT", 0.5)
    pressed = []
    monkeypatch.setattr(_interrupts, "_press", lambda: pressed.append(1))
    with no_lost_interrupts() as lost:
        press_in_a_callback()
    assert lost
    time.sleep(1)
    assert not pressed


def test_other_dropped_errors_are_shown_as_ever(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)

    def fail(_):
        raise ValueError

    with no_lost_interrupts() as lost:
        something = Something()
        watched = weakref.ref(something, fail)
        del something
        assert watched() is None
    assert not lost
    assert [unraisable.exc_type for unraisable in seen] == [ValueError]


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
