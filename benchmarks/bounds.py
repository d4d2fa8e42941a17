"""Upper bounds on the revenue: the gap that each leaves, and its seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks import record
from benchmarks.search import planar_points
from tripletree.datasets.catalogue import fetch_car, fetch_things
from tripletree.datasets.food import fetch_food
from tripletree.datasets.planted import published_planted, published_triplets
from tripletree.objective.bounds import Method

COLUMNS = ["", "gap to the tree by maximise_revenue", "CPU seconds"]
SECONDS = 60


def bench_bounds(rounds: int, scale: int) -> None:
    """What trees by maximise_revenue may miss, by every bound that fits the size."""
    for name, answers in cases(scale).items():
        s: Any = tt.adds_similarity(answers, sparse=False)
        found = tt.maximise_revenue(s, n_restarts=5)
        rows: list[list[Any]] = []
        for way, bound in ways(found.tree, s, SECONDS / scale).items():
            began = time.process_time()
            most = bound()
            seconds = time.process_time() - began
            rows.append([way, most / found.revenue - 1, seconds])
        title = f"{name}, {len(s)} objects, {len(answers)} triplets"
        record.figures(title, COLUMNS, rows)
    record.note("by default, or with a time limit; the gap is bound / revenue - 1")


def ways(tree: tt.Tree, s: Any, seconds: float) -> dict[str, Callable[[], float]]:
    """Every bound that fits the size, compiled: by default, and in so many seconds."""
    found: dict[str, Callable[[], float]] = {}
    is_small, timed = len(s) <= 100, f"{seconds:g} s"
    of_four: Method = "four objects"
    fits: tuple[Method, ...] = ("three objects", "groups")
    for method in (*fits, of_four) if is_small else fits:
        tt.upper_bound(s[:20, :20], method=method)
        found[method] = partial(tt.upper_bound, s, method=method)
    if is_small:
        four = partial(tt.upper_bound, s, method=of_four, time_limit=seconds)
        found[f"{of_four}, {timed}"] = four
    found[f"optimality_gap, {timed}"] = lambda: float(
        tt.optimality_gap(tree, s, time_limit=seconds).bound
    )
    return found


def cases(scale: int) -> dict[str, tt.Triplets]:
    """Answers by name; those of people where the data are."""
    model = published_planted()
    m = len(model.similarity) ** 2
    found = {"planted model": published_triplets(model.similarity, m // scale, 0)}
    points, source = planar_points(500)
    unit = points / np.linalg.norm(points, axis=1)[:, None]
    cosine = unit @ unit.T
    rng = np.random.default_rng(0)
    found[source] = tt.sample_triplets(
        (cosine + cosine.T) / 2, 250_000 // scale, flip=0.05, rng=rng
    )
    if "TRIPLETREE_DATA" in os.environ:
        found["Car"] = fetch_car().comparisons
        found["Food"] = fetch_food().comparisons
        found["THINGS sample"] = fetch_things().comparisons
    return found
