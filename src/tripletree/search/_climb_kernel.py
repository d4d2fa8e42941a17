"""Loops of the search; see moves.py for the mathematics.

Nodes keep their names while the tree changes: leaves are 0..n-1, merges n..2n-2 in any
order. The layout lists them level by level from the deepest in "places": the two
children of the merge that is number j in the list have the places 2j and 2j+1, the root
has place 2n-2. So children come before parents and lie side by side: the sibling of
place p is p ^ 1, its parent is merge number p >> 1, and one loop over j goes up the
tree. The layout is made anew after each move.

Arrays of nodes and places are int32, to read fewer bytes. Helpers take int64: for each
type of their arguments they would be compiled again.
"""

from collections import namedtuple

import numpy as np

from tripletree._jit import helper, kernel

# A tree that can change, with the sums that price its moves.
#
# By node (2n-1): parent and child (2n-1, 2), -1 where it has none; sums (2n-1, n)
# with s(node, leaf); cross with s(A, B) of the two children of a merge; size;
# place, where it is in the layout.
#
# By place (2n-1): node_at, size_at. By number of the merge (n-1): merge_at, its
# place, and weight_at, its cross sum.
Climber = namedtuple(
    "Climber", "parent child sums cross size place node_at size_at merge_at weight_at"
)


# What pricing a subtree X leaves.
#
# By place (2n-1): inside, s(X, cluster without X), and best, what the best place for
# X within the cluster earns more than the one above it; both are junk within X.
# path (n): the places of X and of all above it.
Scratch = namedtuple("Scratch", "inside best path")


@kernel
def fill_sums(c, scratch, children):
    """Fill everything from the merges of a tree and the sums of leaves."""
    n = children.shape[0] + 1
    c.parent[2 * n - 2] = -1
    for t in range(n - 1):
        a, b = children[t, 0], children[t, 1]
        c.child[n + t, 0], c.child[n + t, 1] = a, b
        c.parent[a] = n + t
        c.parent[b] = n + t
        c.size[n + t] = c.size[a] + c.size[b]
        for leaf in range(n):
            c.sums[n + t, leaf] = c.sums[a, leaf] + c.sums[b, leaf]
    lay_out(c)
    for v in range(n, 2 * n - 1):
        best_gain(c, np.int64(c.child[v, 0]), scratch)
        c.cross[v] = scratch.inside[c.place[c.child[v, 1]]]
    lay_out(c)


@helper
def lay_out(c):
    """Fill everything that is by place or number, from child, size and cross."""
    n_merges = c.merge_at.shape[0]
    root = 2 * n_merges
    while c.parent[root] >= 0:
        root = c.parent[root]
    at = 2 * n_merges
    c.node_at[at] = root
    c.place[root] = at
    c.size_at[at] = c.size[root]
    last = n_merges - 1  # merges found so far are number last and above
    c.merge_at[last] = at
    for j in range(n_merges - 1, -1, -1):
        v = c.node_at[c.merge_at[j]]
        c.weight_at[j] = c.cross[v]
        for side in range(2):
            below, at = c.child[v, side], 2 * j + side
            c.place[below] = at
            c.node_at[at] = below
            c.size_at[at] = c.size[below]
            if below > n_merges:
                last -= 1
                c.merge_at[last] = at


@helper
def price_merges(c, start, stop, x_size, inside, best):
    """Price the places below merges number start..stop-1, none of them above X."""
    size_at, weight_at, merge_at = c.size_at, c.weight_at, c.merge_at
    for j in range(start, stop):
        left, right = 2 * j, 2 * j + 1
        to_left, to_right = inside[left], inside[right]
        base = x_size * weight_at[j]
        go_left = to_left * size_at[right] - base + best[left]
        go_right = to_right * size_at[left] - base + best[right]
        inside[merge_at[j]] = to_left + to_right
        best[merge_at[j]] = max(max(go_left, go_right), 0)


@helper
def best_gain(c, x, scratch):
    """What the best place for subtree x (not the root) gains over where it is."""
    inside, best, path = scratch.inside, scratch.best, scratch.path
    row = c.sums[x]
    best[:] = 0
    for leaf in range(row.shape[0]):
        inside[c.place[leaf]] = row[leaf]
    x_place = c.place[x]
    x_size = c.size_at[x_place]
    number = x_place >> 1
    price_merges(c, 0, number, x_size, inside, best)
    # Without x its parent is its sibling.
    at = c.merge_at[number]
    inside[at], best[at] = inside[x_place ^ 1], best[x_place ^ 1]
    here = 0
    path[0], path[1] = x_place, at
    length = 2
    root = c.place.shape[0] - 1
    while at < root:
        toward, aside, below, number = at, at ^ 1, number, at >> 1
        price_merges(c, below + 1, number, x_size, inside, best)
        base = x_size * (c.weight_at[number] - inside[aside])
        step = inside[toward] * c.size_at[aside] - base
        here += step
        go_toward = step + best[toward]
        go_aside = inside[aside] * (c.size_at[toward] - x_size) - base + best[aside]
        at = c.merge_at[number]
        inside[at] = inside[toward] + inside[aside]
        best[at] = max(max(go_toward, go_aside), 0)
        path[length] = at
        length += 1
    return best[root] - here


