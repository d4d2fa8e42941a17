from itertools import combinations
from math import comb, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import rng, seeds, trees
from tripletree import (
    Tree,
    balanced_tree,
    induced_similarity,
    induced_triplets,
    random_tree,
    sample_induced_triplets,
    triplets_needed,
)
from tripletree.datasets.latent import triples

TREE = Tree([[0, 1], [3, 2]], labels=["a", "b", "c"])


def test_numbers_of_triples():
    for n in (0, 1, 2, 3, 4, 7):
        expected = sorted(combinations(range(n), 3), key=lambda triple: triple[::-1])
        assert triples(np.arange(comb(n, 3)), n).tolist() == [list(t) for t in expected]
    n = 3_000_000
    found = triples(np.array([0, comb(n, 3) - 1]), n)
    assert found.tolist() == [[0, 1, 2], [n - 3, n - 2, n - 1]]


@given(trees(max_leaves=9))
def test_all_triplets_by_the_definition(tree):
    expected, found = definitions.induced_triplets(tree), induced_triplets(tree)
    assert found.n_objects == tree.n_leaves
    rows = [tuple(row) for row in found.rows.tolist()]
    assert sorted(rows) == sorted(expected)
    assert rows[1::2] == [(j, i, k) for i, j, k in rows[::2]]
    s = definitions.adds3(expected, tree.n_leaves)
    assert induced_similarity(tree).tolist() == s


shares = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)


@given(trees(max_leaves=9), shares, shares, seeds)
def test_a_sample_is_part_of_what_the_tree_answers(tree, p, flip, seed):
    everything = set(definitions.induced_triplets(tree))
    straight = sample_induced_triplets(tree, p, rng=rng(seed))
    rows = [tuple(row) for row in straight.rows.tolist()]
    assert len(set(rows)) == len(rows)
    assert set(rows) <= everything
    assert p not in (0, 1) or len(rows) == p * len(everything)
    assert rows[1::2] == [(j, i, k) for i, j, k in rows[::2]]
    turned = sample_induced_triplets(tree, p, flip=flip, rng=rng(seed)).rows.tolist()
    for (i, j, k), found in zip(rows, turned, strict=True):
        as_drawn = {0: [(i, j, k)], 1: [(i, k, j)]}
        assert tuple(found) in as_drawn.get(flip, [(i, j, k), (i, k, j)])


def test_labels_and_numbers_of_questions():
    for answers in (
        induced_triplets(TREE),
        sample_induced_triplets(TREE, 1, rng=rng()),
    ):
        assert answers.labels == ("a", "b", "c")
    tree = balanced_tree(10)
    assert len(sample_induced_triplets(tree, n_questions=3, rng=rng())) == 6


@pytest.mark.compiled
def test_every_pair_is_as_likely_and_flips_are_independent():
    tree, n_all = random_tree(40, rng=rng(1)), comb(40, 3)
    drawn, both = [], np.zeros(4)
    for seed in range(60):
        right, found = (
            sample_induced_triplets(tree, 0.3, flip=flip, rng=rng(seed)).rows
            for flip in (0, 0.2)
        )
        drawn.append(np.sort(right[::2], axis=1) @ [1600, 40, 1])
        is_wrong = (right != found).any(axis=1)
        np.add.at(both, 2 * is_wrong[::2] + is_wrong[1::2], 1)
    counts = np.unique(np.concatenate(drawn), return_counts=True)[1]
    assert len(counts) == n_all
    assert abs(counts.mean() / 60 - 0.3) < 5 * np.sqrt(0.21 / (60 * n_all))
    assert abs(((counts - 18) ** 2 / (60 * 0.21)).mean() - 1) < 5 * np.sqrt(2 / n_all)
    assert np.allclose(both / both.sum(), [0.64, 0.16, 0.16, 0.04], atol=0.005)


def test_the_constants_of_theorem_2():
    n, epsilon, alpha = 10**7, 0.25, 0.5
    needed = triplets_needed(n, epsilon, alpha=alpha)
    assert needed.probability == pytest.approx(4096 * 2.5 * log(n) / (n * 0.0625))
    assert needed.n_all == n * (n - 1) * (n - 2) // 3
    assert needed.n_triplets == pytest.approx(needed.probability * needed.n_all)
    assert needed.confidence == pytest.approx(1 - 2 * n**-0.5)
    assert needed.is_possible
    noisy = triplets_needed(n, epsilon, alpha=alpha, delta=0.25)
    assert noisy.probability == pytest.approx(4 * needed.probability)
    assert noisy.confidence == pytest.approx(1 - n**-0.5)


def test_theorem_2_says_nothing_about_fewer_than_400000_objects():
    """With the best of its constants: epsilon below 1/2, alpha above 0."""
    best = {"epsilon": 0.5 - 1e-9, "alpha": 1e-9}
    assert not triplets_needed(100_000, **best).is_possible
    assert not triplets_needed(420_000, **best).is_possible
    assert triplets_needed(430_000, **best).is_possible
