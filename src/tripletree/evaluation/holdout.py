"""Is the tree right, without a known truth: its revenue on answers it has not seen.

The answers are split into folds. A tree is made from all folds but one and judged on
that one, for every fold. A tree that overfits has a large revenue on its own answers
and a small one on others, so this compares methods fairly, where the revenue alone
prefers the most flexible one.

All answers about the same three objects are in the same fold, and all that compare the
same two pairs: otherwise a method could do well by repeating the answers it was given.
An answer about more objects, such as a ranking, is held out as a whole, together with
all answers to the same question. Questions that overlap may then be in several folds,
which makes the figures slightly too optimistic. They are far too optimistic if there
are fewer different questions than folds: then answers to the same question are in
several folds.

**Would more answers help?** For a learning curve the trees of a fold are made from a
part of the other folds, then from a larger part, up to all of them; each is judged on
that fold. The parts are nested and the test answers stay the same, so the curve shows
the effect of more answers and nothing else. If it still rises at its end, more answers
will help; if it is flat, they will hardly raise the accuracy, though they may still
settle joins that are not stable. All answers to the same question are in the same part,
as they are in the same fold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_int, check_limit, check_number
from tripletree._progress import OnProgress, OutOfTime, Progress, ignore
from tripletree._threads import row_chunks
from tripletree.comparisons.row_checks import Rows, Trials, group_rows, question_keys
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.errors import InvalidOption, refuse_if
from tripletree.objective.value import revenue, satisfaction
from tripletree.tree.ancestors import common_ancestor_sizes
from tripletree.tree.tree import Tree

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
SMALLEST_GAIN = 0.005  # of accuracy, that is worth twice the answers
N_PARTS = 2**16  # hashes of questions are compared with shares of this
ROWS_PER_CHUNK = 10**6

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
MakeTree = Callable[[Comparisons], Tree]


@dataclass(frozen=True)
class HeldOut:
    """How a method does on answers that it has not seen.

    Attributes
    ----------
    revenue : int or float
        The sum over folds, each under the tree made from the others.
    accuracy : float
        The share of these answers that the trees satisfy, ties counting half; 0.5
        without answers.
    revenues : tuple of int or float
        Fold by fold.
    """

    revenue: int | float
    accuracy: float
    revenues: tuple[int | float, ...]


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """How a method does on answers it has not seen, from few answers to all.

    ``print`` shows a table.

    Attributes
    ----------
    shares : tuple of float
        Shares of the answers outside the fold, increasing.
    n_answers : ndarray of float64, shape (shares,)
        The number of answers that the trees are made from, averaged over the folds.
    accuracies : ndarray of float64, shape (shares, folds)
        The share of each fold that its tree satisfies, ties counting half; 0.5 for a
        fold without answers.
    accuracy : ndarray of float64, shape (shares,)
        The same for all folds together.
    revenues : tuple of int or float
        For each share, the sum over folds under their trees.
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

    @property
    def gain(self) -> float | None:
        """How much the last doubling of the answers raised the accuracy.

        None if fewer than two shares are done.
        """
        if len(self.accuracy) < 2 or not self.n_answers[-2]:
            return None
        doublings = np.log2(self.n_answers[-1] / self.n_answers[-2]) or 1.0
        return float((self.accuracy[-1] - self.accuracy[-2]) / doublings)

    @property
    def is_rising(self) -> bool:
        """Whether more answers are likely to raise the accuracy.

        So if the gain is above half of the spread between folds, and above 0.5 %.
        """
        if self.gain is None:
            return False
        return self.gain > max(SMALLEST_GAIN, float(self.spread[-1]) / 2)

    def __str__(self) -> str:
        lines = ["   answers  accuracy  spread       revenue"]
        columns = self.n_answers, self.accuracy, self.spread, self.revenues
        lines += [
            f"{n:>10,.0f}  {right:>8.1%}  {spread:>6.1%}  {earned:>12.6g}"
            for n, right, spread, earned in zip(*columns, strict=True)
        ]
        if self.is_stopped:
            lines.append("stopped by the time limit before the largest share")
        return "\n".join(lines)


