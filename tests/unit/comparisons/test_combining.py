"""Selecting, copying, joining, reversing, duplicates and votes."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import comparisons, seeds
from tests.unit.comparisons.test_comparisons import ROWS, WORKERS, together
from tripletree import (
    Quadruplets,
    Triplets,
    concatenate,
    drop_duplicates,
    majority_vote,
    swap_near_far,
)

FULL = Triplets(
    ROWS,
    3,
    weights=[1, 2, 3, 4],
    labels=["a", "b", "c"],
    annotators=WORKERS,
    trials=[7, 8, 8, 9],
    dropped={"undecided": 3, "too fast": 4},
    notes=["no header", "labels"],
    warnings=["odd"],
)


def who(answers):
    """The name behind each row."""
    return [answers.annotator_names[code] for code in answers.annotators]


@pytest.mark.parametrize(
    ("convert", "picked"),
    [
        (swap_near_far, range(4)),
        (Triplets.to_quadruplets, range(4)),
        (copy.deepcopy, range(4)),
        (lambda answers: copy.deepcopy(answers.to_quadruplets()), range(4)),
        (lambda answers: pickle.loads(pickle.dumps(answers)), range(4)),
        (drop_duplicates, [0, 1, 3]),
        (lambda answers: answers[[3, 1]], [3, 1]),
        (lambda answers: answers[1:], [1, 2, 3]),
        (lambda answers: answers[np.array([True, False, True, False])], [0, 2]),
        (lambda answers: answers.to_quadruplets()[:1], [0]),
        (lambda answers: answers[[]], []),
    ],
)
def test_everything_follows_the_rows(convert, picked):
    found, picked = convert(FULL), list(picked)
    assert found.weights.tolist() == FULL.weights[picked].tolist()
    assert who(found) == [WORKERS[row] for row in picked]
    assert found.annotator_names == ("ann", "eve")  # codes mean the same
    has_trials = {1, 2} <= {*picked}
    assert (found.trials is not None) == has_trials
    assert not has_trials or together(found.trials) == together(FULL.trials[picked])
    is_selected = len(picked) < 4 and convert is not drop_duplicates
    assert found.dropped == ({} if is_selected else FULL.dropped)
    assert (found.labels, found.notes) == (FULL.labels, FULL.notes)
    assert found.warnings == FULL.warnings
    kept = found.rows, found.weights, found.annotators
    assert not any(array.flags.writeable for array in kept)
    if convert is not swap_near_far:
        assert found.near.tolist() == FULL.near[picked].tolist()
        assert found.far.tolist() == FULL.far[picked].tolist()


def test_concatenate():
    two = Triplets(ROWS[:2], 3, annotators=["bob", "ann"], notes=["labels", "\x1b"])
    two = concatenate([Triplets([], 3), two])
    both = concatenate([two, FULL])
    assert both.rows.tolist() == ROWS[:2] + ROWS
    assert both.weights.tolist() == [1, 1, 1, 2, 3, 4]
    assert (both.labels, who(both)) == (("a", "b", "c"), ["bob", "ann", *WORKERS])
    assert both.annotator_names == ("ann", "bob", "eve")
    assert (both.notes, both.dropped) == (("labels", "\x1b", "no header"), FULL.dropped)
    assert concatenate([FULL, FULL]).dropped == {"undecided": 6, "too fast": 8}
    assert concatenate([two]).weights is None
    floats = Triplets(ROWS[:1], 3, weights=[0.5], annotators=["ann"])
    assert concatenate([FULL, floats]).weights.tolist() == [1, 2, 3, 4, 0.5]


UNEQUAL = [[0, 1, 2], [0, 1, 2], [0, 2, 1]]


@pytest.mark.parametrize(
    ("rows", "weights", "expected"),
    [
        ([[0, 2, 1], [0, 1, 2], [1, 0, 2], [0, 1, 2], [1, 2, 0]], None, [[0, 1, 2]]),
        ([[0, 2, 1], [0, 1, 2], [0, 1, 2]], [2.5, 1, 1], [[0, 2, 1]]),
        (UNEQUAL, [0.1, 0.2, 0.3], [[0, 1, 2]]),  # floats are rounded: not a tie
        (UNEQUAL, [0.25, 0.5, 0.75], []),
        (
            [[3, 2, 1, 0], [0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 1, 2]],
            None,
            [[1, 0, 3, 2], [0, 1, 1, 2]],
        ),
    ],
)
def test_majority(rows, weights, expected):
    make = Triplets if len(rows[0]) == 3 else Quadruplets
    answers = majority_vote(make(rows, 4, weights, annotators=rows and [7] * len(rows)))
    assert answers.rows.tolist() == expected
    assert answers.weights is answers.annotators is answers.annotator_names is None


@pytest.mark.parametrize("function", [swap_near_far, drop_duplicates, majority_vote])
def test_few_answers(function):
    for make in (Triplets, Quadruplets):
        assert len(function(make([], 3))) == 0
    found = function(FULL)
    assert (found.dropped, found.notes) == (FULL.dropped, FULL.notes)


@given(comparisons(width=3), comparisons(width=3), seeds)
def test_parts_do_not_mix_their_trials(one, two, seed):
    rng = np.random.default_rng(seed)
    n, parts, expected = max(one.n_objects, two.n_objects), [], []
    for part in (one, two, one):
        trials = rng.integers(0, 3, len(part)) if rng.random() < 0.7 else None
        own = np.arange(len(part)) if trials is None else trials
        expected += [10**6 * len(parts) + number for number in own.tolist()]
        parts.append(Triplets(part.rows, n, trials=trials))
    found = concatenate(parts).trials
    if len({*expected}) == len(expected):
        assert found is None
    else:
        assert together(found) == together(np.array(expected))
