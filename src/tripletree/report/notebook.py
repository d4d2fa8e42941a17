"""What a notebook shows of results and trees: HTML without any script, and frames.

Labels are escaped text, and the drawing is a plain SVG: a notebook that is not trusted
shows the same. It is made in milliseconds. There is no `_repr_png_`: matplotlib takes a
second for it, a notebook asks for all forms at every display, and shows this one. For a
picture there is `plot()`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree.clustering.result import Clustering, revenue_text
from tripletree.errors import InvalidOption, refuse_if
from tripletree.report.dendrogram import (
    SURE,
    cluster_colours,
    node_positions,
    shortened,
    support_shares,
)
from tripletree.report.page_text import at_least, escaped, percent
from tripletree.tree.tree import Tree

WIDTH, ROW, EDGE = 640, 15, 8  # pixels
MOST_LABELS, MOST_DRAWN = 120, 2_000  # leaves
LONGEST = 28  # characters of a label
HIGHEST = 720  # pixels of a tree without labels
FRAMES = ("objects", "joins", "clusters", "people")


def result_html(result: Clustering) -> str:
    """The main figures, and the tree without joins that the answers do not bear out."""
    tree = result.stable_tree or result.tree
    figures = {"objects": f"{tree.n_leaves:,}", "method": result.method}
    if result.satisfaction is not None and result.satisfaction.total:
        share = result.satisfaction.satisfied / result.satisfaction.total
        figures["of the comparisons agree"] = percent(share)
    if result.method in result.held_out:
        accuracy = result.held_out[result.method].accuracy
        figures["of unseen answers predicted"] = percent(accuracy)
    if result.noise is not None:
        figures["of unseen answers at most"] = percent(result.noise.accuracy)
    if result.gap is not None and result.bound is not None:
        figures["of the best possible revenue"] = at_least(result.gap)
    figures["revenue"] = revenue_text(result.revenue)
    if result.stable_tree is not None:
        n_joins = len(tree.children)
        figures["joins are stable"] = f"{tree.n_shown:,} of {n_joins:,}"
    figures["clusters"] = f"{result.clusters.n_clusters:,}"
    style = "text-align:left;padding:2px 12px 2px 0"
    cells = "".join(
        f'<td style="{style}"><b>{escaped(value)}</b><br/>{escaped(name)}</td>'
        for name, value in figures.items()
    )
    notes = [f"Warning: {text}" for text in result.warnings]
    notes += [f"What to do: {result.advice}"] if result.advice else []
    if result.support is not None and tree.n_leaves <= MOST_DRAWN:
        notes.insert(0, f"Dots: joins with a stability of {SURE:.0%} or more.")
    drawn = tree_svg(tree.with_labels(result.labels), result.clusters.labels) or ""
    lines = "".join(f"<p>{escaped(text)}</p>" for text in notes)
    return f"<div><table><tr>{cells}</tr></table>{drawn}{lines}</div>"


def tree_svg(tree: Tree, clusters: npt.ArrayLike | None = None) -> str | None:
    """The tree as SVG, in the colours of clusters; None if it has too many leaves.

    Dots are joins of stability 0.8 and more. Above 120 leaves there are no labels.
    """
    n = tree.n_leaves
    if n > MOST_DRAWN:
        return None
    row = ROW if n <= MOST_LABELS else max(0.5, HIGHEST / n)
    names = [shortened(x, LONGEST) for x in tree.labels or map(str, range(n))]
    room = 8 + 7 * max(map(len, names)) if n <= MOST_LABELS else EDGE
    x, tip, _ = node_positions(tree)
    share = (x - x[-1]) / ((tip - x[-1]) or 1.0)
    across = np.round(EDGE + share * (WIDTH - room - 2 * EDGE), 1)
    along = np.round(row * (tree.interval_start + tree.size / 2) + EDGE, 1)
    colours = cluster_colours(tree, clusters).tolist()
    if clusters is None:  # visible on dark pages, too
        colours = ["currentColor"] * len(colours)
    paths: dict[str, str] = {}
    for t, (a, b) in enumerate(tree.children.tolist()):
        bracket = f"M{across[a]} {along[a]}H{across[n + t]}V{along[b]}H{across[b]}"
        paths[colours[t]] = paths.get(colours[t], "") + bracket
    parts = [f'<path d="{d}" fill="none" stroke="{c}"/>' for c, d in paths.items()]
    if tree.support is not None:
        is_shown = tree.shown[n:] == np.arange(n, 2 * n - 1)
        sure = is_shown & (support_shares(tree) >= SURE)
        parts += [
            f'<circle cx="{across[n + t]}" cy="{along[n + t]}" r="2.5" '
            f'fill="{colours[t]}"/>'
            for t in np.flatnonzero(sure).tolist()
        ]
    if n <= MOST_LABELS:
        parts += [
            f'<text x="{WIDTH - room}" y="{along[leaf] + 4}">{escaped(name)}</text>'
            for leaf, name in enumerate(names)
        ]
    high = round(row * n + 2 * EDGE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" '
        f'height="{high}" viewBox="0 0 {WIDTH} {high}" style="max-width:100%" '
        'font-family="sans-serif" font-size="12" fill="currentColor">'
        f"<title>{escaped(repr(tree))}</title>{''.join(parts)}</svg>"
    )


def frame_of(result: Clustering, what: str) -> Any:
    """A table of a result as a frame of pandas, or else of polars."""
    refuse_if(
        what not in FRAMES, InvalidOption, f"{what!r:.80}: give {', '.join(FRAMES)}."
    )
    columns = _columns(result, what)
    if find_spec("pandas") is not None:
        import pandas

        return pandas.DataFrame(columns)
    refuse_if(
        find_spec("polars") is None,
        InvalidOption,
        "a frame needs pandas or polars, and neither is installed: pip install pandas.",
    )
    import polars

    return polars.DataFrame(columns)


def _columns(result: Clustering, what: str) -> Mapping[str, Any]:
    """The columns of a table, with a row for each thing that it is about."""
    tree, clusters, found = result.tree, result.clusters, result.support
    labels, n = result.labels, tree.n_leaves
    nodes = clusters.nodes
    certain = {
        name: np.concatenate([np.full(n, np.nan), getattr(found, name)])
        for name in ("stability", "support")
        if found is not None
    }
    if what == "objects":
        return {"label": list(labels), "cluster": clusters.labels}
    if what == "clusters":
        number, drawn = clusters.labels, tree.leaf_order
        parts = [drawn[number[drawn] == k].tolist() for k in range(len(nodes))]
        members = [[labels[leaf] for leaf in part] for part in parts]
        own = {name: values[nodes] for name, values in certain.items()}
        sizes = {"size": np.array([*map(len, parts)])}
        order = {"cluster": np.arange(len(nodes)), "node": nodes}
        return {**order, **sizes, **own, "members": members}
    if what == "joins":
        stable = result.stable_tree
        left, right = tree.children.T
        columns = {"node": np.arange(n, 2 * n - 1), "left": left, "right": right}
        columns["size"] = tree.size[n:]
        if tree.heights is not None:
            columns["similarity"] = 0.0 - tree.heights
        columns |= {name: values[n:] for name, values in certain.items()}
        if stable is not None:
            columns["is_stable"] = stable.shown[n:] == columns["node"]
        return columns
    people: Any = result.people
    refuse_if(
        people is None,
        InvalidOption,
        "this result does not compare people: cluster(answers, people=True), with "
        "answers that say who gave them.",
    )
    names = ("n_answers", "n_comparisons", "n_agreeing", "n_tied", "n_against")
    figures = {name: getattr(people, name) for name in (*names, "z", "at_most")}
    return {"name": list(people.names), **figures}
