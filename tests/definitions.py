"""The paper's definitions in slow plain Python. Nothing here is fast or clever.

Trees are given as `tree.children`; everything follows from the sets of leaves below
its nodes. Sections, equations and statements are those of the paper.
"""

import re
import unicodedata
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import exp, log, sqrt


def clusters(tree):
    """The set of leaves below every node, by node id."""
    n = len(tree.children) + 1
    below = [frozenset([leaf]) for leaf in range(n)]
    for left, right in tree.children.tolist():
        assert not below[left] & below[right]
        below.append(below[left] | below[right])
    return below


def merged_pairs(tree):
    """The smallest leaves of the two clusters of each merge."""
    below = clusters(tree)
    return [
        tuple(sorted((min(below[a]), min(below[b])))) for a, b in tree.children.tolist()
    ]


def hierarchy(tree):
    """A tree as nothing but its set of clusters."""
    return frozenset(clusters(tree))


def smallest_cluster(tree, i, j):
    """H(i v j): the node with the fewest leaves that contains both (Section 3)."""
    below = clusters(tree)
    with_both = [v for v in range(len(below)) if {i, j} <= below[v]]
    return min(with_both, key=lambda v: len(below[v]))


def size(tree, i, j):
    """|H(i v j)|."""
    return len(clusters(tree)[smallest_cluster(tree, i, j)])


def sizes(tree):
    """|H(i v j)| for all i, j, as a dictionary."""
    below = sorted(clusters(tree), key=len)
    pairs = product(range(len(tree.children) + 1), repeat=2)
    return {pair: next(len(c) for c in below if {*pair} <= c) for pair in pairs}


def weighted(rows, weights=None):
    weights = [1] * len(rows) if weights is None else weights
    return list(zip((tuple(row) for row in rows), weights, strict=True))


def summed(items):
    """The sum of the numbers of each key, of (key, number)."""
    sums = Counter()
    for key, number in items:
        sums[key] += number
    return sums


def sums_over_third(n, lead):
    """s_ij: over all k, what `lead` says of (i, j, k), and of (j, i, k)."""
    s = [[0] * n for _ in range(n)]
    for i, j, k in permutations(range(n), 3):
        s[i][j] += lead(i, j, k)
        s[j][i] += lead(i, j, k)
    return s


def triplet_revenue(tree, rows, weights=None):
    """Equation 3: Trev(H, T) = sum of |H(i v k)| - |H(i v j)|."""
    h = sizes(tree)
    return sum(w * (h[i, k] - h[i, j]) for (i, j, k), w in weighted(rows, weights))


def quadruplet_revenue(tree, rows, weights=None):
    """Equation 4: Qrev(H, Q) = sum of |H(k v l)| - |H(i v j)|."""
    h = sizes(tree)
    return sum(w * (h[k, l] - h[i, j]) for (i, j, k, l), w in weighted(rows, weights))


def adds3(rows, n, weights=None):
    """AddS3 of Theorem 1, with multiplicities in place of indicators."""
    t = summed(weighted(rows, weights))
    return sums_over_third(n, lambda i, j, k: t[i, j, k] - t[i, k, j])


def adds4(rows, n, weights=None):
    """AddS4 of Theorem 1; the paper writes each pair with the smaller object first."""
    q = summed(
        ((tuple(sorted((i, j))), tuple(sorted((k, l)))), w)
        for (i, j, k, l), w in weighted(rows, weights)
    )
    s = [[0] * n for _ in range(n)]
    pairs = list(combinations(range(n), 2))
    for i, j in pairs:
        s[i][j] = s[j][i] = sum(q[(i, j), other] - q[other, (i, j)] for other in pairs)
    return s


def inner_products(table, n):
    """The inner product of every two rows of {(object, column): value}; diagonal 0."""
    columns = {column for _, column in table}
    return [
        [
            sum(table.get((i, c), 0) * table.get((j, c), 0) for c in columns)
            if i != j
            else 0
            for j in range(n)
        ]
        for i in range(n)
    ]


def mulk3(rows, n, weights=None):
    """MulK3 times its size, exactly: signed squares, in the order of MulK3.

    Row i, column {j, k}: answers for the smaller of j and k minus those for the other.
    A question counts as asked even if its answers cancel.
    """
    table = summed(
        ((i, frozenset([j, k])), Fraction(w) if j < k else -Fraction(w))
        for (i, j, k), w in weighted(rows, weights)
        if w
    )
    n_asked = Counter(i for i, _ in table)
    return [
        [
            x * abs(x) / (n_asked[i] * n_asked[j]) if x else Fraction(0)
            for j, x in enumerate(row)
        ]
        for i, row in enumerate(inner_products(table, n))
    ]


def mulk4(rows, n, weights=None):
    """Row i, column (j, {k, l}): how often i, j was closer minus how often farther."""
    table = summed(
        ((x, (y, frozenset([c, d]))), sign * w)
        for (i, j, k, l), w in weighted(rows, weights)
        for (a, b), (c, d), sign in (((i, j), (k, l), 1), ((k, l), (i, j), -1))
        for x, y in ((a, b), (b, a))
    )
    return inner_products(table, n)


def dasgupta_cost(tree, s):
    """Equation 1: the sum over i < j of s_ij |H(i v j)|."""
    h = sizes(tree)
    n = len(tree.children) + 1
    return sum(int(s[i][j]) * h[i, j] for i, j in combinations(range(n), 2))


