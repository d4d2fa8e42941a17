"""t-STE beside cblearn: seconds, mean log-loss, and the AARI of the tree from it.

cblearn runs in an environment of its own, whose interpreter the environment variable
TRIPLETREE_CBLEARN names (`python -m benchmarks --with-cblearn` makes one, `--cblearn
PYTHON` takes one); without it, only tripletree is measured. Both get the same rows,
from the planted model of the paper with eight clusters, and take turns.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks import record

VARIABLE = "TRIPLETREE_CBLEARN"
SIZES = (
    (240, 3_600),
    (240, 57_600),
    (504, 250_000),
    (1_000, 100_000),
    (1_000, 1_000_000),
)
SMALL_SIZES = ((120, 1_800), (120, 14_400))
COLUMNS = ["", "seconds", "ratio", "log-loss", "AARI"]

CBLEARN = """
import sys, time
import numpy as np
from cblearn.embedding import TSTE
rows, n = np.load(sys.argv[1]), int(sys.argv[2])
TSTE(2, random_state=0, max_iter=1).fit(rows[:100], n_objects=n)
began = time.perf_counter()
found = TSTE(2, random_state=int(sys.argv[3])).fit(rows, n_objects=n)
print(time.perf_counter() - began, found.stress_ / len(rows))
np.save(sys.argv[4], found.embedding_)
"""

Run = tuple[float, float, Any]


def bench_tste(rounds: int, scale: int) -> None:
    """t-STE beside cblearn's: seconds, log-loss, and AARI of average linkage on it."""
    python = os.environ.get(VARIABLE)
    if not python:
        record.note("cblearn is not measured: --with-cblearn makes an environment")
    for n, m in SIZES if scale == 1 else SMALL_SIZES:
        rng = np.random.default_rng(0)
        model = tt.planted(n // 8, 3, rng=rng)
        answers = tt.sample_triplets(model.similarity, m, rng=rng)
        tt.tste(answers[:10])
        runs: dict[str, list[Run]] = {}
        for seed in range(min(rounds, 3)):
            found = {
                "tripletree.tste": run_ours(answers, seed),
                "tripletree.tste, one start": run_ours(answers, seed, n_starts=1),
            }
            if python:
                found["cblearn TSTE"] = run_cblearn(python, answers, seed)
            for name, run in found.items():
                runs.setdefault(name, []).append(run)
        title = f"{n} objects, {m} triplets, median of {min(rounds, 3)} seeds"
        record.figures(title, COLUMNS, rows_of(runs, model))


def rows_of(runs: dict[str, list[Run]], model: tt.Planted) -> list[list[Any]]:
    """Medians of seconds, loss and AARI for each way."""
    rows: list[list[Any]] = []
    for name, found in runs.items():
        seconds = float(np.median([run[0] for run in found]))
        loss = float(np.median([run[1] for run in found]))
        trees = [tt.average_linkage(tt.cosine_similarity(run[2])) for run in found]
        right = float(np.median([tt.aari(tree, model.labels) for tree in trees]))
        ours = rows[0][1] if rows else seconds
        rows.append([name, seconds, f"x {seconds / ours:.2f}", loss, right])
    return rows


def run_cblearn(python: str, answers: tt.Triplets, seed: int) -> Run:
    """Seconds, mean log-loss and points of cblearn, without the start of Python."""
    with tempfile.TemporaryDirectory() as folder:
        path, points = Path(folder, "rows.npy"), Path(folder, "points.npy")
        np.save(path, answers.rows)
        command = [python, "-W", "ignore", "-c", CBLEARN, str(path)]
        command += [str(answers.n_objects), str(seed), str(points)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, loss = done.stdout.split()[-2:]
        return float(seconds), float(loss), np.load(points)


def run_ours(answers: tt.Triplets, seed: int, **options: Any) -> Run:
    """Seconds, mean log-loss and points of tripletree's t-STE."""
    began = time.perf_counter()
    found = tt.tste(answers, seed=seed, **options)
    return time.perf_counter() - began, found.loss, found.points
