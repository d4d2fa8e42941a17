"""Loops of the search on a sparse similarity; see sparse_moves.py for the mathematics.

Nodes keep their names while the tree changes: leaves are 0..n-1, merges n..2n-2 in any
order. What belongs to one node lies side by side: pricing jumps from node to node.

In this order: the state; the tree (`fill_tree` to `below_limit`); pricing a subtree
(`gather` to `best_gain`); moving it (`best_target` to `update_strangers`); many of them
(`price`, `climb`, `climb_block`, `make_random_moves`).
"""

from collections import namedtuple

from tripletree._jit import helper, kernel

# Columns of link (2n-1, 4) int32, worth (2n-1, 2) int64 and sums (2n-1, 2) int64.
PARENT, LEFT, RIGHT, SIZE = 0, 1, 2, 3
CROSS, STRANGER = 0, 1
INSIDE, BEST = 0, 1
# Added to a mark that grows by 4: how many children are marked, or above X.
ONE, TWO, ABOVE = 1, 2, 3


# A tree that can change, with the sums that price its moves.
#
# By node: link, its parent (-1 above the root), its children and its size; worth, the
# cross sum s(A, B) of the two children of a merge and what a stranger earns in it.
#
# starts (n+1,), partners and values: the rows of s.
#
# Many kernels work within one cluster, given by its limit: the parent of the cluster,
# -1 for the whole tree. Then the rows of s hold no partners outside of it.
SparseClimber = namedtuple("SparseClimber", "link worth starts partners values")


# What pricing a subtree X leaves.
#
# By leaf (n): reach, s(X, leaf); seen, equal to state.chain where it is filled;
# owner, equal to it for the leaves of X. near: the leaves that are filled.
#
# By node (2n-1): marks; where one is at least state.mark, sums: inside,
# s(X, cluster without X), and best, what the best place for X within the cluster
# earns more than the one above it.
#
# path (n): X and all above it up to the limit, state.n_path nodes.
#
# sources (n): the partners outside of X. The way of source k goes up to the first
# node that was marked before it: ways[ends[k - 1] : ends[k]]. stack (n): of gather.
#
# state is a record: chain, mark and last, the number of the last pricing, the lowest
# of its marks and its subtree (-1 before the first); n_near and n_path, how many
# entries of near and path are filled; n_visits, the nodes visited.
SparseScratch = namedtuple(
    "SparseScratch",
    "reach seen owner near marks sums path sources ends ways stack state",
)


@kernel
def fill_tree(c, children, cross):
    """Fill link and worth from the merges of a tree and their cross sums."""
    n = children.shape[0] + 1
    for leaf in range(n):
        c.link[leaf, LEFT] = c.link[leaf, RIGHT] = -1
        c.link[leaf, SIZE] = 1
        c.worth[leaf, CROSS] = c.worth[leaf, STRANGER] = 0
    for t in range(n - 1):
        a, b = children[t, 0], children[t, 1]
        c.link[n + t, LEFT], c.link[n + t, RIGHT] = a, b
        c.link[a, PARENT] = c.link[b, PARENT] = n + t
        c.link[n + t, SIZE] = c.link[a, SIZE] + c.link[b, SIZE]
        c.worth[n + t, CROSS] = cross[t]
        c.worth[n + t, STRANGER] = stranger(c, n + t)
    c.link[2 * n - 2, PARENT] = -1


@helper
def stranger(c, v):
    """What an object without partners below merge v earns at its best place there."""
    left, right = c.link[v, LEFT], c.link[v, RIGHT]
    more = max(c.worth[left, STRANGER], c.worth[right, STRANGER])
    return max(more - c.worth[v, CROSS], 0)


@kernel
def fill_strangers(c, order):
    """What strangers earn in every merge; children come before parents in the order."""
    for v in order:
        if c.link[v, LEFT] >= 0:
            c.worth[v, STRANGER] = stranger(c, v)


@kernel
def postorder(c, top, order):
    """Fill order (2 size - 1,) with all nodes from top down, the larger child last.

    A node and all below it fill 2 size - 1 places in a row, the node being the last.
    """
    order[order.shape[0] - 1] = top
    for at in range(order.shape[0] - 1, 0, -1):
        v = order[at]
        small, large = c.link[v, LEFT], c.link[v, RIGHT]
        if small < 0:
            continue
        if c.link[small, SIZE] > c.link[large, SIZE]:
            small, large = large, small
        order[at - 1] = large
        order[at - 2 * c.link[large, SIZE]] = small


