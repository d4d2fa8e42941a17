from __future__ import annotations

import numpy as np
import psutil
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


@pytest.mark.parametrize("m", [100, 200, 300, 1000])
def test_form_does_not_depend_on_the_machine(monkeypatch, m):
    monkeypatch.setattr(adds, "LARGEST_DENSE", 50)
    monkeypatch.setattr(adds, "ROWS_PER_CHUNK", 10)
    answers = Triplets([[0, 1, 2]] * m, 51)
    forms = set()
    for n_threads in ("1", "2", "64"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
        forms.add(type(adds_similarity(answers)))
    assert forms == {csr_array if m <= 200 else np.ndarray}


def test_ten_thousand_objects_are_dense(monkeypatch):
    for name in ("_dense", "_sparse"):
        monkeypatch.setattr(adds, name, lambda _, name=name: name)
    monkeypatch.setattr(adds, "check_fits", lambda *_: None)
    assert adds_similarity(Triplets([], 10_000)) == "_dense"
    assert adds_similarity(Triplets([], 10_001)) == "_sparse"


@pytest.mark.compiled
def test_too_large_for_memory():
    answers = Triplets([[0, 1, 2]], n_objects=10**6)
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


@pytest.mark.parametrize("width", [3, 4])
def test_more_objects_than_a_tile(width):
    """Two hundred objects: several tiles when the lower triangle is mirrored."""
    n, rng = 200, np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(n), (5000, 1)), axis=1)[:, :width]
    weights = rng.integers(0, 5, 5000)
    expected = np.zeros((n, n), np.int64)
    i, j, k, l = rows[:, 0], rows[:, 1], rows[:, width - 1], rows[:, 2 * width - 6]
    for a, b, sign in ((i, j, 1), (j, i, 1), (k, l, -1), (l, k, -1)):
        np.add.at(expected, (a, b), sign * weights)
    make = Triplets if width == 3 else Quadruplets
    repeated = make(np.repeat(rows, weights, axis=0), n)
    for answers in (make(rows, n, weights), repeated):
        assert np.array_equal(adds_similarity(answers), expected)
        assert np.array_equal(adds_similarity(answers, sparse=True).toarray(), expected)


def test_counters_run_over_in_every_chunk(monkeypatch):
    monkeypatch.setattr(adds, "ROWS_PER_CHUNK", 254)
    answers = Triplets(np.tile(np.array([[0, 1, 2]], np.int32), (5080, 1)), 3)
    assert adds_similarity(answers)[0].tolist() == [0, 5080, -5080]


def test_many_counters_run_over_in_one_short_chunk(monkeypatch):
    """Counters go on over chunks: here each row of the second makes two notes."""
    q = 200
    monkeypatch.setattr(adds, "ROWS_PER_CHUNK", 126 * q)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    i, j = np.triu_indices(30, 1)
    rows = np.stack([i[:q], j[:q], i[q : 2 * q], j[q : 2 * q]], axis=1)
    s = adds_similarity(Quadruplets(np.tile(rows, (127, 1)), 30))
    expected = np.zeros((30, 30), np.int64)
    expected[i[:q], j[:q]] = 127
    expected[i[q : 2 * q], j[q : 2 * q]] = -127
    assert np.array_equal(s, expected + expected.T)


@pytest.mark.parametrize("room", [2, 3, 7, 50])
def test_a_full_list_of_notes_stops_the_count(room):
    """Each row makes two notes; none goes behind the list, and no row is lost."""
    cells = np.arange(40)
    j, i = np.tril_indices(10, -1)  # cell by cell
    pairs = np.stack([i, j], axis=1)[:40].astype(np.int32)
    rows = np.hstack([pairs[:20], pairs[20:]])
    table = np.where(np.arange(45) < 20, 126, -126).astype(np.int8)
    paper = np.full(room + 50, -99)
    notes, reached = [], 0
    while reached < len(rows):
        n_notes, reached = adds.kernels.count(rows, reached, table, paper[:room])
        assert 0 < n_notes <= room
        notes += paper[:n_notes].tolist()
    assert notes[::2] == cells[:20].tolist()
    assert notes[1::2] == (~cells[20:]).tolist()
    assert (table[:40] == 0).all()
    assert (paper[room:] == -99).all()


@pytest.mark.parametrize("most", [2, 3, 64])
@pytest.mark.parametrize("width", [3, 4])
def test_short_lists_of_notes_add_up(monkeypatch, most, width):
    monkeypatch.setattr(adds, "MOST_NOTES", most)
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(4), (6000, 1)), axis=1)[:, :width]
    rows.sort(axis=1)
    make = Triplets if width == 3 else Quadruplets
    weighted = make(rows, 4, np.ones(6000, int))
    assert np.array_equal(adds_similarity(make(rows, 4)), adds_similarity(weighted))


@pytest.mark.parametrize(
    ("n_threads", "chunk", "n_tables"),
    [("1", 10, 1), ("5", 10, 5), ("5", 400, 3), ("64", 10, 16), ("64", 10**4, 1)],
)
def test_tables_are_counted_and_capped(monkeypatch, n_threads, chunk, n_tables):
    """Memory is asked for as many tables as are made: 1,000 answers, 20 objects."""
    monkeypatch.setattr(adds, "ROWS_PER_CHUNK", chunk)
    monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
    answers = Triplets([[0, 1, 2]] * 1000, n_objects=20)
    assert adds._count(answers.rows, np.zeros((20, 20), int)).shape == (n_tables, 190)
    assert adds._bytes_needed(answers)[0] == 8 * 20**2 + 190 * n_tables
    weighted = Triplets(answers.rows, 20, weights=np.ones(1000))
    assert adds._bytes_needed(weighted)[0] == 8 * 20**2


@pytest.mark.parametrize(("m", "n_pairs"), [(1000, 190), (96, 190), (95, 190), (9, 18)])
def test_bytes_of_the_sparse_form(m, n_pairs):
    """As many pairs as answers can make, and no more than there are."""
    answers = Triplets([[0, 1, 2]] * m, n_objects=20)
    expected = 8 * m + 36 * n_pairs + 64 * 20
    assert adds._bytes_needed(answers)[1] == expected
    weighted = Triplets(answers.rows, 20, weights=np.ones(m))
    assert adds._bytes_needed(weighted)[1] == expected + 16 * m


@pytest.mark.parametrize("sparse", [True, False])
def test_memory_is_asked_for_first(monkeypatch, sparse):
    answers = Triplets([[0, 1, 2]] * 1000, n_objects=100)
    needed = adds._bytes_needed(answers)[1 if sparse else 0]
    assert needed > (40 * 100 if sparse else 8 * 100**2)

    class Memory:
        available = needed - 1

    monkeypatch.setattr(psutil, "virtual_memory", Memory)
    with pytest.raises(TooLarge):
        adds_similarity(answers, sparse=sparse)
    Memory.available = needed
    assert adds_similarity(answers, sparse=sparse).shape == (100, 100)


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
