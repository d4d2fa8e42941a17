r"""Similarities of embedded points: what AddS would be if every question were asked.

With few answers the tree of the largest revenue fits their chance. Under the model of
an embedding, every question has an expected answer, and the expected AddS over all
n(n-1)(n-2)/2 questions is

.. math:: s_{ij} = \sum_k \bigl(2 p(i, j, k) - 1\bigr) + \bigl(2 p(j, i, k) - 1\bigr)

For a fixed i, the first sum depends on j through one number alone, v = log(1 / t_ij):
it is the sum over k of tanh((v_k - v) / 2). Such a sum is smooth on the scale of 1,
whatever the points; so it is tabulated with its derivative at knots 0.25 apart and
interpolated by cubics. That is O(n^2) times the number of knots (some 20 to 100) in
place of O(n^3), with an error below 3e-6 per term.

The expectation is soft where the model is: with alpha = 1, and for points far out, few
answers are certain, and a few such points may outweigh the rest. `implied_adds` takes
the likelier answer for certain instead: a matter of ranks, and exact. On the planted
model it finds better trees (mean AARI over ten draws, n = 240, 10 embeddings in the
plane, n^2/4, n^2/16, n^2/32 answers: 0.895, 0.751, 0.566 against 0.883, 0.720, 0.530).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    check_callable,
    check_fits,
    check_int,
    check_limit,
    check_number,
    check_same_objects,
    refuse_first,
)
from tripletree._progress import OnProgress, Progress
from tripletree._threads import map_threads, n_threads, row_chunks
from tripletree.comparisons.row_checks import Floats
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.completion.ranks import leads, rows_per_chunk
from tripletree.embedding import _tste_kernel as kernels
from tripletree.embedding.loss import Objective, group_answers
from tripletree.embedding.tste import (
    MOST_DIMENSIONS,
    MOST_ITERATIONS,
    WHOLE_WAY,
    Embedding,
    Run,
    as_points,
)
from tripletree.errors import InvalidOption, Remedy, refuse_if

ROWS_PER_CHUNK = 16
N_DIMENSIONS = 2
TRIED = 4  # chunks of rows per thread, to see how long all take


def expected_adds(embeddings: Embedding | Sequence[Embedding]) -> Floats:
    """Expected AddS over all comparisons, under one embedding or on average.

    Parameters
    ----------
    embeddings : Embedding or sequence of Embedding
        Of the same objects. Their numbers of dimensions may differ.

    Returns
    -------
    ndarray of float64, shape (n, n)
        Exactly symmetric, with zero diagonal.

    Raises
    ------
    InvalidOption
        If these are not embeddings.
    Mismatch
        If they are about different objects.
    TooLarge
        If the result would not fit into the memory that is available.

    Notes
    -----
    O(n^2) time times 20 to 100 for each embedding.

    Examples
    --------
    >>> from tripletree import Triplets, tste
    >>> s = expected_adds(tste(Triplets([[0, 1, 2], [1, 0, 2]], n_objects=3)))
    >>> bool(s[0, 1] > s[0, 2]), bool(s[0, 1] > s[1, 2])
    (True, True)
    """
    models, n = _models(embeddings)
    sums = np.zeros((n, n))

    def add(chunk: slice) -> None:
        work, tables = np.empty((3, n)), np.empty((3, kernels.MOST_KNOTS))
        for points, alpha in models:
            kernels.add_expected(
                points, alpha, chunk.start, chunk.stop, work, tables, sums
            )

    map_threads(add, row_chunks(n, ROWS_PER_CHUNK))
    sums /= len(models)
    return sums + sums.T  # a + b is b + a, to the bit


def implied_adds(embeddings: Embedding | Sequence[Embedding]) -> npt.NDArray[np.int64]:
    """AddS over all comparisons, as the distances between the points answer them.

    Like :func:`expected_adds` with no doubt about any answer: of i and two other
    objects, the nearer point is the closer object. So objects whose points lie far
    out count no more than others.

    Parameters
    ----------
    embeddings : Embedding or sequence of Embedding
        Of the same objects. The answers of several are added up.

    Returns
    -------
    ndarray of int64, shape (n, n)
        Symmetric, with zero diagonal. Equal distances count 0.

    Raises
    ------
    InvalidOption, Mismatch, TooLarge
        As for :func:`expected_adds`.

    Notes
    -----
    O(n^2 log n) time for each embedding.

    Examples
    --------
    >>> from tripletree import Triplets, tste
    >>> implied_adds(tste(Triplets([[0, 1, 2], [1, 0, 2]], n_objects=3)))[0, 1]
    np.int64(2)
    """
    models, n = _models(embeddings)
    sums = np.zeros((n, n), np.int64)
    for points, _ in models:
        add_implied(points, sums)
    return sums + sums.T


def add_implied(points: Floats, sums: npt.NDArray[np.int64]) -> None:
    """Add to (rows, n) what the first rows of n objects answer by points (d, n)."""
    n = points.shape[1]

    def add(rows: slice) -> None:
        distances = np.zeros((rows.stop - rows.start, n))
        for axis in points:
            distances += (axis - axis[rows, None]) ** 2
        sums[rows] += leads(distances, rows.start)

    map_threads(add, row_chunks(len(sums), rows_per_chunk(n)))


def completed_similarity(
    comparisons: Comparisons,
    *,
    n_embeddings: int = 10,
    n_dimensions: int = N_DIMENSIONS,
    seed: int = 0,
    tolerance: float = WHOLE_WAY,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> npt.NDArray[np.int64]:
    """AddS as if every question had been asked, for clustering with few answers.

    :func:`implied_adds` of several embeddings by :func:`tste`, each from a random
    start of its own: where they agree it adds up, elsewhere it cancels.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
    n_embeddings : int, default 10
    n_dimensions : int, default 2
    seed : int, default 0
        The same seed gives the same similarity, if no time limit strikes.
    tolerance : float, default 1e-7
        Of each embedding, see :func:`tste`.
    time_limit : float, optional
        Seconds after which to do with the embeddings so far. No limit by default. One
        embedding is always made, of n^2 log n steps: some 5 CPU seconds for 8,000
        objects.
    progress : callable, optional
        Called after every iteration of an embedding, with a `Progress`: how many of the
        embeddings are done, and the smallest loss of this one so far.

    Returns
    -------
    ndarray of int64, shape (n, n)
        Symmetric, with zero diagonal. Also after the time limit, then from fewer
        embeddings, the last of them unfinished.

    Raises
    ------
    InvalidComparisons, InvalidOption
        Where the arguments are not as described.
    TooLarge
        If the work would not fit into the memory that is available.

    Notes
    -----
    On the planted model of the paper (240 objects) the best tree under this similarity
    is nearer to the planted one than the best tree under the answers themselves, from
    n^2 answers down to n^2/32.

    Examples
    --------
    >>> from tripletree import Triplets, maximise_revenue
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], n_objects=4)
    >>> tree = maximise_revenue(completed_similarity(answers)).tree
    >>> tree.cut(2).tolist()
    [0, 0, 1, 1]
    """
    check_comparisons(comparisons)
    n_embeddings = check_int("n_embeddings", n_embeddings, 1, 10_000)
    d = check_int("n_dimensions", n_dimensions, 1, MOST_DIMENSIONS)
    check_int("seed", seed, 0, 2**63)
    gain = check_number("tolerance", tolerance, 0, 1)
    check_callable("progress", progress)
    end = time.monotonic() + check_limit(time_limit)
    options = (n_embeddings, d, seed, gain, end, progress)
    return complete_by_points(comparisons, *options)[0]


def complete_by_points(
    comparisons: Comparisons,
    n_embeddings: int,
    n_dimensions: int,
    seed: int,
    tolerance: float,
    end: float,
    tell: OnProgress | None,
) -> tuple[npt.NDArray[np.int64], bool]:
    """`completed_similarity` until the clock says `end`, and whether that cut it short.

    Each embedding ends early enough to be added up. How long that takes is measured on
    some rows, then each time; no embedding is begun that could not be added.
    """
    d, n = n_dimensions, comparisons.n_objects
    objective = Objective(group_answers(comparisons), d, float(max(d - 1, 1)))
    sums = np.zeros((n, n), np.int64)
    needed = 0.0 if math.isinf(end) else _seconds_to_add(n, d)
    numbers = np.random.SeedSequence(seed).generate_state(n_embeddings, np.uint32)
    for n_done, number in enumerate(numbers.tolist()):
        left = end - time.monotonic() - needed
        if left <= 0 < n_done:
            return sums + sums.T, True

        def tell_all(iterated: Progress, n_done: int = n_done) -> None:
            assert tell is not None
            tell(replace(iterated, done=n_done, total=n_embeddings))

        run = Run(objective, max(0.0, left), tolerance, tell and tell_all)
        run.search(np.random.default_rng(number), n_starts=1)
        points, _ = _models(run.embedding(comparisons.labels))[0][0]
        began = time.monotonic()
        add_implied(points, sums)
        needed = max(needed, time.monotonic() - began)
        if not run.is_converged and run.n_iterations < MOST_ITERATIONS:
            return sums + sums.T, True
    return sums + sums.T, False


def _seconds_to_add(n: int, n_dimensions: int) -> float:
    """About how long it takes to add an embedding, by some of its rows."""
    points = np.random.default_rng(0).normal(size=(n_dimensions, n))
    n_tried = min(n, TRIED * n_threads() * rows_per_chunk(n))
    began = time.monotonic()
    add_implied(points, np.zeros((n_tried, n), np.int64))
    return (time.monotonic() - began) * n / n_tried


def euclidean_similarity(points: Embedding | npt.ArrayLike) -> Floats:
    """Minus the distance of any two points.

    Parameters
    ----------
    points : Embedding or array_like, shape (n, d)

    Returns
    -------
    ndarray of float64, shape (n, n)
        Exactly symmetric, with zero diagonal.

    Raises
    ------
    InvalidOption
        If these are not points, or coordinates are beyond 1e150.
    TooLarge
        If the result would not fit into the memory that is available.

    Examples
    --------
    >>> euclidean_similarity([[0, 0], [3, 4]]).tolist()
    [[0.0, -5.0], [-5.0, 0.0]]
    """
    array = _check_points(points)
    distances = np.zeros((len(array), len(array)))
    for column in array.T:  # hypot does not overflow, and is symmetric to the bit
        np.hypot(distances, np.subtract.outer(column, column), out=distances)
    return 0.0 - distances


def _check_points(points: Embedding | npt.ArrayLike) -> Floats:
    """Points as an array (n, d) of finite numbers, few enough for an (n, n) result."""
    given = points.points if isinstance(points, Embedding) else points
    array = as_points("points", given)
    refuse_if(
        array.ndim != 2 or len(array) == 0,
        InvalidOption,
        f"points have shape {array.shape}: give an Embedding, or an array (n, d) with "
        "one row of numbers per object.",
    )
    is_wrong = np.asarray(~(np.abs(array) <= 1e150).all(axis=1))
    why = ": coordinates must be within +-1e150."
    refuse_first(is_wrong, "points", array, why, InvalidOption)
    n = len(array)
    what = f"a dense similarity of {n} objects"
    other = Remedy("adds_similarity, which can be sparse", shell="--method climb")
    check_fits(24 * n * n, what, "use fewer objects, or ", other, ".")
    return array


def _models(
    given: Embedding | Sequence[Embedding],
) -> tuple[list[tuple[Floats, float]], int]:
    """The points (d, n) and alpha of every embedding, and the number of objects."""
    is_list = isinstance(given, list | tuple)
    found: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    for place, embedding in enumerate(found):
        where = f"embeddings[{place}] is" if is_list else "this is"
        refuse_if(
            not isinstance(embedding, Embedding),
            InvalidOption,
            f"{where} of type {type(embedding).__name__}: give an Embedding, as "
            "tste(comparisons) returns it, or a list of them.",
        )
    message = "there are no embeddings to average: give at least one."
    refuse_if(not found, InvalidOption, message)
    first = found[0]
    for other in found[1:]:
        what = "embeddings of {} and of {} objects"
        n, n_other = len(first.points), len(other.points)
        check_same_objects(n, first.labels, n_other, other.labels, what)
    models = [(np.ascontiguousarray(_check_points(e).T), e.alpha) for e in found]
    return models, len(first.points)
