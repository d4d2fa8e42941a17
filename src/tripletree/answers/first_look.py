"""What must be known of all rows before objects have ids: one query says it.

Which labels there are, and which of them are spellings of one object; what filters and
doubtful columns hold; whether weights are integers. Some programs write ready triplets
beside the question and the answer they were made of: these are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tripletree._checks import WHOLE_NUMBER, natural_order
from tripletree.answers import relation
from tripletree.answers.answer_rules import POSITIONS, is_like_words
from tripletree.answers.checking import count_and_check, first_row, unknown_labels
from tripletree.answers.engines import Engine
from tripletree.answers.header import FORMS, some_names
from tripletree.answers.labels import (
    DESCRIPTION,
    by_length,
    check_spelling,
    image_file,
    is_missing,
    label_key,
    one_negative,
    one_sided,
    plain_key,
    quoted_groups,
    some_labels,
    spelled_alike,
)
from tripletree.answers.layout import MIXED_LABELS, Layout
from tripletree.answers.unused_columns import check_contents, may_hold_answers
from tripletree.errors import InvalidComparisons, Remedy, refuse_if

MOST_VALUES = 12  # of a column, in a message
MOST_TOTAL = 2.0**62  # integer sums stay exact below


def look(engine: Engine) -> dict[str, Any]:
    """What a first look at all rows shows, see `relation.first_look`."""
    q = engine.layout
    suspects: tuple[int, ...] = ()
    if q.doubtful:
        engine.layout = q.with_texts(q.doubtful)
        (found,) = engine.rows(relation.look_at_doubtful)
        suspects = tuple(at for at in q.doubtful if may_hold_answers(found, at))
    engine.layout = replace(q.with_texts(suspects), doubtful=suspects)
    (found,) = engine.rows(relation.first_look)
    check_contents(engine.layout, found)
    notes, warnings = q.filters.notes(found), q.filters.warnings(found)
    notes += [
        f"{q.names[at][:40]}: 1,200 is taken as 1.2 (a decimal comma, as columns are "
        "separated by semicolons)"
        for at in q.with_commas
        if found[f"thousands_{at}"] and not found[f"others_{at}"]
    ]
    engine.layout = replace(q, doubtful=()).noting(*notes).warning(*warnings)
    _check_filters(engine, found)
    kinds = {kind for name in found if name[0] == "k" for kind in found[name] or ()}
    _check_json(q.name, kinds - {None, "NULL"})
    return found


def _check_filters(engine: Engine, found: Mapping[str, Any]) -> None:
    """Refuse to drop or keep a value that occurs nowhere."""
    for one, value in engine.layout.filters.unmatched(found):
        rows = engine.rows(relation.values, one.position, "TRUE", MOST_VALUES)
        some = some_names([str(row["value"]) for row in rows]) or "none"
        empty = " A cell without a value is None." if value == "" else ""
        raise InvalidComparisons(
            engine.layout.name,
            f": {one.reason} has the value {value!r:.80}, which is in no row. Among "
            f"the values there are {some}: give one of them, or leave the value out."
            f"{empty}",
            code="no such value",
        )


def _check_json(name: str, kinds: set[str]) -> None:
    """JSON knows text and numbers: labels must be all of one kind."""
    others = sorted(kinds - {"VARCHAR", "UBIGINT", "BIGINT"})
    refuse_if(
        bool(others),
        InvalidComparisons,
        f"{name}: a label is of the JSON type {', '.join(others)}: write labels as "
        'text, such as "7", or as integers below 2^63.',
        code="type of labels",
    )
    refuse_if(
        "VARCHAR" in kinds and len(kinds) > 1,
        InvalidComparisons,
        name,
        MIXED_LABELS,
        code="mixed labels",
    )


def find_labels(engine: Engine, found: Mapping[str, Any]) -> list[str]:
    """The labels in their order: those given, or all that a first look has found."""
    n_shown = len(engine.layout.shown)
    columns = [{*(found.get(f"s{n}") or ())} - {None} for n in range(n_shown)]
    said = {*(found.get("said") or ())} - {None}
    q = _merge_labels(engine, set().union(*columns), said)
    columns = [{q.merged.get(text, text) for text in column} for column in columns]
    texts = set().union(*columns)
    engine.layout, items = q, q.options.labels
    if items is not None:
        blank = {text for text in texts - {*items} if not text.strip()}
        unknown = sorted(texts - {*items} - blank)
        if unknown:
            raise unknown_labels(engine, unknown)
        engine.layout = replace(q, missing=tuple(sorted(blank)))
        return list(items)
    missing = set() if q.form == "pairs" else {*filter(is_missing, texts)}
    texts -= missing
    check_spelling(texts, q.name)
    alike = [] if q.form == "pairs" else spelled_alike(texts)
    if alike:
        q = q.warning(
            f"maybe one object in two spellings: {quoted_groups(alike)}. If so, "
            "merge_spellings=True (--merge-spellings) makes one of each."
        )
    if q.form in ("triplet", "choice") and columns[0]:
        targets, others = columns[0] & texts, (columns[1] | columns[2]) & texts
        q = q.warning(
            one_sided(others - targets, targets - others, len(texts), found["n_rows"])
        )
    q = q.warning("" if q.form == "pairs" else one_negative(texts))
    engine.layout = replace(q, missing=tuple(sorted(missing)))
    if q.text is not None and any(text.startswith(DESCRIPTION) for text in texts):
        start = f"1, {len(DESCRIPTION)}"
        test = " OR ".join(f"substr(c{at}, {start}) = {{0}}" for at in q.shown)
        _, refusal = first_row(engine, test, [DESCRIPTION])
        why = (
            "not an answer but Qualtrics's description of the columns. Delete this "
            "line, and the one with the texts of the questions; both follow the header."
        )
        raise refusal(why, code="description")
    return natural_order(texts)


def find_names(engine: Engine, found: Mapping[str, Any]) -> list[str] | None:
    """The names of annotators in their order, of those that a first look has found."""
    q, texts = engine.layout, {*(found.get("names") or ())} - {None}
    unnamed = {*filter(is_missing, texts)}
    engine.layout = replace(q, unnamed=tuple(sorted(unnamed)))
    return None if q.annotator is None else natural_order(texts - unnamed)


def _merge_labels(engine: Engine, texts: set[str], said: set[str]) -> Layout:
    """The layout, with the label that each other text stands for.

    The HTML of an image stands for its file; with `merge_spellings`, one spelling for
    another. An item stays as it is; of other labels, the most frequent spelling stays,
    and of equally frequent ones the shortest.
    """
    q = engine.layout
    if q.form == "pairs":
        return q
    items = q.options.labels or ()
    files = {text: image_file(text) for text in sorted(texts - {*items})}
    images = {text: file for text, file in files.items() if file}
    if images:
        named = [*dict.fromkeys(images.values())]
        note = f"images are named by their files: {some_labels(named)}"
        q = replace(q, merged=images).noting(note)
    if not q.options.merge_spellings:
        return q
    texts = {images.get(text, text) for text in texts}
    said = {text for text in said if not is_like_words(text)}
    counts: Counter[str] = Counter()
    for row in engine.rows(relation.count_labels) if spelled_alike(texts) else ():
        counts[images.get(row["label"], row["label"])] += row["n"]
    order = sorted(texts, key=lambda label: (-counts[label], *by_length(label)))
    by_key: dict[str, str] = {}
    for label in (*items, *order):
        if not is_missing(label):
            by_key.setdefault(plain_key(label), label)
    merged = {
        text: by_key.get(plain_key(text), text)
        for text in sorted(texts | said)
        if not is_missing(text) and text not in items
    }
    merged = {text: label for text, label in merged.items() if text != label}
    shown = [(text, label) for text, label in merged.items() if text in texts]
    if shown:
        groups = quoted_groups(shown, " becomes ")
        q = q.noting(f"merged spellings: {groups}")
    images = {text: merged.get(file, file) for text, file in images.items()}
    return replace(q, merged=images | merged)


def prepare_counting(
    engine: Engine, found: Mapping[str, Any], labels: Sequence[str]
) -> None:
    """Set what the relation must know before its rows are counted.

    Answers are taken for labels, until all of them have been seen.
    """
    q = engine.layout
    names = {label_key(q.names[at]) for at in q.shown}
    may_repeat = q.text is not None and q.text.has_header and q.options.labels is None
    weights = 2 if q.form == "pairs" else q.weight
    are_floats = weights is not None and q.kinds[weights] == "number"
    engine.layout = replace(
        q,
        is_whole=not are_floats and not found.get("n_not_whole"),
        may_repeat_header=may_repeat and names <= {*map(label_key, labels)},
        may_be_words=q.are_whole or any(map(is_like_words, labels)),
    )


def compare_forms(engine: Engine) -> None:
    """Refuse ready triplets that the question and the answer beside them contradict.

    Objects may have two names, such as a number and a picture: then each number stands
    for one picture, in all rows.
    """
    ready, asked = engine.layout, engine.layout.other
    if asked is None:
        return
    engine.layout = asked
    prepare_counting(engine, look(engine), POSITIONS)
    _, dropped = count_and_check(engine)
    rows = engine.rows(relation.two_names, ready)
    wrong = _contradiction((x["one"], x["two"]) for x in rows)
    names = {
        form: [q.names[at] for at in (*q.shown, q.answer) if at is not None]
        for form, q in (("triplet", ready), ("choice", asked))
    }
    first, second = (", ".join(some) for some in names.values())
    if wrong is None and not dropped["undecided"]:
        note = f"{first} are taken, and {second} agree with them"
        if any(x["one"] != x["two"] for x in rows):
            note += ", with other names of the objects"
        engine.layout = replace(ready, other=None).noting(note)
        return
    test = f"fault = {relation.UNDECIDED}"
    if wrong is not None:
        same = (f"c{at} = {{0}} AND p{n} = {{1}}" for n, at in enumerate(ready.shown))
        test = f"fault = 0 AND ({' OR '.join(same)})"
    _, refusal = first_row(engine, test, wrong or ())
    both = [
        Remedy("columns", dict(zip(FORMS[form], some, strict=True)))
        for form, some in names.items()
    ]
    why = f"{first} contradict {second}. Correct the row, or choose with "
    raise refusal(why, both[0], " or ", both[1], ".", code="two forms")


def _contradiction(names: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
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


def number_objects(engine: Engine) -> tuple[int, dict[str, int]]:
    """Look at all rows, refuse what is wrong, and let objects have ids.

    Returns how many rows are about objects, and how many are left out, by reason.

    Raises
    ------
    InvalidComparisons
        If rows that stay lack a label or a weight, or are not understood.
    """
    compare_forms(engine)
    before = engine.layout
    found = look(engine)
    span = _span(before, found)
    if before.are_whole and span is None:
        answer = [] if before.answer is None else [before.answer]  # it names a label
        engine.layout = before.with_texts([*before.shown, *answer])
        found = look(engine)
    labels = [] if span is not None else find_labels(engine, found)
    prepare_counting(engine, found, labels)
    if span is not None and span[0] < 0 and before.options.labels is None:
        engine.layout = engine.layout.warning(_one_negative(engine))
    rows, dropped = count_and_check(engine)
    stay = [row for row in rows if row["fault"] in relation.STAY]
    n_rows = sum(row["n"] for row in stay)
    if not n_rows:
        raise no_answers(engine.layout, dropped)
    refuse_if(
        engine.layout.is_whole
        and sum(row.get("total") or 0 for row in stay) * 2 >= MOST_TOTAL,
        InvalidComparisons,
        f"{before.name}: weights add up to 2^61 or more: give smaller ones.",
        code="weights",
    )
    if span is not None:
        engine.number_from(*span)
    else:
        engine.number(labels)
    return n_rows, dropped


def _one_negative(engine: Engine) -> str:
    """A warning of the only negative label, where labels are integers."""
    q = engine.layout
    stays = f"fault IN ({', '.join(map(str, relation.STAY))})"
    tests = [(at, f"c{at} {sign} 0 AND {stays}") for at in q.shown for sign in "<>"]
    found = [engine.rows(relation.values, at, test, 2) for at, test in tests]
    return one_negative({str(row["value"]) for rows in found for row in rows})


def _span(q: Layout, found: Mapping[str, Any]) -> tuple[int, int] | None:
    """The smallest and the largest label, if labels are integers in a range of ids.

    Those given must be consecutive: then ids are distances from the first of them.
    """
    lows = [found[name] for name in found if name.startswith("low")]
    if not lows or None in lows:
        return (0, 0) if lows else None  # all labels are missing
    low = min(lows)
    high = max(found[name] for name in found if name.startswith("high"))
    items = q.options.labels
    if items is None:
        return (low, high) if high - low < 2**31 else None
    if not WHOLE_NUMBER.fullmatch(items[0]) or len(items[0]) > 18:
        return None
    first, last = int(items[0]), int(items[0]) + len(items) - 1
    is_consecutive = all(text == str(first + n) for n, text in enumerate(items))
    return (first, last) if is_consecutive and first <= low and high <= last else None


def no_answers(layout: Layout, dropped: Mapping[str, int]) -> InvalidComparisons:
    """The error about a table of which nothing is left."""
    left_out = ", ".join(f"{why}: {n}" for why, n in dropped.items() if n)
    but = f" but those left out ({left_out})" if left_out else ""
    return InvalidComparisons(
        f"{layout.name} has no answers{but}: check the file and the options.",
        *(f" {warning}" for warning in layout.warnings),
        code="no answers",
    )
