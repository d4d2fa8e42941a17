r"""Moves: prune a subtree and graft it elsewhere (SPR), and what each would gain.

Prune a subtree X; T' is what is left. Attaching X above a node c of T', with sibling d,
instead of above their parent v changes the revenue by

.. math:: s(X, c) \, |d| - |X| \, s(c, d)

with sums and sizes taken in T'::

        X above v:          X above c:
            *                   v
           / \                 / \
          v   X               *   d
         / \                 / \
        c   d               c   X

So one walk from the root prices all places for X in O(n), once s(X, leaf) is known for
all leaves: s(X, c) is a difference of prefix sums over the leaves from left to right.
The rows s(node, leaf) are kept for every node. After a move they change only on two
root paths: where X was, and where it went.

Everything is exact on integers. With total = the sum of \|s_ij\|, no value passes
2 n total, which is checked to be below 2^63.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._lazy import kernel_module
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.search._climb_kernel")


def new_climber(tree: Tree, s: npt.NDArray[Any]) -> Any:
    """The state that prices the moves of a tree; kernels change it in place."""
    n = tree.n_leaves
    n_nodes = 2 * n - 1
    is_small = s.dtype == np.int64 and np.abs(s).sum(dtype=np.float64) < 2**31
    dtype = np.dtype(np.int32) if is_small else s.dtype
    check_fits(
        n_nodes * n * dtype.itemsize,
        f"climbing with {n} objects",
        "use fewer objects, or a machine with more memory.",
    )
    sums = np.empty((n_nodes, n), dtype)
    sums[:n] = s
    np.fill_diagonal(sums[:n], 0)

    def ints(length: int = n_nodes) -> npt.NDArray[np.int64]:
        return np.zeros(length, np.int64)

    climber = kernels.Climber(
        parent=ints(),
        child=np.full((n_nodes, 2), -1),
        sums=sums,
        cross=np.zeros(n_nodes, s.dtype),
        node_at=ints(),
        rank_of=ints(),
        up=ints(),
        sibling=ints(),
        low=ints(),
        high=ints(),
        size=np.zeros(n_nodes, s.dtype),
        weight=np.zeros(n_nodes, s.dtype),
        leaf_order=ints(n),
        merge=ints(n - 1),
        prefix=np.zeros(n + 1, s.dtype),
        value=np.zeros(n_nodes, s.dtype),
    )
    set_tree(climber, tree)
    return climber


def set_tree(climber: Any, tree: Tree) -> None:
    """Start again from another tree on the same similarity."""
    kernels.fill_sums(climber, tree.children)
    kernels.lay_out(climber)
    kernels.fill_cross(climber)


def current_tree(climber: Any) -> Tree:
    """The tree as it is now, merges in the order of reversed ranks."""
    n = len(climber.leaf_order)
    inner = climber.node_at[::-1]
    inner = inner[inner >= n]
    number = np.arange(2 * n - 1)
    number[inner] = np.arange(n, 2 * n - 1)
    return Tree(number[climber.child[inner]].reshape(n - 1, 2))
