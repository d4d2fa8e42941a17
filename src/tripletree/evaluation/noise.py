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
equally difficult. Answers of one person to the same question agree more often than
those of two people; they raise the ceiling, which stays a ceiling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tripletree.comparisons.combining import group_rows
from tripletree.comparisons.row_checks import question_keys
from tripletree.comparisons.triplets import Comparisons, check_comparisons

FEWEST_QUESTIONS = 10  # asked again; fewer say nothing
DEVIATIONS = 1.96  # of an interval of 95 %
CLOSE = 0.05  # half of an interval that is narrow enough


@dataclass(frozen=True)
class NoiseCeiling:
    """The largest accuracy that any predictor can have on answers like these.

    Attributes
    ----------
    accuracy : float
        The ceiling: 0.5 if repeated answers agree no more often than by chance.
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
            f"repeated answers agree so often that {self.accuracy:.1%} is the most "
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
    repeated answers agree so often that 88.7% is the most (89% to 89%)
    """
    check_comparisons(comparisons)
    low, high, is_swapped = question_keys(comparisons.rows)
    numbers, _ = group_rows(low, high)
    weights = comparisons.weights
    if weights is None:
        weights = np.ones(len(comparisons), np.int64)
    votes = weights if weights.dtype.kind == "i" else weights > 0
    n = np.bincount(numbers, votes)
    a = np.bincount(numbers, np.where(is_swapped, 0, votes))
    a, n = a[n > 1], n[n > 1]
    if len(n) < FEWEST_QUESTIONS:
        return None
    b, total = n - a, n.sum()
    agreements = (a * (a - 1) + b * (b - 1)) / (n * (n - 1))
    mean = float((n * agreements).sum() / total)
    spread = ((n * (agreements - mean)) ** 2).sum() * len(n) / (len(n) - 1)
    error = DEVIATIONS * math.sqrt(spread) / total
    ceiling, lowest, highest = map(_ceiling, (mean, mean - error, mean + error))
    return NoiseCeiling(ceiling, lowest, highest, mean, len(n))


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
