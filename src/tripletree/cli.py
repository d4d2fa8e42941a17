"""The command line: `tripletree summary` looks at a file of answers, `tripletree
pairs` sums answers that do not fit into memory, `tripletree reproduce` runs the paper's
experiments again.

Tables go to standard output, progress and errors to standard error. Exit codes: 0 done,
1 an error (one line says which), 2 wrong usage, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

import tripletree
from tripletree.commands.pairs import pairs
from tripletree.errors import TripletreeError

INTERRUPTED = 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Hierarchies from comparisons.",
)


class Experiment(StrEnum):
    """What can be reproduced."""

    table1 = "table1"
    figure1 = "figure1"
    figure2 = "figure2"
    real = "real"
    theorem2 = "theorem2"
    all = "all"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.

    Returns
    -------
    int
        0 if all went well.

    Examples
    --------
    >>> main(["--version"])  # doctest: +ELLIPSIS
    tripletree ...
    0
    """
    given = None if arguments is None else list(arguments)
    try:
        app(args=given, prog_name="tripletree")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def _say_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"tripletree {tripletree.__version__}")
        raise typer.Exit


@app.callback()
def _tripletree(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Say which version."
        ),
    ] = False,
) -> None:
    """Hierarchies from comparisons."""


@app.command()
def summary(
    source: Annotated[
        list[Path], typer.Argument(help="Files of answers: CSV, Parquet, ...")
    ],
) -> None:
    """Read answers, and say what is among them.

    Objects, answers, contradictions, groups that no answer joins, what was left out and
    why; and, where it is known who answered, who answers unlike all others.
    """
    from tripletree.comparisons.files.reading import read_comparisons
    from tripletree.comparisons.summary import summarise
    from tripletree.evaluation.annotators import annotator_agreement

    with _one_line_errors("stopped."):
        answers = read_comparisons([str(path) for path in source])
        typer.echo(str(summarise(answers)))
        if answers.annotators is not None:
            typer.echo(f"\n{annotator_agreement(answers)}")


@app.command()
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
    from tripletree.experiments.plan import Plan
    from tripletree.experiments.real import data_folder
    from tripletree.experiments.reproduce import EXPERIMENTS
    from tripletree.experiments.reproduce import reproduce as run

    names = EXPERIMENTS if experiment is Experiment.all else (experiment.value,)
    plan = Plan(seeds or (2 if quick else 10), quick, data_folder())
    stopped = (
        f"stopped. What is finished is in {out / 'cells'}: the same command goes on "
        "from there."
    )
    with _one_line_errors(stopped), _progress_bar() as progress:
        for name in names:
            texts = run(
                [name],
                plan,
                out,
                version=tripletree.__version__,
                n_jobs=jobs or n_threads(),
                progress=progress,
            )
            typer.echo(texts[name])
        typer.echo(f"Tables, records and figures are in {out}.", err=True)


def _registered(command: Callable[..., None]) -> None:
    """Add a command of a module of its own, its errors in one line."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        with _one_line_errors("stopped. Nothing was written."):
            command(*args, **options)

    app.command()(run)


_registered(pairs)


@contextmanager
def _one_line_errors(stopped: str) -> Iterator[None]:
    """Errors as one line on standard error, with a code; never a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"tripletree: {stopped}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # whoever read the tables has gone
        sys.stdout = open(os.devnull, "w")
        raise typer.Exit(1) from None
    except (TripletreeError, OSError) as error:
        text = " ".join(str(error).split())
        typer.echo(f"tripletree: error: {text}", err=True)
        raise typer.Exit(1) from None


@contextmanager
def _progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error, while it is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    bars: dict[str, int] = {}
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:

        def show(name: str, n_done: int, n_all: int) -> None:
            if name not in bars:
                bars[name] = int(progress.add_task(name, total=n_all))
            progress.update(bars[name], completed=n_done, total=n_all)  # type: ignore[arg-type]

        yield show
