"""Trees drawn with matplotlib, from 2 to 100,000 leaves.

The root is at the left, so that labels are horizontal. Each merge is one line: from a
child up, across, and down to the other child::

        ┌──── leaf
    ┌───┤
    │   └──── leaf
    ┤
    └──────── leaf

A polytomy is one line across, from which all its branches start: its collapsed merges
are drawn where the merge that they are shown as is. All is placed in these coordinates,
x from the root to the leaves and y from leaf to leaf; a vertical tree is the same with
x and y exchanged, a circular one with x as radius and y as angle (`_Sheet`).

All figures share the axes, colours and labels at the end of this module. The first six
colours are those of Okabe and Ito, which can be distinguished with every kind of colour
vision; five more are for more clusters. Labels are shown literally, never as formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
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

COLOURS = (
    *(BLUE, ORANGE, GREEN, PURPLE, SKY, RED),
    *("#b04a78", "#8a9a2e", "#7a6ad8", "#9c6b3f", "#6b8397"),
)
# Paul Tol's muted colours and some more: of groups, beside clusters in those above.
GROUP_COLOURS = (
    *("#332288", "#88ccee", "#44aa99", "#117733", "#999933", "#ddcc77"),
    *("#cc6677", "#882255", "#aa4499", "#661100", "#6699cc", "#b3b3b3"),
)
GREY, DARK = "#8c8c8c", "#333333"
PLAIN_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}
LARGEST_FONT, SMALLEST_FONT = 9.0, 5.5
LONGEST_LABEL = 40
MANY_MERGES = 20_000  # beyond, lines are pixels in PDF and SVG files
POINTS_PER_PATH = 2_500  # matplotlib has a fixed cost per path
MOST_NUMBERS = 120  # leaves up to which support is written in numbers
MOST_DOTS = 3_000
LEAST_SUPPORT, SURE = 0.5, 0.8
NUMBER_FONT = 6.0  # of stabilities
SIDES = ((-1, 1), (1, 1), (-1, -1), (1, -1))
LAYOUTS = ("horizontal", "vertical", "circular")
LARGEST_PICTURE = 24.0  # points
TURN = 0.97 * 2 * np.pi  # a circle of leaves has a gap between the first and the last


def plot_dendrogram(
    tree: Tree,
    *,
    clusters: int | npt.ArrayLike | None = None,
    stability: npt.ArrayLike | None = None,
    groups: Sequence[str | None] | None = None,
    images: npt.ArrayLike | None = None,
    layout: str = "horizontal",
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree with its labels, its stability and coloured clusters.

    Parameters
    ----------
    tree : Tree
        Merges are drawn at their heights. If some are negative, as in trees made from
        comparisons, these are similarities with their sign turned round, and the axis
        shows similarities. Without heights, a merge is drawn at the number of clusters
        from which on it is undone, on a logarithmic scale. Draw ``result.stable_tree``
        to leave out joins that the answers do not bear out.
    clusters : int or array_like of int, shape (n,), optional
        A number of clusters to cut into, or the cluster of each leaf, for example from
        :func:`tripletree.best_cut`. Subtrees within one cluster get its colour.
    stability : array_like of float, shape (n-1,), optional
        Of the merges, from :func:`tripletree.bootstrap_support`; by default the support
        of the tree, which is the stability in trees of :func:`tripletree.cluster`.
        Merges with 80 % or more are drawn with thick lines, those below 50 % with thin
        ones. It is written at merges with 50 % or more; above 120 leaves, dots mark
        90 % or more.
    groups : sequence of str, optional
        The group of each leaf, or None: a strip of colours beside the leaves, with a
        legend.
    images : array_like, optional
        A picture for each leaf, shape (n, height, width) or, in colour, (n, height,
        width, 3 or 4); drawn up to 120 leaves.
    layout : {"horizontal", "vertical", "circular"}, default "horizontal"
        With the root at the left, at the top or in the middle.
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
    refuse_if(
        not isinstance(layout, str) or layout not in LAYOUTS,
        InvalidOption,
        f"layout = {layout!r:.80}: give {', '.join(LAYOUTS)}.",
    )
    names = _check_groups(groups, n)
    pictures = None if images is None else check_pixels(images, n)
    colours = cluster_colours(tree, clusters)
    certain = tree if stability is None else tree.with_support(stability)
    long = min(max(1.2 + (0.155 if pictures is None else 0.26) * n, 2.6), 10.0)
    sizes = {"horizontal": (6.4, long), "vertical": (long, 5.0)}
    axes = axes_or_new(ax, *sizes.get(layout, (7.5, 7.5)))
    x, tip, scale = node_positions(tree)
    y = tree.interval_start + (tree.size - 1) / 2
    sheet = _Sheet(axes, layout, n, float(x[-1]), tip)
    letters = max(map(len, tree.labels or [str(n)]))
    longest = 0.55 * LARGEST_FONT * min(letters, LONGEST_LABEL)
    around = longest + (LARGEST_PICTURE if pictures is not None else 0)
    sheet.frame(names is not None, around)
    _draw_merges(sheet, tree, x, y, colours, _weights(certain))
    sheet.scale(scale, _draw_stability(sheet, certain, x, y), tree)
    if names is not None:
        first, last = sorted(y[tree.children[-1]]) if n > 1 else (0, 0)
        is_free_last = first < n - 1 - last  # beside the branches of the root
        in_order = [names[leaf] for leaf in tree.leaf_order.tolist()]
        _draw_strip(sheet, in_order, is_free_last)
    beside = 0.0
    if pictures is not None and n <= MOST_NUMBERS:
        beside = _draw_pictures(sheet, pictures[tree.leaf_order])
    if layout == "circular":
        _label_circle(sheet, tree, beside)
    else:
        label_leaves(axes, tree, layout == "vertical", beside)
    return axes


@dataclass(frozen=True)
class _Sheet:
    """Axes on which trees are placed by x, from the root on, and y, from leaf to leaf.

    `root` and `tip` are the x of the root and of most leaves.
    """

    axes: Axes
    layout: str
    n: int
    root: float
    tip: float

    def at(self, x: Any, y: Any) -> tuple[Floats, Floats]:
        """Where this is in the axes."""
        across, along = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        if self.layout == "horizontal":
            return across, along
        if self.layout == "vertical":
            return along, across
        radius, angle = self.radius(across), self.angle(along)
        return radius * np.cos(angle), radius * np.sin(angle)

    def radius(self, x: Floats) -> Floats:
        """0.05 at the root, 1 at the leaves."""
        return 0.05 + 0.95 * (x - self.root) / ((self.tip - self.root) or 1.0)

    def angle(self, y: Any) -> Any:
        return np.pi / 2 - TURN * (y + 0.5) / self.n

    def inches(self) -> tuple[float, float]:
        """The width and the height of the axes."""
        box, figure = self.axes.get_position(), self.axes.figure.get_figure(root=True)
        return box.width * figure.get_figwidth(), box.height * figure.get_figheight()

    def step(self) -> float:
        """The points between two leaves."""
        wide, high = self.inches()
        if self.layout == "circular":
            share = 1 / self.axes.get_xlim()[1]  # of the circle of leaves
            return 36 * min(wide, high) * share * TURN / self.n
        return 72 * (wide if self.layout == "vertical" else high) / self.n

    def points(self, places: Floats) -> Floats:
        """The same places, in points from the lower left corner."""
        limits = np.array([self.axes.get_xlim(), self.axes.get_ylim()])
        shares: Floats = (places - limits[:, 0]) / (limits[:, 1] - limits[:, 0])
        wide, high = self.inches()
        if self.layout == "circular":
            wide = high = min(wide, high)
        return 72 * shares * [wide, high]

    def beyond(self, share: float) -> float:
        """The x that is beyond the leaves by a share of the height of the tree."""
        return self.tip + share * ((self.tip - self.root) or -1.0)

    def frame(self, has_strip: bool, beside: float) -> None:
        """Make room for the tree, a strip beside it and, around a circle, labels."""
        axes, along = self.axes, (self.n - 0.4, -0.6)
        across = (self.beyond(-1.03), self.beyond(0.045 if has_strip else 0.005))
        axes.grid(False)
        if self.layout == "circular":
            axes.set_aspect("equal")
            axes.set_axis_off()
            most = 1.06 / (1 - min(0.6, beside / (36 * min(self.inches()))))
            axes.set(xlim=(-most, most), ylim=(-most, most))
        elif self.layout == "vertical":
            axes.set(xlim=along[::-1], ylim=across[::-1])
            axes.spines[["bottom", "right", "top"]].set_visible(False)
        else:
            axes.set(xlim=across, ylim=along)
            axes.spines[["left", "right", "top"]].set_visible(False)
            axes.yaxis.tick_right()

    def scale(self, name: str, note: str, tree: Tree) -> None:
        """Name the axis of heights, and write numbers at it."""
        axes, is_circle = self.axes, self.layout == "circular"
        lines = [f"radius: {name}" if is_circle else name, *([note] if note else [])]
        if is_circle:
            axes.text(0, -0.02, "\n".join(lines), transform=axes.transAxes, va="top")
            return
        axis = axes.yaxis if self.layout == "vertical" else axes.xaxis
        axis.set_label_text("\n".join(lines))
        if tree.heights is None:
            ticks = [k * 10**e for e in range(7) for k in (1, 2, 5)]
            ticks = [k for k in ticks if k <= self.n][-7:]
            axis.set_ticks(np.log(ticks), labels=[f"{k:,}" for k in ticks])
        elif _are_similarities(tree):
            axis.set_major_formatter(
                lambda x, _: f"{0.0 - x:,.6g}".replace("-", "\N{MINUS SIGN}")
            )


def node_positions(tree: Tree) -> tuple[Floats, float, str]:
    """Where nodes are between root and leaves, where leaves are, and what this shows.

    In a tree without heights the root is at log 1, and the merge before it at log 2. If
    there are many leaves, they are drawn close to their merges, because long lines
    would fill the page.
    """
    n, heights = tree.n_leaves, tree.heights
    above = tree.shown[tree.parent[:n]] - n  # the merge that each leaf hangs from
    if heights is None or n == 1:
        merges = np.log(np.arange(n - 1.0, 0.0, -1.0))
        tip, gap, name = float(np.log(n)), 0.14, "number of clusters"
    else:
        drawn = heights[np.unique(tree.shown[n:]) - n]
        low, high = _lowest_shown(drawn, heights[above]), float(heights[-1])
        tip = 0.0 if low >= 0 else low - 0.06 * (high - low)
        merges, gap = np.maximum(heights, low), -0.02 * (high - tip)
        name, sign = ("similarity", -1) if _are_similarities(tree) else ("height", 1)
        n_lower = int((drawn < low).sum())
        if n_lower:
            lower = "a join" if n_lower == 1 else f"{n_lower} joins"
            words = "up to" if sign < 0 else "down to"
            name += f", {lower} {words} {sign * drawn[0]:.3g} drawn at the edge"
    leaves = np.full(n, tip)
    if n > MOST_NUMBERS:
        near = np.minimum if gap > 0 else np.maximum
        leaves = near(leaves, merges[above] + gap)
    x = np.concatenate([leaves, merges])
    x[n:] = x[tree.shown[n:]]
    return x, tip, name


def _are_similarities(tree: Tree) -> bool:
    """Whether heights are similarities with their sign turned round."""
    return tree.heights is not None and bool((tree.heights < 0).any())


def _lowest_shown(heights: Floats, of_leaves: Floats) -> float:
    """The lowest merge, unless a few are so low that they would squeeze all others.

    Two objects that everyone considers the same can be ten times as similar as any
    others. Merges more than twice as far from the top as those that nine tenths of the
    leaves hang from are drawn at this limit.
    """
    low, high = float(heights.min()), float(heights[-1])
    usual = high - 2 * (high - float(np.quantile(of_leaves, 0.1)))
    return max(low, min(usual, 0.0)) if usual < high else low


def cluster_colours(
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
    colours = np.array(COLOURS)
    if ordered.dtype.kind == "i":
        is_within &= ordered[start] != -1  # in no cluster
    return np.where(is_within, colours[run[start] % len(colours)], GREY)


def _check_groups(groups: Any, n: int) -> list[str | None] | None:
    if groups is None:
        return None
    is_list = isinstance(groups, Sequence | np.ndarray) and not isinstance(groups, str)
    refuse_if(
        not is_list
        or len(groups) != n
        or not all(isinstance(group, str | None) for group in groups),
        InvalidOption,
        f"groups of type {type(groups).__name__}: give a list of {n} names or None.",
    )
    return [printable(group) if group else None for group in groups]


def check_pixels(images: Any, n: int) -> npt.NDArray[Any]:
    """A picture of each of n objects, as an array."""
    try:
        found = np.asarray(images)
    except ValueError:
        found = np.empty(0)
    has_shape = found.ndim == 3 or (found.ndim == 4 and found.shape[3] in (3, 4))
    is_fine = has_shape and found.dtype.kind in "biuf" and 0 not in found.shape
    refuse_if(
        not is_fine or len(found) != n,
        InvalidOption,
        f"images have shape {found.shape}: give ({n}, height, width), or ({n}, height, "
        "width, 3 or 4) for colour.",
    )
    return found


def _weights(tree: Tree) -> Floats:
    """How thick the line of each merge is: by its stability, or all the same."""
    weights = np.ones(tree.n_leaves - 1)
    if tree.support is not None:
        share = support_shares(tree)
        weights[share >= SURE], weights[share < LEAST_SUPPORT] = 1.6, 0.6
    return weights[tree.shown[tree.n_leaves :] - tree.n_leaves]


def support_shares(tree: Tree) -> Floats:
    """The support of each merge from 0 to 1; files may have it in percent."""
    assert tree.support is not None
    return tree.support / (100 if np.nanmax(tree.support, initial=0) > 1 else 1)


def _draw_merges(
    sheet: _Sheet,
    tree: Tree,
    x: Floats,
    y: Floats,
    colours: npt.NDArray[Any],
    weights: Floats,
) -> None:
    """A line per merge: from one child up, across, and down to the other."""
    from matplotlib.collections import LineCollection

    n, (left, right) = tree.n_leaves, tree.children.T
    n_across = 24 if sheet.layout == "circular" else 2
    way = np.linspace(0, 1, n_across)[:, None]
    across = y[left] + way * (y[right] - y[left])
    along = np.concatenate([x[left][None], np.tile(x[n:], (n_across, 1)), [x[right]]])
    lines = np.stack(
        sheet.at(along, np.concatenate([y[left][None], across, [y[right]]])), axis=-1
    )
    gap = np.full((1, n - 1, 2), np.nan)
    lines = np.concatenate([lines, gap]).swapaxes(0, 1)
    width = float(np.interp(np.log10(n), [1.5, 4], [1.2, 0.35]))
    kinds = list(zip(colours.tolist(), weights.tolist(), strict=True))
    for colour, weight in dict.fromkeys(kinds[::-1]):  # the top of the tree first
        of_kind = (colours == colour) & (weights == weight)
        chosen = lines[of_kind].reshape(-1, 2)
        step = POINTS_PER_PATH // lines.shape[1] * lines.shape[1]
        drawn = LineCollection(
            np.split(chosen, range(step, len(chosen), step)),
            colors=colour,
            linewidths=width * weight,
            joinstyle="miter",
            capstyle="projecting",
            rasterized=n > MANY_MERGES,
        )
        drawn.set_in_layout(False)  # its extent is known, and slow to compute
        sheet.axes.add_collection(drawn, autolim=False)


def _draw_stability(sheet: _Sheet, tree: Tree, x: Floats, y: Floats) -> str:
    """Numbers or dots at the merges; returns their explanation for the axis."""
    from matplotlib.patheffects import withStroke

    n = tree.n_leaves
    if tree.support is None or n > MOST_DOTS or n < 3:
        return ""
    shares = support_shares(tree)[:-1].copy()  # without the root, which is always 1
    if tree.collapsed is not None:
        shares[tree.collapsed[:-1]] = np.nan
    places = np.stack(sheet.at(x[n:], y[n:]), axis=-1)
    if n > MOST_NUMBERS:
        dots = places[np.flatnonzero(shares >= 0.9)]
        sheet.axes.plot(*dots.T, "o", color=DARK, markersize=2.5, zorder=3)
        return "dots: stability of 90 % or more"
    shown = np.flatnonzero(shares >= LEAST_SUPPORT)[::-1].tolist()  # large ones first
    numbers = [f"{100 * shares[t]:.0f}" for t in shown]
    sides = free_sides(sheet.points(places[shown]), numbers)
    for t, number, (right, up) in zip(shown, numbers, sides, strict=True):
        sheet.axes.annotate(
            number,
            places[t],
            xytext=(2 * right, up),
            textcoords="offset points",
            ha="left" if right > 0 else "right",
            va="bottom" if up > 0 else "top",
            fontsize=NUMBER_FONT,
            color=DARK,
            path_effects=[withStroke(linewidth=1.4, foreground="white")],
        )
    return f"numbers: stability in %, where {100 * LEAST_SUPPORT:.0f} or more"


def free_sides(places: Floats, numbers: Sequence[str]) -> list[tuple[int, int]]:
    """On which side of its place each number covers none before it, if on any.

    (-1, 1) is left of the place and above it: over the line towards the root.
    """
    taken = np.empty((0, 4))
    found = []
    for (x, y), number in zip(places, numbers, strict=True):
        width, height = 0.65 * NUMBER_FONT * len(number), NUMBER_FONT
        boxes = []
        for right, up in SIDES:
            left, low = x + 2 * right, y + up
            left, low = left - (right < 0) * width, low - (up < 0) * height
            boxes.append((left, low, left + width, low + height))
        covers = [
            bool(((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(1).any())
            for box in np.array(boxes)
        ]
        at = covers.index(False) if False in covers else 0
        taken = np.append(taken, [boxes[at]], axis=0)
        found.append(SIDES[at])
    return found


def _draw_strip(sheet: _Sheet, names: Sequence[str | None], is_free_last: bool) -> None:
    """A strip of colours beside the leaves, in their order, and its legend.

    The legend is near the root, beside the first or the last leaves.
    """
    from matplotlib.patches import Patch, Polygon

    groups = [*dict.fromkeys(name for name in names if name is not None)]
    chosen = dict(zip(groups, cycle(GROUP_COLOURS), strict=False))
    ends = [0, *(at for at in range(1, sheet.n) if names[at] != names[at - 1]), sheet.n]
    for start, end in pairwise(ends):
        name = names[start]
        if name is None:
            continue
        y = np.linspace(start - 0.46, end - 0.54, 2 + (end - start) * 4)
        inner = np.full(len(y), sheet.beyond(0.015))
        outer = np.full(len(y), sheet.beyond(0.04))
        corners = sheet.at(np.append(inner, outer), np.append(y, y[::-1]))
        piece = Polygon(np.stack(corners, axis=-1), color=chosen[name], linewidth=0)
        sheet.axes.add_patch(piece)
    is_circle = sheet.layout == "circular"
    last: dict[str, Any] = {"horizontal": "lower left", "vertical": "upper right"}
    legend = sheet.axes.legend(
        handles=[Patch(color=chosen[name], label=shortened(name)) for name in groups],
        loc=last.get(sheet.layout, "upper left") if is_free_last else "upper left",
        bbox_to_anchor=(1.0, 1.0) if is_circle else None,
        fontsize=7,
        handlelength=1,
        handleheight=1,
        borderaxespad=0,
        frameon=False,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _draw_pictures(sheet: _Sheet, pictures: npt.NDArray[Any]) -> float:
    """A picture beside each leaf; returns how many points they need."""
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    side = min(0.92 * sheet.step(), LARGEST_PICTURE)
    zoom = side / max(pictures.shape[1:3])
    y = np.arange(sheet.n)
    places = np.stack(sheet.at(sheet.beyond(0.05), y), axis=-1)
    for at, picture in enumerate(pictures):
        shift = {"horizontal": (1.0, 0.0), "vertical": (0.0, -1.0)}.get(sheet.layout)
        if shift is None:
            shift = (np.cos(sheet.angle(at)), np.sin(sheet.angle(at)))
        box = AnnotationBbox(
            OffsetImage(picture, zoom=zoom, cmap="gray"),
            places[at],
            xybox=(0.55 * side * shift[0], 0.55 * side * shift[1]),
            boxcoords="offset points",
            frameon=False,
            pad=0,
            annotation_clip=False,
        )
        box.set_in_layout(False)
        sheet.axes.add_artist(box)
    return side + 3


def _label_circle(sheet: _Sheet, tree: Tree, beside: float) -> None:
    """Labels around the circle, turned so that none is upside down."""
    size, places, names = _readable(tree, sheet.step())
    for at, name in zip(places.tolist(), names, strict=True):
        angle = float(sheet.angle(at))
        (x,), (y,) = sheet.at([sheet.beyond(0.05)], [at])
        is_left = np.cos(angle) < 0
        away = beside + 2
        sheet.axes.annotate(
            name,
            (x, y),
            xytext=(away * np.cos(angle), away * np.sin(angle)),
            textcoords="offset points",
            rotation=np.degrees(angle) + (180 if is_left else 0),
            rotation_mode="anchor",
            ha="right" if is_left else "left",
            va="center",
            fontsize=size,
            annotation_clip=False,
            **PLAIN_TEXT,
        )


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """The given axes, or new ones of this size in inches."""
    from matplotlib.axes import Axes

    if isinstance(ax, Axes):
        return ax
    refuse_if(
        ax is not None,
        InvalidOption,
        f"ax is of type {type(ax).__name__}: give matplotlib Axes, or None.",
    )
    import matplotlib.pyplot as plt  # it chooses a window system

    with figure_style():
        axes: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def set_log_scale(axes: Axes, form: str = "{x:,.0f}") -> None:
    """Make the x axis logarithmic, with whole numbers at it."""
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(form)
    axes.xaxis.set_minor_formatter("")


def label_leaves(
    axes: Axes, tree: Tree, is_vertical: bool = False, beside: float = 0.0
) -> None:
    """Put labels of leaves at an axis, smaller or fewer if they would overlap.

    They keep away from the axis by this many points.
    """
    sheet = _Sheet(axes, LAYOUTS[is_vertical], tree.n_leaves, 0, 1)
    size, places, names = _readable(tree, sheet.step())
    axis = axes.xaxis if is_vertical else axes.yaxis
    axis.set_ticks(places, labels=names, fontsize=size, **PLAIN_TEXT)
    axis.set_tick_params(
        length=0, pad=2 + beside, labelrotation=90 if is_vertical else 0
    )


def _readable(tree: Tree, step: float) -> tuple[float, Any, list[str]]:
    """A size of labels with these points for each, which leaves get one, and which."""
    size = min(max(0.86 * step, SMALLEST_FONT), LARGEST_FONT)
    each = max(1, int(np.ceil(1.1 * size / step)))
    places = np.arange(0, tree.n_leaves, each)
    names = [
        str(leaf) if tree.labels is None else shortened(tree.labels[leaf])
        for leaf in tree.leaf_order[places].tolist()
    ]
    return size, places, names


def shortened(label: str, most: int = LONGEST_LABEL) -> str:
    """A label on one line, not too long: both ends, of which often one is its own."""
    text = printable(label)
    if len(text) <= most:
        return text
    last = 2 * most // 5
    return f"{text[: most - last - 1]}…{text[-last:]}"
