"""How many clusters `cluster` suggests, where their true number is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import tripletree as tt
from benchmarks import record

EQUAL, UNEQUAL = (30,) * 8, (5, 80, 8, 50, 12, 35, 20, 30)
MU, DELTA, SIGMA = 0.8, 0.15, 0.1  # of the planted model
# What is drawn: the sizes of the eight clusters and the number of strays.
MODELS: dict[str, tuple[tuple[int, ...], int]] = {
    "planted": (EQUAL, 0),
    "one stray": (EQUAL, 1),
    "three strays": (EQUAL, 3),
    "unequal sizes": (UNEQUAL, 0),
    "noise": ((240,), 0),
}
Labels = npt.NDArray[np.int64]


def bench_clusters(rounds: int, scale: int) -> None:
    """How many clusters are suggested where the true number is known (an hour)."""
    draws = range(max(1, 4 * rounds // scale))
    for share, method in ((4, "climb"), (0.25, "complete")):
        rows: list[list[Any]] = []
        for name, (sizes, n_strays) in MODELS.items():
            found = [suggestion(sizes, n_strays, share, method, x) for x in draws]
            numbers = [k for k, _, _ in found]
            counts = {k: numbers.count(k) for k in sorted({*numbers})}
            shown = ", ".join(f"{k} ({times} times)" for k, times in counts.items())
            too_many = sum(k > len(sizes) for k in numbers)
            left_out, agreement = np.mean([more for _, *more in found], axis=0)
            rows.append([name, shown, too_many, left_out, agreement])
        title = f"{share} n² triplets, {len(draws)} draws, by {method}"
        columns = ["", "clusters", "too many", "unassigned", "ARI"]
        record.figures(title, columns, rows)
    record.note("ARI: with the true level, of 2, 4 or 8 clusters, that fits best")


def suggestion(
    sizes: tuple[int, ...], n_strays: int, share: float, method: str, draw: int
) -> tuple[int, int, float]:
    """The number of clusters, objects in none of them, and the adjusted Rand index."""
    rng = np.random.default_rng(draw)
    similarity, truth = drawn_model(sizes, n_strays, rng)
    n = len(similarity)
    flip = 0.5 if len(sizes) == 1 else 0.0
    answers = tt.sample_triplets(similarity, int(share * n * n), flip=flip, rng=rng)
    options: dict[str, Any] = {"n_folds": 0, "bound": False, "support": 30}
    found = tt.cluster(answers, method, **options).clusters
    levels = [each_alone(np.where(truth < 0, -1, truth >> up)) for up in range(3)]
    labels = each_alone(found.labels)
    agreement = max(tt.adjusted_rand_index(labels, level) for level in levels)
    return found.n_clusters, found.n_unassigned, agreement


def drawn_model(
    sizes: tuple[int, ...], n_strays: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float64], Labels]:
    """The planted model with clusters of these sizes, and strays (label -1)."""
    if sizes == EQUAL and not n_strays:
        model = tt.planted(rng=rng)
        return model.similarity, model.labels[-1]
    numbers = np.arange(len(sizes) + 1)
    numbers[-1] = -1
    truth = np.repeat(numbers, (*sizes, n_strays))
    n = len(truth)
    s = np.full((n, n), MU - 3 * DELTA)
    for up in range(3):
        level = each_alone(np.where(truth < 0, -1, truth >> up))
        s += DELTA * (level[:, None] == level)
    noise = np.triu(SIGMA * rng.normal(size=(n, n)), 1)
    places = rng.permutation(n)
    return (s + noise + noise.T)[np.ix_(places, places)], truth[places]


def each_alone(labels: Labels) -> Labels:
    """Labels in which every object without a cluster is a cluster of its own."""
    return np.where(labels < 0, -1 - np.arange(len(labels)), labels)
