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
objects that meet i at depth q, is a similarity: the best tree under it is the method
``posterior``.

**Depth and step.** How fine the places are, and how much closer objects are from one
depth to the next before any answers are seen, is chosen on a tenth of the answers that
short chains have not seen.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, check_int, check_limit
from tripletree._lazy import kernel_module
from tripletree._progress import OnProgress, Progress, ignore
from tripletree._threads import map_threads
from tripletree.comparisons.triplets import Comparisons, check_comparisons

kernels = kernel_module("tripletree.completion._posterior_kernel")

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

N_CHAINS = 6
N_ANNEALED, N_SAMPLED, EACH = 120, 60, 4  # sweeps; every fourth is a sample
FIRST_HEAT = 0.1
N_SWAPS = 4  # attempts after a sweep
PULL = 20.0  # of the prior on theta, in answers
N_ROUNDS = 2
TRIED = ((3, 1.5), (4, 1.5), (5, 0.8), (5, 1.5), (6, 1.0))  # depth and step
SHARE_HELD_OUT = 10  # one in so many answers


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
        Of the tree of places.
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
        1 to 8. By default chosen on answers that short chains have not seen.
    n_chains : int, default 6
        From random starts; their samples count the same.
    seed : int, default 0
        The same seed gives the same samples, if no time limit strikes.
    time_limit : float, optional
        Seconds after which chains stop, with the samples that they have; each has one.
    progress : callable, optional
        Called with a `Progress` now and then.

    Returns
    -------
    BlockPosterior

    Raises
    ------
    InvalidComparisons, InvalidOption
        Where the arguments are not as described.
    TooLarge
        If a table of n^2 numbers would not fit into the memory that is available.

    Notes
    -----
    O(m 2^depth) time a sweep, and O(n^2) a sample.

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
    end = time.monotonic() + check_limit(time_limit)
    if depth is not None:
        depth = check_int("depth", depth, 1, 8)
    n = comparisons.n_objects
    check_fits(16 * n * n, f"a table of all pairs of {n} objects", "use fewer objects.")
    tell = progress or ignore
    data = _Answers.of(comparisons)
    chosen = (depth, 1.5) if depth else _choose(data, seed, end, tell)
    numbers = np.random.SeedSequence(seed).spawn(n_chains)
    step = "chains of the posterior"
    tell(Progress(step, 0, n_chains))
    chains = map_threads(
        lambda number: _run(data, *chosen, number, N_ANNEALED, N_SAMPLED, end), numbers
    )
    tell(Progress(step, n_chains, n_chains))
    means = [chain.sums / len(chain.places) for chain in chains]
    similarity: Floats = np.sum(means, axis=0) / n_chains
    places = np.concatenate([chain.places for chain in chains])
    closeness = np.concatenate([chain.closeness for chain in chains])
    is_stopped = any(chain.is_stopped for chain in chains)
    both = similarity + similarity.T
    return BlockPosterior(places, closeness, chosen[0], both, is_stopped)


@dataclass(frozen=True, eq=False)
class _Answers:
    """Answers as rows of two pairs, and the entries of each object, for kernels."""

    n: int
    rows: Ints
    weights: Floats
    starts: Ints
    near: Ints
    far: Ints
    number: Ints

    @staticmethod
    def of(comparisons: Comparisons) -> _Answers:
        rows = np.concatenate([comparisons.near, comparisons.far], axis=1)
        weights = comparisons.weights
        if weights is None:
            weights = np.ones(len(rows))
        return _Answers.of_rows(
            comparisons.n_objects, rows.astype(np.int64), weights.astype(np.float64)
        )

    @staticmethod
    def of_rows(n: int, rows: Ints, weights: Floats) -> _Answers:
        m = len(rows)
        members = rows.T.ravel()  # near, near, far, far
        number = np.tile(np.arange(m), 4)
        partner = rows[:, [1, 0, 3, 2]].T.ravel()
        is_near = np.repeat([True, True, False, False], m)
        near, far = np.where(is_near, partner, -1), np.where(is_near, -1, partner)
        # An object in both pairs has one entry with both partners.
        order = np.lexsort((~is_near, number, members))
        members, number = members[order], number[order]
        near, far = near[order], far[order]
        is_second = np.zeros(4 * m, np.bool_)
        is_second[1:] = (members[1:] == members[:-1]) & (number[1:] == number[:-1])
        both = np.flatnonzero(is_second)
        far[both - 1] = far[both]
        kept = ~is_second
        starts = np.searchsorted(members[kept], np.arange(n + 1))
        return _Answers(n, rows, weights, starts, near[kept], far[kept], number[kept])

    def arrays(self) -> tuple[Any, ...]:
        return self.rows, self.weights, self.starts, self.near, self.far, self.number


