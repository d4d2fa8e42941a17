"""A real Chromium for the page; what it may load, and what it may say."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import tripletree as tt
from tests.browser.reading import clustered, written
from tests.processes import missing
from tripletree.datasets.animals import animals
from tripletree.datasets.everyday import everyday

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 300_000  # milliseconds for what a busy machine does late


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed", "TRIPLETREE_BROWSER")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        missing("Chromium is not installed", "TRIPLETREE_BROWSER")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"], timeout=PATIENCE
        )
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser):
    """Opens a file as a page; at the end, nothing was loaded and nothing went wrong."""
    contexts, said, loaded, stopped = [], [], [], []

    def note_failure(request):
        if request.failure == "csp":  # the browser refused to send it
            stopped.append(request.url)

    def open_(path, **options):
        options = {"viewport": {"width": 1280, "height": 900}, **options}
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: loaded.append(request.url))
        page.on("requestfailed", note_failure)
        page.said = said
        page.goto(path.as_uri())
        page.wait_for_selector("#drawing text, #drawing rect")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []
    own = ("file:", "data:", "blob:")
    assert [x for x in loaded if not x.startswith(own) and x not in stopped] == []
    assert sum(url.startswith("file:") for url in loaded) == len(contexts)


@pytest.fixture(scope="session")
def zoo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoo")
    answers = animals(1_000).answers
    result = clustered(answers, n_clusters=4, support=10)
    stability, support = np.linspace(0.5, 1, 19), np.full(19, 0.125)
    certain = replace(result.support, stability=stability, support=support)
    return written(folder, answers, replace(result, support=certain), title="Zoo")


@pytest.fixture(scope="session")
def everyday_page(tmp_path_factory):
    """The example of the demo, with groups and pictures, made quickly."""
    example = everyday()
    answers = example.answers
    result = clustered(answers, n_clusters=9, support=10)
    items = tt.Items(answers.labels, example.groups)
    folder = tmp_path_factory.mktemp("everyday")
    return written(folder, answers, result, items=items, images=example.pictures)[0]


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """2,000 objects with random answers."""
    rows = np.random.default_rng(0).integers(0, 2_000, (50_000, 3))
    is_row = [len({*row}) == 3 for row in rows.tolist()]
    labels = [f"object {i}" for i in range(2_000)]
    answers = tt.Triplets(rows[is_row], 2_000, labels=labels)
    return written(tmp_path_factory.mktemp("large"), answers)
