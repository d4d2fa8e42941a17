"""The data model, on the tree that is drawn in tree/tree.py."""

import copy
import pickle

import numpy as np
import pytest

from tripletree import InvalidOption, InvalidTree, Tree, caterpillar_tree

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
    for array in (tree.children, tree.parent, tree.size, tree.leaf_order):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        tree.children = children
    shared = np.array(CHILDREN)
    shared.flags.writeable = False
    assert np.shares_memory(Tree(shared).children, shared)


@pytest.mark.parametrize(
    ("children", "words"),
    [
        ([[0, 1, 2]], r"shape \(1, 3\)"),
        (np.empty((5, 0), int), r"shape \(5, 0\)"),
        (np.empty((0, 5), int), r"shape \(0, 5\)"),
        ([0, 1], r"shape \(2,\)"),
        ([[0, 1], [2]], "rectangular"),
        ([[0.0, 1.0]], "dtype float64"),
        ([["a", "b"]], "dtype <U1"),
        ([[0, 3], [2, 1]], r"children\[0, 1\] = 3: merge t makes node 3 \+ t"),
        ([[0, 1], [2, 4]], r"children\[1, 1\] = 4: .* leaves 0..2 and nodes"),
        ([[0, -1]], r"children\[0, 1\] = -1"),
        ([[0, 1], [0, 3]], "node 0 is joined twice and node 2 never"),
        ([[0, 0]], "node 0 is joined twice and node 1 never"),
        (np.array([[2**63, 0]], np.uint64), r"children\[0, 0\] = 9223372036854775808"),
    ],
)
def test_no_tree(children, words):
    with pytest.raises(InvalidTree, match=words):
        Tree(children)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"heights": [1, 2, 3]}, r"shape \(3,\) .*: give one number for each of the 4"),
        ({"heights": [-1.7e308, 0, 0, 1.7e308]}, "too large for floats"),
        ({"heights": [1, 2, np.nan, 3]}, r"heights\[2\] = nan"),
        ({"heights": [1, 2, np.inf, 3]}, r"heights\[2\] = inf"),
        ({"heights": [1, 3, 2, 4]}, r"heights\[2\] = 2.0 is below the height before"),
        ({"heights": [0, 0, 0, 10**400]}, "dtype object: give one number for each"),
        ({"heights": "high"}, r"heights of shape \(\) .*: give one number"),
        ({"support": [1, 2, np.inf, 3]}, r"support\[2\] = inf"),
        ({"labels": ["a", "b"]}, "2 labels for 5 objects"),
        ({"labels": list("abcda")}, r"labels\[4\] = 'a' repeats labels\[0\]"),
        ({"labels": "abcde"}, "one label for each of the 5"),
        ({"labels": set("abcde")}, "in their order"),
        ({"labels": 5}, "of type int"),
    ],
)
def test_wrong_fields(fields, words):
    with pytest.raises(InvalidTree, match=words):
        Tree(CHILDREN, **fields)


def test_copies_are_checked_and_frozen_again(tree):
    for again in (copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert again.children.tolist() == CHILDREN
        assert again.heights.tolist() == tree.heights.tolist()
        assert again.labels == tree.labels
        assert not again.children.flags.writeable


@pytest.mark.parametrize(
    ("method", "lowest", "highest", "values"),
    [
        (Tree.leaves, 0, 8, [-1, 9, 1.0, "a", None]),
        (Tree.cut, 1, 5, [0, 6, -1, 2.0, True, "2", None]),
    ],
)
def test_no_such_node_or_cut(tree, method, lowest, highest, values):
    for value in values:
        words = f"give an integer from {lowest} to {highest}"
        with pytest.raises(InvalidOption, match=words):
            method(tree, value)


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


@pytest.mark.parametrize(
    ("method", "given", "error", "words"),
    [
        (Tree.is_same_hierarchy, [None], InvalidTree, "a Tree, not NoneType"),
        (Tree.with_heights, [[9, 1, 3, 4]], InvalidTree, r"\[0\] = 9.0: node 5 is hi"),
        (Tree.cut_at, ["1.0"], InvalidOption, "give a number"),
        (lambda _: Tree(CHILDREN).cut_at(1.0), [], InvalidTree, "no heights: use cut"),
        (lambda _: caterpillar_tree(10_000).to_text(), [], InvalidOption, "characters"),
    ],
)
def test_wrong_calls(tree, method, given, error, words):
    with pytest.raises(error, match=words):
        method(tree, *given)
