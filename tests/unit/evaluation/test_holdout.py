"""Answers that are held out: folds, what trees earn on them, and learning curves."""

from collections import Counter
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons, random_rows, seeds
from tripletree import (
    InvalidOption,
    Quadruplets,
    Triplets,
    adds_similarity,
    average_linkage,
    caterpillar_tree,
    common_ancestor_sizes,
    concatenate,
    held_out,
    learning_curve,
    maximise_revenue,
    odd_one_out,
    random_tree,
    rankings,
    revenue,
    satisfaction,
    swap_near_far,
)
from tripletree.datasets.animals import animals
from tripletree.evaluation.holdout import N_PARTS, assign_folds, assign_parts


def al(train):
    return average_linkage(adds_similarity(train))


def test_every_answer_is_held_out_once():
    answers = animals(300).answers
    method = Mock(wraps=al)
    result = held_out(answers, method, n_folds=4)
    seen = [call.args[0] for call in method.call_args_list]
    assert sum(len(train) for train in seen) == 3 * len(answers)
    sums, everything = [*map(adds_similarity, seen)], adds_similarity(answers)
    assert np.array_equal(sum(sums), 3 * everything)
    earned = [revenue(average_linkage(s), everything - s) for s in sums]
    assert (result.revenues, result.revenue) == (tuple(earned), sum(earned))


@given(comparisons(), seeds, st.integers(2, 5))
def test_one_tree_for_all_folds_earns_its_revenue(answers, seed, n_folds):
    tree = random_tree(answers.n_objects, rng=np.random.default_rng(seed))
    result = held_out(answers, lambda train: tree, n_folds=n_folds, seed=seed)
    assert result.revenue == revenue(tree, answers)
    counts = satisfaction(tree, answers)
    right = counts.satisfied + counts.tied / 2
    expected = right / counts.total if counts.total else 0.5
    assert result.accuracy == pytest.approx(expected)


@given(comparisons(), seeds)
def test_answers_to_a_question_stay_together(answers, seed):
    fold = assign_folds(answers, 3, seed)
    # The other half of an odd-one-out answer, or both pairs the other way round.
    order = [1, 0, 2] if isinstance(answers, Triplets) else [1, 0, 3, 2]
    turned = type(answers)(answers.rows[:, order], answers.n_objects)
    for same in (swap_near_far(answers), turned):
        assert np.array_equal(fold, assign_folds(same, 3, seed))


