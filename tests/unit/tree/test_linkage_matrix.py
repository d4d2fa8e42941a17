import numpy as np
import pytest

from tripletree import (
    InvalidOption,
    InvalidTree,
    Tree,
    caterpillar_tree,
)

CHILDREN = [[0, 1], [3, 4], [5, 2], [7, 6]]


@pytest.mark.parametrize(
    ("children", "heights", "by", "column"),
    [
        (CHILDREN, [1, 2, 2.5, 4], None, [1, 2, 2.5, 4]),
        ([[0, 1], [2, 3]], [-4, -1], None, [0, 3]),  # raised
        ([[0, 1], [4, 2], [3, 5]], None, None, [1, 2, 3]),
        ([[0, 1], [4, 2], [3, 5]], [1, 1, 2], "rank", [1, 2, 3]),
        ([[0, 1], [4, 2], [3, 5]], None, "size", [2, 3, 4]),
        ([[0, 1], [5, 2], [3, 4], [6, 7]], None, "size", [2, 2, 3, 5]),
        ([], None, None, []),
    ],
)
def test_columns(children, heights, by, column):
    tree = Tree(children, heights)
    matrix = tree.to_linkage(by=by)
    assert (matrix.shape, matrix[:, 2].tolist()) == ((len(children), 4), column)
    again = Tree.from_linkage(matrix)
    assert again.is_same_hierarchy(tree)
    assert again.heights.tolist() == column
    assert matrix[:, 3].tolist() == again.size[again.n_leaves :].tolist()
    assert (matrix[:, 0] < matrix[:, 1]).all()


def test_wrong_columns():
    for by, error, words in (
        ("height", InvalidTree, "no heights"),
        ("depth", InvalidOption, "choose"),
    ):
        with pytest.raises(error, match=words):
            Tree(CHILDREN).to_linkage(by=by)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0, 1, 1]], r"shape \(1, 3\)"),
        ("abc", "shape"),
        ([[0, 1, 10**400, 2]], "give numbers of shape"),
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
