"""Is the tree right, without a truth: what it earns on answers it has not seen.

The answers are split into folds. A tree is made from all folds but one and judged on
that one, for every fold. A tree that follows the noise of its own answers earns much on
them and little on others, so this tells methods apart where the revenue alone prefers
the most flexible one.

All answers about the same three objects are in the same fold, and all that compare the
same two pairs: otherwise a method could do well by repeating what it was told. Where
one answer is about more objects, as a ranking is, it is held out as a whole, with all
answers to the same question. Questions that overlap are then in several folds, and
figures a little too kind. They are far too kind if there are fewer different questions
than folds, so that answers to the same one are in several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_callable, check_int
from tripletree._threads import row_chunks
from tripletree.comparisons.answers import Comparisons, check_comparisons
from tripletree.comparisons.rows import Rows, Trials
from tripletree.errors import InvalidOption
from tripletree.objective.value import revenue, satisfaction
from tripletree.tree.tree import Tree

ROWS_PER_CHUNK = 10**6

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class HeldOut:
    """How a method does on answers that it has not seen.

    Attributes
    ----------
    revenue : int or float
        Of each fold under the tree made from the others, added up.
    accuracy : float
        The share of these answers that the trees satisfy, a tie counting half; 0.5
        without answers.
    revenues : tuple of int or float
        Fold by fold.
    """

    revenue: int | float
    accuracy: float
    revenues: tuple[int | float, ...]


def held_out(
    comparisons: Comparisons,
    make_tree: Callable[[Comparisons], Tree],
    *,
    n_folds: int = 3,
    seed: int = 0,
) -> HeldOut:
    """Judge a method on held-out answers, by cross-validation.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
    make_tree : callable
        The method: a tree from comparisons. It is called once per fold.
    n_folds : int, default 3
    seed : int, default 0
        Which questions come together in a fold. Folds are about equally large; with a
        handful of questions one may be empty.

    Returns
    -------
    HeldOut

    Raises
    ------
    InvalidComparisons, InvalidOption
        Where the arguments are not as described, or the method gives anything but a
        tree with a leaf per object.

    Examples
    --------
    >>> from tripletree import adds_similarity, average_linkage
    >>> from tripletree.datasets.animals import animals
    >>> answers = animals().answers
    >>> method = lambda train: average_linkage(adds_similarity(train))
    >>> result = held_out(answers, method)
    >>> result.accuracy > 0.6
    True
    """
    check_comparisons(comparisons)
    check_callable("make_tree", make_tree, is_needed=True)
    n_folds = check_int("n_folds", n_folds, 2, 1_000)
    fold = fold_of_rows(comparisons, n_folds, check_int("seed", seed, 0, 2**63))
    revenues: list[int | float] = []
    satisfied = total = 0.0
    for number in range(n_folds):
        is_held_out = fold == number
        tree = make_tree(comparisons[~is_held_out])
        check_made_tree(tree, comparisons.n_objects)
        rest = comparisons[is_held_out]
        revenues.append(revenue(tree, rest))
        counts = satisfaction(tree, rest)
        satisfied += counts.satisfied + counts.tied / 2
        total += counts.satisfied + counts.tied + counts.violated
    accuracy = satisfied / total if total else 0.5
    return HeldOut(sum(revenues), float(accuracy), tuple(revenues))


def check_made_tree(tree: object, n_objects: int) -> None:
    """Refuse what a method gave instead of a tree of all objects."""
    if not isinstance(tree, Tree) or tree.n_leaves != n_objects:
        message = (
            f"make_tree gave {tree!r}: it must give a Tree with {n_objects} leaves, "
            "one per object. (The tree of a SearchResult or a Clustering is its .tree.)"
        )
        raise InvalidOption(message)


def fold_of_rows(
    comparisons: Comparisons, n_folds: int, seed: int
) -> npt.NDArray[np.int64]:
    """The fold of each row, from a hash of what it is about: no rows are sorted."""
    hashes = np.empty(len(comparisons), np.uint64)
    for chunk in row_chunks(len(comparisons), ROWS_PER_CHUNK):
        hashes[chunk] = _question_hashes(comparisons.rows[chunk], seed)
    if comparisons.trials is not None:
        hashes = _trial_hashes(hashes, comparisons, comparisons.trials, n_folds, seed)
    hashes %= np.uint64(n_folds)
    return hashes.view(np.int64)


def _question_hashes(rows: Rows, seed: int) -> Hashes:
    """A number per row, the same for the same three objects, or the same two pairs."""
    ids = rows.astype(np.uint64)
    if rows.shape[1] == 3:
        parts = np.sort(ids, axis=1)
    else:
        pairs = np.sort(ids.reshape(-1, 2, 2), axis=2)
        parts = np.sort(_mixed(pairs[:, :, 0], pairs[:, :, 1]), axis=1)
    hashes = np.full(len(rows), seed, np.uint64)
    for column in parts.T:
        hashes = _mixed(hashes, column)
    return hashes


def _trial_hashes(
    hashes: Hashes, comparisons: Comparisons, trials: Trials, n_folds: int, seed: int
) -> Hashes:
    """The same number for rows of one trial, and for trials of the same question.

    That is the same three objects, or the same set of more and, where all its triplets
    are about one, the same target. Questions are dealt to the folds in turn; if they
    are too few for that, trials are.
    """
    key, is_one = _common(hashes, trials)
    if is_one.all():
        return hashes
    of_set = np.full_like(key, seed)
    numbers = np.arange(comparisons.n_objects, dtype=np.uint64)
    for _ in range(3):  # a set of objects as a set of 64 numbers, three times
        members = np.zeros_like(key)
        bits = np.uint64(1) << numbers % np.uint64(64)
        for chunk in row_chunks(len(trials), ROWS_PER_CHUNK):
            for column in comparisons.rows[chunk].T:
                np.bitwise_or.at(members, trials[chunk], bits[column])
        of_set = _mixed(of_set, members)
        numbers = _mixed(numbers, numbers)
    if comparisons.rows.shape[1] == 3:
        target, has_target = _common(comparisons.rows[:, 0].astype(np.uint64), trials)
        of_set = np.where(has_target, _mixed(of_set, target), of_set)
    questions = np.unique(np.where(is_one, key, of_set), return_inverse=True)[1]
    if questions.max() + 1 < n_folds:
        own = np.arange(len(key), dtype=np.uint64)
        return _mixed(np.full_like(own, seed), own)[trials]
    return questions.astype(np.uint64)[trials]


def _common(values: Hashes, trials: Trials) -> tuple[Hashes, npt.NDArray[np.bool_]]:
    """A value of each trial, and whether it is that of all its rows."""
    of_trial = np.zeros(int(trials.max()) + 1, np.uint64)
    of_trial[trials] = values
    is_same = np.ones(len(of_trial), np.bool_)
    is_same[trials[of_trial[trials] != values]] = False
    return of_trial, is_same


def _mixed(one: Hashes, two: Hashes) -> Hashes:
    """Hash two numbers to one; unsigned products wrap on purpose (splitmix64)."""
    mixed = one * np.uint64(0x9E3779B97F4A7C15) + two
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