def dasgupta_revenue(tree, s):
    """Equation 2: n times the sum of s_ij, minus the cost."""
    n = len(tree.children) + 1
    total = sum(int(s[i][j]) for i, j in combinations(range(n), 2))
    return n * total - dasgupta_cost(tree, s)


def induced_triplets(tree):
    """T0 (equation 5): both triplets of every three leaves that the tree resolves."""
    h = sizes(tree)
    n = len(tree.children) + 1
    return [
        (i, j, k)
        for i, j, k in permutations(range(n), 3)
        if h[i, j] < min(h[i, k], h[j, k])
    ]


def average(s, a, b):
    """The average similarity of two sets of objects, exactly."""
    return Fraction(sum(int(s[i][j]) for i in a for j in b), len(a) * len(b))


def average_linkage(s):
    """Merges (smaller leaf, larger leaf) step by step, with the tie rule."""
    n = len(s)
    members = {i: [i] for i in range(n)}
    merges = []
    while len(members) > 1:
        # max keeps the first of equals; pairs come in lexicographic order.
        a, b = max(
            combinations(sorted(members), 2),
            key=lambda pair: average(s, members[pair[0]], members[pair[1]]),
        )
        merges.append((a, b))
        members[a] = members[a] + members.pop(b)
    return merges


def nni_neighbours(tree):
    """All clusters of every tree one nearest-neighbour interchange away.

    At ((B, C), X): swap B with X, and C with X.
    """
    below = clusters(tree)
    n = len(tree.children) + 1
    children = dict(zip(range(n, 2 * n - 1), tree.children.tolist(), strict=True))
    for left, right in children.values():
        for inner, x in ((left, right), (right, left)):
            if inner in children:
                b, c = children[inner]
                for kept, moved in ((b, c), (c, b)):
                    changed = (set(below) - {below[inner]}) | {below[kept] | below[x]}
                    yield inner, moved, frozenset(changed)


def revenue_of_clusters(tree_clusters, s):
    """Minus Dasgupta's cost of a tree that is given by its clusters."""
    ordered = sorted(tree_clusters, key=len)
    n = len(s)
    return -sum(
        int(s[i][j]) * next(len(c) for c in ordered if {i, j} <= c)
        for i, j in combinations(range(n), 2)
    )


def adjusted_rand_index(first, second):
    """Hubert and Arabie by looking at every pair of objects."""
    pairs = list(combinations(range(len(first)), 2))
    together = sum(first[i] == first[j] and second[i] == second[j] for i, j in pairs)
    in_first = sum(first[i] == first[j] for i, j in pairs)
    in_second = sum(second[i] == second[j] for i, j in pairs)
    if not pairs:
        return Fraction(1)
    expected = Fraction(in_first * in_second, len(pairs))
    largest = Fraction(in_first + in_second, 2)
    if largest == expected:
        return Fraction(1)
    return (together - expected) / (largest - expected)


def cut(tree, n_clusters):
    """The clusters that are left when the last n_clusters - 1 merges are undone."""
    below = clusters(tree)[: 2 * (len(tree.children) + 1) - n_clusters]
    return {c for c in below if not any(c < other for other in below)}


def majority(questions):
    """For each question in order of appearance: the side with more votes, if any.

    questions is a list of (near, far, weight) with sets of objects.
    """
    votes = {}
    for near, far, weight in questions:
        votes.setdefault(frozenset([near, far]), Counter())[near, far] += weight
    answers = []
    for tally in votes.values():
        (one, votes_one), *rest = tally.most_common()
        if not rest or rest[0][1] < votes_one:
            answers.append(one)
    return [
        answer
        for answer in answers
        if votes[frozenset(answer)][answer] > votes[frozenset(answer)][answer[::-1]]
    ]


def agreement(near, far, annotators, weights=None):
    """For each annotator: answers that the sums of all others' answers agree to, tie,
    oppose."""
    found = {}
    rows = [(frozenset(a), frozenset(b)) for a, b in zip(near, far, strict=True)]
    weights = [1] * len(rows) if weights is None else weights
    for me in set(annotators):
        s = summed(
            (pair, sign * w)
            for both, who, w in zip(rows, annotators, weights, strict=True)
            for pair, sign in zip(both, (1, -1), strict=True)
            if who != me
        )
        signs = Counter(
            (s[a] > s[b]) - (s[a] < s[b])
            for (a, b), who in zip(rows, annotators, strict=True)
            if who == me
        )
        found[me] = signs[1], signs[0], signs[-1]
    return found


def kinds(near, far):
    """How many different rows, questions, and questions answered both ways."""
    pairs = zip(near, far, strict=True)
    unique = {(frozenset(one), frozenset(two)) for one, two in pairs}
    questions = {frozenset(row) for row in unique}
    both_ways = [row for row in unique if row[::-1] in unique]
    return len(unique), len(questions), len(both_ways) // 2


def odd_one_out(shown, odd):
    """Every two others are closer to each other than to the odd one."""
    others = [x for x in shown if x != odd]
    return [(a, b, odd) for a in others for b in others if a != b]


def most_central(shown, central):
    """Every other one is closer to the central one than to any of the rest."""
    others = [x for x in shown if x != central]
    return [(j, central, k) for j in others for k in others if j != k]


