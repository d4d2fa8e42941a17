import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.strategies import random_rows
from tripletree import (
    Quadruplets,
    TooLarge,
    Triplets,
    adds_similarity,
)
from tripletree.similarity import adds


def comparisons(rows, n, weights=None):
    make = Triplets if np.shape(rows)[1] == 3 else Quadruplets
    return make(rows, n, weights)


@pytest.mark.parametrize(
    ("rows", "weights", "expected"),
    [
        (
            [[0, 1, 2], [1, 0, 2], [2, 0, 1]],
            None,
            [[0, 2, 0, 0], [2, 0, -2, 0], [0, -2, 0, 0], [0, 0, 0, 0]],
        ),
        (
            [[0, 1, 2], [0, 2, 1], [0, 1, 3]],  # the first two cancel
            None,
            [[0, 1, 0, -1], [1, 0, 0, 0], [0, 0, 0, 0], [-1, 0, 0, 0]],
        ),
        (
            [[0, 1, 2], [2, 0, 1]],
            [2, 3],
            [[0, 2, 1, 0], [2, 0, -3, 0], [1, -3, 0, 0], [0, 0, 0, 0]],
        ),
        (
            [[0, 1, 2], [2, 0, 1]],
            [0.5, 3],
            [[0, 0.5, 2.5, 0], [0.5, 0, -3, 0], [2.5, -3, 0, 0], [0, 0, 0, 0]],
        ),
        (
            [[0, 1, 2, 3], [3, 2, 1, 2]],
            None,
            [[0, 1, 0, 0], [1, 0, -1, 0], [0, -1, 0, 0], [0, 0, 0, 0]],
        ),
        (
            [[0, 1, 2], [0, 1, 2]],  # near the limit: no sum wraps
            [2**61, 2**61],
            [[0, 2**62, -(2**62), 0], [2**62, 0, 0, 0], [-(2**62), 0, 0, 0], [0] * 4],
        ),
    ],
)
def test_by_hand(rows, weights, expected):
    answers = comparisons(rows, 4, weights)
    dense, sparse = adds_similarity(answers), adds_similarity(answers, sparse=True)
    assert dense.tolist() == sparse.toarray().tolist() == expected
    assert dense.dtype == sparse.dtype == (np.float64 if weights == [0.5, 3] else int)
    assert isinstance(sparse, csr_array)
    assert sparse.has_canonical_format
    assert sparse.nnz == np.count_nonzero(expected)


@pytest.mark.parametrize("sparse", [True, False, None])
@pytest.mark.parametrize("weights", [None, np.empty(0, int), np.empty(0)])
def test_no_answers(sparse, weights):
    s = adds_similarity(Triplets([], 1, weights), sparse=sparse)
    assert (s.shape, abs(s).sum()) == ((1, 1), 0)


def test_form_is_chosen_by_size(monkeypatch):
    for name in ("_dense", "_sparse"):
        monkeypatch.setattr(adds, name, lambda _, name=name: name)
    monkeypatch.setattr(adds, "check_fits", lambda *_: None)
    assert adds_similarity(Triplets([], 10_000)) == "_dense"
    assert adds_similarity(Triplets([], 10_001)) == "_sparse"
    monkeypatch.setattr(adds, "LARGEST_DENSE", 50)
    monkeypatch.setattr(adds, "ROWS_PER_CHUNK", 10)
    for n_threads in ("1", "2", "64"):  # it does not depend on the machine
        monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
        for m, form in ((1, "_sparse"), (150, "_sparse"), (300, "_dense")):
            assert adds_similarity(Triplets([[0, 1, 2]] * m, 51)) == form
            assert adds_similarity(Triplets([[0, 1, 2]] * m, 50)) == "_dense"


@pytest.mark.compiled
def test_too_large_for_memory():
    answers = Triplets([[0, 1, 2]], n_objects=10**6)
    with pytest.raises(TooLarge, match=r"dense .* GB .* sparse=True") as caught:
        adds_similarity(answers, sparse=False)
    assert isinstance(caught.value, MemoryError)
    assert adds_similarity(answers).nnz == 4


