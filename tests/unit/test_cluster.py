from __future__ import annotations

import itertools
import math
import re
import threading
import time
import warnings
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

from tripletree import (
    InvalidComparisons,
    InvalidOption,
    InvalidSimilarity,
    Mismatch,
    Quadruplets,
    TooLarge,
    Triplets,
    aari,
    adds_similarity,
    average_linkage,
    cluster,
    completed_similarity,
    cosine_similarity,
    four_k_similarity,
    held_out,
    maximise_revenue,
    mulk_similarity,
    planted,
    revenue,
    sample_triplets,
    satisfaction,
    tste,
)
from tripletree.clustering import workflow
from tripletree.clustering.method_choice import CANDIDATES, chance_warnings
from tripletree.datasets.animals import animals
from tripletree.evaluation.holdout import HeldOut
from tripletree.linkage.sparse_average import linkage_of
from tripletree.methods import METHODS, make_tree
from tripletree.tree.distances import shared_clades

pytestmark = pytest.mark.compiled

BARE = {"bound": False, "support": 0}
ALONE = {"n_folds": 0, **BARE}  # the tree, and nothing about it
FOUR = Triplets([[0, 1, 2], [1, 0, 3], [3, 2, 0], [2, 3, 1]], n_objects=4)


@pytest.fixture(scope="module")
def answers():
    return animals(400).answers


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_every_method_tells_the_truth_about_its_tree(method, answers):
    features = None
    if method == "cosine-al":
        features = np.random.default_rng(0).normal(size=(20, 3))
    result = cluster(answers, method, features=features, n_folds=2, support=0)
    tree = result.tree
    assert tree.labels == answers.labels
    assert result.method in METHODS
    assert result.revenue == revenue(tree, answers)
    assert result.satisfaction == satisfaction(tree, answers)
    assert result.normalised_revenue == result.revenue / (len(answers) * 18)
    assert result.gap.revenue == result.revenue <= result.bound
    assert result.held_out_revenue == result.held_out[result.method].revenue
    assert ("do not rely on this tree" in result.advice) == (method == "cosine-al")
    assert result.seconds > 0
    assert [w for w in result.warnings if "chance" not in w] == []
    assert bool(result.warnings) == (method == "cosine-al")  # of random features
    if method != "auto":
        assert result.method == method
        assert list(result.held_out) == [method]


@pytest.mark.slow
def test_methods_are_what_they_say(answers):
    features = np.random.default_rng(0).normal(size=(20, 3))
    expected = {
        "adds-al": average_linkage(adds_similarity(answers)),
        "mulk-al": average_linkage(mulk_similarity(answers)),
        "4k-al": average_linkage(four_k_similarity(answers)),
        "cosine-al": average_linkage(cosine_similarity(features)),
        "tste-al": average_linkage(cosine_similarity(tste(answers).points)),
        "climb": maximise_revenue(answers).tree,
        "complete": maximise_revenue(completed_similarity(answers)).tree,
    }
    for method, tree in expected.items():
        given = features if method == "cosine-al" else None
        found = cluster(answers, method, features=given, **ALONE)
        assert found.tree.is_same_hierarchy(tree), method
        assert found.held_out == {}
        assert found.held_out_revenue is None


@pytest.mark.slow
def test_auto_takes_the_largest_held_out_revenue():
    truth = planted(8, 2, rng=np.random.default_rng(0))
    rng = np.random.default_rng(1)
    few = sample_triplets(truth.similarity, 150, flip=0.05, rng=rng)
    result = cluster(few, **BARE)
    assert tuple(result.held_out) == CANDIDATES
    revenues = {name: found.revenue for name, found in result.held_out.items()}
    assert result.held_out_revenue == max(revenues.values())
    assert result.reason.startswith("largest held-out revenue")
    assert "150 comparisons are few for 32 objects" in result.advice
    many = sample_triplets(truth.similarity, 9 * 32**2, flip=0.05, rng=rng)
    plenty = cluster(many, **BARE)
    assert plenty.method == "climb"
    assert "complete was not tried" in plenty.reason
    assert plenty.advice == ""
    assert aari(plenty.tree, truth.labels) == 1.0


