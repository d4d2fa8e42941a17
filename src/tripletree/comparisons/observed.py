"""What triplets and quadruplets are both: rows of objects, and who gave them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from tripletree._checks import printable
from tripletree.comparisons.annotator_codes import Codes, check_annotators
from tripletree.comparisons.rows import (
    Rows,
    Trials,
    Weights,
    check_dropped,
    check_notes,
    check_one_annotator,
    check_trials,
    checked_fields,
    selected_rows,
    selected_values,
)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ObservedRows:
    """Rows of so many objects; the two kinds add what their columns mean."""

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
        kind = type(self).__name__.lower()
        checked = checked_fields(rows, n_objects, weights, labels, self.width, kind)
        m = len(checked["rows"])
        checked["annotators"], checked["annotator_names"] = check_annotators(
            annotators, annotator_names, m, kind
        )
        checked["dropped"] = check_dropped(dropped, kind)
        checked["notes"] = check_notes(notes, kind)
        checked["trials"] = check_trials(trials, m, kind)
        check_one_annotator(checked["trials"], checked["annotators"], kind)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and unpickled ones are checked and frozen again.
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
        kind = type(self).__name__
        return f"{kind}({len(self)} rows, {self.n_objects} objects{more})"

    def __getitem__(
        self, index: slice | Sequence[int] | npt.NDArray[np.generic]
    ) -> Self:
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
        trials = self.trials  # numbered from 0 on, all in use
        return len(self) if trials is None else int(trials.max(initial=-1)) + 1

    @property
    def near(self) -> Rows:
        """The pairs (i, j) that were judged closer, shape (m, 2)."""
        return self.rows[:, :2]
