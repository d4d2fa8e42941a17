"""Loops over sets of three, of four and of all objects; see bounds.py."""

from tripletree._jit import helper, kernel


@kernel
def sum_of_largest(s, start, stop):
    """The sum of max(s_ij, s_ik, s_jk) over i > j > k with start <= i < stop."""
    total = s.dtype.type(0)
    for i in range(start, stop):
        for j in range(i):
            one = s[i, j]
            for k in range(j):
                total += max(one, max(s[i, k], s[j, k]))
    return total


@helper
def quad_number(a, b, c, d):
    """The place of a < b < c < d among all sets of four."""
    pairs = b * (b - 1) // 2
    triples = c * (c - 1) * (c - 2) // 6
    return a + pairs + triples + d * (d - 1) * (d - 2) * (d - 3) // 24


@helper
def quad_and_slot(i, j, k, l):
    """The place of {i, j, k, l}, i < j < k, and which of the four l is in order."""
    if l < i:
        return quad_number(l, i, j, k), 0
    if l < j:
        return quad_number(i, l, j, k), 1
    if l < k:
        return quad_number(i, j, l, k), 2
    return quad_number(i, j, k, l), 3


@helper
def fill_share(share, values, n):
    """The values of ab, ac, ad, bc, bd, cd, divided among the n - 3 sets of four."""
    ab, ac, ad, bc, bd, cd = values
    share[0, 0], share[0, 1], share[0, 2] = bc / (n - 3), bd / (n - 3), cd / (n - 3)
    share[1, 0], share[1, 1], share[1, 2] = ac / (n - 3), ad / (n - 3), cd / (n - 3)
    share[2, 0], share[2, 1], share[2, 2] = ab / (n - 3), ad / (n - 3), bd / (n - 3)
    share[3, 0], share[3, 1], share[3, 2] = ab / (n - 3), ac / (n - 3), bc / (n - 3)


@kernel
def share_values(s, d, shares):
    """Fill shares (n_quads, 4, 3) of the quads with largest object d.

    The values of every triple are divided evenly among its quads.
    """
    for c in range(d):
        for b in range(c):
            for a in range(b):
                values = (s[a, b], s[a, c], s[a, d], s[b, c], s[b, d], s[c, d])
                fill_share(shares[quad_number(a, b, c, d)], values, s.shape[0])


@helper
def best_of_answers(own, pql, prl, qrl):
    """The best value of a quad {p, q, r, l} if pq, pr or qr meets first in {p, q, r}.

    Each argument holds what its triple is worth by the pair that meets first: own by
    pq, pr, qr; pql by pq, pl, ql; prl by pr, pl, rl; qrl by qr, ql, rl. Each of the
    three answers is that of five trees: where pq meets first, l joins all three last,
    or meets r, or joins p and q before r does, or meets p alone, or q alone.
    """
    pl, ql, rl = pql[1] + prl[1], pql[2] + qrl[1], prl[2] + qrl[2]
    pq = pql[0] + max(rl, max(prl[0] + qrl[0], prl[1] + qrl[1]))
    pr = prl[0] + max(ql, max(pql[0] + qrl[0], pql[1] + qrl[2]))
    qr = qrl[0] + max(pl, max(pql[0] + prl[0], pql[2] + prl[2]))
    pq = max(pq, max(pl + qrl[1], ql + prl[1]))
    pr = max(pr, max(pl + qrl[2], rl + pql[1]))
    qr = max(qr, max(ql + prl[2], rl + pql[2]))
    return own[0] + pq, own[1] + pr, own[2] + qr


@helper
def fill_marginals(shares, n, i, j, k, marginals):
    """Fill marginals (n, 3): the best value of each quad {i, j, k, l} by its answer.

    One loop for each place of l among i < j < k: it says where the shares of the four
    triples are, and in which order.
    """
    for l in range(i):
        lij, lik, ljk, ijk = 3, 2, 1, 0
        x = shares[quad_number(l, i, j, k)]
        marginals[l, 0], marginals[l, 1], marginals[l, 2] = best_of_answers(
            (x[ijk, 0], x[ijk, 1], x[ijk, 2]),
            (x[lij, 2], x[lij, 0], x[lij, 1]),
            (x[lik, 2], x[lik, 0], x[lik, 1]),
            (x[ljk, 2], x[ljk, 0], x[ljk, 1]),
        )
    for l in range(i + 1, j):
        ilj, ilk, ijk, ljk = 3, 2, 1, 0
        x = shares[quad_number(i, l, j, k)]
        marginals[l, 0], marginals[l, 1], marginals[l, 2] = best_of_answers(
            (x[ijk, 0], x[ijk, 1], x[ijk, 2]),
            (x[ilj, 1], x[ilj, 0], x[ilj, 2]),
            (x[ilk, 1], x[ilk, 0], x[ilk, 2]),
            (x[ljk, 2], x[ljk, 0], x[ljk, 1]),
        )
    for l in range(j + 1, k):
        ijl, ijk, ilk, jlk = 3, 2, 1, 0
        x = shares[quad_number(i, j, l, k)]
        marginals[l, 0], marginals[l, 1], marginals[l, 2] = best_of_answers(
            (x[ijk, 0], x[ijk, 1], x[ijk, 2]),
            (x[ijl, 0], x[ijl, 1], x[ijl, 2]),
            (x[ilk, 1], x[ilk, 0], x[ilk, 2]),
            (x[jlk, 1], x[jlk, 0], x[jlk, 2]),
        )
    for l in range(k + 1, n):
        ijk, ijl, ikl, jkl = 3, 2, 1, 0
        x = shares[quad_number(i, j, k, l)]
        marginals[l, 0], marginals[l, 1], marginals[l, 2] = best_of_answers(
            (x[ijk, 0], x[ijk, 1], x[ijk, 2]),
            (x[ijl, 0], x[ijl, 1], x[ijl, 2]),
            (x[ikl, 0], x[ikl, 1], x[ikl, 2]),
            (x[jkl, 0], x[jkl, 1], x[jkl, 2]),
        )


