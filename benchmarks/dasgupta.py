"""Dasgupta's cost of a tree on a graph, beside higra and scikit-network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tripletree as tt
from benchmarks import record
from benchmarks.measure import in_turns
from benchmarks.sparse import clustered_graph

OURS = "tripletree.dasgupta_cost"


def costs(s: Any, tree: tt.Tree) -> dict[str, Callable[[], float]]:
    """The cost by each that is installed: the sum of weight times size."""
    from scipy.sparse import csr_matrix

    found: dict[str, Callable[[], float]] = {OURS: lambda: tt.dasgupta_cost(tree, s)}
    if record.has("higra"):
        import higra

        pairs = s.tocoo()
        is_upper = pairs.row < pairs.col
        ends = [side[is_upper].astype(np.int64) for side in (pairs.row, pairs.col)]
        weights = pairs.data[is_upper].astype(np.float64)
        graph = higra.UndirectedGraph(s.shape[0])
        graph.add_edges(*ends)
        parents = np.append(tree.parent[:-1], len(tree.parent) - 1)

        def by_higra() -> float:
            # A new one each time, as it keeps what it has computed.
            shape = higra.Tree(parents)
            cost = higra.dasgupta_cost(shape, weights, graph, mode="similarity")
            return float(cost)

        found["higra.dasgupta_cost"] = by_higra
    if record.has("sknetwork"):
        from sknetwork.hierarchy import dasgupta_cost

        adjacency = csr_matrix(s.astype(np.float64))
        matrix = tree.to_linkage()
        total = s.sum() / 2  # it divides by the total weight
        found["sknetwork.hierarchy.dasgupta_cost"] = lambda: float(
            dasgupta_cost(adjacency, matrix) * total
        )
    return found


def bench_dasgupta(rounds: int, scale: int) -> None:
    """Dasgupta's cost on a sparse graph beside higra and scikit-network."""
    sizes = [p // scale for p in (250_000, 500_000, 1_000_000)]
    seconds: dict[str, list[float]] = {}
    for p in sizes:
        s = clustered_graph(p // 10, p)
        tree = tt.sparse_average_linkage(s)
        actions = costs(s, tree)
        values = {name: action() for name, action in actions.items()}
        for name, value in values.items():
            assert np.isclose(value, values[OURS], rtol=1e-6), name  # some use float32
        found = in_turns(actions, rounds)
        for name, value in found.items():
            seconds.setdefault(name, []).append(value)
    title = f"{s.shape[0]} nodes, {s.nnz // 2} stored pairs"
    record.times(title, found)
    for name in (name for name in values if name != OURS):
        off = abs(values[name] / values[OURS] - 1)
        record.note(f"{name} is off tripletree's exact integer by {off:.1g}")
    record.scaling("Dasgupta's cost", "pairs, ten to a node", sizes, seconds)
