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

**Deep trees.** All subtrees take turns, as in the dense search, until none can be moved
anywhere with a gain. When few of them move, many are priced at once, on all threads.
Pricing a subtree takes a walk to the root, so all places of all subtrees are too many
in a tree that is both large and deep. There moves are made within clusters of bounded
size; if it stays deep, the climb ends with them, and does not claim an optimum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree._checks import check_fits
from tripletree._jit import record
from tripletree._threads import n_threads, share_chunks
from tripletree.objective.value import stored_sums
from tripletree.search import _sparse_climb_kernel as kernels
from tripletree.search.moves import SUBTREES_PER_CHUNK, Ints, Run, in_units
from tripletree.similarity.matrix import sum_of_sizes
from tripletree.tree.tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CALM = 20  # a round that moves at most one in so many subtrees is calm
SHALLOW = 100  # levels above a leaf: in deeper trees every round is as a calm one
NODES_PER_STEP = 4 * 10**6  # to visit between two looks at the clock, about
LARGE = 50_000  # objects: up to here, places all over a deep tree are priced as well
DEEP = 2_000  # levels above a leaf, on average
BLOCK_SIZES = (1_000, 16_000)  # leaves of the clusters to move within in such a tree


def drawn_nodes(tree: Tree) -> Ints:
    """The leaves from left to right, then each merge right after all merges below it.

    The climber calls them 0, 1, 2, ... in this order.
    """
    n = tree.n_leaves
    last = (tree.interval_start + tree.size)[n:]
    return np.concatenate([tree.leaf_order, n + np.lexsort([tree.size[n:], last])])


def new_sparse_climber(
    tree: Tree, matrix: csr_array, nodes: Ints
) -> tuple[Any, int | None]:
    """The state that prices the moves of a tree, and the exponent of its units.

    nodes: as `drawn_nodes` gives them.
    """
    from scipy.sparse import csr_array

    n = tree.n_leaves
    values, exponent = in_units(matrix.data, n, sum_of_sizes(matrix))
    is_small = np.abs(values).max(initial=0) < 2**31
    values = values.astype(np.int32 if is_small else np.int64)
    check_fits(
        matrix.nnz * (4 + values.itemsize) + 400 * n,
        f"climbing with {n} objects and {matrix.nnz // 2} stored pairs",
        "use fewer objects, or a machine with more memory.",
    )
    number = np.argsort(nodes)
    named = csr_array((values, matrix.indices, matrix.indptr), matrix.shape)
    drawn = named[nodes[:n]][:, nodes[:n]]
    drawn.sort_indices()
    climber = kernels.SparseClimber(
        link=np.empty((2 * n - 1, 4), np.int32),
        worth=np.empty((2 * n - 1, 2), np.int64),
        starts=drawn.indptr.astype(np.int64),
        partners=drawn.indices.astype(np.int32),
        values=drawn.data,
    )
    set_sparse_tree(climber, number[tree.children[nodes[n:] - n]])
    return climber, exponent


def set_sparse_tree(climber: Any, children: Ints) -> None:
    """Start again from other merges of the same leaves."""
    cross = stored_sums(
        Tree(children), climber.starts, climber.partners, climber.values
    )
    kernels.fill_tree(climber, children, cross)


def new_sparse_scratch(n: int) -> Any:
    """What a thread needs to price subtrees of a tree with n leaves."""
    state = record("chain", "n_near", "last", "mark", "n_path", "n_visits")
    state.last = -1  # no subtree was priced before
    return kernels.SparseScratch(
        reach=np.zeros(n, np.int64),
        seen=np.zeros(n, np.int64),
        owner=np.zeros(n, np.int64),
        near=np.zeros(n, np.int32),
        marks=np.zeros(2 * n - 1, np.int64),
        sums=np.zeros((2 * n - 1, 2), np.int64),
        path=np.zeros(n, np.int32),
        sources=np.zeros(n, np.int32),
        ends=np.zeros(n, np.int32),
        ways=np.zeros(n, np.int32),
        stack=np.zeros(n, np.int32),
        state=state,
    )


def turns(climber: Any) -> Ints:
    """All nodes, children before parents, the larger child right before its parent."""
    order = np.empty(len(climber.link), np.int64)
    kernels.postorder(climber, kernels.below_limit(climber, 0, -1), order)
    return order


def blocks_of(climber: Any, order: Ints, most: int) -> Any:
    """The largest clusters of at most so many leaves: the records for climb_block.

    Those of one or two leaves are left out. The largest come first.
    """
    link = climber.link[order]
    size, above = link[:, kernels.SIZE], link[:, kernels.PARENT]
    is_highest = (above < 0) | (climber.link[above, kernels.SIZE] > most)
    last = np.flatnonzero((size > 2) & (size <= most) & is_highest)
    last = last[np.argsort(-size[last], kind="stable")]
    names = ("start", "stop", "limit", "at", "n_round", "n_moves", "gained")
    blocks = np.zeros(len(last), [(name, np.int64) for name in names])
    blocks["start"] = blocks["at"] = last + 2 - 2 * size[last]
    blocks["stop"] = last + 1
    blocks["limit"] = above[last]
    return blocks.view(np.recarray)


