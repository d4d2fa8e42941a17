"""What is wrong with the rows of a table of answers: found by numbers, said in words.

Every row has a `fault` (see `relation`). How many rows have which fault and say what is
counted, in memory or by the engine; only if something is wrong the table is read again,
for the first such row: its line, its values, and what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tripletree.answers import relation
from tripletree.answers.answer_rules import FROM_ZERO, TIE, Said, choose_reading
from tripletree.answers.engines import Engine
from tripletree.answers.filters import NO_TIME
from tripletree.answers.header import plain_name
from tripletree.answers.labels import MOST_NAMED, some_labels
from tripletree.answers.layout import Layout
from tripletree.answers.relation import (
    ANNOTATOR,
    HEADER_AGAIN,
    LABEL,
    NO_QUESTION,
    SAME,
    STAY,
    WEIGHT,
)
from tripletree.comparisons.row_checks import ASKED_NOTHING
from tripletree.errors import InvalidComparisons, Remedy

Counts = Mapping[tuple[int, int], int]  # of rows, by fault and what they say
Refusal = Callable[..., InvalidComparisons]  # of what is wrong, and its code
Parts = list[str | Remedy]
ITEMS = (Remedy("items"), ", the labels of all objects.")
WHICH = ("; say what they mean, ", ", or ")


def count_and_check(engine: Engine) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Let the engine count faults, and check them; its rows, and what is left out."""
    rows = engine.rows(relation.count_faults)
    counts = {(row["fault"], row["said"]): row["n"] for row in rows}
    return rows, check_faults(engine, counts)


def check_faults(engine: Engine, counts: Counts) -> dict[str, int]:
    """How many rows are left out, by reason; refuse what is wrong with others.

    From now on it is known how answers are to be read.

    Raises
    ------
    InvalidComparisons
        Naming the line of the first row that is wrong, where it is known.
    """
    q = engine.layout
    by_fault: Counter[int] = Counter()
    for (fault, _), n in counts.items():
        by_fault[fault] += n
    labels = [*range(LABEL, LABEL + len(q.shown))]
    for same in ([NO_TIME], [HEADER_AGAIN], labels, [ANNOTATOR], [WEIGHT]):
        found = [fault for fault in same if by_fault[fault]]
        if found:
            raise _fault_error(engine, found, sum(by_fault[x] for x in found))
    dropped = {why: by_fault[n] for n, why in enumerate(q.filters.reasons, 1) if why}
    if by_fault[NO_QUESTION]:  # beside rows that an export leaves blank
        dropped[ASKED_NOTHING] = dropped.get(ASKED_NOTHING, 0) + by_fault[NO_QUESTION]
    n_same = by_fault[SAME]
    if q.answer is not None:
        stay = {key: n for key, n in counts.items() if key[0] in STAY}
        by_said: Counter[int] = Counter()
        for (_, said), n in stay.items():
            by_said[said] += n
        start, note = choose_reading(
            by_said,
            q.n_alternatives,
            plain_name(q.names[q.answer]) in FROM_ZERO,
            partial(_answer_error, engine, q.answer, by_said),
        )
        notes = (note, *q.notes) if note else q.notes
        engine.layout = replace(q, start=start, notes=notes)
        ties = {x: n for x, n in stay.items() if Said.of(x[1]).choice(start) == TIE}
        dropped["undecided"] = sum(ties.values())
        n_same -= sum(n for (fault, _), n in ties.items() if fault == SAME)
    if n_same and not q.options.drop_degenerate:
        raise _fault_error(engine, [SAME], n_same)
    return dropped | ({"degenerate": n_same} if n_same else {})


def _answer_error(
    engine: Engine,
    answer: int,
    by_said: Mapping[int, int],
    numbers: Sequence[int],
    code: str,
    why: str,
    meanings: Sequence[dict[str, str]] = (),
) -> InvalidComparisons:
    """The error about answers that are not understood, see `choose_reading`."""
    name = engine.layout.names[answer]
    said, kept = (", ".join(map(str, x)) for x in (numbers, STAY))
    test = f"fault IN ({kept}) AND said IN ({said})"
    n = sum(by_said[number] for number in numbers)
    values, refusal = first_row(engine, test, n=n)
    first = str(values[f"c{answer}"])[:40]
    rows = engine.rows(relation.values, answer, test, MOST_NAMED)
    texts = [str(row["value"]) for row in rows]
    others = [text for text in texts if text[:40] != first][: MOST_NAMED - 1]
    more = f"; others: {some_labels(others)}" if others else ""
    own = {text[:40]: ... for text in (first, *others)}
    drop: Parts = [", or leave such rows out with ", Remedy("drop", {name: ...})]
    says = f"{more}. Replace it by one of them, say what it means with "
    advice: dict[str, Parts] = {
        "unknown answer": [says, Remedy("answer_words", own), *drop],
        "two meanings": drop,
        "which position": [
            part
            for word, words in zip(WHICH, meanings, strict=False)
            for part in (word, Remedy("answer_words", words))
        ],
    }
    return refusal(why, *advice.get(code, []), ".", code=code)


def first_row(
    engine: Engine, test: str, given: Sequence[object] = (), n: int = 0
) -> tuple[dict[str, Any], Refusal]:
    """The values of the first row for which a test holds, and an error about it.

    given: what stands for {0}, {1}, ... in the test; n: how many such rows there are.
    """
    q = engine.layout
    found, values = engine.find_row(test, given)
    shown = ", ".join(
        f"{q.names[at]} = {str(values[f'c{at}'])[:40]!r}"
        for at in q.used
        if at != q.trial and values[f"c{at}"] is not None
    )
    if found is None:
        count = "a row is wrong" if n < 2 else f"{n} rows are wrong, one"
        return values, partial(InvalidComparisons, f"{q.name}: {count} ({shown}): ")
    return values, partial(
        InvalidComparisons, f"{', '.join(found)} ({shown}): ", place=found[1]
    )


