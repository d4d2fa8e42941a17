"""The bound by groups holds for any matrices and groups, and is computed as defined."""

import itertools
import math
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import examples, random_similarity, seeds, similarities
from tripletree import (
    all_trees,
    average_linkage,
    caterpillar_tree,
    exact_optimum,
    revenue,
    upper_bound,
)
from tripletree.objective import bounds, groups as module
from tripletree.objective.groups import GroupDescent, centred_units, groups_of

kernels = module.kernels


@examples(40)
@given(similarities(min_objects=3, max_objects=6), st.integers(1, 3), seeds)
def test_no_tree_earns_more_whatever_the_matrices(s, n_groups, seed):
    """Rows that their diagonal dominates: a semidefinite matrix, in whole numbers."""
    n, rng = len(s), np.random.default_rng(seed)
    group = rng.integers(n_groups, size=n).tolist()
    noise = np.triu(rng.integers(-9, 10, (n_groups, n, n)), 1)
    matrices = noise + noise.transpose(0, 2, 1) + rng.integers(2) * s
    matrices[:, range(n), range(n)] = 0
    diagonals = np.abs(matrices).sum(axis=2).tolist()
    bound = definitions.bound_by_groups(s.tolist(), group, matrices.tolist(), diagonals)
    assert bound >= max(revenue(tree, s) for tree in all_trees(n))


@examples(40)
@given(similarities(min_objects=6, max_objects=12), st.integers(1, 4), seeds)
def test_the_bound_is_its_definition(s, n_rounds, seed):
    """After some rounds, with the matrices and diagonals of the descent."""
    n = len(s)
    group = np.random.default_rng(seed).permutation(np.arange(n) % 3)
    units, _, constant = centred_units(s)
    descent = GroupDescent(units, group, 0.5)
    for number in range(n_rounds):
        assert descent.take_round(number, 0.0, math.inf)
    found = descent.look() + constant
    mean, sizes = descent.mean, np.bincount(group)
    diagonals = []
    for g in range(3):
        bare = mean.pulls[g].astype(float) / mean.norms[g]
        assert np.allclose(mean.norms[g] ** 2, sizes[g] - (mean.group_of == g))
        diagonals.append(bare + (descent.shifts[g] * bare.mean() + 1))
        matrix = np.diag(diagonals[g]) - (mean.s - mean.left[g])
        assert np.linalg.eigvalsh(matrix).min() > -1e-6 * diagonals[g].sum()
    matrices = mean.s - mean.left
    assert (np.diagonal(matrices, axis1=1, axis2=2) == 0).all()
    defined = definitions.bound_by_groups(
        mean.s.tolist(), mean.group_of.tolist(), matrices.tolist(), diagonals
    )
    of_units = n * int(np.tril(mean.s, -1).sum()) + constant
    assert found == pytest.approx(defined + of_units, abs=3, rel=1e-12)
    assert found >= defined + of_units
    shares = definitions.shares_of_triples(
        mean.left.tolist(), mean.group_of.tolist(), module.TOLERANCE
    )
    assert dict(np.ndenumerate(mean.wins.sum(axis=0))) == {
        place: shares[place] for place in np.ndindex(*mean.left.shape)
    }


def test_equal_pairs_share_a_triple():
    units, _, _ = centred_units(random_similarity(np.random.default_rng(0), 9, 1))
    descent = GroupDescent(units, np.arange(9) % 2, 0.0)
    total = descent.share_triples(descent.groups, math.inf)
    left, group = descent.groups.left.tolist(), descent.groups.group_of.tolist()
    shares = definitions.shares_of_triples(left, group, 0)
    assert {2, 3, 6} <= {*shares.values()}
    assert dict(np.ndenumerate(descent.groups.wins.sum(axis=0))) == {
        place: shares[place] for place in np.ndindex(2, 9, 9)
    }
    triples = itertools.combinations(range(9), 3)
    s = descent.groups.s
    assert total == sum(int(max(s[i, j], s[i, k], s[j, k])) for i, j, k in triples)


def test_rounds_are_those_of_the_definition():
    units, _, _ = centred_units(random_similarity(np.random.default_rng(5), 9, 9))
    descent = GroupDescent(units, np.arange(9) % 3, 0.5)
    groups = descent.groups
    s, group = groups.s.tolist(), groups.group_of.tolist()
    names = ("left", "vectors", "pulls", "momentum", "average")
    state = {name: getattr(groups, name).tolist() for name in names}
    constants = (0.3, 0.7, 4, 2**14, 3)  # of the module
    for number, goal in enumerate([0.0, -1e7, 0.0]):
        assert descent.take_round(number, goal, math.inf)
        definitions.descent_of_groups(s, group, state, number, goal, constants)
        for name in names:
            expected, found = np.array(state[name]), getattr(groups, name)
            assert np.abs(found - expected).max() < 1e-4 * np.abs(expected).max()
    before = groups.left.copy()
    assert not descent.take_round(3, 0.0, -math.inf)
    assert descent.take_round(3, 1e9, math.inf)  # the goal is met: no step
    assert (groups.left == before).all()


def test_how_good_it_is_after_twenty_rounds(monkeypatch):
    """Random similarities are the worst case: a third of the gap is closed."""
    monkeypatch.setattr(module, "MOST_ROUNDS", 20)
    left = []
    for seed in range(4):
        s = random_similarity(np.random.default_rng(seed), 12, 9)
        best, three = exact_optimum(s).revenue, upper_bound(s, method="three objects")
        left.append((upper_bound(s, method="groups") - best) / (three - best))
    assert sum(left) / 4 < 0.7


