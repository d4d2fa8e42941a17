"""Files of pair sums: Parquet with the columns a, b, near, far."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tripletree._checks import check_fits
from tripletree._files import check_name, replaced
from tripletree.comparisons.files.engine_errors import translated
from tripletree.comparisons.files.items import item_labels
from tripletree.comparisons.files.label_order import natural_order
from tripletree.comparisons.files.paths import ending_of
from tripletree.comparisons.files.sources import opened
from tripletree.comparisons.files.spelling import check_spelling
from tripletree.comparisons.files.tables import Table, connected, engine_path
from tripletree.engines.questions import PAIRS, check_pair_types
from tripletree.errors import InvalidComparisons, Mismatch
from tripletree.similarity.pair_table import PairSums

BYTES_PER_PAIR = 96  # the arrays of the result, and those they are made of


def is_pair_file(source: Any) -> bool:
    """Whether a path leads to a file of pair sums: what `cluster` may ask first.

    Parameters
    ----------
    source : path, list of paths, or table

    Returns
    -------
    bool

    Examples
    --------
    >>> import tempfile, pathlib
    >>> sums = PairSums(["a", "b"], [[0, 1]], [1], [0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pairs(sums, pathlib.Path(folder, "pairs.parquet"))
    ...     is_pair_file(pathlib.Path(folder, "pairs.parquet"))
    True
    """
    with opened(source, False) as table:
        return table.names == PAIRS


def read_pairs(source: Any, *, items: Any = None) -> PairSums:
    """Read pair sums from a file; from several, their sum.

    Parameters
    ----------
    source : path or list of paths
        Written by :func:`write_pairs`, :func:`write_pair_sums` or ``tripletree pairs``;
        or patterns.
    items : list of labels, path or table, optional
        All objects in their order; by default those of the file, in natural order.

    Returns
    -------
    PairSums

    Raises
    ------
    InvalidComparisons
        If a file holds no pair sums, or an object is none of the items.
    TooLarge
        If the sums do not fit into the memory that is available.
    UnreadableFile
        If there is no such file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> sums = PairSums(["a", "b", "c"], [[0, 1], [0, 2]], [1, 0], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "pairs.parquet")
    ...     write_pairs(sums, path)
    ...     read_pairs(path)
    PairSums(2 pairs of 3 objects, 1 answers)
    """
    given = item_labels(items)
    with opened(source, False) as table:
        if table.names != PAIRS:
            message = (
                f"{table.name} holds no pair sums: they have the columns a, b, near, "
                "far. Sum answers with pair_sums, or `tripletree pairs`."
            )
            raise InvalidComparisons(message)
        types = table.types(range(4))
        check_pair_types(table.name, types)
        with translated(table.name):
            query = "SELECT count(*), count(c0), count(c1), count(c2), count(c3)"
            n, *counts = table.run(query, range(4)).fetchone()
        if counts != [n] * 4:
            message = f"{table.name}: a value is missing: write the file again."
            raise InvalidComparisons(message)
        what = f"a table of {n} pair sums"
        instead = (
            "score works without reading it; to cluster, use fewer objects, or a "
            "machine with more memory."
        )
        check_fits(BYTES_PER_PAIR * n, what, instead)
        labels = _labels(table, given)
        return _fetched(table, labels, types)


def _labels(table: Table, given: tuple[str, ...] | None) -> list[str]:
    with translated(table.name):
        found = table.run("SELECT list(DISTINCT c0), list(DISTINCT c1)", range(4))
        texts = {label for some in found.fetchone() for label in some or ()}
    if given is None:
        check_spelling(sorted(texts), table.name)
        return natural_order(texts)
    unknown = texts - {*given}
    if unknown:
        message = (
            f"{table.name}: {len(unknown)} objects, {min(unknown)[:80]!r} first, are "
            f"none of the {len(given)} items: add them to the items."
        )
        raise InvalidComparisons(message)
    return list(given)


def _fetched(table: Table, labels: list[str], types: dict[int, str]) -> PairSums:
    is_float = "FLOAT" in types.values() or "DOUBLE" in types.values()
    kind = "DOUBLE" if is_float else "BIGINT"
    make = "CREATE TYPE labels AS ENUM (SELECT unnest($values))"
    ids = [f"CAST(enum_code(CAST(c{at} AS labels)) AS BIGINT)" for at in (0, 1)]
    select = (
        f"SELECT least({', '.join(ids)}) AS low, greatest({', '.join(ids)}) AS high, "
        f"CAST(sum(c2) AS {kind}) AS near, CAST(sum(c3) AS {kind}) AS far"
    )
    with translated(table.name):
        table.connection.execute(make, {"values": labels or [""]})
        tail = " GROUP BY low, high ORDER BY low, high"
        found = table.run(select, range(4), tail=tail).fetchnumpy()
    pairs = np.column_stack([found["low"], found["high"]])
    try:
        return PairSums(labels, pairs, found["near"], found["far"])
    except InvalidComparisons as error:
        message = f"{table.name}: {error}"
        raise InvalidComparisons(message) from None


def write_pairs(pairs: PairSums, path: str | os.PathLike[str]) -> None:
    """Write pair sums to a Parquet file, which appears when it is whole.

    Parameters
    ----------
    pairs : PairSums
    path : path
        Ending in .parquet.

    Returns
    -------
    None

    Raises
    ------
    InvalidComparisons
        If these are no pair sums, or the ending is another.
    UnreadableFile
        If the file cannot be written there.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> sums = PairSums(["a", "b"], [[0, 1]], [3], [1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pairs(sums, pathlib.Path(folder, "pairs.parquet"))
    """
    if not isinstance(pairs, PairSums):
        message = f"cannot write {type(pairs).__name__} as pair sums: give PairSums."
        raise InvalidComparisons(message)
    labels = np.array(pairs.labels, np.object_)
    columns = {
        "low": pairs.pairs[:, 0],
        "high": pairs.pairs[:, 1],
        "near": pairs.near,
        "far": pairs.far,
    }
    with new_pair_file(path) as new, connected() as connection, translated(str(path)):
        connection.register("sums", columns)
        ids = np.arange(len(labels))
        connection.register("labels", {"label": labels, "id": ids})
        query = (
            "SELECT CAST(l.label AS VARCHAR) AS a, CAST(h.label AS VARCHAR) AS b, "
            "near, far FROM sums JOIN labels AS l ON low = l.id JOIN labels AS h ON "
            "high = h.id ORDER BY low, high"
        )
        connection.sql(query).write_parquet(str(new))


@contextmanager
def new_pair_file(path: Any) -> Iterator[Path]:
    """A new file of pair sums that takes the place of one at the end."""
    target = Path(check_name(path))
    if ending_of(target).kind != "parquet":
        message = f"{str(target)!r:.200}: pair sums are written to .parquet files."
        raise InvalidComparisons(message)
    with replaced(target) as new:
        yield new


def check_no_debts(path: Path, whole: bool) -> None:
    """Refuse sums from which more was taken away than there was."""
    slack = 0 if whole else 1e-9
    with connected() as connection, translated(str(path)):
        query = (
            "SELECT a, b FROM read_parquet($files) WHERE least(near, far) < -$slack * "
            "(SELECT max(greatest(near, far)) FROM read_parquet($files)) LIMIT 1"
        )
        parameters: dict[str, Any] = {"files": [engine_path(path)], "slack": slack}
        wrong = connection.execute(query, parameters).fetchone()
    if wrong:
        message = (
            f"more is taken away than there is, of the pair {wrong[0][:80]!r} and "
            f"{wrong[1][:80]!r}: are these sums part of the others?"
        )
        raise Mismatch(message)
