"""Reading large files beside DuckDB's own scan of them.

The scan counts the different values of each column, so it reads and hashes each value
once. read_comparisons does the same, then numbers every value, in a second pass. (Of
integers it needs the smallest and the largest alone.)
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

import tripletree as tt
from benchmarks import record
from benchmarks.measure import in_turns, memory_growth
from tripletree._threads import n_threads

NAME = "printf('image_%06d.jpg', {})"
TRIPLET = "{0} AS target, {1} AS near, {2} AS far"
ALL_COLUMNS = (
    '{0} AS center, {1} AS "left", {2} AS "right", CASE WHEN hash(r) % 2 = 0 THEN '
    "{1} ELSE {2} END AS answer, 'worker_' || hash(r + 1) % 500 AS worker, "
    "1 + hash(r + 2) % 3 AS weight"
)


class Shape(NamedTuple):
    """A file: its name, how many objects it is about, how a label is written."""

    file: str
    n_objects: int
    label: str
    columns: str = TRIPLET


SHAPES = {
    "CSV, 5,000 labels": Shape("few.csv", 5_000, NAME),
    "CSV, 90,000 labels": Shape("many.csv", 90_000, NAME),
    "Parquet, 10^6 integers": Shape("dense.parquet", 10**6, "{}"),
    "Parquet, 10^6 sparse integers": Shape("sparse.parquet", 10**6, "{} * 1000003"),
    "CSV, all columns": Shape("all.csv", 5_000, NAME, ALL_COLUMNS),
    "Parquet, all columns": Shape("all.parquet", 5_000, NAME, ALL_COLUMNS),
}


def write_shape(path: Path, shape: Shape, n_rows: int) -> None:
    """Random answers, each about three different objects."""
    n, half = shape.n_objects, shape.n_objects // 2 - 1
    labels = [shape.label.format(f"CAST({x} AS BIGINT)") for x in "abc"]
    query = f"""
        COPY (
            SELECT {shape.columns.format(*labels)} FROM (
                SELECT r, a, (a + 1 + hash(r + 3) % {half}) % {n} AS b,
                    (a + {n} - 1 - hash(r + 4) % {half}) % {n} AS c
                FROM (SELECT range AS r, hash(range) % {n} AS a FROM range({n_rows}))
            )
        ) TO '{path}'
    """
    with duckdb.connect(":memory:") as connection:
        connection.execute(query)


def scan(path: str) -> Any:
    """How many different values each column has."""
    read = "read_csv" if path.endswith(".csv") else "read_parquet"
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"SET threads = {n_threads()}")
        query = f"SELECT count(DISTINCT COLUMNS(*)) FROM {read}($1)"
        return connection.execute(query, [path]).fetchall()


def bench_files(rounds: int, scale: int) -> None:
    """Reading answers from files of six shapes beside DuckDB's scan of each."""
    n_rows = 10**7 // scale
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tiny.csv").write_text("target,near,far\na,b,c\n")
        for title, shape in SHAPES.items():
            path = Path(folder, shape.file)
            write_shape(path, shape, n_rows)
            actions = {
                "tripletree.read_comparisons": lambda p=path: tt.read_comparisons(p),
                "duckdb, count(DISTINCT ...)": lambda p=path: scan(str(p)),
            }
            size = path.stat().st_size / 1e6
            title = f"{title}: {n_rows} rows, {size:.0f} MB"
            record.times(title, in_turns(actions, min(rounds, 3)))
            if shape.file != "few.csv":
                path.unlink()
        for what in ("scan", "read"):
            given = [str(Path(folder, "few.csv")), what]
            command = [sys.executable, "-m", "benchmarks.files", *given]
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
