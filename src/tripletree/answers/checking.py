"""What is wrong with a table of answers: found by numbers, said in words.

Every row has a `fault` (see `relation`). How many rows have which fault and say what is
counted, in memory or by the engine; only if something is wrong the table is read again,
for the first such row: its line, its values, and what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tripletree._checks import WHOLE_NUMBER, natural_order
from tripletree.answers import relation
from tripletree.answers.engines import Engine
from tripletree.answers.header import FORMS, left_over, listed, squashed
from tripletree.answers.labels import (
    DESCRIPTION,
    MOST_NAMED,
    check_spelling,
    image_file,
    is_missing,
    label_key,
    one_sided,
    plain_key,
    quoted_groups,
    some_labels,
    spelled_alike,
)
from tripletree.answers.questions import Questions, mixed_labels
from tripletree.answers.relation import (
    ANNOTATOR,
    HEADER_AGAIN,
    LABEL,
    SAME,
    STAY,
    UNDECIDED,
    WEIGHT,
    Reading,
)
from tripletree.answers.rules import (
    FROM_ZERO,
    NO_TIME,
    POSITIONS,
    TIE,
    Said,
    is_like_words,
    judged,
)
from tripletree.errors import InvalidComparisons, Remedy, refuse_if

Counts = Mapping[tuple[int, int], int]  # of rows, by fault and what they say
Refusal = Callable[..., InvalidComparisons]  # of what is wrong, and its code
MOST_TOTAL = 2.0**62  # integer sums stay exact below
NEARLY_ALL, SOME = 0.95, 0.5  # of the values of a column, if it is to be an answer
FEWEST = 10  # rows, in which labels are not those of their row by chance
ITEMS = (Remedy("items"), ", the labels of all objects.")


@dataclass(frozen=True)
class Outcome:
    """How rows are to be read, how many stay; what is left out, assumed, doubtful."""

    reading: Reading
    n_rows: int
    dropped: dict[str, int]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def looked(engine: Engine, with_labels: bool) -> dict[str, Any]:
    """What a first look at all rows shows, see `relation.first_look`."""
    if engine.questions.other is not None:
        _check_other(engine, engine.questions, engine.questions.other)
    q = engine.questions
    engine.questions = suspicious = _suspicious(engine)
    sql = engine.sql()
    query = relation.first_look(sql, suspicious, with_labels)
    found = engine.rows(sql, query)[0]
    filters = q.filters.counted(found)
    engine.questions = replace(q, doubtful=(), filters=filters)
    for at in suspicious.doubtful:
        holds = _held_by(found, at, len(q.shown), q.form)
        if holds:
            raise left_over(at, q.names, q.form, q.shown, q.name, f", holds {holds}")
    _check_filters(engine, found)
    kinds = {kind for name in found if name[0] == "k" for kind in found[name] or ()}
    _check_json(engine.questions.name, kinds)
    return found


def _suspicious(engine: Engine) -> Questions:
    """The questions, with those doubtful columns alone that may hold an answer.

    So the first rows say; only these columns are then looked at in all rows.
    """
    q = engine.questions
    if not q.doubtful:
        return q
    engine.questions = q.with_texts(q.doubtful)
    sql = engine.sql()
    found = engine.rows(sql, relation.sample(sql, engine.questions))[0]
    suspects = tuple(
        at
        for at in q.doubtful
        if _are_signs(found, at, SOME)
        or found[f"labels_{at}"] > SOME * found[f"values_{at}"]
    )
    return replace(q.with_texts(suspects), doubtful=suspects)


def _held_by(found: Mapping[str, Any], at: int, n_shown: int, form: str) -> str:
    """What a column holds that could be an answer; empty if it does not.

    One that repeats the column of an object says nothing new, unless it is the far one:
    if this is the object that was chosen, all rows are the wrong way round.
    """
    if found[f"minus_{at}"] and _are_signs(found, at, NEARLY_ALL):
        return "1 and -1"
    n, n_labels = found[f"values_{at}"], found[f"labels_{at}"]
    repeated = range(2 if form == "triplet" else n_shown)
    is_repeated = any(found[f"same{place}_{at}"] == n_labels for place in repeated)
    is_constant = found[f"first_{at}"] == found[f"last_{at}"]
    is_told = n >= FEWEST and n_labels >= NEARLY_ALL * n
    return "labels of its row" if is_told and not (is_constant or is_repeated) else ""


def _are_signs(found: Mapping[str, Any], at: int, share: float) -> bool:
    """Whether so many values of a column are 1 or -1, not counting 0, a tie."""
    n = found[f"values_{at}"] - found[f"zeros_{at}"]
    return bool(found[f"signs_{at}"] >= share * n)


def found_labels(engine: Engine, found: Mapping[str, Any]) -> list[str]:
    """The labels in their order: those given, or all that a first look has found."""
    q = engine.questions
    texts = {x for n in range(len(q.shown)) for x in found.get(f"s{n}") or ()}
    texts.discard(None)
    if q.form != "pairs":
        engine.questions = q = _named_by_images(q, texts)
        texts = {q.merged.get(text, text) for text in texts}
    if q.merges:
        said = {text for text in found.get("said") or () if text is not None}
        said = {text for text in said if not is_like_words(text)}
        engine.questions = q = _merged(q, texts, said)
        texts = {q.merged.get(text, text) for text in texts}
    if q.items is not None:
        unknown = sorted(texts - {*q.items})
        if unknown:
            raise unknown_labels(engine, unknown)
        return list(q.items)
    missing = {text for text in texts if q.form != "pairs" and is_missing(text)}
    texts -= missing
    check_spelling(texts, q.name)
    warnings = [*q.warnings]
    alike = [] if q.form == "pairs" else spelled_alike(texts)
    if alike:
        warnings.append(
            f"maybe one object in two spellings: {quoted_groups(alike)}. If so, "
            "merge_spellings=True (--merge-spellings) makes one of each."
        )
    if q.form in ("triplet", "choice") and found.get("s0"):
        targets, *others = (
            {q.merged.get(x, x) for x in found[f"s{n}"] or ()} & texts
            for n in range(len(q.shown))
        )
        text = one_sided(targets, others[0] | others[1], found["n_rows"])
        warnings += [text] if text else []
    engine.questions = replace(
        q, missing=tuple(sorted(missing)), warnings=tuple(warnings)
    )
    if q.is_text and any(text.startswith(DESCRIPTION) for text in texts):
        starts = f"1, {len(DESCRIPTION)}) = {{0}}"
        test = " OR ".join(f"substr(c{at}, {starts}" for at in q.shown)
        _, refusal = _first_row(engine, Reading(), test, [DESCRIPTION])
        why = (
            "no answer but Qualtrics's description of the columns. Delete this line, "
            "and the one with the texts of the questions, which follow the header."
        )
        raise refusal(why, code="description")
    return natural_order(texts)


def shows_images(engine: Engine) -> bool:
    """Whether labels among the first rows are the HTML of images."""
    sql, q = engine.sql(), engine.questions
    if q.are_whole:
        return False
    is_image = " OR ".join(f"c{at} LIKE '%<img%'" for at in q.shown)
    rows = f"SELECT * FROM answers LIMIT {relation.SAMPLE}"
    query = f"SELECT count(*) AS n FROM ({rows}) AS t WHERE {is_image}"
    return bool(engine.rows(sql, query)[0]["n"])


def _named_by_images(q: Questions, texts: set[str]) -> Questions:
    """The questions, with the files that labels show if they are HTML of images."""
    files = {text: image_file(text) for text in sorted(texts - {*(q.items or ())})}
    merged = {text: file for text, file in files.items() if file is not None}
    note = f"images are called by their files: {some_labels([*merged.values()])}"
    return replace(q, merged=merged, notes=(*q.notes, note)) if merged else q


def _merged(q: Questions, texts: set[str], said: set[str]) -> Questions:
    """The questions, with the label that each other spelling stands for.

    An item stays as it is; of other labels, the shortest spelling stays.
    """
    stay = [*(q.items or ()), *sorted(texts, key=lambda text: (len(text), text))]
    by_key: dict[str, str] = {}
    for label in stay:
        if not is_missing(label):
            by_key.setdefault(plain_key(label), label)
    merged = {
        text: by_key.get(plain_key(text), text)
        for text in sorted(texts | said)
        if not is_missing(text) and text not in (q.items or ())
    }
    merged = {text: label for text, label in merged.items() if text != label}
    images = {text: merged.get(file, file) for text, file in q.merged.items()}
    shown = [(text, label) for text, label in merged.items() if text in texts]
    note = f"merged spellings, the last of each stays: {quoted_groups(shown)}"
    notes = (*q.notes, note) if shown else q.notes
    return replace(q, merged=images | merged, notes=notes)


def first_reading(
    engine: Engine, found: Mapping[str, Any], labels: Sequence[str]
) -> Reading:
    """What is known before the rows are counted.

    Answers are taken for labels, until all of them have been seen.
    """
    q = engine.questions
    names = {label_key(q.names[at]) for at in q.shown}
    may_repeat = q.is_text and q.has_header and q.items is None
    may_repeat = may_repeat and names <= {*map(label_key, labels)}
    may_be = q.are_whole or any(label.strip() in POSITIONS for label in labels)
    is_whole = not found.get("n_not_whole")
    if q.weight is not None and q.kinds[q.weight] == "number":
        is_whole = False
    if q.form == "pairs":
        is_whole = q.kinds[2] == "whole"
    like_words = q.are_whole or any(map(is_like_words, labels))
    return Reading(None, is_whole, may_repeat, may_be, like_words)


def checked(engine: Engine, reading: Reading, counts: Counts) -> Outcome:
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
    labels = range(LABEL, LABEL + len(q.shown))
    for fault in (NO_TIME, HEADER_AGAIN, *labels, ANNOTATOR, WEIGHT):
        if by_fault[fault]:
            raise _about(engine, reading, fault, by_fault[fault])
    stay = {key: n for key, n in counts.items() if key[0] in STAY}
    dropped = {why: by_fault[n] for n, why in enumerate(q.filters.reasons, 1)}
    notes, n_same = q.all_notes, by_fault[SAME]
    if q.answer is not None:
        reading, notes = _judge(engine, reading, stay)
        ties = {
            key: n
            for key, n in stay.items()
            if Said.of(key[1]).choice(reading.start) == TIE
        }
        dropped["undecided"] = sum(ties.values())
        n_same -= sum(n for (fault, _), n in ties.items() if fault == SAME)
    if n_same and not q.drop_degenerate:
        raise _about(engine, reading, SAME, n_same)
    if n_same:
        dropped["degenerate"] = n_same
    warnings = (*q.warnings, *q.filters.idle)
    return Outcome(reading, sum(stay.values()), dropped, notes, warnings)


def numbered(engine: Engine) -> Outcome:
    """Look at all rows, refuse what is wrong, and let objects have ids.

    Raises
    ------
    InvalidComparisons
        If rows that stay lack a label or a weight, or are not understood.
    """
    found = looked(engine, with_labels=True)
    span = _span(engine, found)
    if engine.questions.are_whole and span is None:
        engine.questions = engine.questions.with_texts(engine.questions.shown)
        found = looked(engine, with_labels=True)
    labels = [] if span is not None else found_labels(engine, found)
    reading = first_reading(engine, found, labels)
    sql = engine.sql()
    rows = engine.rows(sql, relation.survey(sql, engine.questions, reading))
    counts = {(row["fault"], row["said"]): row["n"] for row in rows}
    outcome = checked(engine, reading, counts)
    if not outcome.n_rows:
        raise no_answers(engine.questions.name, outcome)
    total = sum(row.get("total") or 0 for row in rows if row["fault"] in STAY)
    refuse_if(
        reading.is_whole and total * 2 >= MOST_TOTAL,
        InvalidComparisons,
        f"{engine.questions.name}: weights add up to 2^61 or more: give smaller ones.",
        code="weights",
    )
    if span is not None:
        engine.number_from(*span)
    else:
        engine.number(labels)
    return outcome


def _span(engine: Engine, found: dict[str, Any]) -> tuple[int, int] | None:
    """The smallest and the largest label, if labels are integers in a range of ids.

    Those given must be consecutive: then ids are distances from the first of them.
    """
    lows = [found[name] for name in found if name.startswith("low")]
    if not lows or None in lows:
        return (0, 0) if lows else None  # all labels are missing
    low = min(lows)
    high = max(found[name] for name in found if name.startswith("high"))
    items = engine.questions.items
    if items is None:
        return (low, high) if high - low < 2**31 else None
    if not WHOLE_NUMBER.fullmatch(items[0]) or len(items[0]) > 18:
        return None
    first, last = int(items[0]), int(items[0]) + len(items) - 1
    is_consecutive = all(text == str(first + n) for n, text in enumerate(items))
    return (first, last) if is_consecutive and first <= low and high <= last else None


def no_answers(name: str, outcome: Outcome) -> InvalidComparisons:
    """The error about a table of which nothing is left."""
    left_out = ", ".join(f"{why}: {n}" for why, n in outcome.dropped.items() if n)
    but = f" but those left out ({left_out})" if left_out else ""
    message = f"{name} has no answers{but}: check the file and the options."
    message = " ".join([message, *outcome.warnings])
    return InvalidComparisons(message, code="no answers")


def unknown_labels(engine: Engine, labels: Sequence[object]) -> InvalidComparisons:
    """The error about labels that are none of the items."""
    shown, label = engine.questions.shown, labels[0]
    test = " OR ".join(f"c{at} = {{0}}" for at in shown)
    values, refusal = _first_row(engine, Reading(), test, [label])
    at = next(at for at in shown if values[f"c{at}"] == label)
    return _unknown(engine, at, [str(x) for x in labels], refusal)


def _unknown(
    engine: Engine, at: int, labels: Sequence[str], refusal: Refusal
) -> InvalidComparisons:
    q, label = engine.questions, labels[0]
    more = f" (others: {some_labels(labels[1:], MOST_NAMED - 1)})" if labels[1:] else ""
    return refusal(
        f"{label[:80]!r} in column {q.names[at]!r} is none of the {len(q.items or ())} "
        f"items{more}. Correct it, add it to the items, or leave such rows out with ",
        Remedy("drop", {q.names[at]: label[:80]}),
        ".",
        code="unknown label",
    )


def _first_row(
    engine: Engine,
    reading: Reading,
    test: str,
    given: Sequence[object] = (),
    n: int = 0,
) -> tuple[dict[str, Any], Refusal]:
    """The values of the first row for which a test holds, and an error about it.

    given: what stands for {0}, {1}, ... in the test; n: how many such rows there are.
    """
    q, sql = engine.questions, engine.sql()
    rows = relation.relation(sql, q, reading)
    row, values = engine.find(sql, rows, test.format(*map(sql.value, given)))
    shown = ", ".join(
        f"{q.names[at]} = {str(values[f'c{at}'])[:40]!r}"
        for at in q.used
        if at != q.trial and values[f"c{at}"] is not None
    )
    if row is None:  # engines on many machines do not count rows
        count = "a row is wrong" if n < 2 else f"{n} rows are wrong, one"
        where, place = f"{q.name}: {count} ({shown}): ", None
    else:
        file, place = engine.place(row)
        where = f"{file}, {place} ({shown}): "
    return values, partial(InvalidComparisons, where, place=place)


def _values(
    engine: Engine, reading: Reading, at: int, test: str = "TRUE", n_known: int = 0
) -> list[str]:
    """Different values of a column in rows for which a test holds; not all of many."""
    sql = engine.sql()
    rows = relation.relation(sql, engine.questions, reading)
    query = (
        f"SELECT DISTINCT c{at} AS value FROM {rows} WHERE {test} AND c{at} IS NOT "
        f"NULL ORDER BY 1 LIMIT {n_known + MOST_NAMED}"
    )
    return [str(row["value"]) for row in engine.rows(sql, query)]


def _about(engine: Engine, reading: Reading, fault: int, n: int) -> InvalidComparisons:
    """The error about the first of n rows that have a fault."""
    q = engine.questions
    values, refusal = _first_row(engine, reading, f"fault = {fault}", n=n)
    if fault == HEADER_AGAIN:
        again = "the header again. Were files put together? Delete the line; if these "
        return refusal(f"{again}are objects, give ", *ITEMS, code="header again")
    if fault == WEIGHT:
        if q.form == "pairs":
            wrong = "sums are numbers from 0 on. Write the file again."
            return refusal(wrong, code="no weight")
        return refusal(
            "weights are numbers from 0 to 1e200 (integers below 2^63). Correct it, or "
            "read without weights: ",
            Remedy("columns", {"weight": None}),
            ".",
            code="no weight",
        )
    if fault == SAME:
        if q.form == "pairs":
            wrong = "a pair has two different objects. Write the file again."
            return refusal(wrong, code="same object")
        return refusal(
            "an object is compared with itself, which says nothing. Correct it, or "
            "leave such rows out with ",
            Remedy("drop_degenerate", True),
            ".",
            code="same object",
        )
    at = {NO_TIME: q.filters.time, ANNOTATOR: q.annotator}.get(fault)
    at = q.shown[fault - LABEL] if at is None else at
    name, value = q.names[at], values[f"c{at}"]
    if fault == NO_TIME:
        has_comma = "," in (value or "")
        comma = " (a decimal is written with a point: 0.35)" if has_comma else ""
        return refusal(
            f"no response time that is a number in column {name!r}{comma}. Fill it in, "
            "or leave such rows out with ",
            Remedy("drop", {name: None if value is None else value[:80]}),
            ".",
            code="no response time",
        )
    if fault == ANNOTATOR:
        return refusal(
            f"no {name!r}. Fill it in, leave such rows out with ",
            Remedy("drop", {name: value}),
            ", or read without annotators: ",
            Remedy("columns", {"annotator": None}),
            ".",
            code="no annotator",
        )
    if at in q.made and not value:
        name, value = q.names[q.made[at]], values[f"c{q.made[at]}"]
        return refusal(
            f"column {name!r} does not list all objects of the row. Correct it, or "
            "leave such rows out with ",
            Remedy("drop", {name: value}),
            ".",
            code="no label",
        )
    if value is not None and q.items is not None:
        n_known = len(q.items)
        columns = [_values(engine, reading, at, n_known=n_known) for at in q.shown]
        unknown = {x for column in columns for x in column} - {*q.items, str(value)}
        return _unknown(engine, at, [str(value), *natural_order(unknown)], refusal)
    return refusal(
        f"no label in column {name!r}. Fill it in, or leave such rows out with ",
        Remedy("drop", {name: value}),
        f". If an object is truly called {value or ''!r}, give ",
        *ITEMS,
        code="no label",
    )


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
    raise InvalidComparisons(
        engine.questions.name,
        f": {one.reason} has the value {value!r:.80}, which is in no row. Among the "
        f"values there are {listed(values) or 'none'}: give one of them, or leave the "
        "value out.",
        code="no such value",
    )


def _check_json(name: str, kinds: set[str | None]) -> None:
    """JSON knows text and numbers: labels must be all of one kind."""
    kinds -= {None, "NULL"}
    others = sorted(str(kind) for kind in kinds - {"VARCHAR", "UBIGINT", "BIGINT"})
    refuse_if(
        bool(others),
        InvalidComparisons,
        f"{name}: a label is of the JSON type {', '.join(others)}: write labels as "
        'text, such as "7", or as integers below 2^63.',
        code="type of labels",
    )
    if "VARCHAR" in kinds and len(kinds) > 1:
        raise mixed_labels(name)


def _check_other(engine: Engine, ready: Questions, other: Questions) -> None:
    """Compare ready triplets with the question and the answer beside them.

    Objects may have two names, such as a number and a picture: then each number stands
    for one picture, in all rows.
    """
    engine.questions = other
    reading = first_reading(engine, looked(engine, with_labels=True), POSITIONS)
    sql = engine.sql()
    rows = engine.rows(sql, relation.survey(sql, other, reading))
    outcome = checked(engine, reading, {(x["fault"], x["said"]): x["n"] for x in rows})
    sql = engine.sql()
    rows = engine.rows(sql, relation.two_names(sql, ready, other, outcome.reading))
    wrong = _other_name((x["one"], x["two"]) for x in rows)
    names = {
        form: [q.names[at] for at in (*q.shown, q.answer) if at is not None]
        for form, q in (("triplet", ready), ("choice", other))
    }
    taken, asked = (", ".join(some) for some in names.values())
    if wrong is None and not outcome.dropped["undecided"]:
        note = f"{taken} are taken, and {asked} agree with them"
        if any(x["one"] != x["two"] for x in rows):
            note += ", with other names of the objects"
        engine.questions = replace(ready, other=None, notes=(*ready.notes, note))
        return
    test = f"fault = {UNDECIDED}"
    if wrong is not None:
        same = (f"c{at} = {{0}} AND p{n} = {{1}}" for n, at in enumerate(ready.shown))
        test = f"fault = 0 AND ({' OR '.join(same)})"
    _, refusal = _first_row(engine, outcome.reading, test, wrong or ())
    both = [
        Remedy("columns", dict(zip(FORMS[form], some, strict=True)))
        for form, some in names.items()
    ]
    why = f"{taken} say something else than {asked}. Correct it, or choose with "
    raise refusal(why, both[0], " or ", both[1], ".", code="two forms")


def _other_name(names: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The first two names that are not of one object, the most frequent names first."""
    pairs = list(names)
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    own = {two for _, two in pairs}
    for one, two in pairs:
        is_same = there.setdefault(one, two) == two and back.setdefault(two, one) == one
        if not is_same or (one in own and one != two):
            return one, two
    return None


