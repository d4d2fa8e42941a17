"""From comparisons to comparisons: join, reverse, drop duplicates, vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tripletree._checks import check_same_objects, read_only
from tripletree.comparisons.row_checks import (
    Codes,
    Trials,
    Weights,
    group_rows,
    number_answers,
    question_keys,
    swap_pairs,
)
from tripletree.comparisons.triplets import (
    C,
    Comparisons,
    check_comparisons,
)
from tripletree.errors import InvalidComparisons, Mismatch, refuse_if


def concatenate(parts: Sequence[C]) -> C:
    """All answers of several sets about the same objects, one after the other.

    If only some sets have weights, answers without one count 1.

    Parameters
    ----------
    parts : sequence of Triplets, or of Quadruplets

    Returns
    -------
    Triplets or Quadruplets
        With the labels of the first part that has any, and the annotators of all:
        equal names are the same annotator. Counts of dropped answers add up; notes
        are kept.

    Raises
    ------
    InvalidComparisons
        If there are no parts, parts of both kinds, or anything but comparisons.
    Mismatch
        If they are about different objects, or only some have annotators.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> one = Triplets([[0, 1, 2]], n_objects=3)
    >>> concatenate([one, one])
    Triplets(2 rows, 3 objects)
    """
    parts = list(parts) if hasattr(parts, "__iter__") else []
    refuse_if(
        not parts,
        InvalidComparisons,
        "nothing to concatenate: give a list of at least one set of comparisons.",
    )
    first, labels = parts[0], None
    for part in parts:
        check_comparisons(part)
        refuse_if(
            type(part) is not type(first),
            InvalidComparisons,
            f"cannot concatenate {type(first).__name__} and {type(part).__name__}: "
            "convert triplets first, with to_quadruplets().",
        )
        check_same_objects(
            first.n_objects,
            labels,
            part.n_objects,
            part.labels,
            "comparisons about {} and about {} objects",
        )
        labels = part.labels if labels is None else labels
    weights: Weights | None = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate([_votes(part) for part in parts])
    annotators, names = _merged_annotators(parts)
    return replace(
        first,
        rows=read_only(np.concatenate([part.rows for part in parts])),
        weights=weights,
        labels=labels,
        annotators=annotators,
        annotator_names=names,
        dropped=sum((Counter(part.dropped) for part in parts), Counter[str]()),
        notes=tuple(note for part in parts for note in part.notes),
        warnings=tuple(text for part in parts for text in part.warnings),
        trials=_merged_trials(parts),
    )


def swap_near_far(comparisons: C) -> C:
    """The opposite of every answer: the near pair becomes the far pair.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets

    Returns
    -------
    Triplets or Quadruplets

    Raises
    ------
    InvalidComparisons
        If the argument is neither Triplets nor Quadruplets.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> swap_near_far(Triplets([[0, 1, 2]], n_objects=3)).rows.tolist()
    [[0, 2, 1]]
    """
    check_comparisons(comparisons)
    return replace(comparisons, rows=swap_pairs(comparisons.rows))


def drop_duplicates(comparisons: C) -> C:
    """The first of each group of equal answers, in their order.

    Answers are equal if they have the same near pair and the same far pair, so
    (i, j, k, l) equals (j, i, l, k). Rows keep their own weight and annotator.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets

    Returns
    -------
    Triplets or Quadruplets

    Raises
    ------
    InvalidComparisons
        If the argument is neither Triplets nor Quadruplets.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> drop_duplicates(Triplets([[0, 1, 2], [0, 2, 1], [0, 1, 2]], 3)).rows.tolist()
    [[0, 1, 2], [0, 2, 1]]
    """
    check_comparisons(comparisons)
    _, first = group_rows(*question_keys(comparisons.rows))
    return replace(comparisons[np.sort(first)], dropped=comparisons.dropped)


def majority_vote(comparisons: C) -> C:
    """One answer per question, the one with more weight; tied questions are dropped.

    A question is a near and a far pair in either order. The answers are in the order in
    which their questions first occurred, without weights, annotators and trials.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets

    Returns
    -------
    Triplets or Quadruplets

    Raises
    ------
    InvalidComparisons
        If the argument is neither Triplets nor Quadruplets.

    Notes
    -----
    Votes are summed exactly, unless weights are floats. Sums of floats are rounded, so
    a tie can look decided: 0.1 + 0.2 outvotes 0.3. Where ties matter, give integers, or
    floats that add up exactly (halves, quarters).

    Examples
    --------
    >>> from tripletree import Triplets
    >>> votes = Triplets([[0, 1, 2], [0, 2, 1], [0, 1, 2], [1, 2, 0]], n_objects=3)
    >>> majority_vote(votes).rows.tolist()
    [[0, 1, 2], [1, 2, 0]]
    """
    check_comparisons(comparisons)
    low, high, is_swapped = question_keys(comparisons.rows)
    numbers, first = group_rows(low, high)
    votes = _votes(comparisons)
    lead = np.zeros(len(first), votes.dtype)
    np.add.at(lead, numbers, np.where(is_swapped, -votes, votes))
    decided = np.flatnonzero(lead != 0)
    decided = decided[np.argsort(first[decided])]
    answers = comparisons.rows[first[decided]]
    must_swap = is_swapped[first[decided]] != (lead[decided] < 0)
    answers = np.where(must_swap[:, None], swap_pairs(answers), answers)
    return replace(
        comparisons,
        rows=answers,
        weights=None,
        annotators=None,
        annotator_names=None,
        trials=None,
    )


def _votes(comparisons: Comparisons) -> Weights:
    """The weight of each row; 1 where there are no weights."""
    weights = comparisons.weights
    return np.ones(len(comparisons), np.int64) if weights is None else weights


def _merged_annotators(
    parts: Sequence[Comparisons],
) -> tuple[Codes | None, tuple[str, ...] | None]:
    """The codes of several sets under one tuple of names, in order of occurrence."""
    known = [part for part in parts if part.annotators is not None]
    if not known:
        return None, None
    silent = [at for at, p in enumerate(parts) if p.annotators is None and len(p)]
    refuse_if(
        len(silent) > 0,
        Mismatch,
        f"part {min(silent, default=0)} does not say who gave its answers, others do: "
        "give annotators to all parts or to none (annotators=None).",
    )
    number: dict[str, int] = {}
    codes = []
    for part in known:
        names = part.annotator_names or ()
        new = [number.setdefault(name, len(number)) for name in names]
        codes.append(np.array(new, np.int32)[part.annotators])
    return read_only(np.concatenate(codes)), tuple(number)


def _merged_trials(parts: Sequence[Comparisons]) -> Trials | None:
    """The trials of several sets, each numbered from its first row on."""
    if all(part.trials is None for part in parts):
        return None
    starts = np.cumsum([0, *map(len, parts)])
    return np.concatenate(
        [
            start + (number_answers(len(part)) if part.trials is None else part.trials)
            for start, part in zip(starts, parts, strict=False)
        ]
    )
