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
def mark_best(parent, within, best, is_cluster):
    """Fill is_cluster (2n-1,) bool: going down, the first that is its own best cut.

    Every leaf is below just one of them, or is one itself.
    """
    n_nodes = parent.shape[0]
    is_open = np.empty(n_nodes, np.bool_)  # the node is above the cut
    for node in range(n_nodes - 1, -1, -1):
        above = parent[node]
        is_reached = above < 0 or is_open[above]
        is_cluster[node] = is_reached and within[node] == best[node]
        is_open[node] = is_reached and not is_cluster[node]
