"""The report in a real browser, as its readers use it."""

from __future__ import annotations

import csv
import io
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import tripletree as tt
from tests.unit.report.test_page import HOSTILE
from tripletree.datasets.animals import animals
from tripletree.report.page import write_report

pytestmark = pytest.mark.browser


def clustered(answers, tree=None):
    result = tt.cluster(answers, "adds-al", n_folds=0, time_limit=0)
    return result if tree is None else replace(result, tree=tree)


def written(folder, answers, tree=None, **options):
    path = folder / "page.html"
    result = clustered(answers, tree)
    options = {"curve": None, **options}
    write_report(result, answers, path, overwrite=True, **options)
    return path, result.tree


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoo")
    answers = animals(1_000).answers
    support = np.linspace(0.1, 1, 19)
    return written(folder, answers, support=support, title="Zoo", n_clusters=4)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """2,000 objects with random answers."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2_000, (50_000, 3))
    is_row = [len({*row}) == 3 for row in rows.tolist()]
    labels = [f"object {i}" for i in range(2_000)]
    answers = tt.Triplets(rows[is_row], 2_000, labels=labels)
    return written(tmp_path_factory.mktemp("large"), answers)


def settle(page):
    """Wait until everything that was asked for is drawn."""
    page.wait_for_timeout(90)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done()))")


def labels(page):
    return page.locator("#drawing text:not(.tag)").all_text_contents()


def saved(page, button):
    with page.expect_download() as found:
        page.click(button)
    return found.value.path().read_bytes().decode()


def cells(page):
    text = saved(page, "#save-csv")
    return [*csv.DictReader(io.StringIO(text, newline=""))]


def show(page):
    """Bring the tree before the eye."""
    page.locator("#viewport").evaluate("(x) => x.scrollIntoView({ block: 'center' })")
    settle(page)


def place_of_joint(page, at):
    show(page)
    box = page.locator("#drawing circle.joint").nth(at).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def partition(clusters):
    groups = {}
    for leaf, cluster in enumerate(clusters):
        groups.setdefault(cluster, []).append(leaf)
    return sorted(groups.values())


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
        settle(page)
        assert page.locator("#clusters tbody tr").count() == k
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


def test_neighbours_have_different_colours(zoo, open_page):
    page = open_page(zoo[0])
    for k in range(1, 21):
        page.fill("#number", str(k))
        page.keyboard.press("Enter")
        settle(page)
        swatches = page.locator("#clusters .swatch")
        colours = [x.get_attribute("class") for x in swatches.all()]
        assert len(colours) == k
        assert all(a != b for a, b in pairwise(colours))


def test_a_click_folds_and_unfolds(zoo, open_page):
    path, tree = zoo
    page = open_page(path)
    for at in (0, 3, 7):
        before = labels(page)
        x, y = place_of_joint(page, at)
        page.mouse.click(x, y)
        settle(page)
        folded = labels(page)
        assert len(folded) < len(before)
        text = page.locator("#drawing text.folded").first.text_content()
        assert text.startswith(f"{20 - len(folded) + 1}:")
        assert (
            page.locator("#chosen")
            .text_content()
            .startswith(f"{20 - len(folded) + 1} objects")
        )
        page.mouse.click(
            *page.locator("#drawing path.fold").first.evaluate(
                "(x) => { const b = x.getBoundingClientRect();"
                " return [b.left + 0.7 * b.width, b.top + b.height / 2]; }"
            )
        )
        settle(page)
        assert labels(page) == before
    page.click("#fold")
    settle(page)
    assert len(labels(page)) == 4
    page.click("#unfold")
    settle(page)
    assert len(labels(page)) == tree.n_leaves


def test_no_click_is_lost_while_the_tree_is_drawn(zoo, open_page):
    page = open_page(zoo[0])
    for _ in range(5):
        page.evaluate("document.activeElement.blur()")
        page.mouse.move(*place_of_joint(page, 0))
        page.mouse.down()  # the focus draws the tree anew
        settle(page)
        page.mouse.up()
        settle(page)
        assert len(labels(page)) == 1
        page.click("#unfold")
        settle(page)


def test_hovering_tells_the_support(zoo, open_page):
    page = open_page(zoo[0])
    page.mouse.move(*place_of_joint(page, 0))
    tip = page.locator("#tip")
    assert "20 objects" in tip.text_content()
    assert "support 1" in tip.text_content()
    page.mouse.move(5, 5)
    assert tip.is_hidden()


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
    settle(page)
    assert active().get_attribute("aria-expanded") == "false"
    assert len(labels(page)) == 20 - tree.size[first] + 1
    page.keyboard.press("Enter")
    settle(page)
    assert active().get_attribute("aria-expanded") == "true"
    assert len(labels(page)) == 20
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


def test_everything_that_can_be_used_has_a_name(zoo, open_page):
    page = open_page(zoo[0])
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas[role],"
            + " svg[role], [role=tree], [role=region], [role=group]")]
          .filter((x) => !(x.textContent.trim() || x.ariaLabel || x.labels?.length
            || x.getAttribute("aria-labelledby")))
          .map((x) => x.outerHTML)"""
    )
    assert nameless == []
    assert page.locator("h1").count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((x) => x.id)")
    assert len(ids) == len({*ids})


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


def test_hostile_labels_do_nothing(tmp_path, open_page):
    n = len(HOSTILE)
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(n), (300, 1)), axis=1)[:, :3]
    names = [HOSTILE[at % n].replace("\ud800", "") for at in range(300)]
    answers = tt.Triplets(rows, n, labels=HOSTILE, annotators=names)
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
    page.click("#people thead button >> nth=0")
    settle(page)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    shown = "".join(labels(page))
    assert "\u202e" not in shown
    assert "\0" not in shown
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
    page.evaluate("document.getElementById('bait').click()")
    page.evaluate("document.getElementById('link').click()")
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
    found = [row["label"] for row in cells(page)]
    expected = [x if x[0] in "a" or x == "-5" else f"'{x}'"[:-1] for x in names]
    assert found == expected


