"""From trees to nested text and back, without recursion: trees can be 10^6 deep."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from tripletree.errors import InvalidTree
from tripletree.tree.tree import Tree, reordered_children

READING = threading.Lock()


def bracketed(
    tree: Tree, opening: Sequence[str], leaf: Sequence[str], closing: Sequence[str]
) -> str:
    """Nested text of a tree from the texts that open and close its merges.

    Leaves come from left to right with commas between them. Before the leaf at a
    place, all merges that begin there open, the largest first; behind it, all that
    end there close, the smallest first. So sorting the pieces writes the text.
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
    order = index[np.lexsort((depth, kind, place))]
    return "".join(map(pieces.__getitem__, order.tolist()))


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Millions of small objects that all stay: looking for garbage doubles the time.

    Of several threads that read at once, one does so.
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


class Builder:
    """Collects the nodes of a text, children before parents, and makes the tree.

    Nodes are numbered in the order they are added. A merge of more than two nodes is
    refused or, on request, resolved from left to right: (a, b, c) becomes ((a, b), c)
    with both merges at the same height.
    """

    def __init__(self, resolve_polytomies: bool = False) -> None:
        self.resolve_polytomies = resolve_polytomies
        self.leaf_of: list[int] = []  # for each node: its number as a leaf, or -1
        self.pairs: list[tuple[int, int]] = []
        self.heights: list[float] = []
        self.support: list[float] = []
        self.n_leaves = 0

    def add_leaf(self) -> int:
        self.leaf_of.append(self.n_leaves)
        self.n_leaves += 1
        return len(self.leaf_of) - 1

    def add_merge(
        self, nodes: Sequence[int], height: float, support: float, where: str
    ) -> int:
        if len(nodes) < 2:
            message = (
                f"{where}: an inner node with {len(nodes)} child. Each needs two: join "
                "it with another, or leave it out and keep its child."
            )
            raise InvalidTree(message)
        if len(nodes) > 2 and not self.resolve_polytomies:
            message = (
                f"{where}: an inner node with {len(nodes)} children (a polytomy), but "
                "trees here are binary. Newick text can be read with "
                "from_newick(..., resolve_polytomies=True)."
            )
            raise InvalidTree(message)
        joined = nodes[0]
        for number, node in enumerate(nodes[1:], start=2):
            self.pairs.append((joined, node))
            self.heights.append(height)
            self.support.append(support if number == len(nodes) else np.nan)
            self.leaf_of.append(-1)
            joined = len(self.leaf_of) - 1
        return joined

    def tree(
        self,
        leaf_ids: Sequence[int],
        labels: Sequence[str] | None,
        inner_ids: Sequence[object] | None = None,
    ) -> Tree:
        """The tree; leaf number i becomes object leaf_ids[i].

        Merges come in the order of their heights, or of their sizes where there are no
        heights (a height of NaN), so that a cut splits the largest clusters first. With
        the node id of each merge, and ids as a tree has them, these decide between
        equal heights, and alone where there are no heights.
        """
        n = self.n_leaves
        number = np.array(self.leaf_of, np.int64)
        number[number >= 0] = np.asarray(leaf_ids, np.int64)[number[number >= 0]]
        number[number < 0] = np.arange(n, 2 * n - 1)
        children = number[np.array(self.pairs, np.int64).reshape(n - 1, 2)]
        support, heights = np.array(self.support), np.array(self.heights)
        order = None if inner_ids is None else _order_of_ids(children, inner_ids)
        if order is not None:
            children = reordered_children(children, order)
            support, heights = support[order], heights[order]
        plain = Tree(
            children, None, labels, None if np.isnan(support).all() else support
        )
        if np.isnan(heights).all():
            if order is not None:
                return plain
            return plain.with_heights(plain.size[n:]).with_heights(None)
        if np.isnan(heights).any():
            message = (
                "some inner nodes have a height and some have none: give all or none."
            )
            raise InvalidTree(message)
        return plain.with_heights(heights)


def _order_of_ids(
    children: npt.NDArray[np.int64], ids: Sequence[object]
) -> npt.NDArray[np.intp] | None:
    """Merges in the order of ids n..2n-2, each above its children's; else None."""
    n = len(children) + 1
    if not all(type(x) is int and n <= x < 2 * n - 1 for x in ids):
        return None
    if len(set(ids)) < n - 1:
        return None
    order = np.argsort(np.array(ids, np.int64))
    made = np.arange(n, 2 * n - 1)[:, None]
    is_above = (reordered_children(children, order) < made).all()
    return order if is_above else None
