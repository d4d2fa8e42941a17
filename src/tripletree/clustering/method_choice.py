"""Choosing a method by its revenue on answers that its trees have not seen.

With many answers ``climb`` finds the best tree; with few it overfits, and ``complete``
is better. Each candidate makes a tree from all folds but one, with the effort of a
draft, and is judged by its revenue on that one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from tripletree._progress import OnProgress, OutOfTime, Progress
from tripletree.comparisons.triplets import Comparisons
from tripletree.evaluation.holdout import HeldOut, held_out, pieces_of_evidence
from tripletree.methods import OF_PAIR_SUMS
from tripletree.tree.tree import Tree

CANDIDATES = ("adds-al", "climb", "complete")
MANY_ANSWERS = 8  # times n^2: from here on, completing them adds nothing
LARGEST_TO_COMPLETE = 3_000  # objects, in `auto`
LARGEST_TO_TRY = 10_000  # objects, with held-out answers

DraftTree = Callable[..., tuple[Tree, bool]]  # `methods.make_tree`, some options given

# Seconds per pair of objects that a method takes at least, whatever the time limit;
# beyond 10,000 objects answers are summed sparsely. Measured on two cores.
PER_PAIR = {"complete": 4e-7, "posterior": 4e-7, "tste-al": 7e-8}
PER_OTHER_PAIR, PER_ANSWER = 2.5e-8, 6e-7


def minimum_seconds(method: str, n_objects: int, n_rows: int) -> float:
    """About how long a tree by this method, or by the fastest, takes at least."""
    if n_objects > LARGEST_TO_TRY and method in (*OF_PAIR_SUMS, "auto"):
        return n_rows * PER_ANSWER
    return PER_PAIR.get(method, PER_OTHER_PAIR) * n_objects**2


def choose_method(
    comparisons: Comparisons,
    make: DraftTree,
    n_folds: int,
    seed: int,
    progress: OnProgress,
    seconds: float,
) -> tuple[str, str, dict[str, HeldOut]]:
    """The candidate with the largest held-out revenue, the reason, and all trials."""
    end = time.monotonic() + seconds
    found: dict[str, HeldOut] = {}
    notes = []
    for place, name in enumerate(CANDIDATES):
        share = max(0.0, end - time.monotonic()) / (len(CANDIDATES) - place)
        why_not = _reason_to_skip(name, comparisons, share)
        if why_not:
            notes.append(f"{name} was not tried: {why_not}")
            continue
        trial, is_cut = try_method(
            name, comparisons, make, n_folds, seed, progress, share
        )
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
    name: str,
    comparisons: Comparisons,
    make: DraftTree,
    n_folds: int,
    seed: int,
    progress: OnProgress,
    seconds: float,
) -> tuple[HeldOut | None, bool]:
    """How a method does on held-out answers, and whether the time limit cut it short.

    None if there was no time for all folds.
    """
    end = time.monotonic() + seconds
    n, m = comparisons.n_objects, len(comparisons)
    if seconds < n_folds * minimum_seconds(name, n, m):
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


def chance_warnings(found: HeldOut | None, comparisons: Comparisons) -> list[str]:
    """A warning if a method is within two standard errors of guessing.

    Questions are the evidence, not answers: of 1,000 questions, each with 20 answers,
    the standard error is that of 1,000 guesses, which is 1 / (2 sqrt(1,000)).
    """
    n = 0.0 if found is None else pieces_of_evidence(comparisons)
    if found is None or not n or found.accuracy > 0.5 + 1 / math.sqrt(n):
        return []
    if found.accuracy > 0.5:
        return [
            "there are answers to too few questions to tell whether the tree is right "
            "more often than by chance."
        ]
    return ["on unseen answers the tree is right no more often than by chance."]


def method_without_trials(n_objects: int, has_limit: bool) -> tuple[str, str]:
    """The method, and the reason, for pair sums and for many objects."""
    if n_objects <= LARGEST_TO_TRY:
        return "climb", "largest revenue; pair sums cannot show whether it overfits."
    if has_limit:
        return "climb", "largest revenue within a time limit."
    return "adds-al", (
        f"the fastest method, for more than {LARGEST_TO_TRY} objects; climb finds a "
        "larger revenue if it is given a time limit."
    )


def _reason_to_skip(name: str, comparisons: Comparisons, seconds: float) -> str:
    """Why not to try this candidate; empty if it should be tried."""
    n, m = comparisons.n_objects, len(comparisons)
    if seconds <= 0:
        return "there was no time left."
    if name == "complete" and m >= MANY_ANSWERS * n * n:
        return f"{MANY_ANSWERS} n^2 comparisons or more need no completion."
    if name == "complete" and n > LARGEST_TO_COMPLETE:
        return f"it takes long with more than {LARGEST_TO_COMPLETE} objects."
    return ""
