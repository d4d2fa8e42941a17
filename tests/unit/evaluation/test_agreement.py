from __future__ import annotations

import numpy as np
import pytest

from tripletree import (
    InvalidOption,
    Mismatch,
    Tree,
    aari,
    adjusted_rand_index,
    ari_per_level,
    balanced_tree,
    caterpillar_tree,
)


def test_rand_index():
    assert adjusted_rand_index([0, 0, 1, 1], ["x", "x", "y", "y"]) == 1
    assert adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1]) == -0.5
    assert adjusted_rand_index([0, 0, 0], [1, 1, 1]) == 1
    assert adjusted_rand_index([0, 1, 2], [2, 1, 0]) == 1
    assert adjusted_rand_index([0, 0, 0], [0, 1, 2]) == 0
    assert adjusted_rand_index([0], [0]) == 1
    assert adjusted_rand_index([], []) == 1
    assert adjusted_rand_index([None, "a", 3], [1, 2, 1.5]) == 1


def test_labels_of_several_types():
    """1, "1" and 2 are three clusters; 1 and 1.0 are the same."""
    assert adjusted_rand_index([1, "1", 2], [0, 1, 2]) == 1
    assert adjusted_rand_index([1, "1", 2], [0, 0, 2]) == 0
    assert adjusted_rand_index((1, 1.0, 2**53, 2**53 + 1), [0, 0, 1, 2]) == 1
    assert ari_per_level(caterpillar_tree(3), [[1, "1", 2]]).tolist() == [1]
    assert ari_per_level(caterpillar_tree(3), [[1, "1", 1]]).tolist() != [1]


def test_labels_that_are_no_labels():
    for labels in ([[1], [1, 2]], [[1], (2,)], [{}, 1]):
        with pytest.raises(InvalidOption, match=r"label.* (per object|hashable)"):
            adjusted_rand_index(labels, [0, 1])


def test_rand_index_needs_the_same_objects():
    with pytest.raises(Mismatch, match="of 2 and of 3 objects"):
        adjusted_rand_index([0, 1], [0, 1, 2])
    with pytest.raises(InvalidOption, match="one label per object"):
        adjusted_rand_index([[0, 1]], [0, 1])


def test_levels_of_labels():
    labels = [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3]]
    assert ari_per_level(balanced_tree(8), labels).tolist() == [1, 1]
    assert aari(balanced_tree(8), np.array(labels)) == 1
    assert ari_per_level(balanced_tree(8), labels, n_levels=1).tolist() == [1]


def test_number_of_clusters_is_that_of_the_labels():
    """Three clusters of the truth are compared with the cut into three."""
    tree = caterpillar_tree(4)
    assert ari_per_level(tree, [["a", "a", "b", "c"]]).tolist() == [1]


def test_levels_of_a_tree():
    assert ari_per_level(balanced_tree(16), balanced_tree(16)).tolist() == [1, 1, 1, 1]
    levels = ari_per_level(caterpillar_tree(8), balanced_tree(8), n_levels=2)
    # cuts into 2: 7 + 1 against 4 + 4; into 4: 5 + 1 + 1 + 1 against 2 + 2 + 2 + 2
    by_hand = [
        adjusted_rand_index([0] * 7 + [1], [0] * 4 + [1] * 4),
        adjusted_rand_index([0] * 5 + [1, 2, 3], [0, 0, 1, 1, 2, 2, 3, 3]),
    ]
    assert levels.tolist() == by_hand
    assert aari(caterpillar_tree(8), balanced_tree(8), n_levels=2) == sum(by_hand) / 2
    with pytest.raises(TypeError, match="positional"):
        aari(caterpillar_tree(8), balanced_tree(8), 2)


def test_errors():
    tree = balanced_tree(8)
    with pytest.raises(InvalidOption, match=r"n_levels = 4: .* from 1 to 3"):
        aari(tree, tree, n_levels=4)
    with pytest.raises(Mismatch, match="8 leaves and a true tree of 4"):
        aari(tree, balanced_tree(4))
    with pytest.raises(Mismatch, match=r"level 1 of the truth has shape \(3,\)"):
        aari(tree, [[0] * 8, [0, 1, 2]])
    with pytest.raises(InvalidOption, match="no levels"):
        aari(tree, [])
    with pytest.raises(InvalidOption, match="no levels"):
        aari(tree, None)
    with pytest.raises(InvalidOption, match=r"give \[labels\]"):
        aari(tree, [0, 0, 0, 0, 1, 1, 1, 1])
    with pytest.raises(InvalidOption, match="no levels to compare"):
        aari(Tree([]), Tree([]))
