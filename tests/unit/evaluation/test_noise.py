from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tripletree import InvalidComparisons, Quadruplets, Triplets, cluster, noise_ceiling
from tripletree.evaluation.noise import repeats_needed

VOTES = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda x: sum(x) > 1)


def answered(votes, quadruplets=False):
    """Answers to one question per pair of numbers, of equal objects 0, k and k + 1."""
    rows = []
    for k, (first, second) in enumerate(votes, 1):
        rows += [[0, k, k + 1]] * first + [[0, k + 1, k]] * second
    rows = np.random.default_rng(0).permutation(np.array(rows))
    if quadruplets:
        return Quadruplets(rows[:, [0, 1, 0, 2]], len(votes) + 2)
    return Triplets(rows, len(votes) + 2)


@given(st.lists(VOTES, min_size=10, max_size=20), st.booleans())
def test_agreement_is_as_defined(votes, quadruplets):
    found = noise_ceiling(answered(votes, quadruplets))
    expected = float(definitions.repeated_agreement(votes))
    assert found.agreement == pytest.approx(expected, abs=1e-12)
    assert found.n_questions == len(votes)
    assert 0.5 <= found.low <= found.accuracy <= found.high <= 1
    if expected > 0.5:
        assert found.accuracy == pytest.approx((1 + (2 * expected - 1) ** 0.5) / 2)


def test_the_ceiling_of_equally_difficult_questions():
    """Each answer is right with probability 0.8, so no predictor does better."""
    n_first = np.random.default_rng(1).binomial(4, 0.8, 500)
    found = noise_ceiling(answered([(k, 4 - k) for k in n_first]))
    assert found.high - 0.1 < found.low < 0.8 < found.high


def test_unequal_questions_never_fall_below_the_mean():
    """Half of the questions are clear, half are guesses: 0.75 can be reached."""
    votes = [(40, 0)] * 50 + [(20, 20)] * 50
    assert noise_ceiling(answered(votes)).accuracy >= 0.75


def test_weights_are_answers():
    votes = np.array([(k % 3, 2) for k in range(15)])
    rows = [row for k in range(1, 16) for row in ([0, k, k + 1], [0, k + 1, k])]
    weighted = Triplets(rows, 17, weights=votes.ravel())
    assert noise_ceiling(weighted) == noise_ceiling(answered(votes))
    halves = Triplets(rows, 17, weights=votes.ravel() / 2)
    assert noise_ceiling(halves).n_questions == 10  # those with answers of both kinds


@pytest.mark.parametrize("votes", [[(1, 1)] * 9, [(1, 0)] * 50])
def test_too_few_repeated_questions(votes):
    answers = answered(votes)
    assert noise_ceiling(answers) is None
    result = cluster(answers, "adds-al", bound=False, support=0)
    n = repeats_needed(result.held_out["adds-al"].accuracy)
    assert f"asking {n:,} a second time would show it" in str(result)


@pytest.mark.compiled
def test_the_result_has_it():
    answers = answered([(3, 1), (4, 0)] * 8)
    result = cluster(answers, "adds-al", bound=False, support=0)
    assert result.noise == noise_ceiling(answers)
    assert str(result.noise) in str(result)


def test_wrong_input():
    with pytest.raises(InvalidComparisons):
        noise_ceiling(np.zeros((3, 3)))
