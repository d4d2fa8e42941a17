from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import comparisons, seeds
from tripletree import (
    InvalidComparisons,
    Quadruplets,
    Triplets,
    concatenate,
    drop_duplicates,
    majority_vote,
    odd_one_out,
    read_comparisons,
    swap_near_far,
    write_comparisons,
)

ROWS = [[0, 1, 2], [1, 0, 2], [0, 1, 2], [2, 1, 0]]


def together(trials):
    """The sets of rows that have the same number, in the order of their first rows."""
    sets = {}
    for row, number in enumerate(trials):
        sets.setdefault(int(number), []).append(row)
    return list(sets.values())


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(0, 3), min_size=1))
def test_they_are_numbered_from_0_on(given):
    found = Triplets([[0, 1, 2]] * len(given), 3, trials=np.array(given)).trials
    if len({*given}) == len(given):
        assert found is None  # each row is an answer of its own
        return
    assert together(found) == together(given)
    assert {*found.tolist()} == {*range(len({*given}))}
    assert found.dtype == np.int32
    assert not found.flags.writeable


@pytest.mark.parametrize(
    "given",
    [
        [0, 0, 1],
        [[0], [0], [1], [1]],
        [0.0, 0.0, 1.0, 1.0],
        ["a", "a", "b", "b"],
        [0, 0, 1, None],
        3,
        "0011",
    ],
)
@pytest.mark.parametrize("kind", [Triplets, Quadruplets])
def test_wrong_trials(given, kind):
    rows = ROWS if kind is Triplets else [[0, 1, 1, 2]] * 4
    with pytest.raises(
        InvalidComparisons, match=r"trials of .* give an integer for eac"
    ):
        kind(rows, 3, trials=given)


def test_a_trial_is_of_one_person():
    """Numbers that start again for each person are no numbers of answers."""
    with pytest.raises(InvalidComparisons, match=r"row 0 has .* number the answers of"):
        Triplets(ROWS, 3, annotators=[0, 0, 1, 1], trials=[1, 2, 1, 2])
    answers = Triplets(ROWS, 3, annotators=[0, 0, 1, 1], trials=[1, 1, 2, 2])
    assert answers.trials.tolist() == [0, 0, 1, 1]


def test_trials_of_no_shape():
    with pytest.raises(InvalidComparisons, match="trials of triplets: not a rectang"):
        Triplets(ROWS, 3, trials=[[0], [0, 0], [1], [1]])


def test_masked_trials():
    with pytest.raises(InvalidComparisons, match="mask"):
        Triplets(ROWS, 3, trials=np.ma.masked_equal([0, 0, 1, 1], 1))


def test_trials_follow_the_rows():
    answers = Triplets(ROWS, 3, trials=[7, 7, 9, 9])
    assert answers[[3, 1, 2]].trials.tolist() == [1, 0, 1]
    assert answers[:2].trials.tolist() == [0, 0]
    assert answers[[0, 2]].trials is None
    assert answers[:0].trials is None
    assert swap_near_far(answers).trials.tolist() == [0, 0, 1, 1]
    assert answers.to_quadruplets().trials.tolist() == [0, 0, 1, 1]
    assert drop_duplicates(answers).trials.tolist() == [0, 0, 1]
    assert majority_vote(answers).trials is None
    for again in (copy.deepcopy(answers), pickle.loads(pickle.dumps(answers))):
        assert again.trials.tolist() == [0, 0, 1, 1]


@given(comparisons(width=3), comparisons(width=3), seeds)
def test_parts_do_not_mix_their_trials(one, two, seed):
    rng = np.random.default_rng(seed)
    n, parts, expected = max(one.n_objects, two.n_objects), [], []
    for part in (one, two, one):
        trials = rng.integers(0, 3, len(part)) if rng.random() < 0.7 else None
        own = np.arange(len(part)) if trials is None else trials
        expected += [(len(parts), number) for number in own.tolist()]
        parts.append(Triplets(part.rows, n, trials=trials))
    found = concatenate(parts).trials
    if len({*expected}) == len(expected):
        assert found is None
    else:
        numbers = list(dict.fromkeys(expected))
        assert together(found) == together([numbers.index(x) for x in expected])


def test_files(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c,odd\nx,y,z,z\nx,y,z,\nz,y,w,w\n")
    answers = read_comparisons(path)
    assert answers.trials.tolist() == [0, 0, 1, 1]
    other = tmp_path / "other.csv"
    other.write_bytes(path.read_bytes())
    both = read_comparisons([path, other])
    assert both.trials.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    for name in ("out.npz", "out.csv"):
        write_comparisons(answers, tmp_path / name)
        assert read_comparisons(tmp_path / name).trials.tolist() == [0, 0, 1, 1]


def test_only_answers_of_several_rows_have_any():
    assert odd_one_out([[0, 1, 2]], [2], 3).trials.tolist() == [0, 0]
    assert Triplets(ROWS, 3).trials is None
    assert odd_one_out([], [], 3).trials is None
