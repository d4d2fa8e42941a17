"""The report: one HTML file with the tree, what speaks for it, and how to cite it.

The file is self-contained: no request leaves it, and it can be opened from disk, sent
by mail, printed. It is put together from the files in `template/`::

    page.html   the frame, with {{names}} where text goes
    page.css    how it looks, light, dark, printed, on a phone
    *.js        what it does, joined in the order of SCRIPTS into one script

**Labels are untrusted text.** Text that Python puts into the frame is escaped. The data
are JSON in which no `<` is left, and the script puts text into the page as text nodes
alone. A content security policy allows this one script and this one style sheet, by
their hashes, and nothing else: no other script can run and nothing can be loaded.

**The same input gives the same bytes.** Neither the time nor the machine is written
down, but a date where one is given.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_flag, check_same_objects
from tripletree._files import check_name, replaced
from tripletree.answers.items import Items
from tripletree.clustering.result import Clustering
from tripletree.comparisons.answers import Comparisons
from tripletree.errors import InvalidOption, TooLarge, UnreadableFile
from tripletree.evaluation.annotators import AnnotatorAgreement
from tripletree.evaluation.holdout import LearningCurve
from tripletree.evaluation.support import Support
from tripletree.objective.flat import NUMBER_GIVEN
from tripletree.objective.value import node_sums
from tripletree.report.frame import (
    BIBTEX,
    CITATION,
    default_command,
    escaped,
    filled,
    fingerprint,
    json_in_html,
    plain,
    policy,
    template,
    versions,
)
from tripletree.report.pair_map import pair_map
from tripletree.report.panels import figure_tiles, note_list, trials_table
from tripletree.report.pictures import sheet_of
from tripletree.report.wording import lead, method_text
from tripletree.similarity.pair_table import PairSums
from tripletree.tree.tree import Tree

SCRIPTS = ("tree.js", "text.js", "dendrogram.js", "keys.js", "charts.js", "main.js")
MOST_OBJECTS = 20_000
MOST_ANNOTATORS = 1_000
LONGEST_TITLE = 200


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
    """Write one HTML file that shows a tree and all that is known about it.

    It needs no network and no other file, works from disk, and is printable. Labels
    and names are taken as text, whatever they contain.

    Parameters
    ----------
    result : Clustering
        What :func:`cluster` found. The page shows its support, learning curve and
        agreement of people, if it has them, and opens with its clusters.
    path : path
        The file to write, ending in .html or .htm.
    items : Items, optional
        Groups and images of the objects. Labels must be those of the comparisons.
    images : array_like or sequence of path, optional
        A picture per object: an array (n, height, width), or (n, height, width, 3 or
        4), or file names (None or "" where there is none). By default those of
        `items`. Pictures on the web are not fetched.
    image_folder : path, default "."
        Where relative file names of images start.
    title : str, optional
    command : str, optional
        What to type to get this report again.
    date : str, optional
        Written as it is given; without it the same input gives the same bytes.
    overwrite : bool, default False
        Whether to replace a file that is there.

    Returns
    -------
    None

    Raises
    ------
    InvalidOption
        Where the arguments are not as described, or the result was made of pair sums,
        or is without its comparisons.
    Mismatch
        If the result and the items are not about the same objects.
    UnreadableFile
        If there is a file already, it cannot be written, or an image cannot be read.
    TooLarge
        With more than 20,000 objects.

    Notes
    -----
    O(m + n^2) time. The file has about 100 bytes per object, 120 kB for the map of
    pairs, and what the thumbnails take.

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
    if items is not None and not isinstance(items, Items):
        message = f"items are of type {type(items).__name__}: give read_items(...)."
        raise InvalidOption(message)
    target = _check_target(path, check_flag("overwrite", overwrite))
    _check_objects(result.tree, comparisons, items)
    if images is None and items is not None:
        images = items.images
    report = _Report(result, comparisons, items)
    if images is not None:
        report.add_images(images, image_folder)
    if title is None:
        title = f"Hierarchy of {result.tree.n_leaves:,} objects"
    text = report.page(str(title), command, date)
    with replaced(target) as new:
        new.write_bytes(text.encode("utf-8", "replace"))


def _check_result(result: Clustering) -> Comparisons:
    """The comparisons that the page is about."""
    if not isinstance(result, Clustering):
        message = (
            f"expected a Clustering, not {type(result).__name__}: give what "
            "tripletree.cluster(comparisons) returns."
        )
        raise InvalidOption(message)
    if result.comparisons is None:
        message = "this result is without its comparisons, which a report shows."
        raise InvalidOption(message)
    if isinstance(result.comparisons, PairSums):
        message = (
            "this tree was made of pair sums, and a report is about answers: cluster "
            "the answers themselves."
        )
        raise InvalidOption(message)
    return result.comparisons


def _check_target(path: str | os.PathLike[str], overwrite: bool) -> Path:
    target = Path(check_name(path))
    if target.suffix.lower() not in (".html", ".htm"):
        message = (
            f"{str(target)!r:.200}: a report is a page: let its name end in .html."
        )
        raise InvalidOption(message)
    if os.path.lexists(target) and not overwrite:
        message = (
            f"{str(target)!r:.200} is there already: choose another name, or give "
            "overwrite=True to replace it."
        )
        raise UnreadableFile(message)
    return target


