"""Triplets and quadruplets: rows of objects, and who gave them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    check_int,
    check_labels,
    counted,
    printable,
    read_only,
)
from tripletree.comparisons.row_checks import (
    MOST_OBJECTS,
    Codes,
    Rows,
    Trials,
    Weights,
    check_annotators,
    check_dropped,
    check_notes,
    check_rows,
    check_trials,
    check_weights,
    selected_rows,
    selected_values,
)
from tripletree.errors import InvalidComparisons, Remedy, TooLarge, refuse_if

MANY_OBJECTS = 10**6  # any number up to this one is accepted
OBJECTS_PER_ID = 100  # and beyond it, at most this many for each id in the rows


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ObservedRows:
    """Rows of three or four objects; the two kinds add what their columns mean."""

    width: ClassVar[int]

    rows: Rows
    n_objects: int
    weights: Weights | None
    labels: tuple[str, ...] | None
    annotators: Codes | None
    annotator_names: tuple[str, ...] | None
    dropped: Mapping[str, int]
    notes: tuple[str, ...]
    trials: Trials | None
    warnings: tuple[str, ...]

    def __init__(
        self,
        rows: npt.ArrayLike,
        n_objects: int,
        weights: npt.ArrayLike | None = None,
        labels: Iterable[object] | None = None,
        annotators: npt.ArrayLike | None = None,
        annotator_names: Iterable[object] | None = None,
        dropped: Mapping[str, int] | None = None,
        notes: Sequence[str] = (),
        trials: npt.ArrayLike | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        kind = type(self).__name__.lower()
        n = check_int("n_objects", n_objects, 1, MOST_OBJECTS)
        frozen = check_rows(rows, n, self.width, kind)
        m = len(frozen)
        codes, names = check_annotators(annotators, annotator_names, m, kind)
        vars(self).update(  # frozen: attributes cannot be set
            rows=frozen,
            n_objects=n,
            weights=check_weights(weights, m, kind),
            labels=check_labels(labels, n, InvalidComparisons),
            annotators=codes,
            annotator_names=names,
            dropped=check_dropped(dropped, kind),
            notes=check_notes(notes, kind),
            trials=check_trials(trials, codes, m, kind),
            warnings=check_notes(warnings, kind, "warnings"),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Copied and unpickled objects are checked and frozen again.
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        given["dropped"] = dict(self.dropped)
        return type(self), tuple(given.values())

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.rows.tolist())

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        more = "" if self.weights is None else ", weighted"
        if self.annotator_names is not None:
            more += f", {len(self.annotator_names)} annotators"
        if self.dropped:
            more += f", {sum(self.dropped.values())} answers dropped"
        more += "".join(f", {printable(note)}" for note in self.notes)
        if self.warnings:
            more += f", {counted(len(self.warnings), 'warning')}"
        return (
            f"{type(self).__name__}({len(self)} rows, {self.n_objects} objects{more})"
        )

    def __getitem__(
        self, index: slice | Sequence[int] | npt.NDArray[np.generic]
    ) -> Self:
        """The rows of a slice, a mask or positions, in the order given.

        All names of annotators are kept, so that codes mean the same in every part.
        Counts of dropped answers are not: they belong to the whole.
        """
        return replace(
            self,
            rows=selected_rows(self.rows, index),
            weights=selected_values(self.weights, index),
            annotators=selected_values(self.annotators, index),
            trials=selected_values(self.trials, index),
            dropped={},
        )

    @property
    def n_answers(self) -> int:
        """How many answers the rows come from; an odd one out is one, with two rows."""
        trials = self.trials  # numbered from 0 on, all in use
        return len(self) if trials is None else int(trials.max(initial=-1)) + 1

    @property
    def near(self) -> Rows:
        """The pairs (i, j) that were judged closer, shape (m, 2)."""
        return self.rows[:, :2]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Quadruplets(ObservedRows):
    """Answers (i, j, k, l): objects i and j are closer than objects k and l.

    Repeated answers add up and contradictory ones cancel: this is a multiset.

    Parameters
    ----------
    rows : array_like of int, shape (m, 4)
        Two different pairs of two different objects from 0..n_objects-1 in each row;
        the pairs may share an object. Kept as int32. A writable array is copied; a
        read-only one is shared, and must stay as it is.
    n_objects : int
        The number of objects, compared or not.
    weights : array_like of int or float, shape (m,), optional
        How often, or how strongly, each answer counts. Integers are summed exactly.
    labels : sequence of str, optional
        The names of the objects.
    annotators : array_like of str or int, shape (m,), optional
        Who gave each answer. Kept as int32 codes, positions in `annotator_names`.
    annotator_names : sequence of str, optional
        If given, annotators must be such codes; otherwise the names are the different
        ids, sorted.
    dropped : mapping from str to int, optional
        How many answers were left out before, by reason: ``{"undecided": 12}``. Shown
        in the summary only.
    notes : sequence of str, optional
        What was assumed when the answers were read, and which columns were not used.
        Shown in the summary only.
    trials : array_like of int, shape (m,), optional
        Which rows are one answer to one question: they have the same number. These
        rows are drawn together by the bootstrap and held out together. By default each
        row is an answer of its own.
    warnings : sequence of str, optional
        What may be wrong with the answers as they were read; results repeat it.

    Raises
    ------
    InvalidComparisons
        Naming the first wrong row, what is allowed and what to do.

    Examples
    --------
    >>> answers = Quadruplets([[0, 1, 2, 3], [3, 2, 3, 0]], n_objects=4)
    >>> answers.near.tolist(), answers.far.tolist()
    ([[0, 1], [3, 2]], [[2, 3], [3, 0]])
    """

    width: ClassVar[int] = 4

    @property
    def far(self) -> Rows:
        """The pairs (k, l) that were judged farther, shape (m, 2)."""
        return self.rows[:, 2:]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Triplets(ObservedRows):
    """Answers (i, j, k): object i is closer to object j than to object k.

    Repeated answers add up and contradictory ones cancel: this is a multiset.

    Parameters
    ----------
    rows : array_like of int, shape (m, 3)
        Three different objects from 0..n_objects-1 in each row. Kept as int32. A
        writable array is copied; a read-only one is shared, and must stay as it is.
    n_objects : int
        The number of objects, compared or not.
    weights : array_like of int or float, shape (m,), optional
        How often, or how strongly, each answer counts. Integers are summed exactly.
    labels : sequence of str, optional
        The names of the objects.
    annotators : array_like of str or int, shape (m,), optional
        Who gave each answer. Kept as int32 codes, positions in `annotator_names`.
    annotator_names : sequence of str, optional
        If given, annotators must be such codes; otherwise the names are the different
        ids, sorted.
    dropped : mapping from str to int, optional
        How many answers were left out before, by reason: ``{"undecided": 12}``. Shown
        in the summary only.
    notes : sequence of str, optional
        What was assumed when the answers were read, and which columns were not used.
        Shown in the summary only.
    trials : array_like of int, shape (m,), optional
        Which rows are one answer to one question, such as the two of an odd-one-out:
        they have the same number. These rows are drawn together by the bootstrap and
        held out together. By default each row is an answer of its own.

    Raises
    ------
    InvalidComparisons
        Naming the first wrong row, what is allowed and what to do.

    Examples
    --------
    >>> answers = Triplets([[0, 1, 2], [3, 2, 0]], n_objects=4)
    >>> answers.near.tolist(), answers.far.tolist()
    ([[0, 1], [3, 2]], [[0, 2], [3, 0]])
    """

    width: ClassVar[int] = 3

    @property
    def far(self) -> Rows:
        """The pairs (i, k) that were judged farther, shape (m, 2)."""
        return self.rows[:, ::2]

    def to_quadruplets(self) -> Quadruplets:
        """The same answers as quadruplets (i, j, i, k)."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        given["rows"] = read_only(self.rows[:, [0, 1, 0, 2]])
        return Quadruplets(**given)


