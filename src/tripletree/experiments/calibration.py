"""What is a stability worth: are stable clusters found again from other people?

The people are split into halves at random (where it is not known who answered, the
questions are). From each half a tree is made by the default method, with the stability
of its clusters under the bootstrap. A cluster of one half is *found again* if the tree
of the other half has a cluster that is nearly the same: the objects of both over the
objects of either, the Jaccard index, are at least 0.8. If stability means what it says,
stable clusters are found again and others are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

import tripletree as tt
from tripletree._figures import BLUE, GREEN, ORANGE, PURPLE, RED
from tripletree.comparisons.row_checks import Bools, Floats
from tripletree.evaluation.holdout import assign_folds
from tripletree.experiments.cells import Cell, Record, grid
from tripletree.experiments.real import digest
from tripletree.experiments.reporting import (
    Plan,
    PrintedTable,
    Report,
    column,
    levels,
    panels,
)
from tripletree.tree.distances import matched_places
from tripletree.tree.tree import sums_below

EDGES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
BINS = [*pairwise(EDGES)]  # of stability
FOUND_AGAIN = 0.8  # the Jaccard index
SMALLEST = 3  # objects: pairs are found again only if they are the same
N_REPLICATES = 100
MOST_RUNS = 5
SIMULATED = "simulated people"
PER_CLUSTER, N_PEOPLE, PER_PERSON, WRONG = 8, 60, 100, 0.1
LOADERS = {
    "car": tt.fetch_car,
    "food": tt.fetch_food,
    "material": tt.fetch_material,
    "musician": tt.fetch_musician,
}
FILES = {
    "car": ["car/survey_data.csv"],
    "food": ["food/raw-json.tar.gz"],
    "material": ["material/answers_processed_train.json.gz"],
    "musician": ["musician/music_triplets.csv.gz"],
}
COLOURS = dict(
    zip((SIMULATED, *FILES), (BLUE, ORANGE, GREEN, RED, PURPLE), strict=True)
)


def cells(plan: Plan) -> list[Cell]:
    """One cell per data set that is there, and run."""
    digests = {SIMULATED: "-"}
    if not plan.is_quick:
        digests |= {name: digest(files) for name, files in FILES.items()}
    runs = range(min(plan.n_seeds, MOST_RUNS))
    return [
        cell
        for name, found in digests.items()
        if found
        for cell in grid("calibration", name=[name], digest=[found], run=runs)
    ]


def run_cell(name: str, digest: str, run: int) -> list[Record]:
    """How many clusters of each half, in each bin, are found again in the other."""
    if name == SIMULATED:
        answers: tt.Comparisons = simulated_people(np.random.default_rng(run))
    else:
        answers = LOADERS[name]().comparisons
    of_people = answers.annotators is not None
    is_first = split_in_halves(answers, run)
    trees, stability = [], []
    for part in (answers[is_first], answers[~is_first]):
        made = tt.cluster(part, bound=False, support=N_REPLICATES, seed=run)
        assert made.support is not None
        trees.append(made.tree)
        stability.append(made.support.stability)
    n_clusters, n_found = np.zeros((2, len(EDGES) - 1), np.int64)
    for one, other, values in zip(trees, trees[::-1], stability, strict=True):
        sizes = one.size[one.n_leaves : -1]
        counted = sizes >= SMALLEST
        again = best_jaccard(one, other)[:-1][counted] >= FOUND_AGAIN
        bins = np.searchsorted(EDGES, values[:-1][counted], "right") - 1
        bins = np.minimum(bins, len(EDGES) - 2)  # 1.0 is in the last
        n_clusters += np.bincount(bins, minlength=len(EDGES) - 1)
        n_found += np.bincount(bins[again], minlength=len(EDGES) - 1)
    return [
        {
            "data": name,
            "halves": "of the people" if of_people else "of the questions",
            "run": run,
            "stability": low,
            "n_clusters": int(n),
            "n_found_again": int(k),
        }
        for low, n, k in zip(EDGES, n_clusters, n_found, strict=False)
    ]


def simulated_people(rng: np.random.Generator) -> tt.Triplets:
    """Answers of people about the planted model, each with the same share of errors."""
    model = tt.planted(PER_CLUSTER, rng=rng)
    parts = [
        tt.sample_triplets(model.similarity, PER_PERSON, flip=WRONG, rng=rng)
        for _ in range(N_PEOPLE)
    ]
    return tt.Triplets(
        np.concatenate([part.rows for part in parts]),
        len(model.similarity),
        annotators=np.repeat(np.arange(N_PEOPLE), [len(part) for part in parts]),
    )


def split_in_halves(answers: tt.Comparisons, seed: int) -> Bools:
    """Which rows are in the first half: of the people or, if unknown, the questions."""
    if answers.annotators is None:
        return np.equal(assign_folds(answers, 2, seed), 0)
    people = np.unique(answers.annotators)
    order = np.random.default_rng(seed).permutation(people)
    return np.isin(answers.annotators, order[: len(people) // 2])


def best_jaccard(tree: tt.Tree, other: tt.Tree) -> Floats:
    """For each merge, the largest Jaccard index with a cluster of the other; O(n^2).

    The root of the other does not count: every tree has it.
    """
    n = tree.n_leaves
    leaf_of = other.leaf_order[matched_places(other, tree)]
    is_member = np.zeros((n - 1, n), np.bool_)
    for t in range(n - 1):
        is_member[t, leaf_of[tree.leaves(n + t)]] = True
    shared = sums_below(other, is_member)[:, :-1]
    every = tree.size[n:, None] + other.size[:-1] - shared
    return np.asarray((shared / every).max(axis=1))


def counts(records: Sequence[Record], name: str) -> list[tuple[int, int]]:
    """In each bin of stability: the clusters of a data set, and those found again."""
    kinds = ("n_clusters", "n_found_again")
    return [
        tuple(sum(column(records, kind, data=name, stability=low)) for kind in kinds)
        for low in EDGES[:-1]
    ]


def report(plan: Plan, records: Sequence[Record]) -> Report:
    """Of the clusters in each bin of stability, how many were found again."""
    rows = []
    for name in levels(records, "data"):
        heads = [name, column(records, "halves", data=name)[0]]
        for (low, high), (n, k) in zip(BINS, counts(records, name), strict=True):
            share = f"{k / n:.0%}" if n else "-"
            rows.append([*heads, f"{low:.2f} to {high:.2f}", str(n), share])
            heads = ["", ""]
    table = PrintedTable(
        "Clusters found again in the other half of the answers, by their stability",
        ("data", "halves", "stability", "clusters", "found again"),
        rows,
        (
            f"Clusters of at least {SMALLEST} objects, in both halves of all runs.",
            f"Found again: the other half has one with a Jaccard index of at least "
            f"{FOUND_AGAIN}.",
        ),
    )
    return Report([table], records, {"calibration": lambda: _draw(records)})


def _draw(records: Sequence[Record]) -> Figure:
    figure, axes = panels(1, 1, width=5.2, height=4.2)
    panel = axes[0, 0]
    for name in levels(records, "data"):
        points = [
            ((low + high) / 2, k / n)
            for (low, high), (n, k) in zip(BINS, counts(records, name), strict=True)
            if n
        ]
        panel.plot(
            *zip(*points, strict=True),
            label=name,
            color=COLOURS[name],
            marker="o",
            markersize=4,
        )
    panel.plot([0, 1], [0, 1], color="#8c8c8c", linewidth=0.8, linestyle=":")
    panel.set(xlabel="stability of a cluster", ylabel="share found again", ylim=(0, 1))
    panel.legend(loc="upper left")
    return figure
