"""Each experiment in small: its cells in this process, its tables and figures."""

import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import trees
from tripletree import Tree, Triplets, planted, sample_quadruplets, sample_triplets
from tripletree._figures import figure_style
from tripletree.experiments import calibration, figure1, figure2, real, table1, theorem2
from tripletree.experiments.paper_methods import OWN_METHODS, own_trees, published_tree
from tripletree.experiments.reporting import (
    Plan,
    column,
    image,
    printed_numbers,
    select,
)

pytestmark = pytest.mark.compiled

PLAN = Plan(n_seeds=2, is_quick=True)
SMALL = {  # settings with few and small cells; planted models of 16 objects
    table1: {"N_PER_CLUSTER": 2, "QUICK_RATIOS": ("2", "1/2")},
    figure1: {"N_PER_CLUSTER": 2, "QUICK_DELTAS": (0.15,)},
    theorem2: {
        "QUICK_SIZES": (10, 12),
        "LARGEST_TO_COMPLETE": 10,
        "QUICK_RATIOS": ("1/4", "4"),
    },
    calibration: {"PER_CLUSTER": 2, "N_REPLICATES": 4, "N_PEOPLE": 10},
}


@cache
def report(module, n_seeds):
    with pytest.MonkeyPatch.context() as patch:
        for changed, settings in SMALL.items():
            for name, value in settings.items():
                patch.setattr(changed, name, value)
        plan = Plan(n_seeds, is_quick=True)
        records = [record for cell in module.cells(plan) for record in cell.run()]
        return module.report(plan, records)


def check_figures(found, *names):
    """All can be drawn; of the first the same bytes come again, in both formats."""
    assert list(found.figures) == list(names)
    with figure_style():
        first, *_ = figures = [draw() for draw in found.figures.values()]
        same = found.figures[names[0]]()
        for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
            content = image(first, kind)
            assert image(same, kind) == content
            assert content.startswith(start)
            assert b"CreationDate" not in content
        for figure in figures:
            assert image(figure, "png")
            for axes in figure.axes:
                assert axes.get_xlabel() or axes.get_ylabel() or axes.get_title()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "n_seeds", "n_records", "words", "figures"),
    [
        (
            table1,
            *(2, 2 * 2 * 6),
            ["n = 16", "2 of 10 runs", "2 n²", "8.962e6 ± 9.8e4"],
            ["table1"],
        ),
        (figure2, *(2, 6), ["0.933"], ["figure2"]),
        (
            figure1,
            *(2, 2 * 2 * (6 + 5)),
            ["Figure 1: quadruplets, 5% wrong, n = 16, 2 runs"],
            [
                "figure1",
                *(f"figure1_{x}{y}" for x in figure1.METHODS for y in ("", "_noise")),
            ],
        ),
        (theorem2, *(1, 3 * 2 * 2 * (4 + 2)), ["Theorem 2"], ["theorem2"]),
        (calibration, *(1, 8), ["of the people", "0.95 to 1.00"], ["calibration"]),
    ],
)
def test_experiments(module, n_seeds, n_records, words, figures):
    found = report(module, n_seeds)
    assert len(found.records) == n_records
    text = "".join(map(str, found.tables))
    assert [word for word in words if word not in text] == []
    check_figures(found, *figures)


@pytest.mark.slow
def test_table1():
    records = report(table1, 2).records
    first = {"method": "adds3_al", "n_triplets": 512, "run": 0}
    assert first.items() <= records[0].items()
    for earlier, later in pairwise(records):
        if later["method"] == "climb":
            assert later["revenue"] >= earlier["revenue"]


@pytest.mark.slow
def test_figures_of_table1():
    found = report(figure2, 2)
    assert [record["method"] for record in found.records] == list(table1.METHODS)
    exact, noisy, *_ = map(str, report(figure1, 2).tables)
    assert ("sd)" in exact, "sd)" in noisy) == (True, False)


def test_correlations():
    records = [{"revenue": x, "aari": y} for x, y in ((1, 1), (2, 3), (3, 2), (9, 9))]
    # Five pairs of six are in order, one is not.
    assert figure2.correlations(records) == pytest.approx((4 / 6, 0.8))


def test_figure1_has_the_papers_settings():
    cells = figure1.cells(Plan())
    assert len(cells) == 2 * 2 * 3 * 11 * 10
    for name, expected in {
        "delta": {*(round(0.02 * step, 2) for step in range(1, 11)), 0.15},
        "ratio": {"1/2", "1", "2"},
        "flip": {0.0, 0.05},
    }.items():
        assert {dict(cell.parameters)[name] for cell in cells} == expected


@pytest.mark.slow
def test_theorem2():
    records = report(theorem2, 1).records
    assert all(record["share"] <= 1 for record in records)
    # 4 n^2 is more than there are: all triplets, from which linkage finds the tree.
    everything = select(records, triplets_over_n2="4", flip=0.0)
    assert {record["probability"] for record in everything} == {1.0}
    assert {*column(everything, "share", method="adds3_al")} == {1.0}


