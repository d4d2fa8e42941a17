r"""Triplets from choices among many candidates: rank the closest, or tick them.

All candidates are compared with one reference i. A candidate of a smaller rank is
closer to i than one of a larger rank; equal ranks say nothing. If the choice is
ordered, the k chosen candidates have ranks 1, ..., k and all others k + 1::

    reference i      chosen a, b       others c, d, e

    1  a  ->  (i,a,b) (i,a,c) (i,a,d) (i,a,e)       n - 1
    2  b  ->          (i,b,c) (i,b,d) (i,b,e)       n - 2
    3  c  d  e

so k of n candidates become :math:`\sum_{r=1}^k (n - r) = kn - k(k+1)/2` triplets:
13 for "rank 2 of 8". Without order there are two ranks, chosen and not:
:math:`k(n-k)` triplets, 12 for 2 of 8.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_flag
from tripletree._lazy import kernel_module
from tripletree.comparisons.question_checks import (
    check_is_chosen,
    check_n_chosen,
    check_table,
    comparisons_of_answers,
    fill_triplets,
)
from tripletree.comparisons.triplets import Triplets

kernels = kernel_module("tripletree.comparisons._queries_kernel")


def rankings(
    rows: npt.ArrayLike,
    n_objects: int,
    *,
    n_chosen: int | npt.ArrayLike,
    ordered: bool = True,
    weights: npt.ArrayLike | None = None,
    labels: Iterable[object] | None = None,
    annotators: npt.ArrayLike | None = None,
    annotator_names: Iterable[object] | None = None,
) -> Triplets:
    """Triplets from "choose the k of these n that are closest to the first one".

    Each chosen candidate is closer to the reference than each that was not chosen and,
    if ordered, than each that was chosen after it. k of n candidates become
    kn - k(k+1)/2 triplets if ordered ("rank 2 of 8": 13), else k(n-k).

    Parameters
    ----------
    rows : array_like of int, shape (m, 1 + n)
        The reference, the chosen candidates (closest first), the others in any order;
        -1 at the end where a question had fewer candidates.
    n_objects : int
    n_chosen : int or array_like of int, shape (m,)
        How many candidates were chosen, k; all of them, for a full ranking.
    ordered : bool, default True
        Whether the order in which they were chosen counts.
    weights, labels : optional
    annotators, annotator_names : optional
        As in :func:`tripletree.odd_one_out`.

    Returns
    -------
    Triplets
        `dropped` counts answers with nothing chosen or, if not ordered, everything.

    Raises
    ------
    InvalidComparisons
        Naming the first answer that is wrong.
    InvalidOption
        If n_objects is not a positive integer, or ordered is not True or False.

    Examples
    --------
    >>> rankings([[0, 3, 1, 2]], n_objects=4, n_chosen=2).rows.tolist()
    [[0, 3, 1], [0, 3, 2], [0, 1, 2]]
    >>> rankings([[0, 3, 1, 2]], 4, n_chosen=2, ordered=False).rows.tolist()
    [[0, 3, 2], [0, 1, 2]]
    """
    ordered = check_flag("ordered", ordered)
    table = check_table(rows, n_objects, "rows", 2, may_miss=True)
    k = check_n_chosen(n_chosen, table)
    place = np.arange(table.shape[1] - 1)
    is_chosen = place < k[:, None]
    ranks = np.where(is_chosen, place, len(place)) if ordered else ~is_chosen
    counts = k * ((table[:, 1:] >= 0).sum(axis=1) - k)
    if ordered:
        counts += k * (k - 1) // 2
    return comparisons_of_answers(
        Triplets,
        fill_triplets(kernels.fill_ranked, counts, table, ranks.astype(np.int32)),
        n_objects,
        counts,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
        is_empty=k == 0,
    )


def grid_choices(
    rows: npt.ArrayLike,
    is_chosen: npt.ArrayLike,
    n_objects: int,
    *,
    weights: npt.ArrayLike | None = None,
    labels: Iterable[object] | None = None,
    annotators: npt.ArrayLike | None = None,
    annotator_names: Iterable[object] | None = None,
) -> Triplets:
    """Triplets from a grid of objects where those similar to the first were ticked.

    Each chosen object is closer to the reference than each that was not chosen: k of n
    become k(n-k) triplets.

    Parameters
    ----------
    rows : array_like of int, shape (m, 1 + n)
        The reference, then the objects of the grid; -1 in empty places.
    is_chosen : array_like of bool, shape (m, n)
        Which of the grid were chosen.
    n_objects : int
    weights, labels : optional
    annotators, annotator_names : optional
        As in :func:`tripletree.odd_one_out`.

    Returns
    -------
    Triplets
        `dropped` counts the answers with nothing or everything chosen.

    Raises
    ------
    InvalidComparisons
        Naming the first answer that is wrong.
    InvalidOption
        If n_objects is not a positive integer.

    Examples
    --------
    >>> grid_choices([[0, 1, 2, 3]], [[False, True, True]], 4).rows.tolist()
    [[0, 2, 1], [0, 3, 1]]
    """
    table = check_table(rows, n_objects, "rows", 2, may_miss=True)
    chosen = check_is_chosen(is_chosen, table)
    k = chosen.sum(axis=1)
    counts = k * ((table[:, 1:] >= 0).sum(axis=1) - k)
    return comparisons_of_answers(
        Triplets,
        fill_triplets(kernels.fill_ranked, counts, table, (~chosen).astype(np.int32)),
        n_objects,
        counts,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
        is_empty=k == 0,
    )
