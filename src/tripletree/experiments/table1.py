"""The first table: revenue and AARI of all methods as triplets get fewer.

The planted model with n = 240 and a signal-to-noise ratio of 1.5; from 16 n² down to
n²/32 triplets; the published draws, so that AddS3-AL and MulK3-AL must come out as
printed. tSTE-AL starts from other random numbers than the paper's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from tripletree.datasets.published_draws import published_planted, published_triplets
from tripletree.evaluation.agreement import aari
from tripletree.experiments.cells import Cell, Record, Results, cell
from tripletree.experiments.drawing import LOOKS, draw_runs, legend_below, panels
from tripletree.experiments.methods import (
    DRAFT_NOTE,
    NAMES,
    OWN_METHODS,
    TRIPLET_METHODS,
    own_trees,
    published_tree,
)
from tripletree.experiments.plan import Plan, Report
from tripletree.experiments.published import Printed, difference, published
from tripletree.experiments.tables import (
    Table,
    column,
    figure_text,
    mean_of,
    select,
    times_n_squared,
)
from tripletree.objective.value import revenue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATIOS = ("16", "8", "4", "2", "1", "1/2", "1/4", "1/8", "1/16", "1/32")
QUICK_RATIOS = ("4", "1", "1/16")
N_PER_CLUSTER = 30
METHODS = (*TRIPLET_METHODS, *OWN_METHODS)


def cells(plan: Plan) -> list[Cell]:
    """One cell per number of triplets and run."""
    return [
        cell(
            "table1",
            ratio=ratio,
            run=run,
            n_per_cluster=N_PER_CLUSTER,
            effort="draft" if plan.is_quick else "full",
        )
        for ratio, run in product(_ratios(plan), range(plan.n_seeds))
    ]


def _ratios(plan: Plan) -> tuple[str, ...]:
    return QUICK_RATIOS if plan.is_quick else RATIOS


def run_cell(ratio: str, run: int, n_per_cluster: int, effort: str) -> list[Record]:
    """What each method earns on one set of triplets, and how right its tree is."""
    model = published_planted(n_per_cluster)
    n = len(model.similarity)
    answers = published_triplets(model.similarity, int(Fraction(ratio) * n * n), run)
    trees = {
        method: (published_tree(method, answers, seed=run), method)
        for method in TRIPLET_METHODS
    }
    trees |= own_trees(answers, seed=run, is_draft=effort == "draft")
    return [
        {
            "triplets_over_n2": ratio,
            "n_triplets": len(answers),
            "run": run,
            "method": method,
            "made_by": made_by,
            "revenue": int(revenue(tree, answers)),
            "aari": float(aari(tree, model.labels)),
        }
        for method, (tree, made_by) in trees.items()
    ]


def all_records(plan: Plan, results: Results) -> list[Record]:
    """The records of all cells, in their order."""
    return [record for one in cells(plan) for record in results[one]]


def report(plan: Plan, results: Results) -> Report:
    """The table, and both figures of it."""
    records = all_records(plan, results)
    rows = [
        row
        for ratio in _ratios(plan)
        for method in METHODS
        if (row := _row(ratio, method, select(records, triplets_over_n2=ratio)))
    ]
    table = Table(
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
    return Report([table], records, {"table1": lambda: _draw(plan, records)})


def _row(ratio: str, method: str, records: Sequence[Record]) -> list[str]:
    found = select(records, method=method)
    texts = [times_n_squared(ratio) if method == METHODS[0] else "", NAMES[method]]
    if method == "auto":
        chosen = Counter(record["made_by"] for record in found)
        texts[1] += f" ({', '.join(f'{k} {v}' for k, v in sorted(chosen.items()))})"
    printed = published()["planted"].get(method, {}).get(ratio)
    for at, name in ((0, "revenue"), (2, "aari")):
        values = column(found, name)
        reproduced = figure_text(values, is_share=name == "aari")
        if printed is None:
            texts += ["", reproduced, ""]
        else:
            one = Printed(printed[at], printed[at + 1])
            texts += [
                f"{one.text} ± {one.spread_text}",
                reproduced,
                difference(mean_of(values), one),
            ]
    return texts


def _draw(plan: Plan, records: Sequence[Record]) -> Figure:
    figure, axes = panels(1, 2, width=4.4, height=3.4)
    ratios = [r for r in RATIOS if r in _ratios(plan)]
    places = [float(Fraction(ratio)) for ratio in ratios]
    n = 8 * N_PER_CLUSTER
    for method in METHODS:
        shares, right = [], []
        for ratio in ratios:
            found = select(records, method=method, triplets_over_n2=ratio)
            shares.append([r["revenue"] / r["n_triplets"] / (n - 2) for r in found])
            right.append(column(found, "aari"))
        draw_runs(axes[0, 0], method, places, shares)
        draw_runs(axes[0, 1], method, places, right)
    for at, (panel, scale) in enumerate(
        ((axes[0, 0], n * n * (n - 2)), (axes[0, 1], 1))
    ):
        for method, printed in published()["planted"].items():
            panel.plot(
                places,
                [
                    float(printed[ratio][2 * at]) / (scale * place if at == 0 else 1)
                    for ratio, place in zip(ratios, places, strict=True)
                ],
                linestyle="none",
                marker=LOOKS[method]["marker"],
                markersize=10,
                markerfacecolor="none",
                markeredgecolor=LOOKS[method]["color"],
                label=f"{NAMES[method]}, published",
            )
        panel.set_xscale("log", base=2)
        panel.set_xticks(places, [times_n_squared(ratio) for ratio in ratios])
        panel.tick_params(axis="x", labelsize=7.5)
        panel.set_xlabel("number of triplets")
    axes[0, 0].set_ylabel("revenue per triplet / (n - 2)")
    axes[0, 1].set_ylabel("AARI")
    legend_below(figure, axes[0, 0], 5)
    return figure
