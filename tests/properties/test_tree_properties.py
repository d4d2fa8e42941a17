"""Trees: fast arrays against sets of leaves, and round trips through every format."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from tests import definitions
from tests.properties.test_polytomies import collapsed, cut_quietly
from tests.strategies import seeds, trees
from tripletree import Tree, common_ancestor_sizes, common_ancestors, random_tree


@given(trees())
def test_sizes_parents_and_leaves(tree):
    below = definitions.clusters(tree)
    assert tree.size.tolist() == [len(c) for c in below]
    for node, parent in enumerate(tree.parent.tolist()):
        assert set(tree.leaves(node).tolist()) == below[node]
        if parent >= 0:
            assert below[node] < below[parent]
            assert parent > node
    assert tree.parent[tree.root] == -1


def random_trees(n, seed):
    return random_tree(n, rng=np.random.default_rng(seed))


@given(collapsed() | st.builds(random_trees, st.integers(1, 200), seeds), seeds)
def test_common_ancestors(tree, seed):
    """Those of the tree that is shown; parents have the larger ids."""
    pairs = np.random.default_rng(seed).integers(0, tree.n_leaves, (50, 2))
    nodes = common_ancestors(tree, pairs)
    shown = definitions.shown_clusters(tree)
    for pair, node in zip(pairs.tolist(), nodes.tolist(), strict=True):
        expected = next(leaves for leaves in shown if {*pair} <= leaves)
        assert {*tree.leaves(node).tolist()} == expected
    assert np.array_equal(common_ancestor_sizes(tree, pairs), tree.size[nodes])


@given(trees(), seeds)
def test_orders_and_turns_of_merges_are_the_same_hierarchy(tree, seed):
    """Give merges random heights that respect the tree, and turn some of them."""
    rng, n = np.random.default_rng(seed), tree.n_leaves
    steps = np.concatenate([np.zeros(n), rng.integers(0, 3, n - 1)])
    for node in range(n, 2 * n - 1):
        steps[node] += steps[tree.children[node - n]].max()
    is_turned = rng.random((n - 1, 1)) < 0.5
    turned = Tree(np.where(is_turned, tree.children[:, ::-1], tree.children))
    for other in (turned, tree.with_heights(steps[n:])):
        assert definitions.hierarchy(other) == definitions.hierarchy(tree)
        assert other.is_same_hierarchy(tree)


@st.composite
def dressed_trees(draw):
    """Trees with any mixture of collapsed merges, heights, labels and support."""
    tree = draw(collapsed())
    n = tree.n_leaves
    numbers = hnp.arrays(float, n - 1, elements=st.floats(-1e6, 1e6))
    text = st.text(st.characters(codec="utf-8"), max_size=5)
    labels = draw(st.none() | st.lists(text, min_size=n, max_size=n, unique=True))
    heights, support = draw(st.none() | numbers.map(np.sort)), draw(st.none() | numbers)
    return Tree(tree.children, heights, labels, support, tree.collapsed)


def by_cluster(tree, values):
    """What each merge that is shown has."""
    n = tree.n_leaves
    is_shown = tree.shown[n:] == np.arange(n, 2 * n - 1)
    shown = definitions.shown_clusters(tree)[n:]
    return dict(zip(shown, values[is_shown].tolist(), strict=True))


def assert_same_dress(again, tree, lowest=0.0):
    """The same tree is shown; of heights differences from the lowest may be kept."""
    clusters = definitions.shown_clusters(tree)
    assert {*definitions.shown_clusters(again)} == {*clusters}
    assert (again.n_shown, again.labels) == (tree.n_shown, tree.labels)
    assert tree.n_leaves == 1 or (again.heights is None) == (tree.heights is None)
    if tree.n_leaves > 1 and tree.support is not None:
        assert by_cluster(again, again.support) == by_cluster(tree, tree.support)
    if tree.n_leaves > 1 and tree.heights is not None:
        heights = by_cluster(tree, tree.heights - lowest)
        assert by_cluster(again, again.heights) == pytest.approx(heights, abs=1e-6)


@given(dressed_trees())
def test_json_and_back(tree):
    again = Tree.from_json(tree.to_json())
    assert_same_dress(again, tree)
    if tree.collapsed is None:
        assert again.children.tolist() == tree.children.tolist()
    if tree.collapsed is None and tree.heights is not None and tree.n_leaves > 1:
        assert again.heights.tolist() == tree.heights.tolist()
    for k in range(1, tree.n_leaves + 1):
        assert np.array_equal(cut_quietly(again, k), cut_quietly(tree, k))
    assert pickle.loads(pickle.dumps(tree)).to_json() == tree.to_json()
    assert tree.to_text().count("\n") + 1 == tree.n_leaves


@given(dressed_trees())
def test_newick_and_back(tree):
    again = Tree.from_newick(tree.to_newick(), labels=tree.labels)
    lowest = 0.0 if tree.heights is None else min([0.0, *tree.heights[:1]])
    assert_same_dress(again, tree, lowest)
    by_place = tree.labels and tuple(tree.labels[i] for i in tree.leaf_order)
    assert Tree.from_newick(tree.to_newick()).labels == by_place


@given(dressed_trees())
def test_linkage_and_back(tree):
    binary = Tree(tree.children, tree.heights)
    for by in ("rank", "size") + (() if tree.heights is None else ("height",)):
        again = Tree.from_linkage(binary.to_linkage(by=by))
        assert definitions.hierarchy(again) == definitions.hierarchy(binary)