@kernel
def below_limit(c, v, limit):
    """The ancestor of v, or v itself, whose parent is the limit."""
    while c.link[v, PARENT] != limit:
        v = c.link[v, PARENT]
    return v


@helper
def gather(c, x, f):
    """Fill reach with s(x, leaf) for all partners of the leaves of x.

    If the subtree before was a child of x, and nothing moved since, only the leaves of
    its sibling are added.
    """
    top, last = x, f.state.last
    if last >= 0 and c.link[last, PARENT] == x:
        top = c.link[x, LEFT] + c.link[x, RIGHT] - last
    elif last == x:
        return
    else:
        f.state.chain += 1
        f.state.n_near = 0
    f.state.last = x
    chain, n_near = f.state.chain, f.state.n_near
    f.stack[0] = top
    depth = 1
    while depth > 0:
        depth -= 1
        v = f.stack[depth]
        if c.link[v, LEFT] >= 0:
            f.stack[depth], f.stack[depth + 1] = c.link[v, RIGHT], c.link[v, LEFT]
            depth += 2
            continue
        f.owner[v] = chain
        f.state.n_visits += c.starts[v + 1] - c.starts[v]
        for at in range(c.starts[v], c.starts[v + 1]):
            leaf = c.partners[at]
            if f.seen[leaf] == chain:
                f.reach[leaf] += c.values[at]
            else:
                f.seen[leaf] = chain
                f.reach[leaf] = c.values[at]
                f.near[n_near] = leaf
                n_near += 1
    f.state.n_near = n_near


@helper
def find_ways(c, x, limit, f):
    """Mark the nodes that lie above x or a partner of x.

    Fills path, sources, ways and marks. Returns how many sources there are.
    """
    marks, link, ways = f.marks, c.link, f.ways
    f.state.mark += 4
    mark, chain = f.state.mark, f.state.chain
    v, n_path = x, 0
    while v != limit:
        marks[v] = mark + ABOVE
        f.path[n_path] = v
        n_path += 1
        v = link[v, PARENT]
    f.state.n_path = n_path
    n_sources = n_marked = 0
    for k in range(f.state.n_near):
        leaf = f.near[k]
        if f.owner[leaf] == chain or f.reach[leaf] == 0:
            continue
        marks[leaf] = mark
        v = link[leaf, PARENT]
        while marks[v] < mark:
            marks[v] = mark + ONE
            ways[n_marked] = v
            n_marked += 1
            v = link[v, PARENT]
        if marks[v] == mark + ONE:
            marks[v] = mark + TWO
        f.sources[n_sources], f.ends[n_sources] = leaf, n_marked
        n_sources += 1
    f.state.n_visits += n_path + f.state.n_near + n_marked
    return n_sources


@helper
def price_ways(c, x_size, n_sources, f):
    """Price the marked nodes that are not above x.

    Every way ends at x's own or at an earlier one: the last goes first, and a node of
    two marked children finds the other one priced. A child that is not marked is not
    looked at, but for what a stranger earns there.
    """
    marks, sums, link, worth = f.marks, f.sums, c.link, c.worth
    two = f.state.mark + TWO
    for k in range(n_sources - 1, -1, -1):
        u = f.sources[k]
        u_size = link[u, SIZE]
        inside = f.reach[u]
        best = 0
        sums[u, INSIDE], sums[u, BEST] = inside, best
        for at in range(f.ends[k - 1] if k > 0 else 0, f.ends[k]):
            v = f.ways[at]
            other = link[v, LEFT] + link[v, RIGHT] - u
            v_size = link[v, SIZE]
            go = inside * (v_size - u_size) + best
            if marks[v] == two:
                go = max(go, sums[other, INSIDE] * u_size + sums[other, BEST])
                inside += sums[other, INSIDE]
            else:
                go = max(go, x_size * worth[other, STRANGER])
            best = max(go - x_size * worth[v, CROSS], 0)
            sums[v, INSIDE], sums[v, BEST] = inside, best
            u, u_size = v, v_size


