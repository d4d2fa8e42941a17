"""What a latent tree H0 induces: |T0| triplets, and s_ij = 2n + 2 - 3 |H0(i v j)|."""

from hypothesis import given

from tests import definitions
from tests.strategies import induced, trees
from tripletree import adds_similarity, average_linkage


@given(trees(min_leaves=1, max_leaves=10))
def test_number_of_induced_triplets(tree):
    """n(n-1)(n-2)/3: neither n * C(n, 2) nor (n^3 - 3n^2 - n)/3, as printed."""
    n = tree.n_leaves
    assert len(induced(tree)) == n * (n - 1) * (n - 2) // 3


@given(trees(min_leaves=2, max_leaves=10))
def test_induced_similarities(tree):
    n = tree.n_leaves
    s = adds_similarity(induced(tree))
    h = definitions.sizes(tree)
    for i in range(n):
        for j in range(i):
            assert s[i, j] == 2 * n + 2 - 3 * h[i, j]


@given(trees(min_leaves=2, max_leaves=12))
def test_average_linkage_recovers_the_latent_tree(latent):
    assert average_linkage(adds_similarity(induced(latent))).is_same_hierarchy(latent)
