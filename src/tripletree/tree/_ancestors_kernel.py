"""Two look-ups per pair in the table of tree/ancestors.py."""

from __future__ import annotations

from tripletree._jit import kernel


@kernel
def fill_ancestors(pairs, position, window, level, nodes):
    """Fill nodes (m,) with the common ancestors of pairs (m, 2) of leaves."""
    for r in range(pairs.shape[0]):
        i, j = pairs[r, 0], pairs[r, 1]
        if i == j:
            nodes[r] = i
            continue
        low, high = min(position[i], position[j]), max(position[i], position[j])
        k = level[high - low]
        nodes[r] = max(window[k, low], window[k, high - (1 << k)])
