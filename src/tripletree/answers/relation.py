"""The relation: a table of answers as rows of objects, each with what is wrong with it.

An engine provides the table *answers*: the columns c0, c1, ... of the file as text or
numbers; and x0, x1, ..., the objects that a row shows, and `given`, the one that its
answer names: as labels, or, once these are known, as numbers, which are compared
faster.
The relation adds to each row::

    fault    0, the number of the filter that leaves it out, or what is wrong (below)
    said     how its answer can be read, see `answer_rules`
    p0, p1   the objects in the order that the answer says: target, near, far;
             two pairs; the two others and the odd, or the central, one
    weight   a number, or NULL

No row is missing, so that the place of a row is its place in the file. The pair sums
are one GROUP BY over it: every row becomes near pairs and far pairs, one row each (a
cross join with the small table *sides*; the file is read once)::

    target near far          side  first second      near far
    owl    hawk carp    ->    0    owl   hawk         1
                              1    owl   carp             1
"""

from __future__ import annotations

from collections.abc import Iterable

from tripletree.answers.answer_rules import TIE, choice, packed, said_columns
from tripletree.answers.labels import MISSING
from tripletree.answers.layout import Layout
from tripletree.answers.sql import Sql, cases, columns, count_if
from tripletree.answers.unused_columns import SAMPLE, contents

LARGEST = 1e200  # of a weight
THOUSANDS = r"\s*[1-9][0-9]{0,2},[0-9]{3}\s*"  # perhaps 1,200 is not 1.2
WHOLE = r"\s*([+-]?[0-9]+\s*)?"  # or blank, in a row that counts as no question
# What is wrong with a row; filters have the numbers from 1 on.
HEADER_AGAIN, LABEL, ANNOTATOR, WEIGHT = 254, 250, 249, 248  # LABEL: of the first
SAME, UNDECIDED, NO_QUESTION = 247, 246, 245  # may be left out
STAY = (0, SAME, UNDECIDED)  # rows about objects that count
# Which of a row's objects make the comparisons (target, near, far) that it stands for.
# Odd o of {a, b, o}: (a, b, o), (b, a, o); central c: (a, c, b), (b, c, a).
ORDERS = {
    "triplet": [[0, 1, 2]],
    "quadruplet": [[0, 1, 2, 3]],
    "odd": [[0, 1, 2], [1, 0, 2]],
    "central": [[0, 2, 1], [1, 2, 0]],
}
# The objects of a row as ORDERS counts them, by the number of the one chosen.
BY_CHOICE = {
    "p0": "CASE WHEN chosen = 1 THEN x1 ELSE x0 END",
    "p1": "CASE WHEN chosen = 3 THEN x1 ELSE x2 END",
    "p2": "CASE WHEN chosen = 1 THEN x0 WHEN chosen = 2 THEN x1 ELSE x2 END",
}
NEAR_AND_FAR = {
    "p0": "x0",
    "p1": "CASE WHEN chosen = 1 THEN x1 ELSE x2 END",
    "p2": "CASE WHEN chosen = 1 THEN x2 ELSE x1 END",
}


def orders_of(form: str) -> list[list[int]]:
    """The places of a row's objects in each comparison that it makes."""
    return ORDERS["triplet" if form == "choice" else form.split(" ")[0]]


def label(sql: Sql, layout: Layout, at: int) -> str:
    """SQL for the label in a column; NULL where it is missing."""
    text = spelled(sql, layout, at)
    if not layout.missing or layout.kinds[at] == "whole":
        return text
    is_missing = sql.is_in(f"c{at}", layout.missing)
    return f"CASE WHEN {is_missing} THEN NULL ELSE {text} END"


def spelled(sql: Sql, layout: Layout, at: int) -> str:
    """SQL for a text as it stands in a column, or the label it is merged with."""
    return sql.replaced(f"c{at}", layout.merged)


