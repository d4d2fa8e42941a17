"""Climb: move subtrees while that gains revenue, and start again from elsewhere.

`climb` makes the best move of one subtree after the other until none of them gains: an
SPR optimum, exactly on integers. Average-linkage trees are never improved by swapping
neighbours alone, but nearly always by moving subtrees further.

`maximise_revenue` starts from average linkage, climbs, then repeats: disturb the best
tree by a few random moves, climb again, keep the result if it is no worse. Once it
starts from a linkage of denoised similarities, and now and then from a random tree. How
often depends on the size of the problem alone, so that the result is the same on every
machine; only with a time limit does the clock decide.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    check_callable,
    check_int,
    check_limit,
    check_same_objects,
)
from tripletree._lazy import kernel_module
from tripletree._progress import OnProgress, Progress
from tripletree._threads import map_threads, n_threads
from tripletree.comparisons.answers import Comparisons
from tripletree.linkage.sparse_average import linkage_of
from tripletree.search.moves import current_children, new_climber, new_scratch, set_tree
from tripletree.search.result import SearchResult, search_result
from tripletree.search.sparse_climb import SparseRun
from tripletree.similarity.matrix import Similarity, is_sparse, similarity_of
from tripletree.tree.shapes import random_tree
from tripletree.tree.tree import Tree, check_tree

kernels = kernel_module("tripletree.search._climb_kernel")

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SUMS_PER_STEP = 2 * 10**6  # looked at between two glances at the clock
MANY_NODES = 1_000  # from here on, pricing on several threads pays
MOST_RESTARTS = 3_000
MOST_TO_DENOISE = 2_000  # objects, for a product of matrices
PAIRS_PER_SEARCH = 4 * 10**7  # restarts times n^2, some seconds of work


def climb(
    tree: Tree,
    data: Comparisons | Similarity,
    *,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> SearchResult:
    """Move subtrees of a tree until no move gains revenue.

    Parameters
    ----------
    tree : Tree
        Where to start, for example the tree of average linkage.
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity.
    time_limit : float, optional
        Seconds after which to stop; 0 gives the tree back. No limit by default.
    progress : callable, optional
        Called after every step of the climb, with a `Progress`: the moves made,
        and the revenue of the best tree so far.

    Returns
    -------
    SearchResult
        Never worse than the given tree, up to rounding of floats. ``is_optimal`` says
        whether the climb came to its end; after the time limit it is False, and
        ``is_stopped`` True.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    Mismatch
        If the tree and the data are not about the same objects.
    TooLarge
        If the sums would not fit into the memory that is available.

    Notes
    -----
    O(n) to price all places of a subtree, O(n^2) a round, in about 2 n^2 numbers of
    memory. Exact on integers. Subtrees take turns in the order of their nodes; of equal
    places the first from the root is taken.

    A sparse similarity, and answers about more than 10,000 objects, never become a
    table of n^2: pricing a subtree visits the ways to the root from it and from its
    stored partners, in O(n + stored pairs) numbers of memory. The same places are
    priced. Only in trees of more than 50,000 objects whose leaves have more than 2,000
    merges above them on average are moves made within clusters of at most 16,000
    leaves; then ``is_optimal`` can be False at the end.

    Examples
    --------
    >>> from tripletree import Triplets, caterpillar_tree
    >>> answers = Triplets([[0, 3, 1], [3, 0, 2], [1, 2, 0]], n_objects=4)
    >>> result = climb(caterpillar_tree(4), answers)
    >>> result.revenue, result.is_optimal
    (6, True)
    """
    check_tree(tree)
    s, labels = similarity_of(data)
    what = "a tree of {} leaves and data about {} objects"
    check_same_objects(tree.n_leaves, tree.labels, s.shape[0], labels, what)
    run = _new_run(s, tree, check_limit(time_limit), progress)
    run.search(np.random.default_rng(0), n_restarts=0)
    return run.result(tree.labels if labels is None else labels)


def maximise_revenue(
    data: Comparisons | Similarity,
    *,
    time_limit: float | None = None,
    n_restarts: int | None = None,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> SearchResult:
    """Search for the tree with the largest revenue: climbs with restarts.

    Parameters
    ----------
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity.
    time_limit : float, optional
        Seconds after which to stop with the best tree so far. No limit by default: the
        restarts end by themselves.
    n_restarts : int, optional
        How often to start again. Without a time limit 4e7 / n^2, at least 1 and at most
        3,000: some seconds of work for up to 2,000 objects; never for a sparse
        similarity. With one as often as it allows, up to a hundred times that.
    seed : int, default 0
        The same seed gives the same tree, if no time limit strikes.
    progress : callable, optional
        Called after every step of a climb, with a `Progress`: the moves made,
        and the revenue of the best tree so far.

    Returns
    -------
    SearchResult
        ``is_optimal``: no subtree of the tree can be moved anywhere with a gain.
        ``is_stopped``: the time limit came before the last restart.

    Raises
    ------
    InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    TooLarge
        If the sums would not fit into the memory that is available.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> answers = Triplets([[0, 3, 1], [3, 0, 2], [1, 2, 0]], n_objects=4)
    >>> maximise_revenue(answers).revenue
    6
    """
    s, labels = similarity_of(data)
    if n_restarts is None:
        without_limit = 0 if is_sparse(s) else 1
        n_times = without_limit if time_limit is None else 100
        n_restarts = default_restarts(s.shape[0]) * n_times
    n_restarts = check_int("n_restarts", n_restarts, 0, 10**9)
    seed = check_int("seed", seed, 0, 2**63)
    return search_tree(s, labels, n_restarts, seed, check_limit(time_limit), progress)


def search_tree(
    s: npt.NDArray[Any] | csr_array,
    labels: tuple[str, ...] | None,
    n_restarts: int,
    seed: int,
    seconds: float,
    progress: OnProgress | None = None,
) -> SearchResult:
    """`maximise_revenue` of a similarity that was checked before."""
    began = time.monotonic()
    tree = linkage_of(s)
    seconds = max(0.0, seconds - (time.monotonic() - began))
    run = _new_run(s, tree, seconds, progress)
    run.search(np.random.default_rng(seed), n_restarts)
    return run.result(labels)


def _new_run(
    s: npt.NDArray[Any] | csr_array,
    tree: Tree,
    seconds: float,
    progress: OnProgress | None,
) -> _Run | SparseRun:
    if isinstance(s, np.ndarray):
        return _Run(s, tree, seconds, progress)
    return SparseRun(s, tree, seconds, progress)


def default_restarts(n: int) -> int:
    """How often to start again with n objects, if nothing is said."""
    return max(1, min(MOST_RESTARTS, PAIRS_PER_SEARCH // n**2))


def denoised_linkage(s: npt.NDArray[Any]) -> Tree:
    """Average linkage of s s: two objects are close if they are close to the same.

    Entries are rounded to so few digits that the product is exact in floats, hence the
    same however it is computed. O(n^3).
    """
    largest = float(np.abs(s).max())
    digits = (52 - math.frexp(len(s))[1]) // 2 - math.frexp(largest)[1]
    rounded = np.rint(np.ldexp(s.astype(np.float64), digits))
    return linkage_of(rounded @ rounded)


class _Run:
    """One search: the climber, the best tree so far, and when to stop.

    Revenues are counted in the units of the climber.
    """

    def __init__(
        self,
        s: npt.NDArray[Any],
        tree: Tree,
        time_limit: float,
        progress: OnProgress | None,
    ) -> None:
        self.began = time.monotonic()
        self.time_limit = time_limit
        check_callable("progress", progress)
        self.progress = progress
        self.s = s
        self.n_moves = 0
        self.best_children = tree.children
        self.is_stopped = False
        self.is_optimal = tree.n_leaves <= 2
        if not self.is_optimal:
            self.climber, self.exponent = new_climber(tree, s)
            self.best = self.current = kernels.revenue(self.climber)
            self.scratches = [new_scratch(tree.n_leaves) for _ in range(n_threads())]

    def search(self, rng: np.random.Generator, n_restarts: int) -> None:
        """Climb, then climb again from other trees, until the time is up."""
        if len(self.s) <= 2:
            return
        self._keep(self._climb())
        for number in range(n_restarts):
            if self.is_stopped:
                return
            self._leave(rng, number)
            self.current = kernels.revenue(self.climber)
            self._keep(self._climb())

    def _keep(self, is_at_top: bool) -> None:
        """Keep the tree if it is better, or an optimum and no worse."""
        if self.current > self.best or (is_at_top and self.current >= self.best):
            self.best_children, self.best = current_children(self.climber), self.current
            self.is_optimal = is_at_top

    def _climb(self) -> bool:
        """Make moves until none gains; False if the time limit came first."""
        n_nodes = len(self.climber.parent)
        step = max(1, SUMS_PER_STEP // n_nodes)
        # Large subtrees first; several rounds in one call where they are short.
        order = np.tile(np.arange(n_nodes)[::-1], max(1, min(8, step // n_nodes)))
        gains = np.empty(len(order), np.int64)
        start = n_idle = n_moves_of_round = 0
        is_calm = False
        while n_idle < n_nodes:
            if time.monotonic() - self.began >= self.time_limit:
                self.is_stopped = True
                return False
            stop = min(start + step, len(order))
            if is_calm:
                self._price(order, start, stop, gains)
            else:
                gains[start:stop] = 1
            gained, n_moves, n_idle = kernels.climb(
                self.climber, order, start, stop, self.scratches[0], gains, n_idle
            )
            self.current += gained
            self.n_moves += n_moves
            n_moves_of_round += n_moves
            start = stop
            if stop == len(order):
                is_calm = n_nodes > MANY_NODES and n_moves_of_round < n_nodes // 8
                start = n_moves_of_round = 0
            self._report()
        return True

    def _price(
        self, order: npt.NDArray[np.int64], start: int, stop: int, gains: Any
    ) -> None:
        """Fill gains on all threads: most will be 0 and can be passed over."""
        edges = np.linspace(start, stop, len(self.scratches) + 1).astype(int).tolist()

        def price(part: int) -> None:
            a, b, scratch = edges[part], edges[part + 1], self.scratches[part]
            kernels.price(self.climber, order, a, b, scratch, gains)

        map_threads(price, range(len(self.scratches)))

    def _report(self) -> None:
        if self.progress is not None:
            most = max(self.best, self.current)
            worth = most if self.exponent is None else math.ldexp(most, -self.exponent)
            self.progress(Progress("search", self.n_moves, None, worth))

    def _leave(self, rng: np.random.Generator, number: int) -> None:
        """Go from the best tree by random moves, or to a new tree."""
        n = len(self.s)
        if number == 0 and n <= MOST_TO_DENOISE:
            set_tree(self.climber, denoised_linkage(self.s).children)
        elif number % 10 == 9:
            set_tree(self.climber, random_tree(n, rng=rng).children)
        else:
            set_tree(self.climber, self.best_children)
            draws = rng.random((int(rng.integers(1, 3 + n // 10)), 2))
            kernels.kick(self.climber, draws, self.scratches[0])

    def result(self, labels: tuple[str, ...] | None) -> SearchResult:
        return search_result(
            Tree(self.best_children),
            self.s,
            labels,
            self.n_moves,
            is_optimal=self.is_optimal,
            is_stopped=self.is_stopped,
        )
