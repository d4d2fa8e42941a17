"""The data model, on the tree that is drawn in tree/tree.py."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tripletree import InvalidOption, InvalidTree, Tree, caterpillar_tree

CHILDREN = [[0, 1], [3, 4], [5, 2], [7, 6]]


@pytest.fixture
def tree():
    return Tree(CHILDREN, heights=[1.0, 2.0, 2.5, 4.0], labels=list("abcde"))


def test_derived_arrays(tree):
    assert tree.n_leaves == 5
    assert tree.root == 8
    assert tree.parent.tolist() == [5, 5, 7, 6, 6, 7, 8, 8, -1]
    assert tree.size.tolist() == [1, 1, 1, 1, 1, 2, 2, 3, 5]
    assert tree.leaf_order.tolist() == [0, 1, 2, 3, 4]
    assert tree.leaves(7).tolist() == [0, 1, 2]
    assert tree.leaves(6).tolist() == [3, 4]


def test_one_leaf():
    tree = Tree([])
    assert (tree.n_leaves, tree.root) == (1, 0)
    assert tree.parent.tolist() == [-1]
    assert tree.size.tolist() == [1]
    assert tree.leaf_order.tolist() == [0]
    assert tree.cut(1).tolist() == [0]
    assert tree.is_same_hierarchy(Tree(np.empty((0, 2), int)))


def test_two_leaves():
    tree = Tree([[1, 0]])
    assert tree.leaf_order.tolist() == [1, 0]
    assert tree.cut(2).tolist() == [0, 1]
    assert tree.cut(1).tolist() == [0, 0]


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


def test_read_only_arrays_are_shared():
    children = np.array(CHILDREN)
    children.flags.writeable = False
    assert np.shares_memory(Tree(children).children, children)


@pytest.mark.parametrize("dtype", ["<i2", ">i4", "u1", "u8"])
def test_any_integers(dtype):
    array = np.asfortranarray(np.array(CHILDREN, dtype))
    assert Tree(array).children.tolist() == CHILDREN
    assert Tree(array[::1]).children.dtype == np.int64


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
        ([[0, 3], [2, 1]], r"children\[0, 1\] = 3: merge 0 makes node 3"),
        ([[0, 1], [2, 4]], r"children\[1, 1\] = 4: .* join nodes 0..3"),
        ([[0, -1]], r"children\[0, 1\] = -1"),
        ([[0, 1], [0, 3]], "node 0 is joined twice .* node 2 never"),
        ([[0, 0]], "node 0 is joined twice .* node 1 never"),
        (np.array([[2**63, 0]], np.uint64), r"children\[0, 0\] = 9223372036854775808"),
    ],
)
def test_no_tree(children, words):
    with pytest.raises(InvalidTree, match=words):
        Tree(children)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"heights": [1, 2, 3]}, r"shape \(3,\): give one number for each of the 4"),
        ({"heights": [-1.7e308, 0, 0, 1.7e308]}, "too large for floats"),
        ({"heights": [1, 2, np.nan, 3]}, r"heights\[2\] = nan"),
        ({"heights": [1, 2, np.inf, 3]}, r"heights\[2\] = inf"),
        ({"heights": [1, 3, 2, 4]}, r"heights\[2\] = 2.0 is below heights\[1\] = 3.0"),
        ({"heights": [0, 0, 0, 10**400]}, "heights: give one number for each"),
        ({"heights": "high"}, "heights: give one number for each of the 4 merges"),
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


@pytest.mark.parametrize("node", [-1, 9, 1.0, "a", None])
def test_no_such_node(tree, node):
    with pytest.raises(InvalidOption, match="give an integer from 0 to 8"):
        tree.leaves(node)


def test_labels_count_in_a_hierarchy(tree):
    assert tree.is_same_hierarchy(Tree(CHILDREN))
    assert not tree.is_same_hierarchy(Tree(CHILDREN, labels=list("edcba")))
    with pytest.raises(InvalidTree, match="expected a Tree, not NoneType"):
        tree.is_same_hierarchy(None)


def test_support_may_be_unknown():
    tree = Tree(CHILDREN, support=[0.5, np.nan, 1, 1])
    assert np.isnan(tree.support[1])


def test_same_hierarchy_whatever_the_order(tree):
    assert tree.is_same_hierarchy(Tree([[4, 3], [1, 0], [2, 6], [5, 7]]))
    assert not tree.is_same_hierarchy(Tree([[0, 2], [3, 4], [5, 1], [7, 6]]))
    assert not tree.is_same_hierarchy(caterpillar_tree(4))


def test_heights_put_merges_in_order(tree):
    reordered = Tree(CHILDREN, support=[1, 2, 3, 4]).with_heights([2, 1, 3, 3])
    assert reordered.children.tolist() == [[3, 4], [0, 1], [6, 2], [7, 5]]
    assert reordered.heights.tolist() == [1, 2, 3, 3]
    assert reordered.support.tolist() == [2, 1, 3, 4]
    assert reordered.is_same_hierarchy(tree)
    assert tree.with_heights(None).heights is None


def test_inversion_is_refused(tree):
    with pytest.raises(InvalidTree, match=r"heights\[0\] = 9.0: node 5 is higher"):
        tree.with_heights([9, 1, 3, 4])


def test_with_labels_and_support(tree):
    assert tree.with_labels("v w x y z".split()).labels == ("v", "w", "x", "y", "z")
    assert tree.with_labels(range(5)).labels == ("0", "1", "2", "3", "4")
    assert tree.with_support([1, 1, 1, 1]).support.tolist() == [1, 1, 1, 1]


def test_cuts(tree):
    assert tree.cut(1).tolist() == [0, 0, 0, 0, 0]
    assert tree.cut(2).tolist() == [0, 0, 0, 1, 1]
    assert tree.cut(3).tolist() == [0, 0, 1, 2, 2]
    assert tree.cut(4).tolist() == [0, 0, 1, 2, 3]
    assert tree.cut(5).tolist() == [0, 1, 2, 3, 4]


def test_cuts_at_a_height(tree):
    assert tree.cut_at(0.5).tolist() == [0, 1, 2, 3, 4]
    assert tree.cut_at(1.0).tolist() == [0, 0, 1, 2, 3]
    assert tree.cut_at(2.4).tolist() == [0, 0, 1, 2, 2]
    assert tree.cut_at(2.5).tolist() == [0, 0, 0, 1, 1]
    assert tree.cut_at(np.inf).tolist() == [0, 0, 0, 0, 0]
    assert tree.cut_at(10**400).tolist() == [0, 0, 0, 0, 0]
    assert tree.cut_at(-(10**400)).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n_clusters", [0, 6, -1, 2.0, True, "2", None])
def test_no_such_cut(tree, n_clusters):
    with pytest.raises(InvalidOption, match="give an integer from 1 to 5"):
        tree.cut(n_clusters)


def test_cut_at_needs_heights_and_a_number(tree):
    with pytest.raises(InvalidTree, match="no heights: use cut"):
        Tree(CHILDREN).cut_at(1.0)
    with pytest.raises(InvalidOption, match="give a number"):
        tree.cut_at("1.0")


def test_repr(tree):
    assert repr(tree) == "Tree(5 leaves, with heights, labels)"
    assert repr(Tree([])) == "Tree(1 leaves)"


def test_drawing(tree):
    assert tree.to_text().splitlines() == [
        "┬─┬─┬─ a",
        "│ │ └─ b",
        "│ └─ c",
        "└─┬─ d",
        "  └─ e",
    ]
    assert Tree([], labels=["a"]).to_text() == "a"
    assert Tree([], labels=["a\nb"]).to_text() == "a\\nb"
    assert Tree([[0, 1]], labels=["a\nb", "c"]).to_text() == "┬─ a\\nb\n└─ c"


def test_drawing_refuses_what_nobody_can_read():
    with pytest.raises(InvalidOption, match="characters"):
        caterpillar_tree(10_000).to_text()
