"""Flat clusters of a tree: into k clusters, or at a height.

Merges are listed in the order of their heights (invariant 4 of tree.py), so both cuts
keep the first merges and undo the rest.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int
from tripletree._lazy import kernel_module
from tripletree.errors import InvalidOption, InvalidTree
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.tree._tree_kernel")


def cut_into(tree: Tree, n_clusters: int) -> npt.NDArray[np.int64]:
    """The cluster of each leaf after undoing the last n_clusters - 1 merges; O(n)."""
    n_clusters = check_int("n_clusters", n_clusters, 1, tree.n_leaves)
    return _after_merges(tree, tree.n_leaves - n_clusters)


def cut_at_height(tree: Tree, height: float) -> npt.NDArray[np.int64]:
    """The cluster of each leaf after all merges of at most this height; O(n)."""
    if tree.heights is None:
        message = (
            "this tree has no heights: use cut(n_clusters), or with_heights(...) first."
        )
        raise InvalidTree(message)
    is_text = isinstance(height, str | bytes | bool | np.bool_)  # float("1") would do
    try:
        number = math.nan if is_text else float(height)
    except OverflowError:  # an integer beyond all floats
        number = math.inf if height > 0 else -math.inf
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        message = f"height = {height!r:.80}: give a number."
        raise InvalidOption(message)
    return _after_merges(tree, int(np.searchsorted(tree.heights, number, "right")))


def _after_merges(tree: Tree, n_merges: int) -> npt.NDArray[np.int64]:
    cluster = np.empty(tree.n_leaves, np.int64)
    kernels.cluster_of_leaves(tree.parent, n_merges, cluster)
    return cluster
