"""`make bench`: tripletree beside its peers, in one run, as ratios.

Every figure is the fastest of several rounds in which tripletree and the peer take
turns, because machines are noisy. Memory is the growth of the peak of a process of its
own. Nothing is asserted about times: read the table. Ratios are multiples of
tripletree's time, so above 1 tripletree is quicker.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import environments
from benchmarks.cases import CASES
from benchmarks.plots import scaling_plots
from benchmarks.tste import VARIABLE

RESULTS = "results.json"
ELSE = "`python -m benchmarks.pairs --rows ... --memory ...` takes other sizes."
NOT_INSTALLABLE = {"ComparisonHC": "not on the package index"}


def parser() -> argparse.ArgumentParser:
    """The options, and what each case measures."""
    lines = [f"  {name:<14} {what(name)}" for name in CASES]
    found = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog="\n".join(["cases (all, if none is named):", *lines, "", ELSE]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("cases", nargs="*", metavar="case", help="what to measure")
    found.add_argument("--rounds", type=int, default=5)
    found.add_argument("--small", action="store_true", help="a tenth of the sizes")
    found.add_argument(
        "--with-cblearn",
        action="store_true",
        help="make an environment with cblearn in the folder of the results",
    )
    found.add_argument(
        "--cblearn", metavar="PYTHON", help="interpreter of an environment with cblearn"
    )
    found.add_argument(
        "--out",
        type=Path,
        default=Path("build", "benchmarks"),
        help=f"folder for {RESULTS} and plots (build/benchmarks)",
    )
    return found


def what(name: str) -> str:
    """The first line of the docstring of a case."""
    return str(CASES[name].__doc__).splitlines()[0]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cases that are named, or all; write results.json and plots."""
    options = parser()
    chosen = options.parse_args(arguments)
    unknown = [name for name in chosen.cases if name not in CASES]
    if unknown:
        options.error(f"no case is called {unknown[0]}: use {', '.join(CASES)}")
    if chosen.rounds < 1:
        options.error(f"--rounds {chosen.rounds}: at least 1")
    chosen.out.mkdir(parents=True, exist_ok=True)
    python = chosen.cblearn
    if chosen.with_cblearn and not python:
        python = environments.make_cblearn(chosen.out / "cblearn")
    results = {
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "is_small": chosen.small,
        "rounds": chosen.rounds,
        "machine": environments.machine(),
        "versions": {**environments.versions(), **other_peers(python)},
        "cases": [],
    }
    failed: list[str] = []
    for title in ("machine", "versions"):
        print(", ".join(f"{name} {text}" for name, text in results[title].items()))
    for name in chosen.cases or CASES:
        print(f"\n{name}: {what(name)}", flush=True)
        case = run(name, chosen.rounds, 10 if chosen.small else 1, python)
        if case is None:
            failed.append(name)
        else:
            scaling_plots(case, chosen.out)
            results["cases"].append(case)
            write(results, chosen.out / RESULTS)  # after each: Ctrl-C keeps the rest
    print(f"\nwritten: {chosen.out / RESULTS}; `make docs` shows it")
    if failed:
        sys.exit(f"these cases fail: {', '.join(failed)}")


def other_peers(python: str | None) -> dict[str, str]:
    """Versions of peers that are not in this environment."""
    cblearn = environments.peer_version(python, "cblearn") if python else "not measured"
    return {"cblearn": cblearn, **NOT_INSTALLABLE}


def run(name: str, rounds: int, scale: int, python: str | None) -> Any:
    """One case in a process of its own; None if it fails, and the others go on.

    So no case warms the caches or fills the memory of another.
    """
    surroundings = {**os.environ, **({VARIABLE: python} if python else {})}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "case.json")
        command = [sys.executable, "-m", "benchmarks.cases", name]
        command += [str(rounds), str(scale), str(out)]
        done = subprocess.run(command, env=surroundings, check=False)
        if done.returncode:
            print(f"  {name} fails (exit code {done.returncode})", file=sys.stderr)
            return None
        return json.loads(out.read_text(encoding="utf-8"))


def write(results: dict[str, Any], path: Path) -> None:
    """Write to a temporary name, then rename."""
    draft = path.with_suffix(".part")
    draft.write_text(json.dumps(results, indent=1), encoding="utf-8")
    draft.replace(path)


if __name__ == "__main__":
    main()
