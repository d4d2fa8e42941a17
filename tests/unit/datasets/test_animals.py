from __future__ import annotations

import numpy as np
import pytest

from tripletree import InvalidOption, adds_similarity, average_linkage, satisfaction
from tripletree.datasets.animals import animals


def test_answers_follow_the_hierarchy():
    right = animals(500, share_wrong=0.0)
    assert satisfaction(right.truth, right.answers).satisfied == 500
    wrong = animals(500, share_wrong=1.0)
    assert satisfaction(wrong.truth, wrong.answers).violated == 500


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
    assert np.array_equal(animals().answers.rows, animals().answers.rows)
    assert not np.array_equal(animals().answers.rows, animals(seed=1).answers.rows)


def test_many_answers_give_the_hierarchy_back():
    example = animals(100_000)
    tree = average_linkage(adds_similarity(example.answers))
    assert tree.is_same_hierarchy(example.truth)
