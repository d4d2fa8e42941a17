r"""The consensus of many trees on the same leaves: which clusters do they share?

Each cluster has a share, of all trees or of their weight. The *majority* consensus has
the clusters with a share above one half: two of them are in the same tree at least
once, so they fit together, one inside the other or apart. The *greedy* consensus goes
on with the other clusters, the largest share first, and takes each that fits with all
before it. Where the trees do not agree the result has polytomies::

    ((a b) c) (d e)     ((a c) b) (d e)     (a b c) (d e)     {a b c} and {d e}: 100 %

**Equal clusters** are found by sums. Each leaf has two random numbers of 64 bits, and a
cluster the sums of these: differences of running sums along the leaves of a tree. That
two different clusters among 10^9 have the same sums is less likely than 10^-20.

**Fitting together.** The clusters taken so far are a tree with polytomies. A new
cluster fits if it is the union of some children of one node: going up from its leaves,
a node all of whose leaves are in the cluster counts as one child of the node above it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_floats, refuse_first
from tripletree.errors import InvalidOption, InvalidTree, refuse_if
from tripletree.tree import _polytomies_kernel as kernels
from tripletree.tree.distances import both_labelled, matched_places
from tripletree.tree.invariants import Floats, Ints
from tripletree.tree.tree import Tree, sums_below


def consensus(
    trees: Iterable[Tree],
    kind: Literal["majority", "greedy"] = "majority",
    *,
    weights: npt.ArrayLike | None = None,
) -> Tree:
    """The clusters that many trees share, as one tree with polytomies.

    Parameters
    ----------
    trees : iterable of Tree
        Trees on the same leaves, for example of bootstrap replicates, of people, or of
        several seeds. Collapsed merges do not count.
    kind : {"majority", "greedy"}, default "majority"
        "majority": the clusters in more than half of the trees. "greedy": these, and
        then all others that fit, those in most trees first; between equals the larger
        ones, then those of earlier trees.
    weights : array_like of float, optional
        How much each tree counts; by default all count the same.

    Returns
    -------
    Tree
        Its ``support`` is the share of trees that have each cluster (NaN for collapsed
        merges). Merges are in the order of the sizes of their clusters.

    Raises
    ------
    InvalidTree
        If one of them is not a tree.
    InvalidOption
        If there are no trees, or the other arguments are not as described.
    Mismatch
        If the trees do not have the same leaves.

    Notes
    -----
    O(T n log(T n)) time for T trees of n leaves, and the sizes of all clusters that are
    compared with the result: for "greedy" O(T n d), with d the mean depth of leaves.

    References
    ----------
    Bryant, "A classification of consensus methods for phylogenetics", 2003.

    Examples
    --------
    >>> texts = ["(((a,b),c),(d,e));", "(((a,c),b),(d,e));", "(((a,b),c),(d,e));"]
    >>> found = consensus(map(Tree.from_newick, texts))
    >>> print(found.to_text())
    ┬─┬─┬─ a
    │ │ └─ b
    │ └─ c
    └─┬─ d
      └─ e
    >>> found.support.round(2).tolist()
    [1.0, 0.67, 1.0, 1.0]
    """
    refuse_if(
        not isinstance(kind, str) or kind not in ("majority", "greedy"),
        InvalidOption,
        f'kind = {kind!r:.80}: choose "majority" or "greedy".',
    )
    refuse_if(
        isinstance(trees, Tree) or not isinstance(trees, Iterable),
        InvalidTree,
        f"trees = {trees!r:.80}: give a list of trees.",
    )
    aligned = _aligned([*trees])
    counts = _check_weights(weights, len(aligned))
    first, n = aligned[0], aligned[0].n_leaves
    if n == 1:
        return first
    orders = np.array([tree.leaf_order for tree in aligned], np.int32)
    found = _clusters(aligned, counts)
    least = counts.sum() / 2 if kind == "majority" else 0.0
    found = found[found["weight"] > least]
    by = (found["node"], found["tree"], -found["size"], -found["weight"])
    found = found[np.lexsort(by)]
    up = np.full(n + 1 + len(found), -1, np.int64)
    kernels.add_fitting(
        orders, found["tree"], found["start"], found["size"], up, np.zeros_like(up)
    )
    taken = np.flatnonzero(up[n + 1 :] >= 0)
    taken = taken[np.argsort(found["size"][taken], kind="stable")]
    support = found["weight"][taken] / counts.sum()
    return _tree_of(first, up, taken + n + 1, np.minimum(support, 1.0))


def _aligned(trees: list[Tree]) -> list[Tree]:
    """The same trees, all with the ids and labels of the first one."""
    refuse_if(not trees, InvalidOption, "there are no trees: give at least one.")
    aligned = []
    for tree in trees:
        first, other = both_labelled(trees[0], tree)
        matched_places(first, other)
        aligned.append(other.in_order_of(first.labels))
    return aligned


def _check_weights(weights: npt.ArrayLike | None, n_trees: int) -> Floats:
    """How much each tree counts: as given, so that sums of whole numbers are exact."""
    if weights is None:
        return np.ones(n_trees)
    wanted = f"one number for each of the {n_trees} trees"
    given = check_floats("weights", weights, (n_trees,), wanted, InvalidOption)
    why = ": give finite numbers, 0 or more."
    is_wrong = ~np.isfinite(given) | (given < 0)
    refuse_first(is_wrong, "weights", given, why, InvalidOption)
    refuse_if(not given.any(), InvalidOption, "weights: all of them are 0.")
    with np.errstate(over="ignore"):
        is_finite = np.isfinite(given.sum())
    return given if is_finite else given / given.max()


CLUSTER = np.dtype(
    [(name, np.int64) for name in ("tree", "node", "start", "size")]
    + [("weight", np.float64)]
)


def _clusters(trees: list[Tree], weights: Floats) -> npt.NDArray[np.void]:
    """All different clusters but the root: where each occurs first, and its weight."""
    n = trees[0].n_leaves
    numbers = np.random.default_rng(0).integers(0, 2**64, (2, n), np.uint64)
    rows, sums = [], []
    for at, tree in enumerate(trees):
        nodes = n + np.flatnonzero(tree.shown[n:-1] == np.arange(n, 2 * n - 2))
        part = np.empty(len(nodes), CLUSTER)
        part["tree"], part["node"], part["weight"] = at, nodes, weights[at]
        part["start"], part["size"] = tree.interval_start[nodes], tree.size[nodes]
        rows.append(part)
        sums.append(sums_below(tree, numbers)[:, nodes])  # they wrap on purpose
    found, (one, two) = np.concatenate(rows), np.concatenate(sums, axis=1)
    order = np.lexsort((two, one))  # stable: equal clusters in the order of trees
    found, one, two = found[order], one[order], two[order]
    is_new = np.ones(len(found), np.bool_)
    is_new[1:] = (one[1:] != one[:-1]) | (two[1:] != two[:-1])
    starts = np.flatnonzero(is_new)
    different = found[starts]
    if len(found):
        different["weight"] = np.add.reduceat(found["weight"], starts)
    return different


def _tree_of(first: Tree, up: Ints, taken: Ints, support: Floats) -> Tree:
    """The tree of the clusters that were taken, from small to large.

    up: the node above each leaf, each cluster, and n, the root.
    """
    n = first.n_leaves
    nodes, shares = [*taken.tolist(), n], [*support.tolist(), 1.0]
    parts: dict[int, list[tuple[int, int]]] = {node: [] for node in nodes}
    for leaf in range(n):
        parts[int(up[leaf])].append((leaf, leaf))  # the smallest leaf of each part
    children: list[tuple[int, int]] = []
    collapsed: list[bool] = []
    values: list[float] = []
    for node, value in zip(nodes, shares, strict=True):
        (least, joined), *others = sorted(parts[node])
        for _, part in others:
            children.append((joined, part))
            joined = n + len(children) - 1
        collapsed += [True] * (len(others) - 1) + [False]
        values += [np.nan] * (len(others) - 1) + [value]
        if node != n:
            parts[int(up[node])].append((least, joined))
    return Tree(children, None, first.labels, values, collapsed)
