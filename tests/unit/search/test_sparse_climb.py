from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from tripletree import (
    InvalidSimilarity,
    Mismatch,
    TooLarge,
    Triplets,
    adds_similarity,
    balanced_tree,
    caterpillar_tree,
    climb,
    maximise_revenue,
    random_tree,
    revenue,
    sparse_average_linkage,
)
from tripletree.search import sparse_climb as climbing
from tripletree.similarity import adds
from tripletree.similarity import pair_sums as forms

N = 400


@pytest.fixture(scope="module")
def answers():
    """Triplets about ten clusters, one pair in a hundred compared."""
    rng = np.random.default_rng(5)
    i = np.concatenate([np.arange(N), rng.integers(0, N, 300)])
    j = i // 40 * 40 + (i + rng.integers(1, 40, 700)) % 40
    k = (i + rng.integers(40, N - 40, 700)) % N
    return Triplets(np.stack([i, j, k], axis=1), N, labels=[f"o{i}" for i in range(N)])


@pytest.fixture(scope="module")
def s(answers):
    return adds_similarity(answers, sparse=True)


@pytest.fixture(autouse=True)
def keep_sparse(monkeypatch):
    """What is small would be made dense."""
    monkeypatch.setattr(forms, "ENTRIES_PER_STORED", 0)


@pytest.fixture
def start():
    return random_tree(N, rng=np.random.default_rng(0))


@pytest.mark.compiled
def test_sparse_similarities_stay_sparse(s, start, monkeypatch):
    def refuse(self, *arguments):
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(type(s), "toarray", refuse)
        patch.setattr(type(s), "todense", refuse)
        result = climb(start, s)
        best = maximise_revenue(s)
    assert result.is_optimal
    assert result.revenue == revenue(result.tree, s) > revenue(start, s)
    assert climb(result.tree, s.toarray()).n_moves == 0
    assert climb(result.tree, s).n_moves == 0
    assert best.is_optimal
    assert best.revenue > revenue(sparse_average_linkage(s), s)


def test_which_form_is_searched(answers, s, monkeypatch):
    monkeypatch.setattr(forms, "ENTRIES_PER_STORED", 30)
    assert isinstance(forms.pair_sums(answers)[0], np.ndarray)
    assert isinstance(forms.pair_sums(s)[0], csr_array)
    assert isinstance(forms.pair_sums(s.toarray())[0], np.ndarray)
    crowded = csr_array(np.ones((50, 50), np.int64))
    assert isinstance(forms.pair_sums(crowded)[0], np.ndarray)
    many = Triplets([[0, 1, 2], [1, 0, 9_999]], n_objects=10_001, labels=range(10_001))
    summed, labels = forms.pair_sums(many)
    assert isinstance(summed, csr_array)
    assert labels == many.labels
    assert np.array_equal(forms.pair_sums(s)[0].toarray(), s.toarray())


def test_answers_about_many_objects_and_their_labels(monkeypatch):
    for module in (forms, adds):
        monkeypatch.setattr(module, "LARGEST_DENSE", 100)
    n = 150
    rows = np.arange(90).reshape(-1, 3)
    many = Triplets(rows, n, labels=[f"o{i}" for i in range(n)])
    assert isinstance(forms.pair_sums(many)[0], csr_array)
    result = climb(balanced_tree(n), many)
    assert result.tree.labels == many.labels
    assert result.revenue == revenue(result.tree, many) > 0
    # Each near pair is a cluster, and each far pair meets at the root.
    assert result.is_optimal
    assert result.revenue == len(rows) * (n - 2)


@pytest.mark.compiled
def test_threads_change_nothing_but_time(s, start, monkeypatch):
    monkeypatch.setattr(climbing, "NODES_PER_STEP", 20_000)
    monkeypatch.setattr(climbing, "SUBTREES_PER_CHUNK", 8)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        found.append(climb(start, s))
        monkeypatch.setattr(climbing, "LARGE", 0)
        monkeypatch.setattr(climbing, "DEEP", 0)
        found.append(climb(start, s))
        monkeypatch.setattr(climbing, "LARGE", N)
    assert found[0].revenue > found[1].revenue > revenue(start, s)
    for k, again in enumerate(found[2:]):
        assert np.array_equal(found[k % 2].tree.children, again.tree.children)
        assert found[k % 2].n_moves == again.n_moves


@pytest.mark.compiled
def test_large_and_deep_trees_are_climbed_within_clusters(s, monkeypatch):
    start = caterpillar_tree(N)
    monkeypatch.setattr(climbing, "LARGE", 100)
    monkeypatch.setattr(climbing, "DEEP", 5)
    monkeypatch.setattr(climbing, "BLOCK_SIZES", (20, 150))
    seen = []
    bounded = climb(start, s, progress=seen.append)
    assert not bounded.is_optimal
    assert not bounded.is_stopped
    assert bounded.revenue == seen[-1].revenue > revenue(start, s)
    assert bounded.n_moves == seen[-1].n_moves > 0
    monkeypatch.setattr(climbing, "DEEP", 190)  # deep at first, no longer after that
    whole = climb(start, s)
    assert whole.is_optimal
    assert climb(whole.tree, s.toarray()).n_moves == 0


