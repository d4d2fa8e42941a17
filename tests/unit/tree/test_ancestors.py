import numpy as np
import pytest

from tripletree import InvalidOption, Tree, common_ancestor_sizes, common_ancestors
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


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([[0, 5]], r"pairs\[0, 1\] = 5: leaves are 0..4"),
        ([[0, 1], [-1, 0]], r"pairs\[1, 0\] = -1"),
        ([[0, 1, 2]], r"shape \(1, 3\)"),
        ([[0.0, 1.0]], "dtype float64"),
        ([[0], [1, 2]], "not a rectangular array"),
        (np.empty((0, 5), int), r"shape \(0, 5\)"),
        (np.empty((5, 0), int), r"shape \(5, 0\)"),
    ],
)
def test_wrong_pairs(pairs, words):
    with pytest.raises(InvalidOption, match=words):
        common_ancestors(TREE, pairs)
