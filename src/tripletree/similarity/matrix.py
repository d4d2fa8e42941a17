"""Similarities, checked once: symmetric, finite, small enough for exact sums.

Public functions call `similarity_of`; what they call takes its result, unchecked.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, TypeGuard, Union

import numpy as np
import numpy.typing as npt

from tripletree._checks import as_array, as_floats, check_fits
from tripletree._threads import map_threads, row_chunks
from tripletree.comparisons.triplets import Comparisons, Quadruplets, Triplets
from tripletree.errors import InvalidOption, InvalidSimilarity, refuse_if
from tripletree.similarity import _matrix_kernel as kernels
from tripletree.similarity.adds import LARGEST_DENSE, adds_similarity
from tripletree.similarity.sums_by_pair import PairSums

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_ROWS, FEWEST_ROWS = 64, 10  # to recognise distances by
ENTRIES_PER_CHUNK = 2**20
ENTRIES_PER_STORED = 200  # as many dense entries take the time of one stored

Similarity = Union[npt.NDArray[Any], "csr_array"]


def is_sparse(thing: object) -> TypeGuard[csr_array]:
    """Whether this is a sparse matrix of SciPy, of any format."""
    if isinstance(thing, np.ndarray):  # known without SciPy, which takes long to load
        return False
    from scipy.sparse import issparse

    return issparse(thing)


def dense_similarity_of(
    data: Comparisons | PairSums | Similarity,
) -> tuple[npt.NDArray[Any], tuple[str, ...] | None]:
    """As `similarity_of`, always as an array."""
    s, labels = similarity_of(data, must_be_dense=True)
    return np.asarray(s), labels


def similarity_of(
    data: Comparisons | PairSums | Similarity, *, must_be_dense: bool = False
) -> tuple[Similarity, tuple[str, ...] | None]:
    """One checked similarity of whatever a user gave, and the labels of its objects.

    Symmetric, of int64 or float64, with zero diagonal; integers whose revenue could
    exceed 2^63 are refused. A csr for comparisons whose AddS is sparse, and for sparse
    input; but at most 10,000 objects with more than one pair in 200 stored are dense.
    """
    labels = None
    if isinstance(data, Triplets | Quadruplets | PairSums):
        labels = data.labels
    s: Any = data.similarity if isinstance(data, PairSums) else data
    if isinstance(s, Triplets | Quadruplets):
        s = adds_similarity(s, sparse=False if must_be_dense else None)
        total = sum_of_sizes(s)
    elif is_sparse(s):
        s, total = check_sparse(s)
        n = s.shape[0]
        is_full = n <= LARGEST_DENSE and s.nnz * ENTRIES_PER_STORED > n * n
        if must_be_dense or is_full:
            check_fits(
                8 * n * n,
                f"a dense similarity of {n} objects",
                "use fewer objects; sparse_average_linkage, climb and revenue need no "
                "dense form.",
            )
            s = s.toarray()
    else:
        refuse_if(
            not isinstance(s, np.ndarray),
            InvalidOption,
            f"cannot search with {type(s).__name__}: give Triplets, Quadruplets, "
            "PairSums, or a similarity as an array or csr_array.",
        )
        s, total = check_dense(s)
        with np.errstate(invalid="ignore"):
            has_diagonal = np.diagonal(s).any()  # NaN counts as any
        if has_diagonal:
            s = s.copy()
            np.fill_diagonal(s, 0)
    check_exact(s, total, 4 * s.shape[0])
    return s, labels


def check_dense(
    similarity: Similarity | npt.ArrayLike,
    instead: str = "similarity.toarray()",
) -> tuple[npt.NDArray[Any], float]:
    """A symmetric (n, n) array as int64 or float64, and the sum of |s_ij|, i < j.

    The array is shared where possible. The diagonal is ignored. instead: what messages
    recommend for a sparse similarity.
    """
    refuse_if(
        is_sparse(similarity),
        InvalidSimilarity,
        "this similarity is sparse, but a dense array is needed here: use ",
        f"{instead}.",
    )
    refuse_if(
        isinstance(similarity, Triplets | Quadruplets),
        InvalidSimilarity,
        f"these are {type(similarity).__name__}, not a similarity: use "
        "adds_similarity(comparisons) first.",
    )
    array = as_array("a similarity", similarity, InvalidSimilarity)
    _check_shape(array)
    array = _as_64_bits(array)
    bands = row_chunks(len(array), kernels.TILE)
    found = map_threads(lambda b: kernels.first_wrong(array, b.start, b.stop), bands)
    for i, j, _ in found:
        if i >= 0:
            _refuse_pair(int(i), int(j), array[i, j], array[j, i])
    _warn_of_distances(array, array.diagonal())
    return array, sum(total for _, _, total in found)


def check_sparse(similarity: Any) -> tuple[csr_array, float]:
    """A symmetric (n, n) csr of int64 or float64, and the sum of |s_ij|, i < j.

    With sorted columns, each once, and nothing but zeros on the diagonal.
    """
    from scipy.sparse import csr_array

    _check_shape(similarity)
    matrix = csr_array(similarity)
    diagonal = np.zeros(0)  # as nothing is stored there if the matrix is in order
    is_ready = matrix.dtype in (np.int64, np.float64)
    total = _mirrored_total(matrix) if is_ready else -1.0
    if total < 0:
        diagonal, matrix = matrix.diagonal(), _in_order(matrix)
        total = _mirrored_total(matrix)
    if total < 0:  # stored zeros may have no mirror image
        wrong = (matrix - matrix.T).tocoo()  # infinity minus infinity stays, as NaN
        if wrong.nnz:
            i, j = sorted((int(wrong.row[0]), int(wrong.col[0])))
            _refuse_pair(i, j, matrix[i, j], matrix[j, i])
        total = sum_of_sizes(matrix)
    _warn_of_distances(matrix, diagonal)
    return matrix, total


def _mirrored_total(matrix: csr_array) -> float:
    """The sum of |s_ij| over i < j; -1 for what is not symmetric and in order."""
    place = np.empty_like(matrix.indptr[1:])
    csr = matrix.indptr, matrix.indices, matrix.data
    return float(kernels.mirrored_total(*csr, place))


def _in_order(matrix: csr_array) -> csr_array:
    """Columns sorted, each once; zeros alone on the diagonal; numbers of 64 bits."""
    from scipy.sparse import csr_array

    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if matrix.diagonal().any():
        entries = matrix.tocoo(copy=False)
        is_kept = entries.row != entries.col
        places = entries.row[is_kept], entries.col[is_kept]
        matrix = csr_array((entries.data[is_kept], places), matrix.shape)
    kept = _as_64_bits(matrix.data), matrix.indices, matrix.indptr
    return csr_array(kept, matrix.shape)


def _warn_of_distances(s: Similarity, diagonal: npt.NDArray[Any]) -> None:
    """Warn if a matrix, which was given with this diagonal, looks like distances."""
    with np.errstate(all="ignore"):
        if diagonal.any() or not look_like_distances(s):
            return
    message = (
        "this similarity looks like distances: no value is negative, the diagonal is "
        "0, and objects are alike where values are small. Larger must mean closer: "
        "give -distances."
    )
    warnings.warn(message, UserWarning, stacklevel=4)


def look_like_distances(s: Similarity) -> bool:
    """Whether pairs with small values have the most similar rows.

    Close objects have similar rows, both in similarities and in distances. So in
    distances, the row of an object correlates more with that of the partner with its
    smallest value than with that of the largest; in similarities it is the other way
    round. Up to 64 rows are examined, and 19 of 20 must agree. Pairs of value 0 (never
    compared, or equal) are left out.
    """
    n = s.shape[0]
    n_rows = min(n, MOST_ROWS, ENTRIES_PER_CHUNK // n)
    places = np.linspace(0, n - 1, n_rows).astype(np.intp)
    own, columns = _rows_of(s, places)
    if n_rows < FEWEST_ROWS or own.min() < 0:
        return False
    nearest = np.where(own > 0, own, np.inf).argmin(axis=1)
    farthest = own.argmax(axis=1)
    rows = np.arange(n_rows)
    is_decided = own[rows, nearest] < own[rows, farthest]
    to_nearest, to_farthest = (
        _correlations(s, places, columns[found]) for found in (nearest, farthest)
    )
    is_distance = (to_nearest > to_farthest)[is_decided]
    is_most = len(is_distance) >= FEWEST_ROWS and is_distance.mean() >= 0.95
    return is_most and bool((s if isinstance(s, np.ndarray) else s.data).min() >= 0)


def _correlations(
    s: Similarity, places: npt.NDArray[np.intp], partners: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Of rows with rows, each over the columns of all other objects."""
    found, columns = _rows_of(s, np.concatenate([places, partners]))
    both = found.reshape(2, len(places), -1)
    rows, n = np.arange(len(places)), s.shape[0]
    left_out = [rows, rows], np.searchsorted(columns, [places, partners])
    both[:, *left_out] = 0
    means = both.sum(axis=2, keepdims=True) / (n - 2)
    both -= means
    both[:, *left_out] = 0
    n_absent = n - len(columns)  # in all of these rows 0, so minus their means
    (x, y), (of_x, of_y) = both, means[:, :, 0]
    products = (x * y).sum(axis=1) + n_absent * of_x * of_y
    sizes = [(z * z).sum(axis=1) + n_absent * of**2 for z, of in ((x, of_x), (y, of_y))]
    size = np.sqrt(sizes[0] * sizes[1])
    return np.asarray(products / np.where(size > 0, size, 1))