def ranking(reference, chosen, others, ordered):
    """Each chosen one is closer than the others; in order, than those after it."""
    rows = []
    for place, near in enumerate(chosen):
        after = chosen[place + 1 :] if ordered else []
        rows += [(reference, near, far) for far in [*after, *others]]
    return rows


def triplet_questions(n):
    """Every i; {j, k} with j < k, object by object, in the order of their numbers."""
    return [
        (i, j, k)
        for i in range(n)
        for j, k in combinations([x for x in range(n) if x != i], 2)
    ]


def quadruplet_questions(n):
    """Every two different pairs, in the order of their numbers."""
    pairs = list(combinations(range(n), 2))
    return [(*one, *two) for one, two in combinations(pairs, 2)]


def all_triplets(s):
    """T_all: the answer to every question without a tie (Section 2.2)."""
    n = len(s)
    return {(i, j, k) for i, j, k in permutations(range(n), 3) if s[i][j] > s[i][k]}


def all_quadruplets(s):
    """Q_all: i < j, k < l and s_ij > s_kl (Section 2.2)."""
    pairs = list(combinations(range(len(s)), 2))
    return {
        (i, j, k, l) for (i, j), (k, l) in permutations(pairs, 2) if s[i][j] > s[k][l]
    }


def signed_squared_cosine(x, y):
    """The cosine times its size, exactly: it is ordered as the cosine is."""
    product = sum(a * b for a, b in zip(x, y, strict=True))
    squares = sum(a * a for a in x) * sum(b * b for b in y)
    return Fraction(product * abs(product), squares) if squares else Fraction(0)


def planted_mean(one, two, n_per_cluster, n_levels, mu, delta):
    """Section 7.1: mu within a ground cluster, mu - (L - l) delta from level l on."""
    one, two, level = one // n_per_cluster, two // n_per_cluster, n_levels
    while one != two:  # a step up in the complete binary tree
        one, two, level = one // 2, two // 2, level - 1
    return mu - (n_levels - level) * delta


def tste_kernel(x, y, alpha):
    """t(x, y) of t-STE: the Student kernel of two points."""
    square = sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    return (1 + square / alpha) ** (-(alpha + 1) / 2)


def tste_probability(points, near, far, alpha):
    """The probability that the near pair is found closer than the far pair."""
    one = tste_kernel(points[near[0]], points[near[1]], alpha)
    return one / (one + tste_kernel(points[far[0]], points[far[1]], alpha))


def tste_loss(points, near, far, weights, alpha):
    """The weighted mean of -log(p) over all answers."""
    pairs = weighted(list(zip(near, far, strict=True)), weights)
    total = sum(w for _, w in pairs)
    if total == 0:
        return 0.0
    losses = (-w * log(tste_probability(points, a, b, alpha)) for (a, b), w in pairs)
    return sum(losses) / total


def expected_adds(points, alpha):
    """AddS over all n(n-1)(n-2)/2 questions, each answered by its probabilities."""
    return sums_over_third(
        len(points),
        lambda i, j, k: 2 * tste_probability(points, (i, j), (i, k), alpha) - 1,
    )


def implied_adds(points):
    """AddS over all questions, each answered by the distances of the points."""

    def lead(i, j, k):
        to_j, to_k = (
            sum((a - b) ** 2 for a, b in zip(points[i], points[other], strict=True))
            for other in (j, k)
        )
        return (to_k > to_j) - (to_k < to_j)

    return sums_over_third(len(points), lead)


def likelier_adds(s):
    """AddS over all questions, each answered by the larger of two similarities."""

    def lead(i, j, k):
        return (s[i][j] > s[i][k]) - (s[i][j] < s[i][k])

    return sums_over_third(len(s), lead)


def answers_of_row(form, row):
    """The triplets or quadruplets that a row of a table of answers says, by label."""
    if form in ("triplet", "quadruplet"):
        return [tuple(row)]
    if form == "choice":
        target, left, right, answer = row
        return [(target, left, right) if answer == left else (target, right, left)]
    *shown, marked = row
    one, two = (label for label in shown if label != marked)
    if form.startswith("odd"):
        return [(one, two, marked), (two, one, marked)]
    return [(one, marked, two), (two, marked, one)]


def in_natural_order(labels):
    """Integers by value if all are; else runs of digits by value, the rest as text."""
    if all(re.fullmatch("-?[0-9]+", x) and str(int(x)) == x for x in labels):
        return sorted(labels, key=int)

    def key(label):
        parts = re.split("([0-9]+)", label)
        parts[1::2] = [int(part) for part in parts[1::2]]
        return parts, label

    return sorted(labels, key=key)


def spelling(label):
    """A label without what does not show: one object has one spelling."""
    for _ in range(2):
        label = unicodedata.normalize("NFKC", label)
        label = "".join(x for x in label if unicodedata.category(x) != "Cf")
    label = re.sub(r"\s+", " ", label.strip()).strip()
    return re.sub(r"^([+-]?[0-9]+)[.]0+\Z", r"\1", label)


# Distances of trees, flat cuts, support.


def all_cuts(tree):
    """All ways to choose nodes with each leaf below exactly one, as lists of nodes."""
    n = len(tree.children) + 1
    cuts = [[[leaf]] for leaf in range(n)]
    for t, (left, right) in enumerate(tree.children.tolist()):
        cuts.append([[n + t]] + [a + b for a in cuts[left] for b in cuts[right]])
    return cuts[-1]


