"""Ids for the objects of a table on an engine, once its rows have been checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tripletree._checks import WHOLE_NUMBER
from tripletree.answers import relation
from tripletree.answers.checking import check_faults
from tripletree.answers.engines import Engine
from tripletree.answers.first_look import find_labels, look, prepare_counting
from tripletree.answers.layout import Layout
from tripletree.answers.two_forms import compare_forms
from tripletree.errors import InvalidComparisons, refuse_if

MOST_TOTAL = 2.0**62  # integer sums stay exact below


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
    found = look(engine, with_labels=True)
    span = _span(before, found)
    if before.are_whole and span is None:
        engine.layout = before.with_texts(before.shown)
        found = look(engine, with_labels=True)
    labels = [] if span is not None else find_labels(engine, found)
    prepare_counting(engine, found, labels)
    rows = engine.rows(relation.count_faults)
    stay = [row for row in rows if row["fault"] in relation.STAY]
    dropped = check_faults(engine, {(x["fault"], x["said"]): x["n"] for x in rows})
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
    message = f"{layout.name} has no answers{but}: check the file and the options."
    return InvalidComparisons(" ".join([message, *layout.warnings]), code="no answers")
