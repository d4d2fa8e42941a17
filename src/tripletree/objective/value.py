r"""The revenue of a tree, the paper's objective, and its twin, Dasgupta's cost.

For comparisons c with near and far pairs,

.. math:: \sum_c |H(\mathrm{far}_c)| - |H(\mathrm{near}_c)|,

where :math:`|H(x, y)|` counts the leaves of the smallest cluster with x and y. Collect
the answers at the merge where each pair meets. Merge N of clusters A and B then holds
exactly s(A, B), near minus far, and the revenue is :math:`-\sum_N |N| \, s(A, B)`:
Theorem 1 of the paper, merge by merge. So everything here starts from `node_sums`, and
integers stay exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_same_objects
from tripletree._threads import map_threads, n_threads, row_chunks, share_chunks
from tripletree.comparisons.summary import coverage
from tripletree.comparisons.triplets import (
    Comparisons,
    Quadruplets,
    Triplets,
    check_comparisons,
    rows_that_count,
)
from tripletree.errors import InvalidOption, refuse_if
from tripletree.objective import _value_kernel as kernels
from tripletree.similarity.matrix import (
    Similarity,
    check_dense,
    check_exact,
    check_sparse,
    is_sparse,
)
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.ancestors import common_ancestors, meeting_sizes, meeting_table
from tripletree.tree.shapes import caterpillar_tree
from tripletree.tree.tree import Tree, check_tree

Values = npt.NDArray[Any]  # int64, or float64 where weights are floats
WeightedPairs = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]

ROWS_PER_CHUNK = 2**18
LEAVES_PER_CHUNK = 2**13
PLACES_PER_BAND = 256


def revenue(tree: Tree, data: Comparisons | Similarity) -> int | float:
    r"""Total revenue of a tree under comparisons or under a similarity.

    .. math:: \sum_{c} |H(\mathrm{far}_c)| - |H(\mathrm{near}_c)|
              = -\sum_{i<j} s_{ij} \, |H(i \vee j)|

    where :math:`|H(x, y)|` counts the leaves below the lowest common ancestor of x and
    y, and s is the AddS similarity of the comparisons. Larger is better.

    Parameters
    ----------
    tree : Tree
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity of shape (n, n).

    Returns
    -------
    int or float
        Exact, an int, unless weights or similarities are floats.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    Mismatch
        If the tree and the data are not about the same objects.

    Notes
    -----
    O(m + n log n) time for m comparisons, O(n^2) for a dense similarity.

    References
    ----------
    Mandal, Perrot, Ghoshdastidar, "A Revenue Function for Comparison-Based
    Hierarchical Clustering", TMLR 2023, equations 3 and 4 and Theorem 1.

    Examples
    --------
    >>> from tripletree import Triplets, adds_similarity, caterpillar_tree
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3]], n_objects=4)
    >>> revenue(caterpillar_tree(4), answers)
    3
    >>> revenue(caterpillar_tree(4), adds_similarity(answers))
    3
    """
    return revenue_of_sums(tree, node_sums(tree, data))


def revenue_of_sums(tree: Tree, sums: Values) -> int | float:
    """The revenue, given s(A, B) for the two clusters of each merge."""
    sizes = tree.size[tree.n_leaves :]
    if sums.dtype.kind == "f":
        return 0.0 - float((sizes * sums).sum())  # 0.0, never -0.0
    if _total_size(sums) * tree.n_leaves < 2.0**62:
        return -int((sizes * sums).sum())
    return -sum(map(int.__mul__, sizes.tolist(), sums.tolist()))


def normalised_revenue(tree: Tree, answers: Comparisons, earned: int | float) -> float:
    """The revenue `earned` on the scale from -1 to 1, about 0 for a random tree.

    Objects that a chain of comparisons joins are a group. Each group c, of n_c objects
    and with comparisons of weight m_c, is judged by the tree restricted to it: the sum
    of the revenues over the sum of m_c (n_c - 2), the most that is possible. So objects
    that were never compared, and groups that no comparison joins, change nothing by
    making clusters larger.
    """
    counted = rows_that_count(answers)
    group = coverage(counted).group
    where = group[counted.rows[:, 0]]
    weight = np.bincount(where, counted.weights, group.max() + 1)
    return _share_of_most(tree, earned, _pairs_of_rows(answers), group, weight)


def normalised_revenue_of_sums(
    tree: Tree, sums: PairSums, earned: int | float
) -> float:
    """`normalised_revenue`, given the pair sums of the answers."""
    pairs = [(sums.pairs, (sums.near - sums.far).astype(np.float64))]
    return _share_of_most(tree, earned, pairs, *groups_of_sums(sums))


def _share_of_most(
    tree: Tree,
    earned: int | float,
    pairs: Iterable[WeightedPairs],
    group: npt.NDArray[np.int64],
    weight: Values,
) -> float:
    n_members = np.bincount(group, minlength=len(weight))
    most = float((weight * np.maximum(n_members - 2, 0)).sum())
    if len(n_members) > 1:
        earned = _revenue_within_groups(tree, pairs, group)
    return float(earned / most) if most else 0.0


def groups_of_sums(data: PairSums) -> tuple[npt.NDArray[np.int64], Values]:
    """The group of each object, and the weight of the comparisons in each group.

    Objects that comparisons join are a group, also where near and far cancel.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, is_used = data.n_objects, data.near + data.far > 0
    ends = data.pairs[is_used].T
    links = coo_array((np.ones(ends.shape[1]), ends), shape=(n, n))
    n_groups, group = connected_components(links, directed=False)
    near, far = (
        np.bincount(group[data.pairs[:, 0]], sums, n_groups)
        for sums in (data.near, data.far)
    )
    # A near pair whose far pair is elsewhere: only comparisons of two pairs without a
    # common object can do that, so they join these groups.
    is_joined = ~np.isclose(near, far)
    if is_joined.any():
        group = np.where(is_joined[group], is_joined.argmax(), group)
        near = np.bincount(group[data.pairs[:, 0]], data.near, n_groups)
    return group.astype(np.int64), near


