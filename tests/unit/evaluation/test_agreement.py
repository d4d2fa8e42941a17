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


@pytest.mark.parametrize(
    ("first", "second", "index"),
    [
        ([0, 0, 1, 1], ["x", "x", "y", "y"], 1),
        ([0, 0, 1, 1], [0, 1, 0, 1], -0.5),
        ([0, 0, 0], [1, 1, 1], 1),
        ([0, 1, 2], [2, 1, 0], 1),
        ([0, 0, 0], [0, 1, 2], 0),
        ([0], [0], 1),
        ([], [], 1),
        ([None, "a", 3], [1, 2, 1.5], 1),
        # 1, "1" and 2 are three clusters; 1 and 1.0 are the same.
        ([1, "1", 2], [0, 1, 2], 1),
        ([1, "1", 2], [0, 0, 2], 0),
        ((1, 1.0, 2**53, 2**53 + 1), [0, 0, 1, 2], 1),
    ],
)
def test_rand_index(first, second, index):
    assert adjusted_rand_index(first, second) == index


@pytest.mark.parametrize(
    ("tree", "levels", "expected"),
    [
        (balanced_tree(8), [[0] * 4 + [1] * 4, [0, 0, 1, 1, 2, 2, 3, 3]], [1, 1]),
        (balanced_tree(4), np.array([[0, 0, 1, 1], [0, 1, 2, 3]]), [1, 1]),
        (caterpillar_tree(4), [["a", "a", "b", "c"]], [1]),  # with the cut into three
        (caterpillar_tree(3), [[1, "1", 2]], [1]),
        (caterpillar_tree(3), [[1, "1", 1]], [-0.5]),
        (balanced_tree(16), balanced_tree(16), [1, 1, 1, 1]),
    ],
)
def test_levels(tree, levels, expected):
    assert ari_per_level(tree, levels).tolist() == expected
    assert ari_per_level(tree, levels, n_levels=1).tolist() == expected[:1]
    assert aari(tree, levels) == np.mean(expected)


EIGHT = balanced_tree(8)
PER_OBJECT = r"label.* (per object|hashable)"


@pytest.mark.parametrize(
    ("function", "arguments", "error", "words"),
    [
        (adjusted_rand_index, ([0, 1], [0, 1, 2]), Mismatch, "of 2 and of 3 objects"),
        (
            adjusted_rand_index,
            ([[0, 1]], [0, 1]),
            InvalidOption,
            "one label per object",
        ),
        *(
            (adjusted_rand_index, (labels, [0, 1]), InvalidOption, PER_OBJECT)
            for labels in ([[1], [1, 2]], [[1], (2,)], [{}, 1])
        ),
        (aari, (EIGHT, balanced_tree(4)), Mismatch, "8 leaves and a true tree of 4"),
        (
            aari,
            (EIGHT, [[0] * 8, [0, 1, 2]]),
            Mismatch,
            r"level 1 of the truth has shape \(3,\)",
        ),
        (aari, (EIGHT, []), InvalidOption, "no levels"),
        (aari, (EIGHT, None), InvalidOption, "no levels"),
        (aari, (EIGHT, [0] * 8), InvalidOption, r"give \[labels\]"),
        (aari, (Tree([]), Tree([])), InvalidOption, "no levels to compare"),
        (aari, (EIGHT, EIGHT, 2), TypeError, "positional"),
    ],
)
def test_wrong_input(function, arguments, error, words):
    with pytest.raises(error, match=words):
        function(*arguments)
    with pytest.raises(InvalidOption, match=r"n_levels = 4: .* from 1 to 3"):
        aari(EIGHT, EIGHT, n_levels=4)
