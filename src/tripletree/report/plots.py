"""Figures for papers and notebooks, drawn with matplotlib: axes in, axes out.

Every function draws into the given axes and returns them, or makes a figure of a
suitable size. Trees are drawn in dendrogram.py. The map of pairs is also on the page.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._figures import BLUE, RED, figure_style
from tripletree.clustering.result import Clustering
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.errors import InvalidOption, refuse_if
from tripletree.evaluation.holdout import LearningCurve
from tripletree.objective.flat import revenue_per_level
from tripletree.objective.value import check_fit
from tripletree.report.dendrogram import (
    COLOURS,
    DARK,
    GREY,
    PLAIN_TEXT,
    Floats,
    axes_or_new,
    label_leaves,
    plot_dendrogram,
    set_log_scale,
)
from tripletree.similarity.adds import adds_similarity
from tripletree.similarity.matrix import Similarity, is_sparse
from tripletree.tree.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

FAR_TO_NEAR = ("#b35806", "#f7f7f5", "#1f5ea8")  # --map-low, -mid, -high of page.css
MOST_CELLS = 300  # per side
SHADES = 127  # on either side of 0
LEGENDS_PER_LINE = 6  # names of groups above a map
QUANTILE = 0.98  # of absolute values: those beyond have the strongest colour


def plot_pair_sums(
    tree: Tree, comparisons: Comparisons, *, ax: Axes | None = None
) -> Axes:
    """Draw how often each pair was near rather than far, in the order of the leaves.

    Squares along the diagonal are clusters. In a good tree the near pairs are there.
    Near pairs are blue and far pairs orange, as in the HTML report.

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
        If the arguments are not as described.
    Mismatch
        If the tree and the comparisons are not about the same objects.

    Notes
    -----
    Above 300 objects, neighbouring leaves share a cell, which shows the mean of its
    pairs. The strongest colour is the 98 % quantile of absolute values.

    Examples
    --------
    >>> from tripletree import Triplets, balanced_tree
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], n_objects=4)
    >>> ax = plot_pair_sums(balanced_tree(4), answers)
    >>> ax.images[0].get_array().shape
    (4, 4)
    """
    found = pair_map(tree, comparisons)
    side = min(max(1.2 + 0.13 * tree.n_leaves, 5.2), 10.0)
    axes = axes_or_new(ax, side + 0.8, side)
    picture = _paint(axes, found, tree.n_leaves)
    label_leaves(axes, tree)
    _colour_bar(axes, picture, found, tree.n_leaves)
    return axes


def plot_clustermap(
    result: Clustering,
    *,
    groups: Sequence[str | None] | None = None,
    images: npt.ArrayLike | None = None,
) -> Figure:
    """Draw the tree of a result, and beside it the pair sums in the same order.

    Joins that the answers do not bear out are left out, and clusters have colours, as
    in ``plot_dendrogram(result.stable_tree, clusters=result.clusters.labels)``.

    Parameters
    ----------
    result : Clustering
        The result of :func:`cluster`.
    groups : sequence of str, optional
        The group of each leaf, or None: a strip of colours between tree and map.
    images : array_like, optional
        A picture for each leaf, see :func:`plot_dendrogram`.

    Returns
    -------
    matplotlib Figure
        With two axes: the tree and the map (and one more for the scale of colours).

    Raises
    ------
    InvalidOption, InvalidComparisons
        If this is not a result, or it no longer has its comparisons.

    Examples
    --------
    >>> from tripletree import cluster
    >>> from tripletree.datasets.animals import animals
    >>> result = cluster(animals().answers, "climb", support=0)
    >>> [len(axes.images) for axes in plot_clustermap(result).axes[:2]]
    [0, 1]
    """
    refuse_if(
        not isinstance(result, Clustering),
        InvalidOption,
        f"expected a Clustering, not {type(result).__name__}: give cluster(...).",
    )
    comparisons: Any = result.comparisons
    check_comparisons(comparisons)
    import matplotlib.pyplot as plt  # it chooses a window system
    from matplotlib.patches import Rectangle

    tree = (result.stable_tree or result.tree).with_labels(result.labels)
    high = min(max(1.4 + 0.16 * tree.n_leaves, 3.6), 10.0)
    with figure_style():
        figure, (left, right) = plt.subplots(
            ncols=2,
            figsize=(2.9 + high, high),
            layout="constrained",
            width_ratios=(4, 5),
        )
    clusters = result.clusters.labels
    plot_dendrogram(tree, clusters=clusters, groups=groups, images=images, ax=left)
    left.set_xlabel(left.get_xlabel(), loc="left")  # there is room below the map
    if (legend := left.get_legend()) is not None:  # but none beside the branches
        legend.remove()
        figure.legend(
            handles=legend.legend_handles,
            loc="outside upper left",
            ncols=LEGENDS_PER_LINE,
            fontsize=7,
            handlelength=1,
            handleheight=1,
            frameon=False,
        )
    found = pair_map(tree, comparisons)
    picture = _paint(right, found, tree.n_leaves)
    right.set(aspect="auto", yticks=[], ylim=left.get_ylim())
    for node in result.clusters.nodes.tolist():
        start, size = tree.interval_start[node], tree.size[node]
        edge = (start - 0.5, start - 0.5)
        right.add_patch(Rectangle(edge, size, size, fill=False, lw=0.8, color=DARK))
    _colour_bar(right, picture, found, tree.n_leaves)
    return figure


def _paint(axes: Axes, found: PairMap, n: int) -> AxesImage:
    """The pair sums as an image, near pairs blue and far pairs orange."""
    from matplotlib.colors import LinearSegmentedColormap

    strongest = found.strongest()
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
    return picture


def _colour_bar(axes: Axes, picture: AxesImage, found: PairMap, n: int) -> None:
    per_cell = "" if len(found.means) == n else ", mean of a cell"
    bar = axes.figure.colorbar(picture, ax=axes, shrink=0.6, pad=0.02)
    bar.set_label(f"near minus far answers per pair{per_cell}")
    bar.outline.set_visible(False)


@dataclass(frozen=True, eq=False)
class PairMap:
    """Means of pair sums; `edges` says which places in leaf order a cell spans.

    `means` is (cells, cells), NaN where a cell has no pair (a single leaf with itself).
    """

    edges: npt.NDArray[np.int64]
    means: Floats

    def strongest(self) -> float:
        """The absolute value with the strongest colour; above 0."""
        sizes = np.abs(self.means[np.isfinite(self.means)])
        sizes = sizes[sizes > 0]
        return float(np.quantile(sizes, QUANTILE)) if sizes.size else 1.0

    def encoded(self) -> str:
        """A signed byte per cell, row by row, in base 64; -128 for NaN."""
        shades = np.nan_to_num(self.means / self.strongest()) * SHADES
        bytes_ = np.clip(np.rint(shades), -SHADES, SHADES).astype(np.int8)
        bytes_[np.isnan(self.means)] = -128
        return base64.b64encode(bytes_.tobytes()).decode("ascii")

    def exact(self) -> str | None:
        """The sums themselves below the diagonal, four bytes each, in base 64.

        None if cells have several pairs, or sums are not whole numbers of this size.
        """
        sums = self.means[np.tril_indices(len(self.means), -1)]
        is_whole = (np.abs(sums) < 2**31) & (sums == np.rint(sums))
        if len(self.means) != self.edges[-1] or not is_whole.all():
            return None
        return base64.b64encode(sums.astype("<i4").tobytes()).decode("ascii")


def pair_map(tree: Tree, comparisons: Comparisons) -> PairMap:
    """The pair sums in the order of the leaves, in few enough cells for a page.

    If there are many leaves, neighbours share a cell, which has the mean of its pairs.
    O(m + n^2) time, or O(m + n) if the sums are sparse. The sums are exact.
    """
    from scipy.sparse import csr_array

    check_fit(tree, comparisons)
    n = tree.n_leaves
    n_cells = min(n, MOST_CELLS)
    edges = np.arange(n_cells + 1) * n // n_cells
    sizes = np.diff(edges)
    s: Any = adds_similarity(comparisons)
    # Row c has a 1 for each leaf of cell c.
    is_in = csr_array((np.ones(n, s.dtype), tree.leaf_order, edges), (n_cells, n))
    sums = is_in @ s @ is_in.T
    if is_sparse(sums):
        sums = sums.toarray()
    pairs = np.outer(sizes, sizes) - np.diag(sizes)  # no object with itself
    means = np.divide(sums, pairs, out=np.full(sums.shape, np.nan), where=pairs > 0)
    return PairMap(edges, means)


def plot_revenue_per_level(
    tree: Tree, data: Comparisons | Similarity, *, ax: Axes | None = None
) -> Axes:
    """Draw the revenue of a tree that is cut into 1, 2, ..., n clusters.

    Where the curve flattens, the answers say little about smaller clusters; see
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
    set_log_scale(axes, "{x:.0f}")
    axes.set(xlabel="number of clusters", ylabel="revenue")
    axes.yaxis.set_major_formatter("{x:,.6g}")
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
            transform=axes.transAxes,  # the lower right is below any such curve
        )
    return axes


