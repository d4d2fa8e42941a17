r"""The block posterior: clusters in clusters, and how likely each of them is.

With few answers many trees fit almost equally well. Here a model says how likely each
is. Every object sits at one of :math:`K = 2^D` places, the leaves of a complete binary
tree; objects at the same place are not distinguished. The deeper two places meet, the
closer their objects are: if i and j meet at depth x, and k and l at depth y,

.. math:: P(\text{i and j are closer than k and l}) = \sigma(\theta_x - \theta_y),

with :math:`\theta` growing with the depth, learned from the answers. A priori objects
go down the tree like the balls of a Polya urn: each takes a side in proportion to the
objects that are there already, plus one.

**Sampling.** Gibbs: an object is taken out, all K places are scored by its own answers,
and it is put back at one drawn in proportion. Two branches of equal depth are exchanged
now and then, which no single object could do. The answers begin with a tenth of their
weight, which grows to the whole while the chain runs (annealing). Chains from random
starts end in different places; their likelihoods do not tell which tree is better, so
all count the same.

**What becomes of it.** Every sample answers every question, also those never asked. The
mean of AddS over all questions and samples,

.. math:: s_{ij} = f_i(l_{ij}) + f_j(l_{ij}), \qquad
          f_i(l) = \sum_q c_i(q) \bigl(2 \sigma(\theta_l - \theta_q) - 1\bigr),

with :math:`l_{ij}` the depth where i and j meet and :math:`c_i(q)` the number of
objects that meet i at depth q, is a similarity. The best tree under it and half of the
likelier answers (see ranks.py) is the method ``posterior``.

**Depth.** How fine the places are hardly matters if they are fine enough: with the urn
as a prior, places that are not needed stay empty. Too few places are worse, because an
object then cannot leave a cluster without passing through an unlikely one. Chains of
two depths are averaged in place of choosing one (mean AARI over four to six draws of
the planted model, n = 240, depths 4, 5, 6, 7: n^2/32 answers 0.54, 0.60, 0.61, -;
n^2/16 with a third of the signal 0.11, 0.41, 0.41, 0.40).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import count, cycle, product
from threading import get_ident
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_fits, check_int, check_limit
from tripletree._progress import OnProgress, Progress, ignore
from tripletree._threads import map_threads, n_threads, row_chunks, stop_if_over
from tripletree.comparisons.row_checks import Rows
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.completion import _posterior_kernel as kernels

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

N_CHAINS = 6
N_ANNEALED, N_SAMPLED, EACH = 120, 60, 4  # sweeps; every fourth is a sample
STEPS_PER_LOOK = 2 * 10**6  # entries and places, between two looks at the clock
SUMS_PER_CHUNK = 2**16
FIRST_HEAT = 0.1
N_SWAPS = 4  # attempts after a sweep
PULL = 20.0  # of the prior on theta, in answers
N_ROUNDS = 2
TO_SORT, SORTED, TO_SWEEP = 310, 120, 50  # bytes per answer, the last in each thread
SETTINGS = ((5, 1.5), (6, 1.0))  # depth and first step of closeness, for chains in turn


@dataclass(frozen=True, eq=False)
class BlockPosterior:
    """Samples of where objects are among clusters in clusters.

    Attributes
    ----------
    places : ndarray of int64, shape (samples, n)
        The place of each object, 0..2^depth - 1. Two places that agree in their first
        bits are together down to that depth.
    closeness : ndarray of float64, shape (samples, depth + 1)
        The parameter theta of each depth, growing.
    depth : int
        Of the tree of places. The places of chains with a smaller depth are the first
        ones below theirs.
    similarity : ndarray of float64, shape (n, n)
        The mean of AddS of all questions over the samples.
    is_stopped : bool
        Whether the time limit ended it early.
    """

    places: Ints
    closeness: Floats
    depth: int
    similarity: Floats
    is_stopped: bool


def block_posterior(
    comparisons: Comparisons,
    *,
    depth: int | None = None,
    n_chains: int = N_CHAINS,
    seed: int = 0,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> BlockPosterior:
    """Sample the posterior of a hierarchical block model.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
        Weights multiply; repeated answers add up.
    depth : int, optional
        1 to 8. By default chains of depths 5 and 6 take turns (fewer for less than 32
        objects).
    n_chains : int, default 6
        From random starts; their samples count the same.
    seed : int, default 0
        The same seed gives the same samples, if no time limit strikes.
    time_limit : float, optional
        Seconds after which chains stop, with the samples that they have, at least one;
        chains that have not begun are left out. One sample takes n^2 steps: with what
        is done before and after it some 12 CPU seconds for 8,000 objects.
    progress : callable, optional
        Called with a `Progress` now and then: how many chains are done.

    Returns
    -------
    BlockPosterior

    Raises
    ------
    InvalidComparisons, InvalidOption
        Where the arguments are not as described.
    TooLarge
        If tables of n^2 numbers, one for each chain and two more, and 310 bytes per
        comparison would not fit into the memory that is available.

    Notes
    -----
    O(m depth + n 2^depth) time a sweep, and O(n^2) a sample.

    Examples
    --------
    >>> from tripletree.datasets.animals import animals
    >>> found = block_posterior(animals().answers, depth=3, n_chains=1)
    >>> found.places.shape, found.similarity.shape
    ((15, 20), (20, 20))
    """
    check_comparisons(comparisons)
    n_chains = check_int("n_chains", n_chains, 1, 1_000)
    seed = check_int("seed", seed, 0, 2**63)
    check_callable("progress", progress)
    end = time.monotonic() + check_limit(time_limit)
    largest = max(1, comparisons.n_objects.bit_length())  # more places than objects
    settings = [(min(d, largest), step) for d, step in SETTINGS]
    if depth is not None:
        settings = [(check_int("depth", depth, 1, 8), SETTINGS[0][1])]
    n, m = comparisons.n_objects, len(comparisons)
    n_running = min(n_threads(), n_chains)
    needed = 8 * (n_chains + 2) * n * n
    needed += m * max(TO_SORT, SORTED + TO_SWEEP * n_running)
    what = f"the posterior of {n} objects and {m} comparisons"
    check_fits(needed, what, "use fewer of them, or fewer chains.")
    tell = progress or ignore
    data = answers_by_object(comparisons)
    if end < math.inf:
        end -= (1 + n_chains) * _seconds_to_add(n)  # a sample, then the mean of chains
    numbers = np.random.SeedSequence(seed).spawn(n_chains)
    todo = list(zip(cycle(settings), numbers, strict=False))
    step = "chains of the posterior"
    tell(Progress(step, 0, n_chains))
    caller, n_begun, n_done = get_ident(), count(), count(1)  # next() is atomic

    def run(one: tuple[tuple[int, float], np.random.SeedSequence]) -> _Chain | None:
        if next(n_begun) > 0 and time.monotonic() >= end:
            return None
        chain, done = _run(data, *one[0], one[1], end), next(n_done)
        if get_ident() == caller:  # other threads tell nothing
            tell(Progress(step, done, n_chains))
        return chain

    chains = [chain for chain in map_threads(run, todo) if chain is not None]
    tell(Progress(step, n_chains, n_chains))
    similarity = np.zeros((n, n))
    for chain in chains:
        chain.sums /= len(chain.places)
        similarity += chain.sums
    similarity /= len(chains)
    deepest = max(chain.closeness.shape[1] for chain in chains) - 1
    places, closeness = [], []
    for chain in chains:
        missing = deepest + 1 - chain.closeness.shape[1]
        places.append(chain.places << missing)
        closeness.append(np.pad(chain.closeness, ((0, 0), (0, missing)), "edge"))
    return BlockPosterior(
        np.concatenate(places),
        np.concatenate(closeness),
        deepest,
        similarity + similarity.T,
        len(chains) < n_chains or any(chain.is_stopped for chain in chains),
    )


class AnswersByObject(NamedTuple):
    """Answers, and the entries of each of n objects, as kernels take them.

    answers: rows (m, 4) of two pairs, and their weights. entries: where those of each
    object start, the entries (see the kernels), and their weights.
    """

    n: int
    answers: tuple[Rows, Floats]
    entries: tuple[Ints, Rows, Floats]


def answers_by_object(comparisons: Comparisons) -> AnswersByObject:
    """Comparisons in this layout."""
    rows = np.concatenate([comparisons.near, comparisons.far], axis=1)
    n, m, weights = comparisons.n_objects, len(comparisons), comparisons.weights
    weights = np.ones(m) if weights is None else weights.astype(np.float64)
    ids = rows.ravel()
    order = ids.argsort(kind="stable")  # by object, then by answer
    members, number = ids[order], order // 4
    entries = np.full((4 * m, 4), -1, np.int32)
    entries[np.arange(4 * m), order // 2 % 2] = ids[order ^ 1]
    entries[:, 2], entries[:, 3] = ids[(order ^ 2) & ~1], ids[order ^ 2 | 1]
    # An object in both pairs has one entry with both partners.
    is_second = np.zeros(4 * m, np.bool_)
    is_second[1:] = (members[1:] == members[:-1]) & (number[1:] == number[:-1])
    both = np.flatnonzero(is_second)
    entries[both - 1, 1] = entries[both, 1]
    kept = ~is_second
    starts = np.searchsorted(members[kept], np.arange(n + 1))
    of_entries = starts, entries[kept], weights[number[kept]]
    return AnswersByObject(n, (rows, weights), of_entries)


@dataclass(eq=False)
class _Chain:
    places: Ints
    closeness: Floats
    sums: Floats
    is_stopped: bool


def _run(
    data: AnswersByObject,
    depth: int,
    step: float,
    seed: np.random.SeedSequence,
    end: float,
) -> _Chain:
    """One chain: annealing, then samples."""
    rng = np.random.default_rng(seed)
    n, n_places = data.n, 1 << depth
    level = level_table(depth)
    places = rng.integers(0, n_places, n)
    n_below = np.zeros(2 * n_places, np.int64)
    for shift in range(depth + 1):
        nodes = (n_places + places) >> shift
        n_below += np.bincount(nodes, minlength=2 * n_places)
    closeness = step * np.arange(depth + 1.0)
    logs, sums = np.log(np.arange(1.0, n + 3.0)), np.zeros((n, n))
    kept: list[tuple[Ints, Floats]] = []
    is_stopped = False
    state, (rows, weights) = (places, n_below), data.answers
    size = max(1, STEPS_PER_LOOK * n // (len(data.entries[1]) + n * n_places))
    for number in range(N_ANNEALED + N_SAMPLED):
        stop_if_over()
        heat = FIRST_HEAT ** max(1 - (number + 1) / N_ANNEALED, 0.0)
        log_p = _log_probabilities(closeness)
        factors, order = heat * node_factors(log_p), rng.permutation(n)
        draws = rng.random(n)
        for part in row_chunks(n, size):
            is_stopped = time.monotonic() >= end
            if is_stopped:
                break
            kernels.redraw_places(
                state, data.entries, level, factors, logs, order[part], draws
            )
        swaps = _pairs_of_nodes(depth, rng)
        draws = rng.random(len(swaps))
        if not is_stopped:
            model = level, log_p, heat
            kernels.swap_branches(state, data.answers, model, swaps, draws)
        if 2 * number >= N_ANNEALED:
            met = level[places[rows[:, ::2]], places[rows[:, 1::2]]]
            cell = met[:, 0] * len(closeness) + met[:, 1]
            counts = np.bincount(cell, weights, len(closeness) ** 2)
            table = counts.reshape(len(closeness), -1).astype(np.float64)
            fit_closeness(closeness, table, step)
        is_stopped = is_stopped or time.monotonic() >= end
        is_sample = number >= N_ANNEALED and (number - N_ANNEALED) % EACH == EACH - 1
        if is_sample or (is_stopped and not kept):
            kept.append((places.copy(), closeness.copy()))
            add_expected(places, level, closeness, sums)
        if is_stopped:
            break
    found, fitted = (np.array(values) for values in zip(*kept, strict=True))
    return _Chain(found, fitted, sums, is_stopped)


def node_factors(log_p: Floats) -> Floats:
    """What an answer of each kind adds at a node of depth x: (x, kind, y), y its depth.

    Kinds 2 and 3: the object is in the near, or in the far pair, and the other pair
    meets at y. Kinds 0 and 1: it is in both, and its two partners meet at y; above
    that, it is equally close to both.
    """
    factors = np.zeros((len(log_p), 4, len(log_p)))
    factors[1:, 2], factors[1:, 3] = np.diff(log_p, axis=0), np.diff(log_p, axis=1).T
    factors[:, :2] = factors[:, 2:] * np.tri(len(log_p), k=-1)[:, None, :]
    return factors


def fit_closeness(
    closeness: Floats, counts: Floats, step: float, n_rounds: int = N_ROUNDS
) -> None:
    """Newton's method, one increment of closeness after the other, each >= 0.

    counts (L, L) are the answers whose pairs meet at two depths. Each increment is
    pulled towards `step` as by so many answers.
    """
    place = np.arange(len(closeness))
    for _, at in product(range(n_rounds), range(len(closeness) - 1)):
        above = (place > at).astype(np.int64)
        sign = np.subtract.outer(above, above)  # of the answers it makes likelier
        p = (1 + certainties(closeness)) / 2
        old = closeness[at + 1] - closeness[at]
        slope = PULL * (step - old) + float((counts * (1 - p) * sign).sum())
        bend = PULL + float((counts * p * (1 - p) * sign**2).sum())
        closeness[at + 1 :] += min(max(old + slope / bend, 0.0) - old, 2.0)


def certainties(closeness: Floats) -> Floats:
    """2 p - 1 for a pair that meets at one depth against one at another, (L, L)."""
    return np.tanh(np.subtract.outer(closeness, closeness) / 2)


def add_expected(places: Ints, level: Ints, closeness: Floats, sums: Floats) -> None:
    """Add to (rows, n) what the first rows of n objects i expect of i and j."""
    n_there = np.bincount(places, minlength=len(level))
    at_level = level[:, :, None] == np.arange(len(closeness))
    n_at = np.einsum("d,cdy->cy", n_there.astype(np.float64), at_level)
    n_at[:, -1] -= 1  # the object itself
    worth = np.einsum("cy,xy->cx", n_at, certainties(closeness))
    of_places = np.take_along_axis(worth, level, axis=1)
    for rows in row_chunks(len(sums), max(1, SUMS_PER_CHUNK // len(places))):
        expected = of_places[places[rows]][:, places]
        own = np.arange(rows.stop - rows.start)
        expected[own, own + rows.start] = 0.0
        sums[rows] += expected


def _seconds_to_add(n: int) -> float:
    """About how long it takes to add a sample, by some of its rows."""
    level, rows = level_table(1), max(1, min(n, 8 * SUMS_PER_CHUNK // n))
    places, sums = np.arange(n) % 2, np.zeros((rows, n))
    began = time.monotonic()
    add_expected(places, level, np.arange(2.0), sums)
    return (time.monotonic() - began) * n / rows


def level_table(depth: int) -> Ints:
    """The depth at which any two places meet, shape (2^depth, 2^depth)."""
    places = np.arange(1 << depth)
    differ = np.bitwise_xor.outer(places, places)
    bits = np.frexp(differ.astype(np.float64))[1]  # the length of each number
    return (depth - bits).astype(np.int64)


def _log_probabilities(closeness: Floats) -> Floats:
    return -np.logaddexp(0.0, np.subtract.outer(-closeness, -closeness))


def _pairs_of_nodes(depth: int, rng: np.random.Generator) -> Ints:
    """Pairs of nodes of the same depth, at random; below the root's children."""
    if depth < 2:
        return np.empty((0, 2), np.int64)
    first = 1 << rng.integers(2, depth + 1, N_SWAPS)
    return first[:, None] + rng.integers(0, first[:, None], (N_SWAPS, 2))
