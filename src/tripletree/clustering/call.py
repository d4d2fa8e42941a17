"""The one call: comparisons in, a tree out, with all that is known about it."""

from __future__ import annotations

import math
import time
import warnings as python_warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_flag, check_int, check_limit
from tripletree._progress import OnProgress, OutOfTime, Progress, ignore
from tripletree.clustering.choosing import (
    LARGEST_TO_TRY,
    chance,
    choose,
    least_seconds,
    try_method,
    untried,
)
from tripletree.clustering.result import Clustering
from tripletree.comparisons.features import as_real_table
from tripletree.comparisons.summary import WhatWasRead, count_what_was_read, coverage
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.errors import (
    InvalidComparisons,
    InvalidOption,
    InvalidSimilarity,
    Mismatch,
    Remedy,
    TooLarge,
    refuse_if,
)
from tripletree.evaluation.annotators import annotator_agreement
from tripletree.evaluation.holdout import HeldOut, LearningCurve, learning_curve
from tripletree.evaluation.support import ONE_CLIMB, Support, bootstrap_support
from tripletree.linkage.sparse_average import n_components
from tripletree.methods import DRAFT, METHODS, OF_PAIR_SUMS, tree_by
from tripletree.objective.bounds import Gap, default_sweeps, gap_of
from tripletree.objective.flat import best_cut_of_sums, cut_of_sums
from tripletree.objective.value import (
    merge_sums,
    node_sums,
    normalised,
    revenue_of_sums,
    satisfaction,
)
from tripletree.similarity.matrix import similarity_of
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.tree import Tree

LARGEST_WITH_BOUND = 2_000  # objects: a bound within seconds
FEWEST_FOR_CURVE = 30  # comparisons
REPLICATES = {300: 100, 1_000: 30}  # up to so many objects; none above
FEW_PER_OBJECT, ENOUGH_PER_OBJECT = 40, 80  # comparisons, see planning.py
# Shares of a time limit: for trials at most, and for what comes after the tree.
FOR_TRIALS, FOR_SUPPORT, FOR_CURVE, FOR_BOUND = 0.5, 0.15, 0.15, 0.1


