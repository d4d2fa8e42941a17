"""One pass over a similarity matrix, dense or sparse."""

import numpy as np

from tripletree._jit import kernel
from tripletree.tree._tree_kernel import from_start

TILE = 64


@kernel
def first_wrong(s, start, stop):
    """Look at rows start..stop-1 of the lower triangle of s (n, n).

    Returns a pair (i, j) that differs from (j, i) or is not finite, or (-1, -1), and
    the sum of |s_ij| as a float.
    """
    total = 0.0
    for left in range(0, stop, TILE):
        for i in range(start, stop):
            for j in range(left, min(left + TILE, i)):
                value = s[i, j]
                if value != s[j, i] or not np.isfinite(value):
                    return i, j, total
                total += abs(float(value))
    return -1, -1, total


@kernel
def mirrored_total(indptr, indices, data, place):
    """The sum of |s_ij| over i < j, as a float, of a csr matrix that is in order.

    -1 if not: columns must be sorted, each once, numbers finite, the diagonal not
    stored, and each entry, also a stored 0, needs the same one at its mirror image.
    Rows are read from the first on, so the mirror images that any row has are met from
    left to right: place (n,) is filled with where the next one must be.
    """
    n = place.shape[0]
    place[:] = indptr[:n]
    total = 0.0
    for i in range(n):
        last = i
        for at in range(place[i], indptr[i + 1]):
            j, value = indices[from_start(at)], data[from_start(at)]
            if j <= last or j >= n or place[j] == indptr[j + 1]:
                return -1.0
            mirror = from_start(place[j])
            is_same = indices[mirror] == i and data[mirror] == value
            if not is_same or not np.isfinite(value):
                return -1.0
            total += abs(float(value))
            place[j] += 1
            last = j
    return total
