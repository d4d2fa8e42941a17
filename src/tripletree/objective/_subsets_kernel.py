"""The subset programme; see subsets.py."""

from __future__ import annotations

from tripletree._jit import kernel


@kernel
def fill_within(s, within):
    """Fill within (2^n,): the sum of s over the pairs inside each set of objects."""
    n = s.shape[0]
    for members in range(1, within.shape[0]):
        first = 0
        while not (members >> first) & 1:
            first += 1
        rest = members & (members - 1)
        total = within[rest]
        for j in range(first + 1, n):
            if (rest >> j) & 1:
                total += s[first, j]
        within[members] = total


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
