"""Files of pair sums: Parquet with the columns a, b, near, far."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tripletree._checks import check_fits
from tripletree._files import check_name, replaced
from tripletree.answers.duckdb_errors import explain_errors
from tripletree.answers.engines import DuckDB, on_duckdb
from tripletree.answers.first_look import number_objects
from tripletree.answers.items import item_labels
from tripletree.answers.layout import Options
from tripletree.answers.relation import sorted_pair_sums, with_label_tables
from tripletree.answers.sources import ending_of
from tripletree.answers.tables import connected, engine_path
from tripletree.errors import SUM_ON_DISK, InvalidComparisons, Mismatch, refuse_if
from tripletree.similarity.sums_by_pair import PairSums

BYTES_PER_PAIR = 96  # the arrays of the result, and those they are made of


def write_pairs(
    pairs: PairSums, path: str | os.PathLike[str], *, overwrite: bool = True
) -> None:
    """Write pair sums to a Parquet file, which appears when it is whole.

    Parameters
    ----------
    pairs : PairSums
    path : path
        Ending in .parquet.
    overwrite : bool, default True
        Whether to replace a file that is there.

    Returns
    -------
    None

    Raises
    ------
    InvalidComparisons
        If these are not pair sums, or the ending is another.
    UnreadableFile
        If the file cannot be written there, or may not be replaced.
    InvalidOption
        If overwrite is not True or False.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> sums = PairSums(["a", "b"], [[0, 1]], [3], [1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pairs(sums, pathlib.Path(folder, "pairs.parquet"))
    """
    refuse_if(
        not isinstance(pairs, PairSums),
        InvalidComparisons,
        f"cannot write {type(pairs).__name__} as pair sums: give PairSums.",
        code="no pair sums",
    )
    labels = np.array(pairs.labels, np.object_)
    columns = {
        "low": pairs.pairs[:, 0],
        "high": pairs.pairs[:, 1],
        "near": pairs.near,
        "far": pairs.far,
    }
    with (
        new_pair_file(path, overwrite) as new,
        connected() as connection,
        explain_errors(str(path)),
    ):
        connection.register("sums", columns)
        ids = np.arange(len(labels))
        connection.register("labels", {"label": labels, "id": ids})
        query = (
            "SELECT CAST(one.label AS VARCHAR) AS a, CAST(two.label AS VARCHAR) AS b, "
            f"near, far FROM {with_label_tables('sums')} ORDER BY low, high"
        )
        connection.sql(query).write_parquet(str(new))


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
        If a file does not hold pair sums, or an object is not among the items.
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
    PairSums(2 pairs of 3 objects, 1 comparisons)
    """
    with on_duckdb(source, Options(labels=item_labels(items))) as engine:
        return pairs_of(engine)


def pairs_of(engine: DuckDB) -> PairSums:
    """The pair sums in an open table of them."""
    name = engine.layout.name
    refuse_if(
        engine.layout.form != "pairs",
        InvalidComparisons,
        f"{name} does not hold pair sums: they have the columns a, b, near, far. Sum "
        "answers with ",
        SUM_ON_DISK,
        ".",
        code="no pair sums",
    )
    (n,) = engine.table.run("SELECT count(*) FROM {table}").fetchone()
    instead = (
        "score works without reading it; to cluster, use fewer objects, or a machine "
        "with more memory."
    )
    check_fits(BYTES_PER_PAIR * n, f"a table of {n} pair sums", instead)
    number_objects(engine)
    found = engine.arrays(sorted_pair_sums)
    pairs = np.column_stack([found["low"], found["high"]])
    try:
        made = PairSums(engine.labels, pairs, found["near"], found["far"])
    except InvalidComparisons as error:
        raise InvalidComparisons(name, f": {error}", code="no pair sums") from None
    return replace(made, warnings=engine.layout.warnings)


def new_pair_file(path: Any, overwrite: bool) -> AbstractContextManager[Path]:
    """A new file of pair sums that takes the place of one at the end."""
    target = Path(check_name(path))
    refuse_if(
        ending_of(target).kind != "parquet",
        InvalidComparisons,
        f"{str(target)!r:.200}: pair sums are written to .parquet files.",
        code="unknown ending",
    )
    return replaced(target, overwrite)


def check_no_debts(path: Path, whole: bool) -> None:
    """Refuse sums from which more was taken away than there was."""
    slack = 0 if whole else 1e-9
    with connected() as connection, explain_errors(str(path)):
        query = (
            "SELECT a, b FROM read_parquet($files) WHERE least(near, far) < -$slack * "
            "(SELECT max(greatest(near, far)) FROM read_parquet($files)) LIMIT 1"
        )
        parameters: dict[str, Any] = {"files": [engine_path(path)], "slack": slack}
        wrong = connection.execute(query, parameters).fetchone()
    one, two = wrong or ("", "")
    refuse_if(
        wrong is not None,
        Mismatch,
        f"more is taken away than there is, of the pair {one[:80]!r} and "
        f"{two[:80]!r}: are these sums part of the others?",
    )
