"""Upper bounds on the revenue: the gap that each leaves, and its seconds."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks import record
from benchmarks.search import planar_points
from tripletree.datasets.catalogue import fetch_car, fetch_things
from tripletree.datasets.food import fetch_food
from tripletree.datasets.planted import published_planted, published_triplets

COLUMNS = ["", "gap to the tree by maximise_revenue", "CPU seconds"]


def bench_bounds(rounds: int, scale: int) -> None:
    """What trees by maximise_revenue may miss, by every bound that fits the size."""
    for name, answers in cases(scale).items():
        s: Any = tt.adds_similarity(answers, sparse=False)
        earned = tt.maximise_revenue(s, n_restarts=5).revenue
        rows: list[list[Any]] = []
        for method in ("three objects", "four objects", "groups"):
            if method != "four objects" or len(s) <= 100:
                tt.upper_bound(s[:20, :20], method=method)
                began = time.process_time()
                bound = tt.upper_bound(s, method=method)
                seconds = time.process_time() - began
                rows.append([method, bound / earned - 1, seconds])
        title = f"{name}, {len(s)} objects, {len(answers)} triplets"
        record.figures(title, COLUMNS, rows)
    record.note(
        "bounds by default, without a time limit; the gap is bound / revenue - 1"
    )


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
