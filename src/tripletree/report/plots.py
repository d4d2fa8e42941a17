"""Figures for papers and notebooks, by matplotlib: axes in, axes out.

Every function draws into the axes it is given and returns them, or makes a figure of a
fitting size. Trees are drawn in dendrogram.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tripletree._figures import BLUE, RED
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.errors import InvalidOption
from tripletree.evaluation.holdout import LearningCurve
from tripletree.objective.flat import revenue_per_level
from tripletree.report.axes import (
    COLOURS,
    GREY,
    PLAIN_TEXT,
    axes_or_new,
    label_leaves,
)
from tripletree.report.pair_map import pair_map
from tripletree.similarity.matrix import Similarity
from tripletree.tree.tree import Tree, check_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR_TO_NEAR = ("#b35806", "#f7f7f5", "#1f5ea8")  # --map-low, -mid, -high of page.css


def plot_pair_sums(
    tree: Tree, comparisons: Comparisons, *, ax: Axes | None = None
) -> Axes:
    """Draw how often each pair was near rather than far, in the order of the leaves.

    Squares along the diagonal are clusters. A tree that fits has its near pairs there.
    Near pairs are blue and far pairs orange, as on the page of the report.

    Parameters
    ----------
    tree : Tree
    comparisons : Triplets or Quadruplets
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidTree, InvalidComparisons, InvalidOption
        Where the arguments are not as described.
    Mismatch
        If the tree and the comparisons are not about the same objects.

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
    from matplotlib.colors import LinearSegmentedColormap

    check_tree(tree)
    check_comparisons(comparisons)
    found = pair_map(tree, comparisons)
    axes = axes_or_new(ax, 6.0, 5.2)
    n, strongest = tree.n_leaves, found.strongest()
    picture = axes.imshow(
        found.means,
        cmap=LinearSegmentedColormap.from_list("far to near", FAR_TO_NEAR),
        vmin=-strongest,
        vmax=strongest,
        extent=(-0.5, n - 0.5, n - 0.5, -0.5),
        interpolation="nearest",
    )
    axes.set_xticks([])
    axes.grid(False)
    axes.spines[:].set_visible(False)
    label_leaves(axes, tree)
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

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption, Mismatch
        As for :func:`tripletree.revenue_per_level`.

    Examples
    --------
    >>> from tripletree import Triplets, balanced_tree
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], n_objects=4)
    >>> ax = plot_revenue_per_level(balanced_tree(4), answers)
    >>> ax.lines[0].get_ydata().tolist()
    [0, 8, 8, 8]
    """
    levels = revenue_per_level(tree, data)
    axes = axes_or_new(ax, 5.2, 3.4)
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
        axes.text(
            0.98,
            0.06,
            f"95 % of the revenue\nwith {enough + 1} clusters",
            color=RED,
            ha="right",
            transform=axes.transAxes,  # below a curve that rises ever more slowly
        )
    return axes


def plot_learning_curve(
    curve: LearningCurve, *, label: str = "", ax: Axes | None = None
) -> Axes:
    """Draw held-out revenue against the number of answers that trees were made from.

    Beside the points stands the share of unseen answers that the trees satisfy; of a
    second curve in the same axes, at its end alone. While the curve rises, more answers
    will help.

    Parameters
    ----------
    curve : LearningCurve
        What :func:`tripletree.learning_curve` found.
    label : str, optional
        A name at the end of the curve, to tell several apart.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure. Several curves may share it.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidOption
        If it is no learning curve, or ax no axes.

    Examples
    --------
    >>> from tripletree import adds_similarity, average_linkage, learning_curve
    >>> from tripletree.datasets.animals import animals
    >>> method = lambda train: average_linkage(adds_similarity(train))
    >>> curve = learning_curve(animals().answers, method, shares=[0.1, 1])
    >>> plot_learning_curve(curve).get_ylabel()
    'revenue on answers not seen'
    """
    if not isinstance(curve, LearningCurve):
        message = (
            f"curve is of type {type(curve).__name__}: give the result of "
            "learning_curve()."
        )
        raise InvalidOption(message)
    axes = axes_or_new(ax, 5.2, 3.4)
    n_before = sum(line.get_marker() == "o" for line in axes.lines)
    colour = COLOURS[n_before % len(COLOURS)]
    axes.plot(curve.n_answers, curve.revenues, "o-", color=colour)
    points = zip(curve.n_answers, curve.revenues, curve.accuracy, strict=True)
    for place, (n, earned, share) in enumerate(points, start=1):
        is_last = place == len(curve.accuracy)
        if n_before and not is_last:  # numbers at two curves would run together
            continue
        axes.annotate(
            f"{100 * share:.0f} %  {label if is_last else ''}".rstrip(),
            (n, earned),
            xytext=(7, 0) if is_last else (-3, 4),
            textcoords="offset points",
            color=colour,
            ha="left" if is_last else "right",
            va="center" if is_last else "bottom",
            fontsize=8,
            **PLAIN_TEXT,
        )
    if n_before:
        return axes
    axes.set_xscale("log")
    axes.margins(x=0.18, y=0.14)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter("")
    axes.set_xticks(curve.n_answers)
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set_xlabel("answers that the tree is made from\n%: unseen answers right")
    axes.set_ylabel("revenue on answers not seen")
    return axes
