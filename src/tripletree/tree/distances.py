r"""How different two trees on the same leaves are.

**Robinson-Foulds**, in O(n) by the idea of Day. Write the leaves of one tree from left
to right: each of its clades is an interval of places. A clade of the other tree is
shared if its places are one of these intervals. To look intervals up, each clade is
noted under one of its ends, where it is the largest (see the kernel)::

    one tree      ((a b) c) (d e)      places a=0 b=1 c=2 d=3 e=4
    its clades    [0,1] [0,2] [3,4]
    the other     ((a c) b) (d e)      clades {0,2} no; [0,2] yes; [3,4] yes

**Triplet distance.** A triple ab|c is the same in both trees if a and b meet at u in
the first and at v in the second, and c is outside both. That leaves

.. math:: n - |u| - |v| + |u \cap v|

choices of c. The clades u are visited from small to large, each with its leaves sorted
by their places in the second tree. Between two neighbours in this list stands the node
v where they meet in the second tree; one pass with a stack visits these nodes as a tree
of their own, and counts at each of them the pairs with one leaf from either child of u.
Sorting is merging the lists of the children, so u costs as much as it has leaves: in
all O(n log n) for balanced trees, and n times the mean depth of a leaf, at most O(n^2),
for any. The tree with the smaller mean depth is taken as the first.

**Polytomies.** A triple of which each leaf is below another child of the node where
they meet is not resolved. With such triples the distance counts those that are resolved
differently and those that only one tree resolves. Let a and b meet at u in the first
tree and at v in the second. For each u and its children the kernel counts the leaves
that they share with every v, in O(n), hence O(n^2) in all: from these follow how many
pairs meet at u and at v, for how many c outside both the triple is the same, and how
many c below v, but below other children than a and b, the second tree does not resolve.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tripletree._checks import check_same_objects
from tripletree.errors import Mismatch, Remedy, TooLarge, refuse_if
from tripletree.tree import _distances_kernel as kernels
from tripletree.tree import _polytomies_kernel as polytomy_kernels
from tripletree.tree.ancestors import common_ancestors, meeting_table
from tripletree.tree.invariants import Bools, Ints
from tripletree.tree.tree import Tree, check_tree, shown_nodes

LEAVES_PER_STEP = 10**8  # Ctrl-C works between two steps
IDS = "with_labels(None) compares ids."
MOST_LEAVES = 3_800_000  # so that all triples can be counted in 64 bits


@dataclass(frozen=True)
class TreeDistance:
    """A distance of two trees, and the largest possible one.

    Attributes
    ----------
    distance : int
    most : int
        The largest distance of two trees with this many leaves (and clusters, where
        clusters are counted).
    """

    distance: int
    most: int

    @property
    def normalised(self) -> float:
        """The distance over the largest, from 0 to 1; 0 where all trees are equal."""
        return self.distance / self.most if self.most else 0.0


def robinson_foulds(tree: Tree, other: Tree) -> TreeDistance:
    """The Robinson-Foulds distance of rooted trees: clades that only one of them has.

    Single leaves and the set of all leaves are in both and do not count, nor do
    collapsed merges. Labels decide which leaves are the same; those of a tree without
    labels are called 0, 1, 2, ...

    Parameters
    ----------
    tree, other : Tree
        Two trees with the same leaves. Heights and support do not count.

    Returns
    -------
    TreeDistance
        At most the number of such clades, n - 2 of each binary tree.

    Raises
    ------
    InvalidTree
        If one of them is not a tree.
    Mismatch
        If the trees do not have the same leaves.

    Notes
    -----
    Exact, O(n) time and memory.

    References
    ----------
    Robinson and Foulds, "Comparison of phylogenetic trees", 1981. Day, "Optimal
    algorithms for comparing trees with labeled leaves", 1985.

    Examples
    --------
    >>> one = Tree.from_newick("(((a,b),c),(d,e));")
    >>> two = Tree.from_newick("(((a,c),b),(d,e));")
    >>> found = robinson_foulds(one, two)
    >>> found, found.normalised
    (TreeDistance(distance=2, most=6), 0.3333333333333333)
    """
    tree, other = both_labelled(tree, other)
    n_clades = tree.n_shown + other.n_shown
    n_shared = int(shared_clades(other, tree).sum())
    most = n_clades - 2 if tree.n_leaves > 1 else 0
    return TreeDistance(n_clades - 2 * n_shared, most)


def triplet_distance(tree: Tree, other: Tree) -> TreeDistance:
    """The triplet distance: triples of leaves that the trees resolve differently.

    Of the leaves a, b, c, each tree joins two before the third or, in a polytomy, all
    three at once; a triple that only one tree resolves counts as different. Labels
    decide which leaves are the same; those of a tree without labels are called 0, 1, 2,
    ...

    Parameters
    ----------
    tree, other : Tree
        Two trees with the same leaves. Heights and support do not count.

    Returns
    -------
    TreeDistance
        At most n (n - 1) (n - 2) / 6. About 2/3 of that for unrelated trees.

    Raises
    ------
    InvalidTree
        If one of them is not a tree.
    Mismatch
        If the trees do not have the same leaves.
    TooLarge
        If there are more than 3,800,000 leaves.

    Notes
    -----
    Exact. O(n d) time, with d the mean depth of the leaves of the shallower tree, and
    O(n log n) memory; with polytomies O(n^2) time and O(n) memory.

    References
    ----------
    Critchlow, Pearl, Qian, "The triples distance for rooted bifurcating phylogenetic
    trees", 1996.

    Examples
    --------
    >>> one = Tree.from_newick("(((a,b),c),(d,e));")
    >>> two = Tree.from_newick("(((a,c),b),(d,e));")
    >>> triplet_distance(one, two)
    TreeDistance(distance=1, most=10)
    """
    tree, other = both_labelled(tree, other)
    places = matched_places(tree, other)  # of the leaves of other, in tree
    n = tree.n_leaves
    refuse_if(
        n > MOST_LEAVES,
        TooLarge,
        f"the triples of {n} leaves are too many for 64 bits: give trees of at "
        f"most {MOST_LEAVES} leaves.",
    )
    most = n * (n - 1) * (n - 2) // 6
    if n < 3:
        return TreeDistance(0, most)
    if tree.collapsed is not None or other.collapsed is not None:
        return TreeDistance(most - _count_equal_shown(other, tree, places), most)
    if int(tree.size[n:].sum()) < int(other.size[n:].sum()):
        own = np.empty(n, np.int64)
        own[tree.leaf_order[places]] = other.interval_start[:n]
        return TreeDistance(most - _count_equal(tree, other, own), most)
    return TreeDistance(most - _count_equal(other, tree, places), most)


def both_labelled(*trees: Tree) -> list[Tree]:
    """The same trees, both with labels or both without."""
    for tree in trees:
        check_tree(tree)
    if sum(tree.labels is None for tree in trees) != 1:
        return [*trees]
    numbers = [tuple(map(str, range(tree.n_leaves))) for tree in trees]
    found = [tree.labels or own for tree, own in zip(trees, numbers, strict=True)]
    is_known = {*found[0]} == {*found[1]} or len(found[0]) != len(found[1])
    shown = next(tree.labels[0] for tree in trees if tree.labels is not None)
    refuse_if(
        not is_known,
        Mismatch,
        f"one tree has labels ({shown[:80]!r}, ...) and the other has none: it is "
        "not known which leaves are the same. ",
        Remedy(IDS, shell="Give both as .nwk or .json, which keep labels."),
    )
    return [tree.with_labels(own) for tree, own in zip(trees, found, strict=True)]


def matched_places(tree: Tree, other: Tree) -> Ints:
    """The place, in the leaf order of a tree, of each leaf of another tree.

    If only one of them has labels, ids are compared: both are from the same answers.
    """
    place = tree.interval_start[: tree.n_leaves]
    what = "trees of {} and of {} leaves"
    check_same_objects(tree.n_leaves, None, other.n_leaves, None, what)
    if tree.labels is None or other.labels is None or tree.labels == other.labels:
        return place
    number = {label: leaf for leaf, label in enumerate(tree.labels)}
    leaves = [number.get(label, -1) for label in other.labels]
    if -1 in leaves:
        leaf = leaves.index(-1)
        message = (
            f"leaf {leaf} of the second tree, {other.labels[leaf][:80]!r}, is not in "
            "the first: the trees must have the same labels. "
        )
        raise Mismatch(message, Remedy(IDS, shell="Rename the leaves."))
    return place[leaves]


def shared_clades(tree: Tree, other: Tree) -> Bools:
    """Whether the leaves of each merge of a tree are a clade of another, shape (n-1,).

    The last is the root, which always is. Collapsed merges are not clades. O(n), and
    O(n log n) if merges of the other tree are collapsed.
    """
    places = matched_places(other, tree)
    n = tree.n_leaves
    # A left child is the largest clade that ends where it ends, a right child the
    # largest that starts where it starts: of repeated indices, the last one counts.
    start, end = other.interval_start, other.interval_start + other.size
    left, right = other.children.T
    starts_of, ends_of = np.full((2, n + 1), -1)
    starts_of[end[left]], ends_of[start[right]] = start[left], end[right]
    first, last = np.empty((2, 2 * n - 1), np.int64)
    kernels.span_places(tree.children, places, first, last)
    a, b = first[n:], last[n:] + 1
    is_shared: Bools = (starts_of[b] == a) | (ends_of[a] == b)
    is_shared &= b - a == tree.size[n:]
    is_shared[-1:] = True
    if tree.collapsed is not None:
        is_shared &= ~tree.collapsed
    if other.collapsed is not None:
        # The outermost leaves of a clade of both meet at its merge in the other.
        ends = other.leaf_order[np.stack([first[n:], last[n:]], axis=1)]
        met = common_ancestors(other, ends)
        is_shared &= other.size[met] == tree.size[n:]
    return is_shared


def fewest_transfers(tree: Tree, other: Tree) -> Ints:
    """By how many leaves each clade differs from the nearest clade of another tree.

    Counts the leaves that only one of the two clades has; single leaves are clades,
    too. Shape (n-1,), from 0 to the size of the clade minus 1. O(n^2).
    """
    n = tree.n_leaves
    places = matched_places(other, tree)
    least = np.empty(n - 1, np.int64)
    own = tree.children, tree.interval_start, tree.size, tree.leaf_order
    leaf_of, inside = other.leaf_order[places], np.empty(2 * n - 1, np.int64)
    kernels.fewest_transfers(own, (other.children, other.size), leaf_of, inside, least)
    return least


def _count_equal(tree: Tree, other: Tree, places: Ints) -> int:
    """Triples that both trees resolve alike; places: of the leaves of tree in other."""
    n = tree.n_leaves
    table = meeting_table(other)
    scratch = tuple(np.empty((5, n), np.int64))
    scratch[0][:] = places[tree.leaf_order]
    one = (tree.children, tree.interval_start, tree.size)
    two = (other.size, table)
    return sum(
        int(kernels.count_equal_triples(one, two, part.start, part.stop, scratch))
        for part in _steps(tree.size[n:])  # in this order
    )


def _count_equal_shown(tree: Tree, other: Tree, places: Ints) -> int:
    """`_count_equal` for polytomies: with triples that neither tree resolves."""
    n = tree.n_leaves
    own, above = shown_nodes(tree)
    order = np.argsort(above, kind="stable")
    own, above = own[order], above[order]
    groups = np.flatnonzero(np.diff(above, prepend=-1, append=-1))
    nodes, parents = shown_nodes(other)
    index = np.full(2 * n - 1, len(nodes))
    index[nodes] = np.arange(len(nodes))
    n_same, n_only = polytomy_kernels.count_triples(
        groups,
        (tree.interval_start[own], tree.size[own]),
        (index[parents], other.interval_start[nodes], other.size[nodes]),
        places[tree.leaf_order],
    )
    # Neither: all, less those that the second resolves, or only the first.
    n_neither = n * (n - 1) * (n - 2) // 6 - _n_resolved(other) - int(n_only)
    return int(n_same) + n_neither


def _n_resolved(tree: Tree) -> int:
    """The number of triples of which two leaves meet before the third."""
    nodes, parents = shown_nodes(tree)
    size = tree.size[nodes]
    return int((size * (size - 1) // 2 * (tree.size[parents] - size)).sum())


def _steps(sizes: Ints) -> list[slice]:
    """Merges in runs of about LEAVES_PER_STEP leaves each."""
    step = np.cumsum(sizes) // LEAVES_PER_STEP
    edges = [0, *(np.flatnonzero(np.diff(step)) + 1).tolist(), len(sizes)]
    return [slice(a, b) for a, b in pairwise(edges)]
