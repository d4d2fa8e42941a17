"""Checks and small conversions that trees, comparisons and similarities share."""

from __future__ import annotations

import json
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn
from unicodedata import category

import numpy as np
import numpy.typing as npt
import psutil

from tripletree.errors import (
    InvalidComparisons,
    InvalidOption,
    Mismatch,
    Remedy,
    TooLarge,
    TripletreeError,
    refuse_if,
)

FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")  # first characters, full width too
DIGITS = re.compile(r"[0-9]+")
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]*")
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def freeze(array: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A contiguous read-only array, copied if anyone could still write to the original.

    An array that is read-only all the way down (a memory map opened for reading,
    another object's rows, what its owner made read-only) is shared, because it can be
    larger than the memory left. Its owner must then leave it unchanged: NumPy lets
    owners make an array writable again, and a mapped file can change.
    """
    frozen = np.ascontiguousarray(array, dtype=dtype)
    if np.may_share_memory(frozen, array):
        owner: object = array
        while isinstance(owner, np.ndarray) and not owner.flags.writeable:
            owner = owner.base
        frozen = frozen.copy() if isinstance(owner, np.ndarray) else frozen.view()
    return read_only(frozen)


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same array, made read-only."""
    array.flags.writeable = False
    return array


def refuse_mask(name: str, given: object, error: type[TripletreeError]) -> None:
    """Refuse a masked array: NumPy would go on with the values under the mask."""
    refuse_if(
        isinstance(given, np.ma.MaskedArray),
        error,
        f"{name}: this is a masked array. Fill or drop what is masked first.",
    )


def as_array(
    name: str,
    given: object,
    error: type[TripletreeError] = InvalidComparisons,
    dtype: npt.DTypeLike | None = None,
) -> npt.NDArray[Any]:
    """An array of what is given; refuses masked arrays and rows of unequal length."""
    refuse_mask(name, given, error)
    try:
        return np.asarray(given, dtype)
    except ValueError:
        raise error(
            name, ": not a rectangular array. Give rows of equal length."
        ) from None


def as_floats(given: object) -> npt.NDArray[np.float64]:
    """Real numbers as float64; a ValueError or TypeError for anything else.

    Text is refused, and so are complex numbers, whose imaginary part would be lost.
    What float64 cannot hold becomes infinite, for the caller to refuse.
    """
    array: npt.NDArray[Any] = np.asarray(given)
    if array.dtype.kind not in "biufO":
        message = f"dtype {array.dtype}: real numbers are needed"
        raise ValueError(message)
    with np.errstate(over="ignore"):
        return array.astype(np.float64, copy=False)


def check_array(
    name: str,
    given: object,
    kinds: str,
    shape: tuple[int | None, ...],
    wanted: str,
    error: type[TripletreeError] = InvalidComparisons,
) -> npt.NDArray[Any]:
    """What is given, as an array of this shape whose dtype is of one of these kinds.

    None is any length. An empty list is an array without entries, of any dtype.
    """
    array = as_array(name, given, error)
    if array.shape in ((0,), (0, 0)) and not shape[0]:
        array = array.reshape([length or 0 for length in shape])
    if array.size == 0 and array.dtype.kind not in kinds:
        array = array.astype(np.int32)
    lengths = zip(shape, array.shape, strict=False)
    refuse_if(
        array.ndim != len(shape)
        or not all(length in (None, found) for length, found in lengths)
        or array.dtype.kind not in kinds,
        error,
        f"{name} of shape {array.shape} and dtype {array.dtype}: give {wanted}.",
    )
    return array


def check_floats(
    name: str,
    given: object,
    shape: tuple[int | None, ...],
    wanted: str,
    error: type[TripletreeError],
) -> npt.NDArray[np.float64]:
    """What is given, as float64 of this shape; Python objects may be numbers, too."""
    array = as_array(name, given, error)
    try:
        floats: npt.NDArray[Any] = as_floats(array)
    except (TypeError, ValueError, OverflowError):
        floats = array
    return check_array(name, floats, "f", shape, wanted, error)


def refuse_first(
    is_wrong: npt.NDArray[np.bool_],
    name: str,
    values: npt.NDArray[Any],
    why: str,
    error: type[TripletreeError] = InvalidComparisons,
) -> None:
    """Refuse the first value that is wrong, if any is."""
    if is_wrong.any():
        place = np.argwhere(is_wrong)[0].tolist()
        raise error(show_entry(name, values, *place), why)


def show_entry(name: str, values: npt.NDArray[Any], *place: int) -> str:
    """A value, or a row of values, and where it is: "rows[3] = (0, 1, 1)"."""
    found = values[place]
    shown = tuple(found.tolist()) if found.ndim else found
    return f"{name}{[*place]} = {shown}"


def check_labels(
    labels: Iterable[object] | None, n: int, error: type[TripletreeError]
) -> tuple[str, ...] | None:
    """Labels as a tuple of `n` different strings, or None."""
    if labels is None:
        return None
    texts = check_texts(
        "labels",
        labels,
        f"one label for each of the {n} objects, in their order, as a list",
        error,
    )
    refuse_if(
        len(texts) != n,
        error,
        f"{len(texts)} labels for {n} objects: give exactly one label per object.",
    )
    return texts


def check_texts(
    name: str, given: Iterable[object], wanted: str, error: type[TripletreeError]
) -> tuple[str, ...]:
    """A sequence of anything as a tuple of different strings."""
    refuse_if(
        isinstance(given, str | bytes | set | frozenset)
        or not hasattr(given, "__iter__"),
        error,
        f"{name} of type {type(given).__name__}: give {wanted}.",
    )
    texts = tuple(map(str, given))
    if len(set(texts)) < len(texts):
        first = {text: at for at, text in reversed([*enumerate(texts)])}
        at = next(at for at, text in enumerate(texts) if first[text] != at)
        raise error(
            name,
            f"[{at}] = {texts[at][:80]!r} repeats {name}[{first[texts[at]]}]: ",
            "all must differ; add a suffix to one of them.",
        )
    return texts


def natural_order(labels: Iterable[str]) -> list[str]:
    """Labels as people list them: integers by value, img2 before img10.

    Runs of digits compare by their value, all else by its characters. "1" and "01" are
    two labels, and so are 9007199254740993 and 9007199254740992: values are exact.

    Examples
    --------
    >>> natural_order(["10", "-3", "9"]), natural_order(["img10", "img2", "cat"])
    (['-3', '9', '10'], ['cat', 'img2', 'img10'])
    """
    found = sorted(labels)
    if all(map(WHOLE_NUMBER.fullmatch, found)):
        # Length, then text, orders numbers of any length; int() refuses 5,000 digits.
        found.sort(key=len)
        below = [label for label in reversed(found) if label[0] == "-"]
        return below + [label for label in found if label[0] != "-"]
    found.sort(key=_sort_key)
    return found


def _sort_key(label: str) -> str:
    """A text that sorts as the label should; equal for "1" and "01".

    A number becomes a character below all others, its length and its digits. (Beyond a
    million digits, lengths count as equal.)
    """
    if "\0" in label or "\1" in label:
        label = label.replace("\1", "\1\1").replace("\0", "\1\0")
    return DIGITS.sub(_padded_number, label)


def _padded_number(found: re.Match[str]) -> str:
    digits = found.group().lstrip("0")
    return "\0" + chr(min(len(digits), sys.maxunicode)) + digits


def printable(text: str, written: Callable[[str], str] = repr) -> str:
    """A text in one line, with control and bidirectional characters escaped.

    Spaces of every script, and the joiners of letters and emoji, stay. The others are
    escaped as in Python, or by another function that adds quotes.
    """
    if text.isprintable():
        return text
    return "".join(
        sign
        if sign.isprintable() or sign in JOINERS or category(sign) == "Zs"
        else written(sign)[1:-1]
        for sign in text
    )


def spreadsheet_text(text: str) -> str:
    """A text that a spreadsheet shows as it is, and never computes as a formula."""
    shown = printable(text)
    return "'" + shown if shown.lstrip().startswith(FORMULA) else shown


def json_text(values: object, indent: int | None = None) -> str:
    """JSON with the same characters escaped; it reads back equal."""
    text = json.dumps(values, indent=indent, ensure_ascii=False, allow_nan=False)
    return "\n".join(printable(line, json.dumps) for line in text.split("\n"))


def counted(n: int | float, noun: str) -> str:
    """A number with its noun: 1 row, 2 rows."""
    plural = "people" if noun == "person" else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def check_int(name: str, value: object, lowest: int, highest: int) -> int:
    """An integer option within its range."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = lowest - 1
    if isinstance(value, bool) or not lowest <= number <= highest:
        _refuse_value(name, value, f"give an integer from {lowest} to {highest}.")
    return number


def check_number(name: str, value: object, lowest: float, highest: float) -> float:
    """A real option within its range, as a float."""
    number = as_float(value)
    if not lowest <= number <= highest:
        _refuse_value(name, value, f"give a number from {lowest:g} to {highest:g}.")
    return number


def check_limit(time_limit: float | None) -> float:
    """A time limit in seconds; infinity for None."""
    seconds = math.inf if time_limit is None else as_float(time_limit)
    if not seconds >= 0:
        _refuse_value("time_limit", time_limit, "give seconds, 0 or more, or None.")
    return seconds


def as_float(value: Any) -> float:
    """A real number as a float, perhaps infinite; NaN if it is not a number."""
    if isinstance(value, str | bytes | bool | np.bool_):  # float("1") would work
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def check_rng(rng: object) -> np.random.Generator:
    """A NumPy Generator; a bare seed is refused."""
    if not isinstance(rng, np.random.Generator):
        message = (
            f"rng is of type {type(rng).__name__}: give np.random.default_rng(seed)."
        )
        raise InvalidOption(message)
    return rng


def check_same_objects(
    n_first: int,
    labels_first: tuple[str, ...] | None,
    n_second: int,
    labels_second: tuple[str, ...] | None,
    what: str,
) -> None:
    """Refuse trees or data that are not about the same objects in the same order."""
    both = what.format(n_first, n_second)
    refuse_if(
        n_first != n_second, Mismatch, both, ": both must be about the same objects."
    )
    if labels_first == labels_second:  # quick, for tuples
        return
    labels = zip(labels_first or (), labels_second or (), strict=False)
    for index, (first, second) in enumerate(labels):
        if first != second:
            raise Mismatch(
                both,
                f", but object {index} is {first[:80]!r} in the first and ",
                f"{second[:80]!r} in the second: bring both into the same order of ",
                "labels.",
            )


def check_fits(n_bytes: int, what: str, *instead: str | Remedy) -> None:
    """Refuse an allocation that the memory now available cannot hold."""
    available = int(psutil.virtual_memory().available)
    refuse_if(
        n_bytes > available,
        TooLarge,
        f"{what} needs {n_bytes / 1e9:.1f} GB and {available / 1e9:.1f} GB are "
        "available: ",
        *instead,
    )


def check_callable(name: str, function: object, *, is_needed: bool = False) -> None:
    """Refuse a callback that cannot be called; None is allowed unless one is needed."""
    if not callable(function) and (is_needed or function is not None):
        instead = "." if is_needed else ", or None."
        message = f"{name} = {function!r:.200}: give a function{instead}"
        raise InvalidOption(message)


def check_flag(name: str, value: object) -> bool:
    """True or False; numbers such as 0 and 1 are refused."""
    if not isinstance(value, bool | np.bool_):
        _refuse_value(name, value, "give True or False.")
    return bool(value)


def _refuse_value(name: str, value: object, wanted: str) -> NoReturn:
    """Refuse the value of an option, and show it if it can be shown."""
    try:
        shown = repr(value)[:200]
    except ValueError:  # an integer of thousands of digits
        shown = f"a number of type {type(value).__name__}"
    raise InvalidOption(name, f" = {shown}: ", wanted)
