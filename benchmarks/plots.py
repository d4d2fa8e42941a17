"""Scaling plots: times against sizes on logarithmic axes, with fitted lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def scaling_plots(case: Mapping[str, Any], folder: Path) -> None:
    """A PNG for each scaling entry of a case; its name is put into the entry."""
    entries = [entry for entry in case["entries"] if entry["kind"] == "scaling"]
    for number, entry in enumerate(entries, 1):
        entry["plot"] = f"{case['name']}-{number}.png"
        plot(entry, folder / entry["plot"])


def plot(entry: Mapping[str, Any], path: Path) -> None:
    """Points of every series, and the line of its exponent through their middle."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for number, series in enumerate(entry["series"]):
        sizes, seconds = np.array(series["sizes"]), np.array(series["seconds"])
        middle = np.exp([np.log(sizes).mean(), np.log(seconds).mean()])
        line = middle[1] * (sizes / middle[0]) ** series["exponent"]
        colour, label = f"C{number}", f"{series['name']}: {series['exponent']:.2f}"
        axes.loglog(sizes, seconds, "o", color=colour)
        axes.loglog(sizes, line, "-", color=colour, lw=1, label=label)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(entry["of"])
    axes.set_ylabel("seconds")
    axes.set_title(entry["title"], fontsize="medium")
    axes.legend(title="fitted exponent", fontsize="small")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
