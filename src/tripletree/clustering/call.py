"""The one call: comparisons in, a tree out, with all that is known about it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_flag, check_int, check_limit
from tripletree._progress import OnProgress, Progress, ignore
from tripletree.clustering.choosing import LARGEST_TO_TRY, Trials, untried
from tripletree.clustering.result import Clustering
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.comparisons.features import as_real_table
from tripletree.comparisons.summary import WhatWasRead, counts_of, coverage
from tripletree.errors import (
    InvalidComparisons,
    InvalidOption,
    InvalidSimilarity,
    Mismatch,
    Remedy,
    TooLarge,
)
from tripletree.evaluation.annotators import AnnotatorAgreement, annotator_agreement
from tripletree.evaluation.learning_curve import LearningCurve, learning_curve
from tripletree.evaluation.support import Support, bootstrap_support
from tripletree.linkage.sparse_average import n_components
from tripletree.methods import DRAFT, FULL, METHODS, OF_PAIR_SUMS, Effort, tree_by
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
from tripletree.similarity.pair_table import PairSums
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
        About how many seconds to spend: half of it at most on trying methods. No limit
        by default; then the size of the problem decides how much is done.
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
    if n_folds < 2 and (method == "auto" or n_folds == 1):
        message = f"n_folds = {n_folds}: give 2 or more (or 0, but not for auto)."
        raise InvalidOption(message)
    if isinstance(n_clusters, str) and n_clusters != "auto":
        message = f'n_clusters = {n_clusters!r:.80}: give 1 to {n}, or "auto".'
        raise InvalidOption(message)
    if not isinstance(n_clusters, str):
        n_clusters = check_int("n_clusters", n_clusters, 1, n)
    check_callable("progress", progress)
    run = _Run(
        comparisons,
        _check_features(method, features, n),
        n_clusters,
        n_folds,
        check_flag("bound", bound),
        _check_support(support, comparisons),
        isinstance(support, str),
        check_flag("curve", curve),
        check_flag("people", people),
        check_int("seed", seed, 0, 2**63),
        check_limit(time_limit),
        progress or ignore,
    )
    return run.result(method)


@dataclass
class _Run:
    """One call of cluster: what it works on and how much time is left."""

    data: Comparisons | PairSums
    features: npt.ArrayLike | None
    n_clusters: int | Literal["auto"]
    n_folds: int
    wants_bound: bool
    n_replicates: int
    is_support_auto: bool
    wants_curve: bool
    wants_people: bool
    seed: int
    time_limit: float
    progress: OnProgress
    began: float = field(default_factory=time.monotonic)

    def result(self, method: str) -> Clustering:
        data, n = self.data, self.data.n_objects
        method, reason, trials = self.choose(method)
        tree, is_cut = self.tree(method)
        if isinstance(data, PairSums):
            sums, counts, total = merge_sums(tree, self.s), None, data.n_comparisons
        else:
            sums, counts = node_sums(tree, data), satisfaction(tree, data)
            total = counts.total
        earned = revenue_of_sums(tree, sums)
        warnings = self.left_to_chance()
        warnings += [] if trials is None else trials.chance(method)
        gap = self.gap(earned)
        if is_cut and not (gap is not None and gap.is_closed):
            warnings.append("stopped early: more time may give a better tree.")
        support = self.support(tree, method, warnings)
        if self.n_clusters == "auto":
            clusters = best_cut_of_sums(tree, sums)
        else:
            clusters = cut_of_sums(tree, sums, self.n_clusters)
        return Clustering(
            tree=tree if support is None else support.tree,
            method=method,
            reason=reason,
            revenue=earned,
            normalised_revenue=normalised(earned, total, n),
            satisfaction=counts,
            clusters=clusters,
            held_out={} if trials is None else trials.held_out,
            gap=gap,
            support=support,
            curve=self.curve(method),
            people=self.people(),
            read=what_was_read(data),
            warnings=tuple(warnings),
            advice=_advice(n, self.n_counted),
            seconds=time.monotonic() - self.began,
            comparisons=data,
        )

    def left(self, share: float) -> float:
        """Seconds left of this share of the time limit, 0 or more."""
        return max(0.0, self.began + share * self.time_limit - time.monotonic())

    @cached_property
    def s(self) -> Any:
        """The pair sums, made and checked once."""
        data = self.data
        return similarity_of(data.similarity if isinstance(data, PairSums) else data)[0]

    @cached_property
    def counted(self) -> Comparisons | PairSums:
        """What counts: answers of weight 0 do not."""
        data = self.data
        if isinstance(data, PairSums) or data.weights is None:
            return data
        return data if data.weights.all() else data[data.weights != 0]

    @property
    def n_counted(self) -> int | float:
        data = self.counted
        return data.n_comparisons if isinstance(data, PairSums) else len(data)

    def choose(self, method: str) -> tuple[str, str, Trials | None]:
        """The method, why it, and what was tried."""
        data, n = self.data, self.data.n_objects
        if isinstance(data, PairSums) or n > LARGEST_TO_TRY:
            if method == "auto":
                return *untried(n, self.time_limit < math.inf), None
            return method, "as asked.", None
        if method != "auto" and not self.n_folds:
            return method, "as asked.", None
        end = time.monotonic() + self.left(FOR_TRIALS)
        make = partial(self.made, effort=DRAFT)
        trials = Trials(data, make, self.n_folds, self.seed, end, self.progress)
        if method == "auto":
            return *trials.choose(), trials
        trials.run(method)
        return method, "as asked.", trials

    def made(
        self, data: Comparisons | PairSums, method: str, seconds: float, effort: Effort
    ) -> tuple[Tree, bool]:
        """A tree by a method within so many seconds, and whether they cut it short."""
        return tree_by(
            method,
            data,
            s=self.s if data is self.data and method in OF_PAIR_SUMS else None,
            features=self.features,
            seed=self.seed,
            seconds=seconds,
            effort=effort,
        )

    def tree(self, method: str) -> tuple[Tree, bool]:
        self.progress(Progress(f"tree by {method}"))
        later = FOR_SUPPORT * bool(self.n_replicates) + FOR_CURVE * self.wants_curve
        share = 1 - later - FOR_BOUND * self.wants_bound
        return self.made(self.data, method, self.left(share), FULL)

    def left_to_chance(self) -> list[str]:
        data = self.counted
        if not isinstance(data, PairSums):
            return coverage(data).warnings(data.labels)
        n_parts = n_components(data.similarity)
        if n_parts == 1:
            return []
        return [
            f"the pair sums leave the objects in {n_parts} components: how the tree "
            "joins them means nothing."
        ]

    def support(self, tree: Tree, method: str, warnings: list[str]) -> Support | None:
        """How sure each cluster is; if nobody asked for it, failing is no error."""
        if not self.n_replicates or isinstance(self.data, PairSums):
            return None
        seconds, found = self.left(1 - FOR_CURVE * self.wants_curve), None
        try:
            if seconds > 0:
                found = bootstrap_support(
                    tree,
                    self.data,
                    method="adds-al" if method == "adds-al" else "climb",
                    n_replicates=self.n_replicates,
                    seed=self.seed,
                    time_limit=seconds,
                    progress=self.progress,
                )
        except (InvalidComparisons, InvalidSimilarity, TooLarge) as error:
            if not self.is_support_auto:
                raise
            warnings.append(f"no bootstrap support: {error}")
            return None
        n_done = 0 if found is None else found.n_replicates
        if n_done < self.n_replicates:
            warnings.append(
                f"the time limit allowed {n_done} of {self.n_replicates} bootstrap "
                "replicates."
            )
        return found

    def curve(self, method: str) -> LearningCurve | None:
        data = self.data
        if not self.wants_curve or isinstance(data, PairSums):
            return None
        if method == "cosine-al" or self.n_counted < FEWEST_FOR_CURVE:
            return None
        return learning_curve(
            data,
            lambda train: self.made(train, method, math.inf, DRAFT)[0],
            seed=self.seed,
            time_limit=self.left(1.0),
            progress=self.progress,
        )

    def people(self) -> AnnotatorAgreement | None:
        data = self.data
        if not self.wants_people or isinstance(data, PairSums):
            return None
        if data.annotators is None or len(np.unique(data.annotators)) < 2:
            return None
        return annotator_agreement(data)

    def gap(self, earned: int | float) -> Gap | None:
        """How far from the best the tree can be, if that is found out in seconds."""
        later = FOR_SUPPORT * bool(self.n_replicates) + FOR_CURVE * self.wants_curve
        n, seconds = self.data.n_objects, self.left(1 - later)
        if not self.wants_bound or n > LARGEST_WITH_BOUND or seconds <= 0:
            return None
        self.progress(Progress("a bound on all trees"))
        try:  # the tree is what counts
            s = self.s if isinstance(self.s, np.ndarray) else self.s.toarray()
            return gap_of(earned, s, default_sweeps(n), seconds)
        except (TooLarge, InvalidSimilarity):
            return None


def what_was_read(
    data: Comparisons | PairSums, *, has_questions: bool = True
) -> WhatWasRead:
    """How much there is, in units; counting questions takes a sort."""
    if isinstance(data, PairSums):
        return WhatWasRead(data.n_objects, data.n_comparisons, None, None, None, {}, ())
    return counts_of(data, has_questions)


def _check_method(data: Comparisons | PairSums, method: str) -> None:
    if not isinstance(data, PairSums):
        check_comparisons(data)
    elif not data.n_objects:
        message = "these pair sums are about no objects: a tree has one or more."
        raise InvalidComparisons(message)
    if not isinstance(method, str) or method not in (*METHODS, "auto"):
        message = f"method = {method!r}: choose {', '.join(METHODS)} or auto."
        raise InvalidOption(message)
    if isinstance(data, PairSums) and method not in (*OF_PAIR_SUMS, "auto"):
        message = (
            f"{method} needs the answers themselves: pair sums are enough for "
            f"{' and '.join(OF_PAIR_SUMS)} alone."
        )
        raise InvalidOption(message)


def _check_support(support: int | str, data: Comparisons | PairSums) -> int:
    """How many replicates: by the number of objects alone, if nothing is said."""
    if isinstance(support, str) and support == "auto":
        if isinstance(data, PairSums):
            return 0
        n = data.n_objects
        return next((number for most, number in REPLICATES.items() if n <= most), 0)
    if isinstance(support, str) or support is None:
        message = f'support = {support!r:.80}: give a number, or "auto".'
        raise InvalidOption(message)
    number = check_int("support", support, 0, 10**6)
    if number and isinstance(data, PairSums):
        message = (
            "the bootstrap draws answers again, and pair sums have none: give the "
            "answers themselves, or "
        )
        raise InvalidOption(message, Remedy("support", 0), ".")
    return number


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
