"""Work on all threads: every chunk once, in order, and errors raised."""

import gc
import threading
import weakref
from unittest.mock import Mock

import pytest

from tripletree import Triplets, _threads, block_posterior, maximise_revenue, tste
from tripletree._threads import map_threads, share_chunks, stop_if_over
from tripletree.completion import posterior


@pytest.fixture(params=["1", "2", "5"])
def n_threads(request, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", request.param)
    return int(request.param)


class Something:
    """What can die."""


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
    barrier = threading.Barrier(2)
    share_chunks(lambda state, chunk: barrier.wait(), range(2), range(2))
    assert not barrier.broken


@pytest.mark.parametrize("wrong", range(4))
def test_an_error_is_raised_and_no_thread_left(wrong, n_threads):
    begun, before = [], {*threading.enumerate()}

    def fail(at):
        begun.append(at)
        if at == wrong:
            message = f"chunk {at}"
            raise ValueError(message)

    with pytest.raises(ValueError, match=f"chunk {wrong}"):
        map_threads(fail, range(10))
    assert wrong in begun
    assert n_threads > 1 or begun == [*range(wrong + 1)]  # nothing more is begun
    assert {*threading.enumerate()} <= before  # threads of others may end meanwhile


def test_of_many_errors_the_first_is_raised_and_none_kept(n_threads):
    """With those of the others, states and results would stay for ever."""
    table = Something()
    watched = weakref.ref(table)
    has_failed = [threading.Event() for _ in range(n_threads)]
    has_begun = threading.Barrier(n_threads)

    def fail(state, at):
        has_begun.wait()
        if at == 0:  # the last in time
            for other in has_failed[1:]:
                other.wait()
        has_failed[at].set()
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


@pytest.mark.parametrize("which", ["mine", "beside"])
def test_ctrl_c_comes_before_errors_and_waits_for_what_has_begun(which):
    has_begun, has_failed, done = threading.Barrier(2), threading.Event(), []

    def fail(state, at):
        has_begun.wait()
        if state == which:
            has_failed.wait()
            done.append(at)
            raise KeyboardInterrupt
        has_failed.set()
        raise ValueError

    with pytest.raises(KeyboardInterrupt):
        share_chunks(fail, ["mine", "beside"], range(2))
    assert done


def test_calls_can_be_nested(n_threads):
    def inner(x):
        return map_threads(lambda y: x * y, range(3))

    assert map_threads(inner, range(4)) == [[x * y for y in range(3)] for x in range(4)]


def test_without_threads_one_does_all(monkeypatch):
    refused = Mock(side_effect=RuntimeError("can't start new thread"))
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    monkeypatch.setattr(_threads.Thread, "start", refused)
    assert map_threads(str, range(4)) == ["0", "1", "2", "3"]


def interrupted(work):
    """Ctrl-C in this thread while another one does this work; whether that ended."""
    has_begun, ended = threading.Event(), []

    def share(state, chunk):
        if state == 0:
            has_begun.wait()
            raise KeyboardInterrupt
        has_begun.set()
        work()
        ended.append(chunk)

    with pytest.raises(KeyboardInterrupt):
        share_chunks(share, range(2), range(2))
    return bool(ended)


def test_work_for_nobody_is_given_up():
    def loop():
        for _ in iter(int, 1):  # for ever
            stop_if_over()

    assert not interrupted(loop)
    assert not interrupted(lambda: map_threads(lambda _: loop(), range(5)))
    stop_if_over()  # all is as before
    assert map_threads(abs, [-1]) == [1]


ANSWERS = Triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], n_objects=30)
SECONDS = 10**5  # more than any machine needs to notice
LONG = {
    "posterior": lambda: block_posterior(ANSWERS, n_chains=1, time_limit=SECONDS),
    "points": lambda: tste(ANSWERS, n_starts=10**6, time_limit=SECONDS),
    "search": lambda: maximise_revenue(ANSWERS, n_restarts=10**6, time_limit=SECONDS),
}


@pytest.mark.parametrize("name", LONG)
def test_long_work_hears_of_ctrl_c_in_another_thread(name, monkeypatch):
    """A replicate or a chain must not be waited for."""
    monkeypatch.setattr(posterior, "N_ANNEALED", 10**9)
    assert not interrupted(LONG[name])
