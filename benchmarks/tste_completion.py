"""Completion on the paper's planted model: AARI of the tree against m.

    python -m benchmarks.tste_completion [--draws 10] [--embeddings 10] [--dimensions 2]

One similarity of 240 objects and the samples of triplets are drawn as the paper drew
them, so that the last column, the best published mean, is about the same answers.
"""

from __future__ import annotations

import argparse
import random

import numpy as np
import numpy.typing as npt

import tripletree as tt

BEST_PUBLISHED = {1: 0.868, 2: 0.860, 4: 0.851, 8: 0.840, 16: 0.720, 32: 0.549}
N_IN_BLOCK, N_LEVELS, MEAN, SIGMA, DELTA = 30, 3, 0.8, 0.1, 0.15

Ints = npt.NDArray[np.int64]


def published_similarity() -> tuple[npt.NDArray[np.float64], list[Ints]]:
    """The planted similarities, and the labels of every level from coarse to fine."""
    n = N_IN_BLOCK * 2**N_LEVELS
    block = np.arange(n) // N_IN_BLOCK
    rng = np.random.RandomState(0)  # the legacy generator, as published
    noise = SIGMA * rng.normal(size=(n, n))
    levels = [block >> (N_LEVELS - level) for level in range(1, N_LEVELS + 1)]
    means = np.full((n, n), MEAN - N_LEVELS * DELTA)
    for labels in levels:
        means += DELTA * (labels[:, None] == labels)
    upper = np.triu(means + noise, 1)
    place = rng.permutation(n)
    similarity = np.empty((n, n))
    similarity[np.ix_(place, place)] = upper + upper.T
    object_at = np.argsort(place)
    return similarity, [labels[object_at] for labels in levels]


def published_triplets(
    similarity: npt.NDArray[np.float64], m: int, draw: int
) -> tt.Triplets:
    """The triplets of one draw, without repetition, the more similar object first."""
    n = len(similarity)
    n_pairs = (n - 1) * (n - 2) // 2
    sample = np.array(random.Random(draw + 42).sample(range(n * n_pairs), m))
    i, pair = sample // n_pairs, sample % n_pairs
    j, k = (side[pair] for side in np.triu_indices(n - 1, 1))
    j, k = j + (j >= i), k + (k >= i)
    near, far = np.where(similarity[i, j] >= similarity[i, k], (j, k), (k, j))
    return tt.Triplets(np.stack([i, near, far], axis=1), n)


def main() -> None:
    """Print the mean AARI per m: of the answers, expected AddS and implied AddS."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tste_completion")
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--embeddings", type=int, default=10)
    parser.add_argument("--dimensions", type=int, default=2)
    chosen = parser.parse_args()
    similarity, levels = published_similarity()
    print("      m   answers  expected   implied   (least)   published")
    for share, published in BEST_PUBLISHED.items():
        found = []
        for draw in range(chosen.draws):
            m = len(similarity) ** 2 // share
            answers = published_triplets(similarity, m, draw)
            embeddings = [
                tt.tste(answers, n_dimensions=chosen.dimensions, n_starts=1, seed=seed)
                for seed in range(chosen.embeddings)
            ]
            forms = (answers, tt.expected_adds(embeddings), tt.implied_adds(embeddings))
            trees = [tt.maximise_revenue(form, n_restarts=10).tree for form in forms]
            found.append([tt.aari(tree, levels) for tree in trees])
        means = "".join(f"{mean:10.3f}" for mean in np.mean(found, axis=0))
        least = min(row[2] for row in found)
        print(f"n^2/{share:<3d}{means}   ({least:.3f}){published:12.3f}", flush=True)


if __name__ == "__main__":
    main()
