r"""Moves of subtrees, priced on a sparse similarity without any table of n x n.

The mathematics is that of moves.py. For a subtree X, s(X, leaf) differs from 0 only for
the stored partners of the leaves of X. A cluster v without any of them prices X like a
*stranger*: there every step is :math:`-|X| s(c, d)`, so

.. math:: b(v) = |X| \, g(v), \qquad g(v) = \max(0, \, \max(g(c), g(d)) - s(c, d)),

and g does not depend on X. It is kept for every node. So all places of X are priced,
exactly, by visiting only the nodes on the ways from X and from its partners to the
root::

              root              o  visited: above X or a partner of X
             /    \             .  not visited: g says all about what is below
            o      o
           / \    / \
          .   o  .   p          p  partners of X
             / \
            p   X

They are visited in two passes. The first goes up from every partner until it meets a
node that is marked, and marks and lists what it passes. The second goes through these
ways again, the last one first: so children are priced before parents. After a move,
sizes, cross sums and g change on two ways to the root.

**Blocks.** Moving X within one of its ancestors U changes only what lies within U, so
the same passes can stop at U, given rows of s that hold no partners outside of it. So
clusters that share no leaf can be climbed side by side, one on each thread.

**Order.** In a calm climb subtrees take turns with children before parents, the larger
child right before its parent: then s(parent, leaf) is s(child, leaf), which is still
there, plus the rows of the smaller child.

**Memory.** Objects are renamed by their places in the first tree, so that what is near
in the tree is near in memory, and the partners of an object come in the order of the
tree. All of it is O(n + stored pairs).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._lazy import kernel_module
from tripletree.tree.ancestors import meeting_table
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.search._sparse_climb_kernel")
row_kernels = kernel_module("tripletree.search._sparse_rows_kernel")
value_kernels = kernel_module("tripletree.objective._value_kernel")

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = npt.NDArray[np.int64]


def new_sparse_climber(tree: Tree, matrix: csr_array) -> tuple[Any, int | None, Ints]:
    """The state that prices the moves of a tree, the exponent of its units, the names.

    The climber's leaf p is the object names[p]. Revenues are in units of 2^-exponent
    for floats; the exponent of integers is None.
    """
    n = tree.n_leaves
    values, exponent = _in_units(matrix, n)
    check_fits(
        matrix.nnz * (4 + values.itemsize) + 400 * n,
        f"climbing with {n} objects and {matrix.nnz // 2} stored pairs",
        "use fewer objects, or a machine with more memory.",
    )
    names, place = tree.leaf_order, tree.interval_start[:n]
    starts = np.empty(n + 1, np.int64)
    partners, moved_values = np.empty(matrix.nnz, np.int32), np.empty_like(values)
    row_kernels.permute(
        matrix.indptr,
        matrix.indices,
        values,
        names,
        place,
        starts,
        partners,
        moved_values,
    )
    climber = kernels.SparseClimber(
        link=np.empty((2 * n - 1, 4), np.int32),
        worth=np.empty((2 * n - 1, 2), np.int64),
        starts=starts,
        partners=partners,
        values=moved_values,
    )
    set_sparse_tree(climber, _renamed(tree))
    return climber, exponent, names


def _in_units(
    matrix: csr_array, n: int
) -> tuple[npt.NDArray[np.signedinteger[Any]], int | None]:
    """The stored values as integers, of 32 bits if they fit, and their exponent."""
    values, exponent = matrix.data, None
    if values.dtype.kind == "f":
        total = np.abs(values).sum() / 2
        exponent = 61 - math.frexp(2 * n * total)[1]
        values = np.rint(np.ldexp(values, exponent)).astype(np.int64)
    largest = int(np.abs(values).max(initial=0))
    return values.astype(np.int32 if largest < 2**31 else np.int64), exponent


def _renamed(tree: Tree) -> Ints:
    """The merges with leaves named by place, each right after all that is below it."""
    n, order = tree.n_leaves, _merges_in_order(tree)
    number = tree.interval_start.copy()
    number[n + order] = np.arange(n, 2 * n - 1)
    renamed: Ints = number[tree.children[order]]
    return renamed


def _merges_in_order(tree: Tree) -> Ints:
    n = tree.n_leaves
    last = (tree.interval_start + tree.size)[n:]
    return np.lexsort([tree.size[n:], last])


def first_turns(tree: Tree) -> Ints:
    """The nodes of a new climber: the last merge of the tree first, leaves at the end.

    That is the order of the dense search. It ends in better trees than one that follows
    the tree, in which neighbours move one after the other.
    """
    ids = np.concatenate([tree.leaf_order, tree.n_leaves + _merges_in_order(tree)])
    return np.argsort(-ids)


def set_sparse_tree(climber: Any, children: Ints) -> None:
    """Start again from other merges of the same leaves."""
    table = meeting_table(Tree(children))
    cross = np.zeros(len(children), np.int64)
    value_kernels.add_sparse(
        climber.starts,
        climber.partners,
        climber.values,
        table.position,
        table.window,
        table.level,
        cross,
    )
    kernels.fill_tree(climber, children, cross)


def new_sparse_scratch(n: int) -> Any:
    """What a thread needs to price subtrees of a tree with n leaves."""
    return kernels.SparseScratch(
        reach=np.zeros(n, np.int64),
        seen=np.zeros(n, np.int64),
        owner=np.zeros(n, np.int64),
        near=np.zeros(n, np.int32),
        state=np.zeros(2 * n - 1, np.int64),
        sums=np.zeros((2 * n - 1, 2), np.int64),
        path=np.zeros(n, np.int32),
        sources=np.zeros(n, np.int32),
        ends=np.zeros(n, np.int32),
        ways=np.zeros(n, np.int32),
        stack=np.zeros(n, np.int32),
        tally=np.array([0, 0, -1, 0, 0, 0]),  # no subtree was priced before
    )


def turns(climber: Any) -> Ints:
    """All nodes, children before parents, the larger child right before its parent."""
    order = np.empty(len(climber.link), np.int64)
    kernels.postorder(climber, kernels.below_limit(climber, 0, -1), order)
    return order


def blocks_of(climber: Any, order: Ints, most: int) -> Ints:
    """The largest clusters of at most so many leaves: the rows that climb_block wants.

    Those of one or two leaves are left out. The largest come first.
    """
    link = climber.link[order]
    size, above = link[:, kernels.SIZE], link[:, kernels.PARENT]
    is_highest = (above < 0) | (climber.link[above, kernels.SIZE] > most)
    last = np.flatnonzero((size > 2) & (size <= most) & is_highest)
    last = last[np.argsort(-size[last], kind="stable")]
    blocks = np.zeros((len(last), 7), np.int64)
    blocks[:, kernels.START] = blocks[:, kernels.AT] = last + 2 - 2 * size[last]
    blocks[:, kernels.STOP] = last + 1
    blocks[:, kernels.LIMIT] = above[last]
    return blocks


def within_blocks(climber: Any, order: Ints, blocks: Ints) -> Any:
    """The same tree, and of s only the pairs within a block."""
    n = len(climber.starts) - 1
    block = np.full(n, -1, np.int32)
    for number, (start, stop) in enumerate(blocks[:, :2].tolist()):
        nodes = order[start:stop]
        block[nodes[nodes < n]] = number
    starts = np.zeros(n + 1, np.int64)
    row_kernels.count_within(climber.starts, climber.partners, block, starts)
    np.cumsum(starts, out=starts)
    partners = np.empty(starts[-1], np.int32)
    values = np.empty(starts[-1], climber.values.dtype)
    row_kernels.keep_within(
        climber.starts, climber.partners, climber.values, block, partners, values
    )
    return climber._replace(starts=starts, partners=partners, values=values)


def current_sparse_children(climber: Any, names: Ints | None = None) -> Ints:
    """The merges of the tree as it is now, of the climber's leaves or of objects."""
    n = len(climber.starts) - 1
    order = turns(climber)
    inner = order[order >= n]
    number = np.arange(2 * n - 1)
    number[inner] = np.arange(n, 2 * n - 1)
    if names is not None:
        number[:n] = names
    children: Ints = number[climber.link[inner, 1:3]]
    return children
