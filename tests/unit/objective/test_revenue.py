"""Revenue, cost and satisfaction on trees that can be checked by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from tests import definitions
from tests.strategies import comparisons, trees
from tripletree import (
    InvalidComparisons,
    InvalidOption,
    InvalidSimilarity,
    InvalidTree,
    Mismatch,
    PairSums,
    Quadruplets,
    Satisfaction,
    Tree,
    Triplets,
    adds_similarity,
    balanced_tree,
    caterpillar_tree,
    dasgupta_cost,
    dasgupta_revenue,
    revenue,
    revenue_per_level,
    revenue_per_node,
    satisfaction,
)
from tripletree.objective import value
from tripletree.objective.bounds import Gap

#        8
#     ┌──┴───┐
#     7      │
#   ┌─┴─┐    │        |H(0,1)| = 2, |H(0,2)| = 3, |H(0,3)| = 5, |H(3,4)| = 2
#   5   │    6
#  ┌┴┐  │  ┌─┴─┐
#  0 1  2  3   4
TREE = Tree([[0, 1], [3, 4], [5, 2], [7, 6]], labels=list("abcde"))


@pytest.mark.parametrize(
    ("rows", "weights", "expected"),
    [
        ([[0, 1, 2]], None, 3 - 2),
        ([[0, 2, 1]], None, 2 - 3),
        ([[3, 0, 2]], None, 0),
        ([[0, 1, 3], [4, 3, 0]], [10, 1], 10 * (5 - 2) + (5 - 2)),
        ([[0, 1, 2, 3]], None, 5 - 2),
        ([[0, 1, 3, 4]], None, 0),
    ],
)
def test_by_hand(rows, weights, expected):
    make = Triplets if len(rows[0]) == 3 else Quadruplets
    assert revenue(TREE, make(rows, 5, weights)) == expected


def test_type_of_the_result():
    for weights, kind in ((None, int), ([2], int), ([0.5], float)):
        assert type(revenue(TREE, Triplets([[0, 1, 2]], 5, weights))) is kind


def test_zero_has_no_sign():
    floats = Triplets([[0, 1, 2], [0, 2, 1]], 5, weights=[0.5, 0.5])
    for data in (floats, np.zeros((5, 5)), csr_array((5, 5))):
        assert str(revenue(TREE, data)) == "0.0"
        assert not np.signbit(revenue_per_node(TREE, data)).any()
    assert str(dasgupta_cost(TREE, np.zeros((5, 5)))) == "0.0"
    assert str(dasgupta_revenue(TREE, np.zeros((5, 5)))) == "0.0"


def test_per_node():
    answers = Triplets([[0, 1, 2], [0, 1, 3]], 5)
    assert revenue_per_node(TREE, answers).tolist() == [-4, 0, 3, 5]
    assert revenue_per_node(TREE, adds_similarity(answers)).tolist() == [-4, 0, 3, 5]


def test_dasgupta_revenue_of_integers_is_exact():
    s = np.zeros((5, 5), np.int64)
    s[0, 1] = s[1, 0] = 2**57 + 1
    for form in (s, csr_array(s)):
        earned = dasgupta_revenue(TREE, form)
        assert type(earned) is int
        assert earned == (5 - 2) * (2**57 + 1)
    assert type(dasgupta_revenue(TREE, s / 2)) is float


def test_levels_up_to_the_largest_integers():
    """No level is further from 0 than n times the sum of sizes of all sums."""
    s = np.zeros((5, 5), np.int64)
    large = int(0.98 * 2**63 / 5)
    s[0, 1] = s[1, 0] = large
    expected = [-size * large for size in (5, 3, 2, 2, 2)]
    assert revenue_per_level(TREE, s).tolist() == expected
    with pytest.raises(InvalidSimilarity, match="too large for exact"):
        revenue_per_level(TREE, s // 98 * 100)


def test_low_precision_is_raised():
    s = np.full((600, 600), 10, np.float16)
    tree = balanced_tree(600)
    assert dasgupta_revenue(tree, s) == dasgupta_revenue(tree, s.astype(float))


@pytest.mark.parametrize(
    ("earned", "bound", "shift", "is_closed"),
    [
        (7, 7, 0, True),
        (6, 7, 0, False),
        (0, 3, 0, False),
        (-2, -1, 0, False),
        (7, 7 + 2**-31, 0, True),
        (7, 7 + 2**-20, 0, False),
        (7, 7 + 2**-20, 10**7, True),
    ],
)
def test_a_gap_is_closed_exactly_or_up_to_rounding(earned, bound, shift, is_closed):
    gap = Gap(earned, bound, "all subsets", False, bound, bound, shift)
    assert gap.is_closed == is_closed
    assert not replace(gap, is_estimate=True).is_closed


def test_smallest():
    one = Tree([])
    assert (revenue(one, Triplets([], 1)), revenue(one, np.array([[5]]))) == (0, 0)
    assert revenue(one, csr_array((1, 1), dtype=int)) == 0
    assert revenue_per_node(one, Triplets([], 1)).shape == (0,)
    assert satisfaction(one, Triplets([], 1)) == Satisfaction(0, 0, 0)
    two = Tree([[0, 1]])
    assert revenue(two, np.array([[0, 3], [3, 0]])) == -6
    assert revenue(two, Triplets([], 2)) == 0


@pytest.mark.parametrize("function", [revenue, revenue_per_node, satisfaction])
def test_different_objects(function):
    with pytest.raises(Mismatch, match="a tree of 5 leaves and comparisons about 4"):
        function(TREE, Triplets([], 4))
    with pytest.raises(Mismatch, match="object 2 is 'c' in the first and 'x'"):
        function(TREE, Triplets([], 5, labels=list("abxde")))


@pytest.mark.parametrize(
    ("error", "message", "function", "arguments"),
    [
        (
            InvalidOption,
            "give Triplets, Quadruplets, or",
            revenue,
            (TREE, [[0, 1, 2]]),
        ),
        (InvalidComparisons, "not ndarray", satisfaction, (TREE, np.zeros((5, 5)))),
        (InvalidOption, "adds_similarity", dasgupta_cost, (TREE, Triplets([], 5))),
        (InvalidTree, "not ndarray", revenue, (np.zeros((4, 4)), Triplets([], 5))),
        (
            InvalidTree,
            "not ndarray",
            revenue_per_node,
            (np.zeros((4, 4)), Triplets([], 5)),
        ),
        (InvalidTree, "not ndarray", satisfaction, (np.eye(4), Triplets([], 5))),
        (
            InvalidSimilarity,
            r"shape \(1, 3\)",
            revenue,
            (TREE, np.array([[0, 1, 2]])),
        ),
        (Mismatch, "a similarity of 4", revenue, (TREE, np.zeros((4, 4)))),
        (Mismatch, "a similarity of 4", revenue, (TREE, csr_array((4, 4)))),
    ],
)
def test_what_is_refused(error, message, function, arguments):
    with pytest.raises(error, match=message):
        function(*arguments)


@pytest.mark.parametrize("bits", [58, 60, 61, 62])
def test_one_pair_of_any_size_is_exact(bits):
    """It meets at the root: five times its similarity, beyond 64 bits or not."""
    s = np.zeros((5, 5), np.int64)
    s[0, 3] = s[3, 0] = 2**bits
    for form in (s, csr_array(s)):
        assert revenue(TREE, form) == -5 * 2**bits


def test_many_chunks_and_threads(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(40), (5000, 1)), axis=1)[:, :3]
    tree = balanced_tree(40)
    exact = Triplets(rows, 40)
    floats = Triplets(rows, 40, weights=rng.random(5000))
    s = adds_similarity(floats)
    expected = [revenue(tree, exact), satisfaction(tree, exact)]
    monkeypatch.setattr(value, "ROWS_PER_CHUNK", 300)
    monkeypatch.setattr(value, "PLACES_PER_BAND", 7)
    results = set()
    for n_threads in ("1", "2", "5"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
        assert [revenue(tree, exact), satisfaction(tree, exact)] == expected
        results.add(
            (revenue(tree, floats), revenue(tree, s), satisfaction(tree, floats))
        )
    assert len(results) == 1


def test_caterpillar_of_two_hundred_thousand_leaves():
    n = 200_000
    tree = caterpillar_tree(n)
    answers = Triplets([[0, 1, n - 1], [n - 1, 0, n - 2]], n)
    assert revenue(tree, answers) == n - 2
    assert satisfaction(tree, answers) == Satisfaction(1, 1, 0)


@given(st.data())
def test_normalised_revenue_is_as_defined(data):
    """Also in groups that no answer joins, and with objects that no one asked about."""
    one = data.draw(comparisons(min_objects=4, max_rows=12))
    n = one.n_objects
    two = data.draw(comparisons(one.rows.shape[1], n, max_rows=12, kind=None))
    rows = np.concatenate([one.rows, two.rows + n])
    weights = None if one.weights is None else [*one.weights, *np.ones(len(two))]
    both = type(one)(rows, 2 * n + 2, weights, labels=range(2 * n + 2))
    tree = data.draw(trees(n_leaves=2 * n + 2))
    found = value.normalised_revenue(tree, both, revenue(tree, both))
    near, far = both.near.tolist(), both.far.tolist()
    expected = definitions.normalised_revenue(tree, near, far, both.weights)
    assert found == pytest.approx(float(expected), abs=1e-12)
    assert abs(found) <= 1
    sums = definitions.pair_sums(both)
    pairs = [[int(a), int(b)] for a, b in sums] or np.empty((0, 2), int)
    near, far = zip(*sums.values(), strict=True) if sums else ([], [])
    summed = PairSums(both.labels, pairs, near, far)
    of_sums = value.normalised_revenue_of_sums(tree, summed, revenue(tree, both))
    assert abs(of_sums) <= 1 + 1e-12
    if rows.shape[1] == 3:
        assert of_sums == pytest.approx(found, abs=1e-12)


def test_more_objects_do_not_raise_the_normalised_revenue():
    answers = Triplets([[0, 1, 2], [3, 4, 0], [2, 1, 3]], 5)
    expected = value.normalised_revenue(TREE, answers, revenue(TREE, answers))
    #  the tree with two more objects, 5 and 6, joined to 0, 1 and 2
    larger = Tree([[5, 6], [0, 1], [3, 4], [8, 2], [7, 10], [11, 9]])
    more = Triplets(answers.rows, 7)
    earned = revenue(larger, more)
    assert earned > revenue(TREE, answers)
    assert value.normalised_revenue(larger, more, earned) == expected
