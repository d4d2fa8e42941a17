"""Loops of the bound by groups; see groups.py for the mathematics.

All sums that depend on an order are sums of integers, or are added in one fixed order,
so nothing depends on the number of threads.
"""

from collections import namedtuple

import numpy as np

from tripletree._jit import kernel

RANK = 16  # of the low-rank matrix Y = V V'
LARGEST = 2**29  # of what a pair leaves to a triple
SHARES = 6  # into which a triple divides: by 1, 2 or 3 of its pairs

# The objects are sorted by group: group g is first[g]..first[g+1]-1.
#
# s (n, n) and left (G, n, n) int32: the similarity in units, and what of it each
# group leaves to the triples, s - M. wins (T, G, n, n) int32: for i < j how many
# sixths of the triples with k in the group went to the pair i, j; one table per thread.
#
# vectors (G, n, RANK) float32: V, whose rows have the lengths norms (G, n); pulls
# (G, n): the lengths of the rows of M V. momentum and average (G, n, n) float32 of
# steps and of left, above the diagonal. slopes (G, n): the squares of a subgradient,
# by row. row (G, n) and column (G, RANK) float32: scratch.
Groups = namedtuple(
    "Groups",
    "s first group_of left wins vectors norms pulls momentum average slopes row column",
)


@kernel
def share_triples(groups, start, stop, tolerance, thread):
    """The sum over i < j < k, start <= i < stop, of the largest of what is left.

    Every triple is shared, in wins[thread], among its pairs that are at most
    `tolerance` below its largest.
    """
    first, group_of, left = groups.first, groups.group_of, groups.left
    wins = groups.wins[thread]
    n_groups, n = left.shape[0], left.shape[1]
    total = np.int64(0)
    for i in range(start, stop):
        for j in range(i + 1, n):
            g, h = group_of[i], group_of[j]
            for f in range(h, n_groups):
                low, high = max(j + 1, first[f]), first[f + 1]
                if low >= high:
                    continue
                here = left[f, i, j]
                others, mine = left[h, i, low:high], left[g, j, low:high]
                to_others, to_mine = wins[h, i, low:high], wins[g, j, low:high]
                to_here = np.int32(0)
                for k in range(high - low):
                    most = max(here, max(others[k], mine[k]))
                    total += most
                    least = most - tolerance
                    wins_here = np.int32(here >= least)
                    wins_other = np.int32(others[k] >= least)
                    wins_mine = np.int32(mine[k] >= least)
                    n_winners = wins_here + wins_other + wins_mine
                    share = np.int32(
                        6 if n_winners == 1 else 3 if n_winners == 2 else 2
                    )
                    to_others[k] += share * wins_other
                    to_mine[k] += share * wins_mine
                    to_here += share * wins_here
                wins[f, i, j] += to_here
    return total


@kernel
def turn_vectors(groups, g, n_sweeps):
    """Turn each row of V to where its share of <M, V V'> is largest, one by one."""
    s, left, norms = groups.s, groups.left[g], groups.norms[g]
    vectors, pulls, pull = groups.vectors[g], groups.pulls[g], groups.column[g]
    n = s.shape[0]
    for i in range(n_sweeps * n):
        i %= n
        pull[:] = np.float32(0)
        for j in range(0, n - 1, 2):
            one, two = np.float32(s[i, j] - left[i, j]), np.float32(0)
            two = np.float32(s[i, j + 1] - left[i, j + 1])
            for a in range(RANK):
                pull[a] += one * vectors[j, a] + two * vectors[j + 1, a]
        if n % 2:
            one = np.float32(s[i, n - 1] - left[i, n - 1])
            for a in range(RANK):
                pull[a] += one * vectors[n - 1, a]
        square = np.float32(0)
        for a in range(RANK):
            square += pull[a] * pull[a]
        pulls[i] = np.sqrt(square)
        if square > 0:
            factor = norms[i] / pulls[i]
            for a in range(RANK):
                vectors[i, a] = factor * pull[a]


@kernel
def find_slopes(groups, g, kept):
    """Fill slopes with the squares of Y - wins, and add that to `kept` momentum.

    The wins of all threads are put together in the table of the first.
    """
    vectors, momentum = groups.vectors[g], groups.momentum[g]
    slopes, row = groups.slopes[g], groups.row[g]
    n = vectors.shape[0]
    across = np.ascontiguousarray(vectors.T)
    for i in range(n):
        row[i + 1 :] = np.float32(0)
        for a in range(RANK):
            for j in range(i + 1, n):
                row[j] += vectors[i, a] * across[a, j]
        wins = groups.wins[0, g, i]
        for thread in range(1, groups.wins.shape[0]):
            for j in range(i + 1, n):
                wins[j] += groups.wins[thread, g, i, j]
        for j in range(i + 1, n):
            row[j] -= np.float32(wins[j]) / np.float32(SHARES)
        total = 0.0
        for j in range(i + 1, n):
            momentum[i, j] = kept * momentum[i, j] + row[j]
            total += np.float64(row[j]) * row[j]
        slopes[i] = total


@kernel
def take_step(groups, g, length, weight):
    """Go `length` times the momentum; the average goes there by `weight`."""
    left, average, momentum = groups.left[g], groups.average[g], groups.momentum[g]
    n = left.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            change = min(max(length * momentum[i, j], -LARGEST), LARGEST)
            there = left[i, j] + np.int32(np.rint(change))
            left[i, j] = min(max(there, -LARGEST), LARGEST)
            average[i, j] += weight * (np.float32(left[i, j]) - average[i, j])
        for j in range(i + 1, n):
            left[j, i] = left[i, j]


@kernel
def is_definite(groups, g, diagonal, table):
    """Whether Cholesky's factorisation of diag(diagonal) - M comes to its end.

    table (n, n) float64 is scratch; rows of the factor are computed four at a time.
    """
    s, left = groups.s, groups.left[g]
    n = s.shape[0]
    for start in range(0, n, 4):
        stop = min(start + 4, n)
        for i in range(start, stop):
            for j in range(start, n):
                table[i, j] = left[i, j] - s[i, j]
            table[i, i] = diagonal[i]
        if stop - start == 4:
            row0, row1 = table[start, start:], table[start + 1, start:]
            row2, row3 = table[start + 2, start:], table[start + 3, start:]
            for above in range(start):
                row = table[above, start:]
                a, b, c, d = row[0], row[1], row[2], row[3]
                for j in range(row.shape[0]):
                    row0[j] -= a * row[j]
                    row1[j] -= b * row[j]
                    row2[j] -= c * row[j]
                    row3[j] -= d * row[j]
        for i in range(start, stop):
            for above in range(start if stop - start == 4 else 0, i):
                factor = table[above, i]
                for j in range(i, n):
                    table[i, j] -= factor * table[above, j]
            if not table[i, i] > 0:
                return False
            pivot = np.sqrt(table[i, i])
            for j in range(i, n):
                table[i, j] /= pivot
    return True
