"""How far long work is: what every `progress` callback is given."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

BAR = 20  # characters


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


class ProgressLine:
    """A line on standard error that says how far work is, in terminals and notebooks.

    The step, how much of it is done, as a bar and as a fraction, and about how many
    seconds are left.

    Examples
    --------
    >>> from tripletree import Triplets, cluster
    >>> answers = Triplets([[0, 1, 2], [1, 0, 2]], n_objects=3)
    >>> cluster(answers, progress=ProgressLine()).tree.n_leaves
    3
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = Progress("")
        self._began = self._told = -1.0
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        now = self._clock()
        last, self._last = self._last, progress
        if progress.step != last.step or progress.done < last.done:  # it begins
            self._began = now
        elif now - self._told < 0.1 and progress.done != progress.total:
            return
        self._told, text, total = now, str(progress), progress.total
        if total is not None and total > 1:
            length = BAR * min(progress.done, total) // total
            text += f" [{'#' * length:-<{BAR}}]"
            if 0 < progress.done < total:
                seconds = (now - self._began) * (total - progress.done) / progress.done
                text += f" about {seconds:.0f} s left"
        self._write(text)

    def clear(self) -> None:
        """Remove the line, so that what is written next begins where it began."""
        if self._width:
            self._write("")
            self._last, self._width = Progress(""), 0
            self._write("")

    def _write(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]
        if sys.stderr is not None:  # None: 2>&-
            sys.stderr.write(f"\r{text:<{self._width}}")
            sys.stderr.flush()
        self._width = max(self._width, len(text))
