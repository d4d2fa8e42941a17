"""The relation: a table of answers as rows of objects, each with what is wrong with it.

An engine provides the table *answers*: the columns c0, c1, ... of the file as text or
numbers, and x0, x1, ..., the objects that a row shows, comparable with each other: as
labels, or, once these are known, as ids. The relation adds to each row::

    fault    0, the number of the filter that leaves it out, or what is wrong (below)
    said     how its answer can be read, see `rules`
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

from dataclasses import dataclass

from tripletree.answers.labels import MISSING
from tripletree.answers.questions import Questions
from tripletree.answers.rules import NUMBER, TIE, choice, packed, said_columns
from tripletree.answers.sql import Sql, cases, columns

LARGEST = 1e200  # of a weight
SAMPLE = 1_000  # rows, by which a column not in use may be seen to hold answers
SIGNS = ("-1", "-1.0", "1", "1.0", "+1")
ZEROS = ("0", "0.0", "-0.0")
WHOLE = r"\s*[+-]?[0-9]+\s*"
# What is wrong with a row; filters have the numbers from 1 on.
HEADER_AGAIN, LABEL, ANNOTATOR, WEIGHT = 254, 250, 249, 248  # LABEL: of the first
SAME, UNDECIDED = 247, 246  # may be left out
STAY = (0, SAME, UNDECIDED)  # rows about objects that count
# Which of a row's objects make the comparisons (target, near, far) that it stands for.
# Odd o of {a, b, o}: (a, b, o), (b, a, o); central c: (a, c, b), (b, c, a).
ORDERS = {
    "triplet": [[0, 1, 2]],
    "quadruplet": [[0, 1, 2, 3]],
    "odd": [[0, 1, 2], [1, 0, 2]],
    "central": [[0, 2, 1], [1, 2, 0]],
}


@dataclass(frozen=True)
class Reading:
    """What is known about all rows, which the relation depends on.

    start: where positions are counted from, if answers are. is_whole: weights are
    integers.
    may_repeat_header: rows are compared with the header. may_be_position: there are
    objects called 0, 1, 2 or 3; may_be_words: or anything else that answers can say.
    """

    start: int | None = None
    is_whole: bool = True
    may_repeat_header: bool = False
    may_be_position: bool = False
    may_be_words: bool = True


def orders_of(form: str) -> list[list[int]]:
    """The places of a row's objects in each comparison that it makes."""
    return ORDERS["triplet" if form == "choice" else form.split(" ")[0]]


def label(sql: Sql, questions: Questions, at: int) -> str:
    """SQL for the label in a column; NULL where there is none."""
    text = spelled(sql, questions, at)
    if not questions.missing or questions.kinds[at] == "whole":
        return text
    is_missing = sql.is_in(f"c{at}", questions.missing)
    return f"CASE WHEN {is_missing} THEN NULL ELSE {text} END"


def spelled(sql: Sql, questions: Questions, at: int) -> str:
    """SQL for a text as it stands in a column, or the label it is merged with."""
    return sql.replaced(f"c{at}", questions.merged)


def relation(sql: Sql, questions: Questions, reading: Reading) -> str:
    """SQL for the rows of a table of answers."""
    q = questions
    new = {"reason": q.filters.reason(sql)}
    if q.answer is not None:
        answer, *shown = (
            spelled(sql, q, at) for at in (q.answer, *q.shown[-q.n_alternatives :])
        )
        is_text = q.kinds[q.answer] == "text"
        may_be = reading.may_be_words
        new |= said_columns(sql, answer, shown, is_text, may_be, q.words)
    if q.weight is not None:
        new["weight"] = _weight(sql, q, reading)
    rows = f"(SELECT *, {columns(new)} FROM answers) AS r"
    if q.answer is not None:
        like = "false"
        if reading.may_be_position:
            like = " OR ".join(_is_position(q, at) for at in q.shown)
        new = {"chosen": choice(reading.start), "said": packed(like)}
        rows = f"(SELECT *, {columns(new)} FROM {rows}) AS s"
    new = {"fault": _fault(sql, q, reading)} | _in_order(q)
    return f"(SELECT *, {columns(new)} FROM {rows}) AS t"


