"""Summaries of answers: counts, and which objects were compared.

A question is a near and a far pair in either order. Pairs are numbered, and a row
becomes one integer, 2 x question + side. These integers are sorted; different rows are
counted by neighbours that differ. A question has one different row, or two if it was
answered both ways. With so many objects that no integer holds two pairs, only rows that
may ask what another one asks are sorted, see `rows_with_likes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tripletree._checks import counted, freeze, printable
from tripletree._threads import row_chunks
from tripletree.comparisons import _summary_kernel as kernels
from tripletree.comparisons.row_checks import (
    ASKED_NOTHING,
    Ints,
    Rows,
    group_rows,
    question_keys,
    rows_with_likes,
)
from tripletree.comparisons.triplets import Comparisons, check_comparisons

ROWS_PER_CHUNK = 2**18
MOST_TO_COUNT = 10**7  # comparisons; of more, questions are not counted
MOST_NAMES = 5  # of objects in a warning
FEW_PER_OBJECT = 40  # comparisons, see planning.py
RARELY = 0.1  # of the comparisons of the average object


def count_left_out(reason: str, n: int) -> str:
    """How many answers were left out for a reason, or rows that hold none."""
    return counted(n, "row" if reason == ASKED_NOTHING else "answer")


def name_left_out(left_out: Mapping[str, int]) -> str:
    """What was left out and why, in one line; empty if nothing was."""
    some = ((why, n) for why, n in left_out.items() if n)
    return ", ".join(f"{count_left_out(why, n)} ({printable(why)})" for why, n in some)


@dataclass(frozen=True)
class WhatWasRead:
    """How much there is, each count in its unit, and what was left out and assumed.

    An answer is what a person gave, a comparison is a row made of it (an odd one out
    makes two), a question is a near and a far pair in either order.

    Attributes
    ----------
    n_objects, n_comparisons : int
        Of pair sums, comparisons are counted by their weight.
    n_answers : int or None
        None for pair sums, which do not say.
    n_questions : int or None
        None for pair sums, and not counted for more than ten million comparisons.
    n_people : int or None
        Those with at least one answer; None if that is not known.
    left_out : mapping of str to int
        Answers that were left out, by reason; also rows that hold no answer.
    assumed : tuple of str
        What was assumed when the answers were read, and which columns were not used.
    """

    n_objects: int
    n_comparisons: int | float
    n_answers: int | None
    n_questions: int | None
    n_people: int | None
    left_out: Mapping[str, int]
    assumed: tuple[str, ...]

    def __str__(self) -> str:
        text = counted(self.n_comparisons, "comparison")
        if self.n_answers is not None:
            rows, text = text, counted(self.n_answers, "answer")
            text += "" if self.n_answers == self.n_comparisons else f" ({rows})"
        text += f" about {counted(self.n_objects, 'object')}"
        if self.n_people is not None:
            text += f" by {counted(self.n_people, 'person')}"
        if self.n_answers is None:
            text += ", summed by pair"
        left_out = name_left_out(self.left_out)
        return f"{text}; left out: {left_out}" if left_out else text


@dataclass(frozen=True)
class Spread:
    """The smallest, the middle and the largest of some counts."""

    smallest: int
    median: float
    largest: int

    def __str__(self) -> str:
        if self.smallest == self.largest:
            return f"{self.smallest:,} each"
        return f"{self.smallest:,} to {self.largest:,}, median {self.median:,.12g}"


@dataclass(frozen=True)
class Summary:
    """Counts of some comparisons; print it for a short text.

    Attributes
    ----------
    kind : str
        "triplets" or "quadruplets".
    n_objects, n_answers, n_comparisons : int
        An answer is what a person gave, a comparison a row made of it.
    n_unique : int
        Different comparisons, by their near and far pair.
    n_questions : int
        Different questions: a near and a far pair in either order.
    n_contradictory : int
        Questions that were answered both ways.
    n_groups : int
        Groups of compared objects that no comparison joins; 1 is best.
    n_never_compared : int
        Objects in no comparison.
    comparisons_per_object : Spread
        In how many comparisons an object occurs.
    n_people : int or None
        Those with at least one answer; None if that is not known.
    answers_per_person : Spread or None
    total_weight : int, float or None
        None if the rows have no weights.
    dropped : mapping from str to int
        Answers that were left out before, by reason.
    notes, warnings : tuple of str
        What was assumed when the answers were read, and what may be wrong with them.
    """

    kind: str
    n_objects: int
    n_answers: int
    n_comparisons: int
    n_unique: int
    n_questions: int
    n_contradictory: int
    n_groups: int
    n_never_compared: int
    comparisons_per_object: Spread
    n_people: int | None
    answers_per_person: Spread | None
    total_weight: int | float | None
    dropped: Mapping[str, int]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        remark = " (no answer tells how they join)" if self.n_groups > 1 else ""
        lines = [
            ("answers", f"{self.n_answers:,}"),
            ("different comparisons", f"{self.n_unique:,}"),
            ("questions", f"{self.n_questions:,}"),
            ("answered both ways", f"{self.n_contradictory:,}"),
            ("comparisons per object", str(self.comparisons_per_object)),
            ("never compared", counted(self.n_never_compared, "object")),
            ("groups", f"{self.n_groups:,}{remark}"),
        ]
        numbers = {"total weight": self.total_weight, "people": self.n_people}
        lines += [(name, f"{x:,}") for name, x in numbers.items() if x is not None]
        if self.answers_per_person is not None:
            lines.append(("answers per person", str(self.answers_per_person)))
        lines += [
            *(
                (f"left out, {printable(reason)}", count_left_out(reason, n))
                for reason, n in self.dropped.items()
            ),
            *(("note", printable(note)) for note in self.notes),
            *(("warning", printable(text)) for text in self.warnings),
        ]
        width = max(len(name) for name, _ in lines)
        head = (
            f"{counted(self.n_comparisons, self.kind.removesuffix('s'))} about "
            f"{counted(self.n_objects, 'object')}"
        )
        return "\n".join([head, *(f"  {a:<{width}}  {b}" for a, b in lines)])


def summarise(comparisons: Comparisons) -> Summary:
    """Count answers, questions, contradictions, groups of objects and people.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets

    Returns
    -------
    Summary
        With a readable text: ``print(summarise(answers))``.

    Raises
    ------
    InvalidComparisons
        If the argument is neither Triplets nor Quadruplets.

    Notes
    -----
    O(m log m) time and 8 m bytes; above 65,536 objects at most 16 m bytes, and 60 more
    for each comparison about objects that another one is about.

    Examples
    --------
    >>> from tripletree import odd_one_out
    >>> shown, odd = [[0, 1, 2], [0, 1, 2], [1, 2, 3]], [2, 1, -1]
    >>> print(summarise(odd_one_out(shown, odd, 4)))
    4 triplets about 4 objects
      answers                 2
      different comparisons   4
      questions               3
      answered both ways      1
      comparisons per object  0 to 4, median 4
      never compared          1 object
      groups                  1
      left out, undecided     1 answer
    """
    check_comparisons(comparisons)
    n_unique, n_questions = count_different(comparisons.rows, comparisons.n_objects)
    found = coverage(comparisons)
    per_person = answers_per_annotator(comparisons)
    per_person = per_person[per_person > 0]
    weights = comparisons.weights
    return Summary(
        kind=type(comparisons).__name__.lower(),
        n_objects=comparisons.n_objects,
        n_answers=comparisons.n_answers,
        n_comparisons=len(comparisons),
        n_unique=n_unique,
        n_questions=n_questions,
        n_contradictory=n_unique - n_questions,
        n_groups=found.n_groups,
        n_never_compared=len(found.never_compared),
        comparisons_per_object=_spread(found.counts),
        n_people=None if comparisons.annotators is None else len(per_person),
        answers_per_person=_spread(per_person) if len(per_person) else None,
        total_weight=None if weights is None else weights.sum().item(),
        dropped=comparisons.dropped,
        notes=comparisons.notes,
        warnings=(*comparisons.warnings, *found._of_rare(comparisons.labels)),
    )


def count_what_was_read(comparisons: Comparisons, has_questions: bool) -> WhatWasRead:
    """The counts that every result shows: O(m), and a sort to count questions."""
    n_questions = None
    if has_questions and len(comparisons) <= MOST_TO_COUNT:
        _, n_questions = count_different(comparisons.rows, comparisons.n_objects)
    n_people = np.count_nonzero(answers_per_annotator(comparisons))
    return WhatWasRead(
        n_objects=comparisons.n_objects,
        n_comparisons=len(comparisons),
        n_answers=comparisons.n_answers,
        n_questions=n_questions,
        n_people=None if comparisons.annotators is None else int(n_people),
        left_out=dict(comparisons.dropped),
        assumed=comparisons.notes,
    )


def answers_per_annotator(comparisons: Comparisons) -> Ints:
    """How many answers each annotator gave, by code; the rows of a trial are one."""
    codes, names = comparisons.annotators, comparisons.annotator_names or ()
    if codes is None:
        return np.zeros(0, np.int64)
    if comparisons.trials is not None:
        of_answer = np.empty(comparisons.n_answers, codes.dtype)
        of_answer[comparisons.trials] = codes
        codes = of_answer
    return np.bincount(codes, minlength=len(names))


def count_different(rows: Rows, n_objects: int) -> tuple[int, int]:
    """How many different rows, and how many different questions, there are."""
    n_pairs = n_objects * (n_objects - 1) // 2
    if n_pairs >= 2**31:  # a question and its side do not fit into 64 bits
        rest = rows[rows_with_likes(rows)]
        low, high, side = question_keys(rest)
        groups = group_rows(low, high, side)[1], group_rows(low, high)[1]
        n_unique, n_questions = (len(rows) - len(rest) + len(x) for x in groups)
        return n_unique, n_questions
    keys = np.empty(len(rows), np.int64)
    for chunk in row_chunks(len(rows), ROWS_PER_CHUNK):
        low, high, side = question_keys(rows[chunk])
        keys[chunk] = 2 * (high * n_pairs + low) + side
    keys.sort()
    n_unique = _count_runs(keys)
    keys >>= 1
    return n_unique, _count_runs(keys)


def _count_runs(ordered: Ints) -> int:
    """How many different values there are in some that are sorted."""
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(len(ordered), 1)


def _spread(counts: Ints) -> Spread:
    return Spread(int(counts.min()), float(np.median(counts)), int(counts.max()))


@dataclass(frozen=True, eq=False)
class Coverage:
    """How the comparisons cover the objects.

    Attributes
    ----------
    counts : ndarray of int64, shape (n,)
        In how many comparisons each object occurs.
    group : ndarray of int64, shape (n,)
        Objects that a chain of comparisons joins have the same number; groups are
        numbered by their smallest object. An object never compared is a group alone.
    """

    counts: Ints
    group: Ints

    @property
    def never_compared(self) -> Ints:
        """The objects in no comparison."""
        return np.flatnonzero(self.counts == 0)

    @property
    def _average(self) -> float:
        """The average number of comparisons of the objects that are compared."""
        return float(self.counts.sum() / max(1, np.count_nonzero(self.counts)))

    @property
    def rarely_compared(self) -> Ints:
        """The objects in fewer than 40 comparisons, and a tenth of the average."""
        is_rare = self.counts < min(RARELY * self._average, FEW_PER_OBJECT)
        return np.flatnonzero(is_rare & (self.counts > 0))

    @property
    def n_groups(self) -> int:
        """How many groups of compared objects there are; 1 if all are joined.

        Objects never compared have a number in ``group``, but are not counted here.
        """
        return int(self.group.max()) + 1 - len(self.never_compared)

    def warnings(self, labels: tuple[str, ...] | None = None) -> list[str]:
        """Sentences about what in the answers leaves parts of any tree undetermined."""
        found, never = [], self.never_compared
        if len(never):
            found.append(
                f"{len(never)} of {len(self.counts)} objects occur in no answer "
                f"({_some_names(never, labels)}): their places in the tree are "
                "arbitrary."
            )
        found += self._of_rare(labels)
        if self.n_groups > 1:
            found.append(
                f"the compared objects fall into {self.n_groups} groups that no answer "
                "connects: how the tree joins these groups is arbitrary."
            )
        return found

    def _of_rare(self, labels: tuple[str, ...] | None = None) -> list[str]:
        """A sentence about objects in far fewer comparisons than others, if any are."""
        rare = self.rarely_compared
        if not len(rare):
            return []
        most = counted(int(self.counts[rare].max()), "comparison")
        occur = f"occur in at most {most} each"
        places = "their places in a tree are left to chance, and they"
        labels_are = "their labels are"
        if len(rare) == 1:
            occur = f"occurs in {most}"
            places = "its place in a tree is left to chance, and it"
            labels_are = "its label is"
        return [
            f"{len(rare)} of {len(self.counts)} objects {occur} "
            f"({_some_names(rare, labels)}), the average object in "
            f"{self._average:,.0f}: {places} can blur the clusters of other objects. "
            f"Check whether {labels_are} misspelled."
        ]


def _some_names(objects: Ints, labels: tuple[str, ...] | None) -> str:
    first = objects[:MOST_NAMES].tolist()
    names = [printable(labels[x]) if labels else str(x) for x in first]
    return ", ".join(names) + (", ..." if len(objects) > MOST_NAMES else "")


def coverage(comparisons: Comparisons) -> Coverage:
    """Count the comparisons of each object, and find groups without a link.

    If there are several groups, no answer says how a tree should join them.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets

    Returns
    -------
    Coverage

    Raises
    ------
    InvalidComparisons
        If the argument is neither Triplets nor Quadruplets.

    Notes
    -----
    O(m) time and O(n) memory. Weights do not matter.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> found = coverage(Triplets([[0, 1, 2], [4, 5, 6]], n_objects=8))
    >>> found.group.tolist(), found.n_groups, found.never_compared.tolist()
    ([0, 0, 0, 1, 2, 2, 2, 3], 2, [3, 7])
    """
    check_comparisons(comparisons)
    n = comparisons.n_objects
    counts, leader = np.zeros(n, np.int64), np.arange(n)
    for chunk in row_chunks(len(comparisons), ROWS_PER_CHUNK):
        kernels.count_and_join(comparisons.rows[chunk], counts, leader)
    while (leader[leader] != leader).any():
        leader = leader[leader]
    group = np.unique(leader, return_inverse=True)[1]
    return Coverage(freeze(counts, np.int64), freeze(group, np.int64))