def test_dark_and_light(zoo, open_page):
    dark = open_page(zoo[0], color_scheme="dark")
    light = open_page(zoo[0])

    def lightness(page):
        return page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
            ".reduce((a, b) => a + b)"
        )

    assert lightness(dark) < 150 < 600 < lightness(light)
    before = light.evaluate("document.getElementById('pairs').toDataURL()")
    light.click("#theme")
    assert lightness(light) < 150
    assert light.evaluate("document.getElementById('pairs').toDataURL()") != before
    assert light.get_attribute("#theme", "aria-pressed") == "true"


def test_it_prints_and_goes_on(zoo, open_page):
    page = open_page(zoo[0], color_scheme="dark")
    assert len(page.pdf()) > 10_000
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    settle(page)
    assert len(labels(page)) == 20


@pytest.mark.parametrize("name", ["zoo", "large"])
def test_a_phone_is_wide_enough(name, request, open_page):
    path = request.getfixturevalue(name)[0]
    size = {"width": 360, "height": 740}
    page = open_page(path, viewport=size, is_mobile=True, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    show(page)
    row = page.locator("#drawing text:not(.tag)").first.bounding_box()
    page.touchscreen.tap(row["x"] + 5, row["y"] + row["height"] / 2)
    settle(page)
    assert page.locator("#chosen strong").count() == 1


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


def test_pictures_are_at_the_leaves(tmp_path, open_page):
    answers = animals(500).answers
    rng = np.random.default_rng(0)
    images = rng.integers(0, 255, (20, 8, 8), np.uint8)
    path, _ = written(tmp_path, answers, images=images, n_clusters=3)
    page = open_page(path)
    settle(page)
    assert page.locator("#drawing image").count() == 20
    painted = page.evaluate(
        """() => [...document.querySelectorAll("#clusters canvas")].map((x) =>
          x.getContext("2d").getImageData(0, 0, x.width, x.height).data
            .some((value, at) => at % 4 === 0 && value > 0))"""
    )
    assert painted == [True] * 20
    page.click("#fold")
    settle(page)
    assert 3 <= page.locator("#drawing image").count() <= 18


def test_people_can_be_sorted(tmp_path, open_page):
    rng = np.random.default_rng(0)
    names = rng.choice(["ann", "bob", "p10", "p9", "<i>"], 500)
    answers = replace(animals(500).answers, annotators=names)
    page = open_page(written(tmp_path, answers)[0])

    def column(at):
        texts = page.locator(f"#people tbody tr > :nth-child({at})").all_text_contents()
        return [float(x.strip("%")) for x in texts] if at > 1 else texts

    for at in range(2, 7):
        page.click(f"#people thead th:nth-child({at}) button")
        up = page.get_attribute(f"#people thead th:nth-child({at})", "aria-sort")
        assert column(at) == sorted(column(at), reverse=up == "descending")
        page.click(f"#people thead th:nth-child({at}) button")
        down = page.get_attribute(f"#people thead th:nth-child({at})", "aria-sort")
        assert {up, down} == {"ascending", "descending"}
    page.click("#people thead th:nth-child(1) button")
    assert column(1) == ["<i>", "ann", "bob", "p9", "p10"]


def test_the_curve_is_drawn(tmp_path, open_page):
    answers = animals(500).answers
    curve = tt.learning_curve(
        answers, lambda x: tt.average_linkage(tt.adds_similarity(x)), shares=[0.1, 1]
    )
    page = open_page(written(tmp_path, answers, curve=curve)[0])
    assert page.locator("#curve circle").count() == 2
    rows = page.locator("#curve-table tbody tr")
    assert rows.count() == 2
    assert (
        f"{100 * curve.accuracy[1]:.1f}\N{NO-BREAK SPACE}%"
        in rows.nth(1).text_content()
    )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_objects(n, tmp_path, open_page):
    rows = [[0, 1, 2]] if n == 3 else np.empty((0, 3), int)
    page = open_page(written(tmp_path, tt.Triplets(rows, n))[0])
    assert len(labels(page)) == n
    page.focus("#viewport")
    for key in ("ArrowRight", "ArrowDown", "Enter", "Home", "End", "+", "-", "0"):
        page.keyboard.press(key)
    page.click("#unfold")
    page.click("#fold")
    assert len(cells(page)) == n
    assert saved(page, "#save-newick").endswith(";\n")


def test_a_caterpillar_of_2000(tmp_path, open_page):
    n = 2_000
    answers = tt.Triplets([[0, 1, 2], [0, 1, n - 1]], n)
    tree = tt.caterpillar_tree(n)
    path, _ = written(tmp_path, answers, tree)
    page = open_page(path)
    page.click("#unfold")
    page.focus("#viewport")
    page.keyboard.press("End")
    settle(page)
    last = str(tree.leaf_order[-1])
    assert labels(page)[-1] == last
    page.fill("#search", "0")
    settle(page)
    page.click("#fit")
    settle(page)
    page.fill("#number", "1500")
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator("#clusters tbody tr").count() == 1_500


def test_2000_leaves_do_not_freeze_it(large, open_page, record_testsuite_property):
    """Times are measured in the page; the limits are far above what they are."""
    began = time.perf_counter()
    page = open_page(large[0])
    opened = time.perf_counter() - began
    ready = page.evaluate(
        "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    )
    assert 60 <= len(labels(page)) <= 2_000
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
    assert ready < 3_000
    assert folded < 300
    assert unfolded < 500
