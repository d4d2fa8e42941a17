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


@pytest.mark.parametrize("distance", [robinson_foulds, triplet_distance])
def test_labels(distance):
    """Leaves without labels, in a linkage matrix, are called 0, 1, 2, ..."""
    plain, one = balanced_tree(4), Tree([[0, 1]], labels=["a", "b"])
    same, other = map(Tree.from_newick, ("((3,2),(1,0));", "((0,2),(1,3));"))
    assert distance(plain, same).distance == distance(same, plain).distance == 0
    assert distance(plain, other) == distance(other, plain)
    assert distance(plain, other).distance > 0
    for two, error, words in (
        (balanced_tree(3), Mismatch, "trees of 2 and of 3 leaves"),
        (one.with_labels(["a", "c"]), Mismatch, r"leaf 1 .*'c', is not in the first"),
        ("(a,b);", InvalidTree, "expected a Tree"),
        (balanced_tree(2), Mismatch, r"one tree has labels \('a', .*ids"),
    ):
        with pytest.raises(error, match=words) as caught:
            distance(one, two)
    assert "Give both as .nwk" in caught.value.in_shell()


def test_steps_change_nothing_nor_which_tree_leads(monkeypatch):
    """The shallower one does: of a random tree and a caterpillar."""
    one, two = random_tree(300, rng=np.random.default_rng(0)), caterpillar_tree(300)
    whole = triplet_distance(one, two)
    assert whole.normalised == pytest.approx(2 / 3, abs=0.1)
    monkeypatch.setattr(distances, "LEAVES_PER_STEP", 50)
    assert triplet_distance(one, two) == triplet_distance(two, one) == whole
    monkeypatch.setattr(distances, "MOST_LEAVES", 4)
    with pytest.raises(TooLarge, match="at most 4 leaves"):
        triplet_distance(balanced_tree(5), balanced_tree(5))
