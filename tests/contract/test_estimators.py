"""The estimators under scikit-learn's own checks, and the same on comparisons.

scikit-learn checks estimators with tables of random numbers, one row per object. The
rows here are answers: three or four different object ids. Most checks let X fit the
tags of the estimator, by one function; here it makes comparisons, so these checks hold.
A few make their own tables, or want one output per row: they must fail. What they are
about is tested below; each reason says where.
"""

import warnings
from operator import methodcaller

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.cluster.hierarchy import fcluster
from scipy.sparse import csr_array
from sklearn.base import clone, is_clusterer
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

import sparse
import tripletree as tt
from tripletree.datasets.animals import animals

OWN = "makes a table of its own, which holds no object ids: "
EXPECTED = {
    "check_sample_weights_shape": OWN + "test_wrong_weights",
    "check_sample_weights_not_overwritten": OWN + "test_any_weights",
    "check_sample_weight_equivalence_on_dense_data": (
        OWN + "test_weights_are_repeated_rows"
    ),
}
# Checks that are at fault themselves, up to a release of scikit-learn.
EXPECTED_BEFORE = {
    "1.7": {
        "check_sample_weight_equivalence_on_sparse_data": (
            "makes X sparse although the tags rule it out: test_wrong_input"
        ),
    },
    "1.7.1": {
        "check_positive_only_tag_during_fit": (
            "takes a mean off integers in place, which cannot be: test_wrong_input"
        ),
    },
}
OF_OBJECTS = "one output per row of X, but they are of objects: "
EXPECTED_OF = {
    "RevenueClustering": {
        "check_clustering": OF_OBJECTS + "test_labels_are_of_objects",
    },
    "TSTE": {
        "check_transformer_data_not_an_array": OF_OBJECTS + "test_any_array",
        "check_transformer_general": OF_OBJECTS + "test_points_are_of_objects",
        "check_methods_sample_order_invariance": OF_OBJECTS + "test_order_of_answers",
        "check_methods_subset_invariance": OF_OBJECTS + "test_points_are_of_objects",
    },
}

RevenueClustering, TSTE = tt.RevenueClustering, tt.TSTE
ROWS = animals(400).answers.rows
QUADRUPLETS = animals(400).answers.to_quadruplets().rows
N_OBJECTS = 7  # in the checks of scikit-learn


def expected_failures(estimator):
    expected = EXPECTED | EXPECTED_OF[type(estimator).__name__]
    for release, reasons in EXPECTED_BEFORE.items():
        if parse_version(sklearn.__version__) < parse_version(release):
            expected |= reasons
    return expected


def test_every_reason_names_a_test():
    for reasons in (EXPECTED, *EXPECTED_OF.values(), *EXPECTED_BEFORE.values()):
        for reason in reasons.values():
            assert callable(globals()[reason.split(": ")[1]])


def as_comparisons(estimator, X, X_test=None, **_):
    """Each row of numbers as an answer, which depends on this row alone."""
    if X_test is not None:
        return as_comparisons(estimator, X), as_comparisons(estimator, X_test)
    total = np.abs(np.asarray(X, np.float64).reshape(len(X), -1)).sum(axis=1)
    number = np.floor(1e4 * total).astype(np.int64)
    number, i = np.divmod(number, N_OBJECTS)
    number, step = np.divmod(number, N_OBJECTS - 1)
    j = (i + 1 + step) % N_OBJECTS
    k = number % (N_OBJECTS - 2)
    k += k >= np.minimum(i, j)
    k += k >= np.maximum(i, j)
    return np.stack([i, j, k], axis=1)


def as_yes_or_no(estimator, y):
    return np.where(y > np.median(y), 1, -1)


@parametrize_with_checks(
    [RevenueClustering(), TSTE()], expected_failed_checks=expected_failures
)
def test_scikit_learn(estimator, check, monkeypatch):
    """Where checks make X fit the tags of an estimator, they get comparisons."""
    for name, change in [("X", as_comparisons), ("y", as_yes_or_no)]:
        monkeypatch.setattr(estimator_checks, f"_enforce_estimator_tags_{name}", change)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn's own making
        check(estimator)


AVERAGE = RevenueClustering(method="adds-al", random_state=0)
POINTS = TSTE(random_state=0, n_starts=1)


@pytest.fixture(params=[AVERAGE, POINTS], ids=["RevenueClustering", "TSTE"])
def model(request):
    return clone(request.param)


def fitted(model, X, *more, **options):
    """What a new fit finds, as lists."""
    found = clone(model).fit(X, *more, **options)
    if isinstance(found, TSTE):
        return found.embedding_.tolist()
    return [found.children_.tolist(), found.labels_.tolist(), found.revenue_]


