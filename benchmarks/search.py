"""Climbing: beside SciPy's linkage, and against the numbers of objects and answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tripletree as tt
from benchmarks import record
from benchmarks.answers import random_triplets
from benchmarks.measure import in_turns, memory_growth, times_against
from tripletree.datasets.catalogue import fetch_things

OURS = "tripletree.climb"


def bench_search(rounds: int, scale: int) -> None:
    """Climbing beside SciPy's average linkage; time against n and m; ten thousand."""
    from scipy.cluster.hierarchy import linkage

    points, source = planar_points(2_000 // scale)
    n = len(points)
    unit = points / np.linalg.norm(points, axis=1)[:, None]
    cosine = unit @ unit.T
    cosine = (cosine + cosine.T) / 2
    rng = np.random.default_rng(0)
    answers = tt.sample_triplets(cosine, n * n, flip=0.05, rng=rng)
    s: Any = tt.adds_similarity(answers)
    start = tt.average_linkage(s)
    condensed = (s.max() - s)[np.triu_indices(n, 1)].astype(np.float64)
    title = f"{n} objects ({source}), {n * n} triplets, 5 % flipped"
    actions: dict[str, Callable[[], Any]] = {
        OURS: lambda: tt.climb(start, s),
        "scipy.cluster.hierarchy.linkage": lambda: linkage(condensed, "average"),
    }
    record.times(title, in_turns(actions, rounds))
    trees = {
        "scipy.cluster.hierarchy.linkage": tt.Tree.from_linkage(
            linkage(condensed, "average")
        ),
        "average linkage": start,
        "average linkage of the true cosines": tt.average_linkage(cosine),
        "climb": tt.climb(start, s).tree,
        "maximise_revenue": tt.maximise_revenue(s).tree,
    }
    rows = [[name, tt.revenue(tree, s)] for name, tree in trees.items()]
    record.figures("the same objects", ["", "revenue"], rows)
    climbs_against_sizes(scale)
    n, m = 10_000 // scale, 10**7 // scale**2
    answers = random_triplets(m, n)
    began = time.perf_counter()
    growth = memory_growth(lambda: climb_and_say(answers))
    seconds = time.perf_counter() - began
    record.note(
        f"{n} objects, {m} triplets: {seconds:.0f} s, {growth:.0f} MB more memory"
    )


def bench_ratchet(rounds: int, scale: int) -> None:
    """What 30 more seconds bring after the usual restarts: the ratchet."""
    if "TRIPLETREE_DATA" in os.environ:
        name, answers = "THINGS sample", fetch_things().comparisons
    else:
        name, answers = "points in the plane", random_triplets(10**5, 1_854)
    s: Any = tt.adds_similarity(answers, sparse=False)
    tt.climb(tt.average_linkage(s), s)  # compiles
    more, rows = 30 / scale, []
    for seed in range(2):
        began = time.perf_counter()
        usual = tt.maximise_revenue(s, seed=seed).revenue
        seconds = time.perf_counter() - began
        longer = tt.maximise_revenue(s, seed=seed, time_limit=seconds + more).revenue
        rows.append([f"seed {seed}", usual, seconds, longer, longer / usual - 1])
    columns = ["", "revenue", "seconds", f"{more:g} s more", "gain"]
    record.figures(f"{name}, {len(s)} objects", columns, rows)


def climbs_against_sizes(scale: int) -> None:
    """One climb at each number of objects, and of answers."""
    sizes = [n // scale for n in (625, 1_250, 2_500, 5_000)]
    for share, words in ((0.1, "n²/10 triplets"), (1.0, "n² triplets")):
        found = times_against(sizes, climb_case(share), 1)
        record.scaling(f"climb, {words}", "objects", sizes, found)
    n = 2_000 // scale
    counts = [n * n // 100, n * n // 10, n * n]
    found = times_against(counts, lambda m: climb_case(m / n**2)(n), 1)
    record.scaling(f"climb, {n} objects", "answers", counts, found)


def climb_and_say(answers: tt.Triplets) -> None:
    """Climb from average linkage and say what it brought."""
    s: Any = tt.adds_similarity(answers, sparse=False)
    start = tt.average_linkage(s)
    result = tt.climb(start, s)
    earned = tt.revenue(start, s)
    record.note(f"revenue {earned} -> {result.revenue} in {result.n_moves} moves")


def climb_case(share: float) -> Callable[[int], dict[str, Callable[[], Any]]]:
    """For n objects: a climb from average linkage with share * n^2 triplets."""

    def make(n: int) -> dict[str, Callable[[], Any]]:
        s: Any = tt.adds_similarity(random_triplets(int(share * n * n), n))
        start = tt.average_linkage(s)
        return {OURS: lambda: tt.climb(start, s)}

    return make


def planar_points(n: int) -> tuple[npt.NDArray[np.float64], str]:
    """MNIST in the plane, as many of each digit, or clusters if it is not there."""
    folder = Path(os.environ.get("TRIPLETREE_DATA", "")) / "mnist_tsne"
    if folder.is_dir() and "TRIPLETREE_DATA" in os.environ:
        points = np.loadtxt(folder / "reduced_test_X.csv", delimiter=",")
        digits = np.loadtxt(folder / "test_labels.csv").astype(int)
        chosen = [np.flatnonzero(digits == digit)[: n // 10] for digit in range(10)]
        points, name = points[np.concatenate(chosen)], "MNIST"
    else:
        rng = np.random.default_rng(0)
        points = rng.normal(size=(10, 1, 2)) * 4 + rng.normal(size=(10, n // 10, 2))
        points, name = points.reshape(n, 2), "ten clusters in the plane"
    low, high = points.min(axis=0), points.max(axis=0)
    return 2 * (points - low) / (high - low) - 1, name
