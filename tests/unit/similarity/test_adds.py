from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from tripletree import (
    InvalidComparisons,
    InvalidOption,
    Quadruplets,
    TooLarge,
    Triplets,
    adds_similarity,
)
from tripletree.similarity import adds


def test_by_hand():
    answers = Triplets([[0, 1, 2], [1, 0, 2], [2, 0, 1]], n_objects=4)
    s = adds_similarity(answers)
    assert s.dtype == np.int64
    assert s.tolist() == [[0, 2, 0, 0], [2, 0, -2, 0], [0, -2, 0, 0], [0, 0, 0, 0]]


def test_weights_multiply():
    rows = [[0, 1, 2], [2, 0, 1]]
    assert adds_similarity(Triplets(rows, 3, weights=[2, 3]))[0].tolist() == [0, 2, 1]
    s = adds_similarity(Triplets(rows, 3, weights=[0.5, 3]))
    assert s.dtype == np.float64
    assert s[0].tolist() == [0, 0.5, 2.5]


def test_quadruplets():
    answers = Quadruplets([[0, 1, 2, 3], [3, 2, 1, 2]], n_objects=4)
    s = adds_similarity(answers)
    assert s[0].tolist() == [0, 1, 0, 0]
    assert s[2].tolist() == [0, -1, 0, 0]


def test_sparse_leaves_out_zeros():
    answers = Triplets([[0, 1, 2], [0, 2, 1], [0, 1, 3]], n_objects=5)
    s = adds_similarity(answers, sparse=True)
    assert isinstance(s, csr_array)
    assert s.dtype == np.int64
    assert s.nnz == 4
    assert s.has_canonical_format
    assert s.toarray().tolist() == adds_similarity(answers).tolist()


@pytest.mark.parametrize("sparse", [True, False, None])
@pytest.mark.parametrize("weights", [None, np.empty(0, int), np.empty(0)])
def test_no_answers(sparse, weights):
    s = adds_similarity(Triplets([], 1, weights), sparse=sparse)
    assert s.shape == (1, 1)
    assert abs(s).sum() == 0


def test_form_is_chosen_by_size(monkeypatch):
    monkeypatch.setattr(adds, "LARGEST_DENSE", 50)
    rows = np.array([[0, 1, 2]])
    assert isinstance(adds_similarity(Triplets(rows, 50)), np.ndarray)
    assert isinstance(adds_similarity(Triplets(rows, 51)), csr_array)
    many = Triplets(rows.repeat(10_000, axis=0), 51)  # sparse would take more memory
    assert isinstance(adds_similarity(many), np.ndarray)


def test_too_large_for_memory():
    answers = Triplets([[0, 1, 2]], n_objects=10**7)
    with pytest.raises(TooLarge, match=r"dense .* GB .* sparse=True") as caught:
        adds_similarity(answers, sparse=False)
    assert isinstance(caught.value, MemoryError)
    assert adds_similarity(answers).nnz == 4


def test_bare_rows_are_refused():
    with pytest.raises(InvalidComparisons, match="not list: Triplets"):
        adds_similarity([[0, 1, 2]])


def test_sparse_must_be_a_choice():
    with pytest.raises(InvalidOption, match="sparse = 'yes'"):
        adds_similarity(Triplets([], 3), sparse="yes")


@pytest.mark.parametrize("sparse", [True, False])
def test_counters_run_over(sparse):
    """One triplet of the Car data has multiplicity 139: more than an int8 holds."""
    m = 100_000
    for sign, row in ((1, [0, 1, 2]), (-1, [0, 2, 1])):
        answers = Triplets(np.tile(np.array([row], np.int32), (m, 1)), 3)
        s = adds_similarity(answers, sparse=sparse)
        expected = [[0, m, -m], [m, 0, 0], [-m, 0, 0]]
        assert (s.toarray() if sparse else s).tolist() == (
            sign * np.array(expected)
        ).tolist()


def test_weights_near_the_limit_do_not_wrap():
    big = 2**61
    answers = Triplets([[0, 1, 2], [0, 1, 2]], 3, weights=[big, big])
    assert adds_similarity(answers)[0].tolist() == [0, 2**62, -(2**62)]
    assert adds_similarity(answers, sparse=True)[0, 1] == 2**62


def test_many_chunks_and_threads(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(40), (5000, 1)), axis=1)[:, :3]
    answers = Triplets(rows, 40)
    whole = adds_similarity(answers)
    monkeypatch.setattr(adds, "ROWS_PER_CHUNK", 300)
    for n_threads in ("1", "2", "5"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
        assert np.array_equal(adds_similarity(answers), whole)
