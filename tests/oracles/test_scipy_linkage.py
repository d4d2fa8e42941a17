"""Average linkage beside SciPy; and, where ties abound, step by step."""

import numpy as np
from hypothesis import example, given, strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from tests import definitions
from tests.strategies import random_rows, seeds, similarities
from tripletree import Triplets, adds_similarity, average_linkage


def tie_free(n, seed):
    """Symmetric floats far enough apart that no two averages are equal."""
    s = np.tril(np.random.default_rng(seed).normal(size=(n, n)), -1)
    return s + s.T


@example(300, 0)
@given(st.integers(2, 60), seeds)
def test_tie_free_similarities(n, seed):
    s = tie_free(n, seed)
    tree = average_linkage(s)
    theirs = hierarchy.linkage(squareform(s.max() - s, checks=False), "average")
    assert np.array_equal(np.sort(tree.children, axis=1), theirs[:, :2])
    assert np.allclose(tree.heights + s.max(), theirs[:, 2])
    assert np.array_equal(tree.size[n:], theirs[:, 3])


@given(st.integers(2, 40), seeds)
def test_scipy_reads_our_matrix(n, seed):
    tree = average_linkage(tie_free(n, seed))
    matrix = tree.to_linkage()
    assert hierarchy.is_valid_linkage(matrix, throw=True)
    assert hierarchy.is_monotonic(matrix)
    for k in (1, 2, n // 2 + 1, n):
        assert len(np.unique(hierarchy.fcluster(matrix, k, "maxclust"))) <= k
        ours, theirs = tree.cut(k), hierarchy.cut_tree(matrix, k)[:, 0]
        assert np.array_equal(ours, theirs)
    drawn = hierarchy.dendrogram(matrix, no_plot=True)
    assert sorted(drawn["leaves"]) == list(range(n))
    assert np.isclose(squareform(hierarchy.cophenet(matrix)).max(), matrix[-1, 2])


SUMS = adds_similarity(Triplets(random_rows(0, 400, 36), 36))  # of many equal answers


@example(SUMS)
@given(similarities(large=True))
def test_merges_step_by_step(s):
    merges = definitions.merged_pairs(average_linkage(s))
    assert merges == definitions.average_linkage(s)
