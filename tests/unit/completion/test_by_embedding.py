from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import examples, random_rows, seeds
from tripletree import (
    Embedding,
    InvalidComparisons,
    InvalidOption,
    Mismatch,
    Triplets,
    aari,
    average_linkage,
    climb,
    completed_similarity,
    expected_adds,
    implied_adds,
    maximise_revenue,
    planted,
    sample_triplets,
)
from tripletree.completion import by_embedding as module
from tripletree.completion.ranks import likelier_adds

SHAPES = ["normal", "clusters", "duplicates", "outlier", "line", "one place"]


def embedding_of(points, alpha=None, labels=None):
    points = np.asarray(points, float)
    alpha = max(points.shape[1] - 1, 1) if alpha is None else alpha
    return Embedding(points, 0.0, float(alpha), 0, True, labels)


@st.composite
def point_sets(draw, max_objects=14):
    """Points in all the ways that make distances unlike one another, or alike."""
    n, d = draw(st.integers(1, max_objects)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(seeds))
    points = rng.normal(size=(n, d)) * draw(st.sampled_from([1e-6, 0.1, 1, 40, 1e7]))
    shape = draw(st.sampled_from(SHAPES))
    if shape == "clusters":
        points = 0.01 * points + 50 * rng.integers(0, 3, (n, 1))
    elif shape == "duplicates":
        points = points[rng.integers(0, max(1, n // 3), n)]
    elif shape == "outlier":
        points[0] = 1e9
    elif shape == "line":
        points[:, 1:] = 0
    elif shape == "one place":
        points[:] = points[0]
    return points


@examples(150)
@given(point_sets(), st.sampled_from([None, 0.7, 1.0, 6.0]))
def test_is_the_sum_over_all_comparisons(points, alpha):
    embedding = embedding_of(points, alpha)
    s = expected_adds(embedding)
    expected = definitions.expected_adds(points.tolist(), embedding.alpha)
    assert np.abs(s - expected).max() < 1e-5 * len(points)
    assert np.array_equal(s, s.T)
    assert not np.diagonal(s).any()


@given(st.integers(1, 12), st.integers(1, 3), st.sampled_from([1, 3, 1000]), seeds)
def test_implied_answers_are_those_of_the_distances(n, d, largest, seed):
    """Integer points: squared distances are exact, and many of them equal."""
    points = np.random.default_rng(seed).integers(-largest, largest + 1, (n, d))
    s = implied_adds(embedding_of(points))
    assert s.dtype == np.int64
    assert s.tolist() == definitions.implied_adds(points.tolist())


@given(st.integers(1, 9), st.sampled_from([1, 3, 10**15]), seeds)
def test_likelier_answers_are_those_of_the_similarity(n, largest, seed):
    s = np.random.default_rng(seed).integers(-largest, largest + 1, (n, n))
    s += s.T
    assert likelier_adds(s).tolist() == definitions.likelier_adds(s.tolist())


def test_average_of_several():
    rng = np.random.default_rng(0)
    one = embedding_of(rng.normal(size=(40, 2)))
    two = embedding_of(rng.normal(size=(40, 5)), alpha=2.5)
    mean = expected_adds([one, two])
    assert np.allclose(mean, (expected_adds(one) + expected_adds(two)) / 2)
    assert np.array_equal(mean, mean.T)
    assert np.array_equal(expected_adds((one,)), expected_adds(one))
    both = implied_adds([one, two])
    assert np.array_equal(both, implied_adds(one) + implied_adds(two))


def planted_answers(n_answers, n_in_block=4):
    """Answers about eight blocks, whose similarities tell three levels, with noise."""
    rng = np.random.default_rng(0)
    model = planted(n_in_block, 3, rng=rng)
    return sample_triplets(model.similarity, n_answers, rng=rng), model.labels


@pytest.mark.slow
@pytest.mark.compiled
def test_finds_blocks_that_few_answers_hide():
    answers, levels = planted_answers(96**2, n_in_block=12)
    s = completed_similarity(answers, n_embeddings=2)
    completed = aari(climb(average_linkage(s), s).tree, levels)
    assert completed > 0.9 > aari(maximise_revenue(answers, n_restarts=5).tree, levels)


@pytest.mark.compiled
def test_seed_decides():
    answers, _ = planted_answers(200)
    one = completed_similarity(answers, n_embeddings=2, seed=1)
    assert np.array_equal(one, completed_similarity(answers, n_embeddings=2, seed=1))
    assert not np.array_equal(one, completed_similarity(answers, n_embeddings=2))
    more = completed_similarity(answers, n_embeddings=3, seed=1)
    assert not np.array_equal(one, more)


def test_no_time_at_all():
    answers, _ = planted_answers(200)
    seen = []
    stopped = completed_similarity(answers, time_limit=0, progress=seen.append)
    assert seen == []
    assert stopped.max() <= 2 * 30  # one embedding
    assert stopped.any()


def test_no_embedding_begins_that_could_not_be_added(monkeypatch):
    """A clock on which an embedding takes three seconds, and adding one, two."""
    now, limits = [0.0], []
    add, run_class = module.add_implied, module.Run

    def add_slowly(points, sums):
        now[0] += 2 * len(sums) / points.shape[1]
        add(points, sums)

    class SlowRun(run_class):
        def search(self, rng, n_starts):
            limits.append(self.time_limit)
            super().search(rng, n_starts)
            self.is_converged = self.time_limit >= 3
            now[0] += min(3, self.time_limit)

    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "add_implied", add_slowly)
    monkeypatch.setattr(module, "Run", SlowRun)
    answers, _ = planted_answers(200)
    for limit, expected in ((20, [16, 11, 6, 1]), (14, [10, 5]), (2, [0])):
        now[0] = 0.0
        limits.clear()
        s = completed_similarity(answers, time_limit=limit)
        assert limits == expected
        assert now[0] <= max(limit, 4)  # one is always added, after it was tried
        assert 0 < s.max() <= len(limits) * 2 * 30


def test_no_answers():
    for n in (1, 2, 3):
        s = completed_similarity(Triplets([], n), n_embeddings=2)
        assert (s.shape, s.sum()) == ((n, n), 0)


NAMED = [embedding_of([[1.0], [2.0]], labels=labels) for labels in ("ab", "ba")]


@pytest.mark.parametrize(
    ("error", "message", "embeddings"),
    [
        (InvalidOption, "this is of type ndarray: give an Embed", NAMED[0].points),
        (InvalidOption, r"embeddings\[1\] is of type int", [NAMED[0], 3]),
        (InvalidOption, "no embeddings to average", []),
        (
            Mismatch,
            "embeddings of 2 and of 3 objects",
            [NAMED[0], embedding_of([[1.0], [2.0], [3.0]])],
        ),
        (Mismatch, "object 0 is 'a' in the first", NAMED),
        (InvalidOption, r"points\[1\] = \(nan,\)", embedding_of([[1.0], [np.nan]])),
    ],
)
def test_wrong_embeddings(error, message, embeddings):
    with pytest.raises(error, match=message):
        expected_adds(embeddings)


@pytest.mark.parametrize(
    ("message", "option"),
    [
        ("give seconds", {"time_limit": -1}),
        ("give an integer from", {"n_embeddings": 0}),
        ("give an integer from", {"seed": -1}),
        ("give an integer from", {"n_dimensions": 0}),
    ],
)
def test_wrong_options(message, option):
    with pytest.raises(InvalidOption, match=message):
        completed_similarity(Triplets([[0, 1, 2]], 3), **option)
    with pytest.raises(InvalidComparisons, match="not list"):
        completed_similarity([[0, 1, 2]], **option)


def test_embeddings_of_a_completion_differ():
    """Ten copies of one embedding would only give ten times its AddS."""
    answers = Triplets(random_rows(0, 60, 15), 15)
    one, two = (completed_similarity(answers, n_embeddings=n) for n in (1, 2))
    assert not np.array_equal(two, 2 * one)
