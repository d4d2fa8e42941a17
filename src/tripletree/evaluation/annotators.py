r"""Who answers as the others do, and who does not.

The sums of all answers without those of annotator a are :math:`s - s^a`: pair sums can
be subtracted, so nothing is fitted again. An answer of a agrees with the others if its
near pair has the larger of these sums, and is against them if its far pair has::

    all answers                     minus a's own             a said (0, 1, 2)

    s_01 = 3, s_02 = -1     ->      s_01 = 2, s_02 = 0        2 > 0: agrees

For each annotator in turn, its answers are taken out of the one table of sums, all of
them are compared, and they are put back: O(m) in all.

**Suspicion.** An annotator with three answers, all against the others, may have been
unlucky; one with three hundred was not. They are sorted by the share of agreement that
they could have at most: the upper end of Wilson's interval (97.5 %) for the share among
the answers that the others decide. Few answers leave it high, and a thousand answers
slightly below the rest are no reason for suspicion. The rows of one screen are not
independent, so take z and the interval as a scale, not as a test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, counted, printable
from tripletree._lazy import kernel_module
from tripletree._threads import row_chunks
from tripletree.comparisons.summary import answers_per_annotator
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.errors import InvalidComparisons
from tripletree.similarity.adds import LARGEST_DENSE, adds_similarity

kernels = kernel_module("tripletree.evaluation._annotators_kernel")

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

ANNOTATORS_PER_CHUNK = 64  # between two moments at which Ctrl-C is heard
NORMAL_QUANTILE = 1.959964  # 97.5 %
PSEUDO_ANSWERS = 20  # at the common rate, for reliability
ROUNDING = 1e-12  # of the total weight: float sums closer than this are tied
MOST_SHOWN = 20


@dataclass(frozen=True, eq=False)
class AnnotatorAgreement:
    """How each annotator agrees with the others, the most suspicious first.

    All arrays have one entry per annotator with answers, in the order of `names`; print
    it for a table.

    Attributes
    ----------
    names : tuple of str
    n_answers, n_comparisons : ndarray of int64
        An odd one out is one answer and two comparisons.
    n_agreeing, n_tied, n_against : ndarray of int64
        Comparisons to which the sums of all other annotators agree, are equal, oppose.
    z : ndarray of float64
        Standard deviations above (or, negative, below) the common rate: binomial, for
        the comparisons that are not tied; 0 if there are none.
    at_most : ndarray of float64
        The largest likely share of agreement, which they are sorted by: the upper end
        of Wilson's interval.
    rate : float
        The share of agreement among all comparisons that are not tied, the common rate;
        0.5 if there are none.
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
            f"{len(self.names):,} {'person' if len(self.names) == 1 else 'people'}, "
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
        Sorted by suspicion: names with the lowest share of agreement first, as far as
        their number of answers lets one say.

    Raises
    ------
    InvalidComparisons
        If the comparisons do not say who gave the answers.
    TooLarge
        If the sums do not fit into memory.

    Notes
    -----
    O(m + n^2) time and 32 m bytes beside the dense sums; above 10,000 objects O(m + n)
    time and 72 m bytes. Exact unless weights are floats: then sums closer than 1e-12 of
    the total weight are tied.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> rows = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 2, 1]]
    >>> answers = Triplets(rows, 3, annotators=["ann", "bob", "cy", "eve"])
    >>> found = annotator_agreement(answers)
    >>> found.names, found.n_agreeing.tolist()
    (('eve', 'ann', 'bob', 'cy'), [0, 1, 1, 1])
    """
    counts = _counts(comparisons)
    present = np.flatnonzero(counts.sum(axis=1))
    counts, rate = counts[present], _rate(counts)
    n_decided = counts[:, 0] + counts[:, 2]
    at_most = _upper_limit(counts[:, 0], n_decided)
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
    r"""A weight per answer: how much more than chance its annotator agrees with others.

    With p the annotator's share of agreement, drawn towards the common rate by 20
    answers at that rate, the weight is :math:`\max(0, 2p - 1)`, divided by its value at
    the common rate. So the usual annotator weighs 1, and one who guesses, or answers
    the wrong way round, 0. Where the common rate is no better than chance, all weigh 1.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
        With annotators.

    Returns
    -------
    ndarray of float64, shape (m,)
        Times the weights that the comparisons have.

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
    counts = _counts(comparisons)
    n_decided, rate = counts[:, 0] + counts[:, 2], _rate(counts)
    reliability = np.ones(len(counts))
    if rate > 0.5:
        share = (counts[:, 0] + PSEUDO_ANSWERS * rate) / (n_decided + PSEUDO_ANSWERS)
        reliability = np.maximum(0.0, 2 * share - 1) / (2 * rate - 1)
    weights: Floats = reliability[comparisons.annotators]
    return weights if comparisons.weights is None else weights * comparisons.weights


