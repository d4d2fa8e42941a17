"""Loops of L-BFGS. Sums run in one order, whatever the machine or its threads."""

from __future__ import annotations

from tripletree._jit import kernel


@kernel
def dot(one, two):
    """The inner product of two vectors; eight sums run side by side."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = one.shape[0] - one.shape[0] % 8
    for a in range(0, whole, 8):
        s0 += one[a] * two[a]
        s1 += one[a + 1] * two[a + 1]
        s2 += one[a + 2] * two[a + 2]
        s3 += one[a + 3] * two[a + 3]
        s4 += one[a + 4] * two[a + 4]
        s5 += one[a + 5] * two[a + 5]
        s6 += one[a + 6] * two[a + 6]
        s7 += one[a + 7] * two[a + 7]
    total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
    for a in range(whole, one.shape[0]):
        total += one[a] * two[a]
    return total


@kernel
def add_multiple(total, factor, vector):
    """total += factor * vector."""
    for a in range(total.shape[0]):
        total[a] += factor * vector[a]


@kernel
def find_direction(gradient, steps, changes, curvatures, newest, count, weights, out):
    """Minus the inverse Hessian that the last steps suggest, times the gradient.

    steps and changes (of the gradient) are rings (memory, size) whose newest row is
    given, of which count are filled; curvatures (memory,) are their inner products.
    weights (memory,) is room to work in.
    """
    memory = steps.shape[0]
    for a in range(gradient.shape[0]):
        out[a] = -gradient[a]
    if count == 0:
        return
    for back in range(count):
        r = (newest - back) % memory
        weights[r] = dot(steps[r], out) / curvatures[r]
        add_multiple(out, -weights[r], changes[r])
    scale = curvatures[newest] / dot(changes[newest], changes[newest])
    for a in range(out.shape[0]):
        out[a] *= scale
    for back in range(count - 1, -1, -1):
        r = (newest - back) % memory
        change = dot(changes[r], out) / curvatures[r]
        add_multiple(out, weights[r] - change, steps[r])
