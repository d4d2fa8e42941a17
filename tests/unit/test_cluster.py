import itertools
import math
import re
import time
import warnings
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.strategies import random_rows
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
from tripletree.linkage.average import with_average_heights
from tripletree.linkage.sparse_average import linkage_of
from tripletree.methods import LARGEST_DENSE, METHODS, make_tree, tree_of_similarity
from tripletree.tree.distances import shared_clades
from tripletree.tree.shapes import caterpillar_tree

pytestmark = pytest.mark.compiled

BARE = {"bound": False, "support": 0}
ALONE = {"n_folds": 0, **BARE}  # the tree, and nothing about it
FOUR = Triplets([[0, 1, 2], [1, 0, 3], [3, 2, 0], [2, 3, 1]], n_objects=4)
FEATURES = np.random.default_rng(0).normal(size=(20, 3))


@pytest.fixture(scope="module")
def answers():
    return animals(400).answers


@pytest.mark.slow
@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_every_method_tells_the_truth_about_its_tree(method, answers):
    given = FEATURES if method == "cosine-al" else None
    result = cluster(answers, method, features=given, n_folds=2, support=0)
    tree = result.tree
    assert tree.labels == answers.labels
    assert result.revenue == revenue(tree, answers) == result.gap.revenue
    assert result.satisfaction == satisfaction(tree, answers)
    assert result.normalised_revenue == result.revenue / (len(answers) * 18)
    assert result.revenue <= result.bound
    assert result.held_out_revenue == result.held_out[result.method].revenue
    assert ("do not rely on this tree" in result.advice) == (method == "cosine-al")
    assert result.seconds > 0
    assert [w for w in result.warnings if "chance" not in w] == []
    assert bool(result.warnings) == (method == "cosine-al")  # of random features
    assert result.method in (METHODS if method == "auto" else [method])
    tried = {*CANDIDATES[:3]} if method == "auto" else {method}  # n^2: no posterior
    assert {*result.held_out} == tried


@pytest.mark.slow
def test_methods_are_what_they_say(answers):
    expected = {
        "adds-al": average_linkage(adds_similarity(answers)),
        "mulk-al": average_linkage(mulk_similarity(answers)),
        "4k-al": average_linkage(four_k_similarity(answers)),
        "cosine-al": average_linkage(cosine_similarity(FEATURES)),
        "tste-al": average_linkage(cosine_similarity(tste(answers).points)),
        "climb": maximise_revenue(answers).tree,
        "complete": maximise_revenue(completed_similarity(answers)).tree,
    }
    for method, tree in expected.items():
        given = FEATURES if method == "cosine-al" else None
        found = cluster(answers, method, features=given, **ALONE)
        assert found.tree.is_same_hierarchy(tree), method
        assert (found.held_out, found.held_out_revenue) == ({}, None)


@pytest.mark.slow
def test_auto_compares_methods_on_held_out_answers():
    truth = planted(8, 2, rng=np.random.default_rng(0))
    rng = np.random.default_rng(1)
    result = cluster(sample_triplets(truth.similarity, 150, flip=0.05, rng=rng), **BARE)
    assert tuple(result.held_out) == CANDIDATES[:3]  # few objects: no posterior
    assert result.held_out_revenue == result.held_out[result.method].revenue
    assert "on unseen ones" in result.reason
    assert "150 comparisons are few for 32 objects" in result.advice
    many = sample_triplets(truth.similarity, 9 * 32**2, flip=0.05, rng=rng)
    plenty = cluster(many, **BARE)
    assert (plenty.method, plenty.advice) == ("climb", "")
    assert "complete was not tried" in plenty.reason
    assert aari(plenty.tree, truth.labels) == 1.0


def test_trials_are_the_methods_with_fewer_restarts(answers):
    few = answers[:100]
    result = cluster(few, n_folds=2, seed=3, **BARE)

    def climbed(s):
        return maximise_revenue(s, n_restarts=50, seed=3).tree

    def completed(train):
        return climbed(completed_similarity(train, n_embeddings=3, seed=3))

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


def test_auto_takes_quadruplets():
    rows = [[0, 1, 2, 3], [0, 1, 0, 2], [2, 3, 1, 2], [4, 5, 0, 5], [2, 3, 4, 0]]
    result = cluster(Quadruplets(rows, 6), n_folds=2, **BARE)
    assert result.satisfaction.violated == 0


