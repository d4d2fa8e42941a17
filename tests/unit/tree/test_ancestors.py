import numpy as np

from tripletree import Tree, common_ancestor_sizes, common_ancestors
from tripletree.tree import ancestors

TREE = Tree([[0, 1], [3, 4], [5, 2], [7, 6]])


def test_many_chunks(monkeypatch):
    """All pairs are a property test; here in several chunks."""
    pairs = np.random.default_rng(0).integers(0, 5, (100, 2))
    whole = common_ancestors(TREE, pairs)
    assert common_ancestors(TREE, [[0, 1], [4, 4], [2, 3]]).tolist() == [5, 4, 8]
    monkeypatch.setattr(ancestors, "PAIRS_PER_CHUNK", 7)
    assert np.array_equal(common_ancestors(TREE, pairs), whole)
    assert np.array_equal(common_ancestor_sizes(TREE, pairs), TREE.size[whole])


def test_no_pairs_and_one_leaf():
    for none in ([], np.empty((0, 0)), np.empty((0, 2))):
        assert common_ancestors(TREE, none).tolist() == []
    assert common_ancestors(Tree([]), [[0, 0]]).tolist() == [0]
