"""How well the answers support each cluster of a tree: the bootstrap.

Would the cluster be there if other people, or the same people on another day, had been
asked? Each replicate gives every answer a random weight, Poisson with mean 1: 0, 1, 2,
... as if answers had been resampled with replacement. AddS is linear, so a replicate
only re-weights the same rows before summing them. A tree is made from the sums, and the
clusters that it shares with the given tree are counted. The support of a cluster is the
share of replicates that have it, as for the clades of a phylogeny.

A large cluster is rarely reproduced to the last object. So each cluster also has a
*stability*: d objects must be added or removed, on average, to obtain a cluster of the
replicate (the transfer bootstrap of phylogenetics). Every tree has its leaves and its
root, so d is at most c - 1 for a cluster of c objects, and at most n - c; the stability
is 1 - d / min(c - 1, n - c).

**Ties.** Objects that the answers do not distinguish are joined by a tie rule, which is
the same in every replicate: without answers, all clusters would seem certain. So the
objects of each replicate are renumbered at random.

**What is resampled.** Answers of one annotator are more alike than those of different
ones, rows from one answer (two of an odd-one-out) more alike still, and so are answers
to the same question: the same 1,000 questions, asked of ten times as many people, are
still 1,000 of the many questions that could have been asked. So rows are drawn
together:

- With at least ten annotators, annotators are drawn, each with all their answers. If
  questions were asked twice or more often on average, questions are drawn as well, and
  a row counts as often as its annotator times as often as its question (the pigeonhole
  bootstrap of Owen).
- Otherwise questions are drawn, each with all its answers; where every question was
  asked once, these are the answers.
- Where half or more of all possible comparisons were made, hardly any other questions
  could have been asked. Then the questions stay, and answers are drawn, each with all
  its rows.

A triplet counts as an answer of its own unless `trials` of the comparisons says which
rows came from one answer; without it clusters would look more certain than they are.

**Objects that nobody was asked about** are somewhere in every tree, by chance. They are
not counted: clusters are compared without them. A join that only adds such objects has
stability 0.

**Which trees.** A replicate is clustered by the method that made the tree, with less
effort: a climb without restarts, two embeddings instead of ten. A worse optimum misses
some clusters, so the support is too low rather than too high. Another method would
answer another question: of a tree by "complete", clusters that replicates by "complete"
almost always have can be missing from nearly all replicates by "climb".
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    check_callable,
    check_int,
    check_limit,
    freeze,
)
from tripletree._progress import OnProgress, OutOfTime, Progress, ignore
from tripletree._threads import map_threads, n_threads, row_chunks
from tripletree.comparisons.row_checks import (
    Trials,
    Weights,
    check_annotators,
    group_rows,
    question_keys,
)
from tripletree.comparisons.triplets import (
    Comparisons,
    rows_that_count,
)
from tripletree.errors import InvalidComparisons, InvalidOption, refuse_if
from tripletree.evaluation.holdout import MakeTree, common_value, question_numbers
from tripletree.methods import FIXED, METHODS, REPLICATE, make_tree
from tripletree.objective.value import check_fit
from tripletree.tree.consensus import consensus
from tripletree.tree.distances import fewest_transfers
from tripletree.tree.tree import Tree, sums_below

FEWEST_REPLICATES = 10
FEWEST_ANNOTATORS = 10  # fewer do not show how other people would answer
REPEATED = 2  # answers to a question: from here on, questions are drawn with annotators
EXHAUSTIVE = 0.5  # of all possible comparisons: hardly any other could have been made
LARGEST_TOTAL = 2**50  # of integer weights: no draw makes it 4,096 times as large
OF_ANSWERS = tuple(name for name in METHODS if name != FIXED)
MakeReplicate = Callable[[Comparisons, int], Tree]  # from answers and a seed


class MadeByMethod(Protocol):
    """A tree, the method that made it, and its answers, as in a `Clustering`."""

    @property
    def tree(self) -> Tree: ...
    @property
    def method(self) -> str: ...
    @property
    def comparisons(self) -> object: ...


@dataclass(frozen=True, eq=False)
class Support:
    """Bootstrap support of the clusters of a tree.

    Attributes
    ----------
    tree : Tree
        The tree with the stability as its ``tree.support``: ``tree.to_newick()`` writes
        it, plots show it.
    stability : ndarray of float64, shape (n-1,)
        For each merge 1 - d / min(size - 1, n - size), where d is the mean number of
        objects by which its cluster differs from the closest one of a replicate. 1:
        reproduced in every replicate; 0: no closer than one of its objects alone, or
        than all objects together. The root has 1. Objects without answers are not
        counted, and joins that only add such objects have 0.
    support : ndarray of float64, shape (n-1,)
        For each merge the share of replicates in whose tree its leaves are a cluster.
        The last one is the root's, always 1. Large clusters seldom come back to the
        last object, so their support is low even where they are stable.
    n_replicates : int
        The number of replicates; fewer than requested if the time limit was reached.
    drawn : str
        What was resampled: "annotators", "annotators and questions", "questions",
        "answers" or "groups".
    replicates : ndarray of int32, shape (n_replicates, n-1, 2)
        The merges of the tree of each replicate, as ``Tree.children``.
    """

    tree: Tree
    stability: npt.NDArray[np.float64]
    support: npt.NDArray[np.float64]
    n_replicates: int
    drawn: str
    replicates: npt.NDArray[np.int32]

    @property
    def is_enough(self) -> bool:
        """Whether ten or more replicates show which clusters are stable."""
        return self.n_replicates >= FEWEST_REPLICATES

    def consensus(self, kind: Literal["majority", "greedy"] = "majority") -> Tree:
        """What the trees of the replicates share, see :func:`consensus`."""
        labels = self.tree.labels
        return consensus([Tree(x, None, labels) for x in self.replicates], kind)


def bootstrap_support(
    tree: Tree | MadeByMethod,
    comparisons: Comparisons | None = None,
    *,
    method: str | MakeTree | None = None,
    groups: npt.ArrayLike | None = None,
    n_replicates: int = 200,
    seed: int = 0,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> Support:
    """The share of bootstrap replicates that have each cluster of a tree.

    Parameters
    ----------
    tree : Clustering or Tree
        What :func:`cluster` returned, which needs no comparisons and no method; or any
        tree made from the comparisons.
    comparisons : Triplets or Quadruplets, optional
        A row of integer weight w counts as w answers; a float weight is multiplied.
    method : str or callable, optional
        The method that made the tree, since replicates have to be made in the same way:
        "adds-al", "mulk-al", "4k-al", "tste-al", "climb", "complete" or "posterior",
        with less effort than for the tree itself. For trees made in another way, a
        function that makes a tree from weighted comparisons; it is called from several
        threads.
    groups : array_like of str or int, shape (m,), optional
        Rows with the same id are resampled together: a participant, a screen, a day. By
        default annotators, if at least ten of them gave answers, else questions, each
        with all its answers (single answers where half of all questions were asked);
        np.arange(m) always resamples rows.
    n_replicates : int, default 200
    seed : int, default 0
        The same seed gives the same support, on any number of threads.
    time_limit : float, optional
        Seconds after which no replicate is started; one per thread is always made.
    progress : callable, optional
        Called now and then with a `Progress`: how many of all replicates are done.

    Returns
    -------
    Support

    Raises
    ------
    Mismatch
        If the tree and the comparisons are not about the same objects.
    InvalidTree, InvalidComparisons, InvalidOption
        If the arguments are not as described.

    Notes
    -----
    A replicate takes O(m + n^2) time by average linkage of AddS, and several times as
    long with a climb. 100 replicates by "complete" take less than ten times as long as
    the tree itself.

    References
    ----------
    Felsenstein, "Confidence limits on phylogenies: an approach using the bootstrap",
    1985. Hanley and MacGibbon, "Creating non-parametric bootstrap samples using Poisson
    frequencies", 2006. Owen, "The pigeonhole bootstrap", 2007.

    Examples
    --------
    >>> from tripletree import cluster
    >>> from tripletree.datasets.animals import animals
    >>> result = cluster(animals().answers, "adds-al", support=0)
    >>> found = bootstrap_support(result, n_replicates=50)
    >>> found.support.shape, found.support[-1], found.drawn
    ((19,), np.float64(1.0), 'questions')
    """
    shown: Any = tree
    answers: Any = comparisons
    if comparisons is None and hasattr(shown, "comparisons"):  # a Clustering
        answers, method, shown = shown.comparisons, method or shown.method, shown.tree
    check_fit(shown, answers)
    n_replicates = check_int("n_replicates", n_replicates, 1, 10**6)
    seed = check_int("seed", seed, 0, 2**63)
    seconds = check_limit(time_limit)
    check_callable("progress", progress)
    make, codes, report = _check_method(method), None, progress or ignore
    if groups is not None:
        m = len(answers)
        codes, _ = check_annotators(groups, None, m, "comparisons", "groups")
    return support_by_replicates(
        shown, answers, make, n_replicates, seed, seconds, report, codes
    )


def support_by_replicates(
    tree: Tree,
    comparisons: Comparisons,
    make: MakeReplicate,
    n_replicates: int,
    seed: int,
    seconds: float,
    report: OnProgress,
    groups: Trials | None = None,
) -> Support:
    """The support of a tree by replicates that `make` makes from answers and a seed."""
    limit = time.monotonic() + seconds
    if groups is not None and comparisons.weights is not None:
        groups = groups[comparisons.weights != 0]
    comparisons = rows_that_count(comparisons)
    together, drawn = _drawn(comparisons, groups)
    total = 0 if comparisons.weights is None else comparisons.weights.sum()
    refuse_if(
        isinstance(total, np.integer) and total > LARGEST_TOTAL,
        InvalidComparisons,
        "integer weights of these comparisons add up to more than 2^50: resampled, "
        "they could overflow. Divide them by a constant, or give floats.",
    )
    is_asked = asked_about(comparisons)
    asked, place = _restricted(tree, is_asked)

    def replicate(number: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        rng = np.random.default_rng((seed, number))
        weights = _resampled_weights(comparisons, together, drawn, rng)
        found = make(replace(comparisons, weights=weights), int(rng.integers(2**31)))
        refuse_if(
            not isinstance(found, Tree) or found.collapsed is not None,
            InvalidOption,
            f"method returned {found!r}: it must return a binary Tree.",
        )
        moved = fewest_transfers(asked, _restricted(found, is_asked)[0])
        return moved, found.children.astype(np.int32)

    merges: list[npt.NDArray[np.int32]] = []
    n_done, (n_found, n_moved) = 0, np.zeros((2, asked.n_leaves - 1), np.int64)
    for part in row_chunks(n_replicates, n_threads()):
        try:
            made = map_threads(replicate, range(part.start, part.stop))
        except OutOfTime:
            if not n_done:
                raise
            break
        moved = np.array([transfers for transfers, _ in made])
        merges += [children for _, children in made]
        n_found += (moved == 0).sum(axis=0)
        n_moved += moved.sum(axis=0)
        n_done = part.stop
        report(Progress("how certain each cluster is", n_done, n_replicates))
        if time.monotonic() >= limit:
            break
    size = asked.size[asked.n_leaves :]
    most = np.maximum(np.minimum(size - 1, asked.n_leaves - size), 1)
    support = _of_merges(n_found / n_done, place)
    total = n_done * most  # one division: 0.31, not 0.31000000000000005
    stability = _of_merges((total - n_moved) / total, place)
    replicates: npt.NDArray[np.int32] = freeze(np.array(merges), np.int32)
    shown = tree.with_support(stability)
    return Support(shown, stability, support, n_done, drawn, replicates)


def asked_about(comparisons: Comparisons) -> npt.NDArray[np.bool_]:
    """Whether each object is in a comparison, of weight above 0."""
    is_asked = np.zeros(comparisons.n_objects, np.bool_)
    is_asked[rows_that_count(comparisons).rows] = True
    return is_asked


def _restricted(
    tree: Tree, is_kept: npt.NDArray[np.bool_]
) -> tuple[Tree, npt.NDArray[np.int64]]:
    """The tree of some leaves, and for each merge of all the merge that it becomes.

    -1 if it becomes none: only one of its sides has kept leaves.
    """
    n, n_kept = tree.n_leaves, int(is_kept.sum())
    if n_kept == n:
        return tree, np.arange(n - 1)
    is_there = sums_below(tree, is_kept) > 0
    is_join = is_there[tree.children].all(axis=1)
    place = np.where(is_join, np.cumsum(is_join) - 1, -1)
    node = np.concatenate([np.cumsum(is_kept) - 1, n_kept + place])
    for t in np.flatnonzero(~is_join).tolist():  # of one side: the node of that side
        a, b = tree.children[t]
        node[n + t] = node[a if is_there[a] else b]
    return Tree(node[tree.children[is_join]]), place


def _of_merges(
    found: npt.NDArray[np.float64], place: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Figures of the restricted tree for the merges of the tree; 1 for its root.

    0 for joins that only add objects without answers, and for the cluster of all
    others, which says nothing.
    """
    of_merges = np.append(found, 0.0)[place]
    if len(found) < len(of_merges):
        of_merges[place == len(found) - 1] = 0.0
        of_merges[-1] = 1.0
    return freeze(of_merges, np.float64)


