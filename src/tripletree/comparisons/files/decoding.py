"""From a table to numbers: two passes over it, however large it is.

The first pass collects the different labels, the second turns each into its number with
an enumeration type of the engine. Only numbers leave the engine, four bytes per label:
memory is bounded by the result, and strings become Python objects once per label.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree.comparisons.files.engine_errors import translated
from tripletree.comparisons.files.filters import NO_TIME, NUMBER, Filters, no_time
from tripletree.comparisons.files.headers import Header, listed
from tripletree.comparisons.files.label_order import natural_order
from tripletree.comparisons.files.spelling import check_spelling, label_key
from tripletree.comparisons.files.spoken import (
    LABEL_OR_POSITION,
    Choices,
    chosen,
    spoken_columns,
)
from tripletree.comparisons.files.tables import Table, text_of
from tripletree.errors import InvalidComparisons

SIGNED = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"]
INTEGERS = SIGNED + ["U" + name for name in SIGNED]
FLOATS = ["FLOAT", "DOUBLE"]
WHOLE = r"\s*[+-]?[0-9]+\s*"
MISSING = ("", "NA", "NaN", "nan", "NULL", "null", "None")  # in text files
DESCRIPTION = '{"ImportId"'  # Qualtrics, in the third line

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Decoded:
    """The columns of a table as numbers, one for each row that is read.

    codes has one array per label; answer the object chosen (1, 2, 3 or a tie) where
    the form has an answer; reason is 0 for rows that stay.
    """

    codes: list[Ints]
    answer: Choices | None
    reason: npt.NDArray[np.uint8]
    weights: npt.NDArray[Any] | None
    annotators: Ints | None
    labels: tuple[str, ...]
    annotator_names: tuple[str, ...] | None
    notes: tuple[str, ...]


def check_label_types(
    name: str, names: Sequence[str], types: dict[int, str], shown: Sequence[int]
) -> None:
    """Refuse columns that hold no labels, and text beside numbers."""
    for at in shown:
        kind = types[at]
        is_text = kind in ("VARCHAR", "JSON") or kind.startswith("ENUM")
        if not is_text and kind not in INTEGERS:
            todo = "Fill in or drop missing values first, then turn"
            message = (
                f"{name}: column {names[at]!r:.80} is of type {kind[:80]}, and labels "
                f"are text or integers. {todo if kind in FLOATS else 'Turn'} it into "
                "one of them."
            )
            raise InvalidComparisons(message)
    if len({types[at] in INTEGERS for at in shown}) > 1:
        raise mixed_labels(name)


def mixed_labels(name: str) -> InvalidComparisons:
    """The error about labels of several types."""
    message = (
        f"{name}: some labels are text and others numbers, so that '1' and 1 could be "
        "meant to be two objects. Turn all into text."
    )
    return InvalidComparisons(message)


def no_label(column: str, value: str | None) -> str:
    """What is wrong with a text that stands for no label, and what to do."""
    return (
        f"no label in column {column!r}. Fill it in, or leave such rows out with "
        f"drop={{{column!r}: {value!r}}}. If an object is truly called "
        f"{value or ''!r}, give items=, the labels of all objects."
    )


class Decoder:
    """The queries over one table; `labels` fixes the objects if given."""

    def __init__(
        self,
        table: Table,
        header: Header,
        labels: Sequence[str] | None,
        filters: Filters,
    ) -> None:
        self.table, self.header, self.filters = table, header, filters
        self.given = labels
        self.notes: list[str] = []  # what was assumed
        position, roles = header.position, header.roles
        self.answer = position[roles[-1]] if header.has_answer else None
        self.shown = [position[r] for r in (roles[:-1] if header.has_answer else roles)]
        self.annotator = position.get("annotator")
        self.weight = position.get("weight")
        used = {*self.shown, self.answer, self.annotator, self.weight}
        self.used = sorted({at for at in used if at is not None} | {*filters.positions})
        self.types = table.types(self.used)
        check_label_types(table.name, table.names, self.types, self.shown)
        if self.annotator is not None:
            who = [self.annotator]
            check_label_types(table.name, table.names, self.types, who)
        if not table.mixed.isdisjoint(self.shown):
            raise mixed_labels(table.name)

    def decoded(self) -> Decoded:
        """Read the table.

        Raises
        ------
        InvalidComparisons
            Naming the line of the first value that is missing or not understood.
        """
        labels, names, is_whole = self._first_pass()
        self._create_enum("labels", labels)
        select = {f"s{n}": self._code(at, "labels") for n, at in enumerate(self.shown)}
        parameters: dict[str, Any] = {}
        if self.answer is not None:
            texts = [self.text(at) for at in self._alternatives]
            select |= spoken_columns(self.text(self.answer), texts, parameters)
        if self.weight is not None:
            select["weight"] = self._weight_column(self.weight, is_whole)
        if self.annotator is not None and names is not None:
            self._create_enum("annotators", names)
            select["annotator"] = self._code(self.annotator, "annotators")
        reason = self.filters.reason(self.text, parameters)
        if reason is not None:
            select["reason"] = reason
        if self._may_repeat_header(labels):
            select["is_header"] = self._is_header(parameters)
        found = self._second_pass(select, parameters)
        self._check_exports(found, labels)
        decoded = Decoded(
            [found[f"s{n}"] for n in range(len(self.shown))],
            self._answers(found),
            found.get("reason", np.zeros(len(found["s0"]), np.uint8)),
            found.get("weight"),
            found.get("annotator"),
            tuple(labels),
            None if names is None else tuple(names),
            tuple(self.notes),
        )
        self._check_rows(decoded)
        return decoded

    def text(self, at: int) -> str:
        """SQL for the text of a value."""
        return text_of(at, self.types[at])

    def describe(self, row: int) -> str:
        """A row in words: its place, and what it says."""
        values = self._values([self.text(at) for at in self.used], row)
        shown = ", ".join(
            f"{self.table.names[at]} = {str(value)[:40]!r}"
            for at, value in zip(self.used, values, strict=True)
            if value is not None
        )
        return f"{self.table.place(row)} ({shown})"

    @property
    def _alternatives(self) -> list[int]:
        """The columns among which an answer chooses: not the target."""
        return self.shown[1:] if self.header.form == "choice" else self.shown

    def _first_pass(self) -> tuple[list[str], list[str] | None, bool]:
        """The labels, the annotators' names, and whether all weights are integers."""
        parameters: dict[str, Any] = {}
        reason = self.filters.reason(self.text, parameters)
        kept = "" if reason is None else f" FILTER (WHERE {reason} = 0)"
        select = {}
        for n, at in enumerate(self.shown):
            if self.given is None:
                select[f"s{n}"] = f"list(DISTINCT {self.text(at)})"
            if self.types[at] == "JSON":
                select[f"k{n}"] = f"list(DISTINCT json_type(c{at}))"
        if self.annotator is not None:
            select["names"] = f"list(DISTINCT {self.text(self.annotator)})"
        if self.weight is not None and self.types[self.weight] not in INTEGERS:
            whole = f"regexp_full_match({self.text(self.weight)}, '{WHOLE}')"
            is_float = self.types[self.weight] in FLOATS
            select["whole"] = f"bool_and({'false' if is_float else whole})"
        found: dict[str, Any] = {}
        select = {name: f"{sql}{kept}" for name, sql in select.items()}
        select |= self.filters.found(self.text, parameters)
        if select:
            query = ", ".join(f"{sql} AS {name}" for name, sql in select.items())
            with translated(self.table.name):
                run = self.table.run(f"SELECT {query}", self.used, parameters)
                found = dict(zip(select, run.fetchone(), strict=True))
        self._check_filters(found)
        self._check_kinds({k for n in found if n[0] == "k" for k in found[n] or ()})
        names = found.get("names")
        if self.annotator is not None:
            names = natural_order(name for name in names or () if name is not None)
        if self.given is not None:
            return list(self.given), names, found.get("whole") is not False
        labels = {x for n in found if n[0] == "s" for x in found[n] or ()} - {None}
        if self.table.text is not None:
            labels.difference_update(MISSING)
        check_spelling(labels, self.table.name)
        return natural_order(labels), names, found.get("whole") is not False

    def _second_pass(
        self, select: dict[str, str], parameters: dict[str, Any]
    ) -> dict[str, npt.NDArray[Any]]:
        """The columns of numbers, by name.

        Where nothing else looks at the labels of a text file, they are read as numbers
        right away, a fifth faster; a label that has none is then an error, and all is
        read again as text.
        """
        enums = {at: "labels" for at in self.shown}
        if self.annotator is not None:
            enums[self.annotator] = "annotators"
        is_looked_at = self.answer is not None or {*enums} & {*self.filters.positions}
        if self.table.text is not None and not is_looked_at:
            columns = {f"s{n}": at for n, at in enumerate(self.shown)}
            if self.annotator is not None:
                columns["annotator"] = self.annotator
            direct = {
                name: f"coalesce(CAST(enum_code(c{at}) AS INTEGER), -1)"
                for name, at in columns.items()
            }
            with suppress(InvalidComparisons):
                typed = self.table.typed(enums)
                return self._fetched(typed, select | direct, parameters)
        return self._fetched(self.table, select, parameters)

    def _fetched(
        self, table: Table, select: dict[str, str], parameters: dict[str, Any]
    ) -> dict[str, npt.NDArray[Any]]:
        query = "SELECT " + ", ".join(f"{sql} AS {n}" for n, sql in select.items())
        with translated(table.name):
            found: dict[str, npt.NDArray[Any]] = table.run(
                query, self.used, parameters
            ).fetchnumpy()
        return found

    def _create_enum(self, name: str, values: Sequence[str]) -> None:
        # An enumeration cannot be empty; the stand-in has no code that anyone sees.
        query = f"CREATE TYPE {name} AS ENUM (SELECT unnest($values))"
        parameters = {"values": list(values) or [""]}
        with translated(self.table.name):
            self.table.connection.execute(query, parameters)

    def _code(self, at: int, enum: str) -> str:
        code = f"enum_code(TRY_CAST({self.text(at)} AS {enum}))"
        return f"coalesce(CAST({code} AS INTEGER), -1)"

    def _weight_column(self, at: int, is_whole: bool) -> str:
        if self.types[at] in FLOATS:
            return f"coalesce(CAST(c{at} AS DOUBLE), CAST('nan' AS DOUBLE))"
        text = self.text(at)
        if is_whole:
            return f"coalesce(TRY_CAST({text} AS BIGINT), -1)"
        value = f"CASE WHEN regexp_full_match({text}, '{NUMBER}') THEN {text} END"
        return f"coalesce(TRY_CAST({value} AS DOUBLE), CAST('nan' AS DOUBLE))"

    def _may_repeat_header(self, labels: list[str]) -> bool:
        """Whether every name of a label's column is a label too, as seldom happens."""
        text = self.table.text
        if text is None or not text.has_header or self.given is not None:
            return False
        names = {label_key(self.table.names[at]) for at in self.shown}
        return names <= {*map(label_key, labels)}

    def _is_header(self, parameters: dict[str, Any]) -> str:
        """SQL for whether a row says what the header says, in all columns in use."""
        equal = []
        for at in self.used:
            parameters[f"name{at}"] = self.table.names[at]
            bare = f"trim(CAST(c{at} AS VARCHAR), ' \ufeff')"
            equal.append(f"coalesce({bare} = $name{at}, false)")
        return " AND ".join(equal)

    def _check_exports(self, found: dict[str, Any], labels: list[str]) -> None:
        """Refuse the lines that exports have beside answers: headers, descriptions."""
        if self.table.text is None or self.given is not None:
            return
        kept = found["reason"] == 0 if "reason" in found else True
        repeats = found.get("is_header", np.zeros(1, np.bool_)) & kept
        if repeats.any():
            message = (
                f"{self.describe(int(repeats.argmax()))}: the header again. Were files "
                "put together? Delete the line; if these are objects, give items=, the "
                "labels of all objects."
            )
            raise InvalidComparisons(message)
        codes = [at for at, x in enumerate(labels) if x.startswith(DESCRIPTION)]
        if codes:
            shown = np.stack([found[f"s{n}"] for n in range(len(self.shown))])
            described = np.isin(shown, codes).any(axis=0) & kept
            message = (
                f"{self.describe(int(described.argmax()))}: no answer but Qualtrics's "
                "description of the columns. Delete this line, and the one with the "
                "texts of the questions, which follow the header."
            )
            raise InvalidComparisons(message)

    def _answers(self, found: dict[str, Any]) -> Choices | None:
        if self.answer is None:
            return None
        m = len(found["s0"])
        kept = found["reason"] == 0 if "reason" in found else np.ones(m, np.bool_)
        choices, row, said = chosen(found, kept, len(self._alternatives))
        if row >= 0:
            name = self.table.names[self.answer]
            if said != LABEL_OR_POSITION:  # there, right answers are written the same
                said += f", or leave such rows out with drop={{{name!r}: ...}}"
            message = f"{self.describe(row)}: {said}."
            raise InvalidComparisons(message)
        if said:
            self.notes.append(said)
        return choices

    def _check_rows(self, decoded: Decoded) -> None:
        """Refuse rows that stay and lack a label, an annotator or a weight."""
        self._check_times(decoded.reason)
        kept = decoded.reason == 0
        for at, codes in zip(self.shown, decoded.codes, strict=True):
            wrong = (codes < 0) & kept
            if wrong.any():
                self._refuse_label(at, int(wrong.argmax()))
        if decoded.annotators is not None and self.annotator is not None:
            wrong = (decoded.annotators < 0) & kept
            if wrong.any():
                name = self.table.names[self.annotator]
                message = (
                    f"{self.describe(int(wrong.argmax()))}: no {name!r}. Fill it in, "
                    f"leave such rows out with drop={{{name!r}: None}}, or read "
                    "without annotators: columns={'annotator': None}."
                )
                raise InvalidComparisons(message)
        if decoded.weights is not None:
            wrong = ~((decoded.weights >= 0) & (decoded.weights <= 1e200)) & kept
            if wrong.any():
                message = (
                    f"{self.describe(int(wrong.argmax()))}: weights are numbers from 0 "
                    "to 1e200 (integers below 2^63). Correct it, or read without "
                    "weights: columns={'weight': None}."
                )
                raise InvalidComparisons(message)

    def _check_times(self, reason: npt.NDArray[np.uint8]) -> None:
        """Refuse a row whose response time cannot be told."""
        wrong, at = reason == NO_TIME, self.filters.time
        if at is not None and wrong.any():
            row = int(wrong.argmax())
            (value,) = self._values([self.text(at)], row)
            why = no_time(self.table.names[at], value)
            message = f"{self.describe(row)}: {why}"
            raise InvalidComparisons(message)

    def _refuse_label(self, at: int, row: int) -> None:
        (value,) = self._values([self.text(at)], row)
        name, where = self.table.names[at], self.describe(row)
        if value is None or self.given is None:
            message = f"{where}: {no_label(name, value)}"
            raise InvalidComparisons(message)
        message = (
            f"{where}: {value[:80]!r} in column {name!r} is none of the "
            f"{len(self.given)} items. Correct it, add it to the items, or leave such "
            f"rows out with drop={{{name!r}: {value[:80]!r}}}."
        )
        raise InvalidComparisons(message)

    def _values(self, texts: list[str], row: int) -> tuple[Any, ...]:
        query, tail = f"SELECT {', '.join(texts)}", f" LIMIT 1 OFFSET {row}"
        with translated(self.table.name):
            found = self.table.run(query, self.used, tail=tail).fetchone()
        return tuple(found)

    def _check_filters(self, found: dict[str, Any]) -> None:
        """Refuse to drop or keep a value that occurs nowhere."""
        unmatched = self.filters.unmatched(found)
        if unmatched is None:
            return
        one, value = unmatched
        text = self.text(one.position)
        with translated(self.table.name):
            tail = f" WHERE {text} IS NOT NULL ORDER BY 1 LIMIT 12"
            run = self.table.run(f"SELECT DISTINCT {text}", self.used, tail=tail)
            values = [str(row[0]) for row in run.fetchall()]
        message = (
            f"{self.table.name}: {one.reason} has the value {value!r:.80}, which is in "
            f"no row. Among the values there are {listed(values) or 'none'}: give one "
            "of them, or leave the value out."
        )
        raise InvalidComparisons(message)

    def _check_kinds(self, kinds: set[str | None]) -> None:
        """JSON knows text and numbers: labels must be all of one kind."""
        kinds -= {None, "NULL"}
        others = kinds - {"VARCHAR", "UBIGINT", "BIGINT"}
        if others:
            message = (
                f"{self.table.name}: a label is of the JSON type "
                f"{', '.join(sorted(str(k) for k in others))}: write labels as text, "
                'such as "7", or as integers below 2^63.'
            )
            raise InvalidComparisons(message)
        if "VARCHAR" in kinds and len(kinds) > 1:
            raise mixed_labels(self.table.name)