def unknown_labels(engine: Engine, labels: Sequence[object]) -> InvalidComparisons:
    """The error about labels that are not among the items."""
    q, label = engine.layout, labels[0]
    is_there = " OR ".join(f"x{n} = {{0}}" for n in range(len(q.shown)))
    values, refusal = first_row(engine, f"reason = 0 AND ({is_there})", [label])
    at = next(at for n, at in enumerate(q.shown) if values[f"x{n}"] == label)
    text = str(values[f"c{at}"])  # another one if it was merged
    code, parts = _unknown(q, at, [str(x) for x in labels], text)
    return refusal(*parts, code=code)


def _unknown(q: Layout, at: int, labels: Sequence[str], text: str) -> tuple[str, Parts]:
    """What to say about labels that are not items; text: how the first is written."""
    label, others = labels[0], labels[1:]
    more = f" (others: {some_labels(others, MOST_NAMED - 1)})" if others else ""
    return "unknown label", [
        f"{label[:80]!r} in column {q.names[at]!r} is not one of the "
        f"{len(q.options.labels or ())} items{more}. Correct it, add it to the items, "
        "or leave such rows out with ",
        Remedy("drop", {q.names[at]: text[:80]}),
        ".",
    ]


def _fault_error(engine: Engine, faults: Sequence[int], n: int) -> InvalidComparisons:
    """The error about the first of n rows that have one of these faults."""
    test = f"fault IN ({', '.join(map(str, faults))})"
    values, refusal = first_row(engine, test, n=n)
    fault = values["fault"]
    if LABEL <= fault < LABEL + len(engine.layout.shown):
        others = [other for other in faults if other != fault]
        code, parts = _about_label(engine, fault, values, others)
    else:
        code, parts = _about_row(engine, fault, values)
    return refusal(*parts, code=code)


def _about_row(engine: Engine, fault: int, values: dict[str, Any]) -> tuple[str, Parts]:
    """The code of a fault that is not about a label, and what to say about it."""
    q = engine.layout
    at = q.filters.time if fault == NO_TIME else q.annotator
    name, value = (q.names[at], values[f"c{at}"]) if at is not None else ("", None)
    comma = " (a decimal is written with a point: 0.35)" * ("," in (value or ""))
    in_sums: dict[int, tuple[str, Parts]] = {
        WEIGHT: ("no weight", ["sums are numbers from 0 on. Write the file again."]),
        SAME: ("same object", ["a pair has two different objects. Write it again."]),
    }
    faults: dict[int, tuple[str, Parts]] = {
        HEADER_AGAIN: (
            "header again",
            [
                "this line repeats the header. Were files joined? Delete the line; if "
                "these are objects, give ",
                *ITEMS,
            ],
        ),
        WEIGHT: (
            "no weight",
            [
                "weights are numbers from 0 to 1e200 (integers below 2^63). Correct "
                "it, or read without weights: ",
                Remedy("columns", {"weight": None}),
                ".",
            ],
        ),
        SAME: (
            "same object",
            [
                "an object is compared with itself, which says nothing. Correct it, or "
                "leave such rows out with ",
                Remedy("drop_degenerate", True),
                ".",
            ],
        ),
        NO_TIME: (
            "no response time",
            [
                f"the response time is not a number in column {name!r}{comma}. Fill it "
                "in, or leave such rows out with ",
                Remedy("drop", {name: None if value is None else value[:80]}),
                ".",
            ],
        ),
        ANNOTATOR: (
            "no annotator",
            [
                f"no {name!r}. Fill it in, leave such rows out with ",
                Remedy("drop", {name: value}),
                ", or read without annotators: ",
                Remedy("columns", {"annotator": None}),
                ".",
            ],
        ),
    }
    return (in_sums if q.form == "pairs" else faults)[fault]


def _about_label(
    engine: Engine, fault: int, values: dict[str, Any], others: Sequence[int]
) -> tuple[str, Parts]:
    """What to say about a label that is missing, or not among the items.

    others: the faults of rows that lack one in another column only.
    """
    q, items = engine.layout, engine.layout.options.labels
    at = q.shown[fault - LABEL]
    value = values[f"c{at}"]
    if at in q.made and not value:
        name, value = q.names[q.made[at]], values[f"c{q.made[at]}"]
        return "no label", [
            f"column {name!r} does not list all objects of the row. Correct it, or "
            "leave such rows out with ",
            Remedy("drop", {name: value}),
            ".",
        ]
    if value is not None and items is not None:
        # A blank: other labels that are not items are found before.
        return _unknown(q, at, [str(value)], str(value))
    such = {q.names[at]: value}
    for other in others:
        column = q.shown[other - LABEL]
        row, _ = first_row(engine, f"fault = {other}")
        such[q.names[column]] = row[f"c{column}"]
    more = ", ".join(map(repr, [*such][1:]))
    also = f", and in other rows none in {more}" if more else ""
    words = [text for text in such.values() if text and text.strip()]
    called: Parts = [f" If an object is truly called {w!r}, give " for w in words[:1]]
    return "no label", [
        f"no label in column {q.names[at]!r}{also}. Fill it in, or leave such rows out "
        "with ",
        Remedy("drop", such),
        ".",
        *called,
        *(ITEMS if words else []),
    ]
