r"""The dendrogram: a binary tree in one array of merges.

A tree on n leaves is the list of its n - 1 merges. Leaves are 0..n-1; merge t joins
the two nodes ``children[t]`` into node n + t; the root is 2n - 2. For five leaves::

              8                 t   node   children   size   heights
           ┌──┴───┐             0      5      0  1       2       1.0
           7      │             1      6      3  4       2       2.0
         ┌─┴─┐    │             2      7      5  2       3       2.5
         5   │    6             3      8      7  6       5       4.0
        ┌┴┐  │  ┌─┴─┐
        0 1  2  3   4

Invariants, checked once on construction:

1. ``children`` is (n-1, 2), n >= 1.
2. Both children of merge t are below n + t, so every child id is below its parent's.
   Each bottom-up traversal is one loop upwards, each top-down traversal one downwards.
3. Each node but the root is a child exactly once.
4. ``heights``, if any, are finite and never fall from one merge to the next. So "the
   first merges" and "the lowest merges" are the same, and so are the cuts they give.
5. ``labels``, if any, are n different strings; ``support``, if any, is one number for
   each merge (NaN where there is none).

The arrays are read-only. -1 is the only null (the parent of the root).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_labels, freeze
from tripletree._lazy import kernel_module
from tripletree.errors import InvalidTree

if TYPE_CHECKING:
    from collections.abc import Sequence

kernels = kernel_module("tripletree.tree._tree_kernel")

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Tree:
    """A binary tree (dendrogram, hierarchy) on the objects 0..n-1.

    Parameters
    ----------
    children : array_like of int, shape (n-1, 2)
        The nodes that each merge joins. Merge t makes node n + t.
    heights : array_like of float, shape (n-1,), optional
        The height of each merge; they never fall. See :meth:`with_heights` for heights
        in another order.
    labels : sequence of str, optional
        The names of the n objects.
    support : array_like of float, shape (n-1,), optional
        How certain each merge is, in any unit; NaN where unknown.

    Raises
    ------
    InvalidTree
        If an invariant fails; the message names the merge and the value.

    Examples
    --------
    >>> tree = Tree([[0, 1], [3, 4], [5, 2], [7, 6]])
    >>> tree.size.tolist()
    [1, 1, 1, 1, 1, 2, 2, 3, 5]
    >>> tree.to_newick()
    '(((0,1),2),(3,4));'
    """

    children: Ints
    heights: Floats | None
    labels: tuple[str, ...] | None
    support: Floats | None

    def __init__(
        self,
        children: npt.ArrayLike,
        heights: npt.ArrayLike | None = None,
        labels: Iterable[object] | None = None,
        support: npt.ArrayLike | None = None,
    ) -> None:
        checked = _check_children(children)
        n = len(checked) + 1
        fields = {
            "children": checked,
            "heights": _check_values("heights", heights, n),
            "labels": check_labels(labels, n, InvalidTree),
            "support": _check_values("support", support, n),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        if self.heights is not None:
            _check_heights_sorted(self.heights)

    def __repr__(self) -> str:
        extras = [
            name
            for name in ("heights", "labels", "support")
            if getattr(self, name) is not None
        ]
        having = f", with {', '.join(extras)}" if extras else ""
        return f"Tree({self.n_leaves} leaves{having})"

    @property
    def n_leaves(self) -> int:
        """The number of leaves, n."""
        return len(self.children) + 1

    @property
    def root(self) -> int:
        """The root, node 2n - 2."""
        return 2 * self.n_leaves - 2

    @cached_property
    def parent(self) -> Ints:
        """The parent of each node, shape (2n-1,); -1 for the root."""
        parent = np.full(2 * self.n_leaves - 1, -1, np.int64)
        merges = np.arange(self.n_leaves, 2 * self.n_leaves - 1)
        parent[self.children[:, 0]] = merges
        parent[self.children[:, 1]] = merges
        return _read_only(parent)

    @cached_property
    def size(self) -> Ints:
        """The number of leaves below each node, shape (2n-1,)."""
        size = np.empty(2 * self.n_leaves - 1, np.int64)
        kernels.node_sizes(self.children, size)
        return _read_only(size)

    @cached_property
    def interval_start(self) -> Ints:
        """Where the leaves of each node begin in :attr:`leaf_order`, shape (2n-1,).

        The leaves below a node v are
        ``leaf_order[interval_start[v] : interval_start[v] + size[v]]``.
        """
        start = np.empty(2 * self.n_leaves - 1, np.int64)
        kernels.interval_starts(self.children, self.size, start)
        return _read_only(start)

    @cached_property
    def leaf_order(self) -> Ints:
        """The leaves from left to right, shape (n,)."""
        order = np.empty(self.n_leaves, np.int64)
        order[self.interval_start[: self.n_leaves]] = np.arange(self.n_leaves)
        return _read_only(order)

    def leaves(self, node: int) -> Ints:
        """The leaves below a node, from left to right."""
        start = self.interval_start[node]
        return self.leaf_order[start : start + self.size[node]]

    def is_same_hierarchy(self, other: Tree) -> bool:
        """Whether both trees have the same clusters, whatever the order of merges.

        Compares leaf ids; heights, labels and support do not count.
        """
        if self.n_leaves != other.n_leaves:
            return False
        return np.array_equal(canonical_children(self), canonical_children(other))

    def with_labels(self, labels: Iterable[object] | None) -> Tree:
        """The same tree with these labels (None: without)."""
        texts = check_labels(labels, self.n_leaves, InvalidTree)
        return Tree(self.children, self.heights, texts, self.support)

    def with_support(self, support: npt.ArrayLike | None) -> Tree:
        """The same tree with this support of its merges (None: without)."""
        return Tree(self.children, self.heights, self.labels, support)

    def with_heights(self, heights: npt.ArrayLike | None) -> Tree:
        """The same hierarchy with its merges in the order of these heights.

        Parameters
        ----------
        heights : array_like of float, shape (n-1,), or None
            The height of each merge of this tree. No child may be higher than its
            parent; merges of equal height keep their order. None drops the heights.

        Examples
        --------
        >>> tree = Tree([[0, 1], [2, 3], [4, 5]]).with_heights([2.0, 1.0, 3.0])
        >>> tree.children.tolist(), tree.heights.tolist()
        ([[2, 3], [0, 1], [5, 4]], [1.0, 2.0, 3.0])
        """
        if heights is None:
            return Tree(self.children, None, self.labels, self.support)
        n = self.n_leaves
        values = _check_values("heights", heights, n)
        assert values is not None
        self._check_no_inversion(values)
        order = np.argsort(values, kind="stable")
        support = None if self.support is None else self.support[order]
        children = reordered_children(self.children, order)
        return Tree(children, values[order], self.labels, support)

    def _check_no_inversion(self, heights: Floats) -> None:
        n = self.n_leaves
        above = self.parent[n:-1] - n
        wrong = np.flatnonzero(heights[:-1] > heights[above]) if n > 1 else above[:0]
        if wrong.size:
            t = int(wrong[0])
            message = (
                f"heights[{t}] = {heights[t]}: node {n + t} is higher than its parent "
                f"{n + above[t]} ({heights[above[t]]}). Heights must not fall towards "
                "the root; leave them out to keep the hierarchy alone."
            )
            raise InvalidTree(message)

    def cut(self, n_clusters: int) -> Ints:
        """Flat clusters: undo the last n_clusters - 1 merges.

        Returns
        -------
        ndarray of int64, shape (n,)
            The cluster of each leaf, numbered from 0 in the order of smallest leaves.

        Examples
        --------
        >>> Tree([[0, 1], [3, 4], [5, 2], [7, 6]]).cut(2).tolist()
        [0, 0, 0, 1, 1]
        """
        from tripletree.tree.cuts import cut_into

        return cut_into(self, n_clusters)

    def cut_at(self, height: float) -> Ints:
        """Flat clusters: keep the merges whose height is at most this height.

        Returns
        -------
        ndarray of int64, shape (n,)
            The cluster of each leaf, numbered from 0 in the order of smallest leaves.
        """
        from tripletree.tree.cuts import cut_at_height

        return cut_at_height(self, height)

    def to_linkage(
        self, by: Literal["height", "rank", "size"] | None = None
    ) -> npt.NDArray[np.float64]:
        """The tree as a SciPy linkage matrix; see :func:`to_linkage`."""
        from tripletree.tree.linkage_matrix import to_linkage

        return to_linkage(self, by)

    @staticmethod
    def from_linkage(
        matrix: npt.ArrayLike,
        *,
        heights: bool = True,
        labels: Iterable[object] | None = None,
    ) -> Tree:
        """A tree from a SciPy linkage matrix; see :func:`from_linkage`."""
        from tripletree.tree.linkage_matrix import from_linkage

        return from_linkage(matrix, heights=heights, labels=labels)

    def to_newick(self) -> str:
        """The tree as Newick text; see :func:`to_newick`."""
        from tripletree.tree.newick import to_newick

        return to_newick(self)

    @staticmethod
    def from_newick(
        text: str,
        *,
        heights: bool = True,
        labels: Sequence[str] | None = None,
        resolve_polytomies: bool = False,
    ) -> Tree:
        """A tree from Newick text; see :func:`from_newick`."""
        from tripletree.tree.newick import from_newick

        return from_newick(
            text, heights=heights, labels=labels, resolve_polytomies=resolve_polytomies
        )

    def to_json(self) -> str:
        """The tree as nested JSON; see :func:`to_json`."""
        from tripletree.tree.nested_json import to_json

        return to_json(self)

    @staticmethod
    def from_json(text: str) -> Tree:
        """A tree from nested JSON; see :func:`from_json`."""
        from tripletree.tree.nested_json import from_json

        return from_json(text)

    def to_text(self) -> str:
        """The tree drawn with characters; see :func:`to_text`."""
        from tripletree.tree.drawing import to_text

        return to_text(self)


def canonical_children(tree: Tree) -> Ints:
    """Merges in an order that depends on the clusters alone, shape (n-1, 2).

    The child with the smaller smallest leaf comes first, merges come in postorder.
    """
    n = tree.n_leaves
    smallest = np.empty(2 * n - 1, np.int64)
    kernels.smallest_leaves(tree.children, smallest)
    swap = smallest[tree.children[:, 0]] > smallest[tree.children[:, 1]]
    children = np.where(swap[:, None], tree.children[:, ::-1], tree.children)
    start = np.empty(2 * n - 1, np.int64)
    kernels.interval_starts(children, tree.size, start)
    size = tree.size[n:]
    postorder = np.lexsort((size, start[n:] + size))
    return reordered_children(children, postorder)


def reordered_children(children: Ints, order: npt.NDArray[np.intp]) -> Ints:
    """The same merges in another order (of merge numbers), with nodes renumbered."""
    n = len(children) + 1
    renamed = np.arange(2 * n - 1)
    renamed[n + order] = np.arange(n, 2 * n - 1)
    result: Ints = renamed[children[order]]
    return result


def _read_only(array: Ints) -> Ints:
    array.flags.writeable = False
    return array


def _check_children(given: npt.ArrayLike) -> Ints:
    try:
        array: npt.NDArray[Any] = np.asarray(given)
    except ValueError:
        message = "children are no rectangular array: give two node ids per merge."
        raise InvalidTree(message) from None
    if array.size == 0 and array.ndim <= 2:
        array = np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        message = (
            f"children have shape {array.shape}: give (n-1, 2), one row of two node "
            "ids for each merge."
        )
        raise InvalidTree(message)
    if array.dtype.kind not in "iu":
        message = f"children have dtype {array.dtype}: give integers (node ids)."
        raise InvalidTree(message)
    n = len(array) + 1
    made = np.arange(n, 2 * n - 1)[:, None]
    wrong = np.argwhere((array < 0) | (array >= made))
    if wrong.size:
        t, side = map(int, wrong[0])
        message = (
            f"children[{t}, {side}] = {array[t, side]}: merge {t} makes node {n + t} "
            f"and can only join nodes 0..{n + t - 1} (leaves are 0..{n - 1})."
        )
        raise InvalidTree(message)
    children: Ints = freeze(array, np.int64)
    uses = np.bincount(children.ravel(), minlength=2 * n - 2)
    if (uses > 1).any():
        node = int(np.argmax(uses > 1))
        rows = np.flatnonzero((children == node).any(axis=1)).tolist()
        where = f"merges {rows[0]} and {rows[1]}" if len(rows) > 1 else str(rows[0])
        missing = int(np.argmin(uses))
        message = (
            f"node {node} is joined twice (children, merge {where}) and node "
            f"{missing} never: each node but the root must be a child exactly once."
        )
        raise InvalidTree(message)
    return children


def _check_values(name: str, given: npt.ArrayLike | None, n: int) -> Floats | None:
    if given is None:
        return None
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        message = f"{name} are no numbers: give one number for each of {n - 1} merges."
        raise InvalidTree(message) from None
    if array.shape != (n - 1,):
        message = (
            f"{name} have shape {array.shape}: give one number for each of the "
            f"{n - 1} merges."
        )
        raise InvalidTree(message)
    allowed_nan = name == "support"
    wrong = np.isinf(array) if allowed_nan else ~np.isfinite(array)
    if wrong.any():
        t = int(np.argmax(wrong))
        message = f"{name}[{t}] = {array[t]}: give finite numbers."
        raise InvalidTree(message)
    frozen: Floats = freeze(array, np.float64)
    return frozen


def _check_heights_sorted(heights: Floats) -> None:
    falls = np.flatnonzero(np.diff(heights) < 0)
    if falls.size:
        t = int(falls[0]) + 1
        message = (
            f"heights[{t}] = {heights[t]} is below heights[{t - 1}] = "
            f"{heights[t - 1]}: merges come in the order of their heights. "
            "Tree(children).with_heights(heights) puts them in order."
        )
        raise InvalidTree(message)
