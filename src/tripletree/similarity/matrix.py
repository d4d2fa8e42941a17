"""Checks of similarity matrices: symmetric, finite, small enough for exact sums."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeGuard, Union

import numpy as np
import numpy.typing as npt

from tripletree._checks import as_floats
from tripletree._lazy import kernel_module
from tripletree._threads import map_threads, row_chunks
from tripletree.comparisons.quadruplets import Quadruplets
from tripletree.comparisons.triplets import Triplets
from tripletree.errors import InvalidSimilarity

kernels = kernel_module("tripletree.similarity._matrix_kernel")

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ENTRIES_PER_CHUNK = 2**20

Similarity = Union[npt.NDArray[Any], "csr_array"]


def is_sparse(thing: object) -> TypeGuard[csr_array]:
    """Whether this is a sparse matrix of SciPy, of any format."""
    from scipy.sparse import issparse

    return issparse(thing)


def check_dense(
    similarity: Similarity | npt.ArrayLike,
    instead: str = "similarity.toarray()",
) -> tuple[npt.NDArray[Any], float]:
    """A symmetric (n, n) array as int64 or float64, and the sum of |s_ij|, i < j.

    The array is shared where possible. The diagonal does not matter. instead: what to
    use for a sparse similarity.
    """
    if is_sparse(similarity):
        message = (
            "this similarity is sparse, but a dense array is needed here: use "
            f"{instead}."
        )
        raise InvalidSimilarity(message)
    if isinstance(similarity, Triplets | Quadruplets):
        message = (
            f"these are {type(similarity).__name__}, not a similarity: use "
            "adds_similarity(comparisons) first."
        )
        raise InvalidSimilarity(message)
    if isinstance(similarity, np.ma.MaskedArray):
        message = "this similarity is a masked array: use similarity.filled(0)."
        raise InvalidSimilarity(message)
    try:
        array: npt.NDArray[Any] = np.asarray(similarity)
    except ValueError:
        array = np.empty(0, np.object_)
    _check_shape(array)
    array = _as_64_bits(array)
    bands = row_chunks(len(array), kernels.TILE)
    found = map_threads(lambda b: kernels.first_wrong(array, b.start, b.stop), bands)
    for i, j, _ in found:
        if i >= 0:
            _refuse_pair(int(i), int(j), array[i, j], array[j, i])
    return array, sum(total for _, _, total in found)


def check_sparse(similarity: Any) -> tuple[csr_array, float]:
    """A symmetric (n, n) csr of int64 or float64, and the sum of |s_ij|, i < j.

    Columns come sorted, each once. Stored entries of the diagonal are dropped.
    """
    from scipy.sparse import csr_array

    _check_shape(similarity)
    matrix = csr_array(similarity)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if kernels.has_diagonal(matrix.indptr, matrix.indices):
        matrix = _without_diagonal(matrix)
    values = _as_64_bits(matrix.data)
    if values is not matrix.data:
        matrix = csr_array((values, matrix.indices, matrix.indptr), matrix.shape)
    place = matrix.indptr[:-1].copy()
    i, j, total = kernels.first_wrong_sparse(
        matrix.indptr, matrix.indices, values, place
    )
    if i >= 0:
        i, j = min(i, j), max(i, j)
        _refuse_pair(i, j, matrix[i, j], matrix[j, i])
    return matrix, total / 2


def _without_diagonal(matrix: csr_array) -> csr_array:
    """A matrix that stores nothing on the diagonal."""
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    is_kept = matrix.indices != rows
    n_before = np.concatenate([[0], np.cumsum(is_kept)])
    kept = matrix.data[is_kept], matrix.indices[is_kept], n_before[matrix.indptr]
    return csr_array(kept, matrix.shape)


def _check_shape(matrix: Any) -> None:
    shape = tuple(matrix.shape)
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        message = (
            f"a similarity has shape (n, n), one row and column per object; this has "
            f"shape {shape}."
        )
        raise InvalidSimilarity(message)


def _as_64_bits(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype.kind not in "biuf":
        message = f"a similarity has real numbers, this has dtype {values.dtype}."
        raise InvalidSimilarity(message)
    if values.dtype.kind == "f":
        return as_floats(values)
    is_unsigned = values.dtype.kind == "u" and values.dtype.itemsize == 8
    if is_unsigned and (values > 2**62).any():
        message = "this similarity has integers beyond 2^62: give floats instead."
        raise InvalidSimilarity(message)
    return np.asarray(values, np.int64)


def _refuse_pair(i: int, j: int, one: Any, two: Any) -> None:
    if not (np.isfinite(one) and np.isfinite(two)):
        message = (
            f"similarity[{i}, {j}] = {one}: similarities must be finite. Give pairs "
            "without an answer the value 0."
        )
        raise InvalidSimilarity(message)
    message = (
        f"similarity[{i}, {j}] = {one} but similarity[{j}, {i}] = {two}: it must be "
        "symmetric. (s + s.T) / 2 makes it so."
    )
    raise InvalidSimilarity(message)


def sum_of_sizes(s: Similarity) -> float:
    """The sum of |s_ij| over i < j, of a checked similarity with zero diagonal."""
    values = s if isinstance(s, np.ndarray) else s.data
    width = math.prod(values.shape[1:])
    bands = row_chunks(len(values), max(1, ENTRIES_PER_CHUNK // width))
    sizes = [float(np.abs(values[rows]).sum(dtype=np.float64)) for rows in bands]
    return math.fsum(sizes) / 2


def check_exact(values: npt.NDArray[Any], total: float, factor: int) -> None:
    """Refuse numbers whose sum of sizes `total`, times a factor, may overflow."""
    if values.dtype.kind == "f" and not total * factor < 1e300:
        message = "the numbers in this similarity are too large: divide by a constant."
        raise InvalidSimilarity(message)
    if values.dtype.kind != "f" and total * factor >= 0.99 * 2.0**63:
        message = (
            "the integers in this similarity are too large for exact 64-bit sums: "
            f"their sizes add up to {total:.3g}, and {factor} times that must be below "
            "2^63. Divide them by a constant, or give floats."
        )
        raise InvalidSimilarity(message)
