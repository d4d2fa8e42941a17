"""Rows of answers on any engine of Ibis: what they say, and the ids of their objects.

Ids come from a join with the table *labels*, or, where labels are integers in a range
below 2^31, are the distances from the smallest one. The sums are in sums.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tripletree.comparisons.files.decoding import WHOLE
from tripletree.comparisons.files.filters import NO_TIME, NUMBER
from tripletree.comparisons.files.spoken import POSITIONS, TIE, TIE_WORDS, WORDS
from tripletree.engines.questions import Questions

SHIFT = 31  # ids are below 2^31
LARGEST = 1e200  # of a weight
TYPES = {"whole": "int64", "number": "float64", "text": "string"}
# Which of a row's first, second and third object make its near and far pairs.
SIDES = {
    "triplet": ((0, 1, True), (0, 2, False)),
    "quadruplet": ((0, 1, True), (2, 3, False)),
    "odd": ((0, 1, True), (0, 2, False), (1, 0, True), (1, 2, False)),
    "central": ((0, 2, True), (0, 1, False), (1, 2, True), (1, 0, False)),
    "pairs": ((0, 1, True),),
}


@dataclass(frozen=True)
class Reading:
    """What a first look at all rows has shown, which the sums depend on.

    by_number: answers are positions 1, 2, 3. whole: weights are integers. is_decided:
    no row is a tie, or compares an object with itself. lowest: the smallest label,
    where integers are their own ids; None where ids come from the table of labels.
    """

    by_number: bool = False
    whole: bool = True
    is_decided: bool = True
    lowest: int | None = None


def sides_of(form: str) -> tuple[tuple[int, int, bool], ...]:
    """The pairs that a row of this form makes: two places, and whether it is near."""
    return SIDES["triplet" if form == "choice" else form.split(" ")[0]]


def answers_table(questions: Questions) -> Any:
    """The table that an engine provides, by name and type only."""
    import ibis

    columns = {f"c{at}": TYPES[questions.kinds[at]] for at in questions.used}
    return ibis.table(columns, name="answers")


def read_rows(questions: Questions) -> Any:
    """The answers with x0, x1, ... (labels), reason, weight and the readings."""
    import ibis

    t = answers_table(questions)
    new = {}
    for n, at in enumerate(questions.shown):
        label = t[f"c{at}"]
        if questions.missing:
            is_missing = label.isin(questions.missing)
            label = is_missing.ifelse(ibis.null("string"), label)
        new[f"x{n}"] = label
    new["reason"] = _reason(questions, t)
    if questions.answer is not None:
        new |= _spoken(questions, t)
    if questions.weight is not None:
        new |= _weights(questions, t)
    return t.mutate(**new)


def _reason(questions: Questions, t: Any) -> Any:
    """The number of the reason to leave a row out, 0 if it stays."""
    import ibis

    filters = questions.filters
    branches = []
    for number, one in enumerate(filters.filters, 1):
        value = t[f"c{one.position}"]
        fits = value.isin(one.texts).fill_null(False) if one.texts else _false()
        if one.with_missing:
            fits = fits | (value.fill_null("") == "")
        branches.append((~fits if one.is_keep else fits, number))
    if filters.time is not None:
        text = t[f"c{filters.time}"]
        is_number = text.re_search(rf"\A({NUMBER})\z")
        seconds = is_number.ifelse(text, ibis.null("string")).try_cast("float64")
        branches.append((seconds.isnull(), NO_TIME))
        branches.append((seconds < filters.shortest, len(filters.filters) + 1))
    if not branches:
        return ibis.literal(0, "int64")
    return ibis.cases(*branches, else_=0).cast("int64")


def _false() -> Any:
    import ibis

    return ibis.literal(False)


def _spoken(questions: Questions, t: Any) -> dict[str, Any]:
    """The object (1, 2, 3) that an answer names in each of three ways.

    And whether a label of the row looks like a position.
    """
    import ibis

    answer = t[f"c{questions.answer}"]
    word = answer.strip().lower()
    shown = [t[f"c{at}"] for at in questions.alternatives]
    words = WORDS[len(shown)]
    by_label = [(answer == label, n) for n, label in enumerate(shown, 1)]
    by_word = [(word.isin(some), n) for n, some in enumerate(words, 1)]
    by_word += [(answer.isnull() | word.isin(TIE_WORDS), TIE)]
    like = [label.strip().isin(POSITIONS).fill_null(False) for label in shown]
    by_number = [(answer.strip() == str(n), n) for n in range(1, len(shown) + 1)]
    return {
        "by_label": ibis.cases(*by_label, else_=0),
        "by_word": ibis.cases(*by_word, else_=0),
        "by_number": ibis.cases(*by_number, else_=0),
        "is_like_position": ibis.or_(*like),
    }


def _weights(questions: Questions, t: Any) -> dict[str, Any]:
    """Weights as floats and as integers, and whether they are written as integers."""
    import ibis

    at = questions.weight
    assert at is not None
    value, kind = t[f"c{at}"], questions.kinds[at]
    if kind != "text":
        whole = ibis.literal(kind == "whole")
        return {"weight": value.cast("float64"), "exact": value, "is_whole": whole}
    is_whole = value.re_search(rf"\A({WHOLE})\z").fill_null(False)
    is_number = value.re_search(rf"\A({NUMBER})\z")
    number = is_number.ifelse(value, ibis.null("string"))
    exact = is_whole.ifelse(value.strip(), ibis.null("string")).try_cast("int64")
    return {
        "weight": number.try_cast("float64"),
        "exact": exact,
        "is_whole": is_whole,
    }


def is_missing(rows: Any, place: int) -> Any:
    """Whether a row that stays has no label at a place."""
    return (rows.reason == 0) & rows[f"x{place}"].isnull()


def is_wrong_weight(rows: Any, whole: bool) -> Any:
    """Whether a row that stays has a weight that is none."""
    value = rows.exact if whole else rows.weight
    fits = (value >= 0) & (value <= LARGEST)
    if not whole:
        fits = fits & ~rows.weight.isnan()
    return (rows.reason == 0) & ~fits.fill_null(False)


def is_self(questions: Questions, rows: Any) -> Any:
    """Whether a row that stays compares an object with itself."""
    kept = rows.reason == 0
    x = [rows[f"x{n}"] for n in range(len(questions.shown))]
    if questions.form == "pairs":
        return kept & (x[0] == x[1])
    if questions.form == "quadruplet":
        same = (x[0] == x[2]) & (x[1] == x[3])
        same = same | (x[0] == x[3]) & (x[1] == x[2])
        return kept & ((x[0] == x[1]) | (x[2] == x[3]) | same)
    return kept & ((x[0] == x[1]) | (x[0] == x[2]) | (x[1] == x[2]))


def is_header(questions: Questions, rows: Any) -> Any:
    """Whether a row that stays says what the header says, in all columns in use."""
    same = rows.reason == 0
    for at in questions.used:
        name = questions.names[at]
        says = rows[f"c{at}"].strip().isin([name, f"\ufeff{name}"])
        same = same & says.fill_null(False)
    return same


def choice(rows: Any, by_number: bool) -> Any:
    """The object chosen: 1, 2, 3 or a tie; 0 where that is not known."""
    other = rows.by_number if by_number else rows.by_label
    first = rows.by_word == TIE if by_number else rows.by_label == 0
    return first.ifelse(rows.by_word, other)


def is_differing(rows: Any) -> Any:
    """Whether an answer is the label of one object and a word for another's place."""
    both = (rows.by_label > 0) & (rows.by_word > 0) & (rows.by_word != TIE)
    return (rows.reason == 0) & both & (rows.by_label != rows.by_word)


