"""The numbers printed in the paper, and when ours agree with them.

Printed figures are partly rounded and partly cut off: 7.34794e7 is printed 7.347e7,
1.82275e7 is printed 1.823e7. So a figure agrees if either gives what is printed.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from math import floor, isfinite
from typing import Any


@dataclass(frozen=True)
class Printed:
    """A figure as it is printed, and its standard deviation if that is printed too."""

    text: str
    spread_text: str | None = None

    @property
    def value(self) -> float:
        """The figure as a number."""
        return float(self.text)

    @property
    def spread(self) -> float | None:
        """Its standard deviation as a number."""
        return None if self.spread_text is None else float(self.spread_text)


@cache
def published() -> dict[str, Any]:
    """The whole of published.toml."""
    text = (files("tripletree.experiments") / "published.toml").read_text("utf-8")
    return tomllib.loads(text)


def agrees(value: float, printed: str) -> bool:
    """Whether rounding or cutting off the value gives what is printed."""
    if not isfinite(value):
        return False
    figure = Decimal(printed)
    exponent = figure.as_tuple().exponent
    assert isinstance(exponent, int)
    scaled = Decimal(value).scaleb(-exponent)
    return figure.scaleb(-exponent) in (floor(scaled), floor(scaled + Decimal("0.5")))


def difference(value: float, printed: Printed) -> str:
    """How far from the printed figure: "=", or in printed standard deviations."""
    if agrees(value, printed.text):
        return "="
    if printed.spread:
        return f"{(value - printed.value) / printed.spread:+.1f} sd"
    return f"{value / printed.value - 1:+.2%}"
