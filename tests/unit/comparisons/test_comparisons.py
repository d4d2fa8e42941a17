"""Construction of triplets and quadruplets, and the words of its errors."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tripletree import InvalidComparisons, InvalidOption, Quadruplets, Triplets


def test_near_and_far():
    triplets = Triplets([[0, 1, 2], [3, 2, 0]], n_objects=4)
    assert triplets.near.tolist() == [[0, 1], [3, 2]]
    assert triplets.far.tolist() == [[0, 2], [3, 0]]
    quadruplets = Quadruplets([[0, 1, 2, 3]], n_objects=4)
    assert quadruplets.near.tolist() == [[0, 1]]
    assert quadruplets.far.tolist() == [[2, 3]]


def test_triplets_are_quadruplets():
    triplets = Triplets([[0, 1, 2]], 3, weights=[2], labels=["a", "b", "c"])
    quadruplets = triplets.to_quadruplets()
    assert quadruplets.rows.tolist() == [[0, 1, 0, 2]]
    assert quadruplets.weights.tolist() == [2]
    assert quadruplets.labels == ("a", "b", "c")
    assert np.array_equal(quadruplets.near, triplets.near)
    assert np.array_equal(quadruplets.far, triplets.far)


@pytest.mark.parametrize("make", [Triplets, Quadruplets])
def test_no_answers(make):
    width = 3 if make is Triplets else 4
    for rows in ([], np.empty((0, width), int), np.empty((0, width)), np.empty((0, 0))):
        answers = make(rows, n_objects=1)
        assert len(answers) == 0
        assert answers.near.shape == answers.far.shape == (0, 2)


def test_fields():
    answers = Triplets([[0, 1, 2]], 3, weights=[1.5], labels=["a", "b", "c"])
    assert answers.rows.dtype == np.int32
    assert answers.weights.dtype == np.float64
    assert answers.labels == ("a", "b", "c")
    assert repr(answers) == "Triplets(1 rows, 3 objects, weighted)"
    assert repr(Quadruplets([], 2)) == "Quadruplets(0 rows, 2 objects)"
    assert Triplets([[0, 1, 2]], 3, weights=[True]).weights.dtype == np.int64


def test_rows_are_read_only_copies():
    rows = np.array([[0, 1, 2]], np.int32)
    answers = Triplets(rows, 3)
    rows[0, 0] = 77
    assert answers.rows.tolist() == [[0, 1, 2]]
    with pytest.raises(ValueError, match="read-only"):
        answers.rows[0, 0] = 1
    with pytest.raises(AttributeError):
        answers.rows = rows
    with pytest.raises(ValueError, match="read-only"):
        answers.near[0, 0] = 1


def test_a_view_of_a_writable_array_is_copied():
    rows = np.array([[0, 1, 2], [1, 2, 0]], np.int32)
    view = rows[:1]
    view.flags.writeable = False
    answers = Triplets(view, 3)
    rows[0, 0] = 77
    assert answers.rows.tolist() == [[0, 1, 2]]


def test_read_only_rows_are_shared(tmp_path):
    rows = np.array([[0, 1, 2]], np.int32)
    rows.flags.writeable = False
    assert np.shares_memory(Triplets(rows, 3).rows, rows)
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert np.shares_memory(Triplets(mapped, 3).rows, mapped)


@pytest.mark.parametrize("dtype", ["i1", "<i2", ">i4", ">i8", "u1", "u8"])
def test_any_integers_in_any_layout(dtype):
    rows = np.asfortranarray(np.array([[0, 1, 2], [2, 1, 0]], dtype))
    assert Triplets(rows, 3).rows.tolist() == [[0, 1, 2], [2, 1, 0]]
    assert Triplets(rows[::-1, ::-1], 3).rows.tolist() == [[0, 1, 2], [2, 1, 0]]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [[0, 1, 2], [4, 100, 3]],
            r"triplets\[1\] = \(4, 100, 3\): object 100 is outside 0..99 "
            r"\(n_objects=100\). If indices start at 1, subtract 1.",
        ),
        ([[0, 1, 101]], r"object 101 is outside 0..99 .* Set n_objects"),
        ([[0, -1, 2]], r"triplets\[0\] = \(0, -1, 2\): object -1 is outside"),
        ([[0, 1, 2**40]], "object 1099511627776 is outside"),
        ([[0, 1, 2**32 + 1]], "object 4294967297 is outside"),
        ([[0, 1, 0]], r"triplets\[0\] = \(0, 1, 0\): the three objects must differ"),
        ([[0, 0, 1]], "must differ"),
        ([[0, 1, 1]], "must differ"),
        ([[0, 1]], r"shape \(1, 2\) .* give \(m, 3\)"),
        ([[0, 1, 2, 3]], r"shape \(1, 4\)"),
        ([0, 1, 2], r"shape \(3,\)"),
        (np.empty((5, 0), int), r"shape \(5, 0\)"),
        (np.empty((0, 5), int), r"shape \(0, 5\)"),
        (5, r"shape \(\)"),
        ([[0, 1, 2], [0, 1]], "rectangular"),
        ([[0.0, 1.0, 2.0]], "dtype float64: give .* integers, object ids 0..99"),
        ([[0, 1, np.nan]], "NaN"),
        ([["a", "b", "c"]], "dtype <U1: .* for names"),
        ([[True, False, True]], "dtype bool"),
        (None, "shape"),
        (np.ma.masked_array([[0, 1, 2]], mask=[[0, 0, 1]]), "masked array"),
    ],
)
def test_no_triplets(rows, words):
    with pytest.raises(InvalidComparisons, match=words):
        Triplets(rows, n_objects=100)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0, 0, 1, 2]], "each pair needs two objects, and the pairs must differ"),
        ([[0, 1, 2, 2]], "each pair needs two objects"),
        ([[0, 1, 0, 1]], "the pairs must differ"),
        ([[0, 1, 1, 0]], r"quadruplets\[0\] = \(0, 1, 1, 0\)"),
        ([[0, 1, 2, 9]], "object 9 is outside 0..4"),
    ],
)
def test_no_quadruplets(rows, words):
    with pytest.raises(InvalidComparisons, match=words):
        Quadruplets(rows, n_objects=5)


@pytest.mark.compiled
def test_the_first_wrong_row_of_many_chunks_is_named():
    rows = np.tile(np.array([[0, 1, 2]], np.int32), (3 * 2**20, 1))
    rows[2**20 + 5] = 0, 1, 1
    rows[2 * 2**20 + 7] = 0, 1, 9
    with pytest.raises(InvalidComparisons, match=rf"triplets\[{2**20 + 5}\]"):
        Triplets(rows, 3)
    with pytest.raises(InvalidComparisons, match=rf"triplets\[{2**20 + 5}\]"):
        Triplets(rows.astype(np.int64), 10)
    rows[2**20 + 5] = 0, 1, 2
    for dtype in (np.int32, np.int64):
        with pytest.raises(InvalidComparisons, match=rf"triplets\[{2 * 2**20 + 7}\]"):
            Triplets(rows.astype(dtype), 3)


@pytest.mark.parametrize("n_objects", [0, -1, 2.0, "3", None, True, 2**31])
def test_number_of_objects(n_objects):
    with pytest.raises(InvalidOption, match=r"n_objects = .*: give an integer from 1"):
        Triplets([], n_objects)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1], r"shape \(1,\)"),
        ([[1], [2]], r"shape \(2, 1\)"),
        ([1, -1], r"weights\[1\] = -1 of triplets: .* swap near and far"),
        ([1.0, np.nan], r"weights\[1\] = nan"),
        ([1.0, np.inf], r"weights\[1\] = inf"),
        (["a", "b"], "dtype"),
        ([1j, 1], "dtype complex128"),
        ([2**62, 2**62], r"add up to more than 2\^62"),
        ([1, 1e308], r"weights\[1\] = 1e\+308 .* from 0 to 1e200"),
        (np.array([2**63, 2**63], np.uint64), r"add up to more than 2\^62"),
    ],
)
def test_wrong_weights(weights, words):
    with pytest.raises(InvalidComparisons, match=words):
        Triplets([[0, 1, 2], [1, 2, 0]], 3, weights=weights)


def test_wrong_labels():
    with pytest.raises(InvalidComparisons, match="2 labels for 3 objects"):
        Triplets([], 3, labels=["a", "b"])


@pytest.mark.parametrize("make", [Triplets, Quadruplets])
def test_copies_are_checked_and_frozen_again(make):
    rows = [[0, 1, 2]] if make is Triplets else [[0, 1, 2, 3]]
    answers = make(rows, 4, weights=[2], labels=list("abcd"))
    for again in (copy.deepcopy(answers), pickle.loads(pickle.dumps(answers))):
        assert again.rows.tolist() == rows
        assert again.weights.tolist() == [2]
        assert again.labels == ("a", "b", "c", "d")
        assert not again.rows.flags.writeable
        assert not again.weights.flags.writeable


def test_iteration():
    assert list(Triplets([[0, 1, 2], [2, 1, 0]], 3)) == [[0, 1, 2], [2, 1, 0]]


def test_selection():
    answers = Triplets([[0, 1, 2], [1, 2, 0], [2, 0, 1]], 3, weights=[1, 2, 3])
    assert answers[1:].rows.tolist() == [[1, 2, 0], [2, 0, 1]]
    assert answers[[2, 0]].weights.tolist() == [3, 1]
    mask = np.array([True, False, True])
    assert answers[mask].rows.tolist() == [[0, 1, 2], [2, 0, 1]]
    assert answers[[]].rows.shape == (0, 3)


@pytest.mark.parametrize("index", [0, [5], (0, 0), "a", np.ones(2, bool), None, 1.5])
@pytest.mark.parametrize("weights", [None, [1, 2, 3]])
def test_no_such_selection(index, weights):
    answers = Triplets([[0, 1, 2], [1, 2, 0], [2, 0, 1]], 3, weights)
    with pytest.raises(InvalidOption, match="give a slice, a mask of 3 booleans"):
        answers[index]


@pytest.mark.parametrize("weights", [None, [1, 2, 3]])
def test_columns_cannot_be_selected(weights):
    """Triplets of another order of columns would be other answers."""
    answers = Triplets([[0, 1, 2], [1, 2, 0], [2, 0, 1]], 3, weights)
    for index in ((slice(None), [0, 2, 1]), (slice(None), slice(None, None, -1))):
        with pytest.raises(InvalidOption, match="give a slice, a mask of 3 booleans"):
            answers[index]


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_short_floats_are_weights(kind):
    given = np.array([0.5, 2], kind)
    answers = Triplets([[0, 1, 2], [0, 2, 1]], 3, weights=given)
    assert answers.weights.dtype == np.float64
    assert answers.weights.tolist() == [0.5, 2]
