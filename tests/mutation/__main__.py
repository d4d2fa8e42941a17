"""How many small faults do the tests catch?

``python -m tests.mutation objective search --count 300 --seed 0 --jobs 2`` puts faults
into modules of these folders, one at a time, and runs the tests that enter the function
with the fault, the nearest first, until one of them fails. Faults that no test catches
are listed: each is a missing test, code without effect, or no fault at all.

Answers are kept in build/mutation/results.json, and a run that was stopped goes on
where it was. A fault is tried again when its module changed; one that survived, when
any of its tests did.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import sys
from collections import Counter
from functools import cache, partial
from pathlib import Path
from typing import Any

from tests.mutation.mutants import Mutant, compiled, mutants_of, sample
from tests.mutation.running import ROOT, catch, load_libraries, measure, run_all

FOLDERS = ["objective", "linkage", "search", "similarity"]
TESTS = [
    *(f"tests/unit/{folder}" for folder in FOLDERS),
    "tests/unit/answers/test_pair_sums.py",
    "tests/unit/evaluation/test_score.py",
    "tests/unit/test_cluster_at_scale.py",
    "tests/unit/test_memory_guard.py",
    "tests/theorems",
    "tests/oracles/test_average_linkage_step_by_step.py",
    "tests/oracles/test_scipy_linkage.py",
    "tests/oracles/test_sparse_average_linkage.py",
    "tests/properties/test_flat_properties.py",
    "tests/properties/test_level_properties.py",
    "tests/properties/test_mulk_properties.py",
    "tests/robustness/test_arrays.py",
    "tests/robustness/test_edges.py",
    "tests/robustness/test_overflow.py",
]


def main() -> None:
    """Measure the tests, try the faults, say what came of them."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "folders", nargs="*", metavar="folder", help="of src/tripletree"
    )
    parser.add_argument("--count", type=int, default=300, help="faults to try")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument(
        "--seconds", type=float, default=10, help="of tests for a fault, at most"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutation")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    load_libraries()
    tests = measured(options.folder / "tests.json", options.jobs, options.seconds / 2)

    modules = {
        path.relative_to(ROOT / "src").as_posix(): mutants_of(path.read_text("utf-8"))
        for folder in options.folders or FOLDERS
        for path in sorted((ROOT / "src" / "tripletree" / folder).rglob("*.py"))
    }
    chosen = sample(modules, options.count, options.seed)
    results = Results(options.folder / "results.json")
    todo = []
    for path, mutant in chosen:
        some = selected(tests, path, mutant, options.seconds)
        key, asked = key_of(path, mutant), digest_of(some)
        if not results.is_known(key, asked, tests):
            todo.append(((key, asked), partial(try_one, path, mutant, some)))
    say(f"{len(chosen)} of {sum(map(len, modules.values()))} faults, {len(todo)} new")
    for at, ((key, asked), answer) in enumerate(run_all(todo, options.jobs)):
        results.add(key, asked, answer)
        if at % 20 == 19:
            say(f"  {at + 1} of {len(todo)}")
    caught = [results.faults[key_of(path, mutant)]["by"] for path, mutant in chosen]
    report(chosen, caught)


class Results:
    """By fault: the test that caught it, "" where none did; kept in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.faults: dict[str, dict[str, str]] = {}
        if file.exists():
            self.faults = json.loads(file.read_text("utf-8"))

    def is_known(self, key: str, asked: str, tests: dict[str, dict[str, Any]]) -> bool:
        """Whether the test that caught a fault is still there, or nothing changed."""
        fault = self.faults.get(key)
        if fault is None:
            return False
        by = fault["by"]
        return by in tests or by.startswith("(") or (not by and fault["asked"] == asked)

    def add(self, key: str, asked: str, answer: str | int | None) -> None:
        """Keep an answer of `run_all`."""
        if isinstance(answer, int):
            is_time_up = answer in (signal.SIGXCPU, signal.SIGKILL)
            name = signal.Signals(answer).name
            answer = f"(endless: {name})" if is_time_up else f"(ended by {name})"
        by = "(ended)" if answer is None else answer
        self.faults[key] = {"by": by, "asked": asked}
        write(self.file, self.faults)


def measured(file: Path, jobs: int, most: float) -> dict[str, dict[str, Any]]:
    """Seconds and functions of every quick test.

    Measured again are files of tests that changed, or entered a module that did.
    """
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    paths = sorted({path for name in TESTS for path in _test_files(ROOT / name)})
    helpers = sorted((ROOT / "tests").glob("*.py"))
    digests = {
        path.relative_to(ROOT).as_posix(): f"{most} {digest(path, *helpers)}"
        for path in paths
    }
    for _ in range(3):
        old = [n for n in digests if not _is_measured(known.get(n), digests[n])]
        if old:
            say(f"running the tests of {len(old)} files without any fault")
        for name, answer in run_all(
            [(n, partial(measure, n, most)) for n in old], jobs
        ):
            if isinstance(answer, dict) and answer["is_whole"]:
                known[name] = _as_known(answer, digests[name])
                write(file, known)
    if {*digests} - {*known}:
        sys.exit(f"these do not come to an end: {sorted({*digests} - {*known})}")
    return {
        test: {**entry, "digest": digests[name]}
        for name in digests
        for test, entry in known[name]["tests"].items()
    }


def _as_known(answer: dict[str, Any], wanted: str) -> dict[str, Any]:
    for failed in answer["failed"]:
        say(f"  left out, as it fails without any fault: {failed}")
        answer["tests"].pop(failed, None)
    entered = {
        function.partition(":")[0]
        for test in answer["tests"].values()
        for function in test["functions"]
    }
    modules = {path: digest(ROOT / "src" / path) for path in sorted(entered)}
    return {"digest": wanted, "modules": modules, "tests": answer["tests"]}


def _is_measured(entry: dict[str, Any] | None, wanted: str) -> bool:
    return (
        entry is not None
        and entry["digest"] == wanted
        and all(
            (ROOT / "src" / path).exists() and digest(ROOT / "src" / path) == then
            for path, then in entry["modules"].items()
        )
    )


def _test_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("test_*.py"))


def selected(
    tests: dict[str, dict[str, Any]], path: str, mutant: Mutant, most: float
) -> dict[str, dict[str, Any]]:
    """The tests that enter the function, for so many seconds in all.

    Unit tests of its folder come first, those of robustness last, and quick ones before
    slow ones. A line that runs when its module is loaded concerns all tests of the
    module, and of those that import from it.
    """
    home = f"tests/unit/{path.split('/')[1]}/"
    if mutant.function and not mutant.function.endswith("."):
        wanted = {f"{path}:{mutant.function}"}
    else:
        wanted = {path, *importers(path)}
    found = [
        (test.startswith("tests/robustness/") - test.startswith(home), seconds, test)
        for test, entry in tests.items()
        for seconds in [entry["seconds"]]
        if not wanted.isdisjoint(entry["functions"])
        or not wanted.isdisjoint(name.partition(":")[0] for name in entry["functions"])
    ]
    chosen: dict[str, dict[str, Any]] = {}
    total = 0.0
    for _, seconds, test in sorted(found):
        if total + seconds <= most or not chosen:
            chosen[test] = tests[test]
            total += seconds
    return chosen


@cache
def importers(path: str) -> list[str]:
    """The modules that name this one: they import from it."""
    module = path.removesuffix(".py").replace("/", ".")
    return [
        other.relative_to(ROOT / "src").as_posix()
        for other in sorted((ROOT / "src").rglob("*.py"))
        if f"{module} import" in other.read_text("utf-8")
        or f'"{module}"' in other.read_text("utf-8")
    ]


def try_one(path: str, mutant: Mutant, tests: dict[str, dict[str, Any]]) -> str:
    """The test that catches a fault, or ""; to be called in a process of its own."""
    if not tests:
        return ""
    source = (ROOT / "src" / path).read_text("utf-8")
    code = compiled(source, mutant, str(ROOT / "src" / path))
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return catch(module, code, {name: t["seconds"] for name, t in tests.items()})


def key_of(path: str, mutant: Mutant) -> str:
    """The name of a fault in a module as it is."""
    module = digest(ROOT / "src" / path)
    return f"{path}:{mutant.line} {mutant.node}.{mutant.choice} {module}"


def digest_of(tests: dict[str, dict[str, Any]]) -> str:
    """Of the files of these tests."""
    files = {name.partition("::")[0]: t["digest"] for name, t in tests.items()}
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]


def report(chosen: list[tuple[str, Mutant]], caught: list[str]) -> None:
    """Print what survived, and the score of each folder."""
    counts: Counter[tuple[str, str]] = Counter()
    for (path, mutant), test in zip(chosen, caught, strict=True):
        kind = "survived" if not test else "endless" if test[0] == "(" else "caught"
        counts[path.split("/")[1], kind] += 1
        if not test:
            line = (
                (ROOT / "src" / path).read_text("utf-8").splitlines()[mutant.line - 1]
            )
            say(f"{path}:{mutant.line}: {line.strip()}")
            say(f"    {shortened(mutant.before)}  ->  {shortened(mutant.after)}")
    for folder in [*sorted({folder for folder, _ in counts}), "all"]:
        by_kind = Counter[str]()
        for (name, kind), number in counts.items():
            by_kind[kind] += number if folder in (name, "all") else 0
        total, lived = by_kind.total(), by_kind["survived"]
        share, endless = 100 * (total - lived) / total, by_kind["endless"]
        say(f"{folder}: {total - lived} of {total} caught, {share:.1f} %")
        say(f"    {endless} of them did not end, or ended the process")


def shortened(text: str) -> str:
    """The first line of a piece of code."""
    line, _, more = text.partition("\n")
    return line[:100] + (" ..." if more or line[100:] else "")


def digest(*paths: Path) -> str:
    """Of what is in these files."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def write(file: Path, content: Any) -> None:
    """As JSON, whole or not at all."""
    beside = file.with_suffix(".new")
    beside.write_text(json.dumps(content), "utf-8")
    beside.replace(file)


def say(text: str) -> None:
    """At once: a run takes long."""
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
