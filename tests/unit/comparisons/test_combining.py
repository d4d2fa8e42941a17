"""Joining, turning round, duplicates and votes."""

from __future__ import annotations

import copy

import pytest

from tripletree import (
    InvalidComparisons,
    InvalidOption,
    Mismatch,
    Quadruplets,
    Triplets,
    concatenate,
    drop_duplicates,
    majority_vote,
    swap_near_far,
)


def test_concatenate():
    one = Triplets([[0, 1, 2]], 3, labels=list("abc"))
    two = Triplets([[1, 2, 0]], 3, weights=[5])
    both = concatenate([one, two])
    assert both.rows.tolist() == [[0, 1, 2], [1, 2, 0]]
    assert both.weights.tolist() == [1, 5]
    assert both.labels == ("a", "b", "c")
    assert concatenate([two, one]).labels == ("a", "b", "c")
    assert concatenate([one]).weights is None
    floats = Triplets([[2, 1, 0]], 3, weights=[0.5])
    assert concatenate([two, floats]).weights.tolist() == [5, 0.5]


def test_what_cannot_be_joined():
    triplets = Triplets([[0, 1, 2]], 3, labels=list("abc"))
    with pytest.raises(InvalidComparisons, match="nothing to concatenate"):
        concatenate([])
    with pytest.raises(InvalidComparisons, match="Triplets and Quadruplets"):
        concatenate([triplets, Quadruplets([], 3)])
    with pytest.raises(Mismatch, match="about 3 and about 4 objects"):
        concatenate([triplets, Triplets([], 4)])
    with pytest.raises(Mismatch, match="object 1 is 'b' in the first and 'x'"):
        concatenate([triplets, Triplets([], 3, labels=list("axc"))])


def test_swap():
    assert swap_near_far(Triplets([[0, 1, 2]], 3)).rows.tolist() == [[0, 2, 1]]
    swapped = swap_near_far(Quadruplets([[0, 1, 2, 3]], 4, weights=[2]))
    assert swapped.rows.tolist() == [[2, 3, 0, 1]]
    assert swapped.weights.tolist() == [2]


def test_duplicates():
    answers = Triplets(
        [[2, 0, 1], [0, 1, 2], [2, 0, 1], [0, 2, 1], [0, 1, 2]], 3, [1, 2, 3, 4, 5]
    )
    kept = drop_duplicates(answers)
    assert kept.rows.tolist() == [[2, 0, 1], [0, 1, 2], [0, 2, 1]]
    assert kept.weights.tolist() == [1, 2, 4]


def test_order_inside_a_pair_does_not_matter():
    answers = Quadruplets([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1]], 4)
    assert drop_duplicates(answers).rows.tolist() == [[0, 1, 2, 3], [2, 3, 0, 1]]


def test_majority():
    votes = Triplets([[0, 2, 1], [0, 1, 2], [1, 0, 2], [0, 1, 2], [1, 2, 0]], 3)
    answers = majority_vote(votes)
    assert answers.rows.tolist() == [[0, 1, 2]]
    assert answers.weights is None


def test_weights_vote():
    votes = Triplets([[0, 2, 1], [0, 1, 2], [0, 1, 2]], 3, weights=[2.5, 1, 1])
    assert majority_vote(votes).rows.tolist() == [[0, 2, 1]]


def test_float_votes_are_rounded():
    """As documented: 0.1 + 0.2 is more than 0.3; quarters tie."""
    rows = [[0, 1, 2], [0, 1, 2], [0, 2, 1]]
    assert len(majority_vote(Triplets(rows, 3, weights=[0.1, 0.2, 0.3]))) == 1
    assert len(majority_vote(Triplets(rows, 3, weights=[0.25, 0.5, 0.75]))) == 0


def test_majority_of_quadruplets():
    votes = Quadruplets([[3, 2, 1, 0], [0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 1, 2]], 4)
    assert majority_vote(votes).rows.tolist() == [[1, 0, 3, 2], [0, 1, 1, 2]]


@pytest.mark.parametrize("function", [swap_near_far, drop_duplicates, majority_vote])
def test_bare_rows_are_refused(function):
    with pytest.raises(InvalidComparisons, match="not list"):
        function([[0, 1, 2]])
    with pytest.raises(InvalidComparisons, match="not int"):
        concatenate([1])


@pytest.mark.parametrize("function", [swap_near_far, drop_duplicates, majority_vote])
def test_no_answers(function):
    assert len(function(Triplets([], 3))) == 0
    assert len(function(Quadruplets([], 3))) == 0


def test_what_was_dropped_is_remembered():
    one = Triplets([[0, 1, 2]], 3, dropped={"undecided": 2, "catch trial": 0})
    two = Triplets([[0, 1, 2]], 3, dropped={"undecided": 1, "too fast": 4})
    assert one.dropped == {"undecided": 2}
    assert repr(one) == "Triplets(1 rows, 3 objects, 2 answers dropped)"
    assert Triplets([], 3).dropped == {}
    both = concatenate([one, two])
    assert both.dropped == {"undecided": 3, "too fast": 4}
    for again in (
        swap_near_far(both),
        drop_duplicates(both),
        majority_vote(both),
        both.to_quadruplets(),
        copy.deepcopy(both),
    ):
        assert again.dropped == both.dropped
    assert both[:1].dropped == {}
    assert len(concatenate([both[:1], both[1:]])) == 2
    with pytest.raises(TypeError):
        both.dropped["undecided"] = 0
    with pytest.raises(InvalidComparisons, match="dropped of triplets is of type int"):
        Triplets([], 3, dropped=3)
    for wrong in (-1, 1.5, "2", None):
        with pytest.raises(InvalidOption, match=r"dropped\['late'\] of triplets = "):
            Triplets([], 3, dropped={"late": wrong})


def test_what_was_assumed_is_remembered():
    one = Triplets([[0, 1, 2]], 3, notes=["no header", "labels"])
    two = Triplets([[0, 1, 2]], 3, notes=["labels", "\x1b"])
    assert repr(two) == r"Triplets(1 rows, 3 objects, labels, \x1b)"
    assert Triplets([], 3).notes == ()
    both = concatenate([one, two])
    assert both.notes == ("no header", "labels", "\x1b")
    for again in (
        swap_near_far(both),
        drop_duplicates(both),
        majority_vote(both),
        both.to_quadruplets(),
        copy.deepcopy(both),
        both[:1],
        both.to_quadruplets()[:1],
        copy.deepcopy(both.to_quadruplets()),
    ):
        assert again.notes == both.notes
    assert repr(both.to_quadruplets()).startswith("Quadruplets(2 rows, 3 objects, no h")
    for wrong in ("text", [1], None, 3):
        with pytest.raises(InvalidComparisons, match=r"notes of triplets = .*of texts"):
            Triplets([], 3, notes=wrong)
