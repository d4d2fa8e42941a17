"""Moves are priced exactly, climbs end at optima, and the exact optimum is one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import seeds, similarities, trees
from tripletree import (
    Tree,
    Triplets,
    all_trees,
    climb,
    exact_optimum,
    maximise_revenue,
    revenue,
)
from tripletree.search import _climb_kernel as kernels
from tripletree.search.moves import current_children, new_climber, new_scratch


def spr(tree_clusters, x, target):
    """Clusters of the tree after X moves above the target, both sets of leaves."""
    without = {c - x for c in tree_clusters if not c <= x} - {frozenset()}
    after = {c | x if target < c else c for c in without}
    inside = {c for c in tree_clusters if c <= x}
    return frozenset(after | inside | {target | x})


@settings(max_examples=50)
@given(st.data())
def test_best_target_is_the_best_of_all_places(data):
    tree = data.draw(trees(min_leaves=3, max_leaves=8))
    s = data.draw(similarities(n_objects=tree.n_leaves))
    below = definitions.clusters(tree)
    climber, _ = new_climber(tree, s)
    scratch = new_scratch(tree.n_leaves)
    before = revenue(tree, s)
    for x in range(tree.root):
        gain = kernels.best_gain(climber, x, scratch)
        target = kernels.best_target(climber, x, scratch)
        outside = {c - below[x] for c in below} - {frozenset()}
        values = [
            definitions.revenue_of_clusters(spr(set(below), below[x], place), s)
            for place in outside
        ]
        assert before + gain == max(values)
        assert not below[target] <= below[x]
        moved = spr(set(below), below[x], below[target] - below[x])
        assert before + gain == definitions.revenue_of_clusters(moved, s)


@settings(max_examples=50)
@given(st.data())
def test_after_every_move_the_tree_is_valid_and_the_gain_true(data):
    tree = data.draw(trees(min_leaves=3, max_leaves=9))
    s = data.draw(similarities(n_objects=tree.n_leaves))
    climber, _ = new_climber(tree, s)
    scratch = new_scratch(tree.n_leaves)
    earned = revenue(tree, s)
    order = data.draw(st.permutations(range(tree.root + 1)).map(np.array))
    gains = np.ones(len(order), np.int64)
    n_idle = k = 0
    while n_idle < len(order):
        gained, _, n_idle = kernels.climb(
            climber, order, k, k + 1, scratch, gains, n_idle
        )
        k = (k + 1) % len(order)
        earned += gained
        assert (
            revenue(Tree(current_children(climber)), s)
            == earned
            == kernels.revenue(climber)
        )
        check_sums(climber, s)


@given(st.data())
def test_sums_are_right_after_kicks(data):
    tree = data.draw(trees(min_leaves=3, max_leaves=9))
    s = data.draw(similarities(n_objects=tree.n_leaves))
    rng = np.random.default_rng(data.draw(seeds))
    climber, _ = new_climber(tree, s)
    kernels.kick(climber, rng.random((5, 2)), new_scratch(tree.n_leaves))
    assert revenue(Tree(current_children(climber)), s) == kernels.revenue(climber)
    check_sums(climber, s)


def check_sums(climber, s):
    """Every stored number equals its definition over sets of leaves."""
    n = len(s)
    hollow = s - np.diag(np.diag(s))
    below = [{leaf} for leaf in range(n)] + [set()] * (n - 1)
    for v in climber.node_at[climber.merge_at]:
        below[v] = below[climber.child[v, 0]] | below[climber.child[v, 1]]
    for v, leaves in enumerate(map(list, below)):
        at = climber.place[v]
        assert climber.node_at[at] == v
        assert climber.size[v] == climber.size_at[at] == len(leaves)
        assert np.array_equal(climber.sums[v], hollow[leaves].sum(axis=0))
    for number, at in enumerate(climber.merge_at):
        v = climber.node_at[at]
        one, two = (list(below[child]) for child in climber.child[v])
        assert climber.place[climber.child[v]].tolist() == [2 * number, 2 * number + 1]
        assert climber.parent[climber.child[v]].tolist() == [v, v]
        assert (
            climber.cross[v] == climber.weight_at[number] == s[np.ix_(one, two)].sum()
        )


@given(st.data())
def test_a_climbed_tree_has_no_better_neighbour(data):
    tree = data.draw(trees(min_leaves=1, max_leaves=8))
    s = data.draw(similarities(n_objects=tree.n_leaves))
    result = climb(tree, s)
    assert result.is_optimal
    assert result.revenue == revenue(result.tree, s) >= revenue(tree, s)
    below = definitions.clusters(result.tree)
    for x in below[:-1]:
        for place in {c - x for c in below} - {frozenset()}:
            moved = spr(set(below), x, place)
            assert definitions.revenue_of_clusters(moved, s) <= result.revenue


@given(st.data())
def test_heights_of_a_climbed_tree_are_its_averages(data):
    """In every tree that no interchange improves, -avg(A, B) never falls."""
    tree = data.draw(trees(min_leaves=2, max_leaves=12))
    s = data.draw(similarities(n_objects=tree.n_leaves))
    climbed = climb(tree, s).tree
    below = definitions.clusters(climbed)
    averages = [
        float(-definitions.average(s, below[a], below[b]))
        for a, b in climbed.children.tolist()
    ]
    assert climbed.heights.tolist() == averages


@settings(max_examples=20)
@given(similarities(min_objects=1, max_objects=6))
def test_exact_optimum_among_all_trees(s):
    best = exact_optimum(s)
    values = [revenue(tree, s) for tree in all_trees(len(s))]
    assert best.revenue == max(values) == revenue(best.tree, s)


@settings(max_examples=20)
@given(similarities(min_objects=2, max_objects=9))
def test_search_with_restarts_finds_the_optimum(s):
    assert maximise_revenue(s, n_restarts=300).revenue == exact_optimum(s).revenue


@pytest.mark.slow
@pytest.mark.parametrize("density", [0.5, 1, 3])
def test_default_search_finds_the_optimum_of_thirteen_objects(density):
    """Answers about points in space, 5 % of them turned round; 67 instances each."""
    rng = np.random.default_rng(int(2 * density))
    n = 13
    for _ in range(67):
        points = rng.normal(size=(n, 3))
        rows = rng.permuted(np.tile(np.arange(n), (int(density * n * n), 1)), axis=1)
        i, j, k = rows[:, :3].T
        to_j = ((points[i] - points[j]) ** 2).sum(axis=1)
        to_k = ((points[i] - points[k]) ** 2).sum(axis=1)
        is_swapped = (to_j > to_k) ^ (rng.random(len(rows)) < 0.05)
        near, far = np.where(is_swapped, (k, j), (j, k))
        answers = Triplets(np.stack([i, near, far], axis=1), n)
        best = exact_optimum(answers).revenue
        assert maximise_revenue(answers).revenue == best
