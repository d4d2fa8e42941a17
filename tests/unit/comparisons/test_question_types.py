"""Answers about several objects at a time: small cases, and the words of errors."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import sparse
from tripletree import (
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