def test_warnings_name_what_is_left_to_chance():
    labels = [f"thing {i}" for i in range(14)]
    answers = Triplets([[0, 1, 2], [3, 4, 5]], 14, labels=labels)
    result = cluster(answers, "adds-al", **ALONE)
    first, second = result.warnings
    words = r"8 of 14 objects occur in no answer \(thing 6, thing 7.*, \.\.\.\)"
    assert re.search(words, first)
    assert "into 2 groups" in second
    text = str(result)
    assert text.startswith("Tree of 14 objects by adds-al: as asked.")
    assert text.count("warning: ") == 2
    assert "2 comparisons are few for 14 objects" in text
    of_no_weight = Triplets(random_rows(0, 50, 6), 6, weights=np.zeros(50, int))
    result = cluster(of_no_weight, "adds-al", n_folds=2, **BARE)
    assert "6 of 6 objects occur in no answer" in result.warnings[0]
    assert result.advice.startswith("0 comparisons are few")


def test_rows_of_weight_0_change_nothing(answers):
    """They are no answers: neither `auto` nor the bootstrap goes by their number."""
    few = answers[:60]
    n_more = 8 * answers.n_objects**2  # enough that `complete` would not be tried
    rows = np.concatenate([few.rows, np.resize(few.rows, (n_more, 3))])
    weights = np.append(np.ones(len(few), int), np.zeros(n_more, int))
    options = {"n_folds": 2, "bound": False, "support": 3}
    one, two = (
        cluster(x, **options)
        for x in (few, Triplets(rows, few.n_objects, weights, labels=few.labels))
    )
    assert (one.method, one.reason) == (two.method, two.reason)
    assert one.held_out == two.held_out
    assert one.support.drawn == two.support.drawn
    assert one.tree.to_newick() == two.tree.to_newick()


def test_equal_revenues_and_close_ones_are_called_so():
    nothing = cluster(Triplets([[0, 1, 2], [0, 2, 1]], 3), **BARE)
    assert nothing.method == "adds-al"
    assert nothing.reason.startswith("the first of equal held-out revenues")
    noise = cluster(Triplets(random_rows(0, 100, 12), 12), **BARE)
    assert "standard errors behind, " in noise.reason
    assert "may be chance" in noise.warnings[0]


def test_few_right_answers_are_not_called_chance():
    found = cluster(FOUR, **BARE)
    assert found.held_out[found.method].accuracy == 1
    assert any("4 questions is right in up to 100.0%" in x for x in found.warnings)
    assert "no more often" not in str(found)
    guessing = HeldOut(0, 0.5, (0,))
    assert "no more often" in chance_warnings(guessing, FOUR)[0]
    assert chance_warnings(guessing, FOUR[:0]) == []


@pytest.mark.parametrize("error", [TooLarge, InvalidSimilarity])
def test_a_bound_that_does_not_fit_costs_no_tree(answers, monkeypatch, error):
    monkeypatch.setattr(workflow, "gap_of", Mock(side_effect=error))
    result = cluster(answers, "adds-al", n_folds=0, support=0)
    assert (result.gap, result.bound) == (None, None)
    assert result.tree.n_leaves == answers.n_objects


