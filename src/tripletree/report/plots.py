"""Figures for papers and notebooks, by matplotlib: axes in, axes out.

Every function draws into the axes it is given and returns them, or makes a figure of a
fitting size. Colours are those of Okabe and Ito, told apart with every kind of colour
vision. Trees are drawn with the root at the left, so that labels can be read. Labels
are shown as they are: nothing in them is taken for a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.errors import InvalidOption
from tripletree.evaluation.learning_curve import LearningCurve
from tripletree.experiments.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    house_look,
)
from tripletree.report.pair_map import pair_map
from tripletree.revenue.levels import revenue_per_level
from tripletree.similarity.matrix import Similarity
from tripletree.tree.tree import Tree, check_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CLUSTER_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED)
GREY, DARK = "#8c8c8c", "#333333"
PLAIN_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}
LARGEST_FONT, SMALLEST_FONT = 9.0, 4.5
LONGEST_LABEL = 40
MANY_MERGES = 20_000  # from here on, lines are pixels in PDF and SVG files
LINES_PER_PATH = 500
MOST_NUMBERS = 120  # leaves up to which support is written in numbers
MOST_DOTS = 3_000
LEAST_SUPPORT = 0.5


def plot_dendrogram(
    tree: Tree,
    *,
    clusters: int | npt.ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree with its labels, its support and coloured clusters.

    Parameters
    ----------
    tree : Tree
        Merges stand at their heights, or without heights at the number of clusters
        that there are before the split, on a logarithmic scale. Support, if any (see
        :func:`tripletree.bootstrap_support`), is written at the merges from 50 % on,
        or above 120 leaves marked by dots from 90 % on.
    clusters : int or array_like of int, shape (n,), optional
        A number of clusters to cut into, or the cluster of each leaf, for example of
        :func:`tripletree.best_cut`. Subtrees within one cluster get its colour.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    O(n) and without recursion. Above 20,000 leaves, lines become pixels in PDF and SVG
    files. Labels get smaller until they fit; where they
    cannot, every second, third, ... is left. Above 120 leaves, leaves hang near their
    merges.

    Examples
    --------
    >>> from tripletree import Tree
    >>> tree = Tree([[0, 1], [3, 2]], heights=[1, 3], labels=["ape", "bat", "cat"])
    >>> ax = plot_dendrogram(tree, clusters=2)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['ape', 'bat', 'cat']
    """
    check_tree(tree)
    n = tree.n_leaves
    colours = _cluster_colours(tree, clusters)
    axes = _axes(ax, 6.4, min(max(1.2 + 0.155 * n, 2.6), 10.0))
    x = _places_of_nodes(tree)
    y = tree.interval_start + (tree.size - 1) / 2
    if tree.heights is None:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_minor_formatter("")
        axes.set_xlim(0.95, n)
    else:
        span = float(x[-1] - x.min()) or max(1.0, abs(float(x[-1])))
        axes.set_xlim(float(x[-1]) + 0.03 * span, float(x.min()) - 0.005 * span)
    axes.set_ylim(n - 0.4, -0.6)
    _draw_merges(axes, tree, x, y, colours)
    note = _draw_support(axes, tree, x, y)
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.grid(False)
    name = "clusters" if tree.heights is None else "height"
    axes.set_xlabel(f"{name}{note}")
    axes.yaxis.tick_right()
    _label_leaves(axes, tree)
    return axes


def plot_pair_sums(
    tree: Tree, comparisons: Comparisons, *, ax: Axes | None = None
) -> Axes:
    """Draw how often each pair was near rather than far, in the order of the leaves.

    Squares along the diagonal are clusters. A tree that fits has its near pairs there.

    Parameters
    ----------
    tree : Tree
    comparisons : Triplets or Quadruplets
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Above 300 objects, neighbouring leaves share a cell, which shows the mean of its
    pairs. The strongest colour is the 98 % quantile of sizes.

    Examples
    --------
    >>> from tripletree import Triplets, balanced_tree
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], n_objects=4)
    >>> ax = plot_pair_sums(balanced_tree(4), answers)
    >>> ax.images[0].get_array().shape
    (4, 4)
    """
    check_tree(tree)
    check_comparisons(comparisons)
    found = pair_map(tree, comparisons)
    axes = _axes(ax, 6.0, 5.2)
    n, strongest = tree.n_leaves, found.strongest()
    picture = axes.imshow(
        found.means,
        cmap="PuOr_r",
        vmin=-strongest,
        vmax=strongest,
        extent=(-0.5, n - 0.5, n - 0.5, -0.5),
        interpolation="nearest",
    )
    axes.set_xticks([])
    axes.grid(False)
    axes.spines[:].set_visible(False)
    _label_leaves(axes, tree)
    per_cell = "" if len(found.means) == n else ", mean of a cell"
    bar = axes.figure.colorbar(picture, ax=axes, shrink=0.6, pad=0.02)
    bar.set_label(f"near minus far answers per pair{per_cell}")
    bar.outline.set_visible(False)
    return axes


