"""Trees of a given shape: balanced, caterpillar, random, and all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tripletree._checks import check_int, check_rng
from tripletree.tree import _tree_kernel as kernels
from tripletree.tree.tree import Tree

LARGEST = 2**30


def caterpillar_tree(n_leaves: int) -> Tree:
    """Leaves joined one after the other: (((0, 1), 2), 3) ...

    Parameters
    ----------
    n_leaves : int

    Returns
    -------
    Tree

    Raises
    ------
    InvalidOption
        If n_leaves is not an integer from 1 to 2^30.

    Examples
    --------
    >>> caterpillar_tree(4).to_newick()
    '(((0,1),2),3);'
    """
    n = check_int("n_leaves", n_leaves, 1, LARGEST)
    merges = np.arange(n - 1)
    left = np.where(merges == 0, 0, n + merges - 1)
    return Tree(np.stack([left, merges + 1], axis=1))


def balanced_tree(n_leaves: int) -> Tree:
    """Neighbours joined in rounds; complete when n_leaves is a power of two.

    Parameters
    ----------
    n_leaves : int

    Returns
    -------
    Tree

    Raises
    ------
    InvalidOption
        If n_leaves is not an integer from 1 to 2^30.

    Examples
    --------
    >>> balanced_tree(4).to_newick()
    '((0,1),(2,3));'
    """
    n = check_int("n_leaves", n_leaves, 1, LARGEST)
    children = np.empty((n - 1, 2), np.int64)
    clusters, made = np.arange(n), 0
    while len(clusters) > 1:
        pairs = clusters[: len(clusters) // 2 * 2].reshape(-1, 2)
        children[made : made + len(pairs)] = pairs
        joined = n + made + np.arange(len(pairs))
        clusters = np.concatenate([joined, clusters[2 * len(pairs) :]])
        made += len(pairs)
    return Tree(children)


def random_tree(n_leaves: int, *, rng: np.random.Generator) -> Tree:
    """Two clusters drawn at random are joined until one is left; O(n).

    Parameters
    ----------
    n_leaves : int
    rng : numpy.random.Generator

    Returns
    -------
    Tree

    Raises
    ------
    InvalidOption
        If n_leaves is not an integer from 1 to 2^30, or rng not a Generator.

    Examples
    --------
    >>> random_tree(4, rng=np.random.default_rng(0)).n_leaves
    4
    """
    n = check_int("n_leaves", n_leaves, 1, LARGEST)
    rng = check_rng(rng)
    n_clusters = np.arange(n, 1, -1)
    first, second = rng.integers(0, n_clusters), rng.integers(0, n_clusters - 1)
    children = np.empty((n - 1, 2), np.int64)
    kernels.merge_drawn(first, second, np.arange(n_leaves), children)
    return Tree(children)


def all_trees(n_leaves: int) -> Iterator[Tree]:
    """Every binary tree on n_leaves <= 8 leaves, once: 1 * 3 * 5 * ... * (2n - 3).

    Each tree on n - 1 leaves has 2n - 3 nodes; the last leaf can join above any of
    them.

    Parameters
    ----------
    n_leaves : int

    Yields
    ------
    Tree

    Raises
    ------
    InvalidOption
        If n_leaves is not an integer from 1 to 8.

    Examples
    --------
    >>> [tree.to_newick() for tree in all_trees(3)]
    ['(1,(0,2));', '(2,(0,1));', '(0,(1,2));']
    """
    n = check_int("n_leaves", n_leaves, 1, 8)
    for parents in _all_parents(n):
        yield _from_parents(parents, n)


# Here internal nodes are named -1, -2, ... in the order in which they are made, and a
# tree is a dictionary from node to parent.
def _all_parents(n: int) -> Iterator[dict[int, int | None]]:
    if n == 1:
        yield {0: None}
        return
    for smaller in _all_parents(n - 1):
        for below in smaller:
            yield {**smaller, below: 1 - n, 1 - n: smaller[below], n - 1: 1 - n}


def _from_parents(parents: dict[int, int | None], n: int) -> Tree:
    def depth(node: int) -> int:
        above = parents[node]
        return 0 if above is None else 1 + depth(above)

    inner = sorted((v for v in parents if v < 0), key=lambda v: (-depth(v), -v))
    number = {v: v for v in range(n)} | {v: n + t for t, v in enumerate(inner)}
    pairs: list[list[int]] = [[] for _ in inner]
    for node, above in sorted(parents.items(), key=lambda item: number[item[0]]):
        if above is not None:
            pairs[number[above] - n].append(number[node])
    return Tree(np.array(pairs, np.int64).reshape(n - 1, 2))
