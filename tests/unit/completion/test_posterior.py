import tracemalloc
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize

from tests import definitions
from tests.strategies import comparisons, random_rows, seeds
from tripletree import (
    Triplets,
    aari,
    block_posterior,
    maximise_revenue,
    planted,
    sample_quadruplets,
    sample_triplets,
)
from tripletree.completion import _posterior_kernel as kernels, posterior as module
from tripletree.completion.posterior import (
    PULL,
    add_expected,
    answers_by_object,
    fit_closeness,
    level_table,
    node_factors,
)

THETA = np.array([0.0, 0.7, 1.9])
LOG_P = -np.logaddexp(0, np.subtract.outer(-THETA, -THETA))


def state_of(places, depth=2):
    nodes = (1 << depth) + np.array(places)
    n_below = np.zeros(2 << depth, np.int64)
    for shift in range(depth + 1):
        np.add.at(n_below, nodes >> shift, 1)
    return np.array(places), n_below


def test_places_meet_where_their_bits_differ():
    for depth in (1, 2, 4):
        found = level_table(depth)
        for c, d in product(range(1 << depth), repeat=2):
            assert found[c, d] == definitions.meeting_depth(c, d, depth)


@given(comparisons(), seeds)
def test_scores_are_the_likelihood_of_all_answers(answers, seed):
    """Up to a constant, with each object taken to each place."""
    data = answers_by_object(answers)
    places = np.random.default_rng(seed).integers(0, 4, answers.n_objects)
    scores, tally = np.empty(8), np.full((8, 4, 3), np.nan)
    level, model = level_table(2), (level_table(2), LOG_P, 1.0)
    factors = node_factors(LOG_P)
    for x in range(answers.n_objects):
        state = places, state_of(np.delete(places, x))[1]
        kernels.score_places(x, state, data.entries, level, factors, tally, scores)
        expected = []
        for c in range(4):
            moved = places.copy()
            moved[x] = c
            expected.append(kernels.log_likelihood(moved, data.answers, model))
        found = [scores[c] + scores[c >> 1] for c in range(4, 8)]
        assert np.allclose(np.diff(found), np.diff(expected), atol=1e-9)


@given(comparisons(max_rows=15), seeds)
def test_posterior_is_its_definition(answers, seed):
    data = answers_by_object(answers)
    drawn = np.random.default_rng(seed).integers(0, 4, (2, answers.n_objects))
    model = level_table(2), LOG_P, 1.0
    found = [
        kernels.log_likelihood(places, data.answers, model) + kernels.log_prior(n_below)
        for places, n_below in map(state_of, drawn)
    ]
    rows, weights = (values.tolist() for values in data.answers)
    one, two = (
        definitions.block_log_posterior(places.tolist(), rows, weights, 2, THETA)
        for places in drawn
    )
    assert np.isclose(found[0] - found[1], one - two, atol=1e-9)


@pytest.mark.parametrize("is_swapping", [False, True])
def test_samples_follow_the_posterior(is_swapping):
    """Every state of three objects at four places comes as often as it is likely."""
    data = answers_by_object(Triplets([[0, 1, 2], [1, 0, 2], [0, 1, 2], [2, 0, 1]], 3))
    states = [*product(range(4), repeat=3)]
    rows, weights = (values.tolist() for values in data.answers)
    logs = [definitions.block_log_posterior(s, rows, weights, 2, THETA) for s in states]
    expected = np.exp(logs) / np.exp(logs).sum()
    rng = np.random.default_rng(0)
    places, n_below = state_of([0, 1, 2])
    state, level = (places, n_below), level_table(2)
    of_sweep = level, node_factors(LOG_P), np.log(np.arange(1.0, 6.0))
    model = level, LOG_P, 1.0
    counts = dict.fromkeys(states, 0)
    n = 40_000
    for _ in range(n):
        draws = rng.permutation(3), rng.random(3)
        kernels.redraw_places(state, data.entries, *of_sweep, *draws)
        if is_swapping:
            pairs = 4 + rng.integers(0, 4, (2, 2))
            kernels.swap_branches(state, data.answers, model, pairs, rng.random(2))
        counts[tuple(places.tolist())] += 1
    assert np.abs(np.array([counts[s] for s in states]) / n - expected).max() < 0.01
    assert n_below.tolist() == state_of(places.tolist())[1].tolist()