@pytest.mark.parametrize("shape", theorem2.SHAPES)
def test_latent_trees(shape):
    tree = theorem2.latent_tree(shape, 8, np.random.default_rng(0))
    sizes = sorted(len(c) for c in definitions.clusters(tree) if len(c) > 1)
    expected = {"balanced": [2] * 4 + [4] * 2 + [8], "caterpillar": list(range(2, 9))}
    assert sizes == expected.get(shape, sizes)
    assert tree.children[0].tolist() != [0, 1]


def test_real_data_that_is_absent(tmp_path, monkeypatch):
    for folder in (str(tmp_path), ""):
        monkeypatch.setenv("TRIPLETREE_DATA", folder)
        assert real.cells(Plan()) == real.cells(PLAN) == []
        found = real.report(PLAN, [])
        text = str(found.tables[0])
        assert text.count("absent") == sum(map(len, printed_numbers()["real"].values()))
        assert not found.figures
        assert ("Set TRIPLETREE_DATA" in text) == (not folder)


@pytest.mark.slow
def test_real_data_that_is_there(data_folder, monkeypatch):
    monkeypatch.setenv("TRIPLETREE_DATA", str(data_folder))
    cells = real.cells(Plan(n_seeds=1, is_quick=True))
    chosen = [c for c in cells if dict(c.parameters)["name"] in ("zoo", "car")]
    monkeypatch.setattr(real, "cells", lambda plan: chosen)
    found = report(real, 1)
    text = str(found.tables[0])
    for method, figure in (
        *(("AddS3", "1.521e5"), ("MulK3", "1.264e5")),
        *(("AddS4", "1.521e5"), ("4K", "1.126e5")),
    ):
        assert re.search(rf"{method}-AL +\S+ +{re.escape(figure)} +=\n", text)
    assert "absent" in text
    check_figures(found, "real")


def test_changed_files_are_other_cells(tmp_path, monkeypatch):
    monkeypatch.setenv("TRIPLETREE_DATA", str(tmp_path))
    (tmp_path / "car").mkdir()
    digests = [real.digest(real.FILES["car"])]
    for text in ("one", "two"):
        (tmp_path / "car" / "survey_data.csv").write_text(text)
        digests.append(real.digest(real.FILES["car"]))
    assert (digests[0], len({*digests})) == ("", 3)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [sample_triplets, sample_quadruplets])
def test_drafts_and_finished_trees(draw):
    rng = np.random.default_rng(3)
    answers = draw(planted(3, 2, rng=rng).similarity, 200, rng=rng)
    for is_draft in (True, False):
        trees = own_trees(answers, seed=1, is_draft=is_draft)
        assert tuple(trees) == OWN_METHODS
        chosen, made_by = trees["auto"]
        assert made_by in ("adds-al", "climb", "complete")
        if made_by != "adds-al":
            assert np.array_equal(chosen.children, trees[made_by][0].children)
        assert all(isinstance(tree, Tree) for tree, _ in trees.values())


def test_cosine_needs_the_similarity():
    rng = np.random.default_rng(3)
    model = planted(3, 2, sigma=0.01, rng=rng)
    answers = sample_triplets(model.similarity, 5, rng=rng)
    tree = published_tree("cosine3_al", answers, similarity=model.similarity)
    assert definitions.cut(tree, 4) == definitions.cut(model.truth, 4)


@pytest.mark.slow
def test_calibration():
    records = report(calibration, 1).records
    totals, again = (column(records, x) for x in ("n_clusters", "n_found_again"))
    assert 0 < sum(totals) <= 2 * 14  # of the merges of two trees of 16 objects
    assert all(k <= n for k, n in zip(again, totals, strict=True))


@given(st.integers(2, 9).flatmap(lambda n: st.tuples(*2 * [trees(n_leaves=n)])))
def test_best_jaccard_is_its_definition(two):
    one, other = map(definitions.clusters, two)
    n = two[0].n_leaves
    expected = [max(len(a & b) / len(a | b) for b in other[:-1]) for a in one[n:]]
    assert calibration.best_jaccard(*two).tolist() == expected


def test_halves_of_people_or_of_questions():
    answers = calibration.simulated_people(np.random.default_rng(0))
    is_first = calibration.split_in_halves(answers, 1)
    people = answers.annotators
    assert not {*people[is_first].tolist()} & {*people[~is_first].tolist()}
    assert 0.4 < is_first.mean() < 0.6
    plain = Triplets(answers.rows, answers.n_objects)
    is_first = calibration.split_in_halves(plain, 1)
    questions = [
        {tuple(sorted(row)) for row in plain.rows[x].tolist()}
        for x in (is_first, ~is_first)
    ]
    assert not questions[0] & questions[1]