def similarity_within(tree, s, cut):
    """The sum of s_ij over all pairs that are in the same cluster of a cut."""
    below = clusters(tree)
    return sum(s[i][j] for node in cut for i, j in combinations(sorted(below[node]), 2))


def stable_cuts(tree, stability, s, least=0.8, fewest=3, is_asked=None):
    """All cuts into stable clusters, coarse to fine, as sets of sets of leaves.

    One pass up: a stable cluster is split if two or more stable ones below it hold at
    least nine tenths of its objects. That is the finest cut, with levels above it. Only
    objects that were asked about count.
    """
    n = len(tree.children) + 1
    asked = {x for x in range(n) if is_asked is None or is_asked[x]}

    def count(cluster):
        return len(cluster & asked)

    below, cuts, stable = clusters(tree), [[]] * n, []
    for t, (left, right) in enumerate(tree.children.tolist()):
        cluster, parts = below[n + t], cuts[left] + cuts[right]
        size = count(cluster)
        is_stable = stability[t] >= least - 1e-9
        if len(cluster) == n or (size >= fewest and is_stable):
            stable.append(cluster)
            n_inside = sum(map(count, parts))
            if len(parts) < 2 or 10 * (size - n_inside) > size:
                parts = [cluster]
        cuts.append(parts)
    closeness = {}
    for t, sides in enumerate(tree.children.tolist()):
        pairs = [(x, y) for x in below[sides[0]] for y in below[sides[1]]]
        n_pairs = max(count(below[sides[0]]) * count(below[sides[1]]), 1)
        closeness[below[n + t]] = sum(s[x][y] for x, y in pairs) / n_pairs
    found = []
    for level, opened in levels_above(cuts[-1], stable):
        least_close = max(closeness[one] for one in opened)
        tight = {
            one
            for one in level
            if 10 * count(one) > len(asked) or closeness[one] >= least_close
        }
        if 10 * (len(asked) - sum(map(count, tight))) <= len(asked):
            level = tight
        if len(level) > 1:
            found = [coarser for coarser in found if len(coarser) < len(level)]
            found.append({one & asked for one in level})
    return found


def levels_above(finest, stable):
    """The levels between all objects and the finest cut, and what each has split.

    Of stable clusters with the same clusters of the finest cut inside, the largest
    counts. Level 1 has those inside no other but all objects, and so on; clusters of
    the finest cut stay.
    """
    largest = {}
    for cluster in sorted(stable, key=len):
        inside = frozenset(one for one in finest if one <= cluster)
        if inside:
            largest[inside] = cluster
    depth = {
        cluster: sum(inside < other for other in largest)
        for inside, cluster in largest.items()
    }
    for level in range(1, max(depth.values()) + 1):
        above = {one for one in depth if depth[one] < level}
        kept = above & {*finest}
        yield kept | {one for one in depth if depth[one] == level}, above - kept


def share_explained(labels, near, far):
    """Comparisons whose near pair alone is in one cluster; undecided ones are half."""
    n_right = 0
    for (a, b), (c, d) in zip(near, far, strict=True):
        is_near, is_far = (labels[x] == labels[y] != -1 for x, y in ((a, b), (c, d)))
        n_right += 0.5 if is_near == is_far else is_near
    return n_right / len(near)


def nearest_clusters(tree, members):
    """Labels by the clusters of a tree nearest to given ones; -1 in none of them.

    A leaf in several of them is in the smallest; of equal ones in the last.
    """
    below = clusters(tree)
    nearest = [min(below, key=lambda c: len(c ^ one)) for one in members]
    labels = [-1] * (len(tree.children) + 1)
    for number, cluster in enumerate(nearest):
        for leaf in cluster:
            old = labels[leaf]
            if old < 0 or len(cluster) <= len(nearest[old]):
                labels[leaf] = number
    return labels


# ------------------------------------------------------------- polytomies


def shown_clusters(tree):
    """The leaves below each node that is not collapsed, single leaves included."""
    n = tree.n_leaves
    hidden = [False] * (n - 1) if tree.collapsed is None else tree.collapsed.tolist()
    below = clusters(tree)
    return below[:n] + [c for c, x in zip(below[n:], hidden, strict=True) if not x]


def shown_ancestor(tree, *leaves):
    """The smallest cluster that is shown and has these leaves."""
    return min((c for c in shown_clusters(tree) if {*leaves} <= c), key=len)


def shown_distances(one, other):
    """Clusters of only one tree; triples of leaves with not the same pair in front."""
    n = one.n_leaves
    clades = [{c for c in shown_clusters(tree) if len(c) > 1} for tree in (one, other)]

    def front(tree, triple):
        sizes = {p: len(shown_ancestor(tree, *p)) for p in combinations(triple, 2)}
        first = min(sizes, key=sizes.get)
        return first if list(sizes.values()).count(sizes[first]) == 1 else None

    triples = combinations(range(n), 3)
    n_different = sum(front(one, t) != front(other, t) for t in triples)
    return len(clades[0] ^ clades[1]), n_different


def shown_cuts(tree):
    """All cuts of a tree, coarse to fine: its last merges undone, polytomies whole."""
    shown = shown_clusters(tree)
    cut = [shown[-1]]
    cuts = [set(cut)]
    for node in reversed(shown[tree.n_leaves :]):
        inside = [c for c in shown if c < node]
        parts = [c for c in inside if not any(c < d for d in inside)]
        cut = [c for c in cut if c != node] + parts
        cuts.append(set(cut))
    return cuts


