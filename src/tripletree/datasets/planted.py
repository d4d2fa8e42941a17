r"""The planted model: a similarity with a hierarchy hidden under noise.

A complete binary tree of L levels stands on :math:`2^L` ground clusters of
:math:`n_0` objects each. Two objects are similar by

.. math:: s_{ij} = \mu - (L - \ell)\,\delta + \sigma \varepsilon_{ij},

where :math:`\ell` is the level at which their clusters part (the root is level 0, and
:math:`\ell = L` within a ground cluster) and :math:`\varepsilon_{ij}` is standard
normal noise. For L = 2::

    level 0             ┌──────┴──────┐            mu - 2 delta
    level 1          ┌──┴──┐       ┌──┴──┐         mu -   delta
    level 2          C1    C2      C3    C4        mu             within a cluster

The objects are shuffled, so that neither their ids nor ties betray the clusters.

**The paper's own draws.** The published figures on this model come from one similarity
and ten samplings of it, with the generators of their time: NumPy's legacy generator
with seed 0 for the similarity; for run r, `random.Random(r + 42)` for the questions and
the legacy generator with seed r for the flips. Drawing the same numbers gives the same
answers, and so the first table can be met to the printed digits. New experiments should
use `planted`, `sample_triplets` and `sample_quadruplets`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, check_int, check_number, check_rng, freeze
from tripletree.comparisons.row_checks import Floats, Ints
from tripletree.comparisons.sampling import (
    answer_questions,
    check_symmetric,
    count_questions,
)
from tripletree.comparisons.triplets import C, Quadruplets, Triplets
from tripletree.tree.tree import Tree

MOST_OBJECTS = 2**20
LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class Planted:
    """A similarity, and the hierarchy it was made from.

    ``similarity`` is (n, n) with zero diagonal. ``labels`` is (L, n): row l - 1 holds
    the cluster of each object at level l, from 2 clusters to all 2^L, as `aari` takes
    them. ``truth`` is a tree with these cuts; within a ground cluster, where the model
    has no hierarchy, objects are joined one after the other at height -mu.
    """

    similarity: Floats = field(repr=False)
    truth: Tree
    labels: Ints = field(repr=False)


def planted(
    n_per_cluster: int = 30,
    n_levels: int = 3,
    *,
    mu: float = 0.8,
    delta: float = 0.15,
    sigma: float = 0.1,
    rng: np.random.Generator,
) -> Planted:
    """A similarity drawn from the planted model; the defaults are the paper's.

    Parameters
    ----------
    n_per_cluster : int, default 30
        n_0, the number of objects in each ground cluster.
    n_levels : int, default 3
        L; there are 2^L ground clusters, and n = n_0 2^L objects.
    mu : float, default 0.8
        The mean similarity within a ground cluster.
    delta : float, default 0.15
        How much the mean falls from one level to the next one up.
    sigma : float, default 0.1
        The standard deviation of the noise; delta / sigma is the signal-to-noise ratio.
    rng : numpy.random.Generator

    Returns
    -------
    Planted
        ``.similarity``, ``.truth`` (Tree) and ``.labels`` (one row per level).

    Raises
    ------
    InvalidOption
        If an option is outside its range.
    TooLarge
        If the similarity would not fit into memory.

    References
    ----------
    Ghoshdastidar, Perrot, von Luxburg, "Foundations of comparison-based hierarchical
    clustering", 2019; Section 7.1 of the paper.

    Examples
    --------
    >>> from tripletree import aari, average_linkage
    >>> model = planted(rng=np.random.default_rng(0))
    >>> model.similarity.shape, model.labels.max(axis=1).tolist()
    ((240, 240), [1, 3, 7])
    >>> round(aari(average_linkage(model.similarity), model.labels), 3)
    0.997
    """
    return draw_planted(n_per_cluster, n_levels, mu, delta, sigma, check_rng(rng))


def draw_planted(
    n_per_cluster: int,
    n_levels: int,
    mu: float,
    delta: float,
    sigma: float,
    source: np.random.Generator | np.random.RandomState,
) -> Planted:
    """The planted model, with noise and then a permutation drawn from the source."""
    size = check_int("n_per_cluster", n_per_cluster, 1, MOST_OBJECTS)
    n_levels = check_int("n_levels", n_levels, 1, 20)
    mu = check_number("mu", mu, -LARGEST, LARGEST)
    delta = check_number("delta", delta, 0, LARGEST)
    sigma = check_number("sigma", sigma, 0, LARGEST)
    n = size * 2**n_levels
    check_fits(
        32 * n * n,
        f"a planted similarity of {n} objects",
        "use fewer levels, or smaller clusters.",
    )
    noise = np.triu(sigma * source.normal(size=(n, n)), 1)
    places = source.permutation(n)  # where object a of the clusters in order goes to
    clusters = np.empty((n_levels, n), np.int64)
    s = np.full((n, n), mu - n_levels * delta)
    for level in range(1, n_levels + 1):
        clusters[level - 1] = np.arange(n) // (size << (n_levels - level))
        s += delta * (clusters[level - 1][:, None] == clusters[level - 1])
    s += noise + noise.T
    np.fill_diagonal(s, 0)
    similarity = np.empty((n, n))
    similarity[np.ix_(places, places)] = s
    labels = np.empty_like(clusters)
    labels[:, places] = clusters
    truth = _true_tree(places.reshape(-1, size), mu, delta)
    return Planted(freeze(similarity, np.float64), truth, freeze(labels, np.int64))


def _true_tree(members: Ints, mu: float, delta: float) -> Tree:
    """Objects of each row of members joined, then rows, level by level."""
    children: list[Ints] = []
    heights: list[float] = []

    def join(pairs: Ints, height: float) -> Ints:
        """The new nodes, one for each pair."""
        first = members.size + len(heights)
        children.append(pairs)
        heights.extend([height] * len(pairs))
        return first + np.arange(len(pairs))

    nodes, n_up = members[:, 0], 0
    for column in members.T[1:]:
        nodes = join(np.column_stack([nodes, column]), -mu)
    while len(nodes) > 1:
        n_up += 1
        nodes = join(nodes.reshape(-1, 2), n_up * delta - mu)
    return Tree(np.concatenate(children), heights)


def published_planted(
    n_per_cluster: int = 30,
    n_levels: int = 3,
    *,
    mu: float = 0.8,
    delta: float = 0.15,
    sigma: float = 0.1,
) -> Planted:
    """The planted similarity of the paper's first table (n = 240).

    Parameters
    ----------
    n_per_cluster, n_levels, mu, delta, sigma
        As for :func:`tripletree.planted`.

    Returns
    -------
    Planted

    Examples
    --------
    >>> float(published_planted().similarity[0, 1].round(6))
    0.509591
    """
    source = np.random.RandomState(0)
    return draw_planted(n_per_cluster, n_levels, mu, delta, sigma, source)


def published_triplets(
    similarity: npt.ArrayLike, n_questions: int, run: int, *, flip: float = 0.0
) -> Triplets:
    """The triplets of one run of the paper's experiments.

    Parameters
    ----------
    similarity : array_like, shape (n, n)
    n_questions : int
        How many questions were asked; those with a tie have no answer.
    run : int
        The paper's runs are 0 to 9.
    flip : float, default 0
        The probability that an answer is turned round.

    Returns
    -------
    Triplets

    Examples
    --------
    >>> s = published_planted().similarity
    >>> published_triplets(s, 3, run=0).rows.tolist()
    [[188, 115, 87], [32, 143, 159], [7, 51, 95]]
    """
    return _published(Triplets, similarity, n_questions, run, flip)


def published_quadruplets(
    similarity: npt.ArrayLike, n_questions: int, run: int, *, flip: float = 0.0
) -> Quadruplets:
    """The quadruplets of one run, drawn as the published code draws them.

    Parameters
    ----------
    similarity, n_questions, run, flip
        As for :func:`published_triplets`.

    Returns
    -------
    Quadruplets

    Examples
    --------
    >>> s = published_planted().similarity
    >>> published_quadruplets(s, 2, run=0).rows.tolist()
    [[122, 128, 86, 208], [9, 60, 154, 206]]
    """
    return _published(Quadruplets, similarity, n_questions, run, flip)


def _published(
    kind: type[C], similarity: npt.ArrayLike, n_questions: int, run: int, flip: float
) -> C:
    """The answers of one run."""
    s = check_symmetric(similarity)
    n, n_all = len(s), count_questions(len(s), kind.width)
    m = check_int("n_questions", n_questions, 0, min(n_all, 2**31))
    run = check_int("run", run, 0, 2**32 - 1)
    flip = check_number("flip", flip, 0, 1)
    numbers = np.array(random.Random(run + 42).sample(range(n_all), m), np.int64)
    is_flipped = np.random.RandomState(run).rand(m) < flip
    rows = answer_questions(numbers, n, kind.width, lambda i, j: s[i, j], is_flipped)
    return kind(rows, n)
