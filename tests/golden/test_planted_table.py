"""The paper's table on the planted model, with the published draws."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from tripletree import aari, maximise_revenue, revenue
from tripletree.datasets.published_draws import published_planted, published_triplets
from tripletree.experiments.figure2 import correlations
from tripletree.experiments.methods import published_tree
from tripletree.experiments.reporting import agrees, published

PRINTED = published()["planted"]
ROWS = [
    pytest.param(method, ratio, marks=[pytest.mark.slow] if Fraction(ratio) > 1 else [])
    for method in ("adds3_al", "mulk3_al")
    for ratio in PRINTED[method]
]

model = cache(published_planted)


@cache
def runs(method, ratio):
    """Revenue and AARI of ten runs."""
    s, labels = model().similarity, model().labels
    records = []
    for run in range(10):
        answers = published_triplets(s, int(Fraction(ratio) * len(s) ** 2), run)
        tree = published_tree(method, answers, seed=run)
        earned = revenue(tree, answers)
        records.append({"revenue": earned, "aari": aari(tree, labels)})
    return records


def column(method, ratio, name):
    return [record[name] for record in runs(method, ratio)]


@pytest.mark.parametrize(
    ("value", "is_right"),
    [(7.3464e7, False), (7.3466e7, True), (7.34799e7, True), (7.348e7, False)],
)
def test_agreement(value, is_right):
    assert agrees(value, "7.347e7") is is_right
    assert agrees(value / 1e8, "0.7347") is is_right


@pytest.mark.parametrize(("method", "ratio"), ROWS)
def test_table(method, ratio):
    earned, right = (column(method, ratio, name) for name in ("revenue", "aari"))
    found = [np.mean(earned), np.std(earned), np.mean(right), np.std(right)]
    printed = PRINTED[method][ratio]
    assert all(map(agrees, map(float, found), printed)), (found, printed)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", PRINTED["tste_al"])
def test_climbing_earns_more_than_every_published_method(ratio):
    s, labels = model().similarity, model().labels
    earned, right = [], []
    for run in range(10):
        answers = published_triplets(s, int(Fraction(ratio) * len(s) ** 2), run)
        found = maximise_revenue(answers, n_restarts=0)
        earned.append(found.revenue)
        right.append(aari(found.tree, labels))
    published_means = [float(method[ratio][0]) for method in PRINTED.values()]
    assert np.mean(earned) > max(published_means)
    if Fraction(ratio) >= 4:
        assert np.mean(right) >= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("ratio", PRINTED["tste_al"])
def test_tste_is_as_good_as_published(ratio):
    """Other random numbers than the paper's: within two standard deviations."""
    earned, right = (column("tste_al", ratio, name) for name in ("revenue", "aari"))
    figure, spread, agreement, its_spread = map(float, PRINTED["tste_al"][ratio])
    assert abs(np.mean(earned) - figure) <= 2 * spread
    assert np.mean(right) >= agreement - 2 * its_spread


@pytest.mark.slow
@pytest.mark.parametrize("method", PRINTED)
def test_figure_2(method):
    """Rank correlations of revenue and AARI: as published less 0.05, or larger.

    Over the runs whose means and deviations are the printed ones they are 0.941, 0.994
    for AddS3-AL and 0.900, 0.977 for MulK3-AL; printed 0.933, 0.992 and 0.926, 0.988.
    """
    records = [record for ratio in PRINTED[method] for record in runs(method, ratio)]
    for found, printed in zip(
        correlations(records), published()["figure2"][method], strict=True
    ):
        assert found >= float(printed) - 0.05
