"""The one call: comparisons in, a tree out, with how good it is and how to improve it.

Which methods there are, `methods.py` says. With many answers ``climb`` finds the best
tree; with few it follows their noise, and ``complete`` is better. ``auto`` tells by
what they earn on answers that they have not seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy.typing as npt

from tripletree._checks import check_callable, check_flag, check_int, check_limit
from tripletree.clustering import Clustering, advice
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.comparisons.coverage import coverage
from tripletree.comparisons.features import as_real_table
from tripletree.errors import (
    InvalidComparisons,
    InvalidOption,
    InvalidSimilarity,
    Mismatch,
    TooLarge,
)
from tripletree.evaluation.holdout import HeldOut, held_out
from tripletree.linkage.sparse_average import n_components
from tripletree.methods import METHODS, OF_PAIR_SUMS, tree_by
from tripletree.revenue.bounds import Gap, optimality_gap
from tripletree.revenue.value import revenue, satisfaction
from tripletree.similarity.pair_table import PairSums
from tripletree.tree.tree import Tree

CANDIDATES = ("adds-al", "climb", "complete")

MANY_ANSWERS = 8  # times n^2: from here on, completing them adds nothing
LARGEST_TO_COMPLETE = 3_000  # objects, in `auto`
LARGEST_TO_TRY = 10_000  # objects, with held-out answers
LARGEST_WITH_BOUND = 2_000  # objects: a bound within seconds
SECONDS_FOR_BOUND = 1.5
SHARE_FOR_TRIALS, SHARE_BEFORE_BOUND = 0.5, 0.9


def cluster(
    comparisons: Comparisons | PairSums,
    method: str = "auto",
    *,
    features: npt.ArrayLike | None = None,
    n_folds: int = 3,
    bound: bool = True,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Clustering:
    """Find a tree for comparisons, and say how good it is.

    Parameters
    ----------
    comparisons : Triplets, Quadruplets or PairSums
        Pair sums do for "climb" and "adds-al", but nothing can be held out of them.
    method : str, default "auto"
        One of "adds-al", "mulk-al", "4k-al", "tste-al", "cosine-al", "climb" and
        "complete" (see `tripletree.methods`), or "auto": of "adds-al", "climb" and
        "complete" the one that earns most on held-out answers. With more than 10,000
        objects, and for pair sums, "climb" if it has a time limit or up to 10,000
        objects, else "adds-al".
    features : array_like, shape (n, d), optional
        A vector for each object, for "cosine-al" alone.
    n_folds : int, default 3
        In how many parts to split the answers for the held-out revenue. 0: do without,
        not for "auto". With more than 10,000 objects it is done without.
    bound : bool, default True
        Whether to look for a bound on what any tree can earn, for up to 2 seconds.
    seed : int, default 0
        The same seed gives the same tree, if no time limit strikes.
    time_limit : float, optional
        About how many seconds to spend: half of it at most on trying methods. No limit
        by default; then the size of the problem decides how much is done.
    progress : callable, optional
        Called with a line of text when a step begins.

    Returns
    -------
    Clustering

    Raises
    ------
    InvalidComparisons, InvalidOption, Mismatch
        Where the arguments are not as described.
    TooLarge
        If a table of n^2 numbers would not fit into the memory that is available.

    Examples
    --------
    >>> from tripletree.datasets.animals import animals
    >>> result = cluster(animals().answers, "climb")
    >>> result.revenue, result.satisfaction.satisfied
    (17745, 1803)
    """
    if not isinstance(comparisons, PairSums):
        check_comparisons(comparisons)
    elif not comparisons.n_objects:
        message = "these pair sums are about no objects: a tree has one or more."
        raise InvalidComparisons(message)
    if not isinstance(method, str) or method not in (*METHODS, "auto"):
        message = f"method = {method!r}: choose {', '.join(METHODS)} or auto."
        raise InvalidOption(message)
    if isinstance(comparisons, PairSums) and method not in (*OF_PAIR_SUMS, "auto"):
        message = (
            f"{method} needs the answers themselves: pair sums do for "
            f"{' and '.join(OF_PAIR_SUMS)}."
        )
        raise InvalidOption(message)
    n_folds = check_int("n_folds", n_folds, 0, 1_000)
    if n_folds < 2 and (method == "auto" or n_folds == 1):
        message = f"n_folds = {n_folds}: give 2 or more (or 0, but not for auto)."
        raise InvalidOption(message)
    check_callable("progress", progress)
    run = _Clusterer(
        comparisons,
        _check_features(method, features, comparisons.n_objects),
        n_folds,
        check_int("seed", seed, 0, 2**63),
        check_limit(time_limit),
        progress,
        check_flag("bound", bound),
    )
    reason = "as asked."
    if method == "auto":
        method, reason = run.choose() if run.can_try else run.choose_untried()
    elif n_folds and run.can_try:
        run.hold_out(method, run.left(SHARE_FOR_TRIALS))
    run.say(f"tree by {method}")
    tree, is_cut = run.tree(comparisons, method, run.left(SHARE_BEFORE_BOUND))
    return run.result(tree, method, reason, is_cut)


@dataclass
class _Clusterer:
    """One call of cluster: what it works on and how much time is left."""

    comparisons: Comparisons | PairSums
    features: npt.ArrayLike | None
    n_folds: int
    seed: int
    time_limit: float
    progress: Callable[[str], None] | None
    wants_bound: bool
    began: float = field(default_factory=time.monotonic)
    held_out: dict[str, HeldOut] = field(default_factory=dict)

    def left(self, share: float = 1.0) -> float:
        """Seconds left of this share of the time limit, 0 or more."""
        return max(0.0, self.began + share * self.time_limit - time.monotonic())

    def say(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text)

    @property
    def can_try(self) -> bool:
        """Whether methods can be judged on held-out answers in reasonable time."""
        few = self.comparisons.n_objects <= LARGEST_TO_TRY
        return few and not isinstance(self.comparisons, PairSums)

    def choose_untried(self) -> tuple[str, str]:
        """What earns most within the time that there is, and why it."""
        if self.comparisons.n_objects <= LARGEST_TO_TRY:
            return "climb", "it earns most, and pair sums cannot tell what it overfits."
        if self.time_limit < math.inf:
            return "climb", "it earns most within a time limit."
        return "adds-al", (
            f"with more than {LARGEST_TO_TRY} objects it is the fastest; climb earns "
            "more if it is given a time limit."
        )

    def choose(self) -> tuple[str, str]:
        """The candidate that earns most on held-out answers, and why it."""
        notes = []
        for place, name in enumerate(CANDIDATES):
            seconds = self.left(SHARE_FOR_TRIALS) / (len(CANDIDATES) - place)
            why_not = self.why_not(name, seconds)
            if why_not:
                notes.append(f"{name} was not tried: {why_not}")
            elif self.hold_out(name, seconds):
                notes.append(f"The trial of {name} was cut short by the time limit.")
        if not self.held_out:
            return CANDIDATES[0], "there was no time to compare methods."
        order = sorted(self.held_out, key=lambda name: -self.held_out[name].revenue)
        best = order[0]
        found = ", ".join(f"{k} {v.revenue:.9g}" for k, v in self.held_out.items())
        reason = f"largest held-out revenue ({found})."
        if len({v.revenue for v in self.held_out.values()}) == 1:
            reason = f"the first of equal held-out revenues ({found})."
        elif len(order) > 1:
            one, two = (self.held_out[name].revenues for name in order[:2])
            if not all(x > y for x, y in zip(one, two, strict=True)):
                notes.insert(0, f"It is close: {order[1]} is as good in some folds.")
        return best, " ".join([reason, *notes])

    def why_not(self, name: str, seconds: float) -> str:
        """Why not to try this candidate; empty if it shall be tried."""
        n, m = self.comparisons.n_objects, len(self.comparisons)
        if seconds <= 0:
            return "there was no time left."
        if name == "complete" and m >= MANY_ANSWERS * n * n:
            return f"{MANY_ANSWERS} n^2 answers or more need no completing."
        if name == "complete" and n > LARGEST_TO_COMPLETE:
            return f"it takes long with more than {LARGEST_TO_COMPLETE} objects."
        return ""

    def hold_out(self, name: str, seconds: float) -> bool:
        """Judge a method on held-out answers; whether time cut it short."""
        assert not isinstance(self.comparisons, PairSums)
        self.say(f"held-out revenue of {name}, {self.n_folds} folds")
        end = time.monotonic() + seconds
        cut: list[bool] = []

        def make(train: Comparisons) -> Tree:
            share = max(0.0, end - time.monotonic()) / (self.n_folds - len(cut))
            tree, is_cut = self.tree(train, name, share, is_trial=True)
            cut.append(is_cut)
            return tree

        self.held_out[name] = held_out(
            self.comparisons, make, n_folds=self.n_folds, seed=self.seed
        )
        return any(cut)

    def tree(
        self,
        data: Comparisons | PairSums,
        method: str,
        seconds: float,
        *,
        is_trial: bool = False,
    ) -> tuple[Tree, bool]:
        """A tree by a method within so many seconds, and whether they cut it short."""
        return tree_by(
            method,
            data,
            features=self.features,
            seed=self.seed,
            seconds=seconds,
            is_draft=is_trial,
        )

    def result(self, tree: Tree, method: str, reason: str, is_cut: bool) -> Clustering:
        n, data = self.comparisons.n_objects, self.comparisons
        earned = revenue(tree, self.sums)
        counts, warnings = None, []
        m: int | float
        if isinstance(data, PairSums):
            m = data.n_answers
            most = m * max(n - 2, 0)
            n_parts = n_components(self.sums)
            if n_parts > 1:
                warnings.append(
                    f"the pair sums leave the objects in {n_parts} components: how the "
                    "tree joins these means nothing."
                )
        else:
            counts = satisfaction(tree, data)
            most = sum(vars(counts).values()) * max(n - 2, 0)
            counted = data if data.weights is None else data[data.weights != 0]
            m = len(counted)
            trials = counted.trials
            n_answers = m if trials is None else int(trials.max()) + 1
            warnings += coverage(counted).warnings(data.labels)
        if method in self.held_out:
            warnings += _chance(self.held_out[method], n_answers)
        if is_cut:
            warnings.append("stopped early: with more time the tree may become better.")
        return Clustering(
            tree,
            method,
            reason,
            earned,
            earned / most if most else 0.0,
            counts,
            self.gap(tree),
            self.held_out,
            tuple(warnings),
            advice(n, m),
            time.monotonic() - self.began,
        )

    @cached_property
    def sums(self) -> Any:
        """What revenues and bounds are made of."""
        data = self.comparisons
        return data.similarity if isinstance(data, PairSums) else data

    def gap(self, tree: Tree) -> Gap | None:
        """How far from the best the tree can be, if that is found out in seconds."""
        n, seconds = tree.n_leaves, min(SECONDS_FOR_BOUND, self.left())
        if not self.wants_bound or n > LARGEST_WITH_BOUND or seconds <= 0:
            return None
        self.say("a bound on all trees")
        try:
            return optimality_gap(tree, self.sums, time_limit=seconds)
        except (TooLarge, InvalidSimilarity):  # the tree is what counts
            return None


def _check_features(
    method: str, features: npt.ArrayLike | None, n: int
) -> npt.ArrayLike | None:
    if method != "cosine-al":
        if features is not None:
            message = f"features are for cosine-al alone, not for {method}."
            raise InvalidOption(message)
        return None
    if features is None:
        message = "cosine-al needs features: give a vector for each object."
        raise InvalidOption(message)
    table = as_real_table(features, "features")
    if len(table) != n:
        message = (
            f"features of {len(table)} objects and comparisons about {n}: give one row "
            "per object."
        )
        raise Mismatch(message)
    return table


def _chance(found: HeldOut, m: int) -> list[str]:
    """A warning if the accuracy is within two standard errors of guessing m answers."""
    if m == 0 or found.accuracy > 0.5 + 1 / math.sqrt(m):
        return []
    if found.accuracy > 0.5:
        return [
            "these answers are too few to tell whether the tree is right more often "
            "than by chance."
        ]
    return ["on answers not seen the tree is right no more often than by chance."]
