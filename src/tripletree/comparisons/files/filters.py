"""Rows that are left out by name: catch trials, fast answers, chosen annotators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_number
from tripletree.comparisons.files.headers import Header, find_column
from tripletree.errors import InvalidComparisons, InvalidOption

Value = str | int | bool | None
Choice = Mapping[str, Value | Iterable[Value]]
NO_TIME = 255  # the reason of a row whose response time is no number
MOST = 250
NUMBER = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
YES_NO = {True: ("true", "yes", "y", "wahr"), False: ("false", "no", "n", "falsch")}


@dataclass(frozen=True)
class Filter:
    """Rows whose value in a column is among some, or is not, are left out."""

    position: int
    values: tuple[tuple[Value, tuple[str, ...]], ...]  # and how each can be written
    with_missing: bool
    is_keep: bool
    reason: str

    @property
    def texts(self) -> list[str]:
        """All that the values can be written as."""
        return [text for _, texts in self.values for text in texts]


@dataclass(frozen=True)
class Filters:
    """What is left out, in this order; a row counts for the first reason it has."""

    filters: tuple[Filter, ...]
    time: int | None
    shortest: float

    @property
    def positions(self) -> list[int]:
        """The columns that are looked at."""
        found = [one.position for one in self.filters]
        return found if self.time is None else [*found, self.time]

    @property
    def reasons(self) -> list[str]:
        """The reasons in words: number 1 first."""
        words = [one.reason for one in self.filters]
        if self.time is not None:
            words.append(f"response time below {self.shortest:g}")
        return words

    def reason(
        self, text: Callable[[int], str], parameters: dict[str, Any]
    ) -> str | None:
        """SQL for the number of the reason to leave a row out, 0 if it stays."""
        if not self.positions:
            return None
        sql = "CASE"
        for number, one in enumerate(self.filters, 1):
            value = text(one.position)
            parameters[f"filter{number}"] = one.texts
            fits = f"coalesce(list_contains($filter{number}, {value}), false)"
            if one.with_missing:
                fits = f"({fits} OR coalesce({value}, '') = '')"
            sql += f" WHEN {'NOT ' if one.is_keep else ''}{fits} THEN {number}"
        if self.time is not None:
            # The engine may cast where it reads, and fail there: only numbers are.
            value = text(self.time)
            value = f"CASE WHEN regexp_full_match({value}, '{NUMBER}') THEN {value} END"
            seconds = f"TRY_CAST({value} AS DOUBLE)"
            parameters["shortest"] = self.shortest
            sql += f" WHEN {seconds} IS NULL OR isnan({seconds}) THEN {NO_TIME}"
            sql += f" WHEN {seconds} < $shortest THEN {len(self.filters) + 1}"
        return f"CAST({sql} ELSE 0 END AS UTINYINT)"

    def found(
        self, text: Callable[[int], str], parameters: dict[str, Any]
    ) -> dict[str, str]:
        """SQL for the texts of each filter that occur in its column, by name."""
        select = {}
        for number, one in enumerate(self.filters, 1):
            value = text(one.position)
            parameters[f"filter{number}"] = one.texts
            fits = f"list_contains($filter{number}, {value})"
            select[f"f{number}"] = f"list(DISTINCT {value}) FILTER (WHERE {fits})"
        return select

    def unmatched(self, found: Mapping[str, Any]) -> tuple[Filter, Value] | None:
        """The first value that occurs in no row: a slip, as nothing comes of it."""
        for number, one in enumerate(self.filters, 1):
            occurring = {*(found[f"f{number}"] or ())}
            for value, texts in one.values:
                if texts and occurring.isdisjoint(texts):
                    return one, value
        return None

    def dropped(self, reason: npt.NDArray[np.uint8]) -> dict[str, int]:
        """How many rows each reason left out."""
        if not self.reasons:
            return {}
        counts = np.bincount(reason, minlength=len(self.reasons) + 1).tolist()
        return dict(zip(self.reasons, counts[1:], strict=False))


def no_time(column: str, value: str | None) -> str:
    """What is wrong with a text that is no response time, and what to do."""
    shown = None if value is None else value[:80]
    return (
        f"no response time that is a number in column {column!r}. Fill it in, or leave "
        f"such rows out with drop={{{column!r}: {shown!r}}}."
    )


def make_filters(
    names: Sequence[str],
    header: Header,
    keep: Choice | None,
    drop: Choice | None,
    min_response_time: float | None,
    where: str,
) -> Filters:
    """The filters that the options ask for, with their columns found."""
    filters = []
    for option, choice in (("drop", drop), ("keep", keep)):
        if choice is None:
            continue
        if not isinstance(choice, Mapping):
            message = (
                f"{option} = {choice!r:.80}: give a dictionary of column and value, "
                f"or values, for example {option}={{'is_catch': True}}."
            )
            raise InvalidOption(message)
        for column, values in choice.items():
            filters.append(_filter(option, column, values, names, header, where))
    if len(filters) > MOST:
        message = f"{len(filters)} columns in drop and keep: give at most {MOST}."
        raise InvalidOption(message)
    if min_response_time is None:
        return Filters(tuple(filters), None, 0.0)
    shortest = check_number("min_response_time", min_response_time, 0, 1e300)
    if "response_time" not in header.position:
        message = (
            f"min_response_time is given, and {where} has no column that is known for "
            "response times: name it with columns={'response_time': ...}."
        )
        raise InvalidComparisons(message)
    return Filters(tuple(filters), header.position["response_time"], shortest)


def _filter(
    option: str,
    column: object,
    values: Value | Iterable[Value],
    names: Sequence[str],
    header: Header,
    where: str,
) -> Filter:
    if not isinstance(column, str):
        message = f"{option} has the key {column!r:.80}: give the name of a column."
        raise InvalidOption(message)
    if column not in names and column in header.position:
        position = header.position[column]  # a role: keep={"annotator": ...}
    else:
        position = find_column(names, column, where)
    is_one = isinstance(values, str) or not hasattr(values, "__iter__")
    listed: list[Any] = [values] if is_one else list(values)  # type: ignore[arg-type]
    written = tuple((value, tuple(_texts(value, option, column))) for value in listed)
    is_keep, reason = option == "keep", f"{option} {column!r}"
    return Filter(position, written, None in listed, is_keep, reason)


def _texts(value: object, option: str, column: str) -> list[str]:
    """How a value can be written in a file."""
    if value is None:
        return []
    if isinstance(value, bool | np.bool_):
        words = YES_NO[bool(value)]
        spelled = [x for w in words for x in (w, w.upper(), w.capitalize())]
        return [*dict.fromkeys(spelled), *_texts(int(value), option, column)]
    if isinstance(value, int | np.integer):
        return [str(int(value)), f"{int(value)}.0"]
    if isinstance(value, str):
        return [value]
    message = (
        f"{option}[{column!r}] has the value {value!r:.80}: give text, integers, "
        "True, False, or None for a missing value."
    )
    raise InvalidOption(message)
