"""One pass over a similarity matrix."""

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
