"""Text and JSON of data sets into arrays, with errors that name file and line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree.errors import InvalidFile

LARGEST = 2**31 - 2

Ints = npt.NDArray[np.int64]


def lines_of(data: bytes, where: str) -> list[str]:
    """The lines of a text file, without the empty ones at its end."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise wrong_file(where, f"byte {error.start} is no UTF-8 text") from None
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def table_of(
    data: bytes,
    where: str,
    *,
    columns: Sequence[str],
    delimiter: str | None = ",",
    has_header: bool = True,
) -> list[list[str]]:
    """The cells of a text table with these columns, named in the header if any."""
    lines = lines_of(data, where)
    first = 0
    if has_header:
        header = [cell.strip() for cell in lines[0].split(delimiter)] if lines else []
        if header != list(columns):
            what = f"its header is {header!r:.200} and should be {list(columns)!r}"
            raise wrong_file(where, what)
        first = 1
    cells = [line.split(delimiter) for line in lines[first:]]
    if not cells:
        raise wrong_file(where, "it has no rows")
    for number, row in enumerate(cells, first + 1):
        if len(row) != len(columns):
            what = f"line {number} has {len(row)} columns and should have"
            raise wrong_file(where, f"{what} {len(columns)}: {', '.join(columns)}")
    return cells


def integers_of(cells: list[list[str]], where: str, *, has_header: bool = True) -> Ints:
    """Cells as integers from 0 to 2^31 - 2."""
    table = np.empty((len(cells), len(cells[0])), np.int64)
    for at, row in enumerate(cells):
        for column, cell in enumerate(row):
            text = cell.strip()
            is_number = text.isascii() and text.isdigit() and len(text) <= 10
            number = int(text) if is_number else -1
            if not 0 <= number <= LARGEST:
                line = at + 1 + has_header
                what = f"line {line}, column {column + 1} is {cell[:40]!r}"
                raise wrong_file(where, f"{what}, which is no number of an object")
            table[at, column] = number
    return table


def floats_of(
    cells: list[list[str]], where: str, *, has_header: bool = True
) -> npt.NDArray[np.float64]:
    """Cells as finite numbers."""
    table = np.empty((len(cells), len(cells[0])))
    for at, row in enumerate(cells):
        for column, cell in enumerate(row):
            try:
                number = float(cell)
            except ValueError:
                number = np.nan
            if not np.isfinite(number):
                line = at + 1 + has_header
                what = f"line {line}, column {column + 1} is {cell[:40]!r}"
                raise wrong_file(where, f"{what}, which is no finite number")
            table[at, column] = number
    return table


def json_of(data: bytes, where: str) -> Any:
    """The value of a JSON file."""
    import json

    try:
        return json.loads(data)
    except RecursionError:
        raise wrong_file(where, "its JSON is nested too deeply") from None
    except ValueError as error:  # also UnicodeDecodeError
        raise wrong_file(where, f"it is no JSON ({error})") from None


def wrong_file(where: str, what: str) -> InvalidFile:
    """The error about a file that is not what it should be."""
    message = f"{where}: {what}. Get the file again from its source."
    return InvalidFile(message)
