"""Questions of every kind, and samples of them, are what their definitions say."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons, random_rows, seeds, similarities
from tripletree import (
    adds_similarity,
    cblearn_triplets,
    grid_choices,
    most_central,
    odd_one_out,
    pairs_of_pairs,
    rankings,
    rooted_triples,
    sample_quadruplets,
    sample_triplets,
)

N = 12


@st.composite
def screens(draw, width):
    """Different objects in each row, and a generator for what was answered."""
    rng = np.random.default_rng(draw(seeds))
    m = draw(st.integers(0, 8))
    return random_rows(rng, m, N, width), rng


def check(answers, expected):
    """Row by row with the weight and the annotator, where each gave one answer."""
    weights = [1] * len(answers) if answers.weights is None else answers.weights
    who = answers.annotators.tolist()
    assert list(zip(map(tuple, answers), weights, who, strict=True)) == expected
    if answers.trials is not None:
        numbers = [who.index(x) for x in who]
        assert np.unique(numbers, return_inverse=True)[1].tolist() == (
            answers.trials.tolist()
        )


@given(st.data(), st.integers(3, 6))
@pytest.mark.parametrize(
    ("convert", "definition"),
    [
        (odd_one_out, definitions.odd_one_out),
        (most_central, definitions.most_central),
    ],
)
def test_one_of_k(convert, definition, data, k):
    shown, rng = data.draw(screens(k))
    m = len(shown)
    chosen = shown[np.arange(m), rng.integers(0, k, m)]
    chosen[rng.random(m) < 0.2] = -1
    weights = rng.integers(0, 5, m)
    answers = convert(shown, chosen, N, weights=weights, annotators=np.arange(m))
    expected = [
        (triplet, weight, who)
        for who, (row, one, weight) in enumerate(
            zip(shown.tolist(), chosen.tolist(), weights, strict=True)
        )
        if one >= 0
        for triplet in definition(row, one)
    ]
    check(answers, expected)
    n_decided = int((chosen >= 0).sum())
    assert len(answers) == n_decided * (k - 1) * (k - 2)
    assert sum(answers.dropped.values()) == m - n_decided


@pytest.mark.parametrize("kind", ["grid", "ordered", "unordered"])
@given(st.data(), st.integers(1, 8))
def test_some_of_n(kind, data, n):
    """Of the candidates that are shown; in a grid they stay where they are."""
    table, rng = data.draw(screens(1 + n))
    is_shown = rng.random((len(table), n)) < 0.8
    is_chosen = is_shown & (rng.random(is_shown.shape) < 0.5)
    expected = [
        (triplet, 1, who)
        for who, (row, shown, chosen) in enumerate(
            zip(table, is_shown, is_chosen, strict=True)
        )
        for triplet in definitions.ranking(
            row[0], row[1:][chosen], row[1:][shown & ~chosen], kind == "ordered"
        )
    ]
    k, n_shown = is_chosen.sum(axis=1), is_shown.sum(axis=1)
    candidates, who = np.where(is_shown, table[:, 1:], -1), np.arange(len(table))
    if kind == "grid":
        rows = np.column_stack([table[:, 0], candidates])
        answers = grid_choices(rows, is_chosen, N, annotators=who)
    else:  # the chosen ones come first, those that are not shown at the end
        order = np.where(is_shown, 1 - is_chosen, 2).argsort(axis=1, kind="stable")
        rows = [table[:, 0], np.take_along_axis(candidates, order, axis=1)]
        options = {"n_chosen": k, "ordered": kind == "ordered", "annotators": who}
        answers = rankings(np.column_stack(rows), N, **options)
    check(answers, expected)
    counts = k * (n_shown - k) + (kind == "ordered") * k * (k - 1) // 2
    assert len(answers) == counts.sum()
    assert sum(answers.dropped.values()) == (counts == 0).sum()
    assert answers.dropped.get("nothing chosen", 0) == (k == 0).sum()


@given(st.data())
def test_rooted_triples_are_odd_ones_out(data):
    table, _ = data.draw(screens(3))
    triples = rooted_triples(table, N)
    assert len(triples) == 2 * len(table)
    assert np.array_equal(triples.rows, odd_one_out(table, table[:, 2], N).rows)


@given(comparisons(kind=None), seeds)
def test_responses_in_every_form_are_the_same_answers(answers, seed):
    """Turn questions at random and answer accordingly: the answers come back."""
    rng = np.random.default_rng(seed)
    convert, turn = (
        (cblearn_triplets, [0, 2, 1])
        if answers.rows.shape[1] == 3
        else (pairs_of_pairs, [2, 3, 0, 1])
    )
    is_first = rng.random(len(answers)) < 0.5
    asked = np.where(is_first[:, None], answers.rows, answers.rows[:, turn])
    sign = np.where(is_first, 1, -1)
    n = answers.n_objects
    forms = [
        is_first,
        is_first.tolist(),
        sign,
        sign.astype(float),
        sign.astype(np.int8),
    ]
    for responses in forms:
        found = convert(asked, responses, n)
        assert np.array_equal(found.rows, answers.rows)
        assert found.weights is None
    assert np.array_equal(convert(answers.rows, None, n).rows, answers.rows)
    counts = rng.integers(0, 4, len(answers))
    who = rng.integers(0, 3, len(answers))
    found = convert(asked, sign * counts, n, annotators=who)
    repeated = answers[np.repeat(np.arange(len(answers)), counts)]
    assert np.array_equal(adds_similarity(found), adds_similarity(repeated))
    assert found.dropped.get("undecided", 0) == (counts == 0).sum()
    names = [found.annotator_names[code] for code in found.annotators]
    assert names == [str(x) for x in who[counts > 0]]


both_kinds = pytest.mark.parametrize(
    ("sample", "questions", "all_answers"),
    [
        (sample_triplets, definitions.triplet_questions, definitions.all_triplets),
        (
            sample_quadruplets,
            definitions.quadruplet_questions,
            definitions.all_quadruplets,
        ),
    ],
)


@both_kinds
@given(data=st.data())
def test_samples_are_sets_of_right_answers(sample, questions, all_answers, data):
    s = data.draw(similarities(max_objects=6))
    seed = data.draw(seeds)
    n_all = len(questions(len(s)))
    right = all_answers(s.tolist())
    for dtype in (np.int64, np.float64):
        whole = sample(s.astype(dtype), n_all, rng=np.random.default_rng(seed))
        assert sorted(map(tuple, whole)) == sorted(right)
    m = data.draw(st.integers(0, n_all))
    part = [tuple(row) for row in sample(s, m, rng=np.random.default_rng(seed))]
    assert len(set(part)) == len(part) <= m
    assert set(part) <= right
    assert len(right) - len(part) <= n_all - m  # only what was not asked is missing


@both_kinds
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
    answers = sample(features=vectors, n_questions=len(questions(n)), rng=rng)
    assert {tuple(row) for row in answers} == all_answers(exact)
