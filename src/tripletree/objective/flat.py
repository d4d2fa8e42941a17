r"""Trees that are cut: flat clusters, their number chosen from the data, and levels.

A cut of a tree is a set of its nodes with every leaf below exactly one of them. The
best cut has the largest total similarity inside its clusters,

.. math:: \sum_{C} s(C), \qquad s(C) = \sum_{i < j \in C} s_{ij},

and AddS is positive for pairs that are near more often than far: no parameter says how
many clusters there should be. Going up the tree, the best cut of a node is the node
itself or the best cuts of its two children::

            s = 1              the node earns 1, its children 3 + 0: cut here
          ┌───┴───┐
       s = 3    s = -2         s = -2: two single leaves, 0, are better
       ┌─┴─┐    ┌─┴─┐

**Ties.** A node is cut only if that gains something, so of all best cuts this one has
the fewest clusters; it is the only one with so few. Objects that no answer tells apart
stay together, and one cluster of all objects (total 0 for answers, because AddS sums to
0) means that no cut of this tree fits the answers better than none.

**How finely the answers can see.** The best cut is often coarse: of eight clusters in
pairs of pairs it finds two, however many answers there are. Where the bootstrap has
shown how stable each cluster is, `stable_cuts` cuts the tree as finely as stable
clusters allow. Going up the tree, a stable cluster is split if two or more stable ones
below it hold at least nine tenths of its objects::

           61, 1.00              61 objects, of which 1 is in no stable cluster: split
         ┌────┴────┐
      31, 0.40     30, 0.97      30 = 28 + 2, and a pair is not a cluster: whole
      ┌───┴───┐    ┌───┴───┐
   30, 0.95   x    28      2     x is unassigned, label -1

So a stray, which belongs nowhere or comes out somewhere else in every replicate, blocks
no split. Nor do several, hanging one by one or in small unstable clusters.

*Stable* means a stability of 0.8 or more (see `bootstrap_support`): on average at most
a fifth of what could be wrong is wrong.

There are often several levels at which all clusters are stable. Take the stable nodes
above the finest cut as a tree of its own, in which a node may have many children: level
1 is the children of its root, level 2 has their children, and so on to the finest cut.

Three strays can be a stable cluster by chance: a little more alike than each is to all
others, but less alike than objects that the same cut puts into different clusters. So
the objects of a small cluster, if its two halves are less alike (on average over pairs)
than those of some cluster that was split, are strays, too, unless more than a tenth of
all objects would then be unassigned. A coarser level that then has no fewer clusters is
left out.

Objects that nobody was asked about are somewhere in the tree by chance. They do not
count, neither as members of a cluster nor as strays, and have label -1.

**Revenue of levels.** What a tree earns with its top splits alone, then with more.
Cut a tree into k clusters and forget what is below: two objects of the same cluster C
then meet in C. This coarser tree has a revenue, too,

.. math:: R_k = -\sum_{N \text{ above}} |N| \, s(A, B) - \sum_{C} |C| \, s(C),

with s(C) the sum over all pairs in C. One cluster of everything earns 0 if s sums to 0,
as AddS does; with all splits it is the revenue of the tree. Splitting C into A and B
adds |B| s(A) + |A| s(B): it pays as far as pairs within A and within B are near. (A
polytomy is split as a whole: each part D of C adds (|C| - |D|) s(D).) Where
the curve gets flat, the answers say little about what is below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import freeze
from tripletree.comparisons.triplets import Comparisons
from tripletree.errors import Mismatch, refuse_if
from tripletree.objective import _value_kernel as kernels
from tripletree.objective.value import Values, exact_sums, node_sums
from tripletree.similarity.matrix import Similarity, similarity_of
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.tree import Tree, sums_below

LARGEST_WITHIN = "largest similarity within clusters"
STABLE = "finest cut into stable clusters"
NUMBER_GIVEN = "number given"

LEAST_STABILITY = 0.8
FEWEST_OBJECTS = 3  # in a stable cluster
STRAYS_ONE_IN = 10  # objects, at most, of a cluster that is split


@dataclass(frozen=True, eq=False)
class FlatCut:
    """Flat clusters of a tree.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        The cluster of each leaf, numbered from 0 in the order in which the tree is
        drawn; -1 if it is in none of them, see :func:`suggested_cuts`.
    nodes : ndarray of int64, shape (n_clusters,)
        The node of the tree that each cluster hangs below, in the same order.
    within : int or float
        The similarity of all pairs that are in the same cluster.
    rule : str
        How they were chosen: "finest cut into stable clusters", "largest similarity
        within clusters" or "number given".
    """

    labels: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int64]
    within: int | float
    rule: str

    @property
    def n_clusters(self) -> int:
        return len(self.nodes)

    @property
    def n_unassigned(self) -> int:
        """The number of leaves that are in no cluster."""
        return int(np.count_nonzero(self.labels < 0))

    def attached(
        self, data: Comparisons | PairSums | Similarity
    ) -> npt.NDArray[np.int64]:
        """Labels for all leaves: who is in no cluster goes to the nearest one.

        Leaves about which the data say nothing, 0 for all others, stay in none.

        Parameters
        ----------
        data : Triplets, Quadruplets, PairSums, ndarray or csr_array
            The answers, or a symmetric similarity. The nearest cluster is the one with
            the largest mean similarity to the object; of equal ones the first.

        Returns
        -------
        ndarray of int64, shape (n,)

        Raises
        ------
        Mismatch
            If the data are about another number of objects.

        Examples
        --------
        >>> from tripletree import cluster
        >>> from tripletree.datasets.animals import animals
        >>> answers = animals().answers
        >>> found = cluster(answers, "adds-al", n_folds=0).clusters
        >>> found.n_unassigned, (found.attached(answers) < 0).sum()
        (0, np.int64(0))
        """
        s: Any = similarity_of(data)[0]
        n, n_of_data = len(self.labels), s.shape[0]
        message = f"a cut of {n} leaves and data about {n_of_data} objects."
        refuse_if(n != n_of_data, Mismatch, message)
        return _attached(self, s)


def _attached(cut: FlatCut, s: Similarity) -> npt.NDArray[np.int64]:
    labels, strays = cut.labels.copy(), np.flatnonzero(cut.labels < 0)
    members = np.flatnonzero(labels >= 0)
    size = np.bincount(labels[members], minlength=cut.n_clusters)
    for stray in strays.tolist():
        row = _row(s, stray)
        if not row.any():
            continue
        sums = np.bincount(cut.labels[members], row[members], cut.n_clusters)
        labels[stray] = (sums / size).argmax()
    return labels


def with_strays(cut: FlatCut, s: Similarity) -> FlatCut:
    """The cut with its strays in clusters, by a similarity that was checked before."""
    labels, within = _attached(cut, s), cut.within
    is_inside = cut.labels >= 0
    for stray in np.flatnonzero(~is_inside).tolist():
        within += _row(s, stray)[is_inside & (labels == labels[stray])].sum().item()
        is_inside[stray] = True
    return replace(cut, labels=freeze(labels, np.int64), within=within)


def _row(s: Any, leaf: int) -> Values:
    row = s[[leaf]]
    dense: Values = (row if isinstance(row, np.ndarray) else row.toarray())[0]
    return dense


def best_cut(tree: Tree, data: Comparisons | Similarity) -> FlatCut:
    """The cut of a tree with the largest similarity within its clusters.

    Parameters
    ----------
    tree : Tree
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity. Of a similarity, only the values that
        are positive on average make clusters; of answers, pairs near more often than
        far.

    Returns
    -------
    FlatCut

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    Mismatch
        If the tree and the data are not about the same objects.

    Notes
    -----
    O(n) after the sums of all merges: O(m + n log n) for m answers or stored pairs.
    Ties: of equal cuts the one with the fewest clusters. Exact on integers; with
    floats, cuts that differ by rounding alone may not be found equal.

    Examples
    --------
    >>> from tripletree import Triplets, balanced_tree
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], n_objects=4)
    >>> best_cut(balanced_tree(4), answers).labels.tolist()
    [0, 0, 1, 1]
    """
    return best_cut_of_sums(tree, node_sums(tree, data))


def best_cut_of_sums(tree: Tree, sums: Values) -> FlatCut:
    """`best_cut`, given s(A, B) for the two clusters of each merge."""
    within, best = _totals(tree, sums)
    is_open, is_cluster = np.empty((2, len(within)), np.bool_)
    kernels.mark_best(tree.parent, tree.shown, within, best, is_open, is_cluster)
    nodes = np.flatnonzero(is_cluster)
    return _cut_at(tree, nodes, best[-1].item(), LARGEST_WITHIN)


def _totals(tree: Tree, sums: Values) -> tuple[Values, Values]:
    """The similarity within each node, and within the clusters of its best cut."""
    within, best = np.empty((2, 2 * tree.n_leaves - 1), sums.dtype)
    kernels.best_totals(tree.children, tree.shown, sums, within, best)
    return within, best


def cut_of_sums(
    tree: Tree, sums: Values, n_clusters: int, rule: str = NUMBER_GIVEN
) -> FlatCut:
    """The clusters of `Tree.cut`, numbered as the tree is drawn."""
    last = 2 * tree.n_leaves - 1 - n_clusters  # of the nodes that remain
    above = tree.parent[: last + 1]
    nodes = np.flatnonzero((above > last) | (above < 0))
    within = sums[: tree.n_leaves - n_clusters].sum().item()
    return _cut_at(tree, nodes, within, rule)


def stable_cuts(
    tree: Tree,
    stability: npt.NDArray[np.float64],
    sums: Values,
    least: float = LEAST_STABILITY,
    fewest: int = FEWEST_OBJECTS,
    is_asked: npt.NDArray[np.bool_] | None = None,
) -> tuple[FlatCut, ...]:
    """All levels at which the tree falls into stable clusters, coarse to fine.

    stability (n-1,) is that of `Support`, is_asked (n,) says which objects count (None:
    all). The last level is the finest cut; there is no level if the tree is one
    cluster.
    """
    n, size = tree.n_leaves, tree.size
    if is_asked is not None:
        size = freeze(sums_below(tree, is_asked), np.int64)
    # Stable clusters, as the module says; the root is always one.
    is_stable = np.zeros(2 * n - 1, np.bool_)
    is_stable[n:] = (size[n:] >= fewest) & (stability >= least - 1e-9)  # rounded
    is_stable[-1] = True
    is_whole = np.zeros(2 * n - 1, np.bool_)
    n_clusters, level_of = np.empty((2, 2 * n - 1), np.int64)
    kernels.finest_stable(
        tree.children, size, is_stable, STRAYS_ONE_IN, is_whole, n_clusters
    )
    kernels.stable_levels(tree.parent, is_stable, is_whole, n_clusters, level_of)
    within, _ = _totals(tree, sums)
    a, b = tree.children.T
    closeness = np.zeros(2 * n - 1)  # of the two sides of each join
    closeness[n:] = sums / np.maximum(size[a] * size[b], 1)
    n_counted = size[-1]
    cuts: list[FlatCut] = []
    for level in range(1, level_of.max() + 1):
        is_above = (level_of >= 0) & (level_of < level)
        nodes = np.flatnonzero(is_above & is_whole | (level_of == level))
        is_loose = closeness[nodes] < closeness[is_above & ~is_whole].max()
        is_loose &= STRAYS_ONE_IN * size[nodes] <= n_counted
        tight = nodes[~is_loose]
        if STRAYS_ONE_IN * (n_counted - size[tight].sum()) <= n_counted:
            nodes = tight
        if len(nodes) > 1:
            cuts = [cut for cut in cuts if cut.n_clusters < len(nodes)]
            total = within[nodes].sum().item()
            cuts.append(_cut_at(tree, nodes, total, STABLE, is_asked))
    return tuple(cuts)


def _cut_at(
    tree: Tree,
    nodes: npt.NDArray[np.intp],
    within: int | float,
    rule: str,
    is_member: npt.NDArray[np.bool_] | None = None,
) -> FlatCut:
    """The clusters below these nodes, none of which is below another."""
    drawn = nodes[np.argsort(tree.interval_start[nodes])]
    size = tree.size[drawn]
    numbers = np.repeat(np.arange(len(drawn)), size)
    gaps = tree.interval_start[drawn] - np.cumsum(size) + size  # leaves left out so far
    labels = np.full(tree.n_leaves, -1, np.int64)
    labels[tree.leaf_order[np.arange(len(numbers)) + gaps[numbers]]] = numbers
    if is_member is not None:
        labels[~is_member] = -1
    return FlatCut(freeze(labels, np.int64), freeze(drawn, np.int64), within, rule)


def revenue_per_level(tree: Tree, data: Comparisons | Similarity) -> Values:
    """The revenue of a tree that is cut into 1, 2, ..., n clusters.

    Parameters
    ----------
    tree : Tree
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity.

    Returns
    -------
    ndarray of int64 or float64, shape (n,)
        Entry k - 1 is the revenue with the last k - 1 merges alone, ``tree.cut(k)``
        being the clusters below them (in a tree with polytomies, of the finest cut into
        at most k clusters). The last entry is the revenue of the tree.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption
        Where the arguments are not as described, or revenues could pass 2^63.
    Mismatch
        If the tree and the data are not about the same objects.

    Notes
    -----
    O(n) after the sums of all merges. Exact on integers.

    Examples
    --------
    >>> from tripletree import Triplets, balanced_tree
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], n_objects=4)
    >>> revenue_per_level(balanced_tree(4), answers).tolist()
    [0, 8, 8, 8]
    """
    sums = exact_sums(tree, data)
    within, _ = _totals(tree, sums)
    n, size = tree.n_leaves, tree.size
    nodes = np.flatnonzero(tree.shown[:-1] == np.arange(2 * n - 2))
    above = tree.shown[tree.parent[nodes]]
    # A polytomy is cut as a whole: after the first of its merges, from the leaves up.
    place = np.searchsorted(np.sort(tree.shown[n:]), above)
    gains = np.zeros(n - 1, sums.dtype)
    np.add.at(gains, place, (size[above] - size[nodes]) * within[nodes])
    one_cluster = 0 - tree.n_leaves * within[-1]  # 0.0, never -0.0
    return np.cumsum(np.concatenate([[one_cluster], gains[::-1]]), dtype=sums.dtype)
