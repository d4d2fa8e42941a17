"""Groups, drawings to save, the table of joins, branches turned round, exact sums."""

import re
from xml.etree import ElementTree

import pytest

import tripletree as tt
from tests.browser.reading import (
    cells,
    click,
    clustered,
    labels,
    place_of_joint,
    saved,
    settle,
    show,
    written,
)
from tripletree.datasets.animals import animals
from tripletree.datasets.everyday import everyday

pytestmark = pytest.mark.browser


def test_groups_are_beside_the_leaves(everyday_page, open_page):
    page = open_page(everyday_page)
    assert page.locator("#groups li").count() == len({*everyday().groups})
    show(page)
    shown = page.locator("#drawing rect[class^=g]").count()
    assert shown == len(labels(page)) > 20
    click(page, "#fold")
    assert page.locator("#drawing rect[class^=g]").count() >= 10


def test_more_groups_than_colours_have_stripes(tmp_path, open_page):
    answers = animals(300).answers
    names = [f"<b>{at % 14}" for at in range(20)]
    path, tree = written(tmp_path, answers, items=tt.Items(answers.labels, names))
    page = open_page(path)
    assert page.locator("#groups li.striped").count() == 2
    first = [names[leaf] for leaf in tree.leaf_order]
    assert page.locator("#groups li").all_text_contents() == [*dict.fromkeys(first)]
    assert page.locator("#drawing path.stripes").count() >= 2


def test_drawings_can_be_saved(everyday_page, open_page):
    page = open_page(everyday_page, color_scheme="dark")
    text = saved(page, "#save-svg")
    root = ElementTree.fromstring(text)
    shown = {x.text for x in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {*everyday().answers.labels} < shown
    assert "blob:" not in text
    assert "var(" not in text
    assert text.count("data:image") == 1  # one sheet for all pictures
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    with page.expect_download() as found:
        page.click("#save-png")
    assert found.value.path().read_bytes().startswith(b"\x89PNG")
    folded = len(labels(page))
    settle(page)
    assert len(labels(page)) == folded


def test_all_joins_are_in_a_table(zoo, open_page):
    page = open_page(zoo[0])
    page.click("#joins-details summary")
    page.wait_for_selector("#joins tbody tr")
    sizes = page.locator("#joins tbody th").all_text_contents()
    assert len(sizes) == page.locator("#drawing circle.joint").count()
    assert [int(x) for x in sizes] == sorted(map(int, sizes), reverse=True)
    page.locator("#joins tbody button").nth(1).click()
    assert page.locator("#chosen strong").text_content() == f"{sizes[1]} objects"
    page.wait_for_selector("#joins tr.current")


def test_branches_turn_round_and_back(zoo, open_page):
    """Clusters keep their numbers, and the map of pairs follows."""
    page = open_page(zoo[0])
    show(page)
    before, numbers = labels(page), cells(page)
    picture = "document.getElementById('pairs').toDataURL()"
    page.focus("#viewport")
    settle(page)
    first = page.evaluate(picture)
    page.keyboard.press("r")
    settle(page)
    turned = labels(page)
    assert turned != before
    assert sorted(turned) == sorted(before)
    assert cells(page) == numbers
    assert page.evaluate(picture) != first
    click(page, "#chosen button")
    assert labels(page) == before


def test_sums_of_pairs_are_whole_numbers(zoo, open_page):
    path, tree = zoo
    page = open_page(path)
    s = tt.adds_similarity(animals(1_000).answers)
    box = page.locator("#pairs").bounding_box()
    page.locator("#pairs").scroll_into_view_if_needed()
    box = page.locator("#pairs").bounding_box()
    for a, b in ((0, 1), (19, 3), (7, 12)):
        side = box["width"] / 20
        page.mouse.move(box["x"] + (b + 0.5) * side, box["y"] + (a + 0.5) * side)
        i, j = tree.leaf_order[[a, b]]
        sums = f"{s[i, j]}".replace("-", "\N{MINUS SIGN}")
        expected = f"{tree.labels[i]} and {tree.labels[j]}: {sums}"
        assert page.locator("#pair").text_content() == expected
        assert page.locator("#tip").text_content() == expected


def test_hover_text_leaves_the_leaves_free(zoo, open_page):
    page = open_page(zoo[0])
    show(page)
    row = page.locator("#drawing text:not(.tag)").nth(3).bounding_box()
    page.mouse.move(row["x"] + 3, row["y"] + row["height"] / 2)
    page.wait_for_selector("#tip:not([hidden])")
    tip = page.locator("#tip").bounding_box()
    assert tip["x"] + tip["width"] < row["x"]


def test_the_second_tap_folds(zoo, open_page):
    size = {"width": 375, "height": 740}
    page = open_page(zoo[0], viewport=size, is_mobile=True, has_touch=True)
    x, y = place_of_joint(page, 3)
    rows = len(labels(page))
    page.touchscreen.tap(x, y)
    page.wait_for_selector("#chosen strong")
    settle(page)
    assert len(labels(page)) == rows
    page.touchscreen.tap(x, y)
    settle(page)
    assert len(labels(page)) < rows
    assert page.locator("#profile line").count() > 0
    assert page.locator("#profile").bounding_box()["height"] > 20


def test_sums_beyond_whole_numbers_are_rounded(tmp_path, open_page):
    answers = tt.Triplets([[0, 1, 2], [1, 2, 0]], 3, weights=[0.25, 1.5])
    page = open_page(written(tmp_path, answers, clustered(answers))[0])
    page.locator("#pairs").scroll_into_view_if_needed()
    box = page.locator("#pairs").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] - 5)
    assert re.search(r": \W?\d+\.\d+", page.locator("#pair").text_content())
