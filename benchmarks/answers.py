"""Simulated answers for the cases."""

from __future__ import annotations

import numpy as np

import tripletree as tt


def random_triplets(n_rows: int, n_objects: int) -> tt.Triplets:
    """Answers about random points in the plane, with ids in no order."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n_objects, 2)).astype(np.float32)
    rows = np.empty((n_rows, 3), np.int32)
    for start in range(0, n_rows, 10**6):
        m = min(10**6, n_rows - start)
        i, j = rng.integers(0, n_objects, m), rng.integers(0, n_objects - 1, m)
        j += j >= i
        k = rng.integers(0, n_objects - 2, m)
        k += k >= np.minimum(i, j)
        k += k >= np.maximum(i, j)
        to_j = ((points[i] - points[j]) ** 2).sum(axis=1)
        to_k = ((points[i] - points[k]) ** 2).sum(axis=1)
        near, far = np.where(to_j < to_k, (j, k), (k, j))
        rows[start : start + m] = np.stack([i, near, far], axis=1)
    rows.flags.writeable = False
    return tt.Triplets(rows, n_objects)
