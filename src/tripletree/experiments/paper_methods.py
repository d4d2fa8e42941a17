"""The methods of the paper's experiments beside tripletree's own.

Names are those of `published.toml`: a 3 is for triplets, a 4 for quadruplets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy.typing as npt

import tripletree as tt
from tripletree._progress import ignore
from tripletree.clustering.method_choice import choose_method
from tripletree.experiments.cells import Record
from tripletree.methods import FULL, Effort, make_tree

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

OF_LIBRARY = {  # the same method under the name of the library
    "adds3_al": "adds-al",
    "adds4_al": "adds-al",
    "mulk3_al": "mulk-al",
    "four_k_al": "4k-al",
}
SKETCH = Effort(1.0, 1, 3, 4, 3)

Trees = dict[str, tuple[tt.Tree, str]]  # by each method, and the method that made it


def published_tree(
    method: str, answers: tt.Comparisons, *, seed: int = 0, similarity: Any = None
) -> tt.Tree:
    """A tree by a method of the paper, always by average linkage.

    seed is for tSTE-AL alone, similarity for Cosine-AL.
    """
    if method in OF_LIBRARY:
        return make_tree(OF_LIBRARY[method], answers)[0]
    if method == "tste_al":  # from one start, as published
        similarity = tt.cosine_similarity(
            tt.tste(answers, n_starts=1, seed=seed).points
        )
    return tt.average_linkage(similarity)


def published_trees(
    methods: Iterable[str], answers: tt.Comparisons, **given: Any
) -> Trees:
    """Trees by methods of the paper; given: as `published_tree` takes it."""
    return {name: (published_tree(name, answers, **given), name) for name in methods}


def own_trees(
    answers: tt.Comparisons, *, seed: int = 0, is_draft: bool = False
) -> Trees:
    """Trees by climb, complete and auto, and the method that made each.

    What auto chose is not made again: the same seed would give the same tree. Drafts
    are made with one restart and of three embeddings, in a tenth of the time.
    """
    make = partial(make_tree, seed=seed, effort=SKETCH if is_draft else FULL)
    trees: dict[str, tt.Tree] = {}
    if is_draft:
        chosen, _, _ = choose_method(answers, make, 3, seed, ignore, math.inf)
    else:
        found = tt.cluster(answers, bound=False, support=0, seed=seed)
        chosen, trees[found.method] = found.method, found.tree
    for name in ("climb", "complete", chosen):
        if name not in trees:
            trees[name], _ = make(name, answers)
    named = {name: (trees[name], name) for name in ("climb", "complete")}
    return {**named, "auto": (trees[chosen], chosen)}


def records_of(
    trees: Trees, answers: tt.Comparisons, truth: npt.NDArray[Any], **settings: Any
) -> list[Record]:
    """What each tree earns on the answers, and how right it is."""
    return [
        {
            **settings,
            "method": method,
            "made_by": made_by,
            "revenue": int(tt.revenue(tree, answers)),
            "aari": float(tt.aari(tree, truth)),
        }
        for method, (tree, made_by) in trees.items()
    ]
