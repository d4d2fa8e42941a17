"""Checks of what triplets and quadruplets hold: rows, weights, trials, annotators.

Both kinds say "the near pair is more similar than the far pair"::

    triplet     (i, j, k)       near (i, j), far (i, k)
    quadruplet  (i, j, k, l)    near (i, j), far (k, l)

These functions work on bare rows of either width; `triplets` has the classes.

Ids of annotators are strings (worker "A2XJ") or integers (participant 7). They are kept
as int32 codes 0, 1, ... and a tuple of names, so that ten million answers take 40 MB,
and counting by annotator is one loop over integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    as_array,
    as_floats,
    check_array,
    check_int,
    check_texts,
    freeze,
    read_only,
    refuse_first,
    show_entry,
)
from tripletree._threads import map_threads, row_chunks
from tripletree.comparisons import _rows_kernel as kernels
from tripletree.errors import InvalidComparisons, InvalidOption, refuse_if

Rows = npt.NDArray[np.int32]
Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Trials = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Weights = npt.NDArray[np.int64] | npt.NDArray[np.float64]

ASKED_NOTHING = "no question"  # why rows are left out that hold no answer
MOST_OBJECTS = 2**31 - 2
ROWS_PER_CHUNK = 2**20
FEW_ROWS = 2**17  # are grouped as quickly as put into buckets
BUCKETS_PER_ROW = 8
COLUMNS = {3: "(i, j, k): i is closer to j than to k", 4: "(i, j, k, l)"}
ALLOWED = {
    3: "the three objects must differ",
    4: "each pair needs two objects, and the pairs must differ",
}


def check_rows(given: npt.ArrayLike, n_objects: int, width: int, name: str) -> Rows:
    """Rows as a frozen (m, width) int32 array of valid comparisons.

    Raises
    ------
    InvalidComparisons
        Naming the first row that is wrong.
    """
    n = check_int("n_objects", n_objects, 1, MOST_OBJECTS)
    array = check_array(
        name,
        given,
        "iu",
        (None, width),
        f"(m, {width}) integers, object ids 0..{n - 1}, one row {COLUMNS[width]} per "
        "answer. Drop missing answers (NaN), then rows.astype(int); for names, labels, "
        "ids = np.unique(rows, return_inverse=True), and pass both",
    )
    if not np.can_cast(array.dtype, np.int32, "safe"):  # int32 could wrap
        for chunk in row_chunks(len(array), ROWS_PER_CHUNK):
            outside = ((array[chunk] < 0) | (array[chunk] >= n)).any(axis=1)
            if outside.any():
                _refuse_row(array, chunk.start + int(outside.argmax()), n, name)
    rows: Rows = freeze(array, np.int32)
    chunks = row_chunks(len(rows), ROWS_PER_CHUNK)
    firsts = map_threads(lambda c: kernels.first_wrong(rows[c], n), chunks)
    for chunk, first in zip(chunks, firsts, strict=True):
        if first >= 0:
            _refuse_row(rows, chunk.start + int(first), n, name)
    return rows


def _refuse_row(rows: npt.NDArray[Any], row: int, n_objects: int, name: str) -> None:
    outside = [x for x in rows[row].tolist() if not 0 <= x < n_objects]
    why = f"{ALLOWED[rows.shape[1]]}. Drop such rows: they say nothing."
    if outside:
        hint = "Set n_objects to the number of objects, or correct the row."
        if outside[0] == n_objects:
            hint = "If indices start at 1, subtract 1."
        elif outside[0] < 0:
            hint = "Correct the row."
        why = (
            f"object {outside[0]} is outside 0..{n_objects - 1} "
            f"(n_objects={n_objects}). {hint}"
        )
    raise InvalidComparisons(show_entry(name, rows, row), f": {why}")


def swap_pairs(rows: Rows) -> Rows:
    """The opposite answers: each near pair becomes the far pair."""
    return read_only(rows[:, [0, 2, 1] if rows.shape[1] == 3 else [2, 3, 0, 1]])


def question_keys(rows: Rows) -> tuple[Ints, Ints, Bools]:
    """Numbers of the two pairs, the smaller first; whether the near one is larger.

    Pair (i, j), i > j, has number i(i-1)/2 + j.
    """
    near = pair_numbers(rows[:, 0], rows[:, 1])
    far = pair_numbers(rows[:, 2 * rows.shape[1] - 6], rows[:, -1])
    return np.minimum(near, far), np.maximum(near, far), near > far


def group_rows(*keys: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """The group of each row, and the first row of each group.

    Rows with the same values in all keys, which are not negative, are a group.
    """
    spans = [int(key.max(initial=0)) + 1 for key in keys]
    if math.prod(spans) < 2**63:  # one key is sorted twice as fast as two
        one, *others = keys[::-1]  # the last one comes first in the order
        one = one.astype(np.int64)
        for key, span in zip(others, spans[-2::-1], strict=True):
            one *= span
            one += key
        keys = (one,)
    order = np.lexsort(keys)
    is_new = np.zeros(len(order), np.bool_)
    is_new[:1] = True
    for key in keys:
        ordered = key[order]
        is_new[1:] |= ordered[1:] != ordered[:-1]
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return numbers, order[is_new]  # lexsort is stable: the first of a run came first


def rows_with_likes(rows: Rows) -> Ints:
    """The rows that may ask a question twice: all others ask what no other row does.

    Not even of the same three objects, or of the same two pairs. Rows are counted in
    buckets, many more than there are rows; those that have one to themselves are left
    out. Where most questions were asked once, few rows remain to be grouped.
    """
    if len(rows) <= FEW_ROWS:
        return np.arange(len(rows))
    n_rows = np.zeros(1 << (BUCKETS_PER_ROW * len(rows) - 1).bit_length(), np.int8)
    is_shared = np.empty(len(rows), np.bool_)
    chunks = row_chunks(len(rows), ROWS_PER_CHUNK)
    for chunk in chunks:
        kernels.fill_buckets(rows[chunk], n_rows)
    map_threads(lambda c: kernels.find_shared(rows[c], n_rows, is_shared[c]), chunks)
    return np.flatnonzero(is_shared)


def pair_numbers(one: Rows | Ints, two: Rows | Ints) -> Ints:
    """The number of each pair of objects, from 0 on, whichever comes first."""
    high = np.maximum(one, two).astype(np.int64)
    return high * (high - 1) // 2 + np.minimum(one, two)


def check_weights(
    given: npt.ArrayLike | None, n_rows: int, name: str
) -> Weights | None:
    """Weights as a frozen int64 or float64 array, finite and not negative.

    Integer weights must add up to 2^62 at most, so that no pair sum can wrap.
    """
    if given is None:
        return None
    array = check_array(
        f"weights of {name}",
        given,
        "biuf",
        (n_rows,),
        f"one number for each of the {n_rows} rows",
    )
    is_float = array.dtype.kind == "f"
    if is_float:
        array = as_floats(array)  # float32 cannot hold 1e200
    refuse_first(
        ~((array >= 0) & (array <= 1e200)) if is_float else array < 0,
        "weights",
        array,
        f" of {name}: weights run from 0 to 1e200. To reverse an answer, swap near "
        "and far.",
    )
    refuse_if(
        not is_float and array.astype(np.float64).sum() > 2.0**62,
        InvalidComparisons,
        f"integer weights of {name} add up to more than 2^62: exact sums could "
        "overflow. Divide them by a constant, or give floats.",
    )
    weights: Weights = freeze(array, np.float64 if is_float else np.int64)
    return weights


def check_annotators(
    given: object,
    names: Iterable[object] | None,
    n_rows: int,
    what: str,
    option: str = "annotators",
) -> tuple[Codes | None, tuple[str, ...] | None]:
    """Annotators as frozen codes and their names; both None if none are given.

    With names, what is given must be codes: positions in names. Without, it is one id
    per row, and names are these ids as text: sorted, as numbers if all are integers.
    option is what messages call them.
    """
    if given is None:
        refuse_if(
            names is not None,
            InvalidComparisons,
            f"annotator_names of {what} without annotators: give annotators= too, one "
            "position in annotator_names per row.",
        )
        return None, None
    if names is not None:
        texts = check_texts(
            "annotator_names",
            names,
            "a list of names; annotators are positions in it",
            InvalidComparisons,
        )
        return _check_codes(given, len(texts), n_rows, what), texts
    # NumPy would write NaN in a list of texts as 'nan'.
    dtype = np.object_ if isinstance(given, list | tuple) else None
    array = as_array(f"{option} of {what}", given, dtype=dtype)
    refuse_if(
        array.shape != (n_rows,),
        InvalidComparisons,
        f"{option} of {what} have shape {array.shape}: give one id for each of the "
        f"{n_rows} rows.",
    )
    if array.dtype.kind in "iuU":
        ids, codes = np.unique(array, return_inverse=True)
        return freeze(codes, np.int32), tuple(map(str, ids.tolist()))
    return _codes_and_names(array.tolist(), what, option)


def _check_codes(given: object, n_names: int, n_rows: int, what: str) -> Codes:
    if isinstance(given, np.ndarray) and given.dtype.kind == "O":  # a pandas column
        given = given.tolist()
    codes = check_array(
        f"annotators of {what}",
        given,
        "iu",
        (n_rows,),
        f"integer positions in annotator_names, one for each of the {n_rows} rows; "
        "without annotator_names, any strings or integers",
    )
    refuse_first(
        (codes < 0) | (codes >= n_names),
        "annotators",
        codes,
        f" of {what}: with {n_names} annotator_names, give positions from 0 to "
        f"{n_names - 1}. If they start at 1, subtract 1.",
    )
    return freeze(codes, np.int32)


def _codes_and_names(
    ids: list[Any], what: str, option: str
) -> tuple[Codes, tuple[str, ...]]:
    """Codes and names of ids that are strings or integers of Python."""
    kinds = set(map(type, ids))
    good = {x for x in kinds if issubclass(x, str | int | np.integer) and x is not bool}
    if kinds != good:
        row = next(row for row, x in enumerate(ids) if type(x) not in good)
        raise InvalidComparisons(
            option,
            f"[{row}] = {ids[row]!r:.80} of {what}: give strings or integers. If it is "
            "not known who answered, give a name such as 'unknown'.",
        )
    different = set(ids)
    has_text = any(issubclass(x, str) for x in kinds)
    ordered = sorted(set(map(str, different)) if has_text else different)
    number = {str(x): code for code, x in enumerate(ordered)}
    code_of = {x: number[str(x)] for x in different}
    codes = np.fromiter(map(code_of.__getitem__, ids), np.int32, len(ids))
    return read_only(codes), tuple(number)


def check_dropped(given: Mapping[str, int] | None, name: str) -> Mapping[str, int]:
    """How many answers were left out, by reason: read-only, without zeros."""
    given = {} if given is None else given
    refuse_if(
        not isinstance(given, Mapping),
        InvalidComparisons,
        f"dropped of {name} is of type {type(given).__name__}: give a mapping from "
        'reasons to counts, {"undecided": 12}.',
    )
    counts = {
        str(reason): check_int(
            f"dropped[{str(reason)[:80]!r}] of {name}", count, 0, 2**62
        )
        for reason, count in given.items()
    }
    return MappingProxyType({reason: n for reason, n in counts.items() if n})


def check_notes(given: Any, name: str, what: str = "notes") -> tuple[str, ...]:
    """Notes or warnings about the answers: texts, each once."""
    refuse_if(
        not isinstance(given, list | tuple)
        or not all(isinstance(text, str) for text in given),
        InvalidComparisons,
        f"{what} of {name} = {given!r:.80}: give a list of texts.",
    )
    return tuple(dict.fromkeys(given))


def check_trials(
    given: object, annotators: Codes | None, n_rows: int, name: str
) -> Trials | None:
    """The trial of each row as frozen numbers 0, 1, ...; None if each has its own.

    Rows in the order of their trials, as they are made, are numbered without sorting.
    The rows of a trial are of one annotator.
    """
    if given is None:
        return None
    array = check_array(
        f"trials of {name}",
        given,
        "iu",
        (n_rows,),
        f"an integer for each of the {n_rows} rows, the same for rows of one trial",
    )
    numbers = number_answers(n_rows)
    if (array[1:] >= array[:-1]).all():
        np.cumsum(array[1:] != array[:-1], dtype=numbers.dtype, out=numbers[1:])
    else:
        numbers[:] = np.unique(array, return_inverse=True)[1]
    if n_rows == 0 or numbers.max() == n_rows - 1:
        return None
    if annotators is not None:
        who = np.zeros(n_rows, np.int32)
        who[numbers] = annotators
        row = int((who[numbers] != annotators).argmax())
        refuse_if(
            who[numbers[row]] != annotators[row],
            InvalidComparisons,
            f"trials of {name}: row {row} has the trial of another annotator's row, "
            "and a trial is one answer of one person. If the numbers start again for "
            "each person, number the answers of all people.",
        )
    return read_only(numbers)


def number_answers(n: int) -> Trials:
    """A number for each of n answers: 0, 1, ..."""
    return np.arange(n, dtype=np.int32) if n < 2**31 else np.arange(n)


def selected_rows(rows: Rows, index: Any) -> Rows:
    """The rows of a slice, a mask or positions, frozen so that they are shared."""
    chosen = rows[0:0, 0]
    if not isinstance(index, tuple):  # which would choose columns: other comparisons
        with suppress(IndexError, ValueError):
            chosen = rows[index]
    refuse_if(
        chosen.ndim != 2 or chosen.shape[1] != rows.shape[1],
        InvalidOption,
        f"cannot select {index!r:.80} from {len(rows)} rows: give a slice, a mask "
        f"of {len(rows)} booleans, or an array of positions.",
    )
    return read_only(chosen)


def selected_values(
    values: npt.NDArray[Any] | None, index: Any
) -> npt.NDArray[Any] | None:
    """The values of the selected rows; the index was checked by `selected_rows`."""
    return None if values is None else read_only(values[index])