Comparisons = Triplets | Quadruplets
C = TypeVar("C", Triplets, Quadruplets)


def rows_that_count(comparisons: Comparisons) -> Comparisons:
    """The comparisons without those of weight 0, as if they had not been given."""
    weights = comparisons.weights
    if weights is None or weights.all():
        return comparisons
    return comparisons[weights != 0]


def check_comparisons(thing: Any) -> None:
    """Refuse anything but Triplets or Quadruplets, and far too many objects."""
    refuse_if(
        not isinstance(thing, Triplets | Quadruplets),
        InvalidComparisons,
        f"give Triplets or Quadruplets, not {type(thing).__name__}: "
        "Triplets(rows, n_objects=n) wraps an array of shape (m, 3).",
    )
    n, most = thing.n_objects, max(MANY_OBJECTS, OBJECTS_PER_ID * thing.rows.size)
    if n > most:
        n_named = len(np.unique(thing.rows))
        message = (
            f"n_objects = {n:,}, and the rows name {n_named:,} of them: memory and "
            "time would go into objects without answers. Number the objects of the "
            "rows from 0 on"
        )
        how = Remedy(
            ": labels, rows = np.unique(rows, return_inverse=True)",
            shell=" and write the file again",
        )
        raise TooLarge(message, how, ".", code="n_objects")
