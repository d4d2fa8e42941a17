"""What there is among the answers, at a glance.

A question is a near and a far pair in either order. Pairs are numbered, and a row
becomes one integer, 2 x question + side. Among the sorted integers, rows that differ
are counted by neighbours that differ; each question has one such row, or two where it
was answered both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import counted, printable
from tripletree._threads import row_chunks
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.comparisons.coverage import coverage
from tripletree.comparisons.rows import Rows

Ints = npt.NDArray[np.int64]

ROWS_PER_CHUNK = 2**18


@dataclass(frozen=True)
class Spread:
    """The smallest, the middle and the largest of some counts."""

    smallest: int
    median: float
    largest: int

    def __str__(self) -> str:
        return f"{self.smallest:,} to {self.largest:,}, median {self.median:,.12g}"


@dataclass(frozen=True)
class Summary:
    """What there is among some comparisons; print it for a short text.

    Attributes
    ----------
    kind : str
        "triplets" or "quadruplets".
    n_objects, n_rows : int
    n_trials : int or None
        How many answers became these rows; None if each row is an answer.
    n_unique : int
        Different rows: the same near and far pair is the same row.
    n_questions : int
        Different questions: a near and a far pair in either order.
    n_contradictory : int
        Questions that were answered both ways.
    n_groups : int
        Groups of compared objects that no comparison joins; 1 is best.
    n_never_compared : int
        Objects in no comparison.
    rows_per_object : Spread
        In how many rows an object occurs.
    n_annotators : int or None
        Those with at least one row; None if the answers do not say.
    rows_per_annotator : Spread or None
    total_weight : int, float or None
        None if the rows have no weights.
    dropped : mapping from str to int
        Answers that were left out before, by reason.
    notes : tuple of str
        What was assumed when the answers were read.
    """

    kind: str
    n_objects: int
    n_rows: int
    n_trials: int | None
    n_unique: int
    n_questions: int
    n_contradictory: int
    n_groups: int
    n_never_compared: int
    rows_per_object: Spread
    n_annotators: int | None
    rows_per_annotator: Spread | None
    total_weight: int | float | None
    dropped: Mapping[str, int]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [] if self.n_trials is None else [("answers", f"{self.n_trials:,}")]
        lines += [
            ("different rows", f"{self.n_unique:,}"),
            ("questions", f"{self.n_questions:,}"),
            ("answered both ways", f"{self.n_contradictory:,}"),
            ("rows per object", str(self.rows_per_object)),
            ("never compared", counted(self.n_never_compared, "object")),
            ("groups", f"{self.n_groups:,}" + _remark(self.n_groups)),
        ]
        if self.total_weight is not None:
            lines.append(("total weight", f"{self.total_weight:,}"))
        if self.n_annotators is not None:
            lines.append(("annotators", f"{self.n_annotators:,}"))
        if self.rows_per_annotator is not None:
            lines.append(("rows per annotator", str(self.rows_per_annotator)))
        for reason, n in self.dropped.items():
            lines.append((f"left out, {printable(reason)}", counted(n, "answer")))
        lines += [("assumed", printable(note)) for note in self.notes]
        width = max(len(name) for name, _ in lines)
        rows = counted(self.n_rows, self.kind.removesuffix("s"))
        head = f"{rows} about {counted(self.n_objects, 'object')}"
        return "\n".join([head, *(f"  {a:<{width}}  {b}" for a, b in lines)])


def _remark(n_groups: int) -> str:
    return " (no answer tells how they join)" if n_groups > 1 else ""


def summarise(comparisons: Comparisons) -> Summary:
    """Count what there is among comparisons.

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
        If these are no comparisons.

    Notes
    -----
    O(m log m) time and 8 m bytes; 32 m bytes above 65,536 objects.

    Examples
    --------
    >>> from tripletree import odd_one_out
    >>> shown, odd = [[0, 1, 2], [0, 1, 2], [1, 2, 3]], [2, 1, -1]
    >>> print(summarise(odd_one_out(shown, odd, 4)))
    4 triplets about 4 objects
      answers              2
      different rows       4
      questions            3
      answered both ways   1
      rows per object      0 to 4, median 4
      never compared       1 object
      groups               1
      left out, undecided  1 answer
    """
    check_comparisons(comparisons)
    n_unique, n_questions = count_kinds(comparisons.rows, comparisons.n_objects)
    found = coverage(comparisons)
    per_annotator = np.empty(0, np.int64)
    if comparisons.annotators is not None:
        per_annotator = np.bincount(comparisons.annotators)
        per_annotator = per_annotator[per_annotator > 0]
    weights, trials = comparisons.weights, comparisons.trials
    return Summary(
        kind=type(comparisons).__name__.lower(),
        n_objects=comparisons.n_objects,
        n_rows=len(comparisons),
        n_trials=None if trials is None else int(trials.max()) + 1,
        n_unique=n_unique,
        n_questions=n_questions,
        n_contradictory=n_unique - n_questions,
        n_groups=found.n_groups,
        n_never_compared=len(found.never_compared),
        rows_per_object=_spread(found.counts),
        n_annotators=None if comparisons.annotators is None else len(per_annotator),
        rows_per_annotator=_spread(per_annotator) if len(per_annotator) else None,
        total_weight=None if weights is None else weights.sum().item(),
        dropped=comparisons.dropped,
        notes=comparisons.notes,
    )


def count_kinds(rows: Rows, n_objects: int) -> tuple[int, int]:
    """How many different rows, and how many different questions, there are."""
    n_pairs = n_objects * (n_objects - 1) // 2
    if n_pairs < 2**31:  # so that a question, and its side, is one integer of 64 bits
        keys = np.empty(len(rows), np.int64)
        for chunk in row_chunks(len(rows), ROWS_PER_CHUNK):
            low, high, side = _question(rows[chunk])
            keys[chunk] = 2 * (high * n_pairs + low) + side
        keys.sort()
        is_new = keys[1:] != keys[:-1]
        keys >>= 1
        is_new_question = keys[1:] != keys[:-1]
    else:
        low, high, side = _question(rows)
        key = 2 * low + side
        order = np.lexsort((key, high))
        key, high = key[order], high[order]
        is_other = high[1:] != high[:-1]
        is_new = is_other | (key[1:] != key[:-1])
        is_new_question = is_other | (key[1:] >> 1 != key[:-1] >> 1)
    first = int(len(rows) > 0)
    return first + int(is_new.sum()), first + int(is_new_question.sum())


def _question(rows: Rows) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """The numbers of the two pairs, the smaller first; whether near is the larger."""
    near = _pair_numbers(rows[:, 0], rows[:, 1])
    far = _pair_numbers(rows[:, 2 * rows.shape[1] - 6], rows[:, -1])
    return np.minimum(near, far), np.maximum(near, far), near > far


def _pair_numbers(one: Rows, two: Rows) -> Ints:
    high = np.maximum(one, two).astype(np.int64)
    return high * (high - 1) // 2 + np.minimum(one, two)


def _spread(counts: Ints) -> Spread:
    return Spread(int(counts.min()), float(np.median(counts)), int(counts.max()))
