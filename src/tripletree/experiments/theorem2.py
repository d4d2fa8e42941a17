"""Theorem 2 in practice: how many triplets does a latent hierarchy need?

A latent tree H0, a random part T of what it answers (p_n such that |T| is a multiple of
n² on average), all right or 5 % turned round. The share is what the tree found from T
earns on all of T0, over what H0 earns, which is the most that any tree can. The theorem
promises a share of 1 - epsilon from about n² log n / epsilon² triplets on, with a large
constant; the table has its number beside the smallest that was enough here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from matplotlib.artist import setp
from matplotlib.figure import Figure

import tripletree as tt
from tripletree._figures import BLUE, GREEN, ORANGE, PURPLE, RED
from tripletree.experiments.cells import Cell, Record, grid
from tripletree.experiments.paper_methods import (
    NAMES,
    OWN_METHODS,
    own_trees,
    published_trees,
)
from tripletree.experiments.reporting import (
    Plan,
    PrintedTable,
    Report,
    column,
    draw_runs,
    legend_below,
    levels,
    panels,
    scale_of_answers,
    scientific,
    select,
    times_n_squared,
)

SIZES = (50, 100, 200, 500, 1000)
QUICK_SIZES = (50, 100)
SHAPES = ("balanced", "random", "caterpillar")
FLIPS = (0.0, 0.05)
RATIOS = ("1/16", "1/8", "1/4", "1/2", "1", "2", "4")
QUICK_RATIOS = ("1/4", "1", "4")
MOST_RUNS = 3  # whatever --seeds says: runs hardly differ
LARGEST_TO_COMPLETE = 200  # objects
EPSILONS = (0.2, 0.1, 0.05)
METHODS = ("adds3_al", *OWN_METHODS)
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE)


def cells(plan: Plan) -> list[Cell]:
    """One cell per shape, size, share of wrong answers, number of triplets and run."""
    return grid(
        "theorem2",
        shape=SHAPES,
        n=QUICK_SIZES if plan.is_quick else SIZES,
        flip=FLIPS,
        ratio=QUICK_RATIOS if plan.is_quick else RATIOS,
        run=range(min(plan.n_seeds, MOST_RUNS)),
    )


def latent_tree(shape: str, n: int, rng: np.random.Generator) -> tt.Tree:
    """A tree of this shape with its leaves in random order."""
    if shape == "random":
        return tt.random_tree(n, rng=rng)
    tree = tt.balanced_tree(n) if shape == "balanced" else tt.caterpillar_tree(n)
    names = np.concatenate([rng.permutation(n), np.arange(n, 2 * n - 1)])
    return tt.Tree(names[tree.children])


def run_cell(shape: str, n: int, flip: float, ratio: str, run: int) -> list[Record]:
    """The share of the largest revenue that each method reaches."""
    rng = np.random.default_rng(run)
    latent = latent_tree(shape, n, rng)
    p = min(1.0, float(Fraction(ratio) * Fraction(3 * n, (n - 1) * (n - 2))))
    answers = tt.sample_induced_triplets(latent, p, flip=flip, rng=rng)
    trees = published_trees(["adds3_al"], answers)
    if n <= LARGEST_TO_COMPLETE:
        trees |= own_trees(answers, seed=run, is_draft=True)
    else:
        climbed = tt.maximise_revenue(answers, n_restarts=1, seed=run)
        trees["climb"] = climbed.tree, "climb"
    s = tt.induced_similarity(latent)
    most = int(tt.revenue(latent, s))
    return [
        {
            "shape": shape,
            "n_objects": n,
            "flip": flip,
            "triplets_over_n2": ratio,
            "probability": p,
            "n_triplets": len(answers),
            "run": run,
            "method": method,
            "revenue": int(tt.revenue(tree, s)),
            "largest_revenue": most,
            "share": int(tt.revenue(tree, s)) / most,
        }
        for method, (tree, _) in trees.items()
    ]


def report(plan: Plan, records: Sequence[Record]) -> Report:
    """What the theorem asks for beside what was enough, and the shares drawn."""
    rows = [
        _row(n, flip, epsilon, select(records, n_objects=n, flip=flip))
        for n, flip, epsilon in product(levels(records, "n_objects"), FLIPS, EPSILONS)
    ]
    tried = [times_n_squared(ratio) for ratio in levels(records, "triplets_over_n2")]
    table = PrintedTable(
        "Theorem 2: triplets for a share of 1 - epsilon of the largest revenue",
        (
            "objects",
            "wrong",
            "epsilon",
            "all there are",
            "asked for by the theorem",
            *(f"enough: {NAMES[method]}" for method in METHODS),
        ),
        rows,
        (
            "Enough: the smallest number tried with which all runs of all three shapes "
            "(balanced, random, caterpillar) got there.",
            f"Tried: {', '.join(tried)}. "
            "climb, complete and auto are tripletree's, with one restart; complete and "
            f"auto up to {LARGEST_TO_COMPLETE} objects.",
            "-: the theorem is stated for n > 8 / epsilon. alpha = 1.",
        ),
    )
    return Report([table], records, {"theorem2": lambda: _draw(records)})


def _row(n: int, flip: float, epsilon: float, records: Sequence[Record]) -> list[str]:
    asked = "-"
    if n * epsilon > 8:
        asked = scientific(tt.triplets_needed(n, epsilon, delta=flip).n_triplets, 1)
    is_first = epsilon == EPSILONS[0]
    texts = [
        str(n) if is_first and flip == FLIPS[0] else "",
        f"{flip:.0%}" if is_first else "",
        f"{epsilon:g}",
        scientific(n * (n - 1) * (n - 2) // 3, 1),
        asked,
    ]
    for method in METHODS:
        found = select(records, method=method)
        enough = [
            ratio
            for ratio in levels(found, "triplets_over_n2")
            if min(column(found, "share", triplets_over_n2=ratio)) >= 1 - epsilon
        ]
        texts.append(times_n_squared(enough[0]) if enough else "more" if found else "")
    return texts


def _draw(records: Sequence[Record]) -> Figure:
    figure, axes = panels(len(FLIPS), len(SHAPES), width=3.3, height=2.7)
    sizes = levels(records, "n_objects")
    ratios = levels(records, "triplets_over_n2")
    looks = (("climb", "-", "o"), ("adds3_al", "--", "s"))
    lowest = min(column(records, "share"))
    for (flip, shape), panel in zip(product(FLIPS, SHAPES), axes.flat, strict=True):
        for (n, colour), (method, line, marker) in product(
            zip(sizes, COLOURS, strict=False), looks
        ):
            found = select(records, shape=shape, flip=flip, n_objects=n, method=method)
            draw_runs(
                panel,
                found,
                "share",
                "triplets_over_n2",
                color=colour,
                linestyle=line,
                marker=marker,
                markersize=3.5,
                label=f"{NAMES[method]}, n = {n}",
            )
        scale_of_answers(panel, ratios)
        panel.set(title=f"{shape} tree, {flip:.0%} wrong", ylim=(lowest - 0.03, 1.02))
    setp(axes[:, 0], ylabel="share of the largest revenue")
    setp(axes[-1], xlabel="number of triplets")
    legend_below(figure, axes[0, 0], len(sizes))
    return figure
