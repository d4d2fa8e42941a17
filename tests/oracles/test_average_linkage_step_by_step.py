"""Average linkage beside its definition: the best pair of clusters, step by step."""

from hypothesis import given

from tests import definitions
from tests.strategies import similarities
from tripletree import average_linkage


@given(similarities(large=True))
def test_same_merges_as_step_by_step(s):
    assert definitions.merged_pairs(average_linkage(s)) == definitions.average_linkage(
        s
    )
