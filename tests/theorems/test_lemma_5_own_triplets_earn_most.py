"""Lemma 5: T0 = argmax Trev(H0, T) over the T that a tree induces, unique."""

from hypothesis import given, strategies as st

from tests.strategies import induced, trees
from tripletree import revenue


@given(st.integers(2, 9).flatmap(lambda n: st.tuples(*2 * [trees(n_leaves=n)])))
def test_own_triplets_earn_most(pair):
    one, two = pair
    own, other = revenue(one, induced(one)), revenue(one, induced(two))
    assert own > other or (own == other and one.is_same_hierarchy(two))
