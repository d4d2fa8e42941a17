"""Trees drawn with matplotlib, from 2 to 100,000 leaves.

The root is at the left, so that labels are horizontal. Each merge is one line: from a
child up, across, and down to the other child::

        ┌──── leaf
    ┌───┤
    │   └──── leaf
    ┤
    └──────── leaf

A polytomy is one line across, from which all its branches start: its collapsed merges
are drawn where the merge that they are shown as is.

All figures share the axes, colours and labels at the end of this module. The colours
are those of Okabe and Ito, which can be distinguished with every kind of colour vision.
Labels are shown literally, never as formulas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int, printable, refuse_mask
from tripletree._figures import BLUE, GREEN, ORANGE, PURPLE, RED, SKY, figure_style
from tripletree.errors import InvalidOption, refuse_if
from tripletree.tree.tree import Tree, check_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED)
GREY, DARK = "#8c8c8c", "#333333"
PLAIN_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}
LARGEST_FONT, SMALLEST_FONT = 9.0, 5.5
LONGEST_LABEL = 40
MANY_MERGES = 20_000  # beyond, lines are pixels in PDF and SVG files
POINTS_PER_PATH = 2_500  # matplotlib has a fixed cost per path
MOST_NUMBERS = 120  # leaves up to which support is written in numbers
MOST_DOTS = 3_000
LEAST_SUPPORT = 0.5


def plot_dendrogram(
    tree: Tree,
    *,
    clusters: int | npt.ArrayLike | None = None,
    stability: npt.ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree with its labels, its support and coloured clusters.

    Parameters
    ----------
    tree : Tree
        Merges are drawn at their heights; without heights at the number of clusters
        from which on they are undone, on a logarithmic scale. Its ``support``, if any
        (the stability, if it is the tree of :func:`tripletree.cluster`), is written at
        merges with 50 % or more; above 120 leaves, dots mark 90 % or more. Draw
        ``result.stable_tree`` to leave out joins that the answers do not bear out.
    clusters : int or array_like of int, shape (n,), optional
        A number of clusters to cut into, or the cluster of each leaf, for example from
        :func:`tripletree.best_cut`. Subtrees within one cluster get its colour.
    stability : array_like of float, shape (n-1,), optional
        From :func:`tripletree.bootstrap_support`, shown in place of the support of the
        tree.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidTree, InvalidOption
        If the arguments are not as described.

    Notes
    -----
    O(n) and without recursion. Above 20,000 leaves, lines become pixels in PDF and SVG
    files. Above 120 leaves, leaves are drawn close to their merges. A few merges far
    below all others are drawn at the edge, and the axis says so. Labels shrink until
    they fit; if that is not enough, only every second, third, ... is shown.

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
    certain = tree if stability is None else tree.with_support(stability)
    name = "certainty of joins" if stability is None else "stability"
    axes = axes_or_new(ax, 6.4, min(max(1.2 + 0.155 * n, 2.6), 10.0))
    x, scale = _node_positions(tree)
    x[n:] = x[tree.shown[n:]]
    y = tree.interval_start + (tree.size - 1) / 2
    if tree.heights is None:
        set_log_scale(axes)
        axes.set_xlim(0.95, n)
    else:
        span = float(x[-1] - x.min()) or max(1.0, abs(float(x[-1])))
        axes.set_xlim(float(x[-1]) + 0.03 * span, float(x.min()) - 0.005 * span)
    axes.set_ylim(n - 0.4, -0.6)
    _draw_merges(axes, tree, x, y, colours)
    note = _draw_certainty(axes, certain, name, x, y)
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.grid(False)
    axes.set_xlabel(f"{scale}{note}")
    axes.yaxis.tick_right()
    label_leaves(axes, tree)
    return axes


def _node_positions(tree: Tree) -> tuple[Floats, str]:
    """The position of each node on the axis, and the label of the axis.

    In a tree without heights the root is at 1, and the merge before it at 2. If there
    are many leaves, they are drawn close to their merges, because long lines would fill
    the page.
    """
    n, heights = tree.n_leaves, tree.heights
    above = tree.shown[tree.parent[:n]] - n
    if heights is None or n == 1:
        merges = np.arange(n - 1.0, 0.0, -1.0)
        leaves, scale = np.full(n, float(n)), "clusters"
        if n > MOST_NUMBERS:
            leaves = np.minimum(leaves, merges[above] * 1.15)
        return np.concatenate([leaves, merges]), scale
    low, high = _lowest_shown(heights), float(heights[-1])
    floor = 0.0 if low >= 0 else low - 0.06 * (high - low)
    merges = np.maximum(heights, low)
    leaves, scale = np.full(n, floor), "height"
    if n > MOST_NUMBERS:
        leaves = np.maximum(leaves, merges[above] - 0.02 * (high - floor))
    n_lower = int((heights < low).sum())
    if n_lower:
        lower = "a merge" if n_lower == 1 else f"{n_lower} merges"
        scale += f", {lower} down to {heights[0]:.3g} drawn at the edge"
    return np.concatenate([leaves, merges]), scale


def _lowest_shown(heights: Floats) -> float:
    """The lowest merge, unless a few are so low that they would squeeze all others.

    Two objects that everyone considers the same can be ten times as similar as any
    others. Merges more than twice as far from the top as nine tenths of all merges are
    drawn at this limit.
    """
    low, high = float(heights[0]), float(heights[-1])
    usual = high - 2 * (high - float(np.quantile(heights, 0.1)))
    return max(low, min(usual, 0.0)) if usual < high else low


def _cluster_colours(
    tree: Tree, clusters: int | npt.ArrayLike | None
) -> npt.NDArray[Any]:
    """A colour for each merge: that of its cluster, or grey above clusters."""
    n = tree.n_leaves
    if clusters is None:
        return np.full(n - 1, DARK)
    refuse_mask("clusters", clusters, InvalidOption)
    try:
        labels: npt.NDArray[Any] = np.asarray(clusters)
    except ValueError:
        labels = np.empty((0, 0))
    if labels.ndim == 0:
        labels = tree.cut(check_int("clusters", clusters, 1, n))
    refuse_if(
        labels.shape != (n,),
        InvalidOption,
        f"clusters have shape {labels.shape}: give a number of clusters, or the "
        f"cluster of each of the {n} leaves.",
    )
    ordered = labels[tree.leaf_order]
    run = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])])
    start, size = tree.interval_start[n:], tree.size[n:]
    is_within = run[start] == run[start + size - 1]
    cycle = np.array(COLOURS)
    if ordered.dtype.kind == "i":
        is_within &= ordered[start] != -1  # in no cluster
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
        chosen = lines[colours == colour].reshape(-1, 2)
        drawn = LineCollection(
            np.split(chosen, range(POINTS_PER_PATH, len(chosen), POINTS_PER_PATH)),
            colors=colour,
            linewidths=width,
            joinstyle="miter",
            capstyle="projecting",
            rasterized=n > MANY_MERGES,
        )
        drawn.set_in_layout(False)  # its extent is known, and slow to compute
        axes.add_collection(drawn, autolim=False)


def _draw_certainty(axes: Axes, tree: Tree, name: str, x: Floats, y: Floats) -> str:
    """Numbers or dots at the merges; returns their explanation for the axis."""
    n = tree.n_leaves
    if tree.support is None or n > MOST_DOTS or n < 3:
        return ""
    support = tree.support[:-1].copy()  # without the root, which is always 1
    if tree.collapsed is not None:
        support[tree.collapsed[:-1]] = np.nan
    unit = 100 if np.nanmax(support, initial=0) > 1 else 1
    if n > MOST_NUMBERS:
        shown = n + np.flatnonzero(support >= 0.9 * unit)
        axes.plot(x[shown], y[shown], "o", color=DARK, markersize=2.5, zorder=3)
        return f"\ndots: {name} of 90 % or more"
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
    return f"\nnumbers: {name} in %, where {100 * LEAST_SUPPORT:.0f} or more"


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """The given axes, or new ones of this size in inches."""
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        return ax
    message = f"ax is of type {type(ax).__name__}: give matplotlib Axes, or None."
    refuse_if(ax is not None, InvalidOption, message)
    import matplotlib.pyplot as plt  # it chooses a window system

    with figure_style():
        axes: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def set_log_scale(axes: Axes, form: str = "{x:,.0f}") -> None:
    """Make the x axis logarithmic, with whole numbers at it."""
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(form)
    axes.xaxis.set_minor_formatter("")


def label_leaves(axes: Axes, tree: Tree) -> None:
    """Put labels of leaves at the y axis, smaller or fewer if they would overlap."""
    n = tree.n_leaves
    box = axes.get_position()
    height = 72 * box.height * float(axes.figure.get_figure(root=True).get_figheight())
    step = height / n
    size = min(max(0.86 * step, SMALLEST_FONT), LARGEST_FONT)
    each = max(1, int(np.ceil(1.1 * size / step)))
    places = np.arange(0, n, each)
    names = [
        str(leaf) if tree.labels is None else _shortened(tree.labels[leaf])
        for leaf in tree.leaf_order[places].tolist()
    ]
    axes.set_yticks(places, labels=names, fontsize=size, **PLAIN_TEXT)
    axes.tick_params(axis="y", length=0, pad=2)


def _shortened(label: str) -> str:
    """A label on one line, not too long."""
    text = printable(label)
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"
