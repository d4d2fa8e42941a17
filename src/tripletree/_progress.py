"""How far long work is: what every `progress` callback is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class OutOfTime(Exception):
    """The time limit ended a step before it had a result."""


@dataclass(frozen=True)
class Progress:
    """How far long work is.

    Attributes
    ----------
    step : str
        What is being done, in a few words.
    done : int
        How much of this step is done: merges, replicates, trials, restarts.
    total : int or None
        The total; None if it is not known.
    value : int, float or None
        The best value so far: the revenue of a search, the loss of an embedding.
    """

    step: str
    done: int = 0
    total: int | None = None
    value: int | float | None = None

    def __str__(self) -> str:
        if self.total is None or self.total <= 1:
            return self.step
        return f"{self.step}: {self.done:,} of {self.total:,}"


OnProgress = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """The callback if none was given."""
