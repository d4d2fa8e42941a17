r"""Vectors of objects, and their cosines.

.. math:: \cos(x, y) = \pm\sqrt{\frac{\langle x, y\rangle^2}{|x|^2 |y|^2}}

Ties matter: a question whose two similarities are equal has no answer. Products are
added in the order of the columns, and the ratio is taken before the root. So equal
vectors have equal cosines. For features that are small integers (yes or no, counts) all
products are exact, and equal cosines are equal floats. Dividing vectors by their
lengths first would round each coordinate and break such ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import as_array, as_floats, refuse_first
from tripletree._lazy import kernel_module
from tripletree.errors import InvalidSimilarity, refuse_if

kernels = kernel_module("tripletree.comparisons._features_kernel")

Floats = npt.NDArray[np.float64]


def check_features(features: object) -> tuple[Floats, Floats]:
    """Vectors (n, d) as finite floats, each divided by a power of two; their squares.

    A cosine does not depend on the lengths. With the largest coordinate below 1 no
    square overflows, and dividing by a power of two rounds nothing. Squared lengths
    (n,) are summed in the same order as products.
    """
    table = as_floats(as_real_table(features, "features"))
    why = ": features must be finite. Fill in or drop what is missing."
    refuse_first(~np.isfinite(table), "features", table, why, InvalidSimilarity)
    exponents = np.frexp(np.abs(table).max(axis=1, initial=0.0))[1]
    vectors: Floats = np.ldexp(table, -exponents[:, None])
    squares = np.empty(len(vectors))
    kernels.fill_squares(vectors, squares)
    return vectors, squares


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