@pytest.mark.parametrize("width", [3, 4])
def test_more_objects_than_a_tile(width):
    """Two hundred objects: several tiles when the lower triangle is mirrored."""
    n, rows = 200, random_rows(0, 5000, 200, width)
    weights = np.random.default_rng(1).integers(0, 5, 5000)
    expected = np.zeros((n, n), np.int64)
    i, j, k, l = rows[:, 0], rows[:, 1], rows[:, width - 1], rows[:, 2 * width - 6]
    for a, b, sign in ((i, j, 1), (j, i, 1), (k, l, -1), (l, k, -1)):
        np.add.at(expected, (a, b), sign * weights)
    repeated = comparisons(np.repeat(rows, weights, axis=0), n)
    for answers in (comparisons(rows, n, weights), repeated):
        assert np.array_equal(adds_similarity(answers), expected)
        assert np.array_equal(adds_similarity(answers, sparse=True).toarray(), expected)


PAIRS = np.column_stack(np.triu_indices(30, 1))
FEW = np.sort(random_rows(0, 6000, 4, 4), axis=1)


@pytest.mark.parametrize(
    ("rows", "settings", "n_threads"),
    [
        # One triplet of the Car data has multiplicity 139: more than an int8 holds.
        (np.tile([[0, 1, 2]], (100_000, 1)), {}, "2"),
        (np.tile([[0, 2, 1]], (100_000, 1)), {}, "2"),
        (np.tile([[0, 1, 2]], (5080, 1)), {"ROWS_PER_CHUNK": 254}, "2"),
        # Counters go on over chunks: here each row of the second makes two notes.
        (
            np.tile(np.hstack([PAIRS[:200], PAIRS[200:400]]), (127, 1)),
            {"ROWS_PER_CHUNK": 126 * 200},
            "1",
        ),
        *[
            (FEW[:, :width], {"MOST_NOTES": most}, "2")
            for most in (2, 3, 7, 64)
            for width in (3, 4)
        ],
        *[
            (random_rows(0, 5000, 30, 3), {"ROWS_PER_CHUNK": 300}, n_threads)
            for n_threads in ("1", "2", "5")
        ],
    ],
)
def test_counting_is_summing_weights_of_1(monkeypatch, rows, settings, n_threads):
    """Counters that run over, short lists of notes, many chunks and threads."""
    monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
    for name, value in settings.items():
        monkeypatch.setattr(adds, name, value)
    s = adds_similarity(comparisons(rows, 30, np.ones(len(rows), int)))
    assert np.array_equal(adds_similarity(comparisons(rows, 30)), s)
    sparse = adds_similarity(comparisons(rows, 30), sparse=True)
    assert np.array_equal(sparse.toarray(), s)


@pytest.mark.parametrize(
    ("m", "n_threads", "chunk", "n_tables", "n_pairs"),
    [
        (1000, "1", 10, 1, 190),
        (1000, "5", 10, 5, 190),
        (1000, "5", 400, 3, 190),
        (1000, "64", 10, 16, 190),
        (96, "64", 10**4, 1, 190),
        (95, "64", 10**4, 1, 190),
        (9, "64", 10**4, 1, 18),
    ],
)
def test_memory_is_asked_for_first(
    monkeypatch, memory, m, n_threads, chunk, n_tables, n_pairs
):
    """For as many tables and pairs as are made: m answers, 20 objects."""
    monkeypatch.setattr(adds, "ROWS_PER_CHUNK", chunk)
    monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
    at_once = min(m, max(2 * chunk, -(-m // 8)))
    sparse = 80 * at_once + 48 * n_pairs + 64 * 20
    for weights, is_sparse, needed in (
        (None, False, 8 * 20**2 + 190 * n_tables),
        (None, True, sparse),
        (np.ones(m), False, 8 * 20**2),
        (np.ones(m), True, sparse),
    ):
        answers = Triplets([[0, 1, 2]] * m, 20, weights)
        memory.available = needed - 1
        with pytest.raises(TooLarge):
            adds_similarity(answers, sparse=is_sparse)
        memory.available = needed
        assert adds_similarity(answers, sparse=is_sparse)[0, 1] == m
