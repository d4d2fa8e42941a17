"""t-STE beside cblearn: seconds and mean log-loss against n and m.

    python -m benchmarks.tste [--cblearn PYTHON] [--sizes 240:57600 1000:1000000]

cblearn 0.4 needs NumPy 1, so it runs in the environment of another interpreter, whose
path is given; without one, only tripletree is measured. Both get the same rows, from
the planted model of the paper with eight clusters, and take turns.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import tripletree as tt

SIZES = ["240:3600", "240:57600", "504:250000", "1000:100000", "1000:1000000"]

CBLEARN = """
import sys, time
import numpy as np
from cblearn.embedding import TSTE
rows, n = np.load(sys.argv[1]), int(sys.argv[2])
TSTE(2, random_state=0, max_iter=1).fit(rows[:100], n_objects=n)
began = time.perf_counter()
found = TSTE(2, random_state=int(sys.argv[3])).fit(rows, n_objects=n)
print(time.perf_counter() - began, found.stress_ / len(rows))
"""


def run_cblearn(python: str, answers: tt.Triplets, seed: int) -> tuple[float, float]:
    """Seconds and mean log-loss of cblearn's t-STE, start of the process left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, answers.rows)
        command = [python, "-c", CBLEARN, str(path), str(answers.n_objects), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, loss = done.stdout.split()[-2:]
    return float(seconds), float(loss)


def run_ours(answers: tt.Triplets, seed: int, **options: Any) -> tuple[float, float]:
    """Seconds and mean log-loss of tripletree's t-STE."""
    began = time.perf_counter()
    found = tt.tste(answers, seed=seed, **options)
    return time.perf_counter() - began, found.loss


def main() -> None:
    """Print a row per size: the median of the rounds, and what the peer takes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tste")
    parser.add_argument("--cblearn", help="interpreter of an environment with cblearn")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    chosen = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {tt.__name__} {tt.__version__}")
    print("     n         m | tripletree           | one start            | cblearn")
    for size in chosen.sizes:
        n, m = (int(part) for part in size.split(":"))
        rng = np.random.default_rng(0)
        model = tt.planted(n // 8, 3, rng=rng)
        answers = tt.sample_triplets(model.similarity, m, rng=rng)
        tt.tste(answers[:10])
        runs: dict[str, list[tuple[float, float]]] = {"ours": [], "one": [], "peer": []}
        for seed in range(chosen.rounds):
            runs["ours"].append(run_ours(answers, seed))
            runs["one"].append(run_ours(answers, seed, n_starts=1))
            if chosen.cblearn:
                runs["peer"].append(run_cblearn(chosen.cblearn, answers, seed))
        medians = {k: np.median(v, axis=0) for k, v in runs.items() if v}
        line = " | ".join(f"{t:8.3f} s loss {x:.4f}" for t, x in medians.values())
        ratio = ""
        if "peer" in medians:
            ratio = f"   x {medians['peer'][0] / medians['ours'][0]:.0f}"
        print(f"{n:6d} {m:9d} | {line}{ratio}", flush=True)


if __name__ == "__main__":
    main()