def test_trials_are_the_methods_with_fewer_restarts(answers):
    few = answers[:100]
    result = cluster(few, n_folds=2, seed=3, **BARE)

    def climbed(train):
        return maximise_revenue(train, n_restarts=50, seed=3).tree

    def completed(train):
        s = completed_similarity(train, n_embeddings=3, seed=3)
        return maximise_revenue(s, n_restarts=50, seed=3).tree

    for name, make in {"climb": climbed, "complete": completed}.items():
        assert result.held_out[name] == held_out(few, make, n_folds=2, seed=3)


@pytest.mark.slow
def test_seeds_reach_the_embeddings(answers):
    seeds = (1, 1, 2)
    one, same, two = (
        cluster(answers[:150], "complete", seed=seed, **BARE) for seed in seeds
    )
    assert one.tree.to_newick() == same.tree.to_newick() != two.tree.to_newick()
    assert one.held_out == same.held_out != two.held_out


def test_quadruplets():
    rows = [[0, 1, 2, 3], [0, 1, 0, 2], [2, 3, 1, 2], [4, 5, 0, 5], [2, 3, 4, 0]]
    given = Quadruplets(rows, 6)
    assert cluster(given, n_folds=2, **BARE).satisfaction.violated == 0
    for method in ("mulk-al", "tste-al"):
        assert cluster(given, method, **ALONE).tree.n_leaves == 6


def test_warnings_name_what_is_left_to_chance():
    labels = [f"thing {i}" for i in range(14)]
    answers = Triplets([[0, 1, 2], [3, 4, 5]], 14, labels=labels)
    result = cluster(answers, "adds-al", **ALONE)
    assert "8 of 14 objects occur in no answer (thing 6, thing 7" in result.warnings[0]
    assert ", ...)" in result.warnings[0]
    assert "the 2 groups" in result.warnings[1]
    text = str(result)
    assert text.startswith("Tree of 14 objects by adds-al: as asked.")
    assert text.count("warning: ") == 2
    assert "2 comparisons are few for 14 objects" in text
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(6), (50, 1)), axis=1)
    of_no_weight = Triplets(rows[:, :3], 6, weights=np.zeros(50, int))
    result = cluster(of_no_weight, "adds-al", n_folds=2, **BARE)
    assert "6 of 6 objects occur in no answer" in result.warnings[0]
    assert result.advice.startswith("0 comparisons are few")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_smallest(n):
    result = cluster(Triplets(np.empty((0, 3), int), n), support=2)
    assert result.tree.n_leaves == n
    assert result.revenue == 0
    assert result.normalised_revenue == 0


def test_equal_revenues_and_close_ones_are_called_so():
    nothing = cluster(Triplets([[0, 1, 2], [0, 2, 1]], 3), **BARE)
    assert nothing.method == "adds-al"
    assert nothing.reason.startswith("the first of equal held-out revenues")
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(12), (100, 1)), axis=1)[:, :3]
    noise = cluster(Triplets(rows, 12), **BARE)
    best = noise.held_out[noise.method].revenues
    others = [v.revenues for k, v in noise.held_out.items() if k != noise.method]
    second = max(others, key=sum)
    assert any(x <= y for x, y in zip(best, second, strict=True))
    assert "It is close" in noise.reason
    assert "than by chance" in noise.warnings[0]


def test_few_right_answers_are_not_called_chance():
    found = cluster(FOUR, **BARE)
    assert found.held_out[found.method].accuracy == 1
    assert any("too few questions to tell" in warning for warning in found.warnings)
    assert "no more often" not in str(found)
    guessing = HeldOut(0, 0.5, (0,))
    assert "no more often" in chance_warnings(guessing, FOUR)[0]
    assert chance_warnings(guessing, FOUR[:0]) == []


@pytest.mark.parametrize("error", [TooLarge, InvalidSimilarity])
def test_a_bound_that_does_not_fit_costs_no_tree(answers, monkeypatch, error):
    def refuse(*arguments, **options):
        raise error

    monkeypatch.setattr(workflow, "gap_of", refuse)
    result = cluster(answers, "adds-al", n_folds=0, support=0)
    assert result.gap is None
    assert result.bound is None
    assert result.tree.n_leaves == answers.n_objects


