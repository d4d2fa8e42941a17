"""A caterpillar of 60,000 leaves goes through everything, without recursion."""

import numpy as np
import pytest

from tripletree import (
    Tree,
    balanced_tree,
    caterpillar_tree,
    common_ancestor_sizes,
    random_tree,
    robinson_foulds,
    triplet_distance,
)

N = 60_000
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def deep():
    return caterpillar_tree(N).with_heights(np.arange(1.0, N))


def test_ancestors(deep):
    pairs = [[0, 1], [0, N - 1], [7, N // 2], [N - 1, N - 1]]
    assert common_ancestor_sizes(deep, pairs).tolist() == [2, N, N // 2 + 1, 1]


def test_cuts(deep):
    assert (deep.cut(3).tolist()[-3:], deep.cut_at(1.0).max()) == ([0, 1, 2], N - 2)


def test_shapes():
    for tree in (balanced_tree(N), random_tree(N, rng=np.random.default_rng(0))):
        assert tree.size[tree.root] == N


@pytest.mark.parametrize("form", ["linkage", "newick", "json"])
def test_and_back(deep, form):
    again = getattr(Tree, f"from_{form}")(getattr(deep, f"to_{form}")())
    assert again.is_same_hierarchy(deep)
    assert np.array_equal(again.heights, deep.heights)


def test_star():
    text = "(" + ",".join(map(str, range(N))) + ");"
    assert Tree.from_newick(text, resolve_polytomies=True).n_leaves == N


def test_distances(deep):
    """A caterpillar and its mirror image share no clade of less than all leaves."""
    mirrored = Tree(
        np.concatenate([np.arange(N)[::-1], np.arange(N, 2 * N - 1)])[deep.children]
    )
    assert robinson_foulds(deep, deep).distance == 0
    assert robinson_foulds(deep, mirrored).normalised == 1
    one = random_tree(N, rng=np.random.default_rng(1))
    other = random_tree(N, rng=np.random.default_rng(2))
    assert robinson_foulds(one, other).normalised > 0.9
    assert triplet_distance(one, one).distance == 0
    assert 0.6 < triplet_distance(one, deep).normalised < 0.72
    assert 0.6 < triplet_distance(one, other).normalised < 0.72
