"""The tree in a real browser: cut, folded, searched, zoomed, by hand and by keys."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import tripletree as tt
from tests.browser.reading import (
    cells,
    clustered,
    have_clusters,
    have_rows,
    labels,
    partition,
    place_of_joint,
    preorder,
    settle,
    show,
    written,
)
from tripletree.datasets.animals import animals

pytestmark = pytest.mark.browser


def test_it_shows_the_tree(zoo, open_page):
    path, tree = zoo
    page = open_page(path)
    assert page.title() == "Zoo"
    assert labels(page) == [tree.labels[leaf] for leaf in tree.leaf_order]
    assert page.locator("#drawing circle.joint").count() == 19
    assert page.locator("#drawing circle.sure").count() == 5  # of 0.8 or more
    assert page.locator("#clusters tbody tr").count() == 4
    assert page.locator("#curve-section").is_hidden()


def test_the_slider_cuts_as_the_tree_does(zoo, open_page):
    path, tree = zoo
    page = open_page(path)
    for k in (5, 6, 7):
        page.focus("#slider")
        page.keyboard.press("ArrowRight")
        assert page.input_value("#number") == str(k)
        rows = cells(page)
        assert [row["label"] for row in rows] == [*tree.labels]
        found = partition([row["cluster"] for row in rows])
        assert found == partition(tree.cut(k).tolist())
        have_clusters(page, k)
    for k in (1, 20):
        page.fill("#number", str(k))
        page.keyboard.press("Enter")
        found = partition([row["cluster"] for row in cells(page)])
        assert found == partition(tree.cut(k).tolist())
    page.fill("#number", "999")
    page.keyboard.press("Enter")
    assert page.input_value("#number") == "20"
    page.click("#suggested")
    assert page.locator("#suggested").is_disabled()


def test_it_opens_with_the_clusters_of_the_result(tmp_path, open_page):
    """Also where these are no cut by the order of merges, which the slider makes."""
    answers = animals(1_000).answers
    result = clustered(answers)
    tree = result.tree
    large, small = sorted(tree.children[-1], key=lambda node: -tree.size[node])
    inner = tree.children[small - tree.n_leaves]  # the smaller branch falls apart first
    nodes = np.array(sorted([large, *inner], key=lambda v: tree.interval_start[v]))
    labels = np.empty(20, int)
    for number, node in enumerate(nodes):
        labels[tree.leaves(node)] = number
    assert partition(labels) != partition(tree.cut(3).tolist())
    cut = replace(result.clusters, labels=labels, nodes=nodes)
    page = open_page(written(tmp_path, answers, replace(result, clusters=cut))[0])
    assert [int(row["cluster"]) - 1 for row in cells(page)] == labels.tolist()
    assert page.locator("#suggested").is_disabled()
    have_clusters(page, 3)
    page.fill("#number", "4")
    page.keyboard.press("Enter")
    have_clusters(page, 4)
    page.click("#suggested")
    have_clusters(page, 3)
    assert [int(row["cluster"]) - 1 for row in cells(page)] == labels.tolist()


def test_strays_are_in_no_cluster_and_levels_are_marked(tmp_path, open_page):
    answers = animals(1_000).answers
    result = clustered(answers)
    tree, labels = result.tree, np.full(20, -1)
    large, small = sorted(tree.children[-1], key=lambda node: -tree.size[node])
    inner = tree.children[large - tree.n_leaves].tolist()
    labels[tree.leaves(small)] = 0
    labels[tree.leaves(inner[0])] = 1
    nodes = sorted([small, inner[0]], key=lambda v: tree.interval_start[v])
    cut = replace(result.clusters, labels=labels, nodes=np.array(nodes))
    both = replace(cut, nodes=np.array(sorted([small, *inner])))
    level = tt.SuggestedCut(both, 1.0, 1, 20, 0.5)
    result = replace(result, clusters=cut, levels=(level,))
    page = open_page(written(tmp_path, answers, result)[0])
    strays = tree.leaves(inner[1])
    rows = cells(page)
    assert [at for at, row in enumerate(rows) if row["cluster"] == "-1"] == sorted(
        strays.tolist()
    )
    assert {row["cluster"] for row in rows} == {"-1", "1", "2"}
    last = page.locator("#clusters tbody tr").last
    assert last.locator("td").first.text_content() == str(len(strays))
    assert last.locator("th").text_content() == "none"
    assert page.locator("#profile .best").count() == 1
    assert page.locator("#profile .level").count() == 1
    page.click("#fold")
    have_rows(page, 2 + len(strays))
    page.fill("#number", "3")
    page.keyboard.press("Enter")
    have_clusters(page, 3)
    assert "stable" in page.get_attribute("#slider", "aria-valuetext")
    page.fill("#number", "4")
    page.keyboard.press("Enter")
    have_clusters(page, 4)
    page.click("#suggested")
    have_clusters(page, 3)  # with the row of strays


def test_neighbours_have_different_colours(zoo, open_page):
    page = open_page(zoo[0])
    for k in range(1, 21):
        page.fill("#number", str(k))
        page.keyboard.press("Enter")
        have_clusters(page, k)
        swatches = page.locator("#clusters .swatch")
        colours = [x.get_attribute("class") for x in swatches.all()]
        assert all(a != b for a, b in pairwise(colours))


def test_a_click_folds_and_unfolds(zoo, open_page):
    path, tree = zoo
    page = open_page(path)
    inner = [v for v in preorder(tree) if v >= 20]
    before = labels(page)
    for at in (0, 3, 7):
        size = int(tree.size[inner[at]])
        page.mouse.click(*place_of_joint(page, at))
        have_rows(page, 20 - size + 1)
        text = page.locator("#drawing text.folded").first.text_content()
        assert text.startswith(f"{size}:")
        assert page.locator("#chosen").text_content().startswith(f"{size} objects")
        show(page)
        middle = """(x) => { const b = x.getBoundingClientRect();
          return [b.left + 0.7 * b.width, b.top + b.height / 2]; }"""
        place = page.locator("#drawing path.fold").first.evaluate(middle)
        page.mouse.click(*place)
        have_rows(page, 20)
        assert labels(page) == before
    page.click("#fold")
    have_rows(page, 4)
    page.click("#unfold")
    have_rows(page, 20)


def second_joint(tree):
    """Of those in the order of drawing: the first child of the root that is one."""
    return next(int(v) for v in tree.children[-1] if v >= tree.n_leaves)


def test_hovering_tells_the_support(zoo, open_page):
    path, tree = zoo
    page = open_page(path)
    page.mouse.move(*place_of_joint(page, 0))
    tip = page.locator("#tip")
    assert "20 objects" in tip.text_content()
    assert "support" not in tip.text_content()  # the root is no finding
    page.mouse.move(*place_of_joint(page, 1))
    share = np.linspace(0.1, 1, 19)[second_joint(tree) - 20]  # see conftest
    assert f"support {100 * share:.0f}\N{NO-BREAK SPACE}%" in tip.text_content()
    assert "stability" not in page.text_content("body > main")
    page.mouse.move(5, 5)
    assert tip.is_hidden()


def test_stability_is_told_beside_the_support(tmp_path, open_page):
    answers = animals(1_000).answers
    result = clustered(answers, n_clusters=4, support=8)
    tree = result.tree.with_support(np.full(19, 0.125))
    made = replace(result.support, stability=np.linspace(0.0, 1, 19))
    result = replace(result, tree=tree, support=made)
    page = open_page(written(tmp_path, answers, result)[0])
    assert "drawn again at random 8 times" in page.text_content("#certainty")
    assert "stability of 80" in page.text_content("#legend")
    page.mouse.move(*place_of_joint(page, 1))
    told = page.text_content("#tip").replace("\N{NO-BREAK SPACE}", " ")
    share = made.stability[second_joint(tree) - 20]
    assert f"stability {100 * share:.0f} %" in told
    assert "found exactly in 13 % of 8 replicates" in told
    heads = page.locator("#clusters thead th").all_text_contents()
    assert heads == ["Cluster", "Objects", "Stability", "Support", "Members"]
    assert page.locator("#drawing .sure").count() == (made.stability >= 0.8).sum()


def test_search_goes_to_what_it_finds(large, open_page):
    page = open_page(large[0])
    page.fill("#search", "OBJECT 177")
    settle(page)
    assert page.locator("#found").text_content() == "1 of 11 matches"
    tree = large[1]
    wanted = [
        x for x in tree.leaf_order.tolist() if f"object {x}".startswith("object 177")
    ]
    for leaf in [*wanted[1:], wanted[0]]:
        page.press("#search", "Enter")
        settle(page)
        assert page.locator("#chosen strong").text_content() == f"object {leaf}"
        assert f"object {leaf}" in labels(page)
        ring = page.locator("#drawing rect.current").bounding_box()
        window = page.locator("#viewport").bounding_box()
        assert window["y"] <= ring["y"] <= window["y"] + window["height"]
    page.fill("#search", "no such object")
    assert page.locator("#found").text_content() == "0 matches"
    assert page.locator("#next").is_disabled()
    page.press("#search", "Escape")
    assert page.locator("#found").text_content() == ""


def test_accents_and_case_do_not_matter(tmp_path, open_page):
    answers = tt.Triplets([[0, 1, 2]], 3, labels=["Éléphant", "Straße", "ÅNGSTRÖM"])
    page = open_page(written(tmp_path, answers)[0])
    for text in ("elephant", "STRASSE"[:4], "angstrom"):
        page.fill("#search", text)
        assert page.locator("#found").text_content() == "1 of 1 match"


def test_the_keyboard_suffices(zoo, open_page):
    path, tree = zoo
    page = open_page(path)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "viewport":
            break
    assert page.evaluate("document.activeElement.id") == "viewport"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == (
        "solid"
    )

    def active():
        name = page.get_attribute("#viewport", "aria-activedescendant")
        return page.locator(f"#{name}")

    assert active().get_attribute("id") == f"node-{tree.root}"
    assert active().get_attribute("aria-level") == "1"
    page.keyboard.press("ArrowRight")
    first = int(tree.children[-1, 0])
    assert active().get_attribute("id") == f"node-{first}"
    assert active().get_attribute("aria-level") == "2"
    assert active().get_attribute("aria-setsize") == "2"
    page.keyboard.press("Enter")
    have_rows(page, 20 - tree.size[first] + 1)
    assert active().get_attribute("aria-expanded") == "false"
    page.keyboard.press("Enter")
    have_rows(page, 20)
    assert active().get_attribute("aria-expanded") == "true"
    page.keyboard.press("End")
    last = tree.leaf_order[-1]
    assert active().get_attribute("id") == f"node-{last}"
    assert tree.labels[last] in active().get_attribute("aria-label")
    page.keyboard.press("ArrowLeft")
    assert active().get_attribute("id") == f"node-{tree.parent[last]}"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    assert active().get_attribute("id") == f"node-{tree.parent[last]}"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"


def test_zoom_pan_and_fit(large, open_page):
    page = open_page(large[0])
    page.click("#unfold")
    settle(page)
    high = page.evaluate("document.getElementById('spacer').offsetHeight")
    assert high > 20_000
    show(page)
    box = page.locator("#viewport").bounding_box()
    middle = box["x"] + 300, box["y"] + 300
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0], middle[1] - 200, steps=4)
    page.mouse.up()
    assert page.evaluate("document.getElementById('viewport').scrollTop") == 200
    page.mouse.wheel(0, 500)
    page.wait_for_function(
        "() => document.getElementById('viewport').scrollTop === 700"
    )
    settle(page)
    assert page.evaluate("document.getElementById('viewport').scrollTop") == 700
    page.click("#in")
    assert page.evaluate("document.getElementById('spacer').offsetHeight") > high
    page.click("#fit")
    settle(page)
    assert page.evaluate("document.getElementById('spacer').offsetHeight") < 900
    assert labels(page) == []
    for axis in ("order", "height", "size"):
        page.select_option("#axis", axis)
        settle(page)
        assert page.locator("#drawing path").count() > 0


def test_two_fingers_zoom(zoo, open_page):
    size = {"width": 400, "height": 800}
    page = open_page(zoo[0], viewport=size, is_mobile=True, has_touch=True)
    show(page)
    box = page.locator("#viewport").bounding_box()
    x, y = box["x"] + 150, box["y"] + 200
    before = page.evaluate("document.getElementById('spacer').offsetHeight")
    touch = page.context.new_cdp_session(page)
    for gap in (40, 50, 70, 100):
        points = [{"x": x, "y": y - gap, "id": 0}, {"x": x, "y": y + gap, "id": 1}]
        kind = "touchStart" if gap == 40 else "touchMove"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    settle(page)
    after = page.evaluate("document.getElementById('spacer').offsetHeight")
    assert after > 1.5 * before


def test_a_caterpillar_of_2000(tmp_path, open_page):
    n = 2_000
    answers = tt.Triplets([[0, 1, 2], [0, 1, n - 1]], n)
    tree = tt.caterpillar_tree(n)
    cut = tt.best_cut(tree, answers)
    result = replace(clustered(answers), tree=tree, clusters=cut)
    path, _ = written(tmp_path, answers, result)
    page = open_page(path)
    page.click("#unfold")
    page.focus("#viewport")
    page.keyboard.press("End")
    last = str(tree.leaf_order[-1])
    page.wait_for_selector(f"#drawing text >> text='{last}'")
    page.fill("#search", "0")
    settle(page)
    page.click("#fit")
    settle(page)
    page.fill("#number", "1500")
    page.keyboard.press("Enter")
    have_clusters(page, 1_500)


def test_folded_rows_hide_no_cluster(tmp_path, open_page):
    """The first state shows every cluster of the result, also those merged early."""
    answers = tt.Triplets([[0, 1, 2], [3, 4, 5]], 200)

    def comb(first, size, node):  # of leaves from the first on; merges from node on
        merges = [[first, first + 1]]
        return merges + [[node + t, first + 2 + t] for t in range(size - 2)]

    halves = [*comb(0, 50, 200), *comb(50, 50, 249), [248, 297]]  # the first to fold
    tree = tt.Tree([*halves, *comb(100, 100, 299), [298, 397]])
    nodes = np.array([248, 297, 397])
    clusters = np.repeat([0, 1, 2], [50, 50, 100])
    result = clustered(answers)
    cut = replace(result.clusters, labels=clusters, nodes=nodes)
    result = replace(result, tree=tree, clusters=cut)
    page = open_page(written(tmp_path, answers, result)[0])
    texts = page.locator("#drawing text.folded").all_text_contents()
    assert [text.split(":")[0] for text in texts[:2]] == ["50", "50"]
    assert [int(row["cluster"]) - 1 for row in cells(page)] == clusters.tolist()


def test_2000_leaves_are_folded_at_the_start(large, open_page):
    assert 20 <= len(labels(open_page(large[0]))) <= 45


@pytest.mark.stress
def test_2000_leaves_do_not_freeze_it(large, open_page, record_testsuite_property):
    """Times are measured in the page. The limits are what a reader would call frozen,

    far above the times themselves, because a machine can be busy.
    """
    began = time.perf_counter()
    page = open_page(large[0])
    opened = time.perf_counter() - began
    ready = page.evaluate(
        "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    )
    slide = """() => new Promise((done) => {
      const slider = document.getElementById("slider"), times = [];
      let k = 1;
      const step = () => {
        const began = performance.now();
        slider.value = ++k;
        slider.dispatchEvent(new Event("input"));
        requestAnimationFrame(() => setTimeout(() => {
          times.push(performance.now() - began);
          if (times.length < 25) step(); else done(Math.max(...times));
        }));
      };
      step();
    })"""
    folded = page.evaluate(slide)
    page.click("#unfold")
    page.click("#fit")
    settle(page)
    unfolded = page.evaluate(slide)
    for name, value in {
        "opened [s]": opened,
        "ready [ms]": ready,
        "slider, folded [ms]": folded,
        "slider, all 2,000 shown [ms]": unfolded,
    }.items():
        record_testsuite_property(name, round(value, 1))
    assert ready < 10_000
    assert folded < 1_000
    assert unfolded < 1_000
