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

So what the best place within a cluster v earns more than the place above v is

.. math:: b(v) = \max(0, \, b(c) + s(X, c) |d| - |X| s(c, d), \,
                      b(d) + s(X, d) |c| - |X| s(c, d))

and one walk from the leaves to the root finds the best of all places for X in O(n),
once s(X, leaf) is known for all leaves. The rows s(node, leaf) are kept for every node.
After a move they change only on two root paths: where X was, and where it went.

All of it is done in integers, exactly: with total = the sum of \|s_ij\|, no value
passes 3 n total; 4 n total is checked to be below 2^63. Floats are taken as multiples
of the smallest power of two with which 2 n total stays below 2^61 units.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._lazy import kernel_module
from tripletree._threads import row_chunks
from tripletree.similarity.matrix import sum_of_sizes
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.search._climb_kernel")


def new_climber(tree: Tree, s: npt.NDArray[Any]) -> tuple[Any, int | None]:
    """The state that prices the moves of a tree, and the exponent of its units.

    Kernels change the state in place. Revenues are in units of 2^-exponent for floats;
    the exponent of integers is None.
    """
    n = tree.n_leaves
    n_nodes = 2 * n - 1
    total = sum_of_sizes(s)
    exponent = None
    if s.dtype.kind == "f":
        exponent = 61 - math.frexp(2 * n * total)[1]
    is_small = math.ldexp(total, exponent or 0) < 2**30
    dtype = np.dtype(np.int32 if is_small else np.int64)
    check_fits(
        n_nodes * n * dtype.itemsize,
        f"climbing with {n} objects",
        "use fewer objects, or climb with a csr_array.",
    )
    sums = np.empty((n_nodes, n), dtype)
    for rows in row_chunks(n, 256):
        part = s[rows]
        sums[rows] = part if exponent is None else np.rint(np.ldexp(part, exponent))
    np.fill_diagonal(sums[:n], 0)
    climber = kernels.Climber(
        parent=np.zeros(n_nodes, np.int32),
        child=np.full((n_nodes, 2), -1, np.int32),
        sums=sums,
        cross=np.zeros(n_nodes, np.int64),
        size=np.ones(n_nodes, np.int64),
        place=np.zeros(n_nodes, np.int32),
        node_at=np.zeros(n_nodes, np.int32),
        size_at=np.zeros(n_nodes, np.int64),
        merge_at=np.zeros(n - 1, np.int32),
        weight_at=np.zeros(n - 1, np.int64),
    )
    set_tree(climber, tree.children)
    return climber, exponent


def new_scratch(n: int) -> Any:
    """What a thread needs to price subtrees of a tree with n leaves."""
    inside, best = np.zeros(2 * n - 1, np.int64), np.zeros(2 * n - 1, np.int64)
    return kernels.Scratch(inside, best, path=np.zeros(n, np.int32))


def set_tree(climber: Any, children: npt.NDArray[np.int64]) -> None:
    """Start again from the merges of another tree on the same similarity."""
    kernels.fill_sums(climber, new_scratch(len(children) + 1), children)


def current_children(climber: Any) -> npt.NDArray[np.int64]:
    """The merges of the tree as it is now, in the order of the layout."""
    n = climber.sums.shape[1]
    inner = climber.node_at[climber.merge_at]
    number = np.arange(2 * n - 1)
    number[inner] = np.arange(n, 2 * n - 1)
    children: npt.NDArray[np.int64] = number[climber.child[inner]]
    return children
