"""What figures share: axes to draw into, colours, and labels at the leaves.

Colours are those of Okabe and Ito, told apart with every kind of colour vision. Labels
are shown as they are: nothing in them is taken for a formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree._checks import printable
from tripletree._figures import BLUE, GREEN, ORANGE, PURPLE, RED, SKY, house_look
from tripletree.errors import InvalidOption
from tripletree.tree.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED)
GREY, DARK = "#8c8c8c", "#333333"
PLAIN_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}
LARGEST_FONT, SMALLEST_FONT = 9.0, 5.5
LONGEST_LABEL = 40


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
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


def label_leaves(axes: Axes, tree: Tree) -> None:
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
    text = printable(label)
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"
