"""Loops of the completion: expected AddS over all comparisons, by interpolation."""

from __future__ import annotations

import numpy as np

from tripletree._jit import kernel
from tripletree.embedding._tste_kernel import find_bases, raise_bases

SPACING = 0.25  # of the grid; the error of a term is below 3e-6
MOST_KNOTS = 1_400  # enough for all logarithms up to log(LARGEST)


@kernel
def tabulate(raised, i, low, high, knots, values, slopes):
    """Tabulate the sum over k of (u_k - u) / (u_k + u), k not i, by v = log(u).

    raised (n,) has the u_k, low and high are the least and the largest of their
    logarithms. Fills as many knots, values and slopes as are needed; returns how many.
    """
    count = max(2, int(np.ceil((high - low) / SPACING)) + 1)
    step = (high - low) / (count - 1)
    knots, values, slopes = knots[:count], values[:count], slopes[:count]
    for g in range(count):
        knots[g] = np.exp(low + g * step)
    values[:] = 0.0
    slopes[:] = 0.0
    for k in range(raised.shape[0]):
        if k != i:
            u = raised[k]
            for g in range(count):
                share = knots[g] / (u + knots[g])
                values[g] += 1.0 - 2.0 * share
                slopes[g] -= 2.0 * share * (1.0 - share)
    return count


@kernel
def interpolate(v, low, high, values, slopes):
    """The cubic through values and slopes (count,) at knots from low to high, at v."""
    count = values.shape[0]
    step = (high - low) / (count - 1)
    if step == 0.0:
        return 0.0
    place = (v - low) / step
    g = min(max(int(place), 0), count - 2)
    t = place - g
    rest = 1.0 - t
    return (
        (1.0 + 2.0 * t) * rest * rest * values[g]
        + t * rest * rest * step * slopes[g]
        + t * t * (3.0 - 2.0 * t) * values[g + 1]
        - t * t * rest * step * slopes[g + 1]
    )


@kernel
def add_expected(points, alpha, first, last, work, tables, sums):
    """Add to sums[i, j] the sum over k of 2 p(i, j, k) - 1, for i in first..last-1.

    points is (d, n), work (3, n), tables (3, MOST_KNOTS), sums (n, n). The term k = j
    is 0 by itself.
    """
    n = points.shape[1]
    if n == 1:
        return
    base, raised, logs = work[0], work[1], work[2]
    for i in range(first, last):
        find_bases(points, i, alpha, points, base)
        raise_bases(base, alpha, raised)
        low, high = np.inf, -np.inf
        for j in range(n):
            logs[j] = np.log(raised[j])
            if j != i:
                low, high = min(low, logs[j]), max(high, logs[j])
        count = tabulate(raised, i, low, high, tables[0], tables[1], tables[2])
        values, slopes = tables[1, :count], tables[2, :count]
        for j in range(n):
            if j != i:
                sums[i, j] += interpolate(logs[j], low, high, values, slopes)


@kernel
def add_implied(points, first, last, base, sums):
    """Add to sums[i, j] how many k are farther from i than j is, less the nearer ones.

    points is (d, n), base (n,), sums (n, n) int64; for i in first..last-1.
    """
    n = points.shape[1]
    for i in range(first, last):
        for k in range(n):
            base[k] = 0.0
            for axis in range(points.shape[0]):
                base[k] += (points[axis, k] - points[axis, i]) ** 2
        base[i] = -1.0  # before all others, and not counted
        order = np.argsort(base)
        start = 1
        while start < n:
            stop = start + 1
            while stop < n and base[order[stop]] == base[order[start]]:
                stop += 1
            for place in range(start, stop):
                sums[i, order[place]] += (n - stop) - (start - 1)
            start = stop
