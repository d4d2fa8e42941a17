"""Trees: fast arrays against sets of leaves, and round trips through every format."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from tests import definitions
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


@given(trees() | st.builds(random_trees, st.integers(1, 200), seeds), seeds)
def test_common_ancestors(tree, seed):
    rng, n = np.random.default_rng(seed), tree.n_leaves
    pairs = rng.integers(0, n, (50, 2))
    nodes = common_ancestors(tree, pairs)
    below = definitions.clusters(tree)
    for (i, j), node in zip(pairs.tolist(), nodes.tolist(), strict=True):
        assert node == next(v for v, leaves in enumerate(below) if {i, j} <= leaves)
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
    """Trees with any mixture of heights, labels and support."""
    tree = draw(trees())
    n = tree.n_leaves
    number = st.floats(-1e6, 1e6)
    heights = labels = support = None
    if draw(st.booleans()):
        heights = np.sort(draw(hnp.arrays(float, n - 1, elements=number)))
    if draw(st.booleans()):
        labels = draw(
            st.lists(
                st.text(st.characters(codec="utf-8"), max_size=5),
                min_size=n,
                max_size=n,
                unique=True,
            )
        )
    if draw(st.booleans()):
        support = draw(hnp.arrays(float, n - 1, elements=number))
    return Tree(tree.children, heights, labels, support)


def assert_same_dress(again, tree):
    assert definitions.hierarchy(again) == definitions.hierarchy(tree)
    assert again.labels == tree.labels
    if tree.n_leaves == 1:
        return
    assert (again.heights is None) == (tree.heights is None)
    if tree.support is not None:
        key = definitions.clusters(tree)[tree.n_leaves :]
        key_again = definitions.clusters(again)[tree.n_leaves :]
        assert dict(zip(key, tree.support.tolist(), strict=True)) == dict(
            zip(key_again, again.support.tolist(), strict=True)
        )


@given(dressed_trees())
def test_json_and_back(tree):
    again = Tree.from_json(tree.to_json())
    assert_same_dress(again, tree)
    assert again.children.tolist() == tree.children.tolist()
    for k in range(1, tree.n_leaves + 1):
        assert again.cut(k).tolist() == tree.cut(k).tolist()
    if tree.heights is not None and tree.n_leaves > 1:
        assert again.heights.tolist() == tree.heights.tolist()


@given(dressed_trees())
def test_newick_and_back(tree):
    again = Tree.from_newick(tree.to_newick(), labels=tree.labels)
    assert_same_dress(again, tree)
    if tree.heights is not None and tree.n_leaves > 1:
        lowest = min(0.0, tree.heights[0])
        assert np.allclose(again.heights, tree.heights - lowest, atol=1e-6)
    by_place = tree.labels and tuple(tree.labels[i] for i in tree.leaf_order)
    assert Tree.from_newick(tree.to_newick()).labels == by_place


@given(dressed_trees())
def test_linkage_and_back(tree):
    for by in ("rank", "size") + (() if tree.heights is None else ("height",)):
        again = Tree.from_linkage(tree.to_linkage(by=by))
        assert definitions.hierarchy(again) == definitions.hierarchy(tree)
