"""Clustering of pair sums, and of more objects than methods are tried with."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests import definitions
from tripletree import (
    InvalidComparisons,
    InvalidOption,
    PairSums,
    Triplets,
    average_linkage,
    cluster,
    maximise_revenue,
    revenue,
)
from tripletree.datasets.animals import animals
from tripletree.methods import LARGEST_DENSE, tree_of_similarity
from tripletree.search.result import with_average_heights
from tripletree.tree.shapes import caterpillar_tree

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def answers():
    return animals().answers


@pytest.fixture(scope="module")
def sums(answers):
    found = definitions.pair_sums(answers)
    number = {label: at for at, label in enumerate(answers.labels)}
    pairs = [(number[a], number[b]) for a, b in found]
    return PairSums(answers.labels, pairs, *zip(*found.values(), strict=True))


@pytest.mark.parametrize("method", ["adds-al", "climb"])
def test_pair_sums_do_in_place_of_answers(method, answers, sums):
    one = cluster(answers, method, n_folds=0, bound=False, support=0)
    two = cluster(sums, method, bound=False)
    assert np.array_equal(one.tree.children, two.tree.children)
    assert one.tree.labels == two.tree.labels
    assert (one.revenue, one.normalised_revenue) == (
        two.revenue,
        two.normalised_revenue,
    )
    assert (two.satisfaction, two.held_out, two.warnings) == (None, {}, ())


def test_auto_climbs_on_pair_sums(sums):
    result = cluster(sums, bound=False)
    assert result.method == "climb"
    assert "overfits" in result.reason
    with pytest.raises(InvalidOption, match="needs the answers themselves"):
        cluster(sums, "complete")


@pytest.mark.parametrize("method", ["auto", "climb", "adds-al"])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_objects_without_any_pair(n, method):
    empty = PairSums([f"o{at}" for at in range(n)], np.empty((0, 2), int), [], [])
    if n == 0:
        with pytest.raises(InvalidComparisons, match="no objects"):
            cluster(empty, method)
        return
    result = cluster(empty, method)
    assert result.tree.labels == empty.labels
    assert (result.revenue, result.normalised_revenue) == (0, 0.0)
    said = [f"{n} components" in warning for warning in result.warnings]
    assert said == [True] * (n > 1)


def test_pairs_that_cancel_join_nothing():
    sums = PairSums(list("abcd"), [[0, 1], [2, 3]], [1, 2], [1, 2])
    assert "4 components" in cluster(sums, "adds-al").warnings[0]


@pytest.mark.parametrize("seconds", [math.inf, 1000.0])
def test_many_objects_are_climbed_once_unless_time_is_given(seconds, monkeypatch):
    asked = []

    def search(s, labels, n_restarts, *others):
        asked.append(n_restarts)
        return maximise_revenue(Triplets([[0, 1, 2]], 3))

    monkeypatch.setattr("tripletree.methods.search_tree", search)
    for n in (LARGEST_DENSE, LARGEST_DENSE + 1):
        tree_of_similarity("climb", csr_array((n, n)), None, 0, seconds)
    assert asked == [1, 0 if seconds == math.inf else 1]


def test_more_objects_than_are_tried():
    n = LARGEST_DENSE + 1
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(n), (3, 1)), axis=1).T
    answers = Triplets(rows[(np.diff(np.sort(rows), axis=1) > 0).all(axis=1)], n)
    result = cluster(answers)
    assert (result.method, result.held_out, result.gap) == ("adds-al", {}, None)
    assert result.revenue == revenue(result.tree, answers)


def test_heights_never_fall_towards_the_root():
    s = np.array([[0, 1, 5, 0], [1, 0, 5, 0], [5, 5, 0, -8], [0, 0, -8, 0]])
    for tree, sums, heights in (
        (caterpillar_tree(4), [1, 10, -8], [-1.0, -1.0, 8 / 3]),
        (average_linkage(s), [5, 6, -8], [-5.0, -3.0, 8 / 3]),
    ):
        found = with_average_heights(tree, np.array(sums))
        assert found.heights.tolist() == heights