def relation(sql: Sql, layout: Layout) -> str:
    """SQL for the rows of a table of answers."""
    q = layout
    new = {"reason": q.filters.reason(sql)}
    if q.weight is not None:
        new["weight"] = _weight(sql, q, q.weight)
    said = {}
    if q.answer is not None:
        answer, is_text = spelled(sql, q, q.answer), q.kinds[q.answer] == "text"
        n = len(q.shown)
        shown = [f"x{at}" for at in range(n - q.n_alternatives, n)]
        new |= said_columns(sql, answer, shown, is_text, q.may_be_words, q.words)
        like = [_is_position(q, at) for at in q.shown if q.may_be_words]
        said = {"chosen": choice(q.start), "said": packed(" OR ".join(like) or "false")}
    rows = f"(SELECT *, {columns(new)} FROM answers) AS r"
    rows = f"(SELECT *, {columns(said)} FROM {rows}) AS s" if said else rows
    new = {"fault": _fault(sql, q)} | _in_order(q)
    return f"(SELECT *, {columns(new)} FROM {rows}) AS t"


def _is_position(q: Layout, at: int) -> str:
    """SQL for whether a label is 0, 1, 2 or 3."""
    is_whole = q.kinds[at] == "whole"
    return (
        f"c{at} BETWEEN 0 AND 3" if is_whole else f"trim(c{at}) IN ('0', '1', '2', '3')"
    )


def _weight(sql: Sql, q: Layout, at: int) -> str:
    if q.kinds[at] != "text":
        return f"c{at}"
    if q.is_whole:
        return f"TRY_CAST(trim(c{at}) AS BIGINT)"
    return q.filters.number(sql, f"c{at}")


def _fault(sql: Sql, q: Layout) -> str:
    """SQL for the first thing that is wrong with a row."""
    by_place = enumerate(q.shown)
    again = " AND ".join(
        sql.is_in(f"trim(c{at})", [q.names[at], f"\ufeff{q.names[at]}"])
        for at in (q.used if q.may_repeat_header else ())
    )
    made_of = {q.made[at] for at in q.shown if at in q.made}
    asked = [*q.shown, *made_of, *([] if q.answer is None else [q.answer])]
    who = f"c{q.annotator}"
    unnamed = f"{who} IS NULL OR {sql.is_in(who, q.unnamed)}"
    fits = f"coalesce(weight >= 0 AND weight <= {LARGEST}, false)"
    more = {
        "pairs": "",
        "quadruplet": " OR x2 = x3 OR x0 = x2 AND x1 = x3 OR x0 = x3 AND x1 = x2",
    }
    same = "x0 = x1" + more.get(q.form, " OR x0 = x2 OR x1 = x2")
    branches = [
        (bool(q.filters.positions), "reason > 0", "reason"),
        (q.may_repeat_header, again, HEADER_AGAIN),
        (
            q.form != "pairs",
            " AND ".join(_is_empty(q, at) for at in asked),
            NO_QUESTION,
        ),
        *((True, f"{label(sql, q, at)} IS NULL", LABEL + n) for n, at in by_place),
        (q.annotator is not None, unnamed, ANNOTATOR),
        (q.form == "pairs", "NOT coalesce(c2 >= 0 AND c3 >= 0, false)", WEIGHT),
        (q.weight is not None, f"NOT {fits}", WEIGHT),
        (q.answer is not None, f"chosen = {TIE}", UNDECIDED),
        (True, same, SAME),
    ]
    chosen = ((test, fault) for is_asked, test, fault in branches if is_asked)
    return cases(*chosen, otherwise=0)


def _is_empty(q: Layout, at: int) -> str:
    """SQL for whether a cell is empty: spreadsheets end in rows of such cells."""
    is_null = f"c{at} IS NULL"
    if q.kinds[at] != "text":
        return is_null
    return f"({is_null} OR c{at} < '!' AND trim(c{at}) = '')"  # few begin with a blank


def _in_order(q: Layout) -> dict[str, str]:
    """SQL for the objects of a row as ORDERS counts them."""
    if q.answer is None:
        return {f"p{n}": f"x{n}" for n in range(len(q.shown))}
    return NEAR_AND_FAR if q.form == "choice" else BY_CHOICE


