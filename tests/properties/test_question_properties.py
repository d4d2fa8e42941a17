"""Questions of every kind become what their definition says, and as many rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import comparisons, seeds
from tripletree import (
    adds_similarity,
    cblearn_triplets,
    concatenate,
    grid_choices,
    most_central,
    odd_one_out,
    pairs_of_pairs,
    rankings,
    rooted_triples,
)

N = 12


@st.composite
def screens(draw, width):
    """Different objects in each row, and a generator for what was answered."""
    rng = np.random.default_rng(draw(seeds))
    m = draw(st.integers(0, 8))
    table = rng.permuted(np.tile(np.arange(N), (m, 1)), axis=1)[:, :width]
    return table.reshape(m, width), rng


def per_row(values, counts):
    return [
        value for value, count in zip(values, counts, strict=True) for _ in [0] * count
    ]


def of_one_answer(answers):
    """The annotator of each row, told by the trial: here each gave one answer."""
    trials = answers.trials
    if trials is None:
        return answers.annotators.tolist()
    who = dict(zip(trials.tolist(), answers.annotators.tolist(), strict=True))
    assert len({*who.values()}) == len(who)
    return [who[number] for number in trials.tolist()]


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
    chosen = shown[np.arange(len(shown)), rng.integers(0, k, len(shown))]
    chosen[rng.random(len(shown)) < 0.2] = -1
    weights = rng.integers(0, 5, len(shown))
    answers = convert(
        shown, chosen, N, weights=weights, annotators=np.arange(len(shown))
    )
    is_decided = (chosen >= 0).tolist()
    expected = []
    for row, one in zip(shown.tolist(), chosen.tolist(), strict=True):
        expected += definition(row, one) if one >= 0 else []
    assert list(map(tuple, answers)) == expected
    assert len(answers) == sum(is_decided) * (k - 1) * (k - 2)
    assert sum(answers.dropped.values()) == len(shown) - sum(is_decided)
    counts = [(k - 1) * (k - 2) * yes for yes in is_decided]
    assert answers.annotators.tolist() == per_row(range(len(shown)), counts)
    assert of_one_answer(answers) == per_row(range(len(shown)), counts)
    assert answers.weights.tolist() == per_row(weights.tolist(), counts)


@given(st.data(), st.integers(1, 8), st.booleans())
def test_k_of_n(data, n, ordered):
    table, rng = data.draw(screens(1 + n))
    k = rng.integers(0, n + 1, len(table))
    answers = rankings(
        table, N, n_chosen=k, ordered=ordered, annotators=np.arange(len(table))
    )
    expected, counts = [], []
    for row, chosen in zip(table.tolist(), k.tolist(), strict=True):
        cut = 1 + chosen
        expected += definitions.ranking(row[0], row[1:cut], row[cut:], ordered)
        law = (
            chosen * n - chosen * (chosen + 1) // 2
            if ordered
            else chosen * (n - chosen)
        )
        counts.append(law)
    assert list(map(tuple, answers)) == expected
    assert answers.annotators.tolist() == per_row(range(len(table)), counts)
    assert of_one_answer(answers) == per_row(range(len(table)), counts)
    is_empty = [not law for law in counts]
    assert sum(answers.dropped.values()) == sum(is_empty)
    assert answers.dropped.get("nothing chosen", 0) == (k == 0).sum()


@given(st.data(), st.integers(1, 8))
def test_grids(data, n):
    """Rows as the definition has them; the same set as the ranking without order."""
    table, rng = data.draw(screens(1 + n))
    is_shown = rng.random((len(table), n)) < 0.8
    is_chosen = is_shown & (rng.random(is_shown.shape) < 0.5)
    table[:, 1:][~is_shown] = -1
    answers = grid_choices(table, is_chosen, N)
    expected, moved = [], []
    for row, shown, chosen in zip(table.tolist(), is_shown, is_chosen, strict=True):
        near = [x for x, yes in zip(row[1:], chosen, strict=True) if yes]
        far = [x for x, yes in zip(row[1:], shown & ~chosen, strict=True) if yes]
        expected += definitions.ranking(row[0], near, far, ordered=False)
        moved.append([row[0], *near, *far, *[-1] * (n - len(near) - len(far))])
    assert list(map(tuple, answers)) == expected
    moved = np.array(moved, np.int64).reshape(len(table), 1 + n)
    k = is_chosen.sum(axis=1)
    again = rankings(moved, N, n_chosen=k, ordered=False)
    assert np.array_equal(answers.rows, again.rows)
    assert answers.dropped == again.dropped


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


@given(st.data())
def test_parts_join_to_the_whole(data):
    shown, rng = data.draw(screens(4))
    odd = shown[:, 0].copy()
    odd[rng.random(len(odd)) < 0.3] = -1
    who = rng.integers(0, 9, len(odd))
    whole = odd_one_out(shown, odd, N, annotators=who)
    middle = len(shown) // 2
    parts = [
        odd_one_out(shown[part], odd[part], N, annotators=who[part])
        for part in (slice(middle), slice(middle, None))
    ]
    joined = concatenate(parts)
    assert np.array_equal(joined.rows, whole.rows)
    assert np.array_equal(joined.trials, whole.trials)
    assert joined.dropped == whole.dropped
