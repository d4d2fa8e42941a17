"""Loops over answers about several objects at a time. -1 means no object."""

from __future__ import annotations

from tripletree._jit import kernel


@kernel
def fill_two_others(table, chosen, column, triplets):
    """Fill triplets with every two others in either order, and the chosen object.

    The chosen one goes to column 1 or 2; table is (m, k), triplets has (k-1)(k-2) rows
    for each answer with a chosen object.
    """
    at = 0
    for r in range(table.shape[0]):
        if chosen[r] < 0:
            continue
        for a in range(table.shape[1]):
            for b in range(table.shape[1]):
                one, two = table[r, a], table[r, b]
                if a != b and one != chosen[r] and two != chosen[r]:
                    triplets[at, 0] = one
                    triplets[at, 3 - column] = two
                    triplets[at, column] = chosen[r]
                    at += 1


@kernel
def fill_ranked(table, ranks, triplets):
    """Fill triplets (m', 3): reference, smaller rank, larger rank.

    table (m, 1 + n) has the reference, then candidates; ranks is (m, n).
    """
    at = 0
    for r in range(table.shape[0]):
        for a in range(ranks.shape[1]):
            if table[r, a + 1] < 0:
                continue
            for b in range(ranks.shape[1]):
                if table[r, b + 1] >= 0 and ranks[r, a] < ranks[r, b]:
                    triplets[at, 0] = table[r, 0]
                    triplets[at, 1] = table[r, a + 1]
                    triplets[at, 2] = table[r, b + 1]
                    at += 1
