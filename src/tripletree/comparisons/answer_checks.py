"""Answers about several objects at a time: how they are checked and become rows.

Every error names the answer as the user gave it, not a comparison made from it.

cblearn and scikit-learn use arrays of object ids, and the tensor of counts: entry
(i, j, k) is the number of answers that i is closer to j than to k, minus those that it
is closer to k. It is a sparse array of shape (n, n, n), or the same with the last two
axes as one, (n, n * n).
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    as_array,
    as_floats,
    check_array,
    check_fits,
    check_int,
    refuse_first,
    show_entry,
)
from tripletree.comparisons.row_checks import (
    MOST_OBJECTS,
    Bools,
    Ints,
    Rows,
    check_annotators,
    check_weights,
    number_answers,
)
from tripletree.comparisons.triplets import C
from tripletree.errors import InvalidComparisons, refuse_if

NO_OBJECT = -1  # none is shown there, or none was chosen
IDS = (
    "integers. Where an answer is missing (NaN), put -1; for names, labels, ids = "
    "np.unique(table, return_inverse=True)"
)


def check_table(
    given: npt.ArrayLike,
    n_objects: int,
    name: str,
    least: int,
    *,
    may_miss: bool = False,
) -> Rows:
    """Objects, one row per answer, all different within a row; at least `least`.

    may_miss: -1 may stand for no object, except in the first column.
    """
    n = check_int("n_objects", n_objects, 1, MOST_OBJECTS)
    table = check_array(
        name,
        given,
        "iu",
        (None, None),
        f"(m, k) with k >= {least}, one row per answer, of {IDS}",
    )
    if table.shape == (0, 0):
        table = table.reshape(0, least)
    refuse_if(
        table.shape[1] < least,
        InvalidComparisons,
        f"{name} has shape {table.shape}: give at least {least} objects per row, "
        "fewer leave nothing to compare.",
    )
    lowest = np.zeros(table.shape[1], np.int64)
    lowest[1:] = NO_OBJECT if may_miss else 0
    also = " Only candidates may be missing (-1)." if may_miss else ""
    refuse_first(
        (table < lowest) | (table >= n),
        name,
        table,
        f": objects run from 0 to {n - 1} (n_objects={n}). If indices start at 1, "
        f"subtract 1.{also}",
    )
    checked: Rows = table.astype(np.int32, copy=False)
    ordered = np.sort(checked, axis=1)
    is_again = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NO_OBJECT)
    refuse_first(
        is_again.any(axis=1),
        name,
        table,
        ": an object occurs twice; the objects of an answer must differ. Correct or "
        "drop such rows.",
    )
    return checked


def check_chosen(given: npt.ArrayLike, shown: Rows, name: str) -> Rows:
    """The chosen object of each answer, one of those shown, or -1."""
    chosen = check_array(
        name,
        given,
        "iu",
        (len(shown),),
        f"the chosen object of each of the {len(shown)} answers, as {IDS}",
    )
    is_right = (shown == chosen[:, None]).any(axis=1) | (chosen == NO_OBJECT)
    if not is_right.all():
        row = int(is_right.argmin())
        raise InvalidComparisons(
            show_entry(name, chosen, row),
            f" is not one of the objects shown, {tuple(shown[row].tolist())}: give the "
            "chosen object itself, not its column; -1 for undecided.",
        )
    return chosen.astype(np.int32)


def check_n_chosen(given: object, table: Rows) -> Bools:
    """Which candidates of each row were chosen: the first ones, one number or many."""
    given = as_array("n_chosen", given)
    n_chosen = check_array(
        "n_chosen",
        given,
        "iu",
        (len(table),) if given.ndim else (),
        f"one number, or one for each of the {len(table)} rows, as integers",
    )
    n_chosen = np.broadcast_to(n_chosen, (len(table),))
    # The chosen candidates come first, without a gap.
    n_leading = np.cumprod(table[:, 1:] >= 0, axis=1).sum(axis=1)
    refuse_first(
        (n_chosen < 0) | (n_chosen > n_leading),
        "n_chosen",
        n_chosen,
        ": give a number from 0 up to the number of candidates in the row.",
    )
    is_chosen: Bools = np.arange(table.shape[1] - 1) < n_chosen[:, None]
    return is_chosen


def check_is_chosen(given: npt.ArrayLike, table: Rows) -> Bools:
    """Whether each candidate was chosen, as booleans or 0 and 1."""
    shape = (len(table), table.shape[1] - 1)
    wanted = f"booleans of shape {shape}, one per candidate (not for the reference)"
    chosen = check_array("is_chosen", given, "biu", shape, wanted)
    refuse_first(
        (chosen != 0) & ((chosen != 1) | (table[:, 1:] < 0)),
        "is_chosen",
        chosen,
        ": give True or False, and False where no object is shown (-1).",
    )
    return chosen.astype(np.bool_)


def check_responses(given: npt.ArrayLike | None, n_rows: int) -> Ints:
    """Signed counts of answers: > 0 for the first side, < 0 for the second."""
    if given is None:
        return np.ones(n_rows, np.int64)
    array = check_array(
        "responses",
        given,
        "biuf",
        (n_rows,),
        "one of True/False, +1/-1, a signed count or 0 (undecided) for each of the "
        f"{n_rows} rows",
    )
    if array.dtype.kind == "b":
        return np.where(array, 1, -1)
    floats = as_floats(array)
    with np.errstate(invalid="ignore"):  # NaN may warn
        is_wrong = ~(np.abs(floats) <= 2.0**52) | (floats != np.rint(floats))
    refuse_first(
        is_wrong,
        "responses",
        array,
        ": give True or False, +1 or -1, a signed count of answers, or 0 for "
        "undecided. Drop missing answers (NaN).",
    )
    return array.astype(np.int64)


def check_number_of_rows(counts: Ints) -> None:
    """Refuse more triplets than fit into memory; counts (m,) of each answer."""
    total = int(counts.sum())
    check_fits(
        72 * total,
        f"{total} triplets of {len(counts)} answers",
        "convert them in parts.",
    )


def comparisons_of_answers(
    kind: type[C],
    rows: Rows,
    n_objects: int,
    counts: Ints | Bools,
    *,
    weights: npt.ArrayLike | None,
    labels: Iterable[object] | None,
    annotators: npt.ArrayLike | None,
    annotator_names: Iterable[object] | None,
    is_empty: Bools | None = None,
) -> C:
    """Comparisons of answers, each with its own weight and annotator.

    counts (m,) has the number of rows of each answer; answers without rows are counted
    as dropped. is_empty (m,) says which of those chose nothing, where the others chose
    everything; without it, all of them are undecided.
    """
    n_answers = len(counts)
    checked = check_weights(weights, n_answers, "answers")
    codes, names = check_annotators(annotators, annotator_names, n_answers, "answers")
    is_dropped = {"undecided": counts == 0}
    if is_empty is not None:
        is_dropped = {
            "nothing chosen": (counts == 0) & is_empty,
            "everything chosen": (counts == 0) & ~is_empty,
        }
    return kind(
        rows,
        n_objects,
        weights=None if checked is None else np.repeat(checked, counts),
        labels=labels,
        annotators=None if codes is None else np.repeat(codes, counts),
        annotator_names=names,
        dropped={why: int(rows.sum()) for why, rows in is_dropped.items()},
        trials=np.repeat(number_answers(n_answers), counts),
    )


def from_tensor(X: Any) -> tuple[Any, Any, int] | None:
    """Rows, counts and n_objects of a sparse tensor; None for anything else."""
    from scipy.sparse import issparse

    is_table: bool = issparse(X)  # else mypy takes X for an array without a shape
    if is_table and X.ndim == 2:
        n = int(X.shape[0])
        refuse_if(
            X.shape[1] != n * n,
            InvalidComparisons,
            f"a sparse X of shape {X.shape}: give the tensor of counts as (n, n * n), "
            "or an array of shape (m, 3) or (m, 4).",
        )
        table: Any = X.tocoo()
        rows = np.column_stack([table.row, *np.divmod(table.col.astype(np.int64), n)])
        return rows, table.data, n
    if getattr(X, "ndim", 2) == 3 and hasattr(X, "coords") and hasattr(X, "data"):
        return np.stack(X.coords, axis=1), np.asarray(X.data), int(X.shape[0])
    return None


def as_ids(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows of three or four whole numbers; floats may hold them."""
    refuse_if(
        rows.shape[1] not in (3, 4),
        InvalidComparisons,
        f"X has shape {rows.shape}: give (m, 3), one row (i, j, k) per answer, i "
        "closer to j than to k; or (m, 4), i closer to j than k to l.",
    )
    if rows.dtype.kind == "O":
        for value in rows.flat:
            if not isinstance(value, str):
                float(value)  # a TypeError if it is not a number
        rows = np.array(rows.tolist())
    whole = _as_integers(rows)
    refuse_if(
        whole.dtype.kind not in "iu",
        InvalidComparisons,
        f"X has dtype {rows.dtype}: give integer object ids from 0 on. For names, "
        "names, X = np.unique(X, return_inverse=True).",
    )
    return whole


