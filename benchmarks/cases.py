"""The cases: what is measured, on which data, beside which peer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tripletree as tt
from benchmarks.measure import in_turns, memory_growth, table
from benchmarks.sparse import bench_sparse
from benchmarks.sparse_search import bench_sparse_search


def random_triplets(n_rows: int, n_objects: int) -> tt.Triplets:
    """Answers about random points in the plane, with ids in no order."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n_objects, 2)).astype(np.float32)
    rows = np.empty((n_rows, 3), np.int32)
    for start in range(0, n_rows, 10**6):
        m = min(10**6, n_rows - start)
        i, j = rng.integers(0, n_objects, m), rng.integers(0, n_objects - 1, m)
        j += j >= i
        k = rng.integers(0, n_objects - 2, m)
        k += k >= np.minimum(i, j)
        k += k >= np.maximum(i, j)
        to_j = ((points[i] - points[j]) ** 2).sum(axis=1)
        to_k = ((points[i] - points[k]) ** 2).sum(axis=1)
        near, far = np.where(to_j < to_k, (j, k), (k, j))
        rows[start : start + m] = np.stack([i, near, far], axis=1)
    rows.flags.writeable = False
    return tt.Triplets(rows, n_objects)


def bench_import(rounds: int, scale: int) -> None:
    """`import tripletree` beside `import numpy`, and what it loads."""
    times = {}
    for name in ("tripletree", "numpy"):
        code = f"import time; t = time.perf_counter(); import {name}; "
        code += "print(time.perf_counter() - t)"
        runs = [
            float(
                subprocess.run([sys.executable, "-c", code], capture_output=True).stdout
            )
            for _ in range(2 * rounds)
        ]
        times[f"import {name}"] = min(runs)
    table(times)
    code = "import sys, tripletree; print('numba' in sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    print(f"  Numba is loaded: {loaded.stdout.strip()}")


def bench_adds(rounds: int, scale: int) -> None:
    """AddS3 beside two calls of np.bincount."""
    n, m = 2_000, 10**8 // scale
    triplets = random_triplets(m, n)
    print(f"  {m} triplets, {n} objects")
    tt.adds_similarity(triplets[:10])
    growth = memory_growth(lambda: tt.adds_similarity(triplets))
    i = triplets.rows[:, 0].astype(np.int64) * n
    near, far = i + triplets.rows[:, 1], i + triplets.rows[:, 2]
    del i

    def counts() -> npt.NDArray[np.int64]:
        one = np.bincount(near, minlength=n * n)
        return one - np.bincount(far, minlength=n * n)

    def whole() -> npt.NDArray[np.int64]:
        i = triplets.rows[:, 0].astype(np.int64) * n
        one = np.bincount(i + triplets.rows[:, 1], minlength=n * n)
        s = (one - np.bincount(i + triplets.rows[:, 2], minlength=n * n)).reshape(n, n)
        return s + s.T

    ours: Any = tt.adds_similarity(triplets)
    assert np.array_equal(whole(), ours)
    del ours
    times = in_turns(
        {
            "np.bincount twice, keys made beforehand": counts,
            "np.bincount twice, with keys and mirroring": whole,
            "tripletree.adds_similarity": lambda: tt.adds_similarity(triplets),
        },
        rounds,
    )
    table(times)
    print(f"  memory beyond the input: {growth:.0f} MB")


