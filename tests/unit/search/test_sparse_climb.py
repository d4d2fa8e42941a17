import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.strategies import random_rows
from tripletree import (
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
from tripletree.search import moves, sparse_moves as climbing
from tripletree.similarity import adds, matrix

N = 400


def set_chunk(monkeypatch, size):
    for module in (moves, climbing):
        monkeypatch.setattr(module, "SUBTREES_PER_CHUNK", size)


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
    monkeypatch.setattr(matrix, "ENTRIES_PER_STORED", 0)


@pytest.fixture
def start():
    return random_tree(N, rng=np.random.default_rng(0))


@pytest.mark.compiled
def test_sparse_similarities_stay_sparse(s, start, monkeypatch):
    whole = type(s).toarray

    def some_rows(self, *arguments):
        assert self.shape[0] < N
        return whole(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(type(s), "toarray", some_rows)
        patch.setattr(type(s), "todense", some_rows)
        result = climb(start, s)
        best = maximise_revenue(s)
    assert result.is_optimal
    assert result.revenue == revenue(result.tree, s) > revenue(start, s)
    assert climb(result.tree, s.toarray()).n_moves == 0
    assert climb(result.tree, s).n_moves == 0
    assert best.is_optimal
    assert best.revenue > revenue(sparse_average_linkage(s), s)


def test_which_form_is_searched(answers, s, monkeypatch):
    monkeypatch.setattr(matrix, "ENTRIES_PER_STORED", 30)
    crowded = csr_array(np.ones((50, 50), np.int64))
    many = Triplets([[0, 1, 2], [1, 0, 9_999]], n_objects=10_001, labels=range(10_001))
    for data, form in (
        (answers, np.ndarray),
        (s, csr_array),
        (s.toarray(), np.ndarray),
        (crowded, np.ndarray),
        (many, csr_array),
    ):
        found, labels = matrix.similarity_of(data)
        assert isinstance(found, form)
        assert labels == getattr(data, "labels", None)
    assert np.array_equal(matrix.similarity_of(s)[0].toarray(), s.toarray())


def test_answers_about_many_objects_and_their_labels(monkeypatch):
    for module in (matrix, adds):
        monkeypatch.setattr(module, "LARGEST_DENSE", 100)
    n = 150
    rows = np.arange(90).reshape(-1, 3)
    many = Triplets(rows, n, labels=[f"o{i}" for i in range(n)])
    result = climb(balanced_tree(n), many)
    assert result.tree.labels == many.labels
    assert result.revenue == revenue(result.tree, many) > 0
    # Each near pair is a cluster, and each far pair meets at the root.
    assert result.is_optimal
    assert result.revenue == len(rows) * (n - 2)


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
    assert bounded.revenue == seen[-1].value > revenue(start, s)
    assert bounded.n_moves == seen[-1].done > 0
    monkeypatch.setattr(climbing, "DEEP", 190)  # deep at first, no longer after that
    whole = climb(start, s)
    assert whole.is_optimal
    assert climb(whole.tree, s.toarray()).n_moves == 0


@pytest.mark.parametrize("is_deep", [False, True])
def test_progress_never_falls(few, small_tree, monkeypatch, is_deep):
    monkeypatch.setattr(climbing, "NODES_PER_STEP", 300)
    set_chunk(monkeypatch, 4)
    if is_deep:
        monkeypatch.setattr(climbing, "LARGE", 0)
        monkeypatch.setattr(climbing, "DEEP", 0)
    seen = []
    result = climb(small_tree, few, progress=seen.append)
    assert result.revenue == seen[-1].value > revenue(small_tree, few)
    assert len(seen) > 2
    assert [p.value for p in seen] == sorted(p.value for p in seen)
    assert [p.done for p in seen] == sorted(p.done for p in seen)


@pytest.mark.compiled
def test_values_beyond_32_bits(s, start):
    small, large = climb(start, s), climb(start, s * 2**33)
    assert np.array_equal(small.tree.children, large.tree.children)
    assert large.revenue == small.revenue * 2**33


# Few objects, so that these are quick as plain Python, too.


@pytest.fixture
def few():
    return adds_similarity(Triplets(random_rows(6, 80, 40), 40), sparse=True)


@pytest.fixture
def small_tree():
    return random_tree(40, rng=np.random.default_rng(1))


def test_a_few_objects_on_any_number_of_threads(few, small_tree, monkeypatch):
    monkeypatch.setattr(climbing, "NODES_PER_STEP", 300)
    set_chunk(monkeypatch, 2)
    once = climb(small_tree, few.toarray())
    for shallow in (0, 100):
        monkeypatch.setattr(climbing, "SHALLOW", shallow)
        found = []
        for threads in ("1", "3"):
            monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
            found.append(climb(small_tree, few))
            assert found[-1].is_optimal
            assert found[-1].revenue == revenue(found[-1].tree, few)
            assert climb(found[-1].tree, few.toarray()).n_moves == 0
        assert np.array_equal(found[0].tree.children, found[1].tree.children)
        assert found[0].n_moves == found[1].n_moves
    assert found[0].tree.is_same_hierarchy(once.tree)  # turns are those of the dense
