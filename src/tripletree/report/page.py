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

import base64
import hashlib
import html
import json
import math
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int, check_same_objects
from tripletree._threads import row_chunks
from tripletree.cluster import Clustering, trial_tree
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.comparisons.files.items import Items
from tripletree.comparisons.files.paths import check_name
from tripletree.comparisons.files.writing import replaced_file
from tripletree.errors import InvalidOption, TooLarge, UnreadableFile
from tripletree.evaluation.annotators import annotator_agreement
from tripletree.evaluation.learning_curve import LearningCurve, learning_curve
from tripletree.report.pair_map import pair_map
from tripletree.report.pictures import sheet_of
from tripletree.report.wording import (
    dropped_text,
    figures,
    lead,
    method_text,
    percent,
)
from tripletree.revenue.value import node_sums
from tripletree.tree.tree import Tree

SCRIPTS = ("tree.js", "text.js", "dendrogram.js", "keys.js", "charts.js", "main.js")
MOST_OBJECTS = 20_000
MOST_ANNOTATORS = 1_000
FEWEST_FOR_CURVE = 30  # answers
SECONDS_FOR_CURVE = 30.0
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


def write_report(
    result: Clustering,
    comparisons: Comparisons,
    path: str | os.PathLike[str],
    *,
    items: Items | None = None,
    images: Any = None,
    image_folder: str | os.PathLike[str] = ".",
    support: npt.ArrayLike | None = None,
    n_clusters: int | None = None,
    curve: LearningCurve | Literal["auto"] | None = "auto",
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
        What :func:`cluster` found.
    comparisons : Triplets or Quadruplets
        The answers it was made from.
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
    support : array_like of float, shape (n-1,), optional
        How certain each merge of the tree is, from 0 to 1; by default the tree's own.
    n_clusters : int, optional
        How many clusters to show at first. By default the number for which the pairs
        within clusters have the largest total similarity; the fewest of equals.
    curve : LearningCurve, "auto" or None, default "auto"
        How accuracy grows with the number of answers. "auto" makes one by the method
        of the result, within about half a minute; None leaves it out.
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
    Mismatch
        If the tree, the comparisons and the items are not about the same objects.
    UnreadableFile
        If there is a file already, it cannot be written, or an image cannot be read.
    TooLarge
        With more than 20,000 objects.

    Notes
    -----
    O(m + n^2) time besides the curve. The file has about 100 bytes per object, 120 kB
    for the map of pairs, and what the thumbnails take.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from tripletree import cluster
    >>> from tripletree.datasets.animals import animals
    >>> answers = animals().answers
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "animals.html")
    ...     write_report(cluster(answers, "climb"), answers, path, curve=None)
    ...     path.read_text("utf-8").startswith("<!doctype html>")
    True
    """
    check_comparisons(comparisons)
    if not isinstance(result, Clustering):
        message = (
            f"expected a Clustering, not {type(result).__name__}: give what "
            "tripletree.cluster(comparisons) returns."
        )
        raise InvalidOption(message)
    target = _check_target(path, overwrite)
    tree = result.tree if support is None else result.tree.with_support(support)
    _check_objects(tree, comparisons, items)
    if images is None and items is not None:
        images = items.images
    if n_clusters is not None:
        n_clusters = check_int("n_clusters", n_clusters, 1, tree.n_leaves)
    report = _Report(result, comparisons, tree, items, n_clusters)
    if images is not None:
        report.add_images(images, image_folder)
    if isinstance(curve, str) and curve == "auto":
        curve = _curve(result, comparisons)
    if curve is not None and not isinstance(curve, LearningCurve):
        message = f'curve = {curve!r:.80}: give a LearningCurve, "auto" or None.'
        raise InvalidOption(message)
    if curve is not None and len(curve.shares):
        report.add_curve(curve)
    if comparisons.annotators is not None and len(comparisons):
        report.add_annotators()
    if title is None:
        title = f"Hierarchy of {tree.n_leaves:,} objects"
    text = report.page(str(title), command, date)
    with replaced_file(target) as new:
        new.write_bytes(text.encode("utf-8", "replace"))


def _check_target(path: str | os.PathLike[str], overwrite: bool) -> Path:
    target = Path(check_name(path))
    if target.suffix.lower() not in (".html", ".htm"):
        message = f"{str(target)!r:.200}: a report is a page: let its name end in .html."
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
            f"a page of {n:,} objects would be too slow: at most {MOST_OBJECTS:,}. Write "
            "the tree with to_newick() for a viewer of large trees."
        )
        raise TooLarge(message)


def _curve(result: Clustering, comparisons: Comparisons) -> LearningCurve | None:
    if result.method == "cosine-al" or len(comparisons) < FEWEST_FOR_CURVE:
        return None
    return learning_curve(
        comparisons,
        lambda train: trial_tree(train, result.method),
        time_limit=SECONDS_FOR_CURVE,
    )


@dataclass
class _Report:
    """One page: what it shows, as data for the script and as text for the frame."""

    result: Clustering
    comparisons: Comparisons
    tree: Tree
    items: Items | None
    n_clusters: int | None

    def __post_init__(self) -> None:
        tree, n = self.tree, self.tree.n_leaves
        labels = tree.labels or self.comparisons.labels
        if labels is None and self.items is not None:
            labels = self.items.labels
        within = _within(tree, self.comparisons)
        suggested = int(np.argmax(within)) + 1  # the first of equals: the fewest
        cells = pair_map(tree, self.comparisons)
        self.notes: list[str] = []
        self.data: dict[str, Any] = {
            "n": n,
            "labels": labels or tuple(map(str, range(n))),
            "groups": None if self.items is None else self.items.groups,
            "children": tree.children.ravel().tolist(),
            "heights": None if tree.heights is None else tree.heights.tolist(),
            "support": _with_null(tree.support),
            "newick": tree.with_labels(labels).to_newick(),
            "within": within,
            "suggested": suggested,
            "nClusters": self.n_clusters or suggested,
            "pairs": {
                "edges": cells.edges.tolist(),
                "strongest": cells.strongest(),
                "cells": cells.encoded(),
            },
        }

    def add_images(self, images: Any, folder: str | os.PathLike[str]) -> None:
        sheet = sheet_of(images, self.tree.n_leaves, folder)
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
        self.data["curve"] = {
            "answers": [round(x, 1) for x in curve.n_answers.tolist()],
            "accuracy": curve.accuracy.tolist(),
            "spread": curve.spread.tolist(),
            "stopped": curve.is_stopped,
        }

    def add_annotators(self) -> None:
        found = annotator_agreement(self.comparisons)
        shown = slice(MOST_ANNOTATORS)
        self.data["annotators"] = {
            "names": found.names[shown],
            "answers": found.n_answers[shown].tolist(),
            "agreeing": found.n_agreeing[shown].tolist(),
            "tied": found.n_tied[shown].tolist(),
            "against": found.n_against[shown].tolist(),
            "atMost": [round(x, 4) for x in found.at_most[shown].tolist()],
            "all": len(found.names),
            "rate": found.rate,
        }

    def page(self, title: str, command: str | None, date: str | None) -> str:
        """The whole file."""
        style = _template("page.css")
        parts = "\n".join(_template(name) for name in SCRIPTS)
        script = f'(() => {{\n"use strict";\n{parts}}})();\n'
        texts = {
            "policy": _policy(script, style),
            "style": style,
            "script": script,
            "data": _json(self.data),
            "title": _escaped(_plain(title)[:LONGEST_TITLE]),
            "lead": _escaped(lead(self.result, self.comparisons)),
            "date": f"<p>{_escaped(str(date))}</p>" if date is not None else "",
            "figures": self._figures(),
            "method": _escaped(method_text(self.result)),
            "trials": self._trials(),
            "notes": self._notes(),
            "citation": _escaped(CITATION),
            "bibtex": _escaped(BIBTEX),
            "command": _escaped(command or _default_command(self.result)),
            "versions": _escaped(_versions()),
            "fingerprint": fingerprint(self.comparisons),
        }
        return _filled(_template("page.html"), texts)

    def _figures(self) -> str:
        counts = self.result.satisfaction
        kinds = {
            "agree": counts.satisfied,
            "undecided": counts.tied,
            "disagree": counts.violated,
        }
        total = sum(kinds.values())
        shares = {kind: x / total if total else 0.0 for kind, x in kinds.items()}
        widths = [round(1000 * x) for x in shares.values()]
        widths[2] = 1000 - widths[0] - widths[1] if total else 0
        bars, at = [], 0
        for kind, width in zip(kinds, widths, strict=True):
            bars.append(f'<rect class="{kind}" x="{at}" width="{width}" height="60"/>')
            at += width
        legend = "".join(
            f'<li class="{kind}"><span>{kind}</span> {percent(shares[kind])}</li>'
            for kind in kinds
        )
        spoken = ", ".join(f"{percent(x)} {kind}" for kind, x in shares.items())
        tiles = [
            f'<div class="tile"><dt>of the answers agree with the tree</dt>'
            f"<dd>{percent(shares['agree'])}</dd>"
            f'<dd class="bar"><svg viewBox="0 0 1000 60" preserveAspectRatio="none" '
            f'role="img" aria-label="{spoken}">{"".join(bars)}</svg>'
            f'<ul class="key">{legend}</ul></dd></div>'
        ]
        tiles += [
            f'<div class="tile"><dt>{_escaped(figure.name)}</dt>'
            f"<dd>{_escaped(figure.value)}</dd>"
            f'<dd class="note">{_escaped(figure.note)}</dd></div>'
            for figure in figures(self.result)
        ]
        return "\n".join(tiles)

    def _trials(self) -> str:
        """The methods that were tried, by what they do on answers they had not seen."""
        tried = self.result.held_out
        if len(tried) < 2:
            return ""
        rows = "".join(
            f'<tr{" class=chosen" if name == self.result.method else ""}>'
            f'<th scope="row">{_escaped(name)}</th>'
            f"<td>{percent(found.accuracy)}</td><td>{found.revenue:,.6g}</td></tr>"
            for name, found in tried.items()
        )
        return (
            '<table class="trials"><caption>Methods that were tried, on answers they '
            'had not seen</caption><thead><tr><th scope="col">Method</th>'
            '<th scope="col">Right</th><th scope="col">Revenue</th></tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )

    def _notes(self) -> str:
        notes = [
            ("warning", "Take care", text) for text in self.result.warnings
        ]
        if self.result.advice:
            notes.append(("advice", "What to do", self.result.advice))
        notes += [("advice", "Note", text) for text in self.notes]
        dropped = dropped_text(self.comparisons)
        if dropped:
            notes.append(("advice", "Note", dropped))
        items = "".join(
            f'<li class="{kind}"><strong>{name}</strong> '
            f"{_escaped(text[:1].upper() + text[1:])}</li>"
            for kind, name, text in notes
        )
        return f'<ul class="notes">{items}</ul>' if items else ""


def fingerprint(comparisons: Comparisons) -> str:
    """The first 16 digits of the SHA-256 of the answers, weights and labels."""
    digest = hashlib.sha256(f"{comparisons.n_objects} {comparisons.rows.shape}".encode())
    for array in (comparisons.rows, comparisons.weights):
        if array is not None:
            for chunk in row_chunks(len(array), 10**6):
                little = array[chunk].astype(array.dtype.newbyteorder("<"))
                digest.update(little.tobytes())
    digest.update(json.dumps(comparisons.labels).encode())
    return digest.hexdigest()[:16]


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


def _template(name: str) -> str:
    folder = resources.files("tripletree.report") / "template"
    return (folder / name).read_text(encoding="utf-8")


def _filled(frame: str, texts: Mapping[str, str]) -> str:
    """The frame with texts for its {{names}}; what is put in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: texts[match[1]], frame)


def _policy(script: str, style: str) -> str:
    def source(text: str) -> str:
        digest = hashlib.sha256(text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    return (
        f"default-src 'none'; script-src {source(script)}; style-src {source(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _json(data: Any) -> str:
    """JSON that can stand in a script element: ASCII, without <, > and &."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _plain(text: str) -> str:
    """Text without control characters and marks that turn its direction."""
    return "".join(
        " " if unicodedata.category(x) in ("Cc", "Cs", "Zl", "Zp") else x
        for x in text
        if unicodedata.category(x) != "Cf"
    ).strip()


def _escaped(text: str) -> str:
    return html.escape("".join(x if x in "\n" or x >= " " else " " for x in text))


def _default_command(result: Clustering) -> str:
    return (
        "import tripletree as tt\n"
        "answers = tt.read_comparisons(...)\n"
        f'tt.write_report(tt.cluster(answers, "{result.method}"), answers, "report.html")'
    )


def _versions() -> str:
    found = []
    for name in ("tripletree", "numpy", "scipy", "numba"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:  # run from a folder of sources
            found.append(f"{name} (not installed)")
    return ", ".join(found)
