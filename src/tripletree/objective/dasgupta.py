"""Dasgupta's cost and the revenue of Moseley and Wang, on pairwise similarities."""

from __future__ import annotations

import numpy as np

from tripletree.errors import InvalidOption
from tripletree.objective.value import node_sums, revenue
from tripletree.similarity.matrix import Similarity, is_sparse
from tripletree.tree.shapes import caterpillar_tree
from tripletree.tree.tree import Tree


def dasgupta_cost(tree: Tree, similarity: Similarity) -> int | float:
    r"""Dasgupta's cost: :math:`\sum_{i<j} s_{ij} \, |H(i \vee j)|`. Smaller is better.

    Parameters
    ----------
    tree : Tree
    similarity : ndarray or csr_array, shape (n, n)
        Symmetric; the diagonal is ignored.

    Returns
    -------
    int or float
        Exact, an int, for integer similarities.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    Mismatch
        If the tree and the similarity are not about as many objects.

    References
    ----------
    Dasgupta, "A cost function for similarity-based hierarchical clustering", 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree import caterpillar_tree
    >>> dasgupta_cost(caterpillar_tree(3), np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0]]))
    10
    """
    if not (isinstance(similarity, np.ndarray) or is_sparse(similarity)):
        message = (
            f"give a similarity as an array or csr_array, not "
            f"{type(similarity).__name__}; adds_similarity(comparisons) makes one."
        )
        raise InvalidOption(message)
    return 0 - revenue(tree, similarity)  # 0.0, never -0.0


def dasgupta_revenue(tree: Tree, similarity: Similarity) -> int | float:
    r"""The revenue of Moseley and Wang: :math:`n \sum_{i<j} s_{ij}` minus the cost.

    Equals :func:`revenue` where the similarities sum to 0, as AddS does.

    Parameters
    ----------
    tree : Tree
    similarity : ndarray or csr_array, shape (n, n)
        Symmetric; the diagonal is ignored.

    Returns
    -------
    int or float
        Exact, an int, for integer similarities.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption, Mismatch
        As for :func:`dasgupta_cost`.

    References
    ----------
    Moseley and Wang, "Approximation bounds for hierarchical clustering", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree import caterpillar_tree
    >>> s = np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0]])
    >>> dasgupta_revenue(caterpillar_tree(3), s)
    2
    """
    cost = dasgupta_cost(tree, similarity)
    return tree.n_leaves * _sum_of_pairs(similarity) - cost


def _sum_of_pairs(similarity: Similarity) -> int | float:
    """The sum of s_ij over i < j, exact for integers."""
    # Every pair meets at one merge of any tree.
    sums = node_sums(caterpillar_tree(similarity.shape[0]), similarity)
    return float(sums.sum()) if sums.dtype.kind == "f" else sum(sums.tolist())
