"""Files of pair sums, written: Parquet with the columns a, b, near, far."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tripletree._files import check_name, replaced
from tripletree.answers.duckdb_errors import translated
from tripletree.answers.sources import ending_of
from tripletree.answers.tables import connected, engine_path
from tripletree.errors import InvalidComparisons, Mismatch
from tripletree.similarity.pair_table import PairSums


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
