"""How many clusters? All levels of a tree at which every cluster is stable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from tripletree._checks import check_int, check_number
from tripletree.errors import InvalidOption
from tripletree.evaluation.support import FEWEST_REPLICATES, Support
from tripletree.objective.flat import (
    FEWEST_OBJECTS,
    LEAST_STABILITY,
    FlatCut,
    stable_cuts,
)
from tripletree.objective.value import Values, node_sums, satisfaction
from tripletree.similarity.sums_by_pair import PairSums

if TYPE_CHECKING:
    from tripletree.clustering.result import Clustering


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
    explained : float
        The share of the comparisons that the flat clusters alone explain: the near pair
        is in one cluster and the far pair is not. Where both pairs are, or neither is,
        a comparison counts half. These are the comparisons that the tree was made from,
        not held-out ones.
    """

    clusters: FlatCut
    stability: float
    smallest: int
    largest: int
    explained: float


def suggested_cuts(
    result: Clustering,
    *,
    least_stability: float = LEAST_STABILITY,
    least_size: int = FEWEST_OBJECTS,
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
    O(m + n) time for each level.

    Examples
    --------
    >>> from tripletree import cluster
    >>> from tripletree.datasets.animals import animals
    >>> result = cluster(animals().answers, "adds-al", n_folds=0)
    >>> [(cut.clusters.n_clusters, cut.smallest) for cut in suggested_cuts(result)]
    [(2, 8), (3, 4)]
    """
    least_stability = check_number("least_stability", least_stability, 0, 1)
    least_size = check_int("least_size", least_size, 2, 10**9)
    support = getattr(result, "support", None)
    if not has_enough(support):
        message = (
            "expected the result of cluster(answers), with support="
            f"{FEWEST_REPLICATES} or more: what is stable is not known otherwise."
        )
        raise InvalidOption(message)
    answers = result.comparisons
    if answers is None or isinstance(answers, PairSums):
        message = "this result no longer has its comparisons: see result.levels."
        raise InvalidOption(message)
    sums, total = node_sums(result.tree, answers), satisfaction(result.tree, answers)
    return levels_of(support, sums, total.total, least_stability, least_size)


def has_enough(support: Support | None) -> TypeGuard[Support]:
    """Whether there are replicates enough to say which clusters are stable."""
    return isinstance(support, Support) and support.is_enough


def levels_of(
    support: Support,
    sums: Values,
    total: int | float,
    least_stability: float = LEAST_STABILITY,
    least_size: int = FEWEST_OBJECTS,
) -> tuple[SuggestedCut, ...]:
    """`suggested_cuts`, given s(A, B) at each merge and the weight of all comparisons.

    A comparison whose near pair is in one cluster adds 1 to the similarity within
    clusters, and one whose far pair is takes 1 away: what is within, over the total, is
    the share explained minus the share contradicted.
    """
    tree, levels = support.tree, []
    for cut in stable_cuts(tree, support.stability, sums, least_stability, least_size):
        sizes = tree.size[cut.nodes]
        stability = support.stability[cut.nodes - tree.n_leaves]
        explained = 0.5 + 0.5 * cut.within / total if total else 0.5
        figures = float(np.min(stability)), int(sizes.min()), int(sizes.max())
        levels.append(SuggestedCut(cut, *figures, float(explained)))
    return tuple(levels)
