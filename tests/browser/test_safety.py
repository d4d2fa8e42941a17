"""Nothing in a label runs, and nothing leaves the page."""

import pytest

import tripletree as tt
from tests.browser.reading import (
    cells,
    click,
    labels,
    place_of_joint,
    saved,
    settle,
    written,
)
from tests.strategies import random_rows
from tests.unit.report.test_page import HOSTILE

pytestmark = pytest.mark.browser


def test_hostile_labels_do_nothing(tmp_path, open_page):
    n = len(HOSTILE)
    names = [HOSTILE[at % n].replace("\ud800", "") for at in range(300)]
    answers = tt.Triplets(random_rows(0, 300, n), n, labels=HOSTILE, annotators=names)
    items = tt.Items(HOSTILE, HOSTILE[::-1])
    path, tree = written(tmp_path, answers, items=items, title=HOSTILE[1])
    page = open_page(path)
    for at in range(6):
        page.mouse.move(*place_of_joint(page, at))
    page.mouse.click(*place_of_joint(page, 1))
    for text in ("<img", "evil", "\0", "x" * 50):
        page.fill("#search", text)
        page.press("#search", "Enter")
        settle(page)
    page.click("#unfold")
    page.hover("#pairs")
    click(page, "#people thead button >> nth=0")
    assert page.evaluate("window.hacked") is None
    assert [page.locator(name).count() for name in ("img", "script")] == [0, 2]
    shown = "".join(labels(page))
    assert not {"\u202e", "\0"} & {*shown}
    assert "␀null" in shown
    assert "👨\u200d👩\u200d👧 family" in labels(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    kept = [x.replace("\ud800", "\ufffd") for x in HOSTILE]
    assert saved(page, "#save-newick").strip("\n") == tree.with_labels(kept).to_newick()
    found = [row["label"] for row in cells(page)]
    assert [x.lstrip("'") for x in found] == kept
    assert found[HOSTILE.index("=HYPERLINK(1)")] == "'=HYPERLINK(1)"


def test_the_policy_stops_what_gets_in_nevertheless(zoo, open_page):
    page = open_page(zoo[0])
    page.evaluate(
        """() => document.body.insertAdjacentHTML("beforeend",
          '<img src="https://example.org/x.png" onerror="window.hacked = 1">'
          + '<b onclick="window.hacked = 1" id="bait">x</b>'
          + '<a href="javascript:window.hacked=1" id="link">y</a>')"""
    )
    for name in ("bait", "link"):
        page.evaluate(f"document.getElementById('{name}').click()")
    refused = page.evaluate(
        "fetch('https://example.org').then(() => false, () => true)"
    )
    settle(page)
    assert refused
    assert page.evaluate("window.hacked") is None
    assert page.said
    assert all("Content Security Policy" in x or "Fetch API" in x for x in page.said)
    page.said.clear()


def test_spreadsheets_get_no_formulas(tmp_path, open_page):
    names = ["=1+1", "+x", "-5", "-cmd", "@sum", "\t=1", " =1", 'a"b', "a,b", "a\nb"]
    rows = [[i, (i + 1) % 10, (i + 2) % 10] for i in range(10)]
    page = open_page(written(tmp_path, tt.Triplets(rows, 10, labels=names))[0])
    expected = [x if x[0] in "a" or x == "-5" else f"'{x}'"[:-1] for x in names]
    assert [row["label"] for row in cells(page)] == expected
