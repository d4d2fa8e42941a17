"""Proposition 2: H0 is the unique maximiser of Trev(., T0)."""

import numpy as np
import pytest

from tests.strategies import induced
from tripletree import adds_similarity, all_trees, revenue


@pytest.mark.parametrize(
    ("n_leaves", "n_latent"),
    [
        *((3, 3), (4, 15), (5, 105)),  # every tree
        pytest.param(6, 10, marks=[pytest.mark.slow, pytest.mark.compiled]),
        pytest.param(7, 3, marks=pytest.mark.slow),  # of 10,395
    ],
)
def test_unique_maximiser_among_all_trees(n_leaves, n_latent):
    everything = [*all_trees(n_leaves)]
    rng = np.random.default_rng(0)
    for latent in rng.choice(len(everything), n_latent, replace=False):
        answers = induced(everything[latent])
        s = adds_similarity(answers)
        values = np.array([revenue(tree, s) for tree in everything])
        assert values[latent] == revenue(everything[latent], answers)
        assert (values.argmax(), (values == values.max()).sum()) == (latent, 1)