@dataclass(eq=False)
class _Chain:
    places: Ints
    closeness: Floats
    sums: Floats
    is_stopped: bool


def _run(
    data: _Answers,
    depth: int,
    step: float,
    seed: np.random.SeedSequence,
    n_annealed: int,
    n_sampled: int,
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
    log_p = _log_probabilities(closeness)
    counts, scores = np.empty((depth + 1, depth + 1)), np.empty(n_places)
    sums, kept = np.zeros((n, n)), []
    arrays, is_stopped = data.arrays(), False
    state = places, n_below, arrays, level
    for number in range(n_annealed + n_sampled):
        left = max(1 - (number + 1) / n_annealed, 0.0)
        heat = FIRST_HEAT**left
        kernels.sweep(*state, log_p, heat, rng.permutation(n), rng.random(n), scores)
        swaps = _pairs_of_nodes(depth, rng)
        kernels.swap_branches(*state, log_p, heat, swaps, rng.random(len(swaps)))
        if 2 * number >= n_annealed:
            kernels.count_levels(places, data.rows, data.weights, level, counts)
            kernels.fit_closeness(closeness, counts, step, PULL, N_ROUNDS)
            log_p = _log_probabilities(closeness)
        is_stopped = time.monotonic() >= end
        if number >= n_annealed and (number - n_annealed) % EACH == EACH - 1:
            kept.append((places.copy(), closeness.copy()))
            tables = np.tanh(np.subtract.outer(closeness, closeness) / 2)
            kernels.add_expected(places, level, tables, sums)
        if is_stopped:
            break
    if not kept:
        kept.append((places.copy(), closeness.copy()))
        tables = np.tanh(np.subtract.outer(closeness, closeness) / 2)
        kernels.add_expected(places, level, tables, sums)
    found, fitted = (np.array(values) for values in zip(*kept, strict=True))
    return _Chain(found, fitted, sums, is_stopped)


def level_table(depth: int) -> Ints:
    """The depth at which any two places meet, shape (2^depth, 2^depth)."""
    places = np.arange(1 << depth)
    differ = np.bitwise_xor.outer(places, places)
    bits = np.frexp(differ.astype(np.float64))[1]  # the length of each number
    levels: Ints = (depth - bits).astype(np.int64)
    return levels


def _log_probabilities(closeness: Floats) -> Floats:
    table: Floats = -np.logaddexp(0.0, np.subtract.outer(-closeness, -closeness))
    return table


def _pairs_of_nodes(depth: int, rng: np.random.Generator) -> Ints:
    """Pairs of nodes of the same depth, at random; below the root's children."""
    if depth < 2:
        return np.empty((0, 2), np.int64)
    first = 1 << rng.integers(2, depth + 1, N_SWAPS)
    pairs: Ints = first[:, None] + rng.integers(0, first[:, None], (N_SWAPS, 2))
    return pairs


def _choose(
    data: _Answers, seed: int, end: float, tell: OnProgress
) -> tuple[int, float]:
    """The depth and the step with the largest likelihood of answers not seen."""
    rng = np.random.default_rng((seed, 1))
    is_test = rng.random(len(data.rows)) < 1 / SHARE_HELD_OUT
    train = _Answers.of_rows(data.n, data.rows[~is_test], data.weights[~is_test])
    rows, weights = data.rows[is_test], data.weights[is_test]
    seeds = np.random.SeedSequence((seed, 2)).spawn(len(TRIED))

    def likelihood(at: int) -> float:
        depth, step = TRIED[at]
        chain = _run(train, depth, step, seeds[at], 60, 40, end)
        level = level_table(depth)
        a, b, c, d = chain.places[:, rows.T].swapaxes(0, 1)
        near = np.take_along_axis(chain.closeness, level[a, b], axis=1)
        far = np.take_along_axis(chain.closeness, level[c, d], axis=1)
        p = (1 / (1 + np.exp(far - near))).mean(axis=0)
        return float((weights * np.log(p)).sum())

    tell(Progress("depth of the posterior", 0, len(TRIED)))
    found = map_threads(likelihood, range(len(TRIED)))
    return TRIED[int(np.argmax(found))]
