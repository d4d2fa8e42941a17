"""Who gave each answer: codes and names, and what becomes of them."""

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
    Mismatch,
    Quadruplets,
    Triplets,
    concatenate,
    drop_duplicates,
    majority_vote,
    swap_near_far,
)

ROWS = [[0, 1, 2], [1, 2, 0], [0, 1, 2], [2, 0, 1]]
WORKERS = ["eve", "ann", "ann", "eve"]


def who(answers):
    """The name behind each row."""
    return [answers.annotator_names[code] for code in answers.annotators]


@pytest.mark.parametrize(
    ("given", "codes", "names"),
    [
        (WORKERS, [1, 0, 0, 1], ("ann", "eve")),
        (tuple(WORKERS), [1, 0, 0, 1], ("ann", "eve")),
        (np.array(WORKERS), [1, 0, 0, 1], ("ann", "eve")),
        (np.array(WORKERS, np.object_), [1, 0, 0, 1], ("ann", "eve")),
        (np.array(WORKERS, np.dtypes.StringDType()), [1, 0, 0, 1], ("ann", "eve")),
        ([10, 9, 10, 9], [1, 0, 1, 0], ("9", "10")),
        (np.array([10, 9, 10, 9], np.uint8), [1, 0, 1, 0], ("9", "10")),
        ([10, "9", "10", 9], [0, 1, 0, 1], ("10", "9")),  # ids are their text
        ([2**70, -1, "", 0], [3, 1, 0, 2], ("", "-1", "0", "1180591620717411303424")),
    ],
)
def test_ids_become_codes_and_names(given, codes, names):
    answers = Triplets(ROWS, 3, annotators=given)
    assert answers.annotators.dtype == np.int32
    assert not answers.annotators.flags.writeable
    assert answers.annotators.tolist() == codes
    assert answers.annotator_names == names


def test_codes_and_names_are_taken_as_they_are():
    codes = np.array([2, 0, 0, 2], np.int32)
    codes.flags.writeable = False
    answers = Triplets(ROWS, 3, annotators=codes, annotator_names=["z", "b", "a"])
    assert np.shares_memory(answers.annotators, codes)
    assert answers.annotator_names == ("z", "b", "a")
    again = Triplets(ROWS, 3, annotators=[2, 0, 0, 2], annotator_names=["z", "b", "a"])
    assert again.annotators.tolist() == codes.tolist()


def test_no_annotators():
    answers = Triplets(ROWS, 3)
    assert answers.annotators is None
    assert answers.annotator_names is None
    empty = Triplets([], 3, annotators=[])
    assert empty.annotators.shape == (0,)
    assert empty.annotator_names == ()
    assert Triplets([], 3, annotators=[], annotator_names=["a"]).annotators.size == 0


@pytest.mark.parametrize(
    ("given", "names", "words"),
    [
        (["a"], None, r"annotators of triplets have shape \(1,\): .* of the 4 rows"),
        ("abcd", None, r"shape \(\)"),
        ([["a"], ["b"], ["c"], ["d"]], None, r"shape \(4, 1\)"),
        ([["a"], ["b"], ["c", "d"], []], None, r"annotators\[0\] = \['a'\]"),
        (["a", None, "b", "c"], None, r"annotators\[1\] = None .*'unknown'"),
        (["a", "b", np.nan, "c"], None, r"annotators\[2\] = nan"),
        ([1.5, 1.5, 2, 2], None, r"annotators\[0\] = 1.5"),
        (np.array([True, False, True, False]), None, r"annotators\[0\] = True"),
        (np.array([b"a"] * 4), None, r"annotators\[0\] = b'a'"),
        (np.ma.masked_array([1, 2, 3, 4]), None, "masked array"),
        (None, ["a"], "annotator_names of triplets without annotators"),
        (
            [0, 1, 2, 0],
            ["a", "b"],
            r"annotators\[2\] = 2 .* from 0 to 1. If they start",
        ),
        ([0, -1, 1, 0], ["a", "b"], r"annotators\[1\] = -1"),
        ([0, 2**70, 1, 0], ["a", "b"], "dtype object"),
        (WORKERS, ["ann", "eve"], "give integer positions"),
        ([0, 1, 1, 0], ["a", "a"], "'a' repeats annotator_names"),
        ([0, 1, 1, 0], "ab", "of type str: give a list of names"),
        ([0, 1, 1, 0], 2, "of type int"),
    ],
)
def test_wrong_annotators(given, names, words):
    with pytest.raises(InvalidComparisons, match=words):
        Triplets(ROWS, 3, annotators=given, annotator_names=names)


