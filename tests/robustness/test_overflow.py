"""Numbers near the end of 64 bits: exact, as Python's integers say, or refused."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tripletree as tt
from tests import definitions
from tests.robustness.worlds import check_says
from tests.strategies import examples

NEAR = [0, 1, 2**31 - 1, 2**31, 2**53 + 1, 2**58 + 1, 2**59, 2**60 + 1, 2**61, 2**62]
NEAR += [2**62 + 1, 2**63 - 1]


@st.composite
def weighted(draw):
    """Few answers of huge whole weights, about 3 to 6 objects."""
    n = draw(st.integers(3, 6))
    triples = list(itertools.permutations(range(n), 3))
    rows = draw(st.lists(st.sampled_from(triples), min_size=1, max_size=4))
    weights = draw(
        st.lists(st.sampled_from(NEAR), min_size=len(rows), max_size=len(rows))
    )
    return n, rows, weights


def right_or_refused(calls):
    """Every result is the right one; or an error of the package is given instead."""
    for expected, *calls_of_it in calls:
        for call in calls_of_it:
            try:
                found = call()
            except tt.TripletreeError as error:
                check_says(error)
            else:
                assert found == expected


@examples(200)
@given(weighted(), st.integers(0, 2**32))
def test_answers_of_huge_weight(case, seed):
    n, rows, weights = case
    try:
        answers = tt.Triplets(rows, n, weights)
    except tt.InvalidComparisons as error:
        check_says(error, "2^62")
        assert sum(weights) > 2**62
        return
    assert sum(weights) < 2**62 + 2**32
    tree = tt.random_tree(n, rng=np.random.default_rng(seed))
    s = definitions.adds3(rows, n, weights)
    worth = definitions.triplet_revenue(tree, rows, weights)
    assert tt.adds_similarity(answers).tolist() == s
    assert tt.adds_similarity(answers, sparse=True).toarray().tolist() == s
    assert tt.revenue(tree, answers) == worth
    counts = tt.satisfaction(tree, answers)
    assert counts.satisfied + counts.tied + counts.violated == sum(weights)
    assert len(tt.majority_vote(answers)) <= len(answers)

    def search_is_honest():
        found = tt.climb(tree, answers)
        return found.revenue == definitions.triplet_revenue(found.tree, rows, weights)

    right_or_refused([(True, search_is_honest), *revenues(tree, answers, s, worth)])
    if n <= 5:
        all_trees = tt.all_trees(n)
        most = max(definitions.triplet_revenue(x, rows, weights) for x in all_trees)
        right_or_refused(
            [
                (most, lambda: tt.exact_optimum(answers).revenue),
                (most, lambda: tt.upper_bound(answers)),
                (True, lambda: tt.upper_bound(answers, method="three objects") >= most),
                (True, lambda: tt.climb(tree, answers).revenue <= most),
            ]
        )


def revenues(tree, answers, s, expected):
    """The revenue of a tree in all ways to compute it."""
    s = np.array(s)
    yield (
        expected,
        lambda: tt.revenue(tree, s),
        lambda: -tt.dasgupta_cost(tree, s),
        lambda: sum(tt.revenue_per_node(tree, answers).tolist()),
        lambda: tt.revenue_per_level(tree, answers)[-1],
    )


@examples(200)
@given(st.integers(2, 5), st.data())
def test_similarities_of_huge_numbers(n, data):
    numbers = st.sampled_from([*NEAR, *(-x for x in NEAR), -(2**63)])
    s = np.zeros((n, n), np.int64)
    for i, j in itertools.combinations(range(n), 2):
        s[i, j] = s[j, i] = data.draw(numbers)
    tree = tt.random_tree(n, rng=np.random.default_rng(0))
    cost = definitions.dasgupta_cost(tree, s.tolist())
    merges = definitions.average_linkage(s.tolist())
    right_or_refused(
        [
            (merges, lambda: definitions.merged_pairs(tt.average_linkage(s))),
            *revenues(tree, s, s, -cost),
        ]
    )


LARGE = tt.PairSums(["a", "b"], [[0, 1]], [2**62 - 1], [1])
LARGEST = tt.Triplets([[0, 1, 2]], 3, [2**62])
BOTH = ["a", "b", "c"], [[0, 1], [1, 2]]
WRAPPING = {
    "one sum": lambda: tt.PairSums(
        ["a", "b"], [[0, 1]], np.array([2**63 + 5], np.uint64), [0]
    ),
    "the total": lambda: tt.PairSums(*BOTH, [2**62, 2**62], [0, 0]),
    "added": lambda: LARGE + LARGE,
    "concatenated": lambda: tt.concatenate([LARGEST, LARGEST]),
    "counts times weights": lambda: tt.cblearn_triplets(
        [[0, 1, 2]], [2**40], 3, weights=[2**40]
    ),
}


@pytest.mark.parametrize("case", WRAPPING)
def test_sums_that_would_wrap_are_refused(case):
    with pytest.raises(tt.InvalidComparisons, match="2\\^62"):
        WRAPPING[case]()


def test_the_largest_sums():
    assert (LARGE.n_comparisons, LARGE.similarity[0, 1]) == (2**62 - 1, 2**62 - 2)
    assert (LARGE - LARGE).n_comparisons == 0
    with pytest.raises(tt.InvalidComparisons, match="1e300"):
        tt.PairSums(*BOTH, [1e308, 1e308], [0, 0])


def test_many_answers_times_many_objects_pass_2_63():
    """m * n beyond 2^63, as m answers of which each counts often."""
    n, weight = 4_000, 2**52
    rows = np.column_stack([np.arange(500), np.arange(500) + 1_000, np.arange(500) + 9])
    answers = tt.Triplets(rows, n, np.full(500, weight))
    tree = tt.caterpillar_tree(n)
    # In a caterpillar two leaves meet in a cluster of as many leaves as the larger id
    # says, plus one.
    expected = sum(weight * (max(i, k) - max(i, j)) for i, j, k in rows.tolist())
    assert expected < -(2**62)
    assert 500 * weight * n > 2**63
    assert tt.revenue(tree, answers) == expected
    assert tt.revenue(tree, tt.adds_similarity(answers, sparse=True)) == expected
    with pytest.raises(tt.InvalidSimilarity, match="2\\^63"):
        tt.climb(tree, answers)
