"""The noise ceiling: how well any predictor could do on such answers.

People who are asked the same question do not all answer it in the same way, so no tree
and no embedding predicts every answer. If a share p of all people choose the first pair
of a question, the best prediction is right with probability max(p, 1 - p). What can be
estimated without bias from questions asked several times is the *agreement*, the
probability p^2 + (1 - p)^2 that two answers are equal: of a question with a and b
answers, n = a + b, it is (a (a - 1) + b (b - 1)) / (n (n - 1)). As

    max(p, 1 - p) = (1 + sqrt(2 agreement - 1)) / 2

is concave in the agreement, its value at the mean agreement A is at least the mean over
questions: (1 + sqrt(2 A - 1)) / 2 is a ceiling. It is reached if all questions are
equally difficult. If they are not, the best prediction stays below it, but not below A,
because max(p, 1 - p) >= p^2 + (1 - p)^2. Answers of one person to the same question
agree more often than those of two people; they raise the ceiling, which stays a
ceiling.

The interval is by questions: what varies is the agreement from question to question. An
odd one out of three objects is one question, although it decides two comparisons. As
few questions may all agree by chance, the interval is that of two questions more, each
asked twice, one with equal and one with different answers: of 10 questions answered
twice, right with probability 0.95, it contains the ceiling in 99 % of simulations, and
in 62 % without the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tripletree.comparisons.row_checks import (
    group_rows,
    question_keys,
    rows_with_likes,
)
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.evaluation.holdout import question_numbers

FEWEST_QUESTIONS = 10  # asked again; fewer say nothing
DEVIATIONS = 1.96  # of an interval of 95 %
CLOSE = 0.05  # half of an interval that is narrow enough


@dataclass(frozen=True)
class NoiseCeiling:
    """The largest accuracy that any predictor can have on answers like these.

    Attributes
    ----------
    accuracy : float
        The ceiling: 0.5 if repeated answers agree no more often than by chance. It is
        reached if all questions are equally difficult; else the best prediction is
        right less often, but not less often than repeated answers agree.
    low, high : float
        Where it lies with 95 % confidence. Questions are what varies: many answers to
        few questions leave a wide interval.
    agreement : float
        The probability that two answers to the same question are equal, averaged over
        questions with the weight of their answers.
    n_questions : int
        How many questions were answered more than once.
    """

    accuracy: float
    low: float
    high: float
    agreement: float
    n_questions: int

    def __str__(self) -> str:
        return (
            f"repeated questions show that at most {self.accuracy:.1%} could be right "
            f"({self.low:.0%} to {self.high:.0%})"
        )


def noise_ceiling(comparisons: Comparisons) -> NoiseCeiling | None:
    """The noise ceiling, from questions that were answered more than once.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
        An integer weight w means w equal answers; a float weight counts as one.

    Returns
    -------
    NoiseCeiling or None
        None if fewer than 10 questions were answered more than once.

    Raises
    ------
    InvalidComparisons
        If the argument is neither Triplets nor Quadruplets.

    Examples
    --------
    Ten questions, each answered ten times, nine times in the same way:

    >>> from tripletree import Triplets
    >>> rows = [[0, k, k + 1] for k in range(1, 11)] * 9
    >>> rows += [[0, k + 1, k] for k in range(1, 11)]
    >>> print(noise_ceiling(Triplets(rows, n_objects=12)))
    repeated questions show that at most 88.7% could be right (86% to 90%)
    """
    check_comparisons(comparisons)
    return ceiling_of(count_votes(comparisons))


def ceiling_of(votes: Votes) -> NoiseCeiling | None:
    """The noise ceiling of votes that were counted."""
    found = agreement_of(votes, votes.total > 1)
    if found is None:
        return None
    mean, lowest, highest, n_questions = found
    low, ceiling, high = map(_ceiling, (lowest, mean, highest))
    return NoiseCeiling(ceiling, low, high, mean, n_questions)


class Votes(NamedTuple):
    """How often each two pairs were compared, and how that was answered.

    first, total: how often the pair with the smaller number was the near one, and how
    often any; asked: the question that they were part of, see `question_numbers`; row:
    one of their rows.
    """

    first: npt.NDArray[Any]
    total: npt.NDArray[Any]
    asked: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]


def count_votes(comparisons: Comparisons) -> Votes:
    """How often each two pairs were compared, and the first of them was nearer.

    An integer weight w counts as w answers, a float weight above 0 as one. Without
    weights, rows about objects that no other row is about can be left out.
    """
    weights, at = comparisons.weights, np.arange(len(comparisons))
    if weights is None:
        at = rows_with_likes(comparisons.rows)
        weights = np.ones(len(at), np.int64)
    low, high, is_swapped = question_keys(comparisons.rows[at])
    numbers, row = group_rows(low, high)
    votes = weights if weights.dtype.kind == "i" else weights > 0
    first = np.bincount(numbers, np.where(is_swapped, 0, votes))
    asked = numbers
    if comparisons.trials is not None:
        asked = question_numbers(comparisons)[at]
    return Votes(first, np.bincount(numbers, votes), asked[row], at[row])


def agreement_of(
    votes: Votes, is_counted: npt.NDArray[np.bool_]
) -> tuple[float, float, float, int] | None:
    """How often two answers are equal, its interval, and the number of questions.

    Of pairs with two answers or more; None if fewer than 10 questions are counted.
    """
    first, total = votes.first[is_counted], votes.total[is_counted]
    numbers = np.unique(votes.asked[is_counted], return_inverse=True)[1]
    n_questions = int(numbers.max(initial=-1)) + 1
    if n_questions < FEWEST_QUESTIONS:
        return None
    second = total - first
    agreements = (first * (first - 1) + second * (second - 1)) / (total * (total - 1))
    weight = np.append(np.bincount(numbers, total), [2, 2])
    agreeing = np.append(np.bincount(numbers, total * agreements), [2, 0])
    mean = float(agreeing[:-2].sum() / weight[:-2].sum())
    middle = float(agreeing.sum() / weight.sum())
    spread = ((agreeing - weight * middle) ** 2).sum() * len(weight) / (len(weight) - 1)
    error = DEVIATIONS * math.sqrt(spread) / float(weight.sum())
    return mean, min(mean, middle - error), max(mean, middle + error), n_questions


def _ceiling(agreement: float) -> float:
    return (1 + math.sqrt(min(max(2 * agreement - 1, 0.0), 1.0))) / 2


def repeats_needed(accuracy: float) -> int:
    """How many questions to ask twice to know a ceiling near this accuracy to 5 %.

    The agreement of n such questions has the variance A (1 - A) / n, and the ceiling
    changes 1 / (2 (2 accuracy - 1)) times as much.

    Examples
    --------
    >>> repeats_needed(0.6), repeats_needed(0.75), repeats_needed(0.9)
    (2400, 360, 89)
    """
    guess = min(max(accuracy, 0.6), 0.95)
    agreement = guess**2 + (1 - guess) ** 2
    error = CLOSE / DEVIATIONS * 2 * (2 * guess - 1)
    return int(float(f"{agreement * (1 - agreement) / error**2:.2g}"))
