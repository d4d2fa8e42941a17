"""Loops of AddS. Rows are (m, 3) or (m, 4) int32, see comparisons/row_checks.py.

The near pair is in columns 0 and 1; the far pair is in column 0 or 2, and the last.
"""

import numpy as np

from tripletree._jit import helper, kernel

# Masking the sign bit tells the compiler that an index is not negative, so that it
# leaves out Python's "negative counts from the end".
NOT_NEGATIVE = np.int64(2**63 - 1)

TILE = 64


@helper
def cell(i, j):
    """The place of a pair in a table of n(n-1)/2 pairs."""
    i, j = np.int64(i), np.int64(j)
    high = max(i, j)
    return ((high * (high - 1) >> 1) + min(i, j)) & NOT_NEGATIVE


@kernel
def count_rows(rows, start, table, notes):
    """Count near minus far in table (n(n-1)/2,) int8, from row start on.

    A counter that reaches 127 or -127 is set to 0; its cell c is noted as c or ~c in
    notes (k,) int64, k >= 2. Every row can make two notes, because counters may be
    about to run over from before: this stops when there is no room for two. Returns
    the number of notes and the first row that was not counted.
    """
    n_notes = 0
    is_triplet = rows.shape[1] == 3
    while start < rows.shape[0]:
        # As many rows as there is room for: no look at the room within the long loop.
        stop = min(start + (notes.shape[0] - n_notes) // 2, rows.shape[0])
        if stop == start:
            break
        part = rows[start:stop]
        for r in range(part.shape[0]):  # from 0, so that r is not negative
            near = cell(part[r, 0], part[r, 1])
            if is_triplet:  # columns known when compiling save a tenth of the time
                far = cell(part[r, 0], part[r, 2])
            else:
                far = cell(part[r, 2], part[r, 3])
            up = table[near] + 1
            if up == 127:
                notes[n_notes] = near
                n_notes += 1
                up = 0
            table[near] = up
            down = table[far] - 1
            if down == -127:
                notes[n_notes] = ~far
                n_notes += 1
                down = 0
            table[far] = down
        start = stop
    return n_notes, start


@kernel
def add_notes(notes, sums):
    """Add what was noted by count_rows to the lower triangle of sums (n, n) int64."""
    for note in notes:
        c = note if note >= 0 else ~note
        i = np.int64((1 + np.sqrt(1.0 + 8.0 * c)) / 2)
        while i * (i - 1) // 2 > c:
            i -= 1
        while i * (i + 1) // 2 <= c:
            i += 1
        sums[i, c - i * (i - 1) // 2] += 127 if note >= 0 else -127


@kernel
def add_weighted(rows, weights, sums):
    """Add near minus far weights to the lower triangle of sums (n, n), in order."""
    last = rows.shape[1] - 1
    other = 2 * last - 4
    for r in range(rows.shape[0]):
        i, j = rows[r, 0], rows[r, 1]
        sums[max(i, j), min(i, j)] += weights[r]
        i, j = rows[r, other], rows[r, last]
        sums[max(i, j), min(i, j)] -= weights[r]


@kernel
def add_tables(tables, start, stop, sums):
    """Add the tables of counters to rows start..stop-1 of the lower triangle, mirror.

    tables is (n_tables, n(n-1)/2) int8, sums (n, n). Goes tile by tile, so that the
    mirrored cells stay in cache.
    """
    for left in range(0, stop, TILE):
        for i in range(start, stop):
            offset = i * (i - 1) // 2
            for j in range(left, min(left + TILE, i)):
                total = sums[i, j]
                for t in range(tables.shape[0]):
                    total += tables[t, offset + j]
                sums[i, j] = total
                sums[j, i] = total