def within_blocks(climber: Any, order: Ints, blocks: Any) -> Any:
    """The same tree, and of s only the pairs within a block."""
    n = len(climber.starts) - 1
    block = np.full(n, -1, np.int32)
    for number, (start, stop) in enumerate(blocks[["start", "stop"]].tolist()):
        nodes = order[start:stop]
        block[nodes[nodes < n]] = number
    own = np.repeat(block, np.diff(climber.starts))
    is_inside = own == block[climber.partners]
    starts = np.concatenate([[0], np.cumsum(is_inside)])[climber.starts]
    partners, values = climber.partners[is_inside], climber.values[is_inside]
    return climber._replace(starts=starts, partners=partners, values=values)


def sparse_climber_revenue(climber: Any) -> int:
    """What the tree earns: minus the sum of size times cross sum over its merges."""
    sizes, cross = climber.link[:, kernels.SIZE], climber.worth[:, kernels.CROSS]
    return -int((sizes * cross).sum())


def current_sparse_children(climber: Any) -> Ints:
    """The merges of the tree as it is now, of the climber's leaves."""
    n = len(climber.starts) - 1
    order = turns(climber)
    inner = order[order >= n]
    number = np.arange(2 * n - 1)
    number[inner] = np.arange(n, 2 * n - 1)
    children: Ints = number[climber.link[inner, 1:3]]
    return children


class SparseRun(Run):
    """One search on a sparse similarity."""

    kernels = kernels
    revenue_of = staticmethod(sparse_climber_revenue)
    children_of = staticmethod(current_sparse_children)
    set_tree = staticmethod(set_sparse_tree)

    def _begin(self, tree: Tree) -> None:
        nodes = drawn_nodes(tree)
        self.climber, self.exponent = new_sparse_climber(tree, self.s, nodes)
        self.best_children = self.children_of(self.climber)
        self.names = nodes[: self.n]
        # The last merge of the tree first, leaves at the end: the order of the dense
        # search. It ends in better trees than one that follows the tree, in which
        # neighbours move one after the other.
        self.first_turns = np.argsort(-nodes)
        self.scratches = [new_sparse_scratch(self.n) for _ in range(n_threads())]

    def _leave(self, rng: np.random.Generator, number: int) -> None:
        self._kick(rng)

    def _climb(self) -> bool:
        """Make moves until none gains; False if the climb ended before that."""
        if self._is_too_deep():
            for most in BLOCK_SIZES:
                self._climb_blocks(most)
        is_calm = self._mean_depth() > SHALLOW
        while not self.is_stopped and not self._is_too_deep():
            n_moves = self._round(is_calm)
            if n_moves == 0 and not self.is_stopped:
                return True
            is_calm = is_calm or n_moves * CALM < self.n
        return False

    def _mean_depth(self) -> float:
        """Merges above a leaf, on average: the sizes of all merges over n."""
        sizes = self.climber.link[self.n :, kernels.SIZE]
        return int(sizes.sum(dtype=np.int64)) / self.n

    def _is_too_deep(self) -> bool:
        return self.n > LARGE and self._mean_depth() > DEEP

    def _round(self, is_calm: bool) -> int:
        """Give every subtree a turn; how many moved.

        In a calm climb each step prices some subtrees on all threads, in the tree as it
        is, then passes over those without a gain. (While many move, that would miss
        what the moves just made offer, and ends in worse trees.) How long steps are
        depends on the nodes visited, so the moves do not depend on threads or time.
        """
        order = turns(self.climber) if is_calm else self.first_turns
        gains = np.zeros(len(order), np.int64)
        start = n_moves = 0
        step = 4 * SUBTREES_PER_CHUNK
        while start < len(order) and not self._is_time_up():
            stop = min(start + step, len(order))
            for scratch in self.scratches:
                scratch.state.n_visits = 0
            self._price(order, start, stop, gains, is_calm)
            gained, n_new = self.kernels.climb(
                self.climber, order, start, stop, self.scratches[0], gains
            )
            self._add(gained, n_new)
            n_moves += n_new
            n_visits = sum(int(f.state.n_visits) for f in self.scratches)
            wanted = (stop - start) * NODES_PER_STEP // max(1, n_visits)
            step = max(2 * SUBTREES_PER_CHUNK, step // 2, min(2 * step, wanted))
            start = stop
        return n_moves

    def _climb_blocks(self, most: int) -> None:
        """Climb within the largest clusters of at most so many leaves, each by itself.

        Their leaves do not change, so one thread never meets another.
        """
        order = turns(self.climber)
        blocks = blocks_of(self.climber, order, most)
        inner = within_blocks(self.climber, order, blocks)
        todo = list(range(len(blocks)))
        while todo and not self._is_time_up():
            n_visits = max(10_000, NODES_PER_STEP * len(self.scratches) // len(todo))

            def go_on(scratch: Any, number: int, n_visits: int = n_visits) -> None:
                block = blocks[number]
                kernels.climb_block(inner, order, block, CALM, n_visits, scratch)

            gained, n_moves = blocks.gained.sum(), blocks.n_moves.sum()
            share_chunks(go_on, self.scratches, todo)
            self._add(blocks.gained.sum() - gained, blocks.n_moves.sum() - n_moves)
            todo = np.flatnonzero(blocks.at < blocks.stop).tolist()
        kernels.fill_strangers(self.climber, turns(self.climber))
