"""Average linkage beside SciPy, fastcluster-style certificates, and larger inputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from tests.strategies import seeds
from tripletree import Tree, Triplets, adds_similarity, average_linkage, random_tree


def tie_free(n, seed):
    """Symmetric floats far enough apart that no two averages are equal."""
    s = np.tril(np.random.default_rng(seed).normal(size=(n, n)), -1)
    return s + s.T


@given(st.integers(2, 60), seeds)
def test_tie_free_similarities(n, seed):
    s = tie_free(n, seed)
    tree = average_linkage(s)
    distances = squareform(s.max() - s, checks=False)
    theirs = hierarchy.linkage(distances, "average")
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
    cophenetic = squareform(hierarchy.cophenet(matrix))
    assert np.isclose(cophenetic.max(), matrix[-1, 2])


def certify(tree, s):
    """Replay the merges: each joined a best pair of its moment, by the tie rule."""
    n = len(s)
    sums = s.astype(object).copy()
    size = np.ones(n, dtype=object)
    slot_of = {leaf: leaf for leaf in range(n)}
    active = list(range(n))
    for t, (left, right) in enumerate(tree.children.tolist()):
        a, b = sorted((slot_of.pop(left), slot_of.pop(right)))
        best, best_sum, best_area = None, 0, 1
        for x, i in enumerate(active):
            for j in active[x + 1 :]:
                area = size[i] * size[j]
                if best is None or sums[i, j] * best_area > best_sum * area:
                    best, best_sum, best_area = (i, j), sums[i, j], area
        assert best == (a, b)
        sums[a, :] += sums[b, :]
        sums[:, a] += sums[:, b]
        size[a] += size[b]
        active.remove(b)
        slot_of[n + t] = a


@pytest.mark.parametrize("seed", range(5))
def test_certificate_on_answers_full_of_ties(seed):
    """Integers that are sums of answers: most best pairs have rivals."""
    rng = np.random.default_rng(seed)
    n = 36
    rows = rng.permuted(np.tile(np.arange(n), (400, 1)), axis=1)[:, :3]
    s = adds_similarity(Triplets(rows, n))
    certify(average_linkage(s), s)


def test_certificate_refuses_another_tree():
    rng = np.random.default_rng(0)
    s = np.tril(rng.integers(-5, 6, (12, 12)), -1)
    with pytest.raises(AssertionError):
        certify(random_tree(12, rng=rng), s + s.T)


@pytest.mark.parametrize("seed", range(3))
def test_three_hundred_objects_beside_scipy(seed):
    s = tie_free(300, seed)
    tree = average_linkage(s)
    theirs = Tree.from_linkage(
        hierarchy.linkage(squareform(s.max() - s, checks=False), "average")
    )
    assert tree.is_same_hierarchy(theirs)
