"""One result: what it holds, and that every place shows the same of it."""

import copy
import csv
import json
import pickle
import re
from collections import Counter
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

import tripletree as tt
from tests import definitions
from tests.strategies import random_rows
from tripletree.clustering import workflow
from tripletree.datasets.animals import animals
from tripletree.evaluation.support import asked_about
from tripletree.methods import DRAFT, FULL, METHODS, make_tree
from tripletree.objective.flat import LARGEST_WITHIN, NUMBER_GIVEN, STABLE
from tripletree.similarity import matrix

pytestmark = pytest.mark.compiled

BARE = {"n_folds": 0, "support": 0}
ALONE = {**BARE, "bound": False}  # the tree, and nothing about it
FILES = ("tree.nwk", "tree.json", "linkage.npy", "clusters.csv", "summary.json")


@pytest.fixture(scope="module")
def answers():
    return animals(400).answers


def drawn_answers(number):
    """Random answers about few objects, with many ties; or about groups and strays.

    Triplets or quadruplets, some with weights, some objects without answers.
    """
    rng = np.random.default_rng(number)
    width = int(rng.choice([3, 4]))
    if number % 2:
        rows, n = rows_in_groups(rng, width)
    else:
        n = int(rng.integers(1, 12))
        m = int(rng.integers(1, 4 * n)) if n >= width else 0
        rows = random_rows(rng, m, max(n, width), width)
    m = len(rows)
    weights = [None, rng.integers(0, 4, m), rng.random(m)][number % 3]
    kind = tt.Triplets if width == 3 else tt.Quadruplets
    return kind(rows, n, weights=weights)


def rows_in_groups(rng, width):
    """Two objects of one group are closer than of two; what strays are in is random."""
    sizes = rng.integers(0, 3), *[7] * int(rng.integers(2, 4))
    group = np.repeat(np.arange(len(sizes)) - 1, sizes)  # -1: a stray
    rows = random_rows(rng, 60 * len(group), len(group), width)
    near, far = [0, 1], [0, 2] if width == 3 else [2, 3]
    is_near, is_far = (
        (group[rows[:, x[0]]] == group[rows[:, x[1]]]) & (group[rows[:, x]] >= 0).all(1)
        for x in (near, far)
    )
    is_wrong = is_far & ~is_near
    rows[is_wrong] = rows[is_wrong][:, [0, 2, 1] if width == 3 else far + near]
    rows = rows[(is_near != is_far) | (group[rows] < 0).any(axis=1)]
    n = len(group) + int(rng.integers(0, 3))
    return rng.permutation(n)[rows], n


