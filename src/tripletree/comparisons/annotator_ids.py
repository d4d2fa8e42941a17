"""Who gave each answer: a small integer per row, and one name for each integer.

The ids that come with answers are strings (worker "A2XJ") or integers (participant 7).
They are kept as int32 codes 0, 1, ... and a tuple of names, so that ten million answers
take 40 MB, and counting by annotator is one loop over integers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    as_array,
    check_array,
    check_texts,
    freeze,
    read_only,
    refuse_first,
)
from tripletree.errors import InvalidComparisons, refuse_if

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
        wanted = "a list of names; annotators are positions in it"
        texts = check_texts("annotator_names", names, wanted, InvalidComparisons)
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
    wanted = (
        f"integer positions in annotator_names, one for each of the {n_rows} rows; "
        "without annotator_names, any strings or integers"
    )
    if isinstance(given, np.ndarray) and given.dtype.kind == "O":  # a pandas column
        given = given.tolist()
    codes = check_array(f"annotators of {what}", given, "iu", (n_rows,), wanted)
    refuse_first(
        (codes < 0) | (codes >= n_names),
        "annotators",
        codes,
        f" of {what}: with {n_names} annotator_names, give positions from 0 to "
        f"{n_names - 1}. If they start at 1, subtract 1.",
    )
    return freeze(codes, np.int32)


def _codes_and_names(ids: list[Any], what: str, option: str) -> tuple[Codes, Names]:
    """Codes and names of ids that are strings or integers of Python."""
    kinds = set(map(type, ids))
    good = {x for x in kinds if issubclass(x, str | int | np.integer) and x is not bool}
    if kinds != good:
        row = next(row for row, x in enumerate(ids) if type(x) not in good)
        message = (
            f"{option}[{row}] = {ids[row]!r:.80} of {what}: give strings or integers. "
            "If it is not known who answered, give a name such as 'unknown'."
        )
        raise InvalidComparisons(message)
    different = set(ids)
    has_text = any(issubclass(x, str) for x in kinds)
    ordered = sorted(set(map(str, different)) if has_text else different)
    number = {str(x): code for code, x in enumerate(ordered)}
    code_of = {x: number[str(x)] for x in different}
    codes = np.fromiter(map(code_of.__getitem__, ids), np.int32, len(ids))
    return read_only(codes), tuple(number)