def _check_method(method: str | MakeTree | None) -> MakeReplicate:
    if callable(method):
        return lambda train, _: method(train)
    if isinstance(method, str) and method in OF_ANSWERS:
        return renumbered(
            lambda train, seed: make_tree(method, train, seed=seed, effort=REPLICATE)[0]
        )
    refuse_if(
        isinstance(method, str) and method == FIXED,
        InvalidOption,
        f"{FIXED} does not use the answers: resampling them changes nothing.",
    )
    message = (
        f"method = {method!r:.200}: give the method that made the tree, one of "
        f"{', '.join(OF_ANSWERS)}, or a function that makes a tree from "
        "comparisons; or give what cluster() returned in place of the tree."
    )
    raise InvalidOption(message)


def renumbered(make: MakeReplicate) -> MakeReplicate:
    """The same trees, made of objects in random order: ties are broken at random."""

    def made(train: Comparisons, seed: int) -> Tree:
        n = train.n_objects
        order = np.random.default_rng(seed).permutation(n).astype(np.int32)
        found = make(replace(train, rows=order[train.rows], labels=None), seed)
        names = np.concatenate([np.argsort(order), np.arange(n, 2 * n - 1)])
        return Tree(names[found.children])

    return made


def _drawn(
    comparisons: Comparisons, groups: Trials | None
) -> tuple[list[Trials | None], str]:
    """Which rows are drawn together, in one or two ways, and what they are called.

    None: each row alone.
    """
    if groups is not None:
        return [groups], "groups"
    people = comparisons.annotators
    questions, per_question = _questions(comparisons)
    n_people = 0 if people is None else np.count_nonzero(np.bincount(people))
    if n_people >= FEWEST_ANNOTATORS:
        if per_question < REPEATED:
            return [people], "annotators"
        return [people, questions], "annotators and questions"
    if per_question > 1:
        return [questions], "questions"
    return [comparisons.trials], "answers"


