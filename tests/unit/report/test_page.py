from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import stat
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tripletree as tt
from tests import definitions
from tests.strategies import comparisons, seeds
from tripletree.datasets.animals import animals
from tripletree.report.page import (
    fill_template,
    fingerprint,
    json_in_html,
    write_report,
)
from tripletree.report.page_text import escaped, percent, without_controls

pytestmark = pytest.mark.compiled

HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    '"><svg onload=window.hacked=1>',
    "{{data}}{{script}}",
    "\u202eevil\u202c \u2066x",
    "\0null\x1b\x7f",
    "\u2028line\u2029",
    "x" * 10_000,
    "=HYPERLINK(1)",
    "\ud800 half",
    "👨\u200d👩\u200d👧 family",
    "<!-- --!> ]]>",
)


def quick(answers, **options):
    options = {"n_folds": 0, "bound": False, "support": 0, **options}
    return tt.cluster(answers, "adds-al", **options)


def page_of(result, folder, **options):
    path = folder / "page.html"
    write_report(result, path, overwrite=True, **options)
    return path.read_bytes().decode()


def page(answers, folder, **options):
    return page_of(quick(answers), folder, **options)


def data_of(text):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(found[1])


@pytest.fixture(scope="module")
def answers():
    return animals(500).answers


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_objects(n, tmp_path):
    rows = [[0, 1, 2]] if n == 3 else np.empty((0, 3), int)
    text = page(tt.Triplets(rows, n), tmp_path)
    found = data_of(text)
    assert found["n"] == n
    assert found["labels"] == [str(i) for i in range(n)]
    assert len(found["children"]) == 2 * (n - 1)
    assert len(found["cut"]) == (1 if n < 3 else 2)


def test_the_same_input_gives_the_same_bytes(answers, tmp_path):
    assert page(answers, tmp_path) == page(answers, tmp_path)
    dated = page(answers, tmp_path, date="1 April")
    assert "<p>1 April</p>" in dated


def test_nothing_is_loaded_from_anywhere(answers, tmp_path):
    text = page(answers, tmp_path)
    rest = text.replace("http://www.w3.org/2000/svg", "")
    rest = rest.replace("https://openreview.net/forum?id=QzWr4w8PXx", "")
    assert "http" not in rest.replace("http-equiv", "")
    assert "@import" not in text
    assert "src=" not in text
    assert "url(" not in text


def test_the_policy_names_the_script_and_the_style(answers, tmp_path):
    text = page(answers, tmp_path)
    policy = html.unescape(
        re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    )
    for element in ("script", "style"):
        body = re.search(rf"<{element}>(.*?)</{element}>", text, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert text.count("<script") == 2


def test_hostile_text_stays_text(tmp_path):
    n = len(HOSTILE)
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(n), (200, 1)), axis=1)[:, :3]
    names = [HOSTILE[at % n] for at in range(200)]
    names = [x.replace("\ud800", "") for x in names]
    answers = tt.Triplets(rows, n, labels=HOSTILE, annotators=names)
    items = tt.Items(HOSTILE, HOSTILE[::-1])
    text = page(
        answers, tmp_path, items=items, title=HOSTILE[0], command=HOSTILE[1], date="<i>"
    )
    found = data_of(text)
    assert tuple(found["labels"]) == HOSTILE
    assert tuple(found["groups"]) == HOSTILE[::-1]
    assert found["newick"] == quick(answers).tree.to_newick()
    assert text.count("<script") == 2
    assert "<img" not in text
    assert "<i>" not in text
    assert "\0" not in text
    assert "\u202e" not in text
    assert "<title>&lt;/script&gt;&lt;script&gt;" in text


@given(st.text())
def test_text_is_escaped(text):
    safe = escaped(text)
    assert not set(safe) & set("<>\"'")
    assert html.unescape(safe) == without_controls(text)
    assert "<" not in json_in_html([text])
    assert json.loads(json_in_html([text])) == [text]
    assert json_in_html([text]).isascii()


def test_texts_are_put_in_once():
    assert fill_template("{{a}} {{b}}", {"a": "{{b}}", "b": "x"}) == "{{b}} x"


