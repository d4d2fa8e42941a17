"""What must be known of all rows before objects have ids: one query says it.

Which labels there are, and which of them are spellings of one object; what filters and
doubtful columns hold; whether weights are integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tripletree._checks import natural_order
from tripletree.answers import relation
from tripletree.answers.answer_rules import POSITIONS, is_like_words
from tripletree.answers.checking import first_row, unknown_labels
from tripletree.answers.engines import Engine
from tripletree.answers.header import some_names
from tripletree.answers.labels import (
    DESCRIPTION,
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
from tripletree.answers.layout import Layout, mixed_labels
from tripletree.answers.sql import Sql
from tripletree.answers.unused_columns import SAMPLE, check_contents, may_hold_answers
from tripletree.errors import InvalidComparisons, refuse_if


def look(engine: Engine, with_labels: bool) -> dict[str, Any]:
    """What a first look at all rows shows, see `relation.first_look`."""
    q = engine.layout
    suspects: Sequence[int] = ()
    if q.doubtful:
        engine.layout = q.with_texts(q.doubtful)
        (found,) = engine.rows(relation.look_at_doubtful)
        suspects = [at for at in q.doubtful if may_hold_answers(found, at)]
    engine.layout = replace(q.with_texts(suspects), doubtful=tuple(suspects))
    (found,) = engine.rows(relation.first_look, with_labels)
    check_contents(engine.layout, found)
    notes, warnings = q.filters.notes(found), q.filters.warnings(found)
    engine.layout = replace(q, doubtful=()).noting(*notes).warning(*warnings)
    _check_filters(engine, found)
    kinds = {kind for name in found if name[0] == "k" for kind in found[name] or ()}
    _check_json(q.name, kinds - {None, "NULL"})
    return found


def _check_filters(engine: Engine, found: Mapping[str, Any]) -> None:
    """Refuse to drop or keep a value that occurs nowhere."""
    unmatched = engine.layout.filters.unmatched(found)
    if unmatched is None:
        return
    one, value = unmatched
    values = [str(row["text"]) for row in engine.rows(_some_values, one.position)]
    raise InvalidComparisons(
        engine.layout.name,
        f": {one.reason} has the value {value!r:.80}, which is in no row. Among the "
        f"values there are {some_names(values) or 'none'}: give one of them, or leave "
        "the value out.",
        code="no such value",
    )


def _some_values(sql: Sql, layout: Layout, at: int) -> str:
    return (
        f"SELECT DISTINCT c{at} AS text FROM answers WHERE c{at} IS NOT NULL ORDER BY "
        "1 LIMIT 12"
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
    if "VARCHAR" in kinds and len(kinds) > 1:
        raise mixed_labels(name)


def find_labels(engine: Engine, found: Mapping[str, Any]) -> list[str]:
    """The labels in their order: those given, or all that a first look has found."""
    columns = [
        {x for x in found.get(f"s{n}") or () if x is not None}
        for n in range(len(engine.layout.shown))
    ]
    said = {text for text in found.get("said") or () if text is not None}
    q = _merge_labels(engine.layout, set().union(*columns), said)
    columns = [{q.merged.get(text, text) for text in column} for column in columns]
    texts = set().union(*columns)
    engine.layout, items = q, q.options.labels
    if items is not None:
        unknown = sorted(texts - {*items})
        if unknown:
            raise unknown_labels(engine, unknown)
        return list(items)
    missing = {text for text in texts if q.form != "pairs" and is_missing(text)}
    texts -= missing
    check_spelling(texts, q.name)
    alike = [] if q.form == "pairs" else spelled_alike(texts)
    warning = (
        f"maybe one object in two spellings: {quoted_groups(alike)}. If so, "
        "merge_spellings=True (--merge-spellings) makes one of each."
    )
    q = q.warning(warning if alike else "")
    if q.form in ("triplet", "choice") and columns[0]:
        targets, *others = (column & texts for column in columns)
        q = q.warning(one_sided(targets, others[0] | others[1], found["n_rows"]))
    engine.layout = replace(q, missing=tuple(sorted(missing)))
    if q.text is not None and any(text.startswith(DESCRIPTION) for text in texts):
        starts = f"1, {len(DESCRIPTION)}) = {{0}}"
        test = " OR ".join(f"substr(c{at}, {starts}" for at in q.shown)
        _, refusal = first_row(engine, test, [DESCRIPTION])
        why = (
            "not an answer but Qualtrics's description of the columns. Delete this "
            "line, and the one with the texts of the questions; both follow the header."
        )
        raise refusal(why, code="description")
    return natural_order(texts)


def shows_images(engine: Engine) -> bool:
    """Whether labels among the first rows are the HTML of images."""
    return not engine.layout.are_whole and bool(engine.rows(_count_images)[0]["n"])


def _count_images(sql: Sql, layout: Layout) -> str:
    is_image = " OR ".join(f"c{at} LIKE '%<img%'" for at in layout.shown)
    rows = f"SELECT * FROM answers LIMIT {SAMPLE}"
    return f"SELECT count(*) AS n FROM ({rows}) AS t WHERE {is_image}"


def _merge_labels(q: Layout, texts: set[str], said: set[str]) -> Layout:
    """The layout, with the label that each other text stands for.

    The HTML of an image stands for its file; with `merge_spellings`, one spelling for
    another. An item stays as it is; of other labels, the shortest spelling stays.
    """
    items = q.options.labels or ()
    files = {text: image_file(text) for text in sorted(texts - {*items})}
    images = {x: file for x, file in files.items() if file and q.form != "pairs"}
    note = f"images are called by their files: {some_labels([*images.values()])}"
    q = replace(q, merged=images).noting(note) if images else q
    if not q.options.merge_spellings:
        return q
    texts = {images.get(text, text) for text in texts}
    said = {text for text in said if not is_like_words(text)}
    by_key: dict[str, str] = {}
    for label in (*items, *sorted(texts, key=lambda text: (len(text), text))):
        if not is_missing(label):
            by_key.setdefault(plain_key(label), label)
    merged = {
        text: by_key.get(plain_key(text), text)
        for text in sorted(texts | said)
        if not is_missing(text) and text not in items
    }
    merged = {text: label for text, label in merged.items() if text != label}
    shown = [(text, label) for text, label in merged.items() if text in texts]
    note = f"merged spellings, the last of each stays: {quoted_groups(shown)}"
    images = {text: merged.get(file, file) for text, file in images.items()}
    return replace(q, merged=images | merged).noting(*([note] if shown else []))


def prepare_counting(
    engine: Engine, found: Mapping[str, Any], labels: Sequence[str]
) -> None:
    """Set what the relation must know before its rows are counted.

    Answers are taken for labels, until all of them have been seen.
    """
    q = engine.layout
    names = {label_key(q.names[at]) for at in q.shown}
    may_repeat = q.text is not None and q.text.has_header and q.options.labels is None
    is_whole = not found.get("n_not_whole")
    if q.weight is not None and q.kinds[q.weight] == "number":
        is_whole = False
    if q.form == "pairs":
        is_whole = q.kinds[2] == "whole"
    engine.layout = replace(
        q,
        is_whole=is_whole,
        may_repeat_header=may_repeat and names <= {*map(label_key, labels)},
        may_be_position=q.are_whole or any(x.strip() in POSITIONS for x in labels),
        may_be_words=q.are_whole or any(map(is_like_words, labels)),
    )
