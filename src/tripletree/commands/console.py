"""How commands speak: results to standard output, progress and errors to standard
error; and what they check of the files to write. `cli.py` turns errors into one line.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from tripletree._checks import json_text, printable
from tripletree._progress import OnProgress, Progress, ProgressLine, ignore
from tripletree.errors import InvalidOption, UnreadableFile, refuse_if

ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite files.")]
SheetOption = Annotated[
    bool,
    typer.Option(
        "--spreadsheet",
        help="Make labels in CSV files harmless to spreadsheets: ' before =, +, -, @.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def say(text: str) -> None:
    """A line to the person at the terminal, beside the results."""
    with suppress(OSError):  # the reader has gone, or the disk is full
        typer.echo(printable(text), err=True)


def tell(text: str, *, is_kept: bool = False) -> None:
    """A result on standard output; is_kept: it is in files, whatever happens here."""
    try:
        typer.echo("\n".join(map(printable, text.split("\n"))))
    except BrokenPipeError:  # who reads it has seen enough
        return
    except OSError as error:
        message = f"standard output: {error.strerror or error}."
        refuse_if(not is_kept, UnreadableFile, message)
        say(f"tripletree: warning: {message}")


def tell_json(values: dict[str, Any], *, is_kept: bool = False) -> None:
    """One JSON object on standard output."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    text = json_text(values, 2)
    if codecs.lookup(encoding).name != "utf-8":
        text = json.dumps(values, indent=2, allow_nan=False)
    tell(text, is_kept=is_kept)


def check_folder(path: Path) -> None:
    """Refuse a folder that cannot be made, before hours of work."""
    for one in (path.absolute(), *path.absolute().parents):
        refuse_if(
            os.path.lexists(one) and not one.is_dir(),
            InvalidOption,
            f"{path}: {one} is a file, not a folder: give another name.",
        )


def check_page(path: Path) -> None:
    """Refuse a name for a page before hours of work, not after them."""
    from tripletree.report.page import check_page_path

    check_page_path(path)
    _check_folder_of(path)


def check_answers_file(path: Path) -> None:
    """Refuse a name for a file of answers before any are read."""
    from tripletree.answers.write import written_ending

    written_ending(path)
    _check_folder_of(path)


def _check_folder_of(path: Path) -> None:
    refuse_if(
        not path.absolute().parent.is_dir(),
        InvalidOption,
        f"{path}: there is no folder {path.parent}: make it first.",
    )


def has_terminal() -> bool:
    """Whether standard error is a terminal; it is None after 2>&-."""
    return sys.stderr is not None and sys.stderr.isatty()


def compile_first(n_objects: int, part: int = 0, n_parts: int = 1) -> None:
    """Compile the kernels of clustering; the first time, a line on standard error."""
    from tripletree._first_run import SECONDS, compile_kernels

    is_told = False
    with progress_line() as step:

        def progress(now: Progress) -> None:
            nonlocal is_told
            if not is_told:
                say(f"First run: compiling (once, about {SECONDS} s)")
            is_told = True
            step(now)

        compile_kernels(n_objects, progress, part, n_parts)


@contextmanager
def progress_line() -> Iterator[OnProgress]:
    """A line that says how far work is, while it lasts, if there is a terminal."""
    if not has_terminal():
        yield ignore
        return
    line = ProgressLine()
    try:
        yield line
    finally:
        with suppress(OSError):
            line.clear()


@contextmanager
def step_lines() -> Iterator[OnProgress]:
    """A line that stays for each step, and below it how far the step is."""
    with progress_line() as line:

        def progress(now: Progress) -> None:
            if now.total is not None:
                line(now)
                return
            if isinstance(line, ProgressLine):
                line.clear()
            say(f"tripletree: {now}")

        yield progress
