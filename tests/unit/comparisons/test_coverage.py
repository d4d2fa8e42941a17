from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests.strategies import comparisons
from tripletree import InvalidComparisons, Triplets, coverage


@given(comparisons(max_rows=6))
def test_groups_are_the_components_of_the_graph(answers):
    n, rows = answers.n_objects, answers.rows
    others = rows[:, 1:]
    edges = (
        np.ones(others.size),
        (rows[:, [0]].repeat(others.shape[1]), others.ravel()),
    )
    n_components, labels = connected_components(coo_array(edges, (n, n)), False)
    found = coverage(answers)
    assert np.array_equal(found.group, labels)  # SciPy numbers them by first object too
    assert found.counts.tolist() == [(rows == x).any(axis=1).sum() for x in range(n)]
    assert found.n_groups + len(found.never_compared) == n_components


def test_chunks_change_nothing(monkeypatch):
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(40), (30, 1)), axis=1)
    answers = Triplets(rows[:, :3], 40)
    whole = coverage(answers)
    monkeypatch.setattr("tripletree.comparisons.summary.ROWS_PER_CHUNK", 7)
    parts = coverage(answers)
    assert np.array_equal(whole.group, parts.group)
    assert np.array_equal(whole.counts, parts.counts)


def test_no_answers():
    found = coverage(Triplets(np.empty((0, 3), int), 3))
    assert found.group.tolist() == [0, 1, 2]
    assert found.n_groups == 0
    assert found.never_compared.tolist() == [0, 1, 2]


def test_wrong_input():
    with pytest.raises(InvalidComparisons):
        coverage([[0, 1, 2]])
