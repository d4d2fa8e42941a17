r"""MulK and 4K: objects are similar if their comparisons with others agree.

**MulK3.** Each object i has a row with one column per pair {j, k}, j < k: the number of
answers (i, j, k) minus that of (i, k, j). The similarity of two objects is the inner
product of their rows, divided by the root of the product of the numbers of questions
asked about each. It says whether two objects agree on which third one is closer.

**MulK4.** Each object i has a row with one column per other object j and pair {k, l}:
how often i, j was judged closer than k, l, minus how often farther. The similarity is
the inner product. **4K** is MulK4 plus twice AddS4.

**How it is computed.** A row has up to n^2/2 or n^3/2 columns, nearly all 0; only
columns with two or more entries have products. Answers are sorted by the pair {j, k} or
{k, l}, by counting. Then each column is collected, answers to the same question are
summed, and its products are added to an n x n table. Each pair of entries is added
once, on either side of the diagonal; both sides are added at the end. Integer sums are
exact, so neither their order nor the threads change them; float weights are summed in
order by one thread.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._threads import map_threads, n_threads, row_chunks, share_chunks
from tripletree.comparisons.row_checks import Ints
from tripletree.comparisons.triplets import Comparisons, Triplets, check_comparisons
from tripletree.errors import InvalidComparisons, Remedy, refuse_if
from tripletree.similarity import _mulk_kernel as kernels
from tripletree.similarity.adds import adds_similarity

Values = npt.NDArray[Any]

ENTRIES_PER_CHUNK = 2**16
LARGEST_TOTAL = 2**30  # an object has two entries in a quadruplet: sums below 2^62


def mulk_similarity(comparisons: Comparisons) -> Values:
    r"""Multiplicative similarity: MulK3 of triplets, MulK4 of quadruplets.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
        Repeated answers add up, and weights multiply. Triplets are quadruplets too:
        MulK4 of them is ``mulk_similarity(triplets.to_quadruplets())``.

    Returns
    -------
    ndarray, shape (n, n)
        Symmetric with zero diagonal. MulK3 is float64, and equal values are equal to
        the last bit; MulK4 is int64, or float64 if the weights are floats.

    Raises
    ------
    InvalidComparisons
        If integer weights add up to more than 2^30, so that products could overflow.
    TooLarge
        If the tables would not fit into the memory that is available.

    Notes
    -----
    O(m + n^2 + P) time, where P counts the pairs of objects with an entry in the same
    column; about 12 n^2 bytes and 8 n^2 for each thread, and 8 m or 16 m bytes.
    In MulK3, a question whose answers cancel still counts as asked.

    References
    ----------
    Kleindessner, von Luxburg, "Kernel functions based on triplet comparisons", 2017;
    Perrot, Esser, Ghoshdastidar, "Near-optimal comparison based clustering", 2020.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> answers = Triplets([[0, 2, 3], [1, 2, 3], [1, 0, 2]], n_objects=4)
    >>> mulk_similarity(answers)[0].round(4).tolist()  # 1 / sqrt(1 * 2)
    [0.0, 0.7071, 0.0, 0.0]
    """
    check_comparisons(comparisons)
    _check_sizes(comparisons)
    n = comparisons.n_objects
    tables, counts = _products(comparisons)
    result = tables[0] if counts is None else np.zeros((n, n))
    bands = row_chunks(n, kernels.TILE)
    map_threads(
        lambda b: kernels.finish(tables, counts, b.start, b.stop, result), bands
    )
    return result


def four_k_similarity(comparisons: Comparisons) -> Values:
    """The 4K similarity: MulK4 plus twice AddS4.

    Parameters
    ----------
    comparisons : Quadruplets or Triplets
        Triplets serve as quadruplets (i, j, i, k).

    Returns
    -------
    ndarray of int64 or float64, shape (n, n)
        Symmetric with zero diagonal, exact on integers.

    Raises
    ------
    InvalidComparisons, TooLarge
        As for :func:`mulk_similarity`.

    References
    ----------
    Ghoshdastidar, Perrot, von Luxburg, "Foundations of comparison-based hierarchical
    clustering", 2019.

    Examples
    --------
    >>> from tripletree import Quadruplets
    >>> answers = Quadruplets([[0, 1, 2, 3], [1, 2, 2, 3]], n_objects=4)
    >>> four_k_similarity(answers)[0].tolist()
    [0, 2, 1, 0]
    """
    check_comparisons(comparisons)
    if isinstance(comparisons, Triplets):
        comparisons = comparisons.to_quadruplets()
    result = mulk_similarity(comparisons)
    result += 2 * adds_similarity(comparisons, sparse=False)
    return result


def _check_sizes(comparisons: Comparisons) -> None:
    n, m, weights = comparisons.n_objects, len(comparisons), comparisons.weights
    total = m if weights is None else weights.sum().item()
    refuse_if(
        isinstance(total, int) and total > LARGEST_TOTAL,
        InvalidComparisons,
        f"the weights of these comparisons add up to {total}, more than 2^30: their "
        "products could overflow. Divide them by a constant, or give weights that are "
        "floats.",
    )
    n_tables = 1 + _n_tables(comparisons)
    needed = (8 * n_tables + 8) * n * n + 8 * m * (comparisons.width - 2)
    other = Remedy("adds_similarity, which can be sparse", shell="--method adds-al")
    what = f"MulK of {n} objects and {m} comparisons"
    check_fits(needed, what, "use fewer, or ", other, ".")


def _n_tables(comparisons: Comparisons) -> int:
    """The number of tables of products: one per thread, or one if order matters."""
    weights = comparisons.weights
    is_exact = weights is None or weights.dtype.kind == "i"
    n_chunks = 1 + len(comparisons) // ENTRIES_PER_CHUNK
    return min(n_threads(), n_chunks) if is_exact else 1


def _products(comparisons: Comparisons) -> tuple[Values, Ints | None]:
    """Tables (n_tables, n, n) whose sum, with its mirror image, are the products.

    And for each object the number of columns in which it has an entry (MulK3 only).
    """
    n, rows, weights = comparisons.n_objects, comparisons.rows, comparisons.weights
    dtype = np.dtype(np.int64) if weights is None else weights.dtype
    is_triplets = isinstance(comparisons, Triplets)
    pairs = rows[:, 1:] if is_triplets else rows.reshape(-1, 2)
    starts = np.zeros(n * (n - 1) // 2 + 1, np.int64)
    kernels.count_cells(pairs, starts)
    np.cumsum(starts, out=starts)
    order = np.empty(len(pairs), np.int64)
    kernels.sort_by_cell(pairs, starts[:-1].copy(), order)
    n_tables = _n_tables(comparisons)
    tables = np.zeros((n_tables, n, n), dtype)
    counts = np.zeros((n_tables, n), np.int64)
    most = int(np.diff(starts).max(initial=0))

    def multiply(table: int, cells: tuple[int, int]) -> None:
        column = kernels.Column(
            objects=np.empty(n, np.int64),
            sums=np.empty(n, dtype),
            size=np.zeros(1, np.int64),
            place=np.full(n, -1),
        )
        given = weights, starts, order, *cells, column, tables[table]
        if is_triplets:
            kernels.multiply_triplets(rows, *given, counts[table])
        else:
            head, after = np.full(n, -1), np.empty(2 * most, np.int64)
            kernels.multiply_quadruplets(pairs, *given, head, after)

    share_chunks(multiply, range(n_tables), _cell_chunks(starts))
    return tables, counts.sum(axis=0) if is_triplets else None


def _cell_chunks(starts: Ints) -> list[tuple[int, int]]:
    """Consecutive ranges of cells with about the same number of entries each."""
    wanted = np.arange(0, starts[-1], ENTRIES_PER_CHUNK)
    bounds = [0, *np.unique(np.searchsorted(starts, wanted[1:])), len(starts) - 1]
    return [(int(a), int(b)) for a, b in pairwise(bounds)]
