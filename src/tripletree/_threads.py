"""How kernels use the cores of the machine.

Work over many rows is split into chunks that Python threads run, while kernels release
the interpreter lock; how rows are split never depends on the number of threads, so
neither does a result. (Numba's own threading layers abort the process after a fork or
when two threads meet; plain threads do not.)
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

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
    chunks = list(chunks)
    if len(chunks) <= 1 or n_threads() == 1:
        return [function(chunk) for chunk in chunks]
    with ThreadPoolExecutor(min(n_threads(), len(chunks))) as pool:
        try:
            return list(pool.map(function, chunks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def share_chunks(
    function: Callable[[S, C], None], states: Iterable[S], chunks: Iterable[C]
) -> None:
    """Let each state (a table to add to) take chunks until none are left.

    Which state gets which chunk depends on chance: for sums whose order is no matter.
    """
    todo, lock = iter(chunks), threading.Lock()
    is_over = threading.Event()

    def work(state: S) -> None:
        while not is_over.is_set():
            with lock:
                chunk = next(todo, None)
            if chunk is None:
                return
            function(state, chunk)

    states = list(states)
    if len(states) == 1:
        return work(states[0])
    with ThreadPoolExecutor(max(1, len(states))) as pool:
        try:
            list(pool.map(work, states))
        finally:
            is_over.set()


def row_chunks(n_rows: int, size: int) -> list[slice]:
    """Consecutive slices of at most `size` rows that cover `n_rows` rows."""
    return [slice(a, min(a + size, n_rows)) for a in range(0, n_rows, size)]
