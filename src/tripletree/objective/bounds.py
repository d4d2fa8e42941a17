r"""How much revenue any tree can earn at most: bounds and the optimality gap.

The revenue of a tree is a sum over sets of three objects, each of which it resolves in
one of three ways:

.. math:: R(H) = \sum_{\{i,j,k\}} s(\text{the pair that meets first})
                 \; - \; n \sum_{i<j} s_{ij}

**All subsets.** Up to 16 objects, the largest revenue itself is found. Among all trees
on a set S, the best one splits S into A and B, with the best trees on both below it:

.. math:: R(S) = \max_{A \cup B = S} R(A) + R(B) - |S| \, s(A, B)

Sets are bit masks, and :math:`s(A, B) = W(S) - W(A) - W(B)` with the sums W inside the
sets. Every set is split in every way: :math:`O(3^n)` time, :math:`O(2^n)` memory.

**Three objects.** Taking the largest s of each triple on its own gives a bound in
O(n^3). No tree can resolve all triples as they like best.

**Four objects.** Any four objects must be resolved like one of their 15 binary trees.
Divide the values of each triple among the n - 3 sets of four that contain it, and let
every set take its best tree: the sum is a bound, however the values are divided. Dual
ascent looks for a good division: one triple after the other, its shares are changed so
that all its sets of four agree on what each answer is worth. That never raises the
bound, so it can be stopped at any time. Above 84 objects, where time is enough for some
tens of sweeps only, shares are moved 1.4 times as far. On answers of people that saves
a third of the sweeps; on noise a long run ends higher. The least bound found counts.

Threads share a sweep. Objects are put into G groups of neighbours, and triples into
blocks by the groups of their objects. Two triples in a common set of four have two
objects in common, and so two groups. If the numbers of their three groups have the same
sum modulo G, the third group is the same, too: they are in the same block. So blocks of
equal sums are independent. They take their turn together, each on one thread, and the
bound does not depend on the number of threads.

**Groups** are far tighter than three objects, for up to some thousand objects; see
groups.py.

How much is done depends on n alone, so that the bound is the same on every machine;
only with a time limit does the clock decide.

Bounds are computed in floats and rounded up beyond any rounding error, then down to an
integer where all revenues are integers.
"""

from __future__ import annotations

import math
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, check_int, check_limit, check_same_objects
from tripletree._threads import map_threads, row_chunks
from tripletree.comparisons.triplets import Comparisons
from tripletree.errors import InvalidOption, TooLarge, refuse_if
from tripletree.objective import _bounds_kernel as kernels
from tripletree.objective.groups import bound_of_groups, default_rounds
from tripletree.objective.value import merge_sums, revenue_of_sums
from tripletree.similarity.matrix import Similarity, dense_similarity_of
from tripletree.tree.tree import Tree, check_tree

MOST_OBJECTS = 16  # of all subsets
SETS_PER_STEP = 4096
LARGEST_OF_FOUR = 84
LARGEST_OF_BOTH, FEWEST_SECONDS = 100, 10  # groups, then sets of four
LARGEST_OF_GROUPS = 3_000
N_SAMPLED = 10**6
QUADS_PER_BOUND = 3 * 10**7  # sweeps times sets of four: some seconds of work
FEWEST_SWEEPS, MOST_SWEEPS = 5, 1_000
SWEEPS_PER_LOOK = 10  # between two looks at the bound
BEYOND = 1.4  # the step of shares above LARGEST_OF_FOUR
GROUPED = 32  # objects from which threads share a sweep: they take time to start
GROUP_SIZE = 8
ROUNDED = 1e-9  # share of a bound of floats that is less than its rounding and no tree

Method = Literal[
    "all subsets", "four objects", "groups", "three objects", "sampled triples"
]


@dataclass(frozen=True)
class Gap:
    """How far a tree can be from the best one.

    Attributes
    ----------
    revenue : int or float
        Of the tree.
    bound : int or float
        No tree earns more. If ``is_estimate``, only an estimate of such a bound.
    method : {"all subsets", "four objects", "groups", "sampled triples"}
    is_estimate : bool
    low, high : float
        A 95 % confidence interval of an estimate; both are the bound otherwise.
    shift : int or float
        What all trees would earn more if the mean similarity were 0. It is 0 for
        comparisons.
    """

    revenue: int | float
    bound: int | float
    method: Method
    is_estimate: bool
    low: float
    high: float
    shift: int | float = 0

    @property
    def share(self) -> float:
        """The share of the bound that the tree earns: at most 1, below 0 for bad trees.

        Similarities are taken relative to their mean, because a constant added to all
        of them says nothing about a tree.
        """
        most = self.bound + self.shift
        missed = self.bound - self.revenue
        return 1.0 if missed == 0 or most <= 0 else 1.0 - missed / most

    @property
    def is_closed(self) -> bool:
        """Whether no tree earns more: exactly, or for floats up to their rounding."""
        missed = self.bound - self.revenue
        is_rounded = isinstance(self.bound, float)
        least = ROUNDED * abs(self.bound + self.shift) if is_rounded else 0
        return not self.is_estimate and missed <= least

    @property
    def gap(self) -> float:
        """What the tree may miss, as a share of the bound."""
        return 1.0 - self.share


