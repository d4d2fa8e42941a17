"""The paper's table on real data, by the cells of `tripletree reproduce real`."""

import numpy as np
import pytest

from tripletree.experiments.real import KINDS, run_cell
from tripletree.experiments.reporting import agrees, printed_numbers

PRINTED = printed_numbers()["real"]


@pytest.fixture
def folder(data_folder, monkeypatch):
    monkeypatch.setenv("TRIPLETREE_DATA", str(data_folder))


def mean_revenues(name, kind, n_runs):
    earned = {method: [] for method in KINDS[kind] if method in PRINTED[name]}
    for run in range(n_runs):
        for record in run_cell(name, kind, run, "published", ""):
            earned[record["method"]].append(record["revenue"])
    assert all(len(values) == n_runs for values in earned.values())
    return {method: float(np.mean(values)) for method, values in earned.items()}


@pytest.mark.parametrize("name", ["car", "food"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("folder")
def test_human_answers(name, kind):
    found = mean_revenues(name, kind, 1)
    found.pop("tste_al", None)
    assert len(found) == 2
    for method, value in found.items():
        assert agrees(value, PRINTED[name][method][0]), (method, value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zoo", "glass"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("folder")
def test_drawn_answers(name, kind):
    """Glass to the printed digits. Zoo too where its many equal cosines are rounded as
    on the authors' machine; in any case within a fifth of a standard deviation."""
    for method, value in mean_revenues(name, kind, 10).items():
        figure, spread = map(float, PRINTED[name][method])
        if method == "tste_al":
            assert abs(value - figure) <= 2 * spread
        elif name == "glass":
            assert agrees(value, PRINTED[name][method][0]), (method, value)
        else:
            assert abs(value - figure) <= spread / 5