def held_out(
    comparisons: Comparisons,
    make_tree: MakeTree,
    *,
    n_folds: int = 3,
    seed: int = 0,
) -> HeldOut:
    """Judge a method on held-out answers, by cross-validation.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
    make_tree : callable
        The method: makes a tree from comparisons. It is called once per fold.
    n_folds : int, default 3
    seed : int, default 0
        Decides which questions are in which fold. Folds are about equally large; with a
        handful of questions one may be empty.

    Returns
    -------
    HeldOut

    Raises
    ------
    InvalidComparisons, InvalidOption
        If the arguments are not as described, or the method does not return a tree with
        one leaf per object.

    Examples
    --------
    >>> from tripletree import adds_similarity, average_linkage
    >>> from tripletree.datasets.animals import animals
    >>> answers = animals().answers
    >>> method = lambda train: average_linkage(adds_similarity(train))
    >>> result = held_out(answers, method)
    >>> result.accuracy > 0.6
    True
    """
    fold = check_folds(comparisons, make_tree, n_folds, seed)
    found = [
        _judge(comparisons, make_tree, fold != number, fold == number)
        for number in range(n_folds)
    ]
    revenues = tuple(judged.revenue for judged in found)
    return HeldOut(sum(revenues), _accuracy(found), revenues)


def question_revenues(
    comparisons: Comparisons, trees: Sequence[Tree], seed: int, questions: Ints
) -> Floats:
    """The revenue of each question under the tree of its fold; their sum is held out.

    There is one tree per fold, as :func:`held_out` made them with this seed, and one
    number of a question per row, see :func:`question_numbers`.
    """
    fold = assign_folds(comparisons, len(trees), seed)
    earned = np.zeros(questions.max(initial=-1) + 1)
    for number, tree in enumerate(trees):
        rows = np.flatnonzero(fold == number)
        part = comparisons[rows]
        near, far = (common_ancestor_sizes(tree, x) for x in (part.near, part.far))
        gains = (far - near).astype(np.float64)  # integers times 2^62 would wrap
        if part.weights is not None:
            gains *= part.weights
        earned += np.bincount(questions[rows], gains, len(earned))
    return earned


