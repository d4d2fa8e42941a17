"""`tripletree reproduce`: the paper's experiments again."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import tripletree
from tripletree.commands.console import bars, one_line_errors, say


class Experiment(StrEnum):
    """What can be reproduced."""

    table1 = "table1"
    figure1 = "figure1"
    figure2 = "figure2"
    real = "real"
    theorem2 = "theorem2"
    all = "all"


def reproduce(
    experiment: Annotated[Experiment, typer.Argument(help="Which part of the paper.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer and smaller settings: a minute.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="Runs of all that is random (theorem2: at most 3).",
            show_default="10, or 2",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, max=1024, help="Processes side by side.", show_default="one per core"
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The folder for tables, records and figures.")
    ] = Path("reproduced"),
) -> None:
    """Run the paper's experiments again: what is printed there beside what comes out.

    Writes NAME.csv (all records), NAME.txt (the table) and NAME.png and .pdf into the
    folder. Finished pieces are kept in its folder cells: after an interruption the same
    command goes on from there. Results do not depend on the number of jobs. The table
    on real data needs the environment variable TRIPLETREE_DATA: the folder of the data.
    """
    from tripletree._threads import n_threads
    from tripletree.experiments.reporting import Plan
    from tripletree.experiments.reproduce import EXPERIMENTS
    from tripletree.experiments.reproduce import reproduce as run

    names = EXPERIMENTS if experiment is Experiment.all else (experiment.value,)
    plan = Plan(seeds or (2 if quick else 10), quick)
    stopped = (
        f"stopped. What is finished is in {out / 'cells'}: the same command goes on "
        "from there."
    )
    with one_line_errors(stopped), bars() as progress:
        for name in names:
            text = run(
                name,
                plan,
                out,
                version=tripletree.__version__,
                n_jobs=jobs or n_threads(),
                progress=progress,
            )
            typer.echo(text)
        say(f"Tables, records and figures are in {out}.")
