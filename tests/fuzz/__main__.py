"""Fuzz parsers with Atheris: ``python -m tests.fuzz csv zip --seconds 600``.

Bytes that make anything but an error of the package come out are kept, one file for
each place that raised, in the folder --crashes; the run goes on. Each of them becomes a
case of tests/robustness/test_readers.py. Several targets are fuzzed one after another,
each for so many seconds and runs; `reader` means all that read_comparisons reads.
Atheris is in the dependency group `fuzz`.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import traceback
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import atheris
import duckdb

with atheris.instrument_imports(include=["tripletree"]):
    # Modules that load when first needed, too; kernels must stay as Numba knows them.
    from tests.fuzz.targets import READER, seeds, targets
    from tripletree import TripletreeError


class Engine:
    """A connection that is used again: starting an engine takes longer than reading.

    The types that a reader creates are dropped after each use. A query is parsed once,
    and a setting set once: they would be a third of all work.
    """

    start = staticmethod(duckdb.connect)
    idle: ClassVar[list[Engine]] = []

    def __init__(self, config: dict[str, Any]) -> None:
        self.engine = self.start(config=config)
        self.settings: set[str] = set()
        self.parsed = lru_cache(5000)(self.engine.extract_statements)

    @classmethod
    def connect(cls, *args: Any, config: dict[str, Any]) -> Engine:
        own = cls.idle.pop() if cls.idle else cls(config | {"threads": 1})
        own.engine.execute(f"SET temp_directory = '{config['temp_directory']}'")
        return own

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def execute(self, query: str, *parameters: Any) -> Any:
        if query in self.settings:
            return None
        if query.startswith("SET "):
            self.settings.add(query)
        (statement,) = self.parsed(query)
        return self.engine.execute(statement, *parameters)

    def close(self) -> None:
        with suppress(duckdb.FatalException):  # its faults put it out of order
            self.execute("DROP TYPE IF EXISTS label_names")
            self.execute("DROP TYPE IF EXISTS annotator_names")
            self.idle.append(self)


def fuzz(target: str, options: argparse.Namespace) -> None:
    """Fuzz one target; libFuzzer ends the process after the time or the runs."""
    parse = targets()[target]
    found: set[str] = set()

    def one(data: bytes) -> None:
        try:
            parse(data)
            return
        except TripletreeError as error:
            if str(error):
                return
            raised: Exception = error  # an error has to say something
        except Exception as error:
            raised = error
        *_, last = traceback.extract_tb(raised.__traceback__)
        place = f"{type(raised).__name__} at {last.filename}:{last.lineno}"
        if place in found:
            return
        found.add(place)
        name = f"{target}-{hashlib.sha1(data).hexdigest()[:12]}"
        Path(options.crashes, name).write_bytes(data)
        print(f"CRASH {name}: {place}: {raised!s:.200}", flush=True)  # noqa: T201

    options.crashes.mkdir(parents=True, exist_ok=True)
    duckdb.connect = Engine.connect
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(seeds(target)):
            Path(corpus, str(number)).write_bytes(data)
            parse(data)
        arguments = [
            f"-max_total_time={options.seconds}",
            f"-runs={options.runs}",
            f"-seed={options.seed}",
            "-max_len=4096",
            "-timeout=30",
            "-rss_limit_mb=4096",
            "-print_final_stats=1",
            "-verbosity=0",
            f"-artifact_prefix={options.crashes}/{target}-",
            corpus,
        ]
        atheris.Setup([sys.argv[0], *arguments], one)
        atheris.Fuzz()


def main() -> None:
    """Fuzz the targets that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", nargs="+", choices=[*targets(), "reader"])
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--runs", type=int, default=-1, help="inputs (default: any)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--crashes", type=Path, default=Path("fuzz-crashes"))
    options = parser.parse_args()
    if Path("/dev/shm").is_dir():  # files in memory
        tempfile.tempdir = "/dev/shm"
    names = options.target
    if "reader" in names:
        names = READER
    if len(names) == 1:
        fuzz(names[0], options)
    settings = [argument for argument in sys.argv[1:] if argument not in options.target]
    for name in names:
        command = [sys.executable, "-m", "tests.fuzz", name, *settings]
        print(name, flush=True)  # noqa: T201
        subprocess.run(command, check=False)


if __name__ == "__main__":
    main()
