"""axe-core on the page: light, dark and on a phone, with everything opened."""

import os
from pathlib import Path

import pytest

from tests.browser.reading import settle
from tests.processes import missing

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 375, "height": 740}, "is_mobile": True}


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, from npm: see .ci/run."""
    path = Path(os.environ.get("TRIPLETREE_AXE", "build/axe/package/axe.min.js"))
    if not path.is_file():
        missing("axe-core is not there (TRIPLETREE_AXE)", "TRIPLETREE_BROWSER")
    return path.read_text("utf-8")


@pytest.mark.parametrize(
    "options", [{}, {"color_scheme": "dark"}, PHONE], ids=["light", "dark", "phone"]
)
def test_axe_finds_nothing_serious(options, everyday_page, open_page, axe):
    page = open_page(everyday_page, bypass_csp=True, **options)
    page.click("#joins-details summary")
    page.focus("#viewport")
    page.keyboard.press("ArrowRight")
    settle(page)
    page.evaluate(axe)
    found = page.evaluate("async () => (await axe.run()).violations")
    serious = [
        (one["id"], [node["html"] for node in one["nodes"]])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []
