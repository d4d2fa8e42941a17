"""Theorem 1: Trev = -Dcost(AddS3) = Drev(AddS3), and the same for quadruplets."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons, similarities, trees, trees_and
from tripletree import (
    adds_similarity,
    dasgupta_cost,
    dasgupta_revenue,
    revenue,
    revenue_per_node,
)


def check(tree, answers, definition):
    weights = None if answers.weights is None else answers.weights.tolist()
    expected = definition(tree, answers.rows.tolist(), weights)
    assert revenue(tree, answers) == expected
    for sparse in (False, True):
        s = adds_similarity(answers, sparse=sparse)
        assert revenue(tree, s) == expected
        assert -dasgupta_cost(tree, s) == expected
        assert dasgupta_revenue(tree, s) == expected
        per_node = revenue_per_node(tree, s)
        assert np.array_equal(per_node, revenue_per_node(tree, answers))
        assert per_node.sum() == expected


@pytest.mark.parametrize("width", [3, 4])
@given(st.data())
def test_comparisons(width, data):
    tree = data.draw(trees(min_leaves=3, max_leaves=9))
    answers = data.draw(comparisons(width=width, n_objects=tree.n_leaves))
    kinds = {3: definitions.triplet_revenue, 4: definitions.quadruplet_revenue}
    check(tree, answers, kinds[width])


@given(st.data())
def test_any_similarity(data):
    """Equations 1 and 2, also where the similarities do not sum to 0."""
    tree, s = data.draw(trees_and(similarities))
    assert dasgupta_cost(tree, s) == definitions.dasgupta_cost(tree, s)
    assert dasgupta_revenue(tree, s) == definitions.dasgupta_revenue(tree, s)
    assert dasgupta_cost(tree, s / 2) == definitions.dasgupta_cost(tree, s) / 2


@given(trees(), st.integers(-9, 9))
def test_constant_similarities_cost_the_same_in_every_tree(tree, constant):
    """Dasgupta's Theorem 3: (n^3 - n) / 3 for s = 1. (The paper writes n^2/3 once.)"""
    n = tree.n_leaves
    assert dasgupta_cost(tree, np.full((n, n), constant)) == constant * (n**3 - n) // 3
