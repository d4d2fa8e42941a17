from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons
from tripletree import (
    HeldOut,
    Quadruplets,
    Triplets,
    cluster,
    concatenate,
    noise_ceiling,
    odd_one_out,
)
from tripletree.clustering.method_choice import chance_warnings
from tripletree.evaluation.holdout import pieces_of_evidence
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
    ends = [expected, *definitions.interval_of_agreement(votes)]
    ceilings = [(1 + min(max(2 * x - 1, 0), 1) ** 0.5) / 2 for x in ends]
    # A root near 0 turns a rounding error of 1e-16 into 1e-8.
    assert [found.accuracy, found.low, found.high] == pytest.approx(ceilings, abs=1e-6)


def test_unequal_questions_are_between():
    """Half of the questions are clear, half are guesses: no more than 0.75 is right."""
    found = noise_ceiling(answered([(40, 0)] * 50 + [(20, 20)] * 50))
    assert found.agreement < 0.75 < found.accuracy


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


def test_few_equal_answers_leave_doubt():
    """Ten questions on which two answers agree do not prove that all answers will."""
    found = noise_ceiling(answered([(2, 0)] * 10))
    assert (found.accuracy, found.high) == (1, 1)
    assert found.low < 0.93
    assert noise_ceiling(answered([(2, 0)] * 300)).low > 0.98


def test_the_interval_contains_the_ceiling():
    rng, n_in = np.random.default_rng(0), 0
    for _ in range(100):
        found = noise_ceiling(answered([(k, 2 - k) for k in rng.binomial(2, 0.95, 12)]))
        n_in += found.low <= 0.95 <= found.high
    assert n_in >= 92


def test_an_odd_one_out_is_one_question():
    """Its comparisons are counted, but the interval is that of the three objects."""
    shown = [[k, k + 1, k + 2] for k in range(20)] * 3
    odd = [row[int(x)] for row, x in zip(shown, "2" * 20 + "01" * 20, strict=True)]
    answers = odd_one_out(shown, odd, 22)
    found = noise_ceiling(answers)
    assert found.n_questions == 20
    apart = noise_ceiling(replace(answers, trials=None))
    assert apart.agreement == found.agreement
    assert apart.n_questions > 20


@given(comparisons())
def test_evidence_is_counted_in_questions(answers):
    near, far = answers.near.tolist(), answers.far.tolist()
    expected = definitions.pieces_of_evidence(near, far, answers.weights)
    assert pieces_of_evidence(answers) == pytest.approx(float(expected))


def test_chance_is_judged_by_questions():
    """57 % of 5,000 answers are more than chance, but not if to 50 questions."""
    found = HeldOut(0, 0.57, (0,))
    once = answered([(1, 0)] * 50)
    many = answered([(1, 0)] * 5_000)
    (warning,) = chance_warnings(found, once)
    assert "right in 57.0% of the cases, which may be chance" in warning
    assert warning.endswith("to 50 questions is right in up to 64.1%.")
    assert chance_warnings(found, concatenate([once] * 100)) != []
    assert (chance_warnings(found, many), chance_warnings(None, many)) == ([], [])
