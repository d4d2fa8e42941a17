"""Answers as people and programs write them: a label, a side, a number, or a tie.

Of the objects that were shown, an answer can name one

- by its label, as it stands in its own row,
- by a word for its place: left or right; left, middle or right; first, second, third,
- by its position 1, 2, 3 among three, if no other reading fits all rows and a 3 occurs,
  which shows that positions are counted from 1; but not if a label is 1, 2 or 3, too:
  then a wrong label would turn all the others into positions,

or say that it is a tie: "same", "undecided", nothing at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

TIE = 9
TIE_WORDS = [
    *("", "tie", "tied", "same", "the same", "equal", "equally", "both", "neither"),
    *("none", "undecided", "unsure", "draw", "skip", "skipped", "don't know"),
    *("dont know", "na", "n/a", "nan", "null"),
]
WORDS = {
    2: [["left", "l", "first"], ["right", "r", "second"]],
    3: [["left", "first"], ["middle", "second"], ["right", "third"]],
}
POSITIONS = ["1", "2", "3"]
TAKEN_AS_LABELS = "answers 1, 2, 3 could be labels or positions: taken as labels"
TAKEN_AS_POSITIONS = "answers 1, 2, 3 are taken as positions, not as labels"
LABEL_OR_POSITION = (
    "the answer is no label of its row. All answers could be positions 1, 2, 3, but "
    "there are objects called so, and most other answers name them. If answers are "
    "positions, write first, second, third for 1, 2, 3; if labels, correct this one"
)

Choices = npt.NDArray[np.int8]


def spoken_columns(
    answer: str, shown: Sequence[str], parameters: dict[str, Any]
) -> dict[str, str]:
    """SQL for the object (1, 2, 3) that an answer names in each of the three ways.

    And for whether a label of the row looks like a position.
    """
    word = f"lower(trim({answer}))"
    parameters["ties"] = TIE_WORDS
    parameters["positions"] = POSITIONS
    by_label = by_word = by_number = "CASE"
    for n, (label, words) in enumerate(
        zip(shown, WORDS[len(shown)], strict=True), start=1
    ):
        parameters[f"word{n}"] = words
        by_label += f" WHEN {answer} = {label} THEN {n}"
        by_word += f" WHEN list_contains($word{n}, {word}) THEN {n}"
        by_number += f" WHEN trim({answer}) = '{n}' THEN {n}"
    by_word += f" WHEN {answer} IS NULL OR list_contains($ties, {word}) THEN {TIE}"
    return {
        "by_label": f"CAST({by_label} ELSE 0 END AS TINYINT)",
        "by_word": f"CAST({by_word} ELSE 0 END AS TINYINT)",
        "by_number": f"CAST({by_number} ELSE 0 END AS TINYINT)",
        "is_like_position": " OR ".join(
            f"coalesce(list_contains($positions, trim({label})), false)"
            for label in shown
        ),
    }


def chosen(
    found: dict[str, Any], kept: npt.NDArray[np.bool_], n_shown: int
) -> tuple[Choices, int, str]:
    """The object chosen in each row, or the first row that does not say.

    Returns
    -------
    choices : ndarray of int8
        1, 2, 3 or TIE.
    row : int
        The first row to refuse, or -1.
    said : str
        What is wrong with it; if nothing is, what was assumed, or nothing.
    """
    by_label, by_word = found["by_label"], found["by_word"]
    is_both = (by_label > 0) & (by_word > 0) & (by_word != TIE) & kept
    differ = is_both & (by_label != by_word)
    choices: Choices = np.where(by_label > 0, by_label, by_word)
    if differ.any():
        why = (
            "the answer is the label of one object, and a word for the place of "
            "another. Rename the objects"
        )
        return choices, int(differ.argmax()), why
    unknown = (choices == 0) & kept
    numbers: Choices = np.where(by_word == TIE, by_word, found["by_number"])
    fits = n_shown == 3 and (numbers[kept] > 0).all() and (numbers[kept] == 3).any()
    if not unknown.any():
        differ = fits and (numbers != choices)[kept].any()
        return choices, -1, TAKEN_AS_LABELS if differ else ""
    n_labels = int((kept & (choices > 0) & (choices != TIE)).sum())
    if fits and int(unknown.sum()) <= n_labels:
        return choices, int(unknown.argmax()), LABEL_OR_POSITION
    if fits:
        is_doubtful = found["is_like_position"][kept].any()
        return numbers, -1, TAKEN_AS_POSITIONS if is_doubtful else ""
    places = ", ".join(f"'{words[0]}'" for words in WORDS[n_shown])
    why = (
        f"the answer is neither a label of its row, nor a place ({places}), nor a word "
        "for a tie ('same', 'undecided', nothing). Replace it by one of them"
    )
    return choices, int(unknown.argmax()), why
