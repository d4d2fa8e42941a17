"""Loops over answers or similarities that ask a tree where pairs of leaves meet.

table is a MeetingTable, of tree/ancestors.py. The last two are the tree
programme of flat.py: up the tree for the best totals, down for the cut.
"""

import numpy as np

from tripletree._jit import helper, kernel
from tripletree.tree._tree_kernel import from_start, meet


@helper
def meet_both(rows, r, table):
    """Where the near and the far pair of row r meet; rows is (m, 3) or (m, 4)."""
    near = meet(table, rows[r, 0], rows[r, 1])
    if rows.shape[1] == 3:
        return near, meet(table, rows[r, 0], rows[r, 2])
    return near, meet(table, rows[r, 2], rows[r, 3])


@kernel
def add_rows(rows, weights, table, sums):
    """Add near and far weights to the merge where each pair meets, sums (n-1, 2).

    rows is (m, 3) or (m, 4) int32; weights is (m,), or (0,) for weights of 1.
    """
    n = table.position.shape[0]
    is_weighted = weights.shape[0] > 0
    for r in range(rows.shape[0]):
        weight = weights[r] if is_weighted else 1
        near, far = meet_both(rows, r, table)
        sums[from_start(near - n), 0] += weight
        sums[from_start(far - n), 1] += weight


@kernel
def add_pairs(pairs, values, table, sums):
    """Add values (m,) of pairs (m, 2) to the merge where each meets, sums (n-1,)."""
    n = table.position.shape[0]
    for r in range(pairs.shape[0]):
        node = meet(table, pairs[r, 0], pairs[r, 1])
        sums[from_start(node - n)] += values[r]


@kernel
def compare_rows(rows, weights, table, totals):
    """Add up the weight of satisfied, tied and violated rows, totals (3,).

    Here the table holds sizes of clusters in place of node ids: both grow towards the
    root. totals has the type of the weights.
    """
    is_weighted = weights.shape[0] > 0
    for r in range(rows.shape[0]):
        weight = weights[r] if is_weighted else 1
        near, far = meet_both(rows, r, table)
        totals[0 if near < far else 1 if near == far else 2] += weight


@kernel
def add_dense(s, order, gaps, start, stop, sums):
    """Add s (n, n) between leaves at places start..stop-1 and all to their left.

    gaps (n-1,) are the nodes where neighbours in leaf order meet. Going left from a
    place, the meeting node is the largest gap so far: it changes rarely. The diagonal
    of s is not read: it may be anything.
    """
    n = order.shape[0]
    zero = sums.dtype.type(0)
    for p in range(start, stop):
        row = s[order[p]]
        node = 0
        total = zero
        for q in range(p - 1, -1, -1):
            if gaps[q] > node:
                if node > 0:
                    sums[node - n] += total
                node = gaps[q]
                total = zero
            total += row[order[q]]
        if node > 0:
            sums[node - n] += total


@kernel
def add_sparse(matrix, start, stop, table, sums):
    """Add the pairs i < j stored in rows start..stop-1 of a symmetric csr matrix.

    matrix is (indptr, indices, data). Its columns are sorted, so from the end of a row
    these pairs come first.
    """
    indptr, indices, data = matrix
    n = table.position.shape[0]
    for i in range(start, stop):
        for at in range(indptr[i + 1] - 1, indptr[i] - 1, -1):
            j = indices[from_start(at)]
            if j <= i:
                break
            node = meet(table, i, j)
            sums[from_start(node - n)] += data[from_start(at)]


@kernel
def best_totals(children, shown, sums, within, best):
    """Fill within (2n-1,), the sum of s inside each node, and best, of its best cut.

    sums (n-1,) is s(A, B) at each merge; all are int64, or all float64. A node is kept
    whole if no cut of it is better; only nodes that are shown, shown[node] == node, can
    be clusters.
    """
    n = children.shape[0] + 1
    for leaf in range(n):
        within[leaf] = best[leaf] = 0
    for t in range(n - 1):
        left, right = children[t, 0], children[t, 1]
        within[n + t] = within[left] + within[right] + sums[t]
        best[n + t] = best[left] + best[right]
        if shown[n + t] == n + t:
            best[n + t] = max(best[n + t], within[n + t])


@kernel
def mark_best(parent, shown, within, best, is_open, is_cluster):
    """Fill is_cluster (2n-1,) bool: going down, the first that is its own best cut.

    Every leaf is below just one of them, or is one itself. is_open (2n-1,) bool gets
    those above the cut.
    """
    for node in range(parent.shape[0] - 1, -1, -1):
        above = parent[node]
        is_reached = above < 0 or is_open[above]
        is_best = shown[node] == node and within[node] == best[node]
        is_cluster[node] = is_reached and is_best
        is_open[node] = is_reached and not is_cluster[node]


@kernel
def finest_stable(children, size, is_stable, one_in, is_whole, n_clusters):
    """Fill is_whole (2n-1,) bool, n_clusters (2n-1,): going up, a cut of each node.

    A stable node stays whole if the clusters below it are fewer than two, or leave out
    more than one in `one_in` of its objects. size (2n-1,): of those that count. Leaves
    are not touched in is_whole.
    """
    n = children.shape[0] + 1
    n_left_out = size.copy()
    n_clusters[:n] = 0
    for t in range(n - 1):
        node, left, right = n + t, children[t, 0], children[t, 1]
        n_clusters[node] = n_clusters[left] + n_clusters[right]
        n_left_out[node] = n_left_out[left] + n_left_out[right]
        is_covered = n_clusters[node] > 1 and n_left_out[node] * one_in <= size[node]
        is_whole[node] = is_stable[node] and not is_covered
        if is_whole[node]:
            n_clusters[node] = 1
            n_left_out[node] = 0


@kernel
def stable_levels(parent, is_stable, is_whole, n_clusters, level_of):
    """Fill level_of (2n-1,): going down, the level at which each node is a cluster.

    -1: at none. The root is at level 0. A node with all clusters of the one above it is
    the same node but for some left-out objects, and is passed over.
    """
    n_nodes = parent.shape[0]
    above = np.empty(n_nodes, np.int64)  # the last node with a level, on the way down
    level_of[:] = -1
    level_of[n_nodes - 1], above[n_nodes - 1] = 0, n_nodes - 1
    for node in range(n_nodes - 2, -1, -1):
        last = above[parent[node]]
        above[node] = last
        is_split = not is_whole[last] and n_clusters[node] < n_clusters[last]
        if is_split and is_stable[node]:
            level_of[node], above[node] = level_of[last] + 1, node