def first_look(sql: Sql, layout: Layout) -> str:
    """SQL for one row about all rows: what must be known before objects have ids.

    s0, s1, ...: the different labels (where they are text) and low0, high0, ... (where
    they are numbers); k0, k1, ...: their types in JSON; names: the annotators;
    said: answers, if they are spelled like labels, or are to have numbers as these do;
    n_not_whole: weights that are not integers; thousands_1, others_1, ...: numbers such
    as 1,200, and others, where a comma is a decimal sign; n_rows: all rows. Of
    doubtful columns and of filters, see `contents` and `Filters.look`.
    """
    q = layout
    select = contents(sql, q)
    for n, at in enumerate(q.shown):
        if q.are_whole:
            select |= {f"low{n}": f"min(c{at})", f"high{n}": f"max(c{at})"}
        else:
            select[f"s{n}"] = sql.different(f"c{at}")
    for n in range(len(q.shown) if q.is_json else 0):
        select[f"k{n}"] = sql.different(f"j{n}")
    if (q.options.merge_spellings or q.text is not None) and q.answer is not None:
        select["said"] = sql.different(f"c{q.answer}")
    if q.annotator is not None:
        select["names"] = sql.different(f"c{q.annotator}")
    if q.weight is not None and q.kinds[q.weight] == "text":
        whole = sql.matches(f"c{q.weight}", WHOLE)
        select["n_not_whole"] = count_if(f"NOT {whole}")
    if q.filters.positions:
        select = {x: f"{one} FILTER (WHERE reason = 0)" for x, one in select.items()}
    for at in q.with_commas:
        is_thousands = sql.matches(f"c{at}", THOUSANDS)
        is_other = f"NOT {is_thousands} AND NOT {sql.is_in(f'trim(c{at})', MISSING)}"
        select |= {f"thousands_{at}": count_if(is_thousands)}
        select |= {f"others_{at}": count_if(is_other)}
    select |= q.filters.look(sql) | {"n_rows": "count(*)"}
    return f"SELECT {columns(select)} FROM {_with_reason(sql, q)}"


def count_labels(sql: Sql, layout: Layout) -> str:
    """SQL for how often each label occurs in rows that stay, as it is spelled."""
    label = _of_side([f"c{at}" for at in layout.shown])
    sides = _sides(len(layout.shown))
    rows = f"{_with_reason(sql, layout)} CROSS JOIN {sides} WHERE reason = 0"
    labels = f"(SELECT {label} AS label FROM {rows}) AS s"
    return f"SELECT label, count(*) AS n FROM {labels} GROUP BY label"


def look_at_doubtful(sql: Sql, layout: Layout) -> str:
    """SQL for what doubtful columns hold in the first rows that stay."""
    select = columns(contents(sql, layout))
    rows = f"{_with_reason(sql, layout)} WHERE reason = 0 LIMIT {SAMPLE}"
    return f"SELECT {select} FROM (SELECT * FROM {rows}) AS s"


def _with_reason(sql: Sql, layout: Layout) -> str:
    """SQL for the rows with the reason to leave them out."""
    return f"(SELECT *, {layout.filters.reason(sql)} AS reason FROM answers) AS t"


def count_faults(sql: Sql, layout: Layout) -> str:
    """SQL for how many rows have which fault and say what, and their weight."""
    said = "0" if layout.answer is None else "said"
    select = {"fault": "fault", "said": said, "n": "count(*)"}
    if layout.weight is not None:
        select["total"] = "sum(CAST(weight AS DOUBLE))"
    if layout.form == "pairs":
        select["total"] = "greatest(sum(CAST(c2 AS DOUBLE)), sum(CAST(c3 AS DOUBLE)))"
    return f"SELECT {columns(select)} FROM {relation(sql, layout)} GROUP BY 1, 2"


def one_row(
    sql: Sql, layout: Layout, test: str, given: Iterable[object], order: str
) -> str:
    """SQL for the first row that passes a test; given: what stands for {0}, {1}, ..."""
    passed = test.format(*map(sql.value, given))
    return f"SELECT * FROM {relation(sql, layout)} WHERE {passed} {order} LIMIT 1"


def values(sql: Sql, layout: Layout, at: int, test: str, most: int) -> str:
    """SQL for different values of a column in rows that pass a test."""
    return (
        f"SELECT DISTINCT c{at} AS value FROM {relation(sql, layout)} WHERE {test} "
        f"AND c{at} IS NOT NULL ORDER BY 1 LIMIT {most}"
    )


def two_names(sql: Sql, layout: Layout, ready: Layout) -> str:
    """SQL for the names that objects have in ready triplets and in another form."""
    places = {"one": [f"c{at}" for at in ready.shown], "two": ["p0", "p1", "p2"]}
    names = (
        f"SELECT {columns({x: _of_side(some) for x, some in places.items()})} FROM "
        f"{relation(sql, layout)} CROSS JOIN {_sides(3)} WHERE fault = 0"
    )
    return (
        f"SELECT one, two, count(*) AS n FROM ({names}) AS t WHERE one IS NOT NULL "
        "GROUP BY one, two ORDER BY n DESC, one, two"
    )


