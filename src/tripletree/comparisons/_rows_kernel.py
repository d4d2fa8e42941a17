"""Many rows or numbers in one pass: what is wrong, what is new, integers as ids."""

import numpy as np

from tripletree._jit import helper, kernel

LOW_BITS = 2**31 - 1
MIX_LOW, MIX_HIGH = 1_640_531_527, 409_160_561  # odd; no product reaches 2^63


@kernel
def first_wrong(rows, n_objects):
    """The first row of (m, 3) or (m, 4) int32 that is not a comparison, or -1."""
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


@kernel
def number_values(values, ids, done, table, found, n_found):
    """Number int64 values in the order in which they first occur, from `done` on.

    table: (2^k, 2) int64, open addressing, rows (value, its number + 1), 0 for free;
    found: the n_found values that have a number. Stops where found is full; returns
    how many values are done, and n_found.
    """
    mask = len(table) - 1
    for r in range(done, len(values)):
        value = values[r]
        mixed = (value & LOW_BITS) * MIX_LOW + (value >> 31) * MIX_HIGH
        at = (mixed ^ (mixed >> 25)) & mask
        while table[at, 1] > 0 and table[at, 0] != value:
            at = (at + 1) & mask
        if table[at, 1] == 0:
            if n_found == len(found):
                return r, n_found
            found[n_found] = value
            n_found += 1
            table[at, 0] = value
            table[at, 1] = n_found
        ids[r] = table[at, 1] - 1
    return len(values), n_found


@helper
def mixed(number):
    """A number below 2^60 of a number, of which the last 31 bits count."""
    product = (np.int64(number) & LOW_BITS) * MIX_HIGH
    product = ((product ^ (product >> 31)) & LOW_BITS) * MIX_HIGH
    return product ^ (product >> 29)


@helper
def bucket(rows, r, mask):
    """The bucket of row r, for any order of its three objects, or of its two pairs."""
    one, two = mixed(rows[r, 0]) + mixed(rows[r, 1]), mixed(rows[r, 2])
    if rows.shape[1] == 4:
        two += mixed(rows[r, 3])
        one, two = mixed(one ^ (one >> 31)), mixed(two ^ (two >> 31))
    total = one + two
    return (total ^ (total >> 31)) & mask


@kernel
def fill_buckets(rows, n_rows):
    """Count rows (m, 3 or 4) in n_rows (2^k,) int8, of each bucket: none, one, or 2."""
    mask = n_rows.shape[0] - 1
    for r in range(rows.shape[0]):
        at = bucket(rows, r, mask)
        if n_rows[at] < 2:
            n_rows[at] += 1


@kernel
def find_shared(rows, n_rows, is_shared):
    """Fill is_shared (m,) bool: whether the bucket of a row has others, too."""
    mask = n_rows.shape[0] - 1
    for r in range(rows.shape[0]):
        is_shared[r] = n_rows[bucket(rows, r, mask)] > 1


@kernel
def keep_new(drawn, seen, numbers, n_found):
    """Append to numbers what was drawn for the first time; return how many there are.

    seen is a hash table of 2^b places, -1 where free, and never full. The numbers are
    random, so their last b bits are as good a place to begin as any.
    """
    mask = seen.shape[0] - 1
    for number in drawn:
        place = number & mask
        while seen[place] >= 0 and seen[place] != number:
            place = (place + 1) & mask
        if seen[place] < 0:
            seen[place] = number
            numbers[n_found] = number
            n_found += 1
    return n_found
