r"""The flat clusters that the answers ask for: how many, they say themselves.

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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import freeze
from tripletree._lazy import kernel_module
from tripletree.comparisons.answers import Comparisons
from tripletree.revenue.value import node_sums
from tripletree.similarity.matrix import Similarity
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.revenue._flat_kernel")


@dataclass(frozen=True, eq=False)
class FlatCut:
    """Flat clusters of a tree.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        The cluster of each leaf, numbered from 0 in the order of smallest leaves.
    n_clusters : int
    within : int or float
        The similarity of all pairs that are in the same cluster.
    """

    labels: npt.NDArray[np.int64]
    n_clusters: int
    within: int | float


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
    sums = node_sums(tree, data)
    n = tree.n_leaves
    within, best = np.empty((2, 2 * n - 1), sums.dtype)
    kernels.best_totals(tree.children, sums, within, best)
    labels = np.empty(n, np.int64)
    n_clusters = kernels.cut_best(tree.parent, within, best, labels)
    frozen: npt.NDArray[np.int64] = freeze(labels, np.int64)
    return FlatCut(frozen, int(n_clusters), best[-1].item())
