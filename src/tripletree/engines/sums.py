"""The one expression: from rows of answers to pair sums, for any engine of Ibis.

Every row becomes near pairs and far pairs, one row each (a cross join with the small
table *sides*; the file is read once). Two objects with ids lo < hi make the key
``lo * 2^31 + hi``, one integer, which engines group several times faster than text::

    target near far          side  first second   key        near far
    owl    hawk carp    ->    0    owl   hawk     1*2^31+2    1
                              1    owl   carp     0*2^31+2        1

Sums without weights are counts.
"""

from __future__ import annotations

from typing import Any

from tripletree.engines.expressions import (
    SHIFT,
    Reading,
    in_order,
    labels_table,
    numbered,
    sides_of,
)
from tripletree.engines.questions import Questions


def pair_sums_of(questions: Questions, reading: Reading) -> Any:
    """Pair sums: key, near, far."""
    import ibis

    rows, objects_of, decided = in_order(questions, reading)
    value = None
    if questions.weight is not None:
        value = rows.exact if reading.whole else rows.weight
    columns = {f"p{n}": one for n, one in enumerate(objects_of)}
    if value is not None:
        columns["value"] = value
    if decided is not None:
        columns["decided"] = decided
    rows = rows.select(**columns)
    sides = ibis.table({"side": "int64"}, name="sides")
    rows = rows.cross_join(sides)
    layout = sides_of(questions.form)

    def at(place: int) -> Any:
        branches = [
            (rows.side == n, rows[f"p{s[place]}"]) for n, s in enumerate(layout)
        ]
        return ibis.cases(*branches[:-1], else_=branches[-1][1])

    nears = [n for n, side in enumerate(layout) if side[2]]
    is_near = rows.side == nears[0] if len(nears) == 1 else rows.side.isin(nears)
    pairs = rows.mutate(first=at(0), second=at(1), is_near=is_near)
    both = pairs.first, pairs.second
    key = ibis.least(*both).cast("int64") * 2**SHIFT + ibis.greatest(*both)
    near, far = pairs.is_near, ~pairs.is_near
    if decided is not None:
        pairs = pairs.filter(pairs.first != pairs.second)
        near, far = near & pairs.decided, far & pairs.decided
    nothing = ibis.null("int64")
    if value is None:
        # Counts of 1 or nothing: engines count faster than they add.
        added = [s.ifelse(1, nothing) for s in (near, far)]
    else:
        added = [s.ifelse(pairs.value, 0) for s in (near, far)]
    table = pairs.select(key=key, near=added[0], far=added[1])
    if value is None:
        return table.group_by("key").agg(near=table.near.count(), far=table.far.count())
    sums = {side: _sum(table[side], reading.whole) for side in ("near", "far")}
    return table.group_by("key").agg(**sums)


def _sum(values: Any, whole: bool) -> Any:
    """A sum as int64 or float64; DuckDB's sums of integers have 128 bits."""
    if not whole:
        return values.cast("float64").sum()
    return values.sum().cast("decimal(38, 0)").cast("int64")


def merged_sums(questions: Questions, reading: Reading) -> Any:
    """Pair sums from tables of pair sums; c4 is 1, or -1 where they are taken away."""
    import ibis

    rows = numbered(questions, reading)
    low, high = ibis.least(rows.o0, rows.o1), ibis.greatest(rows.o0, rows.o1)
    sums = rows.select(
        key=low * 2**SHIFT + high,
        near=rows.c2 * rows.c4,
        far=rows.c3 * rows.c4,
        sign=rows.c4,
    )
    sums = sums.group_by("key").agg(
        near=_sum(sums.near, reading.whole),
        far=_sum(sums.far, reading.whole),
        most=sums.sign.max(),
    )
    return sums.filter(sums.most > 0).drop("most")


def with_labels(sums: Any, questions: Questions, reading: Reading) -> Any:
    """Pair sums as a file has them: a, b, near, far, in the order of labels."""
    if reading.lowest is not None:
        # Sorted as numbers: text is made of them last.
        sums = sums.order_by("key")
        low, high = sums.key >> SHIFT, sums.key & (2**SHIFT - 1)
        a, b = low + reading.lowest, high + reading.lowest
    else:
        sums = sums.mutate(low=sums.key >> SHIFT, high=sums.key & (2**SHIFT - 1))
        labels = labels_table(questions)
        one = labels.rename({"a_label": "label", "a_id": "id"})
        two = labels.rename({"b_label": "label", "b_id": "id"})
        sums = sums.join(one, sums.low == one.a_id)
        sums = sums.join(two, sums.high == two.b_id).order_by("key")
        a, b = sums.a_label, sums.b_label
    near, far = sums.near, sums.far
    return sums.select(a=a.cast("string"), b=b.cast("string"), near=near, far=far)


def id_rows(questions: Questions, reading: Reading) -> Any:
    """The decided rows as ids p0, p1, ... and their weight, if they have one.

    Pair sums become p0, p1, near and far.
    """
    if questions.form == "pairs":
        rows = numbered(questions, reading)
        ids = {f"p{n}": rows[f"o{n}"].cast("int32") for n in (0, 1)}
        return rows.select(**ids, near=rows.c2, far=rows.c3)
    rows, objects_of, decided = in_order(questions, reading)
    columns = {f"p{n}": one.cast("int32") for n, one in enumerate(objects_of)}
    if questions.weight is not None:
        columns["weight"] = rows.exact if reading.whole else rows.weight
    if decided is None:
        return rows.select(**columns)
    chosen = rows.select(**columns, decided=decided)
    return chosen.filter(chosen.decided).drop("decided")
