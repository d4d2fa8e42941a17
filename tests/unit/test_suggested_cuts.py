"""How many clusters: what `cluster` suggests, and where it shows that."""

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.clusters import drawn_model
from hypothesis import given

import tripletree as tt
from tests import definitions
from tests.strategies import seeds, trees
from tripletree.clustering.levels import nearest_clusters
from tripletree.commands.trees import cluster_lines, level_lines
from tripletree.evaluation.holdout import assign_folds
from tripletree.methods import DRAFT, make_tree
from tripletree.objective.flat import LARGEST_WITHIN, NUMBER_GIVEN, STABLE

pytestmark = pytest.mark.compiled

ALONE = {"n_folds": 0, "bound": False}


@pytest.fixture(scope="module", autouse=True)
def few_restarts():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tripletree.methods.default_restarts", lambda n: 5)
        yield


def drawn_answers(sizes, n_strays, flip=0.0):
    rng = np.random.default_rng(0)
    similarity, truth = drawn_model(sizes, n_strays, rng)
    n = len(truth)
    return tt.sample_triplets(similarity, 4 * n * n, flip=flip, rng=rng), truth


@pytest.fixture(scope="module")
def answers_and_truth():
    """Two pairs of clusters, and two objects that belong nowhere."""
    return drawn_answers((10,) * 4, 2)


@pytest.fixture(scope="module")
def result(answers_and_truth):
    return tt.cluster(answers_and_truth[0], "climb", support=20, **ALONE)


def test_levels_are_true_ones_and_strays_are_in_none(result, answers_and_truth):
    _, truth = answers_and_truth
    assert [level.clusters.n_clusters for level in result.levels] == [2, 4]
    finest = result.levels[-1].clusters
    assert result.clusters is finest
    assert (finest.rule, finest.n_unassigned) == (STABLE, 2)
    assert (finest.labels < 0).tolist() == (truth < 0).tolist()
    assert tt.adjusted_rand_index(finest.labels, truth) == 1


def test_figures_of_the_levels(result, answers_and_truth):
    answers, _ = answers_and_truth
    for level, same in zip(result.levels, tt.suggested_cuts(result), strict=True):
        cut = level.clusters
        assert cut.labels.tolist() == same.clusters.labels.tolist()
        assert level.explained == same.explained
        sizes = np.bincount(cut.labels[cut.labels >= 0])
        assert (level.smallest, level.largest) == (min(sizes), max(sizes))
        at = cut.nodes - answers.n_objects
        assert level.stability == result.support.stability[at].min()
        assert level.explained is None  # nothing was held out


def test_levels_explain_held_out_answers(answers_and_truth):
    answers, _ = answers_and_truth
    found = tt.cluster(answers, "climb", support=20, bound=False, seed=3)
    fold, right = assign_folds(answers, 3, 3), [0.0, 0.0]
    for number in range(3):
        is_test = fold == number
        train, rest = answers[~is_test], answers[is_test]
        tree, _ = make_tree("climb", train, seed=3, effort=DRAFT)
        for at, level in enumerate(found.levels):
            members = [
                {*np.flatnonzero(level.clusters.labels == k)}
                for k in range(level.clusters.n_clusters)
            ]
            labels = definitions.nearest_clusters(tree, members)
            share = definitions.share_explained(labels, rest.near, rest.far)
            right[at] += share * len(rest) / len(answers)
    assert [level.explained for level in found.levels] == pytest.approx(right)
    assert 0.6 < right[1] < right[0] < found.held_out["climb"].accuracy
    again = tt.suggested_cuts(found, seed=3)
    assert [level.explained for level in again] == pytest.approx(right)


@given(trees(min_leaves=4, max_leaves=9), seeds)
def test_nearest_clusters_are_as_defined(tree, seed):
    labels = np.random.default_rng(seed).integers(-1, 3, tree.n_leaves)
    members = labels == np.unique(labels[labels >= 0])[:, None]
    expected = definitions.nearest_clusters(
        tree, [{*np.flatnonzero(one)} for one in members]
    )
    assert nearest_clusters(tree, members).tolist() == expected


def test_objects_without_answers_block_no_cluster(answers_and_truth):
    """Twelve more objects that nobody was asked about, among 42."""
    answers, truth = answers_and_truth
    places = np.random.default_rng(1).permutation(54).astype(np.int32)[:42]
    more = tt.Triplets(places[answers.rows], 54)
    found = tt.cluster(more, "climb", support=20, **ALONE)
    labels = found.clusters.labels[places]
    assert (found.clusters.attached(more) < 0).sum() == 12  # near to none
    assert found.clusters.n_clusters == 4
    assert (labels < 0).tolist() == (truth < 0).tolist()
    assert tt.adjusted_rand_index(labels, truth) == 1


