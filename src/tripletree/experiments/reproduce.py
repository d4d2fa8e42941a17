"""One experiment: run its cells, write tables, records and figures."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from tripletree._figures import figure_style
from tripletree._files import published, write_whole
from tripletree._progress import OnProgress, ignore
from tripletree.experiments.cells import run_cells
from tripletree.experiments.reporting import Plan, Report, csv_text, image

EXPERIMENTS = ("table1", "figure1", "figure2", "real", "theorem2", "calibration")


def reproduce(
    name: str,
    plan: Plan,
    out: Path,
    *,
    version: str,
    n_jobs: int = 1,
    progress: OnProgress = ignore,
) -> str:
    """Run an experiment, write what came out, and return its tables as text.

    Parameters
    ----------
    name : str
        One of EXPERIMENTS.
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
    str
        The tables of the experiment.
    """
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
    text = "\n".join(str(table) for table in report.tables)
    images = [f"{stem}.{kind}" for stem in report.figures for kind in ("png", "pdf")]
    with published(out, (f"{name}.csv", f"{name}.txt", *images), True) as new:
        write_whole(new / f"{name}.csv", csv_text(report.records))
        write_whole(new / f"{name}.txt", text)
        for stem, draw in report.figures.items():
            for kind in ("png", "pdf"):  # drawn anew: saving a figure changes it
                with figure_style():
                    write_whole(new / f"{stem}.{kind}", image(draw(), kind))
    return text
