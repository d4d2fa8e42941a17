from __future__ import annotations

import numpy as np
import pytest

from tripletree import (
    InvalidTree,
    Mismatch,
    TooLarge,
    Tree,
    balanced_tree,
    caterpillar_tree,
    random_tree,
    robinson_foulds,
    triplet_distance,
)
from tripletree.tree import distances


def test_one_leaf_out_of_place():
    one = Tree.from_newick("((((a,b),c),d),e);")
    two = Tree.from_newick("((((e,b),c),d),a);", labels=["a", "b", "c", "d", "e"])
    # All three clades of one have a and not e, all of two the other way round.
    assert robinson_foulds(one, two).distance == robinson_foulds(one, two).most == 6
    # bc|d is in both; each of the nine triples with a or e differs.
    assert triplet_distance(one, two).distance == 9
    assert robinson_foulds(one, one).normalised == 0


@pytest.mark.parametrize("n", [1, 2])
def test_small_trees_are_all_equal(n):
    for distance in (robinson_foulds, triplet_distance):
        found = distance(balanced_tree(n), caterpillar_tree(n))
        assert (found.distance, found.most, found.normalised) == (0, 0, 0.0)


def test_other_leaves_are_refused():
    one = Tree([[0, 1]], labels=["a", "b"])
    for distance in (robinson_foulds, triplet_distance):
        with pytest.raises(Mismatch, match="trees of 2 and of 3 leaves"):
            distance(one, balanced_tree(3))
        with pytest.raises(Mismatch, match=r"leaf 1 .*'c', is not in the first"):
            distance(one, one.with_labels(["a", "c"]))
        with pytest.raises(InvalidTree, match="expected a Tree"):
            distance(one, "(a,b);")
        with pytest.raises(Mismatch, match=r"one tree has labels \('a', .*ids") as it:
            distance(one, balanced_tree(2))
        assert "Give both as .nwk" in it.value.in_shell()


def test_a_tree_without_labels_has_numbers():
    """A Newick file of numbers, in the order of its leaves, beside a matrix."""
    plain = Tree([[0, 1], [2, 3], [4, 5]])
    named = Tree.from_newick("((3,2),(1,0));")
    for distance in (robinson_foulds, triplet_distance):
        assert distance(plain, named).distance == distance(named, plain).distance == 0
        other = Tree.from_newick("((0,2),(1,3));")
        assert distance(plain, other) == distance(other, plain)
        assert distance(plain, other).distance > 0


def test_too_many_triples(monkeypatch):
    monkeypatch.setattr(distances, "MOST_LEAVES", 4)
    with pytest.raises(TooLarge, match="at most 4 leaves"):
        triplet_distance(balanced_tree(5), balanced_tree(5))


def test_steps_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    one, two = random_tree(300, rng=rng), random_tree(300, rng=rng)
    whole = triplet_distance(one, two)
    monkeypatch.setattr(distances, "LEAVES_PER_STEP", 50)
    assert triplet_distance(one, two) == whole
    assert whole.normalised == pytest.approx(2 / 3, abs=0.1)


def test_the_shallower_tree_leads():
    """A caterpillar and a balanced tree, in either order."""
    deep = Tree(caterpillar_tree(64).children)
    flat = balanced_tree(64)
    assert triplet_distance(deep, flat) == triplet_distance(flat, deep)
