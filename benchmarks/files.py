"""`python -m benchmarks.files`: reading a large CSV file beside DuckDB's own scan.

The scan counts the different labels of each column, so it reads and hashes each value
once. read_comparisons does the same, then numbers every value, in a second pass. The
file has string labels, three in each row.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks.measure import in_turns, memory_growth, table
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


def measure_memory(path: str, what: str) -> None:
    """Print the memory that one action takes, in a process that did nothing before."""
    tiny = Path(path).with_name("tiny.csv")
    action = tt.read_comparisons if what == "read" else scan
    action(str(tiny))  # modules and kernels are loaded
    growth = memory_growth(lambda: action(path))
    print(f"  memory of {action.__name__}: {growth:.0f} MB", flush=True)


def main() -> None:
    """Write the file, then measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--objects", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.memory:
        measure_memory(*chosen.memory)
        return
    print(f"{n_threads()} threads, tripletree {tt.__version__}, ", end="")
    print(f"duckdb {version('duckdb')}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.csv")
        write_table(path, chosen.rows, chosen.objects)
        Path(folder, "tiny.csv").write_text("target,near,far\na,b,c\n")
        size = path.stat().st_size / 1e6
        print(f"  {chosen.rows} rows, {chosen.objects} labels, {size:.0f} MB of CSV")
        actions = {
            "duckdb, count(DISTINCT ...) of 3 columns": lambda: scan(str(path)),
            "tripletree.read_comparisons": lambda: tt.read_comparisons(path),
        }
        table(in_turns(actions, chosen.rounds))
        for what in ("scan", "read"):
            command = [sys.executable, "-m", "benchmarks.files", "--memory"]
            subprocess.run([*command, str(path), what], check=True)
        print(f"  the rows themselves: {chosen.rows * 12 / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
