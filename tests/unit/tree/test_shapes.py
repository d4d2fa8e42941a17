import numpy as np
import pytest

from tests import definitions
from tripletree import (
    all_trees,
    balanced_tree,
    caterpillar_tree,
    random_tree,
)


@pytest.mark.parametrize(
    ("n_leaves", "n_trees"),
    [
        (1, 1),
        (2, 1),
        (3, 3),
        (4, 15),
        (5, 105),
        (6, 945),
        pytest.param(7, 10_395, marks=pytest.mark.slow),
    ],
)
def test_all_trees_once(n_leaves, n_trees):
    hierarchies = [definitions.hierarchy(tree) for tree in all_trees(n_leaves)]
    assert len(hierarchies) == len(set(hierarchies)) == n_trees


def test_shapes():
    assert balanced_tree(1).n_leaves == caterpillar_tree(1).n_leaves == 1
    assert balanced_tree(8).to_newick() == "(((0,1),(2,3)),((4,5),(6,7)));"
    assert balanced_tree(5).to_newick() == "(((0,1),(2,3)),4);"
    assert caterpillar_tree(5).to_newick() == "((((0,1),2),3),4);"
    assert next(all_trees(8)).n_leaves == 8


def test_random_trees():
    one, two, other = (random_tree(50, rng=np.random.default_rng(x)) for x in (7, 7, 8))
    assert one.is_same_hierarchy(two)
    assert not one.is_same_hierarchy(other)
    rng = np.random.default_rng(0)
    found = {definitions.hierarchy(random_tree(4, rng=rng)) for _ in range(500)}
    assert len(found) == 15  # all there are
