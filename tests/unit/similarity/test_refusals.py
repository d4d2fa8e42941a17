"""What similarities, and the functions that take them, refuse."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from tripletree import (
    InvalidComparisons,
    InvalidOption,
    InvalidSimilarity,
    Triplets,
    adds_similarity,
    average_linkage,
    caterpillar_tree,
    cosine_similarity,
    four_k_similarity,
    mulk_similarity,
    revenue,
)

ASYMMETRIC = np.array([[0, 1, 2], [1, 0, 3], [2, 4, 0]])
INFINITE = np.array([[0, 1, 2], [1, 0, np.inf], [2, np.inf, 0]])
MISSING = np.array([[0, 1, 2], [1, 0, np.nan], [2, np.nan, 0]])
NO_ANSWERS = Triplets([], 3)
HEAVY = Triplets([[0, 2, 3], [1, 2, 3]], 4, weights=[2**29, 2**29 + 1])

WRONG = [
    *(
        (revenue, (caterpillar_tree(3), form(matrix)), InvalidSimilarity, words)
        for form in (np.array, csr_array)
        for matrix, words in [
            (ASYMMETRIC, "it must be symmetric"),
            (INFINITE, "= inf: similarities must be finite"),
            (MISSING, "= nan: similarities must be finite"),
            (
                np.full((3, 3), 2**62),
                r"for exact 64-bit sums: .* up to 1.38e\+19, .* below 2\^63",
            ),
        ]
    ),
    *(
        (average_linkage, (matrix,), InvalidSimilarity, words)
        for matrix, words in [
            (ASYMMETRIC, r"similarity\[2, 1\] = 4 but similarity\[1, 2\] = 3"),
            (INFINITE, r"similarity\[2, 1\] = inf"),
            (np.zeros((2, 3)), r"shape \(2, 3\)"),
            (np.zeros((0, 0)), r"shape \(0, 0\)"),
            (np.zeros(3), r"shape \(3,\)"),
            (np.array([["a"]]), "dtype <U1"),
            (np.array([[1j]]), "dtype complex128"),
            ([[0, 1], [1]], "rectangular"),
            (csr_array(np.zeros((3, 3))), r"toarray\(\)"),
            (np.full((2, 2), 2**63, np.uint64), r"beyond 2\^62"),
            (np.full((2, 2), 2**63, ">u8"), r"beyond 2\^62"),
            (np.full((9, 9), 2**60), "too large for exact 64-bit sums"),
            (np.full((9, 9), 2**57), r"up to 5.19e\+18, and 9 times that"),
            (np.full((9, 9), 1e308), "too large: divide"),
            (np.ma.masked_equal(np.ones((2, 2)), 1), "masked array"),
            (Triplets([], 3), r"adds_similarity\(comparisons\) first"),
            (
                np.outer(np.arange(300) == 290, np.arange(300) == 7)
                * 1.0,  # in a far tile
                r"similarity\[290, 7\] = 1.0",
            ),
        ]
    ),
    *(
        (cosine_similarity, (features,), InvalidSimilarity, words)
        for features, words in [
            ([[1, np.nan]], r"features\[0, 1\] = nan"),
            ([1, 2], "features: a table with one row"),
        ]
    ),
    *(
        (similarity, ([[0, 1, 2]],), InvalidComparisons, "not list: Triplets")
        for similarity in (adds_similarity, mulk_similarity, four_k_similarity)
    ),
    (mulk_similarity, (HEAVY,), InvalidComparisons, r"to 1073741825, more than 2\^30"),
]


@pytest.mark.parametrize(("function", "given", "error", "words"), WRONG)
def test_what_is_refused(function, given, error, words):
    with pytest.raises(error, match=words):
        function(*given)


def test_dense_or_sparse_is_true_or_false():
    with pytest.raises(InvalidOption, match="sparse = 'yes'"):
        adds_similarity(NO_ANSWERS, sparse="yes")
