"""What an experiment is asked for, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tripletree.experiments.cells import Record
from tripletree.experiments.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plan:
    """How much to run.

    Attributes
    ----------
    n_seeds : int
        Runs of everything that is random; the paper has ten.
    is_quick : bool
        Fewer and smaller settings, to see that everything works.
    data : Path, optional
        The folder of real data sets.
    """

    n_seeds: int = 10
    is_quick: bool = False
    data: Path | None = None


@dataclass(frozen=True)
class Report:
    """What came out: tables to read, all records, and figures to be drawn by name."""

    tables: Sequence[Table]
    records: Sequence[Record]
    figures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)