def _is_position(q: Questions, at: int) -> str:
    """SQL for whether a label is 0, 1, 2 or 3."""
    if q.kinds[at] == "whole":
        return f"c{at} BETWEEN 0 AND 3"
    return f"trim(c{at}) IN ('0', '1', '2', '3')"


def _weight(sql: Sql, q: Questions, reading: Reading) -> str:
    text = f"c{q.weight}"
    assert q.weight is not None
    if q.kinds[q.weight] != "text":
        return text
    if reading.is_whole:
        return f"TRY_CAST(trim({text}) AS BIGINT)"
    is_number = sql.matches(text, NUMBER)
    return f"TRY_CAST(CASE WHEN {is_number} THEN {text} END AS DOUBLE)"


def _fault(sql: Sql, q: Questions, reading: Reading) -> str:
    """SQL for the first thing that is wrong with a row."""
    x = [f"x{n}" for n in range(len(q.shown))]
    branches: list[tuple[str, object]] = []
    if q.filters.positions:
        branches.append(("reason > 0", "reason"))
    if reading.may_repeat_header:
        branches.append((_is_header(sql, q), HEADER_AGAIN))
    branches += [(f"{one} IS NULL", LABEL + n) for n, one in enumerate(x)]
    if q.annotator is not None:
        branches.append(("who IS NULL", ANNOTATOR))
    if q.form == "pairs":
        branches.append(("NOT coalesce(c2 >= 0 AND c3 >= 0, false)", WEIGHT))
    if q.weight is not None:
        fits = f"coalesce(weight >= 0 AND weight <= {LARGEST}, false)"
        branches.append((f"NOT {fits}", WEIGHT))
    if q.answer is not None:
        branches.append((f"chosen = {TIE}", UNDECIDED))
    same = [f"{x[0]} = {x[1]}"]
    if q.form == "quadruplet":
        same.append("x2 = x3 OR x0 = x2 AND x1 = x3 OR x0 = x3 AND x1 = x2")
    elif q.form != "pairs":
        same.append("x0 = x2 OR x1 = x2")
    branches.append((" OR ".join(same), SAME))
    return cases(*branches, otherwise=0)


def _is_header(sql: Sql, q: Questions) -> str:
    """SQL for whether a row says what the header says, in all columns in use."""
    return " AND ".join(
        sql.is_in(f"trim(c{at})", [q.names[at], f"\ufeff{q.names[at]}"])
        for at in q.used
    )


def _in_order(q: Questions) -> dict[str, str]:
    """SQL for the objects of a row as ORDERS counts them."""
    if q.answer is None:
        return {f"p{n}": f"x{n}" for n in range(len(q.shown))}
    if q.form == "choice":
        near = "CASE WHEN chosen = 1 THEN x1 ELSE x2 END"
        far = "CASE WHEN chosen = 1 THEN x2 ELSE x1 END"
        return {"p0": "x0", "p1": near, "p2": far}
    return {
        "p0": "CASE WHEN chosen = 1 THEN x1 ELSE x0 END",
        "p1": "CASE WHEN chosen = 3 THEN x1 ELSE x2 END",
        "p2": "CASE WHEN chosen = 1 THEN x0 WHEN chosen = 2 THEN x1 ELSE x2 END",
    }


