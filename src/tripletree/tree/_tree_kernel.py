"""Loops over the merges of a tree. `children` is (n-1, 2) int64, see tree.py."""

import numpy as np

from tripletree._jit import helper, kernel

NOT_NEGATIVE = np.int64(2**63 - 1)


@helper
def from_start(index):
    """The same index, but the compiler knows that it is not negative.

    It then leaves out Python's "negative counts from the end".
    """
    return np.int64(index) & NOT_NEGATIVE


@kernel
def node_sizes(children, size):
    """Fill size (2n-1,) int64: the number of leaves below each node."""
    n = children.shape[0] + 1
    for leaf in range(n):
        size[leaf] = 1
    for t in range(n - 1):
        size[n + t] = size[children[t, 0]] + size[children[t, 1]]


@kernel
def interval_starts(children, size, start):
    """Fill start (2n-1,) int64: where each node's leaves begin in leaf order."""
    n = children.shape[0] + 1
    start[2 * n - 2] = 0
    for t in range(n - 2, -1, -1):
        left, right = children[t, 0], children[t, 1]
        start[left] = start[n + t]
        start[right] = start[n + t] + size[left]


@kernel
def merge_drawn(first, second, clusters, children):
    """Fill children with random merges: draw t picks two of the n - t clusters.

    first[t] < n - t and second[t] < n - t - 1 are positions in the list of clusters;
    the second is drawn after the first has left the list. clusters (n,) is 0..n-1, and
    is changed.
    """
    n = children.shape[0] + 1
    for t in range(n - 1):
        last = n - t - 1
        one = clusters[first[t]]
        clusters[first[t]] = clusters[last]
        children[t, 0] = one
        children[t, 1] = clusters[second[t]]
        clusters[second[t]] = n + t


@helper
def largest_gap(table, low, high):
    """The largest entry of a MeetingTable between two places in leaf order, low < high.

    Two look-ups: the windows from the left and to the right may overlap.
    """
    k = from_start(table.level[from_start(high - low)])
    second = from_start(high - (1 << k))
    return max(table.window[k, from_start(low)], table.window[k, second])


@helper
def meet(table, i, j):
    """The lowest common ancestor of two different leaves, by a MeetingTable.

    Or what else its window holds in place of ids, if that grows towards the root.
    """
    p = np.int64(table.position[from_start(i)])
    q = np.int64(table.position[from_start(j)])
    return largest_gap(table, min(p, q), max(p, q))


@kernel
def fill_ancestors(pairs, table, nodes):
    """Fill nodes (m,) with the common ancestors of pairs (m, 2) of leaves."""
    for r in range(pairs.shape[0]):
        i, j = pairs[r, 0], pairs[r, 1]
        nodes[r] = i if i == j else meet(table, i, j)
