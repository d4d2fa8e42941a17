"""Section 6 and the design: average linkage earns no less than 0 and is NNI-optimal."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tests import definitions
from tests.strategies import comparisons, similarities
from tripletree import adds_similarity, average_linkage, revenue


def merged_pairs(tree):
    """The smallest leaves of the two clusters of each merge."""
    below = definitions.clusters(tree)
    return [
        tuple(sorted((min(below[a]), min(below[b])))) for a, b in tree.children.tolist()
    ]


@given(similarities(large=True))
def test_same_merges_as_step_by_step(s):
    assert merged_pairs(average_linkage(s)) == definitions.average_linkage(s)


@given(comparisons())
def test_revenue_is_never_negative(answers):
    s = adds_similarity(answers)
    tree = average_linkage(s)
    assert revenue(tree, answers) >= 0


@given(similarities(min_objects=2, max_objects=9, large=True))
def test_no_nearest_neighbour_interchange_helps(s):
    tree = average_linkage(s)
    earned = revenue(tree, s)
    for _, _, clusters in definitions.nni_neighbours(tree):
        assert definitions.revenue_of_clusters(clusters, s) <= earned


@given(similarities(min_objects=3, max_objects=9))
def test_gain_of_an_interchange(s):
    """At ((B, C), X), moving C to X gains s(C, X) |B| - s(B, C) |X|."""
    n = len(s)
    tree = average_linkage(-s)  # any tree, preferably one that can be improved
    earned = revenue(tree, s)
    below = definitions.clusters(tree)
    for inner, moved, clusters in definitions.nni_neighbours(tree):
        c = below[moved]
        b = below[inner] - c
        (x,) = {below[v] for v in tree.children[tree.parent[inner] - n].tolist()} - {
            below[inner]
        }
        # `clusters` joins the kept B with X: so B moves, and C stays behind.
        gain = _sum(s, b, x) * len(c) - _sum(s, b, c) * len(x)
        assert definitions.revenue_of_clusters(clusters, s) == earned + gain


def _sum(s, a, b):
    return sum(int(s[i, j]) for i in a for j in b)


@given(similarities(min_objects=2, large=True))
def test_heights_are_minus_averages_and_never_fall(s):
    tree = average_linkage(s)
    below = definitions.clusters(tree)
    averages = [
        definitions.average(s, below[a], below[b]) for a, b in tree.children.tolist()
    ]
    assert averages == sorted(averages, reverse=True)
    assert (np.diff(tree.heights) >= 0).all()
    expected = [float(-average) for average in averages]
    if abs(s).sum() < 2**53:
        assert tree.heights.tolist() == expected
    else:
        assert np.allclose(tree.heights, expected, rtol=2**-51, atol=0)


@given(similarities(large=True))
def test_a_constant_changes_nothing(s):
    shifted = average_linkage(s + 7)
    assert np.array_equal(shifted.children, average_linkage(s).children)
