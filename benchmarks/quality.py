"""Right trees beside quick ones: the same answers for every way to a tree."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks import linkage, record
from tripletree.datasets.planted import published_planted, published_triplets
from tripletree.methods import make_tree

OWN = ("adds-al", "mulk-al", "tste-al", "climb", "complete")


def bench_quality(rounds: int, scale: int) -> None:
    """Revenue, AARI and seconds from answers to a tree, for every way to a tree."""
    model = published_planted()
    n = len(model.similarity)
    for m in (n * n, n * n // 8):
        answers = published_triplets(model.similarity, m, 0)
        s: Any = tt.adds_similarity(answers)
        rows: list[list[Any]] = []
        for name, action in ways(answers, s).items():
            began = time.perf_counter()
            tree = action()
            seconds = time.perf_counter() - began
            agreement = tt.aari(tree, model.labels)
            rows.append([name, seconds, tt.revenue(tree, answers), agreement])
        title = f"planted model of the paper, {n} objects, {m} triplets"
        record.figures(title, ["", "seconds", "revenue", "AARI"], rows)
    record.note("seconds go from answers to the tree; peers get AddS from tripletree")


def ways(answers: tt.Triplets, s: Any) -> dict[str, Callable[[], tt.Tree]]:
    """Every way that is installed; what must be compiled, is."""
    found: dict[str, Callable[[], tt.Tree]] = {}
    for name in linkage.peers(s):
        found[name] = partial(by_peer, name, answers)
    if record.has("sknetwork"):
        found["sknetwork.hierarchy.Paris, shifted"] = partial(by_paris, answers)
    for method in OWN:
        found[f"tripletree, {method}"] = partial(by_method, method, answers)
        make_tree(method, answers[:50])
    return found


def by_method(method: str, answers: tt.Triplets) -> tt.Tree:
    """A tree by one of tripletree's methods, without its held-out revenue."""
    return make_tree(method, answers)[0]


def by_peer(name: str, answers: tt.Triplets) -> tt.Tree:
    """Average linkage of AddS."""
    s: Any = tt.adds_similarity(answers, sparse=False)
    return linkage.peer_tree(name, linkage.peers(s)[name]())


def by_paris(answers: tt.Triplets) -> tt.Tree:
    """Paris needs weights of at least 0, so the smallest one is subtracted."""
    from scipy.sparse import csr_matrix
    from sknetwork.hierarchy import Paris

    s: Any = tt.adds_similarity(answers, sparse=False)
    shifted = (s - s.min()).astype(np.float64)
    np.fill_diagonal(shifted, 0)
    matrix = Paris().fit_predict(csr_matrix(shifted))
    return tt.Tree(matrix[:, :2].astype(np.int64))
