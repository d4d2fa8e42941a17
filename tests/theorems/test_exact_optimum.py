"""The programme over subsets finds the largest revenue of all trees."""

import numpy as np
import pytest
from hypothesis import given

from tests.strategies import examples, similarities
from tripletree import Triplets, all_trees, exact_optimum, maximise_revenue, revenue


@pytest.mark.slow
@examples(20)
@given(similarities(min_objects=1, max_objects=6))
def test_exact_optimum_among_all_trees(s):
    best = exact_optimum(s)
    values = [revenue(tree, s) for tree in all_trees(len(s))]
    assert best.revenue == max(values) == revenue(best.tree, s)


@examples(20)
@given(similarities(min_objects=2, max_objects=9))
def test_search_with_restarts_finds_the_optimum(s):
    assert maximise_revenue(s, n_restarts=300).revenue == exact_optimum(s).revenue


@pytest.mark.slow
@pytest.mark.parametrize("density", [0.5, 1, 3])
def test_default_search_finds_the_optimum_of_thirteen_objects(density):
    """Answers about points in space, 5 % of them turned round; ten instances each."""
    rng = np.random.default_rng(int(2 * density))
    n = 13
    for _ in range(10):
        points = rng.normal(size=(n, 3))
        rows = rng.permuted(np.tile(np.arange(n), (int(density * n * n), 1)), axis=1)
        i, j, k = rows[:, :3].T
        to_j = ((points[i] - points[j]) ** 2).sum(axis=1)
        to_k = ((points[i] - points[k]) ** 2).sum(axis=1)
        is_swapped = (to_j > to_k) ^ (rng.random(len(rows)) < 0.05)
        near, far = np.where(is_swapped, (k, j), (j, k))
        answers = Triplets(np.stack([i, near, far], axis=1), n)
        assert maximise_revenue(answers).revenue == exact_optimum(answers).revenue
