"""Average linkage of sparse similarities: beside graph libraries, and at scale."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks import record
from benchmarks.measure import in_turns, memory_growth

ROWS_PER_PART = 10**6
OURS = "tripletree.sparse_average_linkage"


def planted_triplets(n_rows: int, n_objects: int) -> tt.Triplets:
    """Answers about two levels of clusters: 100 (or 1,000 objects each) in tens.

    The near object is of the same cluster, or of another one in the same ten; the far
    object is one level further away. One answer in twenty is turned round.
    """
    rng = np.random.default_rng(0)
    size = min(n_objects // 100, 1_000)
    members = rng.permutation(n_objects)
    rows = np.empty((n_rows, 3), np.int32)
    for start in range(0, n_rows, ROWS_PER_PART):
        m = min(ROWS_PER_PART, n_rows - start)
        i = rng.integers(0, n_objects, m)
        is_deep = rng.random(m) < 0.5
        within = np.where(is_deep, size, 10 * size)
        around = np.where(is_deep, 10 * size, n_objects)
        j = i // within * within + (i + rng.integers(1, size, m)) % within
        k = (i // within + rng.integers(1, around // within)) * within
        k = i // around * around + (k + rng.integers(0, size, m)) % around
        is_flipped = rng.random(m) < 0.05
        near, far = np.where(is_flipped, k, j), np.where(is_flipped, j, k)
        rows[start : start + m] = members[np.stack([i, near, far], axis=1)]
    rows.flags.writeable = False
    return tt.Triplets(rows, n_objects)


def clustered_graph(n_nodes: int, n_pairs: int) -> Any:
    """Pairs with weights 1..100, nine of ten within clusters of 100 nodes."""
    from scipy.sparse import coo_array, csr_array

    rng = np.random.default_rng(0)
    i, j = rng.integers(0, n_nodes, n_pairs), rng.integers(1, n_nodes, n_pairs)
    is_within = rng.random(n_pairs) < 0.9
    block = np.where(is_within, 100, n_nodes)
    j = i // block * block + (i + np.where(is_within, 1 + j % 99, j)) % block
    keys = np.unique(np.minimum(i, j) * n_nodes + np.maximum(i, j))
    i, j = (keys // n_nodes).astype(np.int32), (keys % n_nodes).astype(np.int32)
    weights = rng.integers(1, 101, len(keys))
    ends = np.concatenate([i, j]), np.concatenate([j, i])
    both = coo_array((np.tile(weights, 2), ends), shape=(n_nodes, n_nodes))
    return csr_array(both)


def bench_sparse(rounds: int, scale: int) -> None:
    """Sparse average linkage beside higra and scikit-network; time against m; hubs."""
    warnings.simplefilter("ignore", UserWarning)  # of components
    tt.sparse_average_linkage(clustered_graph(200, 100))
    beside_graph_libraries(rounds, scale)
    counts = [m // scale for m in (10**5, 10**6, 10**7)]
    for n in (100_000 // scale, 1_000_000 // scale):
        seconds = [linkage_seconds(f"{n} objects", m, n) for m in counts]
        title = f"sparse linkage, {n} objects"
        record.scaling(title, "answers", counts, {OURS: seconds})
    for n in (100_000 // scale, 1_000_000 // scale):
        record.note(f"star of {n} leaves: {seconds_of(star(n)):.2f} s")
        answers = anchored_triplets(10 * n, n)
        s = tt.adds_similarity(answers, sparse=True)
        text = f"100 anchors, {n} objects, {10 * n} triplets"
        record.note(f"{text}: {seconds_of(s):.2f} s")


def beside_graph_libraries(rounds: int, scale: int) -> None:
    """The same graphs for all; the others average over stored pairs alone."""
    sizes = [p // scale for p in (250_000, 500_000, 1_000_000)]
    seconds: dict[str, list[float]] = {}
    for p in sizes:
        s = clustered_graph(p // 10, p)
        ours = {OURS: lambda s=s: tt.sparse_average_linkage(s)}
        found = in_turns(ours, rounds)
        for name, action in graph_libraries(s).items():  # once, as they take long
            began = time.perf_counter()
            action()
            found[name] = time.perf_counter() - began
        for name, value in found.items():
            seconds.setdefault(name, []).append(value)
    record.times(f"{s.shape[0]} nodes, {s.nnz // 2} stored pairs", found)
    record.scaling("sparse linkage", "pairs, ten to a node", sizes, seconds)
    record.note("higra and Paris run once, and average over stored pairs alone")


def graph_libraries(s: Any) -> dict[str, Callable[[], Any]]:
    """Average linkage by those that are installed."""
    found: dict[str, Callable[[], Any]] = {}
    if record.has("higra"):
        import higra

        pairs = s.tocoo()
        is_upper = pairs.row < pairs.col
        ends = [side[is_upper].astype(np.int64) for side in (pairs.row, pairs.col)]
        weights = pairs.data[is_upper]

        def by_higra() -> Any:
            graph = higra.UndirectedGraph(s.shape[0])
            graph.add_edges(*ends)
            return higra.binary_partition_tree_average_linkage(
                graph, 100.0 - weights, np.ones(len(weights))
            )

        found["higra, average linkage"] = by_higra
    if record.has("sknetwork"):
        from scipy.sparse import csr_matrix
        from sknetwork.hierarchy import Paris

        adjacency = csr_matrix(s.astype(np.float64))
        found["sknetwork.hierarchy.Paris"] = lambda: Paris().fit(adjacency)
    return found


def linkage_seconds(name: str, n_rows: int, n_objects: int) -> float:
    """The time of one linkage, with what it takes in memory, printed."""
    s: Any = tt.adds_similarity(planted_triplets(n_rows, n_objects), sparse=True)
    growth = memory_growth(lambda: tt.sparse_average_linkage(s))
    seconds = seconds_of(s)
    stored = (s.data.nbytes + s.indices.nbytes + s.indptr.nbytes) / 1e6
    record.note(
        f"{name}, {n_rows} triplets, {s.nnz // 2} pairs of {stored:.0f} MB: "
        f"{seconds:.2f} s, {growth:.0f} MB more"
    )
    return seconds


def seconds_of(s: Any) -> float:
    """How long one linkage takes."""
    began = time.perf_counter()
    tt.sparse_average_linkage(s)
    return time.perf_counter() - began


def star(n: int) -> Any:
    """One object similar to all others, which are never compared."""
    from scipy.sparse import coo_array, csr_array

    hub, leaves = np.zeros(n - 1, np.int64), np.arange(1, n)
    ends = np.concatenate([hub, leaves]), np.concatenate([leaves, hub])
    weights = np.tile(np.random.default_rng(0).integers(1, 1_000, n - 1), 2)
    return csr_array(coo_array((weights, ends), shape=(n, n)))


def anchored_triplets(n_rows: int, n_objects: int) -> tt.Triplets:
    """100 anchors asked about random others, each nearer to those of its kind."""
    rng = np.random.default_rng(0)
    i = rng.integers(0, 100, n_rows)
    j = rng.integers(100, n_objects, n_rows)
    k = 100 + (j - 100 + rng.integers(1, n_objects - 100, n_rows)) % (n_objects - 100)
    is_other = (j % 100 != i) & (k % 100 == i)
    near, far = np.where(is_other, k, j), np.where(is_other, j, k)
    return tt.Triplets(np.column_stack([i, near, far]).astype(np.int32), n_objects)
