r"""A latent hierarchy and the triplets that follow from it (Section 5 of the paper).

A binary tree H0 resolves every three objects: two of them, i and j, meet before the
third joins them. So it answers two triplet questions about the three, (i, j, k) and
(j, i, k), and its answers about all objects are

.. math:: T_0 = \{(i, j, k), (j, i, k) :
          |H_0(i \vee j)| < \min(|H_0(i \vee k)|, |H_0(j \vee k)|)\},
          \qquad |T_0| = n(n-1)(n-2)/3.

Three objects a < b < c have the number :math:`\binom{c}{3} + \binom{b}{2} + a`, from 0
to :math:`\binom{n}{3} - 1`: numbers are drawn, and only those that were drawn are
turned back into objects. Their resolution needs no sizes: node ids grow towards the
root, so the pair whose common ancestor has the smallest id meets first.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, comb, log

import numpy as np

from tripletree._checks import (
    check_fits,
    check_int,
    check_number,
    check_rng,
    read_only,
)
from tripletree._threads import row_chunks
from tripletree.comparisons.row_checks import Ints
from tripletree.comparisons.sampling import draw_without_replacement, n_questions_to_ask
from tripletree.comparisons.triplets import Triplets
from tripletree.errors import InvalidOption, InvalidTree, refuse_if
from tripletree.tree.ancestors import common_ancestor_sizes, common_ancestors
from tripletree.tree.tree import Tree, check_tree

TRIPLES_PER_CHUNK = 2**17
BYTES_PER_TRIPLE = 64  # two rows of int32, their copy, and the number with its marks


def induced_triplets(tree: Tree) -> Triplets:
    """All triplets that a tree answers: T0, with n(n-1)(n-2)/3 members.

    Parameters
    ----------
    tree : Tree
        The latent hierarchy H0.

    Returns
    -------
    Triplets
        (i, j, k) and (j, i, k) in consecutive rows for every three objects of which i
        and j meet first. O(n^3) time and memory; for the revenue of all of them see
        :func:`induced_similarity`, which needs O(n^2).

    Raises
    ------
    InvalidTree
        If it is not a tree.
    TooLarge
        If the rows do not fit into the memory that is available.

    Examples
    --------
    >>> induced_triplets(Tree([[0, 1], [3, 2]])).rows.tolist()
    [[0, 1, 2], [1, 0, 2]]
    """
    _check_binary(tree)
    n_triples = comb(tree.n_leaves, 3)
    _check_memory(n_triples, "use sample_induced_triplets, or induced_similarity.")
    return _resolved(tree, np.arange(n_triples))


def sample_induced_triplets(
    tree: Tree,
    probability: float | None = None,
    *,
    n_questions: int | None = None,
    flip: float = 0.0,
    rng: np.random.Generator,
) -> Triplets:
    """A random part of what a tree answers, as in Theorem 2 and its corollary.

    Every pair (i, j, k), (j, i, k) of T0 is taken with the same probability, both or
    none. Then each triplet is turned round, (i, k, j) in place of (i, j, k), with the
    probability `flip`, one independently of the other.

    Parameters
    ----------
    tree : Tree
        The latent hierarchy H0.
    probability : float, optional
        p_n of the theorem, from 0 to 1.
    n_questions : int, optional
        In place of a probability: so many of the pairs, drawn uniformly.
    flip : float, default 0
        delta of the corollary, from 0 to 1.
    rng : numpy.random.Generator

    Returns
    -------
    Triplets
        The two of a pair in consecutive rows, pairs in random order. O(m) time for m
        rows.

    Raises
    ------
    InvalidTree, InvalidOption
        Where the arguments are not as described.
    TooLarge
        If the rows do not fit into memory, or the tree has more than 3 million leaves.

    Examples
    --------
    >>> from tripletree import balanced_tree
    >>> rng = np.random.default_rng(0)
    >>> sample_induced_triplets(balanced_tree(1000), 0.01, flip=0.05, rng=rng)
    Triplets(3326564 rows, 1000 objects)
    """
    _check_binary(tree)
    flip = check_number("flip", flip, 0, 1)
    rng = check_rng(rng)
    n_all = comb(tree.n_leaves, 3)
    m = n_questions_to_ask(n_all, tree.n_leaves, n_questions, probability, rng)
    _check_memory(m, "ask fewer questions.")
    answers = _resolved(tree, draw_without_replacement(n_all, m, rng=rng))
    is_flipped = rng.random(2 * m) < flip
    rows = answers.rows.copy()
    rows[is_flipped] = rows[is_flipped][:, [0, 2, 1]]
    return Triplets(rows, tree.n_leaves, labels=tree.labels)


def induced_similarity(tree: Tree) -> Ints:
    r"""AddS3 of all triplets that a tree answers, without listing them.

    It is :math:`s_{ij} = 2n + 2 - 3\,|H_0(i \vee j)|`, so the revenue of any tree H
    under T0 is ``revenue(H, induced_similarity(H0))``.

    Parameters
    ----------
    tree : Tree
        The latent hierarchy H0.

    Returns
    -------
    ndarray of int64, shape (n, n)
        Zero diagonal. O(n^2) time and memory.

    Raises
    ------
    InvalidTree, TooLarge
        If it is not a tree, or the matrix does not fit into memory.

    Examples
    --------
    >>> induced_similarity(Tree([[0, 1], [3, 2]])).tolist()
    [[0, 2, -1], [2, 0, -1], [-1, -1, 0]]
    """
    _check_binary(tree)
    n = tree.n_leaves
    check_fits(40 * n * n, f"a similarity of {n} objects", "use a smaller tree.")
    first, second = np.triu_indices(n, 1)
    s = np.zeros((n, n), np.int64)
    sizes = common_ancestor_sizes(tree, np.column_stack([first, second]))
    s[first, second] = s[second, first] = 2 * n + 2 - 3 * sizes
    return s


@dataclass(frozen=True)
class TripletsNeeded:
    """How many triplets Theorem 2 or its corollary asks for.

    Attributes
    ----------
    probability : float
        The sampling probability p_n above which the statement holds. More than 1 means
        that it says nothing about so few objects, even if all triplets are known.
    n_triplets : int
        How many triplets that are on average, ``probability`` times n(n-1)(n-2)/3.
    n_all : int
        How many there are, the size of T0.
    confidence : float
        The probability with which the statement holds, 1 - 2 n^-alpha (1 - n^-alpha
        with wrong answers); not below 0.
    """

    probability: float
    n_triplets: int
    n_all: int
    confidence: float

    @property
    def is_possible(self) -> bool:
        """Whether there are that many triplets."""
        return self.probability < 1


def triplets_needed(
    n_objects: int, epsilon: float, *, delta: float = 0.0, alpha: float = 1.0
) -> TripletsNeeded:
    r"""How many triplets are enough for a tree within 1 - epsilon of the best revenue.

    With p_n above

    .. math:: \frac{2^{12} (\alpha + 2) \log n}{n\,\epsilon^2 (1 - 2\delta)^2}

    the tree with the largest revenue on the sample earns at least 1 - epsilon of what
    the latent tree earns on T0 (Theorem 2; with delta > 0 its corollary). The constant
    is what the proof needs, not what trees need: `tripletree reproduce theorem2` shows
    both.

    Parameters
    ----------
    n_objects : int
        n, more than 8 / epsilon.
    epsilon : float
        Above 0 and below 1/2.
    delta : float, default 0
        The probability that a triplet is turned round, below 1/2.
    alpha : float, default 1
        Above 0; how sure to be.

    Returns
    -------
    TripletsNeeded

    Raises
    ------
    InvalidOption
        Where the arguments are not as described.

    Examples
    --------
    >>> triplets_needed(1_000, 0.1).probability > 8_000  # far beyond all triplets
    True
    >>> needed = triplets_needed(10**7, 0.4, alpha=0.1)
    >>> needed.is_possible, round(needed.probability, 4)
    (True, 0.0867)
    """
    n = check_int("n_objects", n_objects, 3, 2**62)
    epsilon = _check_open("epsilon", epsilon, 0.5)
    alpha = _check_open("alpha", alpha, 1e6)
    delta = check_number("delta", delta, 0, 0.5)
    refuse_if(
        delta == 0.5,
        InvalidOption,
        "delta = 0.5: with half of the answers wrong, none says anything.",
    )
    refuse_if(
        not n * epsilon > 8,
        InvalidOption,
        f"n_objects = {n} and epsilon = {epsilon}: the theorem needs n > 8 / epsilon = "
        f"{8 / epsilon:.6g}; take more objects or a larger epsilon.",
    )
    p = 2**12 * (alpha + 2) * log(n) / (n * epsilon**2 * (1 - 2 * delta) ** 2)
    n_all = n * (n - 1) * (n - 2) // 3
    failing = (2 if delta == 0 else 1) * n**-alpha
    return TripletsNeeded(p, ceil(p * n_all), n_all, max(0.0, 1 - failing))


def _check_open(name: str, value: object, below: float) -> float:
    number = check_number(name, value, 0, below)
    refuse_if(
        number in (0, below),
        InvalidOption,
        f"{name} = {value!r}: give a number above 0 and below {below:g}.",
    )
    return number


def _check_memory(n_triples: int, instead: str) -> None:
    check_fits(
        BYTES_PER_TRIPLE * n_triples, f"a set of {2 * n_triples} triplets", instead
    )


def _check_binary(tree: Tree) -> None:
    check_tree(tree)
    refuse_if(
        tree.collapsed is not None,
        InvalidTree,
        "a latent hierarchy resolves all triples, and merges of this tree are "
        "collapsed: tree.collapse(np.zeros(n - 1, bool)) shows them again.",
    )


def _resolved(tree: Tree, numbers: Ints) -> Triplets:
    """Both triplets of each of the numbered triples."""
    rows = np.empty((2 * len(numbers), 3), np.int32)
    for chunk in row_chunks(len(numbers), TRIPLES_PER_CHUNK):
        objects = triples(numbers[chunk], tree.n_leaves)
        meetings = [common_ancestors(tree, objects[:, pair]) for pair in _PAIRS]
        apart = np.argmin(meetings, axis=0)  # which pair meets first, so who is left
        found = np.take_along_axis(objects, _NEAR_THEN_FAR[apart], axis=1)
        rows[2 * chunk.start : 2 * chunk.stop : 2] = found
        rows[2 * chunk.start + 1 : 2 * chunk.stop : 2] = found[:, [1, 0, 2]]
    return Triplets(read_only(rows), tree.n_leaves, labels=tree.labels)


_PAIRS = ([1, 2], [0, 2], [0, 1])
_NEAR_THEN_FAR = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])


def triples(numbers: Ints, n: int) -> Ints:
    """The three objects a < b < c of each number, in the order of the module's text."""
    ids = np.arange(n + 1)
    pairs_below = ids * (ids - 1) // 2
    triples_below = np.cumsum(np.concatenate([[0], pairs_below[:-1]]))
    last = np.searchsorted(triples_below, numbers, side="right") - 1
    left = numbers - triples_below[last]
    middle = np.searchsorted(pairs_below, left, side="right") - 1
    return np.column_stack([left - pairs_below[middle], middle, last])
