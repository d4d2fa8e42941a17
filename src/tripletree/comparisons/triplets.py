"""Triplets: answers to "is i closer to j than to k?"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import printable
from tripletree.comparisons.annotator_codes import Codes, check_annotators
from tripletree.comparisons.quadruplets import Quadruplets
from tripletree.comparisons.rows import (
    Rows,
    Trials,
    Weights,
    check_dropped,
    check_notes,
    check_one_annotator,
    check_trials,
    checked_fields,
    count_answers,
    selected_rows,
    selected_values,
)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Triplets:
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
        Given, annotators are such codes already; not given, the names are the
        different ids, sorted.
    dropped : mapping from str to int, optional
        How many answers were left out before, by reason: ``{"undecided": 12}``. For
        the summary; it has no influence on anything else.
    notes : sequence of str, optional
        What was assumed when the answers were read; for the summary as well.
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

    rows: Rows
    n_objects: int
    weights: Weights | None
    labels: tuple[str, ...] | None
    annotators: Codes | None
    annotator_names: tuple[str, ...] | None
    dropped: Mapping[str, int]
    notes: tuple[str, ...]
    trials: Trials | None

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
    ) -> None:
        checked = checked_fields(rows, n_objects, weights, labels, 3, "triplets")
        checked["annotators"], checked["annotator_names"] = check_annotators(
            annotators, annotator_names, len(checked["rows"]), "triplets"
        )
        checked["dropped"] = check_dropped(dropped, "triplets")
        checked["notes"] = check_notes(notes, "triplets")
        checked["trials"] = check_trials(trials, len(checked["rows"]), "triplets")
        check_one_annotator(checked["trials"], checked["annotators"], "triplets")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and unpickled ones are checked and frozen again.
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        given["dropped"] = dict(self.dropped)
        return Triplets, tuple(given.values())

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
        return f"Triplets({len(self)} rows, {self.n_objects} objects{more})"

    def __getitem__(
        self, index: slice | Sequence[int] | npt.NDArray[np.generic]
    ) -> Triplets:
        """The rows of a slice, a mask or positions, in the order given.

        All names of annotators are kept, so that codes mean the same in every part;
        what was dropped is not a matter of a part, and forgotten.
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
        """How many answers became these rows; an odd one out is one, and two rows."""
        return count_answers(len(self), self.trials)

    @property
    def near(self) -> Rows:
        """The pairs (i, j) that were judged closer, shape (m, 2)."""
        return self.rows[:, :2]

    @property
    def far(self) -> Rows:
        """The pairs (i, k) that were judged farther, shape (m, 2)."""
        return self.rows[:, ::2]

    def to_quadruplets(self) -> Quadruplets:
        """The same answers as quadruplets (i, j, i, k)."""
        rows = self.rows[:, [0, 1, 0, 2]]
        rows.flags.writeable = False
        return Quadruplets(
            rows,
            self.n_objects,
            self.weights,
            self.labels,
            self.annotators,
            self.annotator_names,
            self.dropped,
            self.notes,
            self.trials,
        )