def _revenue_within_groups(
    tree: Tree, parts: Iterable[WeightedPairs], group: npt.NDArray[np.int64]
) -> float:
    """The revenue if a cluster counts, for a pair, only objects of the pair's group.

    The objects of a group below a node are neighbours in the order (group, place).
    """
    n, place = tree.n_leaves, tree.interval_start
    places = np.sort(group * n + place[:n])
    earned = 0.0
    for pairs, weights in parts:
        nodes = common_ancestors(tree, pairs)
        first = group[pairs[:, 0]] * n + place[nodes]
        first, end = np.searchsorted(places, [first, first + tree.size[nodes]])
        earned -= float(np.dot(weights, (end - first).astype(np.float64)))
    return earned


def _pairs_of_rows(data: Comparisons) -> Iterator[WeightedPairs]:
    """Pairs of objects and their weights: near pairs positive, far ones negative."""
    for chunk in row_chunks(len(data), ROWS_PER_CHUNK):
        part = data[chunk]
        weights = np.ones(len(part)) if part.weights is None else part.weights
        yield part.near, weights.astype(np.float64)
        yield part.far, -weights.astype(np.float64)


def revenue_per_node(tree: Tree, data: Comparisons | Similarity) -> Values:
    """The share of each merge in the revenue: minus its size times s(A, B).

    Parameters
    ----------
    tree : Tree
    data : Triplets, Quadruplets, ndarray or csr_array

    Returns
    -------
    ndarray of int64 or float64, shape (n-1,)
        They add up to the revenue.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption
        Where the arguments are not as described, or shares could pass 2^63.
    Mismatch
        If the tree and the data are not about the same objects.

    Examples
    --------
    >>> from tripletree import Triplets, caterpillar_tree
    >>> answers = Triplets([[0, 1, 2], [1, 0, 3]], n_objects=4)
    >>> revenue_per_node(caterpillar_tree(4), answers).tolist()
    [-4, 3, 4]
    """
    sums = exact_sums(tree, data)
    return 0 - tree.size[tree.n_leaves :] * sums  # 0.0, never -0.0


