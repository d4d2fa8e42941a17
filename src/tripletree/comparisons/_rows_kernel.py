"""Validation of many rows in one pass."""

from __future__ import annotations

from tripletree._jit import kernel


@kernel
def first_wrong(rows, n_objects):
    """The first row of (m, 3) or (m, 4) int32 that is no comparison, or -1."""
    m, width = rows.shape
    for r in range(m):
        for c in range(width):
            if rows[r, c] < 0 or rows[r, c] >= n_objects:
                return r
        i, j = rows[r, 0], rows[r, 1]
        k, l = rows[r, 2 * width - 6], rows[r, width - 1]
        if i == j or k == l:
            return r
        if (i == k and j == l) or (i == l and j == k):
            return r
    return -1