@pytest.mark.parametrize("n_objects", [12, 20])
def test_sums_too_large_for_a_bound_cost_no_tree(answers, n_objects):
    """Searches refuse them; a tree of embedded points does not need them."""
    rows = answers.rows[(answers.rows < n_objects).all(axis=1)]
    heavy = Triplets(rows, n_objects, weights=np.full(len(rows), 2**62 // len(rows)))
    with pytest.raises(InvalidSimilarity, match="too large"):
        cluster(heavy, "climb", n_folds=0)
    found = cluster(heavy, "tste-al", n_folds=0)
    assert (found.gap, found.support) == (None, None)
    assert any("no bootstrap support" in warning for warning in found.warnings)
    with pytest.raises(InvalidComparisons, match=r"2\^50"):
        cluster(heavy, "tste-al", n_folds=0, support=3)
    assert found.revenue == revenue(found.tree, heavy)


def test_an_estimate_is_no_bound(answers):
    result = cluster(answers, "adds-al", n_folds=0, support=0)
    assert result.bound == result.gap.bound
    estimated = replace(result, gap=replace(result.gap, is_estimate=True))
    without = cluster(answers, "adds-al", **ALONE)
    assert (estimated.bound, without.gap, without.bound) == (None, None, None)
    assert "upper bound" not in str(estimated)


HELD = HeldOut(-12_345_678_901, 0.4, (1, 2, 3))


@pytest.mark.parametrize(
    ("earned", "changes", "words"),
    [
        (8, {}, "proven optimal"),
        (7, {}, "upper bound 8: this tree earns at least"),
        (8, {"held_out": {"climb": HELD}}, "revenue -12,345,678,901 over 3 folds)"),
        (9_876_543_210, {"gap": None}, "revenue 9,876,543,210 (normalised"),
    ],
)
def test_a_result_says_what_is_proved_and_has_all_digits(earned, changes, words):
    found = cluster(FOUR, "climb", n_folds=0, support=0)
    assert found.bound == found.revenue == 8
    gap = replace(found.gap, revenue=earned)
    assert words in str(replace(found, **{"revenue": earned, "gap": gap, **changes}))


@pytest.mark.parametrize("weight", [0.5, 0.3])
def test_optima_of_floats_are_proved_up_to_rounding(weight):
    rows = animals(3000).answers.rows
    rows = rows[(rows < 12).all(axis=1)]
    given = Triplets(rows, 12, weights=np.full(len(rows), weight))
    found = cluster(given, "climb", n_folds=0, support=0)
    assert found.gap.bound >= found.revenue
    assert "proven optimal" in str(found)
    assert not replace(found.gap, revenue=found.revenue * (1 - 1e-6)).is_closed


def test_progress_says_what_is_being_done(answers):
    said = []
    cluster(answers[:100], "climb", progress=said.append, support=2, curve=True)
    assert list(dict.fromkeys(progress.step for progress in said)) == [
        "held-out revenue of climb",
        "tree by climb",
        "a bound on all trees",
        "how certain each cluster is",
        "learning curve",
    ]
    trials = [str(p) for p in said if p.step.startswith("held-out")]
    assert trials[1] == "held-out revenue of climb: 1 of 3"
    trees = [p for p in said if p.step == "tree by climb"]
    assert (trees[0].total, trees[-1].done + 1) == (None, trees[-1].total)  # restarts


@pytest.mark.parametrize(
    ("method", "step"),
    [
        ("complete", "t-STE: {} of 10"),
        ("posterior", "chains of the posterior: {} of 6"),
    ],
)
def test_progress_counts_what_fills_in_answers(answers, method, step):
    said = []
    cluster(answers[:100], method, progress=said.append, support=0, n_folds=0)
    assert {*map(str, said)} >= {step.format(0), step.format(9 if "STE" in step else 6)}
    limited = []
    cluster(answers[:100], "climb", progress=limited.append, n_folds=0, time_limit=60)
    assert {p.total for p in limited if p.step == "tree by climb"} == {None}


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
            {"features": FEATURES, "support": 9},
            InvalidOption,
            "which cosine-al does not use",
        ),
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
    assert (result.method, result.gap, result.support) == ("adds-al", None, None)
    assert "no time" in result.reason
    assert "allowed 0 of 100 bootstrap replicates" in result.warnings[-1]


@pytest.mark.slow
def test_a_time_limit_that_cuts_is_reported(monkeypatch):
    # From the moment at which it begins, a second goes by between two looks.
    looks = itertools.count(time.monotonic())
    monkeypatch.setattr(time, "monotonic", looks.__next__)
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
    monkeypatch.setattr(time, "monotonic", lambda: looks.append(1) or len(looks))
    monkeypatch.setattr("tripletree.linkage.average.SUMS_PER_STEP", 200)
    monkeypatch.setattr("tripletree.linkage.sparse_average.READS_PER_STEP", 200)
    truth = planted(5, 3, rng=np.random.default_rng(0))
    answers = sample_triplets(truth.similarity, 3_000, rng=np.random.default_rng(1))
    s = adds_similarity(answers, sparse=form == "sparse")
    whole = linkage_of(s)
    assert whole.heights is not None
    for n_allowed in range(1, len(looks)):
        looks.clear()
        cut = linkage_of(s, end=n_allowed)
        assert (len(looks), cut.n_leaves, cut.heights) == (n_allowed, 40, None)
        assert shared_clades(cut, whole)[:-1].sum() > 0


def slow_trees(monkeypatch, taken):
    """Trees take so long by a clock of their own; the seconds that each was given."""
    now, given = [time.monotonic()], []

    def slow(method, data, *, seconds=math.inf, **options):
        now[0] += taken(seconds)
        given.append(seconds)
        return make_tree(method, data, **options)[0], taken(seconds) >= seconds

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(workflow, "make_tree", slow)
    return given


def test_trials_and_replicates_end_with_the_limit(answers, monkeypatch):
    """A fold or a replicate that the limit ends is given up, not finished."""
    given = slow_trees(monkeypatch, lambda seconds: 100)
    result = cluster(answers, "mulk-al", time_limit=50)
    assert len(given) == 2  # a fold of three, and the tree
    assert (result.held_out, result.support) == ({}, None)
    assert "the time limit allowed 0 of 100 bootstrap replicates." in result.warnings
    result = cluster(answers, "mulk-al", n_folds=0, time_limit=1_000)
    assert 0 < result.support.n_replicates < 10


@pytest.mark.parametrize("are_all", [False, True])
def test_trials_leave_time_for_the_tree(are_all, answers, monkeypatch):
    given = slow_trees(monkeypatch, lambda seconds: seconds)  # all that they may take
    cluster(answers, "mulk-al", time_limit=100, curve=are_all, tree_fit=are_all)
    assert sum(given[:3]) == pytest.approx(given[3])  # three folds, and the tree
    assert given[3] == pytest.approx(25 if are_all else 37.5)


@pytest.mark.parametrize(
    ("method", "n", "limit", "per_row", "least"),
    [
        ("climb", 10_000, 0.5, 0.0001, [3]),
        ("climb", 10_000, 5, 0, []),
        ("complete", 10_000, 5, 0, [40]),
        ("climb", 200_000, 1, 0, []),
        ("climb", 9_000, 1, 0.01, [32]),  # to count questions takes its time
    ],
)
def test_a_limit_that_is_too_short_is_reported_at_the_start(
    method, n, limit, per_row, least, monkeypatch
):
    monkeypatch.setattr(workflow, "_Run", None)  # nothing is begun
    monkeypatch.setattr(workflow, "PER_ROW", per_row)
    few = Triplets(np.arange(9_000).reshape(-1, 3), n)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(TypeError):
            cluster(few, method, time_limit=limit)
    assert [str(one.message) for one in said] == [
        f"with {n:,} objects and 3,000 comparisons {method} takes at least about "
        f"{seconds} s, whatever the time limit."
        for seconds in least
    ]


@pytest.mark.parametrize("seconds", [math.inf, 1000.0])
def test_many_objects_are_climbed_once_unless_time_is_given(seconds, monkeypatch):
    search = Mock()
    monkeypatch.setattr("tripletree.methods.search_tree", search)
    for n in (LARGEST_DENSE, LARGEST_DENSE + 1):
        tree_of_similarity("climb", csr_array((n, n)), None, 0, seconds)
    asked = [call.args[2] for call in search.call_args_list]
    assert asked == [1, 0 if seconds == math.inf else 1]


def test_more_objects_than_are_tried():
    n = LARGEST_DENSE + 1
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(n), (3, 1)), axis=1).T
    answers = Triplets(rows[(np.diff(np.sort(rows), axis=1) > 0).all(axis=1)], n)
    result = cluster(answers)
    assert (result.method, result.held_out, result.gap) == ("adds-al", {}, None)
    assert result.revenue == revenue(result.tree, answers)


def test_heights_never_fall_towards_the_root():
    s = np.array([[0, 1, 5, 0], [1, 0, 5, 0], [5, 5, 0, -8], [0, 0, -8, 0]])
    for tree, sums, heights in (
        (caterpillar_tree(4), [1, 10, -8], [-1.0, -1.0, 8 / 3]),
        (average_linkage(s), [5, 6, -8], [-5.0, -3.0, 8 / 3]),
    ):
        assert with_average_heights(tree, np.array(sums)).heights.tolist() == heights
