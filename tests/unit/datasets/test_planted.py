import random

import numpy as np
import pytest

from tests import definitions
from tests.strategies import rng
from tripletree import aari, planted
from tripletree.datasets.planted import (
    published_planted,
    published_quadruplets,
    published_triplets,
)


def in_order(model):
    """The objects, cluster by cluster from left to right."""
    return np.lexsort([np.arange(model.labels.shape[1]), *model.labels[::-1]])


@pytest.mark.parametrize(("size", "n_levels"), [(1, 1), (1, 3), (4, 1), (3, 2), (2, 4)])
def test_means_and_labels(size, n_levels):
    """Without noise, similarities are their means; labels are the cuts of the truth."""
    model = planted(size, n_levels, mu=0.5, delta=0.25, sigma=0, rng=rng())
    n, order = size * 2**n_levels, in_order(model)
    found = model.similarity[np.ix_(order, order)]
    means = [
        [definitions.planted_mean(i, j, size, n_levels, 0.5, 0.25) for j in range(n)]
        for i in range(n)
    ]
    assert np.array_equal(found, means - np.diag(np.diag(means)))
    assert model.labels.shape == (n_levels, n)
    for level, labels in enumerate(model.labels, 1):
        members = [
            frozenset(np.flatnonzero(labels == c).tolist()) for c in range(2**level)
        ]
        assert {len(m) for m in members} == {size * 2 ** (n_levels - level)}
        assert set(members) == definitions.cut(model.truth, 2**level)
    assert aari(model.truth, model.labels) == 1


def test_heights_are_minus_the_means():
    model = planted(3, 2, mu=0.5, delta=0.25, sigma=0, rng=rng())
    assert model.truth.heights.tolist() == [-0.5] * 8 + [-0.25] * 2 + [0.0]
    for i, j in ((0, 1), (2, 7), (5, 11)):
        merge = definitions.smallest_cluster(model.truth, i, j) - 12
        assert model.truth.heights[merge] == -model.similarity[i, j]


def test_noise_is_normal_symmetric_and_shuffled():
    model, quiet = (planted(delta=0, sigma=x, rng=rng()) for x in (0.1, 0))
    s = model.similarity
    noise = (s - quiet.similarity)[np.triu_indices(240, 1)] / 0.1
    assert np.array_equal(s, s.T)
    assert not np.diagonal(s).any()
    assert abs(noise.mean()) < 4 / np.sqrt(len(noise))
    assert abs(noise.std() - 1) < 4 / np.sqrt(2 * len(noise))
    assert abs((np.abs(noise) < 1).mean() - 0.6827) < 0.012
    assert np.corrcoef(np.arange(240), model.labels[0])[0, 1] < 0.3


def test_defaults_are_the_papers():
    model = planted(sigma=0, rng=rng())
    assert model.labels.shape == (3, 240)
    assert np.unique(model.similarity.round(12)).tolist() == [0, 0.35, 0.5, 0.65, 0.8]
    assert not model.similarity.flags.writeable


def test_seeds():
    one, same, other = (planted(5, 2, rng=rng(x)).similarity for x in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("run", [0, 9])
@pytest.mark.parametrize("flip", [0.0, 0.5])
def test_published_questions_are_drawn_in_the_published_order(run, flip):
    s = published_planted(2, 1).similarity.copy()
    s[0, 1] = s[1, 0] = s[0, 2] = s[2, 0]  # a tie
    for draw, questions in (
        (published_triplets, definitions.triplet_questions(4)),
        (published_quadruplets, definitions.quadruplet_questions(4)),
    ):
        m, expected = len(questions), []
        picked = random.Random(run + 42).sample(questions, m)
        turns = np.random.RandomState(run).rand(m) < flip
        for question, is_turned in zip(picked, turns, strict=True):
            pairs = [question[:2], (question[0], *question[2:])[-2:]]
            near, far = pairs[:: -1 if (s[pairs[0]] < s[pairs[1]]) != is_turned else 1]
            if s[near] != s[far]:
                expected.append((*near, *far))
        answers = draw(s, m, run, flip=flip)
        assert len(answers) == len(expected) < m
        found = np.hstack([answers.near, answers.far]).tolist()
        assert [tuple(row) for row in found] == expected
