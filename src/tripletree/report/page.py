"""The report: one HTML file with the tree, how good it is, and how to cite it.

The file is self-contained: it makes no requests, and can be opened from disk, sent by
mail or printed. It is assembled from the files in `template/`::

    page.html   the frame, with {{names}} where text is filled in
    page.css    the style: light, dark, print, small screens
    *.js        the behaviour, joined in the order of SCRIPTS into one script

**Labels are untrusted text.** Text that Python puts into the frame is escaped. The data
are JSON without any `<`, and the script only ever inserts text nodes. A content
security policy allows this one script and this one style sheet, by their hashes, and
nothing else: no other script can run and nothing can be loaded.

**The same input gives the same bytes.** The page contains neither the time nor the name
of the machine, and a date only if one is given.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from tripletree._checks import check_same_objects
from tripletree._files import check_name, check_new, replaced
from tripletree._threads import row_chunks
from tripletree._version import version
from tripletree.answers.items import Items
from tripletree.clustering.advice import last_doubling
from tripletree.clustering.result import Clustering
from tripletree.comparisons.triplets import Comparisons
from tripletree.errors import InvalidOption, TooLarge, refuse_if
from tripletree.objective.flat import NUMBER_GIVEN, FlatCut
from tripletree.objective.value import node_sums
from tripletree.report.page_text import (
    escaped,
    figure_tiles,
    first_sentence,
    method_text,
    models_section,
    note_list,
    sentence,
    trials_table,
    without_controls,
)
from tripletree.report.plots import pair_map
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.tree import Tree

SCRIPTS = ("tree.js", "text.js", "dendrogram.js", "keys.js", "charts.js", "main.js")
MOST_OBJECTS = 20_000
MOST_ANNOTATORS = 1_000
LONGEST_TITLE = 200
CITATION = (
    "Aishik Mandal, Michaël Perrot and Debarghya Ghoshdastidar. A Revenue Function for "
    "Comparison-Based Hierarchical Clustering. Transactions on Machine Learning "
    "Research, 2023."
)
BIBTEX = """@article{mandal2023revenue,
  title   = {A Revenue Function for Comparison-Based Hierarchical Clustering},
  author  = {Mandal, Aishik and Perrot, Micha{\\"e}l and Ghoshdastidar, Debarghya},
  journal = {Transactions on Machine Learning Research},
  year    = {2023},
  url     = {https://openreview.net/forum?id=QzWr4w8PXx}
}"""
COMMAND = """import tripletree as tt
answers = tt.read_comparisons(...)
result = tt.cluster(answers, "{}")
tt.write_report(result, "report.html")"""  # how to make the page again


def write_report(
    result: Clustering,
    path: str | os.PathLike[str],
    *,
    items: Items | None = None,
    images: Any = None,
    image_folder: str | os.PathLike[str] = ".",
    title: str | None = None,
    command: str | None = None,
    date: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write one HTML file that shows a tree and everything known about it.

    It needs no network and no other file, works from disk, and can be printed. Labels
    and names are shown as text, whatever they contain.

    Parameters
    ----------
    result : Clustering
        The result of :func:`cluster`. The page shows its support, learning curve,
        comparison with other models and agreement of people, if it has them, and opens
        with its clusters.
    path : path
        The file to write, ending in .html or .htm.
    items : Items, optional
        Groups and images of the objects. Labels must be those of the comparisons.
    images : array_like or sequence of path, optional
        One image per object: an array (n, height, width), or (n, height, width, 3 or
        4), or file names (None or "" for objects without an image). By default the
        images of `items`. Images on the web are not downloaded.
    image_folder : path, default "."
        The folder that file names of images are relative to.
    title : str, optional
    command : str, optional
        What to type to make this report again.
    date : str, optional
        Shown as given; without it the same input gives the same bytes.
    overwrite : bool, default False
        Whether to replace an existing file.

    Returns
    -------
    None

    Raises
    ------
    InvalidOption
        If the arguments are not as described, or the result was made from pair sums, or
        no longer has its comparisons.
    Mismatch
        If the result and the items are not about the same objects.
    UnreadableFile
        If the file exists or cannot be written, or an image cannot be read.
    TooLarge
        With more than 20,000 objects.

    Notes
    -----
    O(m + n^2) time. The file has about 100 bytes per object, 120 kB for the map of
    pairs, and the size of the thumbnails.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from tripletree import cluster
    >>> from tripletree.datasets.animals import animals
    >>> result = cluster(animals().answers, "climb", support=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "animals.html")
    ...     write_report(result, path)
    ...     path.read_text("utf-8").startswith("<!doctype html>")
    True
    """
    comparisons = _check_result(result)
    n = result.tree.n_leaves
    message = f"items are of type {type(items).__name__}: give read_items(...)."
    refuse_if(not isinstance(items, Items | None), InvalidOption, message)
    target = check_page_path(path)
    check_new(overwrite, target)
    refuse_if(
        n > MOST_OBJECTS,
        TooLarge,
        f"a page with {n:,} objects would be too slow: at most {MOST_OBJECTS:,}. Write "
        "the tree with to_newick() and use a viewer for large trees.",
    )
    data, notes = _page_data(result, comparisons, items), []
    if images is None and items is not None:
        images = items.images
    if images is not None:
        from tripletree.report.thumbnails import make_sheet  # with Pillow

        sheet = make_sheet(images, n, image_folder)
        if any(sheet.has):
            data["sheet"] = {
                "uri": sheet.uri,
                "cell": sheet.cell,
                "columns": sheet.columns,
                "has": None if all(sheet.has) else [int(x) for x in sheet.has],
            }
        if sheet.n_on_the_web:
            notes.append(
                f"{sheet.n_on_the_web:,} images are on the web and are not shown: this "
                "page loads nothing."
            )
    title = f"Hierarchy of {n:,} objects" if title is None else str(title)
    command = COMMAND.format(result.method) if command is None else str(command)
    texts = {
        "data": json_in_html(data),
        "title": escaped(" ".join(without_controls(title).split())[:LONGEST_TITLE]),
        "lead": escaped(first_sentence(result)),
        "date": "" if date is None else f"<p>{escaped(str(date))}</p>",
        "figures": figure_tiles(result),
        "method": escaped(method_text(result)),
        "trials": trials_table(result),
        "models": models_section(result),
        "notes": note_list(result, notes),
        "citation": escaped(CITATION),
        "bibtex": escaped(BIBTEX),
        "command": escaped(command),
        "versions": escaped(_versions()),
        "fingerprint": fingerprint(comparisons),
    }
    with replaced(target, overwrite) as new:
        new.write_bytes(_fill_page(texts).encode("utf-8", "replace"))


def _check_result(result: Clustering) -> Comparisons:
    """The comparisons that the page shows."""
    refuse_if(
        not isinstance(result, Clustering),
        InvalidOption,
        f"expected a Clustering, not {type(result).__name__}: give what "
        "tripletree.cluster(comparisons) returns.",
    )
    if result.comparisons is None:
        message = "this result no longer has its comparisons, which a report shows."
        raise InvalidOption(message)
    if isinstance(result.comparisons, PairSums):
        message = (
            "this tree was made from pair sums, and a report shows answers: cluster "
            "the answers themselves."
        )
        raise InvalidOption(message)
    return result.comparisons


def check_page_path(path: str | os.PathLike[str]) -> Path:
    """The file that a page is written to; its name must end in .html or .htm."""
    target = Path(check_name(path))
    refuse_if(
        target.suffix.lower() not in (".html", ".htm"),
        InvalidOption,
        f"{str(target)!r:.200}: a report is a page: its name must end in .html.",
    )
    return target


def _page_data(
    result: Clustering, comparisons: Comparisons, items: Items | None
) -> dict[str, Any]:
    """What the page shows, as data for the script."""
    tree, clusters = result.tree, result.clusters
    levels = [level.clusters for level in result.levels]
    labels = tree.labels or comparisons.labels
    groups = None
    if items is not None:
        what = "a table of {} items and comparisons about {} objects"
        n = comparisons.n_objects
        check_same_objects(len(items.labels), items.labels, n, comparisons.labels, what)
        labels, groups = labels or items.labels, items.groups
    cells = pair_map(tree, comparisons)
    data: dict[str, Any] = {
        "n": tree.n_leaves,
        "labels": labels or result.labels,
        "groups": groups,
        "children": tree.children.ravel().tolist(),
        "heights": None if tree.heights is None else tree.heights.tolist(),
        "newick": tree.with_labels(labels).to_newick(),
        "within": similarity_within(tree, comparisons),
        "cut": clusters.nodes.tolist(),
        "attached": _attached(tree, clusters),
        "levels": [cut.nodes.tolist() for cut in levels],
        "unasked": sorted({x for cut in levels for x, _ in _attached(tree, cut)}),
        "isSuggested": clusters.rule != NUMBER_GIVEN,
        "pairs": {
            "edges": cells.edges.tolist(),
            "strongest": cells.strongest(),
            "cells": cells.encoded(),
            "exact": cells.exact(),
        },
    }
    certain, curve, people = result.support, result.curve, result.people
    if certain is not None:
        stable = result.stable_tree  # None: too few replicates
        if stable is not None:
            collapsed = () if stable.collapsed is None else stable.collapsed
            data["collapsed"] = np.flatnonzero(collapsed).tolist()
        data["support"] = [round(x, 4) for x in certain.support.tolist()]
        data["stability"] = [round(x, 4) for x in certain.stability.tolist()]
        data["replicates"] = certain.n_replicates
        data["drawn"] = certain.drawn
    if curve is not None and len(curve.n_answers):
        gain = curve.gain
        change = None if gain is None else sentence(last_doubling(gain, "it"))
        data["curve"] = {
            "answers": [round(x, 1) for x in curve.n_answers.tolist()],
            "accuracy": curve.accuracy.tolist(),
            "spread": curve.spread.tolist(),
            "stopped": curve.is_stopped,
            "change": change,
            "hasAdvice": bool(result.advice),
        }
    if people is not None:
        shown = slice(MOST_ANNOTATORS)
        data["annotators"] = {
            "names": people.names[shown],
            "answers": people.n_answers[shown].tolist(),
            "comparisons": people.n_comparisons[shown].tolist(),
            "agreeing": people.n_agreeing[shown].tolist(),
            "tied": people.n_tied[shown].tolist(),
            "against": people.n_against[shown].tolist(),
            "atMost": [round(x, 4) for x in people.at_most[shown].tolist()],
            "all": len(people.names),
            "rate": people.rate,
        }
    return data


def _attached(tree: Tree, clusters: FlatCut) -> list[list[int]]:
    """The leaves that are not in the cluster whose node they are below, or in another.

    Each with the number of its cluster, -1 in none.
    """
    below = np.full(tree.n_leaves, -1)
    for at, node in enumerate(clusters.nodes):
        below[tree.leaves(node)] = at
    leaves = np.flatnonzero(clusters.labels != below)
    return np.stack([leaves, clusters.labels[leaves]], axis=1).tolist()  # type: ignore[no-any-return]


def similarity_within(tree: Tree, comparisons: Comparisons) -> list[int | float]:
    """Total similarity of the pairs within clusters, for 1, 2, ... n clusters."""
    totals: list[int | float] = np.cumsum(node_sums(tree, comparisons)).tolist()
    return [*totals[::-1], 0]


def fingerprint(comparisons: Comparisons) -> str:
    """The first 16 digits of the SHA-256 of the answers, weights and labels."""
    digest = hashlib.sha256(
        f"{comparisons.n_objects} {comparisons.rows.shape}".encode()
    )
    for array in (comparisons.rows, comparisons.weights):
        if array is not None:
            for chunk in row_chunks(len(array), 10**6):
                little = array[chunk].astype(array.dtype.newbyteorder("<"))
                digest.update(little.tobytes())
    digest.update(json.dumps(comparisons.labels).encode())
    return digest.hexdigest()[:16]


def _fill_page(texts: Mapping[str, str]) -> str:
    """The whole file: the frame with these texts, the style and the script."""
    folder = resources.files("tripletree.report") / "template"
    frame, style, *parts = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("page.html", "page.css", *SCRIPTS)
    )
    joined = "\n".join(parts)
    script = f'(() => {{\n"use strict";\n{joined}}})();\n'
    own = {"policy": _policy(script, style), "style": style, "script": script}
    return fill_template(frame, {**texts, **own})


def fill_template(frame: str, texts: Mapping[str, str]) -> str:
    """The frame with texts for its {{names}}; {{names}} in those texts are kept."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: texts[match[1]], frame)


def _policy(script: str, style: str) -> str:
    """The content security policy: this script, this style, and nothing else."""

    def source(text: str) -> str:
        digest = hashlib.sha256(text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    return (
        f"default-src 'none'; script-src {source(script)}; style-src {source(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def json_in_html(data: Any) -> str:
    """JSON that can stand in a script element: ASCII, without <, > and &."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _versions() -> str:
    """The versions of the packages that the result depends on."""
    names = ("tripletree", "numpy", "scipy", "numba")
    return ", ".join(f"{name} {version(name)}" for name in names)
