"""Loops over the model of t-STE: what answers lose under it, and what it expects.

First, for loss.py, the log-loss of the answers and its gradient, anchor by anchor;
see there for the layout of pairs and rows. From `tabulate` on, AddS over all
comparisons, for by_embedding.py in completion/. Points come as (d, n), one row per
dimension, so that the inner loops run over objects side by side. At the end, for
descent.py, L-BFGS. Sums run in one order, whatever the machine or its threads.
"""

from collections import namedtuple

import numpy as np

from tripletree._jit import helper, kernel

# Masking the sign bit tells the compiler that an index is not negative.
NOT_NEGATIVE = np.int64(2**63 - 1)

LARGEST = 1e150  # of a raised base: ratios of two stay far from underflow
SMALL = 1e-100  # a product of probabilities is turned into a logarithm below this
SPACING = 0.25  # of the knots of the completion; the error of a term is below 3e-6
MOST_KNOTS = 1_400  # enough for all logarithms up to log(LARGEST)


# What a thread needs to go through anchors, with room for the most partners.
#
# others, forces (d, most): the points of the partners, and the forces on them, 0
# between anchors. base, raised, pulls (most,): see loss.py; pulls are 0 between
# anchors.
Work = namedtuple("Work", "others forces base raised pulls")


# Rings of the last steps of a descent.
#
# steps, changes (memory, size): the steps, and the changes of the gradient along
# them. curvatures (memory,): their inner products. weights (memory,): room to work.
Memory = namedtuple("Memory", "steps changes curvatures weights")


@kernel
def dot(one, two):
    """The inner product of two vectors.

    Eight sums run side by side: the compiler may not reorder one.
    """
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
def number_partners(rows, number, partners, pair_starts, near, far):
    """Number the partners of each anchor in order of appearance; return how many.

    rows is (starts, j, k): rows starts[i] to starts[i + 1] - 1 say that i is closer to
    j than to k. number (n,) int32 is -1 everywhere, before and after; partners has room
    for 2m.
    """
    starts, j, k = rows
    at = 0
    for i in range(starts.shape[0] - 1):
        first = at
        for r in range(starts[i], starts[i + 1]):
            for partner in (j[r], k[r]):
                if number[partner] < 0:
                    number[partner] = at - first
                    partners[at] = partner
                    at += 1
            near[r] = number[j[r]]
            far[r] = number[k[r]]
        for p in range(first, at):
            number[partners[p]] = -1
        pair_starts[i + 1] = at
    return at


@helper
def copy_points(points, partners, others):
    """Copy the points (d, n) of some partners into others (d, n_partners or more)."""
    for t in range(points.shape[0]):
        for a in range(partners.shape[0]):
            others[t, a] = points[t, np.int64(partners[a]) & NOT_NEGATIVE]


@helper
def find_bases(points, i, alpha, others, base):
    """base[a] = 1 + |x_i - others[:, a]|^2 / alpha."""
    inverse = 1.0 / alpha
    base[:] = 1.0
    for t in range(points.shape[0]):
        x, row = points[t, i], others[t]
        for a in range(base.shape[0]):
            step = x - row[a]
            base[a] += inverse * (step * step)


