"""Climb on a sparse similarity, see sparse_moves.py.

All subtrees take turns, as in the dense search, until none can be moved anywhere with a
gain. When few of them move, many are priced at once, on all threads.

Pricing a subtree takes a walk to the root, so all places of all subtrees are too many
in a tree that is both large and deep. There moves are made within clusters of bounded
size; if it stays deep, the climb ends with them, and does not claim an optimum.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree._checks import check_callable
from tripletree._lazy import kernel_module
from tripletree._progress import OnProgress, Progress
from tripletree._threads import n_threads, share_chunks
from tripletree.search.result import SearchResult, search_result
from tripletree.search.sparse_moves import (
    Ints,
    blocks_of,
    current_sparse_children,
    first_turns,
    new_sparse_climber,
    new_sparse_scratch,
    set_sparse_tree,
    turns,
    within_blocks,
)
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.search._sparse_climb_kernel")

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CALM = 20  # a round that moves at most one in so many subtrees is calm
SHALLOW = 100  # levels above a leaf: in deeper trees every round is as a calm one
NODES_PER_STEP = 4 * 10**6  # to visit between two glances at the clock, about
SUBTREES_PER_CHUNK = 64
LARGE = 50_000  # objects: up to here, places all over a deep tree are priced as well
DEEP = 2_000  # levels above a leaf, on average
BLOCK_SIZES = (1_000, 16_000)  # leaves of the clusters to move within in such a tree


class SparseRun:
    """One search: the climber, the best tree so far, and when to stop.

    Revenues are counted in the units of the climber, trees in its names of leaves.
    """

    def __init__(
        self,
        s: csr_array,
        tree: Tree,
        time_limit: float,
        progress: OnProgress | None,
    ) -> None:
        self.began = time.monotonic()
        self.time_limit = time_limit
        check_callable("progress", progress)
        self.progress = progress
        self.s, self.tree = s, tree
        self.n = n = tree.n_leaves
        self.n_moves = 0
        self.is_stopped = False
        self.is_optimal = n <= 2
        if not self.is_optimal:
            self.climber, self.exponent, self.names = new_sparse_climber(tree, s)
            self.best = self.current = int(kernels.revenue(self.climber))
            self.best_children = current_sparse_children(self.climber)
            self.first_turns = first_turns(tree)
            self.scratches = [new_sparse_scratch(n) for _ in range(n_threads())]

    def search(self, rng: np.random.Generator, n_restarts: int) -> None:
        """Climb, then climb again from other trees, until the time is up."""
        if self.n <= 2:
            return
        self._keep(self._climb())
        for _ in range(n_restarts):
            if self.is_stopped:
                return
            set_sparse_tree(self.climber, self.best_children)
            draws = rng.random((int(rng.integers(1, 3 + self.n // 10)), 2))
            kernels.kick(self.climber, draws, self.scratches[0])
            self.current = int(kernels.revenue(self.climber))
            self._keep(self._climb())

    def _keep(self, is_at_top: bool) -> None:
        """Keep the tree if it is better, or an optimum and no worse."""
        if self.current > self.best or (is_at_top and self.current >= self.best):
            self.best_children = current_sparse_children(self.climber)
            self.best = self.current
            self.is_optimal = is_at_top

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

    def _is_time_up(self) -> bool:
        if time.monotonic() - self.began >= self.time_limit:
            self.is_stopped = True
        return self.is_stopped

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
                scratch.tally[kernels.VISITS] = 0
            if is_calm:
                self._price(order, start, stop, gains)
            else:
                gains[start:stop] = 1
            gained, n_new = kernels.climb(
                self.climber, order, start, stop, self.scratches[0], gains
            )
            self.current += int(gained)
            self.n_moves += n_new
            n_moves += n_new
            n_visits = sum(int(f.tally[kernels.VISITS]) for f in self.scratches)
            wanted = (stop - start) * NODES_PER_STEP // max(1, n_visits)
            step = max(2 * SUBTREES_PER_CHUNK, step // 2, min(2 * step, wanted))
            start = stop
            self._report()
        return n_moves

    def _price(self, order: Ints, start: int, stop: int, gains: Ints) -> None:
        """Fill gains on all threads: most will be 0 and can be passed over."""

        def price(scratch: Any, first: int) -> None:
            last = min(first + SUBTREES_PER_CHUNK, stop)
            kernels.price(self.climber, order, first, last, scratch, gains)

        share_chunks(price, self.scratches, range(start, stop, SUBTREES_PER_CHUNK))

    def _climb_blocks(self, most: int) -> None:
        """Climb within the largest clusters of at most so many leaves, each by itself.

        Their leaves do not change, so one thread never meets another.
        """
        order = turns(self.climber)
        blocks = blocks_of(self.climber, order, most)
        inner = within_blocks(self.climber, order, blocks)
        n_before = self.n_moves
        todo = list(range(len(blocks)))
        while todo and not self._is_time_up():
            n_visits = max(10_000, NODES_PER_STEP * len(self.scratches) // len(todo))

            def go_on(scratch: Any, number: int, n_visits: int = n_visits) -> None:
                block = blocks[number]
                kernels.climb_block(inner, order, block, CALM, n_visits, scratch)

            before = int(blocks[:, kernels.GAINED].sum())
            share_chunks(go_on, self.scratches, todo)
            self.current += int(blocks[:, kernels.GAINED].sum()) - before
            self.n_moves = n_before + int(blocks[:, kernels.N_MOVES].sum())
            is_done = blocks[:, kernels.AT] == blocks[:, kernels.STOP]
            todo = [number for number in todo if not is_done[number]]
            self._report()
        kernels.fill_strangers(self.climber, turns(self.climber))

    def _report(self) -> None:
        if self.progress is not None:
            most = max(self.best, self.current)
            worth = most if self.exponent is None else math.ldexp(most, -self.exponent)
            self.progress(Progress("search", self.n_moves, None, worth))

    def result(self, labels: tuple[str, ...] | None) -> SearchResult:
        """The best tree, of the objects as they were given."""
        children = self.tree.children
        if self.n > 2:
            named = np.concatenate([self.names, np.arange(self.n, 2 * self.n - 1)])
            children = named[self.best_children]
        return search_result(
            Tree(children),
            self.s,
            labels,
            self.n_moves,
            is_optimal=self.is_optimal,
            is_stopped=self.is_stopped,
        )
