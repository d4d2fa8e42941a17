"""Robinson-Foulds distances beside those of scikit-bio."""

import io

import numpy as np
import pytest
from hypothesis import given
from skbio import TreeNode

from tests.strategies import seeds
from tripletree import random_tree, robinson_foulds


def node(tree):
    text = tree.with_labels(f"t{i}" for i in range(tree.n_leaves)).to_newick()
    return TreeNode.read(io.StringIO(text), format="newick")


@given(seeds)
def test_trees_that_share_much(seed):
    """Two leaves of a tree of a hundred change places."""
    rng = np.random.default_rng(seed)
    tree = random_tree(100, rng=rng)
    names = np.arange(199)
    a, b = rng.choice(100, 2, replace=False)
    names[[a, b]] = b, a
    found = robinson_foulds(tree, type(tree)(names[tree.children]))
    one, other = node(tree), node(type(tree)(names[tree.children]))
    share = one.compare_rfd(other, rooted=True, proportion=True)
    assert found.distance == one.compare_rfd(other, rooted=True)
    assert found.normalised == pytest.approx(share)
