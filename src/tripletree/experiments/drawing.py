"""How figures look: one colour and marker per method, safe for colour-blind readers."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.experiments.methods import NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours: told apart with every kind of colour vision.
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
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
SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "errorbar.capsize": 2,
    "savefig.dpi": 160,
    "pdf.fonttype": 42,
}


@contextmanager
def house_look() -> Iterator[None]:
    """Settings under which figures are drawn and saved."""
    import matplotlib

    with matplotlib.rc_context(SETTINGS):
        yield


def panels(
    n_rows: int, n_columns: int, *, width: float = 3.6, height: float = 2.9
) -> tuple[Figure, Any]:
    """A figure with a grid of axes, (n_rows, n_columns)."""
    from matplotlib.figure import Figure

    figure = Figure((width * n_columns, height * n_rows + 0.5), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def draw_runs(
    axes: Axes, method: str, places: Sequence[float], values: Sequence[Sequence[float]]
) -> None:
    """The mean of the runs at each place, with their standard deviation as bars."""
    axes.errorbar(
        places,
        [float(np.mean(runs)) for runs in values],
        yerr=[float(np.std(runs)) for runs in values],
        label=NAMES[method],
        **LOOKS[method],
    )


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