def consensus(trees, kind, weights):
    """The clusters of a consensus, with their shares."""
    n = trees[0].n_leaves
    kept = {frozenset(range(n)): Fraction(1)}
    found = {}
    for at, (tree, weight) in enumerate(zip(trees, weights, strict=True)):
        for node, cluster in enumerate(shown_clusters(tree)[n:-1]):
            first = found.setdefault(cluster, [0, -len(cluster), at, node])
            first[0] -= Fraction(weight)
    for cluster, (minus, *_) in sorted(found.items(), key=lambda item: item[1]):
        share = -minus / sum(map(Fraction, weights))
        if share <= (Fraction(1, 2) if kind == "majority" else 0):
            break
        if all(cluster <= c or c <= cluster or not cluster & c for c in kept):
            kept[cluster] = share
    return kept


# ------------------------------------------------------------- learning curve, page


def learning_curve(rows, fold, n_folds, part, n_parts, shares, make_tree, size_of):
    """For each share: answers used per fold, and those right and undecided in the rest.

    `part` numbers the questions 0..n_parts-1; `size_of(tree, x, y)` is the size of the
    smallest cluster with x and y.
    """
    found = []
    for share in shares:
        point = []
        for number in range(n_folds):
            train = [
                at
                for at in range(len(rows))
                if fold[at] != number and part[at] < share * n_parts
            ]
            tree = make_tree(train)
            rest = [row for row, own in zip(rows, fold, strict=True) if own == number]
            pairs = [(size_of(tree, i, j), size_of(tree, i, k)) for i, j, k in rest]
            right, tied = sum(a < b for a, b in pairs), sum(a == b for a, b in pairs)
            point.append((len(train), right, tied, len(rest)))
        found.append(point)
    return found


def mean_of_blocks(s, order, edges):
    """The mean of s over the pairs of two blocks of the order; None without pairs."""
    blocks = [order[a:b] for a, b in pairwise(edges)]

    def mean(one, two):
        values = [s[i][j] for i in one for j in two if i != j]
        return sum(values) / len(values) if values else None

    return [[mean(one, two) for two in blocks] for one in blocks]


def within_clusters(s, clusters):
    """The sum of s over the pairs with both objects in one cluster."""
    return sum(
        s[i][j]
        for i in range(len(clusters))
        for j in range(i)
        if clusters[i] == clusters[j]
    )


def fewest_transfers(tree, other):
    """For each merge, in how many leaves it differs from the nearest clade."""
    others = clusters(other)
    return [min(len(a ^ b) for b in others) for a in clusters(tree)[tree.n_leaves :]]


def stability(tree, others, is_asked):
    """1 - d / min(c - 1, n - c) for each cluster of c of the n objects asked about.

    d: by how many of them it differs from the nearest cluster of another tree, on
    average. 0 for clusters in which a join added none of them, and for all of them.
    """
    asked = {x for x, is_one in enumerate(is_asked) if is_one}
    below, n, found = clusters(tree), len(asked), []
    nearest = [[c & asked for c in clusters(x) if c & asked] for x in others]
    for cluster, sides in zip(
        below[len(is_asked) :], tree.children.tolist(), strict=True
    ):
        part = cluster & asked
        if cluster == below[-1] or (
            part == asked and all(below[x] & asked for x in sides)
        ):
            found.append(1.0 if cluster == below[-1] else 0.0)
        elif not all(below[x] & asked for x in sides):
            found.append(0.0)
        else:
            moved = [min(len(part ^ c) for c in one) for one in nearest]
            most = min(len(part) - 1, n - len(part))
            found.append(1 - sum(moved) / len(moved) / most)
    return found


def sparse_average_linkage(n, stored):
    """Merges (smaller leaf, larger leaf) of stored {(i, j): s}, i < j; others have 0.

    One step after the other, over all pairs of clusters, by the tie rule.
    """
    members = {i: {i} for i in range(n)}

    def average_of(a, b):
        pairs = [tuple(sorted((i, j))) for i in members[a] for j in members[b]]
        return Fraction(sum(stored.get(pair, 0) for pair in pairs), len(pairs))

    merges = []
    while len(members) > 1:
        pairs = combinations(sorted(members), 2)
        a, b = min(pairs, key=lambda pair: (-average_of(*pair), pair))
        merges.append((a, b, average_of(a, b)))
        members[a] |= members.pop(b)
    return merges


# Search on a sparse similarity.


def stranger_gain(tree, s, node):
    """What an object never compared earns at its best place within a cluster.

    More than what it earns above the cluster: both by the revenue of the whole.
    """
    below = clusters(tree)
    inside = [c for c in below if c <= below[node]]
    new = frozenset([len(s)])

    def earned(place):
        after = [c | new if place < c else c for c in inside] + [place | new]
        return -sum(
            int(s[i][j]) * min(len(c) for c in after if {i, j} <= c)
            for i, j in combinations(below[node], 2)
        )

    return max(map(earned, inside)) - earned(below[node])


# Pair sums: how often every pair of labels was the near and the far pair.


def pair_sums(comparisons):
    """{(a, b): [near, far]} with labels a before b in the order of the labels."""
    sums = {}
    weights = comparisons.weights
    for at, row in enumerate(comparisons.rows.tolist()):
        near = row[:2]
        far = [row[0], row[2]] if len(row) == 3 else row[2:]
        for side, pair in enumerate((near, far)):
            a, b = (comparisons.labels[object] for object in sorted(pair))
            weight = 1 if weights is None else weights[at].item()
            sums.setdefault((a, b), [0, 0])[side] += weight
    return sums


