"""Which method: judged on answers that its trees have not seen.

With many answers ``climb`` finds the best tree; with few it follows their noise, and
``complete`` is better. Each candidate makes a tree of all folds but one, with the
effort of a draft, and earns its revenue on that one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from tripletree._progress import OnProgress, OutOfTime, Progress
from tripletree.comparisons.triplets import Comparisons
from tripletree.evaluation.holdout import HeldOut, held_out
from tripletree.methods import OF_PAIR_SUMS
from tripletree.tree.tree import Tree

CANDIDATES = ("adds-al", "climb", "complete")
MANY_ANSWERS = 8  # times n^2: from here on, completing them adds nothing
LARGEST_TO_COMPLETE = 3_000  # objects, in `auto`
LARGEST_TO_TRY = 10_000  # objects, with held-out answers

MakeTree = Callable[..., tuple[Tree, bool]]  # `methods.tree_by`, some options given
Try = Callable[[str, float], tuple[HeldOut | None, bool]]  # `try_method`, likewise

# Seconds for each of n^2 pairs that a method takes at least, whatever the time limit;
# beyond 10,000 objects answers are summed sparsely. Measured on two cores.
PER_PAIR = {"complete": 4e-7, "tste-al": 7e-8}
PER_OTHER_PAIR, PER_ANSWER = 2.5e-8, 6e-7


def least_seconds(method: str, n_objects: int, n_rows: int) -> float:
    """About how long a tree takes at least, by a method or by any."""
    if n_objects > LARGEST_TO_TRY and method in (*OF_PAIR_SUMS, "auto"):
        return n_rows * PER_ANSWER
    return PER_PAIR.get(method, PER_OTHER_PAIR) * n_objects**2


def choose(
    comparisons: Comparisons, try_one: Try, seconds: float
) -> tuple[str, str, dict[str, HeldOut]]:
    """The candidate that earns most on held-out answers, why, and what each earns."""
    end = time.monotonic() + seconds
    found: dict[str, HeldOut] = {}
    notes = []
    for place, name in enumerate(CANDIDATES):
        share = max(0.0, end - time.monotonic()) / (len(CANDIDATES) - place)
        why_not = _why_not(name, comparisons, share)
        if why_not:
            notes.append(f"{name} was not tried: {why_not}")
            continue
        trial, is_cut = try_one(name, share)
        if trial is None:
            notes.append(f"{name} was stopped: no time left.")
            continue
        found[name] = trial
        if is_cut:
            notes.append(f"The trial of {name} was cut short by the time limit.")
    if not found:
        return CANDIDATES[0], "there was no time to compare methods.", found
    order = sorted(found, key=lambda name: -found[name].revenue)
    shown = ", ".join(f"{name} {x.revenue:.9g}" for name, x in found.items())
    if found[order[0]].revenue == found[order[-1]].revenue:
        reason = f"the first of equal held-out revenues ({shown})."
    else:
        reason = f"largest held-out revenue ({shown})."
        one, two = (found[name].revenues for name in order[:2])
        if any(x <= y for x, y in zip(one, two, strict=True)):
            notes.insert(0, f"It is close: {order[1]} is as good in some folds.")
    return order[0], " ".join([reason, *notes]), found


def try_method(
    comparisons: Comparisons,
    make: MakeTree,
    n_folds: int,
    seed: int,
    progress: OnProgress,
    name: str,
    seconds: float,
) -> tuple[HeldOut | None, bool]:
    """What a method earns on held-out answers, and whether time cut it short.

    None if there was no time for all folds.
    """
    end = time.monotonic() + seconds
    if seconds < n_folds * least_seconds(name, comparisons.n_objects, len(comparisons)):
        return None, True
    cut: list[bool] = []

    def make_tree(train: Comparisons) -> Tree:
        progress(Progress(f"held-out revenue of {name}", len(cut), n_folds))
        share = max(0.0, end - time.monotonic()) / (n_folds - len(cut))
        if not share and cut:
            raise OutOfTime
        tree, is_cut = make(name, train, seconds=share)
        cut.append(is_cut)
        return tree

    try:
        found = held_out(comparisons, make_tree, n_folds=n_folds, seed=seed)
    except OutOfTime:
        return None, True
    return found, any(cut)


def chance(found: HeldOut, n_answers: int) -> list[str]:
    """A warning if a method is within two standard errors of guessing."""
    if n_answers == 0 or found.accuracy > 0.5 + 1 / math.sqrt(n_answers):
        return []
    if found.accuracy > 0.5:
        return [
            "there are too few answers to tell whether the tree is right more often "
            "than by chance."
        ]
    return ["on unseen answers the tree is right no more often than by chance."]


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


def _why_not(name: str, comparisons: Comparisons, seconds: float) -> str:
    """Why not to try this candidate; empty if it shall be tried."""
    n, m = comparisons.n_objects, len(comparisons)
    if seconds <= 0:
        return "there was no time left."
    if name == "complete" and m >= MANY_ANSWERS * n * n:
        return f"{MANY_ANSWERS} n^2 comparisons or more need no completing."
    if name == "complete" and n > LARGEST_TO_COMPLETE:
        return f"it takes long with more than {LARGEST_TO_COMPLETE} objects."
    return ""
