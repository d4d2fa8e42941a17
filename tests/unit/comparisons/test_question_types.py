"""Answers about several objects at a time: small cases, and the words of errors."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import sparse
from tripletree import (
    InvalidComparisons,
    InvalidOption,
    TooLarge,
    cblearn_triplets,
    grid_choices,
    most_central,
    odd_one_out,
    pairs_of_pairs,
    rankings,
    rooted_triples,
)
from tripletree.comparisons.answer_checks import (
    as_ids,
    as_responses,
    as_weights,
    from_tensor,
)


def test_rank_2_of_8_is_13_triplets():
    """As 328,549 triplets of 25,273 trials; the text of the paper derives 11."""
    assert len(rankings([list(range(9))] * 3, 9, n_chosen=2)) == 3 * 13
    assert 25_273 * 13 == 328_549


def test_what_is_passed_on():
    answers = odd_one_out(
        [[0, 1, 2], [1, 2, 3]],
        [0, -1],
        4,
        weights=[0.5, 2],
        labels="a b c d".split(),
        annotators=[1, 0],
        annotator_names=["ann", "eve"],
    )
    assert answers.weights.tolist() == [0.5, 0.5]
    assert answers.labels == ("a", "b", "c", "d")
    assert answers.annotators.tolist() == [1, 1]
    assert answers.annotator_names == ("ann", "eve")
    assert answers.dropped == {"undecided": 1}
    counted = cblearn_triplets([[0, 1, 2], [0, 1, 2]], [2, -1], 3, weights=[0.5, 3])
    assert counted.weights.tolist() == [1, 3]


def test_what_says_nothing_is_counted():
    answers = grid_choices(
        [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, -1]],
        [[0, 0], [1, 1], [1, 0], [1, 0]],
        3,
    )
    assert answers.rows.tolist() == [[0, 1, 2]]
    assert answers.dropped == {"nothing chosen": 1, "everything chosen": 2}


def test_no_answers():
    for answers in (
        odd_one_out([], [], 3),
        most_central(np.empty((0, 5), int), [], 3),
        rankings([], 3, n_chosen=2),
        rankings([], 3, n_chosen=[]),
        grid_choices([], [], 3),
        rooted_triples([], 3),
        cblearn_triplets([], [], 3),
        cblearn_triplets([], None, 3),
        pairs_of_pairs([], [], 3),
    ):
        assert (len(answers), answers.dropped) == (0, {})


def test_counts_times_weights():
    floats = cblearn_triplets([[0, 1, 2]], [2**40], 3, weights=[2.0**40])
    assert floats.weights.tolist() == [2.0**80]


TWICE = [[0, 1, 2], [1, 2, 0], [0, 1, 1]]
WRONG = [
    *(
        (odd_one_out, (shown, odd, 5), {}, words)
        for shown, odd, words in [
            (
                [[0, 1, 2], [3, 4, 9]],
                [0, 3],
                r"shown\[1, 2\] = 9: objects run from 0 to 4",
            ),
            (
                [[0, 1, 5]],
                [0],
                r"shown\[0, 2\] = 5: .* 0 to 4 \(n_objects=5\). If indices start",
            ),
            ([[0, -1, 2]], [0], r"shown\[0, 1\] = -1: objects run"),
            ([[0, 1, 1]], [0], r"shown\[0\] = \(0, 1, 1\): an object occurs twice"),
            ([[0, 1]], [0], r"shape \(1, 2\): give at least 3 objects"),
            ([0, 1, 2], [0], r"shape \(3,\)"),
            ([[0, 1, 2], [0, 1]], [0, 0], "not a rectangular array"),
            ([[0.5, 1, 2]], [0], "shown .* dtype float64"),
            ([["a", "b", "c"]], ["a"], "dtype <U1: give .* integers.* for names"),
            (np.ma.masked_array([[0, 1, 2]]), [0], "masked array"),
            (
                [[0, 1, 2]],
                [3],
                r"odd\[0\] = 3 is not one of the objects shown, \(0, 1, 2\)",
            ),
            ([[2, 3, 4]], [0], "give the chosen object itself, not its column; -1 for"),
            ([[0, 1, 2]], [-2], r"odd\[0\] = -2"),
            (
                [[0, 1, 2]],
                np.array([2**64 - 1], np.uint64),
                r"odd\[0\] = 18446744073709551615",
            ),
            (
                np.array([[0, 1, 2**64 - 1]], np.uint64),
                [0],
                r"shown\[0, 2\] = 18446744073709551615",
            ),
            ([[0, 1, 2]], [0, 1], r"odd of shape \(2,\) .* each of the 1 answers"),
            ([[0, 1, 2]], [np.nan], r"odd .* dtype float64.*NaN\), put -1"),
            ([[0, 1, 2]], 0, r"odd of shape \(\)"),
        ]
    ),
    *(
        (rankings, (rows, 5), {"n_chosen": n_chosen}, words)
        for rows, n_chosen, words in [
            ([[0, 1, 2]], 3, r"n_chosen\[0\] = 3: give a number from 0 up to"),
            ([[0, 1, 2], [0, 1, -1]], 2, r"n_chosen\[1\] = 2"),
            ([[0, -1, 1]], 1, r"n_chosen\[0\] = 1"),
            ([[0, 1, 2]], -1, "= -1: give"),
            ([[0, 1, 2]], [1, 1], r"n_chosen of shape \(2,\)"),
            ([[0, 1, 2]], 1.0, "n_chosen .* dtype float64"),
            ([[0, 1, 2]], None, "n_chosen .* dtype object"),
            ([[-1, 1, 2]], 1, "Only candidates may be missing"),
            ([[0, 1, 0]], 1, "an object occurs twice"),
            ([[0]], 0, "at least 2 objects"),
        ]
    ),
    *(
        (grid_choices, ([[0, 1, 2, -1]], is_chosen, 5), {}, words)
        for is_chosen, words in [
            ([[True]], r"is_chosen of shape \(1, 1\) .* of shape \(1, 3\)"),
            ([[True, False, True, False]], r"shape \(1, 4\)"),
            ([[1, 2, 0]], r"is_chosen\[0, 1\] = 2: give True or False"),
            ([[1, 0, 1]], r"is_chosen\[0, 2\] = 1: .* False where no object is shown"),
            ([[1.0, 0.0, 0.0]], "dtype float64"),
            ([[1], [0, 1]], "is_chosen: not a rectangular"),
        ]
    ),
    *(
        (convert, (rows, responses, 5), {}, words)
        for convert, rows in (
            (cblearn_triplets, [[0, 1, 2], [1, 2, 0]]),
            (pairs_of_pairs, [[0, 1, 2, 3], [1, 2, 0, 3]]),
        )
        for responses, words in [
            ([1], r"responses of shape \(1,\)"),
            ([1, 0.5], r"responses\[1\] = 0.5: give True or False"),
            ([1, np.nan], r"responses\[1\] = nan.* Drop missing answers"),
            ([np.inf, 1], r"responses\[0\] = inf"),
            (["left", "right"], "dtype <U5"),
            ([None, 1], "dtype object"),
            ([2**60, 1], r"responses\[0\] = 1152921504606846976"),
            ([[1], [1, 2]], "responses: not a rectangular"),
        ]
    ),
    *(
        (convert, (*given, 5), options, words)
        for convert, given, options, words in [
            (most_central, ([[0, 1, 2]], [3]), {}, r"central\[0\] = 3 is not one"),
            # Rows are named as given, not by their place among the decided ones.
            (cblearn_triplets, (TWICE, [0, 0, 1]), {}, r"rows\[2\] = \(0, 1, 1\)"),
            (rooted_triples, (TWICE,), {}, r"rows\[2\] = \(0, 1, 1\)"),
            (
                cblearn_triplets,
                ([[0, 1, 2]], [2**40]),
                {"weights": [2**40]},
                r"exceed 2\^62",
            ),
            (
                cblearn_triplets,
                ([[0, 1, 2]], [2]),
                {"weights": [1e200]},
                "weights run from 0 to 1e200",
            ),
            (
                odd_one_out,
                ([[0, 1, 2]], [0]),
                {"annotators": [1, 2]},
                r"annotators of answers have shape \(2,\).* 1 rows",
            ),
            (
                odd_one_out,
                ([[0, 1, 2]], [0]),
                {"weights": [1, 2]},
                r"weights of answers of shape \(2,\)",
            ),
        ]
    ),
    *(
        (convert, (given,), {}, words)
        for convert, given, words in [
            (as_ids, np.array([[0.5, 1, 2]]), "integer object ids"),
            (as_ids, np.array([["a", "b", "c"]]), "integer object ids"),
            (as_ids, np.array([[1e300, 1, 2]]), "integer object ids"),
            (as_ids, np.array([[True] * 3]), "integer object ids"),
            (as_weights, [0.0, 0.0], "zero for all"),
            (as_responses, [0, 1.0], "0 is undecided"),
            (from_tensor, csr_array((3, 8)), r"\(3, 8\): give the tensor"),
        ]
    ),
]


@pytest.mark.parametrize(("convert", "given", "options", "words"), WRONG)
def test_wrong_answers(convert, given, options, words):
    with pytest.raises(InvalidComparisons, match=words):
        convert(*given, **options)


@pytest.mark.parametrize(
    ("convert", "given", "options", "error", "words"),
    [
        (odd_one_out, ([[*range(5)]], [0], 5), {}, TooLarge, "convert them in parts"),
        (rankings, ([[*range(6)]], 6), {"n_chosen": 5}, TooLarge, "10 triplets of 1 a"),
        (
            rankings,
            ([[0, 1, 2]], 5),
            {"n_chosen": 1, "ordered": "yes"},
            InvalidOption,
            "ordered = 'yes'",
        ),
    ],
)
def test_too_many_rows(memory, convert, given, options, error, words):
    memory.available = 99
    with pytest.raises(error, match=words):
        convert(*given, **options)


def test_tensor_in_both_shapes():
    """(0, 1, 2) three times, (2, 0, 1) once the other way round."""
    tensor = sparse.COO([[0, 2], [1, 0], [2, 1]], [3, -1], shape=(3, 3, 3))
    table = csr_array(([3, -1], ([0, 2], [1 * 3 + 2, 0 * 3 + 1])), shape=(3, 9))
    for same in (tensor, table):
        rows, counts, n = from_tensor(same)
        assert (rows.tolist(), counts.tolist()) == ([[0, 1, 2], [2, 0, 1]], [3, -1])
        assert n == 3
    for other in ([[0, 1, 2]], np.zeros((3, 3)), np.zeros((2, 2, 2)), None):
        assert from_tensor(other) is None


@pytest.mark.parametrize(
    ("convert", "given", "expected", "kind"),
    [
        (as_ids, np.array([[0, 1, 2]]), [[0, 1, 2]], "i"),
        (as_ids, np.array([[0.0, 1.0, 2.0]]), [[0, 1, 2]], "i"),
        (as_ids, np.array([[0, 1, 2]], object), [[0, 1, 2]], "i"),
        (as_weights, [1.0, 2.0], [1, 2], "i"),
        (as_weights, [0.5, 2.0], [0.5, 2], "f"),
        (as_weights, [np.inf, 1.0], [np.inf, 1.0], "f"),  # refused with the rows
        (as_responses, [[1], [-1]], [1, -1], "i"),
        (as_responses, np.array([True, False], object), [True, False], "b"),
        (as_responses, [0, 0], [0, 0], "i"),
        (as_responses, [0, 1, -1], [0, 1, -1], "i"),
    ],
)
def test_arrays_of_estimators(convert, given, expected, kind):
    found = convert(given)
    assert (found.dtype.kind, found.tolist()) == (kind, expected)
