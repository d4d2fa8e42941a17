from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

from tests import definitions
from tests.strategies import comparisons, seeds
from tripletree import (
    InvalidOption,
    Triplets,
    adds_similarity,
    average_linkage,
    caterpillar_tree,
    common_ancestor_sizes,
    held_out,
    learning_curve,
)
from tripletree.datasets.animals import animals
from tripletree.evaluation.holdout import N_PARTS, assign_folds


def al(train):
    return average_linkage(adds_similarity(train))


def share(right, total):
    return np.where(total, right / np.maximum(total, 1), 0.5)


@given(comparisons(width=3, kind=None), seeds)
def test_it_is_the_definition(answers, seed):
    shares = [0.3, 0.8, 1]
    curve = learning_curve(answers, al, shares=shares, n_folds=2, seed=seed)
    expected = definitions.learning_curve(
        answers.rows.tolist(),
        assign_folds(answers, 2, seed).tolist(),
        2,
        assign_folds(answers, N_PARTS, seed + 1).tolist(),
        N_PARTS,
        shares,
        lambda kept: al(answers[np.array(kept, int)]),
        lambda tree, x, y: int(common_ancestor_sizes(tree, [[x, y]])[0]),
    )
    n, right, tied, total = np.moveaxis(np.array(expected, float), -1, 0)
    right += tied / 2
    assert curve.n_answers == pytest.approx(n.mean(axis=1))
    assert curve.accuracies == pytest.approx(share(right, total))
    assert curve.accuracy == pytest.approx(share(right.sum(axis=1), total.sum(axis=1)))


@given(comparisons(), seeds)
def test_it_ends_at_what_is_held_out(answers, seed):
    curve = learning_curve(answers, al, shares=[0.5, 1], seed=seed)
    found = held_out(answers, al, seed=seed)
    assert curve.revenues[-1] == found.revenue
    assert curve.accuracy[-1] == found.accuracy
    assert not curve.is_stopped


@pytest.mark.compiled
def test_parts_are_nested_and_of_the_size_that_was_asked_for():
    answers = animals(20_000).answers
    seen = []

    def watch(train):
        seen.append({*map(tuple, train.rows.tolist())})
        return caterpillar_tree(20)

    curve = learning_curve(answers, watch, shares=[0.25, 0.5, 1], n_folds=2)
    for fold in range(2):
        small, middle, large = (seen[2 * at + fold] for at in range(3))
        assert small < middle < large
    assert curve.n_answers == pytest.approx([2_500, 5_000, 10_000], rel=0.1)


def test_time_runs_out(monkeypatch):
    answers = animals().answers
    seconds = []
    clock = SimpleNamespace(monotonic=lambda: len(seconds))
    monkeypatch.setattr("tripletree.evaluation.holdout.time", clock)

    def slow(train):
        seconds.append(1)
        return caterpillar_tree(20)

    curve = learning_curve(answers, slow, time_limit=5, n_folds=2)
    assert curve.is_stopped
    assert len(curve.shares) == len(curve.revenues) == len(curve.n_answers) == 2
    assert "stopped by the time limit" in str(curve)
    nothing = learning_curve(answers, slow, time_limit=0)
    assert (nothing.shares, nothing.accuracies.shape) == ((), (0, 3))
    assert nothing.is_stopped


def test_it_prints():
    lines = str(learning_curve(animals().answers, al, shares=[0.1, 1])).splitlines()
    assert lines[0].split() == ["answers", "accuracy", "spread", "revenue"]
    assert len(lines) == 3


@pytest.mark.parametrize("shares", [[], [0, 1], [0.5, 0.5], [1, 0.5], [1.5], 3, ["x"]])
def test_wrong_shares(shares):
    with pytest.raises(InvalidOption, match="shares"):
        learning_curve(Triplets([[0, 1, 2]], 3), al, shares=shares)
