"""Average linkage beside SciPy, and its definition where ties abound."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from tests import definitions
from tests.strategies import random_rows, seeds
from tripletree import Tree, Triplets, adds_similarity, average_linkage


def tie_free(n, seed):
    """Symmetric floats far enough apart that no two averages are equal."""
    s = np.tril(np.random.default_rng(seed).normal(size=(n, n)), -1)
    return s + s.T


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


@pytest.mark.parametrize("seed", range(5))
def test_merges_of_answers_full_of_ties(seed):
    """Integers that are sums of answers: most best pairs have rivals."""
    s = adds_similarity(Triplets(random_rows(seed, 400, 36), 36))
    merges = definitions.merged_pairs(average_linkage(s))
    assert merges == definitions.average_linkage(s)


@pytest.mark.parametrize("seed", range(3))
def test_three_hundred_objects_beside_scipy(seed):
    s = tie_free(300, seed)
    tree = average_linkage(s)
    theirs = Tree.from_linkage(
        hierarchy.linkage(squareform(s.max() - s, checks=False), "average")
    )
    assert tree.is_same_hierarchy(theirs)