@helper
def inside_of(f, v):
    """s(X, v) once X was priced."""
    return f.sums[v, INSIDE] if f.marks[v] >= f.state.mark else 0


@helper
def best_of(c, f, v, x_size):
    """What the best place for X within v earns more than the one above v."""
    if f.marks[v] >= f.state.mark:
        return f.sums[v, BEST]
    return x_size * c.worth[v, STRANGER]


@helper
def sibling(c, v):
    """The other child of the parent of v."""
    above = c.link[v, PARENT]
    return c.link[above, LEFT] + c.link[above, RIGHT] - v


@helper
def step_toward(c, f, toward, x_size):
    """What X earns more above this node, itself above X, than above its parent."""
    aside = sibling(c, toward)
    to_aside = inside_of(f, aside)
    base = x_size * (c.worth[c.link[toward, PARENT], CROSS] - to_aside)
    return f.sums[toward, INSIDE] * c.link[aside, SIZE] - base


@helper
def best_gain(c, x, limit, f):
    """What the best place for x below the limit gains over where it is.

    x is not the cluster below the limit itself.
    """
    gather(c, x, f)
    x_size = c.link[x, SIZE]
    price_ways(c, x_size, find_ways(c, x, limit, f), f)
    # Without x its parent is its sibling.
    rest, home = sibling(c, x), f.path[1]
    f.sums[home, INSIDE] = inside_of(f, rest)
    f.sums[home, BEST] = best_of(c, f, rest, x_size)
    here = 0
    for k in range(2, f.state.n_path):
        v, toward = f.path[k], f.path[k - 1]
        aside = sibling(c, toward)
        to_aside = inside_of(f, aside)
        base = x_size * (c.worth[v, CROSS] - to_aside)
        step = f.sums[toward, INSIDE] * c.link[aside, SIZE] - base
        here += step
        go_toward = step + f.sums[toward, BEST]
        go_aside = to_aside * (c.link[toward, SIZE] - x_size) - base
        go_aside += best_of(c, f, aside, x_size)
        f.sums[v, INSIDE] = f.sums[toward, INSIDE] + to_aside
        f.sums[v, BEST] = max(max(go_toward, go_aside), 0)
    return f.sums[f.path[f.state.n_path - 1], BEST] - here


@helper
def best_target(c, x, f):
    """The node above which x earns most, once best_gain has priced x.

    Of equal places the one nearer to the root, then on the way to x, then to the left.
    """
    x_size = c.link[x, SIZE]
    k = f.state.n_path - 1
    at = f.path[k]
    while k > 1 and f.sums[at, BEST] > 0:
        toward = f.path[k - 1]
        go = step_toward(c, f, toward, x_size) + f.sums[toward, BEST]
        if go < f.sums[at, BEST]:
            at = sibling(c, toward)
            break
        at = toward
        k -= 1
    if at == f.path[1]:
        at = sibling(c, x)
    while best_of(c, f, at, x_size) > 0:
        left, right = c.link[at, LEFT], c.link[at, RIGHT]
        go = inside_of(f, left) * c.link[right, SIZE] - x_size * c.worth[at, CROSS]
        go += best_of(c, f, left, x_size)
        at = left if go == best_of(c, f, at, x_size) else right
    return at


@helper
def move(c, x, target, limit, f):
    """Prune x and attach it above target; update what changes on two root paths.

    target is a node below the limit for which x was priced. The parent of x becomes the
    new parent of both. Beyond the limit, what strangers earn is left as it was.
    """
    link, worth = c.link, c.worth
    home, rest = link[x, PARENT], sibling(c, x)
    if target == home or target == rest:
        return
    x_size = link[x, SIZE]
    # Clusters on the way up from x lose it, those on the way from target gain it, up to
    # where both ways meet. Sizes grow on the way up, so the smaller one goes next.
    start = loser = link[home, PARENT]
    below, under, winner = home, target, link[target, PARENT]
    while loser != winner:
        if winner < 0 or (loser >= 0 and link[loser, SIZE] <= link[winner, SIZE]):
            worth[loser, CROSS] -= inside_of(f, sibling(c, below))
            below, loser = loser, link[loser, PARENT]
            link[below, SIZE] -= x_size
        elif winner == home:
            under, winner = winner, link[winner, PARENT]
        else:
            worth[winner, CROSS] += inside_of(f, sibling(c, under))
            under, winner = winner, link[winner, PARENT]
            link[under, SIZE] += x_size
    meet = loser
    if meet >= 0 and below != under:
        worth[meet, CROSS] += inside_of(f, below) - inside_of(f, under)
    worth[home, CROSS] = inside_of(f, target)
    link[home, SIZE] = link[target, SIZE] + x_size
    # Take x and home out, rest moves up; put home in above target, x beside it.
    put_below(c, link[home, PARENT], home, rest)
    put_below(c, link[target, PARENT], target, home)
    link[home, LEFT], link[home, RIGHT] = target, x
    link[target, PARENT] = home
    update_strangers(c, start, meet, limit)
    update_strangers(c, home, meet, limit)
    f.state.last = -1


