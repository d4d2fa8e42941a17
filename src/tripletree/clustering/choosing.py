"""Which method: judged on answers that its trees have not seen.

With many answers ``climb`` finds the best tree; with few it follows their noise, and
``complete`` is better. Each candidate makes a tree of all folds but one, with the
effort of a draft, and earns its revenue on that one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tripletree._progress import OnProgress, Progress
from tripletree.comparisons.answers import Comparisons
from tripletree.evaluation.holdout import HeldOut, held_out
from tripletree.tree.tree import Tree

CANDIDATES = ("adds-al", "climb", "complete")
MANY_ANSWERS = 8  # times n^2: from here on, completing them adds nothing
LARGEST_TO_COMPLETE = 3_000  # objects, in `auto`
LARGEST_TO_TRY = 10_000  # objects, with held-out answers

# A tree of comparisons by a method within so many seconds, and whether these cut it
# short.
MakeTree = Callable[[Comparisons, str, float], tuple[Tree, bool]]


@dataclass
class Trials:
    """What methods earn on held-out answers, tried one after the other."""

    comparisons: Comparisons
    make: MakeTree
    n_folds: int
    seed: int
    end: float  # on the monotonic clock
    progress: OnProgress
    held_out: dict[str, HeldOut] = field(default_factory=dict)

    def choose(self) -> tuple[str, str]:
        """The candidate that earns most on held-out answers, and why it."""
        notes = []
        for place, name in enumerate(CANDIDATES):
            seconds = self._left() / (len(CANDIDATES) - place)
            why_not = self._why_not(name, seconds)
            if why_not:
                notes.append(f"{name} was not tried: {why_not}")
            elif self.run(name, seconds):
                notes.append(f"The trial of {name} was cut short by the time limit.")
        if not self.held_out:
            return CANDIDATES[0], "there was no time to compare methods."
        order = sorted(self.held_out, key=lambda name: -self.held_out[name].revenue)
        found = ", ".join(f"{k} {v.revenue:.9g}" for k, v in self.held_out.items())
        reason = f"largest held-out revenue ({found})."
        if len({v.revenue for v in self.held_out.values()}) == 1:
            reason = f"the first of equal held-out revenues ({found})."
        elif len(order) > 1:
            one, two = (self.held_out[name].revenues for name in order[:2])
            if not all(x > y for x, y in zip(one, two, strict=True)):
                notes.insert(0, f"It is close: {order[1]} is as good in some folds.")
        return order[0], " ".join([reason, *notes])

    def run(self, name: str, seconds: float | None = None) -> bool:
        """Judge a method on held-out answers; whether time cut it short."""
        end = time.monotonic() + (self._left() if seconds is None else seconds)
        cut: list[bool] = []

        def make(train: Comparisons) -> Tree:
            step = f"held-out revenue of {name}"
            self.progress(Progress(step, len(cut), self.n_folds))
            share = max(0.0, end - time.monotonic()) / (self.n_folds - len(cut))
            tree, is_cut = self.make(train, name, share)
            cut.append(is_cut)
            return tree

        self.held_out[name] = held_out(
            self.comparisons, make, n_folds=self.n_folds, seed=self.seed
        )
        return any(cut)

    def chance(self, name: str) -> list[str]:
        """A warning if a method is within two standard errors of guessing."""
        found, m = self.held_out.get(name), _n_counted(self.comparisons)
        if found is None or m == 0 or found.accuracy > 0.5 + 1 / math.sqrt(m):
            return []
        if found.accuracy > 0.5:
            return [
                "there are too few answers to tell whether the tree is right more "
                "often than by chance."
            ]
        return ["on unseen answers the tree is right no more often than by chance."]

    def _left(self) -> float:
        return max(0.0, self.end - time.monotonic())

    def _why_not(self, name: str, seconds: float) -> str:
        """Why not to try this candidate; empty if it shall be tried."""
        n, m = self.comparisons.n_objects, len(self.comparisons)
        if seconds <= 0:
            return "there was no time left."
        if name == "complete" and m >= MANY_ANSWERS * n * n:
            return f"{MANY_ANSWERS} n^2 comparisons or more need no completing."
        if name == "complete" and n > LARGEST_TO_COMPLETE:
            return f"it takes long with more than {LARGEST_TO_COMPLETE} objects."
        return ""


def untried(n_objects: int, has_limit: bool) -> tuple[str, str]:
    """The method where none can be tried, and why it: pair sums, or many objects."""
    if n_objects <= LARGEST_TO_TRY:
        return "climb", "it earns most; pair sums cannot show whether it overfits."
    if has_limit:
        return "climb", "it earns most within a time limit."
    return "adds-al", (
        f"with more than {LARGEST_TO_TRY} objects it is the fastest; climb earns "
        "more if it is given a time limit."
    )


def _n_counted(comparisons: Comparisons) -> int:
    """The answers that count: those of weight 0 do not."""
    weights = comparisons.weights
    if weights is None or (weights != 0).all():
        return comparisons.n_answers
    return comparisons[weights != 0].n_answers
