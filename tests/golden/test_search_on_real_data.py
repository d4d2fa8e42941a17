"""What searching earns on the real answers, with default settings."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from tests.golden.test_real_data import car, food
from tripletree import Triplets, drop_duplicates, maximise_revenue, optimality_gap

pytestmark = pytest.mark.slow


def test_car_and_its_gap(data_folder):
    """Best published: 1.56e5 (tSTE-AL)."""
    answers = car(data_folder)
    result = maximise_revenue(answers)
    assert result.is_optimal
    assert result.revenue >= 169_900
    gap = optimality_gap(result.tree, answers)
    assert not gap.is_estimate
    assert gap.bound >= 169_920  # earned by a known tree
    assert gap.gap < 0.05


def test_food(data_folder):
    """Best published: 6.14e6."""
    result = maximise_revenue(drop_duplicates(food(data_folder)))
    assert result.revenue >= 6_326_000


def test_things(data_folder):
    """Odd one out o of {a, b, o} gives (a, b, o) and (b, a, o)."""
    with gzip.open(data_folder / "things" / "test_10.txt.gz") as file:
        shown = np.loadtxt(file, dtype=int)
    rows = np.concatenate([shown, shown[:, [1, 0, 2]]])
    result = maximise_revenue(Triplets(rows, 1854))
    assert result.revenue >= 44_200_000
