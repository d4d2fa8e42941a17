"""Lemma 6: Trev(H0, T1) = Trev(H1, T0)."""

from hypothesis import given, strategies as st

from tests.strategies import induced, trees
from tripletree import revenue


@given(st.integers(2, 9).flatmap(lambda n: st.tuples(*2 * [trees(n_leaves=n)])))
def test_swapping_trees_and_triplets(pair):
    one, two = pair
    assert revenue(one, induced(two)) == revenue(two, induced(one))
