"""The SQL that DuckDB and Spark both understand, and the words in which they differ.

Values come from strangers: they reach an engine as parameters, never as text of a
query. The names of columns in queries are our own (c0, c1, ... by position).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Query = Callable[..., str]  # of a query under construction, a layout, and more


class Sql:
    """A query under construction: its parameters, and the words of the engine."""

    def __init__(self, is_spark: bool) -> None:
        self.is_spark = is_spark
        self.parameters: dict[str, Any] = {}

    def value(self, given: object) -> str:
        """A mark that stands for a value."""
        name = f"v{len(self.parameters)}"
        self.parameters[name] = given
        return f":{name}" if self.is_spark else f"${name}"

    def is_in(self, value: str, given: Iterable[object]) -> str:
        """Whether a value is one of some; false for NULL."""
        marks = ", ".join(map(self.value, given))
        return f"coalesce({value} IN ({marks}), false)" if marks else "false"

    def matches(self, text: str, pattern: str) -> str:
        """Whether all of a text fits a regular expression."""
        name = "regexp_like" if self.is_spark else "regexp_matches"
        whole = self.value(rf"\A({pattern})\z")
        return f"{name}({text}, {whole})"

    def different(self, value: str) -> str:
        """An aggregate: all different values, as a list."""
        return f"collect_set({value})" if self.is_spark else f"list(DISTINCT {value})"

    def replaced(self, text: str, others: Mapping[str, str]) -> str:
        """A text, or another in its place: DuckDB's maps are faster than its CASE."""
        if not others or self.is_spark:
            both = others.items()
            each = ((f"{text} = {self.value(x)}", self.value(y)) for x, y in both)
            return cases(*each, otherwise=text)
        keys, values = self.value([*others]), self.value([*others.values()])
        return f"coalesce(map_extract(MAP({keys}, {values}), {text})[1], {text})"

    @property
    def text_type(self) -> str:
        return "STRING" if self.is_spark else "VARCHAR"


def columns(selected: dict[str, str]) -> str:
    """The list of a SELECT: names and what they stand for."""
    return ", ".join(f"{value} AS {name}" for name, value in selected.items())


def cases(*branches: tuple[str, object], otherwise: object) -> str:
    """CASE WHEN ... END."""
    whens = " ".join(f"WHEN {test} THEN {value}" for test, value in branches)
    return f"CASE {whens} ELSE {otherwise} END" if branches else str(otherwise)


def count_if(test: str) -> str:
    """An aggregate: how many rows pass a test."""
    return f"count(CASE WHEN {test} THEN 1 END)"