def _sides(n: int) -> str:
    """SQL for a table of the numbers of sides."""
    return f"(VALUES {', '.join(f'({side})' for side in range(n))}) AS sides(side)"


def _of_side(values: list[str]) -> str:
    """SQL for the value that belongs to a side."""
    *branches, last = ((f"side = {n}", value) for n, value in enumerate(values))
    return cases(*branches, otherwise=last[1])


def id_rows(sql: Sql, layout: Layout) -> str:
    """SQL for the ids p0, p1, ... and the weight of all rows that say something.

    Pair sums become p0, p1, near and far.
    """
    select = {name: f"CAST({name} AS INTEGER)" for name in _in_order(layout)}
    if layout.form == "pairs":
        select |= {"near": "c2", "far": "c3"}
    elif layout.weight is not None:
        select["weight"] = "weight"
    return f"SELECT {columns(select)} FROM {relation(sql, layout)} WHERE fault = 0"


def sum_by_pair(sql: Sql, layout: Layout) -> str:
    """SQL for the pair sums: low, high (ids), near, far, of pairs asked about."""
    kind = "BIGINT" if layout.is_whole else "DOUBLE"
    rows = relation(sql, layout)
    if layout.form == "pairs":  # sign is -1 where they are taken away
        select = {
            "low": "least(p0, p1)",
            "high": "greatest(p0, p1)",
            "near": f"CAST(sum(c2 * sign) AS {kind})",
            "far": f"CAST(sum(c3 * sign) AS {kind})",
        }
        last = "GROUP BY 1, 2 HAVING max(sign) > 0"
        return f"SELECT {columns(select)} FROM {rows} {last}"
    sides: list[list[int]] = []
    for order in orders_of(layout.form):
        sides += [order[:2], order[2:] if len(order) == 4 else order[::2]]
    one, two = (_of_side([f"p{pair[end]}" for pair in sides]) for end in (0, 1))
    select = {
        "low": f"least({one}, {two})",
        "high": f"greatest({one}, {two})",
        "is_near": "side % 2 = 0",
        "is_decided": "fault = 0",
    }
    if layout.weight is not None:
        select["weight"] = "weight"
    pairs = (
        f"SELECT {columns(select)} FROM {rows} CROSS JOIN {_sides(len(sides))} WHERE "
        f"fault IN ({', '.join(map(str, STAY))})"
    )
    added = {}
    for name, is_side in {"near": "is_near", "far": "NOT is_near"}.items():
        test = f"{is_side} AND is_decided"
        added[name] = count_if(test)  # engines count faster than they add
        if layout.weight is not None:
            total = f"sum(CASE WHEN {test} THEN weight ELSE 0 END)"
            added[name] = f"CAST({total} AS {kind})"
    return (
        f"SELECT low, high, {columns(added)} FROM ({pairs}) AS p WHERE low < high "
        "GROUP BY low, high"
    )


def sorted_pair_sums(sql: Sql, layout: Layout) -> str:
    """The same, in the order of ids."""
    return f"{sum_by_pair(sql, layout)} ORDER BY 1, 2"


def labelled_pair_sums(sql: Sql, layout: Layout, lowest: int | None) -> str:
    """Pair sums as a file has them: a, b, near, far, in the order of labels.

    lowest: the label of the object 0, if labels are integers.
    """
    rows = f"({sum_by_pair(sql, layout)}) AS s"
    if lowest is None:
        rows, one, two = with_label_tables(rows), "one.label", "two.label"
    else:
        one, two = (f"CAST({end} AS BIGINT) + {lowest}" for end in ("low", "high"))
    kind = sql.text_type
    texts = {"a": f"CAST({one} AS {kind})", "b": f"CAST({two} AS {kind})"}
    return f"SELECT {columns(texts)}, near, far FROM {rows} ORDER BY low, high"


def with_label_tables(sums: str) -> str:
    """SQL for pair sums with the labels of their objects, one.label and two.label."""
    return (
        f"{sums} JOIN labels AS one ON low = one.id JOIN labels AS two ON high = two.id"
    )
