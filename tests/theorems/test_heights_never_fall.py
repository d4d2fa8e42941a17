"""In every tree that no interchange improves, -avg(A, B) grows towards the root.

So trees of average linkage, and trees that no move of a subtree improves, have it as
their height.
"""

import numpy as np
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import similarities, trees_and
from tripletree import average_linkage, climb


@given(similarities(min_objects=2, large=True))
def test_heights_of_average_linkage(s):
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


@given(st.data())
def test_heights_of_a_climbed_tree(data):
    tree, s = data.draw(trees_and(similarities, min_leaves=2, max_leaves=12))
    climbed = climb(tree, s).tree
    below = definitions.clusters(climbed)
    averages = [
        float(-definitions.average(s, below[a], below[b]))
        for a, b in climbed.children.tolist()
    ]
    assert climbed.heights.tolist() == averages
