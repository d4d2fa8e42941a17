"""Loops over trees with polytomies; see distances.py and consensus.py for the ideas."""

import numpy as np

from tripletree._jit import kernel


@kernel
def count_triples(groups, own, other, places):
    """Triples that two trees resolve alike, and that only the first one resolves.

    groups (g+1,): where the children of each node of the first tree begin in own, a
    pair of arrays: the start and the size of each child in leaf order. places (n,) are
    the places of the first tree's leaves, in leaf order, in the second tree. other is
    the second tree, without its root: the parent of each node as an index of these
    arrays (that of the root is their length), and its start and size.
    """
    child_start, child_size = own
    parent, start, size = other
    n, n_nodes = places.shape[0], parent.shape[0]
    before = np.empty(n + 1, np.int64)  # marked leaves before each place
    shared, child, pairs, products = np.empty((4, n_nodes + 1), np.int64)
    n_same, n_only = 0, 0
    for g in range(groups.shape[0] - 1):
        shared[:], pairs[:], products[:] = 0, 0, 0
        for c in range(groups[g], groups[g + 1]):
            before[:] = 0
            for at in range(child_start[c], child_start[c] + child_size[c]):
                before[places[at] + 1] = 1
            for place in range(n):
                before[place + 1] += before[place]
            child[n_nodes] = child_size[c]
            for v in range(n_nodes - 1, -1, -1):
                child[v] = before[start[v] + size[v]] - before[start[v]]
            for v in range(n_nodes):
                products[v] += child[v] * child[parent[v]]
            for v in range(n_nodes + 1):
                shared[v] += child[v]
                pairs[v] -= child[v] * (child[v] - 1) // 2
        for v in range(
            n_nodes + 1
        ):  # pairs below v that meet at the node of this group
            pairs[v] += shared[v] * (shared[v] - 1) // 2
        n_only += pairs[n_nodes] * (n - shared[n_nodes])
        for v in range(n_nodes):
            above = parent[v]
            above_size = n if above == n_nodes else size[above]
            outside = size[v] - shared[v]
            more_outside = above_size - shared[above] - outside
            n_alike = pairs[v] * more_outside
            n_across = shared[v] * shared[above] - products[v] - 2 * pairs[v]
            n_same += n_alike
            n_only -= n_alike + outside * n_across
    return n_same, n_only


@kernel
def add_fitting(orders, trees, starts, sizes, up, hits):
    """Build a tree with polytomies from the clusters that fit, one after the other.

    Cluster c has the leaves orders[trees[c], starts[c] : starts[c] + sizes[c]]; orders
    is (T, n). up (n + 1 + clusters,) gets the node above each leaf and each cluster, of
    number n + 1 + c, that was taken; node n is the root. Others stay -1. hits, of the
    same shape, is 0 before and after.
    """
    n = orders.shape[1]
    size = np.ones(up.shape[0], np.int64)
    size[n] = n
    up[:n] = n
    size[n + 1 :] = sizes
    touched = np.empty(3 * n + 2, np.int64)
    for c in range(trees.shape[0]):
        n_touched = 0
        top = -1  # where the last leaf ended
        for at in range(starts[c], starts[c] + sizes[c]):
            node = orders[trees[c], at]
            touched[n_touched] = node
            n_touched += 1
            hits[node] = 1
            while hits[node] == size[node] and node != n:  # all of it is in the cluster
                above = up[node]
                if hits[above] == 0:
                    touched[n_touched] = above
                    n_touched += 1
                hits[above] += size[node]
                node = above
            top = node
        if hits[top] == sizes[c] and hits[top] < size[top]:
            new = n + 1 + c
            for k in range(n_touched):
                node = touched[k]
                if node != top and up[node] == top:
                    up[node] = new
            up[new] = top
        for k in range(n_touched):
            hits[touched[k]] = 0
