"""Is it a tree: what it keeps of what could be predicted, compared with other models.

A tree says that of three objects two are closest, and equally far from the third. If
people see more than that, such as objects along a line or in a space of colours, every
tree loses some of it. Two figures show how much.

**On held-out answers** (ties count half) the trees of a method compete with points in
space, by t-STE, and with flat clusters. The number of dimensions, and the number of
clusters, are chosen on held-out answers, too: those of a fold by the other folds, so
that the choice has not seen the answers it is judged on. All models are made from the
same answers and judged on the same folds. As a handful of questions may all favour one
model by chance, the error of the difference is that of two questions more, of which the
tree alone gets one right, and the points the other.

**The ultrametric index** needs no model, only questions that were asked several times.
Take three objects of which each was once the target::

       a   b     c        a is closer to b than to c, says the majority,
       └─┬─┘     │        b is closer to a than to c:  a and b are the closest pair.
         └───┬───┘        Is c closer to a or to b?  In a tree: neither.

If the two larger distances, from c to a and to b, are equal, people who are asked about
c divide evenly: two of their answers differ with probability 1/2. The index is twice
the share of two answers that differ: 1 for a tree, 0 if all agree. As noise divides
people, too, the same figure over all repeated questions stands beside it: where it is
nearly as large, the answers are too noisy to tell. Which pair is closest is decided by
the answers about a and b alone, and not by those about c, so the index is unbiased.
Where one answer decides several of the three questions, as an odd one out does, the
closest pair must have been chosen more often than both others together: otherwise
triples in which the answers about c agree would be left out more often.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_int, check_limit
from tripletree._progress import OnProgress, Progress, ignore
from tripletree._threads import row_chunks
from tripletree.comparisons.row_checks import Floats, group_rows
from tripletree.comparisons.triplets import Comparisons, Triplets, check_comparisons
from tripletree.embedding.tste import tste
from tripletree.errors import InvalidOption, refuse_if
from tripletree.evaluation.holdout import (
    MakeTree,
    check_folds,
    check_made_tree,
    common_value,
    question_numbers,
)
from tripletree.evaluation.noise import Votes, agreement_of, count_votes
from tripletree.tree.ancestors import common_ancestors

DIMENSIONS = (2, 3, 5, 8)
N_STARTS = 2
FEWEST_QUESTIONS = 30  # of fewer, all may favour one model by chance
ROWS_PER_CHUNK = 2**18

Points = npt.NDArray[np.int8]  # of each row: 2 right, 1 undecided, 0 wrong


@dataclass(frozen=True)
class UltrametricIndex:
    """How evenly people divide over the question that a tree leaves open.

    Attributes
    ----------
    index : float
        1 if answers to the open question of three objects divide evenly, as they do if
        the two larger distances are equal; 0 if all agree. By chance it can be above 1.
    low, high : float
        Where it lies with 95 % confidence.
    by_noise : float
        The same figure over all questions that were answered more than once.
    n_triples : int
        How many triples of objects it is based on.
    """

    index: float
    low: float
    high: float
    by_noise: float
    n_triples: int

    def __str__(self) -> str:
        return (
            "asked which of the two closest of three objects is nearer to the third, "
            "people disagree with an ultrametric index of "
            f"{self.index:.2f} ({self.low:.2f} to {self.high:.2f}, from "
            f"{self.n_triples:,} triples): 1 means that they divide evenly, as in a "
            f"tree; over all repeated questions it is {self.by_noise:.2f}"
        )


@dataclass(frozen=True)
class TreeFit:
    """How a tree predicts unseen answers, compared with flat clusters and with points.

    ``print`` says it in a sentence.

    Attributes
    ----------
    tree : float
        The share of held-out answers that trees predict, ties counting half.
    flat : float
        The same for flat clusters, cut from these trees: a pair in the same cluster is
        closer than one in different clusters, and all else is a tie.
    embedding : float
        The same for points by t-STE: the nearer pair is closer.
    n_clusters, n_dimensions : int
        Those that predict most: of all cuts of the trees, and of the dimensions tried.
    by_dimension : mapping of int to float
        The accuracy of points for each number of dimensions.
    error : float
        The standard error of ``embedding - tree``, by questions, of which two are added
        that disagree.
    """

    tree: float
    flat: float
    embedding: float
    n_clusters: int
    n_dimensions: int
    by_dimension: Mapping[int, float]
    error: float

    @property
    def kept(self) -> float | None:
        """How much the tree keeps of what the better model predicts beyond guessing.

        None if neither predicts more than guessing.
        """
        best = max(self.tree, self.embedding) - 0.5
        return max(self.tree - 0.5, 0.0) / best if best > 0 else None

    @property
    def is_better(self) -> bool | None:
        """Whether the tree predicts more than points; None within two errors."""
        lead = self.tree - self.embedding
        return None if abs(lead) <= 2 * self.error else lead > 0

    def __str__(self) -> str:
        if self.kept is None:
            return "neither the tree nor points in space predict more than guessing"
        points = f"points in {self.n_dimensions} dimensions"
        how = {True: "better than", False: "worse than", None: "about as well as"}
        text = (
            f"the tree predicts unseen answers {how[self.is_better]} {points} "
            f"({self.tree:.1%} and {self.embedding:.1%}; {self.n_clusters} flat "
            f"clusters alone: {self.flat:.1%})"
        )
        if self.is_better is False:
            return f"{text}: it keeps {self.kept:.0%} of what is beyond guessing"
        if self.is_better is None:
            return f"{text}: the difference is within chance"
        return f"{text}: a tree describes these answers well, compared with points"


def tree_fit(
    comparisons: Comparisons,
    make_tree: MakeTree,
    *,
    dimensions: Sequence[int] = DIMENSIONS,
    n_folds: int = 3,
    seed: int = 0,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
) -> TreeFit | None:
    """Compare trees with flat clusters and with points in space, on held-out answers.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
    make_tree : callable
        The method: makes a tree from comparisons. It is called once per fold.
    dimensions : sequence of int, default (2, 3, 5, 8)
        The numbers of dimensions to try, increasing.
    n_folds : int, default 3
    seed : int, default 0
        Decides which questions are in which fold, and where t-STE starts.
    time_limit : float, optional
        Seconds after which no further dimension is tried.
    progress : callable, optional
        Called with a `Progress` before each model.

    Returns
    -------
    TreeFit or None
        None if there are fewer than 30 questions, or the time limit did not allow for
        any dimension.

    Raises
    ------
    InvalidComparisons, InvalidOption
        If the arguments are not as described, or the method does not return a tree.

    Notes
    -----
    The tree's accuracy is that of :func:`held_out`, for the same folds and seed.

    Examples
    --------
    >>> from tripletree import adds_similarity, average_linkage
    >>> from tripletree.datasets.animals import animals
    >>> method = lambda train: average_linkage(adds_similarity(train))
    >>> fit = tree_fit(animals().answers, method, dimensions=[2])
    >>> fit.tree > fit.flat, 0 < fit.kept <= 1
    (True, True)
    """
    check_callable("progress", progress)
    wanted = _check_dimensions(dimensions)
    end = time.monotonic() + check_limit(time_limit)
    fold = check_folds(comparisons, make_tree, n_folds, seed)
    if len(np.unique(question_numbers(comparisons))) < FEWEST_QUESTIONS:
        return None
    tell, n_models = progress or ignore, n_folds * (1 + len(wanted))
    weights = np.ones(len(comparisons))
    if comparisons.weights is not None:
        # By a power of 2: their squares stay finite, and equal sums stay equal.
        exponent = math.frexp(comparisons.weights.max(initial=0))[1]
        weights = np.ldexp(comparisons.weights.astype(np.float64), -exponent)

    of_tree = np.ones(len(comparisons), np.int8)
    of_cuts = np.empty((n_folds, comparisons.n_objects))  # lead of 1, 2, ... clusters
    for number in range(n_folds):
        tell(Progress("comparison with other models", number, n_models))
        is_test = fold == number
        tree = make_tree(comparisons[~is_test])
        check_made_tree(tree, comparisons.n_objects)
        rest = comparisons[is_test]
        near, far = (common_ancestors(tree, x) for x in (rest.near, rest.far))
        of_tree[is_test] = 1 + np.sign(tree.size[far] - tree.size[near])
        of_cuts[number] = _lead_of_cuts(near, far, weights[is_test], tree.n_leaves)

    of_points: list[Points] = []
    for n_dimensions in wanted:
        found = np.ones(len(comparisons), np.int8)
        for number in range(n_folds):
            n_done = n_folds * (1 + len(of_points)) + number
            tell(Progress("comparison with other models", n_done, n_models))
            embedding = tste(
                comparisons[fold != number],
                n_dimensions=n_dimensions,
                n_starts=N_STARTS,
                seed=seed,
                time_limit=max(0.0, end - time.monotonic()),
            )
            is_test = fold == number
            found[is_test] = right_by_points(embedding.points, comparisons[is_test])
        if time.monotonic() >= end:
            break
        of_points.append(found)
    if not of_points:
        return None
    return _compared(comparisons, fold, weights, of_tree, of_cuts, of_points, wanted)


def _compared(
    comparisons: Comparisons,
    fold: npt.NDArray[np.int64],
    weights: Floats,
    of_tree: Points,
    of_cuts: Floats,
    of_points: Sequence[Points],
    dimensions: Sequence[int],
) -> TreeFit:
    """All models on all folds, each choice for a fold made on the other folds."""
    n_folds, total = len(of_cuts), float(weights.sum())
    leads = np.array(
        [np.bincount(fold, weights * (x - 1.0), n_folds) for x in of_points]
    ).T
    best_points, best_cuts = _chosen_by_others(leads), _chosen_by_others(of_cuts)
    folds = np.arange(n_folds)
    chosen = np.stack(of_points)[best_points[fold], np.arange(len(fold))]

    def accuracy(lead: float) -> float:
        return 0.5 + lead / (2 * total) if total else 0.5

    difference = weights * (chosen - of_tree) / 2
    mean = difference.sum() / total if total else 0.0
    by_question = np.bincount(
        question_numbers(comparisons), difference - mean * weights
    )
    typical = total / max(len(by_question), 1)
    squares = (by_question**2).sum() + 2 * typical**2
    error = math.sqrt(squares) / (total + 2 * typical) if total else 0.0
    each = {
        d: accuracy(float(lead))
        for d, lead in zip(dimensions, leads.sum(axis=0), strict=False)
    }
    return TreeFit(
        tree=accuracy(float((weights * (of_tree - 1.0)).sum())),
        flat=accuracy(float(of_cuts[folds, best_cuts].sum())),
        embedding=accuracy(float(leads[folds, best_points].sum())),
        n_clusters=1 + int(of_cuts.sum(axis=0).argmax()),
        n_dimensions=dimensions[int(leads.sum(axis=0).argmax())],
        by_dimension=each,
        error=error,
    )


def _chosen_by_others(leads: Floats) -> npt.NDArray[np.intp]:
    """For each fold the column with the largest sum over the other folds."""
    best: npt.NDArray[np.intp] = (leads.sum(axis=0) - leads).argmax(axis=1)
    return best


def _lead_of_cuts(
    near: npt.NDArray[np.int64], far: npt.NDArray[np.int64], weights: Floats, n: int
) -> Floats:
    """Right minus wrong answers of the cuts into 1, 2, ..., n clusters.

    Pairs that meet at these nodes are in the same of k clusters below node 2n - k.
    """
    together = np.bincount(near, weights, 2 * n) - np.bincount(far, weights, 2 * n)
    return np.cumsum(together)[n - 1 : 2 * n - 1][::-1]


def right_by_points(points: Floats, comparisons: Comparisons) -> Points:
    """Whether the near pair of each row is the nearer one: 2, 1 for ties, or 0."""
    found = np.empty(len(comparisons), np.int8)
    for chunk in row_chunks(len(comparisons), ROWS_PER_CHUNK):
        part = comparisons[chunk]
        near, far = (
            ((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2).sum(axis=1)
            for pairs in (part.near, part.far)
        )
        found[chunk] = 1 + np.sign(far - near)
    return found


def _check_dimensions(dimensions: Sequence[int]) -> tuple[int, ...]:
    given = dimensions if hasattr(dimensions, "__iter__") else ()
    numbers = tuple(check_int("dimensions", d, 1, 300) for d in given)
    refuse_if(
        not numbers or list(numbers) != sorted({*numbers}),
        InvalidOption,
        f"dimensions = {dimensions!r:.200}: give increasing numbers, as in [2, 3, 5].",
    )
    return numbers


def ultrametric_index(comparisons: Comparisons) -> UltrametricIndex | None:
    """How evenly people divide over the one question of three objects that is open.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
        An integer weight w means w equal answers; a float weight counts as one.

    Returns
    -------
    UltrametricIndex or None
        None for quadruplets, and if there are fewer than 10 triples of objects with
        answers about all three targets, a closest pair, and two answers or more about
        the third object.

    Raises
    ------
    InvalidComparisons
        If the argument is neither Triplets nor Quadruplets.

    Examples
    --------
    Ten triples. The first two objects of each are close; of four people who are asked
    which of them is closer to the third, three say the first.

    >>> from tripletree import Triplets
    >>> rows = [[0, 1, 2], [1, 0, 2], *[[2, 0, 1]] * 3, [2, 1, 0]]
    >>> rows = [[x + 3 * t for x in row] for t in range(10) for row in rows]
    >>> ultrametric_index(Triplets(rows, n_objects=30)).index
    1.0
    """
    check_comparisons(comparisons)
    if not isinstance(comparisons, Triplets):
        return None
    return index_of(count_votes(comparisons), comparisons)


def index_of(votes: Votes, comparisons: Triplets) -> UltrametricIndex | None:
    """The ultrametric index of triplets whose votes were counted."""
    if not len(votes.row):
        return None
    rows = comparisons.rows[votes.row]
    objects = np.sort(rows, axis=1)
    triple, _ = group_rows(*objects.T)
    # By the place of the target among the sorted objects x < y < z: answers that
    # prefer xy to xz, xy to yz, xz to yz; their pairs are numbered in this order.
    place = (rows[:, 0, None] > objects).sum(axis=1)
    first, total = np.zeros((2, int(triple.max()) + 1, 3))
    first[triple, place], total[triple, place] = votes.first, votes.total
    second, is_shared = total - first, _is_shared(comparisons)
    is_open = np.zeros(len(votes.first), np.bool_)
    for third, sides in {
        2: ((first, 0), (first, 1)),  # xy is the closest pair, and z the third
        1: ((second, 0), (first, 2)),
        0: ((second, 1), (second, 2)),
    }.items():
        is_closest = total[:, third] > 1
        for votes_for, at in sides:
            is_closest &= 2 * votes_for[:, at] > total[:, at]
            if is_shared:
                is_closest &= votes_for[:, at] > total[:, third]
        is_open |= (place == third) & is_closest[triple]
    found, of_all = agreement_of(votes, is_open), agreement_of(votes, votes.total > 1)
    if found is None or of_all is None:
        return None
    mean, low, high, n_triples = found
    return UltrametricIndex(
        index=2 * (1 - mean),
        low=2 * (1 - high),
        high=2 * (1 - low),
        by_noise=2 * (1 - of_all[0]),
        n_triples=n_triples,
    )


def _is_shared(comparisons: Comparisons) -> bool:
    """Whether one answer decides questions about several targets."""
    if comparisons.trials is None:
        return False
    return not common_value(comparisons.rows[:, 0], comparisons.trials)[1].all()