def survey(questions: Questions) -> Any:
    """One row of counts about all rows: what is left out, missing and wrong."""
    import ibis

    rows = read_rows(questions)
    kept = rows.reason == 0
    counts: dict[str, Any] = {"n": rows.count(), "kept": kept.sum()}
    for number in range(1, len(questions.filters.reasons) + 1):
        counts[f"r{number}"] = (rows.reason == number).sum()
    counts["no_time"] = (rows.reason == NO_TIME).sum()
    for place, at in enumerate(questions.shown):
        counts[f"missing{place}"] = is_missing(rows, place).sum()
        if questions.kinds[at] == "whole":
            counts[f"low{place}"] = rows[f"x{place}"].min(where=kept)
            counts[f"high{place}"] = rows[f"x{place}"].max(where=kept)
    counts["same"] = is_self(questions, rows).sum()
    if questions.answer is not None:
        number = choice(rows, True)
        counts["ties"] = (kept & (rows.by_word == TIE) & (rows.by_label == 0)).sum()
        counts["ties_by_number"] = (kept & (rows.by_word == TIE)).sum()
        counts["unknown"] = (kept & (choice(rows, False) == 0)).sum()
        counts["no_number"] = (kept & (number == 0)).sum()
        counts["third"] = (kept & (number == 3)).sum()
        counts["like_position"] = (kept & rows.is_like_position).sum()
        counts["other_number"] = (kept & (number != choice(rows, False))).sum()
        counts["differing"] = is_differing(rows).sum()
    if questions.weight is not None:
        counts["not_whole"] = (kept & ~rows.is_whole).sum()
        counts["wrong"] = is_wrong_weight(rows, False).sum()
        counts["wrong_whole"] = is_wrong_weight(rows, True).sum()
        counts["total"] = rows.weight.sum(where=kept)
    if questions.form == "pairs":
        near, far = rows.c2, rows.c3
        totals = [side.cast("float64").sum() for side in (near, far)]
        counts["total"] = ibis.greatest(*totals)
        counts["wrong"] = (~((near >= 0) & (far >= 0))).fill_null(True).sum()
    return rows.aggregate(**counts)


