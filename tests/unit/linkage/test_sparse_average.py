import warnings

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from tests import definitions
from tests.strategies import symmetric
from tripletree import (
    InvalidOption,
    InvalidSimilarity,
    InvalidTree,
    Triplets,
    adds_similarity,
    average_linkage,
    sparse_average_linkage,
)
from tripletree.linkage import sparse_average


def quiet(s, **options):
    """The tree, whether or not there are several components."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return sparse_average_linkage(csr_array(s), **options)


def assert_as_dense(s):
    dense, sparse = average_linkage(s), quiet(s)
    assert np.array_equal(sparse.children, dense.children)
    assert np.array_equal(sparse.heights, dense.heights)


@pytest.mark.parametrize(
    ("n", "pairs", "children"),
    [
        # 0-1 join at 4; then {0,1}-2 averages (3 + 0)/2 = 1.5, and 2-3 has 1.
        (4, [(0, 1, 4), (0, 2, 3), (2, 3, 1)], [[0, 1], [4, 2], [5, 3]]),
        # An absent pair beats a negative one: 0-1 join at 2; 0 is then tied with 3
        # alone (2-3 has -1, {0,1}-2 has -1/2).
        (4, [(0, 1, 2), (1, 2, -1), (2, 3, -1)], [[0, 1], [4, 3], [5, 2]]),
        # Of sum 0, 0 takes 1; not 2 (-1 with 0), nor 3 (-1 with 1, taken before); 4.
        (
            5,
            [(0, 2, -1), (1, 3, -1), (2, 4, -1), (3, 4, -9)],
            [[0, 1], [5, 4], [2, 3], [6, 7]],
        ),
        # {0,1}-2 has 1 - 3: not before {0,1}-3, which was never asked.
        (
            4,
            [(0, 1, 9), (0, 2, 1), (1, 2, -3), (2, 3, -1)],
            [[0, 1], [4, 3], [5, 2]],
        ),
    ],
)
def test_by_hand(n, pairs, children):
    s = symmetric(n, pairs)
    tree = sparse_average_linkage(csr_array(s), labels=range(n))
    assert tree.children.tolist() == children
    assert tree.labels == tuple(map(str, range(n)))
    assert_as_dense(s)


def random_sparse(rng, n, share, largest=2):
    s = rng.integers(-largest, largest + 1, (n, n)) * (rng.random((n, n)) < share)
    s = np.tril(s, -1)
    return s + s.T


def test_steps_of_any_length_make_the_same_tree(monkeypatch):
    s = random_sparse(np.random.default_rng(4), 60, 0.05)
    whole, said = quiet(s), []
    monkeypatch.setattr(sparse_average, "READS_PER_STEP", 1)
    assert np.array_equal(quiet(s, progress=said.append).children, whole.children)
    assert len(said) > 20
    merges = [progress.done for progress in said]
    assert merges == sorted(merges)
    assert (said[-1].done, said[-1].total) == (59, 59)


@pytest.mark.parametrize("n_anchors", [1, 2, 10])
def test_hubs(n_anchors, monkeypatch):
    """Anchors asked against everything, with many ties."""
    monkeypatch.setattr(sparse_average, "SHORTEST_HUB", 16)
    rng = np.random.default_rng(n_anchors)
    for largest in (0, 1, 5):
        s = np.zeros((200, 200), np.int64)
        for anchor in rng.choice(200, n_anchors, replace=False):
            s[anchor] = 1 + rng.integers(-largest, largest + 1, 200)
        s = np.tril(s, -1) + np.triu(s, 1).T
        assert_as_dense(s + s.T)


def star(n):
    leaves = np.arange(1, n)
    hub = np.zeros(n - 1, np.int64)
    ends = np.concatenate([leaves, hub]), np.concatenate([hub, leaves])
    return csr_array(coo_array((np.ones(2 * n - 2, np.int64), ends), shape=(n, n)))


@pytest.mark.compiled
@pytest.mark.parametrize("n", [3_000, 6_000])
def test_a_star_is_not_read_again_and_again(n, monkeypatch):
    """In one step of so many reads, no sum is positive any more."""
    monkeypatch.setattr(sparse_average, "READS_PER_STEP", 10 * n)
    said = []
    tree = sparse_average_linkage(star(n), progress=said.append)
    assert len(said) <= 2
    assert tree.children[:3].tolist() == [[0, 1], [n, 2], [n + 1, 3]]
    assert tree.heights[-1] == -1 / (n - 1)


def test_few_heaps_fit(monkeypatch):
    """Room for no more than one heap, and for few hubs: slower, but the same."""
    s = random_sparse(np.random.default_rng(7), 80, 0.4)
    monkeypatch.setattr(sparse_average, "SHORTEST_HUB", 4)
    whole = sparse_average.first_clusters

    def small(matrix, total):
        state = whole(matrix, total)
        hubs = state.hubs._replace(
            item=state.hubs.item[:room], slot=state.hubs.slot[:n_hubs]
        )
        return state._replace(hubs=hubs)

    monkeypatch.setattr(sparse_average, "first_clusters", small)
    for room, n_hubs in [(0, 50), (30, 50), (60, 3), (120, 50), (500, 20)]:  # noqa: B007
        assert_as_dense(s)


def planted(n, n_clusters, per_object, rng):
    """Triplets whose near pair is in one cluster and whose far pair is not."""
    cluster = np.arange(n) % n_clusters
    i = rng.integers(0, n, per_object * n)
    j = (i + n_clusters * rng.integers(1, n // n_clusters, len(i))) % n
    k = (i + 1 + rng.integers(0, n_clusters - 1, len(i))) % n
    return Triplets(np.column_stack([i, j, k]), n), cluster


@pytest.mark.slow
def test_planted_clusters_are_whole_before_any_merge_that_is_not_positive():
    answers, cluster = planted(10_000, 100, 20, np.random.default_rng(0))
    tree = sparse_average_linkage(adds_similarity(answers, sparse=True))
    assert int((tree.heights < 0).sum()) == 10_000 - 100
    assert np.array_equal(tree.cut(100), cluster)


def test_rounded_floats_make_a_valid_tree(monkeypatch):
    """0.1 + 0.2 etc. do not add up exactly, nor alike from both sides."""
    monkeypatch.setattr(sparse_average, "SHORTEST_HUB", 5)
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(2, 30))
        s = np.tril(rng.integers(-3, 4, (n, n)) * 0.1, -1)
        tree = quiet(s + s.T)
        assert (np.diff(tree.heights) >= 0).all()
        below = definitions.clusters(tree)
        expected = [
            -(s + s.T)[np.ix_(sorted(below[a]), sorted(below[b]))].mean()
            for a, b in tree.children.tolist()
        ]
        assert np.allclose(tree.heights, expected, rtol=0, atol=1e-12)


def test_any_format_with_zeros_and_a_diagonal():
    s = symmetric(4, [(0, 1, 4), (0, 2, 3), (2, 3, 1)]) + 7 * np.eye(4, dtype=int)
    expected = average_linkage(s)
    rows, columns = np.indices(s.shape).reshape(2, -1)
    stored = coo_array((s.ravel(), (rows, columns)), shape=s.shape)
    for matrix in (stored, stored.tocsc(), csr_array(stored)):
        tree = sparse_average_linkage(matrix)
        assert np.array_equal(tree.children, expected.children)


def test_components_are_counted():
    s = csr_array(symmetric(6, [(0, 1, 1), (2, 3, -1)]))
    with pytest.warns(UserWarning, match="6 objects in 4 components") as caught:
        sparse_average_linkage(s)
    assert (len(caught), caught[0].filename) == (1, __file__)


def test_a_stored_zero_joins_no_components():
    s = csr_array(coo_array(([1, 1, 0, 0], [[0, 1, 1, 2], [1, 0, 2, 1]]), shape=(3, 3)))
    with pytest.warns(UserWarning, match="3 objects in 2 components"):
        sparse_average_linkage(s)


PATH = csr_array(symmetric(3, [(0, 1, 1), (1, 2, 1)]))


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (
            InvalidOption,
            "progress = 3",
            lambda: sparse_average_linkage(PATH, progress=3),
        ),
        (
            InvalidTree,
            "2 labels for 3 objects",
            lambda: sparse_average_linkage(PATH, labels=["a", "b"]),
        ),
        (
            InvalidSimilarity,
            "too large",
            lambda: sparse_average_linkage(PATH * 2**61),
        ),
        (
            InvalidSimilarity,
            "must be symmetric",
            lambda: sparse_average_linkage(csr_array(np.triu(PATH.toarray()))),
        ),
        (
            InvalidSimilarity,
            "use average_linkage",
            lambda: sparse_average_linkage(PATH.toarray()),
        ),
        (
            InvalidSimilarity,
            "use sparse_average_linkage",
            lambda: average_linkage(PATH),
        ),
    ],
)
def test_what_is_refused(error, message, call):
    with pytest.raises(error, match=message):
        call()
