"""Loops of the block posterior; see posterior.py for the model.

A *place* is a leaf of the complete binary tree of depth D, 0..K-1 with K = 2^D; node v
of that tree has the children 2v and 2v + 1, its root is 1, and place c is node K + c.
level[c, d] (K, K) is the depth of the common ancestor of two places. n_below (2K,)
counts the objects below each node. state is (places, n_below). An answer is a row
(a, b, c, d): a and b are closer than c and d. log_p[x, y] is the log probability that a
pair which meets at depth x is closer than one which meets at depth y.

The entries of an object x, one for each answer that it is in, are rows (near, far, c,
d): its partners in the near and in the far pair, -1 if x is not in it; if it is in one
alone, c and d are the other pair.
"""

import math

import numpy as np

from tripletree._jit import helper, kernel


@helper
def score_places(x, state, data, level, factors, tally, scores):
    """Fill scores (2K,): what each node adds to the log likelihood of the answers.

    The log likelihood with x at a place is, up to a constant, the sum over the nodes
    above this place. An answer depends on x only through the depths at which x meets
    one or two places. So the answers are counted at these places, by kind and by the
    depth that they are compared with, in tally (2K, 4, L), and passed on upwards.
    Most places are empty once a chain has found clusters: there is nothing to count.
    """
    places, n_below = state
    starts, entries, weights = data
    n_places, n_levels = level.shape[0], factors.shape[2]
    for node in range(2 * n_places):
        if n_below[node] > 0:
            for kind in range(4):
                for y in range(n_levels):
                    tally[node, kind, y] = 0.0
    for e in range(starts[x], starts[x + 1]):
        near, far, c, d = entries[e]
        weight = weights[e]
        if near >= 0 and far >= 0:
            one, two = places[near], places[far]
            meet = level[one, two]
            tally[n_places + one, 0, meet] += weight
            tally[n_places + two, 1, meet] += weight
        elif near >= 0:
            meet = level[places[c], places[d]]
            tally[n_places + places[near], 2, meet] += weight
        else:
            meet = level[places[c], places[d]]
            tally[n_places + places[far], 3, meet] += weight
    depth, first = n_levels - 1, n_places
    for node in range(2 * n_places - 1, 1, -1):
        if node < first:
            depth, first = depth - 1, first >> 1
        scores[node] = 0.0
        if n_below[node] == 0:
            continue
        for kind in range(4):
            total = 0.0
            for y in range(n_levels):
                total += factors[depth, kind, y] * tally[node, kind, y]
                tally[node >> 1, kind, y] += tally[node, kind, y]
            scores[node] += total


@helper
def change_counts(n_below, node, change):
    """Add to the counts of a node and of all above it."""
    while node > 0:
        n_below[node] += change
        node >>= 1


@kernel
def redraw_places(state, data, level, factors, logs, order, draws):
    """Gibbs: take each object out, in this order, and draw its place anew.

    factors (L, 4, L) are what answers add at nodes; logs (n + 2,) are those of counts
    plus one; draws (n,) are uniform from 0 to 1. The prior is a Polya tree: going down,
    a side is chosen in proportion to the objects there plus one.
    """
    places, n_below = state
    n_places, n_levels = level.shape[0], factors.shape[0]
    tally, scores = np.empty((2 * n_places, 4, n_levels)), np.empty(2 * n_places)
    for x in order:
        change_counts(n_below, n_places + places[x], -1)
        score_places(x, state, data, level, factors, tally, scores)
        scores[1], most = 0.0, -math.inf
        for node in range(2, 2 * n_places):
            above = node >> 1
            prior = logs[n_below[node]] - logs[n_below[above] + 1]
            scores[node] += prior + scores[above]
        for c in range(n_places):
            most = max(most, scores[n_places + c])
        total = 0.0
        for c in range(n_places):
            total += math.exp(scores[n_places + c] - most)
            scores[c] = total
        place = 0
        while place < n_places - 1 and scores[place] < draws[x] * total:
            place += 1
        places[x] = place
        change_counts(n_below, n_places + place, 1)


@helper
def log_likelihood(places, answers, model):
    """The log likelihood of all answers, times the heat."""
    rows, weights = answers
    level, log_p, heat = model
    total = 0.0
    for r in range(rows.shape[0]):
        a, b, c, d = rows[r]
        near, far = level[places[a], places[b]], level[places[c], places[d]]
        total += weights[r] * log_p[near, far]
    return heat * total


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
def swap_branches(state, answers, model, pairs, draws):
    """Metropolis: exchange what is below two nodes of the same depth.

    answers are rows and their weights, model is (level, log_p, heat). pairs (t, 2) are
    the nodes of each attempt, draws (t,) uniform from 0 to 1.
    """
    places, n_below = state
    n_places = n_below.shape[0] // 2
    now = log_likelihood(places, answers, model) + log_prior(n_below)
    new, new_below = places.copy(), n_below.copy()
    for t in range(pairs.shape[0]):
        one, two = pairs[t]
        if one >> 1 == two >> 1 or n_below[one] + n_below[two] == 0:
            continue
        first, second, span = one, two, 1
        while first < n_places:
            first, second, span = 2 * first, 2 * second, 2 * span
        first, second = first - n_places, second - n_places
        for node in range(2 * n_places):
            new_below[node] = 0
        for x in range(places.shape[0]):
            place = places[x]
            if first <= place < first + span:
                place += second - first
            elif second <= place < second + span:
                place += first - second
            new[x] = place
            change_counts(new_below, n_places + place, 1)
        then = log_likelihood(new, answers, model) + log_prior(new_below)
        if math.log(max(draws[t], 1e-300)) < then - now:
            now = then
            for x in range(places.shape[0]):
                places[x] = new[x]
            for node in range(2 * n_places):
                n_below[node] = new_below[node]