@helper
def best_target(c, x, scratch):
    """The node above which x earns most, once best_gain has priced x.

    Of equal places the one nearer to the root, then on the way to x, then to the left.
    """
    inside, best, path = scratch.inside, scratch.best, scratch.path
    x_size = c.size[x]
    root = at = c.place.shape[0] - 1
    k = 0
    while path[k] != root:
        k += 1
    # While at lies above x: at == path[k].
    while k > 1 and best[at] > 0:
        toward = path[k - 1]
        base = x_size * (c.weight_at[toward >> 1] - inside[toward ^ 1])
        go = inside[toward] * c.size_at[toward ^ 1] - base + best[toward]
        if go < best[at]:
            at = toward ^ 1
            break
        at = toward
        k -= 1
    if at == path[1]:
        at = path[0] ^ 1
    while best[at] > 0:
        left = c.place[c.child[c.node_at[at], 0]]
        base = x_size * c.weight_at[left >> 1]
        go = inside[left] * c.size_at[left ^ 1] - base + best[left]
        at = left if go == best[at] else left ^ 1
    return np.int64(c.node_at[at])


@helper
def above(c, at):
    """The place of the parent of a place; one past the last above the root."""
    last = c.place.shape[0] - 1
    return np.int64(c.merge_at[at >> 1]) if at < last else last + 1


@helper
def move(c, x, target, inside):
    """Prune x and attach it above target; update two root paths and the layout.

    target is a node outside x, inside is what best_gain left for x. The parent of x
    becomes the new parent of both.
    """
    n = c.sums.shape[1]
    home = np.int64(c.parent[x])
    rest = np.int64(c.child[home, 0 if c.child[home, 1] == x else 1])
    if target == home or target == rest:
        return
    row, x_size = c.sums[x], c.size[x]
    home_place, target_place = np.int64(c.place[home]), np.int64(c.place[target])
    # Clusters on the way up from x lose it, those on the way from target gain it, up to
    # where both ways meet. Places grow on the way up, so the smaller one goes next.
    below, loser = home_place, above(c, home_place)
    under, winner = target_place, above(c, target_place)
    while loser != winner:
        if loser < winner:
            u = c.node_at[loser]
            c.cross[u] -= inside[below ^ 1]
            c.size[u] -= x_size
            for leaf in range(n):
                c.sums[u, leaf] -= row[leaf]
            below, loser = loser, above(c, loser)
        elif winner == home_place:
            under, winner = winner, above(c, winner)
        else:
            u = c.node_at[winner]
            c.cross[u] += inside[under ^ 1]
            c.size[u] += x_size
            for leaf in range(n):
                c.sums[u, leaf] += row[leaf]
            under, winner = winner, above(c, winner)
    if loser < c.place.shape[0]:
        c.cross[c.node_at[loser]] += inside[below] - inside[under]
    c.cross[home] = inside[target_place]
    c.size[home] = c.size[target] + x_size
    for leaf in range(n):
        c.sums[home, leaf] = c.sums[target, leaf] + row[leaf]
    # Take x and home out, rest moves up; put home in above target, x beside it.
    replace_child(c, home, rest)
    replace_child(c, target, home)
    c.child[home, 0], c.child[home, 1] = target, x
    c.parent[target] = home
    lay_out(c)


@helper
def replace_child(c, old, new):
    """Let new hang where old hangs, be it above the root."""
    v = c.parent[old]
    c.parent[new] = v
    if v >= 0:
        c.child[v, 0 if c.child[v, 0] == old else 1] = new


@kernel
def price(c, order, start, stop, scratch, gains):
    """Fill gains[start:stop] with the best gains of these subtrees in the order."""
    for k in range(start, stop):
        x = order[k]
        gains[k] = 0 if c.parent[x] < 0 else best_gain(c, x, scratch)


@kernel
def climb(c, order, start, stop, scratch, gains, n_idle):
    """Make the best moves of subtrees start..stop-1 in the order, where they gain.

    Passes over those whose entry in gains is 0: that is the gain before the first move
    made here. Returns (gained, moves, idle), the last being how many subtrees in a row
    up to here are known to gain nothing in the tree as it is now.
    """
    gained = n_moves = 0
    for k in range(start, stop):
        x = order[k]
        if gains[k] == 0:
            n_idle = 0 if n_moves else n_idle + 1
            continue
        gain = 0 if c.parent[x] < 0 else best_gain(c, x, scratch)
        if gain > 0:
            move(c, x, best_target(c, x, scratch), scratch.inside)
            gained += gain
            n_moves += 1
            n_idle = 0
        else:
            n_idle += 1
    return gained, n_moves, n_idle


@kernel
def make_random_moves(c, draws, scratch):
    """Make one random move per row of draws (k, 2), uniform in [0, 1).

    A place inside the subtree, or where it already is, is passed over.
    """
    root = c.place.shape[0] - 1
    for k in range(draws.shape[0]):
        x_place = int(draws[k, 0] * root)
        target_place = int(draws[k, 1] * (root + 1))
        at = target_place
        while at < x_place:
            at = above(c, at)
        if at == x_place:
            continue
        x, target = np.int64(c.node_at[x_place]), np.int64(c.node_at[target_place])
        best_gain(c, x, scratch)
        move(c, x, target, scratch.inside)
