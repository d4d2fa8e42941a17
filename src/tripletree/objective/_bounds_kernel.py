"""Loops over sets of three, of four and of all objects; see bounds.py."""

import numpy as np

from tripletree._jit import helper, kernel


@kernel
def sum_of_largest(s, start, stop):
    """The sum of max(s_ij, s_ik, s_jk) over i > j > k with start <= i < stop."""
    total = s.dtype.type(0)
    for i in range(start, stop):
        for j in range(i):
            one = s[i, j]
            for k in range(j):
                total += max(one, max(s[i, k], s[j, k]))
    return total


@helper
def quad_number(a, b, c, d):
    """The place of a < b < c < d among all sets of four."""
    pairs = b * (b - 1) // 2
    triples = c * (c - 1) * (c - 2) // 6
    return a + pairs + triples + d * (d - 1) * (d - 2) * (d - 3) // 24


@helper
def quad_and_slot(i, j, k, l):
    """The place of {i, j, k, l}, i < j < k, and which of the four l is in order."""
    if l < i:
        return quad_number(l, i, j, k), 0
    if l < j:
        return quad_number(i, l, j, k), 1
    if l < k:
        return quad_number(i, j, l, k), 2
    return quad_number(i, j, k, l), 3


@kernel
def share_values(s, shares):
    """Fill shares (n_quads, 4, 3): every triple's values, divided among its quads."""
    n = s.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                for l in range(n):
                    if l != i and l != j and l != k:
                        q, slot = quad_and_slot(i, j, k, l)
                        shares[q, slot, 0] = s[i, j] / (n - 3)
                        shares[q, slot, 1] = s[i, k] / (n - 3)
                        shares[q, slot, 2] = s[j, k] / (n - 3)


@kernel
def even_out(shares, trees, n, start, stop, marginals):
    """For the triples with smallest object start..stop-1: even out their quads.

    marginals (n, 3) is scratch. Replaces each share by what makes the best value of
    every quad, given the answer to this triple, the mean over its quads.
    """
    for i in range(start, stop):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                mean0, mean1, mean2 = 0.0, 0.0, 0.0
                for l in range(n):
                    if l == i or l == j or l == k:
                        continue
                    q, slot = quad_and_slot(i, j, k, l)
                    share = shares[q]
                    for answer in range(3):
                        best = -np.inf
                        for t in range(5):  # the five trees with this answer here
                            tree = trees[slot, answer, t]
                            value = (
                                share[0, tree[0]]
                                + share[1, tree[1]]
                                + share[2, tree[2]]
                                + share[3, tree[3]]
                            )
                            if value > best:
                                best = value
                        marginals[l, answer] = best
                    mean0 += marginals[l, 0]
                    mean1 += marginals[l, 1]
                    mean2 += marginals[l, 2]
                for l in range(n):
                    if l != i and l != j and l != k:
                        q, slot = quad_and_slot(i, j, k, l)
                        shares[q, slot, 0] += mean0 / (n - 3) - marginals[l, 0]
                        shares[q, slot, 1] += mean1 / (n - 3) - marginals[l, 1]
                        shares[q, slot, 2] += mean2 / (n - 3) - marginals[l, 2]


@kernel
def bound_of_shares(shares, trees, s):
    """The bound that these shares prove, and the sum of sizes that was added up.

    The best tree of every quad, and for every triple what its shares lack of its values
    (nothing but rounding errors).
    """
    n = s.shape[0]
    total, sizes = 0.0, 0.0
    for q in range(shares.shape[0]):
        best = -np.inf
        for answer in range(3):
            for t in range(5):
                tree = trees[0, answer, t]
                value = 0.0
                for slot in range(4):
                    value += shares[q, slot, tree[slot]]
                best = max(best, value)
        total += best
        sizes += abs(best)
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                lack0, lack1, lack2 = float(s[i, j]), float(s[i, k]), float(s[j, k])
                for l in range(n):
                    if l != i and l != j and l != k:
                        q, slot = quad_and_slot(i, j, k, l)
                        lack0 -= shares[q, slot, 0]
                        lack1 -= shares[q, slot, 1]
                        lack2 -= shares[q, slot, 2]
                total += max(lack0, max(lack1, lack2))
    return total, sizes


@kernel
def fill_best(within, size, start, stop, best, split):
    """Fill best and split (2^n,) for the sets start..stop-1; smaller ones are done.

    best is the largest revenue of a tree on the set, split the half that holds its
    largest object. Of equal splits the first found, with the largest half, is kept.
    """
    for members in range(start, stop):
        if size[members] < 2:
            continue
        largest = 1
        while 2 * largest <= members:
            largest *= 2
        others = members ^ largest
        # Halves with the largest object: it and any proper subset of the others.
        subset = (others - 1) & others
        is_first = True
        while True:
            half = largest | subset
            rest = members ^ half
            cross = within[members] - within[half] - within[rest]
            value = best[half] + best[rest] - size[members] * cross
            if is_first or value > best[members]:
                best[members], split[members] = value, half
                is_first = False
            if subset == 0:
                break
            subset = (subset - 1) & others
