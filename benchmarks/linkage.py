"""Average linkage of dense similarities beside SciPy, fastcluster, scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import tripletree as tt
from benchmarks import record
from benchmarks.answers import random_triplets
from benchmarks.measure import in_turns, memory_growth

OURS = "tripletree.average_linkage"


def peers(s: npt.NDArray[Any]) -> dict[str, Callable[[], Any]]:
    """Those that are installed, on distances made in advance."""
    from scipy.cluster.hierarchy import linkage
    from sklearn.cluster import AgglomerativeClustering

    distances = (s.max() - s).astype(np.float64)
    np.fill_diagonal(distances, 0)
    condensed = distances[np.triu_indices(len(s), 1)]
    model = AgglomerativeClustering(
        n_clusters=None,
        distance_threshold=0,
        metric="precomputed",
        linkage="average",
    )
    found: dict[str, Callable[[], Any]] = {}
    if record.has("fastcluster"):
        import fastcluster

        found["fastcluster.linkage"] = lambda: fastcluster.linkage(condensed, "average")
    found["scipy.cluster.hierarchy.linkage"] = lambda: linkage(condensed, "average")
    found["sklearn AgglomerativeClustering"] = lambda: model.fit(distances)
    return found


def peer_tree(name: str, result: Any) -> tt.Tree:
    """The tree that a peer returned."""
    if name.startswith("sklearn"):
        return tt.Tree(result.children_)
    return tt.Tree.from_linkage(result)


def bench_linkage(rounds: int, scale: int) -> None:
    """Average linkage beside fastcluster, SciPy, scikit-learn, with ties or without."""
    n = 10_000 // scale
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, 3))
    squares = (points**2).sum(axis=1)
    distances = np.sqrt(
        np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0)
    )
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0)
    answers: Any = tt.adds_similarity(random_triplets(n * n // 4, n), sparse=False)
    compare("AddS of n²/4 triplets", answers, rounds)
    compare("floats without ties", -distances, rounds)
    few = np.tril(rng.integers(-3, 4, (n // 2, n // 2)), -1)
    compare("random integers, many ties", few + few.T, rounds)


def compare(name: str, s: npt.NDArray[Any], rounds: int) -> None:
    """Time and memory on one matrix; the same tree where there are no ties."""
    tt.average_linkage(s[:3, :3])
    growth = memory_growth(lambda: tt.average_linkage(s))
    others = peers(s)
    actions = {OURS: lambda: tt.average_linkage(s), **others}
    title = f"{len(s)} objects, {name}, {s.nbytes / 1e6:.0f} MB"
    record.times(title, in_turns(actions, rounds))
    record.note(f"memory of tripletree beyond the input: {growth:.0f} MB")
    ours = tt.average_linkage(s)
    if s.dtype.kind == "f":
        for other, action in others.items():
            assert ours.is_same_hierarchy(peer_tree(other, action())), other
        record.note("all trees are the same")
    else:
        rows = [[OURS, tt.revenue(ours, s)]]
        for other, action in others.items():
            rows.append([other, tt.revenue(peer_tree(other, action()), s)])
        record.figures(f"revenue, {name}", ["", "revenue"], rows)
