"""The cosine similarity of feature vectors, with exact ties."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree._threads import map_threads, row_chunks
from tripletree.comparisons import _features_kernel as kernels
from tripletree.comparisons.sampling import check_features

ROWS_PER_CHUNK = 64


def cosine_similarity(features: npt.ArrayLike) -> npt.NDArray[np.float64]:
    r"""The cosine of the angle between each two vectors.

    .. math:: s_{ij} = \frac{\langle x_i, x_j \rangle}{|x_i| \, |x_j|}

    Parameters
    ----------
    features : array_like of int or float, shape (n, d)
        One vector per object. A vector of zeros has similarity 0 to everything.

    Returns
    -------
    ndarray of float64, shape (n, n)
        Exactly symmetric, with exact ties: equal vectors have equal rows and, where
        features are small integers, equal cosines are equal floats.

    Raises
    ------
    InvalidSimilarity
        If the features are not a table of finite numbers.
    TooLarge
        If the result would not fit into memory; `sample_triplets` takes features too.

    Notes
    -----
    O(n^2 d) time. A matrix product is faster for long vectors, but its order of adding
    depends on the place in the matrix, so ties would break at random.

    Examples
    --------
    >>> cosine_similarity([[1, 0], [1, 1], [-3, -3]]).round(4).tolist()
    [[1.0, 0.7071, -0.7071], [0.7071, 1.0, -1.0], [-0.7071, -1.0, 1.0]]
    """
    vectors, squares = check_features(features)
    n = len(vectors)
    check_fits(
        8 * n * n + 8 * vectors.size,
        f"a cosine similarity of {n} objects",
        "use fewer objects, or sample comparisons from the features.",
    )
    columns = np.ascontiguousarray(vectors.T)
    result = np.zeros((n, n))
    map_threads(
        lambda b: kernels.fill_cosines(columns, squares, b.start, b.stop, result),
        row_chunks(n, ROWS_PER_CHUNK),
    )
    return result
