"""Pair sums of many answers beside DuckDB's own GROUP BY.

Both read the same Parquet files (triplets of int32), in a process of their own, with
the same limit of memory and as many threads, and write a Parquet file. The peer adds up
+1 and -1 by pair; tripletree also checks every row, keeps near and far apart, and
writes labels in order. Memory is the peak of the whole process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import record
from tripletree._threads import n_threads

ROWS_PER_FILE = 10**7
LIFTED = "12GB"


def write_files(folder: Path, n_rows: int, n_objects: int) -> None:
    """Triplets of three different objects, at random."""
    import duckdb

    n = n_objects
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"SET threads = {n_threads()}")
        for number, start in enumerate(range(0, n_rows, ROWS_PER_FILE)):
            stop = min(start + ROWS_PER_FILE, n_rows)
            path = folder / f"part{number:04d}.parquet"
            connection.execute(
                f"""COPY (
                    SELECT i, (i + d) % {n} AS j, (i + e + (e >= d)::INTEGER) % {n} AS k
                    FROM (SELECT CAST(hash(3 * r) % {n} AS INTEGER) AS i,
                                 CAST(1 + hash(3 * r + 1) % {n - 1} AS INTEGER) AS d,
                                 CAST(1 + hash(3 * r + 2) % {n - 2} AS INTEGER) AS e
                          FROM range({start}, {stop}) AS t(r))
                ) TO '{path}' (FORMAT parquet)"""
            )


def peer(pattern: str, out: str, memory: str) -> None:
    """The plain query."""
    import duckdb

    files = f"read_parquet('{pattern}')"
    with tempfile.TemporaryDirectory(dir=Path(out).parent) as spill:
        config: dict[str, Any] = {"memory_limit": memory, "temp_directory": spill}
        with duckdb.connect(":memory:", config=config) as connection:
            connection.execute(f"SET threads = {n_threads()}")
            connection.execute("SET preserve_insertion_order = false")
            connection.execute(
                f"""COPY (
                    SELECT a, b, sum(x) AS s FROM (
                        SELECT least(i, j) AS a, greatest(i, j) AS b, 1 AS x
                        FROM {files}
                        UNION ALL
                        SELECT least(i, k), greatest(i, k), -1 FROM {files})
                    GROUP BY a, b
                ) TO '{out}' (FORMAT parquet)"""
            )


def measure(what: str, pattern: str, out: str, memory: str) -> None:
    """Run one of the two, and print its time and the peak of this process."""
    from tripletree import write_pair_sums

    start, used = time.perf_counter(), time.process_time()
    if what == "peer":
        peer(pattern, out, memory)
    else:
        write_pair_sums(pattern, out, memory=memory)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{seconds} {used} {peak}")


def bench_pairs(rounds: int, scale: int) -> None:
    """Pair sums of Parquet files beside DuckDB's GROUP BY, in 2 GB of memory."""
    compare(10**7 // scale, 5_000, "2GB", min(rounds, 3))


def compare(n_rows: int, n_objects: int, memory: str, rounds: int) -> None:
    """Write the files, then measure in turns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, n_rows, n_objects)
        pattern = str(folder / "part*.parquet")
        best: dict[str, list[float]] = {}
        for _ in range(rounds):
            for what in ("tripletree", "peer"):
                found = measured(what, pattern, folder / f"{what}.parquet", memory)
                best[what] = min(best.get(what, found), found)
    title = f"{n_rows} triplets, {n_objects} objects, limit of {memory}"
    names = {"tripletree": "tripletree.write_pair_sums", "peer": "duckdb, GROUP BY"}
    record.times(title, {names[what]: found[0] for what, found in best.items()})
    columns = ["", "processor seconds", "million rows/s", "peak GB"]
    record.figures(
        "the same files",
        columns,
        [
            [names[what], used, n_rows / seconds / 1e6, peak]
            for what, (seconds, used, peak) in best.items()
        ],
    )


def measured(what: str, pattern: str, out: Path, memory: str) -> list[float]:
    """Seconds, processor seconds and peak; the peer without the limit if it fails."""
    command = [sys.executable, "-m", "benchmarks.pairs", "--measure"]
    command += [what, pattern, str(out), memory]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode and what == "peer" and memory != LIFTED:
        print(f"{what} within {memory}: {run.stderr.splitlines()[-1]}", flush=True)
        return measured(what, pattern, out, LIFTED)
    run.check_returncode()
    print(f"{what} within {memory}: {run.stdout.strip()}", flush=True)
    return [float(figure) for figure in run.stdout.split()]


def main() -> None:
    """The same with other sizes, printed alone."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pairs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--objects", type=int, default=5_000)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(*chosen.measure)
    else:
        compare(chosen.rows, chosen.objects, chosen.memory, chosen.rounds)


if __name__ == "__main__":
    main()
