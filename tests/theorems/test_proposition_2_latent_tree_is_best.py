"""Proposition 2: H0 is the unique maximiser of Trev(., T0)."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import examples, induced, trees
from tripletree import adds_similarity, all_trees, revenue


@cache
def every_tree(n_leaves):
    return [*all_trees(n_leaves)]


@pytest.mark.parametrize("n_leaves", [3, 4, 5])
def test_unique_maximiser_among_all_trees(n_leaves):
    everything = every_tree(n_leaves)
    for latent in everything:
        answers = induced(latent)
        best = revenue(latent, answers)
        others = [tree for tree in everything if not tree.is_same_hierarchy(latent)]
        assert len(others) == len(everything) - 1
        assert all(revenue(tree, answers) < best for tree in others)


@pytest.mark.slow
@pytest.mark.compiled
@examples(10)
@given(trees(n_leaves=6))
def test_unique_maximiser_among_945_trees(latent):
    s = adds_similarity(induced(latent))
    best = revenue(latent, s)
    for tree in every_tree(6):
        earned = revenue(tree, s)
        assert earned <= best
        assert (earned == best) == tree.is_same_hierarchy(latent)


@pytest.mark.slow
def test_unique_maximiser_among_10395_trees():
    rng = np.random.default_rng(0)
    everything = every_tree(7)
    for latent in rng.choice(np.arange(len(everything)), 3):
        s = adds_similarity(induced(everything[latent]))
        values = np.array([revenue(tree, s) for tree in everything])
        assert (values.argmax(), (values == values.max()).sum()) == (latent, 1)
