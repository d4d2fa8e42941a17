"""Proposition 2: H0 is the unique maximiser of Trev(., T0), and its two lemmas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import trees
from tripletree import Triplets, adds_similarity, all_trees, average_linkage, revenue


def induced(tree):
    return Triplets(definitions.induced_triplets(tree), tree.n_leaves)


@given(trees(min_leaves=1, max_leaves=10))
def test_number_of_induced_triplets(tree):
    """n(n-1)(n-2)/3: neither n * C(n, 2) nor (n^3 - 3n^2 - n)/3, as printed."""
    n = tree.n_leaves
    assert len(induced(tree)) == n * (n - 1) * (n - 2) // 3


@given(trees(min_leaves=2, max_leaves=10))
def test_induced_similarities(tree):
    """s_ij = 2n + 2 - 3 |H0(i v j)|."""
    n = tree.n_leaves
    s = adds_similarity(induced(tree))
    h = definitions.sizes(tree)
    for i in range(n):
        for j in range(i):
            assert s[i, j] == 2 * n + 2 - 3 * h[i, j]


@pytest.mark.parametrize("n_leaves", [3, 4, 5])
def test_unique_maximiser_among_all_trees(n_leaves):
    everything = list(all_trees(n_leaves))
    for latent in everything:
        answers = induced(latent)
        best = revenue(latent, answers)
        others = [tree for tree in everything if not tree.is_same_hierarchy(latent)]
        assert len(others) == len(everything) - 1
        assert all(revenue(tree, answers) < best for tree in others)


@settings(max_examples=10)
@given(trees(n_leaves=6))
def test_unique_maximiser_among_945_trees(latent):
    s = adds_similarity(induced(latent))
    best = revenue(latent, s)
    for tree in all_trees(6):
        assert (revenue(tree, s) == best) == tree.is_same_hierarchy(latent)
        assert revenue(tree, s) <= best


@pytest.mark.slow
def test_unique_maximiser_among_10395_trees():
    rng = np.random.default_rng(0)
    everything = list(all_trees(7))
    for latent in rng.choice(np.arange(len(everything)), 3):
        s = adds_similarity(induced(everything[latent]))
        values = np.array([revenue(tree, s) for tree in everything])
        assert values.argmax() == latent
        assert (values == values.max()).sum() == 1


@given(st.integers(2, 9).flatmap(lambda n: st.tuples(*2 * [trees(n_leaves=n)])))
def test_lemma_swapping_trees_and_triplets(pair):
    """Trev(H0, T1) = Trev(H1, T0)."""
    one, two = pair
    assert revenue(one, induced(two)) == revenue(two, induced(one))


@given(st.integers(2, 9).flatmap(lambda n: st.tuples(*2 * [trees(n_leaves=n)])))
def test_lemma_own_triplets_earn_most(pair):
    """T0 = argmax Trev(H0, T) over induced T, unique."""
    one, two = pair
    own, other = revenue(one, induced(one)), revenue(one, induced(two))
    assert own > other or (own == other and one.is_same_hierarchy(two))


@given(trees(min_leaves=2, max_leaves=12))
def test_average_linkage_recovers_the_latent_tree(latent):
    tree = average_linkage(adds_similarity(induced(latent)))
    assert tree.is_same_hierarchy(latent)