def options_of_cut(number, n):
    """How the flat clusters are chosen, each way for answers of each kind."""
    given = {"n_clusters": 1 + number % n}, {"support": 0}, {"attach_strays": True}
    return ({}, *given)[number // 2 % 4]


def from_0(number):
    """A number as in `labels`, given one that counts from 1; -1 stays."""
    return number - 1 if number > 0 else -1


def shown_clusters(result, folder):
    """The cluster of each object, from 0 on or -1, as files and the page show it."""
    result.write(folder, overwrite=True)
    with (folder / "clusters.csv").open(newline="", encoding="utf-8") as file:
        yield [from_0(int(row["cluster"])) for row in csv.DictReader(file)]
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    assert summary["n_clusters"] == len(summary["cluster_nodes"])
    yield [from_0(summary["clusters"][label]) for label in result.labels]
    yield labels_of_page(result, folder)


def labels_of_page(result, folder):
    """The first state of the page; its levels must be those of the result."""
    page = (folder / "report.html").read_text("utf-8")
    data = json.loads(re.search(r'json" id="data">(.*?)</script>', page)[1])
    tree = tt.Tree(np.reshape(data["children"], (-1, 2)))

    def shown(nodes, others):
        labels = np.full(tree.n_leaves, -1)
        for number, node in enumerate(nodes):
            labels[tree.leaves(node)] = number
        for leaf, number in others:
            labels[leaf] = number
        return labels.tolist()

    unasked = [(leaf, -1) for leaf in data["unasked"]]
    for level, nodes in zip(result.levels, data["levels"], strict=True):
        assert shown(nodes, unasked) == level.clusters.labels.tolist()
    return shown(data["cut"], data["attached"])


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_place_shows_the_same_clusters(method, tmp_path, monkeypatch):
    monkeypatch.setattr("tripletree.methods.default_restarts", lambda n: 5)
    monkeypatch.setattr("tripletree.completion.posterior.N_ANNEALED", 10)
    monkeypatch.setattr("tripletree.completion.posterior.N_SAMPLED", 8)
    monkeypatch.setattr("tripletree.clustering.workflow.REPLICATES", {300: 10})
    seen = Counter()
    for number in range(50):
        given = drawn_answers(number)
        n, options = given.n_objects, options_of_cut(number, given.n_objects)
        has_rows, is_fixed = len(given) > 0, method == "cosine-al"
        if has_rows and not is_fixed and options.keys() <= {"n_clusters"}:
            fixed = {"method": method, "n_objects": n, "random_state": number}
            model = tt.RevenueClustering(**fixed, **options)
            model.fit(given.rows, sample_weight=given.weights)
            result, labels = model.clustering_, model.labels_
        else:
            if is_fixed:
                features = np.random.default_rng(number).normal(size=(n, 2))
                options = {**options, "features": features, "support": 0}
            result = tt.cluster(given, method, n_folds=0, bound=False, **options)
            labels = result.clusters.labels
        for shown in shown_clusters(result, tmp_path):
            assert shown == labels.tolist(), number
        nodes = result.clusters.nodes.tolist()
        assert nodes == sorted(nodes, key=result.tree.interval_start.__getitem__)
        below = np.full(n, -1)
        for at, node in enumerate(nodes):
            below[result.tree.leaves(node)] = at
        if "attach_strays" not in options:  # what is below a node was not asked about
            others = np.flatnonzero(labels != below)
            assert (labels[others] == -1).all()
            assert not asked_about(given)[others].any()
        stable, is_split = result.stable_tree, len(nodes) > 1
        seen[result.clusters.rule] += is_split
        seen["strays"] += is_split and result.clusters.n_unassigned > 0
        seen["polytomies"] += stable is not None and stable.n_shown < n - 1
        seen["few objects"] += n < 4
    kinds = {LARGEST_WITHIN, NUMBER_GIVEN, "few objects"}
    if method != "cosine-al":
        kinds |= {STABLE, "strays", "polytomies"}
    assert {kind for kind in seen if seen[kind] > 1} >= kinds


@pytest.mark.parametrize("method", ["climb", "complete"])
def test_sums_are_made_once_and_need_no_check(method, monkeypatch):
    """The only matrix to check is what a method makes of other things than AddS."""
    monkeypatch.setattr("tripletree.methods.default_restarts", lambda n: 5)
    adds, check = Mock(wraps=matrix.adds_similarity), Mock(wraps=matrix.check_dense)
    for module in ("similarity.matrix", "evaluation.annotators"):
        monkeypatch.setattr(f"tripletree.{module}.adds_similarity", adds)
    for module in ("similarity.matrix", "linkage.average", "objective.value"):
        monkeypatch.setattr(f"tripletree.{module}.check_dense", check)
    given = drawn_answers(9)
    given = replace(given, annotators=np.arange(len(given)) % 3)
    options = {"support": 10, "n_folds": 0, "attach_strays": True, "people": True}
    result = tt.cluster(given, method, **options)
    whole = [call for call in adds.call_args_list if call.args[0].weights is None]
    n_trees = 0 if method == "climb" else 11  # replicates have weights
    assert (len(whole), check.call_count) == (1, n_trees)
    assert vars(result.people).keys() == vars(tt.annotator_agreement(given)).keys()
    for name, value in vars(tt.annotator_agreement(given)).items():
        assert np.array_equal(getattr(result.people, name), value)


@pytest.mark.slow
def test_the_bound_is_that_of_upper_bound(answers):
    result, again = (tt.cluster(answers, "climb", **BARE) for _ in range(2))
    assert result.bound == again.bound == tt.optimality_gap(result.tree, answers).bound
    assert result.bound == tt.upper_bound(answers, target=result.revenue)


@pytest.mark.parametrize(
    ("n", "expected"), [(3, 100), (300, 100), (301, 30), (1000, 30), (1001, 0)]
)
def test_replicates_depend_on_the_number_of_objects_alone(n, expected, monkeypatch):
    support = Mock(side_effect=tt.TooLarge)
    monkeypatch.setattr(workflow, "support_by_replicates", support)
    given = tt.Triplets([[0, 1, 2]], n)
    options = {"n_folds": 0, "bound": False}
    for n_clusters in ("auto", 2):
        tt.cluster(given, "adds-al", n_clusters=n_clusters, **options)
    with pytest.raises(tt.TooLarge):
        tt.cluster(given, "adds-al", n_clusters=2, support=7, **options)
    asked = [call.args[3] for call in support.call_args_list]
    assert asked == [*[expected] * 2 * (expected > 0), 7]


@pytest.mark.slow
@pytest.mark.parametrize("method", [name for name in METHODS if name != "cosine-al"])
def test_replicates_are_made_by_the_method_of_the_tree(method, answers):
    result = tt.cluster(answers, method, n_folds=0, bound=False, support=5, seed=3)
    options = {"n_replicates": 5, "seed": 3}
    named = tt.bootstrap_support(result.tree, answers, method=method, **options)
    for expected in (named, tt.bootstrap_support(result, **options)):
        assert result.support.stability.tolist() == expected.stability.tolist()
        assert result.tree.support.tolist() == expected.stability.tolist()
        assert result.support.support.tolist() == expected.support.tolist()


def test_a_method_without_answers_has_no_support(answers):
    options = {"features": np.eye(answers.n_objects), "n_folds": 0, "bound": False}
    assert tt.cluster(answers, "cosine-al", **options).support is None


def test_curve_and_people_are_made_if_asked_for(answers):
    told = replace(answers, annotators=["ann", "bob"] * 200)
    without = tt.cluster(told, "adds-al", **ALONE)
    assert (without.curve, without.people) == (None, None)
    result = tt.cluster(told, "adds-al", curve=True, people=True, **ALONE)
    assert result.people.names == tt.annotator_agreement(told).names
    assert result.curve.n_answers[-1] == pytest.approx(400 * 2 / 3)
    assert tt.cluster(told, "adds-al", curve=True, seed=2**63, **ALONE).curve
    assert tt.cluster(told[:20], "adds-al", curve=True, **ALONE).curve is None
    empty = tt.Triplets(np.empty((0, 3), int), 5, annotators=[])
    assert tt.cluster(empty, "adds-al", people=True, **ALONE).people is None


def test_each_count_has_its_unit():
    """Those of comparisons and of what was left out: see the commands."""
    shown, odd = [[0, 1, 2], [0, 1, 2], [1, 2, 3], [0, 1, 3]], [2, 1, -1, 3]
    asked = tt.odd_one_out(shown, odd, 5, annotators=["ann", "ann", "bob", "bob"])
    people = tt.annotator_agreement(asked)
    n_answers = zip(people.names, people.n_answers.tolist(), strict=True)
    assert dict(n_answers) == {"ann": 2, "bob": 1}
    assert people.n_comparisons.sum() == 6
    one = workflow.what_was_read(tt.Triplets([[0, 1, 2]], 3))
    assert str(one) == "1 answer about 3 objects"


@pytest.fixture(scope="module")
def sums(answers):
    found = definitions.pair_sums(answers)
    number = {label: at for at, label in enumerate(answers.labels)}
    pairs = [(number[a], number[b]) for a, b in found]
    return tt.PairSums(answers.labels, pairs, *zip(*found.values(), strict=True))


@pytest.mark.parametrize("method", ["adds-al", "climb"])
def test_pair_sums_do_in_place_of_answers(method, answers, sums):
    one = tt.cluster(answers, method, n_folds=0, bound=False, support=0)
    two = tt.cluster(sums, method, bound=False)
    assert np.array_equal(one.tree.children, two.tree.children)
    assert one.tree.labels == two.tree.labels
    assert (one.revenue, one.normalised_revenue) == (
        two.revenue,
        two.normalised_revenue,
    )
    assert (two.satisfaction, two.held_out, two.warnings) == (None, {}, ())
    assert two.clusters.rule == LARGEST_WITHIN


def test_trees_that_time_cut_short_are_on_no_curve(answers, monkeypatch):
    """The last of nine trees for it is cut short: its share of answers is left out."""
    made = []

    def make(_, train, *, effort=FULL, **options):
        made.append(effort)
        is_cut = made.count(DRAFT) == 9
        return make_tree("adds-al", train, **options)[0], is_cut

    monkeypatch.setattr("tripletree.clustering.workflow.make_tree", make)
    curve = tt.cluster(answers, "complete", curve=True, support=0, n_folds=0).curve
    assert (len(curve.shares), curve.is_stopped) == (2, True)  # of three folds each
    made[:] = [DRAFT] * 8
    found = tt.cluster(answers, "complete", tree_fit=True, support=0, n_folds=0)
    assert found.tree_fit is None


@pytest.mark.parametrize(
    ("pairs", "near", "far", "n_parts"),
    [
        ([[0, 1], [2, 3]], [1, 0], [0, 1], 1),  # is 0, 1 closer than 2, 3?
        ([[0, 1], [0, 2], [0, 3]], [1, 2, 0], [1, 1, 1], 1),  # 0 and 1 cancel
        ([[0, 1], [2, 3]], [1, 2], [1, 2], 2),  # all cancel
        ([[0, 1], [0, 2]], [1, 0], [0, 1], 2),
    ],
)
def test_comparisons_join_objects_whose_sums_do_not(pairs, near, far, n_parts):
    sums = tt.PairSums(list("abcd"), pairs, near, far)
    warned = [f"in {n_parts} components" in x for x in tt.cluster(sums).warnings]
    assert warned == [True] * (n_parts > 1)


def test_auto_climbs_on_pair_sums(sums):
    result = tt.cluster(sums, bound=False)
    assert result.method == "climb"
    assert "overfits" in result.reason


@pytest.mark.parametrize("method", ["auto", "climb", "adds-al"])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_objects_without_any_pair(n, method):
    empty = tt.PairSums([f"o{at}" for at in range(n)], np.empty((0, 2), int), [], [])
    if n == 0:
        with pytest.raises(tt.InvalidComparisons, match="no objects"):
            tt.cluster(empty, method)
        return
    result = tt.cluster(empty, method)
    assert result.tree.labels == empty.labels
    assert (result.revenue, result.normalised_revenue) == (0, 0.0)
    said = [f"{n} components" in warning for warning in result.warnings]
    assert said == [True] * (n > 1)


def test_pair_sums_have_comparisons_but_no_answers(tmp_path):
    sums = tt.PairSums(["a", "b", "c"], [[0, 1], [0, 2]], [2, 0], [0, 2])
    result = tt.cluster(sums)
    assert (result.read.n_answers, result.read.n_people) == (None, None)
    assert result.write(tmp_path) == FILES
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert (summary["n_answers"], summary["n_comparisons"]) == (None, 2)
    assert (summary["satisfied"], summary["cluster_stability"]) == (None, None)
    for refused in (
        lambda: tt.cluster(sums, support=3),
        lambda: tt.write_report(result, tmp_path / "page.html"),
    ):
        with pytest.raises(tt.InvalidOption, match="pair sums"):
            refused()


@pytest.fixture(scope="module")
def result(answers):
    return tt.cluster(answers, "adds-al", **ALONE)


def test_files_are_not_overwritten(result, tmp_path):
    folder = tmp_path / "a" / "b"
    assert result.write(folder, title="Mine") == (*FILES, "report.html")
    assert "<title>Mine</title>" in (folder / "report.html").read_text("utf-8")
    small = result.without_comparisons()
    for again in (result, small):
        with pytest.raises(tt.UnreadableFile, match="is there already"):
            again.write(folder)
    result.write(folder, overwrite=True)
    small.write(folder, overwrite=True)  # removes the page of the other result
    assert {path.name for path in folder.iterdir()} == {*FILES}
    (tmp_path / "file").write_text("")
    with pytest.raises(tt.UnreadableFile, match="cannot be made"):
        result.write(tmp_path / "file" / "folder")


def test_nothing_is_written_if_the_page_is_refused(result, tmp_path):
    with pytest.raises(TypeError, match="titel"):
        result.write(tmp_path / "out", titel="x")
    with pytest.raises(tt.InvalidOption, match="items are of type int"):
        result.write(tmp_path / "out", items=5)
    assert [*tmp_path.rglob("*.*")] == []


@pytest.mark.parametrize("limit", [0, None])
def test_average_linkage_is_not_called_stopped(answers, limit):
    found = tt.cluster(answers[:60], "adds-al", time_limit=limit, **BARE)
    assert not any("stopped" in warning for warning in found.warnings)


def test_a_proven_optimum_needs_no_more_time(monkeypatch):
    given = tt.Triplets([[0, 1, 2], [1, 0, 3], [3, 2, 0], [2, 3, 1]], n_objects=4)
    made = tt.cluster(given, "climb", **BARE).tree
    monkeypatch.setattr(workflow, "tree_of_similarity", lambda *_: (made, True))
    found = tt.cluster(given, "climb", time_limit=10**5, **BARE)
    assert found.gap.is_closed
    assert not any("stopped" in warning for warning in found.warnings)


def test_without_comparisons_it_is_small(answers, tmp_path):
    result = tt.cluster(answers, "adds-al", support=2)
    assert result.comparisons is answers
    assert copy.deepcopy(result).revenue == result.revenue
    small = result.without_comparisons()
    assert len(pickle.dumps(small)) < len(pickle.dumps(result)) - answers.rows.nbytes
    again = pickle.loads(pickle.dumps(small))
    assert again.clusters.labels.tolist() == result.clusters.labels.tolist()
    assert (again.held_out, str(again)) == (result.held_out, str(result))
    assert again.write(tmp_path) == FILES


@pytest.mark.slow
def test_the_stable_tree_shows_stable_joins(tmp_path):
    result = tt.cluster(animals(400).answers, "climb", support=10)
    stable = result.stable_tree
    is_low = result.support.stability < 0.5
    assert is_low.any()
    assert stable.collapsed.tolist() == is_low.tolist()
    assert result.tree.collapsed is None
    result.write(tmp_path)
    assert tt.read_tree(tmp_path / "tree-stable.nwk").is_same_hierarchy(
        stable.in_order_of(tt.read_tree(tmp_path / "tree-stable.nwk").labels)
    )
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["newick_stable"] == stable.to_newick()
    assert (summary["n_joins"], summary["n_stable_joins"]) == (19, stable.n_shown)
    assert f"{stable.n_shown} of 19 joins are stable" in str(result)
    alone = replace(result.support, stability=np.append(np.zeros(18), 1.0))
    said = "1 of 19 joins is stable (stability 50% or more): that of all objects, "
    assert said in str(replace(result, support=alone))
    assert tt.cluster(animals(50).answers, "climb", support=0).stable_tree is None
