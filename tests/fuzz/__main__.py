"""Fuzz one parser with Atheris: ``python -m tests.fuzz newick --seconds 600``.

Bytes that make anything but an error of the package come out are kept, one file for
each place that raised, in the folder --crashes; the run goes on. Each of them becomes a
case of tests/robustness/test_readers.py. Atheris is in the dependency group `fuzz`.
With TMPDIR=/dev/shm readers of files run faster.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import atheris
import duckdb

with atheris.instrument_imports(include=["tripletree"]):
    # Modules that load when first needed, too; kernels must stay as Numba knows them.
    from tests.fuzz.targets import seeds, targets
    from tripletree import TripletreeError
    from tripletree.answers import pair_files, tables, write


def share_engine() -> None:
    """Let all reading use one engine: to start one takes longer than to read.

    Each opening sees a database of its own, so that nothing is left for the next.
    """
    config = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "threads": 1,
    }
    engines: list[Any] = []

    @contextmanager
    def connected(memory: object = None, beside: object = None) -> Iterator[Any]:
        with tempfile.TemporaryDirectory() as folder, opened(folder) as engine:
            yield engine

    @contextmanager
    def opened(folder: str) -> Iterator[Any]:
        engine = engines.pop() if engines else duckdb.connect(config=config)
        engine.execute(f"SET temp_directory = '{folder}'")
        engine.execute("ATTACH ':memory:' AS fuzzed")
        engine.execute("USE fuzzed")
        try:
            yield engine
        finally:
            with suppress(duckdb.FatalException):  # its faults put it out of order
                engine.execute("USE memory")
                engine.execute("DETACH fuzzed")
                engines.append(engine)

    for module in (pair_files, tables, write):
        assert module.connected  # as it is called there
        module.connected = connected


def main() -> None:
    """Fuzz until the time is over; libFuzzer ends the process."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=list(targets()))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--crashes", type=Path, default=Path("fuzz-crashes"))
    options = parser.parse_args()
    parse = targets()[options.target]
    share_engine()
    found: set[str] = set()

    def one(data: bytes) -> None:
        try:
            parse(data)
        except TripletreeError as error:
            if str(error):
                return
            raised: BaseException = error  # an error has to say something
        except Exception as error:
            raised = error
        else:
            return
        *_, last = traceback.extract_tb(raised.__traceback__)
        place = f"{type(raised).__name__} at {last.filename}:{last.lineno}"
        if place in found:
            return
        found.add(place)
        options.crashes.mkdir(parents=True, exist_ok=True)
        name = f"{options.target}-{hashlib.sha1(data).hexdigest()[:12]}"
        Path(options.crashes, name).write_bytes(data)
        print(f"CRASH {name}: {place}: {raised!s:.200}", flush=True)  # noqa: T201

    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(seeds(options.target)):
            Path(corpus, str(number)).write_bytes(data)
            parse(data)
        arguments = [
            f"-max_total_time={options.seconds}",
            f"-seed={options.seed}",
            "-max_len=4096",
            "-timeout=30",
            "-rss_limit_mb=4096",
            "-print_final_stats=1",
            "-verbosity=0",
            f"-artifact_prefix={tempfile.gettempdir()}/{options.target}-",
            corpus,
        ]
        atheris.Setup([sys.argv[0], *arguments], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
