"""`cluster`: comparisons in; a tree and everything known about it out."""

from __future__ import annotations

import math
import time
import warnings as python_warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    check_callable,
    check_flag,
    check_int,
    check_limit,
)
from tripletree._first_run import compile_kernels
from tripletree._progress import OnProgress, OutOfTime, Progress, ignore
from tripletree.clustering.advice import advise
from tripletree.clustering.levels import (
    SuggestedCut,
    explained,
    levels_of,
)
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
from tripletree.comparisons.triplets import (
    Comparisons,
    Triplets,
    check_comparisons,
    rows_that_count,
)
from tripletree.errors import (
    InvalidComparisons,
    InvalidOption,
    InvalidSimilarity,
    Mismatch,
    Remedy,
    TooLarge,
    refuse_if,
)
from tripletree.evaluation.annotators import AnnotatorAgreement, agreement_by_sums
from tripletree.evaluation.holdout import HeldOut, learning_curve
from tripletree.evaluation.noise import NoiseCeiling, ceiling_of, count_votes
from tripletree.evaluation.support import (
    Support,
    renumbered,
    support_by_replicates,
)
from tripletree.evaluation.tree_fit import (
    FEWEST_QUESTIONS,
    UltrametricIndex,
    index_of,
)
from tripletree.evaluation.tree_fit import tree_fit as compare_models
from tripletree.methods import (
    DRAFT,
    FIXED,
    FULL,
    METHODS,
    OF_PAIR_SUMS,
    REPLICATE,
    make_tree,
    tree_of_similarity,
)
from tripletree.objective.bounds import Gap, gap_of
from tripletree.objective.flat import (
    STABLE,
    FlatCut,
    best_cut_of_sums,
    cut_of_sums,
    with_strays,
)
from tripletree.objective.value import (
    Values,
    groups_of_sums,
    merge_sums,
    node_sums,
    normalised_revenue,
    normalised_revenue_of_sums,
    revenue_of_sums,
    satisfaction,
)
from tripletree.similarity.matrix import similarity_of
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.tree import Tree

LARGEST_WITH_BOUND = 2_000  # objects: a bound within seconds
REPLICATES = {300: 100, 1_000: 30}  # by the largest number of objects; none above
FOR_TRIALS = 0.5  # of the time up to the tree, at most: the tree has the rest
PER_ROW = 8e-7  # seconds, about: questions are counted whatever the time limit
# Shares of a time limit for what comes after the tree, in this order.
SHARES = {"bound": 0.1, "support": 0.15, "curve": 0.15, "tree_fit": 0.1}

Figures = TypeVar("Figures")


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
    attach_strays: bool = False,
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
        "climb", "complete" and "posterior" the one that does best on held-out answers.
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
        Whether to compute a learning curve, from 30 or more questions; not from pair
        sums.
    people : bool, default False
        Whether to compare each person with the others, if it is known who answered.
    tree_fit : bool, default False
        Whether to compare the tree with flat clusters and with points in space, on
        held-out answers, from 30 or more questions, see :func:`tree_fit`. It takes
        about as long as a tree by "climb" or "complete".
    attach_strays : bool, default False
        Whether to put objects that belong to no stable cluster into the nearest one,
        see :meth:`FlatCut.attached`; otherwise they have label -1.
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
        compile_kernels(getattr(comparisons, "n_objects", 0))
    began = time.monotonic()
    data = _check_data(comparisons)
    is_summed, n = data.answers is None, data.read.n_objects
    _check_method(method, is_summed)
    n_folds = check_int("n_folds", n_folds, 0, 1_000)
    refuse_if(
        n_folds < 2 and (method == "auto" or n_folds == 1),
        InvalidOption,
        f"n_folds = {n_folds}: give 2 or more (or 0, but not for auto).",
    )
    n_clusters = _number_or_auto("n_clusters", n_clusters, 1, n)
    n_replicates = _n_replicates(support, method, is_summed, n)
    vectors = _check_features(method, features, n)
    flags = {"bound": bound, "curve": curve, "people": people, "tree_fit": tree_fit}
    flags["attach_strays"] = attach_strays
    for name, flag in flags.items():
        check_flag(name, flag)
    check_callable("progress", progress)
    seed, limit = check_int("seed", seed, 0, 2**63), check_limit(time_limit)
    least = minimum_seconds(method, n, data.n_rows)
    least += 0 if is_summed else PER_ROW * data.n_rows
    if least > 1.2 * limit + 1:
        message = (
            f"with {n:,} objects and {data.n_comparisons:,} comparisons {method} takes "
            f"at least about {least:.0f} s, whatever the time limit."
        )
        python_warnings.warn(message, UserWarning, stacklevel=2)
    run = _Run(
        data,
        vectors,
        n_clusters,
        n_folds,
        n_replicates,
        support != "auto",
        {"support": n_replicates > 0, **flags},
        seed,
        limit,
        progress or ignore,
        began,
    )
    return run.result(comparisons, method)


