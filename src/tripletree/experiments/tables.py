"""Tables as people read them, and as programs do."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tripletree.experiments.cells import Record


@dataclass(frozen=True)
class Table:
    """A title, a header, rows of text, and notes below them."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default=())

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


def csv_text(records: Iterable[Record]) -> str:
    """Records as comma-separated values, one row each, all with the same names."""
    rows = list(records)
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()


def scientific(value: float, digits: int = 3) -> str:
    """A number as the paper prints it: 7.347e7."""
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def spread_of(values: Sequence[float]) -> float:
    """The standard deviation as in the paper: over all runs, not one less."""
    return float(np.std(values))


def mean_of(values: Sequence[float]) -> float:
    """The mean of all runs."""
    return float(np.mean(values))


def figure_text(values: Sequence[float], *, is_share: bool = False) -> str:
    """Mean and standard deviation of the runs; one run has no deviation."""
    mean, spread = mean_of(values), spread_of(values)
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


def select(records: Iterable[Record], **wanted: Any) -> list[Record]:
    """The records with these values."""
    return [
        record
        for record in records
        if all(record[name] == value for name, value in wanted.items())
    ]


def column(records: Iterable[Record], name: str) -> list[float]:
    """One value of each record."""
    return [record[name] for record in records]