def bench_linkage(rounds: int, scale: int) -> None:
    """Average linkage beside fastcluster, on AddS and on tie-free similarities."""
    n = 10_000 // scale
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, 3))
    squares = (points**2).sum(axis=1)
    distances = np.sqrt(
        np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0)
    )
    distances = (distances + distances.T) / 2
    np.fill_diagonal(distances, 0)
    answers: Any = tt.adds_similarity(random_triplets(n * n // 4, n))
    compare_linkage("AddS, n^2/4 triplets", answers, rounds)
    compare_linkage("tie-free floats", -distances, rounds)


def compare_linkage(name: str, s: npt.NDArray[Any], rounds: int) -> None:
    """Time and memory on one matrix; the same tree where there are no ties."""
    import fastcluster

    print(f"  {len(s)} objects, {name}: {s.nbytes / 1e6:.0f} MB")
    condensed = (s.max() - s)[np.triu_indices(len(s), 1)].astype(np.float64)
    tt.average_linkage(s[:3, :3])
    growth = memory_growth(lambda: tt.average_linkage(s))
    times = in_turns(
        {
            "fastcluster.linkage": lambda: fastcluster.linkage(condensed, "average"),
            "tripletree.average_linkage": lambda: tt.average_linkage(s),
        },
        rounds,
    )
    table(times)
    print(f"  memory beyond the input: {growth:.0f} MB")
    if s.dtype.kind == "f":
        theirs = tt.Tree.from_linkage(fastcluster.linkage(condensed, "average"))
        assert tt.average_linkage(s).is_same_hierarchy(theirs)


def bench_revenue(rounds: int, scale: int) -> None:
    """The revenue beside AddS3 on the same rows."""
    n, m = 2_000, 10**7 // scale
    triplets = random_triplets(m, n)
    s: Any = tt.adds_similarity(triplets)
    tree = tt.average_linkage(s)
    print(f"  {m} triplets, {n} objects")
    assert tt.revenue(tree, triplets) == tt.revenue(tree, s)
    actions: dict[str, Callable[[], Any]] = {
        "tripletree.adds_similarity": lambda: tt.adds_similarity(triplets),
        "tripletree.revenue, comparisons": lambda: tt.revenue(tree, triplets),
        "tripletree.satisfaction": lambda: tt.satisfaction(tree, triplets),
        "tripletree.revenue, similarity": lambda: tt.revenue(tree, s),
    }
    table(in_turns(actions, rounds))


def bench_search(rounds: int, scale: int) -> None:
    """Climbing beside SciPy's average linkage; time against n and m; ten thousand."""
    from scipy.cluster.hierarchy import linkage

    points, source = planar_points(2_000 // scale)
    n = len(points)
    unit = points / np.linalg.norm(points, axis=1)[:, None]
    cosine = unit @ unit.T
    cosine = (cosine + cosine.T) / 2
    rng = np.random.default_rng(0)
    answers = tt.sample_triplets(cosine, n * n, flip=0.05, rng=rng)
    s: Any = tt.adds_similarity(answers)
    start = tt.average_linkage(s)
    condensed = (s.max() - s)[np.triu_indices(n, 1)].astype(np.float64)
    print(f"  {n} objects ({source}), {n * n} triplets, 5 % flipped")
    actions: dict[str, Callable[[], Any]] = {
        "scipy.cluster.hierarchy.linkage": lambda: linkage(condensed, "average"),
        "tripletree.climb": lambda: tt.climb(start, s),
    }
    table(in_turns(actions, rounds))
    for name, tree in {
        "average linkage": start,
        "average linkage of the true cosines": tt.average_linkage(cosine),
        "climb": tt.climb(start, s).tree,
        "maximise_revenue": tt.maximise_revenue(s).tree,
    }.items():
        print(f"  revenue of {name}: {tt.revenue(tree, s)}")
    sizes = [n // scale for n in (625, 1_250, 2_500, 5_000)]
    fit("climb against n, m = n^2 / 10", sizes, climb_case(0.1), 1)
    fit("climb against n, m = n^2", sizes, climb_case(1.0), 1)
    n = 2_000 // scale
    counts = [n * n // 100, n * n // 10, n * n]
    fit(f"climb against m, n = {n}", counts, lambda m: climb_case(m / n**2)(n), 1)
    n, m = 10_000 // scale, 10**7 // scale**2
    answers = random_triplets(m, n)
    began = time.perf_counter()
    growth = memory_growth(lambda: print_climb(answers))
    seconds = time.perf_counter() - began
    print(f"  {n} objects, {m} triplets: {seconds:.0f} s, {growth:.0f} MB more memory")


def print_climb(answers: tt.Triplets) -> None:
    """Climb from average linkage and say what it brought."""
    s: Any = tt.adds_similarity(answers, sparse=False)
    start = tt.average_linkage(s)
    result = tt.climb(start, s)
    print(f"  {tt.revenue(start, s)} -> {result.revenue} in {result.n_moves} moves")


def climb_case(share: float) -> Callable[[int], Callable[[], Any]]:
    """For n objects: a climb from average linkage with share * n^2 triplets."""

    def make(n: int) -> Callable[[], Any]:
        s: Any = tt.adds_similarity(random_triplets(int(share * n * n), n))
        start = tt.average_linkage(s)
        return lambda: tt.climb(start, s)

    return make


def planar_points(n: int) -> tuple[npt.NDArray[np.float64], str]:
    """MNIST in the plane, as many of each digit, or clusters if it is not there."""
    folder = Path(os.environ.get("TRIPLETREE_DATA", "")) / "mnist_tsne"
    if folder.is_dir() and "TRIPLETREE_DATA" in os.environ:
        points = np.loadtxt(folder / "reduced_test_X.csv", delimiter=",")
        digits = np.loadtxt(folder / "test_labels.csv").astype(int)
        chosen = [np.flatnonzero(digits == digit)[: n // 10] for digit in range(10)]
        points, name = points[np.concatenate(chosen)], "MNIST"
    else:
        rng = np.random.default_rng(0)
        points = rng.normal(size=(10, 1, 2)) * 4 + rng.normal(size=(10, n // 10, 2))
        points, name = points.reshape(n, 2), "ten clusters in the plane"
    low, high = points.min(axis=0), points.max(axis=0)
    return 2 * (points - low) / (high - low) - 1, name


def bench_scaling(rounds: int, scale: int) -> None:
    """Times against sizes, with fitted exponents."""
    counts = [10**5, 10**6, 10**7]
    everything = random_triplets(counts[-1], 1_000)
    tree = tt.balanced_tree(1_000)
    fit(
        "adds_similarity against m, n = 1000",
        counts,
        lambda m: lambda: tt.adds_similarity(everything[:m]),
        rounds,
    )
    fit(
        "adds_similarity(sparse=True) against m, n = 1000",
        counts,
        lambda m: lambda: tt.adds_similarity(everything[:m], sparse=True),
        rounds,
    )
    fit(
        "revenue against m, n = 1000",
        counts,
        lambda m: lambda: tt.revenue(tree, everything[:m]),
        rounds,
    )
    sizes = [n // scale for n in (1_250, 2_500, 5_000, 10_000)]
    matrices: dict[int, Any] = {
        n: tt.adds_similarity(random_triplets(n * n // 4, n), sparse=False)
        for n in sizes
    }
    fit(
        "average_linkage against n, AddS of n^2/4 triplets",
        sizes,
        lambda n: lambda: tt.average_linkage(matrices[n]),
        rounds,
    )


def fit(
    name: str,
    sizes: list[int],
    make: Callable[[int], Callable[[], Any]],
    rounds: int,
) -> None:
    """Print times and the exponent between the last two sizes."""
    times = [in_turns({"": make(size)}, rounds)[""] for size in sizes]
    exponent = np.log(times[-1] / times[-2]) / np.log(sizes[-1] / sizes[-2])
    shown = ", ".join(
        f"{size:.3g}: {seconds:.4f} s"
        for size, seconds in zip(sizes, times, strict=True)
    )
    print(f"  {name}\n    {shown}; exponent {exponent:.2f}")


CASES: dict[str, Callable[[int, int], None]] = {
    "import": bench_import,
    "adds": bench_adds,
    "linkage": bench_linkage,
    "sparse": bench_sparse,
    "revenue": bench_revenue,
    "search": bench_search,
    "sparse_search": bench_sparse_search,
    "scaling": bench_scaling,
}

if __name__ == "__main__":
    began = time.perf_counter()
    CASES[sys.argv[1]](int(sys.argv[2]), 10 if sys.argv[3] == "small" else 1)
    print(f"  ({time.perf_counter() - began:.0f} s)")