def test_closeness_is_the_most_likely_one():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 30, (4, 4)).astype(float) * np.tri(4, k=-1)
    counts += counts.T / 3
    theta, step, pull = 1.5 * np.arange(4.0), 1.5, PULL
    fit_closeness(theta, counts, step, 50)

    def loss(increments):
        values = np.concatenate([[0], np.cumsum(increments)])
        log_p = -np.logaddexp(0, np.subtract.outer(-values, -values))
        return pull / 2 * ((increments - step) ** 2).sum() - (counts * log_p).sum()

    best = minimize(loss, np.ones(3), bounds=[(0, None)] * 3)
    assert np.allclose(np.diff(theta), best.x, atol=1e-4)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7))
def test_expected_adds_is_its_definition(places):
    sums = np.zeros((len(places), len(places)))
    add_expected(np.array(places), level_table(2), THETA, sums)
    expected = definitions.block_expected_adds(places, 2, THETA)
    assert np.allclose(sums + sums.T, expected, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("sample", [sample_triplets, sample_quadruplets])
def test_it_finds_planted_clusters(sample):
    model = planted(8, rng=np.random.default_rng(0))
    answers = sample(model.similarity, 4_096, rng=np.random.default_rng(1))
    found = block_posterior(answers)
    tree = maximise_revenue(found.similarity, n_restarts=5).tree
    assert aari(tree, model.labels) > 0.9
    assert found.places.max() < 2**found.depth
    assert (np.diff(found.closeness, axis=1) >= 0).all()


def test_threads_change_nothing(monkeypatch):
    answers = Triplets([[0, 1, 2], [1, 0, 3], [3, 4, 0], [4, 3, 2]] * 5, 5)
    results = []
    for n_threads in ("1", "3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
        results.append(block_posterior(answers, n_chains=3, seed=2))
    for name in ("places", "closeness", "similarity", "depth"):
        one, two = (np.asarray(getattr(x, name)).tolist() for x in results)
        assert one == two


def test_weights_are_repeated_answers():
    rows = np.array([[0, 1, 2], [1, 0, 3], [3, 4, 0]])
    weighted = Triplets(rows, 5, [3, 1, 2])
    repeated = Triplets(np.repeat(rows, [3, 1, 2], axis=0), 5)
    one, two = (
        block_posterior(x, depth=2, n_chains=2).similarity for x in (weighted, repeated)
    )
    assert np.allclose(one, two)


@pytest.mark.parametrize(("n_objects", "n_rows"), [(700, 50), (20, 50_000)])
def test_memory_is_asked_for_before_it_is_used(monkeypatch, n_objects, n_rows):
    asked = []
    monkeypatch.setattr(module, "check_fits", lambda size, *_: asked.append(size))
    answers = Triplets(random_rows(0, n_rows, 20), n_objects)
    block_posterior(answers, n_chains=1, time_limit=0)  # compiles
    tracemalloc.start()
    block_posterior(answers, n_chains=4, time_limit=0)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < asked[-1] + 10**6


def test_a_time_limit_leaves_a_sample():
    answers = Triplets([[0, 1, 2], [1, 0, 3]], 4)
    found = block_posterior(answers, n_chains=3, time_limit=0)
    assert found.is_stopped
    assert 1 <= len(found.places) <= 3
    assert len(found.places) == len(found.closeness)


def test_no_block_of_work_begins_that_ends_after_the_limit(monkeypatch):
    """Ten seconds, with a clock on which objects and rows of samples take their time.

    A row of a sample takes 0.01 seconds, so that one takes a second and the mean of two
    chains less than two; a part of a sweep takes a second.
    """
    now = [0.0]
    add, redraw = module.add_expected, kernels.redraw_places

    def add_slowly(places, level, closeness, sums):
        now[0] += 0.01 * len(sums)
        add(places, level, closeness, sums)

    def redraw_slowly(state, data, level, factors, logs, order, draws):
        now[0] += 1
        redraw(state, data, level, factors, logs, order, draws)

    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "add_expected", add_slowly)
    monkeypatch.setattr(kernels, "redraw_places", redraw_slowly)
    monkeypatch.setattr(module, "STEPS_PER_LOOK", 1_000)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    answers = Triplets(random_rows(0, 300, 100), 100)
    found = block_posterior(answers, depth=2, n_chains=2, time_limit=10)
    assert found.is_stopped
    assert len(found.places) == 1  # the second chain had no time to begin
    assert 8 <= now[0] <= 10


def test_a_sweep_in_parts_is_the_same_sweep(monkeypatch):
    answers = Triplets(random_rows(0, 300, 20), 20)
    whole = block_posterior(answers, depth=2, n_chains=1)
    monkeypatch.setattr(module, "STEPS_PER_LOOK", 100)
    in_parts = block_posterior(answers, depth=2, n_chains=1)
    assert np.array_equal(whole.places, in_parts.places)
    assert np.array_equal(whole.similarity, in_parts.similarity)