def _counts(comparisons: Comparisons) -> Ints:
    """Comparisons agreeing, tied and against the others, by code: (annotators, 3)."""
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
        32 * m + 8 * n * n if is_dense else 72 * m + 32 * n,
        f"the agreement of annotators in {m} comparisons",
        "take fewer answers.",
    )
    starts = _starts(codes, len(names))
    cells, order = np.empty((2, m), np.int64), np.empty(m, np.int64)
    near, far = cells
    kernels.sort_cells(comparisons.rows, codes, n, starts[:-1].copy(), near, far, order)
    weights = comparisons.weights
    used = np.empty(0, np.int64) if weights is None else weights[order]
    if is_dense:
        sums = np.asarray(adds_similarity(comparisons, sparse=False)).reshape(-1)
    else:
        sums = _numbered_sums(cells, used, n)
    tolerance = ROUNDING * used.sum() if used.dtype.kind == "f" else 0
    counts = np.zeros((len(names), 3), np.int64)
    for chunk in row_chunks(len(names), ANNOTATORS_PER_CHUNK):
        ends = starts[chunk.start : chunk.stop + 1]
        kernels.compare_with_others(
            near, far, used, ends, tolerance, sums, counts[chunk]
        )
    return counts


def _numbered_sums(
    cells: Ints, used: npt.NDArray[np.generic], n: int
) -> npt.NDArray[np.generic]:
    """The sums of the pairs that occur; cells of pairs become places among them."""
    starts = _starts(cells.reshape(-1) // n, n)
    members, last = np.empty(cells.size, np.int64), np.full(n, -1)
    number, place = np.empty(n, np.int64), starts[:-1].copy()
    n_pairs = kernels.number_pairs(
        cells.reshape(-1), n, starts, place, members, last, number
    )
    sums = np.zeros(n_pairs, used.dtype)
    weights = used if len(used) else np.ones(cells.shape[1], np.int64)
    np.add.at(sums, cells[0], weights)
    np.subtract.at(sums, cells[1], weights)
    return sums


def _starts(kinds: npt.NDArray[np.integer], n_kinds: int) -> Ints:
    """Where each kind starts if they are put in order, and the end of all."""
    starts = np.zeros(n_kinds + 1, np.int64)
    np.cumsum(np.bincount(kinds, minlength=n_kinds), out=starts[1:])
    return starts


def _rate(counts: Ints) -> float:
    """The share of agreement among all comparisons that are not tied."""
    n_agreeing, _, n_against = counts.sum(axis=0).tolist()
    n_decided = n_agreeing + n_against
    return float(n_agreeing / n_decided) if n_decided else 0.5


def _upper_limit(n_agreeing: Ints, n_decided: Ints) -> Floats:
    """The upper end of Wilson's interval for a share; 1 without answers."""
    n = np.maximum(n_decided, 1)
    share = n_agreeing / n
    square = NORMAL_QUANTILE**2 / n
    half = np.sqrt(share * (1 - share) * square + square * square / 4)
    limit: Floats = (share + square / 2 + half) / (1 + square)
    return np.where(n_decided > 0, limit, 1.0)
