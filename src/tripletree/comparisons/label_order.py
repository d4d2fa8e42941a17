"""The order of labels: as people would list them, whatever order rows come in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

DIGITS = re.compile(r"[0-9]+")
WHOLE = re.compile(r"0|-?[1-9][0-9]*")


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
    if all(map(WHOLE.fullmatch, found)):
        # Length, then text, orders numbers of any length; int() refuses 5,000 digits.
        found.sort(key=len)
        below = [label for label in reversed(found) if label[0] == "-"]
        return below + [label for label in found if label[0] != "-"]
    found.sort(key=_key)
    return found


def _key(label: str) -> str:
    """A text that sorts as the label should, but for labels as "1" and "01".

    A number becomes a sign below all others, its length and its digits. (Beyond a
    million of them, lengths count as equal.)
    """
    if "\0" in label or "\1" in label:
        label = label.replace("\1", "\1\1").replace("\0", "\1\0")
    return DIGITS.sub(_number, label)


def _number(found: re.Match[str]) -> str:
    digits = found.group().lstrip("0")
    return "\0" + chr(min(len(digits), sys.maxunicode)) + digits
