"""Loops of MulK; see mulk.py for the idea. Rows are (m, 3) or (m, 4) int32.

Entries are sorted by a pair of objects, by counting. Pair (i, j), i > j, is cell
i(i-1)/2 + j, and `order` lists the entries of one cell after those of another. Triplet
r has an entry in the cell of its objects j and k. Quadruplets are taken as pairs: near
pair 2r and far pair 2r + 1 each have an entry in the cell of the other one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree._jit import helper, kernel

TILE = 64


class Column(NamedTuple):
    """Room to collect one column of a sparse matrix: objects, each with its sum.

    objects and sums (n,) hold the size[0] entries; place (n,) is where an object is
    among them, or -1.
    """

    objects: Any
    sums: Any
    size: Any
    place: Any


@helper
def cell(i, j):
    """The place of a pair in a table of n(n-1)/2 pairs."""
    i, j = np.int64(i), np.int64(j)
    high = max(i, j)
    return (high * (high - 1) >> 1) + min(i, j)


@kernel
def count_cells(pairs, starts):
    """Add to starts[c + 1] the number of pairs (e, 2) that are cell c."""
    for e in range(pairs.shape[0]):
        starts[cell(pairs[e, 0], pairs[e, 1]) + 1] += 1


@kernel
def sort_by_cell(pairs, place, order):
    """Write each pair e to order[place[c]], c its cell; move place on."""
    for e in range(pairs.shape[0]):
        c = cell(pairs[e, 0], pairs[e, 1])
        order[place[c]] = e
        place[c] += 1


@helper
def put(column, a, value):
    """Add a value to the entry of object a."""
    at = column.place[a]
    if at < 0:
        at = column.size[0]
        column.size[0] += 1
        column.place[a] = at
        column.objects[at] = a
        column.sums[at] = value
    else:
        column.sums[at] += value


@helper
def add_products(column, table):
    """Add the products of all pairs of entries, each once, to table; empty the column.

    A pair (a, b) is added to table[a, b] or to table[b, a].
    """
    objects, sums = column.objects, column.sums
    for x in range(column.size[0]):
        row, value = table[objects[x]], sums[x]
        for y in range(x):
            row[objects[y]] += value * sums[y]
        column.place[objects[x]] = -1
    column.size[0] = 0


@kernel
def multiply_triplets(rows, weights, starts, order, first, last, column, table, counts):
    """Add the products of the columns first..last-1 of MulK3 to table (n, n).

    counts (n,) gets the number of columns in which an object has an entry, be it 0.
    """
    for c in range(first, last):
        for at in range(starts[c], starts[c + 1]):
            r = order[at]
            value = 1 if weights is None else weights[r]
            if value != 0:
                is_first = rows[r, 1] < rows[r, 2]
                put(column, rows[r, 0], value if is_first else -value)
        for x in range(column.size[0]):
            counts[column.objects[x]] += 1
        add_products(column, table)


@kernel
def multiply_quadruplets(
    pairs, weights, starts, order, first, last, column, table, head, after
):
    """Add the products of the columns (b, c), c from first to last-1, to table (n, n).

    pairs (2m, 2) are near, far, near, far, ... The entries of cell c are the pairs
    {a, b} beside those that are c; they are listed by b, and by a. head (n,) is -1 and
    stays so; after has room for twice the entries of the largest cell.
    """
    for c in range(first, last):
        begin, end = starts[c], starts[c + 1]
        if end - begin < 2:
            continue
        for x in range(2 * (end - begin)):
            b = pairs[order[begin + x // 2] ^ 1, x % 2]
            after[x] = head[b]
            head[b] = x
        for x in range(2 * (end - begin)):
            b = pairs[order[begin + x // 2] ^ 1, x % 2]
            y = head[b]
            head[b] = -1
            while y >= 0:  # nothing if b had its turn
                other = order[begin + y // 2] ^ 1
                value = 1 if weights is None else weights[other // 2]
                a = pairs[other, 1 - y % 2]
                put(column, a, value if other % 2 == 0 else -value)
                y = after[y]
            add_products(column, table)


@kernel
def finish(tables, counts, start, stop, result):
    """Rows start..stop-1 of the symmetric result (n, n), and their mirror images.

    tables is (n_tables, n, n). With counts (n,) a sum is divided by the root of the
    product of two counts, as the root of a ratio: equal numbers give equal floats.
    """
    for left in range(0, stop, TILE):
        for i in range(start, stop):
            for j in range(left, min(left + TILE, i)):
                total = tables[0, i, j] + tables[0, j, i]
                for t in range(1, tables.shape[0]):
                    total += tables[t, i, j] + tables[t, j, i]
                if counts is not None and total != 0:
                    square = float(total) * float(total)
                    asked = float(counts[i]) * float(counts[j])
                    if 1e-290 < square < 1e290:
                        size = np.sqrt(square / asked)
                    else:  # of float weights, whose equality is not promised
                        size = abs(float(total)) / np.sqrt(asked)
                    result[i, j] = size if total > 0 else -size
                else:
                    result[i, j] = total
                result[j, i] = result[i, j]