def _rows_of(
    s: Similarity, places: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """A copy of some rows, and its columns: of a sparse one, places and stored ones."""
    if isinstance(s, np.ndarray):
        return s[places].astype(float), np.arange(len(s))
    rows: Any = s[places]
    columns = np.unique(np.append(rows.indices, places)).astype(np.intp)
    return np.asarray(rows[:, columns].toarray(), float), columns


def _check_shape(matrix: Any) -> None:
    shape = tuple(matrix.shape)
    refuse_if(
        len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0,
        InvalidSimilarity,
        "a similarity has shape (n, n), one row and column per object; this has ",
        f"shape {shape}.",
    )


def _as_64_bits(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    kind = values.dtype.kind
    refuse_if(
        kind not in "biuf",
        InvalidSimilarity,
        f"a similarity has real numbers, this has dtype {values.dtype}.",
    )
    if kind == "f":
        return as_floats(values)
    refuse_if(
        kind == "u" and values.itemsize == 8 and (values > 2**62).any(),
        InvalidSimilarity,
        "this similarity has integers beyond 2^62: give floats instead.",
    )
    return np.asarray(values, np.int64)


def _refuse_pair(i: int, j: int, one: Any, two: Any) -> None:
    refuse_if(
        not (np.isfinite(one) and np.isfinite(two)),
        InvalidSimilarity,
        f"similarity[{i}, {j}] = {one}: similarities must be finite. Give pairs "
        "without an answer the value 0.",
    )
    message = (
        f"similarity[{i}, {j}] = {one} but similarity[{j}, {i}] = {two}: it must be "
        "symmetric. (s + s.T) / 2 makes it so."
    )
    raise InvalidSimilarity(message)


def sum_of_sizes(s: Similarity) -> float:
    """The sum of |s_ij| over i < j, of a checked similarity with zero diagonal.

    Infinite if it is beyond all floats, or nearly.
    """
    values = s if isinstance(s, np.ndarray) else s.data
    width = math.prod(values.shape[1:])
    bands = row_chunks(len(values), max(1, ENTRIES_PER_CHUNK // width))
    with np.errstate(over="ignore"):
        sizes = [float(np.abs(values[rows]).sum(dtype=np.float64)) for rows in bands]
    return math.fsum(sizes) / 2 if max(sizes, default=0.0) < 1e300 else math.inf


def check_exact(s: Similarity, total: float, factor: int) -> None:
    """Refuse numbers whose total size, times a factor, may overflow."""
    is_float = s.dtype.kind == "f"
    refuse_if(
        is_float and not total * factor < 1e300,
        InvalidSimilarity,
        "the numbers in this similarity are too large: divide by a constant.",
    )
    refuse_if(
        not is_float and total * factor >= 0.99 * 2.0**63,
        InvalidSimilarity,
        "the integers in this similarity are too large for exact 64-bit sums: ",
        f"their sizes add up to {total:.3g}, and {factor} times that must be below "
        "2^63. Divide them by a constant, or give floats.",
    )
