"""Which rows are left out: by the values of a column, by response time, or as blank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree._checks import check_number
from tripletree.answers.header import Positions, find_column, role_of
from tripletree.answers.labels import MISSING
from tripletree.answers.sql import Sql, cases, count_if
from tripletree.comparisons.row_checks import ASKED_NOTHING
from tripletree.errors import InvalidComparisons, InvalidOption, Remedy, refuse_if

Value = str | int | bool | None
Choice = Mapping[str, Value | Iterable[Value]]
NO_TIME = 255  # the fault of a row whose response time is not a number
LONG = 100  # of a response time: half of them are as long in milliseconds
NEARLY_ALL = 0.95  # of the rows: a filter that leaves out more is hardly meant to
MOST = 200  # filters
NUMBER = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
YES_NO = {True: ("true", "yes", "y", "wahr"), False: ("false", "no", "n", "falsch")}


@dataclass(frozen=True)
class Filter:
    """Rows whose value in a column is among some, or is not, are left out."""

    position: int
    values: tuple[tuple[Value, tuple[str, ...]], ...]  # and how each can be written
    is_keep: bool
    reason: str

    def is_among(self, sql: Sql) -> str:
        """SQL for whether the value in the column is one of those given as text."""
        return sql.is_in(
            f"c{self.position}", [x for _, some in self.values for x in some]
        )

    def test(self, sql: Sql) -> str:
        """SQL for whether a row is left out."""
        fits = self.is_among(sql)
        if any(value is None for value, _ in self.values):
            fits = f"({fits} OR coalesce(c{self.position}, '') = '')"
        return f"NOT {fits}" if self.is_keep else fits


@dataclass(frozen=True)
class Filters:
    """What is left out; a row counts for the first reason that it has.

    time and shortest: the column of response times, and the shortest that stays.
    blank: columns that are all empty where nothing was asked, which comes first.
    has_commas: whether 1,5 is one and a half, as spreadsheets write it where columns
    are separated by semicolons.
    """

    filters: tuple[Filter, ...] = ()
    time: int | None = None
    shortest: float = 0.0
    blank: tuple[int, ...] = ()
    has_commas: bool = False

    @property
    def positions(self) -> list[int]:
        """The columns that are looked at."""
        found = [*(one.position for one in self.filters), *self.blank, self.time]
        return [at for at in found if at is not None]

    @property
    def too_fast(self) -> str:
        """The reason of answers below the shortest response time."""
        return f"response time below {self.shortest:g}"

    @property
    def reasons(self) -> list[str]:
        """The reasons in words: number 1 first."""
        return [*self._tests(Sql(is_spark=False))]

    def reason(self, sql: Sql) -> str:
        """SQL for the number of the reason to leave a row out, 0 if it stays."""
        tests = enumerate(self._tests(sql).items(), 1)
        branches = ((test, n if why else NO_TIME) for n, (why, test) in tests)
        return cases(*branches, otherwise=0)

    def _tests(self, sql: Sql) -> dict[str, str]:
        """SQL for whether a row is left out, by reason; "" stands for an error."""
        tests = {}
        if self.blank:
            tests[ASKED_NOTHING] = " AND ".join(
                f"coalesce(trim(c{at}), '') = ''" for at in self.blank
            )
        tests |= {one.reason: one.test(sql) for one in self.filters}
        if self.time is not None:
            time, word = self._time(sql), f"trim(coalesce(c{self.time}, ''))"
            is_missing = sql.is_in(word, MISSING)
            tests["no response time"] = f"{time} IS NULL AND {is_missing}"
            tests[""] = f"{time} IS NULL"
            tests[self.too_fast] = self._is_fast(sql)
        return tests

    def _is_fast(self, sql: Sql) -> str:
        return f"{self._time(sql)} < CAST({sql.value(self.shortest)} AS DOUBLE)"

    def _time(self, sql: Sql) -> str:
        return self.number(sql, f"c{self.time}")

    def number(self, sql: Sql, text: str) -> str:
        """SQL for the number that a text is; NULL for other texts."""
        # An engine may cast where it reads, and fail there: only numbers are.
        if self.has_commas:
            text = f"replace({text}, ',', '.')"
        is_number = sql.matches(text, NUMBER)
        return f"TRY_CAST(CASE WHEN {is_number} THEN {text} END AS DOUBLE)"

    def look(self, sql: Sql) -> dict[str, str]:
        """SQL for what a first look at all rows says about the filters.

        removed0, removed1, ...: how many rows each leaves out by itself; f0, f1, ...:
        which of its texts occur; times, long and fast: how many response times there
        are, how many are not short, and how many are below the shortest.
        """
        select = {}
        for n, one in enumerate(self.filters):
            values = sql.different(f"c{one.position}")
            select[f"removed{n}"] = count_if(one.test(sql))
            select[f"f{n}"] = f"{values} FILTER (WHERE {one.is_among(sql)})"
        if self.time is not None:
            time = self._time(sql)
            select |= {
                "times": f"count({time})",
                "long": count_if(f"{time} >= {LONG}"),
                "fast": count_if(self._is_fast(sql)),
            }
        return select

    def notes(self, found: Mapping[str, Any]) -> list[str]:
        """What is assumed about response times: their median tells their unit."""
        return [f"response times taken as {unit(found)}"] if found.get("times") else []

    def warnings(self, found: Mapping[str, Any]) -> list[str]:
        """Warnings of filters that remove no rows, or nearly all, which keep may."""
        n_rows, counts = found["n_rows"], enumerate(self.filters)
        removed = [(one.reason, found[f"removed{n}"], one.is_keep) for n, one in counts]
        if self.time is not None:
            removed.append((self.too_fast, found["fast"], False))
        return [
            f'the filter "{reason}" removed {f"{n} of {n_rows}" if n else "no"} rows'
            f"{self._about_times(found) if reason == self.too_fast else ''}."
            for reason, n, is_keep in removed
            if n_rows and (not n or (n > NEARLY_ALL * n_rows and not is_keep))
        ]

    def _about_times(self, found: Mapping[str, Any]) -> str:
        text = f": response times seem to be in {unit(found)}"
        is_milli, shortest = unit(found) == "milliseconds", self.shortest
        if is_milli == (shortest < 10):  # it is meant in the other unit
            other, factor = ("s", 1000) if is_milli else ("ms", 1 / 1000)
            text += f"; for {shortest:g} {other} give {shortest * factor:g}"
        return text if found["times"] else ""

    def unmatched(self, found: Mapping[str, Any]) -> list[tuple[Filter, Value]]:
        """The values that occur in no row: slips, as nothing comes of them."""
        return [
            (one, value)
            for n, one in enumerate(self.filters)
            for value, texts in one.values
            if texts and {*(found[f"f{n}"] or ())}.isdisjoint(texts)
        ]


def unit(found: Mapping[str, Any]) -> str:
    """The unit of response times, by their median."""
    return "milliseconds" if 2 * found["long"] >= found["times"] else "seconds"


def make_filters(
    names: Sequence[str],
    positions: Positions,
    keep: Choice | None,
    drop: Choice | None,
    min_response_time: float | None,
    where: str,
) -> Filters:
    """The filters that the options ask for, with their columns found."""

    def position(column: str) -> int:
        role = role_of(column)  # keep={"worker": ...} works where the column is "who"
        is_role = column not in names and role in positions
        return positions[role] if is_role else find_column(names, column, where)

    filters = []
    for option, choice in (("drop", drop), ("keep", keep)):
        refuse_if(
            choice is not None and not isinstance(choice, Mapping),
            InvalidOption,
            f"{option} = {choice!r:.80}: give a dictionary of column and value, or "
            f"values, for example {option}={{'is_catch': True}}.",
        )
        for column, values in (choice or {}).items():
            refuse_if(
                not isinstance(column, str),
                InvalidOption,
                f"{option} has the key {column!r:.80}: give the name of a column.",
            )
            filters.append(_filter(option, column, values, position(column)))
    refuse_if(
        len(filters) > MOST,
        InvalidOption,
        f"{len(filters)} columns in drop and keep: give at most {MOST}.",
    )
    if min_response_time is None:
        return Filters(tuple(filters))
    shortest = check_number("min_response_time", min_response_time, 0, 1e300)
    refuse_if(
        "response_time" not in positions,
        InvalidComparisons,
        Remedy("min_response_time", min_response_time),
        f" is given, but no column of {where} is known to hold response times: name it "
        "with ",
        Remedy("columns", {"response_time": ...}),
        ".",
        code="no response times",
    )
    return Filters(tuple(filters), positions["response_time"], shortest)


def _filter(
    option: str, column: str, values: Value | Iterable[Value], position: int
) -> Filter:
    is_one = isinstance(values, str) or not hasattr(values, "__iter__")
    every: list[Any] = [values] if is_one else list(values)  # type: ignore[arg-type]
    for value in every:
        refuse_if(
            not isinstance(value, str | int | np.integer | np.bool_ | None),
            InvalidOption,
            f"{option}[{column!r}] has the value {value!r:.80}: give text, integers, "
            "True, False, or None for a missing value.",
        )
    written = tuple((value, tuple(_texts(value))) for value in every)
    is_keep, reason = option == "keep", f"{option} {column!r}"
    return Filter(position, written, is_keep, reason)


def _texts(value: Value) -> list[str]:
    """How a value can be written in a file."""
    if value is None or isinstance(value, str):
        return [] if value is None else [value]
    words = YES_NO[bool(value)] if isinstance(value, bool | np.bool_) else ()
    spelled = [x for word in words for x in (word, word.upper(), word.capitalize())]
    return [*dict.fromkeys(spelled), str(int(value)), f"{int(value)}.0"]
