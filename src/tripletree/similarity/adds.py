r"""AddS: the additive similarity, the sufficient statistic of the answers.

.. math:: s_{ij} = \#\{\text{answers with near pair } ij\}
                 - \#\{\text{answers with far pair } ij\}

Weights multiply. This is AddS3 for triplets and AddS4 for quadruplets (Theorem 1 of the
paper). The sum over all pairs is 0.

How the dense table is filled. Pair (i, j), i > j, is cell i(i-1)/2 + j. Cells are
visited in random order, so speed depends on the cache: each thread counts in a table of
int8, an eighth of the size of the sums. A counter that reaches +-127 is noted and reset
to 0. Notes are few (at most two per 127 answers) and are added to the sums when their
short list is full, and after each chunk of rows. Sums of integers do not depend on
their order, so the result does not depend on the threads. Weighted answers are summed
in order by one thread.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, check_flag
from tripletree._threads import map_threads, n_threads, row_chunks, share_chunks
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.errors import SUM_ON_DISK, Remedy
from tripletree.similarity import _adds_kernel as kernels

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LARGEST_DENSE = 10_000
ROWS_PER_CHUNK = 2**20
MOST_NOTES = 4096  # 32 KB, which stay in cache
MOST_TABLES = 16  # of n^2 / 2 bytes: together no larger than the sums


def adds_similarity(
    comparisons: Comparisons, *, sparse: bool | None = None
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64] | csr_array:
    """Additive similarity (AddS3, AddS4): near counts minus far counts of every pair.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
    sparse : bool, optional
        Whether to return a `csr_array` without the zeros instead of an array. By
        default, up to 10,000 objects are dense, and more if the array is no larger
        than the sparse form could be; this does not depend on the machine.

    Returns
    -------
    ndarray or csr_array, shape (n, n)
        Symmetric with zero diagonal; int64, or float64 if the weights are floats.

    Raises
    ------
    InvalidComparisons, InvalidOption
        If the answers are not comparisons, or sparse is not True, False or None.
    TooLarge
        If the result would not fit into the memory that is available.

    Notes
    -----
    Dense: O(m + n^2) time, 8 n^2 bytes for the result and n^2 / 2 for each thread that
    counts (at most 16, and one for every million answers; none with weights). Sparse:
    O(m log m + n) time, 10 m bytes and 48 for every pair that occurs, at most 2 m of
    them.

    References
    ----------
    Perrot, Esser, Ghoshdastidar, "Near-optimal comparison based clustering", 2020.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> adds_similarity(Triplets([[0, 1, 2], [1, 0, 2]], n_objects=3))
    array([[ 0,  2, -1],
           [ 2,  0, -1],
           [-1, -1,  0]])
    """
    check_comparisons(comparisons)
    n, m = comparisons.n_objects, len(comparisons)
    dense_bytes, sparse_bytes = _bytes_needed(comparisons)
    if sparse is None:
        sparse = n > LARGEST_DENSE and sparse_bytes < 8 * n * n
    if check_flag("sparse", sparse):
        check_fits(
            sparse_bytes,
            f"the sparse similarity of {m} comparisons",
            "sum the answers on disk with ",
            SUM_ON_DISK,
            ".",
        )
        return _sparse(comparisons)
    check_fits(
        dense_bytes,
        f"a dense similarity of {n} objects",
        "use fewer objects, or ",
        Remedy("adds_similarity(..., sparse=True)", shell="--method climb"),
        ".",
    )
    return _dense(comparisons)


def _bytes_needed(comparisons: Comparisons) -> tuple[int, int]:
    """Upper bounds on the memory for the dense and the sparse form."""
    n, m = comparisons.n_objects, len(comparisons)
    is_weighted = comparisons.weights is not None
    tables = 0 if is_weighted else _n_tables(m) * (n * (n - 1) // 2)
    most_pairs = min(2 * m, n * (n - 1) // 2)
    sparse_bytes = 80 * min(m, _rows_at_once(m)) + 48 * most_pairs + 64 * n
    return 8 * n * n + tables, sparse_bytes


def _rows_at_once(n_rows: int) -> int:
    """How many rows the sparse form adds at a time: few parts, for each costs a sum."""
    return max(2 * ROWS_PER_CHUNK, -(-n_rows // 8))


def _n_tables(n_rows: int) -> int:
    """How many threads count, each in a table of its own."""
    return min(n_threads(), len(row_chunks(n_rows, ROWS_PER_CHUNK)), MOST_TABLES)


def _dense(
    comparisons: Comparisons,
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    n, rows, weights = comparisons.n_objects, comparisons.rows, comparisons.weights
    sums = np.zeros((n, n), _dtype(weights))
    tables = np.zeros((0, n * (n - 1) // 2), np.int8)
    if weights is None:
        tables = _count(rows, sums)
    else:
        for chunk in row_chunks(len(rows), ROWS_PER_CHUNK):
            kernels.add_weighted(rows[chunk], weights[chunk], sums)
    bands = row_chunks(n, kernels.TILE)
    map_threads(lambda b: kernels.add_tables(tables, b.start, b.stop, sums), bands)
    return sums


def _count(
    rows: npt.NDArray[np.int32], sums: npt.NDArray[np.int64]
) -> npt.NDArray[np.int8]:
    """Near minus far counts: one table per thread, and the rest of the lower sums."""
    n = len(sums)
    chunks = row_chunks(len(rows), ROWS_PER_CHUNK)
    tables = np.zeros((_n_tables(len(rows)), n * (n - 1) // 2), np.int8)
    overflow: deque[npt.NDArray[np.int64]] = deque()

    def count(table: npt.NDArray[np.int8], chunk: slice) -> None:
        notes = np.empty(MOST_NOTES, np.int64)
        part, reached = rows[chunk], 0
        while reached < len(part):
            n_notes, reached = kernels.count_rows(part, reached, table, notes)
            if n_notes:
                overflow.append(notes[:n_notes].copy())

    share_chunks(count, tables, chunks)
    for notes in overflow:
        kernels.add_notes(notes, sums)
    return tables


def _sparse(comparisons: Comparisons) -> csr_array:
    """The upper triangle, some rows at a time, and its mirror image."""
    from scipy.sparse import coo_array, csr_array

    n, weights = comparisons.n_objects, comparisons.weights
    shape, dtype = (n, n), _dtype(weights)
    upper: Any = csr_array(shape, dtype=dtype)
    for chunk in row_chunks(len(comparisons), _rows_at_once(len(comparisons))):
        pairs = np.concatenate([comparisons.near[chunk], comparisons.far[chunk]]).T
        one = np.ones(pairs.shape[1] // 2, dtype) if weights is None else weights[chunk]
        places = np.minimum(*pairs), np.maximum(*pairs)
        upper += coo_array((np.concatenate([one, -one]), places), shape).tocsr()
    upper.eliminate_zeros()
    return csr_array(upper + upper.T)


def _dtype(weights: npt.NDArray[np.generic] | None) -> npt.DTypeLike:
    return np.int64 if weights is None else weights.dtype
