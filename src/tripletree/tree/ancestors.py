"""Lowest common ancestors of many pairs of leaves at once.

Write the leaves from left to right, and between neighbours the node at which they
meet::

    leaf_order    0   1   2   3   4
    meeting         5   7   8   6

Ids grow towards the root, so the lowest common ancestor of two leaves is the *largest*
id between them: 0 and 3 meet at max(5, 7, 8) = 8. A table of the largest id in every
window of 1, 2, 4, 8, ... gaps answers each pair with two look-ups.

If merges are collapsed, the gaps hold what these merges are shown as. Ids still grow
towards the root, so all that asks this table follows the tree that is shown.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_array, refuse_first
from tripletree._threads import map_threads, row_chunks
from tripletree.errors import InvalidOption
from tripletree.tree import _tree_kernel as kernels
from tripletree.tree.tree import Tree, check_tree, meetings

PAIRS_PER_CHUNK = 2**18


class MeetingTable(NamedTuple):
    """Arrays by which kernels find common ancestors.

    Attributes
    ----------
    position : ndarray of int32, shape (n,)
        The place of each leaf in leaf order.
    window : ndarray of int32, shape (levels, n-1)
        window[k, p] is the largest node id in gaps p .. p + 2^k - 1.
    level : ndarray of int32, shape (n,)
        level[d] is the largest k with 2^k <= d.
    """

    position: npt.NDArray[np.int32]
    window: npt.NDArray[np.int32]
    level: npt.NDArray[np.int32]


def meeting_table(tree: Tree) -> MeetingTable:
    """Build the table of a tree: O(n log n) time and 4 n log2(n) bytes."""
    n = tree.n_leaves
    n_levels = max(1, (n - 1).bit_length())
    window = np.empty((n_levels, n - 1), np.int32)
    window[0] = meetings(tree)
    level = np.zeros(n, np.int32)
    for k in range(1, n_levels):
        half = 1 << (k - 1)
        valid = n - 1 - half
        window[k] = window[k - 1]
        np.maximum(window[k - 1, :valid], window[k - 1, half:], out=window[k, :valid])
        level[1 << k :] = k
    return MeetingTable(tree.interval_start[:n].astype(np.int32), window, level)


def meeting_sizes(tree: Tree) -> MeetingTable:
    """The same table with the sizes of nodes, which grow with their ids upwards."""
    table = meeting_table(tree)
    return table._replace(window=tree.size.astype(np.int32)[table.window])


def common_ancestors(tree: Tree, pairs: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The lowest common ancestor of each pair of leaves, among merges that are shown.

    Parameters
    ----------
    tree : Tree
    pairs : array_like of int, shape (m, 2)
        Leaf ids. A leaf paired with itself is its own ancestor.

    Returns
    -------
    ndarray of int64, shape (m,)
        Node ids. O(m + n log n) time.

    Raises
    ------
    InvalidTree, InvalidOption
        If the first argument is not a tree, or the second not pairs of its leaves.

    Examples
    --------
    >>> tree = Tree([[0, 1], [3, 4], [5, 2], [7, 6]])
    >>> common_ancestors(tree, [[0, 2], [3, 0], [4, 4]]).tolist()
    [7, 8, 4]
    """
    check_tree(tree)
    wanted = "(m, 2) integers, pairs of leaves"
    array = check_array("pairs", pairs, "iu", (None, 2), wanted, InvalidOption)
    is_wrong = (array < 0) | (array >= tree.n_leaves)
    why = f": leaves are 0..{tree.n_leaves - 1}."
    refuse_first(is_wrong, "pairs", array, why, InvalidOption)
    array = np.ascontiguousarray(array, np.int64)
    nodes = np.empty(len(array), np.int64)
    table = meeting_table(tree)

    def fill(rows: slice) -> None:
        kernels.fill_ancestors(array[rows], table, nodes[rows])

    map_threads(fill, row_chunks(len(array), PAIRS_PER_CHUNK))
    return nodes


def common_ancestor_sizes(tree: Tree, pairs: npt.ArrayLike) -> npt.NDArray[np.int64]:
    r"""The size of the smallest cluster with both leaves, :math:`|H(i \vee j)|`.

    Parameters
    ----------
    tree : Tree
    pairs : array_like of int, shape (m, 2)
        Leaf ids.

    Returns
    -------
    ndarray of int64, shape (m,)

    Raises
    ------
    InvalidTree, InvalidOption
        As for :func:`common_ancestors`.

    Examples
    --------
    >>> tree = Tree([[0, 1], [3, 4], [5, 2], [7, 6]])
    >>> common_ancestor_sizes(tree, [[0, 2], [3, 0], [4, 4]]).tolist()
    [3, 5, 1]
    """
    nodes = common_ancestors(tree, pairs)
    return tree.size[nodes]
