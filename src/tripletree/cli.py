"""The command line: `tripletree cluster answers.csv` and its neighbours.

Results go to standard output or files, progress and errors to standard error. Exit
codes: 0 done, 1 bad data (one line says what), 2 wrong usage, 130, 143 or 129 stopped
by Ctrl-C, SIGTERM or SIGHUP (`_signals.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import tripletree
from tripletree.commands import console
from tripletree.commands.cluster import cluster
from tripletree.commands.compare import compare
from tripletree.commands.convert import convert
from tripletree.commands.datasets import datasets
from tripletree.commands.demo import demo
from tripletree.commands.pairs import pairs
from tripletree.commands.plan import plan
from tripletree.commands.report import report
from tripletree.commands.reproduce import reproduce
from tripletree.commands.revenue import revenue
from tripletree.commands.simulate import simulate
from tripletree.commands.summary import summary

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Hierarchies from comparisons.",
)
COMMANDS = (
    *(cluster, report, summary, revenue, compare, convert, pairs),
    *(plan, simulate, datasets, reproduce, demo),
)
for command in COMMANDS:
    app.command()(command)


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
    given = list(sys.argv[1:] if arguments is None else arguments)
    console.is_debug = "--debug" in given
    try:
        app(args=[text for text in given if text != "--debug"], prog_name="tripletree")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


def _say_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"tripletree {tripletree.__version__}")
        raise typer.Exit


@app.callback(epilog="--debug, anywhere: show where an error comes from.")
def _tripletree(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Say which version."
        ),
    ] = False,
) -> None:
    """Hierarchies from comparisons."""
