"""Estimators for scikit-learn: pipelines, clones, grid searches over comparisons.

One thing is unlike other estimators. The rows of X are answers, not objects: m answers
about n objects, each row three or four object ids. So a split of X holds out answers,
as cross-validation should, while what is fitted is about objects: `labels_` has one
entry per object, and so have the points of `TSTE`. The objects must be the same in each
split: give `n_objects` where the last of them could be missing from some.

X and y may have any form that cblearn documents:

==============  =============================  ====================================
form            X                              y
==============  =============================  ====================================
list-order      (m, 3): i is closer to j       None
list-boolean    (m, 3): is it?                 True or False
list-count      (m, 3)                         +1, -1, a signed count, 0: undecided
tensor-count    sparse (n, n, n), signed       None
                counts; or (n, n * n)
==============  =============================  ====================================

Quadruplets are (m, 4), with the same y.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    check_is_fitted,
    check_non_negative,
    validate_data,
)

import tripletree as tt
from tripletree._checks import check_int
from tripletree.comparisons.answer_checks import (
    as_ids,
    as_responses,
    as_weights,
    from_tensor,
)
from tripletree.comparisons.row_checks import MOST_OBJECTS, Ints
from tripletree.errors import refuse_if
from tripletree.evaluation.tree_fit import right_by_points
from tripletree.objective.value import normalised_revenue

__all__ = ["TSTE", "RevenueClustering"]


class RevenueClustering(ClusterMixin, BaseEstimator):
    """Hierarchical clustering of objects from comparisons, by largest revenue.

    A thin layer over :func:`tripletree.cluster`, which has more to say about the tree.

    Parameters
    ----------
    n_clusters : int, "auto" or None, default "auto"
        Into how many clusters to cut the tree. "auto": chosen from the data, as in
        :func:`tripletree.cluster`, by a bootstrap in every fit, which takes several
        times as long as the tree. A number does without it, and so does None: the tree
        alone, without `labels_`.
    method : str, default "auto"
        As in :func:`tripletree.cluster`; "auto" chooses by held-out revenue.
    n_objects : int, optional
        The number of objects; by default one more than the largest id in X.
    n_folds : int, default 3
        For the held-out revenue by which "auto" chooses; other methods do without.
    time_limit : float, optional
        About how many seconds to spend. No limit by default.
    random_state : int, RandomState instance or None, default None
        An int gives the same tree in every call.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_objects,)
        The cluster of each object (not of each row of X), numbered from 0 in the order
        in which the tree is drawn: `clustering_.clusters.labels`. -1 for objects in
        no cluster, which only "auto" leaves.
    n_clusters_ : int
    tree_ : Tree
    children_ : ndarray of int64, shape (n_objects - 1, 2)
        The nodes that each merge joins, as in AgglomerativeClustering.
    distances_ : ndarray of float64, shape (n_objects - 1,)
        The height of each merge, 0 or more.
    n_leaves_ : int
        The number of objects.
    linkage_matrix_ : ndarray of float64, shape (n_objects - 1, 4)
        For SciPy's ``dendrogram`` and ``fcluster``.
    revenue_ : int or float
    method_ : str
        The method that was chosen.
    clustering_ : Clustering
        All that is known about the tree; print it.
    n_features_in_ : int
        3 for triplets, 4 for quadruplets.

    Examples
    --------
    >>> from tripletree.datasets.animals import animals
    >>> rows = animals().answers.rows
    >>> model = RevenueClustering(2, method="climb", random_state=0).fit(rows)
    >>> model.labels_.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int | Literal["auto"] | None = "auto",
        *,
        method: str = "auto",
        n_objects: int | None = None,
        n_folds: int = 3,
        time_limit: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.n_objects = n_objects
        self.n_folds = n_folds
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> RevenueClustering:
        """Find the tree, and cut it.

        Parameters
        ----------
        X : array_like of int, shape (m, 3) or (m, 4)
            Answers, or with y questions, one per row: object ids from 0 on. See the
            module for other forms.
        y : array_like of bool or int, shape (m,), optional
            Whether i is closer to j than to k. None: always.
        sample_weight : array_like of int or float, shape (m,), optional
            How much each answer counts.

        Returns
        -------
        self
        """
        answers = _check_answers(self, X, y, sample_weight, self.n_objects, reset=True)
        found = tt.cluster(
            answers,
            self.method,
            n_clusters="auto" if self.n_clusters is None else self.n_clusters,
            n_folds=self.n_folds if self.method == "auto" else 0,
            bound=False,
            support="auto" if isinstance(self.n_clusters, str) else 0,
            seed=_seed_of(self.random_state),
            time_limit=self.time_limit,
        )
        self.clustering_ = found
        self.tree_, self.method_ = found.tree, found.method
        self.revenue_ = found.revenue
        self.n_leaves_ = answers.n_objects
        self.linkage_matrix_ = self.tree_.to_linkage()
        self.children_ = self.linkage_matrix_[:, :2].astype(np.int64)
        self.distances_ = self.linkage_matrix_[:, 2].copy()
        for name in ("labels_", "n_clusters_"):  # of a fit before
            self.__dict__.pop(name, None)
        if self.n_clusters is not None:
            self.labels_ = found.clusters.labels.copy()
            self.n_clusters_ = found.clusters.n_clusters
        return self

    def fit_predict(
        self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> Ints:
        """Fit, and return the cluster of each object.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        ndarray of int64, shape (n_objects,)
        """
        refuse_if(
            self.n_clusters is None,
            tt.InvalidOption,
            'n_clusters = None makes a tree alone: give a number or "auto" for labels, '
            "or call fit.",
        )
        return self.fit(X, y, sample_weight).labels_

    def score(
        self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> float:
        """The normalised revenue of the tree on other answers about the same objects.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        float
            The revenue over the most that so many answers can earn at all, within each
            group of objects that answers join: between -1 and 1, about 0 for a random
            tree; 0 without answers.
        """
        check_is_fitted(self)
        answers = _check_answers(self, X, y, sample_weight, self.n_leaves_)
        earned = tt.revenue(self.tree_, answers)
        return normalised_revenue(self.tree_, answers, earned)

    def __sklearn_tags__(self) -> Any:
        return _of_object_ids(super().__sklearn_tags__())


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
        answers = _check_answers(self, X, y, sample_weight, self.n_objects, reset=True)
        check_int("n_components", self.n_components, 1, 300)
        found = tt.tste(
            answers,
            n_dimensions=self.n_components,
            alpha=self.alpha,
            n_starts=self.n_starts,
            seed=_seed_of(self.random_state),
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
        _check_answers(self, X, None, None, len(self.embedding_))
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
        answers = _check_answers(self, X, y, sample_weight, len(self.embedding_))
        right = right_by_points(self.embedding_, answers) / 2
        weights = np.ones(len(answers)) if answers.weights is None else answers.weights
        total = float(weights.sum())
        return float((right * weights).sum() / total) if total else 0.5

    def __sklearn_tags__(self) -> Any:
        tags = _of_object_ids(super().__sklearn_tags__())
        tags.transformer_tags.preserves_dtype = []
        return tags


def _of_object_ids(tags: Any) -> Any:
    """The tags of an estimator, with what its X holds: object ids, from 0 on."""
    tags.input_tags.categorical = True
    tags.input_tags.positive_only = True
    return tags


def _check_answers(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: npt.ArrayLike | None,
    n_objects: int | None,
    *,
    reset: bool = False,
) -> tt.Comparisons:
    """Comparisons from X and y in any of cblearn's forms."""
    tensor = from_tensor(X)
    if tensor is not None:
        refuse_if(
            y is not None,
            tt.InvalidComparisons,
            "a tensor of counts has the answers in it: give y=None.",
        )
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
        if rows.min() == 1:
            warnings.warn(
                "the smallest object id in X is 1: ids count from 0, and object 0 "
                "would have no answers. Give X - 1, or n_objects if it is meant.",
                UserWarning,
                stacklevel=3,
            )
    n = check_int("n_objects", n_objects, 1, MOST_OBJECTS)
    weights = None if sample_weight is None else as_weights(sample_weight)
    make = tt.cblearn_triplets if rows.shape[1] == 3 else tt.pairs_of_pairs
    return make(rows, y, n, weights=weights)


def _seed_of(random_state: Any) -> int:
    """An int is the seed itself, as in functions; else one is drawn."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        return check_int("random_state", random_state, 0, 2**63)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _wants_pandas(estimator: Any) -> bool:
    """Whether set_output, of this transformer or for all, asks for a data frame."""
    own = getattr(estimator, "_sklearn_output_config", {})
    asked = own.get("transform", get_config()["transform_output"])
    return bool(asked == "pandas")
