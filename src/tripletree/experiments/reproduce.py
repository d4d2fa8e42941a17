"""All experiments: run their cells, write tables, records and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tripletree._figures import house_look
from tripletree._files import write_whole
from tripletree._progress import OnProgress, ignore
from tripletree.experiments.cells import Record, run_cells
from tripletree.experiments.drawing import image
from tripletree.experiments.tables import Table, csv_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXPERIMENTS = ("table1", "figure1", "figure2", "real", "theorem2")


@dataclass(frozen=True)
class Plan:
    """How much to run.

    Attributes
    ----------
    n_seeds : int
        Runs of everything that is random; the paper has ten.
    is_quick : bool
        Fewer and smaller settings, to see that everything works.
    """

    n_seeds: int = 10
    is_quick: bool = False


@dataclass(frozen=True)
class Report:
    """What came out: tables to read, all records, and figures to be drawn by name."""

    tables: Sequence[Table]
    records: Sequence[Record]
    figures: Mapping[str, Callable[[], Figure]]


def reproduce(
    names: Sequence[str],
    plan: Plan,
    out: Path,
    *,
    version: str,
    n_jobs: int = 1,
    progress: OnProgress = ignore,
) -> dict[str, str]:
    """Run experiments, write what came out, and return their tables as text.

    Parameters
    ----------
    names : sequence of str
        Of EXPERIMENTS.
    plan : Plan
    out : Path
        The folder for NAME.csv (all records), NAME.txt (the tables), figures as PNG and
        PDF, and the finished cells, from which an interrupted run goes on.
    version : str
        Of the package: cells of another version are not used.
    n_jobs : int, default 1
        Processes to run side by side. Results do not depend on it.
    progress : callable, optional
        Called with the name, and the numbers of finished and of all cells.

    Returns
    -------
    dict of str to str
        The tables of each experiment.
    """
    texts = {}
    for name in names:
        module: Any = import_module(f"tripletree.experiments.{name}")
        cells = module.cells(plan)
        results = run_cells(
            cells,
            out / "cells",
            version=version,
            n_jobs=n_jobs,
            step=name,
            progress=progress,
        )
        records = [record for one in cells for record in results[one]]
        report: Report = module.report(plan, records)
        texts[name] = "\n".join(str(table) for table in report.tables)
        write_whole(out / f"{name}.csv", csv_text(report.records))
        write_whole(out / f"{name}.txt", texts[name])
        for stem, draw in report.figures.items():
            for kind in ("png", "pdf"):  # drawn anew: saving a figure changes it
                with house_look():
                    write_whole(out / f"{stem}.{kind}", image(draw(), kind))
    return texts
