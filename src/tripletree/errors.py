"""The exceptions of tripletree: each also is the built-in error it specialises.

What to do about an error is data, a `Remedy`: Python and the shell each write it in
their own way. Messages are put together from texts and remedies::

    InvalidComparisons("a.csv, line 3: no label. Leave such rows out with ",
                       Remedy("drop", {"near": "NA"}), ".", code="no label")

    str(error)          ... Leave such rows out with drop={'near': 'NA'}.
    error.in_shell()    ... Leave such rows out with --drop near=NA.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Remedy:
    """An option that mends an error, and the value to give it.

    Attributes
    ----------
    option : str
        The name of a parameter, such as "drop"; or, if `shell` is given, any words of
        Python, such as "pair_sums".
    value : object
        Its value; ``...`` stands for one that the user must fill in, here or as a
        value of a dictionary.
    shell : str
        The words for the shell, if it does not have an option of this name.
    """

    option: str
    value: Any = ...
    shell: str = ""

    def __str__(self) -> str:
        """As an argument in Python."""
        if self.shell:
            return self.option
        if self.value is ...:
            return f"{self.option}="
        if not isinstance(self.value, Mapping):
            return f"{self.option}={self.value!r}"
        pairs = (
            f"{key!r}: {'...' if value is ... else repr(value)}"
            for key, value in self.value.items()
        )
        return f"{self.option}={{{', '.join(pairs)}}}"

    def in_shell(self) -> str:
        """As an option of the command line."""
        if self.shell:
            return self.shell
        name = "--" + self.option.replace("_", "-")
        if self.value is ... or self.value is True:
            return name
        if isinstance(self.value, Mapping):
            texts = [f"{key}={_typed(value)}" for key, value in self.value.items()]
            if self.option in ("columns", "answer_words"):
                texts = [",".join(texts)]
        elif isinstance(self.value, list | tuple):
            texts = [",".join(map(_typed, self.value))]
        else:
            texts = [_typed(self.value)]
        return " ".join(f"{name} {_quoted(text)}" for text in texts if text) or name


def _quoted(text: str) -> str:
    """A text for the shell; one that ends in = would take in a full stop after it."""
    return f"'{text}'" if text.endswith("=") and "'" not in text else shlex.quote(text)


def _typed(value: object) -> str:
    """A value as it is typed: nothing stands for None."""
    if value is None or value is ...:
        return "" if value is None else "..."
    return str(value)


SUM_ON_DISK = Remedy("pair_sums", shell="`tripletree pairs`")
CONVERT = Remedy("write_comparisons", shell="`tripletree convert`")


class TripletreeError(Exception):
    """Any error that tripletree raises on purpose.

    Attributes
    ----------
    code : str
        What is wrong, in a few fixed words; empty for most errors.
    place : str or None
        Where it is wrong within a file, such as "line 3" or "row 3".
    remedies : tuple of Remedy
        What can be done about it.
    """

    def __init__(
        self, *parts: str | Remedy, code: str = "", place: str | None = None
    ) -> None:
        super().__init__(*parts)
        self.parts, self.code, self.place = parts, code, place

    def __str__(self) -> str:
        return "".join(map(str, self.parts))

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        return tuple(part for part in self.parts if isinstance(part, Remedy))

    def in_shell(self) -> str:
        """The message with remedies as options of the command line."""
        return "".join(
            part.in_shell() if isinstance(part, Remedy) else str(part)
            for part in self.parts
        )


def refuse_if(
    is_wrong: bool | np.bool_,
    error: type[TripletreeError],
    *parts: str | Remedy,
    code: str = "",
) -> None:
    """Raise an error if something is wrong.

    For messages that cost nothing to write when nothing is wrong.
    """
    if is_wrong:
        raise error(*parts, code=code)


class InvalidComparisons(TripletreeError, ValueError):
    """Rows, weights or labels that do not describe comparisons."""


class InvalidTree(TripletreeError, ValueError):
    """Arrays or text that do not describe a binary tree."""


class InvalidSimilarity(TripletreeError, ValueError):
    """A matrix that is not a symmetric similarity, or too large for exact sums."""


class InvalidOption(TripletreeError, ValueError):
    """An option outside its range."""


class Mismatch(TripletreeError, ValueError):
    """A tree, comparisons or a similarity about different objects."""


class TooLarge(TripletreeError, MemoryError):
    """A result that would not fit into the memory of this machine."""


class InvalidFile(TripletreeError, ValueError):
    """A file or archive that does not hold what it should."""


class DataUnavailable(TripletreeError, OSError):
    """A file of a data set that is not here and could not be downloaded."""


class UnreadableFile(TripletreeError, OSError):
    """A path without a regular file, or one that cannot be read or written."""


class ExperimentFailed(TripletreeError, RuntimeError):
    """A piece of an experiment that could not be run."""
