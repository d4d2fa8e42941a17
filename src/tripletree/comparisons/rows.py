"""What triplets and quadruplets share: a table of rows, each a near and a far pair.

Both kinds say "the near pair is more similar than the far pair"::

    triplet     (i, j, k)       near (i, j), far (i, k)
    quadruplet  (i, j, k, l)    near (i, j), far (k, l)

These functions work on bare rows of either width; the classes speak to users.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    as_floats,
    check_int,
    check_labels,
    freeze,
    refuse_mask,
)
from tripletree._lazy import kernel_module
from tripletree._threads import map_threads, row_chunks
from tripletree.errors import InvalidComparisons, InvalidOption, TripletreeError

kernels = kernel_module("tripletree.comparisons._rows_kernel")

Rows = npt.NDArray[np.int32]
Trials = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Weights = npt.NDArray[np.int64] | npt.NDArray[np.float64]

MOST_OBJECTS = 2**31 - 2
ROWS_PER_CHUNK = 2**20
COLUMNS = {3: "(i, j, k): i is closer to j than to k", 4: "(i, j, k, l)"}


def as_array(
    name: str, given: object, error: type[TripletreeError] = InvalidComparisons
) -> npt.NDArray[Any]:
    """An array of what is given, unless it has a mask or rows of different lengths."""
    refuse_mask(name, given, error)
    try:
        return np.asarray(given)
    except ValueError:
        parts = name, ": not a rectangular array. Give rows of equal length."
        raise error(*parts) from None


def checked_fields(
    rows: npt.ArrayLike,
    n_objects: object,
    weights: npt.ArrayLike | None,
    labels: Iterable[object] | None,
    width: int,
    name: str,
) -> dict[str, Any]:
    """The fields of new comparisons by name, checked and frozen."""
    n = check_int("n_objects", n_objects, 1, MOST_OBJECTS)
    frozen = check_rows(rows, n, width, name)
    return {
        "rows": frozen,
        "n_objects": n,
        "weights": check_weights(weights, len(frozen), name),
        "labels": check_labels(labels, n, InvalidComparisons),
    }


def check_rows(given: npt.ArrayLike, n_objects: int, width: int, name: str) -> Rows:
    """Rows as a frozen (m, width) int32 array of valid comparisons.

    Raises
    ------
    InvalidComparisons
        Naming the first row that is wrong.
    """
    array = as_array(name, given)
    if array.shape in ((0,), (0, 0), (0, width)):
        array = np.empty((0, width), np.int32)
    if array.ndim != 2 or array.shape[1] != width:
        message = (
            f"{name} have shape {array.shape}: give (m, {width}), one row "
            f"{COLUMNS[width]} per answer."
        )
        raise InvalidComparisons(message)
    if array.dtype.kind not in "iu":
        message = (
            f"{name} have dtype {array.dtype}: give integer object ids 0.."
            f"{n_objects - 1}. Drop missing answers (NaN), then rows.astype(int); for "
            "names, labels, ids = np.unique(rows, return_inverse=True), and pass both."
        )
        raise InvalidComparisons(message)
    rows = _as_int32(array, n_objects, name)
    chunks = row_chunks(len(rows), ROWS_PER_CHUNK)
    firsts = map_threads(lambda c: kernels.first_wrong(rows[c], n_objects), chunks)
    for chunk, first in zip(chunks, firsts, strict=True):
        if first >= 0:
            _refuse_row(rows, chunk.start + int(first), n_objects, name)
    return rows


def _as_int32(array: npt.NDArray[Any], n_objects: int, name: str) -> Rows:
    """The rows as int32, refusing what int32 cannot hold rather than wrapping it."""
    if not np.can_cast(array.dtype, np.int32, "safe"):
        for chunk in row_chunks(len(array), ROWS_PER_CHUNK):
            part = array[chunk]
            outside = ((part < 0) | (part >= n_objects)).any(axis=1)
            if outside.any():
                _refuse_row(array, chunk.start + int(outside.argmax()), n_objects, name)
    rows: Rows = freeze(array, np.int32)
    return rows


def _refuse_row(rows: npt.NDArray[Any], row: int, n_objects: int, name: str) -> None:
    values = tuple(int(x) for x in rows[row])
    where = f"{name}[{row}] = {values}"
    for value in values:
        if not 0 <= value < n_objects:
            hint = (
                "If indices start at 1, subtract 1."
                if value == n_objects
                else "Correct the row."
                if value < 0
                else "Set n_objects to the number of objects, or correct the row."
            )
            message = (
                f"{where}: object {value} is outside 0..{n_objects - 1} "
                f"(n_objects={n_objects}). {hint}"
            )
            raise InvalidComparisons(message)
    allowed = (
        "the three objects must differ"
        if len(values) == 3
        else "each pair needs two objects, and the pairs must differ"
    )
    message = f"{where}: {allowed}. Drop such rows, they say nothing."
    raise InvalidComparisons(message)


def check_weights(
    given: npt.ArrayLike | None, n_rows: int, name: str
) -> Weights | None:
    """Weights as a frozen int64 or float64 array, finite and not negative.

    Integer weights must add up to 2^62 at most, so that no pair sum can wrap.
    """
    if given is None:
        return None
    array = as_array(f"weights of {name}", given)
    if array.dtype.kind not in "biuf" or array.shape != (n_rows,):
        message = (
            f"weights of {name} have shape {array.shape} and dtype {array.dtype}: give "
            f"one number for each of the {n_rows} rows."
        )
        raise InvalidComparisons(message)
    is_float = array.dtype.kind == "f"
    if is_float:
        array = as_floats(array)  # float32 cannot hold 1e200
    wrong = ~((array >= 0) & (array <= 1e200)) if is_float else array < 0
    if wrong.any():
        row = int(wrong.argmax())
        message = (
            f"weights[{row}] = {array[row]} of {name}: weights run from 0 to "
            "1e200. To turn an answer round, swap near and far."
        )
        raise InvalidComparisons(message)
    if is_float:
        floats: Weights = freeze(array, np.float64)
        return floats
    if array.astype(np.float64).sum() > 2.0**62:
        message = (
            f"integer weights of {name} add up to more than 2^62: exact sums could "
            "overflow. Divide them by a constant, or give floats."
        )
        raise InvalidComparisons(message)
    integers: Weights = freeze(array, np.int64)
    return integers


def check_dropped(given: object, name: str) -> Mapping[str, int]:
    """How many answers were left out, by reason, as a read-only mapping without 0."""
    counts: dict[str, int] = {}
    if given is not None and not isinstance(given, Mapping):
        message = (
            f"dropped of {name} is of type {type(given).__name__}: give a mapping from "
            'reasons to counts, {"undecided": 12}.'
        )
        raise InvalidComparisons(message)
    for reason, count in (given or {}).items():
        what = f"dropped[{str(reason)[:80]!r}] of {name}"
        counts[str(reason)] = check_int(what, count, 0, 2**62)
    return MappingProxyType({reason: n for reason, n in counts.items() if n})


def check_notes(given: object, name: str) -> tuple[str, ...]:
    """What was assumed about the answers: texts, each once."""
    if isinstance(given, list | tuple) and all(isinstance(x, str) for x in given):
        return tuple(dict.fromkeys(given))
    message = f"notes of {name} = {given!r:.80}: give a list of texts."
    raise InvalidComparisons(message)


def check_trials(given: object, n_rows: int, name: str) -> Trials | None:
    """The trial of each row as frozen numbers 0, 1, ...; None if each has its own.

    Rows in the order of their trials, as they are made, are numbered without sorting.
    """
    if given is None:
        return None
    array = as_array(f"trials of {name}", given)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int32)  # an empty list
    if array.dtype.kind not in "iu" or array.shape != (n_rows,):
        message = (
            f"trials of {name} have shape {array.shape} and dtype {array.dtype}: give "
            f"an integer for each of the {n_rows} rows, the same for rows of one trial."
        )
        raise InvalidComparisons(message)
    numbers = own_trials(n_rows)
    if (array[1:] >= array[:-1]).all():
        np.cumsum(array[1:] != array[:-1], dtype=numbers.dtype, out=numbers[1:])
    else:
        numbers[:] = np.unique(array, return_inverse=True)[1]
    if n_rows == 0 or numbers.max() == n_rows - 1:
        return None
    numbers.flags.writeable = False
    return numbers


def check_one_annotator(trials: Trials | None, annotators: Any, name: str) -> None:
    """Refuse a trial whose rows were answered by several people."""
    if trials is None or annotators is None:
        return
    who = np.zeros(int(trials.max()) + 1, np.int32)
    who[trials] = annotators
    is_wrong = who[trials] != annotators
    if is_wrong.any():
        row = int(is_wrong.argmax())
        message = (
            f"trials of {name}: row {row} has the trial of another annotator's row, "
            "and a trial is one answer of one person. If the numbers start again for "
            "each person, number the answers of all people."
        )
        raise InvalidComparisons(message)


def own_trials(n: int) -> Trials:
    """A number for each of n answers."""
    if n < 2**31:
        return np.arange(n, dtype=np.int32)
    return np.arange(n, dtype=np.int64)


def selected_rows(rows: Rows, index: Any) -> Rows:
    """The rows of a slice, a mask or positions, frozen so that they are shared."""
    try:
        # A tuple would choose columns too: other comparisons, without a word.
        chosen = rows[0:0, 0] if isinstance(index, tuple) else rows[index]
    except (IndexError, ValueError):
        chosen = rows[0:0, 0]
    if chosen.ndim != 2 or chosen.shape[1] != rows.shape[1]:
        message = (
            f"cannot select {index!r:.80} from {len(rows)} rows: give a slice, a mask "
            f"of {len(rows)} booleans, or an array of positions."
        )
        raise InvalidOption(message)
    chosen.flags.writeable = False
    return chosen


def selected_values(
    values: npt.NDArray[Any] | None, index: Any
) -> npt.NDArray[Any] | None:
    """What belongs to the selected rows, one value each; the index fits the rows."""
    if values is None:
        return None
    chosen: npt.NDArray[Any] = values[index]
    chosen.flags.writeable = False
    return chosen
