"""Every public function at the edges: a right result or an error of the package."""

import pytest

import tripletree as tt
from tests.robustness.worlds import (
    CALLS,
    DOWNLOADS,
    RECORDS,
    check_says,
    edge_answers,
    plain,
    world,
)

ANSWERS = edge_answers()


def test_every_public_name_is_called():
    assert sorted([*CALLS, *RECORDS, *DOWNLOADS]) == sorted(tt.__all__)


# Sparse linkage says if no answer joins two groups of objects.
@pytest.mark.filterwarnings("ignore:the stored pairs leave:UserWarning")
@pytest.mark.parametrize("edge", ANSWERS)
@pytest.mark.parametrize("name", CALLS)
def test_edge(name, edge, tmp_path):
    here = world(ANSWERS[edge], tmp_path)
    before = plain([here.answers, here.tree, here.other, here.s])
    try:
        CALLS[name](here)
    except tt.TripletreeError as error:
        check_says(error)
    except ValueError as error:  # how scikit-learn itself refuses what is empty
        assert name in ("RevenueClustering", "TSTE")
        check_says(error, "0 sample(s)")
    assert plain([here.answers, here.tree, here.other, here.s]) == before
