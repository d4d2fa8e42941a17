"""Average linkage on AddS earns no less than 0, the mean over all trees."""

from hypothesis import given

from tests.strategies import comparisons
from tripletree import adds_similarity, average_linkage, revenue


@given(comparisons())
def test_revenue_is_never_negative(answers):
    assert revenue(average_linkage(adds_similarity(answers)), answers) >= 0
