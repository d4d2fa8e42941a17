r"""Comparisons drawn at random: uniformly, without replacement, from all questions.

A triplet question "is i closer to j or to k?" is an object i and two others, so there
are :math:`n \binom{n-1}{2}`; a quadruplet question is two different pairs, so there are
:math:`\binom{n(n-1)/2}{2}`, 10^12 for n = 1,200. Questions are numbered, numbers are
drawn, and only the numbers that were drawn are turned back into objects.

**Drawing m of N numbers.** Draw as many numbers as are still missing, keep those not
seen before, repeat. That is one long sequence of independent draws, read until it has
shown m different numbers, and each new one is uniform among those not yet seen: an
exactly uniform sample, in random order. (A batch never holds more than is missing, so
nothing is discarded at the end.) If m is more than half of N, the numbers
to leave out are drawn instead. So time and memory depend on m alone, not on N.

**Cosines of vectors.**

.. math:: \cos(x, y) = \pm\sqrt{\frac{\langle x, y\rangle^2}{|x|^2 |y|^2}}

Ties matter: a question whose two similarities are equal has no answer. Products are
added in the order of the columns, and the ratio is taken before the root. So equal
vectors have equal cosines. For features that are small integers (yes or no, counts) all
products are exact, and equal cosines are equal floats. Dividing vectors by their
lengths first would round each coordinate and break such ties.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    as_array,
    as_floats,
    check_fits,
    check_int,
    check_number,
    check_rng,
    read_only,
    refuse_first,
)
from tripletree._threads import row_chunks
from tripletree.comparisons import _features_kernel as cosine_kernels
from tripletree.comparisons import _rows_kernel as kernels
from tripletree.comparisons.row_checks import Bools, Floats, Ints, Rows, swap_pairs
from tripletree.comparisons.triplets import C, Quadruplets, Triplets
from tripletree.errors import InvalidOption, InvalidSimilarity, TooLarge, refuse_if

PairValues = Callable[[Rows, Rows], npt.NDArray[Any]]

MOST_QUESTIONS = 2**62  # numbers and their doubles fit into 64 bits
ROWS_PER_CHUNK = 2**17
ROWS_PER_CHECK = 64


def sample_triplets(
    similarity: npt.ArrayLike | None = None,
    n_questions: int | None = None,
    *,
    features: npt.ArrayLike | None = None,
    probability: float | None = None,
    flip: float = 0.0,
    rng: np.random.Generator,
) -> Triplets:
    """Answers to random questions "is i closer to j or to k?".

    Questions are drawn uniformly without replacement from all n(n-1)(n-2)/2, in random
    order, and answered by a similarity. A question whose two similarities are equal has
    no answer, so there may be fewer answers than questions.

    Parameters
    ----------
    similarity : array_like of int or float, shape (n, n), optional
        Symmetric, larger is closer; the diagonal is ignored.
    n_questions : int, optional
        How many questions to ask.
    features : array_like of int or float, shape (n, d), optional
        In place of a similarity: one vector per object, compared by the cosine. Only
        the cosines that are needed are computed.
    probability : float, optional
        In place of n_questions: ask each question with this probability.
    flip : float, default 0
        The probability that an answer is reversed.
    rng : numpy.random.Generator

    Returns
    -------
    Triplets

    Raises
    ------
    InvalidSimilarity
        If the similarity or the features are not finite or have the wrong shape.
    InvalidOption
        If an option is outside its range, or there are fewer questions than asked for.
    TooLarge
        If there are more than 2^62 questions, or the answers do not fit into memory.

    Notes
    -----
    O(m) time and at most 60 m bytes to draw m questions, however many there are. Any
    first rows of the result are a uniform sample, too.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = [[0, 3, 1], [3, 0, 2], [1, 2, 0]]
    >>> sorted(sample_triplets(s, 3, rng=rng))
    [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
    >>> vectors = rng.normal(size=(2000, 5))
    >>> sample_triplets(features=vectors, n_questions=100, rng=rng)
    Triplets(100 rows, 2000 objects)
    """
    return _sample(Triplets, similarity, features, n_questions, probability, flip, rng)


def sample_quadruplets(
    similarity: npt.ArrayLike | None = None,
    n_questions: int | None = None,
    *,
    features: npt.ArrayLike | None = None,
    probability: float | None = None,
    flip: float = 0.0,
    rng: np.random.Generator,
) -> Quadruplets:
    """Answers to random questions "are i and j closer, or k and l?".

    As :func:`sample_triplets`, from all E(E-1)/2 questions about two different ones of
    the E = n(n-1)/2 pairs; the pairs may share an object.

    Parameters
    ----------
    similarity : array_like of int or float, shape (n, n), optional
    n_questions : int, optional
    features : array_like of int or float, shape (n, d), optional
    probability : float, optional
    flip : float, default 0
    rng : numpy.random.Generator

    Returns
    -------
    Quadruplets
        With i < j and k < l in each row.

    Raises
    ------
    InvalidSimilarity, InvalidOption, TooLarge
        As for triplets; more than 77,936 objects have more than 2^62 questions.

    Examples
    --------
    >>> s = [[0, 3, 1], [3, 0, 2], [1, 2, 0]]
    >>> sorted(sample_quadruplets(s, 3, rng=np.random.default_rng(0)))
    [[0, 1, 0, 2], [0, 1, 1, 2], [1, 2, 0, 2]]
    """
    return _sample(
        Quadruplets, similarity, features, n_questions, probability, flip, rng
    )


def _sample(
    kind: type[C],
    similarity: npt.ArrayLike | None,
    features: npt.ArrayLike | None,
    n_questions: int | None,
    probability: float | None,
    flip: float,
    rng: np.random.Generator,
) -> C:
    n, values = _pair_values(similarity, features)
    rng = check_rng(rng)
    flip = check_number("flip", flip, 0, 1)
    n_all = count_questions(n, kind.width)
    m = n_questions_to_ask(n_all, n, n_questions, probability, rng)
    check_fits(
        m * (4 * kind.width + 44), f"a sample of {m} questions", "ask fewer questions."
    )
    numbers = draw_without_replacement(n_all, m, rng=rng)
    rows = answer_questions(numbers, n, kind.width, values, rng.random(m) < flip)
    return kind(rows, n)


def count_questions(n: int, width: int) -> int:
    """How many questions there are about n objects: of triplets, or quadruplets."""
    n_pairs = n * (n - 1) // 2
    return n_pairs * (n_pairs - 1) // 2 if width == 4 else n_pairs * (n - 2)


def _check_one_given(one: object, two: object, names: str, wanted: str) -> None:
    """Refuse two options of which both are given, or neither."""
    refuse_if(
        (one is None) == (two is None),
        InvalidOption,
        f"{'neither' if one is None else 'both'} of {names} given: give {wanted}.",
    )


def n_questions_to_ask(
    n_all: int,
    n: int,
    n_questions: int | None,
    probability: float | None,
    rng: np.random.Generator,
) -> int:
    """How many of the n_all questions about n objects to draw."""
    refuse_if(
        n_all > MOST_QUESTIONS,
        TooLarge,
        f"there are {n_all:.3g} questions about {n} objects, and at most 2^62 can be "
        "numbered: sample from fewer objects.",
    )
    _check_one_given(
        n_questions,
        probability,
        "n_questions and probability",
        "how many questions to ask, or the probability of each",
    )
    if probability is not None:
        return int(rng.binomial(n_all, check_number("probability", probability, 0, 1)))
    m = check_int("n_questions", n_questions, 0, MOST_QUESTIONS)
    refuse_if(
        m > n_all,
        InvalidOption,
        f"n_questions = {m}: there are only {n_all} different questions about {n} "
        "objects; ask at most that many.",
    )
    return m


def draw_without_replacement(n_all: int, m: int, *, rng: np.random.Generator) -> Ints:
    """A uniform random sample of m of the numbers 0..n_all-1, in random order.

    O(m) time, at most 40 m bytes.
    """
    if m > n_all // 2:
        is_left = np.ones(n_all, np.bool_)
        is_left[draw_without_replacement(n_all, n_all - m, rng=rng)] = False
        left = np.flatnonzero(is_left)
        rng.shuffle(left)
        return left
    seen = np.full(2 ** (2 * m).bit_length(), -1)
    numbers, n_found = np.empty(m, np.int64), 0
    while n_found < m:
        drawn = rng.integers(0, n_all, min(m - n_found, ROWS_PER_CHUNK))
        n_found = kernels.keep_new(drawn, seen, numbers, n_found)
    return numbers


def answer_questions(
    numbers: Ints,
    n: int,
    width: int,
    values: PairValues,
    is_flipped: Bools,
) -> Rows:
    """The answers, as rows, to the questions with these numbers; ties are left out.

    values gives the similarities of objects i and j, where i and j are arrays.
    """
    rows = np.empty((len(numbers), width), np.int32)
    n_answers = 0
    for chunk in row_chunks(len(numbers), ROWS_PER_CHUNK):
        asked = questions_of_numbers(numbers[chunk], n, width)
        near = values(asked[:, 0], asked[:, 1])
        far = values(asked[:, 2 * width - 6], asked[:, width - 1])
        must_swap = (near < far) != is_flipped[chunk]
        asked[must_swap] = swap_pairs(asked[must_swap])
        answers = asked[near != far]
        rows[n_answers : n_answers + len(answers)] = answers
        n_answers += len(answers)
    return read_only(rows)[:n_answers]


def questions_of_numbers(numbers: Ints, n: int, width: int) -> Rows:
    """The questions with these numbers, as rows.

    Triplets i; {j, k}, j < k: number i P + q, P = (n-1)(n-2)/2, is the pair q of the
    objects other than i. Quadruplets {i, j}; {k, l}: the pairs of objects are numbered,
    and so are the pairs of those numbers.
    """
    if width == 3:
        i, others = np.divmod(numbers, (n - 1) * (n - 2) // 2)
        j, k = _pairs_of_numbers(others, n - 1)
        return np.stack([i, j + (j >= i), k + (k >= i)], axis=1, dtype=np.int32)
    one, two = _pairs_of_numbers(numbers, n * (n - 1) // 2)
    ends = (*_pairs_of_numbers(one, n), *_pairs_of_numbers(two, n))
    return np.stack(ends, axis=1, dtype=np.int32)


def _pairs_of_numbers(numbers: Ints, n: int) -> tuple[Ints, Ints]:
    """The pairs i < j of 0..n-1 with these numbers, row by row of the upper triangle.

    Counted from the end, the pairs are (1, 0), (2, 0), (2, 1), (3, 0), ... of objects
    that are counted from the end too, and number r there has its larger object at the
    largest h with h(h-1)/2 <= r. The root is rounded, so h may be off by one and is
    corrected with integers; exact for n(n-1)/2 < 2^62.
    """
    r = n * (n - 1) // 2 - 1 - numbers
    h = (np.sqrt(2.0 * r + 0.25) + 0.5).astype(np.int64)
    h -= h * (h - 1) // 2 > r
    h += h * (h + 1) // 2 <= r
    return n - 1 - h, n - 1 - (r - h * (h - 1) // 2)


def _pair_values(
    similarity: npt.ArrayLike | None, features: npt.ArrayLike | None
) -> tuple[int, PairValues]:
    """The number of objects, and a function from pairs to their similarities."""
    _check_one_given(
        similarity,
        features,
        "similarity and features",
        "a similarity of shape (n, n), or features=vectors of shape (n, d)",
    )
    if features is None:
        s = check_symmetric(similarity)
        return len(s), lambda i, j: s[i, j]
    vectors, squares = check_features(features)

    def cosines(first: Rows, second: Rows) -> Floats:
        values = np.empty(len(first))
        cosine_kernels.cosines_of_pairs(vectors, squares, first, second, values)
        return values

    return len(vectors), cosines


def check_features(features: object) -> tuple[Floats, Floats]:
    """Vectors (n, d) as finite floats, each divided by a power of two; their squares.

    A cosine does not depend on the lengths. With the largest coordinate below 1 no
    square overflows, and dividing by a power of two rounds nothing. Squared lengths
    (n,) are summed in the same order as products.
    """
    table = as_floats(as_real_table(features, "features"))
    refuse_first(
        ~np.isfinite(table),
        "features",
        table,
        ": features must be finite. Fill in or drop what is missing.",
        InvalidSimilarity,
    )
    exponents = np.frexp(np.abs(table).max(axis=1, initial=0.0))[1]
    vectors: Floats = np.ldexp(table, -exponents[:, None])
    squares = np.empty(len(vectors))
    cosine_kernels.fill_squares(vectors, squares)
    return vectors, squares


def as_real_table(given: object, what: str) -> npt.NDArray[Any]:
    """An array of real numbers with two axes and at least one row."""
    table = as_array(what, given, InvalidSimilarity)
    refuse_if(
        table.ndim != 2 or len(table) == 0,
        InvalidSimilarity,
        f"{what}: a table with one row per object is needed, not "
        f"{type(given).__name__} of shape {table.shape}.",
    )
    refuse_if(
        table.dtype.kind not in "biuf",
        InvalidSimilarity,
        f"{what}: real numbers are needed, this has dtype {table.dtype}.",
    )
    return table


def check_symmetric(similarity: object) -> npt.NDArray[Any]:
    """A finite symmetric (n, n) array of any real type; the diagonal is ignored.

    (similarity/matrix.py has the check for linkage, and imports comparisons.)
    """
    s = as_real_table(similarity, "a similarity")
    refuse_if(
        s.shape[0] != s.shape[1],
        InvalidSimilarity,
        f"a similarity has shape (n, n), this has shape {s.shape}. Vectors of objects "
        "are given as features=vectors.",
    )
    for chunk in row_chunks(len(s), ROWS_PER_CHECK):
        rows, columns = s[chunk], s[:, chunk].T
        is_wrong = (rows != columns) | ~np.isfinite(rows)  # NaN differs from itself
        is_wrong[np.arange(len(rows)), np.arange(chunk.start, chunk.stop)] = False
        row, j = np.unravel_index(is_wrong.argmax(), is_wrong.shape)
        i = chunk.start + row
        refuse_if(
            is_wrong.any(),
            InvalidSimilarity,
            f"similarity[{i}, {j}] = {s[i, j]} and similarity[{j}, {i}] = {s[j, i]}: a "
            "similarity is finite and symmetric. (s + s.T) / 2 makes it symmetric.",
        )
    return s
