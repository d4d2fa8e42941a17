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

A `Run` climbs by such moves, again and again from other trees, and keeps the best one.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._progress import OnProgress, Progress
from tripletree._threads import n_threads, row_chunks, share_chunks, stop_if_over
from tripletree.errors import Remedy, TooLarge
from tripletree.linkage.average import with_average_heights
from tripletree.linkage.sparse_average import linkage_of
from tripletree.objective.value import merge_sums, revenue_of_sums
from tripletree.search import _climb_kernel as kernels
from tripletree.similarity.matrix import Similarity, sum_of_sizes
from tripletree.tree.shapes import random_tree
from tripletree.tree.tree import Tree

Ints = npt.NDArray[np.int64]

SUMS_PER_STEP = 2 * 10**6  # looked at between two looks at the clock
SUBTREES_PER_CHUNK = 64  # that a thread prices at once, at most
MANY_NODES = 1_000  # from here on, pricing on several threads pays
MOST_TO_DENOISE = 2_000  # objects, for a product of matrices
MOST_RESTARTS = 3_000
PAIRS_PER_SEARCH = 4 * 10**7  # restarts times n^2, some seconds of work
FEWEST_TO_RATCHET = 500  # objects
PAIRS_PER_DOUBLED = 4  # one of so many pairs counts twice


