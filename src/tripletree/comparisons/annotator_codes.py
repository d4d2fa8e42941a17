"""Who gave each answer: a small integer per row, and one name for each integer.

The ids that come with answers are strings (worker "A2XJ") or integers (participant 7).
They are kept as int32 codes 0, 1, ... and a tuple of names, so that ten million answers
cost 40 MB, and whatever counts per annotator is one loop over integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import freeze
from tripletree.errors import InvalidComparisons, Mismatch

Codes = npt.NDArray[np.int32]
Names = tuple[str, ...]


def check_annotators(
    given: object,
    names: Iterable[object] | None,
    n_rows: int,
    what: str,
    option: str = "annotators",
) -> tuple[Codes | None, Names | None]:
    """Annotators as frozen codes and their names; both None if none are given.

    With names, what is given are codes already: positions in names. Without, it is one
    id per row, and names are these ids as text: sorted, as numbers if all are integers.
    option is what messages call them.
    """
    if given is None:
        if names is not None:
            message = (
                f"annotator_names of {what} without annotators: give annotators= too, "
                "one position in annotator_names per row."
            )
            raise InvalidComparisons(message)
        return None, None
    if isinstance(given, np.ma.MaskedArray):
        message = f"{option} of {what} are a masked array: give those masked a name."
        raise InvalidComparisons(message)
    array = _as_array(given)
    if array.shape != (n_rows,):
        message = (
            f"{option} of {what} have shape {array.shape}: give one id for each of the "
            f"{n_rows} rows."
        )
        raise InvalidComparisons(message)
    if names is not None:
        texts = _check_names(names, what)
        return _check_codes(array, len(texts), what), texts
    if array.dtype.kind in "iuU":
        ids, codes = np.unique(array, return_inverse=True)
        return freeze(codes, np.int32), tuple(str(x) for x in ids.tolist())
    return _numbered(array, what, option)


def merged_codes(
    parts: Sequence[tuple[Codes | None, Names | None, int]],
) -> tuple[Codes | None, Names | None]:
    """The codes of several sets, one after the other, under one tuple of names.

    parts has codes, names and the number of rows of each set. Names come in the order
    in which they first occur among the names of the sets.
    """
    if all(codes is None for codes, _, _ in parts):
        return None, None
    number: dict[str, int] = {}
    joined = []
    for at, (codes, names, n_rows) in enumerate(parts):
        if codes is None or names is None:
            if n_rows:
                message = (
                    f"part {at} does not say who gave its answers, others do: give "
                    "annotators to all parts or to none (annotators=None)."
                )
                raise Mismatch(message)
            continue
        new = [number.setdefault(name, len(number)) for name in names]
        joined.append(np.array(new, np.int32)[codes])
    merged = np.concatenate(joined)
    merged.flags.writeable = False
    return merged, tuple(number)


def _as_array(given: object) -> npt.NDArray[Any]:
    """The ids as an array; lists as objects, or NumPy would write NaN as 'nan'."""
    try:
        if isinstance(given, list | tuple):
            return np.array(given, np.object_)
        return np.asarray(given)
    except ValueError:  # lists of different lengths
        return np.empty(0, np.object_)


def _check_names(names: Iterable[object], what: str) -> Names:
    if isinstance(names, str | bytes | set | frozenset) or not hasattr(
        names, "__iter__"
    ):
        message = (
            f"annotator_names of {what} are of type {type(names).__name__}: give a "
            "list of names; annotators are positions in it."
        )
        raise InvalidComparisons(message)
    texts = tuple(str(name) for name in names)
    if len(set(texts)) != len(texts):
        twice = Counter(texts).most_common(1)[0][0]
        message = (
            f"annotator_names of {what} hold {twice[:80]!r} twice: each annotator has "
            "one name, and one code."
        )
        raise InvalidComparisons(message)
    return texts


def _check_codes(array: npt.NDArray[Any], n_names: int, what: str) -> Codes:
    if array.dtype.kind == "O":  # a list of codes
        codes = array.tolist()
        if all(isinstance(x, int | np.integer) for x in codes):
            array = np.asarray(codes) if codes else np.empty(0, np.int32)
    if array.dtype.kind not in "iu":
        message = (
            f"annotators of {what} have dtype {array.dtype}: with annotator_names, "
            "give integer positions in them; without, any strings or integers."
        )
        raise InvalidComparisons(message)
    is_wrong = (array < 0) | (array >= n_names)
    if is_wrong.any():
        row = int(is_wrong.argmax())
        message = (
            f"annotators[{row}] = {array[row]} of {what}: with {n_names} "
            f"annotator_names, give positions from 0 to {n_names - 1}. If they start "
            "at 1, subtract 1."
        )
        raise InvalidComparisons(message)
    frozen: Codes = freeze(array, np.int32)
    return frozen


def _numbered(array: npt.NDArray[Any], what: str, option: str) -> tuple[Codes, Names]:
    """Codes and names of ids that are Python objects or strings of NumPy's own kind."""
    ids = array.tolist()
    first: dict[Any, int] = {}
    try:
        found = [first.setdefault(x, len(first)) for x in ids]
    except TypeError:  # not hashable: neither strings nor integers
        found = []
    for x in first if found or not ids else ids:
        if not isinstance(x, str | int | np.integer) or isinstance(x, bool):
            row = next(r for r, y in enumerate(ids) if y is x)
            message = (
                f"{option}[{row}] = {x!r:.80} of {what}: give strings or integers. "
                "For answers of nobody in particular, give them a name ('unknown')."
            )
            raise InvalidComparisons(message)
    is_text = any(isinstance(x, str) for x in first)
    kinds = sorted({str(x) for x in first} if is_text else first)
    number = {str(x): code for code, x in enumerate(kinds)}
    codes = np.array([number[str(x)] for x in first], np.int32)[
        np.array(found, np.int64)
    ]
    codes.flags.writeable = False
    return codes, tuple(number)