def one_row(questions: Questions, is_wrong: Any) -> Any:
    """The columns of one row for which something holds, for a message."""
    rows = read_rows(questions)
    return rows.filter(is_wrong(rows))[[f"c{at}" for at in questions.used]].limit(1)


def occurring(questions: Questions, position: int, texts: list[str]) -> Any:
    """Which of some texts occur in a column."""
    t = answers_table(questions)
    found = t.select(text=t[f"c{position}"])
    return found.filter(found.text.isin(texts)).distinct()


def objects(questions: Questions) -> Any:
    """The different labels of the rows that stay."""
    rows = read_rows(questions)
    kept = rows.filter(rows.reason == 0)
    parts = [kept.select(label=kept[f"x{n}"]) for n in range(len(questions.shown))]
    found = parts[0].distinct()
    for part in parts[1:]:
        found = found.union(part.distinct())
    return found.distinct()


def labels_table(questions: Questions) -> Any:
    """The table of labels and ids, by name and type only."""
    import ibis

    kind = TYPES[questions.kinds[questions.shown[0]]]
    return ibis.table({"label": kind, "id": "int64"}, name="labels")


def numbered(questions: Questions, reading: Reading) -> Any:
    """The rows that stay, with the ids o0, o1, ... of their objects."""
    rows = read_rows(questions)
    if questions.filters.positions:
        rows = rows.filter(rows.reason == 0)
    names = [f"x{n}" for n in range(len(questions.shown))]
    if reading.lowest is not None:
        ids = {f"o{n}": rows[x] - reading.lowest for n, x in enumerate(names)}
        return rows.mutate(**ids)
    for n, x in enumerate(names):
        labels = labels_table(questions).rename({f"label{n}": "label", f"o{n}": "id"})
        rows = rows.join(labels, rows[x] == labels[f"label{n}"])
    return rows


def in_order(questions: Questions, reading: Reading) -> tuple[Any, list[Any], Any]:
    """The rows, their objects as SIDES counts them, and whether a row is decided."""
    rows = numbered(questions, reading)
    o = [rows[f"o{n}"] for n in range(len(questions.shown))]
    decided = None
    if not reading.is_decided:
        decided = ~is_self(questions, rows)
    if questions.answer is None:
        return rows, o, decided
    chosen = choice(rows, reading.by_number)
    if decided is not None:
        decided = decided & (chosen != TIE)
    if questions.form == "choice":
        near = (chosen == 1).ifelse(o[1], o[2])
        far = (chosen == 1).ifelse(o[2], o[1])
        return rows, [o[0], near, far], decided
    one = (chosen == 1).ifelse(o[1], o[0])
    two = (chosen == 3).ifelse(o[1], o[2])
    marked = (chosen == 1).ifelse(o[0], (chosen == 2).ifelse(o[1], o[2]))
    return rows, [one, two, marked], decided
