"""What is given to an estimator, as comparisons and a seed."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_non_negative, validate_data

from tripletree._checks import check_int
from tripletree.comparisons.answers import Comparisons
from tripletree.comparisons.cblearn_forms import (
    as_ids,
    as_responses,
    as_weights,
    from_tensor,
)
from tripletree.comparisons.queries import cblearn_triplets, pairs_of_pairs
from tripletree.comparisons.rows import MOST_OBJECTS
from tripletree.errors import InvalidComparisons


def of_object_ids(tags: Any) -> Any:
    """The tags of an estimator, with what its X holds: object ids, from 0 on."""
    tags.input_tags.categorical = True
    tags.input_tags.positive_only = True
    return tags


def check_answers(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: npt.ArrayLike | None,
    n_objects: int | None,
    *,
    reset: bool = False,
) -> Comparisons:
    """Comparisons from X and y in any of cblearn's forms."""
    tensor = from_tensor(X)
    if tensor is not None:
        if y is not None:
            message = "a tensor of counts has the answers in it: give y=None."
            raise InvalidComparisons(message)
        X, y, n_of_tensor = tensor
        n_objects = n_of_tensor if n_objects is None else n_objects
    rows = validate_data(
        estimator,
        X,
        reset=reset,
        dtype=None,
        ensure_min_samples=int(reset and tensor is None),
        ensure_min_features=3 if reset else 1,  # then it is as many as fitted
    )
    rows = as_ids(rows)
    check_non_negative(rows, f"{type(estimator).__name__}: object ids start at 0")
    y = None if y is None else as_responses(y)
    if n_objects is None:
        n_objects = int(rows.max()) + 1
    n = check_int("n_objects", n_objects, 1, MOST_OBJECTS)
    weights = None if sample_weight is None else as_weights(sample_weight)
    make = cblearn_triplets if rows.shape[1] == 3 else pairs_of_pairs
    answers: Comparisons = make(rows, y, n, weights=weights)
    return answers


def seed_of(random_state: Any) -> int:
    """An int is the seed itself, as in functions; else one is drawn."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        return check_int("random_state", random_state, 0, 2**63)
    return int(check_random_state(random_state).randint(2**31 - 1))
