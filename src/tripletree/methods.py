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
from typing import Any

import numpy.typing as npt

from tripletree.comparisons.answers import Comparisons
from tripletree.embedding.completion import completed_similarity
from tripletree.embedding.tste import tste
from tripletree.linkage.sparse_average import linkage_of
from tripletree.search.climb import default_restarts, maximise_revenue
from tripletree.similarity.adds import LARGEST_DENSE
from tripletree.similarity.cosine import cosine_similarity
from tripletree.similarity.mulk import four_k_similarity, mulk_similarity
from tripletree.similarity.pair_sums import pair_sums
from tripletree.similarity.pair_table import PairSums
from tripletree.tree.tree import Tree

OF_PAIR_SUMS = ("adds-al", "climb")
METHODS = ("adds-al", "mulk-al", "4k-al", "tste-al", "cosine-al", "climb", "complete")

N_EMBEDDINGS, N_EMBEDDINGS_OF_DRAFTS = 10, 3
MOST_RESTARTS_OF_DRAFTS = 50
MOST_RESTARTS_OF_COMPLETED = 500  # its sums are estimates anyway
SHARE_FOR_EMBEDDINGS = 0.7


def tree_by(
    method: str,
    data: Comparisons | PairSums,
    *,
    features: npt.ArrayLike | None = None,
    seed: int = 0,
    seconds: float = math.inf,
    is_draft: bool = False,
) -> tuple[Tree, bool]:
    """A tree by a method within so many seconds, and whether they cut it short.

    Pair sums are for adds-al and climb, features for cosine-al. Drafts, for trials on
    held-out answers, have fewer restarts and embeddings.
    """
    began = time.monotonic()
    s: Any = data.similarity if isinstance(data, PairSums) else data
    if method.endswith("-al"):
        tree = linkage_of(_similarity(method, s, features, seed, seconds))
        is_cut = time.monotonic() - began >= seconds
        return tree.with_labels(data.labels), is_cut
    is_cut = False
    n_restarts = default_restarts(data.n_objects)
    if data.n_objects > LARGEST_DENSE and math.isinf(seconds):
        n_restarts = 0  # as in maximise_revenue: a single climb takes long
    if is_draft:
        n_restarts = min(MOST_RESTARTS_OF_DRAFTS, n_restarts // 10)
    if method == "complete":
        n_restarts = min(MOST_RESTARTS_OF_COMPLETED, n_restarts)
        some = SHARE_FOR_EMBEDDINGS * seconds
        s = completed_similarity(
            s,
            n_embeddings=N_EMBEDDINGS_OF_DRAFTS if is_draft else N_EMBEDDINGS,
            seed=seed,
            time_limit=some,
        )
        is_cut = time.monotonic() - began >= some
    found = maximise_revenue(
        s,
        n_restarts=n_restarts,
        seed=seed,
        time_limit=max(0.0, began + seconds - time.monotonic()),
    )
    return found.tree.with_labels(data.labels), is_cut or found.is_stopped


def _similarity(
    method: str,
    data: Any,
    features: npt.ArrayLike | None,
    seed: int,
    seconds: float,
) -> Any:
    if method == "adds-al":
        return pair_sums(data)[0]
    if method == "mulk-al":
        return mulk_similarity(data)
    if method == "4k-al":
        return four_k_similarity(data)
    if method == "tste-al":
        return cosine_similarity(tste(data, seed=seed, time_limit=seconds).points)
    assert features is not None
    return cosine_similarity(features)


def draft_by(method: str, data: Comparisons, *, seed: int = 0) -> Tree:
    """A tree by a method, with the effort of trials; not for cosine-al."""
    return tree_by(method, data, seed=seed, is_draft=True)[0]