def share_at_least(gap: Gap) -> float:
    """The share of the bound, rounded down to 0.1 %: what is shown must be true."""
    return math.floor(1_000 * gap.share) / 1_000


def upper_bound(
    data: Comparisons | Similarity,
    *,
    method: Method | None = None,
    time_limit: float | None = None,
    target: int | float | None = None,
) -> int | float:
    """An upper bound on the revenue of every tree.

    Parameters
    ----------
    data : Triplets, Quadruplets, ndarray or csr_array
    method : {"all subsets", "four objects", "groups", "three objects"}, optional
        All subsets give the largest revenue itself, for at most 16 objects. Sets of
        three take O(n^3) time. Sets of four are far tighter, and get tighter the longer
        they run; they take 4 n^4 bytes and are the default up to 84 objects. Groups are
        the default above, never above the bound of three objects, and also get tighter
        the longer they run: O(n^3) time a round. Of floats, every bound is rounded up
        beyond any rounding error.
    time_limit : float, optional
        Seconds after which sets of four, or groups, stop; sets of three come first and
        always end (half a minute for 8,000 objects). By default they stop after a
        number of rounds that depends on n alone (1,000 for 20 objects, 15 for 84; 200
        for 100 objects, 1 for 2,000), so that the bound is the same on every machine.
    target : int or float, optional
        A revenue that was found: stop when the bound proves that it is the largest.

    Returns
    -------
    int or float
        An int if the data are integers.

    Raises
    ------
    InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    TooLarge
        If a table would not fit into the memory that is available.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> upper_bound(Triplets([[0, 1, 2], [3, 2, 0]], n_objects=4))
    4
    """
    s, _ = dense_similarity_of(data)
    if method is None:
        method = tightest_method(len(s))
    refuse_if(
        not isinstance(method, str),
        InvalidOption,
        f"method is of type {type(method).__name__}: give its name.",
    )
    is_known = method in get_args(Method)[:-1]
    refuse_if(
        not is_known or (method == "all subsets" and len(s) > MOST_OBJECTS),
        InvalidOption,
        f'method = {method!r}: choose "groups", "four objects", "three objects" or, '
        f'for at most {MOST_OBJECTS} objects, "all subsets".',
    )
    goal = -math.inf if target is None else target
    return _bound(s, method, check_limit(time_limit), goal, time_limit is not None)


def estimated_bound(
    data: Comparisons | Similarity, *, n_sampled: int = N_SAMPLED, seed: int = 0
) -> tuple[float, float, float]:
    """An estimate, not a bound: the bound of three objects from sampled triples.

    Parameters
    ----------
    data : Triplets, Quadruplets, ndarray or csr_array
    n_sampled : int, default 1,000,000
    seed : int, default 0

    Returns
    -------
    estimate, low, high : float
        With a 95 % confidence interval.

    Raises
    ------
    InvalidSimilarity, InvalidOption, TooLarge
        As for :func:`upper_bound`.

    Examples
    --------
    >>> import numpy as np
    >>> estimated_bound(np.zeros((5, 5)))
    (0.0, 0.0, 0.0)
    """
    s, _ = dense_similarity_of(data)
    n = len(s)
    n_sampled = check_int("n_sampled", n_sampled, 2, 10**9)
    rng = np.random.default_rng(check_int("seed", seed, 0, 2**63))
    if n < 3:
        value = float(_bound_of_three(s))
        return value, value, value
    check_fits(72 * n_sampled, f"{n_sampled} triples", "sample fewer.")
    i, j, k = _distinct(rng, n, n_sampled)
    values = np.maximum(np.maximum(s[i, j], s[i, k]), s[j, k]).astype(np.float64)
    n_triples = math.comb(n, 3)
    constant = n * float(_sum_of_pairs(s))
    estimate = n_triples * float(values.mean()) - constant
    half = 1.96 * n_triples * float(values.std(ddof=1)) / math.sqrt(n_sampled)
    return estimate, estimate - half, estimate + half