@pytest.mark.parametrize("method", ["auto", "climb", "tste-al"])
def test_is_thin_over_cluster(method):
    answers = animals(400).answers
    model = RevenueClustering(method=method, random_state=3).fit(ROWS)
    found = tt.cluster(tt.Triplets(ROWS, 20), method, seed=3, bound=False)
    assert model.revenue_ == found.revenue == tt.revenue(model.tree_, answers)
    assert model.method_ == found.method
    assert model.tree_.children.tolist() == found.tree.children.tolist()


def test_labels_are_of_objects():
    auto = clone(AVERAGE)
    labels = auto.fit_predict(ROWS)
    cut = tt.cluster(tt.Triplets(ROWS, 20), "adds-al", n_folds=0, bound=False).clusters
    assert labels.tolist() == cut.labels.tolist() == auto.labels_.tolist()
    assert auto.n_clusters_ == cut.n_clusters
    assert is_clusterer(auto)
    three = clone(AVERAGE).set_params(n_clusters=3).fit(ROWS)
    assert three.labels_.tolist() == three.tree_.cut(3).tolist()
    assert (three.n_clusters_, three.n_leaves_) == (3, 20)
    assert three.set_params(n_objects=22).fit_predict(ROWS).shape == (22,)
    assert not hasattr(three.set_params(n_clusters=None).fit(ROWS), "labels_")


def test_points_are_of_objects():
    model = TSTE(3, random_state=0, n_starts=1)
    points = model.fit_transform(ROWS)
    assert points.shape == (20, 3)
    assert points.tolist() == model.transform(ROWS[:7]).tolist()
    same = tt.tste(tt.Triplets(ROWS, 20), n_dimensions=3, n_starts=1, seed=0)
    assert points.tolist() == same.points.tolist()
    assert (model.loss_, model.n_iter_) == (same.loss, same.n_iterations)
    with pytest.raises(tt.InvalidComparisons, match=r"object 20 is outside 0\.\.19"):
        model.transform([[0, 1, 20]])
    with pytest.raises(ValueError, match="4 features, but TSTE is expecting 3"):
        model.transform(QUADRUPLETS)


def test_scipy_reads_the_linkage_matrix():
    model = RevenueClustering(4, method="adds-al", random_state=0).fit(ROWS)
    matrix = model.linkage_matrix_
    flat = fcluster(matrix, 4, criterion="maxclust")
    assert tt.adjusted_rand_index(flat, model.labels_) == 1
    assert matrix[:, :2].tolist() == model.children_.tolist()
    assert matrix[:, 2].tolist() == model.distances_.tolist()


def test_y_in_every_form(model):
    """The same answers in all forms of cblearn give the same fit and score."""
    is_turned = np.random.default_rng(0).random(len(ROWS)) < 0.5
    asked = np.where(is_turned[:, None], ROWS[:, [0, 2, 1]], ROWS)
    signs = np.where(is_turned, -1, 1)
    expected = fitted(model, ROWS)
    for X, y in (
        (asked, ~is_turned),
        (asked, signs),
        (asked.tolist(), (~is_turned).astype(object)),
        (asked, signs.astype(object)),
        (asked, signs[:, None].astype(float)),
    ):
        assert fitted(model, X, y) == expected
    # A tensor adds up, in another order of rows: for sums of integers that is the same.
    tensor = sparse.COO(asked.T, signs, shape=(20, 20, 20))
    if isinstance(model, RevenueClustering):
        for X in (tensor, csr_array(tensor.reshape((20, 400)).to_scipy_sparse())):
            assert fitted(model, X) == expected
    model.fit(ROWS)
    assert model.score(asked, ~is_turned) == pytest.approx(model.score(ROWS))
    once = tt.majority_vote(tt.Triplets(ROWS, 20)).rows  # nothing to add up
    tensor = sparse.COO(once.T, 1, shape=(20, 20, 20))
    assert model.score(tensor) == pytest.approx(model.score(once))


def test_quadruplets():
    expected = fitted(AVERAGE, ROWS)
    assert fitted(AVERAGE, QUADRUPLETS) == expected
    turned = QUADRUPLETS[:, [2, 3, 0, 1]]
    assert fitted(AVERAGE, turned, [False] * len(ROWS)) == expected


def test_undecided_answers_say_nothing(model):
    y = np.ones(len(ROWS), int)
    y[::2] = -1
    y[::5] = 0
    some = y != 0
    assert fitted(model, ROWS, y) == fitted(model, ROWS[some], y[some])


