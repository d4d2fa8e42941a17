"""`cluster` as an estimator."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from tripletree.clustering.call import cluster
from tripletree.errors import InvalidOption
from tripletree.estimators.answers import check_answers, of_object_ids, seed_of
from tripletree.objective.value import normalised, revenue, satisfaction

Ints = npt.NDArray[np.int64]


class RevenueClustering(ClusterMixin, BaseEstimator):
    """Hierarchical clustering of objects from comparisons, by largest revenue.

    A thin layer over :func:`tripletree.cluster`, which has more to say about the tree.

    Parameters
    ----------
    n_clusters : int, "auto" or None, default "auto"
        Into how many clusters to cut the tree. "auto": chosen from the data, see
        :func:`tripletree.best_cut`. None: the tree alone, without `labels_`.
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
        in which the tree is drawn: `clustering_.clusters.labels`.
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
        answers = check_answers(self, X, y, sample_weight, self.n_objects, reset=True)
        found = cluster(
            answers,
            self.method,
            n_clusters="auto" if self.n_clusters is None else self.n_clusters,
            n_folds=self.n_folds if self.method == "auto" else 0,
            bound=False,
            support=0,
            seed=seed_of(self.random_state),
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
        if self.n_clusters is None:
            message = (
                'n_clusters = None makes a tree alone: give a number or "auto" for '
                "labels, or call fit."
            )
            raise InvalidOption(message)
        labels: Ints = self.fit(X, y, sample_weight).labels_
        return labels

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
            The revenue over the most that so many answers can earn at all: between -1
            and 1, about 0 for a random tree; 0 without answers.
        """
        check_is_fitted(self)
        answers = check_answers(self, X, y, sample_weight, self.n_leaves_)
        total = satisfaction(self.tree_, answers).total
        return normalised(revenue(self.tree_, answers), total, self.n_leaves_)

    def __sklearn_tags__(self) -> Any:
        return of_object_ids(super().__sklearn_tags__())
