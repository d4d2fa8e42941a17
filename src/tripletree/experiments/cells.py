"""Cells: the pieces of an experiment, run once, kept in files, never run again.

A cell names a module of this folder and the parameters for its `run_cell`, and its
records follow from these alone. A finished cell is one small JSON file in a folder,
named by a hash of the cell and of the package version. It is written under another name
and then renamed, so a file is whole or not there; an interrupted run goes on from what
is there. What is reported is read from these records in the order in which the
experiment lists its cells: the same bytes, whatever was interrupted or ran in parallel.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tripletree._files import write_whole
from tripletree._progress import OnProgress, Progress, ignore
from tripletree.experiments.processes import run_in_processes

Value = str | int | float
Record = dict[str, Any]
Results = Mapping["Cell", list[Record]]


@dataclass(frozen=True)
class Cell:
    """One piece of work: a module of this folder, and what its `run_cell` is given."""

    module: str
    parameters: tuple[tuple[str, Value], ...]

    def run(self) -> list[Record]:
        """The records of this cell."""
        module = import_module(f"tripletree.experiments.{self.module}")
        records: list[Record] = module.run_cell(**dict(self.parameters))
        return records

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.module}({given})"


def cell(module: str, **parameters: Value) -> Cell:
    """A cell by its module and named parameters."""
    return Cell(module, tuple(parameters.items()))


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
    unique = list(dict.fromkeys(cells))
    found = {one: _load(_path(one, folder, version), one, version) for one in unique}
    missing = [one for one in unique if found[one] is None]
    n_done = len(unique) - len(missing)
    progress(Progress(step, n_done, len(unique)))
    with run_in_processes(missing, n_jobs) as finished:
        for one, records in finished:
            path = _path(one, folder, version)
            write_whole(path, _text(one, version, records))
            found[one] = _load(path, one, version)
            n_done += 1
            progress(Progress(step, n_done, len(unique)))
    return {one: records or [] for one, records in found.items()}


def _identity(one: Cell, version: str) -> Record:
    return {
        "version": version,
        "module": one.module,
        "parameters": dict(one.parameters),
    }


def _path(one: Cell, folder: Path, version: str) -> Path:
    text = json.dumps(_identity(one, version), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:20]
    return folder / f"{one.module}-{digest}.json"


def _text(one: Cell, version: str, records: list[Record]) -> str:
    stored = {**_identity(one, version), "records": records}
    return json.dumps(stored, allow_nan=False) + "\n"


def _load(path: Path, one: Cell, version: str) -> list[Record] | None:
    """What the file keeps; None if there is none, or it is not what it should be."""
    try:
        stored = json.loads(path.read_text())
        is_right = _identity(one, version).items() <= stored.items()
        records = stored["records"]
    except (FileNotFoundError, ValueError, KeyError, AttributeError):
        return None
    return records if is_right and isinstance(records, list) else None
