from __future__ import annotations

import numpy as np

from tripletree import adds_similarity, average_linkage, satisfaction
from tripletree.datasets.animals import animals


def test_answers_follow_the_hierarchy():
    right = animals(500, share_wrong=0.0)
    assert satisfaction(right.truth, right.answers).satisfied == 500
    wrong = animals(500, share_wrong=1.0)
    assert satisfaction(wrong.truth, wrong.answers).violated == 500


def test_seeds():
    assert np.array_equal(animals().answers.rows, animals().answers.rows)
    assert not np.array_equal(animals().answers.rows, animals(seed=1).answers.rows)


def test_many_answers_give_the_hierarchy_back():
    example = animals(100_000)
    tree = average_linkage(adds_similarity(example.answers))
    assert tree.is_same_hierarchy(example.truth)
