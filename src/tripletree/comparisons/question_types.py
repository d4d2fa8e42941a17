r"""From the questions people were asked to triplets and quadruplets.

============================== ================================================
answer                         comparisons
============================== ================================================
o is the odd one of {a, b, o}  (a, b, o) and (b, a, o)
c is the most central          (j, c, k) and (k, c, j)
ab|c, a rooted triple          (a, b, c) and (b, a, c)
i, j or k: a response          (i, j, k) or (i, k, j)
ij or kl: a response           (i, j, k, l) or (k, l, i, j)
k of n are closest to i        see below
============================== ================================================

The rows of an answer stay together, in the order of the answers, and have the same
number in `trials`. Each row has the weight and the annotator of its answer. An
undecided answer makes no row and is counted in `dropped`.

**Choices among many candidates.** All candidates are compared with one reference i. A
candidate of a smaller rank is closer to i than one of a larger rank; equal ranks say
nothing. If the choice is ordered, the k chosen candidates have ranks 1, ..., k and all
others k + 1::

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
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_flag, read_only
from tripletree._threads import row_chunks
from tripletree.comparisons.answer_checks import (
    check_chosen,
    check_is_chosen,
    check_n_chosen,
    check_number_of_rows,
    check_responses,
    check_table,
    comparisons_of_answers,
)
from tripletree.comparisons.row_checks import (
    Bools,
    Rows,
    check_rows,
    check_weights,
    swap_pairs,
)
from tripletree.comparisons.triplets import C, Quadruplets, Triplets
from tripletree.errors import InvalidComparisons, refuse_if

ENTRIES_PER_CHUNK = 2**22  # of tables of two candidates


def odd_one_out(
    shown: npt.ArrayLike,
    odd: npt.ArrayLike,
    n_objects: int,
    *,
    weights: npt.ArrayLike | None = None,
    labels: Iterable[object] | None = None,
    annotators: npt.ArrayLike | None = None,
    annotator_names: Iterable[object] | None = None,
) -> Triplets:
    """Triplets from "which one does not belong to the others?".

    With o odd of {a, b, o}: (a, b, o) and (b, a, o). Of k objects, every two others
    are closer to each other than to o: (k-1)(k-2) triplets.

    Parameters
    ----------
    shown : array_like of int, shape (m, k), k >= 3
        The objects of each question, in any order.
    odd : array_like of int, shape (m,)
        The object that was chosen, itself (not its column); -1 for undecided.
    n_objects : int
    weights : array_like of int or float, shape (m,), optional
        How often, or how strongly, each answer counts.
    labels : sequence of str, optional
        The names of the objects.
    annotators : array_like of str or int, shape (m,), optional
        Who gave each answer.
    annotator_names : sequence of str, optional
        If given, annotators are positions in it.

    Returns
    -------
    Triplets
        `dropped` counts the undecided answers.

    Raises
    ------
    InvalidComparisons
        Naming the first answer that is wrong.
    InvalidOption
        If n_objects is not a positive integer.

    Examples
    --------
    >>> answers = odd_one_out([[0, 1, 2], [3, 1, 0], [0, 2, 3]], [2, 3, -1], 4)
    >>> answers.rows.tolist()
    [[0, 1, 2], [1, 0, 2], [1, 0, 3], [0, 1, 3]]
    >>> answers
    Triplets(4 rows, 4 objects, 1 answers dropped)
    """
    table = check_table(shown, n_objects, "shown", 3)
    return _from_choices(
        table,
        check_chosen(odd, table, "odd"),
        2,
        n_objects,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
    )


def most_central(
    shown: npt.ArrayLike,
    central: npt.ArrayLike,
    n_objects: int,
    *,
    weights: npt.ArrayLike | None = None,
    labels: Iterable[object] | None = None,
    annotators: npt.ArrayLike | None = None,
    annotator_names: Iterable[object] | None = None,
) -> Triplets:
    """Triplets from "which one is the most central, closest to all others?".

    With c central of {c, j, k}: (j, c, k) and (k, c, j). Of k objects, each other one
    is closer to c than to any of the rest: (k-1)(k-2) triplets.

    Parameters
    ----------
    shown : array_like of int, shape (m, k), k >= 3
        The objects of each question, in any order.
    central : array_like of int, shape (m,)
        The object that was chosen, itself (not its column); -1 for undecided.
    n_objects : int
    weights, labels : optional
    annotators, annotator_names : optional
        As in :func:`odd_one_out`.

    Returns
    -------
    Triplets
        `dropped` counts the undecided answers.

    Raises
    ------
    InvalidComparisons
        Naming the first answer that is wrong.
    InvalidOption
        If n_objects is not a positive integer.

    Examples
    --------
    >>> most_central([[0, 1, 2]], [1], n_objects=3).rows.tolist()
    [[0, 1, 2], [2, 1, 0]]
    """
    table = check_table(shown, n_objects, "shown", 3)
    return _from_choices(
        table,
        check_chosen(central, table, "central"),
        1,
        n_objects,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
    )


def rooted_triples(
    rows: npt.ArrayLike,
    n_objects: int,
    *,
    weights: npt.ArrayLike | None = None,
    labels: Iterable[object] | None = None,
    annotators: npt.ArrayLike | None = None,
    annotator_names: Iterable[object] | None = None,
) -> Triplets:
    """Triplets from rooted triples ab|c: a and b join before c does.

    Two each: (a, b, c) and (b, a, c).

    Parameters
    ----------
    rows : array_like of int, shape (m, 3)
        The objects a, b, c of ab|c.
    n_objects : int
    weights, labels : optional
    annotators, annotator_names : optional
        As in :func:`odd_one_out`.

    Returns
    -------
    Triplets

    Raises
    ------
    InvalidComparisons
        Naming the first triple that is wrong.
    InvalidOption
        If n_objects is not a positive integer.

    Examples
    --------
    >>> rooted_triples([[0, 1, 2]], n_objects=3).rows.tolist()
    [[0, 1, 2], [1, 0, 2]]
    """
    triples = check_rows(rows, n_objects, 3, "rows")
    return _from_choices(
        triples,
        triples[:, 2],
        2,
        n_objects,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
    )


def cblearn_triplets(
    rows: npt.ArrayLike,
    responses: npt.ArrayLike | None,
    n_objects: int,
    *,
    weights: npt.ArrayLike | None = None,
    labels: Iterable[object] | None = None,
    annotators: npt.ArrayLike | None = None,
    annotator_names: Iterable[object] | None = None,
) -> Triplets:
    """Triplets from questions and responses, in the forms that cblearn uses.

    Parameters
    ----------
    rows : array_like of int, shape (m, 3)
        Questions (i, j, k): is i closer to j than to k?
    responses : array_like of bool, int or float, shape (m,), or None
        None (cblearn's "list-order"): always j. True or False ("list-boolean"): j or
        k. +1 or -1, 0 for undecided, +c or -c for c equal answers ("list-count"; c
        becomes the weight).
    n_objects : int
    weights, labels : optional
    annotators, annotator_names : optional
        As in :func:`odd_one_out`.

    Returns
    -------
    Triplets
        `dropped` counts the undecided ones.

    Raises
    ------
    InvalidComparisons
        Naming the first row or response that is wrong.
    InvalidOption
        If n_objects is not a positive integer.

    Examples
    --------
    >>> questions = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    >>> cblearn_triplets(questions, [True, False, True], 3).rows.tolist()
    [[0, 1, 2], [1, 0, 2], [2, 0, 1]]
    >>> answers = cblearn_triplets(questions, [3, 0, -1], 3)
    >>> answers.rows.tolist(), answers.weights.tolist(), dict(answers.dropped)
    ([[0, 1, 2], [2, 1, 0]], [3, 1], {'undecided': 1})
    """
    return _from_responses(
        Triplets,
        rows,
        responses,
        n_objects,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
    )


def pairs_of_pairs(
    rows: npt.ArrayLike,
    responses: npt.ArrayLike | None,
    n_objects: int,
    *,
    weights: npt.ArrayLike | None = None,
    labels: Iterable[object] | None = None,
    annotators: npt.ArrayLike | None = None,
    annotator_names: Iterable[object] | None = None,
) -> Quadruplets:
    """Quadruplets from "which two are closer to each other: i and j, or k and l?".

    Parameters
    ----------
    rows : array_like of int, shape (m, 4)
        Questions (i, j, k, l).
    responses : array_like of bool, int or float, shape (m,), or None
        As in :func:`cblearn_triplets`: True and +1 are for the first pair, False and
        -1 for the second, 0 is undecided, None is always the first.
    n_objects : int
    weights, labels : optional
    annotators, annotator_names : optional
        As in :func:`odd_one_out`.

    Returns
    -------
    Quadruplets
        `dropped` counts the undecided ones.

    Raises
    ------
    InvalidComparisons
        Naming the first row or response that is wrong.
    InvalidOption
        If n_objects is not a positive integer.

    Examples
    --------
    >>> pairs_of_pairs([[0, 1, 2, 3], [0, 2, 1, 2]], [1, -1], 4).rows.tolist()
    [[0, 1, 2, 3], [1, 2, 0, 2]]
    """
    return _from_responses(
        Quadruplets,
        rows,
        responses,
        n_objects,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
    )


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
        As in :func:`odd_one_out`.

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
    return _from_choices_of_many(
        table,
        check_n_chosen(n_chosen, table),
        ordered,
        n_objects,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
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
        As in :func:`odd_one_out`.

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
    return _from_choices_of_many(
        table,
        check_is_chosen(is_chosen, table),
        False,
        n_objects,
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=annotator_names,
    )


def _from_choices(
    shown: Rows, chosen: Rows, column: int, n_objects: int, **about: Any
) -> Triplets:
    """Triplets of the chosen object, in this column, and every two of the others."""
    k, is_decided = shown.shape[1], chosen >= 0
    counts = np.where(is_decided, (k - 1) * (k - 2), 0)
    check_number_of_rows(counts)
    shown, chosen = shown[is_decided], chosen[is_decided, None]
    others = shown[shown != chosen].reshape(-1, k - 1)
    one, two = np.array([*permutations(range(k - 1), 2)]).T
    rows = np.empty((len(shown), len(one), 3), np.int32)
    rows[:, :, 0] = others[:, one]
    rows[:, :, 3 - column] = others[:, two]
    rows[:, :, column] = chosen
    answers = read_only(rows.reshape(-1, 3))
    return comparisons_of_answers(Triplets, answers, n_objects, counts, **about)


def _from_choices_of_many(
    table: Rows, is_chosen: Bools, ordered: bool, n_objects: int, **about: Any
) -> Triplets:
    """Triplets of a reference, the chosen candidates, and the others."""
    candidates = table[:, 1:]
    k, n = is_chosen.sum(axis=1), (candidates >= 0).sum(axis=1)
    counts = k * (n - k) + (k * (k - 1) // 2 if ordered else 0)
    check_number_of_rows(counts)
    place = np.arange(is_chosen.shape[1])
    ranks = np.where(is_chosen, place if ordered else 0, len(place))
    ranks[candidates < 0] = -1
    rows = [np.empty((0, 3), np.int32)]
    for chunk in row_chunks(len(table), max(1, ENTRIES_PER_CHUNK // len(place) ** 2)):
        near, far = ranks[chunk, :, None], ranks[chunk, None, :]
        at, one, two = np.nonzero((near < far) & (near >= 0))
        of, references = candidates[chunk], table[chunk, 0]
        rows.append(np.stack([references[at], of[at, one], of[at, two]], axis=1))
    answers = read_only(np.concatenate(rows))
    return comparisons_of_answers(
        Triplets, answers, n_objects, counts, is_empty=k == 0, **about
    )


def _from_responses(
    kind: type[C],
    rows: npt.ArrayLike,
    responses: npt.ArrayLike | None,
    n_objects: int,
    *,
    weights: npt.ArrayLike | None,
    **about: Any,
) -> C:
    """The decided answers; a count of answers multiplies the weight."""
    asked = check_rows(rows, n_objects, kind.width, "rows")
    response = check_responses(responses, len(asked))
    counts = np.abs(response)
    if (counts > 1).any():
        given = check_weights(weights, len(asked), "answers")
        given = np.ones(len(asked), np.int64) if given is None else given
        refuse_if(
            given.dtype.kind != "f" and (given.astype(float) * counts).max() > 2.0**62,
            InvalidComparisons,
            "responses times weights exceed 2^62: exact sums could overflow. Give "
            "smaller weights.",
        )
        weights = given * counts
    is_decided = counts > 0
    answers = np.where(response[:, None] < 0, swap_pairs(asked), asked)[is_decided]
    return comparisons_of_answers(
        kind, read_only(answers), n_objects, is_decided, weights=weights, **about
    )