def dasgupta_cost(tree: Tree, similarity: Similarity) -> int | float:
    r"""Dasgupta's cost: :math:`\sum_{i<j} s_{ij} \, |H(i \vee j)|`. Smaller is better.

    Parameters
    ----------
    tree : Tree
    similarity : ndarray or csr_array, shape (n, n)
        Symmetric; the diagonal is ignored.

    Returns
    -------
    int or float
        Exact, an int, for integer similarities.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    Mismatch
        If the tree and the similarity are not about as many objects.

    References
    ----------
    Dasgupta, "A cost function for similarity-based hierarchical clustering", 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree import caterpillar_tree
    >>> dasgupta_cost(caterpillar_tree(3), np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0]]))
    10
    """
    refuse_if(
        not (isinstance(similarity, np.ndarray) or is_sparse(similarity)),
        InvalidOption,
        f"give a similarity as an array or csr_array, not {type(similarity).__name__}; "
        "adds_similarity(comparisons) makes one.",
    )
    return 0 - revenue(tree, similarity)  # 0.0, never -0.0


def dasgupta_revenue(tree: Tree, similarity: Similarity) -> int | float:
    r"""The revenue of Moseley and Wang: :math:`n \sum_{i<j} s_{ij}` minus the cost.

    Equals :func:`revenue` where the similarities sum to 0, as AddS does.

    Parameters
    ----------
    tree : Tree
    similarity : ndarray or csr_array, shape (n, n)
        Symmetric; the diagonal is ignored.

    Returns
    -------
    int or float
        Exact, an int, for integer similarities.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption, Mismatch
        As for :func:`dasgupta_cost`.

    References
    ----------
    Moseley and Wang, "Approximation bounds for hierarchical clustering", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree import caterpillar_tree
    >>> s = np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0]])
    >>> dasgupta_revenue(caterpillar_tree(3), s)
    2
    """
    cost = dasgupta_cost(tree, similarity)
    # Every pair meets at one merge of any tree.
    sums = node_sums(caterpillar_tree(tree.n_leaves), similarity)
    total = float(sums.sum()) if sums.dtype.kind == "f" else sum(sums.tolist())
    return tree.n_leaves * total - cost


@dataclass(frozen=True)
class Satisfaction:
    """How a tree answers the questions: as asked, undecided, or the other way.

    Weighted comparisons count with their weight.
    """

    satisfied: int | float
    tied: int | float
    violated: int | float

    @property
    def total(self) -> int | float:
        return self.satisfied + self.tied + self.violated


def satisfaction(tree: Tree, comparisons: Comparisons) -> Satisfaction:
    """How many comparisons a tree satisfies, ties and violates.

    Satisfied: the near pair is in a smaller cluster than the far pair. Tied: in
    clusters of the same size, most often the very same one.

    Parameters
    ----------
    tree : Tree
    comparisons : Triplets or Quadruplets

    Returns
    -------
    Satisfaction

    Raises
    ------
    InvalidTree, InvalidComparisons
        Where the arguments are not as described.
    Mismatch
        If the tree and the comparisons are not about the same objects.

    Examples
    --------
    >>> from tripletree import Triplets, caterpillar_tree
    >>> answers = Triplets([[0, 1, 2], [2, 0, 1], [0, 2, 1]], n_objects=3)
    >>> satisfaction(caterpillar_tree(3), answers)
    Satisfaction(satisfied=1, tied=1, violated=1)
    """
    check_fit(tree, comparisons)
    sizes, weights = meeting_sizes(tree), _weights(comparisons)

    def count(rows: slice) -> Values:
        totals = np.zeros(3, weights.dtype)
        kernels.compare_rows(comparisons.rows[rows], weights[rows], sizes, totals)
        return totals

    chunks = row_chunks(len(comparisons), ROWS_PER_CHUNK)
    totals = sum(map_threads(count, chunks), np.zeros(3, weights.dtype))
    return Satisfaction(*totals.tolist())


def _total_size(sums: Values) -> float:
    return float(np.abs(sums.astype(np.float64)).sum())


def exact_sums(tree: Tree, data: Comparisons | Similarity) -> Values:
    """`node_sums`, refused if their products with sizes of clusters could pass 2^63."""
    sums = node_sums(tree, data)
    check_exact(sums, _total_size(sums), tree.n_leaves)
    return sums


