"""Adding a constant to all similarities changes no tree of average linkage."""

import numpy as np
from hypothesis import given

from tests.strategies import similarities
from tripletree import average_linkage


@given(similarities(large=True))
def test_a_constant_changes_nothing(s):
    assert np.array_equal(average_linkage(s + 7).children, average_linkage(s).children)
