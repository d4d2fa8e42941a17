"""What a tree is worth, for commands that print it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree.comparisons.answers import Comparisons
from tripletree.errors import Mismatch
from tripletree.revenue.value import revenue, satisfaction
from tripletree.tree.tree import Tree

KINDS = ("satisfied", "tied", "violated")


def worth(tree: Tree, answers: Comparisons) -> dict[str, Any]:
    """Revenue and satisfaction; leaves and objects are matched by their names."""
    tree = matched(tree, answers.labels)
    earned, counts = revenue(tree, answers), satisfaction(tree, answers)
    most = sum(vars(counts).values()) * max(tree.n_leaves - 2, 0)
    return {
        "revenue": earned,
        "normalised_revenue": earned / most if most else 0.0,
        **vars(counts),
    }


def share(values: dict[str, Any], kind: str) -> float:
    """The share of the answers, by weight, that a tree satisfies, ties or violates."""
    total = sum(values[name] for name in KINDS)
    return float(values[kind] / total) if total else 0.0


def matched(tree: Tree, labels: tuple[str, ...] | None) -> Tree:
    """The tree with its leaves numbered in the order of these labels."""
    if labels is None or tree.labels == labels:
        return tree
    own = tree.labels or tuple(str(leaf) for leaf in range(tree.n_leaves))
    number = {label: at for at, label in enumerate(labels)}
    missing = [label for label in own if label not in number]
    if missing or len(own) != len(labels):
        others = sorted(set(labels) - set(own))
        example = missing[0] if missing else others[0]
        where = "in the tree only" if missing else "in the answers only"
        message = (
            f"the tree has {len(own)} leaves and the answers {len(labels)} objects, "
            f"and {example[:80]!r} is {where}: both must have the same names. A table "
            "of all objects (--items) adds those that were never asked about."
        )
        raise Mismatch(message)
    names = np.arange(2 * tree.n_leaves - 1)
    names[: tree.n_leaves] = [number[label] for label in own]
    return Tree(names[tree.children], tree.heights, labels, tree.support)
