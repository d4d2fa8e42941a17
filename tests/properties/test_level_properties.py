from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import comparisons, similarities, trees
from tripletree import revenue, revenue_per_level

trees_and_similarities = st.integers(1, 8).flatmap(
    lambda n: st.tuples(trees(n_leaves=n), similarities(n_objects=n))
)


@given(trees_and_similarities)
def test_levels_are_the_revenues_of_coarser_trees(given):
    tree, s = given
    levels = revenue_per_level(tree, s)
    assert levels.tolist() == [
        definitions.revenue_of_cut(tree, s.tolist(), k)
        for k in range(1, tree.n_leaves + 1)
    ]


@given(comparisons(), st.data())
def test_from_nothing_to_the_revenue_of_the_tree(answers, data):
    tree = data.draw(trees(n_leaves=answers.n_objects))
    levels = revenue_per_level(tree, answers)
    assert levels[0] == 0  # AddS sums to 0
    assert levels[-1] == revenue(tree, answers)
