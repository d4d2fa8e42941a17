"""`cluster`: comparisons in; a tree and everything known about it out."""

from __future__ import annotations

import math
import time
import warnings as python_warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_flag, check_int, check_limit
from tripletree._first_run import compile_kernels
from tripletree._progress import OnProgress, OutOfTime, Progress, ignore
from tripletree.clustering.advice import advise
from tripletree.clustering.levels import has_enough, levels_of
from tripletree.clustering.method_choice import (
    LARGEST_TO_TRY,
    chance_warnings,
    choose_method,
    method_without_trials,
    minimum_seconds,
    try_method,
)
from tripletree.clustering.result import Clustering
from tripletree.comparisons.sampling import as_real_table
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
from tripletree.evaluation.noise import noise_ceiling
from tripletree.evaluation.support import (
    Support,
    renumbered,
    support_by_replicates,
)
from tripletree.evaluation.tree_fit import TreeFit, ultrametric_index
from tripletree.evaluation.tree_fit import tree_fit as compare_models
from tripletree.linkage.sparse_average import n_components
from tripletree.methods import (
    DRAFT,
    FIXED,
    METHODS,
    OF_PAIR_SUMS,
    REPLICATE,
    make_tree,
    tree_of_similarity,
)
from tripletree.objective.bounds import Gap, gap_of
from tripletree.objective.flat import STABLE, best_cut_of_sums, cut_of_sums
from tripletree.objective.value import (
    merge_sums,
    node_sums,
    normalised_revenue,
    revenue_of_sums,
    satisfaction,
)
from tripletree.similarity.matrix import similarity_of
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.tree import Tree

