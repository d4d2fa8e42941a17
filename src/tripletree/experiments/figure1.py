"""Figure 1 and the appendix's sweeps: revenue and AARI as the signal gets stronger.

The planted model with n = 240, delta / sigma from 0.2 to 2; n²/2, n² and 2 n² triplets
or quadruplets, all right or 5 % of them wrong. The paper draws from the clock here and
prints no numbers; each run here has a similarity and answers of its own, by seed. At
delta / sigma = 1.5, right triplets can be held against the first table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from tripletree.comparisons.answers import Comparisons
from tripletree.comparisons.sampling import sample_quadruplets, sample_triplets
from tripletree.datasets.planted import planted
from tripletree.evaluation.agreement import aari
from tripletree.experiments.cells import Cell, Record, Results, cell
from tripletree.experiments.drawing import draw_runs, legend_below, panels
from tripletree.experiments.methods import (
    DRAFT_NOTE,
    NAMES,
    OWN_METHODS,
    QUADRUPLET_METHODS,
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

SIGMA = 0.1
DELTAS = tuple(round(0.02 * step, 2) for step in range(1, 11))
QUICK_DELTAS = (0.04, 0.08, 0.15)
RATIOS = ("1/2", "1", "2")
QUICK_RATIOS = ("1",)
FLIPS = (0.0, 0.05)
N_PER_CLUSTER = 30
METHODS = {"triplets": TRIPLET_METHODS, "quadruplets": QUADRUPLET_METHODS}


def cells(plan: Plan) -> list[Cell]:
    """One cell per kind, share of wrong answers, number of answers, delta and run."""
    return [
        cell(
            "figure1",
            kind=kind,
            flip=flip,
            ratio=ratio,
            delta=delta,
            run=run,
            n_per_cluster=N_PER_CLUSTER,
        )
        for kind, flip, ratio, delta, run in product(
            METHODS, FLIPS, _ratios(plan), _deltas(plan), range(plan.n_seeds)
        )
    ]


def _ratios(plan: Plan) -> tuple[str, ...]:
    return QUICK_RATIOS if plan.is_quick else RATIOS


def _deltas(plan: Plan) -> tuple[float, ...]:
    """With 0.15, which the paper has in its first table only."""
    return QUICK_DELTAS if plan.is_quick else tuple(sorted({*DELTAS, 0.15}))


def run_cell(
    kind: str, flip: float, ratio: str, delta: float, run: int, n_per_cluster: int
) -> list[Record]:
    """What each method earns on one set of answers, and how right its tree is."""
    rng = np.random.default_rng(run)
    model = planted(n_per_cluster, delta=delta, sigma=SIGMA, rng=rng)
    n = len(model.similarity)
    draw = sample_triplets if kind == "triplets" else sample_quadruplets
    m = int(Fraction(ratio) * n * n)
    answers: Comparisons = draw(model.similarity, m, flip=flip, rng=rng)
    trees = {
        method: (published_tree(method, answers, seed=run), method)
        for method in METHODS[kind]
    }
    trees |= own_trees(answers, seed=run, is_draft=True)
    return [
        {
            "kind": kind,
            "flip": flip,
            "answers_over_n2": ratio,
            "delta_over_sigma": round(delta / SIGMA, 6),
            "run": run,
            "method": method,
            "made_by": made_by,
            "revenue": int(revenue(tree, answers)),
            "aari": float(aari(tree, model.labels)),
        }
        for method, (tree, made_by) in trees.items()
    ]


def report(plan: Plan, results: Results) -> Report:
    """A table and a figure per kind and share of wrong answers, and figure 1 itself."""
    records = [record for one in cells(plan) for record in results[one]]
    tables = []
    figures = {"figure1": lambda: _draw(plan, records, "triplets", 0.0, ("1",))}
    for kind, flip in product(METHODS, FLIPS):
        tables.append(_table(plan, records, kind, flip))
        stem = f"figure1_{kind}" + ("_noise" if flip else "")
        figures[stem] = lambda kind=kind, flip=flip: _draw(  # type: ignore[misc]
            plan, records, kind, flip, _ratios(plan)
        )
    return Report(tables, records, figures)


def _table(plan: Plan, records: Sequence[Record], kind: str, flip: float) -> Table:
    rows = []
    methods = (*METHODS[kind], *OWN_METHODS)
    for ratio, delta in product(_ratios(plan), _deltas(plan)):
        signal = round(delta / SIGMA, 6)
        found = select(
            records,
            kind=kind,
            flip=flip,
            answers_over_n2=ratio,
            delta_over_sigma=signal,
        )
        for name in ("revenue", "aari"):
            texts = [
                times_n_squared(ratio) if name == "revenue" else "",
                f"{signal:g}" if name == "revenue" else "",
                "revenue" if name == "revenue" else "AARI",
            ]
            for method in methods:
                values = column(select(found, method=method), name)
                text = figure_text(values, is_share=name == "aari")
                printed = _printed(method, ratio, name) if signal == 1.5 else None
                if printed is not None and not flip:
                    text += f" ({difference(mean_of(values), printed)})"
                texts.append(text)
            rows.append(texts)
    notes = [
        "climb, complete and auto are tripletree's.",
        DRAFT_NOTE,
        "The paper prints no numbers for this figure.",
    ]
    if kind == "triplets" and not flip:
        notes.append(
            "In brackets at 1.5: the difference from the first table, whose ten runs "
            "share one similarity."
        )
    return Table(
        f"Figure 1: {kind}, {flip:.0%} wrong, n = {8 * N_PER_CLUSTER}, "
        f"{plan.n_seeds} runs",
        (kind, "delta / sigma", "", *(NAMES[method] for method in methods)),
        rows,
        notes,
    )


def _printed(method: str, ratio: str, name: str) -> Printed | None:
    printed = published()["planted"].get(method, {}).get(ratio)
    if printed is None:
        return None
    return Printed(*(printed[:2] if name == "revenue" else printed[2:]))


def _draw(
    plan: Plan,
    records: Sequence[Record],
    kind: str,
    flip: float,
    ratios: Sequence[str],
) -> Figure:
    figure, axes = panels(len(ratios), 2, width=4.0)
    signals = [round(delta / SIGMA, 6) for delta in _deltas(plan)]
    for row, ratio in zip(axes, ratios, strict=True):
        chosen = select(records, kind=kind, flip=flip, answers_over_n2=ratio)
        for method in (*METHODS[kind], *OWN_METHODS):
            found = select(chosen, method=method)
            for panel, name in zip(row, ("revenue", "aari"), strict=True):
                runs = [
                    column(select(found, delta_over_sigma=signal), name)
                    for signal in signals
                ]
                draw_runs(panel, method, signals, runs)
        for panel, name in zip(row, ("revenue", "AARI"), strict=True):
            panel.set_title(f"{name}, {times_n_squared(ratio)} {kind}")
            panel.set_ylabel(name)
    for panel in axes[-1]:
        panel.set_xlabel("signal-to-noise ratio delta / sigma")
    if flip:
        figure.suptitle(f"{flip:.0%} of the answers wrong")
    legend_below(figure, axes[0, 0], 6)
    return figure
