import numpy as np
import pytest

from tripletree import (
    Quadruplets,
    Triplets,
    four_k_similarity,
    mulk_similarity,
    sample_quadruplets,
    sample_triplets,
)


def line(n, seed=0):
    points = np.random.default_rng(seed).random(n)
    return -np.abs(np.subtract.outer(points, points))


AGREE = [[0, 2, 3], [1, 2, 3]]  # 0 and 1 agree on {2, 3}
ALSO = [[0, 2, 4], [1, 4, 2], [0, 3, 4]]  # and not on {2, 4}; 3 and 2 questions


@pytest.mark.parametrize(
    ("rows", "weights", "expected"),
    [
        (AGREE + ALSO, None, 0.0),
        ([*AGREE, *ALSO, [1, 2, 3]], None, np.sqrt(1 / 6)),  # 2 * 1 - 1 * 1
        ([*AGREE, [1, 2, 4], [1, 4, 2]], None, np.sqrt(1 / 2)),  # cancelled, but asked
        ([*AGREE, [1, 2, 4]], [1, 1, 0], 1.0),  # of weight 0: not asked
        ([*AGREE, [1, 2, 4]], [1.0, 1.0, 0.0], 1.0),
        (AGREE, [2**29, 2**29], 2.0**58),
        (AGREE, [2.0**60] * 2, 2.0**120),
        *[
            ([*AGREE, [1, 0, 2]], [w] * 3, pytest.approx(w * w / np.sqrt(2)))
            for w in (1e-100, 1e-90, 1e-60, 1e80, 1e120)
        ],
    ],
)
def test_mulk3_by_hand(rows, weights, expected):
    s = mulk_similarity(Triplets(rows, 5, weights))
    assert s[0, 1] == s[1, 0] == expected
    assert s.dtype == np.float64
    assert (np.count_nonzero(s) == 2) == bool(s[0, 1])


def test_4k_is_that_of_quadruplets_and_exact_if_it_can_be():
    rows = sample_triplets(line(12), 300, rng=np.random.default_rng(0)).rows
    for weights, kind in ((None, np.int64), (np.full(len(rows), 0.5), np.float64)):
        answers = Triplets(rows, 12, weights)
        found = four_k_similarity(answers)
        assert np.array_equal(found, four_k_similarity(answers.to_quadruplets()))
        assert found.dtype == mulk_similarity(answers.to_quadruplets()).dtype == kind


@pytest.mark.parametrize("make", [Triplets, Quadruplets])
@pytest.mark.parametrize("weights", [None, np.empty(0, int), np.empty(0)])
def test_no_answers(make, weights):
    for n in (1, 2, 5):
        for similarity in (mulk_similarity, four_k_similarity):
            s = similarity(make([], n, weights))
            assert s.shape == (n, n)
            assert not s.any()


@pytest.mark.compiled
def test_one_question_asked_very_often():
    """A thousand repeats are one entry, not a million products."""
    rows = np.tile(np.array([[0, 2, 3], [1, 2, 3]], np.int32), (100_000, 1))
    assert mulk_similarity(Triplets(rows, 4))[0, 1] == 10.0**10
    rows = np.tile(np.array([[0, 1, 3, 4], [1, 2, 3, 4]], np.int32), (100_000, 1))
    assert mulk_similarity(Quadruplets(rows, 5))[0, 2] == 10**10


@pytest.mark.parametrize("sample", [sample_triplets, sample_quadruplets])
def test_weighted_answers_in_another_order(sample):
    """The matrix is symmetric to the last bit."""
    rng = np.random.default_rng(0)
    rows = sample(line(9), 240, rng=rng).rows[rng.integers(0, 240, 5000)]
    make = Triplets if sample is sample_triplets else Quadruplets
    weights, order = rng.random(5000), rng.permutation(5000)
    found = mulk_similarity(make(rows, 9, weights))
    assert np.array_equal(found, found.T)
    assert np.allclose(mulk_similarity(make(rows[order], 9, weights[order])), found)


def test_equal_values_are_equal_floats():
    """1 / sqrt(1 * 1) and 3 / sqrt(9 * 1), 2 / sqrt(2 * 6) and 1 / sqrt(1 * 3), ..."""
    answers = sample_triplets(line(30), 3000, flip=0.2, rng=np.random.default_rng(0))
    found = np.unique(np.abs(mulk_similarity(answers)[np.triu_indices(30, 1)]))
    assert (np.diff(found) > 1e-9).all()
