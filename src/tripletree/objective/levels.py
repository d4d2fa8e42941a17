r"""What a tree earns level by level: with its top splits alone, then with more of them.

Cut a tree into k clusters and forget what is below: two objects of the same cluster C
then meet in C. This coarser tree has a revenue, too,

.. math:: R_k = -\sum_{N \text{ above}} |N| \, s(A, B) - \sum_{C} |C| \, s(C),

with s(C) the sum over all pairs in C. One cluster of everything earns 0 if s sums to 0,
as AddS does; with all splits it is the revenue of the tree. Splitting C into A and B
adds |B| s(A) + |A| s(B): it pays as far as pairs within A and within B are near. Where
the curve gets flat, the answers say little about what is below."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from tripletree.comparisons.answers import Comparisons
from tripletree.objective.value import Values, node_sums
from tripletree.similarity.matrix import Similarity, check_exact
from tripletree.tree.tree import Tree


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
        being the clusters below them. The last entry is the revenue of the tree.

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
    sums = node_sums(tree, data)
    n, size = tree.n_leaves, tree.size
    check_exact(sums, float(np.abs(sums.astype(np.float64)).sum()), n)
    within = [0] * n
    gains = []
    for t, (left, right) in enumerate(tree.children.tolist()):
        a, b = within[left], within[right]
        within.append(a + b + sums[t].item())
        gains.append(int(size[right]) * a + int(size[left]) * b)
    first = 0 - n * within[-1]
    levels = list(accumulate([first, *reversed(gains)]))
    return np.array(levels, sums.dtype)