@dataclass(frozen=True)
class _Data:
    """What was given, comparisons or pair sums, in the one form that all steps take.

    Comparisons of weight 0 are left out. n_different are the questions, or comparisons
    if questions are not counted.
    """

    answers: Comparisons | None  # None for pair sums
    source: Any  # what s is computed from: the answers, or a csr_array
    labels: tuple[str, ...] | None
    n_rows: int
    n_comparisons: int | float
    n_different: int | float
    read: WhatWasRead
    warnings: list[str]


def _check_data(given: Comparisons | PairSums) -> _Data:
    read = what_was_read(given)
    if isinstance(given, PairSums):
        message = "these pair sums are about no objects: a tree needs at least one."
        refuse_if(not given.n_objects, InvalidComparisons, message)
        source, n_rows, m = given.similarity, len(given), given.n_comparisons
        n_parts, warnings = len(np.unique(groups_of_sums(given)[0])), [*given.warnings]
        if n_parts > 1:
            warnings.append(
                f"the pair sums leave the objects in {n_parts} components: how the "
                "tree joins them means nothing."
            )
        return _Data(None, source, given.labels, n_rows, m, m, read, warnings)
    answers = rows_that_count(given)
    warnings = [*answers.warnings, *coverage(answers).warnings(answers.labels)]
    m, n_questions = len(answers), read.n_questions
    n_different = m if n_questions is None else min(m, n_questions)
    counts = m, m, n_different
    return _Data(answers, answers, answers.labels, *counts, read, warnings)


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
    """One call: what was asked for, what its steps share, and how much time is left."""

    data: _Data
    features: npt.ArrayLike | None
    n_clusters: int | Literal["auto"]
    n_folds: int
    n_replicates: int
    is_support_asked: bool
    does: Mapping[str, bool]  # which of the steps were asked for
    seed: int
    time_limit: float
    progress: OnProgress
    began: float
    drafts: dict[tuple[str, int, tuple[bytes, ...]], Tree] = field(default_factory=dict)

    def result(self, given: Comparisons | PairSums, method: str) -> Clustering:
        """All steps, from the comparisons to the result."""
        data, warnings = self.data, [*self.data.warnings]
        method, reason, trials = self.choose(method)
        tree, is_cut = self.tree(method)
        of_pairs = data.answers is None
        sums = merge_sums(tree, self.s) if of_pairs else node_sums(tree, data.source)
        earned = revenue_of_sums(tree, sums)
        gap, trial = self.gap(earned), trials.get(method)
        chance = [] if of_pairs else chance_warnings(trial, data.source)
        warnings += chance
        if is_cut and not (gap is not None and gap.is_closed):
            warnings.append("stopped early: more time may give a better tree.")
        support = self.support(tree, method, warnings)
        known = support if support is not None and support.is_enough else None
        levels = self.levels(method, trial, sums, known)
        noise, ultrametric = self.repeats()
        curve = self.on_unseen("curve", learning_curve, method)
        fit = self.on_unseen("tree_fit", compare_models, method)
        judged = trial, bool(chance), noise, known, curve, fit
        m, different = data.n_comparisons, data.n_different
        return Clustering(
            tree=tree if support is None else support.tree,
            method=method,
            reason=reason,
            revenue=earned,
            normalised_revenue=(
                normalised_revenue_of_sums(tree, given, earned)
                if isinstance(given, PairSums)
                else normalised_revenue(tree, given, earned)
            ),
            satisfaction=None if of_pairs else satisfaction(tree, data.source),
            clusters=self.clusters(tree, sums, known, levels),
            levels=levels,
            held_out=trials,
            noise=noise,
            tree_fit=fit,
            ultrametric=ultrametric,
            gap=gap,
            support=support,
            curve=curve,
            people=self.people(),
            read=data.read,
            warnings=tuple(warnings),
            advice=advise(tree.n_leaves, m, different, *judged),
            seconds=time.monotonic() - self.began,
            comparisons=given,
        )

    def left(self, step: str) -> float:
        """Seconds left for a step, 0 or more; those after it have shares of theirs."""
        steps = ["trials", "tree", *SHARES]
        after = [name for name in steps[steps.index(step) + 1 :] if self.does.get(name)]
        share = 1 - sum(SHARES.get(name, 0) for name in after)
        share *= FOR_TRIALS if step == "trials" else 1
        return max(0.0, self.began + share * self.time_limit - time.monotonic())

    @cached_property
    def s(self) -> Any:
        """The similarity, computed and checked once, and only if a step needs it."""
        return similarity_of(self.data.source)[0]

    def draft(
        self,
        method: str,
        train: Comparisons,
        *,
        seconds: float,
        seed: int | None = None,
    ) -> tuple[Tree, bool]:
        """`make_tree` with less effort, each tree once: steps share their folds."""
        seed = self.seed if seed is None else seed
        parts = [train.rows] if train.weights is None else [train.rows, train.weights]
        digests = [blake2b(np.ascontiguousarray(part).data).digest() for part in parts]
        key = method, seed, tuple(digests)
        if key in self.drafts:
            return self.drafts[key], False
        tree, is_cut = make_tree(
            method,
            train,
            features=self.features,
            seed=seed,
            seconds=seconds,
            effort=DRAFT,
        )
        if not is_cut:
            self.drafts[key] = tree
        return tree, is_cut

    def choose(self, method: str) -> tuple[str, str, dict[str, HeldOut]]:
        """The method, the reason for it, and the trials of methods."""
        answers, n = self.data.answers, self.data.read.n_objects
        if answers is None or n > LARGEST_TO_TRY or not self.n_folds:
            if method == "auto":
                return *method_without_trials(n, self.time_limit < math.inf), {}
            return method, "as asked.", {}
        seconds = self.left("trials")
        shared = answers, self.draft, self.n_folds, self.seed, self.progress
        if method == "auto":
            return choose_method(*shared, seconds)
        trial, *_ = try_method(method, *shared, seconds)
        return method, "as asked.", {} if trial is None else {method: trial}

    def tree(self, method: str) -> tuple[Tree, bool]:
        """The tree, and whether the time limit cut the search for it short."""
        step = f"tree by {method}"
        self.progress(Progress(step))

        def tell(found: Progress) -> None:
            is_search = found.step == "search"
            self.progress(replace(found, step=step) if is_search else found)

        seed, seconds, answers = self.seed, self.left("tree"), self.data.answers
        if answers is None or method in OF_PAIR_SUMS:
            labels = self.data.labels
            shared = method, self.s, labels, seed
            return tree_of_similarity(*shared, seconds, FULL, tell)
        return make_tree(
            method,
            answers,
            features=self.features,
            seed=seed,
            seconds=seconds,
            progress=tell,
        )

    def gap(self, earned: int | float) -> Gap | None:
        """How far from the best the tree can be, if that can be computed in seconds."""
        n, seconds = self.data.read.n_objects, self.left("bound")
        if not self.does["bound"] or n > LARGEST_WITH_BOUND or seconds <= 0:
            return None
        self.progress(Progress("a bound on all trees"))
        try:  # a bound that fails must not cost the tree
            s = self.s if isinstance(self.s, np.ndarray) else self.s.toarray()
            return gap_of(earned, s, seconds)
        except (TooLarge, InvalidSimilarity):
            return None

    def support(self, tree: Tree, method: str, warnings: list[str]) -> Support | None:
        """How certain each cluster is, by replicates made by the same method.

        Adds to warnings; fails only if support was asked for.
        """
        found = None
        if self.data.answers is None or not self.n_replicates:
            return None

        @renumbered
        def replicate(train: Comparisons, seed: int) -> Tree:
            left = self.left("support")
            made, is_cut = make_tree(
                method, train, seed=seed, effort=REPLICATE, seconds=left
            )
            if is_cut:  # the cluster would seem less certain than it is
                raise OutOfTime
            return made

        try:
            if (seconds := self.left("support")) > 0:
                found = support_by_replicates(
                    tree,
                    self.data.answers,
                    replicate,
                    self.n_replicates,
                    self.seed,
                    seconds,
                    self.progress,
                )
        except OutOfTime:
            pass
        except (InvalidComparisons, InvalidSimilarity, TooLarge) as error:
            if self.is_support_asked:
                raise
            warnings.append(f"no bootstrap support: {error}")
            return None
        n_done = 0 if found is None else found.n_replicates
        if n_done < self.n_replicates:
            of = f"{n_done} of {self.n_replicates}"
            warnings.append(f"the time limit allowed {of} bootstrap replicates.")
        return found

    def levels(
        self, method: str, trial: HeldOut | None, sums: Values, support: Support | None
    ) -> tuple[SuggestedCut, ...]:
        """All cuts into stable clusters, and what they explain of held-out answers."""
        if self.data.answers is None or support is None:
            return ()
        levels = levels_of(support, sums, self.data.answers)

        def make(train: Comparisons) -> Tree:
            return self.draft(method, train, seconds=self.left("support"))[0]

        n_folds = 0 if trial is None else self.n_folds
        return explained(levels, self.data.answers, make, n_folds, self.seed)

    def clusters(
        self,
        tree: Tree,
        sums: Values,
        support: Support | None,
        levels: tuple[SuggestedCut, ...],
    ) -> FlatCut:
        """The flat clusters: as many as asked for, or by the best rule there is."""
        if self.n_clusters != "auto":
            return cut_of_sums(tree, sums, self.n_clusters)
        if support is None:
            return best_cut_of_sums(tree, sums)
        if not levels:
            return cut_of_sums(tree, sums, 1, STABLE)
        cut = levels[-1].clusters
        if self.does["attach_strays"] and cut.n_unassigned:
            return with_strays(cut, self.s)
        return cut

    def people(self) -> AnnotatorAgreement | None:
        """How people agree, if that was asked for and there are several."""
        answers, n_people = self.data.answers, self.data.read.n_people or 0
        if answers is None or n_people < 2 or not self.does["people"]:
            return None
        return agreement_by_sums(answers, vars(self).get("s"))  # if it was made

    def repeats(self) -> tuple[NoiseCeiling | None, UltrametricIndex | None]:
        """What questions show that were answered more than once."""
        answers = self.data.answers
        if answers is None:
            return None, None
        if answers.weights is None and self.data.read.n_questions == len(answers):
            return None, None
        votes, index = count_votes(answers), None
        if isinstance(answers, Triplets):
            index = index_of(votes, answers)
        return ceiling_of(votes), index

    def on_unseen(
        self, step: str, judge: Callable[..., Figures], method: str
    ) -> Figures | None:
        """How trees do on unseen answers; None if there are too few."""
        answers, is_few = self.data.answers, self.data.n_different < FEWEST_QUESTIONS
        if answers is None or method == FIXED or is_few or not self.does[step]:
            return None

        def make(train: Comparisons) -> Tree:
            tree, is_cut = self.draft(method, train, seconds=self.left(step))
            if is_cut:  # as if fewer answers, or another model, were to blame
                raise OutOfTime
            return tree

        try:
            return judge(
                answers,
                make,
                seed=self.seed,
                time_limit=self.left(step),
                progress=self.progress,
            )
        except OutOfTime:
            return None


def _check_method(method: str, is_summed: bool) -> None:
    refuse_if(
        not isinstance(method, str) or method not in (*METHODS, "auto"),
        InvalidOption,
        f"method = {method!r}: choose {', '.join(METHODS)} or auto.",
    )
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
