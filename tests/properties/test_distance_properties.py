"""How far apart two trees, or two clusterings, are."""

import numpy as np
from hypothesis import given, strategies as st
from sklearn.metrics import adjusted_rand_score

from tests import definitions
from tests.strategies import seeds, trees
from tripletree import (
    Tree,
    aari,
    adjusted_rand_index,
    ari_per_level,
    robinson_foulds,
    triplet_distance,
)
from tripletree.tree.distances import fewest_transfers, shared_clades

pairs_of_trees = st.integers(1, 10).flatmap(
    lambda n: st.tuples(*2 * [trees(n_leaves=n)])
)


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
    found = fewest_transfers(*two)
    assert found.tolist() == definitions.fewest_transfers(*two)
    assert ((found == 0) == shared_clades(*two)).all()


pairs_of_labels = st.integers(0, 15).flatmap(
    lambda n: st.tuples(
        *2 * [st.lists(st.integers(0, 4), min_size=n, max_size=n)],
    )
)


@given(pairs_of_labels)
def test_rand_index_is_its_definition(labels):
    found = adjusted_rand_index(*labels)
    assert found == float(definitions.adjusted_rand_index(*labels))
    assert np.isclose(found, adjusted_rand_score(*labels))


@given(trees(min_leaves=2), st.data())
def test_levels_of_two_trees(tree, data):
    truth = data.draw(trees(n_leaves=tree.n_leaves))
    levels = ari_per_level(tree, truth)
    expected = [
        float(definitions.adjusted_rand_index(tree.cut(k), truth.cut(k)))
        for k in (2, 4, 8)
        if k <= tree.n_leaves
    ]
    assert levels.tolist() == expected
    assert (aari(tree, truth), aari(tree, tree)) == (np.mean(expected), 1)
    assert levels.tolist() == ari_per_level(truth, tree).tolist()
