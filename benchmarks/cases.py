"""The cases: what is measured, on which data, beside which peer.

`python -m benchmarks` runs each in a process of its own, as
`python -m benchmarks.cases NAME ROUNDS SCALE OUT`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tripletree as tt
from benchmarks import linkage, record
from benchmarks.answers import random_triplets
from benchmarks.bounds import bench_bounds
from benchmarks.clusters import bench_clusters
from benchmarks.dasgupta import bench_dasgupta
from benchmarks.files import bench_files
from benchmarks.linkage import bench_linkage
from benchmarks.measure import in_turns, memory_growth, times_against
from benchmarks.methods import bench_auto, bench_methods, bench_people
from benchmarks.million import bench_million
from benchmarks.pairs import bench_pairs
from benchmarks.quality import bench_quality
from benchmarks.search import bench_ratchet, bench_search
from benchmarks.sparse import bench_sparse
from benchmarks.sparse_search import bench_sparse_search
from benchmarks.tste import bench_tste


def bench_import(rounds: int, scale: int) -> None:
    """`import tripletree` beside `import numpy`, and what it loads."""
    seconds = {}
    for name in ("tripletree", "numpy"):
        code = f"import time; t = time.perf_counter(); import {name}; "
        code += "print(time.perf_counter() - t)"
        runs = [float(printed(code)) for _ in range(2 * rounds)]
        seconds[f"{name}, import"] = min(runs)
    record.times("import", seconds)
    loaded = printed("import sys, tripletree; print('numba' in sys.modules)")
    record.note(f"Numba is loaded: {loaded}")


def printed(code: str) -> str:
    """What a new process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def bench_adds(rounds: int, scale: int) -> None:
    """Pair sums (AddS3) beside two calls of np.bincount."""
    n, m = 2_000, 10**8 // scale
    triplets = random_triplets(m, n)
    tt.adds_similarity(triplets[:10])
    growth = memory_growth(lambda: tt.adds_similarity(triplets))
    i = triplets.rows[:, 0].astype(np.int64) * n
    near, far = i + triplets.rows[:, 1], i + triplets.rows[:, 2]
    del i

    def counts() -> npt.NDArray[np.int64]:
        one = np.bincount(near, minlength=n * n)
        return one - np.bincount(far, minlength=n * n)

    ours: Any = tt.adds_similarity(triplets)
    assert np.array_equal(by_bincount(triplets), ours)
    del ours
    found = in_turns(
        {
            "tripletree.adds_similarity": lambda: tt.adds_similarity(triplets),
            "np.bincount twice, keys made in advance": counts,
            "np.bincount twice, with keys and mirroring": lambda: by_bincount(triplets),
        },
        rounds,
    )
    record.times(f"{m} triplets, {n} objects", found)
    record.note(f"memory beyond the input: {growth:.0f} MB")


def by_bincount(triplets: tt.Triplets) -> npt.NDArray[np.int64]:
    """AddS3 by NumPy."""
    n = triplets.n_objects
    i = triplets.rows[:, 0].astype(np.int64) * n
    one = np.bincount(i + triplets.rows[:, 1], minlength=n * n)
    s = (one - np.bincount(i + triplets.rows[:, 2], minlength=n * n)).reshape(n, n)
    return s + s.T


def bench_revenue(rounds: int, scale: int) -> None:
    """The revenue beside AddS3 on the same rows."""
    n, m = 2_000, 10**7 // scale
    triplets = random_triplets(m, n)
    s: Any = tt.adds_similarity(triplets)
    tree = tt.average_linkage(s)
    assert tt.revenue(tree, triplets) == tt.revenue(tree, s)
    actions: dict[str, Callable[[], Any]] = {
        "tripletree.adds_similarity": lambda: tt.adds_similarity(triplets),
        "tripletree.revenue, comparisons": lambda: tt.revenue(tree, triplets),
        "tripletree.satisfaction": lambda: tt.satisfaction(tree, triplets),
        "tripletree.revenue, similarity": lambda: tt.revenue(tree, s),
    }
    record.times(f"{m} triplets, {n} objects", in_turns(actions, rounds))


def bench_scaling(rounds: int, scale: int) -> None:
    """Times against sizes beside the peers, with fitted exponents."""
    counts = [m // scale for m in (10**5, 10**6, 10**7)]
    everything = random_triplets(counts[-1], 1_000)
    tree = tt.balanced_tree(1_000)

    def of_answers(m: int) -> dict[str, Callable[[], Any]]:
        rows = everything[:m]
        return {
            "tripletree.adds_similarity": lambda: tt.adds_similarity(
                rows, sparse=False
            ),
            "np.bincount twice": lambda: by_bincount(rows),
            "tripletree.adds_similarity, sparse": lambda: tt.adds_similarity(
                rows, sparse=True
            ),
            "tripletree.revenue": lambda: tt.revenue(tree, rows),
        }

    found = times_against(counts, of_answers, rounds)
    record.scaling("answers about 1,000 objects", "answers", counts, found)
    sizes = [n // scale for n in (1_250, 2_500, 5_000, 10_000)]

    def of_objects(n: int) -> dict[str, Callable[[], Any]]:
        s: Any = tt.adds_similarity(random_triplets(n * n // 4, n), sparse=False)
        ours = {linkage.OURS: lambda: tt.average_linkage(s)}
        return {**ours, **linkage.peers(s)}

    found = times_against(sizes, of_objects, min(rounds, 3))
    record.scaling("average linkage, AddS of n²/4 triplets", "objects", sizes, found)


CASES: dict[str, Callable[[int, int], None]] = {
    "import": bench_import,
    "adds": bench_adds,
    "linkage": bench_linkage,
    "sparse": bench_sparse,
    "dasgupta": bench_dasgupta,
    "revenue": bench_revenue,
    "search": bench_search,
    "ratchet": bench_ratchet,
    "sparse_search": bench_sparse_search,
    "bounds": bench_bounds,
    "tste": bench_tste,
    "quality": bench_quality,
    "clusters": bench_clusters,
    "methods": bench_methods,
    "auto": bench_auto,
    "people": bench_people,
    "files": bench_files,
    "pairs": bench_pairs,
    "million": bench_million,
    "scaling": bench_scaling,
}


def main(name: str, rounds: str, scale: str, out: str) -> None:
    """Run one case, print what it measures and write it to a file."""
    began = time.perf_counter()
    CASES[name](int(rounds), int(scale))
    seconds = time.perf_counter() - began
    print(f"  ({seconds:.0f} s)")
    what = str(CASES[name].__doc__).splitlines()[0]
    case = {"name": name, "what": what, "seconds": seconds, "entries": record.entries}
    Path(out).write_text(json.dumps(case), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
