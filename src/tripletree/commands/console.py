"""How commands speak: results to standard output, progress and errors to standard
error, and never a traceback unless `--debug` asks for one.

Exit codes: 0 done, 1 bad data (one line says what), 2 wrong usage. What signals do is
in `_signals.py`.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from tripletree import _signals
from tripletree._progress import OnProgress, Progress, ignore
from tripletree.errors import InvalidOption, TripletreeError

BAD_DATA, WRONG_USAGE = 1, 2
is_debug = False  # set by main: whether errors show where they come from


@contextmanager
def one_line_errors(stopped: str = "stopped.") -> Iterator[None]:
    """Errors and warnings as one line each on standard error, with an exit code.

    stopped: the line to say after Ctrl-C and other signals.
    """
    _signals.line = stopped
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            yield
    except BrokenPipeError:  # whoever read the output has gone
        sys.stdout = open(os.devnull, "w")
        raise typer.Exit(BAD_DATA) from None
    except (TripletreeError, OSError, MemoryError) as error:
        if is_debug:
            raise
        said = error.in_shell() if isinstance(error, TripletreeError) else str(error)
        text = " ".join(said.split()) or "there is not enough memory."
        typer.echo(f"tripletree: error: {text}", err=True)
        is_usage = isinstance(error, InvalidOption)
        raise typer.Exit(WRONG_USAGE if is_usage else BAD_DATA) from None


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    typer.echo(f"tripletree: warning: {' '.join(str(message).split())}", err=True)


def say(text: str) -> None:
    """A line to the person at the terminal, beside the results."""
    typer.echo(text, err=True)


def print_json(values: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    typer.echo(json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False))


def check_new(paths: Iterable[Path], force: bool) -> None:
    """Refuse to overwrite what is there, unless told to."""
    for path in paths:
        if not force and os.path.lexists(path):
            message = f"{path} is there already: give another name, or --force."
            raise InvalidOption(message)


def check_folder(path: Path) -> None:
    """Refuse a folder that cannot be made, before hours of work."""
    for one in (path.absolute(), *path.absolute().parents):
        if os.path.lexists(one):
            if not one.is_dir():
                message = f"{path}: {one} is a file, not a folder: give another name."
                raise InvalidOption(message)
            return


def check_page(path: Path) -> None:
    """Refuse a name for a page before hours of work, not after them."""
    if path.suffix.lower() not in (".html", ".htm"):
        message = f"{path}: a report is a page: let its name end in .html."
        raise InvalidOption(message)
    if not path.absolute().parent.is_dir():
        message = f"{path}: there is no folder {path.parent}: make it first."
        raise InvalidOption(message)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is being done, on a terminal."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status("reading") as status:
        yield lambda text: status.update(escape(text))


@contextmanager
def bars() -> Iterator[OnProgress]:
    """Bars on standard error that show how much is done, on a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    if not console.is_terminal:  # a disabled Progress of old Rich prints an empty line
        yield ignore
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    tasks: dict[str, int] = {}
    with Bars(*columns, console=console, transient=True) as shown:

        def show(progress: Progress) -> None:
            name, total = progress.step, progress.total
            if name not in tasks:
                tasks[name] = int(shown.add_task(name, total=total))
            shown.update(tasks[name], completed=progress.done, total=total)  # type: ignore[arg-type]

        yield show
