"""Lemma 7: Trev(H0, T0) >= n^4/12 - (2/3)(n^3 - n^2 - n) >= (1 - eps) n^4 / 12."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from tests.strategies import induced, trees
from tripletree import (
    all_trees,
    balanced_tree,
    caterpillar_tree,
    revenue,
)


def latent_revenue(tree):
    return revenue(tree, induced(tree))


def bound(n):
    return Fraction(n**4, 12) - Fraction(2, 3) * (n**3 - n**2 - n)


@given(trees(min_leaves=2, max_leaves=14))
def test_bound(tree):
    assert latent_revenue(tree) >= bound(tree.n_leaves)


@pytest.mark.parametrize("n_leaves", [2, 3, 4, 5, 6])
def test_bound_for_all_trees(n_leaves):
    assert all(latent_revenue(tree) >= bound(n_leaves) for tree in all_trees(n_leaves))


@given(trees(min_leaves=2, max_leaves=14))
def test_sum_in_the_proof(tree):
    """The sum of |N1| |N2| |N|^2 is at least n^4 / 4, for n >= 2."""
    n = tree.n_leaves
    left, right = tree.size[tree.children[:, 0]], tree.size[tree.children[:, 1]]
    assert 4 * (left * right * tree.size[n:] ** 2).sum() >= n**4


@given(trees(min_leaves=2, max_leaves=14))
def test_revenue_as_a_sum_over_nodes(tree):
    n = tree.n_leaves
    left, right = tree.size[tree.children[:, 0]], tree.size[tree.children[:, 1]]
    size = tree.size[n:]
    assert latent_revenue(tree) == (left * right * size * (3 * size - 2 * n - 2)).sum()


@given(st.sampled_from([balanced_tree, caterpillar_tree]), st.integers(9, 24))
def test_share_of_n_to_the_fourth(shape, n):
    """With eps = 8 / n, the smallest that the lemma allows."""
    assert latent_revenue(shape(n)) >= (1 - Fraction(8, n)) * Fraction(n**4, 12)
