"""Reading a large CSV file beside DuckDB's own scan.

The scan counts the different labels of each column, so it reads and hashes each value
once. read_comparisons does the same, then numbers every value, in a second pass. The
file has string labels, three in each row.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks import record
from benchmarks.measure import in_turns, memory_growth
from tripletree._threads import n_threads

COLUMNS = ("target", "near", "far")


def write_table(path: Path, n_rows: int, n_objects: int) -> None:
    """Random answers about objects with names like image_00042.jpg."""
    rng = np.random.default_rng(0)
    names = [f"image_{i:05d}.jpg" for i in rng.permutation(n_objects)]
    with path.open("w") as file:
        file.write(",".join(COLUMNS) + "\n")
        for start in range(0, n_rows, 10**5):
            m = min(10**5, n_rows - start)
            i, step = rng.integers(0, n_objects, m), rng.integers(1, n_objects // 2, m)
            rows = zip(i, (i + step) % n_objects, (i - step) % n_objects, strict=True)
            lines = (f"{names[a]},{names[b]},{names[c]}\n" for a, b, c in rows)
            file.write("".join(lines))


def scan(path: str) -> Any:
    """How many different labels each column has."""
    import duckdb

    counts = ", ".join(f"count(DISTINCT {name})" for name in COLUMNS)
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"SET threads = {n_threads()}")
        query = f"SELECT {counts} FROM read_csv($1)"
        return connection.execute(query, [path]).fetchall()


def bench_files(rounds: int, scale: int) -> None:
    """Reading answers from CSV beside DuckDB's scan of the same file."""
    n_rows, n_objects = 10**7 // scale, 5_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.csv")
        write_table(path, n_rows, n_objects)
        Path(folder, "tiny.csv").write_text("target,near,far\na,b,c\n")
        size = path.stat().st_size / 1e6
        actions = {
            "tripletree.read_comparisons": lambda: tt.read_comparisons(path),
            "duckdb, count(DISTINCT ...) of 3 columns": lambda: scan(str(path)),
        }
        title = f"{n_rows} rows, {n_objects} labels, {size:.0f} MB of CSV"
        record.times(title, in_turns(actions, min(rounds, 3)))
        for what in ("scan", "read"):
            command = [sys.executable, "-m", "benchmarks.files", str(path), what]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            record.note(done.stdout.strip())
        record.note(f"the rows themselves: {n_rows * 12 / 1e6:.0f} MB")


def measure_memory(path: str, what: str) -> None:
    """Print the memory that one action takes, in a process that did nothing before."""
    tiny = Path(path).with_name("tiny.csv")
    action = tt.read_comparisons if what == "read" else scan
    action(str(tiny))  # modules and kernels are loaded
    growth = memory_growth(lambda: action(path))
    print(f"memory of {action.__name__}: {growth:.0f} MB")


if __name__ == "__main__":
    measure_memory(*sys.argv[1:])
