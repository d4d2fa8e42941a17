"""Labels as people write them: what stands for none, and two spellings of one.

A spreadsheet turns 2 into 2.0, one editor writes é as one character and another as two,
and blanks that do not break, or have no width, do not show. Labels are kept as they
are; but two of them that differ in this only are one object, and a slip.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from tripletree.errors import InvalidComparisons, Remedy

# What pandas, R, Excel, SPSS and Qualtrics write for a missing value, in lower case.
MISSING = (
    *("", "na", "n/a", "nan", "null", "none", "nil", "nat", "<na>", "undefined"),
    *("missing", "#n/a", "#na", "#n/a n/a", "#null!", "#value!", "#ref!", "#div/0!"),
    *("#name?", "#num!", "-nan", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
    *("?", "-", "--", "."),
)
DESCRIPTION = '{"ImportId"'  # Qualtrics, in the third line
WHOLE = re.compile(r"([+-]?[0-9]+)\.0+")


def is_missing(label: str) -> bool:
    """Whether a text stands for no label."""
    return label.strip().lower() in MISSING


def label_key(label: str) -> str:
    """What is left of a label without the differences that do not show.

    Examples
    --------
    >>> label_key(" wild\\u00a0 carp"), label_key("2.0"), label_key("\\ufeffowl")
    ('wild carp', '2', 'owl')
    """
    if not label.isascii():
        plain = unicodedata.normalize("NFKC", label)
        shown = (sign for sign in plain if unicodedata.category(sign) != "Cf")
        # Signs that kept two others apart are gone: they may combine now.
        label = unicodedata.normalize("NFKC", "".join(shown))
    label = " ".join(label.split())
    whole = WHOLE.fullmatch(label)
    return label if whole is None else whole.group(1)


def twice_spelled(labels: Iterable[str]) -> tuple[str, str] | None:
    """Two labels with the same key, the shorter one first; None if there are none."""
    found = list(labels)
    if _are_keys(found):
        return None
    first: dict[str, str] = {}
    for label in sorted(found):
        other = first.setdefault(label_key(label), label)
        if other != label:
            one, two = sorted([other, label], key=lambda text: (len(text), text))
            return one, two
    return None


def _are_keys(labels: list[str]) -> bool:
    """Whether each is its own key, as nearly always: all of them at once, for speed."""
    text = "\n".join(labels)
    return text.isascii() and ".0" not in text and text.split() == labels


def check_spelling(labels: Iterable[str], where: str) -> None:
    """Refuse 'cat ' beside 'cat', and 2.0 beside 2."""
    found = twice_spelled(labels)
    if found is None:
        return
    one, two = found
    how = "blanks only. Remove the blanks from"
    if one.strip() != two.strip():
        how = "signs that do not show, or in .0 only. Write them in one way in"
    raise InvalidComparisons(
        where,
        f": labels {one[:80]!a} and {two[:80]!a} differ in {how} the file; if these "
        "are two objects, give ",
        Remedy("items"),
        ", the labels of all objects.",
        code="two spellings",
    )
