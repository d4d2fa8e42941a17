"""Two look-ups per pair in the table of tree/ancestors.py."""

from __future__ import annotations

from tripletree._jit import kernel


@kernel
def meet(position, window, level, i, j):
    """The lowest common ancestor of two different leaves.

    Or what else window holds in place of its id, if that grows towards the root.
    """
    p, q = position[i], position[j]
    low, high = min(p, q), max(p, q)
    k = level[high - low]
    return max(window[k, low], window[k, high - (1 << k)])


@kernel
def fill_ancestors(pairs, position, window, level, nodes):
    """Fill nodes (m,) with the common ancestors of pairs (m, 2) of leaves."""
    for r in range(pairs.shape[0]):
        i, j = pairs[r, 0], pairs[r, 1]
        nodes[r] = i if i == j else meet(position, window, level, i, j)
