from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from tests import definitions
from tests.strategies import trees
from tripletree import aari, adjusted_rand_index, ari_per_level

pairs_of_labels = st.integers(0, 15).flatmap(
    lambda n: st.tuples(
        *2 * [st.lists(st.integers(0, 4), min_size=n, max_size=n)],
    )
)


@given(pairs_of_labels)
def test_rand_index_is_its_definition(labels):
    exact = definitions.adjusted_rand_index(*labels)
    assert adjusted_rand_index(*labels) == float(exact)


@given(pairs_of_labels)
def test_rand_index_agrees_with_scikit_learn(labels):
    assert np.isclose(adjusted_rand_index(*labels), adjusted_rand_score(*labels))


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
    assert aari(tree, truth) == np.mean(expected)
    assert aari(tree, tree) == 1
    assert levels.tolist() == ari_per_level(truth, tree).tolist()
