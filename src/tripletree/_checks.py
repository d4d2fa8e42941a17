"""Checks and small conversions that trees, comparisons and similarities share."""

from __future__ import annotations

import json
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any
from unicodedata import category

import numpy as np
import numpy.typing as npt
import psutil

from tripletree.errors import (
    InvalidOption,
    Mismatch,
    Remedy,
    TooLarge,
    TripletreeError,
    refuse_if,
)

FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")  # how one begins, also in full width
DIGITS = re.compile(r"[0-9]+")
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]*")
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def freeze(array: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A contiguous read-only array, copied unless nobody can write to it as it is.

    An array that is read-only all the way down (a memory map opened for reading,
    another object's rows, what its owner made read-only) is shared, because it can be
    larger than the memory left. That it stays as it is, is then a promise of its owner:
    NumPy lets owners make an array writable again, and a mapped file can change.
    """
    frozen = np.ascontiguousarray(array, dtype=dtype)
    if np.may_share_memory(frozen, array):
        owner: object = array
        while isinstance(owner, np.ndarray) and not owner.flags.writeable:
            owner = owner.base
        frozen = frozen.copy() if isinstance(owner, np.ndarray) else frozen.view()
    frozen.flags.writeable = False
    return frozen


def refuse_mask(name: str, given: object, error: type[TripletreeError]) -> None:
    """Refuse a masked array: NumPy would go on with what is under the mask."""
    message = f"{name}: this is a masked array. Fill or drop what is masked first."
    refuse_if(isinstance(given, np.ma.MaskedArray), error, message)


def as_floats(given: object) -> npt.NDArray[np.float64]:
    """Real numbers as float64; a ValueError or TypeError if they are something else.

    Text is no number, and complex numbers are not cut down to their real part. What
    float64 cannot hold becomes infinite, for the caller to refuse.
    """
    array: npt.NDArray[Any] = np.asarray(given)
    if array.dtype.kind not in "biufO":
        message = f"dtype {array.dtype} is not one of real numbers"
        raise ValueError(message)
    with np.errstate(over="ignore"):
        return array.astype(np.float64, copy=False)


def check_labels(
    labels: Iterable[object] | None, n: int, error: type[TripletreeError]
) -> tuple[str, ...] | None:
    """Labels as a tuple of `n` different strings, or None."""
    if labels is None:
        return None
    if isinstance(labels, str | bytes | set | frozenset) or not hasattr(
        labels, "__iter__"
    ):
        message = (
            f"labels are of type {type(labels).__name__}: give one label for each of "
            f"the {n} objects, in their order, for example a list of strings."
        )
        raise error(message)
    texts = tuple(str(label) for label in labels)
    message = f"{len(texts)} labels for {n} objects: give exactly one label per object."
    refuse_if(len(texts) != n, error, message)
    if len(set(texts)) != n:
        first = {text: at for at, text in reversed([*enumerate(texts)])}
        index = next(at for at, text in enumerate(texts) if first[text] != at)
        message = (
            f"labels[{index}] = {texts[index][:80]!r} repeats "
            f"labels[{first[texts[index]]}]: labels must differ; add a suffix to tell "
            "the objects apart."
        )
        raise error(message)
    return texts


def natural_order(labels: Iterable[str]) -> list[str]:
    """Labels sorted: all of them integers, by their value; else img2 before img10.

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
    """A text that sorts as the label should, but for labels as "1" and "01".

    A number becomes a sign below all others, its length and its digits. (Beyond a
    million of them, lengths count as equal.)
    """
    if "\0" in label or "\1" in label:
        label = label.replace("\1", "\1\1").replace("\0", "\1\0")
    return DIGITS.sub(_padded_number, label)


def _padded_number(found: re.Match[str]) -> str:
    digits = found.group().lstrip("0")
    return "\0" + chr(min(len(digits), sys.maxunicode)) + digits


def printable(text: str, written: Callable[[str], str] = repr) -> str:
    """A text in one line: what steers a terminal or turns words round is written out.

    Spaces of every script and the joiners of letters and pictures are left as they are.
    The others are written as in Python, or by another function that adds quotes.
    """
    if text.isprintable():
        return text
    return "".join(
        sign
        if sign.isprintable() or sign in JOINERS or category(sign) == "Zs"
        else written(sign)[1:-1]
        for sign in text
    )


def cell(text: str) -> str:
    """A cell of a table that a spreadsheet shows as text, and never computes."""
    shown = printable(text)
    return "'" + shown if shown.lstrip().startswith(FORMULA) else shown


def json_text(values: object, indent: int | None = None) -> str:
    """JSON in which such signs are written out: what is read back is the same."""
    text = json.dumps(values, indent=indent, ensure_ascii=False, allow_nan=False)
    return "\n".join(printable(line, json.dumps) for line in text.split("\n"))


def counted(n: int | float, noun: str) -> str:
    """A number with its noun: 1 row, 2 rows."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def check_int(name: str, value: object, lowest: int, highest: int) -> int:
    """An integer option within its range."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = lowest - 1
    if isinstance(value, bool) or not lowest <= number <= highest:
        message = f"{name} = {value!r}: give an integer from {lowest} to {highest}."
        raise InvalidOption(message)
    return number


def check_number(name: str, value: object, lowest: float, highest: float) -> float:
    """A real option within its range, as a float."""
    number = as_float(value)
    if not lowest <= number <= highest:
        message = f"{name} = {value!r}: give a number from {lowest:g} to {highest:g}."
        raise InvalidOption(message)
    return number


def check_limit(time_limit: float | None) -> float:
    """A time limit in seconds; infinity for None."""
    seconds = math.inf if time_limit is None else as_float(time_limit)
    if not seconds >= 0:
        message = f"time_limit = {time_limit!r}: give seconds, 0 or more, or None."
        raise InvalidOption(message)
    return seconds


def as_float(value: Any) -> float:
    """A real number as a float, which may be infinite; NaN if it is none."""
    if isinstance(value, str | bytes | bool | np.bool_):  # float("1") would do
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def check_rng(rng: object) -> np.random.Generator:
    """A source of randomness: a NumPy Generator, never a bare seed."""
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
    """Refuse two things that are not about the same objects in the same order."""
    both = what.format(n_first, n_second)
    message = f"{both}: both must be about the same ones."
    refuse_if(n_first != n_second, Mismatch, message)
    if labels_first is None or labels_second is None or labels_first == labels_second:
        return
    index = next(
        (x for x in range(n_first) if labels_first[x] != labels_second[x]), None
    )
    if index is None:  # the same labels, in a list and in a tuple
        return
    message = (
        f"{both}, but object {index} is {labels_first[index][:80]!r} in the first and "
        f"{labels_second[index][:80]!r} in the second: bring both into the same order "
        "of labels."
    )
    raise Mismatch(message)


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
    """Refuse a callback that cannot be called; None is none, unless one is needed."""
    if not callable(function) and (is_needed or function is not None):
        instead = "." if is_needed else ", or None."
        message = f"{name} = {function!r:.200}: give a function{instead}"
        raise InvalidOption(message)


def check_flag(name: str, value: object) -> bool:
    """True or False, and nothing that could be taken for one of them."""
    if not isinstance(value, bool | np.bool_):
        message = f"{name} = {value!r:.200}: give True or False."
        raise InvalidOption(message)
    return bool(value)
