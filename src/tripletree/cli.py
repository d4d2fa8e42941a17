"""The command line: `tripletree cluster answers.csv` and its neighbours.

Results go to standard output or files, progress and errors to standard error, one line
each, and never a traceback unless `--debug` asks for one. Exit codes: 0 done, 1 bad
data (one line says what), 2 wrong usage, 130, 143 or 129 stopped by Ctrl-C, SIGTERM or
SIGHUP (`_signals.py`).
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

import typer

import tripletree
from tripletree._files import THERE_ALREADY
from tripletree.commands.console import say
from tripletree.commands.data import compare, convert, pairs, revenue, summary
from tripletree.commands.studies import datasets, plan, reproduce, simulate
from tripletree.commands.trees import cluster, demo, report
from tripletree.errors import InvalidOption, TripletreeError, refuse_if

BAD_DATA, WRONG_USAGE = 1, 2
EMPTY = re.compile(r"(--[a-z-]+=)?")


def _line(text: object) -> str:
    return " ".join(str(text).split())


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
    # The whole first sentence: Typer would cut it.
    app.command(short_help=_line((command.__doc__ or "").split("\n\n")[0]))(command)


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
    options = [text for text in given if text != "--debug"]
    try:
        _check_not_empty(options)
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            app(args=options, prog_name="tripletree")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else BAD_DATA
    except (TripletreeError, OSError, MemoryError) as error:
        if options != given:
            raise
        said = error.in_shell() if isinstance(error, TripletreeError) else str(error)
        say(f"tripletree: error: {_line(said) or 'there is not enough memory.'}")
        is_usage = isinstance(error, InvalidOption)
        is_usage |= getattr(error, "code", "") == THERE_ALREADY
        return WRONG_USAGE if is_usage else BAD_DATA
    return 0


def _check_not_empty(arguments: list[str]) -> None:
    """Refuse an argument without text: as a path, it would be the current folder."""
    for before, text in pairwise(["", *arguments]):
        name = before if before.startswith("-") else "an argument"
        refuse_if(
            EMPTY.fullmatch(text) is not None,
            InvalidOption,
            f"{text.rstrip('=') or name} is empty: give a value. Is a variable unset?",
        )


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    say(f"tripletree: warning: {_line(message)}")


def _say_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"tripletree {tripletree.__version__}")
        raise typer.Exit


@app.callback(epilog="--debug, anywhere: show where an error comes from.")
def _tripletree(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    """Hierarchies from comparisons."""
