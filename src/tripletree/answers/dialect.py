"""How a text file is written: separator, header, and on which line a row is."""

from __future__ import annotations

import csv
import gzip
import io
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from tripletree.answers.header import is_known_name
from tripletree.answers.sources import Ending
from tripletree.errors import InvalidComparisons

INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written, and the names of its columns.

    Without a header, the names are the positions "0", "1", ...
    """

    delimiter: str
    has_header: bool
    names: tuple[str, ...]

    @property
    def is_spaced(self) -> bool:
        """Whether a blank belongs to the separator."""
        return len(self.delimiter) > 1


def text_format(
    lines: list[str], separators: str, no_header: bool, name: str
) -> TextFormat:
    """What the first lines of a file say.

    The separator is the first of `separators` that makes three columns of the first
    line, else two. Every cell starting with a blank, it is the separator and a blank.
    The first line is a header unless all of it are integers, or `no_header` says so.
    """
    if not any(lines):
        message = f"{name} has no text in its first line: was it exported completely?"
        raise InvalidComparisons(message, code="empty")
    if "\0" in lines[0]:
        message = (
            f"{name}, line 1: binary data, not text. Let the ending of the name say "
            "what kind of file it is, or save it as text (UTF-8)."
        )
        raise InvalidComparisons(message, code="not UTF-8", place="line 1")
    rows = {mark: _cells(lines, mark) for mark in separators}
    wide = [mark for mark in separators if rows[mark] and len(rows[mark][0]) >= 3]
    wide += [mark for mark in separators if rows[mark] and len(rows[mark][0]) == 2]
    delimiter = wide[0] if wide else separators[0]
    found = [row for row in rows[delimiter] if row]
    if not found:
        message = f"{name}, line 1: a quoted value has no end: close the quotes."
        raise InvalidComparisons(message, code="open quote", place="line 1")
    if _is_spaced(lines, delimiter):
        delimiter += " "
    first = found[0]
    if no_header:
        _refuse_header(first, found[1:], name)
    has_header = not (no_header or all(INTEGER.fullmatch(cell) for cell in first))
    names = first if has_header else [str(at) for at in range(len(first))]
    return TextFormat(delimiter, has_header, tuple(cell.strip() for cell in names))


def _is_spaced(lines: list[str], delimiter: str) -> bool:
    """Whether a blank follows every separator: then it is part of the separator."""
    pattern = re.compile(re.escape(delimiter) + "(?! )")
    return delimiter in lines[0] and not any(pattern.search(line) for line in lines)


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    """The rows that the lines make, up to the first that has no end among them."""
    text = [line + "\n" for line in lines]
    spaced = _is_spaced(lines, delimiter)
    reader = csv.reader(text, delimiter=delimiter, strict=True, skipinitialspace=spaced)
    rows = []
    try:
        for row in reader:
            rows.append(row)
    except csv.Error:
        pass
    return rows


def _refuse_header(first: list[str], others: list[list[str]], name: str) -> None:
    """Columns by position count every line as an answer: a header must not slip in."""
    lower = [cell.strip().lower() for cell in first]
    is_header = all(is_known_name(cell) for cell in first) or lower[:3] == list("ijk")
    if others and not any(INTEGER.fullmatch(cell) for cell in first):
        is_header |= all(INTEGER.fullmatch(cell) for row in others for cell in row)
    if is_header:
        message = (
            f"{name}, line 1 looks like a header ({', '.join(first)!r:.80}), and "
            "columns by position are for files without: give columns by name."
        )
        raise InvalidComparisons(message, code="header", place="line 1")


def line_of_row(
    path: Path, ending: Ending | None, text: TextFormat | None, row: int
) -> int | None:
    """The line, counted from 1, on which a row (from 0) ends; None where unknown.

    Values can have line breaks in them, and blank lines are no rows, so the file is
    read up to the row. Parquet has no lines, and zstd is beyond Python's library.
    """
    if ending is None or ending.kind not in ("text", "json"):
        return None
    if ending.compression == "zstd":
        return None
    try:
        with _opened(path, ending) as lines:
            if ending.kind == "json":
                numbered = (n for n, line in enumerate(lines, 1) if line.strip())
                return next(islice(numbered, row, None), None)
            if text is None:
                return None
            reader = csv.reader(
                lines, delimiter=text.delimiter[0], skipinitialspace=text.is_spaced
            )
            ends = (reader.line_num for cells in reader if cells)
            return next(islice(ends, row + text.has_header, None), None)
    except (OSError, EOFError, ValueError, csv.Error):
        return None


def _opened(path: Path, ending: Ending) -> IO[str]:
    if ending.compression == "gzip":
        raw: IO[bytes] = gzip.open(path)  # type: ignore[assignment]
    else:
        raw = path.open("rb")
    return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