def node_sums(tree: Tree, data: Comparisons | Similarity) -> Values:
    """s(A, B) for the two clusters of each merge, shape (n-1,).

    From comparisons: near minus far weight of the pairs that meet at the merge.
    """
    check_tree(tree)
    if isinstance(data, Triplets | Quadruplets):
        check_fit(tree, data)
        return _sums_of_rows(tree, data)
    refuse_if(
        not (isinstance(data, np.ndarray) or is_sparse(data)),
        InvalidOption,
        f"cannot compute a revenue from {type(data).__name__}: give Triplets, "
        "Quadruplets, or a similarity as an array or csr_array.",
    )
    s, total = check_sparse(data) if is_sparse(data) else check_dense(data)
    what = "a tree of {} leaves and a similarity of {} objects"
    check_same_objects(tree.n_leaves, None, s.shape[0], None, what)
    check_exact(s.data if is_sparse(s) else s, total, 1)
    return merge_sums(tree, s)


def merge_sums(tree: Tree, s: Similarity) -> Values:
    """`node_sums` of a similarity that was checked before."""
    if isinstance(s, np.ndarray):
        return _sums_of_dense(tree, s)
    return stored_sums(tree, s.indptr, s.indices, s.data)


def check_fit(tree: Tree, data: Comparisons) -> None:
    """Refuse anything but a tree and comparisons about the same objects."""
    check_tree(tree)
    check_comparisons(data)
    what = "a tree of {} leaves and comparisons about {} objects"
    check_same_objects(tree.n_leaves, tree.labels, data.n_objects, data.labels, what)


def _weights(data: Comparisons) -> Values:
    return np.empty(0, np.int64) if data.weights is None else data.weights


def _sums_of_rows(tree: Tree, data: Comparisons) -> Values:
    table, weights = meeting_table(tree), _weights(data)

    def add(sums: Values, chunk: slice) -> None:
        kernels.add_rows(data.rows[chunk], weights[chunk], table, sums)

    shape = tree.n_leaves - 1, 2
    near_and_far = _added(add, row_chunks(len(data), ROWS_PER_CHUNK), shape, weights)
    return near_and_far[:, 0] - near_and_far[:, 1]


def _added(
    add: Callable[[Values, slice], None],
    chunks: list[slice],
    shape: tuple[int, ...],
    like: Values,
) -> Values:
    """What is added chunk by chunk to sums of 64 bits, integers or floats as in `like`.

    One array of sums per thread; a single one, in order, for floats.
    """
    dtype = np.result_type(like, np.int64)
    n_parts = 1 if dtype.kind == "f" else max(1, min(n_threads(), len(chunks)))
    parts = np.zeros((n_parts, *shape), dtype)
    share_chunks(add, parts, chunks)
    total: Values = parts.sum(axis=0)
    return total


def _sums_of_dense(tree: Tree, s: npt.NDArray[Any]) -> Values:
    """One array of sums per band of leaves, added in order: the same on any machine."""
    n = tree.n_leaves
    gaps = meeting_table(tree).window[0] if n > 1 else np.empty(0, np.int32)

    def add(band: slice) -> Values:
        sums = np.zeros(n - 1, s.dtype)
        kernels.add_dense(s, tree.leaf_order, gaps, band.start, band.stop, sums)
        return sums

    parts = map_threads(add, row_chunks(n, PLACES_PER_BAND))
    total: Values = np.sum(parts, axis=0, dtype=s.dtype)
    return total


def stored_sums(tree: Tree, starts: Values, partners: Values, values: Values) -> Values:
    """Sums of the stored values of a symmetric matrix, in 64 bits: its csr arrays."""
    table, matrix = meeting_table(tree), (starts, partners, values)

    def add(sums: Values, rows: slice) -> None:
        kernels.add_sparse(matrix, rows.start, rows.stop, table, sums)

    chunks = row_chunks(tree.n_leaves, LEAVES_PER_CHUNK)
    return _added(add, chunks, (tree.n_leaves - 1,), values)
