r"""Which annotators answer like the others, and which do not.

The pair sums of all answers without those of annotator a are :math:`s - s^a`: pair sums
can be subtracted, so nothing is fitted again. An answer of a agrees with the others if
its near pair has the larger of these sums, and disagrees if its far pair has::

    all answers                     minus a's own             a said (0, 1, 2)

    s_01 = 3, s_02 = -1     ->      s_01 = 2, s_02 = 0        2 > 0: agrees

For each annotator in turn, their answers are subtracted from the one table of sums,
compared with it, and added back.

**Suspicion.** An annotator with three answers that all disagree may have been unlucky;
one with three hundred was not. Annotators are sorted by the largest likely share of
agreement: the upper end of Wilson's interval (97.5 %) for the share among the answers
that the others decide. With few answers it stays high, and a thousand answers slightly
below the rest do not raise suspicion. The rows of one screen are not independent, so
read z and the interval as a scale, not as a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, counted, printable
from tripletree.comparisons.row_checks import Floats, Ints, group_rows, pair_numbers
from tripletree.comparisons.summary import answers_per_annotator
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.errors import InvalidComparisons
from tripletree.similarity.adds import LARGEST_DENSE, adds_similarity
from tripletree.similarity.matrix import Similarity

NORMAL_QUANTILE = 1.959964  # 97.5 %
PSEUDO_ANSWERS = 20  # at the common rate, for reliability
ROUNDING = 1e-12  # of the total weight: float sums closer than this are tied
MOST_SHOWN = 20


@dataclass(frozen=True, eq=False)
class AnnotatorAgreement:
    """How each annotator agrees with the others, the most suspicious first.

    All arrays have one entry per annotator with answers, in the order of `names`.
    ``print`` shows a table.

    Attributes
    ----------
    names : tuple of str
    n_answers, n_comparisons : ndarray of int64
        An odd-one-out answer is one answer and two comparisons.
    n_agreeing, n_tied, n_against : ndarray of int64
        Comparisons that the sums of all other annotators confirm, leave tied or
        contradict.
    z : ndarray of float64
        Standard deviations above (or, negative, below) the common rate: binomial, for
        the comparisons that are not tied; 0 without such comparisons.
    at_most : ndarray of float64
        The largest likely share of agreement, by which they are sorted: the upper end
        of Wilson's interval.
    rate : float
        The common rate: the share of agreement among all comparisons that are not
        tied; 0.5 without such comparisons.
    """

    names: tuple[str, ...]
    n_answers: Ints
    n_comparisons: Ints
    n_agreeing: Ints
    n_tied: Ints
    n_against: Ints
    z: Floats
    at_most: Floats
    rate: float

    def __str__(self) -> str:
        names = [printable(name)[:40] for name in self.names[:MOST_SHOWN]]
        width = max(map(len, ["person", *names]))
        lines = [
            f"{counted(len(self.names), 'person')}, "
            f"{counted(int(self.n_answers.sum()), 'answer')}; of the comparisons that "
            f"the others decide, {self.rate:.1%} agree",
            f"{'person':<{width}}  answers  agree   tied  against  at most       z",
        ]
        for a, name in enumerate(names):
            n = self.n_comparisons[a]
            lines.append(
                f"{name:<{width}}  {self.n_answers[a]:>7,}"
                f"  {self.n_agreeing[a] / n:>5.0%}"
                f"  {self.n_tied[a] / n:>5.0%}  {self.n_against[a] / n:>7.0%}"
                f"  {self.at_most[a]:>7.0%}  {self.z[a]:>6.1f}"
            )
        if len(self.names) > MOST_SHOWN:
            lines.append(f"... and {len(self.names) - MOST_SHOWN:,} less suspicious")
        lines.append(
            "look first at the people at the top. At most: the largest plausible share "
            "of agreement, ties left out; a z below -3 is hardly due to chance."
        )
        return "\n".join(lines)


def annotator_agreement(comparisons: Comparisons) -> AnnotatorAgreement:
    """Compare the answers of each annotator with the sums of all others.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
        With annotators. Weights count in the sums.

    Returns
    -------
    AnnotatorAgreement
        The most suspicious first: those with the lowest share of agreement, given
        their number of answers.

    Raises
    ------
    InvalidComparisons
        If the comparisons do not say who gave the answers.
    TooLarge
        If the sums do not fit into memory.

    Notes
    -----
    O(m log m + n^2) time and 56 m bytes beside the dense sums; above 10,000 objects
    O(m log m) time and 136 m bytes. Exact unless weights are floats: then sums closer
    than 1e-12 of the total weight are tied.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> rows = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 2, 1]]
    >>> answers = Triplets(rows, 3, annotators=["ann", "bob", "cy", "eve"])
    >>> found = annotator_agreement(answers)
    >>> found.names, found.n_agreeing.tolist()
    (('eve', 'ann', 'bob', 'cy'), [0, 1, 1, 1])
    """
    return agreement_by_sums(comparisons, None)


def agreement_by_sums(
    comparisons: Comparisons, s: Similarity | None
) -> AnnotatorAgreement:
    """`annotator_agreement`, given the AddS of the comparisons, if it is known."""
    counts = _count_agreement(comparisons, s)
    present = np.flatnonzero(counts.sum(axis=1))
    counts, rate = counts[present], _common_rate(counts)
    n_decided = counts[:, 0] + counts[:, 2]
    at_most = _wilson_upper_end(counts[:, 0], n_decided)
    deviation = np.sqrt(n_decided * rate * (1 - rate))
    above = counts[:, 0] - n_decided * rate
    z = np.divide(above, deviation, out=np.zeros(len(counts)), where=deviation > 0)
    order = np.lexsort((z, at_most))
    names = comparisons.annotator_names or ()
    agreeing, tied, against = counts[order].T
    return AnnotatorAgreement(
        names=tuple(names[a] for a in present[order]),
        n_answers=answers_per_annotator(comparisons)[present[order]],
        n_comparisons=counts.sum(axis=1)[order],
        n_agreeing=agreeing,
        n_tied=tied,
        n_against=against,
        z=z[order],
        at_most=at_most[order],
        rate=rate,
    )


def reliability_weights(comparisons: Comparisons) -> Floats:
    r"""A weight per answer: how far above chance its annotator agrees with the others.

    With p the annotator's share of agreement, shrunk towards the common rate by 20
    answers at that rate, the weight is :math:`\max(0, 2p - 1)`, divided by its value at
    the common rate. So a typical annotator has weight 1, and one who guesses, or
    answers the wrong way round, weight 0. If the common rate is no better than chance,
    all weights are 1.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
        With annotators.

    Returns
    -------
    ndarray of float64, shape (m,)
        Multiplied by the weights of the comparisons, if they have any.

    Raises
    ------
    InvalidComparisons
        If the comparisons do not say who gave the answers.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tripletree import Triplets
    >>> rows = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 2, 1]] * 30
    >>> answers = Triplets(rows, 3, annotators=["ann", "bob", "cy", "eve"] * 30)
    >>> weights = reliability_weights(answers)
    >>> weights[:4].round(2).tolist()
    [1.6, 1.6, 1.6, 0.0]
    >>> answers = replace(answers, weights=weights)
    """
    counts = _count_agreement(comparisons)
    n_decided, rate = counts[:, 0] + counts[:, 2], _common_rate(counts)
    reliability = np.ones(len(counts))
    if rate > 0.5:
        share = (counts[:, 0] + PSEUDO_ANSWERS * rate) / (n_decided + PSEUDO_ANSWERS)
        reliability = np.maximum(0.0, 2 * share - 1) / (2 * rate - 1)
    weights: Floats = reliability[comparisons.annotators]
    return weights if comparisons.weights is None else weights * comparisons.weights


def _count_agreement(comparisons: Comparisons, s: Similarity | None = None) -> Ints:
    """Comparisons that agree, are tied and disagree, by code: (annotators, 3)."""
    check_comparisons(comparisons)
    codes, names = comparisons.annotators, comparisons.annotator_names
    if codes is None or names is None:
        message = (
            "these comparisons do not say who gave the answers: give annotators=, one "
            "id per row, when making them."
        )
        raise InvalidComparisons(message)
    n, m = comparisons.n_objects, len(comparisons)
    is_dense = n <= LARGEST_DENSE
    check_fits(
        56 * m + 13 * n * n if is_dense else 136 * m,
        f"the agreement of annotators in {m} comparisons",
        "take fewer answers.",
    )
    order = np.argsort(codes, kind="stable")
    pairs = np.stack(
        [pair_numbers(*rows[order].T) for rows in (comparisons.near, comparisons.far)]
    )
    weights: npt.NDArray[Any] = np.ones(m, np.int64)
    if comparisons.weights is not None:
        weights = comparisons.weights[order]
    if is_dense:
        s = adds_similarity(comparisons, sparse=False) if s is None else s
        sums = np.asarray(s)[np.tri(n, k=-1, dtype=np.bool_)]
    else:
        pairs = group_rows(pairs.ravel())[0].reshape(2, m)
        sums = np.zeros(pairs.max(initial=-1) + 1, weights.dtype)
        np.add.at(sums, pairs[0], weights)
        np.subtract.at(sums, pairs[1], weights)
    tolerance = ROUNDING * weights.sum() if weights.dtype.kind == "f" else 0
    counts = np.zeros((len(names), 3), np.int64)
    last = 0
    for a, n_rows in enumerate(np.bincount(codes).tolist()):
        first, last = last, last + n_rows
        (near, far), own = pairs[:, first:last], weights[first:last]
        np.subtract.at(sums, near, own)
        np.add.at(sums, far, own)
        lead = sums[near] - sums[far]
        np.add.at(sums, near, own)
        np.subtract.at(sums, far, own)
        is_tied = np.abs(lead) <= tolerance
        side = np.where(is_tied, 1, np.where(lead > 0, 0, 2))
        counts[a] = np.bincount(side, minlength=3)
    return counts


def _common_rate(counts: Ints) -> float:
    """The share of agreement among all comparisons that are not tied."""
    n_agreeing, _, n_against = counts.sum(axis=0).tolist()
    n_decided = n_agreeing + n_against
    return float(n_agreeing / n_decided) if n_decided else 0.5


def _wilson_upper_end(n_agreeing: Ints, n_decided: Ints) -> Floats:
    """The upper end of Wilson's interval for a share; 1 without answers."""
    n = np.maximum(n_decided, 1)
    share = n_agreeing / n
    square = NORMAL_QUANTILE**2 / n
    half = np.sqrt(share * (1 - share) * square + square * square / 4)
    limit: Floats = (share + square / 2 + half) / (1 + square)
    return np.where(n_decided > 0, limit, 1.0)
