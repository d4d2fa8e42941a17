"""The one call: comparisons in, a tree out, with how good it is and how to improve it.

A method makes a similarity of the answers and a tree of the similarity:

=============  ==================================  =================================
method         similarity                          tree
=============  ==================================  =================================
``adds-al``    AddS3 or AddS4                      average linkage
``mulk-al``    MulK3 or MulK4                      average linkage
``4k-al``      MulK4 + 2 AddS4                     average linkage
``tste-al``    cosine of points embedded by t-STE  average linkage
``cosine-al``  cosine of given feature vectors     average linkage
``climb``      AddS3 or AddS4                      largest revenue, by moving subtrees
``complete``   AddS as if all had been asked       largest revenue, by moving subtrees
=============  ==================================  =================================

The first five are the methods of the paper. With many answers ``climb`` finds the best
tree; with few it follows their noise, and ``complete`` is better. ``auto`` tells by
what they earn on answers that they have not seen.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int, check_limit
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.comparisons.coverage import coverage
from tripletree.embedding.completion import completed_similarity
from tripletree.embedding.tste import tste
from tripletree.errors import InvalidOption, Mismatch
from tripletree.evaluation.holdout import HeldOut, held_out
from tripletree.linkage.average import average_linkage
from tripletree.revenue.bounds import Gap, optimality_gap
from tripletree.revenue.value import Satisfaction, revenue, satisfaction
from tripletree.search.climb import default_restarts, maximise_revenue
from tripletree.similarity.adds import adds_similarity
from tripletree.similarity.cosine import cosine_similarity
from tripletree.similarity.mulk import four_k_similarity, mulk_similarity
from tripletree.tree.tree import Tree

METHODS = ("adds-al", "mulk-al", "4k-al", "tste-al", "cosine-al", "climb", "complete")
CANDIDATES = ("adds-al", "climb", "complete")

MANY_ANSWERS = 8  # times n^2: from here on, completing them adds nothing
FEW_ANSWERS = 0.25  # times n^2
LARGEST_TO_COMPLETE = 3_000  # objects, in `auto`
LARGEST_WITH_BOUND = 2_000  # objects: a bound within seconds
SECONDS_FOR_BOUND = 1.0
MOST_NAMES = 5  # of objects in a warning


@dataclass(frozen=True, eq=False)
class Clustering:
    """A tree made from comparisons, and what is known about it.

    ``print`` shows it in a few lines.

    Attributes
    ----------
    tree : Tree
    method : str
        The method that made it.
    reason : str
        Why this method.
    revenue : int or float
        Of the comparisons, under the tree.
    normalised_revenue : float
        The revenue over the most that so many answers can earn at all, n - 2 each:
        between -1 and 1, about 0 for a random tree.
    satisfaction : Satisfaction
        How many comparisons the tree satisfies, ties and violates.
    gap : Gap or None
        How far the revenue can be from the largest possible; None if that takes long.
    held_out : mapping of str to HeldOut
        What each method that was tried earns on answers it has not seen.
    warnings : tuple of str
        What in the answers leaves parts of the tree to chance.
    advice : str
        What to do if the answers are few; empty otherwise.
    seconds : float
        The time spent.
    """

    tree: Tree
    method: str
    reason: str
    revenue: int | float
    normalised_revenue: float
    satisfaction: Satisfaction
    gap: Gap | None
    held_out: Mapping[str, HeldOut]
    warnings: tuple[str, ...]
    advice: str
    seconds: float

    @property
    def bound(self) -> int | float | None:
        """No tree earns more; None if it is not known, or only estimated."""
        return None if self.gap is None or self.gap.is_estimate else self.gap.bound

    @property
    def held_out_revenue(self) -> int | float | None:
        """What the method earns on answers it has not seen; None if not tried."""
        found = self.held_out.get(self.method)
        return None if found is None else found.revenue

    def __str__(self) -> str:
        total = sum(vars(self.satisfaction).values())
        satisfied, tied = (
            count / total if total else 0.0
            for count in (self.satisfaction.satisfied, self.satisfaction.tied)
        )
        lines = [
            f"Tree of {self.tree.n_leaves} objects by {self.method}: {self.reason}",
            f"revenue {self.revenue} (normalised {self.normalised_revenue:.4f}), "
            f"{satisfied:.1%} of the answers satisfied, {tied:.1%} tied",
        ]
        if self.bound is not None:
            lines.append(f"no tree earns more than {self.bound}")
        if self.method in self.held_out:
            found = self.held_out[self.method]
            lines.append(
                f"on answers not seen: revenue {found.revenue}, {found.accuracy:.1%} "
                "satisfied (a tie counts half)"
            )
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [self.advice] if self.advice else []
        return "\n".join(lines)


def cluster(
    comparisons: Comparisons,
    method: str = "auto",
    *,
    features: npt.ArrayLike | None = None,
    n_folds: int = 3,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Clustering:
    """Find a tree for comparisons, and say how good it is.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
    method : str, default "auto"
        One of "adds-al", "mulk-al", "4k-al", "tste-al", "cosine-al", "climb" and
        "complete" (see the module), or "auto": of "adds-al", "climb" and "complete" the
        one that earns most on held-out answers.
    features : array_like, shape (n, d), optional
        A vector for each object, for "cosine-al" alone.
    n_folds : int, default 3
        In how many parts to split the answers for the held-out revenue. 0: do without,
        not for "auto".
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
        Also after Ctrl-C, once the tree itself is being made.

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
    check_comparisons(comparisons)
    if method not in (*METHODS, "auto"):
        message = f"method = {method!r}: choose {', '.join(METHODS)} or auto."
        raise InvalidOption(message)
    if method == "auto" or n_folds != 0:
        n_folds = check_int("n_folds", n_folds, 2, 1_000)
    run = _Run(
        comparisons,
        _check_features(method, features, comparisons.n_objects),
        n_folds,
        check_int("seed", seed, 0, 2**63),
        check_limit(time_limit),
        progress,
    )
    with _interrupts() as interrupts:
        if method == "auto":
            method, reason = run.choose(interrupts)
        else:
            reason = "as asked."
            if n_folds:
                run.hold_out(method, interrupts)
        tree = run.final_tree(method)
        is_cut_short = bool(interrupts) or run.remaining() <= 0
    return run.result(tree, method, reason, is_cut_short)