# Answers that are labels or positions


def odd_ones(shown, answers):
    """The odd one of each row, "" for a tie, and what is said if both could be meant.

    Of an answer that is refused: None, and what is said.
    """
    triples = [(x, y) for x, y in zip(shown, answers, strict=True) if y]
    labels = all(y in x for x, y in triples)
    are_numbers = bool(triples) and all(y in {*"0123"} for _, y in triples)
    starts = [n for n in (0, 1) if all(0 <= int(y) - n < 3 for _, y in triples)]
    if not are_numbers or not starts:
        return (answers, "") if labels else (None, "neither a label")
    start = starts[0]
    by_place = [
        x[int(y) - start] if y else "" for x, y in zip(shown, answers, strict=True)
    ]
    if labels:
        is_said = len(starts) == 1 and by_place != answers
        return answers, "taken as labels" if is_said else ""
    if sum(y in x for x, y in triples) >= len(triples) / 2:
        return None, "objects have these names"
    if len(starts) == 2:
        return None, "do not tell"
    is_doubtful = start == 0 or any(label in {*"0123"} for x in shown for label in x)
    return by_place, "taken as positions" if is_doubtful else ""


def question(rows):
    """What the rows of one answer ask: three objects, two pairs, or a set of more."""
    kinds = {frozenset(row) for row in rows}
    if len(rows[0]) == 4:
        kinds = {frozenset({frozenset(row[:2]), frozenset(row[2:])}) for row in rows}
    if len(kinds) == 1:
        return kinds.pop()
    objects = frozenset(x for row in rows for x in row)
    targets = {row[0] for row in rows}
    is_about_one = len(rows[0]) == 3 and len(targets) == 1
    return (targets.pop() if is_about_one else None), objects


def rows_with_likes(rows):
    """The rows that ask about the same objects, or the same two pairs, as another."""
    asked = [question([row]) for row in rows]
    return [r for r, one in enumerate(asked) if asked.count(one) > 1]


def repeated_agreement(votes):
    """The mean share of pairs of answers to a question that are equal.

    votes: of each question how often its first and its second pair was chosen. A
    question counts as often as it was answered.
    """
    shares = []
    for first, second in votes:
        answers = [True] * first + [False] * second
        pairs = list(combinations(answers, 2))
        shares += [Fraction(sum(a == b for a, b in pairs), len(pairs))] * len(answers)
    return sum(shares) / len(shares)


def interval_of_agreement(votes):
    """95 % for the agreement, whose questions vary, as if two more had been asked.

    Each of the two has two answers: equal ones to one question, not to the other.
    """
    more = [*votes, (2, 0), (1, 1)]
    weights = [first + second for first, second in more]
    each = [repeated_agreement([one]) for one in more]
    k, total, middle = len(more), sum(weights), repeated_agreement(more)
    squares = [(w * (a - middle)) ** 2 for w, a in zip(weights, each, strict=True)]
    error = 1.96 * (sum(squares) * k / (k - 1)) ** 0.5 / total
    found = repeated_agreement(votes)
    return min(found, middle - error), max(found, middle + error)


def connected_groups(rows, n):
    """Sets of objects: those of a row are in the same set."""
    groups = [{i} for i in range(n)]
    for row in rows:
        touched = [group for group in groups if group & set(row)]
        rest = [group for group in groups if not group & set(row)]
        groups = [*rest, set().union(*touched)]
    return groups


def normalised_revenue(tree, near, far, weights=None):
    """The revenue over the most possible, each group under the tree restricted to it.

    A restricted tree has the clusters of the tree without the objects of other groups.
    """
    n = len(tree.children) + 1
    rows = [(*a, *b) for a, b in zip(near, far, strict=True)]
    counted = [(row, w) for row, w in weighted(rows, weights) if w]
    earned = most = Fraction(0)
    for group in connected_groups([row for row, _ in counted], n):
        restricted = sorted((c & group for c in clusters(tree)), key=len)
        for (i, j, k, l), w in counted:
            if i in group:
                of_near = next(len(c) for c in restricted if {i, j} <= c)
                of_far = next(len(c) for c in restricted if {k, l} <= c)
                earned += Fraction(w) * (of_far - of_near)
                most += Fraction(w) * (len(group) - 2)
    return earned / most if most else Fraction(0)


def pieces_of_evidence(near, far, weights=None):
    """The square of the weight of all answers, over the sum of squares by question."""
    asked = summed(
        (frozenset(frozenset(pair) for pair in pairs), Fraction(w))
        for pairs, w in weighted(list(zip(near, far, strict=True)), weights)
    )
    squares = sum(w * w for w in asked.values())
    return sum(asked.values()) ** 2 / squares if squares else Fraction(0)


def right_answers(distance, near, far):
    """2 for each near pair that is nearer than the far pair, 1 for ties, else 0."""
    signs = [(distance(*a), distance(*b)) for a, b in zip(near, far, strict=True)]
    return [1 + (x < y) - (x > y) for x, y in signs]


