"""The data model, on the tree that is drawn in tree/tree.py."""

import copy
import pickle

import numpy as np
import pytest

from tripletree import Tree, caterpillar_tree

CHILDREN = [[0, 1], [3, 4], [5, 2], [7, 6]]


@pytest.fixture
def tree():
    return Tree(CHILDREN, heights=[1.0, 2.0, 2.5, 4.0], labels=list("abcde"))


@pytest.mark.parametrize(
    ("children", "parent", "size", "order"),
    [
        (
            CHILDREN,
            [5, 5, 7, 6, 6, 7, 8, 8, -1],
            [1, 1, 1, 1, 1, 2, 2, 3, 5],
            [0, 1, 2, 3, 4],
        ),
        ([[1, 0]], [2, 2, -1], [1, 1, 2], [1, 0]),
        ([], [-1], [1], [0]),
        (np.empty((0, 2), int), [-1], [1], [0]),
    ],
)
def test_derived_arrays(children, parent, size, order):
    tree = Tree(children)
    assert (tree.n_leaves, tree.root) == (len(order), len(size) - 1)
    assert (tree.parent.tolist(), tree.size.tolist()) == (parent, size)
    assert tree.leaf_order.tolist() == tree.leaves(tree.root).tolist() == order


def test_arrays_are_read_only_copies():
    children = np.array(CHILDREN)
    tree = Tree(children)
    children[0] = 3, 4
    assert tree.children.tolist() == CHILDREN
    arrays = tree.children, tree.parent, tree.size, tree.shown, tree.leaf_order
    assert not any(array.flags.writeable for array in arrays)
    with pytest.raises(AttributeError):
        tree.children = children
    shared = np.array(CHILDREN)
    shared.flags.writeable = False
    assert np.shares_memory(Tree(shared).children, shared)


def test_copies_are_checked_and_frozen_again(tree):
    for again in (copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert again.children.tolist() == CHILDREN
        assert again.heights.tolist() == tree.heights.tolist()
        assert again.labels == tree.labels
        assert not again.children.flags.writeable


def test_same_hierarchy(tree):
    """Whatever the order of merges; labels count."""
    for other, expected in (
        (Tree(CHILDREN), True),
        (Tree([[4, 3], [1, 0], [2, 6], [5, 7]]), True),
        (Tree(CHILDREN, labels=list("edcba")), False),
        (Tree([[0, 2], [3, 4], [5, 1], [7, 6]]), False),
        (caterpillar_tree(4), False),
    ):
        assert tree.is_same_hierarchy(other) is expected


def test_heights_put_merges_in_order(tree):
    reordered = Tree(CHILDREN, support=[1, 2, 3, 4]).with_heights([2, 1, 3, 3])
    assert reordered.children.tolist() == [[3, 4], [0, 1], [6, 2], [7, 5]]
    assert reordered.heights.tolist() == [1, 2, 3, 3]
    assert reordered.support.tolist() == [2, 1, 3, 4]
    assert reordered.is_same_hierarchy(tree)
    assert tree.with_heights(None).heights is None


def test_with_labels_and_support(tree):
    assert tree.with_labels(range(5)).labels == ("0", "1", "2", "3", "4")
    supported = tree.with_support([0.5, np.nan, 1, 1])
    assert np.isnan(supported.support[1])
    assert repr(supported) == "Tree(5 leaves, with heights, labels, support)"
    assert repr(Tree([])) == "Tree(1 leaves)"


@pytest.mark.parametrize(
    ("n_clusters", "heights", "expected"),
    [
        (1, [4, np.inf, 10**400], [0, 0, 0, 0, 0]),
        (2, [2.5], [0, 0, 0, 1, 1]),
        (3, [2.4], [0, 0, 1, 2, 2]),
        (4, [1.0], [0, 0, 1, 2, 3]),
        (5, [0.5, -(10**400)], [0, 1, 2, 3, 4]),
    ],
)
def test_cuts(tree, n_clusters, heights, expected):
    assert tree.cut(n_clusters).tolist() == expected
    for height in heights:
        assert tree.cut_at(height).tolist() == expected


def test_drawing(tree):
    assert tree.to_text().splitlines() == [
        "┬─┬─┬─ a",
        "│ │ └─ b",
        "│ └─ c",
        "└─┬─ d",
        "  └─ e",
    ]
    assert Tree([], labels=["a\nb"]).to_text() == "a\\nb"
    assert Tree([[0, 1]], labels=["a\nb", "c"]).to_text() == "┬─ a\\nb\n└─ c"
