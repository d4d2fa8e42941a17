import base64
import hashlib
import html
import json
import re
import stat
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tripletree as tt
from tests import definitions
from tests.strategies import comparisons, random_rows, seeds
from tripletree.datasets.animals import animals
from tripletree.report.page import (
    fill_template,
    fingerprint,
    json_in_html,
    similarity_within,
    write_report,
)
from tripletree.report.page_text import at_least, escaped, percent, without_controls

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
    found = data_of(page(tt.Triplets(rows, n), tmp_path))
    assert (found["n"], found["labels"]) == (n, [str(i) for i in range(n)])
    assert len(found["children"]) == 2 * (n - 1)
    assert len(found["cut"]) == (1 if n < 3 else 2)


def test_the_same_input_gives_the_same_bytes(answers, tmp_path):
    assert page(answers, tmp_path) == page(answers, tmp_path)
    assert "<p>1 April</p>" in page(answers, tmp_path, date="1 April")


def test_nothing_else_is_loaded_or_run(answers, tmp_path):
    """The policy allows one script and one style, by their hashes."""
    text = page(answers, tmp_path)
    rest = text.replace("http://www.w3.org/2000/svg", "")
    rest = rest.replace("https://openreview.net/forum?id=QzWr4w8PXx", "")
    rest = rest.replace("http-equiv", "")
    assert not [word for word in ("http", "@import", "src=", "url(") if word in rest]
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
    names = [HOSTILE[at % n].replace("\ud800", "") for at in range(200)]
    answers = tt.Triplets(random_rows(0, 200, n), n, labels=HOSTILE, annotators=names)
    items = tt.Items(HOSTILE, HOSTILE[::-1])
    text = page(
        answers, tmp_path, items=items, title=HOSTILE[0], command=HOSTILE[1], date="<i>"
    )
    found = data_of(text)
    assert tuple(found["labels"]) == HOSTILE
    assert tuple(found["groups"]) == HOSTILE[::-1]
    assert found["newick"] == quick(answers).tree.to_newick()
    assert text.count("<script") == 2
    assert not [word for word in ("<img", "<i>", "\0", "\u202e") if word in text]
    assert "<title>&lt;/script&gt;&lt;script&gt;" in text


@given(st.text())
def test_text_is_escaped(text):
    safe, in_script = escaped(text), json_in_html([text])
    assert not set(safe) & set("<>\"'")
    assert html.unescape(safe) == without_controls(text)
    assert "<" not in in_script
    assert in_script.isascii()
    assert json.loads(in_script) == [text]


def test_texts_are_put_in_once():
    assert fill_template("{{a}} {{b}}", {"a": "{{b}}", "b": "x"}) == "{{b}} x"


@given(comparisons(), seeds)
def test_profile_is_the_similarity_within_clusters(answers, seed):
    tree = tt.random_tree(answers.n_objects, rng=np.random.default_rng(seed))
    s = tt.adds_similarity(answers).tolist()
    expected = [
        definitions.within_clusters(s, tree.cut(k).tolist())
        for k in range(1, tree.n_leaves + 1)
    ]
    assert similarity_within(tree, answers) == pytest.approx(expected)


@pytest.mark.slow
def test_figures_are_those_of_the_result(answers, tmp_path):
    result = tt.cluster(answers, "auto", support=0, curve=True)
    text = page_of(result, tmp_path, title="Animals")
    accuracy = result.held_out[result.method].accuracy
    for words in (
        f"<dd>{result.revenue:,}</dd>",
        percent(accuracy),
        "class=chosen",
        "20 objects, built from 500 comparisons",
        fingerprint(answers),
    ):
        assert words in text
    assert f"<dd>{at_least(result.gap)}</dd>" in text
    assert data_of(text)["curve"]["accuracy"][-1] == pytest.approx(accuracy)


def test_models_are_compared_in_words_and_figures(answers, tmp_path):
    result = quick(answers, curve=True, tree_fit=True, n_folds=3, support=5)
    index = tt.UltrametricIndex(0.9, 0.8, 1.0, 0.4, 30)
    noise = tt.NoiseCeiling(0.94, 0.9, 0.96, 0.8, 30)
    text = page_of(replace(result, ultrametric=index, noise=noise), tmp_path)
    assert "Is a tree the right model?" in text
    for share in (result.tree_fit.tree, result.tree_fit.flat, 0.94):
        assert f"<td>{percent(share)}</td>" in text
    assert "Points in 8 dimensions" in text
    assert "people disagree with an ultrametric index of 0.90" in text
    curve = data_of(text)["curve"]
    by = f"{100 * result.curve.gain:.1f} percentage points."
    assert curve["change"] == f"The last doubling of the answers raised it by {by}"
    assert curve["hasAdvice"] == bool(result.advice)
    assert text.count("What to do</strong>") == bool(result.advice)
    assert "Is a tree the right model?" not in page_of(
        replace(result, tree_fit=None), tmp_path
    )
    only = page_of(replace(result, tree_fit=None, ultrametric=index), tmp_path)
    assert "Is a tree the right model?" in only
    assert "Points in" not in only


