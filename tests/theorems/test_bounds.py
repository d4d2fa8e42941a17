"""A bound is never below the largest revenue."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import (
    examples,
    random_similarity,
    seeds,
    similarities,
    trees_and,
)
from tripletree import (
    InvalidOption,
    TooLarge,
    all_trees,
    average_linkage,
    estimated_bound,
    exact_optimum,
    optimality_gap,
    random_tree,
    revenue,
    upper_bound,
)
from tripletree.objective import bounds


@given(st.data())
def test_revenue_is_a_sum_over_triples(data):
    """R = sum of s of the pair that meets first, minus n times the sum of s."""
    tree, s = data.draw(trees_and(similarities, min_leaves=1, max_leaves=8))
    n, h = tree.n_leaves, definitions.sizes(tree)
    first = sum(
        int(s[min([(a, b), (a, c), (b, c)], key=h.__getitem__)])
        for a, b, c in itertools.combinations(range(n), 3)
    )
    assert revenue(tree, s) == first - n * int(np.tril(s, -1).sum())


@given(similarities(min_objects=1, max_objects=9))
def test_bound_of_three_is_its_definition(s):
    n = len(s)
    largest = sum(
        int(max(s[a, b], s[a, c], s[b, c]))
        for a, b, c in itertools.combinations(range(n), 3)
    )
    expected = largest - n * int(np.tril(s, -1).sum())
    assert upper_bound(s, method="three objects") == expected


@pytest.mark.slow
@examples(500)
@given(similarities(min_objects=1, max_objects=8), st.sampled_from([0.1, 1e-7, 1e9]))
def test_no_bound_is_below_the_optimum(s, factor):
    best = exact_optimum(s).revenue
    four = upper_bound(s, method="four objects", time_limit=0.001)
    assert best <= four <= upper_bound(s, method="three objects")
    assert upper_bound(s, method="all subsets") == best
    floats = exact_optimum(s * factor).revenue
    assert upper_bound(s * factor, method="three objects") >= floats
    assert upper_bound(s * factor, method="four objects", time_limit=0) >= floats
    assert upper_bound(s * factor, method="all subsets") >= floats


def test_rounding_of_small_bounds():
    """Quads that cancel to 0 still carry the rounding of the numbers they came from."""
    s = -np.ones((4, 4)) / 10
    s[1, 3] = s[3, 1] = 0.1
    best = exact_optimum(s).revenue
    assert upper_bound(s, method="four objects", time_limit=0) >= best


def test_no_share_of_a_bound_is_above_1():
    """The sums of a bound and of a revenue are rounded in different orders."""
    for seed in range(40):
        noise = np.random.default_rng(seed).normal(size=(8, 8))
        s = noise + noise.T
        gap = optimality_gap(exact_optimum(s).tree, s)
        assert gap.revenue <= gap.bound
        assert 0 <= gap.gap < 1e-9


@examples(50)
@given(similarities(n_objects=4))
def test_four_objects_are_exact(s):
    """With one set of four, its best tree is the best tree."""
    best = max(revenue(tree, s) for tree in all_trees(4))
    assert upper_bound(s, method="four objects", time_limit=0) == best


def test_sets_of_four_are_not_begun_where_three_objects_say_all(monkeypatch):
    def refuse(_):
        raise AssertionError

    monkeypatch.setattr(bounds, "independent_blocks", refuse)
    s = np.array([[0, 3, 1], [3, 0, -4], [1, -4, 0]])
    assert upper_bound(s, method="four objects") == 3
    ones = np.ones((6, 6), int)
    every = revenue(average_linkage(ones), ones)
    assert upper_bound(ones, method="four objects", target=every) == every
    with pytest.raises(AssertionError):
        upper_bound(ones, method="four objects", target=every - 1)


def test_with_time_sets_of_four_follow_groups(monkeypatch):
    """The smaller bound counts; without memory for sets of four that of groups."""
    s = random_similarity(np.random.default_rng(0), 9, 9)
    tree = average_linkage(s)
    monkeypatch.setattr(bounds, "MOST_OBJECTS", 4)
    monkeypatch.setattr(bounds, "LARGEST_OF_FOUR", 8)
    monkeypatch.setattr(bounds, "FEWEST_SECONDS", 2)
    clock = iter(range(10**6))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock) / 100)
    short, long = (optimality_gap(tree, s, time_limit=t) for t in (1.9, 2))
    assert (short.method, long.method) == ("groups", "four objects")
    assert revenue(tree, s) <= long.bound < short.bound

    def no_better(s, best, *_):
        return best

    monkeypatch.setattr(bounds, "_bound_of_four", no_better)
    assert optimality_gap(tree, s, time_limit=2).method == "groups"

    def no_memory(*_):
        raise TooLarge

    monkeypatch.setattr(bounds, "_bound_of_four", no_memory)
    assert optimality_gap(tree, s, time_limit=2).method == "groups"


def shares_of(s):
    shares = np.empty((math.comb(len(s), 4), 4, 3))
    for largest in range(len(s)):
        bounds.kernels.share_values(s, largest, shares)
    return shares


def sweep(shares, n, step):
    for blocks in bounds.independent_blocks(n):
        for block in blocks:
            bounds.kernels.even_out(shares, n, block, step, np.empty((n, 3)))


def sum_of(shares, s):
    parts = [bounds.kernels.bound_of_shares(shares, s, d) for d in range(len(s))]
    return sum(total for total, *_ in parts)


def check_values(shares, s):
    """All shares of the triple {0, 1, 2}, in slot 3 of the sets {0, 1, 2, l}."""
    quads = [bounds.kernels.quad_number(0, 1, 2, l) for l in range(3, len(s))]
    values = [s[0, 1], s[0, 2], s[1, 2]]
    assert np.allclose(shares[quads, 3].sum(axis=0), values)


def test_sweeps_never_raise_the_bound_and_keep_the_values():
    s = random_similarity(np.random.default_rng(0), 9, 5)
    shares = shares_of(s)
    before = np.inf
    for _ in range(20):
        total = sum_of(shares, s)
        assert total <= before + 1e-9
        before = total
        sweep(shares, 9, 1.0)
    check_values(shares, s)


@given(similarities(min_objects=5, max_objects=8), st.sampled_from([0.5, 1.4, 1.9]))
def test_any_step_keeps_the_values_and_proves_a_bound(s, step):
    shares, constant = shares_of(s), len(s) * int(np.tril(s, -1).sum())
    best = exact_optimum(s).revenue
    for _ in range(3):
        sweep(shares, len(s), step)
        assert sum_of(shares, s) - constant >= best - 1e-7
    check_values(shares, s)


@pytest.mark.parametrize("n", [4, 8, 31, 32, 37, 64])
def test_every_triple_is_in_one_block_and_blocks_are_independent(n):
    found = []
    for blocks in bounds.independent_blocks(n):
        pairs = []
        for block in blocks.tolist():
            ranges = [range(*block[at : at + 2]) for at in (0, 2, 4)]
            triples = [t for t in itertools.product(*ranges) if t[0] < t[1] < t[2]]
            pairs.append({p for t in triples for p in itertools.combinations(t, 2)})
            found += triples
        assert sum(map(len, pairs)) == len(set().union(*pairs))
    assert sorted(found) == [*itertools.combinations(range(n), 3)]


@pytest.mark.parametrize("n_sweeps", [0, 1, 2, 7])
def test_sets_of_four_are_their_definition(monkeypatch, n_sweeps):
    monkeypatch.setattr(bounds, "default_sweeps", lambda n: n_sweeps)
    for n in (5, 7):
        s = random_similarity(np.random.default_rng(n), n, 9) * 0.37
        expected = definitions.bound_by_fours(s.tolist(), n_sweeps)
        found = upper_bound(s, method="four objects")
        assert found == pytest.approx(expected, rel=1e-9)
        assert expected < found < upper_bound(s, method="three objects")


@pytest.mark.parametrize("n_sweeps", [1, 2])
def test_larger_steps_in_groups_are_their_definition(monkeypatch, n_sweeps):
    """As for many objects: the last bound may not be the least."""
    monkeypatch.setattr(bounds, "default_sweeps", lambda n: n_sweeps)
    monkeypatch.setattr(bounds, "SWEEPS_PER_LOOK", 1)
    monkeypatch.setattr(bounds, "LARGEST_OF_FOUR", 7)
    monkeypatch.setattr(bounds, "GROUPED", 8)
    monkeypatch.setattr(bounds, "GROUP_SIZE", 3)
    s = random_similarity(np.random.default_rng(8), 8, 9) * 0.37
    expected = min(
        definitions.bound_by_fours(s.tolist(), n, bounds.BEYOND, 3)
        for n in range(n_sweeps + 1)
    )
    found = upper_bound(s, method="four objects")
    assert found == pytest.approx(expected, rel=1e-9)


def test_the_bound_of_four_does_not_depend_on_threads(monkeypatch):
    s = random_similarity(np.random.default_rng(0), 12, 9) * 0.37
    monkeypatch.setattr(bounds, "default_sweeps", lambda n: 2)
    monkeypatch.setattr(bounds, "GROUPED", 8)
    monkeypatch.setattr(bounds, "GROUP_SIZE", 3)
    found = set()
    for n_threads in (1, 2, 5):
        monkeypatch.setenv("NUMBA_NUM_THREADS", str(n_threads))
        found.add(upper_bound(s, method="four objects"))
    assert len(found) == 1


@pytest.mark.parametrize(
    ("n", "n_sweeps"), [(4, 1000), (20, 1000), (60, 61), (84, 15), (200, 5)]
)
def test_sweeps_by_the_number_of_objects(n, n_sweeps):
    assert bounds.default_sweeps(n) == n_sweeps


@pytest.mark.parametrize(
    ("method", "n"), [("best", 5), ("sampled triples", 5), ("all subsets", 17), (4, 5)]
)
def test_other_methods_are_refused(method, n):
    with pytest.raises(InvalidOption, match="method"):
        upper_bound(np.zeros((n, n)), method=method)


def test_an_estimate_of_two_objects_takes_any_seed():
    assert estimated_bound(np.zeros((2, 2)), seed=2**63) == (0, 0, 0)


def test_sampled_estimate_covers_the_bound():
    s = random_similarity(np.random.default_rng(0), 60, 5)
    bound = upper_bound(s, method="three objects")
    found = [estimated_bound(s, n_sampled=2000, seed=seed) for seed in range(100)]
    estimates, lows, highs = np.transpose(found)
    assert 85 <= ((lows <= bound) & (bound <= highs)).sum() <= 100
    assert np.allclose(highs - estimates, estimates - lows)
    halves = 1.96 * estimates.std()
    assert 0.8 < (highs - estimates).mean() / halves < 1.25


@pytest.mark.parametrize(
    ("n", "method"),
    [
        *((5, "all subsets"), (16, "all subsets")),
        *((17, "four objects"), (84, "four objects"), (85, "groups")),
    ],
)
def test_gap_says_how_it_was_found_which_is_the_tightest_that_is_quick(n, method):
    s = np.tril(np.random.default_rng(0).integers(-5, 6, (n, n)), -1)
    gap = optimality_gap(average_linkage(s + s.T), s + s.T, time_limit=0)
    assert gap.method == method
    assert not gap.is_estimate
    assert gap.low == gap.high == gap.bound >= gap.revenue
    assert 0 <= gap.gap == 1 - gap.share


def test_large_gaps_are_marked_as_estimates(monkeypatch):
    monkeypatch.setattr(bounds, "LARGEST_OF_GROUPS", 100)
    s = random_similarity(np.random.default_rng(0), 101, 5)
    gap = optimality_gap(average_linkage(s), s)
    assert gap.is_estimate
    assert gap.method == "sampled triples"
    assert gap.low < upper_bound(s, method="three objects") < gap.high


@given(similarities(min_objects=3, max_objects=7), st.integers(-5, 5), seeds)
def test_the_share_does_not_depend_on_a_constant(s, constant, seed):
    tree = random_tree(len(s), rng=np.random.default_rng(seed))
    one = optimality_gap(tree, s)
    two = optimality_gap(tree, s + constant - constant * np.eye(len(s), dtype=int))
    assert one.share == pytest.approx(two.share)
    assert one.share <= 1
    assert (one.share == 1) == (one.revenue == one.bound)


def test_sets_of_four_get_tighter_with_time():
    s = random_similarity(np.random.default_rng(2), 7, 9)
    began, best = upper_bound(s, method="three objects"), exact_optimum(s).revenue
    at_once = upper_bound(s, method="four objects", time_limit=0)
    later = upper_bound(s, method="four objects", time_limit=None, target=at_once - 1)
    assert best <= later < at_once <= began