def test_any_array(model, tmp_path):
    expected = fitted(model, ROWS)
    np.memmap(tmp_path / "rows", np.int64, "w+", shape=ROWS.shape)[:] = ROWS
    frozen = np.memmap(tmp_path / "rows", np.int64, "r", shape=ROWS.shape)
    given = [ROWS.tolist(), frozen, np.asfortranarray(ROWS), ROWS.astype(object)]
    given += [ROWS.astype(kind) for kind in (np.int64, np.uint8, np.float32)]
    given += [pd.DataFrame(ROWS, columns=list("abc")), pl.DataFrame(ROWS.copy())]
    for rows in given:
        assert fitted(model, rows) == expected, type(rows)


def test_any_weights(model):
    weights = np.random.default_rng(0).integers(0, 4, len(ROWS)) / 2
    expected = fitted(model, ROWS, sample_weight=weights)
    for given in (pd.Series(weights), weights.tolist(), weights.astype(np.float32)):
        kept = given.copy()
        assert fitted(model, ROWS, sample_weight=given) == expected
        assert np.array_equal(given, kept)
    assert expected != fitted(model, ROWS)


def test_wrong_weights(model):
    with pytest.raises(ValueError, match="sample_weight is zero for all"):
        model.fit(ROWS, sample_weight=np.zeros(len(ROWS)))
    for wrong in (np.ones(3), np.ones((len(ROWS), 2)), 1.0):
        with pytest.raises(ValueError, match=r"weights of answers of shape"):
            model.fit(ROWS, sample_weight=wrong)


def test_weights_are_repeated_rows():
    model = RevenueClustering(method="adds-al", random_state=0, n_objects=20)
    weights = np.random.default_rng(0).integers(0, 3, len(ROWS))
    again = np.repeat(ROWS, weights, axis=0)
    for given in (weights, weights.astype(float)):
        assert fitted(model, ROWS, sample_weight=given) == fitted(model, again)
    assert fitted(model, ROWS) == fitted(model, ROWS, None, np.ones(len(ROWS)))
    model.fit(ROWS)
    assert model.score(ROWS, None, weights) == pytest.approx(model.score(again))


def test_order_of_answers(model):
    order = np.random.default_rng(0).permutation(len(ROWS))
    if isinstance(model, RevenueClustering):
        assert fitted(model, ROWS[order]) == fitted(model, ROWS)
    model.fit(ROWS)
    assert model.score(ROWS[order]) == pytest.approx(model.score(ROWS))


def test_random_state():
    """The same int, the same fit; None draws from NumPy's own state."""
    model = TSTE(n_starts=1)
    np.random.seed(5)  # noqa: NPY002
    one = model.fit_transform(ROWS)
    np.random.seed(5)  # noqa: NPY002
    assert model.fit_transform(ROWS).tolist() == one.tolist()
    assert model.fit_transform(ROWS).tolist() != one.tolist()
    model.set_params(random_state=np.random.RandomState(5))
    assert model.fit_transform(ROWS).tolist() == one.tolist()
    model.set_params(random_state=5)  # an int is the seed itself, as in functions
    same = tt.tste(tt.Triplets(ROWS, 20), n_starts=1, seed=5)
    assert model.fit_transform(ROWS).tolist() == same.points.tolist()


def test_score_is_the_share_of_what_answers_can_earn():
    model = clone(AVERAGE).fit(ROWS)
    share = model.score(ROWS)
    assert share == pytest.approx(model.clustering_.normalised_revenue)
    assert model.score(ROWS[:, [0, 2, 1]]) == -share
    assert model.score(ROWS, [False] * len(ROWS)) == -share
    points = clone(POINTS).fit(ROWS)
    assert 0.8 < points.score(ROWS) <= 1
    assert points.score(ROWS[:, [0, 2, 1]]) == pytest.approx(1 - points.score(ROWS))


def held_out_share(train, test, method):
    tree = tt.cluster(tt.Triplets(train, 20), method, n_folds=0, bound=False).tree
    return tt.revenue(tree, tt.Triplets(test, 20)) / (18 * len(test))


def test_grid_search_goes_by_held_out_revenue():
    rows = animals(600, share_wrong=0.2).answers.rows
    methods = ["adds-al", "tste-al"]
    model = RevenueClustering(2, n_objects=20, random_state=0)
    grid = GridSearchCV(model, {"method": methods}, cv=3, error_score="raise")
    grid.fit(rows)
    expected = [
        np.mean([held_out_share(rows[a], rows[b], m) for a, b in KFold(3).split(rows)])
        for m in methods
    ]
    assert grid.cv_results_["mean_test_score"] == pytest.approx(expected)
    assert grid.best_params_["method"] == methods[np.argmax(expected)]
    assert grid.best_estimator_.labels_.shape == (20,)
    again = GridSearchCV(model, {"method": methods}, cv=KFold(3)).fit(
        rows[:, [0, 2, 1]], np.zeros(600, bool)
    )
    assert again.cv_results_["mean_test_score"] == pytest.approx(expected)
    points = TSTE(n_objects=20, n_starts=1, random_state=0)
    assert cross_val_score(points, rows, cv=3).min() > 0.6


