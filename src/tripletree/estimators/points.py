"""`tste` as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from tripletree._checks import check_int
from tripletree.embedding.tste import tste
from tripletree.estimators.answers import check_answers, of_object_ids, seed_of


class TSTE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Points for objects from comparisons, by t-STE: :func:`tripletree.tste`.

    ``fit_transform`` gives one row per object (not per row of X), to be followed by any
    clustering of points: ``make_pipeline(TSTE(), KMeans(5)).fit_predict(rows)``.

    Parameters
    ----------
    n_components : int, default 2
        The dimension of the points.
    alpha : float, optional
        Degrees of freedom: n_components - 1, at least 1, by default.
    n_starts : int, default 4
        How many random starts to try.
    n_objects : int, optional
        The number of objects; by default one more than the largest id in X.
    time_limit : float, optional
        Seconds after which to stop with the best points so far.
    random_state : int, RandomState instance or None, default None
        An int gives the same points in every call.

    Attributes
    ----------
    embedding_ : ndarray of float64, shape (n_objects, n_components)
    loss_ : float
        The mean log-loss of the answers.
    n_iter_ : int
    n_features_in_ : int
        3 for triplets, 4 for quadruplets.

    Examples
    --------
    >>> from tripletree.datasets.animals import animals
    >>> TSTE(random_state=0).fit_transform(animals().answers.rows).shape
    (20, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float | None = None,
        n_starts: int = 4,
        n_objects: int | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.n_starts = n_starts
        self.n_objects = n_objects
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> TSTE:
        """Find the points.

        Parameters
        ----------
        X, y, sample_weight
            Answers, as in :meth:`RevenueClustering.fit`.

        Returns
        -------
        self
        """
        answers = check_answers(self, X, y, sample_weight, self.n_objects, reset=True)
        check_int("n_components", self.n_components, 1, 300)
        found = tste(
            answers,
            n_dimensions=self.n_components,
            alpha=self.alpha,
            n_starts=self.n_starts,
            seed=seed_of(self.random_state),
            time_limit=self.time_limit,
        )
        self.embedding_ = found.points.copy()
        self.loss_, self.n_iter_ = found.loss, found.n_iterations
        self._n_features_out = self.n_components
        return self

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> Any:
        """Fit, and return the points.

        Parameters
        ----------
        X, y, sample_weight
            Answers, as in :meth:`RevenueClustering.fit`.

        Returns
        -------
        ndarray of float64, shape (n_objects, n_components)
        """
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """The points of the objects that were fitted.

        New answers do not move the points, and cannot bring new objects: X is only
        checked to be comparisons of the same kind about the same objects, so that
        ``fit(X).transform(X)`` is ``fit_transform(X)``, as pipelines expect.

        Parameters
        ----------
        X : array_like of int, shape (m, 3) or (m, 4)

        Returns
        -------
        ndarray of float64, shape (n_objects, n_components)

        Raises
        ------
        InvalidComparisons
            If X is about other objects: fit again with their answers.
        """
        check_is_fitted(self)
        check_answers(self, X, None, None, len(self.embedding_))
        points = self.embedding_.copy()
        if not _wants_pandas(self):
            return points
        import pandas as pd  # else the rows would get the index of X, which are answers

        return pd.DataFrame(points, columns=self.get_feature_names_out())

    def score(
        self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> float:
        """The share of answers that the distances of the points agree with.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        float
            From 0 to 1, equal distances counting half; 0.5 without answers.
        """
        check_is_fitted(self)
        answers = check_answers(self, X, y, sample_weight, len(self.embedding_))
        squares = [
            ((self.embedding_[pair[:, 0]] - self.embedding_[pair[:, 1]]) ** 2).sum(1)
            for pair in (answers.near, answers.far)
        ]
        right = (1 + np.sign(squares[1] - squares[0])) / 2
        weights = np.ones(len(answers)) if answers.weights is None else answers.weights
        total = float(weights.sum())
        return float((right * weights).sum() / total) if total else 0.5

    def __sklearn_tags__(self) -> Any:
        tags = of_object_ids(super().__sklearn_tags__())
        tags.transformer_tags.preserves_dtype = []
        return tags


def _wants_pandas(estimator: Any) -> bool:
    """Whether set_output, of this transformer or for all, asks for a data frame."""
    from sklearn import get_config

    own = getattr(estimator, "_sklearn_output_config", {})
    asked = own.get("transform", get_config()["transform_output"])
    return bool(asked == "pandas")