def first_look(sql: Sql, questions: Questions, with_labels: bool) -> str:
    """SQL for one row about all rows: what must be known before objects have ids.

    s0, s1, ...: the different labels (where they are text) and low0, high0, ... (where
    they are numbers); k0, k1, ...: their types in JSON; names: the annotators;
    n_not_whole: weights that are no integers; f1, f2, ...: what filters look for and is
    there; n_rows: how many rows there are. Of doubtful columns, see `suspicion`.
    """
    q = questions
    select: dict[str, str] = {}
    for at in q.doubtful:
        select |= suspicion(sql, q, at)
    for n, at in enumerate(q.shown if with_labels else ()):
        if q.are_whole:
            select |= {f"low{n}": f"min(c{at})", f"high{n}": f"max(c{at})"}
        else:
            select[f"s{n}"] = sql.different(f"c{at}")
    for n in range(len(q.shown) if q.is_json else 0):
        select[f"k{n}"] = sql.different(f"j{n}")
    if q.merges and q.answer is not None:
        select["said"] = sql.different(f"c{q.answer}")
    if q.annotator is not None:
        select["names"] = sql.different(f"c{q.annotator}")
    if q.weight is not None and q.kinds[q.weight] == "text":
        whole = sql.matches(f"c{q.weight}", WHOLE)
        select["n_not_whole"] = f"count(CASE WHEN NOT {whole} THEN 1 END)"
    if q.filters.positions:
        select = {
            name: f"{one} FILTER (WHERE reason = 0)" for name, one in select.items()
        }
        select |= q.filters.found(sql)
    select["n_rows"] = "count(*)"
    return f"SELECT {columns(select)} FROM {_kept(sql, q)}"


def sample(sql: Sql, questions: Questions) -> str:
    """SQL for what `suspicion` counts of all doubtful columns in the first rows."""
    select: dict[str, str] = {}
    for at in questions.doubtful:
        select |= suspicion(sql, questions, at)
    rows = f"SELECT * FROM {_kept(sql, questions)} WHERE reason = 0 LIMIT {SAMPLE}"
    return f"SELECT {columns(select)} FROM ({rows}) AS s"


def _kept(sql: Sql, questions: Questions) -> str:
    """SQL for the rows with the reason to leave them out."""
    reason = questions.filters.reason(sql)
    return f"(SELECT *, {reason} AS reason FROM answers) AS t"


def suspicion(sql: Sql, questions: Questions, at: int) -> dict[str, str]:
    """SQL for what a column not in use holds: how many values, and how many of a kind.

    signs: -1 and 1; minus: -1; zeros: 0; labels: of their row; same0, same1, ...: as
    in the column of the first object, of the second, ...; first and last: by alphabet.
    """
    value = f"trim(c{at})"
    labels = [f"CAST(c{one} AS {sql.text_type})" for one in questions.shown]
    tests = {
        "values": f"NOT {sql.is_in(value, MISSING)} AND c{at} IS NOT NULL",
        "signs": sql.is_in(value, SIGNS),
        "minus": sql.is_in(value, SIGNS[:2]),
        "zeros": sql.is_in(value, ZEROS),
        "labels": f"c{at} IN ({', '.join(labels)})",
    }
    tests |= {f"same{n}": f"c{at} = {label}" for n, label in enumerate(labels)}
    one = f"CASE WHEN {tests['values']} THEN {value} END"
    return {f"first_{at}": f"min({one})", f"last_{at}": f"max({one})"} | {
        f"{name}_{at}": f"count(CASE WHEN {test} THEN 1 END)"
        for name, test in tests.items()
    }


def survey(sql: Sql, questions: Questions, reading: Reading) -> str:
    """SQL for how many rows have which fault and say what, and their weight."""
    said = "0" if questions.answer is None else "said"
    select = {"fault": "fault", "said": said, "n": "count(*)"}
    if questions.weight is not None:
        select["total"] = "sum(CAST(weight AS DOUBLE))"
    if questions.form == "pairs":
        select["total"] = "greatest(sum(CAST(c2 AS DOUBLE)), sum(CAST(c3 AS DOUBLE)))"
    rows = relation(sql, questions, reading)
    return f"SELECT {columns(select)} FROM {rows} GROUP BY 1, 2"


def two_names(sql: Sql, ready: Questions, other: Questions, reading: Reading) -> str:
    """SQL for the names that objects have in ready triplets and in another form."""
    select = {}
    for name, some in (
        ("one", [f"c{at}" for at in ready.shown]),
        ("two", ["p0", "p1", "p2"]),
    ):
        sides = [(f"side = {n}", value) for n, value in enumerate(some[:2])]
        select[name] = cases(*sides, otherwise=some[2])
    rows = relation(sql, other, reading)
    names = (
        f"SELECT {columns(select)} FROM {rows} CROSS JOIN (VALUES (0), (1), (2)) AS "
        "sides(side) WHERE fault = 0"
    )
    return (
        f"SELECT one, two, count(*) AS n FROM ({names}) AS t WHERE one IS NOT NULL "
        "GROUP BY one, two ORDER BY n DESC, one, two"
    )