def cluster(
    comparisons: Comparisons | PairSums,
    method: str = "auto",
    *,
    features: npt.ArrayLike | None = None,
    n_clusters: int | Literal["auto"] = "auto",
    n_folds: int = 3,
    bound: bool = True,
    support: int | Literal["auto"] = "auto",
    curve: bool = False,
    people: bool = False,
    seed: int = 0,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> Clustering:
    """Build the tree that fits comparisons best, and report how good it is.

    Parameters
    ----------
    comparisons : Triplets, Quadruplets or PairSums
        Pair sums are enough for "climb" and "adds-al", but nothing can be held out of
        them or drawn again.
    method : str, default "auto"
        One of "adds-al", "mulk-al", "4k-al", "tste-al", "cosine-al", "climb" and
        "complete" (see `tripletree.methods`), or "auto": of "adds-al", "climb" and
        "complete" the one that earns most on held-out answers. With more than 10,000
        objects, and for pair sums, "climb" if it has a time limit or up to 10,000
        objects, else "adds-al".
    features : array_like, shape (n, d), optional
        A vector for each object, for "cosine-al" alone.
    n_clusters : int or "auto", default "auto"
        Into how many flat clusters to cut the tree; "auto" chooses the number from the
        data, see :func:`best_cut`.
    n_folds : int, default 3
        In how many parts to split the answers for the held-out revenue. 0: do without,
        not for "auto". With more than 10,000 objects it is done without.
    bound : bool, default True
        Whether to look for an upper bound on the revenue of all trees, for up to 2,000
        objects.
    support : int or "auto", default "auto"
        How many bootstrap replicates show how sure each cluster is, see
        :func:`bootstrap_support`. "auto": 100 up to 300 objects, 30 up to 1,000, none
        above, nor for pair sums.
    curve : bool, default False
        Whether to make a learning curve, of 30 comparisons or more; not of pair sums.
    people : bool, default False
        Whether to compare each person with the others, where it is known who answered.
    seed : int, default 0
        The same seed gives the same result on every machine, if no time limit strikes.
    time_limit : float, optional
        How many seconds to spend, to about 20 % and a second: half of it at most on
        trying methods. A warning says beforehand if even the simplest tree takes
        longer. The first call after installation also compiles, for up to a minute. No
        limit by default; then the size of the problem decides how much is done.
    progress : callable, optional
        Called with a `Progress` when a step begins, and as it goes on.

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
    >>> result = cluster(animals().answers, "climb", n_clusters=2)
    >>> result.revenue, result.satisfaction.satisfied
    (17745, 1803)
    >>> result.clusters.labels.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    """
    _check_method(comparisons, method)
    n = comparisons.n_objects
    n_folds = check_int("n_folds", n_folds, 0, 1_000)
    refuse_if(
        n_folds < 2 and (method == "auto" or n_folds == 1),
        InvalidOption,
        f"n_folds = {n_folds}: give 2 or more (or 0, but not for auto).",
    )
    n_clusters = _number_or_auto("n_clusters", n_clusters, 1, n)
    check_callable("progress", progress)
    table = _check_features(method, features, n)
    for name, flag in (("bound", bound), ("curve", curve), ("people", people)):
        check_flag(name, flag)
    n_replicates = _n_replicates(support, comparisons)
    seed, limit = check_int("seed", seed, 0, 2**63), check_limit(time_limit)

    answers = None if isinstance(comparisons, PairSums) else comparisons
    rows = comparisons.pairs if isinstance(comparisons, PairSums) else comparisons.rows
    least = least_seconds(method, n, len(rows))
    if least > 1.2 * limit + 1:
        message = (
            f"with {n:,} objects {method} takes about {least:.0f} s at least, whatever "
            "the time limit."
        )
        python_warnings.warn(message, UserWarning, stacklevel=2)
    run = _Run(comparisons, answers, table, seed, limit, progress or ignore)
    method, reason, trials = run.choose(method, n_folds)
    later = FOR_SUPPORT * bool(n_replicates) + FOR_CURVE * curve
    tree, is_cut = run.tree(method, 1 - later - FOR_BOUND * bound)
    sums = merge_sums(tree, run.s) if answers is None else node_sums(tree, answers)
    counts = None if answers is None else satisfaction(tree, answers)
    earned = revenue_of_sums(tree, sums)
    gap = run.gap(earned, 1 - later) if bound else None
    warnings, n_counted = _left_to_chance(comparisons, trials.get(method))
    if is_cut and not (gap is not None and gap.is_closed):
        warnings.append("stopped early: more time may give a better tree.")
    certainty = None
    if n_replicates:
        share = 1 - FOR_CURVE * curve
        is_asked = support != "auto"
        certainty, more = run.support(tree, method, n_replicates, share, is_asked)
        warnings += more
    if n_clusters == "auto":
        clusters = best_cut_of_sums(tree, sums)
    else:
        clusters = cut_of_sums(tree, sums, n_clusters)
    read = what_was_read(comparisons)
    agreement = None
    if people and answers is not None and (read.n_people or 0) > 1:
        agreement = annotator_agreement(answers)
    total = read.n_comparisons if counts is None else counts.total
    return Clustering(
        tree=tree if certainty is None else certainty.tree,
        method=method,
        reason=reason,
        revenue=earned,
        normalised_revenue=normalised(earned, total, n),
        satisfaction=counts,
        clusters=clusters,
        held_out=trials,
        gap=gap,
        support=certainty,
        curve=run.curve(method, n_counted) if curve else None,
        people=agreement,
        read=read,
        warnings=tuple(warnings),
        advice=_advice(n, n_counted),
        seconds=time.monotonic() - run.began,
        comparisons=comparisons,
    )


@dataclass
class _Run:
    """What the steps of one call share: the data, and how much time is left."""

    data: Comparisons | PairSums
    answers: Comparisons | None  # None for pair sums
    features: npt.ArrayLike | None
    seed: int
    time_limit: float
    progress: OnProgress
    began: float = field(default_factory=time.monotonic)

    def left(self, share: float) -> float:
        """Seconds left of this share of the time limit, 0 or more."""
        return max(0.0, self.began + share * self.time_limit - time.monotonic())

    @cached_property
    def s(self) -> Any:
        """The pair sums, made and checked once."""
        return similarity_of(self.data)[0]

    def choose(self, method: str, n_folds: int) -> tuple[str, str, dict[str, HeldOut]]:
        """The method, why it, and what each method that was tried earns."""
        answers, n = self.answers, self.data.n_objects
        if answers is None or n > LARGEST_TO_TRY or not n_folds:
            if method == "auto":
                return *untried(n, self.time_limit < math.inf), {}
            return method, "as asked.", {}
        try_one = partial(
            try_method, answers, self.draft, n_folds, self.seed, self.progress
        )
        seconds = self.left(FOR_TRIALS)
        if method == "auto":
            return choose(answers, try_one, seconds)
        found, _ = try_one(method, seconds)
        return method, "as asked.", {} if found is None else {method: found}

    @property
    def draft(self) -> Callable[..., tuple[Tree, bool]]:
        """`tree_by` for trials, which need not be the best trees."""
        return partial(tree_by, features=self.features, seed=self.seed, effort=DRAFT)

    def tree(self, method: str, share: float) -> tuple[Tree, bool]:
        """The tree, and whether the time limit cut the search for it short."""
        self.progress(Progress(f"tree by {method}"))
        return tree_by(
            method,
            self.data,
            s=self.s if method in OF_PAIR_SUMS else None,
            features=self.features,
            seed=self.seed,
            seconds=self.left(share),
        )

    def gap(self, earned: int | float, share: float) -> Gap | None:
        """How far from the best the tree can be, if that is found out in seconds."""
        n, seconds = self.data.n_objects, self.left(share)
        if n > LARGEST_WITH_BOUND or seconds <= 0:
            return None
        self.progress(Progress("a bound on all trees"))
        try:  # the tree is what counts
            s = self.s if isinstance(self.s, np.ndarray) else self.s.toarray()
            return gap_of(earned, s, default_sweeps(n), seconds)
        except (TooLarge, InvalidSimilarity):
            return None

    def support(
        self,
        tree: Tree,
        method: str,
        n_replicates: int,
        share: float,
        is_asked: bool,
    ) -> tuple[Support | None, list[str]]:
        """How sure each cluster is, and warnings; an error only if it was asked for."""
        assert self.answers is not None
        seconds, found = self.left(share), None
        simple = "adds-al" if method == "adds-al" else "climb"

        def make_tree(train: Comparisons) -> Tree:
            left = self.left(share)
            made, is_cut = tree_by(simple, train, effort=ONE_CLIMB, seconds=left)
            if is_cut:  # it would seem less sure than it is
                raise OutOfTime
            return made

        try:
            if seconds > 0:
                found = bootstrap_support(
                    tree,
                    self.answers,
                    method=make_tree,
                    n_replicates=n_replicates,
                    seed=self.seed,
                    time_limit=seconds,
                    progress=self.progress,
                )
        except OutOfTime:
            pass
        except (InvalidComparisons, InvalidSimilarity, TooLarge) as error:
            if is_asked:
                raise
            return None, [f"no bootstrap support: {error}"]
        n_done = 0 if found is None else found.n_replicates
        if n_done == n_replicates:
            return found, []
        return found, [
            f"the time limit allowed {n_done} of {n_replicates} bootstrap replicates."
        ]

    def curve(self, method: str, n_counted: int | float) -> LearningCurve | None:
        is_large = n_counted >= FEWEST_FOR_CURVE
        if self.answers is None or method == "cosine-al" or not is_large:
            return None
        return learning_curve(
            self.answers,
            lambda train: self.draft(method, train, seconds=self.left(1.0))[0],
            seed=self.seed,
            time_limit=self.left(1.0),
            progress=self.progress,
        )


def what_was_read(
    data: Comparisons | PairSums, *, has_questions: bool = True
) -> WhatWasRead:
    """How much there is, in units; counting questions takes a sort."""
    if isinstance(data, PairSums):
        n, m = data.n_objects, data.n_comparisons
        return WhatWasRead(n, m, None, None, None, {}, data.notes)
    return count_what_was_read(data, has_questions)


def default_replicates(data: Comparisons | PairSums) -> int:
    """How many bootstrap replicates: by the number of objects; 0 for pair sums."""
    if isinstance(data, PairSums):
        return 0
    return next((k for most, k in REPLICATES.items() if data.n_objects <= most), 0)


def _left_to_chance(
    data: Comparisons | PairSums, found: HeldOut | None
) -> tuple[list[str], int | float]:
    """Warnings, and how many comparisons count: those of weight 0 do not."""
    if isinstance(data, PairSums):
        n_parts, warnings = n_components(data.similarity), [*data.warnings]
        if n_parts > 1:
            warnings.append(
                f"the pair sums leave the objects in {n_parts} components: how the "
                "tree joins them means nothing."
            )
        return warnings, data.n_comparisons
    if data.weights is not None and not data.weights.all():
        data = data[data.weights != 0]
    warnings = [*data.warnings, *coverage(data).warnings(data.labels)]
    if found is not None:
        warnings += chance(found, data.n_answers)
    return warnings, len(data)


def _check_method(data: Comparisons | PairSums, method: str) -> None:
    if isinstance(data, PairSums):
        refuse_if(
            not data.n_objects,
            InvalidComparisons,
            "these pair sums are about no objects: a tree has one or more.",
        )
    else:
        check_comparisons(data)
    if not isinstance(method, str) or method not in (*METHODS, "auto"):
        message = f"method = {method!r}: choose {', '.join(METHODS)} or auto."
        raise InvalidOption(message)
    refuse_if(
        isinstance(data, PairSums) and method not in (*OF_PAIR_SUMS, "auto"),
        InvalidOption,
        f"{method} needs the answers themselves: pair sums are enough for "
        f"{' and '.join(OF_PAIR_SUMS)} alone.",
    )


def _number_or_auto(
    name: str, value: object, lowest: int, highest: int
) -> int | Literal["auto"]:
    if not isinstance(value, str | None):
        return check_int(name, value, lowest, highest)
    refuse_if(
        value != "auto",
        InvalidOption,
        f'{name} = {value!r:.80}: give {lowest} to {highest}, or "auto".',
    )
    return "auto"


def _n_replicates(support: object, data: Comparisons | PairSums) -> int:
    """How many bootstrap replicates to make."""
    number = _number_or_auto("support", support, 0, 10**6)
    if number == "auto":
        return default_replicates(data)
    refuse_if(
        number > 0 and isinstance(data, PairSums),
        InvalidOption,
        "the bootstrap draws answers again, and pair sums have none: give the answers "
        "themselves, or ",
        Remedy("support", 0),
        ".",
    )
    return number


def _check_features(
    method: str, features: npt.ArrayLike | None, n: int
) -> npt.ArrayLike | None:
    is_cosine, is_given = method == "cosine-al", features is not None
    refuse_if(
        is_given and not is_cosine,
        InvalidOption,
        f"features are for cosine-al alone, not for {method}.",
    )
    refuse_if(
        is_cosine and not is_given,
        InvalidOption,
        "cosine-al needs features: give a vector for each object.",
    )
    if features is None:
        return None
    table = as_real_table(features, "features")
    refuse_if(
        len(table) != n,
        Mismatch,
        f"features of {len(table)} objects and comparisons about {n}: give one row per "
        "object.",
    )
    return table


def _advice(n: int, m: int | float) -> str:
    """One sentence where m comparisons about n objects are too few."""
    if n < 3 or m >= min(FEW_PER_OBJECT * n, n * n / 4):
        return ""
    enough = min(ENOUGH_PER_OBJECT * n, n * n)
    comparisons = "comparison is" if m == 1 else "comparisons are"
    return (
        f"{m} {comparisons} few for {n} objects: trust large clusters more than small "
        f"ones, and ask more random questions if you can (about {enough} were enough "
        "in simulations; `tripletree plan` tells more)."
    )