def plot_revenue_per_level(
    tree: Tree, data: Comparisons | Similarity, *, ax: Axes | None = None
) -> Axes:
    """Draw what a tree earns when it is cut into 1, 2, ..., n clusters.

    Where the curve gets flat, the answers say little about what is below; see
    :func:`tripletree.revenue_per_level`. The level with 95 % of the revenue is marked.

    Parameters
    ----------
    tree : Tree
    data : Triplets, Quadruplets, ndarray or csr_array
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from tripletree import Triplets, balanced_tree
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], n_objects=4)
    >>> ax = plot_revenue_per_level(balanced_tree(4), answers)
    >>> ax.lines[0].get_ydata().tolist()
    [0, 8, 8, 8]
    """
    levels = revenue_per_level(tree, data)
    axes = _axes(ax, 5.2, 3.4)
    k = np.arange(1, len(levels) + 1)
    axes.plot(k, levels, color=BLUE, drawstyle="steps-post")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_formatter("")
    axes.set_xlabel("number of clusters")
    axes.set_ylabel("revenue")
    most = float(levels[-1])
    if most > 0:
        enough = int(np.argmax(levels >= 0.95 * most))
        axes.plot(enough + 1, levels[enough], "o", color=RED)
        is_left = (enough + 1) ** 2 < len(levels)
        axes.annotate(
            f"95 % of the revenue\nwith {enough + 1} clusters",
            (enough + 1, levels[enough]),
            xytext=(6 if is_left else -6, -9),
            textcoords="offset points",
            color=RED,
            va="top",
            ha="left" if is_left else "right",
        )
    return axes