@helper
def put_below(c, v, old, new):
    """Let new be the child of v in place of old; v is -1 above the root."""
    c.link[new, PARENT] = v
    if v >= 0:
        c.link[v, LEFT if c.link[v, LEFT] == old else RIGHT] = new


@helper
def update_strangers(c, v, meet, limit):
    """What strangers earn from v up to meet, and further up while that changes it."""
    while v != meet:
        c.worth[v, STRANGER] = stranger(c, v)
        v = c.link[v, PARENT]
    while v != limit:
        now = stranger(c, v)
        if now == c.worth[v, STRANGER]:
            break
        c.worth[v, STRANGER] = now
        v = c.link[v, PARENT]


@kernel
def price(c, order, start, stop, f, gains):
    """Fill gains[start:stop] with the best gains of these subtrees in the order."""
    f.state.last = -1
    for k in range(start, stop):
        x = order[k]
        gains[k] = 0 if c.link[x, PARENT] < 0 else best_gain(c, x, -1, f)


@kernel
def climb(c, order, start, stop, f, gains):
    """Make the best moves of subtrees start..stop-1 in the order, where they gain.

    Passes over those whose entry in gains is 0. Returns (gained, moves).
    """
    gained = n_moves = 0
    f.state.last = -1
    for k in range(start, stop):
        x = order[k]
        if gains[k] == 0 or c.link[x, PARENT] < 0:
            continue
        gain = best_gain(c, x, -1, f)
        if gain > 0:
            move(c, x, best_target(c, x, f), -1, f)
            gained += gain
            n_moves += 1
    return gained, n_moves


@kernel
def climb_block(c, order, block, calm, most_visits, f):
    """Go on climbing within one cluster, until it is calm or so many visits were paid.

    block is a record: its nodes are order[start:stop], its limit, the place `at` in the
    order that its climb has come to, the moves n_round of this round and n_moves in
    all, and what they gained. A round that moves at most one in `calm` nodes is the
    last; then `at` becomes stop.
    """
    limit, n_nodes = block.limit, block.stop - block.start
    f.state.last = -1
    f.state.n_visits = 0
    while f.state.n_visits < most_visits and block.at < block.stop:
        x = order[block.at]
        block.at += 1
        gain = 0 if c.link[x, PARENT] == limit else best_gain(c, x, limit, f)
        if gain > 0:
            move(c, x, best_target(c, x, f), limit, f)
            block.gained += gain
            block.n_moves += 1
            block.n_round += 1
        if block.at == block.stop and block.n_round * calm > n_nodes:
            top = below_limit(c, x, limit)
            postorder(c, top, order[block.start : block.stop])
            block.at, block.n_round = block.start, 0


@kernel
def make_random_moves(c, draws, f):
    """Make one random move per row of draws (k, 2), uniform in [0, 1).

    The root, and a place inside the subtree, are passed over.
    """
    n_nodes = c.link.shape[0]
    for k in range(draws.shape[0]):
        x, target = int(draws[k, 0] * n_nodes), int(draws[k, 1] * n_nodes)
        v = target
        while v >= 0 and v != x:
            v = c.link[v, PARENT]
        if v == x or c.link[x, PARENT] < 0:
            continue
        f.state.last = -1
        best_gain(c, x, -1, f)
        move(c, x, target, -1, f)
