"""How the figures of experiments look: one colour and marker per method."""

from __future__ import annotations

import io
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree._figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY
from tripletree.experiments.tables import times_n_squared

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: dict[str, dict[str, Any]] = {
    "adds3_al": {"color": BLUE, "marker": "o"},
    "adds4_al": {"color": BLUE, "marker": "o"},
    "tste_al": {"color": ORANGE, "marker": "s"},
    "mulk3_al": {"color": PURPLE, "marker": "^"},
    "four_k_al": {"color": PURPLE, "marker": "^"},
    "cosine3_al": {"color": SKY, "marker": "v"},
    "cosine4_al": {"color": SKY, "marker": "v"},
    "climb": {"color": RED, "marker": "D", "linestyle": "--"},
    "complete": {"color": GREEN, "marker": "P", "linestyle": "--"},
    "auto": {"color": BLACK, "marker": "x", "linestyle": ":"},
}


def panels(
    n_rows: int, n_columns: int, *, width: float = 3.6, height: float = 2.9
) -> tuple[Figure, Any]:
    """A figure with a grid of axes, (n_rows, n_columns)."""
    from matplotlib.figure import Figure

    figure = Figure((width * n_columns, height * n_rows + 0.5), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def draw_runs(
    axes: Axes,
    places: Sequence[float],
    values: Sequence[Sequence[float]],
    **look: Any,
) -> None:
    """The mean of the runs at each place, with their standard deviation as bars."""
    axes.errorbar(
        places,
        [float(np.mean(runs)) for runs in values],
        yerr=[float(np.std(runs)) for runs in values],
        **look,
    )


def places_of(ratios: Sequence[str]) -> list[float]:
    """Where multiples of n² are on an axis."""
    return [float(Fraction(ratio)) for ratio in ratios]


def scale_of_answers(axes: Axes, ratios: Sequence[str]) -> None:
    """Let the horizontal axis count answers, on a logarithmic scale."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(places_of(ratios), [times_n_squared(ratio) for ratio in ratios])
    axes.tick_params(axis="x", labelsize=7.5)


def legend_below(figure: Figure, axes: Axes, n_columns: int) -> None:
    """One legend for all panels, under them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns)


def image(figure: Figure, kind: str) -> bytes:
    """The figure as the bytes of a PNG or PDF file, the same at any time of day."""
    metadata = {"CreationDate": None} if kind == "pdf" else {"Software": None}
    out = io.BytesIO()
    figure.savefig(out, format=kind, metadata=metadata)
    return out.getvalue()