class _Run:
    """One call of cluster: what it works on and how much time is left."""

    def __init__(
        self,
        comparisons: Comparisons,
        features: npt.ArrayLike | None,
        n_folds: int,
        seed: int,
        time_limit: float,
        progress: Callable[[str], None] | None,
    ) -> None:
        self.comparisons = comparisons
        self.features = features
        self.n_folds = n_folds
        self.seed = seed
        self.time_limit = time_limit
        self.progress = progress
        self.began = time.monotonic()
        self.held_out: dict[str, HeldOut] = {}

    def remaining(self, share: float = 1.0) -> float:
        """Seconds left of this share of the time limit."""
        return self.began + share * self.time_limit - time.monotonic()

    def say(self, text: str) -> None:
        if self.progress is not None:
            self.progress(text)

    def choose(self, interrupts: list[int]) -> tuple[str, str]:
        """The candidate that earns most on held-out answers, and why it."""
        notes = []
        for name in CANDIDATES:
            why_not = self.why_not(name)
            if why_not:
                notes.append(f"{name} was not tried: {why_not}")
            else:
                self.hold_out(name, interrupts)
        if not self.held_out:
            return CANDIDATES[0], "there was no time to compare methods."
        best = max(self.held_out, key=lambda name: self.held_out[name].revenue)
        found = ", ".join(f"{k} {v.revenue:.6g}" for k, v in self.held_out.items())
        return best, " ".join([f"largest held-out revenue ({found}).", *notes])

    def why_not(self, name: str) -> str:
        """Why not to try this candidate; empty if it shall be tried."""
        n, m = self.comparisons.n_objects, len(self.comparisons)
        if self.remaining(0.5) <= 0:
            return "there was no time left."
        if name == "complete" and m >= MANY_ANSWERS * n * n:
            return f"{MANY_ANSWERS} n^2 answers or more need no completing."
        if name == "complete" and n > LARGEST_TO_COMPLETE:
            return f"it takes long with more than {LARGEST_TO_COMPLETE} objects."
        return ""

    def hold_out(self, name: str, interrupts: list[int]) -> None:
        """Judge a method on held-out answers, with fewer restarts than in the end."""
        self.say(f"held-out revenue of {name}, {self.n_folds} folds")

        def make(train: Comparisons) -> Tree:
            tree = self.tree(train, name, 0.5, is_draft=True)
            if interrupts:  # no tree of all answers is there to return yet
                raise KeyboardInterrupt
            return tree

        self.held_out[name] = held_out(
            self.comparisons, make, n_folds=self.n_folds, seed=self.seed
        )

    def final_tree(self, method: str) -> Tree:
        self.say(f"tree by {method}")
        return self.tree(self.comparisons, method, 0.9, is_draft=False)

    def tree(
        self, data: Comparisons, method: str, share: float, is_draft: bool
    ) -> Tree:
        """A tree by a method, within a share of the time limit."""
        if method.endswith("-al"):
            tree = average_linkage(self.similarity(data, method, share))
            return tree.with_labels(data.labels)
        s: Any = data
        if method == "complete":
            s = completed_similarity(
                data,
                n_embeddings=3 if is_draft else 10,
                seed=self.seed,
                time_limit=self.limit(0.7 * share),
            )
        found = maximise_revenue(
            s,
            n_restarts=0 if is_draft else default_restarts(data.n_objects),
            seed=self.seed,
            time_limit=self.limit(share),
        )
        return found.tree.with_labels(data.labels)

    def similarity(self, data: Comparisons, method: str, share: float) -> Any:
        if method == "adds-al":
            return adds_similarity(data, sparse=False)
        if method == "mulk-al":
            return mulk_similarity(data)
        if method == "4k-al":
            return four_k_similarity(data)
        if method == "tste-al":
            found = tste(data, seed=self.seed, time_limit=self.limit(share))
            return cosine_similarity(found.points)
        assert self.features is not None
        return cosine_similarity(self.features)

    def limit(self, share: float) -> float | None:
        left = self.remaining(share)
        return None if left == float("inf") else max(0.0, left)

    def result(
        self, tree: Tree, method: str, reason: str, is_cut_short: bool
    ) -> Clustering:
        answers = self.comparisons
        n, m = answers.n_objects, len(answers)
        earned = revenue(tree, answers)
        counts = satisfaction(tree, answers)
        most = sum(vars(counts).values()) * max(n - 2, 0)
        gap = None
        if n <= LARGEST_WITH_BOUND and not is_cut_short:
            self.say("a bound on all trees")
            seconds = min(SECONDS_FOR_BOUND, max(0.0, self.remaining()))
            gap = optimality_gap(tree, answers, time_limit=seconds)
        warnings = _warnings(answers)
        if is_cut_short:
            warnings.append("stopped early: with more time the tree may become better.")
        return Clustering(
            tree,
            method,
            reason,
            earned,
            earned / most if most else 0.0,
            counts,
            gap,
            MappingProxyType(self.held_out),
            tuple(warnings),
            _advice(n, m),
            time.monotonic() - self.began,
        )


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
    if np.ndim(features) > 0 and len(np.asarray(features)) != n:
        message = (
            f"features of {len(np.asarray(features))} objects and comparisons about "
            f"{n}: give one row per object."
        )
        raise Mismatch(message)
    return features