def optimality_gap(
    tree: Tree,
    data: Comparisons | Similarity,
    *,
    time_limit: float | None = None,
) -> Gap:
    """How far from the largest possible revenue a tree can be.

    Up to 16 objects by all subsets, up to 84 by sets of four, up to 3,000 by groups;
    beyond, the gap is only an estimate, and says so. From 85 to 100 objects, with ten
    seconds or more, by groups and then by sets of four, which overtake them.

    Parameters
    ----------
    tree : Tree
    data : Triplets, Quadruplets, ndarray or csr_array
    time_limit : float, optional
        Seconds for the bound, as in :func:`upper_bound`.

    Returns
    -------
    Gap

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption, TooLarge
        As for :func:`upper_bound`, or if there is no tree.
    Mismatch
        If the tree and the data are not about the same objects.

    Examples
    --------
    >>> from tripletree import Triplets, exact_optimum
    >>> answers = Triplets([[0, 1, 2], [3, 2, 0]], n_objects=4)
    >>> optimality_gap(exact_optimum(answers).tree, answers).gap
    0.0
    """
    check_tree(tree)
    seconds = check_limit(time_limit)
    s, labels = dense_similarity_of(data)
    n = len(s)
    what = "a tree of {} leaves and data about {} objects"
    check_same_objects(tree.n_leaves, tree.labels, n, labels, what)
    earned = revenue_of_sums(tree, merge_sums(tree, s))
    return gap_of(earned, s, seconds, time_limit is not None)


def gap_of(
    earned: int | float, s: npt.NDArray[Any], seconds: float, is_timed: bool = False
) -> Gap:
    """How far this revenue is from the tightest bound; s was checked before.

    If it is timed, all seconds are used; otherwise no more work is done than usual.
    """
    n = len(s)
    if n > LARGEST_OF_GROUPS:
        estimate, low, high = estimated_bound(s)
        return Gap(earned, estimate, "sampled triples", True, low, high, _shift(s))
    method = tightest_method(n)
    is_long = is_timed and n <= LARGEST_OF_BOTH and seconds >= FEWEST_SECONDS
    if not (is_long and method == "groups"):
        bound = _bound(s, method, seconds, earned, is_timed)
    else:
        end = time.monotonic() + seconds
        # The usual rounds: sets of four make more of the time that is left.
        bound = _bound(s, "groups", seconds / 4, earned, is_timed=False)
        left = end - time.monotonic()
        with suppress(TooLarge):
            if bound > earned:
                of_four = _bound(s, "four objects", left, earned, is_timed)
                method = "four objects" if of_four < bound else method
                bound = min(bound, of_four)
    return Gap(earned, bound, method, False, float(bound), float(bound), _shift(s))


def default_sweeps(n: int) -> int:
    """How often all triples of n objects take their turn, if nothing is said."""
    n_sweeps = QUADS_PER_BOUND // max(1, math.comb(n, 4))
    return max(FEWEST_SWEEPS, min(MOST_SWEEPS, n_sweeps))


def _bound(
    s: npt.NDArray[Any],
    method: Method,
    seconds: float,
    target: int | float,
    is_timed: bool,
) -> int | float:
    n, end = len(s), time.monotonic() + seconds
    rounding = _rounding(n**3, _sizes(s)) if s.dtype.kind == "f" else 0
    if method == "all subsets":
        return best_splits(s)[0] + rounding
    best = _bound_of_three(s) + rounding
    if method == "three objects" or n < 4 or best <= target:
        return best
    if method == "groups":
        n_rounds = sys.maxsize if is_timed else default_rounds(n)
        return bound_of_groups(s, best, rounding, target, n_rounds, end)
    n_sweeps = sys.maxsize if is_timed else default_sweeps(n)
    return _bound_of_four(s, best, target, n_sweeps, end)


def _shift(s: npt.NDArray[Any]) -> int | float:
    """Every tree earns -(n^3 - n)/3 for a constant similarity of 1."""
    total = _sum_of_pairs(s)
    return total * (2 * (len(s) + 1)) / 3 if total else 0


def tightest_method(n: int) -> Method:
    if n <= MOST_OBJECTS:
        return "all subsets"
    return "four objects" if n <= LARGEST_OF_FOUR else "groups"


def _sum_of_pairs(s: npt.NDArray[Any]) -> int | float:
    if s.dtype.kind == "f":
        return float(s.sum() - np.trace(s)) / 2
    return int(np.tril(s, -1).sum())


def _distinct(rng: np.random.Generator, n: int, m: int) -> list[npt.NDArray[np.int64]]:
    """m sets of three different objects, uniform: three arrays of them."""
    i, j, k = (rng.integers(0, n - d, m) for d in range(3))
    j += j >= i
    k += k >= np.minimum(i, j)
    k += k >= np.maximum(i, j)
    return [i, j, k]


