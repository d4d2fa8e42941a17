"""Squared lengths and cosines of vectors, in one order of adding."""

import math

from tripletree._jit import helper, kernel


@kernel
def fill_squares(vectors, squares):
    """Fill squares (n,) with the squared lengths of vectors (n, d)."""
    for i in range(vectors.shape[0]):
        total = 0.0
        for c in range(vectors.shape[1]):
            total += vectors[i, c] * vectors[i, c]
        squares[i] = total


@helper
def cosine(product, square, other_square):
    """The cosine of two vectors, from their inner product and squared lengths.

    Written as the root of a ratio: where products and squares are small integers,
    equal cosines then are equal floats. 0 if a vector is 0.
    """
    squares = square * other_square
    if squares == 0.0:
        return 0.0
    size = math.sqrt(product * product / squares)
    return size if product >= 0.0 else -size


@kernel
def cosines_of_pairs(vectors, squares, first, second, values):
    """Fill values (m,) with the cosines of vectors first[r] and second[r].

    vectors is (n, d), squares (n,) holds their squared lengths. Products are added in
    the order of the columns, so that equal vectors have equal cosines.
    """
    for r in range(first.shape[0]):
        i, j = first[r], second[r]
        product = 0.0
        for c in range(vectors.shape[1]):
            product += vectors[i, c] * vectors[j, c]
        values[r] = cosine(product, squares[i], squares[j])


@kernel
def fill_cosines(columns, squares, start, stop, result):
    """Fill rows start..stop-1 of result (n, n), which is 0, with cosines.

    columns is (d, n), one vector in each column; squares (n,) holds their squared
    lengths. Products are added coordinate by coordinate, for all j side by side: the
    same sums in the same order as those of single pairs.
    """
    d, n = columns.shape
    for i in range(start, stop):
        row = result[i]
        for c in range(d):
            factor = columns[c, i]
            for j in range(n):
                row[j] += factor * columns[c, j]
        for j in range(n):
            row[j] = cosine(row[j], squares[i], squares[j])