@pytest.mark.parametrize("n_objects", [12, 20])
def test_sums_too_large_for_a_bound_cost_no_tree(answers, n_objects):
    """Searches refuse them; a tree of embedded points does not need them."""
    rows = answers.rows[(answers.rows < n_objects).all(axis=1)]
    heavy = Triplets(rows, n_objects, weights=np.full(len(rows), 2**62 // len(rows)))
    with pytest.raises(InvalidSimilarity, match="too large"):
        cluster(heavy, "climb", n_folds=0)
    found = cluster(heavy, "tste-al", n_folds=0)
    assert found.gap is None
    assert found.support is None
    assert any("no bootstrap support" in warning for warning in found.warnings)
    with pytest.raises(InvalidComparisons, match=r"2\^57"):
        cluster(heavy, "tste-al", n_folds=0, support=3)
    assert found.revenue == revenue(found.tree, heavy)


def test_an_estimate_is_no_bound(answers):
    result = cluster(answers, "adds-al", n_folds=0, support=0)
    estimated = replace(result, gap=replace(result.gap, is_estimate=True))
    assert result.bound == result.gap.bound
    assert estimated.bound is None
    assert "upper bound" not in str(estimated)
    without = cluster(answers, "adds-al", **ALONE)
    assert (without.gap, without.bound) == (None, None)


def test_a_proved_optimum_is_said_to_be_one():
    found = cluster(FOUR, "climb", n_folds=0, support=0)
    assert found.bound == found.revenue == 8
    assert "proven optimal" in str(found)
    less = replace(found, revenue=7, gap=replace(found.gap, revenue=7))
    assert "upper bound 8: this tree earns at least" in str(less)


@pytest.mark.parametrize("weight", [0.5, 0.3])
def test_optima_of_floats_are_proved_up_to_rounding(weight):
    rows = animals(3000).answers.rows
    rows = rows[(rows < 12).all(axis=1)]
    given = Triplets(rows, 12, weights=np.full(len(rows), weight))
    found = cluster(given, "climb", n_folds=0, support=0)
    assert found.gap.bound >= found.revenue
    assert "proven optimal" in str(found)
    less = replace(found.gap, revenue=found.revenue * (1 - 1e-6))
    assert not less.is_closed


def test_progress_says_what_is_being_done(answers):
    said = []
    cluster(answers[:100], "climb", progress=said.append, support=2, curve=True)
    steps = list(dict.fromkeys(progress.step for progress in said))
    assert steps == [
        "held-out revenue of climb",
        "tree by climb",
        "a bound on all trees",
        "how certain each cluster is",
        "learning curve",
    ]
    trials = [str(p) for p in said if p.step.startswith("held-out")]
    assert trials[1] == "held-out revenue of climb: 1 of 3"
    assert "tree by climb" in map(str, said)


def test_other_threads_can_cluster(answers):
    found = []
    thread = threading.Thread(
        target=lambda: found.append(cluster(answers, "adds-al", **ALONE))
    )
    thread.start()
    thread.join()
    assert found[0].revenue == cluster(answers, "adds-al", **ALONE).revenue


@pytest.mark.parametrize(
    ("method", "options", "error", "words"),
    [
        ("ward", {}, InvalidOption, "choose adds-al, mulk-al"),
        (np.array(["climb", "climb"]), {}, InvalidOption, "choose adds-al"),
        ("auto", {"features": np.ones((20, 2))}, InvalidOption, "only for cosine-al"),
        ("cosine-al", {}, InvalidOption, "needs features"),
        ("cosine-al", {"features": np.ones((3, 2))}, Mismatch, "features of 3 objects"),
        (
            "cosine-al",
            {"features": [[1], [1, 2]]},
            InvalidSimilarity,
            "rows of equal length",
        ),
        ("auto", {"n_folds": 0}, InvalidOption, "n_folds"),
        ("climb", {"n_folds": 1}, InvalidOption, "n_folds"),
        ("auto", {"progress": 3}, InvalidOption, "progress = 3"),
        ("auto", {"seed": -1}, InvalidOption, "seed"),
        ("auto", {"time_limit": "soon"}, InvalidOption, "time_limit"),
        *(
            ("auto", {"n_clusters": wrong}, InvalidOption, "n_clusters")
            for wrong in (0, 21, "many", 2.5)
        ),
        *(
            ("auto", {"support": wrong}, InvalidOption, "support")
            for wrong in (-1, "all", None)
        ),
    ],
)
def test_wrong_input(answers, method, options, error, words):
    with pytest.raises(error, match=words):
        cluster(answers, method, **options)
    with pytest.raises(InvalidComparisons):
        cluster([[0, 1, 2]])


def test_no_time(answers):
    result = cluster(answers, time_limit=0)
    assert result.method == "adds-al"
    assert "no time" in result.reason
    assert result.gap is None
    assert result.support is None
    assert "allowed 0 of 100 bootstrap replicates" in result.warnings[-1]


def test_a_time_limit_that_cuts_is_reported(monkeypatch):
    # From the moment at which it begins, a second goes by between two looks.
    now = itertools.count(time.monotonic())
    clock = SimpleNamespace(monotonic=now.__next__)
    timed = ("clustering.workflow", "clustering.method_choice", "methods")
    for name in (*timed, "search.climb", "search.moves", "embedding.tste"):
        monkeypatch.setattr(import_module(f"tripletree.{name}"), "time", clock)
    truth = planted(10, 3, rng=np.random.default_rng(0))
    answers = sample_triplets(truth.similarity, 2_000, rng=np.random.default_rng(1))
    result = cluster(answers, "climb", time_limit=50, **ALONE)
    assert "stopped early" in result.warnings[-1]
    result = cluster(answers, time_limit=150, **BARE)
    assert re.search("complete was (cut short|stopped|not tried)", result.reason)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_linkage_stops_between_steps(form, monkeypatch):
    """After the limit the merges so far are kept, and the rest is joined anyhow."""
    looks = []
    clock = SimpleNamespace(monotonic=lambda: looks.append(1) or len(looks))
    for name in ("average", "sparse_average"):
        module = import_module(f"tripletree.linkage.{name}")
        monkeypatch.setattr(module, "time", clock)
        for constant in ("SUMS_PER_STEP", "READS_PER_STEP"):
            monkeypatch.setattr(module, constant, 200, raising=False)
    truth = planted(5, 3, rng=np.random.default_rng(0))
    answers = sample_triplets(truth.similarity, 3_000, rng=np.random.default_rng(1))
    s = adds_similarity(answers, sparse=form == "sparse")
    whole = linkage_of(s)
    assert whole.heights is not None
    n_looks = len(looks)
    for n_allowed in range(1, n_looks):
        looks.clear()
        cut = linkage_of(s, end=n_allowed)
        assert len(looks) == n_allowed
        assert cut.heights is None
        assert cut.n_leaves == 40
        assert shared_clades(cut, whole)[:-1].sum() > 0


def test_trials_and_replicates_end_with_the_limit(answers, monkeypatch):
    """A fold or a replicate that the limit ends is given up, not finished."""
    now, made = [time.monotonic()], []

    def slow(method, data, *, seconds=math.inf, **options):
        now[0] += 100  # seconds for each tree
        made.append(seconds)
        return make_tree(method, data, **options)[0], seconds < 100

    clock = SimpleNamespace(monotonic=lambda: now[0])
    for name in ("clustering.workflow", "clustering.method_choice"):
        monkeypatch.setattr(f"tripletree.{name}.time", clock)
    monkeypatch.setattr("tripletree.evaluation.support.time", clock)
    monkeypatch.setattr(workflow, "make_tree", slow)
    result = cluster(answers, "mulk-al", time_limit=50)
    assert len(made) == 2  # a fold of three, and the tree
    assert result.held_out == {}
    assert result.support is None
    assert "the time limit allowed 0 of 100 bootstrap replicates." in result.warnings
    result = cluster(answers, "mulk-al", n_folds=0, time_limit=1_000)
    assert 0 < result.support.n_replicates < 10


@pytest.mark.parametrize(
    ("method", "n", "limit", "is_said"),
    [
        ("climb", 10_000, 0.5, True),
        ("climb", 10_000, 5, False),
        ("complete", 10_000, 5, True),
        ("climb", 200_000, 1, False),
    ],
)
def test_a_limit_that_is_too_short_is_reported_at_the_start(
    method, n, limit, is_said, monkeypatch
):
    monkeypatch.setattr(workflow, "_Run", None)  # nothing is begun
    few = Triplets(np.arange(9_000).reshape(-1, 3), n)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(TypeError):
            cluster(few, method, time_limit=limit)
    found = [str(one.message).endswith("whatever the time limit.") for one in said]
    assert found == [True] * is_said