LARGEST_WITH_BOUND = 2_000  # objects: a bound within seconds
FEWEST_FOR_CURVE = 30  # comparisons
REPLICATES = {300: 100, 1_000: 30}  # by the largest number of objects; none above
# Shares of a time limit: at most for trials, and for what comes after the tree.
FOR_TRIALS, FOR_SUPPORT, FOR_CURVE, FOR_FIT, FOR_BOUND = 0.5, 0.15, 0.15, 0.1, 0.1


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
    tree_fit: bool = False,
    seed: int = 0,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> Clustering:
    """Build the tree that fits comparisons best, and report how good it is.

    Parameters
    ----------
    comparisons : Triplets, Quadruplets or PairSums
        Pair sums are enough for "climb" and "adds-al", but no answers can be
        held out or resampled.
    method : str, default "auto"
        One of "adds-al", "mulk-al", "4k-al", "tste-al", "cosine-al", "climb",
        "complete" and "posterior" (see `tripletree.methods`), or "auto": of "adds-al",
        "climb" and "complete" the one with the largest revenue on held-out answers.
        Nothing is held out of pair sums, nor with more than 10,000 objects: then it is
        "climb", or, with more than 10,000 objects and no time limit, "adds-al".
    features : array_like, shape (n, d), optional
        One vector per object, only for "cosine-al".
    n_clusters : int or "auto", default "auto"
        The number of flat clusters. "auto" chooses it from the data: the finest cut
        whose every cluster is stable, see :func:`suggested_cuts`; with fewer than ten
        replicates (see `support`) the cut with the largest similarity within its
        clusters, see :func:`best_cut`. ``clusters.rule`` says which.
    n_folds : int, default 3
        The number of parts into which answers are split for the held-out revenue. 0
        skips it, except for "auto". It is skipped above 10,000 objects.
    bound : bool, default True
        Whether to compute an upper bound on the revenue of all trees, for up to 2,000
        objects.
    support : int or "auto", default "auto"
        The number of bootstrap replicates that show how certain each cluster is, see
        :func:`bootstrap_support`. "auto": 100 up to 300 objects, 30 up to 1,000; none
        above, for pair sums, and for "cosine-al", which does not use the answers.
    curve : bool, default False
        Whether to compute a learning curve, from 30 or more comparisons; not from pair
        sums.
    people : bool, default False
        Whether to compare each person with the others, if it is known who answered.
    tree_fit : bool, default False
        Whether to compare the tree with flat clusters and with points in space, on
        held-out answers, from 30 or more comparisons, see :func:`tree_fit`. It takes
        about as long as a tree by "climb" or "complete".
    seed : int, default 0
        The same seed gives the same result on every machine, unless a time limit ends
        the work early.
    time_limit : float, optional
        Seconds to spend, to within about 20 % and a second; at most half of them on
        trying methods. A warning is given at the start if even the simplest tree takes
        longer. The first call after installation also compiles, for up to a minute.
        Without a limit, the default, the size of the problem decides how much is done.
    progress : callable, optional
        Called with a `Progress` at the start of each step and during it.

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
    if time_limit is not None:
        compile_kernels()
    began = time.monotonic()
    data = _check_data(comparisons)
    answers, n = data.answers, data.read.n_objects
    _check_method(method, answers is None)
    n_folds = check_int("n_folds", n_folds, 0, 1_000)
    refuse_if(
        n_folds < 2 and (method == "auto" or n_folds == 1),
        InvalidOption,
        f"n_folds = {n_folds}: give 2 or more (or 0, but not for auto).",
    )
    n_clusters = _number_or_auto("n_clusters", n_clusters, 1, n)
    n_replicates = _n_replicates(support, method, answers is None, n)
    vectors = _check_features(method, features, n)
    flags = {"bound": bound, "curve": curve, "people": people, "tree_fit": tree_fit}
    for name, flag in flags.items():
        check_flag(name, flag)
    check_callable("progress", progress)
    seed, limit = check_int("seed", seed, 0, 2**63), check_limit(time_limit)
    least = minimum_seconds(method, n, data.n_rows)
    if least > 1.2 * limit + 1:
        message = (
            f"with {n:,} objects {method} takes at least about {least:.0f} s, whatever "
            "the time limit."
        )
        python_warnings.warn(message, UserWarning, stacklevel=2)

    run = _Run(data, vectors, seed, limit, progress or ignore, began)
    method, reason, trials = run.choose(method, n_folds)
    at_last = FOR_FIT * tree_fit
    later = FOR_SUPPORT * bool(n_replicates) + FOR_CURVE * curve + at_last
    tree, is_cut = run.tree(method, 1 - later - FOR_BOUND * bound)
    sums = merge_sums(tree, run.s) if answers is None else node_sums(tree, answers)
    earned = revenue_of_sums(tree, sums)
    gap = run.gap(earned, 1 - later) if bound else None
    trial = trials.get(method)
    chance = [] if answers is None else chance_warnings(trial, answers)
    warnings = [*data.warnings, *chance]
    if is_cut and not (gap is not None and gap.is_closed):
        warnings.append("stopped early: more time may give a better tree.")
    certainty = None
    if n_replicates:
        share, is_asked = 1 - FOR_CURVE * curve - at_last, support != "auto"
        certainty, more = run.support(tree, method, n_replicates, share, is_asked)
        warnings += more
    counts = None if answers is None else satisfaction(tree, answers)
    total = data.read.n_comparisons if counts is None else counts.total
    levels = levels_of(certainty, sums, total) if has_enough(certainty) else ()
    if n_clusters != "auto":
        clusters = cut_of_sums(tree, sums, n_clusters)
    elif levels:
        clusters = levels[-1].clusters
    elif has_enough(certainty):
        clusters = cut_of_sums(tree, sums, 1, STABLE)
    else:
        clusters = best_cut_of_sums(tree, sums)
    agreement = None
    if people and answers is not None and (data.read.n_people or 0) > 1:
        agreement = annotator_agreement(answers)
    noise = ultrametric = None
    if answers is not None and not (
        answers.weights is None and data.read.n_questions == len(answers)
    ):
        noise, ultrametric = noise_ceiling(answers), ultrametric_index(answers)
    learned = run.curve(method, 1 - at_last) if curve else None
    fit = run.tree_fit(method) if tree_fit else None
    m = data.n_comparisons
    return Clustering(
        tree=tree if certainty is None else certainty.tree,
        method=method,
        reason=reason,
        revenue=earned,
        normalised_revenue=normalised_revenue(tree, comparisons, earned),
        satisfaction=counts,
        clusters=clusters,
        levels=levels,
        held_out=trials,
        noise=noise,
        tree_fit=fit,
        ultrametric=ultrametric,
        gap=gap,
        support=certainty,
        curve=learned,
        people=agreement,
        read=data.read,
        warnings=tuple(warnings),
        advice=advise(n, m, trial, bool(chance), noise, certainty, learned, fit),
        seconds=time.monotonic() - began,
        comparisons=comparisons,
    )


@dataclass(frozen=True)
class _Data:
    """What was given, comparisons or pair sums, in the one form that all steps take.

    Comparisons of weight 0 are not counted in `n_comparisons`.
    """

    answers: Comparisons | None  # None for pair sums
    source: Any  # what s is computed from: the answers, or a csr_array
    labels: tuple[str, ...] | None
    n_rows: int
    n_comparisons: int | float
    read: WhatWasRead
    warnings: list[str]


def _check_data(given: Comparisons | PairSums) -> _Data:
    read = what_was_read(given)
    if isinstance(given, PairSums):
        message = "these pair sums are about no objects: a tree needs at least one."
        refuse_if(not given.n_objects, InvalidComparisons, message)
        source, n_rows, m = given.similarity, len(given), given.n_comparisons
        n_parts, warnings = n_components(source), [*given.warnings]
        if n_parts > 1:
            warnings.append(
                f"the pair sums leave the objects in {n_parts} components: how the "
                "tree joins them means nothing."
            )
        return _Data(None, source, given.labels, n_rows, m, read, warnings)
    counted = given
    if given.weights is not None and not given.weights.all():
        counted = given[given.weights != 0]
    warnings = [*counted.warnings, *coverage(counted).warnings(counted.labels)]
    counts = len(given), len(counted)
    return _Data(given, given, given.labels, *counts, read, warnings)


def what_was_read(
    given: Comparisons | PairSums, *, has_questions: bool = True
) -> WhatWasRead:
    """How much data there is, with units; counting questions takes a sort."""
    if isinstance(given, PairSums):
        n, m = given.n_objects, given.n_comparisons
        return WhatWasRead(n, m, None, None, None, {}, given.notes)
    check_comparisons(given)
    return count_what_was_read(given, has_questions)


@dataclass
class _Run:
    """What the steps of one call share: the data, and how much time is left."""

    data: _Data
    features: npt.ArrayLike | None
    seed: int
    time_limit: float
    progress: OnProgress
    began: float

    def left(self, share: float) -> float:
        """Seconds left of this share of the time limit, 0 or more."""
        return max(0.0, self.began + share * self.time_limit - time.monotonic())

    @cached_property
    def s(self) -> Any:
        """The similarity, computed and checked once, and only if a step needs it."""
        return similarity_of(self.data.source)[0]

    @property
    def draft(self) -> Callable[..., tuple[Tree, bool]]:
        """`make_tree` for trials, whose trees need not be the best."""
        return partial(make_tree, features=self.features, seed=self.seed, effort=DRAFT)

    def choose(self, method: str, n_folds: int) -> tuple[str, str, dict[str, HeldOut]]:
        """The method, the reason for it, and the trials of methods."""
        answers, n = self.data.answers, self.data.read.n_objects
        if answers is None or n > LARGEST_TO_TRY or not n_folds:
            if method == "auto":
                return *method_without_trials(n, self.time_limit < math.inf), {}
            return method, "as asked.", {}
        seconds = self.left(FOR_TRIALS)
        shared = answers, self.draft, n_folds, self.seed, self.progress
        if method == "auto":
            return choose_method(*shared, seconds)
        trial, _ = try_method(method, *shared, seconds)
        return method, "as asked.", {} if trial is None else {method: trial}

    def tree(self, method: str, share: float) -> tuple[Tree, bool]:
        """The tree, and whether the time limit cut the search for it short."""
        self.progress(Progress(f"tree by {method}"))
        seed, seconds, answers = self.seed, self.left(share), self.data.answers
        if answers is None or method in OF_PAIR_SUMS:
            labels = self.data.labels
            return tree_of_similarity(method, self.s, labels, seed, seconds)
        return make_tree(
            method, answers, features=self.features, seed=seed, seconds=seconds
        )

    def gap(self, earned: int | float, share: float) -> Gap | None:
        """How far from the best the tree can be, if that can be computed in seconds."""
        n, seconds = self.data.read.n_objects, self.left(share)
        if n > LARGEST_WITH_BOUND or seconds <= 0:
            return None
        self.progress(Progress("a bound on all trees"))
        try:  # a bound that fails must not cost the tree
            s = self.s if isinstance(self.s, np.ndarray) else self.s.toarray()
            return gap_of(earned, s, seconds)
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
        """How certain each cluster is, and warnings; it fails only if it was asked for.

        Replicates are made by the same method.
        """
        assert self.data.answers is not None
        seconds, found = self.left(share), None

        @renumbered
        def replicate(train: Comparisons, seed: int) -> Tree:
            left = self.left(share)
            made, is_cut = make_tree(
                method, train, seed=seed, effort=REPLICATE, seconds=left
            )
            if is_cut:  # the cluster would seem less certain than it is
                raise OutOfTime
            return made

        try:
            if seconds > 0:
                found = support_by_replicates(
                    tree,
                    self.data.answers,
                    replicate,
                    n_replicates,
                    self.seed,
                    seconds,
                    self.progress,
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

    def can_hold_out(self, method: str) -> bool:
        """Whether there are answers enough, and the method uses them."""
        is_large = self.data.n_comparisons >= FEWEST_FOR_CURVE
        return self.data.answers is not None and method != FIXED and is_large

    def curve(self, method: str, share: float) -> LearningCurve | None:
        """The learning curve, if there are answers enough and the method uses them."""
        if self.data.answers is None or not self.can_hold_out(method):
            return None
        return learning_curve(
            self.data.answers,
            lambda train: self.draft(method, train, seconds=self.left(share))[0],
            seed=self.seed,
            time_limit=self.left(share),
            progress=self.progress,
        )

    def tree_fit(self, method: str) -> TreeFit | None:
        """How the tree compares with other models; None without enough answers."""
        if self.data.answers is None or not self.can_hold_out(method):
            return None
        return compare_models(
            self.data.answers,
            lambda train: self.draft(method, train, seconds=self.left(1.0))[0],
            seed=self.seed,
            time_limit=self.left(1.0),
            progress=self.progress,
        )


def _check_method(method: str, is_summed: bool) -> None:
    if not isinstance(method, str) or method not in (*METHODS, "auto"):
        message = f"method = {method!r}: choose {', '.join(METHODS)} or auto."
        raise InvalidOption(message)
    refuse_if(
        is_summed and method not in (*OF_PAIR_SUMS, "auto"),
        InvalidOption,
        f"{method} needs the answers themselves: pair sums are enough for "
        f"{' and '.join(OF_PAIR_SUMS)} only.",
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


def _n_replicates(support: object, method: str, is_summed: bool, n: int) -> int:
    """How many bootstrap replicates to make."""
    number, is_fixed = _number_or_auto("support", support, 0, 10**6), method == FIXED
    if number == "auto":
        usual = next((k for most, k in REPLICATES.items() if n <= most), 0)
        return 0 if is_summed or is_fixed else usual
    refuse_if(
        number > 0 and is_fixed,
        InvalidOption,
        f"the bootstrap resamples answers, which {FIXED} does not use: give ",
        Remedy("support", 0),
        ".",
    )
    refuse_if(
        number > 0 and is_summed,
        InvalidOption,
        "the bootstrap resamples answers, and pair sums have none: give the answers "
        "themselves, or ",
        Remedy("support", 0),
        ".",
    )
    return number


def _check_features(
    method: str, features: npt.ArrayLike | None, n: int
) -> npt.ArrayLike | None:
    is_cosine, is_given = method == FIXED, features is not None
    refuse_if(
        is_given and not is_cosine,
        InvalidOption,
        f"features are only for cosine-al, not for {method}.",
    )
    refuse_if(
        is_cosine and not is_given,
        InvalidOption,
        "cosine-al needs features: give one vector per object.",
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
