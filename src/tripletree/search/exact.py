r"""The tree with the largest revenue, for few objects.

Among all trees on a set S, the best one splits S into A and B, with the best trees on
both below it:

.. math:: R(S) = \max_{A \cup B = S} R(A) + R(B) - |S| \, s(A, B)

Sets are bit masks, and :math:`s(A, B) = W(S) - W(A) - W(B)` with the sums W inside the
sets. Every set is split in every way: :math:`O(3^n)` time, :math:`O(2^n)` memory.
"""

from __future__ import annotations

import numpy as np

from tripletree._lazy import kernel_module
from tripletree._threads import row_chunks
from tripletree.comparisons.answers import Comparisons
from tripletree.errors import InvalidOption
from tripletree.search.result import SearchResult, search_result
from tripletree.similarity.matrix import Similarity
from tripletree.similarity.pair_sums import dense_pair_sums
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.search._exact_kernel")

MOST_OBJECTS = 16
SETS_PER_STEP = 4096


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
    InvalidOption
        If there are more than 16 objects.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> best = exact_optimum(Triplets([[0, 1, 2], [3, 2, 0]], n_objects=4))
    >>> best.revenue, best.tree.with_heights(None).to_newick()
    (4, '((3,2),(1,0));')
    """
    s, labels = dense_pair_sums(data)
    n = len(s)
    if n > MOST_OBJECTS:
        message = (
            f"the exact optimum of {n} objects would take too long: give at most "
            f"{MOST_OBJECTS}, or use climb()."
        )
        raise InvalidOption(message)
    size = np.bitwise_count(np.arange(2**n)).astype(np.int64)
    within, best = np.zeros(2**n, s.dtype), np.zeros(2**n, s.dtype)
    split = np.zeros(2**n, np.int64)
    kernels.fill_within(s, within)
    for sets in row_chunks(2**n, SETS_PER_STEP):  # so that Ctrl-C is heard
        kernels.fill_best(within, size, sets.start, sets.stop, best, split)
    tree = _from_splits(split.tolist(), n)
    return search_result(tree, s, labels, n_moves=0, is_optimal=True)


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
