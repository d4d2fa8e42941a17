"""Climb: move subtrees while that gains revenue, and start again from elsewhere.

`climb` makes the best move of one subtree after the other until none of them gains: an
SPR optimum, exactly on integers. Average-linkage trees are never improved by swapping
neighbours alone, but nearly always by moving subtrees further.

`maximise_revenue` starts from average linkage, climbs, then repeats: disturb the best
tree by a few random moves, climb again, keep the result if it is no worse. Once it
starts from a linkage of denoised similarities, and now and then from a random tree.
With 500 objects or more, what is done beyond the usual number of restarts is a ratchet:
climb from the best tree with a random quarter of the pairs counted twice, then climb
back. How often depends on the size of the problem alone, so that the result is the same
on every machine; only with a time limit does the clock decide.

`exact_optimum` finds the best of all trees, for few objects; see objective/bounds.py.
"""

from __future__ import annotations

import time

import numpy as np

from tripletree._checks import (
    check_callable,
    check_int,
    check_limit,
    check_same_objects,
)
from tripletree._progress import OnProgress
from tripletree.comparisons.triplets import Comparisons
from tripletree.errors import InvalidOption, refuse_if
from tripletree.linkage.sparse_average import linkage_of
from tripletree.objective.bounds import MOST_OBJECTS, best_splits
from tripletree.search.moves import (
    Run,
    SearchResult,
    default_restarts,
    search_result,
)
from tripletree.search.sparse_moves import SparseRun
from tripletree.similarity.matrix import (
    Similarity,
    dense_similarity_of,
    is_sparse,
    similarity_of,
)
from tripletree.tree.tree import Tree, check_tree


