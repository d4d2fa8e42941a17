"""Robinson-Foulds distances beside those of scikit-bio."""

import io

import numpy as np
import pytest
from hypothesis import given, strategies as st
from skbio import TreeNode

from tests.strategies import seeds, trees
from tripletree import random_tree, robinson_foulds


def node(tree):
    text = tree.with_labels(f"t{i}" for i in range(tree.n_leaves)).to_newick()
    return TreeNode.read(io.StringIO(text), format="newick")


@given(st.integers(3, 12).flatmap(lambda n: st.tuples(*2 * [trees(n_leaves=n)])))
def test_small_trees(two):
    one, other = two
    found = robinson_foulds(one, other)
    assert found.distance == node(one).compare_rfd(node(other), rooted=True)
    share = node(one).compare_rfd(node(other), rooted=True, proportion=True)
    assert found.normalised == pytest.approx(share)


@given(seeds)
def test_trees_that_share_much(seed):
    """Two leaves of a tree of a hundred change places."""
    rng = np.random.default_rng(seed)
    tree = random_tree(100, rng=rng)
    names = np.arange(199)
    a, b = rng.choice(100, 2, replace=False)
    names[[a, b]] = b, a
    other = type(tree)(names[tree.children])
    expected = node(tree).compare_rfd(node(other), rooted=True)
    assert robinson_foulds(tree, other).distance == expected
