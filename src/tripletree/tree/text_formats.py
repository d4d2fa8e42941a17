"""What text formats share: nested text, built and read without recursion.

Trees can be 10^6 merges deep.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import printable
from tripletree.errors import InvalidOption, InvalidTree, refuse_if
from tripletree.tree.tree import Tree, shown_nodes

READING = threading.Lock()
MOST_CHARACTERS = 10**7


def to_text(tree: Tree) -> str:
    """A drawing of the tree, one leaf per line, root at the left.

    Line breaks and control characters in labels are shown escaped.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str

    Raises
    ------
    InvalidOption
        If the drawing would have more than ten million characters.

    Examples
    --------
    >>> print(to_text(Tree([[0, 1], [2, 3]], labels=["ape", "bat", "cat"])))
    ┬─ cat
    └─┬─ ape
      └─ bat
    """
    n = tree.n_leaves
    n_characters = 2 * int(tree.size[n:].sum())  # two for each leaf below each merge
    refuse_if(
        n_characters > MOST_CHARACTERS,
        InvalidOption,
        f"a drawing of this tree would have {n_characters} characters: draw a part "
        "of it, or write it with to_newick().",
    )
    labels = tree.labels or [str(i) for i in range(n)]
    nodes, parents = shown_nodes(tree)
    parts: dict[int, list[int]] = {node: [] for node in parents.tolist()}
    for at in np.argsort(tree.interval_start[nodes], kind="stable"):
        parts[int(parents[at])].append(int(nodes[at]))  # from left to right
    lines: list[str] = []
    # Nodes to draw, with the text left of their first line and of their other lines.
    stack = [(tree.root, "", "")]
    while stack:
        node, first, others = stack.pop()
        if node < n:
            label = printable(labels[node])
            lines.append(f"{first} {label}" if n > 1 else label)
            continue
        leftmost, *middle, rightmost = parts[node]
        stack.append((rightmost, others + "└─", others + "  "))
        stack += [(x, others + "├─", others + "│ ") for x in reversed(middle)]
        stack.append((leftmost, first + "┬─", others + "│ "))
    return "\n".join(lines)


def nested_text(
    tree: Tree, opening: Sequence[str], leaf: Sequence[str], closing: Sequence[str]
) -> str:
    """Nested text of a tree, from the texts that open and close its merges.

    Leaves are written from left to right, with commas between them. Before a leaf, all
    merges that begin there are opened, the largest first; after it, all that end there
    are closed, the smallest first. So the text is its pieces, sorted; those of
    collapsed merges are left out.
    """
    n = tree.n_leaves
    size, start = tree.size[n:], tree.interval_start
    place = np.concatenate(
        [np.arange(1, n), start[n:], start[:n], start[n:] + size - 1]
    )
    kind = np.repeat([0, 1, 2, 3], [n - 1, n - 1, n, n - 1])
    depth = np.concatenate([np.zeros(n - 1), -size, np.zeros(n), size])
    pieces = [",", *opening, *leaf, *closing]
    index = np.arange(-(n - 2), 3 * n - 1).clip(0)
    order = np.lexsort((depth, kind, place))
    if tree.collapsed is not None:
        is_left_out = np.zeros(len(index), np.bool_)
        is_left_out[n - 1 : 2 * n - 2] = is_left_out[3 * n - 2 :] = tree.collapsed
        order = order[~is_left_out[order]]
    order = index[order]
    return "".join(map(pieces.__getitem__, order.tolist()))


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """While millions of small objects are made, looking for garbage doubles the time.

    If several threads read at once, only one of them pauses it.
    """
    if not gc.isenabled() or not READING.acquire(blocking=False):
        yield
        return
    try:
        gc.disable()
        yield
    finally:
        gc.enable()
        READING.release()


class TreeBuilder:
    """Collects the nodes of a text, children before parents, and makes the tree.

    A merge joins the last nodes that have no parent yet. More than two of them, a
    polytomy, are joined from left to right: (a, b, c) becomes ((a, b), c) with both
    merges at the same height and the first collapsed, unless it is to be resolved.
    """

    def __init__(self, text_format: str, resolve_polytomies: bool = False) -> None:
        self.text_format = text_format
        self.resolve_polytomies = resolve_polytomies
        self.leaves: list[Any] = []  # what the text says about each
        self.orphans: list[int] = []  # a leaf by its number, merge t by -1 - t
        self.pairs: list[tuple[int, int]] = []
        self.heights: list[float] = []
        self.support: list[float] = []
        self.ids: list[object] = []
        self.collapsed: list[int] = []

    def add_leaf(self, leaf: object) -> None:
        self.orphans.append(len(self.leaves))
        self.leaves.append(leaf)

    def add_merge(
        self,
        n_nodes: int,
        place: int | None,
        height: float,
        support: float = np.nan,
        node_id: object = None,
    ) -> None:
        """Merge the last n_nodes; place is where they start in the text."""
        refuse_if(
            n_nodes < 2,
            InvalidTree,
            f"{self.text_format}, character {place}: an inner node with {n_nodes} "
            "child. Each needs two: join it with another, or leave it out and keep its "
            "child.",
        )
        joined, *others = self.orphans[-n_nodes:]
        del self.orphans[-n_nodes:]
        first = len(self.pairs)
        for node in others:
            self.pairs.append((joined, node))
            self.heights.append(height)
            self.support.append(np.nan)
            self.ids.append(node_id)
            joined = -len(self.pairs)
        self.support[-1] = support
        self.orphans.append(joined)
        if not self.resolve_polytomies:
            self.collapsed += range(first, len(self.pairs) - 1)

    def tree(self, leaf_ids: Sequence[int], labels: Sequence[str] | None) -> Tree:
        """The tree; leaf number i becomes object leaf_ids[i].

        Merges are sorted by height, or by size if there are no heights (NaN), so that a
        cut splits the largest clusters first. If the text has node ids as a tree has
        them, these decide between equal heights, and alone if there are no heights.
        """
        n = len(self.leaves)
        pairs = np.array(self.pairs, np.int64).reshape(n - 1, 2)
        leaves = np.asarray(leaf_ids, np.int64)[pairs]
        children = np.where(pairs < 0, n - 1 - pairs, leaves)
        support, heights = np.array(self.support), np.array(self.heights)
        collapsed = np.zeros(n - 1, np.bool_)
        collapsed[self.collapsed] = True
        is_known = not np.isnan(support).all()
        plain = Tree(children, None, labels, support if is_known else None, collapsed)
        order = _order_of_ids(plain, self.ids)
        if order is not None:
            plain, heights = plain.in_order(order), heights[order]
        has_height = ~np.isnan(heights)
        if has_height.any():
            refuse_if(
                not has_height.all(),
                InvalidTree,
                "some inner nodes have a height and some do not: give all or none.",
            )
            return plain.with_heights(heights)
        if order is not None:
            return plain
        return plain.with_heights(plain.size[n:]).with_heights(None)


def _order_of_ids(tree: Tree, ids: Sequence[object]) -> npt.NDArray[np.intp] | None:
    """Merges in the order of their ids as a tree has them; else None.

    These are different numbers n..2n-2, each above those of its children; of a binary
    tree, all of them. The merges of a polytomy have the same id.
    """
    n = tree.n_leaves
    if not all(type(x) is int and n <= x <= 2 * n - 2 for x in ids):
        return None
    numbers = np.array(ids, np.int64)
    above = tree.shown[tree.parent[n:-1]] - n
    is_below = numbers[:-1] < numbers[above]
    if tree.collapsed is not None:
        is_below |= tree.collapsed[:-1]
    if len(np.unique(numbers)) != tree.n_shown or not is_below.all():
        return None
    return np.argsort(numbers, kind="stable")
