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

**Memory.** What counts is how few lines of memory are touched. A new cluster takes the
row of one of its parts, but a column of its own behind all others: the columns of 32
merges lie side by side, and are written row by row. When no free columns are left, the
clusters that remain are packed: a matrix of four fifths the width. Integers are kept in
16 bits while they fit::

    0 1 2 3 . .      0 1 2 3 4 5      2 4 5
    1 0 2 3 . .      4 . . . . .      4
    2 0 1 3 . .      2 . . 3 4 5      5
    3 0 1 2 . .      5 . 2 . 4 .         packed
                     4 = 0 + 1, 5 = 3 + 4 ...
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._threads import map_threads, row_chunks
from tripletree.comparisons.row_checks import Floats, Ints
from tripletree.errors import Remedy
from tripletree.linkage import _average_kernel as kernels
from tripletree.similarity.matrix import Similarity, check_dense, check_exact
from tripletree.tree.tree import Tree, reordered_children

ROWS_PER_CHUNK = 256
SUMS_PER_STEP = 10**7
FEW_SUMS = 10**6  # up to here all fit into a cache, and one kernel serves them
FEWEST_NEW = 256


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
        If there is no memory for a working copy.

    Notes
    -----
    Ties: among the pairs with the largest average, the one whose smallest leaf ids are
    lexicographically smallest. O(n^2) time. Beyond a matrix of 64-bit integers, a third
    of its memory where sums fit in 16 bits, two thirds in 32 bits; else 1.3 times it.

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
    pairs, totals = merge_dense(s, np.ones(len(s), s.dtype), total, end)
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
    s: npt.NDArray[Any], size: npt.NDArray[Any], total: float, end: float = math.inf
) -> tuple[Ints, npt.NDArray[Any]]:
    """All merges of clusters 0..n-1 of these sizes, in the order of the chain.

    s (n, n) holds s(A, B), none larger than total; the totals have the type of size
    (n,). Merge t joins clusters pairs[t, 0] < pairs[t, 1]; the result has the smaller
    number. Fewer merges if the clock says `end` before the last.
    """
    n = len(s)
    pairs, totals = np.empty((n - 1, 2), np.int64), np.empty(n - 1, size.dtype)
    step = max(1, SUMS_PER_STEP // n)  # so Ctrl-C is heard
    numbers = np.arange(n)
    clusters = packed_clusters(s, numbers, size, numbers, total)
    t, n_used = 0, n
    while t < n - 1 and (t == 0 or time.monotonic() < end):  # some merges always fit
        width = len(clusters.row)
        stop = min(n_used + min(step, n - 1 - t), width)
        now = kernels.chain_merges(clusters, n_used, stop, pairs[t:], totals[t:])
        t, n_used = t + now - n_used, now
        if n_used < stop or n_used == width:
            n_bytes = clusters.sums.itemsize * (1 if n_used == stop else 2)
            sums, row, size, slot = clusters[:4]
            clusters = packed_clusters(
                sums, row, size, slot, total, n_bytes, clusters.base
            )
            n_used = n - t
    return pairs[:t], totals[:t]


def packed_clusters(
    sums: npt.NDArray[Any],
    row: Ints,
    size: npt.NDArray[Any],
    slot: Ints,
    total: float,
    n_bytes: int = 2,
    base: npt.NDArray[Any] | None = None,
) -> Any:
    """Clusters side by side, with room for new ones; those of size 0 are left out.

    Sums get n_bytes, or more if they need it. With the base from before, they take the
    memory of the old ones.
    """
    kept = np.flatnonzero(size)
    kept = kept[np.argsort(row[kept])]
    k, kind = len(kept), size.dtype.kind
    if kind == "f" or k * k <= FEW_SUMS:
        n_bytes = 8
    dtype = np.dtype(f"{kind}{n_bytes}")
    width = k + max(k // 4, FEWEST_NEW)
    per_line = 64 // n_bytes
    width = (width // per_line + 1 | 1) * per_line  # rows in many sets of the cache
    is_again = base is not None and sums.dtype == dtype
    if is_again:
        new = sums.reshape(-1)[: k * width].reshape(k, width)
    else:
        check_fits(
            k * width * n_bytes,
            f"average linkage of {k} objects",
            "use fewer objects, a machine with more memory, or ",
            Remedy("sparse_average_linkage", shell="--method adds-al"),
            ".",
        )
        new = np.zeros((k, width), dtype)  # its own column is read before it is known

    limit = size.dtype.type(np.inf if kind == "f" else np.iinfo(dtype).max)

    def pack(rows: slice) -> float:
        line = np.empty(k, size.dtype)
        args = kept, rows.start, rows.stop, limit, line, new
        return float(kernels.pack_rows((sums, row), *args))

    found = max(map_threads(pack, row_chunks(k, k if is_again else ROWS_PER_CHUNK)))
    if found > limit:
        return packed_clusters(sums, row, size, slot, total, 2 * n_bytes)
    largest = total if kind == "f" else found  # a float has digits to spare
    real = np.dtype(np.float64 if kind == "f" else np.float32)

    def filled(values: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        result = np.zeros(width, dtype)
        result[:k] = values
        return result

    keys = np.zeros(width, real)
    return kernels.Clusters(
        sums=new,
        row=filled(np.arange(k), np.int64),
        size=filled(size[kept], size.dtype),
        slot=filled(slot[kept], np.int64),
        limit=limit,
        inverse=filled(1 / size[kept], real),
        base=filled(2.0 * largest if base is None else base.max(), real),
        line=np.zeros(width, size.dtype),
        keys=keys,
        bits=keys.view(f"i{real.itemsize}"),
        tops=np.zeros(width // kernels.BLOCK + 1, f"i{real.itemsize}"),
        chain=np.zeros(width, np.int64),
        turn=np.full(width, -1),
    )


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
        order = np.lexsort([*keys, *(-digit for digit in ratio_digits(totals, areas))])
    # Beyond 2^53 rounding can put averages, whose order is exact, the wrong way round.
    sorted_heights = np.maximum.accumulate(heights[order])
    return Tree(reordered_children(chain.children, order), sorted_heights, labels)


def with_average_heights(tree: Tree, sums: npt.NDArray[Any]) -> Tree:
    """The tree with heights -avg(A, B), its merges in their order.

    sums (n-1,) holds s(A, B) for the two clusters of each merge.

    In a tree that no swap of neighbours improves they never fall towards the root. In
    any other, and after rounding, a merge is raised to its children.
    """
    areas = tree.size[tree.children].prod(axis=1)
    heights = raised_to_children(0.0 - sums / areas, tree.children)  # never -0.0
    return tree.with_heights(heights)


def raised_to_children(heights: Floats, children: Ints) -> Floats:
    """Numbers of merges (n-1,), none below those of the clusters that it joins.

    Of heights, only rounding and trees that a swap of neighbours improves need this.
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


def ratio_digits(totals: Ints, areas: Ints) -> list[Ints]:
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
    rank = np.argsort(order).astype(np.float64)
    latest = raised_to_children(rank, tree.children)  # of a merge and of all below it
    return np.argsort(latest, kind="stable")  # children have the smaller numbers
