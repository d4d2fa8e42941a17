"""Loops of the search; see moves.py for the mathematics.

Nodes keep their names while the tree changes: leaves are 0..n-1, merges n..2n-2 in any
order. `layout` lists the nodes in preorder ("ranks"), where subtrees are contiguous and
parents come before their children; it is made anew after each move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tripletree._jit import kernel


class Climber(NamedTuple):
    """A tree that can change, with the sums that price its moves.

    By node (2n-1): parent and child (2n-1, 2), -1 where there is none; sums (2n-1, n)
    with s(node, leaf); cross with s(A, B) of the two children of a merge.

    By rank (2n-1): node_at; up and sibling, as ranks; low and high, the interval of
    leaves in leaf order; size and weight, the numbers of leaves and the cross sums.
    And rank_of by node, leaf_order (n,), merge (n-1) with the ranks of merges.

    Scratch: prefix (n+1), value (2n-1).
    """

    parent: Any
    child: Any
    sums: Any
    cross: Any
    node_at: Any
    rank_of: Any
    up: Any
    sibling: Any
    low: Any
    high: Any
    size: Any
    weight: Any
    leaf_order: Any
    merge: Any
    prefix: Any
    value: Any


@kernel
def fill_sums(c, children):
    """Fill parent, child, sums and cross from the merges of a tree and leaf sums."""
    n = children.shape[0] + 1
    c.parent[2 * n - 2] = -1
    for t in range(n - 1):
        a, b = children[t, 0], children[t, 1]
        c.child[n + t, 0], c.child[n + t, 1] = a, b
        c.parent[a] = n + t
        c.parent[b] = n + t
        for leaf in range(n):
            c.sums[n + t, leaf] = c.sums[a, leaf] + c.sums[b, leaf]


@kernel
def lay_out(c):
    """Fill everything that is by rank, from parent, child and cross."""
    n = c.leaf_order.shape[0]
    n_nodes = 2 * n - 1
    root = n_nodes - 1
    while c.parent[root] >= 0:
        root = c.parent[root]
    # The stack of nodes still to list is kept at the end of node_at: it never meets
    # the listed part, because each node is on one of them at most once.
    top = n_nodes - 1
    c.node_at[top] = root
    r = 0
    n_leaves = 0
    while r < n_nodes:
        v = c.node_at[top]
        top += 1
        c.node_at[r] = v
        c.rank_of[v] = r
        c.low[r] = n_leaves
        if v < n:
            c.leaf_order[n_leaves] = v
            n_leaves += 1
        else:
            top -= 1
            c.node_at[top] = c.child[v, 1]
            top -= 1
            c.node_at[top] = c.child[v, 0]
        r += 1
    for r in range(n_nodes - 1, -1, -1):
        v = c.node_at[r]
        if v < n:
            c.high[r] = c.low[r] + 1
            c.weight[r] = 0
        else:
            left, right = c.rank_of[c.child[v, 0]], c.rank_of[c.child[v, 1]]
            c.high[r] = c.high[right]
            c.up[left], c.up[right] = r, r
            c.sibling[left], c.sibling[right] = right, left
            c.weight[r] = c.cross[v]
        c.size[r] = c.high[r] - c.low[r]
    c.up[0] = -1
    c.sibling[0] = -1
    n_merges = 0
    for r in range(n_nodes):
        if c.node_at[r] >= n:
            c.merge[n_merges] = r
            n_merges += 1


@kernel
def cross_sum(c, v):
    """s(A, B) of the children of v, by the leaves of the smaller one."""
    a, b = c.child[v, 0], c.child[v, 1]
    if c.size[c.rank_of[a]] < c.size[c.rank_of[b]]:
        a, b = b, a
    r = c.rank_of[b]
    total = c.cross[v] - c.cross[v]
    row = c.sums[a]
    for place in range(c.low[r], c.high[r]):
        total += row[c.leaf_order[place]]
    return total


@kernel
def fill_cross(c):
    """Fill cross, and weight by rank, for all merges."""
    for v in range(c.leaf_order.shape[0], c.parent.shape[0]):
        c.cross[v] = cross_sum(c, v)
        c.weight[c.rank_of[v]] = c.cross[v]


@kernel
def best_target(c, x):
    """The best place for subtree x (not the root): (gain, node to attach it above).

    Prunes x in the arrays by rank, prices every place in one pass, and puts x back.
    Among equal gains the first in preorder; gain 0 is staying.
    """
    n = c.leaf_order.shape[0]
    row = c.sums[x]
    x_rank = c.rank_of[x]
    x_size = c.size[x_rank]  # of the type of the sums, so that nothing is converted
    low, high = c.low[x_rank], c.high[x_rank]
    zero = c.prefix[0] - c.prefix[0]
    c.prefix[0] = zero
    total = zero
    for place in range(low):
        total += row[c.leaf_order[place]]
        c.prefix[place + 1] = total
    for place in range(low, high):
        c.prefix[place + 1] = total
    for place in range(high, n):
        total += row[c.leaf_order[place]]
        c.prefix[place + 1] = total
    # Without x: its ancestors are smaller, and x is in none of their cross sums.
    home = c.up[x_rank]
    kept = c.weight[home]
    c.size[x_rank] = 0
    c.weight[home] = zero
    c.size[home] -= x_size
    r = home
    while c.up[r] >= 0:
        aside = c.sibling[r]
        r = c.up[r]
        c.size[r] -= x_size
        c.weight[r] -= c.prefix[c.high[aside]] - c.prefix[c.low[aside]]
    value, prefix, merge = c.value, c.prefix, c.merge
    value[0] = zero
    best, best_rank = zero, 0
    # Before rank x_rank are `low` leaves, so x_rank - low merges; x has high - low - 1.
    n_before, n_inside = x_rank - low, high - low - 1
    for k in range(n - 1 - n_inside):
        u = merge[k if k < n_before else k + n_inside]
        left = u + 1  # in preorder
        right = c.sibling[left]
        base = value[u] - x_size * c.weight[u]
        first, middle, last = prefix[c.low[u]], prefix[c.low[right]], prefix[c.high[u]]
        price = base + (middle - first) * c.size[right]
        value[left] = price
        if price > best:
            best, best_rank = price, left
        price = base + (last - middle) * c.size[left]
        value[right] = price
        if price > best:
            best, best_rank = price, right
    gain = best - c.value[home]
    c.size[x_rank] = x_size
    c.weight[home] = kept
    c.size[home] += x_size
    r = home
    while c.up[r] >= 0:
        aside = c.sibling[r]
        r = c.up[r]
        c.size[r] += x_size
        c.weight[r] += c.prefix[c.high[aside]] - c.prefix[c.low[aside]]
    return gain, c.node_at[best_rank]


@kernel
def is_inside(c, v, u):
    """Whether node v is u or below u, by the layout."""
    inner, outer = c.rank_of[v], c.rank_of[u]
    return c.low[outer] <= c.low[inner] and c.high[inner] <= c.high[outer]


@kernel
def move(c, x, target):
    """Prune x and attach it above target; update two root paths and the layout.

    target is a node outside x. The parent of x becomes the new parent of both.
    """
    n = c.leaf_order.shape[0]
    home = c.parent[x]
    if target == home:
        return
    side = 0 if c.child[home, 1] == x else 1
    rest = c.child[home, side]
    if target == rest:
        return
    row = c.sums[x]
    above, over = c.parent[home], c.parent[target]
    # Only clusters that lose x, or gain it, change: up to where both paths meet.
    loser = above
    while loser >= 0 and (loser == target or not is_inside(c, target, loser)):
        for leaf in range(n):
            c.sums[loser, leaf] -= row[leaf]
        loser = c.parent[loser]
    winner = over
    while winner >= 0 and not is_inside(c, x, winner):
        for leaf in range(n):
            c.sums[winner, leaf] += row[leaf]
        winner = c.parent[winner]
    for leaf in range(n):
        c.sums[home, leaf] = c.sums[target, leaf] + row[leaf]
    # Take x and home out, rest moves up; put home in above target, x beside it.
    c.parent[rest] = above
    if above >= 0:
        c.child[above, 0 if c.child[above, 0] == home else 1] = rest
    over = c.parent[target]
    c.parent[home] = over
    if over >= 0:
        c.child[over, 0 if c.child[over, 0] == target else 1] = home
    c.child[home, 0], c.child[home, 1] = target, x
    c.parent[target] = home
    lay_out(c)
    for start in (above, home):
        u = start
        while u >= 0:
            c.cross[u] = cross_sum(c, u)
            c.weight[c.rank_of[u]] = c.cross[u]
            if u == loser or (u == winner and u != home):
                break
            u = c.parent[u]


@kernel
def climb(c, order, cursor, n_idle, most_prices):
    """Go round the subtrees in this order and make each best move that gains.

    order (2n-1) is a permutation of the nodes. Returns (place in it, subtrees since
    the last move, gain, moves): an optimum once the second reaches 2n-1. Stops after
    pricing most_prices subtrees.
    """
    n_nodes = order.shape[0]
    gained = c.prefix[0] - c.prefix[0]
    n_moves = 0
    for _ in range(most_prices):
        if n_idle >= n_nodes:
            break
        x = order[cursor]
        cursor = cursor + 1 if cursor + 1 < n_nodes else 0
        n_idle += 1
        if c.parent[x] < 0:
            continue
        gain, target = best_target(c, x)
        if gain > 0:
            move(c, x, target)
            gained += gain
            n_moves += 1
            n_idle = 0
    return cursor, n_idle, gained, n_moves


@kernel
def kick(c, draws):
    """Make one random move per row of draws (k, 2), uniform in [0, 1); return its gain.

    A place inside the subtree, or where it already is, is passed over.
    """
    n_nodes = c.parent.shape[0]
    gained = c.prefix[0] - c.prefix[0]
    for k in range(draws.shape[0]):
        x_rank = 1 + int(draws[k, 0] * (n_nodes - 1))
        target = int(draws[k, 1] * n_nodes)
        if c.low[x_rank] <= c.low[target] and c.high[target] <= c.high[x_rank]:
            continue
        x, place = c.node_at[x_rank], c.node_at[target]
        best_target(c, x)  # leaves the value of every place
        gained += c.value[target] - c.value[c.up[x_rank]]
        move(c, x, place)
    return gained
