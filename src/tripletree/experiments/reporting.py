"""What experiments are asked for, and what they hand back: tables and figures.

Printed figures are partly rounded and partly cut off: 7.34794e7 is printed 7.347e7,
1.82275e7 is printed 1.823e7. So a figure agrees if either gives what is printed.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import isfinite
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tripletree._figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY
from tripletree.experiments.cells import Record
from tripletree.experiments.paper_methods import NAMES

# One colour and marker per method.
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


Texts = Sequence[str]  # a figure as it is printed, and its deviation if that is too


@dataclass(frozen=True)
class Plan:
    """How much to run.

    Attributes
    ----------
    n_seeds : int
        Runs of everything that is random; the paper has ten.
    is_quick : bool
        Fewer and smaller settings, to see that everything works.
    """

    n_seeds: int = 10
    is_quick: bool = False


@dataclass(frozen=True)
class Report:
    """What came out: tables to read, all records, and figures to be drawn by name."""

    tables: Sequence[PrintedTable]
    records: Sequence[Record]
    figures: Mapping[str, Callable[[], Figure]]


@dataclass(frozen=True)
class PrintedTable:
    """A title, a header, rows of text, and notes below them."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = [_line(line, widths) for line in lines]
        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        return "\n".join([self.title, "", texts[0], rule, *texts[1:], *self.notes, ""])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The first two columns to the left, figures to the right."""
    return "  ".join(
        text.ljust(width) if column < 2 else text.rjust(width)
        for column, (text, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()


def csv_text(records: Sequence[Record]) -> str:
    """Records as comma-separated values, one row each, all with the same names."""
    out = io.StringIO()
    if records:
        writer = csv.DictWriter(out, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    return out.getvalue()


def select(records: Iterable[Record], **wanted: Any) -> list[Record]:
    """The records with these values."""
    return [
        record
        for record in records
        if all(record[name] == value for name, value in wanted.items())
    ]


def column(records: Iterable[Record], name: str, **wanted: Any) -> list[Any]:
    """One value of each record with these values."""
    return [record[name] for record in select(records, **wanted)]


def levels(records: Iterable[Record], name: str) -> list[Any]:
    """The different values of one name, in the order in which they come."""
    return list(dict.fromkeys(column(records, name)))


def scientific(value: float, digits: int = 3) -> str:
    """A number as the paper prints it: 7.347e7."""
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def figure_text(values: Sequence[float], *, is_share: bool = False) -> str:
    """Mean and standard deviation of the runs; one run has no deviation.

    The deviation is as in the paper: over all runs, not one less.
    """
    mean, spread = float(np.mean(values)), float(np.std(values))
    text = f"{mean:.3f}" if is_share else scientific(mean)
    if len(values) == 1:
        return text
    return f"{text} ± {f'{spread:.3f}' if is_share else scientific(spread, 1)}"


def times_n_squared(ratio: str) -> str:
    """A multiple of n^2 as a word: 4 n², n²/8."""
    share = Fraction(ratio)
    if share >= 1:
        return "n²" if share == 1 else f"{share} n²"
    return f"n²/{share.denominator}"


@cache
def printed_numbers() -> dict[str, Any]:
    """The numbers printed in the paper: the whole of published.toml."""
    text = (files("tripletree.experiments") / "published.toml").read_text("utf-8")
    return tomllib.loads(text)


def printed_planted(method: str, ratio: str, name: str) -> Texts:
    """The revenue or aari of a method on the planted model; empty if not printed."""
    texts: Texts = printed_numbers()["planted"].get(method, {}).get(ratio, ())
    return texts[:2] if name == "revenue" else texts[2:]


def agrees(value: float, printed: str) -> bool:
    """Whether rounding or cutting off the value gives what is printed."""
    if not isfinite(value):
        return False
    figure, exact = Decimal(printed), Decimal(value)
    return figure in (
        exact.quantize(figure, ROUND_FLOOR),
        exact.quantize(figure, ROUND_HALF_UP),
    )


def difference(values: Sequence[float], printed: Texts) -> str:
    """How far the mean is from the printed figure: "=", or in printed deviations."""
    value, figure = float(np.mean(values)), float(printed[0])
    if agrees(value, printed[0]):
        return "="
    if len(printed) > 1:
        return f"{(value - figure) / float(printed[1]):+.1f} sd"
    return f"{value / figure - 1:+.2%}"


def compared(
    values: Sequence[float], printed: Texts, *, is_share: bool = False
) -> list[str]:
    """What is printed, what came out, and the difference, if anything is printed."""
    shown = " ± ".join(printed)
    if not values:
        return [shown, "absent", ""]
    far = difference(values, printed) if printed else ""
    return [shown, figure_text(values, is_share=is_share), far]


def panels(
    n_rows: int, n_columns: int, *, width: float = 3.6, height: float = 2.9
) -> tuple[Figure, Any]:
    """A figure with a grid of axes, (n_rows, n_columns)."""
    figure = Figure((width * n_columns, height * n_rows + 0.5), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def draw_runs(
    axes: Axes, records: Sequence[Record], name: str, along: str, **look: Any
) -> None:
    """The mean of the runs at each level, with their standard deviation as bars."""
    places = levels(records, along)
    runs = [column(records, name, **{along: place}) for place in places]
    axes.errorbar(
        places_of(places),
        [float(np.mean(values)) for values in runs],
        yerr=[float(np.std(values)) for values in runs],
        **look,
    )


def draw_methods(axes: Axes, records: Sequence[Record], name: str, along: str) -> None:
    """The runs of each method, each in its own colour and with its own marker."""
    for method in levels(records, "method"):
        found = select(records, method=method)
        draw_runs(axes, found, name, along, label=NAMES[method], **LOOKS[method])


def places_of(levels: Iterable[str | float]) -> list[float]:
    """Where numbers, or multiples of n² such as "1/2", are on an axis."""
    return [float(Fraction(level)) for level in levels]


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
