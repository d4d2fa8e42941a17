"""Comparisons as arrays of the forms that cblearn and scikit-learn use.

Beside arrays of object ids there is the tensor of counts: entry (i, j, k) is the number
of answers that i is closer to j than to k, minus those that it is closer to k. It is a
sparse array of shape (n, n, n), or the same with the last two axes as one, (n, n * n).
"""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree.errors import InvalidComparisons, refuse_if


def from_tensor(X: Any) -> tuple[Any, Any, int] | None:
    """Rows, counts and n_objects of a sparse tensor; None for anything else."""
    from scipy.sparse import issparse

    is_table: bool = issparse(X)  # else mypy takes X for an array without a shape
    if is_table and X.ndim == 2:
        n = int(X.shape[0])
        refuse_if(
            X.shape[1] != n * n,
            InvalidComparisons,
            f"a sparse X of shape {X.shape}: give the tensor of counts as (n, n * n), "
            "or an array of shape (m, 3) or (m, 4).",
        )
        table: Any = X.tocoo()
        rows = np.column_stack([table.row, *np.divmod(table.col.astype(np.int64), n)])
        return rows, table.data, n
    if getattr(X, "ndim", 2) == 3 and hasattr(X, "coords") and hasattr(X, "data"):
        return np.stack(X.coords, axis=1), np.asarray(X.data), int(X.shape[0])
    return None


def as_ids(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows of three or four whole numbers; floats may hold them."""
    refuse_if(
        rows.shape[1] not in (3, 4),
        InvalidComparisons,
        f"X has shape {rows.shape}: give (m, 3), one row (i, j, k) per answer, i "
        "closer to j than to k; or (m, 4), i closer to j than k to l.",
    )
    if rows.dtype.kind == "O":
        for value in rows.flat:
            if not isinstance(value, str):
                float(value)  # a TypeError if it is not a number
        rows = np.array(rows.tolist())
    whole = _as_integers(rows)
    refuse_if(
        whole.dtype.kind not in "iu",
        InvalidComparisons,
        f"X has dtype {rows.dtype}: give integer object ids from 0 on. For names, "
        "names, X = np.unique(X, return_inverse=True).",
    )
    return whole


def as_weights(given: npt.ArrayLike) -> npt.NDArray[Any]:
    """Weights as an array, not all zero."""
    weights = np.asarray(given)
    refuse_if(
        weights.size > 0 and weights.dtype.kind in "biuf" and not weights.any(),
        InvalidComparisons,
        "sample_weight is zero for all answers: give some of them a weight.",
    )
    return _as_integers(weights)  # so that sums are exact, as of repeated rows


def _as_integers(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Floats as integers if all are whole numbers; anything else unchanged."""
    if values.dtype.kind != "f" or not (np.abs(values) < 2.0**53).all():
        return values
    return values.astype(np.int64) if (values == np.rint(values)).all() else values


def as_responses(y: Any) -> npt.NDArray[Any]:
    """Answers as an array; 0 and 1 are refused, as 0 could be read as undecided."""
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.dtype.kind == "O" and all(isinstance(x, Number | np.bool_) for x in array):
        array = np.array(array.tolist())  # a column of a data frame
    is_numeric = array.dtype.kind in "iuf" and array.ndim == 1 and array.size > 0
    refuse_if(
        is_numeric and array.min() == 0 and array.max() == 1,
        InvalidComparisons,
        "y has 0 and 1, and 0 is undecided: give y == 1 (True or False) if 0 means "
        "that k is closer, or drop the rows where it is 0.",
    )
    return array
