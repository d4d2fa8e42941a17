from __future__ import annotations

from math import comb

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import seeds, trees
from tripletree import Tree, robinson_foulds, triplet_distance
from tripletree.tree.distances import fewest_transfers, shared_clades

pairs_of_trees = st.integers(1, 10).flatmap(
    lambda n: st.tuples(*2 * [trees(n_leaves=n)])
)


@given(pairs_of_trees)
def test_robinson_foulds_is_its_definition(two):
    one, other = two
    found = robinson_foulds(one, other)
    assert found.distance == definitions.robinson_foulds(one, other)
    assert found.most == 2 * max(one.n_leaves - 2, 0)
    assert 0 <= found.normalised <= 1
    assert (found.distance == 0) == one.is_same_hierarchy(other)


@given(pairs_of_trees)
def test_triplet_distance_is_its_definition(two):
    one, other = two
    found = triplet_distance(one, other)
    assert found.distance == definitions.triplet_distance(one, other)
    assert found.most == comb(one.n_leaves, 3)
    assert 0 <= found.normalised <= 1
    assert (found.distance == 0) == one.is_same_hierarchy(other)


@given(pairs_of_trees)
def test_both_are_symmetric(two):
    for distance in (robinson_foulds, triplet_distance):
        assert distance(*two) == distance(*two[::-1])


@given(st.integers(3, 8).flatmap(lambda n: st.tuples(*3 * [trees(n_leaves=n)])))
def test_triangle_inequality(three):
    a, b, c = three
    for distance in (robinson_foulds, triplet_distance):
        way = distance(a, b).distance + distance(b, c).distance
        assert distance(a, c).distance <= way


@given(pairs_of_trees, seeds)
def test_labels_decide_which_leaves_are_the_same(two, seed):
    """Other ids under the same names change nothing."""
    one, other = two
    n = one.n_leaves
    order = np.random.default_rng(seed).permutation(n)
    labels = [f"leaf {i}" for i in range(n)]
    ids = np.concatenate([order, np.arange(n, 2 * n - 1)])
    renamed = Tree(
        ids[other.children].reshape(n - 1, 2),
        labels=[labels[i] for i in np.argsort(order)],
    )
    labelled = one.with_labels(labels)
    for distance in (robinson_foulds, triplet_distance):
        assert distance(labelled, renamed) == distance(one, other)
        assert distance(renamed, labelled) == distance(one, other)


@given(pairs_of_trees)
def test_fewest_transfers_are_their_definition(two):
    one, other = two
    found = fewest_transfers(one, other)
    assert found.tolist() == definitions.fewest_transfers(one, other)
    shared = shared_clades(one, other)
    assert ((found == 0) == shared).all()
