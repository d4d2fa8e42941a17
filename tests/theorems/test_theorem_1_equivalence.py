"""Theorem 1: Trev = -Dcost(AddS3) = Drev(AddS3), and the same for quadruplets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import comparisons, similarities, trees
from tripletree import (
    adds_similarity,
    all_trees,
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


@given(st.data())
def test_triplets(data):
    tree = data.draw(trees(min_leaves=3, max_leaves=9))
    answers = data.draw(comparisons(width=3, n_objects=tree.n_leaves))
    check(tree, answers, definitions.triplet_revenue)


@given(st.data())
def test_quadruplets(data):
    tree = data.draw(trees(min_leaves=3, max_leaves=9))
    answers = data.draw(comparisons(width=4, n_objects=tree.n_leaves))
    check(tree, answers, definitions.quadruplet_revenue)


@given(st.data())
def test_any_similarity(data):
    """Equations 1 and 2, also where the similarities do not sum to 0."""
    tree = data.draw(trees())
    s = data.draw(similarities(n_objects=tree.n_leaves))
    assert dasgupta_cost(tree, s) == definitions.dasgupta_cost(tree, s)
    assert dasgupta_revenue(tree, s) == definitions.dasgupta_revenue(tree, s)
    halves = dasgupta_cost(tree, s / 2)
    assert halves == definitions.dasgupta_cost(tree, s) / 2


@given(trees(), st.integers(-9, 9))
def test_constant_similarities_cost_the_same_in_every_tree(tree, constant):
    """Dasgupta's Theorem 3: (n^3 - n) / 3 for s = 1. (The paper writes n^2/3 once.)"""
    n = tree.n_leaves
    s = np.full((n, n), constant)
    assert dasgupta_cost(tree, s) == constant * (n**3 - n) // 3


@pytest.mark.compiled
@given(comparisons(n_objects=5, kind=None))
def test_every_tree_on_five_leaves(answers):
    s = adds_similarity(answers)
    for tree in all_trees(5):
        assert revenue(tree, answers) == -dasgupta_cost(tree, s)


@given(st.data())
def test_revenue_is_a_sum_over_three_objects(data):
    """It is the sum over {a, b, c} of s of the pair that meets first, up to n sum s.

    For sum s = 0, as AddS has it.
    """
    tree = data.draw(trees(min_leaves=3, max_leaves=8))
    answers = data.draw(comparisons(n_objects=tree.n_leaves, kind="int"))
    s = adds_similarity(answers)
    h = definitions.sizes(tree)
    n = tree.n_leaves
    total = 0
    for a in range(n):
        for b in range(a):
            for c in range(b):
                i, j = min([(a, b), (a, c), (b, c)], key=h.__getitem__)
                total += s[i, j]
    assert revenue(tree, answers) == total
