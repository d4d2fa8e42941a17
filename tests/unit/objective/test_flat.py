from __future__ import annotations

import numpy as np
import pytest

from tripletree import (
    Mismatch,
    Tree,
    Triplets,
    adds_similarity,
    average_linkage,
    balanced_tree,
    best_cut,
    caterpillar_tree,
    induced_triplets,
)
from tripletree.datasets.animals import animals


def test_drawn_tree_of_the_module():
    s = np.array([[0, 3, 0, 0], [3, 0, 0, 0], [0, 0, 0, -2], [0, 0, -2, 0]])
    found = best_cut(balanced_tree(4), s)
    assert found.labels.tolist() == [0, 0, 1, 2]
    assert (found.n_clusters, found.within) == (3, 3)


def test_ties_stay_together():
    """Nothing was asked about object 3: it stays with its neighbour."""
    answers = Triplets([[0, 1, 2], [0, 1, 2]], 4)
    tree = Tree([[0, 1], [2, 3], [4, 5]])
    assert best_cut(tree, answers).labels.tolist() == [0, 0, 1, 1]
    nothing = best_cut(tree, Triplets(np.empty((0, 3), int), 4))
    assert (nothing.n_clusters, nothing.within) == (1, 0)


def test_one_leaf():
    found = best_cut(balanced_tree(1), np.zeros((1, 1), int))
    assert (found.labels.tolist(), found.n_clusters, found.within) == ([0], 1, 0)


def test_two_kinds_of_animals_and_more():
    answers = animals().answers
    cut = best_cut(average_linkage(adds_similarity(answers)), answers)
    assert 2 <= cut.n_clusters <= 6
    assert isinstance(cut.within, int)


def test_balanced_hierarchy_falls_into_halves():
    """s_ij = 2n + 2 - 3 |H(i v j)| is positive within halves only."""
    tree = balanced_tree(16)
    cut = best_cut(tree, induced_triplets(tree))
    assert cut.labels.tolist() == [0] * 8 + [1] * 8


def test_floats_and_many_leaves():
    n = 100_000
    rows = np.column_stack([np.arange(n - 2), np.arange(1, n - 1), np.arange(2, n)])
    answers = Triplets(rows, n, weights=np.full(n - 2, 0.5))
    found = best_cut(caterpillar_tree(n), answers)
    assert isinstance(found.within, float)
    assert found.within > 0


def test_labels_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        best_cut(balanced_tree(2), np.eye(2)).labels[0] = 1


def test_other_objects():
    with pytest.raises(Mismatch, match="about the same"):
        best_cut(balanced_tree(3), Triplets([[0, 1, 2]], 4))
