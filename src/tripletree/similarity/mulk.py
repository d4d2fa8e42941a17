r"""MulK and 4K: objects are similar if their comparisons with others agree.

**MulK3.** Each object i has a row with one column per pair {j, k}, j < k: the number of
answers (i, j, k) minus that of (i, k, j). The similarity of two objects is the inner
product of their rows, divided by the root of the product of the numbers of questions
asked about each. It says whether two objects agree on which third one is closer.

**MulK4.** Each object i has a row with one column per other object j and pair {k, l}:
how often i, j was judged closer than k, l, minus how often farther. The similarity is
the inner product. **4K** is MulK4 plus twice AddS4.

**How it is computed.** The rows are a sparse matrix: a row has up to n^2/2 or n^3/2
columns, nearly all 0. Answers to one question are summed, and the matrix is multiplied
by its transpose. Products of integers are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._threads import row_chunks
from tripletree.comparisons.row_checks import pair_numbers
from tripletree.comparisons.triplets import (
    Comparisons,
    Quadruplets,
    Triplets,
    check_comparisons,
)
from tripletree.errors import InvalidComparisons, Remedy, refuse_if
from tripletree.similarity.adds import adds_similarity

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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
    O(m log m + n^2 + P) time, where P counts the pairs of objects with an entry in the
    same column; at most 24 n^2 bytes, and 96 m (MulK3) or 400 m (MulK4).
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
    table = _table(comparisons)
    products: Values = (table @ table.T).toarray()
    np.fill_diagonal(products, 0)
    if isinstance(comparisons, Quadruplets):
        return products
    products = products.astype(np.float64, copy=False)
    n_asked = np.maximum(np.diff(table.indptr), 1).astype(np.float64)
    for rows in row_chunks(len(products), max(1, ENTRIES_PER_CHUNK // len(products))):
        products[rows] = _divided(products[rows], np.outer(n_asked[rows], n_asked))
    return products


def _divided(products: Values, asked: Values) -> Values:
    """Over the roots, as a root of ratios: equal numbers give equal floats."""
    with np.errstate(over="ignore", under="ignore"):
        squares = products * products
        # Beyond, for float weights, whose equality is not promised.
        is_exact = (squares > 1e-290) & (squares < 1e290)
        roots = np.copysign(np.sqrt(squares / asked), products)
        return np.where(is_exact, roots, products / np.sqrt(asked))


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
    needed = 24 * n * n + m * (96 if comparisons.width == 3 else 400)
    other = Remedy("adds_similarity, which can be sparse", shell="--method adds-al")
    what = f"MulK of {n} objects and {m} comparisons"
    check_fits(needed, what, "use fewer, or ", other, ".")


def _table(comparisons: Comparisons) -> csr_array:
    """A row per object, a column per question about it, and the sums of its answers."""
    from scipy.sparse import coo_array

    n, rows, weights = comparisons.n_objects, comparisons.rows, comparisons.weights
    one = np.ones(len(rows), np.int64) if weights is None else weights
    asked = rows[one != 0].T.astype(np.int64)
    one = one[one != 0]
    if isinstance(comparisons, Triplets):
        objects, j, k = asked
        values, columns = np.where(j < k, one, -one), pair_numbers(j, k)
        n_columns = n * (n - 1) // 2
    else:
        near, far = pair_numbers(*asked[:2]), pair_numbers(*asked[2:])
        objects, others = asked.ravel(), asked[[1, 0, 3, 2]].ravel()
        questions = others * n * n + np.concatenate([far, far, near, near])
        values = np.concatenate([one, one, -one, -one])
        found, columns = np.unique(questions, return_inverse=True)
        n_columns = len(found)
    return coo_array((values, (objects, columns)), (n, n_columns)).tocsr()