def tree_fit(near, far, weights, fold, trees, points):
    """Accuracy of trees, flat clusters and points; the best numbers; the error.

    trees: that of each fold. points: for each number of dimensions those of each fold.
    What is best for a fold is chosen by the other folds; ties go to fewer.
    """
    n, folds = len(trees[0].children) + 1, range(len(trees))
    answers = list(zip(near, far, weights, fold, strict=True))

    def right(distance_of_fold):
        """Of each answer, by the model of its fold."""
        rows = [right_answers(distance_of_fold[f], [a], [b]) for a, b, _, f in answers]
        return [row[0] for row in rows]

    def by_size(tree):
        h = sizes(tree)
        return lambda i, j: h[i, j]

    def by_cluster(tree, k):
        parts = cut(tree, k)
        return lambda i, j: not any({i, j} <= part for part in parts)

    def by_place(x):
        return lambda i, j: sum((a - b) ** 2 for a, b in zip(x[i], x[j], strict=True))

    def points_of(found, without=None):
        kept = zip(found, answers, strict=True)
        return sum(w * r for r, (_, _, w, f) in kept if f != without)

    def chosen(models):
        """The answers of the best model for each fold, and the best model of all."""
        best = {f: max(models, key=lambda x: points_of(models[x], f)) for f in folds}
        taken = [models[best[f]][at] for at, (_, _, _, f) in enumerate(answers)]
        return taken, max(models, key=lambda x: points_of(models[x]))

    total = sum(weights)
    of_tree = right([by_size(tree) for tree in trees])
    cuts = {k: right([by_cluster(t, k) for t in trees]) for k in range(1, n + 1)}
    of_cut, n_clusters = chosen(cuts)
    spaces = {d: right([by_place(x) for x in points[d]]) for d in points}
    of_points, n_dimensions = chosen(spaces)
    shares = [points_of(x) / (2 * total) for x in (of_tree, of_cut, of_points)]
    mean = shares[2] - shares[0]
    by_question = summed(
        (frozenset([frozenset(a), frozenset(b)]), w * ((one - two) / 2 - mean))
        for one, two, (a, b, w, _) in zip(of_points, of_tree, answers, strict=True)
    )
    typical = total / len(by_question)  # and two more questions, right and wrong
    squares = [x * x for x in by_question.values()] + [typical**2] * 2
    error = sum(squares) ** 0.5 / (total + 2 * typical)
    return *shares, n_clusters, n_dimensions, error


def ultrametric_index(rows, is_shared=False):
    """How answers divide over the open question, over all repeated ones, and of how
    many triples; shares of two answers that differ, times 2.

    is_shared: one answer decides several of the questions, as an odd one out does.
    """
    votes = Counter(map(tuple, rows))
    open_ones, repeated = [], []
    for triple in sorted({tuple(sorted(row)) for row in rows}):
        for c in triple:
            a, b = (x for x in triple if x != c)
            about_c = votes[c, a, b], votes[c, b, a]
            if sum(about_c) < 2:
                continue
            repeated.append(about_c)
            wins = votes[a, b, c], votes[b, a, c]
            is_closest = wins[0] > votes[a, c, b] and wins[1] > votes[b, c, a]
            if is_closest and (not is_shared or min(wins) > sum(about_c)):
                open_ones.append(about_c)
    shares = [2 * (1 - repeated_agreement(x)) for x in (open_ones, repeated) if x]
    return (*shares, len(open_ones)) if open_ones else (None, None, 0)


# The block posterior.


def meeting_depth(c, d, depth):
    """How many leading bits two places, numbers of so many bits, share."""
    one, two = (format(x, f"0{depth}b") for x in (c, d))
    return next((at for at in range(depth) if one[at] != two[at]), depth)


def block_log_posterior(places, rows, weights, depth, theta):
    """The log likelihood of rows (a, b, c, d), plus the log of a Polya tree prior."""
    total = 0.0
    for (a, b, c, d), weight in zip(rows, weights, strict=True):
        near = meeting_depth(places[a], places[b], depth)
        far = meeting_depth(places[c], places[d], depth)
        total -= weight * log(1 + exp(theta[far] - theta[near]))
    for at in range(len(places)):  # one object after the other goes down the tree
        path = format(places[at], f"0{depth}b")
        before = [format(x, f"0{depth}b") for x in places[:at]]
        for level in range(depth):
            inside = [x for x in before if x[:level] == path[:level]]
            same = sum(x[level] == path[level] for x in inside)
            total += log((same + 1) / (len(inside) + 2))
    return total


def block_expected_adds(places, depth, theta):
    """AddS of all questions (i, j, k), each answered as the model expects."""

    def lead(i, j, k):
        near = theta[meeting_depth(places[i], places[j], depth)]
        far = theta[meeting_depth(places[i], places[k], depth)]
        return 2 / (1 + exp(far - near)) - 1

    return sums_over_third(len(places), lead)


def bound_by_groups(s, group, matrices, diagonals):
    """What no tree earns more than, if diag(e) - M is semidefinite for each group.

    matrices[g] is any symmetric M, diagonals[g] its e. A set of three earns at most the
    largest of s - M of a pair, M being that of the group of the third object; the rest
    is <M, Y> / 2 for a semidefinite Y whose entry i, i counts the others of the group.
    """
    n = len(s)
    most = -n * sum(s[i][j] for i, j in combinations(range(n), 2))
    for triple in combinations(range(n), 3):
        pairs = [(triple[:2], 2), ((triple[0], triple[2]), 1), (triple[1:], 0)]
        most += max(
            s[i][j] - matrices[group[triple[third]]][i][j] for (i, j), third in pairs
        )
    for g, e in enumerate(diagonals):
        others = [sum(h == g for k, h in enumerate(group) if k != i) for i in range(n)]
        most += sum(w * x for w, x in zip(others, e, strict=True)) / 2
    return most