def _judge(
    engine: Engine, reading: Reading, stay: Counts
) -> tuple[Reading, tuple[str, ...]]:
    """How answers are to be read, and what was assumed; refuse what is not known."""
    q = engine.questions
    assert q.answer is not None
    by_said: Counter[int] = Counter()
    for (_, said), n in stay.items():
        by_said[said] += n
    name = q.names[q.answer]
    verdict = judged(by_said, q.n_alternatives, squashed(name) in FROM_ZERO)
    if verdict.refused:
        numbers, kept = (", ".join(map(str, x)) for x in (verdict.refused, STAY))
        test = f"fault IN ({kept}) AND said IN ({numbers})"
        n = sum(by_said[number] for number in verdict.refused)
        values, refusal = _first_row(engine, reading, test, n=n)
        parts: list[str | Remedy] = [verdict.why]
        own = {str(values[f"c{q.answer}"])[:40]: ...}
        if verdict.code == "unknown answer":
            every = _values(engine, reading, q.answer, test)
            others = [one for one in every if one[:40] not in own][: MOST_NAMED - 1]
            own |= {one[:40]: ... for one in others}
            more = f"; others: {some_labels(others)}" if others else ""
            parts.append(f"{more}. Replace it by one of them")
        remedies = [Remedy("answer_words", words or own) for words in verdict.words]
        between = ["; say what they mean, ", ", or "]
        if verdict.code == "unknown answer":
            between = [", say what it means with "]
        parts += [x for two in zip(between, remedies, strict=False) for x in two]
        if verdict.code in ("two meanings", "unknown answer"):
            parts += [", or leave such rows out with ", Remedy("drop", {name: ...})]
        raise refusal(*parts, ".", code=verdict.code)
    notes = (verdict.note, *q.all_notes) if verdict.note else q.all_notes
    return replace(reading, start=verdict.start), notes
