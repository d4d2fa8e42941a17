"""Answers or a similarity, as the pair sums that a search works on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree.comparisons.answers import Comparisons
from tripletree.comparisons.quadruplets import Quadruplets
from tripletree.comparisons.triplets import Triplets
from tripletree.errors import InvalidOption
from tripletree.similarity.adds import LARGEST_DENSE, adds_similarity
from tripletree.similarity.matrix import (
    Similarity,
    check_dense,
    check_exact,
    check_sparse,
    is_sparse,
    sum_of_sizes,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ENTRIES_PER_STORED = 200  # of a dense table, which are passed over as quickly


def pair_sums(
    data: Comparisons | Similarity,
) -> tuple[npt.NDArray[Any] | csr_array, tuple[str, ...] | None]:
    """s as `dense_pair_sums` gives it, or as a checked csr, and the labels.

    Sparse: comparisons whose AddS is sparse, and what is given so, except for at most
    10,000 objects with more than one pair in 200 stored.
    """
    if isinstance(data, Triplets | Quadruplets):
        if data.n_objects <= LARGEST_DENSE:
            return dense_pair_sums(data)
        summed = adds_similarity(data)
        if not is_sparse(summed):
            return dense_pair_sums(summed)[0], data.labels
        check_exact(summed.data, sum_of_sizes(summed), 4 * data.n_objects)
        return summed, data.labels
    if not is_sparse(data):
        return dense_pair_sums(data)
    matrix, total = check_sparse(data)
    n = matrix.shape[0]
    if n <= LARGEST_DENSE and matrix.nnz * ENTRIES_PER_STORED > n * n:
        return dense_pair_sums(matrix)
    check_exact(matrix.data, total, 4 * n)
    return matrix, None


def dense_pair_sums(
    data: Comparisons | Similarity,
) -> tuple[npt.NDArray[Any], tuple[str, ...] | None]:
    """s as a checked array of int64 or float64 with zero diagonal, and the labels.

    Refuses integers whose revenue could pass 2^63.
    """
    labels = None
    if isinstance(data, Triplets | Quadruplets):
        labels = data.labels
        data = np.asarray(adds_similarity(data, sparse=False))
    elif is_sparse(data):
        matrix, _ = check_sparse(data)
        n = matrix.shape[0]
        check_fits(
            8 * n * n,
            f"a dense similarity of {n} objects",
            "use fewer objects; sparse_average_linkage, climb and revenue need no "
            "dense form.",
        )
        data = matrix.toarray()
    elif not isinstance(data, np.ndarray):
        message = (
            f"cannot search with {type(data).__name__}: give Triplets, Quadruplets, or "
            "a similarity as an array or csr_array."
        )
        raise InvalidOption(message)
    s, total = check_dense(data)
    check_exact(s, total, 4 * len(s))
    with np.errstate(invalid="ignore"):
        has_diagonal = np.diagonal(s).any()  # NaN counts as any
    if has_diagonal:
        s = s.copy()
        np.fill_diagonal(s, 0)
    return s, labels