def _check_objects(tree: Tree, comparisons: Comparisons, items: Items | None) -> None:
    n = tree.n_leaves
    check_same_objects(
        n,
        tree.labels,
        comparisons.n_objects,
        comparisons.labels,
        "a tree of {} leaves and comparisons about {} objects",
    )
    if items is not None:
        check_same_objects(
            len(items.labels),
            items.labels,
            n,
            comparisons.labels,
            "a table of {} items and comparisons about {} objects",
        )
    if n > MOST_OBJECTS:
        message = (
            f"a page of {n:,} objects would be too slow: at most {MOST_OBJECTS:,}. "
            "Write the tree with to_newick() for a viewer of large trees."
        )
        raise TooLarge(message)


@dataclass
class _Report:
    """One page: what it shows, as data for the script and as text for the frame."""

    result: Clustering
    comparisons: Comparisons
    items: Items | None

    def __post_init__(self) -> None:
        tree, clusters = self.result.tree, self.result.clusters
        labels = tree.labels or self.comparisons.labels
        if labels is None and self.items is not None:
            labels = self.items.labels
        cells = pair_map(tree, self.comparisons)
        self.notes: list[str] = []
        self.data: dict[str, Any] = {
            "n": tree.n_leaves,
            "labels": labels or self.result.labels,
            "groups": None if self.items is None else self.items.groups,
            "children": tree.children.ravel().tolist(),
            "heights": None if tree.heights is None else tree.heights.tolist(),
            "support": _with_null(tree.support),
            "newick": tree.with_labels(labels).to_newick(),
            "within": _within(tree, self.comparisons),
            "cut": clusters.nodes.tolist(),
            "isSuggested": clusters.rule != NUMBER_GIVEN,
            "pairs": {
                "edges": cells.edges.tolist(),
                "strongest": cells.strongest(),
                "cells": cells.encoded(),
            },
        }
        if self.result.support is not None:
            self.add_stability(self.result.support)
        if self.result.curve is not None:
            self.add_curve(self.result.curve)
        if self.result.people is not None:
            self.add_people(self.result.people)

    def add_stability(self, certain: Support) -> None:
        self.data["stability"] = [round(x, 4) for x in certain.stability.tolist()]
        self.data["replicates"] = certain.n_replicates
        self.data["drawn"] = certain.drawn

    def add_images(self, images: Any, folder: str | os.PathLike[str]) -> None:
        sheet = sheet_of(images, self.result.tree.n_leaves, folder)
        if any(sheet.has):
            self.data["sheet"] = {
                "uri": sheet.uri,
                "cell": sheet.cell,
                "columns": sheet.columns,
                "has": None if all(sheet.has) else [int(x) for x in sheet.has],
            }
        if sheet.n_on_the_web:
            self.notes.append(
                f"{sheet.n_on_the_web:,} pictures are on the web and are not shown: "
                "this page loads nothing."
            )

    def add_curve(self, curve: LearningCurve) -> None:
        if len(curve.n_answers):
            self.data["curve"] = {
                "answers": [round(x, 1) for x in curve.n_answers.tolist()],
                "accuracy": curve.accuracy.tolist(),
                "spread": curve.spread.tolist(),
                "stopped": curve.is_stopped,
            }

    def add_people(self, found: AnnotatorAgreement) -> None:
        shown = slice(MOST_ANNOTATORS)
        self.data["annotators"] = {
            "names": found.names[shown],
            "answers": found.n_answers[shown].tolist(),
            "comparisons": found.n_comparisons[shown].tolist(),
            "agreeing": found.n_agreeing[shown].tolist(),
            "tied": found.n_tied[shown].tolist(),
            "against": found.n_against[shown].tolist(),
            "atMost": [round(x, 4) for x in found.at_most[shown].tolist()],
            "all": len(found.names),
            "rate": found.rate,
        }

    def page(self, title: str, command: str | None, date: str | None) -> str:
        """The whole file."""
        style = template("page.css")
        parts = "\n".join(template(name) for name in SCRIPTS)
        script = f'(() => {{\n"use strict";\n{parts}}})();\n'
        texts = {
            "policy": policy(script, style),
            "style": style,
            "script": script,
            "data": json_in_html(self.data),
            "title": escaped(" ".join(plain(title).split())[:LONGEST_TITLE]),
            "lead": escaped(lead(self.result)),
            "date": f"<p>{escaped(str(date))}</p>" if date is not None else "",
            "figures": figure_tiles(self.result),
            "method": escaped(method_text(self.result)),
            "trials": trials_table(self.result),
            "notes": note_list(self.result, self.notes),
            "citation": escaped(CITATION),
            "bibtex": escaped(BIBTEX),
            "command": escaped(
                default_command(self.result) if command is None else str(command)
            ),
            "versions": escaped(versions()),
            "fingerprint": fingerprint(self.comparisons),
        }
        return filled(template("page.html"), texts)


def _within(tree: Tree, comparisons: Comparisons) -> list[int | float]:
    """Total similarity of the pairs within clusters, for 1, 2, ... n clusters."""
    sums = node_sums(tree, comparisons)
    totals = np.concatenate([np.zeros(1, sums.dtype), np.cumsum(sums)])
    found: list[int | float] = totals[::-1].tolist()
    return found


def _with_null(values: npt.NDArray[np.float64] | None) -> list[float | None] | None:
    if values is None:
        return None
    return [None if math.isnan(value) else value for value in values.tolist()]