@given(comparisons(), seeds)
def test_questions_are_those_of_the_definition(answers, seed):
    """With a fold for each question, each has a fold of its own."""
    rng = np.random.default_rng(seed)
    trials = rng.integers(0, 1 + len(answers) // 2, len(answers))
    answers = type(answers)(answers.rows, answers.n_objects, trials=trials)
    rows = {}
    for row, number in zip(answers, trials.tolist(), strict=True):
        rows.setdefault(number, []).append(row)
    asked = {number: definitions.question(of) for number, of in rows.items()}
    is_larger = any(isinstance(question, tuple) for question in asked.values())
    if not is_larger or answers.trials is None:
        return
    fold = assign_folds(answers, len({*asked.values()}), seed).tolist()
    pairs = {(asked[number], at) for number, at in zip(trials, fold, strict=True)}
    assert len(pairs) == len({*asked.values()}) == len({*fold})


@given(seeds, st.integers(6, 70), st.integers(2, 5))
def test_an_answer_is_held_out_whole(seed, n, n_chosen):
    """With every other answer to the same question, whatever was chosen."""
    rng = np.random.default_rng(seed)
    shown = random_rows(rng, 50, n, n_chosen + 1)[rng.integers(0, 50, 90)]
    shown[:, 1:] = rng.permuted(shown[:, 1:], axis=1)
    answers = rankings(shown, n, n_chosen=rng.integers(1, n_chosen + 1, 90))
    fold = assign_folds(answers, 2, seed)
    trials = np.arange(len(answers)) if answers.trials is None else answers.trials
    of_answer = np.full(int(trials.max(initial=0)) + 1, -1)
    of_answer[trials] = fold
    assert np.array_equal(of_answer[trials], fold)
    questions = {}
    for row, number in zip(answers.rows[:, 0], trials.tolist(), strict=True):
        objects = frozenset(answers.rows[trials == number].ravel().tolist())
        questions.setdefault((int(row), objects), set()).add(of_answer[number])
    if n_chosen > 2 and len(questions) >= 20:
        assert all(len(folds) == 1 for folds in questions.values())


def every_triplet(n):
    i, j, k = np.meshgrid(*[np.arange(n)] * 3, indexing="ij")
    return Triplets(np.stack([i, j, k], axis=-1)[(i != j) & (j < k) & (i != k)], n)


def ranked(n, n_shown):
    return rankings(random_rows(0, 3_000, n, n_shown), n, n_chosen=2)


@pytest.mark.parametrize(
    ("answers", "far", "near"),
    [
        (every_triplet(60), 925, 0.01),
        (ranked(200, 9), 150, 0.1),
        (ranked(20, 13), 150, 0.1),
        (ranked(12, 9), 500, 0.1),  # by chance, with 12 times 220 questions
    ],
)
def test_folds_are_of_about_equal_size_and_follow_the_seed(answers, far, near):
    fold, other = (assign_folds(answers, 3, seed) for seed in (0, 1))
    trials = np.arange(len(fold)) if answers.trials is None else answers.trials
    n_answers = np.bincount(fold[np.unique(trials, return_index=True)[1]])
    assert n_answers == pytest.approx([n_answers.sum() / 3] * 3, abs=far)
    assert np.mean(fold == other) == pytest.approx(1 / 3, abs=near)


@pytest.mark.parametrize("n", [8, 12, 40])
def test_answers_about_all_objects_fill_all_folds(n):
    shown = [[i, *(j for j in range(n) if j != i)] for i in range(n)] * 9
    for answers in (
        rankings(shown, n, n_chosen=3),
        odd_one_out(shown, [row[0] for row in shown], n),
    ):
        fold = assign_folds(answers, 3, 0)
        assert np.bincount(fold, minlength=3).min() > len(answers) / 6


def test_sets_of_many_objects_are_distinguished():
    """Also those that are equal modulo 64."""
    shown = np.arange(4) + 64 * np.arange(300)[:, None]
    answers = rankings(shown, 64 * 301, n_chosen=2)
    for found, n_rows in ((answers, 3), (odd_one_out(shown, shown[:, 3], 64 * 301), 6)):
        assert len(found) == 300 * n_rows
        fold = assign_folds(found, 300, 0).reshape(300, n_rows)
        assert (fold == fold[:, :1]).all()
        assert len({*fold[:, 0].tolist()}) == 300


def test_few_questions_fill_all_folds():
    shown = np.tile([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 1, 2], [3, 2, 1, 0]], (5, 1))
    for some, n_folds in ((shown, 4), (shown[::2], 3)):  # a question in several
        fold = assign_folds(rankings(some, 10, n_chosen=1), n_folds, 0)
        assert {*fold.tolist()} == {*range(n_folds)}