def id_rows(sql: Sql, questions: Questions, reading: Reading) -> str:
    """SQL for the ids p0, p1, ... and the weight of all rows that say something.

    Pair sums become p0, p1, near and far.
    """
    n = len(_in_order(questions))
    select = {f"p{at}": f"CAST(p{at} AS INTEGER)" for at in range(n)}
    if questions.form == "pairs":
        select |= {"near": "c2", "far": "c3"}
    elif questions.weight is not None:
        select["weight"] = "weight"
    rows = relation(sql, questions, reading)
    return f"SELECT {columns(select)} FROM {rows} WHERE fault = 0"


def pair_sums(sql: Sql, questions: Questions, reading: Reading) -> str:
    """SQL for the pair sums: low, high (ids), near, far, of pairs asked about."""
    kind = "BIGINT" if reading.is_whole else "DOUBLE"
    rows = relation(sql, questions, reading)
    if questions.form == "pairs":
        return _merged_sums(rows, kind)
    sides: list[list[int]] = []
    for order in orders_of(questions.form):
        sides += [order[:2], order[2:] if len(order) == 4 else order[::2]]
    numbers = ", ".join(f"({n})" for n in range(len(sides)))
    ends = []
    for place in (0, 1):
        branches = [(f"side = {n}", f"p{one[place]}") for n, one in enumerate(sides)]
        ends.append(cases(*branches[:-1], otherwise=branches[-1][1]))
    select = {
        "low": f"least({ends[0]}, {ends[1]})",
        "high": f"greatest({ends[0]}, {ends[1]})",
        "is_near": "side % 2 = 0",
        "is_decided": "fault = 0",
    }
    if questions.weight is not None:
        select["weight"] = "weight"
    stay = ", ".join(map(str, STAY))
    pairs = (
        f"SELECT {columns(select)} FROM {rows} CROSS JOIN (VALUES {numbers}) AS "
        f"sides(side) WHERE fault IN ({stay})"
    )
    added = {}
    for name, test in {"near": "is_near", "far": "NOT is_near"}.items():
        one = f"CASE WHEN {test} AND is_decided THEN "
        if questions.weight is None:  # engines count faster than they add
            added[name] = f"count({one}1 END)"
        else:
            added[name] = f"CAST(sum({one}weight ELSE 0 END) AS {kind})"
    return (
        f"SELECT low, high, {columns(added)} FROM ({pairs}) AS p WHERE low < high "
        "GROUP BY low, high"
    )


def _merged_sums(rows: str, kind: str) -> str:
    """Pair sums from tables of them; sign is -1 where they are taken away."""
    select = {
        "low": "least(p0, p1)",
        "high": "greatest(p0, p1)",
        "near": f"CAST(sum(c2 * sign) AS {kind})",
        "far": f"CAST(sum(c3 * sign) AS {kind})",
    }
    return f"SELECT {columns(select)} FROM {rows} GROUP BY 1, 2 HAVING max(sign) > 0"


def with_labels(sql: Sql, sums: str, lowest: int | None) -> str:
    """Pair sums as a file has them: a, b, near, far, in the order of labels."""
    if lowest is not None:
        both = {
            name: f"CAST(CAST({end} AS BIGINT) + {lowest} AS {sql.text_type})"
            for name, end in (("a", "low"), ("b", "high"))
        }
        rows = f"({sums}) AS s"
    else:
        kind = sql.text_type
        both = {"a": f"CAST(one.label AS {kind})", "b": f"CAST(two.label AS {kind})"}
        rows = (
            f"({sums}) AS s JOIN labels AS one ON low = one.id JOIN labels AS two ON "
            "high = two.id"
        )
    return f"SELECT {columns(both)}, near, far FROM {rows} ORDER BY low, high"
