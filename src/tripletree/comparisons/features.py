r"""Vectors of objects, and their cosines.

.. math:: \cos(x, y) = \pm\sqrt{\frac{\langle x, y\rangle^2}{|x|^2 |y|^2}}

Ties matter: a question whose two similarities are equal has no answer. Products are
added in the order of the columns and the ratio is taken before the root. So equal
vectors have equal cosines, and for features that are small integers (answers yes or no,
counts) all products are exact and cosines that are equal numbers are equal floats.
Unit vectors, another way to write a cosine, round each coordinate and break such ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import as_floats, refuse_mask
from tripletree._lazy import kernel_module
from tripletree.errors import InvalidSimilarity

kernels = kernel_module("tripletree.comparisons._features_kernel")

Floats = npt.NDArray[np.float64]


def check_features(features: object) -> Floats:
    """Vectors (n, d) as finite floats, each divided by a power of two.

    A cosine does not depend on the lengths; with the largest coordinate below 1 no
    square overflows, and a power of two rounds nothing.
    """
    table = as_floats(as_real_table(features, "features"))
    is_wrong = ~np.isfinite(table)
    if is_wrong.any():
        i, c = (int(x) for x in np.argwhere(is_wrong)[0])
        message = (
            f"features[{i}, {c}] = {table[i, c]}: features must be finite. Fill in or "
            "drop what is missing."
        )
        raise InvalidSimilarity(message)
    exponents = np.frexp(np.abs(table).max(axis=1, initial=0.0))[1]
    scaled: Floats = np.ldexp(table, -exponents[:, None])
    return scaled


def squared_lengths(vectors: Floats) -> Floats:
    """The squared length of each vector, added up as their products are."""
    squares = np.empty(len(vectors))
    kernels.fill_squares(vectors, squares)
    return squares


def cosines_of_pairs(
    vectors: Floats,
    squares: Floats,
    first: npt.NDArray[np.int32],
    second: npt.NDArray[np.int32],
) -> Floats:
    """The cosines of vectors first[r] and second[r]."""
    values = np.empty(len(first))
    kernels.cosines_of_pairs(vectors, squares, first, second, values)
    return values


def as_real_table(given: object, what: str) -> npt.NDArray[Any]:
    """An array of real numbers with two axes and at least one row."""
    refuse_mask(what, given, InvalidSimilarity)
    try:
        table: npt.NDArray[Any] = np.asarray(given)
    except ValueError:  # rows of different lengths
        table = np.empty(0, np.object_)
    if table.ndim != 2 or len(table) == 0:
        message = (
            f"{what}: a table with one row per object is needed, not "
            f"{type(given).__name__} of shape {table.shape}."
        )
        raise InvalidSimilarity(message)
    if table.dtype.kind not in "biuf":
        message = f"{what}: real numbers are needed, this has dtype {table.dtype}."
        raise InvalidSimilarity(message)
    return table
