import numpy as np
import pytest

from tripletree import InvalidOption, adds_similarity, average_linkage, satisfaction
from tripletree.datasets.animals import animals


def test_answers_follow_the_hierarchy():
    right, wrong = (animals(500, share_wrong=share) for share in (0.0, 1.0))
    assert satisfaction(right.truth, right.answers).satisfied == 500
    assert satisfaction(wrong.truth, wrong.answers).violated == 500
    example = animals(100_000)
    tree = average_linkage(adds_similarity(example.answers))
    assert tree.is_same_hierarchy(example.truth)


@pytest.mark.parametrize(
    "options",
    [
        {"n_answers": -1},
        {"n_answers": 2.5},
        {"seed": -1},
        {"share_wrong": 2},
        {"share_wrong": "0"},
    ],
)
def test_wrong_options(options):
    with pytest.raises(InvalidOption, match="give a"):
        animals(**options)


def test_seeds():
    one, same, other = (animals(seed=seed).answers.rows for seed in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
