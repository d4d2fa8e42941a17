"""The tree with the largest revenue, for few objects; see revenue/subsets.py."""

from __future__ import annotations

import numpy as np

from tripletree.comparisons.answers import Comparisons
from tripletree.errors import InvalidOption
from tripletree.objective.subsets import MOST_OBJECTS, best_splits
from tripletree.search.result import SearchResult, search_result
from tripletree.similarity.matrix import Similarity, dense_similarity_of
from tripletree.tree.tree import Tree


def exact_optimum(data: Comparisons | Similarity) -> SearchResult:
    """The tree with the largest revenue among all, for at most 16 objects.

    Parameters
    ----------
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity.

    Returns
    -------
    SearchResult
        Its ``is_optimal`` is True, and there is no better tree at all.

    Raises
    ------
    InvalidSimilarity, InvalidOption
        If these are no data, or there are more than 16 objects.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> best = exact_optimum(Triplets([[0, 1, 2], [3, 2, 0]], n_objects=4))
    >>> best.revenue, best.tree.with_heights(None).to_newick()
    (4, '((3,2),(1,0));')
    """
    s, labels = dense_similarity_of(data)
    n = len(s)
    if n > MOST_OBJECTS:
        message = (
            f"the exact optimum of {n} objects would take too long: give at most "
            f"{MOST_OBJECTS}, or use climb()."
        )
        raise InvalidOption(message)
    _, split = best_splits(s)
    tree = _from_splits(split.tolist(), n)
    return search_result(tree, s, labels, n_moves=0, is_optimal=True, is_stopped=False)


def _from_splits(split: list[int], n: int) -> Tree:
    """The tree that splits each set as the programme chose."""
    sets = [2**n - 1]
    for members in sets:  # grows while it is read: parents come before children
        if members & (members - 1):
            sets += [split[members], members ^ split[members]]
    inner = [members for members in reversed(sets) if members & (members - 1)]
    number = {1 << leaf: leaf for leaf in range(n)}
    number |= {members: n + t for t, members in enumerate(inner)}
    children = [[number[split[m]], number[m ^ split[m]]] for m in inner]
    return Tree(np.array(children, np.int64).reshape(n - 1, 2))