def test_strays_can_be_attached(answers_and_truth, result):
    answers, _ = answers_and_truth
    found = tt.cluster(answers, "climb", support=20, attach_strays=True, **ALONE)
    cut, apart = found.clusters, result.clusters
    assert cut.labels.tolist() == apart.attached(answers).tolist()
    s = tt.adds_similarity(answers)
    assert 2 * cut.within == s[cut.labels[:, None] == cut.labels].sum()
    assert (cut.n_unassigned, apart.n_unassigned) == (0, 2)
    assert found.levels[-1].clusters.n_unassigned == 2
    lines, sizes = cluster_lines(found)[1:], np.bincount(cut.labels).tolist()
    for number, (line, size) in enumerate(zip(lines, sizes, strict=True), 1):
        assert line.startswith(f"  {number} ({size}, stability")


def test_other_thresholds(result):
    (halves,) = tt.suggested_cuts(result, least_size=20)
    assert halves.clusters.n_clusters == 2
    assert tt.suggested_cuts(result, least_stability=0.3)[-1].clusters.n_clusters > 4


def test_every_place_says_minus_1(result, answers_and_truth, tmp_path):
    """Files and pages show the same labels: see test_one_result."""
    _, truth = answers_and_truth
    result.write(tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    strays = {str(leaf) for leaf in np.flatnonzero(truth < 0)}
    assert {x for x, k in summary["clusters"].items() if k == -1} == strays
    assert summary["n_unassigned"] == 2
    assert [level["n_clusters"] for level in summary["levels"]] == [2, 4]
    assert summary["levels"][1]["cluster_nodes"] == summary["cluster_nodes"]
    lines = cluster_lines(result)
    assert lines[0] == f"4 flat clusters ({STABLE}):"
    assert lines[-1] == f"  in no cluster (2): {', '.join(sorted(strays, key=int))}"
    assert len(level_lines(result)) == 4


def test_a_number_that_is_given_leaves_the_levels(answers_and_truth, result):
    answers, _ = answers_and_truth
    found = tt.cluster(answers, "climb", n_clusters=3, support=20, **ALONE)
    assert (found.clusters.rule, found.clusters.n_clusters) == (NUMBER_GIVEN, 3)
    assert [level.clusters.n_clusters for level in found.levels] == [2, 4]


@pytest.mark.parametrize("support", [0, 9])
def test_too_few_replicates_leave_the_largest_similarity(answers_and_truth, support):
    answers, _ = answers_and_truth
    found = tt.cluster(answers, "adds-al", support=support, **ALONE)
    assert (found.clusters.rule, found.levels) == (LARGEST_WITHIN, ())
    best = tt.best_cut(found.tree, answers)
    assert found.clusters.labels.tolist() == best.labels.tolist()
    assert level_lines(found) == []
    with pytest.raises(tt.InvalidOption, match="support=10 or more"):
        tt.suggested_cuts(found)


@pytest.mark.parametrize("method", ["adds-al", "climb"])
def test_noise_is_not_cut(method):
    answers, _ = drawn_answers((60,), 0, flip=0.5)
    found = tt.cluster(answers, method, support=20, **ALONE)
    assert (found.clusters.n_clusters, found.clusters.rule) == (1, STABLE)
    assert found.clusters.labels.tolist() == [0] * 60
    assert (found.levels, tt.suggested_cuts(found)) == ((), ())
    assert cluster_lines(found) == [
        "no flat clusters: no cut has only clusters of 3 or more objects with a "
        "stability of 80% or more"
    ]


def test_without_comparisons_the_levels_stay(result):
    small = result.without_comparisons()
    assert len(small.levels) == 2
    with pytest.raises(tt.InvalidOption, match=r"see result\.levels"):
        tt.suggested_cuts(small)


def test_levels_are_the_suggested_cuts_whatever_has_weight_0():
    """Folds are dealt by the questions, and rows of weight 0 are none."""
    rng, truth = np.random.default_rng(0), np.arange(16) // 4
    shown = rng.permuted(np.tile(np.arange(16), (260, 1)), axis=1)[:, :5]
    far = (truth[shown] != truth[shown[:, :1]]) + 1.8 * rng.random(shown.shape)
    far[:, 0] = -1  # the reference
    shown = np.take_along_axis(shown, far.argsort(axis=1), axis=1)
    answers = tt.rankings(shown, 16, n_chosen=1)
    weights = rng.integers(0, 3, 260)[answers.trials]
    weighted = replace(answers, weights=weights)
    result = tt.cluster(weighted, "adds-al", support=20, bound=False)
    found = [level.explained for level in tt.suggested_cuts(result)]
    assert found == [level.explained for level in result.levels]
    assert 0.6 < min(found) <= max(found) < 0.95