@helper
def raise_bases(base, alpha, raised):
    """raised[a] = base[a]^((alpha + 1) / 2), at most LARGEST: 1 / t of the model."""
    count = base.shape[0]
    twice = int(alpha) + 1
    if twice - 1 != alpha or twice > 16:
        power = (alpha + 1) / 2
        largest_base = LARGEST ** (1.0 / power)
        for a in range(count):
            raised[a] = min(base[a], largest_base) ** power
        return
    if twice % 2:
        for a in range(count):
            raised[a] = min(np.sqrt(base[a]), LARGEST)
    else:
        for a in range(count):
            raised[a] = 1.0
    for _ in range(twice // 2):
        for a in range(count):
            raised[a] = min(raised[a] * base[a], LARGEST)


@kernel
def add_losses(near, far, weights, raised, pulls):
    """Add up the log-loss of rows; add to pulls its derivative by each log(raised).

    near and far index raised and pulls. Empty weights count each row once; then the
    probabilities of many rows are multiplied before one logarithm is taken.
    """
    loss, product = 0.0, 1.0
    if weights.shape[0] == 0:
        for r in range(near.shape[0]):
            a = np.int64(near[r]) & NOT_NEGATIVE
            b = np.int64(far[r]) & NOT_NEGATIVE
            inverse = 1.0 / (raised[a] + raised[b])
            wrong = raised[a] * inverse
            product *= raised[b] * inverse
            if product < SMALL:
                loss -= np.log(product)
                product = 1.0
            pulls[a] += wrong
            pulls[b] -= wrong
        return loss - np.log(product)
    for r in range(near.shape[0]):
        a = np.int64(near[r]) & NOT_NEGATIVE
        b = np.int64(far[r]) & NOT_NEGATIVE
        inverse = 1.0 / (raised[a] + raised[b])
        wrong = weights[r] * (raised[a] * inverse)
        loss -= weights[r] * np.log(raised[b] * inverse)
        pulls[a] += wrong
        pulls[b] -= wrong
    return loss


@helper
def add_forces(model, i, others, base, pulls, forces, own):
    """Turn pulls into forces along x_i - others; pulls are 0 afterwards.

    Subtracts them from forces (d, count or more), in the order of others, and adds
    their sums to own (d, n) at i. base is room to work in, once it was read.
    """
    points, alpha = model
    count = base.shape[0]
    scale = (alpha + 1.0) / alpha
    for a in range(count):
        pulls[a] = scale * pulls[a] / base[a]
    steps = base
    for t in range(points.shape[0]):
        x, row, out = points[t, i], others[t], forces[t]
        for a in range(count):
            steps[a] = x - row[a]
        for a in range(count):
            out[a] -= pulls[a] * steps[a]
        own[t, i] += dot(pulls, steps)
    for a in range(count):
        pulls[a] = 0.0


@helper
def pass_on(partners, forces, gradient):
    """Add forces (d, n_partners or more) to those of the partners; they are 0 then."""
    for t in range(gradient.shape[0]):
        for a in range(partners.shape[0]):
            gradient[t, np.int64(partners[a]) & NOT_NEGATIVE] += forces[t, a]
            forces[t, a] = 0.0


@kernel
def add_triplets(model, answers, first, last, work, gradient):
    """The log-loss of the triplets of anchors first..last-1; adds to gradient (d, n).

    No partners in the answers mean that every anchor has all objects.
    """
    points, alpha = model
    loss = 0.0
    is_dense = answers.partners.shape[0] == 0
    others = points if is_dense else work.others
    forces = gradient if is_dense else work.forces
    for i in range(first, last):
        rows = slice(answers.row_starts[i], answers.row_starts[i + 1])
        if rows.start == rows.stop:
            continue
        pairs = slice(answers.pair_starts[i], answers.pair_starts[i + 1])
        count = points.shape[1] if is_dense else pairs.stop - pairs.start
        base, raised = work.base[:count], work.raised[:count]
        pulls = work.pulls[:count]
        partners = answers.partners[pairs]
        weights = answers.weights[rows] if answers.weights.shape[0] else answers.weights
        copy_points(points, partners, others)
        find_bases(points, i, alpha, others, base)
        raise_bases(base, alpha, raised)
        loss += add_losses(
            answers.near[rows], answers.far[rows], weights, raised, pulls
        )
        add_forces(model, i, others, base, pulls, forces, gradient)
        pass_on(partners, forces, gradient)
    return loss


@kernel
def fill_pair_bases(model, answers, first, last, work, base, raised):
    """Bases of all pairs (P,) whose smaller object is first..last-1."""
    points, alpha = model
    for i in range(first, last):
        pairs = slice(answers.pair_starts[i], answers.pair_starts[i + 1])
        copy_points(points, answers.partners[pairs], work.others)
        find_bases(points, i, alpha, work.others, base[pairs])
        raise_bases(base[pairs], alpha, raised[pairs])


@kernel
def add_pair_forces(model, answers, first, last, of_pairs, work, gradient):
    """Forces of all pairs (P,) whose smaller object is first..last-1.

    of_pairs are their bases and pulls.
    """
    points, _ = model
    bases, pulls = of_pairs
    for i in range(first, last):
        pairs = slice(answers.pair_starts[i], answers.pair_starts[i + 1])
        partners = answers.partners[pairs]
        copy_points(points, partners, work.others)
        base, pull_of = bases[pairs], pulls[pairs]
        add_forces(model, i, work.others, base, pull_of, work.forces, gradient)
        pass_on(partners, work.forces, gradient)


@helper
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


@helper
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


@helper
def add_multiple(total, factor, vector):
    """total += factor * vector."""
    for a in range(total.shape[0]):
        total[a] += factor * vector[a]


@kernel
def find_direction(gradient, memory, newest, count, out):
    """Minus the inverse Hessian that the last steps suggest, times the gradient.

    count steps are remembered, the newest of them in the given row of the rings.
    """
    steps, changes, curvatures, weights = memory
    for a in range(gradient.shape[0]):
        out[a] = -gradient[a]
    if count == 0:
        return
    for back in range(count):
        r = (newest - back) % steps.shape[0]
        weights[r] = dot(steps[r], out) / curvatures[r]
        add_multiple(out, -weights[r], changes[r])
    scale = curvatures[newest] / dot(changes[newest], changes[newest])
    for a in range(out.shape[0]):
        out[a] *= scale
    for back in range(count - 1, -1, -1):
        r = (newest - back) % steps.shape[0]
        change = dot(changes[r], out) / curvatures[r]
        add_multiple(out, weights[r] - change, steps[r])
