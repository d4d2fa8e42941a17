"""The tree programme of flat.py: up the tree for the best totals, down for the cut."""

from __future__ import annotations

import numpy as np

from tripletree._jit import kernel


@kernel
def best_totals(children, sums, within, best):
    """Fill within (2n-1,), the sum of s inside each node, and best, of its best cut.

    sums (n-1,) is s(A, B) at each merge; all are int64, or all float64. A node is kept
    whole if no cut of it is better.
    """
    n = children.shape[0] + 1
    for leaf in range(n):
        within[leaf] = best[leaf] = 0
    for t in range(n - 1):
        left, right = children[t, 0], children[t, 1]
        within[n + t] = within[left] + within[right] + sums[t]
        best[n + t] = max(within[n + t], best[left] + best[right])


@kernel
def cut_best(parent, within, best, cluster):
    """Fill cluster (n,) int64: going down, a node that is its own best cut is kept.

    Clusters are numbered by their smallest leaf. Returns how many there are.
    """
    n = cluster.shape[0]
    top = np.empty(2 * n - 1, np.int64)  # the kept node above each node, or -1
    for node in range(2 * n - 2, -1, -1):
        above = parent[node]
        top[node] = -1 if above < 0 else top[above]
        if top[node] < 0 and within[node] == best[node]:
            top[node] = node
    number = np.full(2 * n - 1, -1, np.int64)
    n_clusters = 0
    for leaf in range(n):
        if number[top[leaf]] < 0:
            number[top[leaf]] = n_clusters
            n_clusters += 1
        cluster[leaf] = number[top[leaf]]
    return n_clusters
