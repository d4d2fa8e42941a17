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

**Levels.** What a tree earns with its top splits alone, then with more of them.
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

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import freeze
from tripletree._lazy import kernel_module
from tripletree.comparisons.triplets import Comparisons
from tripletree.objective.value import Values, exact_sums, node_sums
from tripletree.similarity.matrix import Similarity
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.objective._value_kernel")


LARGEST_WITHIN = "largest similarity within clusters"
NUMBER_GIVEN = "number given"


@dataclass(frozen=True, eq=False)
class FlatCut:
    """Flat clusters of a tree.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        The cluster of each leaf, numbered from 0 in the order in which the tree is
        drawn.
    nodes : ndarray of int64, shape (n_clusters,)
        The node of the tree that each cluster hangs below, in the same order.
    within : int or float
        The similarity of all pairs that are in the same cluster.
    rule : str
        How they were chosen: "largest similarity within clusters" or "number given".
    """

    labels: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int64]
    within: int | float
    rule: str

    @property
    def n_clusters(self) -> int:
        return len(self.nodes)


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


def cut_of_sums(tree: Tree, sums: Values, n_clusters: int) -> FlatCut:
    """The clusters of `Tree.cut`, numbered as the tree is drawn."""
    last = 2 * tree.n_leaves - 1 - n_clusters  # of the nodes that remain
    above = tree.parent[: last + 1]
    nodes = np.flatnonzero((above > last) | (above < 0))
    within = sums[: tree.n_leaves - n_clusters].sum().item()
    return _cut_at(tree, nodes, within, NUMBER_GIVEN)


def _cut_at(
    tree: Tree, nodes: npt.NDArray[np.intp], within: int | float, rule: str
) -> FlatCut:
    """The clusters below these nodes, which have every leaf below just one of them."""
    drawn = nodes[np.argsort(tree.interval_start[nodes])]
    labels = np.empty(tree.n_leaves, np.int64)
    labels[tree.leaf_order] = np.repeat(np.arange(len(drawn)), tree.size[drawn])
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
