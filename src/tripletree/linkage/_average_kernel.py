"""The nearest-neighbour chain of average linkage; see average.py for the ideas."""

import math
from collections import namedtuple

from tripletree._jit import helper, kernel

# Clusters at places: first those there were, then those made since, in that order.
#
# Row row[p] of sums (k, width) holds s(A, B) of the cluster at place p with those at
# all places; limit is the largest number it can hold. size (width,) is 0 where a
# cluster has merged or is yet to be made. slot (width,) is the smallest leaf of each.
#
# inverse (width,) is 1 / size, and base (width,) twice the size of the largest average,
# both 0 where size is. In line (width,) rows are added. The rest is of the chain: keys
# (width,) of the partners of its last cluster, the same memory as integers (bits), and
# their largest in each block (tops); chain (width,) holds places, each the best partner
# of the one before, and turn (width,) is where a place is in it, or -1.
Clusters = namedtuple(
    "Clusters",
    "sums row size slot limit inverse base line keys bits tops chain turn",
)

BLOCK = 256
COLUMNS = 32  # are written at a time: with 16 bits, a line of the cache in each row
SLACK = 16  # rounding of two keys, in units of the last bit


@helper
def complete_row(clusters, p, n_known, n_used):
    """Write the sums of p with clusters at places n_known..n_used-1 into its row."""
    row = clusters.sums[clusters.row[p]]
    for c in range(max(n_known, p + 1), n_used):
        row[c] = clusters.sums[clusters.row[c], p]


@helper
def largest(values):
    """The largest of some integers."""
    result = values[0]
    for x in range(len(values)):
        result = values[x] if values[x] > result else result
    return result


@helper
def best_partner(clusters, a, n_used):
    """The place with the largest average to a; the smallest slot among equals.

    Keys are rounded averages, made positive, so that their bits are in the same order;
    they leave few places whose averages s(a, c) / (|a| |c|) are compared exactly.
    """
    row, size, slot = clusters.sums[clusters.row[a]], clusters.size, clusters.slot
    keys, bits, tops = clusters.keys, clusters.bits, clusters.tops
    inverse, base = clusters.inverse, clusters.base
    own = inverse[a]
    for x in range(n_used):
        keys[x] = row[x] * inverse[x] * own + base[x]
    keys[a] = 0
    n_blocks = 0
    for start in range(0, n_used, BLOCK):
        tops[n_blocks] = largest(bits[start : min(start + BLOCK, n_used)])
        n_blocks += 1
    least = largest(tops[:n_blocks]) - SLACK
    best, best_sum, best_size = -1, size.dtype.type(-1), size.dtype.type(0)
    for block in range(n_blocks):
        if tops[block] < least:
            continue
        for x in range(block * BLOCK, min((block + 1) * BLOCK, n_used)):
            if bits[x] < least or size[x] == 0 or x == a:
                continue
            one, other = row[x] * best_size, best_sum * size[x]
            if one > other or (one == other and slot[x] < slot[best]):
                best, best_sum, best_size = x, size.dtype.type(row[x]), size[x]
    return best


@helper
def add_rows(clusters, a, b, n_used):
    """Fill line with the sums of a and b together; returns whether sums can hold it."""
    one, other = clusters.sums[clusters.row[a]], clusters.sums[clusters.row[b]]
    line, limit = clusters.line, clusters.limit
    is_beyond = False
    for x in range(n_used):
        line[x] = one[x]
        line[x] += other[x]
    line[a] = line[b] = 0
    for x in range(n_used):
        is_beyond |= abs(line[x]) > limit
    return not is_beyond


@helper
def join(clusters, a, b, c):
    """Put the cluster of a and b at place c, with the row in line."""
    row, slot = clusters.sums[clusters.row[a]], clusters.slot
    for x in range(c):
        row[x] = clusters.line[x]
    clusters.row[c] = clusters.row[a]
    clusters.size[c] = clusters.size[a] + clusters.size[b]
    clusters.inverse[c] = 1 / clusters.size[c]
    clusters.base[c] = clusters.base[a]
    slot[c] = min(slot[a], slot[b])
    for x in (a, b):
        clusters.size[x] = 0
        clusters.inverse[x] = clusters.base[x] = 0


@kernel
def chain_merges(clusters, n_used, stop, pairs, totals):
    """Average linkage, in the order of the chain, until `stop` places are in use.

    Merge t joins slots pairs[t, 0] < pairs[t, 1] with s(A, B) = totals[t], and the
    result has the smaller one. Returns the number of places in use: fewer if a sum is
    beyond the limit.
    """
    chain, turn = clusters.chain, clusters.turn
    first_made = n_known = n_used
    length = first = 0
    while n_used < stop:
        if length == 0:
            while clusters.size[first] == 0:
                first += 1
            chain[0] = first
            turn[first] = 0
            length = 1
        a = chain[length - 1]
        complete_row(clusters, a, n_known, n_used)
        b = best_partner(clusters, a, n_used)
        if turn[b] < 0:
            chain[length] = b
            turn[b] = length
            length += 1
            continue
        complete_row(clusters, b, n_known, n_used)
        if not add_rows(clusters, a, b, n_used):
            break
        # Averages grow along the chain, so b is the one before a. With rounded sums it
        # may be an earlier one: leaving the chain from there on is safe.
        cut = turn[b]
        for x in range(cut, length):
            turn[chain[x]] = -1
        length = cut
        one, other = clusters.slot[a], clusters.slot[b]
        t = n_used - first_made
        pairs[t, 0], pairs[t, 1] = min(one, other), max(one, other)
        totals[t] = clusters.sums[clusters.row[a], b]
        join(clusters, a, b, n_used)
        n_used += 1
        if n_used - n_known == COLUMNS:
            complete_rows(clusters, n_known, n_used)
            n_known = n_used
    for x in range(length):
        turn[chain[x]] = -1
    complete_rows(clusters, n_known, n_used)
    return n_used


@helper
def complete_rows(clusters, n_known, n_used):
    """`complete_row` for every cluster."""
    for p in range(n_used):
        if clusters.size[p] > 0:
            complete_row(clusters, p, n_known, n_used)


@kernel
def pack_rows(old, kept, start, stop, limit, line, new):
    """Copy the sums between the places kept (k,) into rows start..stop-1 of new.

    old is the sums and the row of each place. line (k,) is scratch. Returns the largest
    |sum|, and ends where one is beyond the limit; without a limit (infinity) none is
    looked for. Row x of new may lie in memory where no row of old behind the x-th kept
    one does.
    """
    sums, row = old
    most = line.dtype.type(0)
    for x in range(start, stop):
        source = sums[row[kept[x]]]
        for y in range(len(kept)):
            line[y] = source[kept[y]]
        line[x] = 0
        if limit < math.inf:
            for y in range(len(kept)):
                most = max(most, abs(line[y]))
        if most > limit:
            break
        for y in range(len(kept)):
            new[x, y] = line[y]
    return most