def climb(
    tree: Tree,
    data: Comparisons | Similarity,
    *,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> SearchResult:
    """Move subtrees of a tree until no move gains revenue.

    Parameters
    ----------
    tree : Tree
        Where to start, for example the tree of average linkage.
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity.
    time_limit : float, optional
        Seconds after which to stop; 0 gives the tree back. No limit by default.
    progress : callable, optional
        Called after every step of the climb, with a `Progress`: the moves made,
        and the revenue of the best tree so far.

    Returns
    -------
    SearchResult
        Never worse than the given tree, up to rounding of floats. ``is_optimal`` says
        whether the climb came to its end; after the time limit it is False, and
        ``is_stopped`` True.

    Raises
    ------
    InvalidTree, InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    Mismatch
        If the tree and the data are not about the same objects.
    TooLarge
        If the sums would not fit into the memory that is available.

    Notes
    -----
    O(n) to price all places of a subtree, O(n^2) a round, in about 2 n^2 numbers of
    memory. Exact on integers. Subtrees take turns in the order of their nodes; of equal
    places the first from the root is taken.

    A sparse similarity, and answers about more than 10,000 objects, never become a
    table of n^2: pricing a subtree visits the ways to the root from it and from its
    stored partners, in O(n + stored pairs) numbers of memory. The same places are
    priced. Only in trees of more than 50,000 objects whose leaves have more than 2,000
    merges above them on average are moves made within clusters of at most 16,000
    leaves; then ``is_optimal`` can be False at the end.

    Examples
    --------
    >>> from tripletree import Triplets, caterpillar_tree
    >>> answers = Triplets([[0, 3, 1], [3, 0, 2], [1, 2, 0]], n_objects=4)
    >>> result = climb(caterpillar_tree(4), answers)
    >>> result.revenue, result.is_optimal
    (6, True)
    """
    check_tree(tree)
    s, labels = similarity_of(data)
    what = "a tree of {} leaves and data about {} objects"
    check_same_objects(tree.n_leaves, tree.labels, s.shape[0], labels, what)
    end = time.monotonic() + check_limit(time_limit)
    labels = tree.labels if labels is None else labels
    return search_from(tree, s, labels, 0, 0, end, progress)


def maximise_revenue(
    data: Comparisons | Similarity,
    *,
    time_limit: float | None = None,
    n_restarts: int | None = None,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> SearchResult:
    """Search for the tree with the largest revenue: climbs with restarts.

    Parameters
    ----------
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity.
    time_limit : float, optional
        Seconds after which to stop with the best tree so far. No limit by default: the
        restarts end by themselves.
    n_restarts : int, optional
        How often to start again. Without a time limit 4e7 / n^2, at least 1 and at most
        3,000: some seconds of work for up to 2,000 objects; never for a sparse
        similarity. With one as often as it allows, up to a hundred times that. From 500
        objects on, those beyond the first 4e7 / n^2 are rounds of a ratchet: climb with
        a random quarter of the pairs counted twice, then climb back.
    seed : int, default 0
        The same seed gives the same tree, if no time limit strikes.
    progress : callable, optional
        Called after every step of a climb, with a `Progress`: how many of the climbs
        are done (with a time limit, the moves made), and the revenue of the best tree
        so far.

    Returns
    -------
    SearchResult
        ``is_optimal``: no subtree of the tree can be moved anywhere with a gain.
        ``is_stopped``: the time limit came before the last restart.

    Raises
    ------
    InvalidSimilarity, InvalidOption
        Where the arguments are not as described.
    TooLarge
        If the sums would not fit into the memory that is available.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> answers = Triplets([[0, 3, 1], [3, 0, 2], [1, 2, 0]], n_objects=4)
    >>> maximise_revenue(answers).revenue
    6
    """
    s, labels = similarity_of(data)
    if n_restarts is None:
        without_limit = 0 if is_sparse(s) else 1
        n_times = without_limit if time_limit is None else 100
        n_restarts = default_restarts(s.shape[0]) * n_times
    n_restarts = check_int("n_restarts", n_restarts, 0, 10**9)
    seed = check_int("seed", seed, 0, 2**63)
    return search_tree(s, labels, n_restarts, seed, check_limit(time_limit), progress)


def search_tree(
    s: Similarity,
    labels: tuple[str, ...] | None,
    n_restarts: int,
    seed: int,
    seconds: float,
    progress: OnProgress | None = None,
) -> SearchResult:
    """`maximise_revenue` of a similarity that was checked before."""
    end = time.monotonic() + seconds
    return search_from(linkage_of(s, end), s, labels, n_restarts, seed, end, progress)


def search_from(
    tree: Tree,
    s: Similarity,
    labels: tuple[str, ...] | None,
    n_restarts: int,
    seed: int,
    end: float,
    progress: OnProgress | None,
) -> SearchResult:
    """Climb from a tree, then n_restarts times again, until the clock says `end`."""
    check_callable("progress", progress)
    is_only, is_late = tree.n_leaves <= 2, time.monotonic() >= end
    if is_only or is_late:
        bare, is_late = Tree(tree.children), is_late and not is_only
        return search_result(bare, s, labels, is_optimal=is_only, is_stopped=is_late)
    run_class = Run if isinstance(s, np.ndarray) else SparseRun
    run = run_class(s, tree, end, progress)
    run.search(np.random.default_rng(seed), n_restarts)
    return run.result(labels)


def exact_optimum(data: Comparisons | Similarity) -> SearchResult:
    """The tree with the largest revenue among all, for at most 16 objects.

    Parameters
    ----------
    data : Triplets, Quadruplets, ndarray or csr_array
        The answers, or a symmetric similarity.

    Returns
    -------
    SearchResult
        Its ``is_optimal`` is True, and there is no better tree at all.

    Raises
    ------
    InvalidSimilarity, InvalidOption
        If these are not data, or there are more than 16 objects.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> best = exact_optimum(Triplets([[0, 1, 2], [3, 2, 0]], n_objects=4))
    >>> best.revenue, best.tree.with_heights(None).to_newick()
    (4, '((3,2),(1,0));')
    """
    s, labels = dense_similarity_of(data)
    n = len(s)
    refuse_if(
        n > MOST_OBJECTS,
        InvalidOption,
        f"the exact optimum of {n} objects would take too long: give at most "
        f"{MOST_OBJECTS}, or use climb().",
    )
    _, split = best_splits(s)
    tree = _from_splits(split.tolist(), n)
    return search_result(tree, s, labels, is_optimal=True)


def _from_splits(split: list[int], n: int) -> Tree:
    """The tree that splits each set as the programme chose."""
    sets = [2**n - 1]
    for members in sets:  # grows while it is read: parents come before children
        if members & (members - 1):
            sets += [split[members], members ^ split[members]]
    inner = [members for members in reversed(sets) if members & (members - 1)]
    number = {1 << leaf: leaf for leaf in range(n)}
    number |= {members: n + t for t, members in enumerate(inner)}
    children = [[number[split[m]], number[m ^ split[m]]] for m in inner]
    return Tree(np.array(children, np.int64).reshape(n - 1, 2))
