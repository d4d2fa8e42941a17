"""Matrices that are accepted, and distances, by the functions that take them."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import average, cophenet
from scipy.sparse import coo_array, csr_array
from scipy.spatial.distance import pdist, squareform

from tripletree import (
    InvalidSimilarity,
    Tree,
    average_linkage,
    caterpillar_tree,
    climb,
    dasgupta_cost,
    dasgupta_revenue,
    exact_optimum,
    maximise_revenue,
    revenue,
    revenue_per_node,
    sparse_average_linkage,
    upper_bound,
)
from tripletree.similarity.matrix import check_dense, check_sparse


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, -7.0])
@pytest.mark.parametrize("form", [np.array, csr_array])
def test_diagonal_does_not_matter(form, number):
    """Whichever leaf is leftmost."""
    s = np.array([[number, 2, 1], [2, number, 0], [1, 0, number]])
    for i, j, k in itertools.permutations(range(3)):
        tree = Tree([[i, j], [k, 3]])
        cost = 2 * s[i, j] + 3 * (s[i, k] + s[j, k])
        assert dasgupta_cost(tree, form(s)) == cost
        assert dasgupta_revenue(tree, form(s)) == 3 * 3 - cost
        assert revenue_per_node(tree, form(s)).sum() == -cost
        for search in (partial(climb, tree), partial(maximise_revenue, n_restarts=1)):
            assert search(form(s)).revenue == -7
        assert exact_optimum(form(s)).revenue == -7
        assert upper_bound(form(s)) == pytest.approx(-7)
    assert average_linkage(s).to_newick() == "((0:0.0,1:0.0):1.5,2:1.5);"


def test_large_integers_on_the_diagonal_do_not_matter():
    s = np.array([[2**62, 1], [1, 2**62]])
    for form in (np.array, csr_array):
        assert dasgupta_cost(caterpillar_tree(2), form(s)) == 2
    matrix, total = check_sparse(csr_array(s))
    assert (matrix.toarray().tolist(), total) == ([[0, 1], [1, 0]], 1)


@pytest.mark.parametrize("dtype", ["i1", "u2", ">i4", "?", "f2", "f4", ">f8"])
def test_any_real_numbers(dtype):
    s = np.asfortranarray(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype))
    s.flags.writeable = False
    assert average_linkage(s).children.tolist() == [[0, 1], [3, 2]]
    assert average_linkage(s[::-1, ::-1]).children.tolist() == [[0, 1], [3, 2]]


@pytest.mark.parametrize("wrong", [3, np.nan, np.inf, 0])
def test_every_wrong_pair_of_a_sparse_matrix_is_found(wrong):
    """Stored or not, on either side of the diagonal, beside stored zeros."""
    whole = np.array([[5, 1, 0, 2], [1, 0, 0, 4], [0, 0, 0, 6], [2, 4, 6, 7]], float)
    stored = whole.copy()
    stored[0, 2] = stored[2, 0] = -1  # in place of a stored 0
    good = csr_array(stored)
    good.data[good.data == -1] = 0
    matrix, total = check_sparse(good)
    assert matrix.toarray().tolist() == (whole - np.diag([5, 0, 0, 7])).tolist()
    assert total == 13
    for i, j in itertools.permutations(range(4), 2):
        if whole[i, j] == wrong:
            continue
        one = whole.copy()
        one[i, j] = wrong
        with pytest.raises(InvalidSimilarity) as caught:
            check_sparse(csr_array(one))
        text = str(caught.value)
        assert f"similarity[{i}, {j}]" in text or f"similarity[{j}, {i}]" in text


@given(st.data())
def test_sparse_matrices_are_checked_as_their_dense_form(data):
    """Whatever is stored: pairs on one side only, zeros, the diagonal, in any order."""
    n = data.draw(st.integers(1, 5))
    ends, values = st.integers(0, n - 1), st.sampled_from([0, 0, 1, -2, 7])
    both = data.draw(st.lists(st.tuples(ends, ends, values)))
    some = data.draw(st.lists(st.tuples(ends, ends, values), max_size=2))
    entries = np.array([*both, *((j, i, v) for i, j, v in both), *some])
    rows, columns, numbers = entries.reshape(-1, 3).astype(int).T
    dtype = data.draw(st.sampled_from(["i8", "f8", "i2", "f4"]))
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(n + 1))
    s = csr_array((numbers.astype(dtype)[order], columns[order], starts), shape=(n, n))
    if data.draw(st.booleans()):
        s.sum_duplicates()
    dense = s.toarray()
    np.fill_diagonal(dense, 0)
    if (dense != dense.T).any():
        with pytest.raises(InvalidSimilarity, match="must be symmetric"):
            check_sparse(s)
        return
    matrix, total = check_sparse(s)
    assert matrix.dtype == (np.int64 if dtype[0] == "i" else np.float64)
    assert matrix.has_canonical_format
    assert matrix.toarray().tolist() == dense.tolist()
    assert total == np.abs(np.triu(dense)).sum()


def test_sums_of_sizes():
    s = np.array([[9, 1, -2], [1, 9, 3], [-2, 3, 9]])
    assert check_dense(s)[1] == check_sparse(csr_array(s))[1] == 6


def test_entries_in_any_sparse_format_add_up():
    rows, columns, values = [0, 1, 1, 0, 0, 1], [1, 0, 0, 1, 1, 0], [1, 1, 2, 2, 3, 3]
    repeated = coo_array((values, (rows, columns)), shape=(2, 2))
    unsorted = csr_array(([1, 5, 3, 3], [1, 1, 0, 0], [0, 2, 4]), shape=(2, 2))
    assert not unsorted.has_canonical_format
    for s in (repeated, repeated.tocsc(), unsorted):
        assert dasgupta_cost(caterpillar_tree(2), s) == 12


POINTS = np.random.default_rng(0).normal(size=(30, 3))
POINTS[:15] += 4
TABLE = np.random.default_rng(1).poisson(0.5, (40, 30))
UNIT = np.abs(POINTS) / np.linalg.norm(POINTS, axis=1)[:, None]
DISTANCES = {
    **{kind: pdist(POINTS, kind) for kind in ("euclidean", "sqeuclidean", "cityblock")},
    "cosine": pdist(POINTS, "cosine"),
    "integers": np.rint(10 * pdist(POINTS)).astype(np.int64),
    "ultrametric": cophenet(average(pdist(POINTS))),
}
SIMILARITIES = {  # with a diagonal of 0, and none of them negative
    "cosine": UNIT @ UNIT.T,
    "how often together": TABLE.T @ TABLE,
    "kernel": squareform(np.exp(-pdist(POINTS, "sqeuclidean"))),
    "inverse": squareform(1 / (1 + pdist(POINTS))),
    "complement": 20 - squareform(pdist(POINTS)),
    "groups": np.equal.outer(np.arange(30) % 3, np.arange(30) % 3),
    "two sides": np.not_equal.outer(np.arange(30) % 2, np.arange(30) % 2) * 1,
    "noise": squareform(np.random.default_rng(2).random(435)),
    "nothing": np.zeros((30, 30)),
}
DOORS = {
    "average_linkage": average_linkage,
    "sparse_average_linkage": lambda s: sparse_average_linkage(csr_array(s)),
    "climb": lambda s: climb(caterpillar_tree(len(s)), s),
    "sparse climb": lambda s: climb(caterpillar_tree(len(s)), csr_array(s)),
    "maximise_revenue": lambda s: maximise_revenue(s, n_restarts=0),
    "revenue": lambda s: revenue(caterpillar_tree(len(s)), s),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", DISTANCES)
def test_distances_are_noticed(name, door):
    with pytest.warns(UserWarning, match="looks like distances: .* give -distances"):
        DOORS[door](squareform(DISTANCES[name]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", SIMILARITIES)
def test_similarities_are_not_taken_for_distances(name):
    s = SIMILARITIES[name].copy()
    np.fill_diagonal(s, 0)
    average_linkage(s)
    climb(caterpillar_tree(30), csr_array(s))


@pytest.mark.filterwarnings("error")
def test_distances_that_are_turned_round_are_similarities():
    for pairs in DISTANCES.values():
        distances = squareform(pairs)
        average_linkage(-distances)
        average_linkage(np.eye(30) + distances)  # a diagonal: these are not distances
