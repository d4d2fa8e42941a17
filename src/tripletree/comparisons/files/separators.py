"""The head of a text file: what separates its columns, and what they are called."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from tripletree.comparisons.files.headers import is_known_name
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
        raise InvalidComparisons(message)
    if "\0" in lines[0]:
        message = (
            f"{name}, line 1: this is no text but binary data. Let the ending of the "
            "name say what kind of file it is, or save it as text (UTF-8)."
        )
        raise InvalidComparisons(message)
    rows = {mark: _cells(lines, mark) for mark in separators}
    wide = [mark for mark in separators if rows[mark] and len(rows[mark][0]) >= 3]
    wide += [mark for mark in separators if rows[mark] and len(rows[mark][0]) == 2]
    delimiter = wide[0] if wide else separators[0]
    found = [row for row in rows[delimiter] if row]
    if not found:
        message = f"{name}, line 1: a quoted value has no end: close the quotes."
        raise InvalidComparisons(message)
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
        raise InvalidComparisons(message)