@pytest.mark.compiled
@examples(60)
@given(similarities(min_objects=4, max_objects=9), st.floats(0.01, 100))
def test_never_below_the_optimum(s, factor):
    three = upper_bound(s, method="three objects")
    assert exact_optimum(s).revenue <= upper_bound(s, method="groups") <= three
    floats = s * factor
    assert upper_bound(floats, method="groups") >= exact_optimum(floats).revenue


@pytest.mark.parametrize("size", [2**20, 2**40, 2.0**-1060, 1e280, 0])
def test_similarities_of_any_size(monkeypatch, size):
    """Whole numbers that are no whole number of units, and the edges of floats."""
    monkeypatch.setattr(module, "MOST_ROUNDS", 10)
    s = random_similarity(np.random.default_rng(0), 12, 7) * size
    best = exact_optimum(s).revenue
    bound = upper_bound(s, method="groups")
    assert best <= bound <= upper_bound(s, method="three objects")
    assert isinstance(bound, type(best))


def test_units_are_exact_or_a_constant_covers_them():
    whole = random_similarity(np.random.default_rng(1), 7, 9)
    odd = 2**24 + 3 + 4 * whole  # half a unit more, all in the same direction
    for s in (whole, np.eye(7), odd):
        units, exponent, constant = centred_units(s)
        pairs = s - np.diag(np.diag(s))
        assert np.abs(units).max() <= 2**25
        for tree in (caterpillar_tree(7), average_linkage(s)):
            first = revenue(tree, units.astype(int)) + 7 * np.tril(units, -1).sum()
            earned = revenue(tree, pairs) * 2.0**exponent
            assert first + constant >= earned
            if s is whole:
                assert first + constant == earned


@pytest.mark.parametrize("n", [2, 3, 5, 8, 9])
def test_cholesky_ends_only_where_a_matrix_is_definite(n):
    units, _, _ = centred_units(random_similarity(np.random.default_rng(n), n, 5))
    groups = GroupDescent(units, np.zeros(n, int), 1.0).groups
    matrix = (groups.s - groups.left[0]).astype(float)
    least = np.linalg.eigvalsh(matrix)[-1]
    table = np.empty_like(matrix)
    above, below = least + 1, least - 1 - abs(least) / 1e6
    assert kernels.is_definite(groups, 0, np.full(len(matrix), above), table)
    factor = np.triu(table)
    assert np.allclose(factor.T @ factor, np.eye(len(matrix)) * above - matrix)
    assert not kernels.is_definite(groups, 0, np.full(len(matrix), below), table)


@pytest.mark.compiled
def test_rounds_bring_the_bound_down_and_do_not_depend_on_threads(monkeypatch):
    s = random_similarity(np.random.default_rng(3), 40, 9)
    bounds = {}
    for n_threads in (1, 3):
        monkeypatch.setattr(module, "n_threads", lambda n=n_threads: n)
        monkeypatch.setenv("NUMBA_NUM_THREADS", str(n_threads))
        for n_rounds in (5, 40):
            monkeypatch.setattr(module, "MOST_ROUNDS", n_rounds)
            bounds[n_threads, n_rounds] = upper_bound(s, method="groups")
    assert bounds[1, 5] == bounds[3, 5] > bounds[1, 40] == bounds[3, 40]
    assert bounds[1, 5] < upper_bound(s, method="three objects")


def test_it_ends_in_time_or_at_its_target(monkeypatch):
    """By a clock that goes on by 10 ms each time it is asked."""
    s = random_similarity(np.random.default_rng(0), 12, 9)
    three = upper_bound(s, method="three objects")
    assert upper_bound(s, method="groups", time_limit=0) == three
    assert upper_bound(s, method="groups", target=three) == three
    clock = itertools.count()
    slow = SimpleNamespace(monotonic=lambda: next(clock) / 100)
    for timed in (module, bounds):
        monkeypatch.setattr(timed, "time", slow)
    early, late = (upper_bound(s, method="groups", time_limit=t) for t in (2, 6))
    assert late < early < three
    monkeypatch.setattr(module, "SECONDS_PER_CUBE", 6 / 12**3)
    assert upper_bound(s, method="groups", time_limit=6) == three  # not begun
    assert upper_bound(s, method="groups", time_limit=8) < three


@pytest.mark.compiled
@pytest.mark.parametrize("n", [100, 300, 1_000])
def test_memory_is_asked_for_before_it_is_used(monkeypatch, n):
    asked = []
    monkeypatch.setattr(module, "check_fits", lambda size, *_: asked.append(size))
    monkeypatch.setattr(module, "MOST_ROUNDS", 1)
    s = random_similarity(np.random.default_rng(0), n, 3)
    upper_bound(s[:20, :20], method="groups")  # compiles
    tracemalloc.start()
    upper_bound(s, method="groups")
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < max(asked) + 10**5


def test_groups_are_what_hangs_together():
    tree = caterpillar_tree(10)
    assert groups_of(tree, 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    assert groups_of(tree, 10).tolist() == groups_of(tree, 6).tolist() == [0] * 10
    assert groups_of(tree, 11).tolist() == [0] * 10


@pytest.mark.parametrize(
    ("n", "n_groups", "n_rounds"),
    [(4, 1, 200), (100, 32, 200), (240, 17, 148), (500, 4, 52), (2_000, 1, 1)],
)
def test_work_by_the_number_of_objects(n, n_groups, n_rounds):
    assert (module.n_groups(n), module.default_rounds(n)) == (n_groups, n_rounds)