def test_each_kind_of_answer_keeps_its_questions():
    """Rankings beside triplets leave these where they were: the same three together."""
    shown, rows = random_rows(0, 100, 20, 6), random_rows(1, 3_000, 20)
    both = concatenate([rankings(shown, 20, n_chosen=2), Triplets(rows, 20)])
    fold = assign_folds(both, 3, 0)[-3_000:].tolist()
    of_three = {}
    for row, number in zip(np.sort(rows).tolist(), fold, strict=True):
        of_three.setdefault(tuple(row), set()).add(number)
    assert all(len(folds) == 1 for folds in of_three.values())
    pairs = Quadruplets(np.array([[0, 1, 0, 2], [0, 1, 1, 2]] * 9), 3).rows
    turned = pairs[:, [1, 0, 3, 2]]  # another first object, the same three
    many = Quadruplets(np.concatenate([pairs, turned]), 3, trials=np.arange(36) // 2)
    assert len({*assign_folds(many, 1, 0).tolist()}) == 1


def test_halves_of_odd_one_out_answers_are_not_other_questions():
    shown = np.array([[0, 1, 2], [3, 4, 5], [2, 0, 1], [5, 1, 0]])
    answers = odd_one_out(shown, shown[:, 0], 6)
    bare = Triplets(answers.rows, 6)
    assert np.array_equal(assign_folds(answers, 99, 0), assign_folds(bare, 99, 0))


def test_chunks_change_no_fold(monkeypatch):
    parts = animals().answers, rankings(random_rows(0, 20, 9, 6), 9, n_chosen=2)
    whole = [assign_folds(answers, 3, 5) for answers in parts]
    monkeypatch.setattr("tripletree.evaluation.holdout.ROWS_PER_CHUNK", 7)
    for fold, answers in zip(whole, parts, strict=True):
        assert np.array_equal(fold, assign_folds(answers, 3, 5))


def test_overfitting_shows():
    """With random answers the best tree earns much, and nothing on other answers."""
    answers = Triplets(random_rows(0, 2_000, 20), 20)
    climbed = partial(maximise_revenue, n_restarts=3)
    found = held_out(answers, lambda train: climbed(train).tree)
    assert found.revenue < climbed(answers).revenue / 4
    assert found.accuracy == pytest.approx(0.5, abs=0.05)


def share(right, total):
    return np.where(total, right / np.maximum(total, 1), 0.5)


@given(comparisons(width=3, kind=None), seeds)
def test_a_curve_is_its_definition(answers, seed):
    shares = [0.3, 0.8, 1]
    curve = learning_curve(answers, al, shares=shares, n_folds=2, seed=seed)
    expected = definitions.learning_curve(
        answers.rows.tolist(),
        assign_folds(answers, 2, seed).tolist(),
        2,
        assign_parts(answers, seed + 1).tolist(),
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
def test_a_curve_ends_at_what_is_held_out(answers, seed):
    curve = learning_curve(answers, al, shares=[0.5, 1], seed=seed)
    found = held_out(answers, al, seed=seed)
    last = curve.revenues[-1], curve.accuracy[-1]
    assert (*last, curve.is_stopped) == (found.revenue, found.accuracy, False)


@pytest.mark.compiled
def test_parts_are_nested_and_of_the_size_that_was_asked_for():
    method = Mock(return_value=caterpillar_tree(20))
    answers = animals(20_000).answers
    curve = learning_curve(answers, method, shares=[0.25, 0.5, 1], n_folds=2)
    trains = [call.args[0] for call in method.call_args_list]
    seen = [{*map(tuple, train.rows.tolist())} for train in trains]
    for fold in range(2):
        assert seen[fold] < seen[2 + fold] < seen[4 + fold]
    assert curve.n_answers == pytest.approx([2_500, 5_000, 10_000], rel=0.1)


def test_answers_to_one_question_are_in_one_part():
    """20 rankings of six objects, asked of five people who all answer alike."""
    shown = np.tile(random_rows(0, 20, 9, 6), (5, 1))
    method = Mock(return_value=caterpillar_tree(9))
    answers = rankings(shown, 9, n_chosen=2)
    learning_curve(answers, method, shares=[0.5, 1], n_folds=2)
    trains = [call.args[0].rows.tolist() for call in method.call_args_list]
    counts = [Counter(map(tuple, rows)) for rows in trains]
    for some, every in zip(counts[:2], counts[2:], strict=True):
        assert 0 < some.total() < every.total()
        assert all(count % 5 == 0 for count in some.values())


def test_time_runs_out(monkeypatch):
    answers, slow = animals().answers, Mock(return_value=caterpillar_tree(20))
    clock = SimpleNamespace(monotonic=lambda: slow.call_count)  # a second each
    monkeypatch.setattr("tripletree.evaluation.holdout.time", clock)
    curve = learning_curve(answers, slow, time_limit=5, n_folds=2)
    assert len(curve.shares) == len(curve.revenues) == len(curve.n_answers) == 2
    assert "stopped by the time limit" in str(curve)
    nothing = learning_curve(answers, slow, time_limit=0)
    assert (nothing.shares, nothing.accuracies.shape) == ((), (0, 3))
    assert curve.is_stopped is nothing.is_stopped is True


def test_a_curve_prints():
    lines = str(learning_curve(animals().answers, al, shares=[0.1, 1])).splitlines()
    assert lines[0].split() == ["answers", "accuracy", "spread", "revenue"]
    assert len(lines) == 3


@pytest.mark.parametrize("shares", [[], [0, 1], [0.5, 0.5], [1, 0.5], [1.5], 3, ["x"]])
def test_wrong_shares(shares):
    with pytest.raises(InvalidOption, match="shares"):
        learning_curve(Triplets([[0, 1, 2]], 3), al, shares=shares)


@pytest.mark.parametrize(
    ("make_tree", "options", "words"),
    [
        (lambda train: caterpillar_tree(3), {}, "a Tree with 20 leaves"),
        (lambda train: maximise_revenue(train, n_restarts=0), {}, r"is its \.tree"),
        (3, {}, "make_tree = 3: give a function"),
        (al, {"n_folds": 1}, "n_folds"),
        (al, {"seed": -1}, "seed"),
    ],
)
@pytest.mark.parametrize("judge", [held_out, learning_curve])
def test_wrong_input(judge, make_tree, options, words):
    with pytest.raises(InvalidOption, match=words):
        judge(animals(50).answers, make_tree, **options)
