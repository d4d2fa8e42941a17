"""How a text file is written: separator, header, and on which line a row is."""

from __future__ import annotations

import csv
import gzip
import io
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from tripletree.answers.header import is_known_name, plain_name
from tripletree.answers.labels import DESCRIPTION
from tripletree.errors import InvalidComparisons, refuse_if

LOOKED_AT = 2**24  # characters that are looked at for what is wrong with lines
LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r)")
# ab|c for letters, else a,b|c or a b|c; in brackets or not: groups 1, 2 or 3, 4 or 5, 6
# are closer to each other than to 7. Names of columns of them.
TRIPLE = (
    r"\s*\(?\s*(?:(\w)(\w)|([^|,;()]*[^|,;()\s])\s*[,;]\s*([^|,;()]*[^|,;()\s])|"
    r"([^|,;()\s]+)\s+([^|,;()\s]+))\s*\)?\s*\|\s*([^|,;()]*[^|,;()\s])\s*"
)
TRIPLES = ("triple", "triples", "triplet", "triplets", "rootedtriple", "rootedtriples")
INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written, and the names of its columns.

    Without a header, the names are the positions "0", "1", ...; n_described lines
    follow the header and describe the columns.
    """

    delimiter: str
    has_header: bool
    names: tuple[str, ...]
    n_described: int = 0

    @property
    def skip(self) -> int:
        """How many lines do not hold answers."""
        return self.has_header + self.n_described

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
    refuse_if(
        not any(lines),
        InvalidComparisons,
        name,
        " has no text in its first line: was it exported completely?",
        code="empty",
    )
    where = f"{name}, line 1"
    if "\0" in lines[0]:
        raise InvalidComparisons(
            where,
            ": binary data, not text. Let the ending of the name say what kind of file "
            "it is, or save it as text (UTF-8).",
            code="not UTF-8",
            place="line 1",
        )
    if not no_header and _are_triples(lines):
        return TextFormat("\x1f", plain_name(lines[0]) in TRIPLES, ("triple",))
    rows = {mark: _cells(lines, mark) for mark in separators}
    widths = {mark: min(len((*found, [])[0]), 3) for mark, found in rows.items()}
    # The first of the widest; one column alone is the first separator's.
    delimiter = max(separators, key=lambda mark: max(widths[mark], 1))
    found = [row for row in rows[delimiter] if row]
    if not found:
        raise InvalidComparisons(
            where,
            ": a quoted value has no end: close the quotes.",
            code="open quote",
            place="line 1",
        )
    if _is_spaced(lines, delimiter):
        delimiter += " "
    first = _without_end(found[0], found[1:])
    if no_header:
        _refuse_header(first, found[1:], where)
    has_header = not (no_header or _are_integers(first))
    names = first if has_header else [str(at) for at in range(len(first))]
    described = (
        n for n in (1, 2) if any(x.startswith(DESCRIPTION) for x in (*found, [], [])[n])
    )
    stripped = tuple(cell.strip() for cell in names)
    return TextFormat(delimiter, has_header, stripped, next(described, 0))


def _are_integers(cells: list[str]) -> bool:
    return all(INTEGER.fullmatch(cell) for cell in cells)


def _are_triples(lines: list[str]) -> bool:
    """Whether every line, but perhaps the first, is a triple such as ab|c."""
    first, *others = lines
    fits = [re.fullmatch(TRIPLE, line) for line in others if line.strip()]
    is_first = re.fullmatch(TRIPLE, first) or (fits and plain_name(first) in TRIPLES)
    return bool(is_first) and all(fits)


def _without_end(first: list[str], others: list[list[str]]) -> list[str]:
    """The first line without the separator at its end, where it ends no column.

    Beside a header, where no other line has one; without, where integers precede it.
    """
    is_open = len(first) > 1 and not first[-1]
    are_shorter = bool(others) and all(len(row) < len(first) for row in others)
    is_end = is_open and (are_shorter or _are_integers(first[:-1]))
    return first[:-1] if is_end else first


def mixed_ends(path: Path) -> tuple[int, str, str] | None:
    """The first line that ends otherwise than the first one, and how both end.

    None if all in the first megabytes end alike; breaks in quotes do not end a line.
    """
    try:
        with open_text(path, is_packed=path.suffix.lower() == ".gz") as file:
            text = file.read(LOOKED_AT)
    except (OSError, EOFError, ValueError):
        return None
    first, is_quoted = "", False
    for number, piece in enumerate(LINE.finditer(text), 1):
        is_quoted ^= piece.group(1).count('"') % 2 == 1
        if is_quoted:
            continue
        first = first or piece.group(2)
        if piece.group(2) != first:
            return number, repr(first)[1:-1], repr(piece.group(2))[1:-1]
    return None


def _is_spaced(lines: list[str], delimiter: str) -> bool:
    """Whether a blank follows every separator: then it is part of the separator."""
    pattern = re.compile(re.escape(delimiter) + "(?! )")
    return delimiter in lines[0] and not any(pattern.search(line) for line in lines)


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    """The rows that the lines make, up to the first that has no end among them."""
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(
            csv.reader(
                (f"{line}\n" for line in lines),
                delimiter=delimiter,
                strict=True,
                skipinitialspace=_is_spaced(lines, delimiter),
            )
        )
    return rows


def _refuse_header(first: list[str], others: list[list[str]], where: str) -> None:
    """Columns by position count every line as an answer: a header must not slip in."""
    lower = [cell.strip().lower() for cell in first]
    is_header = all(map(is_known_name, first)) or lower[:3] == list("ijk")
    if others and not any(map(INTEGER.fullmatch, first)):
        is_header |= all(map(_are_integers, others))
    if is_header:
        raise InvalidComparisons(
            where,
            f" looks like a header ({', '.join(first)!r:.80}), and columns by position "
            "are for files without: give columns by name.",
            code="header",
            place="line 1",
        )


def line_of_row(
    path: Path, text: TextFormat | None, row: int, is_packed: bool
) -> int | None:
    """The line, counted from 1, on which a row (from 0) ends; None where unknown.

    text: None for JSON lines. Values can have line breaks in them, and blank lines are
    not rows, so the file is read up to the row.
    """
    try:
        with open_text(path, is_packed) as lines:
            if text is None:
                ends = (n for n, line in enumerate(lines, 1) if line.strip())
                return next(islice(ends, row, None), None)
            mark, is_spaced = text.delimiter[0], text.is_spaced
            reader = csv.reader(lines, delimiter=mark, skipinitialspace=is_spaced)
            ends = (reader.line_num for cells in reader if cells)
            return next(islice(ends, row + text.skip, None), None)
    except (OSError, EOFError, ValueError, csv.Error):
        return None


def open_text(path: Path, is_packed: bool) -> IO[str]:
    """The text of a file, with its line ends as they are."""
    raw: Any = gzip.open(path) if is_packed else path.open("rb")
    return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
