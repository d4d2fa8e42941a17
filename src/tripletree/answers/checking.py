"""What is wrong with a table of answers: found by numbers, said in words.

Every row has a `fault` (see `relation`). How many rows have which fault and say what is
counted, in memory or by the engine; only if something is wrong the table is read again,
for the first such row: its line, its values, and what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tripletree.answers import relation
from tripletree.answers.header import listed
from tripletree.answers.labels import DESCRIPTION, check_spelling, label_key
from tripletree.answers.on_duckdb import DuckDB
from tripletree.answers.on_spark import Spark
from tripletree.answers.questions import Questions, mixed_labels
from tripletree.answers.relation import (
    ANNOTATOR,
    HEADER_AGAIN,
    LABEL,
    SAME,
    STAY,
    WEIGHT,
    Reading,
)
from tripletree.answers.rules import NO_TIME, POSITIONS, TIE, Said, judged
from tripletree.answers.sql import Sql
from tripletree.comparisons.label_order import natural_order
from tripletree.errors import InvalidComparisons, Remedy

Engine = DuckDB | Spark
Counts = Mapping[tuple[int, int], int]  # of rows, by fault and what they say
Parts = Sequence[str | Remedy]
Complaint = tuple[str, Parts]  # a code; what is wrong, and what to do
Complain = Callable[[dict[str, Any]], Complaint]  # about the values of a row
ITEMS = (Remedy("items"), ", the labels of all objects.")


@dataclass(frozen=True)
class Outcome:
    """How rows are to be read, how many stay, what is left out and assumed."""

    reading: Reading
    n_rows: int
    dropped: dict[str, int]
    notes: tuple[str, ...]


def looked(engine: Engine, with_labels: bool) -> dict[str, Any]:
    """What a first look at all rows shows, see `relation.first_look`."""
    sql = engine.sql()
    query = relation.first_look(sql, engine.questions, with_labels)
    found = engine.rows(sql, query)[0] if query else {}
    _check_filters(engine, found)
    kinds = {kind for name in found if name[0] == "k" for kind in found[name] or ()}
    _check_json(engine.questions.name, kinds)
    return found


def found_labels(
    engine: Engine, found: Mapping[str, Any], given: Sequence[str] | None
) -> list[str]:
    """The labels in their order: those given, or all that a first look has found."""
    q = engine.questions
    texts = {x for n in range(len(q.shown)) for x in found.get(f"s{n}") or ()}
    texts.discard(None)
    if given is not None:
        unknown = sorted(texts - {*given})
        if unknown:
            refuse_unknown(engine, unknown[0], len(given))
        return list(given)
    texts -= {*q.missing}
    check_spelling(texts, q.name)
    if q.is_text and any(text.startswith(DESCRIPTION) for text in texts):
        _refuse_description(engine)
    return natural_order(texts)


def first_reading(
    engine: Engine,
    found: Mapping[str, Any],
    labels: Sequence[str],
    given: Sequence[str] | None,
) -> Reading:
    """What is known before the rows are counted; x0, x1, ... are labels.

    Answers are taken for labels, until all of them have been seen.
    """
    q = engine.questions
    names = {label_key(q.names[at]) for at in q.shown}
    may_repeat = q.is_text and q.has_header and given is None
    may_repeat = may_repeat and names <= {*map(label_key, labels)}
    like: Sequence[int | str] = [x for x in labels if x.strip() in POSITIONS]
    is_whole = not found.get("n_not_whole")
    if q.weight is not None and q.kinds[q.weight] == "number":
        is_whole = False
    if q.form == "pairs":
        is_whole = q.kinds[2] == "whole"
    return Reading(False, is_whole, may_repeat, [1, 2, 3] if q.are_whole else like)


def checked(
    engine: Engine,
    reading: Reading,
    counts: Counts,
    drop_degenerate: bool,
    n_items: int | None,
) -> Outcome:
    """Refuse what is wrong, by how many rows have which fault; else how to read on.

    Raises
    ------
    InvalidComparisons
        Naming the line of the first row that is wrong, where it is known.
    """
    q = engine.questions
    by_fault: Counter[int] = Counter()
    for (fault, _), n in counts.items():
        by_fault[fault] += n
    _Refusals(engine, reading, by_fault, n_items).check()
    stay = {key: n for key, n in counts.items() if key[0] in STAY}
    notes = q.notes
    if q.answer is not None:
        reading, notes = _judge(engine, reading, stay)
    dropped = {why: by_fault[n] for n, why in enumerate(q.filters.reasons, 1)}
    ties = {
        key: n
        for key, n in stay.items()
        if q.answer is not None and Said.of(key[1]).choice(reading.is_position) == TIE
    }
    if q.answer is not None:
        dropped["undecided"] = sum(ties.values())
    n_same = sum(n for key, n in stay.items() if key[0] == SAME and key not in ties)
    if n_same and not drop_degenerate:
        why = "an object is compared with itself, which says nothing. Correct it, or "
        parts: Parts = [
            f"{why}leave such rows out with ",
            Remedy("drop_degenerate", True),
            ".",
        ]
        if q.form == "pairs":
            parts = ["a pair has two different objects. Write the file again."]
        refuse(engine, reading, f"fault = {SAME}", ("same object", parts), n_same)
    if n_same:
        dropped["degenerate"] = n_same
    return Outcome(reading, sum(stay.values()), dropped, notes)


def no_answers(name: str, dropped: dict[str, int]) -> InvalidComparisons:
    """The error about a table of which nothing is left."""
    left_out = ", ".join(f"{why}: {n}" for why, n in dropped.items() if n)
    but = f" but those left out ({left_out})" if left_out else ""
    message = f"{name} has no answers{but}: check the file and the options."
    return InvalidComparisons(message, code="no answers")


def refuse(
    engine: Engine,
    reading: Reading,
    test: str | Callable[[Sql], str],
    said: Complaint | Complain,
    n: int = 0,
) -> None:
    """Raise the error about the first row for which a test holds.

    n: how many such rows there are.
    """
    q, sql = engine.questions, engine.sql()
    rows = relation.relation(sql, q, reading)
    row, values = engine.find(sql, rows, test if isinstance(test, str) else test(sql))
    shown = ", ".join(
        f"{q.names[at]} = {str(values[f'c{at}'])[:40]!r}"
        for at in q.used
        if values[f"c{at}"] is not None
    )
    if row is None:  # engines on many machines do not count rows
        count = "a row is wrong" if n < 2 else f"{n} rows are wrong, one"
        where, place = f"{q.name}: {count} ({shown})", None
    else:
        file, place = engine.place(row)
        where = f"{file}, {place} ({shown})"
    code, parts = said(values) if callable(said) else said
    message = f"{where}: "
    raise InvalidComparisons(message, *parts, code=code, place=place)


def refuse_unknown(engine: Engine, label: object, n_items: int) -> None:
    """Raise the error about a label that is none of the items."""
    shown = engine.questions.shown

    def test(sql: Sql) -> str:
        return " OR ".join(f"c{at} = {sql.value(label)}" for at in shown)

    def said(values: dict[str, Any]) -> Complaint:
        at = next(at for at in shown if values[f"c{at}"] == label)
        return _unknown(engine.questions.names[at], str(label), n_items)

    refuse(engine, Reading(), test, said)


def _unknown(column: str, label: str, n_items: int) -> Complaint:
    return "unknown label", [
        f"{label[:80]!r} in column {column!r} is none of the {n_items} items. Correct "
        "it, add it to the items, or leave such rows out with ",
        Remedy("drop", {column: label[:80]}),
        ".",
    ]


def _check_filters(engine: Engine, found: Mapping[str, Any]) -> None:
    """Refuse to drop or keep a value that occurs nowhere."""
    unmatched = engine.questions.filters.unmatched(found)
    if unmatched is None:
        return
    one, value = unmatched
    column = f"c{one.position}"
    query = (
        f"SELECT DISTINCT {column} AS text FROM answers WHERE {column} IS NOT NULL "
        "ORDER BY 1 LIMIT 12"
    )
    values = [str(row["text"]) for row in engine.rows(engine.sql(), query)]
    message = (
        f"{engine.questions.name}: {one.reason} has the value {value!r:.80}, which is "
        f"in no row. Among the values there are {listed(values) or 'none'}: give one "
        "of them, or leave the value out."
    )
    raise InvalidComparisons(message, code="no such value")


def _check_json(name: str, kinds: set[str | None]) -> None:
    """JSON knows text and numbers: labels must be all of one kind."""
    kinds -= {None, "NULL"}
    others = kinds - {"VARCHAR", "UBIGINT", "BIGINT"}
    if others:
        message = (
            f"{name}: a label is of the JSON type "
            f"{', '.join(sorted(str(kind) for kind in others))}: write labels as text, "
            'such as "7", or as integers below 2^63.'
        )
        raise InvalidComparisons(message, code="type of labels")
    if "VARCHAR" in kinds and len(kinds) > 1:
        raise mixed_labels(name)


def _refuse_description(engine: Engine) -> None:
    def test(sql: Sql) -> str:
        starts = f"1, {len(DESCRIPTION)}) = {sql.value(DESCRIPTION)}"
        return " OR ".join(f"substr(c{at}, {starts}" for at in engine.questions.shown)

    why = (
        "no answer but Qualtrics's description of the columns. Delete this line, and "
        "the one with the texts of the questions, which follow the header."
    )
    refuse(engine, Reading(), test, ("description", [why]))


def _judge(
    engine: Engine, reading: Reading, stay: Counts
) -> tuple[Reading, tuple[str, ...]]:
    """How answers are to be read, and what was assumed; refuse what is not known."""
    q = engine.questions
    assert q.answer is not None
    by_said: Counter[int] = Counter()
    for (_, said), n in stay.items():
        by_said[said] += n
    verdict = judged(by_said, q.n_alternatives)
    if verdict.refused:
        parts: list[str | Remedy] = [verdict.why]
        if verdict.code != "label or position":  # there, right ones are written alike
            remedy = Remedy("drop", {q.names[q.answer]: ...})
            parts += [", or leave such rows out with ", remedy]
        numbers = ", ".join(map(str, verdict.refused))
        kept = ", ".join(map(str, STAY))
        test = f"fault IN ({kept}) AND said IN ({numbers})"
        n = sum(by_said[number] for number in verdict.refused)
        refuse(engine, reading, test, (verdict.code, [*parts, "."]), n)
    notes = (*q.notes, verdict.note) if verdict.note else q.notes
    return replace(reading, is_position=verdict.is_position), notes


class _Refusals:
    """What is said about each fault that may not be left out."""

    def __init__(
        self,
        engine: Engine,
        reading: Reading,
        by_fault: Mapping[int, int],
        n_items: int | None,
    ) -> None:
        self.engine, self.reading, self.by_fault = engine, reading, by_fault
        self.q: Questions = engine.questions
        self.n_items = n_items

    def check(self) -> None:
        """Refuse the first fault that there is."""
        self._refuse(NO_TIME, self._no_time)
        again = "the header again. Were files put together? Delete the line; if these "
        parts: Parts = [f"{again}are objects, give ", *ITEMS]
        self._refuse(HEADER_AGAIN, ("header again", parts))
        for n, at in enumerate(self.q.shown):
            self._refuse(LABEL + n, partial(self._no_label, at))
        self._refuse(ANNOTATOR, self._no_annotator)
        parts = [
            "weights are numbers from 0 to 1e200 (integers below 2^63). Correct it, or "
            "read without weights: ",
            Remedy("columns", {"weight": None}),
            ".",
        ]
        if self.q.form == "pairs":
            parts = ["sums are numbers from 0 on. Write the file again."]
        self._refuse(WEIGHT, ("no weight", parts))

    def _refuse(self, fault: int, said: Complaint | Complain) -> None:
        n = self.by_fault.get(fault, 0)
        if n:
            refuse(self.engine, self.reading, f"fault = {fault}", said, n)

    def _no_time(self, values: dict[str, Any]) -> Complaint:
        at = self.q.filters.time
        name, value = self.q.names[at or 0], values[f"c{at}"]
        return "no response time", [
            f"no response time that is a number in column {name!r}. Fill it in, or "
            "leave such rows out with ",
            Remedy("drop", {name: None if value is None else value[:80]}),
            ".",
        ]

    def _no_label(self, at: int, values: dict[str, Any]) -> Complaint:
        name, value = self.q.names[at], values[f"c{at}"]
        if value is not None and self.n_items is not None:
            return _unknown(name, str(value), self.n_items)
        return "no label", [
            f"no label in column {name!r}. Fill it in, or leave such rows out with ",
            Remedy("drop", {name: value}),
            f". If an object is truly called {value or ''!r}, give ",
            *ITEMS,
        ]

    def _no_annotator(self, _: dict[str, Any]) -> Complaint:
        name = self.q.names[self.q.annotator or 0]
        return "no annotator", [
            f"no {name!r}. Fill it in, leave such rows out with ",
            Remedy("drop", {name: None}),
            ", or read without annotators: ",
            Remedy("columns", {"annotator": None}),
            ".",
        ]
