"""Loops that find which objects the comparisons join."""

from tripletree._jit import helper, kernel


@kernel
def count_and_join(rows, counts, leader):
    """Count the rows of each object, and join the objects of a row.

    rows (m, 3 or 4); counts (n,) is added to; leader (n,) is a forest in which every
    object points to one of its group with a smaller or the same id, and is changed.
    """
    for r in range(rows.shape[0]):
        first = root(leader, rows[r, 0])
        for column in range(rows.shape[1]):
            x = rows[r, column]
            is_repeated = False
            for before in range(column):
                is_repeated = is_repeated or rows[r, before] == x
            if not is_repeated:
                counts[x] += 1
            other = root(leader, x)
            if other != first:
                low, high = min(first, other), max(first, other)
                leader[high] = low
                first = low


@helper
def root(leader, x):
    """The smallest object of the group of x; shortens the way for the next time."""
    while leader[x] != x:
        leader[x] = leader[leader[x]]
        x = leader[x]
    return x
