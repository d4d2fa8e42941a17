"""`make bench`: tripletree beside its peers, in one run, as ratios.

Every figure is the fastest of several rounds in which tripletree and the peer take
turns, because machines are noisy. Memory is the growth of the peak of a process of its
own. Nothing is asserted: read the table.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from importlib.metadata import version

from benchmarks import cases
from tripletree._threads import n_threads


def main() -> None:
    """Run the cases that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[[], *cases.CASES], default=[])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a tenth of the sizes")
    chosen = parser.parse_args()
    names = ["tripletree", "numpy", "numba", "scipy", "fastcluster"]
    names += ["higra", "scikit-network"]
    print(
        f"{platform.machine()}, {n_threads()} threads, Python {sys.version.split()[0]}"
    )
    print(", ".join(f"{name} {version(name)}" for name in names))
    for name in chosen.cases or cases.CASES:
        print(f"\n{name}", flush=True)
        # A process of its own: no case warms the caches or fills the memory of another.
        command = [sys.executable, "-m", "benchmarks.cases", name]
        command += [str(chosen.rounds), "small" if chosen.small else "full"]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
