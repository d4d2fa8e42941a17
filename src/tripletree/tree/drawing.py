"""Trees drawn with characters, for terminals and doctests."""

from __future__ import annotations

import numpy as np

from tripletree._checks import printable
from tripletree._lazy import kernel_module
from tripletree.errors import InvalidOption
from tripletree.tree.tree import Tree

kernels = kernel_module("tripletree.tree._tree_kernel")

MOST_CHARACTERS = 10**7


def to_text(tree: Tree) -> str:
    """A drawing of the tree, one leaf per line, root at the left.

    Line breaks and control characters in labels are shown escaped.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str

    Raises
    ------
    InvalidOption
        If the drawing would have more than ten million characters.

    Examples
    --------
    >>> print(to_text(Tree([[0, 1], [2, 3]], labels=["ape", "bat", "cat"])))
    ┬─ cat
    └─┬─ ape
      └─ bat
    """
    n = tree.n_leaves
    depth = np.empty(2 * n - 1, np.int64)
    kernels.node_depths(tree.parent, depth)
    n_characters = 2 * int(depth[:n].sum())
    if n_characters > MOST_CHARACTERS:
        message = (
            f"a drawing of this tree would have {n_characters} characters: draw a part "
            "of it, or write it with to_newick()."
        )
        raise InvalidOption(message)
    labels = tree.labels or [str(i) for i in range(n)]
    children = tree.children.tolist()
    lines: list[str] = []
    # Nodes to draw, with what stands left of their first line and of their others.
    stack = [(tree.root, "", "")]
    while stack:
        node, first, others = stack.pop()
        if node < n:
            label = printable(labels[node])
            lines.append(f"{first} {label}" if n > 1 else label)
            continue
        left, right = children[node - n]
        stack.append((right, others + "└─", others + "  "))
        stack.append((left, first + "┬─", others + "│ "))
    return "\n".join(lines)
