"""Loops of the block posterior; see posterior.py for the model.

A *place* is a leaf of the complete binary tree of depth D, 0..K-1 with K = 2^D; node v
of that tree has the children 2v and 2v + 1, its root is 1, and place c is node K + c.
level[c, d] (K, K) is the depth of the common ancestor of two places. n_below (2K,)
counts the objects below each node. An answer is a row (a, b, c, d) of `answers`: a and
b are closer than c and d. log_p[x, y] is the log probability that a pair which meets at
depth x is closer than one which meets at depth y.

The entries of an object x, one for each answer that it is in, are near, far (partners
of x in the near and in the far pair, -1 if x is not in it) and the number of the
answer.
"""

from __future__ import annotations

import math

import numpy as np

from tripletree._jit import helper, kernel


@helper
def score_places(x, places, data, level, log_p, scores):
    """Fill scores (K,): the log likelihood of the answers about x at each place."""
    answers, weights, starts, near, far, number = data
    scores[:] = 0.0
    for e in range(starts[x], starts[x + 1]):
        row, weight = answers[number[e]], weights[number[e]]
        if near[e] >= 0 and far[e] >= 0:
            one, two = places[near[e]], places[far[e]]
            if one == two:
                continue  # undecided, wherever x is
            for c in range(scores.shape[0]):
                scores[c] += weight * log_p[level[c, one], level[c, two]]
        elif near[e] >= 0:
            one, fixed = places[near[e]], level[places[row[2]], places[row[3]]]
            for c in range(scores.shape[0]):
                scores[c] += weight * log_p[level[c, one], fixed]
        else:
            two, fixed = places[far[e]], level[places[row[0]], places[row[1]]]
            for c in range(scores.shape[0]):
                scores[c] += weight * log_p[fixed, level[c, two]]


@helper
def count(n_below, node, change):
    """Add to the counts of a node and of all above it."""
    while node > 0:
        n_below[node] += change
        node >>= 1


@kernel
def sweep(places, n_below, data, level, log_p, heat, order, draws, scores):
    """Gibbs: take each object out, in this order, and draw its place anew.

    heat multiplies the log likelihood; draws (n,) are uniform from 0 to 1; scores is
    (K,) scratch. The prior is a Polya tree: going down, a side is chosen in proportion
    to the objects there plus one.
    """
    n_places = scores.shape[0]
    prior = np.empty(2 * n_places)
    for x in order:
        count(n_below, n_places + places[x], -1)
        score_places(x, places, data, level, log_p, scores)
        prior[1] = 0.0
        for node in range(2, 2 * n_places):
            above = node >> 1
            share = (n_below[node] + 1.0) / (n_below[above] + 2.0)
            prior[node] = prior[above] + math.log(share)
        most = -math.inf
        for c in range(n_places):
            scores[c] = heat * scores[c] + prior[n_places + c]
            most = max(most, scores[c])
        total = 0.0
        for c in range(n_places):
            total += math.exp(scores[c] - most)
            scores[c] = total
        place = 0
        while place < n_places - 1 and scores[place] < draws[x] * total:
            place += 1
        places[x] = place
        count(n_below, n_places + place, 1)


@helper
def log_likelihood(places, answers, weights, level, log_p):
    """The log likelihood of all answers."""
    total = 0.0
    for r in range(answers.shape[0]):
        a, b, c, d = answers[r]
        near, far = level[places[a], places[b]], level[places[c], places[d]]
        total += weights[r] * log_p[near, far]
    return total


@helper
def log_prior(n_below):
    """The log probability of the counts under the Polya tree."""
    total = 0.0
    for node in range(1, n_below.shape[0] // 2):
        left, right = n_below[2 * node], n_below[2 * node + 1]
        total += math.lgamma(left + 1.0) + math.lgamma(right + 1.0)
        total -= math.lgamma(left + right + 2.0)
    return total


@kernel
def swap_branches(places, n_below, data, level, log_p, heat, pairs, draws):
    """Metropolis: exchange what is below two nodes of the same depth.

    pairs (t, 2) are the nodes of each attempt, draws (t,) uniform from 0 to 1.
    """
    answers, weights = data[0], data[1]
    n_places = n_below.shape[0] // 2
    now = heat * log_likelihood(places, answers, weights, level, log_p)
    now += log_prior(n_below)
    new, new_below = places.copy(), n_below.copy()
    for t in range(pairs.shape[0]):
        one, two = pairs[t]
        if one >> 1 == two >> 1 or n_below[one] + n_below[two] == 0:
            continue
        first, second, span = one, two, 1
        while first < n_places:
            first, second, span = 2 * first, 2 * second, 2 * span
        first, second = first - n_places, second - n_places
        new_below[:] = 0
        for x in range(places.shape[0]):
            place = places[x]
            if first <= place < first + span:
                place += second - first
            elif second <= place < second + span:
                place += first - second
            new[x] = place
            count(new_below, n_places + place, 1)
        then = heat * log_likelihood(new, answers, weights, level, log_p)
        then += log_prior(new_below)
        if math.log(max(draws[t], 1e-300)) < then - now:
            places[:], n_below[:], now = new, new_below, then


@kernel
def count_levels(places, answers, weights, level, counts):
    """Fill counts (L, L): the weight of answers whose pairs meet at each two depths."""
    counts[:] = 0.0
    for r in range(answers.shape[0]):
        a, b, c, d = answers[r]
        near, far = level[places[a], places[b]], level[places[c], places[d]]
        counts[near, far] += weights[r]


@kernel
def fit_closeness(closeness, counts, step, pull, n_rounds):
    """Newton's method, one increment of closeness (L,) after the other, each >= 0.

    Each is pulled towards `step` as by so many answers.
    """
    n_levels = closeness.shape[0]
    for _ in range(n_rounds):
        for at in range(n_levels - 1):
            old = closeness[at + 1] - closeness[at]
            slope, bend = pull * (step - old), pull
            for near in range(n_levels):
                for far in range(n_levels):
                    if counts[near, far] == 0 or (near > at) == (far > at):
                        continue
                    p = 1 / (1 + math.exp(closeness[far] - closeness[near]))
                    sign = 1.0 if near > at else -1.0
                    slope += counts[near, far] * (1 - p) * sign
                    bend += counts[near, far] * p * (1 - p)
            change = min(max(old + slope / bend, 0.0) - old, 2.0)
            closeness[at + 1 :] += change


@kernel
def add_expected(places, level, tables, sums):
    """Add to sums (n, n) what each object i expects of all questions about it and j.

    tables (L, L) has 2 p - 1 for a pair that meets at one depth against one at another.
    """
    n, n_levels = places.shape[0], tables.shape[0]
    n_at, worth = np.empty((2, n_levels))
    for i in range(n):
        n_at[:] = 0.0
        for k in range(n):
            if k != i:
                n_at[level[places[i], places[k]]] += 1.0
        for x in range(n_levels):
            worth[x] = 0.0
            for y in range(n_levels):
                worth[x] += n_at[y] * tables[x, y]
        for j in range(n):
            if j != i:
                sums[i, j] += worth[level[places[i], places[j]]]