def default_restarts(n: int) -> int:
    """How often to start again with n objects, if nothing is said."""
    return max(1, min(MOST_RESTARTS, PAIRS_PER_SEARCH // n**2))


def in_units(
    values: npt.NDArray[Any], n: int, total: float
) -> tuple[npt.NDArray[Any], int | None]:
    """Similarities of n objects as whole numbers, and the exponent of their units.

    Floats are counted in units of 2^-exponent; the exponent of integers is None.
    """
    if values.dtype.kind != "f":
        return values, None
    exponent = 61 - math.frexp(2 * n * total)[1]
    return np.rint(np.ldexp(values, exponent)), exponent


def new_climber(tree: Tree, s: npt.NDArray[Any]) -> tuple[Any, int | None]:
    """The state that prices the moves of a tree, and the exponent of its units.

    Kernels change the state in place.
    """
    n = tree.n_leaves
    n_nodes = 2 * n - 1
    total = sum_of_sizes(s)
    is_small = s.dtype.kind != "f" and total < 2**30
    dtype = np.dtype(np.int32 if is_small else np.int64)
    check_fits(
        n_nodes * n * dtype.itemsize,
        f"climbing with {n} objects",
        "use fewer objects, or ",
        Remedy("climb with a csr_array", shell="--method adds-al"),
        ".",
    )
    sums = np.empty((n_nodes, n), dtype)
    for rows in row_chunks(n, 256):
        sums[rows], exponent = in_units(s[rows], n, total)
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
    # A copy can always be written to: kernels are compiled again for what cannot.
    kernels.fill_sums(climber, new_scratch(len(children) + 1), children.copy())


def climber_revenue(climber: Any) -> int:
    """What the tree earns: minus the sum of size times cross sum over its merges."""
    return -int((climber.size * climber.cross).sum())


def current_children(climber: Any) -> npt.NDArray[np.int64]:
    """The merges of the tree as it is now, in the order of the layout."""
    n = climber.sums.shape[1]
    inner = climber.node_at[climber.merge_at]
    number = np.arange(2 * n - 1)
    number[inner] = np.arange(n, 2 * n - 1)
    children: npt.NDArray[np.int64] = number[climber.child[inner]]
    return children


def denoised_linkage(s: npt.NDArray[Any]) -> Tree:
    """Average linkage of s s: objects that are close to the same others are close.

    Entries are rounded to so few digits that the product is exact in floats, hence the
    same however it is computed. Small integers stay integers, for which average linkage
    is already compiled. O(n^3).
    """
    n, largest = len(s), float(np.abs(s).max())
    floats = s.astype(np.float64)
    if s.dtype.kind != "f" and largest**2 * n**4 < 2**53:
        return linkage_of((floats @ floats).astype(s.dtype))
    digits = (52 - math.frexp(n)[1]) // 2 - math.frexp(largest)[1]
    rounded = np.rint(np.ldexp(floats, digits))
    return linkage_of(rounded @ rounded)


@dataclass(frozen=True)
class SearchResult:
    """A tree that a search found.

    Attributes
    ----------
    tree : Tree
        Its heights are minus the average similarity of the two clusters of each merge.
    revenue : int or float
    n_moves : int
        How many moves were made on the way, restarts included.
    is_optimal : bool
        Whether no subtree can be moved anywhere with a gain (for `exact_optimum`:
        whether no tree is better). False if the search was stopped before.
    is_stopped : bool
        Whether the time limit ended the search before it was done. The tree
        of a search with restarts can still be optimal.
    """

    tree: Tree
    revenue: int | float
    n_moves: int
    is_optimal: bool
    is_stopped: bool


def search_result(
    tree: Tree,
    s: Similarity,
    labels: tuple[str, ...] | None,
    n_moves: int = 0,
    *,
    is_optimal: bool,
    is_stopped: bool = False,
) -> SearchResult:
    """Dress the tree that was found with heights and labels.

    s was checked before.
    """
    dressed = with_average_heights(tree, merge_sums(tree, s)).with_labels(labels)
    earned = revenue_of_sums(dressed, merge_sums(dressed, s))
    return SearchResult(dressed, earned, n_moves, is_optimal, is_stopped)


class Run:
    """One search: the climber, the best tree so far, and when to stop.

    Revenues are counted in the units of the climber, trees in its names of leaves: its
    leaf p is the object names[p]. A SparseRun has another climber.
    """

    kernels = kernels
    revenue_of = staticmethod(climber_revenue)
    children_of = staticmethod(current_children)
    set_tree = staticmethod(set_tree)

    def __init__(
        self, s: Similarity, tree: Tree, end: float, progress: OnProgress | None
    ) -> None:
        self.s: Any = s
        self.n = tree.n_leaves
        self.end, self.progress = end, progress
        self.n_moves = self.n_climbed = self.n_restarts = 0
        self.is_optimal = self.is_stopped = False
        self._begin(tree)
        self.best = self.current = self.revenue_of(self.climber)

    def _begin(self, tree: Tree) -> None:
        """Make the climber, and what every thread needs to price its subtrees."""
        self.climber, self.exponent = new_climber(tree, self.s)
        self.best_children = tree.children
        self.names: Ints = np.arange(self.n)
        self.scratches = [new_scratch(self.n) for _ in range(n_threads())]

    def search(self, rng: np.random.Generator, n_restarts: int) -> None:
        """Climb, then climb again from other trees, until the time is up."""
        self.n_restarts = n_restarts
        self._keep(self._climb())
        for number in range(n_restarts):
            if self.is_stopped:
                return
            self.n_climbed = 1 + number
            self._leave(rng, number)
            self.current = self.revenue_of(self.climber)
            self._keep(self._climb())

    def _keep(self, is_at_top: bool) -> None:
        """Keep the tree if it is better, or an optimum and no worse."""
        if self.current > self.best or (is_at_top and self.current >= self.best):
            self.best_children, self.best = self.children_of(self.climber), self.current
            self.is_optimal = is_at_top

    def _leave(self, rng: np.random.Generator, number: int) -> None:
        """Go from the best tree by random moves, or to a new tree."""
        if number == 0 and self.n <= MOST_TO_DENOISE:
            self.set_tree(self.climber, denoised_linkage(self.s).children)
        elif self.n >= FEWEST_TO_RATCHET and number >= default_restarts(self.n):
            try:
                self._ratchet(rng)
            except TooLarge:  # for a second climber
                self._kick(rng)
        elif number % 10 == 9:
            self.set_tree(self.climber, random_tree(self.n, rng=rng).children)
        else:
            self._kick(rng)

    def _kick(self, rng: np.random.Generator) -> None:
        """Go from the best tree by random moves."""
        self.set_tree(self.climber, self.best_children)
        draws = rng.random((int(rng.integers(1, 3 + self.n // 10)), 2))
        self.kernels.make_random_moves(self.climber, draws, self.scratches[0])

    def _ratchet(self, rng: np.random.Generator) -> None:
        """Climb from the best tree with some of the pairs counted twice."""
        check_fits(16 * self.n**2, "a copy with pairs counted twice")
        s, rows = self.s.copy(), np.arange(self.n)
        drawn = rng.integers(PAIRS_PER_DOUBLED, size=(self.n, self.n), dtype=np.uint8)
        is_doubled = (drawn == 0) & (rows[:, None] < rows)
        s[is_doubled | is_doubled.T] *= 2
        if 4 * self.n * sum_of_sizes(s) >= 2**63 and s.dtype.kind != "f":
            s //= 2  # so that no sum passes 2^63
        other = Run(s, Tree(self.best_children), self.end, None)
        other._climb()
        self.n_moves += other.n_moves
        self.set_tree(self.climber, other.children_of(other.climber))

    def _climb(self) -> bool:
        """Make moves until none gains; False if the time limit came first."""
        n_nodes = 2 * self.n - 1
        step = max(1, SUMS_PER_STEP // n_nodes)
        # Large subtrees first; several rounds in one call where they are short.
        order = np.tile(np.arange(n_nodes)[::-1], max(1, min(8, step // n_nodes)))
        gains = np.empty(len(order), np.int64)
        is_calm, n_idle = False, 0
        while True:
            n_moves_of_round = 0
            for part in row_chunks(len(order), step):
                if self._is_time_up():
                    return False
                self._price(order, part.start, part.stop, gains, is_calm)
                gained, n_moves, n_idle = self.kernels.climb(
                    self.climber,
                    order,
                    part.start,
                    part.stop,
                    self.scratches[0],
                    gains,
                    n_idle,
                )
                self._add(gained, n_moves)
                n_moves_of_round += n_moves
                if n_idle >= n_nodes:
                    return True
            is_calm = n_nodes > MANY_NODES and n_moves_of_round < n_nodes // 8

    def _is_time_up(self) -> bool:
        stop_if_over()
        self.is_stopped = self.is_stopped or time.monotonic() >= self.end
        return self.is_stopped

    def _price(
        self, order: Ints, start: int, stop: int, gains: Ints, is_calm: bool
    ) -> None:
        """Fill gains on all threads: when calm, most are 0 and can be passed over.

        Otherwise subtrees are priced when it is their turn: gains are set to 1.
        """
        if not is_calm:
            gains[start:stop] = 1
            return

        def price(scratch: Any, first: int) -> None:
            last = min(first + size, stop)
            self.kernels.price(self.climber, order, first, last, scratch, gains)

        # With many objects a step has few subtrees: every thread gets some of them.
        share = (stop - start) // (4 * len(self.scratches))
        size = max(1, min(SUBTREES_PER_CHUNK, share))
        chunks = range(start, stop, size)
        share_chunks(price, self.scratches[: len(chunks)], chunks)

    def _add(self, gained: int, n_moves: int) -> None:
        """Count the moves of a step, and report them."""
        self.current += int(gained)
        self.n_moves += int(n_moves)
        if self.progress is not None:
            most = max(self.best, self.current)
            worth = most if self.exponent is None else math.ldexp(most, -self.exponent)
            count: tuple[int, int | None] = self.n_moves, None
            if self.n_restarts and math.isinf(self.end):  # else the clock decides
                count = self.n_climbed, 1 + self.n_restarts
            self.progress(Progress("search", *count, worth))

    def result(self, labels: tuple[str, ...] | None) -> SearchResult:
        """The best tree, of the objects as they were given."""
        named = np.concatenate([self.names, np.arange(self.n, 2 * self.n - 1)])
        return search_result(
            Tree(named[self.best_children]),
            self.s,
            labels,
            self.n_moves,
            is_optimal=self.is_optimal,
            is_stopped=self.is_stopped,
        )
