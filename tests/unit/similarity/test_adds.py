import numpy as np
import pytest

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


PAIRS = np.column_stack(np.triu_indices(30, 1))
FEW = np.sort(random_rows(0, 6000, 4, 4), axis=1)


@pytest.mark.parametrize(
    ("rows", "settings", "n_threads"),
    [
        # Two hundred objects: several tiles when the lower triangle is mirrored.
        *[(random_rows(0, 5000, 200, width), {}, "2") for width in (3, 4)],
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
def test_many_answers(monkeypatch, rows, settings, n_threads):
    """Counters that run over, short lists of notes, many chunks and threads."""
    monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
    for name, value in settings.items():
        monkeypatch.setattr(adds, name, value)
    n = int(np.max(rows)) + 1
    expected = np.zeros((n, n), np.int64)
    np.add.at(expected, (rows[:, 0], rows[:, 1]), 1)
    np.add.at(expected, (rows[:, 2 * rows.shape[1] - 6], rows[:, -1]), -1)
    expected += expected.T
    for kind, weights in ((int, None), (int, [1]), (float, [1.0])):
        weights = weights and np.repeat(weights, len(rows))
        answers = comparisons(rows, n, weights)
        dense, sparse = adds_similarity(answers), adds_similarity(answers, sparse=True)
        assert np.array_equal(dense, expected)
        assert np.array_equal(sparse.toarray(), expected)
        assert dense.dtype == sparse.dtype == kind
        assert sparse.has_canonical_format


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
