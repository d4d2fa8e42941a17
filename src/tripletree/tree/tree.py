r"""The dendrogram: a binary tree in one array of merges.

A tree on n leaves is a list of n - 1 merges. Leaves are 0..n-1; merge t joins
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
4. ``heights``, if any, are finite and never fall from one merge to the next. So the
   first merges are the lowest, and both give the same cuts.
5. ``labels``, if any, are n different strings; ``support``, if any, is one number for
   each merge (NaN: unknown).
6. ``collapsed``, if any, marks merges that are not shown; the root always is.

**Polytomies.** A tree with nodes of more than two children is a binary tree and a mask.
With node 5 collapsed, the tree above is ((0, 1, 2), (3, 4)): 0 and 1 meet at node 7,
their nearest ancestor that is not collapsed. How the binary tree joins 0, 1 and 2 is
kept in the arrays, but nothing that a tree is asked for depends on it.

The arrays are read-only. -1 is the only null (the parent of the root).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tripletree._checks import as_float, check_int, check_labels, read_only
from tripletree.errors import InvalidOption, InvalidTree, Mismatch, Remedy, refuse_if
from tripletree.tree import _tree_kernel as kernels
from tripletree.tree.invariants import (
    Bools,
    Floats,
    Ints,
    check_children,
    check_collapsed,
    check_heights_sorted,
    check_values,
)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Tree:
    """A rooted tree (dendrogram, hierarchy) on the objects 0..n-1.

    It is binary unless merges are collapsed.

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
    collapsed : array_like of bool, shape (n-1,), optional
        Merges that are not shown: their children hang below the next merge above, which
        then has more than two. See :meth:`collapse`.

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
    collapsed: Bools | None

    def __init__(
        self,
        children: npt.ArrayLike,
        heights: npt.ArrayLike | None = None,
        labels: Iterable[object] | None = None,
        support: npt.ArrayLike | None = None,
        collapsed: npt.ArrayLike | None = None,
    ) -> None:
        checked = check_children(children)
        n = len(checked) + 1
        vars(self).update(  # frozen: attributes cannot be set
            children=checked,
            heights=None if heights is None else check_values("heights", heights, n),
            labels=check_labels(labels, n, InvalidTree),
            support=None if support is None else check_values("support", support, n),
            collapsed=check_collapsed(collapsed, n),
        )
        if self.heights is not None:
            check_heights_sorted(self.heights)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copied and unpickled trees are checked and frozen again.
        given = self.children, self.heights, self.labels, self.support, self.collapsed
        return Tree, given

    def __repr__(self) -> str:
        names = ("heights", "labels", "support")
        known = ", ".join(name for name in names if getattr(self, name) is not None)
        text = f"Tree({self.n_leaves} leaves{', with ' if known else ''}{known}"
        if self.collapsed is not None:
            text += f"; {self.n_shown} of {len(self.children)} merges shown"
        return f"{text})"

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
        parent[self.children] = np.arange(self.n_leaves, 2 * self.n_leaves - 1)[:, None]
        return read_only(parent)

    @cached_property
    def size(self) -> Ints:
        """The number of leaves below each node, shape (2n-1,)."""
        size = np.empty(2 * self.n_leaves - 1, np.int64)
        kernels.node_sizes(self.children, size)
        return read_only(size)

    @cached_property
    def shown(self) -> Ints:
        """Each node or, for a collapsed one, its nearest ancestor that is shown.

        Shape (2n-1,). Ids grow towards the root, here as in the binary tree.
        """
        nodes = np.arange(2 * self.n_leaves - 1)
        if self.collapsed is not None:
            merges = nodes[self.n_leaves :]
            merges[self.collapsed] = self.parent[self.n_leaves :][self.collapsed]
            while not np.array_equal(nodes, nodes[nodes]):  # twice as far each time
                nodes = nodes[nodes]
        return read_only(nodes)

    @property
    def n_shown(self) -> int:
        """The number of merges that are not collapsed."""
        n_collapsed = 0 if self.collapsed is None else np.count_nonzero(self.collapsed)
        return len(self.children) - int(n_collapsed)

    @cached_property
    def interval_start(self) -> Ints:
        """Where the leaves of each node begin in :attr:`leaf_order`, shape (2n-1,).

        The leaves below a node v are
        ``leaf_order[interval_start[v] : interval_start[v] + size[v]]``.
        """
        start = np.empty(2 * self.n_leaves - 1, np.int64)
        kernels.interval_starts(self.children, self.size, start)
        return read_only(start)

    @cached_property
    def leaf_order(self) -> Ints:
        """The leaves from left to right, shape (n,)."""
        order = np.empty(self.n_leaves, np.int64)
        order[self.interval_start[: self.n_leaves]] = np.arange(self.n_leaves)
        return read_only(order)

    def leaves(self, node: int) -> Ints:
        """The leaves below a node 0..2n-2, from left to right."""
        node = check_int("node", node, 0, self.root)
        start = self.interval_start[node]
        return self.leaf_order[start : start + self.size[node]]

    def is_same_hierarchy(self, other: Tree) -> bool:
        """Whether both trees show the same clusters, whatever the order of merges.

        Compares leaf ids, so labels in another order make another hierarchy; heights
        and support do not count.
        """
        from tripletree.tree.distances import shared_clades

        check_tree(other)
        both_labelled = None not in (self.labels, other.labels)
        if both_labelled and self.labels != other.labels:
            return False
        is_alike = (self.n_leaves, self.n_shown) == (other.n_leaves, other.n_shown)
        return is_alike and int(shared_clades(self, other).sum()) == self.n_shown

    def _but(self, **changes: Any) -> Tree:
        """The same tree with other values of some attributes, checked."""
        return replace(self, **changes)

    def with_labels(self, labels: Iterable[object] | None) -> Tree:
        """The same tree with these labels (None: without)."""
        return self._but(labels=labels)

    def in_order_of(self, labels: tuple[str, ...] | None) -> Tree:
        """The tree with its leaves numbered in the order of these labels.

        A tree without labels, and None, stand for the labels 0, 1, 2, ...
        """
        if self.labels == labels:
            return self
        numbers = tuple(map(str, range(self.n_leaves)))
        own, labels = self.labels or numbers, labels or numbers
        number = {label: at for at, label in enumerate(labels)}
        if {*own} != {*labels}:
            missing = [label for label in own if label not in number]
            others = [*missing, *sorted({*labels} - {*own})]
            message = (
                f"the tree has {len(own)} leaves, the answers {len(labels)} objects, "
                f"and {others[0][:80]!r} is in the {'tree' if missing else 'answers'} "
                "only: both must have the same names. A table of all objects, "
            )
            raise Mismatch(message, Remedy("items"), ", adds those in no answer.")
        nodes = np.arange(2 * self.n_leaves - 1)
        nodes[: self.n_leaves] = [number[label] for label in own]
        return self._but(children=nodes[self.children], labels=labels)

    def with_support(self, support: npt.ArrayLike | None) -> Tree:
        """The same tree with this support of its merges (None: without)."""
        return self._but(support=support)

    def collapse(self, values: npt.ArrayLike, below: float | None = None) -> Tree:
        """The same tree, showing only some of its merges: others become polytomies.

        Revenue, satisfaction, common ancestors, cuts, distances, drawings and text
        formats are then those of the tree that is shown. The binary tree stays in the
        arrays; ``tree.collapse(np.zeros(n - 1, bool))`` shows it again.

        Parameters
        ----------
        values : array_like of bool or float, shape (n-1,)
            Whether to collapse each merge; or numbers, such as its stability.
        below : float, optional
            For numbers: merges with less than this are collapsed. NaN counts as more.
            The root is always shown.

        Examples
        --------
        >>> tree = Tree([[0, 1], [3, 4], [5, 2], [7, 6]])
        >>> tree.collapse([0.3, 0.9, 0.7, 1.0], below=0.5).to_newick()
        '((0,1,2),(3,4));'
        """
        if below is None:
            return self._but(collapsed=values)
        limit = as_float(below)
        refuse_if(
            math.isnan(limit), InvalidOption, f"below = {below!r:.80}: give a number."
        )
        refuse_if(
            np.asarray(values).dtype == np.bool_,
            InvalidOption,
            "below is for numbers, and values are True and False: leave it out.",
        )
        is_low = check_values("values", values, self.n_leaves) < limit
        is_low[-1:] = False
        return self._but(collapsed=is_low)

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
            return self._but(heights=None)
        values = check_values("heights", heights, self.n_leaves)
        self._check_no_inversion(values)
        order = np.argsort(values, kind="stable")
        return self.in_order(order)._but(heights=values[order])

    def in_order(self, order: npt.NDArray[np.intp]) -> Tree:
        """The same hierarchy with its merges in another order; without heights."""
        return Tree(
            reordered_children(self.children, order),
            None,
            self.labels,
            None if self.support is None else self.support[order],
            None if self.collapsed is None else self.collapsed[order],
        )

    @cached_property
    def grouped(self) -> Tree:
        """The binary tree with the merges of each polytomy one after the other."""
        order = np.argsort(self.shown[self.n_leaves :], kind="stable")
        return self.in_order(order)._but(collapsed=None)

    def _check_no_inversion(self, heights: Floats) -> None:
        n = self.n_leaves
        above = self.parent[n:-1] - n
        wrong = np.flatnonzero(heights[: len(above)] > heights[above])
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

        A polytomy is undone as a whole. If this leaves no cut into so many clusters,
        the result is the next coarser one, with a warning.

        Returns
        -------
        ndarray of int64, shape (n,)
            The cluster of each leaf, numbered from 0 in the order of smallest leaves.

        Examples
        --------
        >>> Tree([[0, 1], [3, 4], [5, 2], [7, 6]]).cut(2).tolist()
        [0, 0, 0, 1, 1]
        """
        n_clusters = check_int("n_clusters", n_clusters, 1, self.n_leaves)
        clusters = self._clusters(self._last_merge(n_clusters))
        found = int(clusters.max()) + 1
        if found < n_clusters:
            message = (
                f"there is no cut of this tree into {n_clusters} clusters: merges are "
                f"collapsed. This is the next coarser one, with {found}."
            )
            warnings.warn(message, UserWarning, stacklevel=2)
        return clusters

    def coarser_cut(self, n_clusters: int) -> int:
        """The number of clusters of the finest cut into at most n_clusters."""
        last = self._last_merge(n_clusters)
        return 1 + int(np.count_nonzero(meetings(self) > last))

    def _last_merge(self, n_clusters: int) -> int:
        """The last node of the finest cut into at most n_clusters; -1 if all leaves."""
        n_merges = self.n_leaves - n_clusters
        if n_merges == 0:
            return -1
        return int(np.partition(meetings(self), n_merges - 1)[n_merges - 1])

    def cut_at(self, height: float) -> Ints:
        """Flat clusters: keep the merges whose height is at most this height.

        A collapsed merge has the height of the merge that it is shown as.

        Returns
        -------
        ndarray of int64, shape (n,)
            The cluster of each leaf, numbered from 0 in the order of smallest leaves.
        """
        if self.heights is None:
            message = (
                "this tree has no heights: use cut(n_clusters), or with_heights(...) "
                "first."
            )
            raise InvalidTree(message)
        number = as_float(height)
        refuse_if(
            math.isnan(number),
            InvalidOption,
            f"height = {height!r:.80}: give a number.",
        )
        n_low = int(np.searchsorted(self.heights, number, "right"))
        return self._clusters(self.n_leaves + n_low - 1)

    def _clusters(self, last: int) -> Ints:
        """The cluster of each leaf after all merges up to a node.

        Clusters are runs of leaves, from left to right; the next one begins where two
        leaves meet above that node.
        """
        first = np.flatnonzero(np.append(True, meetings(self) > last))
        least = np.minimum.reduceat(self.leaf_order, first)
        number = np.argsort(np.argsort(least))
        cluster = np.empty(self.n_leaves, np.int64)
        cluster[self.leaf_order] = np.repeat(
            number, np.diff(first, append=self.n_leaves)
        )
        return cluster

    def to_linkage(
        self, *, by: Literal["height", "rank", "size"] | None = None
    ) -> npt.NDArray[np.float64]:
        """The tree as a SciPy linkage matrix, shape (n-1, 4), sorted and monotone.

        The third column holds the heights (by="height", raised by a constant if any is
        negative, so that the lowest merge is at 0), the numbers of the merges from 1 on
        ("rank") or the sizes of the clusters ("size"). The default is "height" for a
        tree with heights and "rank" for one without. A collapsed merge has the value of
        the merge that it is shown as.
        """
        from tripletree.tree.linkage_matrix import to_linkage

        return to_linkage(self, by=by)

    @staticmethod
    def from_linkage(
        matrix: npt.ArrayLike,
        *,
        heights: bool = True,
        labels: Iterable[object] | None = None,
    ) -> Tree:
        """A tree from a SciPy linkage matrix of shape (n-1, 4).

        A matrix with inversions (a merge below one of its children, as centroid linkage
        makes) can only be read with heights=False.
        """
        from tripletree.tree.linkage_matrix import from_linkage

        return from_linkage(matrix, heights=heights, labels=labels)

    def to_newick(self) -> str:
        """The tree as Newick text, with labels, branch lengths and support.

        Objects without labels are written as their ids; labels with special characters
        are quoted. Branch lengths are differences of heights; leaves have height 0, or
        that of the lowest merge if it is below 0. The order of merges of equal height
        (without heights, of all merges) is lost, so cuts between them can differ in the
        tree that is read back; :meth:`to_json` keeps it.
        """
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
        """A tree from Newick text; underscores in names stay underscores.

        Unquoted names that are exactly the integers 0..n-1 are object ids; other names
        are labels, numbered as they occur or, with labels=, in the order given there.
        The height of a node is its longest path down to a leaf; merges are in the order
        of heights, or of sizes if there are no branch lengths. heights=False ignores
        branch lengths (needed where some are missing or negative). A number after a
        closing parenthesis is the support; other inner names and [comments] are
        ignored. More than two children are a polytomy: merges from left to right at the
        same height, all but the last collapsed, or with resolve_polytomies none.
        """
        from tripletree.tree.newick import from_newick

        return from_newick(
            text, heights=heights, labels=labels, resolve_polytomies=resolve_polytomies
        )

    def to_json(self) -> str:
        """The tree as nested JSON: all of it, and :meth:`from_json` reads it back.

        A leaf is {"id": 0, "label": "a"}; an inner node has its "id" (n + t for merge
        t), "children" and, where known, "height" and "support". Of collapsed merges
        only the children are written.
        """
        from tripletree.tree.nested_json import to_json

        return to_json(self)

    @staticmethod
    def from_json(text: str) -> Tree:
        """A tree from nested JSON as :meth:`to_json` writes it.

        Leaves without an "id" are numbered as they occur. Merges are in the order of
        heights; between equal heights, or without any, in the order of the "id" of
        inner nodes if these are n..2n-2 and grow towards the root, else of sizes.
        Other keys are ignored.
        """
        from tripletree.tree.nested_json import from_json

        return from_json(text)

    def plot(self, **options: Any) -> Any:
        """Draw the tree, see :func:`tripletree.plot_dendrogram`; returns its axes."""
        from tripletree.report.dendrogram import plot_dendrogram

        return plot_dendrogram(self, **options)

    def _repr_html_(self) -> str | None:
        """What notebooks show: a drawing; None if there are too many leaves for one."""
        from tripletree.report.notebook import tree_svg

        return tree_svg(self)

    def to_text(self) -> str:
        """The tree drawn with characters, one leaf per line, root at the left."""
        from tripletree.tree.text_formats import to_text

        return to_text(self)


def check_tree(thing: object) -> None:
    """Refuse anything but a Tree."""
    refuse_if(
        not isinstance(thing, Tree),
        InvalidTree,
        f"expected a Tree, not {type(thing).__name__}: Tree.from_linkage(matrix), "
        "Tree.from_newick(text) and Tree.from_json(text) make one.",
    )


def meetings(tree: Tree) -> Ints:
    """The node at which each leaf meets the next one in leaf order, shape (n-1,).

    As the tree is shown. Two leaves meet at the largest of the nodes between them.
    """
    n = tree.n_leaves
    found = np.empty(n - 1, np.int64)
    ends = tree.interval_start[n:] + tree.size[tree.children[:, 0]]
    found[ends - 1] = tree.shown[n:]
    return found


def shown_nodes(tree: Tree) -> tuple[Ints, Ints]:
    """All nodes that are shown but the root, and their parents."""
    nodes = np.flatnonzero(tree.shown[:-1] == np.arange(2 * tree.n_leaves - 2))
    return nodes, tree.shown[tree.parent[nodes]]


def reordered_children(children: Ints, order: npt.NDArray[np.intp]) -> Ints:
    """The same merges in another order (of merge numbers), with nodes renumbered."""
    n = len(children) + 1
    renamed = np.arange(2 * n - 1)
    renamed[n + order] = np.arange(n, 2 * n - 1)
    return renamed[children[order]]


def sums_below(tree: Tree, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sums (..., 2n-1) of what the leaves below each node have, values (..., n)."""
    before = np.cumsum(values[..., tree.leaf_order], axis=-1)
    before = np.concatenate([np.zeros_like(before[..., :1]), before], axis=-1)
    start = tree.interval_start
    return before[..., start + tree.size] - before[..., start]  # type: ignore[no-any-return]
