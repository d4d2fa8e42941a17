"""The nearest-neighbour chain of average linkage; see average.py for the idea."""

from __future__ import annotations

import numpy as np

from tripletree._jit import kernel


@kernel
def refresh(sums, a, fresh, born_slots, born, size, n_born):
    """Bring row a up to date with the clusters made since it last was.

    born_slots[:n_born] are the slots of new clusters in the order of their making and
    born[c] is the number of the latest one in slot c. Row a knows the first fresh[a].
    """
    for t in range(fresh[a], n_born):
        c = born_slots[t]
        if born[c] == t + 1 and size[c] > 0 and c != a:
            sums[a, c] = sums[c, a]
    fresh[a] = n_born


@kernel
def best_partner(sums, a, active, n_active, size):
    """The slot with the largest average to a; the smallest slot among equals.

    Averages s(a,c) / (|a| |c|) are compared by cross-multiplication: exact for
    integers.
    """
    row = sums[a]
    best = active[0] if active[0] != a else active[1]
    best_sum, best_size = row[best], size[best]
    x = 0
    while True:
        # To the next that beats the best so far: few do, so this loop is the long one.
        while x < n_active and not (
            row[active[x]] * best_size > best_sum * size[active[x]]
        ):
            x += 1
        if x == n_active:
            return best
        c = active[x]
        if c != a:
            best, best_sum, best_size = c, row[c], size[c]
        x += 1


@kernel
def chain_merges(sums, size, pairs, totals):
    """All merges of average linkage, in the order in which the chain finds them.

    sums (n, n) and size (n,), all ones, are overwritten; size is int64 or float64 as
    the sums are, so that comparing averages converts nothing. Slot c holds the cluster
    whose smallest leaf is c. Merge t joins slots pairs[t, 0] < pairs[t, 1] (n-1, 2)
    with s(A, B) = totals[t]; the result stays in the smaller slot.
    """
    n = sums.shape[0]
    active = np.arange(n)
    n_active = n
    fresh = np.zeros(n, np.int64)
    born = np.zeros(n, np.int64)
    born_slots = np.empty(n, np.int64)
    chain = np.empty(n, np.int64)
    place = np.full(n, -1, np.int64)  # in the chain
    length = 0
    for t in range(n - 1):
        if length == 0:
            chain[0] = active[0]
            place[active[0]] = 0
            length = 1
        while True:
            top = chain[length - 1]
            refresh(sums, top, fresh, born_slots, born, size, t)
            best = best_partner(sums, top, active, n_active, size)
            if place[best] >= 0:
                break
            chain[length] = best
            place[best] = length
            length += 1
        # Averages grow along the chain, so best is the one before top. With rounded
        # sums it may be an earlier one: leaving the chain from there on is safe.
        cut = place[best]
        for x in range(cut, length):
            place[chain[x]] = -1
        length = cut
        refresh(sums, best, fresh, born_slots, born, size, t)
        a, b = min(top, best), max(top, best)
        pairs[t, 0], pairs[t, 1] = a, b
        totals[t] = sums[a, b]
        kept = 0
        for x in range(n_active):
            c = active[x]
            sums[a, c] += sums[b, c]
            active[kept] = c
            kept += c != b
        n_active = kept
        size[a] += size[b]
        size[b] = 0
        born_slots[t] = a
        born[a] = t + 1
        fresh[a] = t + 1


@kernel
def name_nodes(pairs, order, children):
    """Fill children (n-1, 2): the merges of slots in this order, as nodes of a tree."""
    n = pairs.shape[0] + 1
    node = np.arange(n)
    for t in range(n - 1):
        a, b = pairs[order[t], 0], pairs[order[t], 1]
        children[t, 0], children[t, 1] = node[a], node[b]
        node[a] = n + t


@kernel
def lower_below(pairs, averages, before):
    """For merges in chain order: what each must wait for, and averages made monotone.

    before (n-1, 2) gets the earlier merges that made the two clusters, -1 for leaves.
    An average above that of an earlier merge (a rounding error) is lowered to it.
    """
    n = pairs.shape[0] + 1
    made = np.full(n, -1, np.int64)
    for t in range(n - 1):
        for side in range(2):
            earlier = made[pairs[t, side]]
            before[t, side] = earlier
            if earlier >= 0:
                averages[t] = min(averages[t], averages[earlier])
        made[pairs[t, 0]] = t
