"""The nearest-neighbour chain of average linkage; see average.py for the idea."""

from __future__ import annotations

from collections import namedtuple

from tripletree._jit import helper, kernel

# The state between merges. Slot c holds the cluster whose smallest leaf is c.
#
# sums (n, n) holds s(A, B), overwritten as clusters merge; size (n,) is 0 in empty
# slots, and int64 or float64 as the sums are, so that comparing averages converts
# nothing. active (n,) lists the n - t slots in use after t merges, in order.
#
# After a merge only the row of the new cluster is written. maker[t] is the slot that
# merge t filled, and fresh[c] how many merges row c knows of.
#
# chain (n,) holds slots, each the best partner of the one before; place (n,) is a
# slot's place in it, or -1.
Chain = namedtuple("Chain", "sums size active maker fresh chain place")


@helper
def refresh(state, a, n_merges):
    """Bring row a up to date with the clusters made since it last was."""
    for t in range(state.fresh[a], n_merges):
        c = state.maker[t]
        if state.size[c] > 0:
            state.sums[a, c] = state.sums[c, a]
    state.fresh[a] = n_merges


@helper
def best_partner(row, a, active, n_active, size):
    """The slot with the largest average to a; the smallest slot among equals.

    Averages s(a, c) / (|a| |c|) are compared by cross-multiplication: exact for
    integers.
    """
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


@helper
def join(state, a, b, t):
    """Merge slot b into slot a < b, as merge t. Both rows must be up to date."""
    kept = 0
    for x in range(len(state.active) - t):
        c = state.active[x]
        state.sums[a, c] += state.sums[b, c]
        state.active[kept] = c
        kept += c != b
    state.size[a] += state.size[b]
    state.size[b] = 0
    state.maker[t] = a
    state.fresh[a] = t + 1


@kernel
def chain_merges(state, start, stop, length, pairs, totals):
    """Merges start..stop-1 of average linkage, in the order the chain finds them.

    Merge t joins slots pairs[t, 0] < pairs[t, 1] (n-1, 2) with s(A, B) = totals[t]; the
    result stays in the smaller slot. length is that of the chain; returns the new one.
    """
    chain, place = state.chain, state.place
    n = len(state.active)
    for t in range(start, stop):
        if length == 0:
            chain[0] = state.active[0]
            place[chain[0]] = 0
            length = 1
        while True:
            top = chain[length - 1]
            refresh(state, top, t)
            best = best_partner(state.sums[top], top, state.active, n - t, state.size)
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
        refresh(state, best, t)
        a, b = min(top, best), max(top, best)
        pairs[t, 0], pairs[t, 1] = a, b
        totals[t] = state.sums[a, b]
        join(state, a, b, t)
    return length