def test_no_time_at_all(s, start):
    result = climb(start, s, time_limit=0)
    assert result.tree.is_same_hierarchy(start)
    assert result.is_stopped
    assert not result.is_optimal
    assert result.n_moves == 0
    linkage = maximise_revenue(s, time_limit=0)
    assert linkage.tree.is_same_hierarchy(sparse_average_linkage(s))
    assert linkage.is_stopped


@pytest.mark.compiled
def test_a_time_limit_is_used_for_restarts_and_kept(s):
    maximise_revenue(s, n_restarts=1)  # kernels are compiled
    began = time.monotonic()
    once = maximise_revenue(s)
    limit = 1 + 3 * (time.monotonic() - began)
    began = time.monotonic()
    stopped = maximise_revenue(s, time_limit=limit)
    assert 0.9 * limit < time.monotonic() - began < 10 * limit
    assert stopped.is_stopped
    assert stopped.revenue >= once.revenue
    assert stopped.n_moves > once.n_moves


@pytest.mark.compiled
def test_restarts_are_no_worse_and_follow_the_seed(s):
    once = maximise_revenue(s)
    best, again = (maximise_revenue(s, n_restarts=5, seed=1) for _ in range(2))
    other = maximise_revenue(s, n_restarts=5, seed=2)
    assert best.is_optimal
    assert best.revenue >= once.revenue
    assert np.array_equal(best.tree.children, again.tree.children)
    assert best.n_moves != other.n_moves
    assert once.n_moves == maximise_revenue(s, n_restarts=0).n_moves < best.n_moves


@pytest.mark.parametrize("is_deep", [False, True])
def test_ctrl_c_keeps_the_best_so_far(s, start, monkeypatch, is_deep):
    monkeypatch.setattr(climbing, "NODES_PER_STEP", 1_000)
    monkeypatch.setattr(climbing, "SUBTREES_PER_CHUNK", 4)
    if is_deep:
        monkeypatch.setattr(climbing, "LARGE", 0)
        monkeypatch.setattr(climbing, "DEEP", 0)
    seen = []

    def stop(progress):
        seen.append(progress)
        if progress.n_moves >= 5:
            raise KeyboardInterrupt

    result = climb(start, s, progress=stop)
    assert result.is_stopped
    assert not result.is_optimal
    assert result.n_moves >= 5
    assert result.revenue == seen[-1].revenue > revenue(start, s)
    assert [p.revenue for p in seen] == sorted(p.revenue for p in seen)
    assert [p.elapsed for p in seen] == sorted(p.elapsed for p in seen)


def test_ctrl_c_while_a_kernel_runs_keeps_what_it_gained(s, start, monkeypatch):
    from tripletree.search import _sparse_climb_kernel as kernels

    def interrupted(*arguments):
        kernels.climb(*arguments)
        raise KeyboardInterrupt

    patched = SimpleNamespace(**{**vars(kernels), "climb": interrupted})
    monkeypatch.setattr(climbing, "kernels", patched)
    result = climb(start, s)
    assert result.is_stopped
    assert result.revenue == revenue(result.tree, s) > revenue(start, s)


@pytest.mark.compiled
def test_progress_of_floats_is_in_their_own_units(s, start):
    for scale in (0.25, 1e-300):
        seen = []
        result = climb(start, s * scale, progress=seen.append)
        assert seen[-1].revenue == pytest.approx(result.revenue, rel=1e-9)
        assert result.revenue > 0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_smallest(n):
    s = csr_array(np.ones((n, n), np.int64))
    for result in (climb(caterpillar_tree(n), s), maximise_revenue(s)):
        assert result.revenue == [0, -2, -8][n - 1]
        assert result.is_optimal
        assert result.tree.n_leaves == n


@pytest.mark.compiled
def test_values_beyond_32_bits(s, start):
    small, large = climb(start, s), climb(start, s * 2**33)
    assert np.array_equal(small.tree.children, large.tree.children)
    assert large.revenue == small.revenue * 2**33


def test_wrong_input(s, start, monkeypatch):
    with pytest.raises(Mismatch, match="a tree of 4 leaves and data about 400"):
        climb(caterpillar_tree(4), s)
    with pytest.raises(InvalidSimilarity, match="symmetric"):
        climb(start, csr_array(([1], ([0], [1])), shape=(N, N)))
    with pytest.raises(InvalidSimilarity, match="too large for exact"):
        climb(start, s * 2**52)
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=9))
    with pytest.raises(TooLarge, match="climbing with 400 objects and"):
        climb(start, s)
