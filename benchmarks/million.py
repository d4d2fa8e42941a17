"""A million objects: from a Parquet file of answers to a tree and its revenue.

Answers about a planted structure of two levels are written, then read, clustered and
scored in a process of its own: seconds and peak memory for 10^5, 10^6 and 10^7 answers,
and the exponent of the time against their number. ``python -m benchmarks.million FILE``
measures one file, also with the source of another commit on the path, to compare both.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tripletree as tt
from benchmarks import record
from benchmarks.sparse import planted_triplets


def bench_million(rounds: int, scale: int) -> None:
    """From a Parquet file to tree and revenue, for a million objects."""
    n = 10**6 // scale
    counts = [m // scale for m in (10**5, 10**6, 10**7)]
    rows, seconds = [], []
    with tempfile.TemporaryDirectory() as folder:
        for m in counts:
            path = Path(folder, f"{m}.parquet")
            tt.write_comparisons(planted_triplets(m, n), path)
            command = [sys.executable, "-m", "benchmarks.million", str(path)]
            for _ in range(2):  # the first one may compile
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True
                )
            found = json.loads(done.stdout)
            rows.append([f"{m} answers", *found.values()])
            seconds.append(found["seconds"])
    record.figures(f"{n} objects", ["", *found], rows)
    title = f"file to tree and revenue, {n} objects"
    record.scaling(title, "answers", counts, {"tripletree.cluster": seconds})


def measure(path: Path) -> None:
    """File to tree and revenue, with what each step takes."""
    began = time.monotonic()
    answers = tt.read_comparisons(path)
    read = time.monotonic()
    result = tt.cluster(answers, "adds-al")
    done = time.monotonic()
    used = resource.getrusage(resource.RUSAGE_SELF)
    counts = result.satisfaction
    assert counts is not None
    found = {
        "revenue": result.revenue,
        "satisfied": counts.satisfied,
        "seconds to read": read - began,
        "seconds": done - began,
        "CPU seconds": used.ru_utime + used.ru_stime,
        "peak GB": used.ru_maxrss / 2**20,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    measure(Path(sys.argv[1]))
