"""Triplets: answers to "is i closer to j than to k?"."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from tripletree.comparisons.observed import ObservedRows
from tripletree.comparisons.quadruplets import Quadruplets
from tripletree.comparisons.rows import Rows


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

    width: ClassVar[int] = 3

    @property
    def far(self) -> Rows:
        """The pairs (i, k) that were judged farther, shape (m, 2)."""
        return self.rows[:, ::2]

    def to_quadruplets(self) -> Quadruplets:
        """The same answers as quadruplets (i, j, i, k)."""
        rows = self.rows[:, [0, 1, 0, 2]]
        rows.flags.writeable = False
        others = {f.name: getattr(self, f.name) for f in fields(self)}
        return Quadruplets(**others | {"rows": rows})
