"""A million objects: from a Parquet file of answers to a tree and its revenue.

`python -m benchmarks.million` writes answers about a planted structure of two levels,
then reads, clusters and scores them in a process of its own: seconds and peak memory
for 10^5, 10^6 and 10^7 answers, and the exponent of the time against their number.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import tripletree as tt
from benchmarks.sparse import planted_triplets

COUNTS = (10**5, 10**6, 10**7)


def main() -> None:
    """Measure each number of answers in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=10**6)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(chosen.measure)
        return
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for m in COUNTS:
            path = Path(folder, f"{m}.parquet")
            tt.write_comparisons(planted_triplets(m, chosen.objects), path)
            command = [sys.executable, "-m", "benchmarks.million", "--measure"]
            for _ in range(2):  # the first one may compile
                done = subprocess.run(
                    [*command, str(path)], capture_output=True, text=True, check=True
                )
            print(f"{chosen.objects} objects, {m} triplets\n{done.stdout}", flush=True)
            seconds.append(float(done.stdout.split()[-1]))
    slope = np.polyfit(np.log(COUNTS), np.log(seconds), 1)[0]
    last = np.log10(seconds[-1] / seconds[-2])
    print(f"time against answers: exponent {slope:.2f}, over the last ten {last:.2f}")


def measure(path: Path) -> None:
    """File to tree and revenue, with what each step takes."""
    began = time.monotonic()
    answers = tt.read_comparisons(path)
    read = time.monotonic()
    result = tt.cluster(answers, "adds-al")
    done = time.monotonic()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    counts = result.satisfaction
    assert counts is not None
    print(f"  revenue {result.revenue}, {counts.satisfied} satisfied")
    print(f"  read {read - began:.1f} s, tree and revenue {done - read:.1f} s")
    print(f"  peak memory {peak:.2f} GB, in all (s)\n  {done - began:.1f}")


if __name__ == "__main__":
    main()
