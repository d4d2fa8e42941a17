r"""Average linkage on a dense similarity, exact on integers.

Repeat: merge the two clusters with the largest average similarity
:math:`s(A, B) / (|A| |B|)`. Adding a constant to every similarity changes nothing, so
negative values are fine.

**Ties are the normal case**: AddS values are small integers. Among the best pairs, the
one whose smallest leaves are lexicographically smallest merges first. Sums are kept,
never averages, and averages are compared by cross-multiplication, so equal averages
tie exactly.

**Why a nearest-neighbour chain finds the same tree in O(n^2).** Order all pairs of
clusters by (average, smallest leaves), best first; no two pairs are equal. Let A, B be
each other's best partners, and merge any other pair C, D into CD. The average of CD to
A is a mean of those of C and of D; if it equals the larger one, both are equal, and the
smallest leaf of CD is that of C or D. So in this order (CD, A) never comes before both
(C, A) and (D, A), and A, B stay each other's best partners until they merge. Hence
every order of merging such pairs makes the same clusters, and sorting the merges by
(average, smallest leaves) gives the order of the step-by-step definition.

**Memory.** One working copy of the matrix. After a merge only the row of the new
cluster is written, contiguously; its column in another row is brought up to date when
that row is next read.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._threads import map_threads, row_chunks
from tripletree.errors import Remedy
from tripletree.linkage import _average_kernel as kernels
from tripletree.similarity.matrix import Similarity, check_dense, check_exact
from tripletree.tree.tree import Tree, reordered_children

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
ROWS_PER_CHUNK = 256
SUMS_PER_STEP = 10**7
FEW_SUMS = 10**6  # up to here all fit into a cache, and one kernel serves them


def average_linkage(
    similarity: Similarity | npt.ArrayLike, *, labels: Iterable[object] | None = None
) -> Tree:
    """The tree of average linkage (UPGMA) on a dense similarity.

    Parameters
    ----------
    similarity : array_like of int or float, shape (n, n)
        Symmetric, larger is closer, negative values welcome. The diagonal is ignored.
    labels : sequence of str, optional
        The names of the objects.

    Returns
    -------
    Tree
        Its heights are minus the average similarity of the two joined clusters.

    Warns
    -----
    UserWarning
        If the matrix looks like distances, from 10 objects on.

    Raises
    ------
    InvalidSimilarity
        If the matrix is not symmetric and finite, or its integers are too large.
    InvalidTree
        If there is not exactly one label, and a different one, for each object.
    TooLarge
        If there is no memory for one copy of the matrix.

    Notes
    -----
    Ties: among the pairs with the largest average, the one whose smallest leaf ids are
    lexicographically smallest. O(n^2) time, one extra copy of the matrix.

    Examples
    --------
    >>> average_linkage([[0, 2, -1], [2, 0, -1], [-1, -1, 0]]).to_newick()
    '((0:0.0,1:0.0):3.0,2:3.0);'
    """
    instead = "sparse_average_linkage(similarity), or similarity.toarray()"
    s, total = check_dense(similarity, instead)
    check_exact(s, total, len(s))
    return linkage_of_dense(s, total, labels)


def linkage_of_dense(
    s: npt.NDArray[Any],
    total: float,
    labels: Iterable[object] | None = None,
    end: float = math.inf,
) -> Tree:
    """Average linkage of a checked array; total is the sum of |s_ij|, i < j.

    If the clock says `end` before, it is `tree_so_far`.
    """
    size = np.ones(len(s), s.dtype)
    pairs, totals = merge_dense(_working_copy(s, total), size, end)
    if len(pairs) < len(s) - 1:
        return tree_so_far(pairs, len(s))
    return tree_of_merges(pairs, totals, labels)


def tree_so_far(pairs: Ints, n: int) -> Tree:
    """A tree of the merges there was time for; the rest is joined two by two, in order.

    It has no heights, by which it is known from a tree that was finished.
    """
    is_left = np.ones(n, np.bool_)
    is_left[pairs[:, 1]] = False
    slots, parts = np.flatnonzero(is_left), [pairs]
    while len(slots) > 1:
        parts.append(slots[: len(slots) // 2 * 2].reshape(-1, 2))
        slots = slots[::2]
    return Tree(_nodes_of_slots(np.concatenate(parts)))


def _nodes_of_slots(pairs: Ints) -> Ints:
    """The nodes that merges of slots join; a cluster stays in its smaller slot.

    A slot holds a leaf until its first merge, then what its last merge made.
    """
    n = len(pairs) + 1
    nodes = pairs.ravel().copy()
    by_slot = np.argsort(nodes, kind="stable")
    is_again = nodes[by_slot[1:]] == nodes[by_slot[:-1]]
    nodes[by_slot[1:][is_again]] = n + by_slot[:-1][is_again] // 2
    return nodes.reshape(-1, 2)


def merge_dense(
    sums: npt.NDArray[Any], size: npt.NDArray[Any], end: float = math.inf
) -> tuple[Ints, npt.NDArray[Any]]:
    """All merges of clusters 0..k-1 of these sizes, in the order of the chain.

    sums (k, k) holds s(A, B) and is overwritten; the totals have the type of size (k,).
    Merge t joins clusters pairs[t, 0] < pairs[t, 1]; the result has the smaller number.
    Fewer merges if the clock says `end` before the last.
    """
    n = len(sums)
    pairs, totals = np.empty((n - 1, 2), np.int64), np.empty(n - 1, size.dtype)
    state = kernels.Chain(
        sums=sums,
        size=size,
        active=np.arange(n),
        maker=np.zeros(n, np.int64),
        fresh=np.zeros(n, np.int64),
        chain=np.zeros(n, np.int64),
        place=np.full(n, -1),
    )
    length = 0
    for part in row_chunks(n - 1, max(1, SUMS_PER_STEP // n)):  # so Ctrl-C is heard
        if part.start and time.monotonic() >= end:  # some thousand objects always fit
            return pairs[: part.start], totals[: part.start]
        length = kernels.chain_merges(
            state, part.start, part.stop, length, pairs, totals
        )
    return pairs, totals


def tree_of_merges(
    pairs: Ints, totals: npt.NDArray[Any], labels: Iterable[object] | None
) -> Tree:
    """The tree of merges in the order of the chain, with s(A, B) of each.

    Merges are sorted by (average, smallest leaves).
    """
    chain = Tree(_nodes_of_slots(pairs))
    areas: Ints = chain.size[chain.children].prod(axis=1)
    heights = raised_to_children(0.0 - totals / areas, chain.children)  # never -0.0
    keys = [pairs[:, 1], pairs[:, 0]]
    if totals.dtype.kind == "f":
        order = _children_first(np.lexsort([*keys, heights]), chain)
    else:
        order = np.lexsort([*keys, *(-digit for digit in _digits(totals, areas))])
    # Beyond 2^53 rounding can put averages, whose order is exact, the wrong way round.
    sorted_heights = np.maximum.accumulate(heights[order])
    return Tree(reordered_children(chain.children, order), sorted_heights, labels)


def raised_to_children(heights: Floats, children: Ints) -> Floats:
    """Heights of merges (n-1,), none below those of the clusters that it joins.

    Only rounding, and trees that a swap of neighbours improves, need this.
    """
    leaves = np.full(len(heights) + 1, -np.inf)
    every = np.concatenate([leaves, heights])
    if (every[children] <= heights[:, None]).all():
        return heights
    raised = leaves.tolist()
    for height, (a, b) in zip(heights.tolist(), children.tolist(), strict=True):
        raised.append(max(height, raised[a], raised[b]))
    return np.array(raised[len(leaves) :])


def narrow(dtype: np.dtype[Any], total: float, n_sums: int) -> np.dtype[Any]:
    """32 bits for many integers whose sums all fit: half the bytes to read."""
    is_small = dtype.kind == "i" and total < 2**31 and n_sums > FEW_SUMS
    return np.dtype(np.int32) if is_small else dtype


def _working_copy(s: npt.NDArray[Any], total: float) -> npt.NDArray[Any]:
    """A copy to work on."""
    n, dtype = len(s), narrow(s.dtype, total, s.size)
    check_fits(
        n * n * dtype.itemsize,
        f"average linkage of {n} objects",
        "use fewer objects, a machine with more memory, or ",
        Remedy("sparse_average_linkage", shell="--method adds-al"),
        ".",
    )
    sums = np.empty((n, n), dtype)

    def copy(rows: slice) -> None:
        sums[rows] = s[rows]

    map_threads(copy, row_chunks(n, ROWS_PER_CHUNK))
    return sums


def _digits(totals: Ints, areas: Ints) -> list[Ints]:
    """Digits of totals / areas that order these ratios exactly, least first.

    Long division, in a base that 64 bits have room for: with areas below 2^b, two
    different ratios differ by more than 2^-2b. Up to two million leaves, four digits
    behind the point are enough.
    """
    n_bits = int(areas.max(initial=1)).bit_length()
    digit, rest = np.divmod(totals, areas)
    digits = [digit]
    for _ in range(0, 2 * n_bits, 63 - n_bits):
        digit, rest = np.divmod(rest << (63 - n_bits), areas)
        digits.append(digit)
    return digits[::-1]


def _children_first(order: Ints, tree: Tree) -> Ints:
    """The given order of merges, with each after those that made its clusters.

    Rounded averages of a merge and of a later one on top of it can be equal; then the
    smallest leaves alone may put them the wrong way round.
    """
    n, rank = tree.n_leaves, np.argsort(order)
    above = tree.parent[n:-1] - n
    if (rank[:-1] < rank[above]).all():
        return order
    waits = (tree.children >= n).sum(axis=1).tolist()
    ready = [int(rank[t]) for t in range(n - 1) if waits[t] == 0]
    heapq.heapify(ready)
    result: list[int] = []
    while len(result) < n - 1:
        t = int(order[heapq.heappop(ready)])
        result.append(t)
        if t < n - 2:
            waits[above[t]] -= 1
            if waits[above[t]] == 0:
                heapq.heappush(ready, int(rank[above[t]]))
    return np.array(result, np.int64)
