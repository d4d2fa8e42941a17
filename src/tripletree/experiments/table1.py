"""The first table: revenue and AARI of all methods as triplets get fewer.

The planted model with n = 240 and a signal-to-noise ratio of 1.5; from 16 n² down to
n²/32 triplets; the published draws, so that AddS3-AL and MulK3-AL must come out as
printed. tSTE-AL starts from other random numbers than the paper's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from matplotlib.figure import Figure

from tripletree.datasets.planted import published_planted, published_triplets
from tripletree.experiments.cells import Cell, Record, grid
from tripletree.experiments.paper_methods import (
    DRAFT_NOTE,
    NAMES,
    OWN_METHODS,
    TRIPLET_METHODS,
    own_trees,
    published_trees,
    records_of,
)
from tripletree.experiments.reporting import (
    LOOKS,
    Plan,
    PrintedTable,
    Report,
    column,
    compared,
    draw_methods,
    legend_below,
    levels,
    panels,
    places_of,
    printed_numbers,
    printed_planted,
    scale_of_answers,
    select,
    times_n_squared,
)

RATIOS = ("16", "8", "4", "2", "1", "1/2", "1/4", "1/8", "1/16", "1/32")
QUICK_RATIOS = ("4", "1", "1/16")
N_PER_CLUSTER = 30
METHODS = (*TRIPLET_METHODS, *OWN_METHODS)
PER_TRIPLET = "revenue per triplet / (n - 2)"


def cells(plan: Plan) -> list[Cell]:
    """One cell per number of triplets and run."""
    return grid(
        "table1",
        ratio=QUICK_RATIOS if plan.is_quick else RATIOS,
        run=range(plan.n_seeds),
        n_per_cluster=[N_PER_CLUSTER],
        effort=["draft" if plan.is_quick else "full"],
    )


def run_cell(ratio: str, run: int, n_per_cluster: int, effort: str) -> list[Record]:
    """What each method earns on one set of triplets, and how right its tree is."""
    model = published_planted(n_per_cluster)
    n = len(model.similarity)
    answers = published_triplets(model.similarity, int(Fraction(ratio) * n * n), run)
    trees = published_trees(TRIPLET_METHODS, answers, seed=run)
    trees |= own_trees(answers, seed=run, is_draft=effort == "draft")
    return records_of(
        trees,
        answers,
        model.labels,
        triplets_over_n2=ratio,
        n_triplets=len(answers),
        run=run,
    )


def report(plan: Plan, records: Sequence[Record]) -> Report:
    """The table, and its figure."""
    rows = [
        _row(ratio, method, select(records, triplets_over_n2=ratio, method=method))
        for ratio in levels(records, "triplets_over_n2")
        for method in METHODS
    ]
    table = PrintedTable(
        f"First table: planted model, n = {8 * N_PER_CLUSTER}, delta / sigma = 1.5, "
        f"published draws, {plan.n_seeds} of 10 runs",
        (
            "triplets",
            "method",
            "revenue: published",
            "reproduced",
            "difference",
            "AARI: published",
            "reproduced",
            "difference",
        ),
        rows,
        (
            "= : equal to the printed digits. sd: printed standard deviations.",
            "climb, complete and auto are tripletree's; in brackets: what auto chose.",
            *([DRAFT_NOTE] if plan.is_quick else []),
        ),
    )
    return Report([table], records, {"table1": lambda: _draw(records)})


def _row(ratio: str, method: str, records: Sequence[Record]) -> list[str]:
    texts = [times_n_squared(ratio) if method == METHODS[0] else "", NAMES[method]]
    if method == "auto":
        chosen = Counter(column(records, "made_by"))
        texts[1] += f" ({', '.join(f'{k} {v}' for k, v in sorted(chosen.items()))})"
    for name in ("revenue", "aari"):
        printed = printed_planted(method, ratio, name)
        texts += compared(column(records, name), printed, is_share=name == "aari")
    return texts


def _draw(records: Sequence[Record]) -> Figure:
    """Means of the runs, and hollow what is printed."""
    figure, axes = panels(1, 2, width=4.4, height=3.4)
    ratios = levels(records, "triplets_over_n2")
    places = np.array(places_of(ratios))
    n = 8 * N_PER_CLUSTER
    shares = [
        {**r, "revenue": r["revenue"] / r["n_triplets"] / (n - 2)} for r in records
    ]
    for panel, name, units, words in (
        (axes[0, 0], "revenue", n * n * (n - 2) * places, PER_TRIPLET),
        (axes[0, 1], "aari", 1, "AARI"),
    ):
        draw_methods(panel, shares, name, "triplets_over_n2")
        for method in printed_numbers()["planted"]:
            printed = [printed_planted(method, ratio, name)[0] for ratio in ratios]
            panel.plot(
                places,
                np.array(printed, float) / units,
                linestyle="none",
                marker=LOOKS[method]["marker"],
                markersize=10,
                markerfacecolor="none",
                markeredgecolor=LOOKS[method]["color"],
                label=f"{NAMES[method]}, published",
            )
        scale_of_answers(panel, ratios)
        panel.set(xlabel="number of triplets", ylabel=words)
    legend_below(figure, axes[0, 0], 5)
    return figure
