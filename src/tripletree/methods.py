"""Every method: comparisons in, a tree out.

A method computes a similarity from the answers, and a tree from the similarity:

=============  ==================================  =================================
method         similarity                          tree
=============  ==================================  =================================
``adds-al``    AddS3 or AddS4                      average linkage
``mulk-al``    MulK3 or MulK4                      average linkage
``4k-al``      MulK4 + 2 AddS4                     average linkage
``tste-al``    cosine of points embedded by t-STE  average linkage
``cosine-al``  cosine of given feature vectors     average linkage
``climb``      AddS3 or AddS4                      largest revenue, by moving subtrees
``complete``   AddS of all questions, by points    largest revenue, by moving subtrees
``posterior``  AddS of all questions, by clusters  largest revenue, by moving subtrees
=============  ==================================  =================================

The first five are the methods of the paper.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tripletree._progress import OnProgress
from tripletree.comparisons.triplets import Comparisons
from tripletree.completion.by_embedding import N_DIMENSIONS, complete_by_points
from tripletree.completion.posterior import block_posterior
from tripletree.completion.ranks import likelier_adds
from tripletree.embedding.tste import SHORT_WAY, WHOLE_WAY, tste
from tripletree.linkage.average import with_average_heights
from tripletree.linkage.sparse_average import linkage_of
from tripletree.objective.value import merge_sums
from tripletree.search.climb import search_tree
from tripletree.search.moves import default_restarts
from tripletree.similarity.adds import LARGEST_DENSE
from tripletree.similarity.cosine import cosine_similarity
from tripletree.similarity.matrix import Similarity, similarity_of
from tripletree.similarity.mulk import four_k_similarity, mulk_similarity
from tripletree.tree.tree import Tree

OF_PAIR_SUMS = ("adds-al", "climb")  # these need no more of the answers
METHODS = (
    *("adds-al", "mulk-al", "4k-al", "tste-al", "cosine-al"),
    *("climb", "complete", "posterior"),
)
COMPLETING = ("complete", "posterior")  # they fill in questions that were not asked
SIMILARITIES = {"mulk-al": mulk_similarity, "4k-al": four_k_similarity}  # of the paper
FIXED = "cosine-al"  # by features alone: the answers do not change it

MOST_RESTARTS_OF_COMPLETED = 500  # its sums are estimates anyway
SHARE_FOR_COMPLETION = 0.7  # of the time
PARTS = 64  # what is expected of all questions, in whole parts of an answer
LIKELIER = 32  # parts for each likelier answer, see completion/ranks.py


class Effort(NamedTuple):
    """How hard to try: a share of the usual restarts, their limit, and repetitions.

    n_embeddings are those of "complete", n_starts those of "tste-al", n_chains those of
    "posterior"; tolerance is that of t-STE.
    """

    share: float
    most_restarts: int
    n_embeddings: int
    n_starts: int
    n_chains: int
    tolerance: float = WHOLE_WAY


FULL = Effort(1.0, 10**9, 10, 4, 6)
DRAFT = Effort(0.1, 50, 3, 4, 3)  # for trials on held-out answers
# For the bootstrap: one climb, few embeddings, one chain.
REPLICATE = Effort(0.0, 0, 2, 1, 1, SHORT_WAY)


def make_tree(
    method: str,
    answers: Comparisons,
    *,
    features: npt.ArrayLike | None = None,
    seed: int = 0,
    seconds: float = math.inf,
    effort: Effort = FULL,
    progress: OnProgress | None = None,
) -> tuple[Tree, bool]:
    """Make a tree by a method; also say whether the time limit cut it short.

    features are for cosine-al alone. progress is called with the number of embeddings,
    chains and climbs.
    """
    began, is_cut = time.monotonic(), False
    made: Any = answers
    if method in SIMILARITIES:
        made = SIMILARITIES[method](answers)
    elif method == "cosine-al":
        assert features is not None
        made = cosine_similarity(features)
    elif method == "tste-al":
        found = tste(
            answers,
            n_starts=effort.n_starts,
            seed=seed,
            tolerance=effort.tolerance,
            time_limit=seconds,
        )
        made = cosine_similarity(found.points)
        is_cut = time.monotonic() - began >= seconds
    elif method == "posterior":
        model = block_posterior(
            answers,
            n_chains=effort.n_chains,
            seed=seed,
            time_limit=SHARE_FOR_COMPLETION * seconds,
            progress=progress,
        )
        parts = np.rint(PARTS * model.similarity).astype(np.int64)
        made, is_cut = parts + LIKELIER * likelier_adds(parts), model.is_stopped
    elif method == "complete":
        made, is_cut = complete_by_points(
            answers,
            effort.n_embeddings,
            N_DIMENSIONS,
            seed,
            effort.tolerance,
            began + SHARE_FOR_COMPLETION * seconds,
            progress,
        )
    s, _ = similarity_of(made)
    left = max(0.0, began + seconds - time.monotonic())
    tree, is_stopped = tree_of_similarity(
        method, s, answers.labels, seed, left, effort, progress
    )
    return tree, is_cut or is_stopped


def tree_of_similarity(
    method: str,
    s: Similarity,
    labels: tuple[str, ...] | None,
    seed: int,
    seconds: float,
    effort: Effort = FULL,
    progress: OnProgress | None = None,
) -> tuple[Tree, bool]:
    """The second half of `make_tree`: a tree of the checked similarity of a method."""
    if method.endswith("-al"):
        tree = linkage_of(s, time.monotonic() + seconds)
        is_stopped = tree.heights is None
        if is_stopped:
            tree = with_average_heights(tree, merge_sums(tree, s))
        return tree.with_labels(labels), is_stopped
    n = s.shape[0]
    n_restarts = min(int(default_restarts(n) * effort.share), effort.most_restarts)
    if method in COMPLETING:
        n_restarts = min(n_restarts, MOST_RESTARTS_OF_COMPLETED)
    if n > LARGEST_DENSE and math.isinf(seconds):
        n_restarts = 0  # as in maximise_revenue: a single climb takes long
    found = search_tree(s, labels, n_restarts, seed, seconds, progress)
    return found.tree, found.is_stopped
