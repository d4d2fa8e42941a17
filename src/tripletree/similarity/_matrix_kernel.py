"""One pass over a similarity matrix, dense or sparse."""

from __future__ import annotations

import numpy as np

from tripletree._jit import kernel

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
def first_wrong_sparse(indptr, indices, data, place):
    """As `first_wrong` for all of a csr matrix with sorted columns.

    Also wrong is an entry (i, i). place (n,) begins as indptr[:-1] and is changed:
    where each row goes on. As i grows, the entries (j, i) of row j > i are met in
    order, so those of row i with smaller columns have been met before its turn; stored
    zeros are passed over.
    """
    total = 0.0
    n = indptr.shape[0] - 1
    for i in range(n):
        first, stop = place[i], indptr[i + 1]
        while first < stop and indices[first] < i:
            if data[first] != 0:
                return indices[first], i, total
            first += 1
        if first < stop and indices[first] == i:
            return i, i, total
        for at in range(first, stop):
            j, value = indices[at], data[at]
            if not np.isfinite(value):
                return i, j, total
            if value == 0:
                continue
            total += abs(float(value))
            mirror, end = place[j], indptr[j + 1]
            while mirror < end and data[mirror] == 0:
                mirror += 1
            if mirror == end or indices[mirror] > i:
                return i, j, total
            if indices[mirror] < i:
                return indices[mirror], j, total
            if data[mirror] != value:
                return i, j, total
            place[j] = mirror + 1
    return -1, -1, total
