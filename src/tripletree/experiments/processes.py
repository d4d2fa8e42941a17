"""Work in other processes, each with one thread: the same sums and the same load,
whatever the number of processes.

They ignore Ctrl-C, which a terminal sends to all; the parent hears it and ends them. If
the parent dies, they end with their task.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, TypeVar

from tripletree.errors import ExperimentFailed, TripletreeError

ONE_THREAD = {
    name: "1"
    for name in (
        "NUMBA_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    )
}


class Runnable(Protocol):
    """What can be sent to a process and run there."""

    def run(self) -> Any:
        """The result, which can be sent back."""


R = TypeVar("R", bound=Runnable)


@contextmanager
def run_in_processes(
    tasks: Sequence[R], n_jobs: int
) -> Iterator[Iterator[tuple[R, Any]]]:
    """Each task and its result, in the order in which they are finished.

    On leaving, also by Ctrl-C or an error, no process is left.
    """
    workers: dict[Connection, Any] = {}
    try:
        _start(workers, min(n_jobs, len(tasks)))
        yield _collect(list(workers), tasks)
    finally:
        for connection, process in workers.items():
            process.terminate()
            process.join()
            connection.close()


def _collect(idle: list[Connection], tasks: Sequence[R]) -> Iterator[tuple[R, Any]]:
    todo = iter(tasks)
    busy: dict[Connection, R] = {}

    def assign(connection: Connection) -> None:
        task = next(todo, None)
        if task is not None:
            busy[connection] = task
            connection.send(task)

    for connection in idle:
        assign(connection)
    while busy:
        for ready in wait(list(busy)):
            assert isinstance(ready, Connection)
            task = busy.pop(ready)
            try:
                result, error = ready.recv()
            except (EOFError, OSError):
                message = (
                    f"{task}: its process ended without a word, perhaps for lack of "
                    "memory. Finished cells are kept: try again with --jobs 1."
                )
                raise ExperimentFailed(message) from None
            if error is not None:
                message = f"{task}: {error}"
                raise ExperimentFailed(message)
            assign(ready)
            yield task, result


def _start(workers: dict[Connection, Any], n: int) -> None:
    """Add processes that wait for tasks, deaf to Ctrl-C from their first moment."""
    context = multiprocessing.get_context("spawn")
    with _blocked_interrupts(), _environment(ONE_THREAD):
        for _ in range(n):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            workers[ours] = process


def _work(connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return  # the parent has gone
        answer: tuple[Any, str | None]
        try:
            answer = task.run(), None
        except TripletreeError as error:
            answer = None, str(error)
        except Exception as error:
            answer = None, f"{type(error).__name__}: {error}"
        try:
            connection.send(answer)
        except OSError:
            return


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Let new processes inherit that Ctrl-C is blocked; ours comes after."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # first, as it unblocks Ctrl-C when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
