"""Similarities of embedded points, for average linkage."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tripletree._checks import as_floats, check_fits, refuse_mask
from tripletree.embedding.tste import Embedding
from tripletree.errors import InvalidOption

Floats = npt.NDArray[np.float64]


def euclidean_similarity(points: Embedding | npt.ArrayLike) -> Floats:
    """Minus the distance of any two points.

    Parameters
    ----------
    points : Embedding or array_like, shape (n, d)

    Returns
    -------
    ndarray of float64, shape (n, n)
        Exactly symmetric, with zero diagonal.

    Raises
    ------
    InvalidOption
        If these are no points, or coordinates are beyond 1e150.
    TooLarge
        If the result would not fit into the memory that is available.

    Examples
    --------
    >>> euclidean_similarity([[0, 0], [3, 4]]).tolist()
    [[0.0, -5.0], [-5.0, 0.0]]
    """
    array = check_points(points)
    distances = np.zeros((len(array), len(array)))
    for column in array.T:  # hypot does not overflow, and is symmetric to the bit
        np.hypot(distances, np.subtract.outer(column, column), out=distances)
    return 0.0 - distances


def check_points(points: Embedding | npt.ArrayLike) -> Floats:
    """Points as an array (n, d) of finite numbers, few enough for an (n, n) result."""
    given = points.points if isinstance(points, Embedding) else points
    refuse_mask("points", given, InvalidOption)
    try:
        array = as_floats(given)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.ndim != 2 or len(array) == 0:
        message = (
            f"points have shape {array.shape}: give an Embedding, or an array (n, d) "
            "with one row of numbers per object."
        )
        raise InvalidOption(message)
    if not (np.abs(array) <= 1e150).all():
        row = int((~(np.abs(array) <= 1e150)).any(axis=1).argmax())
        message = f"points[{row}] = {array[row]}: coordinates must be within +-1e150."
        raise InvalidOption(message)
    n = len(array)
    what = f"a dense similarity of {n} objects"
    instead = "use fewer objects, or adds_similarity, which can be sparse."
    check_fits(24 * n * n, what, instead)
    return array
