"""Tables of what came out beside what is printed in the paper, and records as CSV.

Printed figures are partly rounded and partly cut off: 7.34794e7 is printed 7.347e7,
1.82275e7 is printed 1.823e7. So a figure agrees if either gives what is printed.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import floor, isfinite
from typing import Any

import numpy as np

from tripletree.experiments.cells import Record


@dataclass(frozen=True)
class Table:
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
    placed = [
        text.ljust(width) if column < 2 else text.rjust(width)
        for column, (text, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(placed).rstrip()


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
def published() -> dict[str, Any]:
    """The numbers printed in the paper: the whole of published.toml."""
    text = (files("tripletree.experiments") / "published.toml").read_text("utf-8")
    return tomllib.loads(text)


@dataclass(frozen=True)
class Printed:
    """A figure as it is printed, and its standard deviation if that is printed too."""

    text: str
    spread_text: str | None = None

    def __str__(self) -> str:
        return self.text + (f" ± {self.spread_text}" if self.spread_text else "")


def agrees(value: float, printed: str) -> bool:
    """Whether rounding or cutting off the value gives what is printed."""
    if not isfinite(value):
        return False
    figure = Decimal(printed)
    exponent = figure.as_tuple().exponent
    assert isinstance(exponent, int)
    scaled = Decimal(value).scaleb(-exponent)
    return figure.scaleb(-exponent) in (floor(scaled), floor(scaled + Decimal("0.5")))


def difference(values: Sequence[float], printed: Printed) -> str:
    """How far the mean is from the printed figure: "=", or in printed deviations."""
    value, figure = float(np.mean(values)), float(printed.text)
    if agrees(value, printed.text):
        return "="
    if printed.spread_text:
        return f"{(value - figure) / float(printed.spread_text):+.1f} sd"
    return f"{value / figure - 1:+.2%}"


def compared(
    values: Sequence[float], printed: Printed | None, *, is_share: bool = False
) -> list[str]:
    """What is printed, what came out, and the difference; empty where there is none."""
    texts = ["", "absent", ""]
    if printed:
        texts[0] = str(printed)
    if values:
        texts[1] = figure_text(values, is_share=is_share)
    if printed and values:
        texts[2] = difference(values, printed)
    return texts


def printed_planted(method: str, ratio: str, name: str) -> Printed | None:
    """The revenue or aari of a method on the planted model, if the paper has it."""
    row = published()["planted"].get(method, {}).get(ratio)
    if row is None:
        return None
    return Printed(*(row[:2] if name == "revenue" else row[2:]))
