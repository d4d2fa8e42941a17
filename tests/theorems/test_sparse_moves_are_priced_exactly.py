"""Moves priced on stored pairs alone are those of the dense search, exactly."""

import numpy as np
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from tests import definitions
from tests.strategies import examples, seeds, sparse_similarities, trees_and
from tests.theorems.test_moves_are_priced_exactly import sparse_climb, spr
from tripletree import Tree, climb, revenue
from tripletree.search import (
    _climb_kernel as dense_kernels,
    _sparse_climb_kernel as kernels,
)
from tripletree.search.moves import new_climber, new_scratch
from tripletree.search.sparse_moves import (
    blocks_of,
    current_sparse_children,
    drawn_nodes,
    new_sparse_climber,
    new_sparse_scratch,
    sparse_climber_revenue,
    turns,
    within_blocks,
)

WHOLE = -1  # the limit of the whole tree


def named_climber(tree, s):
    """A climber, and the object that each of its leaves is."""
    climber, _ = new_sparse_climber(tree, csr_array(s), drawn_nodes(tree))
    return climber, drawn_nodes(tree)[: tree.n_leaves]


def same_tree(climber, names):
    """The tree as it is, and the name there of each node of the climber."""
    n = len(names)
    order = turns(climber)
    number = np.empty(2 * n - 1, np.int64)
    number[order[order >= n]] = np.arange(n, 2 * n - 1)
    number[:n] = names
    named = np.concatenate([names, np.arange(n, 2 * n - 1)])
    return Tree(named[current_sparse_children(climber)]), number


def any_move(data, climber, scratch):
    """Move a subtree to any place outside of it."""
    parent = climber.link[:, kernels.PARENT]
    x = data.draw(st.sampled_from(np.flatnonzero(parent >= 0).tolist()))
    inside = {x}
    for v in reversed(turns(climber).tolist()):
        if parent[v] in inside:
            inside.add(v)
    target = data.draw(st.sampled_from(sorted(set(range(len(parent))) - inside)))
    kernels.best_gain(climber, x, WHOLE, scratch)
    kernels.move(climber, x, target, WHOLE, scratch)


@examples(60)
@given(st.data())
def test_gains_and_places_are_those_of_the_dense_search(data):
    tree, s = data.draw(trees_and(sparse_similarities, min_leaves=3, max_leaves=10))
    climber, names = named_climber(tree, s)
    scratch = new_sparse_scratch(tree.n_leaves)
    for _ in range(3):
        now, number = same_tree(climber, names)
        dense, _ = new_climber(now, s)
        other = new_scratch(tree.n_leaves)
        order = turns(climber)[:-1]
        if data.draw(st.booleans()):  # else each parent follows its larger child
            order = data.draw(st.permutations(order.tolist()))
        for x in order:
            gain = kernels.best_gain(climber, x, WHOLE, scratch)
            target = kernels.best_target(climber, x, scratch)
            assert gain == dense_kernels.best_gain(dense, number[x], other)
            assert number[target] == dense_kernels.best_target(dense, number[x], other)
        any_move(data, climber, scratch)


@examples(60)
@given(st.data())
def test_after_any_move_every_number_is_as_defined(data):
    tree, s = data.draw(trees_and(sparse_similarities, min_leaves=3, max_leaves=9))
    n = tree.n_leaves
    climber, names = named_climber(tree, s)
    scratch = new_sparse_scratch(n)
    rng = np.random.default_rng(data.draw(seeds))
    for is_kick in (False, False, True, True):
        if is_kick:
            kernels.make_random_moves(climber, rng.random((3, 2)), scratch)
        else:
            any_move(data, climber, scratch)
        now, number = same_tree(climber, names)
        below = definitions.clusters(now)
        size, cross = np.ones(2 * n - 1), np.zeros(2 * n - 1)
        for v in range(n, 2 * n - 1):
            one, two = now.children[v - n]
            size[v] = len(below[v])
            cross[v] = s[np.ix_(list(below[one]), list(below[two]))].sum()
        assert np.array_equal(climber.link[:, kernels.SIZE], size[number])
        assert np.array_equal(climber.worth[:, kernels.CROSS], cross[number])
        assert climber.worth[:, kernels.STRANGER].tolist() == [
            definitions.stranger_gain(now, s, v) for v in number
        ]
        assert sparse_climber_revenue(climber) == revenue(now, s)


