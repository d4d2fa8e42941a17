from __future__ import annotations

import numpy as np
import pytest

from tests import definitions
from tripletree import (
    InvalidOption,
    all_trees,
    balanced_tree,
    caterpillar_tree,
    random_tree,
)


@pytest.mark.parametrize(
    ("n_leaves", "n_trees"),
    [(1, 1), (2, 1), (3, 3), (4, 15), (5, 105), (6, 945)],
)
def test_all_trees_once(n_leaves, n_trees):
    hierarchies = [definitions.hierarchy(tree) for tree in all_trees(n_leaves)]
    assert len(hierarchies) == len(set(hierarchies)) == n_trees


@pytest.mark.slow
def test_all_10395_trees_on_seven_leaves():
    assert len({definitions.hierarchy(tree) for tree in all_trees(7)}) == 10_395


@pytest.mark.slow
def test_all_135135_trees_on_eight_leaves():
    assert len({clades(tree) for tree in all_trees(8)}) == 135_135


def clades(tree):
    """The leaves below each node, as bits."""
    below = [1 << leaf for leaf in range(tree.n_leaves)]
    for left, right in tree.children.tolist():
        below.append(below[left] | below[right])
    return frozenset(below)


def test_too_many_trees():
    with pytest.raises(InvalidOption, match=r"n_leaves = 9: .* from 1 to 8"):
        next(all_trees(9))


def test_balanced():
    assert balanced_tree(1).n_leaves == 1
    assert balanced_tree(8).to_newick() == "(((0,1),(2,3)),((4,5),(6,7)));"
    assert balanced_tree(5).to_newick() == "(((0,1),(2,3)),4);"


def test_caterpillar():
    assert caterpillar_tree(1).n_leaves == 1
    assert caterpillar_tree(5).to_newick() == "((((0,1),2),3),4);"


def test_random_trees_follow_the_seed():
    one = random_tree(50, rng=np.random.default_rng(7))
    two = random_tree(50, rng=np.random.default_rng(7))
    other = random_tree(50, rng=np.random.default_rng(8))
    assert one.is_same_hierarchy(two)
    assert not one.is_same_hierarchy(other)


def test_random_trees_need_a_generator():
    with pytest.raises(InvalidOption, match="rng is of type int"):
        random_tree(5, rng=3)


def test_random_trees_reach_every_hierarchy():
    rng = np.random.default_rng(0)
    found = {definitions.hierarchy(random_tree(4, rng=rng)) for _ in range(500)}
    assert len(found) == 15