def test_annotators_follow_the_rows():
    answers = Triplets(ROWS, 3, annotators=WORKERS)
    assert repr(answers) == "Triplets(4 rows, 3 objects, 2 annotators)"
    assert who(answers[[3, 1]]) == ["eve", "ann"]
    assert who(answers[np.array([True, False, False, False])]) == ["eve"]
    assert answers[:1].annotator_names == ("ann", "eve")  # codes mean the same
    assert not answers[[3, 1]].annotators.flags.writeable
    assert who(swap_near_far(answers)) == WORKERS
    assert who(answers.to_quadruplets()) == WORKERS
    assert who(drop_duplicates(answers)) == ["eve", "ann", "eve"]
    voted = majority_vote(answers)
    assert voted.annotators is None
    assert voted.annotator_names is None


@pytest.mark.parametrize("make", [Triplets, Quadruplets])
def test_copies(make):
    rows = [[0, 1, 2]] if make is Triplets else [[0, 1, 2, 3]]
    answers = make(rows, 4, annotators=["ann"])
    for again in (copy.deepcopy(answers), pickle.loads(pickle.dumps(answers))):
        assert again.annotators.tolist() == [0]
        assert again.annotator_names == ("ann",)
        assert not again.annotators.flags.writeable


def test_names_are_merged():
    one = Triplets(ROWS, 3, annotators=WORKERS)
    two = Triplets(ROWS[:2], 3, annotators=["bob", "ann"])
    both = concatenate([one, two])
    assert who(both) == [*WORKERS, "bob", "ann"]
    assert both.annotator_names == ("ann", "eve", "bob")
    assert who(concatenate([Triplets([], 3), one, Triplets([], 3)])) == WORKERS
    with pytest.raises(Mismatch, match="part 1 does not say who gave its answers"):
        concatenate([one, Triplets(ROWS, 3)])


@given(comparisons(), comparisons(), seeds, st.booleans())
def test_every_answer_keeps_its_annotator(one, two, seed, as_text):
    """Tag each answer with an annotator of its own; follow the tags."""
    rng = np.random.default_rng(seed)
    parts = []
    for part, start in ((one, 0), (two, len(one))):
        ids = [start + r for r in range(len(part))]
        ids = [f"w{x}" for x in ids] if as_text else ids
        n = max(one.n_objects, two.n_objects)
        if type(part) is type(one):
            parts.append(type(part)(part.rows, n, annotators=ids))
    joined = concatenate(parts)
    before = dict(zip(who(joined), list(joined), strict=True))
    assert len(before) == len(joined)
    order = rng.permutation(len(joined))[: rng.integers(len(joined) + 1)]
    for after in (joined[order], drop_duplicates(joined)):
        assert [before[name] for name in who(after)] == list(after)
    assert who(swap_near_far(joined)) == who(joined)


def test_codes_in_an_array_of_objects():
    codes = np.array([0, 1], np.object_)  # a column of pandas
    given = {"annotators": codes, "annotator_names": ["x", "y"]}
    answers = Triplets([[0, 1, 2], [1, 0, 2]], 3, **given)
    assert answers.annotators.tolist() == [0, 1]
