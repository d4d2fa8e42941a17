"""Fuzz parsers with Atheris: ``python -m tests.fuzz csv zip --seconds 600``.

Bytes that make anything but an error of the package come out are kept, one file for
each place that raised, in the folder --crashes; the run goes on. Each of them becomes a
case of tests/robustness/test_readers.py. Several targets are fuzzed one after another,
each for so many seconds and runs; `reader` means all that read_comparisons reads. Other
options are libFuzzer's: -only_ascii=1 spends no time on bytes that are not text.
Atheris is in the dependency group `fuzz`.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import atheris
import duckdb
import psutil

SOURCE = Path(find_spec("tripletree").submodule_search_locations[0])
KERNELS = [  # must stay as Numba knows them
    ".".join(("tripletree", *file.relative_to(SOURCE).with_suffix("").parts))
    for file in SOURCE.rglob("_*_kernel.py")
]
with atheris.instrument_imports(include=["tripletree"], exclude=KERNELS):
    # Modules that load when first needed, too.
    from tests.fuzz.targets import READER, seeds, targets
    from tripletree import TripletreeError
    from tripletree.answers import tables


class Engine:
    """An engine, or a connection to it, that parses and sets all things once.

    It does not optimise queries: this depends on what is asked of a file, and hardly on
    what is in it. All three together would be half of all work.
    """

    start = staticmethod(duckdb.connect)

    def __init__(self, own: Any, parse: Any, settings: dict[str, str]) -> None:
        self.own, self.parse, self.settings = own, parse, settings

    @classmethod
    def connect(cls, *args: Any, config: dict[str, Any]) -> Engine:
        own = cls.start(config=config)
        return cls(own, lru_cache(5000)(own.extract_statements), {})

    def cursor(self) -> Engine:
        own = self.own.cursor()
        own.execute("PRAGMA disable_optimizer")
        return Engine(own, self.parse, self.settings)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def execute(self, query: str, *parameters: Any) -> Any:
        if query.startswith("SET "):
            name, _, value = query.partition(" = ")
            if name == "SET memory_limit":
                value = "4GB"
            if self.settings.get(name) == value:
                return self
            self.settings[name] = value
        (statement,) = self.parse(query)
        return self.own.execute(statement, *parameters)


@contextmanager
def same_folder(beside: Path | None = None) -> Iterator[Path]:
    """The folder of the engine, the same for all inputs."""
    folder = Path(tempfile.gettempdir(), "engine")
    folder.mkdir(exist_ok=True)
    yield folder
    for path in folder.iterdir():  # what was unpacked
        shutil.rmtree(path)


def fuzz(target: str, options: argparse.Namespace, more: list[str]) -> None:
    """Fuzz one target; libFuzzer ends the process after the time or the runs."""
    parse = targets()[target]
    memory = psutil.virtual_memory()
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
    tables.temporary_folder = same_folder
    psutil.virtual_memory = lambda: memory
    warnings.simplefilter("error")
    corpus = tempfile.mkdtemp()
    for number, data in enumerate(seeds(target)):
        Path(corpus, str(number)).write_bytes(data)
        parse(data)
    gc.freeze()
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
        *more,
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
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options, more = parser.parse_known_args()
    if options.folder:
        tempfile.tempdir = str(options.folder)
        fuzz(options.target[0], options, more)
    names = READER if "reader" in options.target else options.target
    settings = [argument for argument in sys.argv[1:] if argument not in options.target]
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # files in memory
    for name in names:
        print(name, flush=True)  # noqa: T201
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            command = [sys.executable, "-m", "tests.fuzz", name, *settings]
            subprocess.run([*command, "--folder", folder], check=False)


if __name__ == "__main__":
    main()
