"""The random numbers behind the paper's first table, drawn again.

The published figures on the planted model come from one similarity and ten samplings
of it, with the generators of their time: NumPy's legacy generator with seed 0 for the
similarity; for run r, `random.Random(r + 42)` for the questions and the legacy
generator with seed r for the flips. Drawing the same numbers gives the same answers,
and so the table can be met to the printed digits. New experiments should use `planted`,
`sample_triplets` and `sample_quadruplets`.
"""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int, check_number
from tripletree.comparisons.row_checks import Rows
from tripletree.comparisons.sampling import answer_questions, check_symmetric
from tripletree.comparisons.triplets import Quadruplets, Triplets
from tripletree.datasets.planted import Planted, draw_planted


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
    s = check_symmetric(similarity)
    n = len(s)
    n_all = n * (n - 1) * (n - 2) // 2
    return Triplets(_answers(s, n_all, 3, n_questions, run, flip), n)


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
    s = check_symmetric(similarity)
    n = len(s)
    n_pairs = n * (n - 1) // 2
    n_all = n_pairs * (n_pairs - 1) // 2
    return Quadruplets(_answers(s, n_all, 4, n_questions, run, flip), n)


def _answers(
    s: npt.NDArray[np.generic],
    n_all: int,
    width: int,
    n_questions: int,
    run: int,
    flip: float,
) -> Rows:
    m = check_int("n_questions", n_questions, 0, min(n_all, 2**31))
    run = check_int("run", run, 0, 2**32 - 1)
    flip = check_number("flip", flip, 0, 1)
    numbers = random.Random(run + 42).sample(range(n_all), m)
    is_flipped = np.random.RandomState(run).rand(m) < flip
    return answer_questions(
        np.array(numbers, np.int64), len(s), width, lambda i, j: s[i, j], is_flipped
    )