def plot_learning_curve(
    curve: LearningCurve, *, label: str = "", ax: Axes | None = None
) -> Axes:
    """Draw held-out revenue against the number of answers that trees were made from.

    The points are labelled with the share of unseen answers that the trees satisfy; a
    second curve in the same axes only at its end. While the curve rises, more answers
    will help.

    Parameters
    ----------
    curve : LearningCurve
        The result of :func:`tripletree.learning_curve`.
    label : str, optional
        A name at the end of the curve, to distinguish several.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure. Several curves may share it.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidOption
        If this is not a learning curve, or ax not Axes.

    Examples
    --------
    >>> from tripletree import adds_similarity, average_linkage, learning_curve
    >>> from tripletree.datasets.animals import animals
    >>> method = lambda train: average_linkage(adds_similarity(train))
    >>> curve = learning_curve(animals().answers, method, shares=[0.1, 1])
    >>> plot_learning_curve(curve).get_ylabel()
    'revenue on unseen answers'
    """
    refuse_if(
        not isinstance(curve, LearningCurve),
        InvalidOption,
        f"curve is of type {type(curve).__name__}: give the result of "
        "learning_curve().",
    )
    axes = axes_or_new(ax, 5.2, 3.4)
    n_before = sum(line.get_marker() == "o" for line in axes.lines)
    colour = COLOURS[n_before % len(COLOURS)]
    axes.plot(curve.n_answers, curve.revenues, "o-", color=colour)
    points = zip(curve.n_answers, curve.revenues, curve.accuracy, strict=True)
    for place, (n, earned, share) in enumerate(points, start=1):
        is_last = place == len(curve.accuracy)
        if n_before and not is_last:  # numbers at two curves would overlap
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
    set_log_scale(axes)
    axes.margins(x=0.18, y=0.14)
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set(
        xticks=curve.n_answers,
        xlabel="answers used\n%: unseen answers predicted correctly",
        ylabel="revenue on unseen answers",
    )
    axes.yaxis.set_major_formatter("{x:,.0f}")
    return axes
