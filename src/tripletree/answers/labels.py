"""Labels as people write them: what stands for none, and two spellings of one.

A spreadsheet turns 2 into 2.0, one editor writes é as one character and another as two,
and blanks that do not break, or have no width, do not show. Labels are kept as they
are; but two of them that differ in this only are one object, and a slip.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from tripletree._checks import WHOLE_NUMBER
from tripletree.errors import InvalidComparisons, Remedy, refuse_if

# What programs write for a missing value, as they spell it: Na is sodium.
MISSING = (
    *("", "NA", "na", "N/A", "n/a", "<NA>", "NaN", "nan", "NAN", "-NaN", "-nan", "NaT"),
    *("NULL", "null", "None", "none", "NONE", "nil", "undefined", "missing"),
    *("#N/A", "#NA", "#N/A N/A", "#NULL!", "#VALUE!", "#REF!", "#DIV/0!", "#NAME?"),
    *("#NUM!", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "?", "-", "--", "."),
    *("N.A.", "n.a.", "(null)", "\\N", "\u2013", "\u2014"),  # the last two are dashes
)
DESCRIPTION = '{"ImportId"'  # Qualtrics, in the third line
WHOLE = re.compile(r"([+-]?[0-9]+)\.0+")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+|,[0-9]{1,2})?(e[+-]?[0-9]{1,3})?")
LONGEST_NUMBER = 20  # characters; a Decimal rounds beyond 28 digits
MARKS = re.compile(r"[&+,.]|^0|\n0|[0-9]e")  # that another spelling may be without
MEDIA = "png jpg jpeg gif bmp svg webp tif tiff wav mp3 ogg mp4 avi mov webm".split()
ROWS_PER_LABEL = 10  # to be the target by chance
MOST_SHOWN, MOST_NAMED = 5, 10  # groups of labels, labels in a message
IMAGE = re.compile(
    r"""<img\s[^>]*?\bsrc\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'>]+))[^>]*>""", re.I
)


def is_missing(label: str) -> bool:
    """Whether a text stands for no label."""
    return label.strip() in MISSING


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


def twice_spelled(labels: Iterable[str]) -> list[str]:
    """Two labels with the same key, the shorter one first; empty if all differ."""
    found = list(labels)
    text = "\n".join(found)
    if text.isascii() and ".0" not in text and text.split() == found:
        return []  # each is its own key, as nearly always: all at once, for speed
    groups = same_keys(sorted({*found}), label_key)
    return sorted(groups[0][:2], key=by_length) if groups else []


def by_length(label: str) -> tuple[int, str]:
    """A key that sorts labels: the shortest first."""
    return len(label), label


def same_keys(labels: Iterable[str], key: Callable[[str], str]) -> list[list[str]]:
    """Groups of labels with the same key."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(key(label), []).append(label)
    return [group for group in groups.values() if len(group) > 1]


def plain_key(label: str) -> str:
    """What is left of a label without the differences that people do not mean.

    Examples
    --------
    >>> [plain_key(label) for label in ("Owl.PNG", "salt &amp; pepper", "1.0e+03")]
    ['owl', 'salt & pepper', '1000']
    """
    label = label_key(html.unescape(label)).casefold()
    stem, _, ending = label.rpartition(".")
    if stem and ending in MEDIA:
        label = stem
    if not NUMBER.fullmatch(label) or len(label) > LONGEST_NUMBER:
        return label
    return str(Decimal(label.replace(",", ".")).normalize() + 0)


def spelled_alike(labels: Iterable[str]) -> list[list[str]]:
    """Groups of labels with the same plain key, in each the shortest one first."""
    found = sorted(labels, key=by_length)
    text = "\n".join(found)
    if text == text.lower() and text.isascii() and not MARKS.search(text):
        return []  # each is its own key, as often: all of them at once, for speed
    return same_keys(found, plain_key)


def one_sided(
    never: Iterable[str], only: Iterable[str], n_labels: int, n_rows: int
) -> str:
    """A warning of labels that are never, or only, targets; empty if by chance.

    With ten rows per label, chance alone leaves one in 20,000 out of the targets. One
    target that all others are compared with is a design of its own.
    """
    never, only = sorted(never), sorted(only)
    n_targets = n_labels - len(never)
    is_rare = n_rows < ROWS_PER_LABEL * n_labels
    if is_rare or not (never or only) or len(only) == n_targets == 1:
        return ""
    first, second = (some_labels(some, MOST_SHOWN) for some in (only, never))
    if len(only) == n_targets:
        return (
            f"no target ({first}) is ever among the other objects ({second}): are the "
            "targets objects, or texts of questions?"
        )
    said = [f"always the target: {first}"] if only else []
    said += [f"never the target: {second}"] if never else []
    rest = "all others sometimes are" if only else "all others are"
    return f"{'; '.join(said)}; {rest}: check the spelling."


def one_negative(labels: Iterable[str]) -> str:
    """A warning of the only negative number, where no or all other labels are numbers.

    Programs write -1, -9, -99 or -999 for a missing value. Empty if there is none.
    """
    found = list(labels)
    negative = [label for label in found if label.startswith("-")]
    if len(negative) != 1 or not WHOLE_NUMBER.fullmatch(negative[0]):
        return ""
    n_numbers = sum(WHOLE_NUMBER.fullmatch(label) is not None for label in found)
    others = {len(found): "all labels are numbers", 1: "no other label is a number"}
    if n_numbers not in others:
        return ""
    return (
        f"{negative[0]!a} is the only negative label, and {others[n_numbers]}: if it "
        "stands for a missing value, leave its rows out."
    )


def some_labels(labels: Sequence[str], most: int = MOST_NAMED) -> str:
    """Labels for a message, not all if there are many."""
    shown = ", ".join(f"{label[:40]!a}" for label in labels[:most])
    return shown + (f" and {len(labels) - most} more" * bool(labels[most:]))


def image_file(label: str) -> str | None:
    """The file that a label shows, if it is the HTML of an image.

    Examples
    --------
    >>> image_file('<img src="owl.png" width="200">'), image_file("owl.png")
    ('owl.png', None)
    """
    found = IMAGE.fullmatch(label.strip())
    return found and (found[1] or found[2] or found[3].removesuffix("/"))


def quoted_groups(groups: Sequence[Sequence[str]], between: str = " and ") -> str:
    """Labels that are spelled alike, for a message; not all if there are many."""
    some = (between.join(f"{x[:40]!a}" for x in one[:3]) for one in groups[:MOST_SHOWN])
    more = len(groups) - MOST_SHOWN
    return "; ".join(some) + (f"; and {more} more" if more > 0 else "")


def check_spelling(labels: Iterable[str], where: str) -> None:
    """Refuse 'cat ' beside 'cat', and 2.0 beside 2."""
    one, two = twice_spelled(labels) or ("", "")
    how, correct = "blanks", "remove the blanks from"
    if one.strip() != two.strip():
        how, correct = "invisible characters or in .0", "write it in one way in"
    refuse_if(
        one != two,
        InvalidComparisons,
        f"{where}: labels {one[:80]!a} and {two[:80]!a} differ in {how} only. If they "
        f"are one object, {correct} the file, or give ",
        Remedy("merge_spellings", True),
        "; if they are two, give ",
        Remedy("items"),
        ", the labels of all objects.",
        code="two spellings",
    )
