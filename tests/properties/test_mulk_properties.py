"""MulK against its definition, and what can be done to answers."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tests import definitions
from tests.strategies import comparisons, seeds
from tripletree import (
    Triplets,
    concatenate,
    four_k_similarity,
    mulk_similarity,
    swap_near_far,
)


def plain(answers):
    weights = None if answers.weights is None else answers.weights.tolist()
    return answers.rows.tolist(), answers.n_objects, weights


@given(comparisons(width=3))
def test_mulk3_is_its_definition(answers):
    exact = definitions.mulk3(*plain(answers))
    s = mulk_similarity(answers)
    signed_squares = np.array([[float(x) for x in row] for row in exact])
    expected = np.sign(signed_squares) * np.sqrt(np.abs(signed_squares))
    assert np.array_equal(s, expected)  # to the last bit: equal values tie


@given(comparisons(width=4))
def test_mulk4_and_4k_are_their_definitions(answers):
    expected = np.array(definitions.mulk4(*plain(answers)))
    assert np.array_equal(mulk_similarity(answers), expected)
    both = expected + 2 * np.array(definitions.adds4(*plain(answers)))
    assert np.array_equal(four_k_similarity(answers), both)


@given(comparisons())
def test_turning_every_answer_round_changes_nothing(answers):
    """Two objects still agree where they agreed."""
    s = mulk_similarity(answers)
    assert np.array_equal(mulk_similarity(swap_near_far(answers)), s)


@given(comparisons(kind=None))
def test_all_answers_twice(answers):
    s = mulk_similarity(concatenate([answers, answers]))
    assert np.array_equal(s, 4 * mulk_similarity(answers))


@given(comparisons(), seeds)
def test_names_and_order_do_not_matter(answers, seed):
    rng = np.random.default_rng(seed)
    names = rng.permutation(answers.n_objects)
    mixed = answers[rng.permutation(len(answers))]
    renamed = type(answers)(names[mixed.rows], answers.n_objects, mixed.weights)
    s = mulk_similarity(renamed)
    assert np.array_equal(s[np.ix_(names, names)], mulk_similarity(answers))


@given(comparisons(kind="int"))
def test_a_weight_is_a_number_of_answers(answers):
    repeated = answers[np.repeat(np.arange(len(answers)), answers.weights)]
    same = type(answers)(repeated.rows, answers.n_objects)
    assert np.array_equal(mulk_similarity(same), mulk_similarity(answers))


@given(comparisons(width=4))
def test_the_ends_of_a_pair_do_not_matter(answers):
    turned = type(answers)(
        answers.rows[:, [1, 0, 3, 2]], answers.n_objects, answers.weights
    )
    assert np.array_equal(mulk_similarity(turned), mulk_similarity(answers))


@given(comparisons(width=3))
def test_two_objects_agree_at_most_fully(answers):
    """Where each question has one answer, MulK3 is a cosine."""
    questions = np.sort(answers.rows[:, 1:], axis=1)
    questions = np.column_stack([answers.rows[:, 0], questions])
    first = np.unique(questions, axis=0, return_index=True)[1]
    s = mulk_similarity(Triplets(answers.rows[first], answers.n_objects))
    assert (np.abs(s) <= 1).all()
