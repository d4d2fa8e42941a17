"""How many answers a study needs."""

import pytest

from tripletree import InvalidOption, plan_study
from tripletree.planning import GOOD, StudyPlan


@pytest.mark.slow
@pytest.mark.compiled
def test_more_answers_agree_more():
    calls = []
    plan = plan_study(40, share_wrong=0.05, progress=calls.append)
    assert plan.n_tried == 40
    assert plan.n_answers == (400, 800, 1600, 3200, 6400, 12800)
    assert plan.agreement[-1] > plan.agreement[0] + 0.2
    at = plan.n_answers.index(plan.recommended)
    assert plan.is_enough
    assert plan.agreement[at] >= GOOD
    assert all(value < GOOD for value in plan.agreement[:at])
    assert [(call.done, call.total) for call in calls] == [(k, 18) for k in range(18)]
    assert plan == plan_study(40, share_wrong=0.05)
    assert f"{plan.recommended:,} answers" in str(plan)


def test_when_nothing_is_enough():
    plan = StudyPlan(20, 16, 0.4, (200, 400), (0.1, 0.2), (0.0, 0.0), 400)
    assert not plan.is_enough
    assert "Even 400 answers" in str(plan)


@pytest.mark.parametrize(
    "wrong",
    [{"n_objects": 15}, *({"share_wrong": x} for x in (-0.1, 0.5, float("nan"), "x"))],
)
def test_wrong_input(wrong):
    with pytest.raises(InvalidOption, match=next(iter(wrong))):
        plan_study(**{"n_objects": 20, **wrong})
