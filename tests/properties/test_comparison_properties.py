"""Comparisons: what can be done to answers, and what that does to similarities."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons, seeds, trees
from tripletree import (
    Triplets,
    adds_similarity,
    concatenate,
    drop_duplicates,
    four_k_similarity,
    majority_vote,
    mulk_similarity,
    revenue,
    swap_near_far,
)

both_similarities = pytest.mark.parametrize(
    "similarity", [adds_similarity, mulk_similarity]
)


def plain(answers):
    weights = None if answers.weights is None else answers.weights.tolist()
    return answers.rows.tolist(), answers.n_objects, weights


def questions(answers):
    weights = [1] * len(answers) if answers.weights is None else answers.weights
    return [
        (frozenset(near), frozenset(far), weight)
        for near, far, weight in zip(
            answers.near.tolist(), answers.far.tolist(), weights, strict=True
        )
    ]


def renamed(answers, names):
    return type(answers)(names[answers.rows], answers.n_objects, answers.weights)


@given(comparisons())
def test_adds_is_its_definition(answers):
    is_triplets = isinstance(answers, Triplets)
    expected = (definitions.adds3 if is_triplets else definitions.adds4)(
        *plain(answers)
    )
    assert adds_similarity(answers, sparse=False).tolist() == expected
    sparse = adds_similarity(answers, sparse=True)
    assert sparse.toarray().tolist() == expected
    assert (sparse.data != 0).all()
    assert sparse.sum() == 0
    if is_triplets:
        assert adds_similarity(answers.to_quadruplets()).tolist() == expected


@given(comparisons(width=3))
def test_mulk3_is_its_definition(answers):
    exact = definitions.mulk3(*plain(answers))
    signed_squares = np.array([[float(x) for x in row] for row in exact])
    expected = np.sign(signed_squares) * np.sqrt(np.abs(signed_squares))
    assert np.array_equal(mulk_similarity(answers), expected)  # equal values tie


@given(comparisons(width=4))
def test_mulk4_and_4k_are_their_definitions(answers):
    expected = np.array(definitions.mulk4(*plain(answers)))
    assert np.array_equal(mulk_similarity(answers), expected)
    both = expected + 2 * np.array(definitions.adds4(*plain(answers)))
    assert np.array_equal(four_k_similarity(answers), both)


@given(comparisons())
def test_turning_round_and_joining(answers):
    """AddS changes its sign, MulK does not: objects still agree where they agreed."""
    turned, both = swap_near_far(answers), concatenate([answers, answers])
    assert np.array_equal(swap_near_far(turned).rows, answers.rows)
    for similarity, if_turned, if_joined in (
        (adds_similarity, -1, 2),
        (mulk_similarity, 1, 4),
    ):
        s = similarity(answers)
        assert np.array_equal(similarity(turned), if_turned * s)
        assert np.array_equal(similarity(both), if_joined * s)


@both_similarities
@given(answers=comparisons(), seed=seeds)
def test_names_and_order_do_not_matter(similarity, answers, seed):
    rng = np.random.default_rng(seed)
    names = rng.permutation(answers.n_objects)
    s = similarity(renamed(answers[rng.permutation(len(answers))], names))
    assert np.array_equal(s[np.ix_(names, names)], similarity(answers))
    if answers.width == 4:  # nor the order inside a pair
        rows = answers.rows[:, [1, 0, 3, 2]]
        same = type(answers)(rows, answers.n_objects, answers.weights)
        assert np.array_equal(similarity(same), similarity(answers))


@given(comparisons())
def test_votes_and_duplicates_are_their_definitions(answers):
    asked = questions(answers)
    voted = [(near, far) for near, far, _ in questions(majority_vote(answers))]
    assert voted == definitions.majority(asked)
    kept = [(near, far) for near, far, _ in questions(drop_duplicates(answers))]
    assert kept == list(dict.fromkeys((near, far) for near, far, _ in asked))


@given(st.data())
def test_revenue_laws(data):
    """Turned round: minus. Joined: sum. Renamed with the tree: the same."""
    tree = data.draw(trees(min_leaves=3, max_leaves=9))
    answers = data.draw(comparisons(n_objects=tree.n_leaves))
    earned = revenue(tree, answers)
    assert revenue(tree, swap_near_far(answers)) == -earned
    assert revenue(tree, concatenate([answers, answers])) == 2 * earned
    names = np.random.default_rng(data.draw(seeds)).permutation(tree.n_leaves)
    nodes = np.concatenate([names, np.arange(tree.n_leaves, tree.root + 1)])
    assert revenue(type(tree)(nodes[tree.children]), renamed(answers, names)) == earned
