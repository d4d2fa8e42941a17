"""Climbing on a sparse similarity: revenue against seconds, and memory."""

from __future__ import annotations

import resource
import time
import warnings
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks import record

CHECKPOINTS = (10, 20, 30, 60, 120, 300, 600)
WRONG = 0.1


def planted_answers(n_rows: int, n_objects: int, n_per_cluster: int) -> tt.Triplets:
    """Random triplets, answered by two levels of clusters; one in ten is wrong.

    Ten clusters make a group. The answer is the object that shares the cluster, or else
    the group; a coin decides where both do or neither does. Ids are in no order.
    """
    rng = np.random.default_rng(0)
    names = rng.permutation(n_objects)
    rows = np.empty((n_rows, 3), np.int32)
    for start in range(0, n_rows, 10**6):
        m = min(10**6, n_rows - start)
        i, j = rng.integers(0, n_objects, m), rng.integers(0, n_objects - 1, m)
        j += j >= i
        k = rng.integers(0, n_objects - 2, m)
        k += k >= np.minimum(i, j)
        k += k >= np.maximum(i, j)
        lead = np.zeros(m, np.int64)
        for size in (n_per_cluster, 10 * n_per_cluster):
            lead += (i // size == j // size).astype(int) - (i // size == k // size)
        is_k = np.where(lead == 0, rng.random(m) < 0.5, lead < 0)
        is_k ^= (lead != 0) & (rng.random(m) < WRONG)
        near, far = np.where(is_k, (k, j), (j, k))
        rows[start : start + m] = names[np.stack([i, near, far], axis=1)]
    rows.flags.writeable = False
    return tt.Triplets(rows, n_objects)


def bench_sparse_search(rounds: int, scale: int) -> None:
    """10^5 objects and 10^7 triplets: linkage, then at most 600 s of climbing."""
    n, m = 100_000 // scale, 10**7 // scale
    answers = planted_answers(m, n, n // 100)
    s: Any = tt.adds_similarity(answers, sparse=True)
    record.note(f"{n} objects, {m} triplets, {s.nnz // 2} pairs stored")
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = tt.sparse_average_linkage(s)
    earned = tt.revenue(start, s)
    seconds = time.perf_counter() - began
    record.note(f"linkage: {seconds:.0f} s, revenue {earned}")
    left = list(CHECKPOINTS)

    def show(progress: tt.Progress) -> None:
        seconds, best = time.perf_counter() - began, progress.value or 0
        if left and seconds >= left[0]:
            left.pop(0)
            record.note(
                f"{seconds:.0f} s: {best} ({best / earned - 1:+.1%}), "
                f"{progress.done} moves"
            )

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    result = tt.climb(start, s, time_limit=600 / scale, progress=show)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    record.note(
        f"climb: {seconds:.0f} s, revenue {result.revenue} "
        f"({result.revenue / earned - 1:+.1%}), {result.n_moves} moves, "
        f"optimal: {result.is_optimal}"
    )
    record.note(
        f"peak of memory: {peak / 1e3:.0f} MB, {before / 1e3:.0f} MB before the "
        f"climb; a table of n x n would be {8 * n * n / 1e6:.0f} MB"
    )
