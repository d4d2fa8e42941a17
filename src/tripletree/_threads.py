"""How kernels use the cores of the machine.

Work over many rows is split into chunks that threads run, while kernels release the
interpreter lock; how rows are split never depends on the number of threads, so neither
does a result. (Numba's own threading layers abort the process after a fork or when two
threads meet; plain threads do not.)

Threads are bare ones. Those of `threading`, hence its pools, wait on conditions, and
Ctrl-C in the main thread, while it enters one, leaves that locked: the other thread
then waits for ever, and Python for it.
"""

from __future__ import annotations

import _thread
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
C = TypeVar("C")
S = TypeVar("S")


def n_threads() -> int:
    """Threads to use: NUMBA_NUM_THREADS if set, else the cores of this process."""
    chosen = os.environ.get("NUMBA_NUM_THREADS", "")
    if chosen.isdecimal() and int(chosen) > 0:
        return int(chosen)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_threads(function: Callable[[C], T], chunks: Iterable[C]) -> list[T]:
    """Apply a function that calls kernels to every chunk; results in order.

    After an error or Ctrl-C, chunks that have not begun are not begun.
    """
    todo = list(chunks)
    results: list[Any] = [None] * len(todo)

    def fill(_: int, at: int) -> None:
        results[at] = function(todo[at])

    states = range(max(1, min(n_threads(), len(todo))))
    share_chunks(fill, states, range(len(todo)))
    return results


def share_chunks(
    function: Callable[[S, C], None], states: Iterable[S], chunks: Iterable[C]
) -> None:
    """Let each state (a table to add to) take chunks until none are left.

    Which state gets which chunk depends on chance: for sums whose order is no matter.
    The first state is this thread's own. However it ends, all threads have ended.
    """
    todo, lock = iter(chunks), _thread.allocate_lock()
    errors: list[BaseException] = []

    def work(state: S) -> None:
        try:
            while not errors:
                with lock:
                    chunk = next(todo, None)
                if chunk is None:
                    return
                function(state, chunk)
        except BaseException as error:
            errors.append(error)

    calls = [partial(work, state) for state in states]
    beside = [Beside(call) for call in calls[1:]]
    try:
        for thread in beside:
            thread.start()
        for call in calls[:1]:
            call()
    except BaseException as error:
        errors.append(error)
    while True:
        try:
            for thread in beside:
                thread.end()
            break
        except BaseException as error:  # Ctrl-C: wait on, for what has begun alone
            errors.append(error)
    if errors:
        raise errors.pop(0)


class Beside:
    """A call in a thread of its own.

    Ctrl-C may fall anywhere in these methods: what was asked can be asked again.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call
        self.owner: dict[str, str] = {}  # a dictionary, as setdefault cannot be parted
        self.is_over = False
        self.over = _thread.allocate_lock()
        self.over.acquire()

    def start(self) -> None:
        """Begin the call; or not at all, if there are no more threads."""
        try:
            _thread.start_new_thread(self._run, ())
        except RuntimeError:
            self.is_over = True

    def wait(self) -> None:
        """Wait until the call that was started is over."""
        while not self.is_over:
            self.over.acquire()

    def end(self) -> None:
        """The same, but a call that has not begun never will."""
        if self.owner.setdefault("call", "nobody") == "thread":
            self.wait()

    def _run(self) -> None:
        if self.owner.setdefault("call", "thread") == "thread":
            try:
                self.call()
            finally:
                self.is_over = True
                self.over.release()


def row_chunks(n_rows: int, size: int) -> list[slice]:
    """Consecutive slices of at most `size` rows that cover `n_rows` rows."""
    return [slice(a, min(a + size, n_rows)) for a in range(0, n_rows, size)]
