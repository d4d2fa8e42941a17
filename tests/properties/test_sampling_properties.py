"""Sampling against the sets of all answers, on similarities rich in ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import seeds, similarities
from tripletree import sample_quadruplets, sample_triplets

KINDS = [
    (sample_triplets, definitions.triplet_questions, definitions.all_triplets),
    (sample_quadruplets, definitions.quadruplet_questions, definitions.all_quadruplets),
]


@pytest.mark.parametrize(("sample", "questions", "all_answers"), KINDS)
@given(data=st.data())
def test_samples_are_sets_of_right_answers(sample, questions, all_answers, data):
    s = data.draw(similarities(max_objects=6))
    seed = data.draw(seeds)
    n_all = len(questions(len(s)))
    right = all_answers(s.tolist())
    for dtype in (np.int64, np.float64):
        whole = sample(s.astype(dtype), n_all, rng=np.random.default_rng(seed))
        assert len(whole) == len(right)
        assert {tuple(row) for row in whole} == right
    m = data.draw(st.integers(0, n_all))
    part = [tuple(row) for row in sample(s, m, rng=np.random.default_rng(seed))]
    assert len(set(part)) == len(part) <= m
    assert set(part) <= right
    assert len(right) - len(part) <= n_all - m  # only what was not asked is missing


@pytest.mark.parametrize(("sample", "questions", "all_answers"), KINDS)
@given(data=st.data())
def test_cosines_of_integers_tie_exactly(sample, questions, all_answers, data):
    n, d = data.draw(st.integers(2, 6)), data.draw(st.integers(1, 4))
    largest = data.draw(st.sampled_from([1, 3, 30]))
    rng = np.random.default_rng(data.draw(seeds))
    vectors = rng.integers(-largest, largest + 1, (n, d))
    exact = [
        [definitions.signed_squared_cosine(x, y) for y in vectors.tolist()]
        for x in vectors.tolist()
    ]
    n_all = len(questions(n))
    answers = sample(features=vectors, n_questions=n_all, rng=rng)
    assert {tuple(row) for row in answers} == all_answers(exact)
