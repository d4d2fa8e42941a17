"""Columns that nothing looks at, and that could change what the rows say.

With i, j, k and a response of -1, the near object may be k. Some columns show it by
their names. Others show it by their values: 1 and -1, or labels of their own row. The
first rows say which columns may hold these; only they are looked at in all rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tripletree.answers.header import (
    ANSWERS,
    FORMS,
    ROLES,
    check_columns,
    plain_name,
)
from tripletree.answers.labels import MISSING
from tripletree.answers.layout import Layout
from tripletree.answers.sql import Sql, count_if
from tripletree.errors import InvalidComparisons, Remedy

NAMES = {  # of columns that change what a row says
    "answer": (
        f"{ANSWERS} answers responses decision judgement judgment outcome y sign resp "
        "result results picked pick selection preferred preference verdict reply vote"
    ),
    "tie": "tie ties tied istie undecided isundecided",
    "count": "count counts n votes nvotes freq frequency",
    "correct": "correct iscorrect",
    "flipped": (
        "flipped isflipped flip reversed isreversed reverse swapped isswapped swap"
    ),
}
SAMPLE = 1_000  # rows, by which a column may be seen to hold answers
SIGNS = ("-1", "-1.0", "1", "1.0", "+1")
ZEROS = ("0", "0.0", "-0.0")
NEARLY_ALL, SOME = 0.95, 0.5  # of the values of a column, if it is to be an answer
FEWEST = 10  # rows, in which labels are not those of their row by chance


def check_names(layout: Layout) -> Layout:
    """Refuse a column whose name says that it could turn an answer round.

    Where the objects are given, or a filter looks at the column, that is decided.
    """
    given = check_columns(layout.options.columns)
    decided = {"count"} if "weight" in given else set()
    if layout.answer is not None:
        decided |= {"answer", "correct", "flipped"}
    is_decided = layout.form == "pairs" or any(role in ROLES for role in given)
    kinds = {
        name: kind for kind in NAMES.keys() - decided for name in NAMES[kind].split()
    }
    for at in () if is_decided else layout.unused:
        kind = kinds.get(plain_name(layout.names[at]))
        if kind is not None:
            raise unused_column(layout, at, kind=kind)
    return layout


def unused_column(
    layout: Layout, at: int, holds: str = "", kind: str = "answer"
) -> InvalidComparisons:
    """The error about a column that nothing looks at, and what it holds."""
    used = [*layout.shown, *([] if layout.answer is None else [layout.answer])]
    shown = [layout.names[one][:40] for one in used]
    name = layout.names[at][:80]
    asked = dict(zip(("target", "left", "right"), shown, strict=False))
    order = ["Put the objects of each row in the order that the answer says."]
    closer = [
        "If it names the closer object, or its side, give ",
        Remedy("columns", asked | {"answer": name[:40]}),
        "; if it is a number such as -1, put the closer object first.",
    ]
    advice: dict[str, list[str | Remedy]] = {
        "answer": [*(closer if layout.form == "triplet" else order)],
        "count": [
            "If it counts equal answers, give ",
            Remedy("columns", {"weight": name}),
            ".",
        ],
        "flipped": ["Where it says so, swap the near and the far object in the file."],
    }
    rows = [
        "Choose the rows to read by it, with ",
        Remedy("drop", {name: ...}),
        " or ",
        Remedy("keep"),
        ".",
    ]
    return InvalidComparisons(
        layout.name,
        f": column {name!r:.80} is not used{holds}, and could change what the rows "
        "say. ",
        *advice.get(kind, rows),
        " If it does not matter, name the columns that do: ",
        Remedy("columns", dict(zip(FORMS[layout.form], shown, strict=True))),
        ".",
        code="unused column",
    )


def contents(sql: Sql, layout: Layout) -> dict[str, str]:
    """SQL for what doubtful columns hold: how many values, and how many of a kind.

    signs: -1 and 1; minus: -1; zeros: 0; labels: of their row; same0, same1, ...: as
    in the column of the first object, of the second, ...; first and last: by alphabet.
    """
    labels = [f"CAST(c{one} AS {sql.text_type})" for one in layout.shown]
    select: dict[str, str] = {}
    for at in layout.doubtful:
        value = f"trim(c{at})"
        tests = {
            "values": f"NOT {sql.is_in(value, MISSING)} AND c{at} IS NOT NULL",
            "signs": sql.is_in(value, SIGNS),
            "minus": sql.is_in(value, SIGNS[:2]),
            "zeros": sql.is_in(value, ZEROS),
            "labels": f"c{at} IN ({', '.join(labels)})",
        }
        tests |= {f"same{n}": f"c{at} = {label}" for n, label in enumerate(labels)}
        one = f"CASE WHEN {tests['values']} THEN {value} END"
        select |= {f"first_{at}": f"min({one})", f"last_{at}": f"max({one})"}
        select |= {f"{name}_{at}": count_if(test) for name, test in tests.items()}
    return select


def may_hold_answers(found: Mapping[str, Any], at: int) -> bool:
    """Whether a column may hold answers, by its first rows."""
    are_labels = found[f"labels_{at}"] > SOME * found[f"values_{at}"]
    return bool(are_labels) or _are_signs(found, at, SOME)


def check_contents(layout: Layout, found: Mapping[str, Any]) -> None:
    """Refuse a column whose values could be answers.

    One that repeats the column of an object says nothing new, unless it is the far one:
    if this is the object that was chosen, all rows are the wrong way round.
    """
    for at in layout.doubtful:
        if found[f"minus_{at}"] and _are_signs(found, at, NEARLY_ALL):
            raise unused_column(layout, at, ", holds 1 and -1")
        n, n_labels = found[f"values_{at}"], found[f"labels_{at}"]
        repeated = range(2 if layout.form == "triplet" else len(layout.shown))
        is_repeated = any(found[f"same{place}_{at}"] == n_labels for place in repeated)
        is_constant = found[f"first_{at}"] == found[f"last_{at}"]
        is_told = n >= FEWEST and n_labels >= NEARLY_ALL * n
        if is_told and not (is_constant or is_repeated):
            raise unused_column(layout, at, ", holds labels of its row")


def _are_signs(found: Mapping[str, Any], at: int, share: float) -> bool:
    """Whether so many values of a column are 1 or -1, not counting 0, a tie."""
    n = found[f"values_{at}"] - found[f"zeros_{at}"]
    return bool(found[f"signs_{at}"] >= share * n)
