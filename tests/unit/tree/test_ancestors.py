from __future__ import annotations

import numpy as np
import pytest

from tripletree import InvalidOption, Tree, common_ancestor_sizes, common_ancestors
from tripletree.tree import ancestors

TREE = Tree([[0, 1], [3, 4], [5, 2], [7, 6]])


def test_all_pairs():
    nodes = np.array(
        [
            [0, 5, 7, 8, 8],
            [5, 1, 7, 8, 8],
            [7, 7, 2, 8, 8],
            [8, 8, 8, 3, 6],
            [8, 8, 8, 6, 4],
        ]
    )
    pairs = np.stack(np.meshgrid(range(5), range(5), indexing="ij"), axis=-1)
    assert (
        common_ancestors(TREE, pairs.reshape(-1, 2)).tolist() == nodes.ravel().tolist()
    )
    sizes = common_ancestor_sizes(TREE, pairs.reshape(-1, 2))
    assert sizes.tolist() == TREE.size[nodes.ravel().tolist()].tolist()


def test_many_chunks(monkeypatch):
    pairs = np.random.default_rng(0).integers(0, 5, (100, 2))
    whole = common_ancestors(TREE, pairs)
    monkeypatch.setattr(ancestors, "PAIRS_PER_CHUNK", 7)
    assert np.array_equal(common_ancestors(TREE, pairs), whole)


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
        ([[0], [1, 2]], "shape"),
        (np.empty((0, 5), int), r"shape \(0, 5\)"),
        (np.empty((5, 0), int), r"shape \(5, 0\)"),
    ],
)
def test_wrong_pairs(pairs, words):
    with pytest.raises(InvalidOption, match=words):
        common_ancestors(TREE, pairs)
