"""Who answers unlike all others."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binomtest

from tests import definitions
from tests.strategies import comparisons, seeds
from tripletree import (
    InvalidComparisons,
    Triplets,
    adds_similarity,
    annotator_agreement,
    concatenate,
    planted,
    reliability_weights,
    sample_triplets,
)

MODULE = "tripletree.evaluation.annotators"


def by_name(found):
    columns = (found.n_agreeing, found.n_tied, found.n_against)
    counts = zip(*(column.tolist() for column in columns), strict=True)
    return dict(zip(found.names, counts, strict=True))


@given(comparisons(), seeds)
def test_counts_are_their_definition(answers, seed):
    rng = np.random.default_rng(seed)
    who = [f"w{x}" for x in rng.integers(0, 4, len(answers))]
    tagged = replace(answers, annotators=who)
    expected = definitions.agreement(
        answers.near.tolist(),
        answers.far.tolist(),
        who,
        None if answers.weights is None else answers.weights.tolist(),
    )
    assert by_name(annotator_agreement(tagged)) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{MODULE}.LARGEST_DENSE", 0)
        assert by_name(annotator_agreement(tagged)) == expected


def test_by_hand():
    """The others of eve: 0 and 1 are near (2), 0 and 2 far; only eve mentions 3."""
    rows = [[0, 1, 2], [0, 1, 2], [0, 2, 1], [3, 1, 2], [0, 1, 2]]
    answers = Triplets(rows, 4, annotators=["ann", "bob", "eve", "eve", "eve"])
    found = annotator_agreement(answers)
    assert by_name(found) == {"eve": (1, 1, 1), "ann": (1, 0, 0), "bob": (1, 0, 0)}
    assert (found.names[0], found.rate) == ("eve", 3 / 4)
    assert found.n_answers.tolist() == [3, 1, 1]
    assert found.z[0] == pytest.approx((1 - 2 * 0.75) / np.sqrt(2 * 0.75 * 0.25))


def test_limits_are_wilsons():
    rows = [[0, 1, 2]] * 20 + [[0, 2, 1]] * 5
    who = ["ann"] * 9 + ["bob"] * 11 + ["ann"] * 3 + ["bob"] * 2
    found = annotator_agreement(Triplets(rows, 3, annotators=who))
    limits = [
        binomtest(yes, yes + no).proportion_ci(0.95, method="wilson").high
        for yes, _, no in by_name(found).values()
    ]
    assert found.at_most == pytest.approx(limits, abs=1e-6)


def crowd(rng, spammers, n_answers):
    """Workers with 10 % wrong answers; spammers guess, one turns answers round."""
    s = planted(8, 3, mu=3, delta=1, sigma=0.2, rng=rng).similarity
    parts = []
    for worker, m in enumerate(n_answers):
        answers = sample_triplets(s, m, flip=spammers.get(worker, 0.1), rng=rng)
        parts.append(replace(answers, annotators=[f"w{worker:02}"] * m))
    return concatenate(parts), s


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(3))
def test_spammers_are_found(seed):
    """Also beside workers with very few answers, who may be against by chance."""
    rng = np.random.default_rng(seed)
    spammers = {3: 0.5, 11: 0.5, 17: 0.5, 20: 1.0}
    n_answers = rng.integers(150, 1500, 40)
    n_answers[30:] = rng.integers(1, 6, 10)
    answers, s = crowd(rng, spammers, n_answers)
    found = annotator_agreement(answers)
    assert set(found.names[:4]) == {"w03", "w11", "w17", "w20"}
    assert found.names[0] == "w20"
    assert (found.z[:4] < -8).all()
    weights = reliability_weights(answers)
    codes = answers.annotators
    by_worker = np.bincount(codes, weights) / np.bincount(codes)
    assert by_worker[[*spammers]].max() < 0.35
    assert by_worker[20] == 0
    assert np.delete(by_worker, [*spammers]).min() > 0.6
    plain, better = (
        np.corrcoef(adds_similarity(x).ravel(), s.ravel())[0, 1]
        for x in (answers, replace(answers, weights=weights))
    )
    assert better > plain


def test_many_answers_slightly_below_the_rest_raise_no_suspicion():
    """A guesser comes first, although z is lower for one with a thousand answers."""
    right, wrong = [0, 1, 2], [0, 2, 1]
    rows = [right] * 9000 + [right] * 900 + [wrong] * 100 + [right] * 10 + [wrong] * 10
    who = ["rest"] * 4500 + ["more"] * 4500 + ["busy"] * 1000 + ["guesser"] * 20
    found = annotator_agreement(Triplets(rows, 3, annotators=who))
    assert found.names[:2] == ("guesser", "busy")
    assert found.z[1] < found.z[0]


def test_weights_multiply():
    answers = Triplets([[0, 1, 2]] * 4, 3, annotators=list("abab"))
    doubled = reliability_weights(replace(answers, weights=[2, 2, 0, 2]))
    assert np.array_equal(doubled, [2, 2, 0, 2] * reliability_weights(answers))


def test_sums_of_floats_that_should_be_equal_are_tied():
    """cy's others: 0.1 + 0.2 for one pair, 0.3 for the other; in floats, a lead."""
    rows = [[0, 1, 3], [0, 1, 3], [0, 2, 3], [0, 1, 2], [0, 2, 1]]
    who = ["ann", "bob", "dan", "cy", "cy"]
    for third, counts in ((0.3, (0, 2, 0)), (0.300001, (1, 0, 1))):
        answers = Triplets(rows, 4, [0.1, 0.2, third, 0.7, 0.1], annotators=who)
        assert by_name(annotator_agreement(answers))["cy"] == counts


def test_alone():
    """No one to compare with: everything is tied, and no one suspicious."""
    answers = Triplets([[0, 1, 2]] * 3, 3, annotators=["ann"] * 3)
    found = annotator_agreement(answers)
    assert by_name(found) == {"ann": (0, 3, 0)}
    assert (found.rate, *found.z, *found.at_most) == (0.5, 0, 1)
    assert reliability_weights(answers).tolist() == [1, 1, 1]


def test_only_those_with_answers_are_listed():
    answers = Triplets([[0, 1, 2]] * 3, 3, annotators=["ann", "bob", "cy"])
    assert set(annotator_agreement(answers[1:]).names) == {"bob", "cy"}
    empty = annotator_agreement(answers[:0])
    assert empty.names == ()
    assert str(empty).startswith("0 people, 0 answers")
    assert reliability_weights(answers[:0]).shape == (0,)


def test_text():
    rows = [[0, 1, 2]] * 60 + [[0, 2, 1]] * 2
    who = [f"w{x:02}" for x in range(30)] * 2 + ["eve"] * 2
    text = str(annotator_agreement(Triplets(rows, 3, annotators=who))).splitlines()
    assert text[0] == (
        "31 people, 62 answers; of the comparisons that the others decide, 96.8% agree"
    )
    assert text[1].split() == "person answers agree tied against at most z".split()
    assert text[2].split() == ["eve", "2", "0%", "0%", "100%", "66%", "-7.7"]
    assert len({len(line) for line in text[1:-2]}) == 1
    assert len(text) == 2 + 20 + 1 + 1
    assert text[-2] == "... and 11 less suspicious"
    assert "At most: the largest plausible share" in text[-1]


def test_errors():
    for function in (annotator_agreement, reliability_weights):
        with pytest.raises(InvalidComparisons, match="do not say who gave the answers"):
            function(Triplets([[0, 1, 2]], 3))
        with pytest.raises(InvalidComparisons, match="not list"):
            function([[0, 1, 2]])