def _warnings(comparisons: Comparisons) -> list[str]:
    """What in the answers leaves parts of any tree to chance."""
    found = coverage(comparisons)
    warnings = []
    never = found.never_compared
    if len(never):
        names = [
            str(x) if comparisons.labels is None else comparisons.labels[x]
            for x in never[:MOST_NAMES]
        ]
        shown = ", ".join(names) + (", ..." if len(never) > MOST_NAMES else "")
        warnings.append(
            f"{len(never)} of {comparisons.n_objects} objects occur in no answer "
            f"({shown}): where they are in the tree means nothing."
        )
    if found.n_groups > 1:
        warnings.append(
            f"no answer joins the {found.n_groups} groups into which the compared "
            "objects fall: how the tree joins them means nothing."
        )
    return warnings


def _advice(n: int, m: int) -> str:
    """One sentence for those whose answers are too few."""
    if n < 3 or m >= FEW_ANSWERS * n * n:
        return ""
    return (
        f"{m} answers are few for {n} objects: trust large clusters more than small "
        f"ones; with about n^2 = {n * n} answers to random questions the tree would "
        "hardly change any more."
    )


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """A list that is not empty once Ctrl-C was heard, though a search may swallow it.

    Searches return the best so far on Ctrl-C; a chain of them has to stop.
    """
    heard: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield heard
        return

    def note(number: int, frame: Any) -> None:
        heard.append(number)
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, before)
