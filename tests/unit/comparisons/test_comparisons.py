"""Construction of triplets and quadruplets, and the words of its errors."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tripletree import InvalidComparisons, Quadruplets, Triplets
from tripletree.comparisons.row_checks import group_rows

ROWS = [[0, 1, 2], [1, 2, 0], [0, 1, 2], [2, 0, 1]]
WORKERS = ["eve", "ann", "ann", "eve"]
CODES = [1, 0, 0, 1], ("ann", "eve")


@pytest.mark.parametrize("make", [Triplets, Quadruplets])
def test_no_answers(make):
    width = make.width
    for rows in ([], np.empty((0, width), int), np.empty((0, width)), np.empty((0, 0))):
        answers = make(rows, n_objects=1, annotators=[])
        assert answers.near.shape == answers.far.shape == (0, 2)
        assert (answers.annotators.tolist(), answers.annotator_names) == ([], ())
    named = make([], 3, annotators=[], annotator_names=["a"])
    assert (named.annotators.size, named.annotator_names) == (0, ("a",))
    plain = make([], 3)
    assert plain.annotators is plain.annotator_names is plain.trials is None
    assert (plain.dropped, plain.notes) == ({}, ())


def test_texts():
    answers = Triplets(ROWS, 3, weights=[1.5] * 4, annotators=WORKERS)
    assert repr(answers) == "Triplets(4 rows, 3 objects, weighted, 2 annotators)"
    assert repr(Quadruplets([], 2)) == "Quadruplets(0 rows, 2 objects)"
    more = Triplets(
        [], 3, dropped={"undecided": 2, "late": 0}, notes=["labels", "\x1b"]
    )
    assert repr(more) == r"Triplets(0 rows, 3 objects, 2 answers dropped, labels, \x1b)"
    assert more.dropped == {"undecided": 2}
    assert list(answers[:2]) == ROWS[:2]


def test_fields_are_read_only():
    answers = Triplets(ROWS, 3, dropped={"undecided": 1})
    assert not any(x.flags.writeable for x in (answers.rows, answers.near, answers.far))
    with pytest.raises(AttributeError):
        answers.rows = answers.rows
    with pytest.raises(TypeError):
        answers.dropped["undecided"] = 0


def test_what_could_change_is_copied_and_what_cannot_is_shared(tmp_path):
    rows = np.array(ROWS, np.int32)
    view = rows[:1]
    view.flags.writeable = False
    copies = [Triplets(rows, 3), Triplets(view, 3)]
    rows[0, 0] = 77
    assert all(answers.rows[0].tolist() == [0, 1, 2] for answers in copies)
    np.save(tmp_path / "rows.npy", copies[0].rows)
    for shared in (copies[0].rows, np.load(tmp_path / "rows.npy", mmap_mode="r")):
        assert np.shares_memory(Triplets(shared, 3).rows, shared)


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        ([True, False], np.int64),
        (np.array([0.5, 2], np.float16), np.float64),
        (np.array([0.5, 2], np.float32), np.float64),
    ],
)
def test_kinds_of_weights(weights, dtype):
    answers = Triplets(ROWS[:2], 3, weights=weights)
    assert answers.weights.dtype == dtype
    assert np.array_equal(answers.weights, weights)


@pytest.mark.parametrize(
    ("given", "codes", "names"),
    [
        (WORKERS, *CODES),
        (tuple(WORKERS), *CODES),
        (np.array(WORKERS), *CODES),
        (np.array(WORKERS, np.object_), *CODES),
        (np.array(WORKERS, np.dtypes.StringDType()), *CODES),
        ([10, 9, 10, 9], [1, 0, 1, 0], ("9", "10")),
        (np.array([10, 9, 10, 9], np.uint8), [1, 0, 1, 0], ("9", "10")),
        ([10, "9", "10", 9], [0, 1, 0, 1], ("10", "9")),  # ids are their text
        ([2**70, -1, "", 0], [3, 1, 0, 2], ("", "-1", "0", "1180591620717411303424")),
    ],
)
def test_ids_of_annotators_become_codes_and_names(given, codes, names):
    answers = Triplets(ROWS, 3, annotators=given)
    assert answers.annotators.dtype == np.int32
    assert not answers.annotators.flags.writeable
    assert (answers.annotators.tolist(), answers.annotator_names) == (codes, names)


def test_codes_and_names_are_taken_as_they_are():
    codes = np.array([2, 0, 0, 2], np.int32)
    codes.flags.writeable = False
    for same in (codes, codes.tolist(), codes.astype(np.object_)):
        answers = Triplets(ROWS, 3, annotators=same, annotator_names=["z", "b", "a"])
        assert answers.annotators.tolist() == codes.tolist()
        assert answers.annotator_names == ("z", "b", "a")
        assert np.shares_memory(answers.annotators, codes) == (same is codes)


def together(trials):
    """The sets of rows that have the same number, in the order of their first rows."""
    return [np.flatnonzero(trials == x).tolist() for x in dict.fromkeys(list(trials))]


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(0, 3), min_size=1))
def test_trials_are_numbered_from_0_on(given):
    given = np.array(given)
    rows, who = [[0, 1, 2]] * len(given), given % 2  # a trial is of one person
    found = Triplets(rows, 3, trials=given, annotators=who).trials
    if len(np.unique(given)) == len(given):
        assert found is None  # each row is an answer of its own
        return
    assert together(found) == together(given)
    assert {*found.tolist()} == {*range(len(np.unique(given)))}
    assert found.dtype == np.int32
    assert not found.flags.writeable


@pytest.mark.compiled
def test_the_first_wrong_row_of_many_chunks_is_named():
    rows = np.tile(np.array([[0, 1, 2]], np.int32), (3 * 2**20, 1))
    first, second = 2**20 + 5, 2 * 2**20 + 7
    rows[[first, second]] = [0, 1, 1], [0, 1, 9]
    cases = [(rows, 3, first), (rows.astype(np.int64), 10, first)]
    mended = rows.copy()
    mended[first] = 0, 1, 2
    cases += [(mended, 3, second), (mended.astype(np.int64), 3, second)]
    for answers, n, wrong in cases:
        with pytest.raises(InvalidComparisons, match=rf"triplets\[{wrong}\]"):
            Triplets(answers, n)


@pytest.mark.parametrize("factor", [1, 2**30, 2**62])
@pytest.mark.parametrize("n_keys", [1, 2, 3])
def test_groups_of_equal_rows(n_keys, factor):
    """In the order of the last key, then of the one before it."""
    keys = np.random.default_rng(0).integers(2, size=(n_keys, 40)) * factor
    numbers, first = group_rows(*keys)
    _, at, inverse = np.unique(
        keys[::-1], axis=1, return_index=True, return_inverse=True
    )
    assert numbers.tolist() == inverse.ravel().tolist()
    assert first.tolist() == at.tolist()
