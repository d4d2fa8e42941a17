"""Making a report, and reading what the browser shows of it."""

import csv
import io
from dataclasses import replace

import numpy as np

import tripletree as tt
from tripletree.report.page import write_report


def clustered(answers, **options):
    options = {"n_folds": 0, "bound": False, "support": 0, "people": True, **options}
    return tt.cluster(answers, "adds-al", **options)


def written(folder, answers, result=None, **options):
    path = folder / "page.html"
    result = clustered(answers) if result is None else result
    write_report(result, path, overwrite=True, **options)
    return path, result.tree


def settle(page):
    """Wait until everything that was asked for is drawn, on a busy machine too.

    Tables are filled 60 ms after they were asked for, trees in the next frame. The
    clock is the page's own, whose timers ring in their order.
    """
    page.evaluate(
        """() => new Promise((done) =>
          setTimeout(() => requestAnimationFrame(() => setTimeout(done)), 90))"""
    )


def click(page, selector):
    page.click(selector)
    settle(page)


def search(page, text):
    page.fill("#search", text)
    settle(page)


def have_rows(page, n):
    """Wait until there are n labels: a busy machine draws late."""
    page.wait_for_function(
        "(n) => document.querySelectorAll('#drawing text:not(.tag)').length === n",
        arg=int(n),
    )


def have_clusters(page, n):
    """Wait until the table has n clusters."""
    page.wait_for_function(
        "(n) => document.querySelectorAll('#clusters tbody tr').length === n", arg=n
    )


def cut_into(page, n):
    """Type a number of clusters, and wait for them."""
    page.fill("#number", str(n))
    page.keyboard.press("Enter")
    have_clusters(page, n)


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
    clusters = np.asarray(clusters)
    groups = (np.flatnonzero(clusters == one).tolist() for one in np.unique(clusters))
    return sorted(groups)


def clusters_shown(page):
    """The number of each object's cluster, from 0 on."""
    return [int(row["cluster"]) - 1 for row in cells(page)]


def with_clusters(result, nodes, **changes):
    """The same result with other clusters: those below these nodes."""
    tree = changes.get("tree", result.tree)
    clusters = np.empty(tree.n_leaves, int)
    for number, node in enumerate(nodes):
        clusters[tree.leaves(node)] = number
    cut = replace(result.clusters, labels=clusters, nodes=np.array(nodes))
    return replace(result, clusters=cut, **changes)
