"""How kernels use the cores of the machine.

Work over many rows is split into chunks that threads run, while kernels release the
interpreter lock; how rows are split never depends on the number of threads, so neither
does a result. (Numba's own threading layers abort the process after a fork or when two
threads meet; plain threads do not.)

A thread is started for each call: that takes a tenth of a millisecond, calls may be
nested, and nothing is left to clean up after a fork. They are daemons, because Ctrl-C
while one starts can leave it locked for ever, and Python would wait for it at its end.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from threading import Thread, local
from typing import Any, TypeVar

from tripletree.errors import InvalidOption, refuse_if

MOST_THREADS = 1024
HERE = local()  # call: the `_Call` for which this thread was started

T = TypeVar("T")
C = TypeVar("C")
S = TypeVar("S")


def n_threads() -> int:
    """Threads to use: NUMBA_NUM_THREADS if set, else the cores of this process."""
    chosen = os.environ.get("NUMBA_NUM_THREADS", "")
    if chosen:
        is_number = chosen.isascii() and chosen.isdigit() and len(chosen) < 10
        number = int(chosen) if is_number else 0
        refuse_if(
            not 0 < number <= MOST_THREADS,
            InvalidOption,
            f"the environment variable NUMBA_NUM_THREADS is {chosen!r:.80}: set it to "
            f"a number of threads from 1 to {MOST_THREADS}, or unset it.",
        )
        return number
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Call:
    """A call of `share_chunks`, and the one for which its own thread was started."""

    def __init__(self) -> None:
        self.outer: _Call | None = getattr(HERE, "call", None)
        self.is_over = False  # after Ctrl-C


class Over(BaseException):
    """Ctrl-C came in another thread: nobody waits for a result of this one."""


def stop_if_over() -> None:
    """Raise `Over` after Ctrl-C; what takes long in a thread calls this now and then.

    In the thread where Ctrl-C came, Python raises KeyboardInterrupt itself.
    """
    call = getattr(HERE, "call", None)
    while call is not None:
        if call.is_over:
            raise Over
        call = call.outer


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

    Which state gets which chunk depends on chance: only for order-independent sums. The
    first state is this thread's own. After an error, and after Ctrl-C, chunks that
    other threads have begun are waited for, as they write to what is given; after
    Ctrl-C they end where they call `stop_if_over`.
    """
    todo = deque(enumerate(chunks))  # popleft is atomic
    errors: dict[int, BaseException] = {}  # by chunk; Ctrl-C comes before all
    call = _Call()

    def work(state: S) -> None:
        while todo:
            try:
                at, chunk = todo.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                function(state, chunk)
            except Over:
                todo.clear()
            except Exception as error:
                errors[at] = error
                todo.clear()
            except BaseException as error:
                errors[-1], call.is_over = error, True
                todo.clear()

    def help_with(state: S) -> None:
        HERE.call = call
        work(state)

    mine, others = (given := [*states])[:1], given[1:]
    threads: list[Thread] = []
    try:
        for state in others:
            thread = Thread(target=help_with, args=(state,), daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no more threads: the others do its share
                break
            threads.append(thread)
        for state in mine:
            work(state)
        for thread in threads:
            thread.join()
    finally:
        todo.clear()
        call.is_over = True
        for thread in threads:
            thread.join()
    if errors:
        first = [errors[min(errors)]]
        errors.clear()  # they lead back here, and would keep all arrays alive
        raise first.pop()
    stop_if_over()  # then chunks were left out


def row_chunks(n_rows: int, size: int) -> list[slice]:
    """Consecutive slices of at most `size` rows that cover `n_rows` rows."""
    return [slice(a, min(a + size, n_rows)) for a in range(0, n_rows, size)]
