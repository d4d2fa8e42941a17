"""Work on all threads: every chunk once, errors raised, and Ctrl-C at any moment."""

from __future__ import annotations

import _thread
import gc
import signal
import subprocess
import sys
import threading
import time
import weakref

import pytest

from tests.environments import unmeasured
from tripletree import _threads
from tripletree._threads import Beside, map_threads, share_chunks

SECONDS = 300  # hundreds of times more than it takes


@pytest.fixture(params=["1", "2", "5"])
def n_threads(request, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", request.param)
    return int(request.param)


class Something:
    """What can die."""


def n_alive():
    """Bare threads, too."""
    return _thread._count()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_results_are_in_order(n, n_threads):
    assert map_threads(lambda x: x * x, range(n)) == [x * x for x in range(n)]


def test_every_chunk_is_taken_once(n_threads):
    taken = [[] for _ in range(n_threads)]
    share_chunks(list.append, taken, iter(range(1_000)))
    assert sorted(chunk for chunks in taken for chunk in chunks) == [*range(1_000)]


def test_nothing_to_do_and_nobody_to_do_it():
    share_chunks(list.append, [], [])


def test_threads_work_at_once():
    """Each chunk waits for the other."""
    barrier = threading.Barrier(2, timeout=SECONDS)
    share_chunks(lambda state, chunk: barrier.wait(), range(2), range(2))
    assert not barrier.broken


@pytest.mark.parametrize("wrong", range(4))
def test_an_error_is_raised_and_nothing_more_begun(wrong, n_threads):
    begun, before = [], n_alive()

    def fail(at):
        begun.append(at)
        if at == wrong:
            message = f"chunk {at}"
            raise ValueError(message)
        time.sleep(0.001)

    with pytest.raises(ValueError, match=f"chunk {wrong}"):
        map_threads(fail, range(10_000))
    assert wrong in begun
    assert len(begun) < 10_000
    deadline = time.monotonic() + SECONDS
    while n_alive() > before and time.monotonic() < deadline:
        time.sleep(0.001)
    assert n_alive() <= before


def test_of_many_errors_the_first_is_raised_and_none_kept(n_threads):
    """With those of the others, states and results would stay for ever."""
    table = Something()
    watched = weakref.ref(table)

    def fail(state, at):
        time.sleep(0.001 * (at == 0))  # the last in time
        message = f"chunk {at}"
        raise ValueError(message)

    gc.disable()
    try:
        with pytest.raises(ValueError, match="chunk 0"):
            share_chunks(fail, [table] * n_threads, range(n_threads))
        del table
        assert watched() is None
    finally:
        gc.enable()


def test_a_key_comes_before_errors():
    has_failed = threading.Event()

    def fail(state, at):
        if state == "beside":
            has_failed.set()
            raise ValueError
        assert has_failed.wait(SECONDS)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        share_chunks(fail, ["mine", "beside"], range(2))


def test_without_threads_one_does_all(monkeypatch):
    def refuse(*_):
        message = "can't start new thread"
        raise RuntimeError(message)

    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    monkeypatch.setattr(_threads._thread, "start_new_thread", refuse)
    assert map_threads(str, range(4)) == ["0", "1", "2", "3"]
    beside = Beside(refuse)
    beside.start()
    beside.wait()
    beside.end()


def test_a_call_beside_is_waited_for():
    go_on, done = threading.Event(), []
    beside = Beside(lambda: (go_on.wait(SECONDS), done.append(1)))
    beside.start()
    go_on.set()
    beside.wait()
    beside.end()
    assert done == [1]


def test_a_call_that_has_not_begun_never_will():
    done = []
    beside = Beside(lambda: done.append(1))
    beside.end()
    beside._run()  # as its thread would
    assert not done


def test_what_is_over_is_not_kept():
    held = Something()
    watched = weakref.ref(held)
    held.beside = Beside(lambda held=held: None)  # leads back to it
    held.beside.start()
    held.beside.end()
    gc.disable()
    try:
        del held
        assert watched() is None
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no such key there")
def test_keys_while_waiting_wait_for_what_has_begun():
    """What threads write to must not change after it."""
    has_begun, done = threading.Event(), []

    def work(state, chunk):
        if state == "beside":
            has_begun.set()
            for _ in range(3):
                time.sleep(0.05)
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            done.append(chunk)
        else:
            assert has_begun.wait(SECONDS)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            share_chunks(work, ["mine", "beside"], range(2))
    finally:
        signal.signal(signal.SIGINT, before)
    assert done


# A key can be late, as any thread may take the signal: it counts within the try alone.
PRESSED = """
import random, signal
from tripletree._threads import Beside, map_threads

def press(number, frame):
    global is_on
    if is_on:
        is_on = False
        raise KeyboardInterrupt

def run_beside():
    done = []
    beside = Beside(lambda: done.append(1))
    try:
        beside.start()
        beside.wait()
        assert done
    finally:
        beside.end()

is_on, n_pressed = False, 0
rng = random.Random(0)
signal.signal(signal.SIGALRM, press)
while n_pressed < 2_000:
    try:
        is_on = True
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-6, 4e-4))
        if rng.random() < 0.5:
            assert map_threads(abs, range(-6, 0)) == [6, 5, 4, 3, 2, 1]
        else:
            run_beside()
        is_on = False
    except KeyboardInterrupt:
        n_pressed += 1
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no such clock there")
def test_keys_at_any_moment_leave_nothing_locked():
    """Threads of the standard library wait for ever after some hundred of them."""
    done = subprocess.run(
        [sys.executable, "-c", PRESSED],
        env=unmeasured(NUMBA_NUM_THREADS="3"),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