@given(comparisons(), seeds)
def test_profile_is_the_similarity_within_clusters(answers, seed):
    from tripletree.report.page import similarity_within

    tree = tt.random_tree(answers.n_objects, rng=np.random.default_rng(seed))
    s = tt.adds_similarity(answers).tolist()
    expected = [
        definitions.within_clusters(s, tree.cut(k).tolist())
        for k in range(1, tree.n_leaves + 1)
    ]
    assert similarity_within(tree, answers) == pytest.approx(expected)


def test_figures_are_those_of_the_result(answers, tmp_path):
    result = tt.cluster(answers, "auto", support=0, curve=True)
    text = page_of(result, tmp_path, title="Animals")
    assert f"<dd>{result.revenue:,}</dd>" in text
    assert percent(result.held_out[result.method].accuracy) in text
    assert percent(result.gap.share) in text or "Proven" in text
    assert "class=chosen" in text
    assert "20 objects, built from 500 comparisons" in text
    found = data_of(text)
    assert found["curve"]["accuracy"][-1] == pytest.approx(
        result.held_out[result.method].accuracy
    )
    assert fingerprint(answers) in text


def test_models_are_compared_in_words_and_figures(answers, tmp_path):
    result = quick(answers, curve=True, tree_fit=True, n_folds=3, support=5)
    index = tt.UltrametricIndex(0.9, 0.8, 1.0, 0.4, 30)
    noise = tt.NoiseCeiling(0.94, 0.9, 0.96, 0.8, 30)
    text = page_of(replace(result, ultrametric=index, noise=noise), tmp_path)
    assert "Is it a tree?" in text
    for share in (result.tree_fit.tree, result.tree_fit.flat, 0.94):
        assert f"<td>{percent(share)}</td>" in text
    assert "Points in 8 dimensions" in text
    assert "people divide by 0.90" in text
    curve = data_of(text)["curve"]
    assert curve["gain"] == result.curve.gain
    assert curve["hasAdvice"] == bool(result.advice)
    assert text.count("What to do</strong>") == bool(result.advice)
    alone = page_of(replace(result, tree_fit=None), tmp_path)
    assert "Is it a tree?" not in alone
    only = page_of(replace(result, tree_fit=None, ultrametric=index), tmp_path)
    assert "Is it a tree?" in only
    assert "Points in" not in only


def test_a_curve_that_was_stopped_says_so(answers, tmp_path, monkeypatch):
    seconds = []
    clock = SimpleNamespace(monotonic=lambda: len(seconds))
    monkeypatch.setattr("tripletree.evaluation.holdout.time", clock)

    def slow(train):
        seconds.append(1)
        return tt.caterpillar_tree(20)

    result = quick(answers)
    curve = tt.learning_curve(answers, slow, time_limit=5)
    found = data_of(page_of(replace(result, curve=curve), tmp_path))["curve"]
    assert found["stopped"]
    assert found["accuracy"] == curve.accuracy.tolist()
    empty = tt.learning_curve(answers, slow, time_limit=0)
    assert "curve" not in data_of(page_of(replace(result, curve=empty), tmp_path))


def test_stability(answers, tmp_path):
    result = quick(answers, support=7)
    found = data_of(page_of(result, tmp_path))
    assert found["support"] == result.support.support.tolist()
    assert found["stability"] == pytest.approx(result.support.stability, abs=1e-4)
    assert (found["replicates"], found["drawn"]) == (7, "answers")
    assert found["newick"] == result.support.tree.to_newick()


def test_support_of_the_tree_alone(answers, tmp_path):
    support = np.linspace(0, 1, 19)
    support[3] = np.nan
    result = quick(answers)
    result = replace(result, tree=result.tree.with_support(support))
    found = data_of(page_of(result, tmp_path))
    assert found["support"][3] is None
    assert found["support"][18] == 1.0
    assert "stability" not in found


def test_the_clusters_are_those_of_the_result(answers, tmp_path):
    for n_clusters in ("auto", 1, 5, 20):
        result = quick(answers, n_clusters=n_clusters)
        found = data_of(page_of(result, tmp_path))
        assert found["cut"] == result.clusters.nodes.tolist()
        assert found["isSuggested"] == (n_clusters == "auto")