def best_splits(s: npt.NDArray[Any]) -> tuple[int | float, npt.NDArray[np.int64]]:
    """The largest revenue, and for every set one half of its best split, (2^n,)."""
    n = len(s)
    size = np.bitwise_count(np.arange(2**n)).astype(np.int64)
    within, best = sums_within(s), np.zeros(2**n, s.dtype)
    split = np.zeros(2**n, np.int64)
    for sets in row_chunks(2**n, SETS_PER_STEP):  # so that Ctrl-C is heard
        kernels.fill_best(within, size, sets.start, sets.stop, best, split)
    return best[-1].item(), split


def sums_within(s: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sum of s over the pairs inside each set of objects, (2^n,)."""
    n = len(s)
    within = np.zeros(2**n, s.dtype)
    for first in reversed(range(n)):  # the smallest object of a set
        sums = within[:: 2 << first].copy()  # without it
        for other in range(first + 1, n):
            has_other = sums.reshape(-1, 2, 1 << (other - first - 1))[:, 1]
            has_other += s[first, other]
        within[1 << first :: 2 << first] = sums
    return within


def _bound_of_three(s: npt.NDArray[Any]) -> int | float:
    """From the sum over triples of their largest s; exact for integers."""
    n = len(s)
    # Bands of rows with about equally many triples: their number grows with i^2.
    edges = np.unique((n * np.linspace(0, 1, 65) ** (1 / 3)).astype(int))
    bands = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    parts = map_threads(lambda b: kernels.sum_of_largest(s, b[0], b[1]), bands)
    constant = n * _sum_of_pairs(s)
    if s.dtype.kind == "f":
        return math.fsum(map(float, parts)) - constant
    return sum(map(int, parts)) - constant


def _bound_of_four(
    s: npt.NDArray[Any],
    best: int | float,
    target: int | float,
    n_sweeps: int,
    end: float,
) -> int | float:
    """The bound from sets of four objects after so many sweeps, or at the end.

    Never more than `best`, that of three objects.
    """
    n = len(s)
    n_quads = math.comb(n, 4)
    check_fits(96 * n_quads, "the bound of four objects", 'use method="three objects".')
    shares = np.empty((n_quads, 4, 3))
    map_threads(lambda d: kernels.share_values(s, d, shares), range(n))
    constant = n * _sum_of_pairs(s)
    step = BEYOND if n > LARGEST_OF_FOUR else 1.0
    classes = independent_blocks(n)
    n_done = 0
    while True:
        total, *sizes = _sums_of_shares(shares, s)
        rounding = _rounding(12 * n_quads, sizes[0] + _sizes(s))
        safe = total + rounding + _rounding(n, sizes[1])
        most = safe if s.dtype.kind == "f" else math.floor(safe)
        best = min(best, most - constant)
        if n_done >= n_sweeps or time.monotonic() >= end or best <= target:
            return best
        n_next = min(SWEEPS_PER_LOOK, n_sweeps - n_done)
        n_done += n_next
        for blocks in n_next * classes:
            _even_out(shares, n, blocks, step)
            if time.monotonic() >= end:
                break


def independent_blocks(n: int) -> list[npt.NDArray[np.int64]]:
    """Blocks of triples (n_blocks, 6): where their three objects start and stop.

    No two blocks of one list have triples with a common set of four.
    """
    size = GROUP_SIZE if n >= GROUPED else n
    starts = np.arange(0, n, size)
    edges = np.column_stack([starts, np.minimum(starts + size, n)])
    groups = np.array([*combinations_with_replacement(range(len(starts)), 3)])
    which = groups.sum(axis=1) % len(starts)
    return [
        edges[groups[which == number]].reshape(-1, 6) for number in range(len(starts))
    ]


def _even_out(
    shares: npt.NDArray[Any], n: int, blocks: npt.NDArray[np.int64], step: float
) -> None:
    marginals = np.empty((len(blocks), n, 3))

    def take_turn(b: int) -> None:
        kernels.even_out(shares, n, blocks[b], step, marginals[b])

    map_threads(take_turn, range(len(blocks)))


def _sums_of_shares(shares: npt.NDArray[Any], s: npt.NDArray[Any]) -> list[float]:
    """The bound that these shares prove, and the sizes of what was added up."""
    # The largest object first: it has the most triples.
    parts = map_threads(
        lambda d: kernels.bound_of_shares(shares, s, d), reversed(range(len(s)))
    )
    return [math.fsum(map(float, part)) for part in zip(*parts, strict=True)]


def _sizes(s: npt.NDArray[Any]) -> float:
    """At least the sum of the sizes of all numbers that make up a revenue."""
    return len(s) * float(np.abs(s).sum(dtype=np.float64))


def _rounding(n_terms: int, sizes: float) -> float:
    """More than the error of a sum of floats, in whatever order they are added."""
    return (n_terms + 100) * float(np.finfo(float).eps) * sizes
