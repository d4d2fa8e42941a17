"""The page around the tree, in a real browser: for every reader and every screen."""

from dataclasses import replace

import numpy as np
import pytest

import tripletree as tt
from tests.browser.reading import (
    cells,
    click,
    clustered,
    cut_into,
    labels,
    saved,
    settle,
    show,
    written,
)
from tripletree.clustering.advice import last_doubling
from tripletree.datasets.animals import animals

pytestmark = pytest.mark.browser


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(scheme, zoo, open_page):
    """WCAG AA: contrast of at least 4.5 for text, also on the colours of clusters."""
    page = open_page(zoo[0], color_scheme=scheme)
    cut_into(page, 12)
    contrasts = page.evaluate(
        """() => {
          const parts = (text) => text.match(/[0-9.]+/g).slice(0, 3).map(Number);
          const light = (text) => parts(text).map((x) => x / 255)
            .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
            .reduce((sum, x, at) => sum + x * [0.2126, 0.7152, 0.0722][at], 0);
          const behind = (x) => {
            for (; x; x = x.parentElement) {
              const colour = getComputedStyle(x).backgroundColor;
              if (colour !== "rgba(0, 0, 0, 0)") return colour;
            }
          };
          const all = document.querySelectorAll(
            "p, dt, dd, th, td, h1, h2, .swatch, button:not(:disabled), .hint, li");
          return [...all].filter((x) => x.offsetParent && x.textContent.trim())
            .map((x) => {
              const [a, b] = [light(getComputedStyle(x).color), light(behind(x))]
                .sort((one, two) => two - one);
              return [(a + 0.05) / (b + 0.05), x.className + " " + x.tagName];
            });
        }"""
    )
    assert len(contrasts) > 50
    assert min(contrasts)[0] >= 4.5, min(contrasts)


def test_dark_and_light(zoo, open_page):
    dark = open_page(zoo[0], color_scheme="dark")
    light = open_page(zoo[0])

    def lightness(page):
        return page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
            ".reduce((a, b) => a + b)"
        )

    assert lightness(dark) < 150 < 600 < lightness(light)
    pairs = "document.getElementById('pairs').toDataURL()"
    before = light.evaluate(pairs)
    light.click("#theme")
    assert lightness(light) < 150
    assert light.evaluate(pairs) != before
    assert light.get_attribute("#theme", "aria-pressed") == "true"


def test_the_tree_is_seen_at_first_and_on_the_first_sheet(everyday_page, open_page):
    page = open_page(everyday_page, viewport={"width": 1400, "height": 900})
    place = "document.querySelector('{}').getBoundingClientRect().{}"
    assert page.evaluate(place.format("#viewport", "top")) < 620
    page.set_viewport_size({"width": 740, "height": 980})  # a letter, within margins
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(place.format("#tree-section", "bottom")) < 980


def test_the_heads_of_long_tables_are_printed_on_each_sheet(everyday_page, open_page):
    """Chromium repeats heads, but not the buttons in them: these must have no box."""
    page = open_page(everyday_page)
    page.emulate_media(media="print")
    button = "getComputedStyle(document.querySelector('#people thead button'))"
    assert page.evaluate(f"{button}.display") == "contents"


def test_the_figures_of_the_curve_are_within_it_on_a_phone(tmp_path, open_page):
    answers = animals(500).answers
    curve = tt.learning_curve(
        answers, lambda x: tt.average_linkage(tt.adds_similarity(x)), shares=[0.1, 1]
    )
    path = written(tmp_path, answers, replace(clustered(answers), curve=curve))[0]
    page = open_page(path, viewport={"width": 390, "height": 844}, is_mobile=True)
    left = """() => {
      const left = (x) => x.getBoundingClientRect().left;
      const texts = [...document.querySelectorAll("#curve text")];
      return Math.min(...texts.map((x) => left(x) - left(x.ownerSVGElement)));
    }"""
    assert page.evaluate(left) >= 0


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
    page.wait_for_selector("#chosen strong")
    settle(page)
    assert page.locator("#chosen strong").count() == 1


def test_pictures_are_at_the_leaves(tmp_path, open_page):
    answers = animals(500).answers
    images = np.random.default_rng(0).integers(0, 255, (20, 8, 8), np.uint8)
    result = clustered(answers, n_clusters=3)
    path, _ = written(tmp_path, answers, result, images=images)
    page = open_page(path)
    settle(page)
    assert page.locator("#drawing image").count() == 20
    painted = page.evaluate(
        """() => [...document.querySelectorAll("#clusters canvas")].map((x) =>
          x.getContext("2d").getImageData(0, 0, x.width, x.height).data
            .some((value, at) => at % 4 === 0 && value > 0))"""
    )
    assert painted == [True] * 20
    click(page, "#fold")
    assert 3 <= page.locator("#drawing image").count() <= 18


def test_people_can_be_sorted(tmp_path, open_page):
    names = np.random.default_rng(0).choice(["ann", "bob", "p10", "p9", "<i>"], 500)
    answers = replace(animals(500).answers, annotators=names)
    page = open_page(written(tmp_path, answers)[0])

    def column(at):
        texts = page.locator(f"#people tbody tr > :nth-child({at})").all_text_contents()
        return [float(x.strip("%")) for x in texts] if at > 1 else texts

    for at in range(2, 8):
        head, ways = f"#people thead th:nth-child({at})", set()
        for _ in range(2):
            page.click(f"{head} button")
            way = page.get_attribute(head, "aria-sort")
            assert column(at) == sorted(column(at), reverse=way == "descending")
            ways.add(way)
        assert ways == {"ascending", "descending"}
    page.click("#people thead th:nth-child(1) button")
    assert column(1) == ["<i>", "ann", "bob", "p9", "p10"]


def test_the_curve_is_drawn(tmp_path, open_page):
    answers = animals(500).answers
    curve = tt.learning_curve(
        answers, lambda x: tt.average_linkage(tt.adds_similarity(x)), shares=[0.1, 1]
    )
    told = {"advice": "ask more: 5% gained.", "curve": curve}
    page = open_page(written(tmp_path, answers, replace(clustered(answers), **told))[0])
    assert page.locator("#curve circle").count() == 2
    said = page.locator("#curve-text").text_content()
    assert f". T{last_doubling(curve.gain, 'it')[1:]}. What to do" in said
    assert said.endswith("is at the top of the page.")
    advice = "What to do Ask more: 5\N{NO-BREAK SPACE}% gained."
    assert advice in page.locator(".notes").text_content()
    assert page.locator("#models-section").count() == 0
    _, last = page.locator("#curve-table tbody tr").all_text_contents()
    assert f"{100 * curve.accuracy[1]:.1f}\N{NO-BREAK SPACE}%" in last


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
