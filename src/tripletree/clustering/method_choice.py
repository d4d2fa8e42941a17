"""Choosing a method by its revenue on answers that its trees have not seen.

With many answers ``climb`` finds the best tree; with few it overfits, and methods that
complete the answers are better. Each candidate makes a tree from all folds but one,
with the effort of a draft, and is judged by its revenue on that one.

**As many folds as the decision needs.** Candidates are compared question by question:
both trees were made without this question. The sum of these differences has a standard
error, the root of the sum of their squares. A candidate that is more than two standard
errors behind the first is out. If others remain, they are tried again on other folds,
which are new in each round, and differences are averaged over the rounds; so what is
left is the chance of the questions, and less and less that of the drafts.

**Ties.** After the last round candidates within one standard error of the first are
equal. With fewer than n^2 answers the one that smooths the most is taken: where answers
are few, a wrong choice of a flexible method costs more than one of a smooth method.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from tripletree._checks import counted
from tripletree._progress import OnProgress, OutOfTime, Progress
from tripletree.comparisons.triplets import Comparisons
from tripletree.errors import TooLarge
from tripletree.evaluation.holdout import (
    Floats,
    HeldOut,
    held_out,
    pieces_of_evidence,
    question_numbers,
    question_revenues,
)
from tripletree.methods import COMPLETING, OF_PAIR_SUMS
from tripletree.tree.tree import Tree

CANDIDATES = ("adds-al", "climb", "complete", "posterior")  # the smoothest last
MANY_ANSWERS = {"complete": 8, "posterior": 1}  # times n^2: from here on, not tried
LARGEST_TO_COMPLETE = 3_000  # objects, in `auto`
FEWEST_FOR_MODEL = 50  # objects: `posterior` is a model of at least 32 clusters
LARGEST_TO_TRY = 10_000  # objects, with held-out answers
MOST_ROUNDS = 3  # of folds
CLEAR, TIE = 2.0, 1.0  # standard errors between candidates
FEW_ANSWERS = 1  # times n^2: with fewer, the last of equal candidates is taken

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
    """The candidate that does best on held-out answers, the reason, and all trials.

    The trials are those of the first round.
    """
    end = time.monotonic() + seconds
    questions = question_numbers(comparisons)
    found: dict[str, HeldOut] = {}
    earned: dict[str, Floats] = {}  # by question, in all rounds so far
    means: list[dict[str, float]] = []  # after each round, of a round
    behind: dict[str, float] = {}
    notes: list[str] = []
    rest: tuple[str, ...] = CANDIDATES
    n_rounds, longest = 0, 0.0
    while n_rounds < MOST_ROUNDS and (n_rounds == 0 or len(rest) > 1):
        began, shares = time.monotonic(), len(rest)
        if began + 2 * longest > end and n_rounds:
            break
        new: dict[str, Floats] = {}
        told: list[str] = []
        for place, name in enumerate(rest):
            share = max(0.0, end - time.monotonic()) / (shares - place)
            why_not = _reason_to_skip(name, comparisons, share)
            if why_not:
                told.append(f"{name} was not tried: {why_not}")
                continue
            number = (seed + n_rounds) % 2**63
            try:
                trial, trees, is_cut = try_method(
                    name, comparisons, make, n_folds, number, progress, share
                )
            except TooLarge as error:
                told.append(f"{name} was not tried: {error}")
                continue
            if trial is None:
                told.append(f"{name} was stopped: no time left.")
                continue
            if is_cut:
                told.append(f"The trial of {name} was cut short by the time limit.")
            found.setdefault(name, trial)
            new[name] = question_revenues(comparisons, trees, number, questions)
        if n_rounds and len(new) < len(rest):
            break  # candidates are compared on the same folds; these tell nothing
        notes += [note for note in told if note not in notes]
        earned = {name: one + earned.get(name, 0.0) for name, one in new.items()}
        behind.update(_standard_errors_behind(earned))
        rest = tuple(name for name in earned if behind[name] < CLEAR)
        n_rounds, longest = n_rounds + 1, max(longest, time.monotonic() - began)
        means.append(
            {name: float(one.sum()) / n_rounds for name, one in earned.items()}
        )
    if not found:
        return CANDIDATES[0], "there was no time to compare methods.", found
    first = best = min(behind, key=lambda name: behind[name])
    if len(comparisons) < FEW_ANSWERS * comparisons.n_objects**2:
        best = [name for name in CANDIDATES if behind.get(name, TIE) < TIE][-1]
    reason = _reason(best, first, behind, means, n_folds)
    return best, " ".join([reason, *notes]), found


def _reason(
    best: str,
    first: str,
    behind: dict[str, float],
    means: list[dict[str, float]],
    n_folds: int,
) -> str:
    """Why this method, and how clear that is.

    Means are of the same rounds where they stand side by side: candidates that fell
    behind were not tried again, and stand beside what the best earned until then.
    """
    said: list[str] = []
    for number, last in enumerate(means, 1):
        following = means[number] if number < len(means) else {}
        if last.keys() == following.keys():
            continue
        shown = {name: x for name, x in last.items() if name not in following}
        shown |= {best: last[best]} if following else {}
        rounds = f"mean of {number} rounds: " if number > 1 else ""
        rounds = "first round: " if number == 1 < len(means) else rounds
        earned = ", ".join(f"{name} {_short(x)}" for name, x in shown.items())
        said.insert(0, rounds + earned)
    figures = "; ".join(said)
    errors = f"standard errors behind, {len(means) * n_folds} folds."
    if best != first:
        equal = f"{best} is {behind[best]:.1f} {errors}"
        return (
            f"few answers, and as good as {first} on unseen ones ({figures}). {equal}"
        )
    others = [(lag, name) for name, lag in behind.items() if name != best]
    lag, second = min(others, default=(0.0, ""))
    if lag == math.inf:
        return f"the first of equal held-out revenues ({figures})."
    reason = f"largest held-out revenue ({figures})."
    if not others:
        return reason
    how = "clear" if lag >= CLEAR else "close"
    return f"{reason} The choice is {how}: {second} is {lag:.1f} {errors}"


def _short(revenue: float) -> str:
    """A mean over rounds: in whole numbers, where these tell enough."""
    return f"{revenue:,.0f}" if abs(revenue) >= 1000 else f"{revenue:.4g}"


def _standard_errors_behind(earned: dict[str, Floats]) -> dict[str, float]:
    """How far each candidate is behind the first, by its revenue on each question.

    0 for the first, infinite for one that differs from it on no question.
    """
    first = max(earned, key=lambda name: earned[name].sum(), default="")
    behind = {}
    for name, revenues in earned.items():
        less = earned[first] - revenues
        size = float(np.abs(less).max(initial=0)) or 1.0  # its square may be too large
        error = size * math.sqrt(float(((less / size) ** 2).sum()))
        behind[name] = float(less.sum()) / error if error else math.inf
    return behind | ({first: 0.0} if earned else {})


def try_method(
    name: str,
    comparisons: Comparisons,
    make: DraftTree,
    n_folds: int,
    seed: int,
    progress: OnProgress,
    seconds: float,
) -> tuple[HeldOut | None, list[Tree], bool]:
    """How a method does on held-out answers, its trees, and whether time cut it short.

    None if there was no time for all folds.
    """
    end = time.monotonic() + seconds
    n, m = comparisons.n_objects, len(comparisons)
    trees: list[Tree] = []
    cut: list[bool] = []
    if seconds < n_folds * minimum_seconds(name, n, m):
        return None, trees, True

    def make_tree(train: Comparisons) -> Tree:
        progress(Progress(f"held-out revenue of {name}", len(cut), n_folds))
        share = max(0.0, end - time.monotonic()) / (n_folds - len(cut))
        if not share and cut:
            raise OutOfTime
        tree, is_cut = make(name, train, seed=seed, seconds=share)
        trees.append(tree)
        cut.append(is_cut)
        return tree

    try:
        found = held_out(comparisons, make_tree, n_folds=n_folds, seed=seed)
    except OutOfTime:
        return None, trees, True
    return found, trees, any(cut)


def chance_warnings(found: HeldOut | None, comparisons: Comparisons) -> list[str]:
    """A warning if a method is within two standard errors of guessing.

    Questions are the evidence, not answers: of 1,000 questions, each with 20 answers,
    the standard error is that of 1,000 guesses, which is 1 / (2 sqrt(1,000)).
    """
    n = 0.0 if found is None else pieces_of_evidence(comparisons)
    if found is None or not n or found.accuracy > 0.5 + 1 / math.sqrt(n):
        return []
    if found.accuracy > 0.5:
        by_chance = min(0.5 + 1 / math.sqrt(n), 1)
        return [
            f"on unseen answers the tree is right in {found.accuracy:.1%} of the "
            "cases, which may be chance: guessing the answers to "
            f"{counted(round(n), 'question')} is right in up to {by_chance:.1%}."
        ]
    return ["on unseen answers the tree is right no more often than by chance."]


def method_without_trials(n_objects: int, has_limit: bool) -> tuple[str, str]:
    """The method, and the reason, for pair sums and for many objects."""
    if n_objects <= LARGEST_TO_TRY:
        return "climb", "largest revenue; pair sums cannot show whether it overfits."
    if has_limit:
        return "climb", "largest revenue within a time limit."
    return "adds-al", (
        f"the fastest method, for more than {LARGEST_TO_TRY:,} objects; climb finds a "
        "larger revenue if it is given a time limit."
    )


def _reason_to_skip(name: str, comparisons: Comparisons, seconds: float) -> str:
    """Why not to try this candidate; empty if it should be tried."""
    n, m = comparisons.n_objects, len(comparisons)
    if seconds <= 0:
        return "there was no time left."
    most = MANY_ANSWERS.get(name, math.inf) * n * n
    if m >= most:
        return f"it is for fewer than {most:,} comparisons of {n:,} objects."
    if name == "posterior" and n < FEWEST_FOR_MODEL:
        return f"it is for {FEWEST_FOR_MODEL} objects or more."
    if name in COMPLETING and n > LARGEST_TO_COMPLETE:
        return f"it takes long with more than {LARGEST_TO_COMPLETE:,} objects."
    return ""
