from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster import hierarchy

from tripletree import (
    InvalidOption,
    InvalidTree,
    Tree,
    adjusted_rand_index,
    caterpillar_tree,
)

CHILDREN = [[0, 1], [3, 4], [5, 2], [7, 6]]


def test_columns():
    tree = Tree(CHILDREN, heights=[1, 2, 2.5, 4])
    matrix = tree.to_linkage()
    assert matrix.tolist() == [
        [0, 1, 1, 2],
        [3, 4, 2, 2],
        [2, 5, 2.5, 3],
        [6, 7, 4, 5],
    ]
    assert Tree.from_linkage(matrix).is_same_hierarchy(tree)
    assert Tree.from_linkage(matrix).heights.tolist() == [1, 2, 2.5, 4]


def test_negative_heights_are_raised():
    assert Tree([[0, 1], [2, 3]], [-4, -1]).to_linkage()[:, 2].tolist() == [0, 3]


def test_by_rank_and_by_size():
    tree = Tree([[0, 1], [4, 2], [3, 5]])
    assert tree.to_linkage()[:, 2].tolist() == [1, 2, 3]
    assert tree.to_linkage(by="size")[:, 2].tolist() == [2, 3, 4]
    uneven = Tree([[0, 1], [5, 2], [3, 4], [6, 7]])
    by_size = uneven.to_linkage(by="size")
    assert by_size[:, 2].tolist() == [2, 2, 3, 5]
    assert Tree.from_linkage(by_size).is_same_hierarchy(uneven)


def test_scipy_takes_it():
    matrix = Tree(CHILDREN, heights=[-3, -2, -2, 4]).to_linkage()
    assert hierarchy.is_valid_linkage(matrix, throw=True)
    assert hierarchy.is_monotonic(matrix)
    flat = hierarchy.fcluster(matrix, 2, "maxclust")
    assert adjusted_rand_index(flat, [0, 0, 0, 1, 1]) == 1
    assert hierarchy.leaves_list(matrix).shape == (5,)


def test_without_heights():
    with pytest.raises(InvalidTree, match="no heights"):
        Tree(CHILDREN).to_linkage(by="height")
    with pytest.raises(InvalidOption, match="choose"):
        Tree(CHILDREN).to_linkage(by="depth")
    with pytest.raises(TypeError, match="positional"):
        Tree(CHILDREN).to_linkage("size")


def test_smallest():
    assert Tree([]).to_linkage().shape == (0, 4)
    assert Tree.from_linkage(np.empty((0, 4))).n_leaves == 1


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0, 1, 1]], r"shape \(1, 3\)"),
        ("abc", "shape"),
        ([[0, 1, 10**400, 2]], "is numbers of shape"),
        ([[0, 1.5, 1, 2]], r"matrix\[0, 1\] = 1.5"),
        ([[0, np.nan, 1, 2]], r"matrix\[0, 1\] = nan"),
        ([[0, 1, np.nan, 2]], r"heights\[0\] = nan"),
        ([[0, 1, 1, 3]], r"matrix\[0, 3\] = 3: .* 2 leaves"),
        ([[0, 0, 1, 2]], "joined twice"),
        ([[0, 1, 2, 2], [2, 3, 1, 3]], "higher than its parent"),
    ],
)
def test_no_linkage(matrix, words):
    with pytest.raises(InvalidTree, match=words):
        Tree.from_linkage(matrix)


def test_inversions_can_be_read_without_heights():
    matrix = [[0, 1, 2, 2], [2, 3, 1, 3]]
    assert Tree.from_linkage(matrix, heights=False).is_same_hierarchy(
        caterpillar_tree(3)
    )
