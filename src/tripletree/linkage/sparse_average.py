r"""Average linkage on a sparse similarity: the tree of the dense form, without it.

A pair that is not stored has similarity 0. The definition, the tie rule and the exact
comparison of averages are those of `average.py`. Merges come in three phases, because
averages never rise: first all with a positive average, then those with 0, then the
negative ones.

**Positive: lists with one writer each.** Each cluster has a list of (partner,
sum), at first the rows of its leaves. Merging puts two lists behind each other, and
that is all: the lists of the partners still name the old clusters. When a list is
read, names are looked up (union-find), repeated ones are added up, and the shorter list
is written back in place, so memory never grows::

    list of 7:  (2, +3) (5, +1) (9, -2)     merge 2, 5     (2, +4) (9, -2)
                                           ───────────▶
                                           read 7 again

A nearest-neighbour chain (see `average.py`) runs over clusters that have a positive
partner. The best partner B of A has the largest s(A, B) / |B|, as \|A\| is the same for
all. A cluster with no positive partner never gets one: an average to a merged
cluster is a mean of the averages to its parts.

**Hubs.** An object that was compared with all others has a long list, and must not be
read at each of its merges. A cluster with a long list gets a heap of its positive
partners in the order of s(A, B) / \|B\|, which does not change when \|A\| grows. When
partners merge, their old entries are upper bounds, by the same mean. So the first of
the heap is asked for its true sum, from its own, short list: if it is as the heap
says, it is the best, otherwise it sinks. A partner of a cluster that joins the hub can
rise: it gets an infinite bound. Sums between two hubs are kept in a table.

**Zero.** Now no sum is positive. Let a be the first slot (smallest leaf) with a sum of
0 to another, b the first such other: by the tie rule they merge. No slot before a has
a sum of 0 to any, nor will it to a and b together: a sum of terms that are not
positive is 0 only if all are. For the same reason those with a sum of 0 to the new a
are among those of the old a behind b. So a takes up, in one pass over the later slots,
each that has no negative sum with what a is by then; and slots take turns in order.
Each slot passed over has a stored pair with a: the phase is linear in stored pairs.

**Negative.** Now every two of the k clusters have a negative sum, hence a stored pair:
k(k-1)/2 is at most their number, and a dense table is no larger than the input.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_fits, check_labels
from tripletree._jit import record
from tripletree._progress import OnProgress, Progress
from tripletree._threads import row_chunks
from tripletree.errors import InvalidSimilarity, InvalidTree, refuse_if
from tripletree.linkage import _sparse_average_kernel as kernels
from tripletree.linkage.average import (
    linkage_of_dense,
    merge_dense,
    narrow,
    tree_of_merges,
    tree_so_far,
)
from tripletree.similarity.matrix import (
    Similarity,
    check_exact,
    check_sparse,
    is_sparse,
    sum_of_sizes,
)
from tripletree.tree.tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_array

READS_PER_STEP = 2 * 10**7
SHORTEST_HUB = 1024  # partners
MOST_HUBS = 2048  # with a table of 32 MB

Ints = npt.NDArray[np.int64]


def sparse_average_linkage(
    similarity: csr_array,
    *,
    labels: Iterable[object] | None = None,
    progress: OnProgress | None = None,
) -> Tree:
    """The tree of average linkage (UPGMA) on a sparse similarity; absent pairs have 0.

    It is the tree that `average_linkage` makes of the dense form, but nothing of size
    n x n is ever made.

    Parameters
    ----------
    similarity : csr_array of int or float, shape (n, n)
        Symmetric, larger is closer, negative values welcome. Other sparse formats are
        converted. The diagonal is ignored.
    labels : sequence of str, optional
        The names of the objects.
    progress : callable, optional
        Called now and then with a `Progress`: the merges done, of n - 1.

    Returns
    -------
    Tree
        Its heights are minus the average similarity of the two joined clusters.

    Warns
    -----
    UserWarning
        If the stored pairs fall into several components: no answer tells how these are
        to be joined. They are joined by the tie rule. If the matrix looks like
        distances.

    Raises
    ------
    InvalidSimilarity
        If the matrix is not sparse, symmetric and finite, or its integers are too
        large.
    InvalidTree, InvalidOption
        If there is not exactly one label, and a different one, for each object; or
        progress cannot be called.
    TooLarge
        If there is no memory for a working copy.

    Notes
    -----
    Ties: among the pairs with the largest average, the one whose smallest leaf ids are
    lexicographically smallest. An absent pair (average 0) beats a negative one. Sums of
    integers are exact.

    For m stored entries: a working copy of 8 m bytes (16 m for sums beyond 2^31 and
    for floats), up to 10 m for hubs, and about 100 n. Time near-linear in m in
    practice.

    Examples
    --------
    >>> from tripletree import Triplets, adds_similarity
    >>> answers = Triplets([[0, 1, 2], [2, 3, 0]], n_objects=4)
    >>> s = adds_similarity(answers, sparse=True)
    >>> sparse_average_linkage(s).to_newick()
    '((0:0.0,1:0.0):1.5,(2:0.0,3:0.0):1.5);'
    """
    refuse_if(
        not is_sparse(similarity),
        InvalidSimilarity,
        f"this similarity is of type {type(similarity).__name__}, not sparse: use "
        "average_linkage(similarity), or scipy.sparse.csr_array(similarity).",
    )
    check_callable("progress", progress)
    matrix, total = check_sparse(similarity)
    names = check_labels(labels, matrix.shape[0], InvalidTree)
    n_parts = n_components(matrix)
    tree = tree_of_sparse(matrix, total, progress)
    if n_parts > 1:
        message = (
            f"the stored pairs leave the {matrix.shape[0]} objects in {n_parts} "
            "components: how the tree joins these means nothing."
        )
        warnings.warn(message, UserWarning, stacklevel=2)
    return tree if names is None else tree.with_labels(names)


def linkage_of(s: Similarity, end: float = math.inf) -> Tree:
    """Average linkage of a checked similarity of either kind, without a warning.

    If the clock says `end` before, it is `tree_so_far`.
    """
    total = sum_of_sizes(s)
    if isinstance(s, np.ndarray):
        return linkage_of_dense(s, total, end=end)
    return tree_of_sparse(s, total, end=end)


def n_components(matrix: csr_array) -> int:
    """How many parts remain when objects with a similarity other than 0 are joined."""
    leader = np.arange(matrix.shape[0])
    found = kernels.count_components(matrix.indptr, matrix.indices, matrix.data, leader)
    return int(found)


def tree_of_sparse(
    matrix: csr_array,
    total: float,
    progress: OnProgress | None = None,
    end: float = math.inf,
) -> Tree:
    """The tree of a matrix that `check_sparse` has seen, without a warning."""
    n = matrix.shape[0]
    check_exact(matrix.data, total, n)

    def say(n_merges: int) -> None:
        if progress is not None:
            progress(Progress("average linkage", n_merges, n - 1))

    pairs, totals = np.empty((n - 1, 2), np.int64), np.empty(n - 1, matrix.dtype)
    clusters = first_clusters(matrix, total)
    while not kernels.positive_merges(clusters, READS_PER_STEP, pairs, totals):
        say(int(clusters.state.n_merges))
        if time.monotonic() >= end:
            return tree_so_far(pairs[: clusters.state.n_merges], n)
    slots = _slots_in_use(clusters)
    after = np.full(n, -1, np.int32)
    after[slots[:-1]] = slots[1:]
    a = 0
    while a >= 0:
        a = kernels.zero_merges(clusters, after, a, READS_PER_STEP, pairs, totals)
        say(int(clusters.state.n_merges))
        if a >= 0 and time.monotonic() >= end:
            return tree_so_far(pairs[: clusters.state.n_merges], n)
    n_merges = int(clusters.state.n_merges)
    if n_merges < n - 1:
        slots, size, sums = _table(clusters, total)
        del clusters
        last_pairs, last = merge_dense(sums, size, total, end)
        n_all = n_merges + len(last)
        pairs[n_merges:n_all], totals[n_merges:n_all] = slots[last_pairs], last
        if n_all < n - 1:
            return tree_so_far(pairs[:n_all], n)
    say(n - 1)
    return tree_of_merges(pairs, totals, None)


def first_clusters(matrix: csr_array, total: float) -> Any:
    """Every object a cluster, with a working copy of its row."""
    n, nnz = matrix.shape[0], matrix.nnz
    dtype = narrow(matrix.dtype, total, nnz)
    shortest = max(SHORTEST_HUB, 2 * nnz // MOST_HUBS)
    n_hubs = min(MOST_HUBS, 2 * nnz // shortest + 1)
    room = nnz // 2 + n  # untouched, and so not in memory, until there are hubs
    check_fits(
        nnz * 2 * dtype.itemsize + 10 * nnz + 100 * n,
        f"sparse average linkage of {nnz // 2} pairs",
        "use fewer objects, or a machine with more memory.",
    )
    entries = np.empty((nnz, 2), dtype)
    entries[:, 0], entries[:, 1] = matrix.indices, matrix.data
    hubs = kernels.Hubs(
        shortest=shortest,
        number=np.full(n, -1, np.int32),
        slot=np.full(n_hubs, -1, np.int32),
        between=np.zeros((n_hubs, n_hubs), matrix.dtype),
        count=np.full(n_hubs, -1),
        start=np.zeros(n_hubs, np.int64),
        room=np.zeros(n_hubs, np.int64),
        state=record("heap_end", "n_numbers"),
        item=np.empty(room, np.int32),
        sum=np.empty(room, matrix.dtype),
        size=np.empty(room, matrix.dtype),
    )
    lists = kernels.Lists(
        entries=entries,
        start=matrix.indptr.astype(np.int64),
        used=np.diff(matrix.indptr).astype(np.int32),
        following=np.full(n, -1, np.int32),
        last=np.arange(n, dtype=np.int32),
        length=np.diff(matrix.indptr).astype(np.int64),
    )
    side_by_side = np.column_stack([np.arange(n, dtype=np.int32)] * 2)
    return kernels.Clusters(
        lists=lists,
        found=np.zeros(n + 1, np.int32),
        total=np.zeros(n + 1, matrix.dtype),
        hubs=hubs,
        leader=side_by_side[:, 0],
        seen_at=side_by_side[:, 1],
        size=np.ones(n, matrix.dtype),
        chain=np.zeros(n, np.int64),
        link=np.zeros(n, matrix.dtype),
        place=np.full(n, -1, np.int32),
        state=record("length", "first", "n_merges", "n_read"),
    )


def _slots_in_use(clusters: Any) -> Ints:
    return np.flatnonzero(clusters.leader == np.arange(len(clusters.leader)))


def _table(
    clusters: Any, total: float
) -> tuple[Ints, npt.NDArray[Any], npt.NDArray[Any]]:
    """The slots still in use, their sizes, and the sums of every two."""
    slots = _slots_in_use(clusters)
    k = len(slots)
    dtype = narrow(clusters.size.dtype, total, k * k)
    check_fits(
        k * k * dtype.itemsize,
        f"average linkage of the last {k} clusters",
        "use fewer objects, or a machine with more memory.",
    )
    sums = np.zeros((k, k), dtype)
    index = np.zeros(len(clusters.leader), np.int32)
    index[slots] = np.arange(k)
    entries = int(clusters.lists.length[slots].sum())
    rows = max(1, READS_PER_STEP * k // max(1, entries))
    for part in row_chunks(k, rows):
        kernels.fill_table(clusters, slots, index, part.start, part.stop, sums)
    return slots, clusters.size[slots], sums
