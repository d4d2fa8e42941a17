"""Tables as other programs write them, made into ordinary ones.

Where the columns alone make no form, what a cell holds of several objects becomes
columns of its own, behind all others; rows stay as they are, so that errors name the
right line::

    jsPsych    stimulus a.png, choices ["b.png", "c.png"]    left b.png, right c.png
    triples    triple owl,hawk|carp                          first owl, second hawk,
                                                             odd carp
    NEXT       participant_responses {...}                   a row per response

Programs also write rows that ask nothing: instructions, pauses. In them, the columns
`Table.blank` are empty, and they are left out and counted. The lines with which
Qualtrics follows its header are skipped by `dialect.text_format`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tripletree.answers.dialect import TRIPLE, TRIPLES
from tripletree.answers.header import ARRAYS, Roles, has_form, plain_name

if TYPE_CHECKING:
    from tripletree.answers.tables import Table

PARTS = {2: ("left", "right"), 3: ("first", "second", "third")}
NEXT = "participant_responses"
NEXT_NAMES = ("participant", "center", "left", "right", "answer", "response_time")
# Of a response r, its targets t: the one with a label, and what it is called.
SIDE = "list_filter(t, lambda x: (x ->> 'label') = '{}')[1]"
ID = "coalesce({0} ->> '$.target.target_id', {0} ->> '$.target_id')"
NAME = (
    "coalesce({0} ->> '$.target.target_id', {0} ->> '$.primary_description', "
    "{0} ->> '$.target_id')"
)
WINNER = (
    "list_filter(t, lambda x: (x ->> 'index') = (r ->> 'index_winner') OR "
    f"{ID.format('x')} = (r ->> 'target_winner'))[1]"
)


def make_ordinary(table: Table, given: Roles) -> Table:
    """The same table, with a column for each object."""
    if has_form(table.names, given):
        return table
    if NEXT in table.names and table.ending is not None and table.ending.is_json:
        return _of_next(table)
    for at, name in enumerate(table.names):
        short = plain_name(name)
        if short in ARRAYS:
            table = _with_elements(table, at)
        elif short in TRIPLES:
            table = _with_triple(table, at)
    return table


def _of_next(table: Table) -> Table:
    """The responses in an export of NEXT, whatever its version."""
    cell = f"c{table.names.index(NEXT)}"
    people = f"map_entries(TRY_CAST({cell} AS MAP(VARCHAR, JSON[])))"
    sides = ", ".join(NAME.format(SIDE.format(x)) for x in NEXT_NAMES[1:4])
    call = (
        f"(SELECT who, {sides}, {NAME.format(WINNER)}, r ->> 'response_time' FROM "
        "(SELECT who, r, TRY_CAST(r -> 'target_indices' AS JSON[]) AS t FROM "
        "(SELECT e.key AS who, unnest(e.value) AS r FROM "
        f"(SELECT unnest({people}) AS e FROM {table.call} AS t({table.alias})))))"
    )
    return replace(table, names=NEXT_NAMES, call=call, blank=(2, 3))


def _with_elements(table: Table, at: int) -> Table:
    """With two or three columns for lists of so many, whichever are more frequent.

    Other rows ask something else; as many lists of two as of three are left alone.
    """
    kind = table.types[at]
    if kind.endswith("[]"):
        length, element = f"len(c{at})", f"c{at}[{{}} + 1]"
    elif kind in ("VARCHAR", "JSON"):
        # The engine may look into a cell before a condition on it is known to hold, so
        # what it looks into is JSON in any case.
        cell = f"(CASE WHEN json_valid(c{at}) THEN c{at} ELSE 'null' END)"
        arrow = "->" if kind == "JSON" else "->>"
        is_list = f"WHEN json_type({cell}) = 'ARRAY' THEN"
        length = f"CASE {is_list} json_array_length({cell}) END"
        element = f"CASE {is_list} {cell} {arrow} '$[{{}}]' END"
    else:
        return table
    counts = ", ".join(f"count(*) FILTER (WHERE {length} = {size})" for size in PARTS)
    two, three = table.run(f"SELECT {counts} FROM {{table}}").fetchone()
    if two == three:
        return table
    size = 2 if two > three else 3
    part = f"CASE WHEN {length} = {size} THEN {element} END"
    columns = {name: part.format(n) for n, name in enumerate(PARTS[size])}
    wider = _wider(table, columns, at)
    new = range(len(table.names), len(wider.names))
    return replace(wider, blank=(*table.blank, *new[-1:]))


def _with_triple(table: Table, at: int) -> Table:
    """With three columns for ab|c: a and b are closer to each other than to c."""
    own = {"triple": rf"\A{TRIPLE}\z"}
    query = f"SELECT count(*) FROM {{table}} WHERE regexp_matches(c{at}, $triple)"
    if table.types[at] != "VARCHAR" or table.run(query, own).fetchone() == (0,):
        return table
    group = f"nullif(regexp_extract(c{at}, $triple, {{}}), '')"
    columns = {
        name: f"coalesce({', '.join(map(group.format, numbers))})"
        for name, numbers in {"first": (1, 3, 5), "second": (2, 4, 6)}.items()
    }
    columns["odd"] = group.format(7)
    return replace(_wider(table, columns, at), parameters=table.parameters | own)


def _wider(table: Table, columns: dict[str, str], at: int) -> Table:
    """The table with those columns that it does not have yet, made of the one at."""
    known = {plain_name(name) for name in table.names}
    columns = {name: sql for name, sql in columns.items() if name not in known}
    if not columns:
        return table
    new = ", ".join(columns.values())
    names = (*table.names, *columns)
    made = dict.fromkeys(range(len(table.names), len(names)), at)
    return replace(
        table,
        names=names,
        call=f"(SELECT *, {new} FROM {table.call} AS t({table.alias}))",
        made=table.made | made,
    )