def test_pipeline():
    keep = FunctionTransformer(lambda rows: rows[rows[:, 0] < 15])
    pipeline = Pipeline(
        [("keep", keep), ("tree", RevenueClustering(2, method="adds-al"))]
    )
    labels = pipeline.set_params(tree__n_objects=20).fit_predict(ROWS)
    assert labels.shape == (20,)
    assert pipeline.score(ROWS) > 0.1
    points = make_pipeline(TSTE(random_state=0), KMeans(2, random_state=0, n_init=3))
    labels = points.fit_predict(ROWS)
    assert tt.adjusted_rand_index(labels, animals().truth.cut(2)) > 0.6
    assert points.predict(ROWS).tolist() == labels.tolist()


def test_names_of_columns():
    """That all else of `set_output` is right, scikit-learn's own checks say."""
    framed = clone(POINTS).set_output(transform="polars").fit_transform(ROWS)
    assert (framed.columns, framed.shape) == (["tste0", "tste1"], (20, 2))


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[0, 1]], None, "minimum of 3"),
        ([[0, 1, 2, 3, 4]], None, r"X has shape \(1, 5\): give \(m, 3\)"),
        ([0, 1, 2], None, "Expected 2D array, got 1D"),
        (np.empty((0, 3), int), None, "0 sample"),
        ([[0.0, np.nan, 2]], None, "NaN"),
        ([[0.5, 1, 2]], None, "integer object ids"),
        ([["a", "b", "c"]], None, "integer object ids"),
        ([[0, 1, 1]], None, "must differ"),
        ([[-1, 1, 0]], None, "Negative values in data .* object ids start at 0"),
        ([[0, 1, 2]], [[True, False]], "responses of shape"),
        ([[0, 1, 2]], [2.5], r"responses\[0\] = 2.5"),
        ([[0, 1, 2], [0, 2, 1]], [True], "responses of shape"),
        ([[0, 1, 2], [0, 2, 1]], [0, 1], "y has 0 and 1, and 0 is undecided"),
        (csr_array((3, 4)), None, r"sparse X of shape \(3, 4\)"),
    ],
)
def test_wrong_input(model, X, y, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


TENSOR = sparse.COO([[0], [1], [2]], [2], shape=(3, 3, 3))
FIT = methodcaller("fit", ROWS)


@pytest.mark.parametrize(
    ("estimator", "call", "error", "words"),
    [
        *(
            (RevenueClustering(n), FIT, tt.InvalidOption, "n_clusters")
            for n in ("many", 0, 21, 2.5, True)
        ),
        (RevenueClustering(method="ward"), FIT, tt.InvalidOption, "method"),
        (TSTE(0), FIT, tt.InvalidOption, "n_components"),
        (TSTE(random_state=-1), FIT, tt.InvalidOption, "random_state"),
        (
            RevenueClustering(None, method="adds-al"),
            methodcaller("fit_predict", ROWS),
            tt.InvalidOption,
            "a tree alone",
        ),
        (  # a tensor has its answers in it
            TSTE(),
            methodcaller("fit", TENSOR, [True]),
            tt.InvalidComparisons,
            "give y=None",
        ),
        *(
            (clone(one), methodcaller("score", ROWS), NotFittedError, "not fitted")
            for one in (AVERAGE, POINTS)
        ),
        (  # as where a split lacks an object
            clone(AVERAGE),
            lambda model: model.fit([[0, 1, 2], [1, 0, 2]]).score([[0, 1, 4]]),
            tt.InvalidComparisons,
            "Set n_objects",
        ),
    ],
)
def test_wrong_parameters_and_calls(estimator, call, error, words):
    with pytest.raises(error, match=words):
        call(estimator)


@pytest.mark.parametrize("estimator", [RevenueClustering(method="climb"), TSTE()])
def test_ids_from_1_are_noticed(estimator):
    rows = np.array([[1, 2, 3], [2, 1, 3], [4, 3, 1]])
    with pytest.warns(UserWarning, match=r"smallest object id in X is 1.*Give X - 1"):
        estimator.fit(rows)
    estimator.fit(rows - 1)
    clone(estimator).set_params(n_objects=5).fit(rows)  # object 0 is meant
