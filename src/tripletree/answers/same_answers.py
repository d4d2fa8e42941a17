"""Files that are read together, and of which one is a part of another.

A study is exported more than once, and all exports lie in one folder: the answers of
the first would count twice.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tripletree.answers.layout import PAIRS

if TYPE_CHECKING:
    from tripletree.answers.tables import Table

LARGEST_TO_COMPARE, MOST_TO_COMPARE = 2**23, 500  # bytes, files: row by row
FEWEST_ROWS = 3  # of a file that is part of another, hardly by chance
BYTES_ALIKE = 4096  # with which large files begin that are compared


def same_answers(every: Table, tables: list[Table]) -> tuple[str, ...]:
    """A warning of files whose rows are all in another one.

    Files that are small together are compared row by row, in any order of rows; of
    large ones, whether one begins with all of the other.
    """
    sizes = [one.paths[0].stat().st_size for one in tables]
    is_small = sum(sizes) <= LARGEST_TO_COMPARE and len(tables) <= MOST_TO_COMPARE
    found = _contained(every) if is_small else _begun(tables, sizes)
    more = f", and so for {len(found) - 1} more" if len(found) > 1 else ""
    return tuple(
        f"all rows of {tables[one].name!r} are in {tables[other].name!r} as "
        f"well{more}: if these are the same answers, they count twice. Give one of "
        "the files."
        for one, other in found[:1]
    )


def _contained(table: Table) -> list[tuple[int, int]]:
    """The files whose rows are all in another, as often; few rows may be so by chance.

    A row is known by its hash; another file must have the row that fewest files have.
    Pair sums of a part of the answers are others: of them, only copies are found.
    """
    call = table.call.replace("$files,", "$files, filename=true,")
    query = (
        f"SELECT file, hash({table.alias}), count(*) FROM {call} AS "
        f"t({table.alias}, file) GROUP BY ALL"
    )
    number = {str(path.absolute()): at for at, path in enumerate(table.paths)}
    counts: list[dict[int, int]] = [{} for _ in table.paths]
    files: dict[int, list[int]] = {}
    for file, row, n in table.run(query).fetchall():
        counts[number[file]][row] = n
        files.setdefault(row, []).append(number[file])
    fewest = np.inf if table.names == PAIRS else FEWEST_ROWS

    def is_part(at: int, other: int) -> bool:
        rows = counts[at]
        if rows == counts[other]:
            return at > other
        are_few = at == other or sum(rows.values()) < fewest
        return not are_few and all(
            counts[other].get(x, 0) >= n for x, n in rows.items()
        )

    found = []
    for at, rows in enumerate(counts):
        rare = min(rows, key=lambda row: len(files[row]), default=None)
        others = [] if rare is None else files[rare]
        found += [(at, other) for other in others if is_part(at, other)][:1]
    return found


def _begun(tables: list[Table], sizes: list[int]) -> list[tuple[int, int]]:
    """The files with which another one begins; both have the same first bytes."""
    alike: dict[bytes, list[int]] = {}
    for at in sorted(range(len(tables)), key=sizes.__getitem__, reverse=True):
        with tables[at].paths[0].open("rb") as file:
            alike.setdefault(file.read(BYTES_ALIKE), []).append(at)
    return [
        (at, other)
        for group in alike.values()
        for other, at in pairwise(group)
        if _begins(tables[other].paths[0], tables[at].paths[0])
    ]


def _begins(whole: Path, part: Path) -> bool:
    """Whether a file begins with all of another."""
    with part.open("rb") as one, whole.open("rb") as two:
        chunks = iter(lambda: one.read(2**20), b"")
        return all(chunk == two.read(len(chunk)) for chunk in chunks)
