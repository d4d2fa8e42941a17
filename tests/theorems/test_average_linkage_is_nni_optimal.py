"""No nearest-neighbour interchange (NNI) improves a tree of average linkage."""

from hypothesis import given

from tests import definitions
from tests.strategies import similarities
from tripletree import average_linkage, revenue


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