def shares_of_triples(left, group, tolerance):
    """How many sixths of the sets of three each pair has, by group of the third."""
    n = len(group)
    shares = Counter()
    for triple in combinations(range(n), 3):
        values = {}
        for third in triple:
            i, j = sorted({*triple} - {third})
            values[group[third], i, j] = left[group[third]][i][j]
        most = max(values.values())
        winners = [pair for pair, value in values.items() if value >= most - tolerance]
        for pair in winners:
            shares[pair] += 6 // len(winners)
    return shares


def trees_of_four(four):
    """What each of the 15 binary trees on a < b < c < d says: {triple: near pair}."""
    found = []
    for near in combinations(four, 2):
        far = tuple(x for x in four if x not in near)
        for third in (*far, None):  # joined to the near pair; None: the other two meet
            if third is None and near[0] != four[0]:
                continue  # the same two pairs, the other way round
            answers = {}
            for triple in combinations(four, 3):
                inner = far if third is None else (*near, third)
                pairs = [{*near}, *combinations(inner, 2)]
                met = next(pair for pair in pairs if {*pair} <= {*triple})
                answers[triple] = tuple(sorted(met))
            found.append(answers)
    return found


def bound_by_fours(s, n_sweeps, step=1, size=None):
    """The bound of four objects: every set of four takes its best tree.

    The value of a triple is first divided evenly among its sets of four. A sweep takes
    one triple after the other, and lets each answer be worth as much in all its sets;
    or goes beyond that by a step above 1. The order is by the sum of the numbers of the
    groups of three objects, modulo the number of groups; a group has `size` objects.
    """
    n = len(s)
    size = size or n
    n_groups = -(-n // size)

    def turn(triple):
        groups = [x // size for x in triple]
        return sum(groups) % n_groups, groups, triple[::-1]

    triples = sorted(combinations(range(n), 3), key=turn)
    fours = [*combinations(range(n), 4)]
    trees = {four: trees_of_four(four) for four in fours}
    shares = {
        triple: {
            four: {(i, j): s[i][j] / (n - 3) for i, j in combinations(triple, 2)}
            for four in fours
            if {*triple} <= {*four}
        }
        for triple in triples
    }

    def worth(four, tree):
        return sum(shares[triple][four][pair] for triple, pair in tree.items())

    for triple, parts in n_sweeps * list(shares.items()):
        for pair in combinations(triple, 2):
            best = {
                four: max(worth(four, t) for t in trees[four] if t[triple] == pair)
                for four in parts
            }
            mean = sum(best.values()) / (n - 3)
            for four, most in best.items():
                more = step * (mean - most)
                parts[four] = parts[four] | {pair: parts[four][pair] + more}
    bound = sum(max(worth(four, tree) for tree in trees[four]) for four in fours)
    return bound - n * sum(s[i][j] for i, j in combinations(range(n), 2))


def descent_of_groups(s, group, state, number, goal, constants):
    """A round of the descent of groups.py; changes the matrices in state.

    left is s - M of every group, vectors the V of its Y = V V', pulls the lengths of
    the rows of M V. A subgradient is Y less the sets of three that each pair has won.
    """
    step, kept, recent, tolerance, n_sweeps = constants
    left, vectors, pulls = state["left"], state["vectors"], state["pulls"]
    n, n_groups = len(s), len(left)
    lengths = [
        [sqrt(sum(g == h for k, h in enumerate(group) if k != i)) for i in range(n)]
        for g in range(n_groups)
    ]
    won = shares_of_triples(left, group, tolerance)
    slopes = {
        (g, i, j): sum(x * y for x, y in zip(vectors[g][i], vectors[g][j], strict=True))
        - won[g, i, j] / 6
        for g in range(n_groups)
        for i, j in combinations(range(n), 2)
    }
    of_triples = sum(
        max(
            left[group[k]][i][j]
            for (i, j), k in zip(combinations(three, 2), three[::-1], strict=True)
        )
        for three in combinations(range(n), 3)
    )
    of_groups = sum(
        length * pull
        for g in range(n_groups)
        for length, pull in zip(lengths[g], pulls[g], strict=True)
    )
    far = max(0, of_triples + of_groups / 2 - goal)
    length = step * far / sum(slope**2 for slope in slopes.values())
    weight = min(1, recent / (number + recent))
    for (g, i, j), slope in slopes.items():
        momentum = state["momentum"][g]
        momentum[i][j] = kept * momentum[i][j] + slope
        left[g][i][j] += round(length * momentum[i][j])
        left[g][j][i] = left[g][i][j]
        average = state["average"][g]
        average[i][j] += weight * (left[g][i][j] - average[i][j])
    for g in range(n_groups):
        for i in n_sweeps * list(range(n)):
            pull = [
                sum((s[i][j] - left[g][i][j]) * vectors[g][j][a] for j in range(n))
                for a in range(len(vectors[g][i]))
            ]
            pulls[g][i] = sqrt(sum(x**2 for x in pull))
            vectors[g][i] = [lengths[g][i] * x / pulls[g][i] for x in pull]
