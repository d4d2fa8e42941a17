"""Climb on a sparse similarity, see sparse_moves.py: most gain per second first.

Rounds begin with moves within small clusters, where a subtree is priced in microseconds
and nearly all gain is; when few subtrees move, the clusters grow, up to the whole tree.
A climb ends when no subtree can be moved anywhere with a gain.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree._checks import check_callable
from tripletree._lazy import kernel_module
from tripletree._threads import n_threads, share_chunks
from tripletree.search.result import Progress, SearchResult, search_result
from tripletree.search.sparse_moves import (
    blocks_of,
    within_blocks,
    current_sparse_children,
    new_sparse_climber,
    new_sparse_scratch,
    set_sparse_tree,
    turns,
)
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.search._sparse_climb_kernel")

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LARGEST_CLUSTERS = (1_000, 16_000)  # within which to move, before the whole tree
CALM = 200  # a round that moves fewer than one in so many subtrees is calm
NODES_PER_STEP = 4 * 10**6  # visited between two glances at the clock, about
NODES_PER_CHUNK = 5 * 10**5


class SparseRun:
    """One search: the climber, the best tree so far, and when to stop.

    Revenues are counted in the units of the climber.
    """

    def __init__(
        self,
        s: csr_array,
        tree: Tree,
        time_limit: float,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.began = time.monotonic()
        self.time_limit = time_limit
        check_callable("progress", progress)
        self.progress = progress
        self.s, self.tree = s, tree
        self.n_moves = 0
        self.is_stopped = False
        self.is_optimal = tree.n_leaves <= 2
        if not self.is_optimal:
            self.climber, self.exponent, self.names = new_sparse_climber(tree, s)
            self.best = self.current = kernels.revenue(self.climber)
            self.best_children = current_sparse_children(self.climber)
            n = tree.n_leaves
            self.scratches = [new_sparse_scratch(n) for _ in range(n_threads())]
            sizes = [size for size in LARGEST_CLUSTERS if size < n]
            self.sizes = [*sizes, n]

    def climb(self) -> bool:
        for most in self.sizes[:-1]:
            if not self.climb_blocks(most): return False
            self.say(f"blocks {most}")
        small = SMALL
        while True:
            n_moves = self.round(small)
            self.say(f"small {small} moves {n_moves}")
            if n_moves<0: return False
            if n_moves == 0 and small >= len(self.climber.link): return True
            if n_moves < len(self.climber.link)//CALM:
                small = 10**9

    def say(self, what):
        if DEBUG:
            print(f"{time.monotonic()-self.began:7.1f} s {what} revenue +{(self.current-self.best)/abs(self.best)*100:.4f} %", flush=True)

    def climb_blocks(self, most):
        order = turns(self.climber)
        blocks = blocks_of(self.climber, order, most)
        inner = within_blocks(self.climber, order, blocks)
        todo = list(range(len(blocks)))
        while todo:
            if time.monotonic() - self.began >= self.time_limit:
                self.is_stopped = True
                break
            budget = max(10**4, NODES_PER_STEP * len(self.scratches) // len(todo))
            def go(scratch, k):
                kernels.climb_block(inner, order, blocks[k], CALM, budget, scratch)
            share_chunks(go, self.scratches, todo)
            todo = [k for k in todo if blocks[k, kernels.AT] < blocks[k, kernels.STOP]]
        self.current += blocks[:, kernels.GAINED].sum()
        kernels.fill_strangers(self.climber, turns(self.climber))
        if DEBUG: print("moves", blocks[:, kernels.N_MOVES].sum(), "inner nnz", inner.starts[-1], len(blocks))
        return not self.is_stopped

    def round(self, small):
        order = turns(self.climber)
        order = order[self.climber.link[order, kernels.SIZE] <= small]
        gains = np.zeros(len(order), np.int64)
        step = 4096
        n_total = 0
        for start in range(0, len(order), step):
            stop = min(start+step, len(order))
            if time.monotonic() - self.began >= self.time_limit:
                self.is_stopped = True
                return -1
            self._price(order, start, stop, gains)
            gained, n_moves = kernels.climb(self.climber, order, start, stop, self.scratches[0], gains)
            self.current += gained
            n_total += n_moves
        return n_total

    def _price(self, order, start, stop, gains):
        edges = list(range(start, stop, 256)) + [stop]
        def price(scratch, k):
            kernels.price(self.climber, order, edges[k], edges[k+1], scratch, gains)
        share_chunks(price, self.scratches, range(len(edges)-1))
DEBUG = False
SMALL = 16
