"""The methods of the paper's experiments beside tripletree's own.

Names are those of `published.toml`: a 3 is for triplets, a 4 for quadruplets.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree.cluster import cluster
from tripletree.comparisons.answers import Comparisons
from tripletree.embedding.completion import completed_similarity
from tripletree.embedding.tste import tste
from tripletree.evaluation.holdout import held_out
from tripletree.linkage.average import average_linkage
from tripletree.search.climb import maximise_revenue
from tripletree.similarity.adds import adds_similarity
from tripletree.similarity.cosine import cosine_similarity
from tripletree.similarity.mulk import four_k_similarity, mulk_similarity
from tripletree.tree.tree import Tree

TRIPLET_METHODS = ("adds3_al", "tste_al", "mulk3_al")
QUADRUPLET_METHODS = ("adds4_al", "four_k_al")
OWN_METHODS = ("climb", "complete", "auto")
DRAFT_NOTE = "They make one restart here, and complete has three embeddings, not ten."

NAMES = {
    "adds3_al": "AddS3-AL",
    "tste_al": "tSTE-AL",
    "mulk3_al": "MulK3-AL",
    "cosine3_al": "Cosine-AL",
    "adds4_al": "AddS4-AL",
    "four_k_al": "4K-AL",
    "cosine4_al": "Cosine-AL",
    "climb": "climb",
    "complete": "complete",
    "auto": "auto",
}

Floats = npt.NDArray[np.float64]


def published_tree(
    method: str, answers: Comparisons, *, seed: int = 0, similarity: Any = None
) -> Tree:
    """A tree by a method of the paper, always by average linkage.

    seed is for tSTE-AL alone, similarity for Cosine-AL.
    """
    if method in ("adds3_al", "adds4_al"):
        s: Any = adds_similarity(answers, sparse=False)
    elif method == "mulk3_al":
        s = mulk_similarity(answers)
    elif method == "four_k_al":
        s = four_k_similarity(answers)
    elif method == "tste_al":
        s = cosine_similarity(tste(answers, n_starts=1, seed=seed).points)
    else:
        s = similarity
    return average_linkage(s)


def own_trees(
    answers: Comparisons, *, seed: int = 0, is_draft: bool = False
) -> dict[str, tuple[Tree, str]]:
    """Trees by climb, complete and auto, and the method that made each.

    What auto chose is not made again: the same seed would give the same tree. Drafts
    are made with one restart and of three embeddings, in a tenth of the time.
    """
    if is_draft:
        return _own_drafts(answers, seed)
    found = cluster(answers, seed=seed)
    trees = {found.method: found.tree}
    for name in ("climb", "complete"):
        if name not in trees:
            trees[name] = cluster(answers, name, n_folds=0, seed=seed).tree
    named = {name: (trees[name], name) for name in ("climb", "complete")}
    return {**named, "auto": (found.tree, found.method)}


def _own_drafts(answers: Comparisons, seed: int) -> dict[str, tuple[Tree, str]]:
    """The choice of `cluster` again, with less effort than its own trials."""

    def make(name: str, data: Comparisons) -> Tree:
        if name == "adds-al":
            return average_linkage(adds_similarity(data, sparse=False))
        s: Any = data
        if name == "complete":
            s = completed_similarity(data, n_embeddings=3, seed=seed)
        return maximise_revenue(s, n_restarts=1, seed=seed).tree

    earned = {
        name: held_out(answers, partial(make, name), n_folds=3, seed=seed).revenue
        for name in ("adds-al", "climb", "complete")
    }
    chosen = max(earned, key=lambda name: earned[name])
    trees = {name: make(name, answers) for name in {"climb", "complete", chosen}}
    named = {name: (trees[name], name) for name in ("climb", "complete")}
    return {**named, "auto": (trees[chosen], chosen)}