def plot_learning_curve(curve: LearningCurve, *, ax: Axes | None = None) -> Axes:
    """Draw held-out revenue against the number of answers that trees were made from.

    At each point stands the share of unseen answers that the trees satisfy. While the
    curve rises, more answers will help.

    Parameters
    ----------
    curve : LearningCurve
        What :func:`tripletree.learning_curve` found.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure. Several curves may share it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from tripletree import adds_similarity, average_linkage, learning_curve
    >>> from tripletree.datasets.animals import animals
    >>> method = lambda train: average_linkage(adds_similarity(train))
    >>> curve = learning_curve(animals().answers, method, shares=[0.1, 1])
    >>> plot_learning_curve(curve).get_xlabel()
    'answers that the tree is made from'
    """
    if not isinstance(curve, LearningCurve):
        message = (
            f"curve is of type {type(curve).__name__}: give the result of "
            "learning_curve()."
        )
        raise InvalidOption(message)
    axes = _axes(ax, 5.2, 3.4)
    colour = CLUSTER_COLOURS[len(axes.lines) % len(CLUSTER_COLOURS)]
    axes.plot(curve.n_answers, curve.revenues, "o-", color=colour)
    points = zip(curve.n_answers, curve.revenues, curve.accuracy, strict=True)
    for place, (n, earned, share) in enumerate(points, start=1):
        is_last = place == len(curve.accuracy)
        rest = " of unseen\nanswers right" if is_last else ""
        axes.annotate(
            f"{100 * share:.0f} %{rest}",
            (n, earned),
            xytext=(6, -4),
            textcoords="offset points",
            color=colour,
            va="top",
            fontsize=8,
        )
    axes.set_xscale("log")
    axes.margins(x=0.18, y=0.14)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter("")
    axes.set_xticks(curve.n_answers)
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set_xlabel("answers that the tree is made from")
    axes.set_ylabel("revenue on answers not seen")
    return axes


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The given axes, or new ones of this size in inches."""
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        message = f"ax is of type {type(ax).__name__}: give matplotlib Axes, or None."
        raise InvalidOption(message)
    import matplotlib.pyplot as plt

    with house_look():
        axes: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def _places_of_nodes(tree: Tree) -> Floats:
    """Where each node stands: at its height, or at the number of clusters beside it.

    In a tree without heights the root is at 1, and the merge before it at 2. Many
    leaves hang near their merges, because lines down to the same floor fill the page.
    """
    n = tree.n_leaves
    if tree.heights is None or n == 1:
        x = np.concatenate([np.full(n, float(n)), np.arange(n - 1.0, 0.0, -1.0)])
        below = 1.15
    else:
        low, high = float(tree.heights[0]), float(tree.heights[-1])
        floor = 0.0 if low >= 0 else low - 0.06 * (high - low)
        x = np.concatenate([np.full(n, floor), tree.heights])
        below = 0.02 * (high - floor)
    if n > MOST_NUMBERS:
        above = x[tree.parent[:n]]
        if tree.heights is None:
            x[:n] = np.minimum(x[:n], above * below)
        else:
            x[:n] = np.maximum(x[:n], above - below)
    return x


def _cluster_colours(
    tree: Tree, clusters: int | npt.ArrayLike | None
) -> npt.NDArray[Any]:
    """A colour for each merge: that of its cluster, grey above."""
    n = tree.n_leaves
    if clusters is None:
        return np.full(n - 1, DARK)
    if np.ndim(clusters) == 0:
        labels = tree.cut(check_int("clusters", clusters, 1, n))
    else:
        labels = np.asarray(clusters)
        if labels.shape != (n,):
            message = (
                f"clusters have shape {labels.shape}: give a number of clusters, or "
                f"the cluster of each of the {n} leaves."
            )
            raise InvalidOption(message)
    ordered = labels[tree.leaf_order]
    run = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])])
    start, size = tree.interval_start[n:], tree.size[n:]
    is_within = run[start] == run[start + size - 1]
    cycle = np.array(CLUSTER_COLOURS)
    return np.where(is_within, cycle[run[start] % len(cycle)], GREY)


def _draw_merges(
    axes: Axes, tree: Tree, x: Floats, y: Floats, colours: npt.NDArray[Any]
) -> None:
    """A line per merge: from one child up, across, and down to the other."""
    from matplotlib.collections import LineCollection

    n, (left, right) = tree.n_leaves, tree.children.T
    gap = np.full(n - 1, np.nan)
    across = [x[left], x[n:], x[n:], x[right], gap]
    lines = np.stack([across, [y[left], y[left], y[right], y[right], gap]], axis=-1)
    lines = lines.swapaxes(0, 1)
    width = float(np.interp(np.log10(n), [1.5, 4], [1.2, 0.35]))
    for colour in dict.fromkeys(colours[::-1].tolist()):  # the top of the tree first
        chosen = lines[colours == colour]
        drawn = LineCollection(
            [part.reshape(-1, 2) for part in np.split(chosen, _edges(len(chosen)))],
            colors=colour,
            linewidths=width,
            joinstyle="miter",
            capstyle="projecting",
            rasterized=n > MANY_MERGES,
        )
        drawn.set_in_layout(False)  # its extent is known, and takes long to find
        axes.add_collection(drawn, autolim=False)


def _edges(n_lines: int) -> range:
    """Where to part lines: matplotlib takes a moment for each path, however long."""
    return range(LINES_PER_PATH, n_lines, LINES_PER_PATH)


def _draw_support(axes: Axes, tree: Tree, x: Floats, y: Floats) -> str:
    """Numbers or dots at the merges; what to say about them below the axis."""
    n = tree.n_leaves
    if tree.support is None or n > MOST_DOTS or n < 3:
        return ""
    support = tree.support[:-1]  # the root is no finding
    unit = 100 if np.nanmax(support, initial=0) > 1 else 1
    if n > MOST_NUMBERS:
        shown = n + np.flatnonzero(support >= 0.9 * unit)
        axes.plot(x[shown], y[shown], "o", color=DARK, markersize=2.5, zorder=3)
        return " (dots: support of 90 % or more)"
    for t in np.flatnonzero(support >= LEAST_SUPPORT * unit).tolist():
        axes.annotate(
            f"{100 * support[t] / unit:.0f}",
            (x[n + t], y[n + t]),
            xytext=(-2, 1),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=6,
            color=DARK,
        )
    return f" (numbers: support in %, where {100 * LEAST_SUPPORT:.0f} or more)"


def _label_leaves(axes: Axes, tree: Tree) -> None:
    """Labels of leaves at the y axis, as small and as few as they have to be."""
    n = tree.n_leaves
    box = axes.get_position()
    height = 72 * box.height * float(axes.figure.get_figure(root=True).get_figheight())
    step = height / n
    size = min(max(0.86 * step, SMALLEST_FONT), LARGEST_FONT)
    each = max(1, int(np.ceil(1.1 * size / step)))
    places = np.arange(0, n, each)
    names = [
        str(leaf) if tree.labels is None else _shown(tree.labels[leaf])
        for leaf in tree.leaf_order[places].tolist()
    ]
    axes.set_yticks(places, labels=names, fontsize=size, **PLAIN_TEXT)
    axes.tick_params(axis="y", length=0, pad=2)


def _shown(label: str) -> str:
    """A label in one line, not too long."""
    text = label if label.isprintable() else repr(label)[1:-1]
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"