@helper
def even_out_triple(shares, n, i, j, k, step, marginals):
    """Move the shares of {i, j, k} by step towards those that even out its quads."""
    fill_marginals(shares, n, i, j, k, marginals)
    mean0, mean1, mean2 = 0.0, 0.0, 0.0
    for l in range(n):
        if l != i and l != j and l != k:
            mean0 += marginals[l, 0]
            mean1 += marginals[l, 1]
            mean2 += marginals[l, 2]
    mean0, mean1, mean2 = mean0 / (n - 3), mean1 / (n - 3), mean2 / (n - 3)
    for l in range(n):
        if l != i and l != j and l != k:
            q, slot = quad_and_slot(i, j, k, l)
            shares[q, slot, 0] += step * (mean0 - marginals[l, 0])
            shares[q, slot, 1] += step * (mean1 - marginals[l, 1])
            shares[q, slot, 2] += step * (mean2 - marginals[l, 2])


@kernel
def even_out(shares, n, block, step, marginals):
    """For the triples of a block, one after the other: even out their quads.

    block holds where the smallest objects start and stop, then the middle ones, then
    the largest. marginals (n, 3) is scratch. With a step of 1, each share is replaced
    by what makes the best value of every quad, given the answer to this triple, the
    mean over its quads; with a larger step it goes beyond.
    """
    for k in range(block[4], block[5]):
        for j in range(block[2], min(block[3], k)):
            for i in range(block[0], min(block[1], j)):
                even_out_triple(shares, n, i, j, k, step, marginals)


@kernel
def bound_of_shares(shares, s, d):
    """What the quads and triples with largest object d add to the bound, and sizes.

    The best tree of every quad, and for every triple what its shares lack of its values
    (nothing but rounding errors). The sizes are those of the best trees, and of all
    shares, which may cancel each other.
    """
    n = s.shape[0]
    total, sizes, of_shares = 0.0, 0.0, 0.0
    for c in range(d):
        for b in range(c):
            for a in range(b):
                x = shares[quad_number(a, b, c, d)]
                answers = best_of_answers(
                    (x[3, 0], x[3, 1], x[3, 2]),
                    (x[2, 0], x[2, 1], x[2, 2]),
                    (x[1, 0], x[1, 1], x[1, 2]),
                    (x[0, 0], x[0, 1], x[0, 2]),
                )
                best = max(answers[0], max(answers[1], answers[2]))
                total += best
                sizes += abs(best)
                for slot in range(4):
                    for answer in range(3):
                        of_shares += abs(x[slot, answer])
    for j in range(d):
        for i in range(j):
            lack0, lack1, lack2 = float(s[i, j]), float(s[i, d]), float(s[j, d])
            for l in range(n):
                if l != i and l != j and l != d:
                    q, slot = quad_and_slot(i, j, d, l)
                    lack0 -= shares[q, slot, 0]
                    lack1 -= shares[q, slot, 1]
                    lack2 -= shares[q, slot, 2]
            total += max(lack0, max(lack1, lack2))
    return total, sizes, of_shares


@kernel
def fill_best(within, size, start, stop, best, split):
    """Fill best and split (2^n,) for the sets start..stop-1; smaller ones are done.

    best is the largest revenue of a tree on the set, split the half that holds its
    largest object. Of equal splits the first found, with the largest half, is kept.
    """
    for members in range(start, stop):
        if size[members] < 2:
            continue
        largest = 1
        while 2 * largest <= members:
            largest *= 2
        others = members ^ largest
        # Halves with the largest object: it and any proper subset of the others.
        subset = (others - 1) & others
        is_first = True
        while True:
            half = largest | subset
            rest = members ^ half
            cross = within[members] - within[half] - within[rest]
            value = best[half] + best[rest] - size[members] * cross
            if is_first or value > best[members]:
                best[members], split[members] = value, half
                is_first = False
            if subset == 0:
                break
            subset = (subset - 1) & others
