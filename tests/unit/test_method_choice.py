"""How `auto` chooses, with methods whose trees are known beforehand."""

import math
import re

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import comparisons, seeds
from tripletree import (
    TooLarge,
    Triplets,
    caterpillar_tree,
    held_out,
    planted,
    random_tree,
    revenue,
    sample_triplets,
)
from tripletree._progress import ignore
from tripletree.clustering import method_choice
from tripletree.clustering.method_choice import CANDIDATES, choose_method
from tripletree.evaluation.holdout import (
    assign_folds,
    question_numbers,
    question_revenues,
)

MODEL = planted(4, 2, rng=np.random.default_rng(0))
FEW, MANY = (
    sample_triplets(MODEL.similarity, m, flip=0.1, rng=np.random.default_rng(1))
    for m in (250, 1_600)
)
WRONG = random_tree(16, rng=np.random.default_rng(2))


@pytest.fixture
def small(monkeypatch):
    """All candidates are tried, though there are few objects."""
    monkeypatch.setattr(method_choice, "FEWEST_FOR_MODEL", 2)


@given(comparisons(), seeds)
def test_questions_earn_what_their_folds_do(answers, seed):
    trees = [
        random_tree(answers.n_objects, rng=np.random.default_rng(x)) for x in (0, 1)
    ]
    questions = question_numbers(answers)
    found = question_revenues(answers, trees, seed, questions)
    fold = assign_folds(answers, 2, seed)
    for number, earned in enumerate(found):
        expected = sum(
            revenue(tree, answers[(questions == number) & (fold == at)])
            for at, tree in enumerate(trees)
        )
        assert math.isclose(earned, expected, abs_tol=1e-6)


def test_questions_of_huge_weights_earn_what_they_do():
    """Seven times 2^61 is more than an integer of 64 bits holds."""
    answers = Triplets([[0, 1, 8], [1, 0, 8]], 9, weights=[2**61, 2**61])
    trees = [caterpillar_tree(9)] * 2
    found = question_revenues(answers, trees, 0, question_numbers(answers))
    assert found.tolist() == [7 * 2.0**61] * 2


def chosen(answers, trees):
    """What is chosen if each method makes the same tree, and the seeds it was given."""
    asked = {name: [] for name in CANDIDATES}

    def make(name, train, *, seed, seconds):
        asked[name].append(seed)
        return trees.get(name, WRONG), False

    name, reason, found = choose_method(answers, make, 3, 5, ignore, math.inf)
    for one, trial in found.items():
        assert trial == held_out(answers, lambda _, x=one: trees.get(x, WRONG), seed=5)
    return name, reason, {one: len(x) for one, x in asked.items()}, asked


RIGHT = {"climb": MODEL.truth}


@pytest.mark.parametrize(
    ("answers", "trees", "fewest", "expected", "n_tried", "words"),
    [
        (
            *(FEW, RIGHT, 2, "climb", 4),
            "The choice is clear: .* standard errors behind, 3 folds.",
        ),
        (FEW, {}, 2, "adds-al", 4, "^the first of equal held-out revenues"),
        (MANY, RIGHT, 2, "climb", 3, "posterior was not tried: it is for fewer than"),
        (
            *(FEW, RIGHT, 50, "climb", 3),
            "posterior was not tried: it is for 50 objects or more.",
        ),
    ],
    ids=["clear", "equal", "many answers", "few objects"],
)
def test_one_round_if_the_choice_is_clear(
    answers, trees, fewest, expected, n_tried, words, monkeypatch
):
    monkeypatch.setattr(method_choice, "FEWEST_FOR_MODEL", fewest)
    name, reason, n_trees, _ = chosen(answers, trees)
    assert name == expected
    assert re.search(words, reason)
    assert [*n_trees.values()] == [3] * n_tried + [0] * (4 - n_tried)


@pytest.mark.parametrize(
    ("answers", "expected"), [(FEW, "posterior"), (MANY, "climb")], ids=["few", "many"]
)
def test_close_candidates_are_tried_again_and_ties_are_smooth(
    monkeypatch, answers, expected, small
):
    monkeypatch.setattr(method_choice, "MANY_ANSWERS", {})
    monkeypatch.setattr(method_choice, "CLEAR", 1e9)
    monkeypatch.setattr(method_choice, "TIE", 1e8)
    name, reason, n_trees, asked = chosen(answers, {"climb": MODEL.truth})
    assert (name, set(n_trees.values())) == (expected, {9})
    assert asked["climb"] == [5] * 3 + [6] * 3 + [7] * 3
    assert "9 folds." in reason


def test_means_side_by_side_are_of_the_same_rounds(monkeypatch, small):
    """One that falls behind in the first round is not tried again."""
    monkeypatch.setattr(method_choice, "CLEAR", 1e9)
    near = dict.fromkeys(("climb", "complete"), MODEL.truth)
    monkeypatch.setattr(
        method_choice,
        "_standard_errors_behind",
        lambda earned: {
            name: {"climb": 0.0, "complete": 3.0}.get(name, 2e9) for name in earned
        },
    )
    name, reason, n_trees, _ = chosen(MANY, near)
    assert (name, n_trees["climb"], n_trees["complete"]) == ("climb", 9, 9)
    assert n_trees["adds-al"] == 3
    late, early = re.search(
        r"\((mean of 3 rounds: .+?); (first .+?)\)", reason
    ).groups()
    assert [text.split()[0] for text in late[18:].split(", ")] == ["climb", "complete"]
    first = held_out(MANY, lambda _: MODEL.truth, seed=5).revenue
    wrong = held_out(MANY, lambda _: WRONG, seed=5).revenue
    assert early == f"first round: adds-al {wrong:,.0f}, climb {first:,.0f}"


def test_a_method_that_does_not_fit_into_memory_is_left_out(small):
    why_not = "it needs 9 GB."

    def make(name, train, *, seed, seconds):
        if name == "posterior":
            raise TooLarge(why_not)
        return MODEL.truth if name == "climb" else WRONG, False

    name, reason, found = choose_method(FEW, make, 3, 5, ignore, math.inf)
    assert name == "climb"
    assert f"posterior was not tried: {why_not}" in reason
    assert "posterior" not in found


@pytest.mark.parametrize("is_too_large", [False, True], ids=["", "TooLarge"])
def test_notes_are_told_once_and_only_of_rounds_that_count(
    monkeypatch, small, is_too_large
):
    monkeypatch.setattr(method_choice, "CLEAR", 1e9)

    def make(name, train, *, seed, seconds):
        if name == "climb" and seed == 6 and is_too_large:  # in the second round
            raise TooLarge("it needs 9 GB.")  # noqa: EM101
        return MODEL.truth if name == "climb" else WRONG, name == "climb"

    _, reason, _ = choose_method(FEW, make, 3, 5, ignore, math.inf)
    assert "The choice is" in reason
    assert reason.count("The trial of climb was cut short by the time limit.") == 1
    assert "was not tried" not in reason


def test_without_time_nothing_is_chosen():
    assert (
        "no time" in choose_method(Triplets([[0, 1, 2]], 3), None, 3, 0, ignore, 0)[1]
    )
