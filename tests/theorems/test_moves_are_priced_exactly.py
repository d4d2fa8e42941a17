"""Moves of subtrees (SPR) are priced exactly, and climbs end where none gains."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from tests import definitions
from tests.strategies import (
    examples,
    seeds,
    similarities,
    sparse_similarities,
    trees_and,
)
from tripletree import Tree, climb, revenue
from tripletree.search import _climb_kernel as kernels
from tripletree.search.climb import search_from
from tripletree.search.moves import (
    climber_revenue,
    current_children,
    new_climber,
    new_scratch,
)


def spr(tree_clusters, x, target):
    """Clusters of the tree after X moves above the target, both sets of leaves."""
    without = {c - x for c in tree_clusters if not c <= x} - {frozenset()}
    after = {c | x if target < c else c for c in without}
    return frozenset(after | {c for c in tree_clusters if c <= x} | {target | x})


@examples(50)
@given(st.data())
def test_best_target_is_the_best_of_all_places(data):
    tree, s = data.draw(trees_and(similarities, min_leaves=3, max_leaves=8))
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


@examples(50)
@given(st.data())
def test_after_every_move_the_tree_is_valid_and_the_gain_true(data):
    tree, s = data.draw(trees_and(similarities, min_leaves=3, max_leaves=9))
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
            == climber_revenue(climber)
        )
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


def sparse_climb(tree, s):
    """climb() as it is for large and sparse similarities."""
    return search_from(tree, csr_array(s), None, 0, 0, np.inf, None)


@pytest.mark.parametrize("search", [climb, sparse_climb])
@given(data=st.data())
def test_a_climbed_tree_has_no_better_neighbour(search, data):
    tree, s = data.draw(trees_and(sparse_similarities, min_leaves=1, max_leaves=8))
    result = search(tree, s)
    assert (result.is_optimal, result.is_stopped) == (True, False)
    assert result.revenue == revenue(result.tree, s) >= revenue(tree, s)
    below = definitions.clusters(result.tree)
    for x in below[:-1]:
        for place in {c - x for c in below} - {frozenset()}:
            moved = spr(set(below), x, place)
            assert definitions.revenue_of_clusters(moved, s) <= result.revenue


@examples(50)
@given(st.data())
def test_kicks_make_the_move_that_was_drawn(data):
    tree, s = data.draw(trees_and(similarities, min_leaves=3, max_leaves=9))
    below = definitions.clusters(tree)
    climber, _ = new_climber(tree, s)
    draws = np.random.default_rng(data.draw(seeds)).random((1, 2))
    # Any subtree but the root, and any place, by where they are in the layout.
    x = below[climber.node_at[int(draws[0, 0] * tree.root)]]
    target = below[climber.node_at[int(draws[0, 1] * (tree.root + 1))]]
    kernels.make_random_moves(climber, draws, new_scratch(tree.n_leaves))
    after = Tree(current_children(climber))
    moved = set(below) if target <= x else spr(set(below), x, target - x)
    assert set(definitions.clusters(after)) == moved
    assert climber_revenue(climber) == revenue(after, s)
    check_sums(climber, s)
