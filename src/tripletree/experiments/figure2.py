"""Figure 2: do trees that earn more lie closer to the truth?

Each run of the first table is a point: its AARI and its revenue. Rank correlations say
how monotone the cloud of a method is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import setp
from matplotlib.figure import Figure

from tripletree.experiments import table1
from tripletree.experiments.cells import Record
from tripletree.experiments.paper_methods import NAMES
from tripletree.experiments.reporting import (
    Plan,
    PrintedTable,
    Report,
    column,
    levels,
    panels,
    places_of,
    printed_numbers,
    select,
    times_n_squared,
)

LINEAR_BELOW = 1e3  # revenues can be negative: the logarithmic scale ends here

cells = table1.cells  # those of the first table


def correlations(records: Sequence[Record]) -> tuple[float, float]:
    """Kendall's tau and Spearman's rho of revenue and AARI."""
    from scipy.stats import kendalltau, spearmanr

    earned, right = column(records, "revenue"), column(records, "aari")
    tau, rho = kendalltau(earned, right), spearmanr(earned, right)
    return float(tau.statistic), float(rho.statistic)


def report(plan: Plan, records: Sequence[Record]) -> Report:
    """Correlations beside the printed ones, and the scatter plots."""
    rows, kept = [], []
    for method in table1.METHODS:
        tau, rho = correlations(select(records, method=method))
        printed = printed_numbers()["figure2"].get(method, ["", ""])
        texts = ["", NAMES[method]]
        for value, text in zip((tau, rho), printed, strict=True):
            far = f"{value - float(text):+.3f}" if text else ""
            texts += [text, f"{value:.3f}", far]
        rows.append(texts)
        kept.append({"method": method, "kendall_tau": tau, "spearman_rho": rho})
    names = ("published", "reproduced", "difference")
    title = (
        "Figure 2: rank correlation of revenue and AARI, over runs of the first table "
        f"({len(select(records, method='adds3_al'))} of 100)"
    )
    header = ("", "method", *(f"{x}: {y}" for x in ("tau", "rho") for y in names))
    notes = (
        "The paper prints no standard deviation of a correlation.",
        "climb, complete and auto are tripletree's.",
    )
    table = PrintedTable(title, header, rows, notes)
    return Report([table], kept, {"figure2": lambda: _draw(records)})


def _draw(records: Sequence[Record]) -> Figure:
    figure, axes = panels(2, 3, width=3.1, height=2.8)
    lowest = min(-LINEAR_BELOW, *column(records, "revenue"))
    for panel, method in zip(axes.flat, table1.METHODS, strict=True):
        found = select(records, method=method)
        points = panel.scatter(
            column(found, "aari"),
            column(found, "revenue"),
            c=np.log2(places_of(column(found, "triplets_over_n2"))),
            cmap="cividis",
            s=16,
            edgecolors="black",
            linewidths=0.3,
        )
        tau, rho = correlations(found)
        panel.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=0.5)
        panel.set(
            title=f"{NAMES[method]}: tau {tau:.3f}, rho {rho:.3f}",
            yticks=[0, 1e4, 1e5, 1e6, 1e7, 1e8],
            ylim=(lowest * 1.5, 2e8),
            xlim=(-0.05, 1.05),
        )
    setp(axes[:, 0], ylabel="revenue")
    setp(axes[1], xlabel="AARI")
    bar = figure.colorbar(points, ax=axes, shrink=0.7, label="number of triplets")
    ratios = levels(records, "triplets_over_n2")[::-1]
    bar.set_ticks(
        np.log2(places_of(ratios)).tolist(),
        labels=[times_n_squared(ratio) for ratio in ratios],
    )
    return figure