def learning_curve(
    comparisons: Comparisons,
    make_tree: MakeTree,
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
        The method: makes a tree from comparisons. It is called for each share and fold.
    shares : sequence of float, default (1/16, 1/8, 1/4, 1/2, 1)
        The shares of the answers to make trees from: above 0, at most 1, increasing.
    n_folds : int, default 3
    seed : int, default 0
        Decides which questions are in which fold.
    time_limit : float, optional
        Seconds after which no further tree is started. Shares for which not all folds
        are done are left out.
    progress : callable, optional
        Called with a `Progress` before each tree: how many of all trees are made.

    Returns
    -------
    LearningCurve
        With the share 1, the last point is the result of :func:`held_out`.

    Raises
    ------
    InvalidComparisons, InvalidOption
        If the arguments are not as described, or the method does not return a tree.

    Notes
    -----
    O(shares x folds) trees, and O(m) time and 16 m bytes in addition. The shares are
    approximate, because the answers to a question are kept together.

    Examples
    --------
    >>> from tripletree import adds_similarity, average_linkage
    >>> from tripletree.datasets.animals import animals
    >>> method = lambda train: average_linkage(adds_similarity(train))
    >>> curve = learning_curve(animals().answers, method, shares=[0.05, 1])
    >>> bool(curve.accuracy[1] > curve.accuracy[0])
    True
    """
    check_callable("progress", progress)
    tell = progress or ignore
    wanted = _check_shares(shares)
    end = time.monotonic() + check_limit(time_limit)
    fold = check_folds(comparisons, make_tree, n_folds, seed)
    part = assign_parts(comparisons, (int(seed) + 1) % 2**63)
    judged: list[_Judged] = []
    longest = 0.0
    for share, number in product(wanted, range(n_folds)):
        began = time.monotonic()
        if began >= end or (len(judged) >= n_folds and began + longest >= end):
            break
        tell(Progress("learning curve", len(judged), len(wanted) * n_folds))
        is_train = (fold != number) & (part < share * N_PARTS)
        try:
            judged.append(_judge(comparisons, make_tree, is_train, fold == number))
        except OutOfTime:
            break
        longest = max(longest, time.monotonic() - began)
    n_shares = len(judged) // n_folds  # of which all folds are done
    points = [judged[folds] for folds in row_chunks(n_shares * n_folds, n_folds)]
    accuracies = np.array([_accuracy([x]) for point in points for x in point])
    return LearningCurve(
        shares=wanted[:n_shares],
        n_answers=np.array([np.mean([x.n_answers for x in point]) for point in points]),
        accuracies=accuracies.reshape(n_shares, n_folds),
        accuracy=np.array([_accuracy(point) for point in points]),
        revenues=tuple(sum(x.revenue for x in point) for point in points),
        is_stopped=n_shares < len(wanted),
    )


def check_folds(
    comparisons: Comparisons, make_tree: MakeTree, n_folds: int, seed: int
) -> Ints:
    """The fold of each row, after the checks that all trials of a method share."""
    check_comparisons(comparisons)
    check_callable("make_tree", make_tree, is_needed=True)
    n_folds = check_int("n_folds", n_folds, 2, 1_000)
    return assign_folds(comparisons, n_folds, check_int("seed", seed, 0, 2**63))


class _Judged(NamedTuple):
    """The revenue of a tree on a fold, and how much of the fold it gets right."""

    n_answers: int  # that it was made from
    revenue: int | float
    right: int | float
    total: int | float


def _judge(
    comparisons: Comparisons, make_tree: MakeTree, is_train: Bools, is_held_out: Bools
) -> _Judged:
    """Make a tree from some answers, and judge it on others."""
    train, n = comparisons[is_train], comparisons.n_objects
    n_answers = train.n_answers
    tree = make_tree(train)
    del train  # it can be large
    check_made_tree(tree, n)
    rest = comparisons[is_held_out]
    counts = satisfaction(tree, rest)
    right = counts.satisfied + counts.tied / 2
    return _Judged(n_answers, revenue(tree, rest), right, counts.total)


def check_made_tree(tree: object, n: int) -> None:
    """What a method returned must be a tree with one leaf per object."""
    refuse_if(
        not isinstance(tree, Tree) or tree.n_leaves != n,
        InvalidOption,
        f"make_tree returned {tree!r}: it must return a Tree with {n} leaves, one "
        "per object. (The tree of a SearchResult or a Clustering is its .tree.)",
    )


def _accuracy(found: Sequence[_Judged]) -> float:
    right, total = sum(x.right for x in found), sum(x.total for x in found)
    return float(right / total) if total else 0.5


def _check_shares(shares: Sequence[float]) -> tuple[float, ...]:
    given = shares if hasattr(shares, "__iter__") else ()
    numbers = tuple(check_number("shares", share, 0, 1) for share in given)
    refuse_if(
        not numbers or any(a >= b for a, b in pairwise((0.0, *numbers))),
        InvalidOption,
        f"shares = {shares!r:.200}: give increasing numbers above 0 and at most 1, for "
        "example [0.25, 0.5, 1].",
    )
    return numbers


def assign_folds(comparisons: Comparisons, n_folds: int, seed: int) -> Ints:
    """The fold of each row, by a hash of its question: no rows are sorted."""
    hashes = _row_hashes(comparisons, seed)
    if comparisons.trials is not None:
        hashes = _trial_hashes(hashes, comparisons, comparisons.trials, n_folds, seed)
    hashes %= np.uint64(n_folds)
    return hashes.view(np.int64)


def assign_parts(comparisons: Comparisons, seed: int) -> Ints:
    """A part of each row, 0 to N_PARTS - 1, equal for all answers to a question.

    There can be fewer questions than parts, so they are not dealt to them in turn.
    """
    hashes = _row_hashes(comparisons, seed)
    if comparisons.trials is not None:
        hashes = _trial_hashes(hashes, comparisons, comparisons.trials, 0, seed)
    hashes %= np.uint64(N_PARTS)
    return hashes.view(np.int64)


def _row_hashes(comparisons: Comparisons, seed: int) -> Hashes:
    hashes = np.empty(len(comparisons), np.uint64)
    for chunk in row_chunks(len(comparisons), ROWS_PER_CHUNK):
        hashes[chunk] = _question_hashes(comparisons.rows[chunk], seed)
    return hashes


def question_numbers(comparisons: Comparisons) -> Ints:
    """The number of the question that each row answers.

    A question is two pairs; where rows are parts of one answer, all that was asked.
    """
    if comparisons.trials is None:
        low, high, _ = question_keys(comparisons.rows)
        return group_rows(low, high)[0]
    hashes = _question_hashes(comparisons.rows, 0)
    hashes = _trial_hashes(hashes, comparisons, comparisons.trials, 1, 0)
    return np.unique(hashes, return_inverse=True)[1]


def pieces_of_evidence(comparisons: Comparisons) -> float:
    """How many equally frequent questions say as much as these do.

    People who are asked the same question give much the same answer, so that for the
    accuracy of a tree, 20 answers to the same question count like one. With weights
    w_q of all answers to question q it is the square of the sum of w_q over the sum of
    their squares. 0 without answers.
    """
    numbers = question_numbers(comparisons)
    weights = np.bincount(numbers, comparisons.weights)
    largest = weights.max(initial=0.0)
    if not largest:
        return 0.0
    shares = weights / largest
    return float(shares.sum() ** 2 / (shares**2).sum())


def _question_hashes(rows: Rows, seed: int) -> Hashes:
    """A number per row, equal for the same three objects, or the same two pairs."""
    ids = rows.astype(np.uint64)
    if rows.shape[1] == 3:
        parts = np.sort(ids, axis=1)
    else:
        pairs = np.sort(ids.reshape(-1, 2, 2), axis=2)
        parts = np.sort(_mix(pairs[:, :, 0], pairs[:, :, 1]), axis=1)
    hashes = np.full(len(rows), seed, np.uint64)
    for column in parts.T:
        hashes = _mix(hashes, column)
    return hashes


def _trial_hashes(
    hashes: Hashes, comparisons: Comparisons, trials: Trials, n_folds: int, seed: int
) -> Hashes:
    """Equal numbers for the rows of a trial, and for trials of the same question.

    Questions are the same if they are about the same three objects, or about the same
    larger set and, where all its triplets share a target, the same target. Questions
    are dealt to the folds in turn; if there are fewer of them than folds, trials are.
    For 0 folds the numbers are hashes of the questions.
    """
    key, is_one = common_value(hashes, trials)
    if is_one.all():
        return hashes
    of_set = np.full_like(key, seed)
    numbers = np.arange(comparisons.n_objects, dtype=np.uint64)
    for _ in range(3):  # a set of objects as a set of 64 numbers, three times
        members = np.zeros_like(key)
        bits = np.uint64(1) << numbers % np.uint64(64)
        for chunk in row_chunks(len(trials), ROWS_PER_CHUNK):
            for column in comparisons.rows[chunk].T:
                np.bitwise_or.at(members, trials[chunk], bits[column])
        of_set = _mix(of_set, members)
        numbers = _mix(numbers, numbers)
    if comparisons.rows.shape[1] == 3:
        targets = comparisons.rows[:, 0].astype(np.uint64)
        target, has_target = common_value(targets, trials)
        of_set = np.where(has_target, _mix(of_set, target), of_set)
    key = np.where(is_one, key, of_set)
    if n_folds == 0:
        return key[trials]
    questions = np.unique(key, return_inverse=True)[1]
    if questions.max() + 1 < n_folds:
        own = np.arange(len(key), dtype=np.uint64)
        return _mix(np.full_like(own, seed), own)[trials]
    return questions.astype(np.uint64)[trials]


def common_value(
    values: npt.NDArray[Any], groups: Trials
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """A value of each group of rows, and whether all rows of the group have it."""
    of_group = np.zeros(int(groups.max(initial=-1)) + 1, values.dtype)
    of_group[groups] = values
    is_same = np.ones(len(of_group), np.bool_)
    is_same[groups[of_group[groups] != values]] = False
    return of_group, is_same


def _mix(one: Hashes, two: Hashes) -> Hashes:
    """Hash two numbers to one; unsigned products wrap on purpose (splitmix64)."""
    mixed = one * np.uint64(0x9E3779B97F4A7C15) + two
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
