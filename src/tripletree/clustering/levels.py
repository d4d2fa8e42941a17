"""How many clusters? All levels of a tree at which every cluster is stable.

**What flat clusters explain.** The answers that are held out from a tree did not choose
its clusters. So each level is looked up in the trees of the held-out trials: of a tree
made without some answers, its cluster nearest to each cluster of the level (fewest
objects in one of the two only). Of the answers that were held out, those are right
whose near pair is in one of these clusters, and the far pair is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int, check_number
from tripletree.comparisons.triplets import Comparisons, rows_that_count
from tripletree.errors import InvalidOption, refuse_if
from tripletree.evaluation.holdout import MakeTree, assign_folds
from tripletree.evaluation.support import FEWEST_REPLICATES, Support, asked_about
from tripletree.methods import DRAFT, make_tree
from tripletree.objective.flat import (
    FEWEST_OBJECTS,
    LEAST_STABILITY,
    FlatCut,
    stable_cuts,
)
from tripletree.objective.value import Values, node_sums
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.tree import Tree, sums_below

if TYPE_CHECKING:
    from tripletree.clustering.result import Clustering

Folds = Sequence[tuple[Tree, Comparisons]]  # trees, and answers they were made without


@dataclass(frozen=True, eq=False)
class SuggestedCut:
    """One level of a tree at which every cluster is stable.

    Attributes
    ----------
    clusters : FlatCut
        The flat clusters. Objects that belong to none have label -1.
    stability : float
        The stability of the least stable cluster.
    smallest, largest : int
        The sizes of the smallest and the largest cluster.
    explained : float or None
        The share of held-out answers that flat clusters alone explain: the near pair is
        in one cluster and the far pair is not. Where both pairs are, or neither is, an
        answer counts half. The clusters are those of trees made without these answers
        that are nearest to the clusters of this level. None if no answers were held
        out.
    """

    clusters: FlatCut
    stability: float
    smallest: int
    largest: int
    explained: float | None


def suggested_cuts(
    result: Clustering,
    *,
    least_stability: float = LEAST_STABILITY,
    least_size: int = FEWEST_OBJECTS,
    seed: int = 0,
) -> tuple[SuggestedCut, ...]:
    """All levels at which a tree falls into stable clusters, coarse to fine.

    The last one is the finest cut whose every cluster is stable, which
    ``cluster(..., n_clusters="auto")`` suggests. A cluster is split if stable clusters
    below it hold at least nine tenths of its objects; the others are strays, which
    belong to no cluster.

    Parameters
    ----------
    result : Clustering
        The result of :func:`cluster`, with support by ten or more replicates.
    least_stability : float, default 0.8
        Of every cluster; for one with more than half of the objects as much as for
        those outside it, see `tripletree.objective.flat`.
    least_size : int, default 3
        The smallest number of objects in a cluster.
    seed : int, default 0
        Decides which answers are held out, as in :func:`cluster`.

    Returns
    -------
    tuple of SuggestedCut
        Empty if no cut holds: the answers show one cluster only. With the default
        options these are ``result.levels``.

    Raises
    ------
    InvalidOption
        If the result has too little support, or no longer has its comparisons, or an
        option is outside its range.

    Notes
    -----
    O(m + n) time for each level, after a tree for each fold, made as for the held-out
    revenue; none if that was not asked for.

    Examples
    --------
    >>> from tripletree import cluster
    >>> from tripletree.datasets.animals import animals
    >>> result = cluster(animals().answers, "adds-al")
    >>> [(cut.clusters.n_clusters, cut.smallest) for cut in suggested_cuts(result)]
    [(2, 8), (3, 4)]
    """
    least_stability = check_number("least_stability", least_stability, 0, 1)
    least_size = check_int("least_size", least_size, 2, 10**9)
    support: Any = getattr(result, "support", None)
    refuse_if(
        not isinstance(support, Support) or not support.is_enough,
        InvalidOption,
        f"expected the result of cluster(answers), with support={FEWEST_REPLICATES} or "
        "more: what is stable is not known otherwise.",
    )
    answers = result.comparisons
    if answers is None or isinstance(answers, PairSums):
        message = "this result no longer has its comparisons: see result.levels."
        raise InvalidOption(message)
    answers = rows_that_count(answers)  # as in `cluster`: they decide the folds
    trial = result.held_out.get(result.method)
    n_folds = 0 if trial is None else len(trial.revenues)

    def make(train: Comparisons) -> Tree:
        return make_tree(result.method, train, seed=seed, effort=DRAFT)[0]

    seed = check_int("seed", seed, 0, 2**63)
    sums = node_sums(result.tree, answers)
    levels = levels_of(support, sums, answers, least_stability, least_size)
    return explained(levels, answers, make, n_folds, seed)


def levels_of(
    support: Support,
    sums: Values,
    answers: Comparisons,
    least_stability: float = LEAST_STABILITY,
    least_size: int = FEWEST_OBJECTS,
) -> tuple[SuggestedCut, ...]:
    """`suggested_cuts`, given s(A, B) at each merge, but for what they explain."""
    tree, levels = support.tree, []
    least, is_asked = (least_stability, least_size), asked_about(answers)
    for cut in stable_cuts(tree, support.stability, sums, *least, is_asked):
        sizes = np.bincount(cut.labels[cut.labels >= 0])
        stability = support.stability[cut.nodes - tree.n_leaves]
        figures = float(np.min(stability)), int(sizes.min()), int(sizes.max())
        levels.append(SuggestedCut(cut, *figures, None))
    return tuple(levels)


def explained(
    levels: tuple[SuggestedCut, ...],
    answers: Comparisons,
    make: MakeTree,
    n_folds: int,
    seed: int,
) -> tuple[SuggestedCut, ...]:
    """The levels, with what they explain of each fold by a tree made from the others.

    Nothing is held out in 0 folds.
    """
    if not levels or not n_folds:
        return levels
    fold = assign_folds(answers, n_folds, seed)
    parts = [fold == number for number in range(n_folds)]
    folds = [(make(answers[~part]), answers[part]) for part in parts]
    return tuple(
        replace(level, explained=_share_explained(level.clusters, folds))
        for level in levels
    )


def _share_explained(cut: FlatCut, folds: Folds) -> float | None:
    right = total = 0.0
    members = cut.labels == np.arange(cut.n_clusters)[:, None]
    for tree, answers in folds:
        labels = nearest_clusters(tree, members)
        near, far = (
            (labels[pairs[:, 0]] == labels[pairs[:, 1]]) & (labels[pairs[:, 0]] >= 0)
            for pairs in (answers.near, answers.far)
        )
        weights = np.ones(len(near)) if answers.weights is None else answers.weights
        right += float(weights @ (1.0 + near - far)) / 2
        total += float(weights.sum())
    return right / total if total else None


def nearest_clusters(
    tree: Tree, members: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Labels by the clusters of a tree nearest to the given ones, (clusters, n).

    -1 for leaves in none of them; a leaf in several of them is in the smallest.
    """
    n_shared = sums_below(tree, members)
    n_other = tree.size + members.sum(axis=1)[:, None] - 2 * n_shared
    nodes = n_other.argmin(axis=1)
    labels = np.full(tree.n_leaves, -1)
    for number in np.argsort(-tree.size[nodes], kind="stable").tolist():
        labels[tree.leaves(nodes[number])] = number
    return labels
