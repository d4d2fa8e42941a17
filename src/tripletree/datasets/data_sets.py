"""Public data sets: what is returned of them, and how text and JSON become arrays.

Errors name the file, and the line where there are lines. Answers in which an object
occurs twice say nothing: they are dropped, and counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from tripletree._checks import check_fits
from tripletree.comparisons.row_checks import Bools, Floats, Ints
from tripletree.comparisons.triplets import Triplets
from tripletree.datasets.data_files import (
    ORIGINS,
    Folder,
    read_data_file,
    reading_as,
    refuse_file_if,
    wrong_file,
)

LARGEST = 2**31 - 2


@dataclass(frozen=True, eq=False)
class ComparisonSet:
    """Answers that people gave, and where they come from.

    ``comparisons`` are the Triplets, with labels and annotators where these are known,
    and with what was left out, by reason: ``{"degenerate rows": 17}``. ``n_answers``
    counts the answers that were read (screens, trials, votes), and ``classes`` has the
    class of each object, where known. ``citation``, ``licence`` and ``page`` say whom
    to thank and what is allowed.
    """

    name: str
    comparisons: Triplets
    n_answers: int
    classes: tuple[str, ...] | None
    citation: str
    licence: str
    page: str

    def __repr__(self) -> str:
        return (
            f"ComparisonSet({self.name!r}, {self.n_answers} answers, "
            f"{self.comparisons!r})"
        )


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """Objects with features and classes, to draw comparisons from.

    ``features`` is (n, d), its columns named by ``feature_names``; ``labels`` are the
    names of the objects, all different, and ``classes`` (n,) their true classes.
    """

    name: str
    features: Floats
    feature_names: tuple[str, ...]
    labels: tuple[str, ...]
    classes: Ints
    citation: str
    licence: str
    page: str

    def __repr__(self) -> str:
        n, d = self.features.shape
        return f"FeatureSet({self.name!r}, {n} objects, {d} features)"


def lines_of(data: bytes, where: str) -> list[str]:
    """The lines of a text file, without the empty ones at its end."""
    with reading_as("UTF-8 text", where):
        text = data.decode("utf-8-sig")
    return text.rstrip().splitlines()


def read_names(path: str, data_home: Folder | None, n_objects: int) -> tuple[str, ...]:
    """One name per line, for so many objects."""
    names = tuple(lines_of(read_data_file(path, data_home), path))
    refuse_file_if(
        not len(names) == len(set(names)) == n_objects,
        path,
        f"{len(set(names))} different names for {n_objects} objects",
    )
    return names


@dataclass(frozen=True)
class TextTable:
    """The cells of a text file, and what errors about them need."""

    where: str
    first_line: int
    cells: list[list[str]]

    def integers(self, first: int = 0, last: int | None = None) -> Ints:
        """Some columns as integers from 0 to 2^31 - 2."""
        cells = [[cell.strip() for cell in row[first:last]] for row in self.cells]
        table = np.array([[*map(_whole_number, row)] for row in cells])
        self._refuse_first(np.isnan(table), first, "the number of an object")
        return table.astype(np.int64)

    def floats(self, first: int = 0, last: int | None = None) -> Floats:
        """Some columns as finite numbers."""
        table = np.array([[*map(_number, row[first:last])] for row in self.cells])
        self._refuse_first(~np.isfinite(table), first, "a finite number")
        return table

    def _refuse_first(self, is_wrong: Bools, first: int, what: str) -> None:
        if is_wrong.any():
            at, column = (np.argwhere(is_wrong)[0] + [0, first]).tolist()
            raise wrong_file(
                self.where,
                f"line {at + self.first_line}, column {column + 1} is "
                f"{self.cells[at][column][:40]!r}, which is not {what}",
            )


def _whole_number(cell: str) -> float:
    is_number = cell.isascii() and cell.isdigit() and len(cell) <= 10
    return float(cell) if is_number and int(cell) <= LARGEST else np.nan


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def table_of(
    data: bytes,
    where: str,
    *,
    columns: Sequence[str],
    delimiter: str | None = ",",
    has_header: bool = True,
) -> TextTable:
    """A text table with these columns, named in the header if any."""
    cells = [line.split(delimiter) for line in lines_of(data, where)]
    if has_header:
        header = [cell.strip() for cell in cells.pop(0)] if cells else []
        refuse_file_if(
            header != list(columns),
            where,
            f"its header is {header!r:.200} and should be {list(columns)!r}",
        )
    refuse_file_if(not cells, where, "it has no rows")
    first_line = 1 + has_header
    for number, row in enumerate(cells, first_line):
        refuse_file_if(
            len(row) != len(columns),
            where,
            f"line {number} has {len(row)} columns and should have {len(columns)}: "
            f"{', '.join(columns)}",
        )
    return TextTable(where, first_line, cells)


def read_table(path: str, data_home: Folder | None, **layout: Any) -> TextTable:
    """The table in a file of a data set, as `table_of` reads it."""
    return table_of(read_data_file(path, data_home), path, **layout)


def json_of(data: bytes, where: str) -> Any:
    """The value of a JSON file."""
    with reading_as("JSON", where):
        value = json.loads(data)
    return value


def number_names(rows: list[list[str]]) -> tuple[Ints, list[str]]:
    """Names as positions among all of them, sorted, and these; -1 fills up rows."""
    names = sorted(set(chain.from_iterable(rows)))
    number = {name: at for at, name in enumerate(names)}
    width = max(2, *map(len, rows))  # a probe alone leaves a gap, and says nothing
    check_fits(
        8 * len(rows) * width,
        f"a table of {len(rows)} answers",
        "free memory, or get the file again.",
    )
    table = np.full((len(rows), width), -1)
    for at, row in enumerate(rows):
        table[at, : len(row)] = [number[name] for name in row]
    return table, names


def all_differ(table: Ints) -> Bools:
    """Which rows have no object twice."""
    differ: Bools = (np.diff(np.sort(table, axis=1), axis=1) != 0).all(axis=1)
    return differ


def answered_set(
    name: str, shown: Ints, to_triplets: Callable[[Ints], Triplets]
) -> ComparisonSet:
    """The data set of answers about what was shown, without those that say nothing."""
    kept = shown[all_differ(shown)]
    answers = to_triplets(kept)
    dropped = {**answers.dropped, "degenerate rows": len(shown) - len(kept)}
    answers = replace(answers, dropped=dropped)
    return ComparisonSet(name, answers, len(shown), None, **ORIGINS[name])
