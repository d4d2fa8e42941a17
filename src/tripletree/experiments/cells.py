"""Cells: the pieces of an experiment, run once, kept in files, never run again.

A cell names a module of this folder and the parameters for its `run_cell`, and its
records follow from these alone. A finished cell is one small JSON file in a folder,
named by a hash of the cell and of the package version. It is written under another name
and then renamed, so a file is whole or not there; an interrupted run goes on from what
is there. What is reported is read from these records in the order in which the
experiment lists its cells: the same bytes, whatever was interrupted or ran in parallel.

Cells run in other processes, each with one thread: the same sums and the same load,
whatever the number of processes. They ignore Ctrl-C, which a terminal sends to all; the
parent receives it and ends them. If the parent dies, they end with their cell. Pipes
connect them, not queues: a process that a signal ends at once leaves no semaphore.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from tripletree._files import write_whole
from tripletree._progress import OnProgress, Progress, ignore
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

Value = str | int | float
Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One piece of work: a module of this folder, and what its `run_cell` is given."""

    module: str
    parameters: tuple[tuple[str, Value], ...]

    def run(self) -> list[Record]:
        """The records of this cell."""
        module: Any = import_module(f"tripletree.experiments.{self.module}")
        return module.run_cell(**dict(self.parameters))  # type: ignore[no-any-return]

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.module}({given})"


def grid(module: str, **choices: Iterable[Value]) -> list[Cell]:
    """A cell for each combination of values, those of the last parameter in turn."""
    return [
        Cell(module, tuple(zip(choices, values, strict=True)))
        for values in product(*choices.values())
    ]


def run_cells(
    cells: Iterable[Cell],
    folder: Path,
    *,
    version: str,
    n_jobs: int,
    step: str = "cells",
    progress: OnProgress = ignore,
) -> dict[Cell, list[Record]]:
    """The records of all cells: from the folder where they are kept, else by running.

    Parameters
    ----------
    cells : iterable of Cell
        A cell that is listed twice is run once.
    folder : Path
        Where finished cells are kept; made if it does not exist.
    version : str
        Of the package: cells of another version are run again.
    n_jobs : int
        How many processes to run side by side.
    step : str, default "cells"
        What the progress is of.
    progress : callable, optional
        Called with a `Progress`, the cells finished, of all, whenever one is.

    Raises
    ------
    ExperimentFailed
        If a cell cannot be run. Those finished before are kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = {one: _kept(one, folder, version) for one in cells}
    missing = [one for one in found if not found[one]]
    n_done = len(found) - len(missing)
    progress(Progress(step, n_done, len(found)))
    with closing(run_in_processes(missing, n_jobs)) as finished:
        for one, records in finished:
            path, identity = _place(one, folder, version)
            text = json.dumps({**identity, "records": records}, allow_nan=False)
            write_whole(path, text + "\n")
            found[one] = _kept(one, folder, version)
            n_done += 1
            progress(Progress(step, n_done, len(found)))
    return found


def _place(one: Cell, folder: Path, version: str) -> tuple[Path, Record]:
    """The file of a cell, and what it says of itself beside its records."""
    identity = {
        "version": version,
        "module": one.module,
        "parameters": dict(one.parameters),
    }
    text = json.dumps(identity, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:20]
    return folder / f"{one.module}-{digest}.json", identity


def _kept(one: Cell, folder: Path, version: str) -> list[Record]:
    """The records in the file of a cell; none if it is not there, or not as it was."""
    path, identity = _place(one, folder, version)
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        records = stored.pop("records")
    except (FileNotFoundError, ValueError, KeyError, AttributeError, TypeError):
        return []
    return records if stored == identity and isinstance(records, list) else []


def run_in_processes(
    cells: Sequence[Cell], n_jobs: int
) -> Generator[tuple[Cell, list[Record]], None, None]:
    """Each cell and its records, in the order in which they are finished.

    To be closed: then, also after Ctrl-C or an error, no process is left.
    """
    todo = iter(cells)
    workers: dict[Any, Any] = {}  # the process at the end of each connection
    running: dict[Any, Cell] = {}
    try:
        _start(workers, min(n_jobs, len(cells)))
        ready = list(workers)
        while True:
            for connection, one in zip(ready, todo, strict=False):
                running[connection] = one
                connection.send(one)
            if not running:
                return
            ready = wait(list(running))
            for connection in ready:
                one = running.pop(connection)
                yield one, _received(connection, one)
    finally:
        for connection, process in workers.items():
            process.terminate()
            process.join()
            connection.close()


def _received(connection: Any, one: Cell) -> list[Record]:
    try:
        answer: list[Record] | ExperimentFailed = connection.recv()
    except (EOFError, OSError):
        raise ExperimentFailed(
            str(one),
            ": its process ended unexpectedly, perhaps for lack of memory. Finished ",
            "cells are kept: try again with --jobs 1.",
        ) from None
    if isinstance(answer, ExperimentFailed):
        raise answer
    return answer


def _start(workers: dict[Any, Any], n: int) -> None:
    """Add processes that wait for cells, and ignore Ctrl-C from the start.

    They inherit that it is blocked here meanwhile; this process receives it afterwards.
    """
    context = multiprocessing.get_context("spawn")
    before = {name: os.environ[name] for name in ONE_THREAD if name in os.environ}
    if sys.platform != "win32":
        resource_tracker.ensure_running()  # first, as it unblocks Ctrl-C at its start
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.environ.update(ONE_THREAD)
    try:
        for _ in range(n):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            workers[ours] = process
    finally:
        for name in ONE_THREAD:
            del os.environ[name]
        os.environ.update(before)
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _work(connection: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):  # the parent has gone
        while True:
            connection.send(_outcome(connection.recv()))


def _outcome(one: Cell) -> list[Record] | ExperimentFailed:
    try:
        return one.run()
    except TripletreeError as error:
        return ExperimentFailed(f"{one}: {error}")
    except Exception as error:
        return ExperimentFailed(f"{one}: {type(error).__name__}: {error}")