def as_weights(given: npt.ArrayLike) -> npt.NDArray[Any]:
    """Weights as an array, not all zero."""
    weights = np.asarray(given)
    refuse_if(
        weights.size > 0 and weights.dtype.kind in "biuf" and not weights.any(),
        InvalidComparisons,
        "sample_weight is zero for all answers: give some of them a weight.",
    )
    return _as_integers(weights)  # so that sums are exact, as of repeated rows


def _as_integers(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Floats as integers if all are whole numbers; anything else unchanged."""
    if values.dtype.kind != "f" or not (np.abs(values) < 2.0**53).all():
        return values
    return values.astype(np.int64) if (values == np.rint(values)).all() else values


def as_responses(y: Any) -> npt.NDArray[Any]:
    """Answers as an array; 0 and 1 are refused, as 0 could be read as undecided."""
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.dtype.kind == "O" and all(isinstance(x, Number | np.bool_) for x in array):
        array = np.array(array.tolist())  # a column of a data frame
    is_numeric = array.dtype.kind in "iuf" and array.ndim == 1 and array.size > 0
    refuse_if(
        is_numeric and array.min() == 0 and array.max() == 1,
        InvalidComparisons,
        "y has 0 and 1, and 0 is undecided: give y == 1 (True or False) if 0 means "
        "that k is closer, or drop the rows where it is 0.",
    )
    return array