def _questions(comparisons: Comparisons) -> tuple[Trials, float]:
    """The question of each row, and how many answers each has on average.

    0 answers where questions are not drawn: half of all possible comparisons of the
    objects asked about were made.
    """
    questions, weights = question_numbers(comparisons), comparisons.weights
    n, width = int(asked_about(comparisons).sum()), comparisons.rows.shape[1]
    n_pairs = n * (n - 1) // 2
    n_possible = n_pairs * (n - 2 if width == 3 else (n_pairs - 1) / 2)
    compared = questions
    if comparisons.trials is not None:
        low, high, _ = question_keys(comparisons.rows)
        compared = group_rows(low, high)[0]
    n_made = int(compared.max(initial=-1)) + 1
    if n_made >= EXHAUSTIVE * n_possible:
        return questions, 0.0
    n_answers = comparisons.n_answers
    if comparisons.trials is None and weights is not None and weights.dtype.kind == "i":
        n_answers = int(weights.sum())
    return questions, n_answers / (int(questions.max()) + 1)


def _resampled_weights(
    comparisons: Comparisons,
    together: list[Trials | None],
    drawn: str,
    rng: np.random.Generator,
) -> Weights:
    """How often each row is drawn, times its weight.

    Where answers are drawn, one of integer weight w is drawn like w answers; if its
    rows differ in weight, like one answer.
    """
    weights, codes = comparisons.weights, together[0]
    if weights is None or drawn != "answers" or weights.dtype.kind != "i":
        draws = np.ones(len(comparisons), np.int64)
        for codes in together:
            n_drawn = (
                len(comparisons) if codes is None else int(codes.max(initial=-1)) + 1
            )
            draws *= rng.poisson(1.0, n_drawn)[slice(None) if codes is None else codes]
        return draws if weights is None else draws * weights
    if codes is None:
        return rng.poisson(weights)
    of_answer, is_weighted = common_value(weights, codes)
    draws = rng.poisson(np.where(is_weighted, of_answer, 1))[codes]
    return np.where(is_weighted[codes], draws, draws * weights)
