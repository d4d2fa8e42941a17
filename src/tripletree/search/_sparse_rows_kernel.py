"""Rows of a sparse similarity, in another order or cut down to blocks of objects."""

from __future__ import annotations

from tripletree._jit import kernel


@kernel
def permute(starts, partners, values, order, place, new_starts, new_partners, new):
    """Rows and columns of a symmetric csr matrix in another order, columns sorted.

    New row p is old row order[p]; place is the inverse of order.
    """
    n = order.shape[0]
    new_starts[0] = 0
    for p in range(n):
        i = order[p]
        new_starts[p + 1] = new_starts[p] + starts[i + 1] - starts[i]
    at = new_starts[:-1].copy()
    for p in range(n):
        i = order[p]
        for old in range(starts[i], starts[i + 1]):
            # The entry is also at (j, i): rows are filled from the left.
            q = place[partners[old]]
            new_partners[at[q]] = p
            new[at[q]] = values[old]
            at[q] += 1


@kernel
def count_within(starts, partners, block, counts):
    """Add to counts[i + 1] (n+1,) the number of partners in the same block as i."""
    for i in range(block.shape[0]):
        for at in range(starts[i], starts[i + 1]):
            counts[i + 1] += block[partners[at]] == block[i]


@kernel
def keep_within(starts, partners, values, block, kept_partners, kept_values):
    """Fill kept_partners and kept_values with those in the same block, row by row."""
    to = 0
    for i in range(block.shape[0]):
        for at in range(starts[i], starts[i + 1]):
            if block[partners[at]] == block[i]:
                kept_partners[to] = partners[at]
                kept_values[to] = values[at]
                to += 1