@examples(60)
@given(st.data())
def test_climbs_within_blocks_keep_their_leaves_and_gain_what_they_say(data):
    tree, s = data.draw(trees_and(sparse_similarities, min_leaves=3, max_leaves=14))
    n = tree.n_leaves
    most = data.draw(st.integers(3, n))
    climber, names = named_climber(tree, s)
    scratch, order = new_sparse_scratch(n), turns(climber)
    blocks = blocks_of(climber, order, most)
    parts = [order[start:stop] for start, stop in blocks[["start", "stop"]]]
    sets = {frozenset(nodes[nodes < n].tolist()) for nodes in parts}
    inner = within_blocks(climber, order, blocks)
    for leaves in sets:
        for i in leaves:
            partners, kept = (
                c.partners[c.starts[i] : c.starts[i + 1]].tolist()
                for c in (climber, inner)
            )
            assert kept == [j for j in partners if j in leaves]
    for block in blocks:
        calm = block.stop - block.start + 1  # no move at all
        while block.at < block.stop:
            kernels.climb_block(inner, order, block, calm, 1, scratch)
    now, number = same_tree(climber, names)
    assert revenue(now, s) == revenue(tree, s) + blocks.gained.sum()
    clusters = set(map(frozenset, definitions.clusters(now)))
    for leaves in sets:
        assert frozenset(names[sorted(leaves)].tolist()) in clusters
        sub = sorted(names[sorted(leaves)].tolist())
        inside = [sorted(c) for c in clusters if c <= set(sub) and len(c) > 1]
        assert climb(restricted(inside, sub), s[np.ix_(sub, sub)]).n_moves == 0
    kernels.fill_strangers(climber, turns(climber))
    for x in turns(climber)[:-1]:  # the shared numbers are whole again
        kernels.best_gain(climber, x, WHOLE, scratch)
    dense, _ = new_climber(now, s)
    assert [
        kernels.best_gain(climber, x, WHOLE, scratch) for x in turns(climber)[:-1]
    ] == [
        dense_kernels.best_gain(dense, number[x], new_scratch(n))
        for x in turns(climber)[:-1]
    ]


def restricted(clusters, leaves):
    """The tree with these clusters, its leaves numbered in their order."""
    number = {(leaf,): k for k, leaf in enumerate(leaves)}
    children = []
    for cluster in sorted(clusters, key=len):
        parts = [c for c in number if set(c) <= set(cluster)]
        highest = [c for c in parts if not any(set(c) < set(d) for d in parts)]
        children.append([number[c] for c in highest])
        number[tuple(cluster)] = len(leaves) + len(children) - 1
    return Tree(children)


@given(st.data())
def test_floats_are_climbed_like_the_integers_they_are(data):
    tree, s = data.draw(trees_and(sparse_similarities, min_leaves=3, max_leaves=10))
    scale = data.draw(st.sampled_from([2.0**-60, 0.25, 2.0**200]))
    exact, scaled = sparse_climb(tree, s), sparse_climb(tree, s * scale)
    assert np.array_equal(exact.tree.children, scaled.tree.children)
    assert scaled.revenue == exact.revenue * scale


@examples(50)
@given(st.data())
def test_kicks_make_the_move_that_was_drawn(data):
    tree, s = data.draw(trees_and(sparse_similarities, min_leaves=3, max_leaves=9))
    climber, names = named_climber(tree, s)
    before, number = same_tree(climber, names)
    below = definitions.clusters(before)
    draws = np.random.default_rng(data.draw(seeds)).random((1, 2))
    x, target = (below[number[node]] for node in (draws[0] * len(number)).astype(int))
    kernels.make_random_moves(climber, draws, new_sparse_scratch(tree.n_leaves))
    worth = climber.worth.copy()
    kernels.fill_strangers(climber, turns(climber))
    assert np.array_equal(climber.worth, worth)
    after, _ = same_tree(climber, names)
    moved = set(below) if target <= x else spr(set(below), x, target - x)
    assert set(definitions.clusters(after)) == moved
    assert sparse_climber_revenue(climber) == revenue(after, s)
