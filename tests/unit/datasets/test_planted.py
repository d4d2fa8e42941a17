from __future__ import annotations

import random

import numpy as np
import psutil
import pytest

from tests import definitions
from tripletree import InvalidOption, InvalidSimilarity, TooLarge, aari, planted
from tripletree.datasets.published_draws import (
    published_planted,
    published_quadruplets,
    published_triplets,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def in_order(model):
    """The objects, cluster by cluster from left to right."""
    return np.lexsort([np.arange(model.labels.shape[1]), *model.labels[::-1]])


@pytest.mark.parametrize(("size", "n_levels"), [(1, 1), (1, 3), (4, 1), (3, 2), (2, 4)])
def test_means_without_noise(size, n_levels):
    model = planted(size, n_levels, mu=0.5, delta=0.25, sigma=0, rng=rng())
    n = size * 2**n_levels
    order = in_order(model)
    found = model.similarity[np.ix_(order, order)]
    for i in range(n):
        for j in range(n):
            mean = definitions.planted_mean(i, j, size, n_levels, 0.5, 0.25)
            assert found[i, j] == (mean if i != j else 0)


@pytest.mark.parametrize(("size", "n_levels"), [(1, 1), (1, 3), (4, 1), (3, 2), (2, 4)])
def test_labels_are_the_cuts_of_the_true_tree(size, n_levels):
    model = planted(size, n_levels, rng=rng())
    assert model.labels.shape == (n_levels, size * 2**n_levels)
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
    found = np.unique(model.similarity.round(12)).tolist()
    assert found == [0, 0.35, 0.5, 0.65, 0.8]
    with pytest.raises(ValueError, match="read-only"):
        model.similarity[0, 1] = 7


def test_seeds():
    one, same, other = (planted(5, 2, rng=rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one.similarity, same.similarity)
    assert not np.array_equal(one.similarity, other.similarity)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_per_cluster": 0}, "n_per_cluster = 0: give an integer from 1"),
        ({"n_levels": 0}, "n_levels = 0: give an integer from 1 to 20"),
        ({"mu": np.inf}, "mu = inf: give a number"),
        ({"delta": -0.1}, "delta = -0.1: give a number from 0"),
        ({"sigma": "0.1"}, "sigma = '0.1': give a number from 0"),
        ({"rng": 0}, "rng is of type int"),
    ],
)
def test_wrong_options(options, words):
    with pytest.raises(InvalidOption, match=words):
        planted(**{"rng": rng(), **options})


def test_too_large(monkeypatch):
    class Memory:
        available = 32 * 240**2 - 1

    monkeypatch.setattr(psutil, "virtual_memory", Memory)
    with pytest.raises(TooLarge, match="planted similarity of 240 objects"):
        planted(rng=rng())


def test_published_similarity_is_drawn_in_the_published_order():
    """Noise first, upper triangle by rows; then where each object goes."""
    model = published_planted(2, 2, mu=0.5, delta=0.25, sigma=2.0)
    source = np.random.RandomState(0)
    noise, places = source.normal(size=(8, 8)), source.permutation(8)
    for a in range(8):
        for b in range(a + 1, 8):
            mean = definitions.planted_mean(a, b, 2, 2, 0.5, 0.25)
            found = model.similarity[places[a], places[b]]
            assert found == pytest.approx(mean + 2 * noise[a, b], abs=1e-12)
    assert model.labels[1][places].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("run", [0, 9])
@pytest.mark.parametrize("flip", [0.0, 0.5])
def test_published_questions_are_drawn_in_the_published_order(run, flip):
    s = published_planted(2, 1).similarity.copy()
    s[0, 1] = s[1, 0] = s[0, 2] = s[2, 0]  # a tie
    for draw, questions in (
        (published_triplets, definitions.triplet_questions(4)),
        (published_quadruplets, definitions.quadruplet_questions(4)),
    ):
        m = len(questions)
        picked = random.Random(run + 42).sample(range(len(questions)), m)
        turns = np.random.RandomState(run).rand(m) < flip
        expected = []
        for number, is_turned in zip(picked, turns, strict=True):
            question = questions[number]
            near, far = question[:2], (question[0], *question[2:])[-2:]
            difference = s[near] - s[far]
            if (difference < 0) != is_turned:
                near, far = far, near
            if difference != 0:
                expected.append([near, far])
        answers = draw(s, m, run, flip=flip)
        assert len(answers) == len(expected) < m
        assert answers.near.tolist() == [list(near) for near, _ in expected]
        assert answers.far.tolist() == [list(far) for _, far in expected]


def test_published_draws_refuse_what_is_no_run():
    s = published_planted(2, 1).similarity
    for draw, most in ((published_triplets, 12), (published_quadruplets, 15)):
        with pytest.raises(InvalidOption, match=f"n_questions = 16: .* 0 to {most}"):
            draw(s, 16, 0)
        with pytest.raises(InvalidOption, match="run = -1"):
            draw(s, 3, -1)
        with pytest.raises(InvalidOption, match="flip = 2"):
            draw(s, 3, 0, flip=2)
        with pytest.raises(InvalidSimilarity, match="real numbers"):
            draw([["a"]], 3, 0)
