"""Would more answers help: how well a method does with a growing part of them.

The answers are split into folds as in holdout.py. The trees for a fold are made from a
part of the others, then from a larger part, up to all of them; and each is judged on
that fold. The parts are nested, and the judges are the same throughout, so that the
curve shows what more answers do and nothing else. Where it still rises at its end, more
answers will help; where it is flat, they will not.

All answers to the same question are in the same part, as they are in the same fold.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_int, check_limit, check_number
from tripletree._progress import OnProgress, Progress
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.errors import InvalidOption
from tripletree.evaluation.holdout import check_made_tree, fold_of_rows
from tripletree.objective.value import revenue, satisfaction
from tripletree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
N_PARTS = 2**16  # hashes of questions are compared with shares of this


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """How a method does on answers it has not seen, from few answers to all.

    Print it for a table.

    Attributes
    ----------
    shares : tuple of float
        Of the answers outside the fold, rising.
    n_answers : ndarray of float64, shape (shares,)
        How many answers the trees are made from, on average over the folds.
    accuracies : ndarray of float64, shape (shares, folds)
        The share of each fold that its tree satisfies, a tie counting half; 0.5 for a
        fold without answers.
    accuracy : ndarray of float64, shape (shares,)
        The same for all folds together.
    revenues : tuple of int or float
        Of each fold under its tree, added up, for each share.
    is_stopped : bool
        Whether the time limit left larger shares out.
    """

    shares: tuple[float, ...]
    n_answers: Floats
    accuracies: Floats
    accuracy: Floats
    revenues: tuple[int | float, ...]
    is_stopped: bool

    @property
    def spread(self) -> Floats:
        """The standard deviation of the accuracy from fold to fold, per share."""
        spread: Floats = self.accuracies.std(axis=1, ddof=1)
        return spread

    def __str__(self) -> str:
        lines = ["   answers  accuracy  spread       revenue"]
        rows = zip(
            self.n_answers, self.accuracy, self.spread, self.revenues, strict=True
        )
        for n, right, spread, earned in rows:
            lines.append(f"{n:>10,.0f}  {right:>8.1%}  {spread:>6.1%}  {earned:>12.6g}")
        if self.is_stopped:
            lines.append("stopped by the time limit before the largest share")
        return "\n".join(lines)


def learning_curve(
    comparisons: Comparisons,
    make_tree: Callable[[Comparisons], Tree],
    *,
    shares: Sequence[float] = SHARES,
    n_folds: int = 3,
    seed: int = 0,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> LearningCurve:
    """Judge a method on held-out answers, for growing shares of the others.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
    make_tree : callable
        The method: a tree from comparisons. It is called for each share and fold.
    shares : sequence of float, default (1/16, 1/8, 1/4, 1/2, 1)
        Which parts of the answers to make trees from: above 0, at most 1, rising.
    n_folds : int, default 3
    seed : int, default 0
        Which questions come together in a fold.
    time_limit : float, optional
        Seconds after which no further tree is begun. Shares for which not all folds
        are done are left out.
    progress : callable, optional
        Called with a `Progress` before each tree: the trees made, of all.

    Returns
    -------
    LearningCurve
        With the share 1, the last point is what :func:`held_out` finds.

    Raises
    ------
    InvalidComparisons, InvalidOption
        Where the arguments are not as described, or the method gives no tree.

    Notes
    -----
    O(shares x folds) trees, and O(m) time and 16 m bytes beside them. Shares are met
    up to chance, because questions are taken whole.

    Examples
    --------
    >>> from tripletree import adds_similarity, average_linkage
    >>> from tripletree.datasets.animals import animals
    >>> method = lambda train: average_linkage(adds_similarity(train))
    >>> curve = learning_curve(animals().answers, method, shares=[0.05, 1])
    >>> bool(curve.accuracy[1] > curve.accuracy[0])
    True
    """
    check_comparisons(comparisons)
    check_callable("make_tree", make_tree, is_needed=True)
    check_callable("progress", progress)
    wanted = _check_shares(shares)
    n_folds = check_int("n_folds", n_folds, 2, 1_000)
    seed = check_int("seed", seed, 0, 2**63)
    end = time.monotonic() + check_limit(time_limit)
    fold = fold_of_rows(comparisons, n_folds, seed)
    part = fold_of_rows(comparisons, N_PARTS, (seed + 1) % 2**63)
    points: list[_Point] = []
    longest = 0.0
    for share in wanted:
        point = _Point()
        for number in range(n_folds):
            began = time.monotonic()
            if began >= end or (points and began + longest >= end):
                break
            if progress is not None:
                n_done = len(points) * n_folds + number
                progress(Progress("learning curve", n_done, len(wanted) * n_folds))
            is_held_out = fold == number
            train = comparisons[~is_held_out & (part < share * N_PARTS)]
            tree = make_tree(train)
            check_made_tree(tree, comparisons.n_objects)
            point.add(tree, train.n_answers, comparisons[is_held_out])
            longest = max(longest, time.monotonic() - began)
        if len(point.n_answers) < n_folds:
            break
        points.append(point)
    return LearningCurve(
        shares=wanted[: len(points)],
        n_answers=np.array([np.mean(point.n_answers) for point in points]),
        accuracies=np.array([point.accuracies() for point in points]).reshape(
            len(points), n_folds
        ),
        accuracy=np.array([point.accuracy() for point in points]),
        revenues=tuple(sum(point.revenues) for point in points),
        is_stopped=len(points) < len(wanted),
    )


class _Point:
    """What is found for one share, fold by fold."""

    def __init__(self) -> None:
        self.n_answers: list[int] = []
        self.right: list[float] = []
        self.total: list[float] = []
        self.revenues: list[int | float] = []

    def add(self, tree: Tree, n_answers: int, rest: Comparisons) -> None:
        counts = satisfaction(tree, rest)
        self.n_answers.append(n_answers)
        self.right.append(counts.satisfied + counts.tied / 2)
        self.total.append(counts.satisfied + counts.tied + counts.violated)
        self.revenues.append(revenue(tree, rest))

    def accuracies(self) -> list[float]:
        return [_ratio(*pair) for pair in zip(self.right, self.total, strict=True)]

    def accuracy(self) -> float:
        return _ratio(sum(self.right), sum(self.total))


def _ratio(right: float, total: float) -> float:
    return float(right / total) if total else 0.5


def _check_shares(shares: Sequence[float]) -> tuple[float, ...]:
    try:
        given = tuple(shares)
    except TypeError:
        given = ()
    numbers = tuple(check_number("shares", share, 0, 1) for share in given)
    rising = all(a < b for a, b in zip((0.0, *numbers), numbers, strict=False))
    if not numbers or not rising or not all(map(math.isfinite, numbers)):
        message = (
            f"shares = {shares!r:.200}: give rising numbers above 0 and at most 1, for "
            "example [0.25, 0.5, 1]."
        )
        raise InvalidOption(message)
    return numbers