def test_a_curve_that_was_stopped_says_so(answers, tmp_path, monkeypatch):
    slow = Mock(return_value=tt.caterpillar_tree(20))
    clock = SimpleNamespace(monotonic=lambda: slow.call_count)  # a second each
    monkeypatch.setattr("tripletree.evaluation.holdout.time", clock)
    result = quick(answers)
    curve, empty = (tt.learning_curve(answers, slow, time_limit=s) for s in (5, 0))
    found = data_of(page_of(replace(result, curve=curve), tmp_path))["curve"]
    assert found["stopped"]
    assert found["change"] is None  # one point only
    assert found["accuracy"] == curve.accuracy.tolist()
    assert "curve" not in data_of(page_of(replace(result, curve=empty), tmp_path))


def test_stability(answers, tmp_path):
    result = quick(answers, support=10)
    found = data_of(page_of(result, tmp_path))
    assert found["support"] == pytest.approx(result.support.support, abs=1e-4)
    assert found["collapsed"] == np.flatnonzero(result.stable_tree.collapsed).tolist()
    assert found["stability"] == pytest.approx(result.support.stability, abs=1e-4)
    assert (found["replicates"], found["drawn"]) == (10, "questions")
    assert found["newick"] == result.support.tree.to_newick()


def test_the_clusters_are_those_of_the_result(answers, tmp_path):
    for n_clusters in ("auto", 1, 5, 20):
        result = quick(answers, n_clusters=n_clusters)
        found = data_of(page_of(result, tmp_path))
        assert found["cut"] == result.clusters.nodes.tolist()
        assert found["isSuggested"] == (n_clusters == "auto")


def test_annotators(answers, tmp_path):
    told = replace(answers, annotators=["ann", "bob", "<b>cy</b>", "dan", "eve"] * 100)
    found = data_of(page_of(quick(told, people=True), tmp_path))["annotators"]
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
    text = page(answers, tmp_path, images=np.zeros((20, 8, 8)))
    assert data_of(text)["sheet"]["cell"] == 8
    items = tt.Items(answers.labels, images=("https://example.org/a.png",) * 20)
    text = page(answers, tmp_path, items=items)
    assert "sheet" not in data_of(text)
    assert "20 images are on the web and are not shown" in text


def test_what_was_left_out_and_warnings_are_said(tmp_path):
    answers = tt.Triplets(
        [[0, 1, 2]], 6, dropped={"<undecided>": 1200}, notes=["<i> no header"]
    )
    text = page(answers, tmp_path)
    for words in (
        "Left out: 1,200 answers (&lt;undecided&gt;).",
        "&lt;i&gt; no header</li>",
        '<li class="warning">',
    ):
        assert words in text


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


def test_wrong_input(answers, tmp_path, monkeypatch):
    result = quick(answers)
    other = replace(result, comparisons=tt.Triplets([[0, 1, 2]], 3))
    for shown, name, error, words in (
        (result, "a.pdf", tt.InvalidOption, r"end in \.html"),
        (result.tree, "a.html", tt.InvalidOption, "expected a Clustering, not Tree"),
        (result.without_comparisons(), "a.html", tt.InvalidOption, "no longer has its"),
        (other, "a.html", tt.Mismatch, "a tree of 20 leaves"),
        (result, "no/a.html", tt.UnreadableFile, "cannot be written"),
    ):
        with pytest.raises(error, match=words):
            write_report(shown, tmp_path / name)
    with pytest.raises(tt.Mismatch, match="a table of 2 items"):
        page_of(result, tmp_path, items=tt.Items(("a", "b")))
    monkeypatch.setattr("tripletree.report.page.MOST_OBJECTS", 19)
    with pytest.raises(tt.TooLarge, match="at most 19"):
        page_of(result, tmp_path)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("share", "text"), [(1.0, "100.0"), (0.99999, "99.9"), (0.00001, "0.1"), (0, "0.0")]
)
def test_percent_is_never_rounded_to_all_or_none(share, text):
    assert percent(share) == f"{text}\N{NO-BREAK SPACE}%"


def test_fingerprint_tells_answers_apart(answers):
    assert fingerprint(answers) == fingerprint(replace(answers))
    others = (
        answers[1:],
        answers[::-1],
        replace(answers, labels=None),
        replace(answers, weights=np.ones(500, int)),
    )
    assert len({*map(fingerprint, (answers, *others))}) == 5
