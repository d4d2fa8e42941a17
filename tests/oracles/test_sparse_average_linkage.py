"""Sparse average linkage beside its definition and the dense form."""

import warnings
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from tests import definitions
from tests.strategies import seeds
from tripletree import average_linkage, sparse_average_linkage
from tripletree.linkage import sparse_average


@st.composite
def sparse_similarities(draw, max_objects=24):
    """Few values, so that ties abound; few pairs; often a hub, a sign, or parts."""
    n = draw(st.integers(1, max_objects))
    rng = np.random.default_rng(draw(seeds))
    largest = draw(st.sampled_from([1, 2, 5, 2**40]))
    share = draw(st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0]))
    s = rng.integers(-largest, largest + 1, (n, n)) * (rng.random((n, n)) < share)
    sign = draw(st.sampled_from(["both", "both", "positive", "negative"]))
    if sign != "both":
        s = abs(s) if sign == "positive" else -abs(s)
    if draw(st.booleans()):
        hub = int(rng.integers(n))
        s[hub, :] = s[:, hub] = rng.integers(-1, 3, n)
    if draw(st.booleans()):
        part = rng.integers(0, 3, n)
        s = s * (part[:, None] == part)
    s = np.tril(s, -1)
    s = s + s.T
    return s / 4 if draw(st.booleans()) and largest < 2**40 else s


def linked(s, shortest_hub):
    with (
        patch.object(sparse_average, "SHORTEST_HUB", shortest_hub),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", UserWarning)
        return sparse_average_linkage(csr_array(s))


@given(sparse_similarities(), st.sampled_from([2, 4, 8, 1024]))
def test_the_tree_and_heights_of_the_dense_form(s, shortest_hub):
    check_as_dense(s, shortest_hub)


def check_as_dense(s, shortest_hub):
    tree, dense = linked(s, shortest_hub), average_linkage(s)
    assert np.array_equal(tree.children, dense.children)
    assert np.array_equal(tree.heights, dense.heights)


@given(sparse_similarities(max_objects=9), st.sampled_from([2, 1024]))
def test_same_merges_as_step_by_step(s, shortest_hub):
    stored = {
        (i, j): s[i, j].item() * 4 for j in range(len(s)) for i in range(j) if s[i, j]
    }
    stored = {pair: int(value) for pair, value in stored.items()}
    expected = definitions.sparse_average_linkage(len(s), stored)
    tree = linked(s, shortest_hub)
    assert definitions.merged_pairs(tree) == [(a, b) for a, b, _ in expected]
    assert tree.heights.tolist() == [float(-average / 4) for *_, average in expected]


@pytest.mark.parametrize("shortest_hub", [8, 1024])
@pytest.mark.parametrize("share", [0.005, 0.02, 0.2])
def test_four_hundred_objects(share, shortest_hub):
    rng = np.random.default_rng(int(1000 * share))
    s = rng.integers(-2, 4, (400, 400)) * (rng.random((400, 400)) < share)
    check_as_dense(np.tril(s, -1) + np.tril(s, -1).T, shortest_hub)
