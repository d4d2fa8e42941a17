"""Comparisons: what can be done to answers, and what that does to their sums."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import comparisons, seeds, trees
from tripletree import (
    Triplets,
    adds_similarity,
    concatenate,
    drop_duplicates,
    majority_vote,
    revenue,
    satisfaction,
    swap_near_far,
)


def questions(answers):
    weights = [1] * len(answers) if answers.weights is None else answers.weights
    return [
        (frozenset(near), frozenset(far), weight)
        for near, far, weight in zip(
            answers.near.tolist(), answers.far.tolist(), weights, strict=True
        )
    ]


@given(comparisons())
def test_adds_is_its_definition(answers):
    is_triplets = isinstance(answers, Triplets)
    definition = definitions.adds3 if is_triplets else definitions.adds4
    weights = None if answers.weights is None else answers.weights.tolist()
    expected = definition(answers.rows.tolist(), answers.n_objects, weights)
    assert adds_similarity(answers, sparse=False).tolist() == expected
    sparse = adds_similarity(answers, sparse=True)
    assert sparse.toarray().tolist() == expected
    assert (sparse.data != 0).all()


@given(comparisons())
def test_adds_sums_to_zero(answers):
    assert adds_similarity(answers).sum() == 0


@given(comparisons())
def test_swapping_near_and_far_flips_the_sign(answers):
    s = adds_similarity(answers)
    assert np.array_equal(adds_similarity(swap_near_far(answers)), -s)
    twice = swap_near_far(swap_near_far(answers))
    assert np.array_equal(twice.rows, answers.rows)


@given(comparisons(width=3, n_objects=7), comparisons(width=3, n_objects=7))
def test_joined_answers_add_up(one, two):
    both = adds_similarity(concatenate([one, two]))
    assert np.array_equal(both, adds_similarity(one) + adds_similarity(two))


@given(comparisons(), seeds)
def test_order_of_answers_does_not_matter(answers, seed):
    order = np.random.default_rng(seed).permutation(len(answers))
    s = adds_similarity(answers)
    assert np.array_equal(adds_similarity(answers[order]), s)


@given(comparisons(), seeds)
def test_renaming_objects_renames_the_sums(answers, seed):
    names = np.random.default_rng(seed).permutation(answers.n_objects)
    renamed = type(answers)(names[answers.rows], answers.n_objects, answers.weights)
    s = adds_similarity(renamed)
    assert np.array_equal(s[np.ix_(names, names)], adds_similarity(answers))


@given(comparisons(kind="int"))
def test_a_weight_is_a_number_of_answers(answers):
    repeated = answers[np.repeat(np.arange(len(answers)), answers.weights)]
    plain = type(answers)(repeated.rows, answers.n_objects)
    assert np.array_equal(adds_similarity(plain), adds_similarity(answers))


@given(comparisons(width=3))
def test_triplets_as_quadruplets(answers):
    as_quadruplets = adds_similarity(answers.to_quadruplets())
    assert np.array_equal(as_quadruplets, adds_similarity(answers))


@given(comparisons())
def test_majority_is_its_definition(answers):
    voted = majority_vote(answers)
    assert [(near, far) for near, far, _ in questions(voted)] == definitions.majority(
        questions(answers)
    )


@given(comparisons())
def test_duplicates_are_dropped_in_order(answers):
    kept = drop_duplicates(answers)
    seen = dict.fromkeys((near, far) for near, far, _ in questions(answers))
    assert [(near, far) for near, far, _ in questions(kept)] == list(seen)


@given(st.data())
def test_revenue_laws(data):
    """Turned round: minus. Joined: sum. Renamed with the tree: the same."""
    tree = data.draw(trees(min_leaves=3, max_leaves=9))
    answers = data.draw(comparisons(n_objects=tree.n_leaves))
    earned = revenue(tree, answers)
    assert revenue(tree, swap_near_far(answers)) == -earned
    assert revenue(tree, concatenate([answers, answers])) == 2 * earned
    names = np.random.default_rng(data.draw(seeds)).permutation(tree.n_leaves)
    renamed = type(answers)(names[answers.rows], tree.n_leaves, answers.weights)
    nodes = np.concatenate([names, np.arange(tree.n_leaves, tree.root + 1)])
    assert revenue(type(tree)(nodes[tree.children]), renamed) == earned


@given(st.data())
def test_satisfaction_is_its_definition(data):
    tree = data.draw(trees(min_leaves=3, max_leaves=9))
    answers = data.draw(comparisons(n_objects=tree.n_leaves, kind=None))
    found = satisfaction(tree, answers)
    expected = definitions.satisfaction(
        tree, answers.near.tolist(), answers.far.tolist()
    )
    assert (found.satisfied, found.tied, found.violated) == expected
