"""Every method: comparisons in, a tree out.

A method makes a similarity of the answers and a tree of the similarity:

=============  ==================================  =================================
method         similarity                          tree
=============  ==================================  =================================
``adds-al``    AddS3 or AddS4                      average linkage
``mulk-al``    MulK3 or MulK4                      average linkage
``4k-al``      MulK4 + 2 AddS4                     average linkage
``tste-al``    cosine of points embedded by t-STE  average linkage
``cosine-al``  cosine of given feature vectors     average linkage
``climb``      AddS3 or AddS4                      largest revenue, by moving subtrees
``complete``   AddS as if all had been asked       largest revenue, by moving subtrees
=============  ==================================  =================================

The first five are the methods of the paper.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy.typing as npt

from tripletree.comparisons.triplets import Comparisons
from tripletree.embedding.completion import completed_similarity
from tripletree.embedding.tste import tste
from tripletree.linkage.sparse_average import linkage_of
from tripletree.objective.value import merge_sums
from tripletree.search.climb import default_restarts, search_tree
from tripletree.search.result import with_average_heights
from tripletree.similarity.adds import LARGEST_DENSE
from tripletree.similarity.cosine import cosine_similarity
from tripletree.similarity.matrix import dense_similarity_of, similarity_of
from tripletree.similarity.mulk import four_k_similarity, mulk_similarity
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.tree import Tree

OF_PAIR_SUMS = ("adds-al", "climb")
METHODS = ("adds-al", "mulk-al", "4k-al", "tste-al", "cosine-al", "climb", "complete")

MOST_RESTARTS_OF_COMPLETED = 500  # its sums are estimates anyway
SHARE_FOR_EMBEDDINGS = 0.7


class Effort(NamedTuple):
    """How hard to try: a share of the usual restarts, at most so many; embeddings."""

    share: float
    most_restarts: int
    n_embeddings: int


FULL = Effort(1.0, 10**9, 10)
DRAFT = Effort(0.1, 50, 3)  # for trials on held-out answers


def tree_by(
    method: str,
    data: Comparisons | PairSums,
    *,
    s: Any = None,
    features: npt.ArrayLike | None = None,
    seed: int = 0,
    seconds: float = math.inf,
    effort: Effort = FULL,
) -> tuple[Tree, bool]:
    """A tree by a method within so many seconds, and whether they cut it short.

    Pair sums are for adds-al and climb, features for cosine-al. s: the checked pair
    sums of the data, where they have been made before.
    """
    began = time.monotonic()
    end = began + seconds
    if s is None and method in OF_PAIR_SUMS:
        s, _ = similarity_of(data)
    if method.endswith("-al"):
        is_cut = False
        if method != "adds-al":
            s, _ = dense_similarity_of(
                _similarity(method, data, features, seed, seconds)
            )
            is_cut = method == "tste-al" and time.monotonic() >= end
        tree = linkage_of(s, end)
        if tree.heights is None:  # there was no time to finish it
            tree, is_cut = with_average_heights(tree, merge_sums(tree, s)), True
        return tree.with_labels(data.labels), is_cut
    most_restarts, is_cut = effort.most_restarts, False
    if data.n_objects > LARGEST_DENSE and math.isinf(seconds):
        most_restarts = 0  # as in maximise_revenue: a single climb takes long
    if method == "complete":
        most_restarts = min(MOST_RESTARTS_OF_COMPLETED, most_restarts)
        some = SHARE_FOR_EMBEDDINGS * seconds
        completed = completed_similarity(
            data,  # type: ignore[arg-type]
            n_embeddings=effort.n_embeddings,
            seed=seed,
            time_limit=some,
        )
        s, _ = similarity_of(completed)
        is_cut = time.monotonic() - began >= some
    n_restarts = int(default_restarts(data.n_objects) * effort.share)
    left = max(0.0, end - time.monotonic())
    found = search_tree(s, data.labels, min(most_restarts, n_restarts), seed, left)
    return found.tree, is_cut or found.is_stopped


def _similarity(
    method: str, data: Any, features: npt.ArrayLike | None, seed: int, seconds: float
) -> Any:
    if method == "mulk-al":
        return mulk_similarity(data)
    if method == "4k-al":
        return four_k_similarity(data)
    if method == "tste-al":
        features = tste(data, seed=seed, time_limit=seconds).points
    assert features is not None
    return cosine_similarity(features)