def test_annotators(answers, tmp_path):
    names = ["ann", "bob", "<b>cy</b>", "dan", "eve"] * 100
    told = replace(answers, annotators=names)
    result = quick(told, people=True)
    found = data_of(page_of(result, tmp_path))["annotators"]
    expected = tt.annotator_agreement(told)
    assert tuple(found["names"]) == expected.names
    assert found["agreeing"] == expected.n_agreeing.tolist()
    assert "by 5 people" in page(told, tmp_path)
    one = quick(replace(answers, annotators=["ann"] * 500), people=True)
    assert one.people is None
    alone = page_of(one, tmp_path)
    assert "by 1 person" in alone
    assert "annotators" not in data_of(alone)


def test_pictures(answers, tmp_path):
    images = np.zeros((20, 8, 8))
    assert data_of(page(answers, tmp_path, images=images))["sheet"]["cell"] == 8
    items = tt.Items(answers.labels, images=("https://example.org/a.png",) * 20)
    text = page(answers, tmp_path, items=items)
    assert "sheet" not in data_of(text)
    assert "20 images are on the web and are not shown" in text


def test_what_was_left_out_and_warnings_are_said(tmp_path):
    answers = tt.Triplets(
        [[0, 1, 2]], 6, dropped={"<undecided>": 1200}, notes=["<i> no header"]
    )
    text = page(answers, tmp_path)
    assert "Left out: 1,200 answers (&lt;undecided&gt;)." in text
    assert "&lt;i&gt; no header</li>" in text
    assert '<li class="warning">' in text


def test_quadruplets_and_weights(tmp_path):
    answers = tt.Quadruplets([[0, 1, 2, 3], [1, 2, 0, 3]], 4, weights=[0.5, 2.25])
    text = page(answers, tmp_path)
    assert "A and B are closer than C and D" in text
    assert data_of(text)["pairs"]["strongest"] > 0


def test_a_file_is_not_overwritten(answers, tmp_path):
    path = tmp_path / "a.html"
    path.write_text("mine")
    with pytest.raises(tt.UnreadableFile, match="is there already"):
        write_report(quick(answers), path)
    assert path.read_text() == "mine"
    write_report(quick(answers), path, overwrite=True)
    assert path.read_bytes().startswith(b"<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
    assert not stat.S_IMODE(path.stat().st_mode) & 0o111


def test_wrong_input(answers, tmp_path):
    result = quick(answers)
    path = tmp_path / "a.html"
    with pytest.raises(tt.InvalidOption, match=r"end in \.html"):
        write_report(result, tmp_path / "a.pdf")
    with pytest.raises(tt.InvalidOption, match="expected a Clustering, not Tree"):
        write_report(result.tree, path)
    with pytest.raises(tt.InvalidOption, match="no longer has its comparisons"):
        write_report(result.without_comparisons(), path)
    other = replace(result, comparisons=tt.Triplets([[0, 1, 2]], 3))
    with pytest.raises(tt.Mismatch, match="a tree of 20 leaves"):
        write_report(other, path)
    with pytest.raises(tt.Mismatch, match="a table of 2 items"):
        write_report(result, path, items=tt.Items(("a", "b")))
    with pytest.raises(tt.UnreadableFile, match="cannot be written"):
        write_report(result, tmp_path / "no" / "a.html")
    assert not path.exists()


def test_too_many_objects(answers, tmp_path, monkeypatch):
    monkeypatch.setattr("tripletree.report.page.MOST_OBJECTS", 19)
    with pytest.raises(tt.TooLarge, match="at most 19"):
        page(answers, tmp_path)


def test_percent_is_never_rounded_to_all_or_none():
    assert percent(1.0) == "100.0\N{NO-BREAK SPACE}%"
    assert percent(0.99999) == "99.9\N{NO-BREAK SPACE}%"
    assert percent(0.00001) == "0.1\N{NO-BREAK SPACE}%"
    assert percent(0) == "0.0\N{NO-BREAK SPACE}%"


def test_fingerprint_tells_answers_apart(answers):
    assert fingerprint(answers) == fingerprint(replace(answers))
    others = [answers[1:], answers[::-1], replace(answers, labels=None)]
    others.append(replace(answers, weights=np.ones(500, int)))
    assert len({fingerprint(x) for x in [answers, *others]}) == 5
