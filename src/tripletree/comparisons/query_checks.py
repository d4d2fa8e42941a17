"""Checks of answers about several objects at a time, before they become comparisons.

Every error names the answer as the user gave it, not the comparison made from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import as_floats, refuse_mask
from tripletree._lazy import kernel_module
from tripletree.comparisons.annotator_codes import check_annotators
from tripletree.comparisons.rows import Rows, check_weights, own_trials
from tripletree.errors import InvalidComparisons

kernels = kernel_module("tripletree.comparisons._queries_kernel")

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

NOBODY = -1  # in place of an object: none is shown there, or none was chosen


def check_table(
    given: npt.ArrayLike, n: int, name: str, least: int, *, may_miss: bool = False
) -> Rows:
    """Objects, one row per answer, all different within a row; at least `least`.

    may_miss: -1 may stand for no object, except in the first column.
    """
    table = _as_integers(
        given, name, 2, f"(m, k) with k >= {least}, one row per answer"
    )
    if table.size == 0 and len(table) == 0:
        return np.empty((0, max(least, table.shape[1])), np.int32)
    if table.shape[1] < least:
        message = (
            f"{name} has shape {table.shape}: give at least {least} objects per row, "
            "fewer leave nothing to compare."
        )
        raise InvalidComparisons(message)
    outside = (table < (NOBODY if may_miss else 0)) | (table >= n)
    outside[:, 0] |= table[:, 0] < 0
    if outside.any():
        row, column = (int(x) for x in np.argwhere(outside)[0])
        value = int(table[row, column])
        hint = (
            "If indices start at 1, subtract 1." if value == n else "Correct the row."
        )
        if value == NOBODY and column == 0 and may_miss:
            hint = "Only candidates may be missing (-1), not what they are compared to."
        message = (
            f"{name}[{row}] = {_row(table, row)}: object {value} is outside 0..{n - 1} "
            f"(n_objects={n}). {hint}"
        )
        raise InvalidComparisons(message)
    checked: Rows = table.astype(np.int32, copy=False)
    row = int(kernels.first_repeat(checked))
    if row >= 0:
        message = (
            f"{name}[{row}] = {_row(table, row)}: an object is there twice; the "
            "objects of an answer must differ. Correct or drop such rows."
        )
        raise InvalidComparisons(message)
    return checked


def check_chosen(given: npt.ArrayLike, shown: Rows, name: str) -> Rows:
    """The chosen object of each answer, one of those shown, or -1."""
    chosen = _as_integers(given, name, 1, "(m,), the chosen object of each answer")
    if len(chosen) != len(shown):
        message = (
            f"{len(chosen)} objects in {name} for {len(shown)} answers: give one for "
            "each, -1 for undecided."
        )
        raise InvalidComparisons(message)
    signed = chosen
    if chosen.dtype.kind == "u" and chosen.dtype.itemsize == 8:
        signed = np.minimum(chosen, np.uint64(2**62))  # 2^64 - 1 must not become -1
    signed = signed.astype(np.int64)  # in the byte order that kernels know
    row = int(kernels.first_not_shown(shown, signed))
    if row >= 0:
        message = (
            f"{name}[{row}] = {chosen[row]} is none of the objects shown, "
            f"{_row(shown, row)}: give the chosen object itself, not its column; -1 "
            "for undecided."
        )
        raise InvalidComparisons(message)
    return signed.astype(np.int32, copy=False)


def check_n_chosen(given: object, table: Rows) -> Ints:
    """How many of the first candidates of each row were chosen: one number, or many."""
    n_chosen = _as_integers(given, "n_chosen", None, "a number, or one per answer")
    if n_chosen.shape not in ((), (len(table),)):
        message = (
            f"n_chosen has shape {n_chosen.shape}: give one number, or one for each of "
            f"the {len(table)} rows."
        )
        raise InvalidComparisons(message)
    n_chosen = np.broadcast_to(n_chosen, (len(table),))
    candidates = table[:, 1:]
    # The chosen come first, so no gap may be before the last of them.
    n_leading = np.cumprod(candidates >= 0, axis=1).sum(axis=1)
    is_wrong = (n_chosen < 0) | (n_chosen > n_leading)
    if is_wrong.any():
        row = int(is_wrong.argmax())
        message = (
            f"n_chosen of rows[{row}] = {_row(table, row)} is {n_chosen[row]}: give a "
            f"number from 0 to {n_leading[row]}, the candidates after the first object."
        )
        raise InvalidComparisons(message)
    return n_chosen.astype(np.int64)


def check_is_chosen(given: npt.ArrayLike, table: Rows) -> Bools:
    """Whether each candidate was chosen, as booleans or 0 and 1."""
    shape = (len(table), table.shape[1] - 1)
    refuse_mask("is_chosen", given, InvalidComparisons)
    try:
        array: npt.NDArray[Any] = np.asarray(given)
    except ValueError:
        array = np.empty(0, np.object_)
    if array.size == 0 and len(table) == 0:
        return np.zeros(shape, np.bool_)
    if array.shape != shape or array.dtype.kind not in "biu":
        message = (
            f"is_chosen has shape {array.shape} and dtype {array.dtype}: give booleans "
            f"of shape {shape}, one per candidate (the first column of rows is none)."
        )
        raise InvalidComparisons(message)
    is_wrong = (array != 0) & ((array != 1) | (table[:, 1:] < 0))
    if is_wrong.any():
        row, column = (int(x) for x in np.argwhere(is_wrong)[0])
        message = (
            f"is_chosen[{row}, {column}] = {array[row, column]} for "
            f"rows[{row}] = {_row(table, row)}: give True or False, and False where no "
            "object is shown (-1)."
        )
        raise InvalidComparisons(message)
    return array.astype(np.bool_)


def check_responses(given: npt.ArrayLike | None, n_rows: int) -> Ints:
    """Answers for the first (> 0) or the second (< 0) side, and how many of them."""
    if given is None:
        return np.ones(n_rows, np.int64)
    refuse_mask("responses", given, InvalidComparisons)
    try:
        array: npt.NDArray[Any] = np.asarray(given)
    except ValueError:
        array = np.empty(0, np.object_)
    if array.size == 0 and n_rows == 0:
        return np.empty(0, np.int64)
    if array.shape != (n_rows,) or array.dtype.kind not in "biuf":
        message = (
            f"responses have shape {array.shape} and dtype {array.dtype}: give one of "
            f"True/False, +1/-1, a signed count or 0 (undecided) for each of {n_rows} "
            "rows."
        )
        raise InvalidComparisons(message)
    if array.dtype.kind == "b":
        return np.where(array, 1, -1)
    floats = as_floats(array)
    with np.errstate(invalid="ignore"):  # some NaN would warn
        is_wrong = ~(np.abs(floats) <= 2.0**52) | (floats != np.rint(floats))
    if is_wrong.any():
        row = int(is_wrong.argmax())
        message = (
            f"responses[{row}] = {array[row]}: give True or False, +1 or -1, a signed "
            "count of answers, or 0 for undecided. Drop missing answers (NaN)."
        )
        raise InvalidComparisons(message)
    return array.astype(np.int64)


def repeated_fields(
    counts: Ints | Bools,
    weights: npt.ArrayLike | None,
    annotators: npt.ArrayLike | None,
    annotator_names: Iterable[object] | None,
    is_empty: Bools | None = None,
) -> dict[str, Any]:
    """Weights, annotators and numbers of answers, repeated for their rows.

    counts (m,) has the number of rows of each answer; those without rows are counted
    as dropped. is_empty (m,) tells which of them chose nothing, where the others chose
    everything; without it, all of them are undecided.
    """
    n_answers = len(counts)
    checked = check_weights(weights, n_answers, "answers")
    codes, names = check_annotators(annotators, annotator_names, n_answers, "answers")
    is_mute = counts == 0
    dropped = {"undecided": int(is_mute.sum())}
    if is_empty is not None:
        dropped = {
            "nothing chosen": int((is_mute & is_empty).sum()),
            "everything chosen": int((is_mute & ~is_empty).sum()),
        }
    return {
        "weights": None if checked is None else np.repeat(checked, counts),
        "annotators": None if codes is None else np.repeat(codes, counts),
        "annotator_names": names,
        "dropped": dropped,
        "trials": np.repeat(own_trials(n_answers), counts),
    }


def _as_integers(
    given: object, name: str, n_axes: int | None, wanted: str
) -> npt.NDArray[Any]:
    if isinstance(given, np.ma.MaskedArray):
        message = f"{name} is a masked array: drop the masked answers first."
        raise InvalidComparisons(message)
    try:
        array: npt.NDArray[Any] = np.asarray(given)
    except ValueError:
        message = f"{name} is no rectangular array: give {wanted}; fill up with -1."
        raise InvalidComparisons(message) from None
    if array.size == 0 and array.ndim == 1 and n_axes == 2:
        array = array.reshape(0, 0)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int32)  # an empty list
    if n_axes is not None and array.ndim != n_axes:
        message = f"{name} has shape {array.shape}: give {wanted}."
        raise InvalidComparisons(message)
    if array.dtype.kind not in "iu":
        message = (
            f"{name} has dtype {array.dtype}: give integers. Where an answer is "
            "missing (NaN), put -1; for names, labels, ids = np.unique(table, "
            "return_inverse=True)."
        )
        raise InvalidComparisons(message)
    return array


def _row(table: npt.NDArray[Any], row: int) -> tuple[int, ...]:
    return tuple(int(x) for x in table[row])
