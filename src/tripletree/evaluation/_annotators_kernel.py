"""Loops over the answers of each annotator in turn."""

import numpy as np

from tripletree._jit import kernel


@kernel
def sort_cells(rows, codes, n, place, near, far, order):
    """Fill near and far (m,) with the cells of the pairs of each row, by annotator.

    The cell of a pair is larger object x n + smaller object. place (annotators,) has
    the start of each annotator and is advanced; order (m,) gets the rows.
    """
    last = rows.shape[1] - 1
    other = 2 * last - 4
    for r in range(rows.shape[0]):
        at = place[codes[r]]
        place[codes[r]] += 1
        i, j = np.int64(rows[r, 0]), np.int64(rows[r, 1])
        near[at] = max(i, j) * n + min(i, j)
        i, j = np.int64(rows[r, other]), np.int64(rows[r, last])
        far[at] = max(i, j) * n + min(i, j)
        order[at] = r


@kernel
def number_pairs(cells, n, starts, place, members, last, number):
    """Replace the cells of pairs by numbers 0, 1, ... of those that occur.

    Cells are sorted into buckets by their larger object. A bucket begins at starts
    (n+1,) in members, which has an entry for each cell, and its next free entry is at
    place (n,). Within a bucket, the smaller object identifies the pair. last (n,), at
    first -1, is the bucket in which an object was last seen, and number (n,) the number
    of that pair. Returns the number of pairs.
    """
    for c in range(cells.shape[0]):
        larger = cells[c] // n
        members[place[larger]] = c
        place[larger] += 1
    n_pairs = 0
    for larger in range(n):
        for at in range(starts[larger], starts[larger + 1]):
            c = members[at]
            smaller = cells[c] - larger * n
            if last[smaller] != larger:
                last[smaller] = larger
                number[smaller] = n_pairs
                n_pairs += 1
            cells[c] = number[smaller]
    return n_pairs


@kernel
def compare_with_others(near, far, used, starts, tolerance, sums, counts):
    """Count the answers of each annotator that the others confirm, tie, contradict.

    near and far (m,) are positions in sums; used (m,) has the weights, or is empty for
    1; starts (annotators + 1,) are the rows of each; counts (annotators, 3) is filled.
    The answers of an annotator are subtracted from the sums, and added back after.
    """
    is_weighted = used.shape[0] > 0
    for a in range(starts.shape[0] - 1):
        for r in range(starts[a], starts[a + 1]):
            w = used[r] if is_weighted else 1
            sums[near[r]] -= w
            sums[far[r]] += w
        for r in range(starts[a], starts[a + 1]):
            lead = sums[near[r]] - sums[far[r]]
            if lead > tolerance:
                counts[a, 0] += 1
            elif lead < -tolerance:
                counts[a, 2] += 1
            else:
                counts[a, 1] += 1
        for r in range(starts[a], starts[a + 1]):
            w = used[r] if is_weighted else 1
            sums[near[r]] += w
            sums[far[r]] -= w
