"""Who gave each answer: a small integer per row, and one name for each integer.

The ids that come with answers are strings (worker "A2XJ") or integers (participant 7).
They are kept as int32 codes 0, 1, ... and a tuple of names, so that ten million answers
cost 40 MB, and whatever counts per annotator is one loop over integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import freeze
from tripletree.comparisons.row_checks import as_array, check_array, refuse_first
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

    With names, what is given are codes already: positions in names. Without, it is one
    id per row, and names are these ids as text: sorted, as numbers if all are integers.
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
        texts = _check_names(names, what)
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
        return freeze(codes, np.int32), tuple(str(x) for x in ids.tolist())
    return _numbered(array.tolist(), what, option)


def _check_names(names: Iterable[object], what: str) -> Names:
    refuse_if(
        isinstance(names, str | bytes | set | frozenset)
        or not hasattr(names, "__iter__"),
        InvalidComparisons,
        f"annotator_names of {what} are of type {type(names).__name__}: give a list of "
        "names; annotators are positions in it.",
    )
    texts = tuple(str(name) for name in names)
    if len(set(texts)) != len(texts):
        twice = Counter(texts).most_common(1)[0][0]
        message = (
            f"annotator_names of {what} hold {twice[:80]!r} twice: each annotator has "
            "one name, and one code."
        )
        raise InvalidComparisons(message)
    return texts


def _check_codes(given: object, n_names: int, n_rows: int, what: str) -> Codes:
    wanted = (
        f"integer positions in annotator_names, one for each of the {n_rows} rows; "
        "without annotator_names, any strings or integers"
    )
    if isinstance(given, np.ndarray) and given.dtype.kind == "O":  # as pandas has them
        given = given.tolist()
    codes = check_array(f"annotators of {what}", given, "iu", (n_rows,), wanted)
    refuse_first(
        (codes < 0) | (codes >= n_names),
        "annotators",
        codes,
        f" of {what}: with {n_names} annotator_names, give positions from 0 to "
        f"{n_names - 1}. If they start at 1, subtract 1.",
    )
    frozen: Codes = freeze(codes, np.int32)
    return frozen


def _numbered(ids: list[Any], what: str, option: str) -> tuple[Codes, Names]:
    """Codes and names of ids that are strings or integers of Python."""
    kinds = set(map(type, ids))
    good = {x for x in kinds if issubclass(x, str | int | np.integer) and x is not bool}
    if kinds != good:
        row = next(row for row, x in enumerate(ids) if type(x) not in good)
        message = (
            f"{option}[{row}] = {ids[row]!r:.80} of {what}: give strings or integers. "
            "For answers of nobody in particular, give them a name ('unknown')."
        )
        raise InvalidComparisons(message)
    different = set(ids)
    has_text = any(issubclass(x, str) for x in kinds)
    ordered = sorted({str(x) for x in different} if has_text else different)
    number = {str(x): code for code, x in enumerate(ordered)}
    code_of = {x: number[str(x)] for x in different}
    codes = np.fromiter(map(code_of.__getitem__, ids), np.int32, len(ids))
    codes.flags.writeable = False
    return codes, tuple(number)
