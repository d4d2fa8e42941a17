"""The built-in example: twenty animals and simulated answers from a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletree._checks import check_int, check_number
from tripletree.comparisons.triplets import Triplets
from tripletree.tree.ancestors import common_ancestor_sizes
from tripletree.tree.tree import Tree

HIERARCHY = (
    "(((((dog,wolf),(cat,lion)),((cow,sheep),(horse,zebra))),"
    "((mouse,rat),(chimp,gorilla))),"
    "((((eagle,falcon),(duck,goose)),(snake,lizard)),(frog,toad)));"
)


@dataclass(frozen=True)
class Animals:
    """The answers, and the hierarchy they were made from."""

    answers: Triplets
    truth: Tree


def animals(
    n_answers: int = 2000, *, share_wrong: float = 0.1, seed: int = 0
) -> Animals:
    """Answers to "which of these two is closer to this animal?", some of them wrong.

    Parameters
    ----------
    n_answers : int, default 2000
    share_wrong : float, default 0.1
        The probability that an answer is turned round.
    seed : int, default 0

    Returns
    -------
    Animals
        ``.answers`` (Triplets with labels) and ``.truth`` (Tree).

    Examples
    --------
    >>> animals().answers
    Triplets(2000 rows, 20 objects)
    """
    n_answers = check_int("n_answers", n_answers, 0, 10**8)
    seed = check_int("seed", seed, 0, 2**63)
    share_wrong = check_number("share_wrong", share_wrong, 0, 1)
    truth = Tree.from_newick(HIERARCHY)
    n = truth.n_leaves
    rng = np.random.default_rng(seed)
    rows = np.empty((0, 3), np.int64)
    while len(rows) < n_answers:
        drawn = rng.permuted(np.tile(np.arange(n), (n_answers, 1)), axis=1)[:, :3]
        first = common_ancestor_sizes(truth, drawn[:, [0, 1]])
        second = common_ancestor_sizes(truth, drawn[:, [0, 2]])
        drawn[first > second] = drawn[first > second][:, [0, 2, 1]]
        rows = np.concatenate([rows, drawn[first != second]])[:n_answers]
    is_wrong = rng.random(n_answers) < share_wrong
    rows[is_wrong] = rows[is_wrong][:, [0, 2, 1]]
    return Animals(Triplets(rows, n, labels=truth.labels), truth)
