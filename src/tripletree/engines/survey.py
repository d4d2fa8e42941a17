"""A first look at all rows on an engine: refuse what the reader in memory refuses.

One pass that only counts, and one that collects the different labels where they are
text. Engines have no line numbers, so messages give how many rows are wrong and what
one of them says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tripletree.comparisons.files.decoding import DESCRIPTION, no_label
from tripletree.comparisons.files.filters import NO_TIME, no_time
from tripletree.comparisons.files.headers import listed
from tripletree.comparisons.files.label_order import WHOLE, natural_order
from tripletree.comparisons.files.reading import no_answers
from tripletree.comparisons.files.spelling import check_spelling, label_key
from tripletree.comparisons.files.spoken import (
    LABEL_OR_POSITION,
    TAKEN_AS_LABELS,
    TAKEN_AS_POSITIONS,
    WORDS,
)
from tripletree.engines import expressions
from tripletree.engines.expressions import SHIFT, Reading
from tripletree.engines.on_duckdb import DuckDB
from tripletree.engines.on_spark import Spark
from tripletree.engines.questions import Questions, is_whole, shown_values
from tripletree.errors import InvalidComparisons

Engine = DuckDB | Spark
MOST_TOTAL = 2.0**62  # integer sums stay exact below


@dataclass(frozen=True)
class Survey:
    """How to read the rows, how many there are, what is left out and assumed."""

    reading: Reading
    n_rows: int
    dropped: dict[str, int]
    notes: tuple[str, ...]


def surveyed(
    engine: Engine, labels: Sequence[str] | None, drop_degenerate: bool
) -> Survey:
    """Look at all rows; put the tables of sides and labels on the engine.

    Raises
    ------
    InvalidComparisons
        If rows that stay lack a label or a weight, or are not understood.
    """
    questions = engine.questions
    counts = engine.rows(expressions.survey(questions))[0]
    counts = {name: value or 0 for name, value in counts.items() if value is not None}
    _check_filters(engine)
    check = _Check(engine, counts)
    check.labels()
    check.weights()
    by_number = check.answers()
    check.degenerate(drop_degenerate)
    whole = _is_whole(questions, counts)
    if whole and counts.get("total", 0) * 2 >= MOST_TOTAL:
        message = (
            f"{questions.name}: weights add up to 2^61 or more: give smaller ones."
        )
        raise InvalidComparisons(message)
    dropped = {
        why: int(counts.get(f"r{n}", 0))
        for n, why in enumerate(questions.filters.reasons, 1)
    }
    if questions.answer is not None:
        dropped["undecided"] = int(counts["ties_by_number" if by_number else "ties"])
    if counts.get("same"):
        dropped["degenerate"] = int(counts["same"])
    if not counts.get("kept"):
        raise no_answers(questions.name, dropped)
    is_decided = not (dropped.get("undecided") or dropped.get("degenerate"))
    lowest = _lowest(questions, counts, labels)
    if lowest is None:
        _put_labels(engine, labels)
    sides = np.arange(len(expressions.sides_of(questions.form)), dtype=np.int64)
    engine.put("sides", {"side": sides})
    reading = Reading(by_number, whole, is_decided, lowest)
    notes = (*questions.notes, *check.notes)
    return Survey(reading, int(counts["kept"]), dropped, notes)


def _is_whole(questions: Questions, counts: dict[str, Any]) -> bool:
    if questions.form == "pairs":
        return is_whole(questions)
    return not counts.get("not_whole")


def _lowest(
    questions: Questions, counts: dict[str, Any], given: Sequence[str] | None
) -> int | None:
    """The smallest label, if labels are integers in a range that ids have.

    Those given must be consecutive: then ids are distances from the first of them.
    """
    places = range(len(questions.shown))
    if questions.kinds[questions.shown[0]] != "whole":
        return None
    low = min(int(counts[f"low{n}"]) for n in places)
    high = max(int(counts[f"high{n}"]) for n in places)
    if given is None:
        return low if high - low < 2**SHIFT else None
    if not given or not WHOLE.fullmatch(given[0]):
        return None
    first = int(given[0])
    is_consecutive = all(text == str(first + n) for n, text in enumerate(given))
    is_within = first <= low and high < first + len(given)
    return first if is_consecutive and is_within else None


def _put_labels(engine: Engine, given: Sequence[str] | None) -> None:
    """Number the labels, in the order given or in natural order."""
    questions = engine.questions
    found = [row["label"] for row in engine.rows(expressions.objects(questions))]
    texts = [str(label) for label in found if label is not None]
    if given is not None:
        unknown = sorted({*texts} - {*given})
        if unknown:
            message = (
                f"{questions.name}: {len(unknown)} labels, {unknown[0][:80]!r} first, "
                f"are none of the {len(given)} objects. Correct them, or add them to "
                "the items."
            )
            raise InvalidComparisons(message)
        ordered = list(given)
    else:
        check_spelling(sorted(texts), questions.name)
        _check_exports(engine, texts)
        ordered = natural_order(texts)
    if questions.kinds[questions.shown[0]] == "whole":
        numbers = {
            label: n for n, label in enumerate(ordered) if WHOLE.fullmatch(label)
        }
        known = {*texts}
        used = [(int(label), n) for label, n in numbers.items() if label in known]
        values = np.array([label for label, _ in used], np.int64)
        ids = np.array([n for _, n in used], np.int64)
        engine.put("labels", {"label": values, "id": ids})
        return
    texts_array = np.array(ordered, np.object_)
    engine.put("labels", {"label": texts_array, "id": np.arange(len(ordered))})


def _check_exports(engine: Engine, labels: list[str]) -> None:
    """Refuse the lines that exports have beside answers: headers, descriptions."""
    questions = engine.questions
    if not questions.is_text:
        return
    if any(label.startswith(DESCRIPTION) for label in labels):
        message = (
            f"{questions.name}: Qualtrics's description of the columns is among the "
            "answers. Delete its line, and the one with the texts of the questions."
        )
        raise InvalidComparisons(message)
    names = [questions.names[at] for at in questions.shown]
    if not questions.has_header:
        return
    # Seldom all names are labels: only then the rows are looked at again.
    if {*map(label_key, names)} <= {*map(label_key, labels)}:
        is_header = partial(expressions.is_header, questions)
        if engine.rows(expressions.one_row(questions, is_header)):
            message = (
                f"{questions.name}: a row says {listed(names)}: the header again. Were "
                "files put together? Delete such lines; if these are objects, give "
                "items=, the labels of all objects."
            )
            raise InvalidComparisons(message)


def _check_filters(engine: Engine) -> None:
    """Refuse to drop or keep a value that occurs nowhere."""
    questions, found = engine.questions, {}
    for number, one in enumerate(questions.filters.filters, 1):
        texts: list[str] = []
        if one.texts:
            seen = expressions.occurring(questions, one.position, one.texts)
            texts = [row["text"] for row in engine.rows(seen)]
        found[f"f{number}"] = texts
    unmatched = questions.filters.unmatched(found)
    if unmatched is not None:
        one, value = unmatched
        message = (
            f"{questions.name}: {one.reason} has the value {value!r:.80}, which is in "
            "no row: give one that occurs, or leave it out."
        )
        raise InvalidComparisons(message)


class _Check:
    """The counts of a survey, and what is said about those that are not 0."""

    def __init__(self, engine: Engine, counts: dict[str, Any]) -> None:
        self.engine, self.counts = engine, counts
        self.questions = engine.questions
        self.notes: list[str] = []  # what was assumed

    def labels(self) -> None:
        """Refuse rows without a label, or without a response time."""
        q = self.questions
        for place, at in enumerate(q.shown):
            self._refuse(
                f"missing{place}",
                partial(expressions.is_missing, place=place),
                partial(no_label, q.names[at]),
                at,
            )
        if q.filters.time is not None:
            self._refuse(
                "no_time",
                lambda rows: rows.reason == NO_TIME,
                partial(no_time, q.names[q.filters.time]),
                q.filters.time,
            )

    def weights(self) -> None:
        """Refuse weights that are none."""
        if self.questions.form == "pairs":
            if self.counts.get("wrong"):
                message = (
                    f"{self.questions.name}: {self.counts['wrong']} sums are below 0 "
                    "or missing: this is no file of pair sums."
                )
                raise InvalidComparisons(message)
            return
        whole = not self.counts.get("not_whole")
        self._refuse(
            "wrong_whole" if whole else "wrong",
            lambda rows: expressions.is_wrong_weight(rows, whole),
            "weights are numbers from 0 to 1e200 (integers below 2^63). Correct it, or "
            "read without weights: columns={'weight': None}.",
        )

    def answers(self) -> bool:
        """Refuse answers that are not understood; whether they are positions."""
        if self.questions.answer is None:
            return False
        self._refuse(
            "differing",
            expressions.is_differing,
            "the answer is the label of one object, and a word for the place of "
            "another. Rename the objects.",
        )
        n_shown = len(self.questions.alternatives)
        fits = n_shown == 3 and not self.counts["no_number"] and self.counts["third"]
        if not self.counts["unknown"]:
            if fits and self.counts["other_number"]:
                self.notes.append(TAKEN_AS_LABELS)
            return False
        n_decided = self.counts["kept"] - self.counts["ties"]
        if fits and self.counts["unknown"] > n_decided - self.counts["unknown"]:
            if self.counts["like_position"]:
                self.notes.append(TAKEN_AS_POSITIONS)
            return True
        places = ", ".join(f"'{words[0]}'" for words in WORDS[n_shown])
        self._refuse(
            "unknown",
            lambda rows: (rows.reason == 0) & (expressions.choice(rows, False) == 0),
            f"{LABEL_OR_POSITION}."
            if fits
            else f"the answer is neither a label of its row, nor a place ({places}), "
            "nor a word for a tie ('same', 'undecided', nothing). Replace it by one of "
            "them.",
        )
        return False

    def degenerate(self, is_dropped: bool) -> None:
        """Refuse rows that compare an object with itself, unless told to drop them."""
        if is_dropped:
            return
        self._refuse(
            "same",
            lambda rows: expressions.is_self(self.questions, rows),
            "an object is compared with itself, which says nothing. Correct it, or "
            "leave such rows out with drop_degenerate=True.",
        )

    def _refuse(
        self,
        count: str,
        is_wrong: Callable[[Any], Any],
        why: str | Callable[[str | None], str],
        at: int = 0,
    ) -> None:
        """Refuse rows, if there are any, because of what one has in column `at`."""
        n = int(self.counts.get(count, 0))
        if not n:
            return
        q = self.questions
        values = self.engine.rows(expressions.one_row(q, is_wrong))[0]
        rows = "1 row is wrong" if n == 1 else f"{n} rows are wrong, one"
        said = why if isinstance(why, str) else why(values[f"c{at}"])
        message = f"{q.name}: {rows} ({shown_values(q, values)}): {said}"
        raise InvalidComparisons(message)
