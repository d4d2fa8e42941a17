r"""t-STE: points whose distances agree with the answers as well as they can.

The model says that i is found closer to j than to k with probability

.. math:: p(i, j, k) = \frac{t_{ij}}{t_{ij} + t_{ik}}, \qquad
          t_{xy} = \Bigl(1 + \frac{|x - y|^2}{\alpha}\Bigr)^{-(\alpha + 1) / 2},

and t-STE looks for the points under which the answers are most probable. There are
many local optima of nearly the same loss: some random starts are followed for a short
way, and the best of them to its end, by L-BFGS. How long depends on the answers alone,
never on the clock, so that the same seed gives the same points; a time limit can only
end it early.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    as_floats,
    check_callable,
    check_int,
    check_limit,
    check_number,
    freeze,
    refuse_mask,
)
from tripletree._progress import OnProgress, OutOfTime, Progress
from tripletree._threads import stop_if_over
from tripletree.comparisons.row_checks import Floats
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.embedding.descent import descend
from tripletree.embedding.loss import Objective, group_answers
from tripletree.errors import InvalidOption, refuse_if

MOST_DIMENSIONS = 300  # beyond, random starts are so far apart that the loss is flat
MOST_ITERATIONS = 5_000
SHORT_WAY = 1e-5  # the gain of an iteration in mean log-loss at which to pause a start
WHOLE_WAY = 1e-7  # ... and at which to end
LARGEST_START = 1e6


@dataclass(frozen=True, eq=False)
class Embedding:
    """Points that t-STE found.

    Attributes
    ----------
    points : ndarray of float64, shape (n, d)
        Read-only, with mean 0, turned so that the first dimension varies most.
    loss : float
        The mean log-loss of the answers, log 2 for guessing. 0 without answers.
    alpha : float
        The degrees of freedom of the model.
    n_iterations : int
        Iterations of L-BFGS, over all starts.
    is_converged : bool
        False if stopped by the time limit or the largest number of iterations.
    labels : tuple of str, optional
        The names of the objects.
    """

    points: Floats
    loss: float
    alpha: float
    n_iterations: int
    is_converged: bool
    labels: tuple[str, ...] | None = None


def tste(
    comparisons: Comparisons,
    *,
    n_dimensions: int = 2,
    alpha: float | None = None,
    n_starts: int = 4,
    seed: int = 0,
    start: npt.ArrayLike | None = None,
    tolerance: float = WHOLE_WAY,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> Embedding:
    """Embed the objects by t-distributed stochastic triplet embedding (t-STE).

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
        Weights and repeated rows count.
    n_dimensions : int, default 2
    alpha : float, optional
        Degrees of freedom of the t distribution: n_dimensions - 1, at least 1, by
        default.
    n_starts : int, default 4
        How many random starts to try.
    seed : int, default 0
        The same seed gives the same points, if no time limit strikes.
    start : array_like, shape (n, n_dimensions), optional
        Points to start from instead of random ones.
    tolerance : float, default 1e-7
        End when an iteration gains less than this in mean log-loss.
    time_limit : float, optional
        Seconds after which to stop with the best points so far. No limit by default.
    progress : callable, optional
        Called after every iteration with a `Progress`: the iterations,
        and the smallest loss so far.

    Returns
    -------
    Embedding
        Also after the time limit, then not ``is_converged``.

    Raises
    ------
    InvalidComparisons, InvalidOption
        Where the arguments are not as described.
    TooLarge
        If the work would not fit into the memory that is available.

    Notes
    -----
    O(m + d min(m, n^2)) time an iteration; some hundred iterations, more with few
    answers. Objects that occur in no answer stay where they started.

    References
    ----------
    van der Maaten and Weinberger, "Stochastic triplet embedding", 2012.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> rows = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [3, 2, 1], [3, 2, 0]]
    >>> embedding = tste(Triplets(rows, n_objects=4))
    >>> embedding.points.shape, embedding.loss < 0.2
    ((4, 2), True)
    """
    check_comparisons(comparisons)
    n = comparisons.n_objects
    d = check_int("n_dimensions", n_dimensions, 1, MOST_DIMENSIONS)
    alpha = float(max(d - 1, 1)) if alpha is None else alpha
    chosen = check_number("alpha", alpha, 1e-3, 1e6)
    n_starts = check_int("n_starts", n_starts, 1, 10**6)
    rng = np.random.default_rng(check_int("seed", seed, 0, 2**63))
    limit = check_limit(time_limit)
    check_callable("progress", progress)
    given = None if start is None else _check_start(start, n, d)
    gain = check_number("tolerance", tolerance, 0, 1)
    objective = Objective(group_answers(comparisons), d, chosen)
    run = Run(objective, limit, gain, progress)
    if given is not None:
        run.finish(given.T.ravel())
    else:
        run.search(rng, n_starts)
    return run.embedding(comparisons.labels)


class Run:
    """One call of t-STE: the best points so far, and when to stop."""

    def __init__(
        self,
        objective: Objective,
        time_limit: float,
        tolerance: float,
        progress: OnProgress | None,
    ) -> None:
        self.objective = objective
        self.began = time.monotonic()
        self.time_limit, self.tolerance = time_limit, tolerance
        self.progress = progress
        self.best = float("inf")
        self.best_points: Floats = np.empty(0)
        self.n_iterations = 0
        self.is_converged = False

    def search(self, rng: np.random.Generator, n_starts: int) -> None:
        """Follow random starts for a short way, then the best of them to its end."""
        size = self.objective.shape[0] * self.objective.shape[1]
        for number in range(n_starts):
            points = rng.normal(size=size)
            if number == 0:
                self._keep(points, self.objective(points)[0])
            if n_starts > 1 and not self._descend(points, SHORT_WAY):
                return
        self.finish(self.best_points if n_starts > 1 else points)

    def finish(self, points: Floats) -> None:
        if not len(self.best_points):
            self._keep(points, self.objective(points)[0])
        self._descend(points, self.tolerance)

    def embedding(self, labels: tuple[str, ...] | None) -> Embedding:
        """What was found."""
        points = _turned(self.best_points.reshape(self.objective.shape).T)
        found = self.best, self.objective.alpha, self.n_iterations, self.is_converged
        return Embedding(points, *found, labels)

    def _descend(self, points: Floats, tolerance: float) -> bool:
        """Minimise from here; False if there is no time to go on."""
        self.is_converged = False
        try:
            descent = descend(
                self._evaluate,
                points,
                tolerance=tolerance,
                most_iterations=MOST_ITERATIONS,
                after_iteration=self._step,
            )
        except OutOfTime:
            return False
        self.is_converged = descent.is_converged
        return True

    def _evaluate(self, points: Floats) -> tuple[float, Floats]:
        stop_if_over()
        if time.monotonic() - self.began >= self.time_limit:
            raise OutOfTime
        loss, gradient = self.objective(points)
        self._keep(points, loss)
        return loss, gradient

    def _keep(self, points: Floats, loss: float) -> None:
        if loss < self.best:
            self.best, self.best_points = loss, points.copy()

    def _step(self) -> None:
        self.n_iterations += 1
        if self.progress is not None:
            self.progress(Progress("t-STE", self.n_iterations, None, self.best))


def _turned(points: Floats) -> Floats:
    """The points around 0, along their principal axes, the farthest side positive.

    Distances do not change; it makes equal embeddings look equal.
    """
    centred = points - points.mean(axis=0)
    # einsum, as the sums of a threaded BLAS depend on the threads
    axes = np.linalg.eigh(np.einsum("ni,nj->ij", centred, centred))[1][:, ::-1]
    turned = np.einsum("ni,ij->nj", centred, axes)
    far = np.abs(turned).argmax(axis=0)
    signs = np.where(turned[far, np.arange(turned.shape[1])] < 0, -1.0, 1.0)
    return freeze(turned * signs, np.float64)


def as_points(name: str, given: npt.ArrayLike) -> Floats:
    """Points as floats for the caller to check; none if these are not numbers."""
    refuse_mask(name, given, InvalidOption)
    try:
        return as_floats(given)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)


def _check_start(start: npt.ArrayLike, n: int, n_dimensions: int) -> Floats:
    points = as_points("start", start).copy()
    refuse_if(
        points.shape != (n, n_dimensions),
        InvalidOption,
        f"start has shape {points.shape}: give {n_dimensions} numbers for each of the "
        f"{n} objects.",
    )
    refuse_if(
        not (np.abs(points) <= LARGEST_START).all(),
        InvalidOption,
        f"start must be finite, within -{LARGEST_START} and {LARGEST_START}.",
    )
    return points
