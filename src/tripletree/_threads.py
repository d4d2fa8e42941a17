"""How kernels use the cores of the machine.

Work over many rows is split into chunks that threads run, while kernels release the
interpreter lock; how rows are split never depends on the number of threads, so neither
does a result. (Numba's own threading layers abort the process after a fork or when two
threads meet; plain threads do not.)

Threads are bare ones, and nothing here is locked. Those of `threading`, hence its
pools, wait on conditions. Ctrl-C in the main thread, while it enters a condition,
leaves that condition locked: the other thread then waits for ever, and Python for it.
"""

from __future__ import annotations

import _thread
import os
from collections import deque
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

    After an error or Ctrl-C, chunks that have not begun are not begun. Of several
    errors that of the first chunk is raised, as in a loop.
    """
    todo = list(chunks)
    results: list[Any] = [None] * len(todo)

    def fill(_: int, at: int) -> None:
        results[at] = function(todo[at])

    states = range(min(n_threads(), len(todo)))
    share_chunks(fill, states, range(len(todo)))
    return results


def share_chunks(
    function: Callable[[S, C], None], states: Iterable[S], chunks: Iterable[C]
) -> None:
    """Let each state (a table to add to) take chunks until none are left.

    Which state gets which chunk depends on chance: for sums whose order is no matter.
    The first state is this thread's own. After an error, too, and after Ctrl-C, what
    other threads have begun is waited for, as they write to what is given.
    """
    todo = deque(enumerate(chunks))  # to take one from it cannot be parted
    errors: dict[int, BaseException] = {}  # by chunk; Ctrl-C comes before all

    def work(state: S) -> None:
        at = -1
        try:
            while not errors:
                try:
                    at, chunk = todo.popleft()
                except IndexError:
                    return
                function(state, chunk)
        except BaseException as error:
            errors[-1 if isinstance(error, KeyboardInterrupt) else at] = error

    calls = [partial(work, state) for state in states]
    beside = [Beside(call) for call in calls[1:]]
    try:
        for thread in beside:
            thread.start()
        for call in calls[:1]:
            call()
    except BaseException as error:
        errors[-1] = error
    while True:
        try:
            for thread in beside:
                thread.end()
            break
        except BaseException as error:  # Ctrl-C: wait on
            errors[-1] = error
    if errors:
        first = [errors[min(errors)]]
        errors.clear()  # they lead back here, and would keep all arrays alive
        raise first.pop()


class Beside:
    """A call in a thread of its own.

    Ctrl-C may fall anywhere in these methods: what was asked can be asked again. When
    it is over, `end` must be called.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        self.call: Callable[[], object] | None = call
        self.owner: dict[str, str] = {}  # setdefault cannot be parted
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
        self.call = None  # which may lead back to who holds this

    def _run(self) -> None:
        call = self.call
        if self.owner.setdefault("call", "thread") == "thread" and call is not None:
            try:
                call()
            finally:
                self.is_over = True
                self.over.release()


def row_chunks(n_rows: int, size: int) -> list[slice]:
    """Consecutive slices of at most `size` rows that cover `n_rows` rows."""
    return [slice(a, min(a + size, n_rows)) for a in range(0, n_rows, size)]
