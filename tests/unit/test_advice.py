"""One recommendation: what it weighs, and that nothing beside it contradicts it."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import tripletree as tt
from tripletree.clustering.advice import advise
from tripletree.datasets.animals import animals

N = 60


def curve(gain, spread=0.01):
    """A learning curve whose last doubling gained so much."""
    accuracy = np.array([0.7, 0.7 + gain])
    return tt.LearningCurve(
        shares=(0.5, 1.0),
        n_answers=np.array([500.0, 1000.0]),
        accuracies=accuracy[:, None] + [0, spread, -spread],
        accuracy=accuracy,
        revenues=(1, 2),
        is_stopped=False,
    )


def support(share):
    """Support with this share of stable joins, and at least the root."""
    stability = np.where(np.arange(N - 1) < share * (N - 1), 0.9, 0.2)
    stability = np.append(stability[:0:-1], 1)
    return SimpleNamespace(stability=stability, is_enough=True)


def ceiling(accuracy, half=0.02):
    return tt.NoiseCeiling(accuracy, accuracy - half, accuracy + half, 0.6, 99)


def fit(tree, embedding):
    return tt.TreeFit(tree, 0.6, embedding, 8, 5, {5: embedding}, 0.001)


def advised(m=10_000, accuracy=0.75, is_chance=False, **known):
    given = [known.get(x) for x in ("noise", "support", "curve", "tree_fit")]
    return advise(
        N,
        m,
        known.get("different", m),
        tt.HeldOut(0, accuracy, (0,)),
        is_chance,
        *given,
    )


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, []),
        ({"m": 500}, ["500 comparisons are few for 60 objects"]),
        ({"different": 500}, ["500 questions are few for 60 objects"]),
        ({"m": 1}, ["1 comparison is few", "trust large clusters"]),
        ({"m": 1, "is_chance": True}, ["few for 60 objects: ask more"]),
        (
            {"curve": curve(0.03)},
            ["ask more random questions", "accuracy by 3.0 percentage points"],
        ),
        ({"curve": curve(0.03), "support": support(0.2)}, ["12 of 59 joins"]),
        ({"curve": curve(0.001)}, ["hardly raise", "settled is not known"]),
        ({"curve": curve(0.0004)}, ["the answers did not change it."]),
        (
            {"curve": curve(-0.02), "support": support(0.9)},
            [
                "no more answers",
                "lowered the accuracy by 2.0 percentage points",
                "54 of 59 joins are stable",
            ],
        ),
        (
            {"curve": curve(0.001), "support": support(0.2)},
            [
                "rely only on clusters with a stability of 80% or more. 12 of 59",
                "hardly raise",
            ],
        ),
        (
            {
                "curve": curve(0.001),
                "support": support(0.6),
                "tree_fit": fit(0.6, 0.8),
            },
            ["36 of 59 joins", "hardly raise", "A tree misses part"],
        ),
        ({"support": support(0.2)}, ["More answers may settle more of them."]),
        (
            {"support": support(0)},
            ["rely on no cluster yet: none has a stability of 80%", "1 of 59 joins is"],
        ),
        ({"support": support(0), "m": 500}, ["500 comparisons", "rely on no cluster"]),
        ({"support": support(0.9)}, []),
        (
            {"support": support(0.2), "m": 500},
            ["500 comparisons are few for 60 objects: rely only on clusters with"],
        ),
        (
            {"support": support(0.9), "curve": curve(0.001), "m": 500},
            ["no more answers"],
        ),
        ({"noise": ceiling(0.55), "m": 500}, ["clearer questions", "57%"]),
        ({"is_chance": True, "curve": curve(0.0)}, ["do not rely on this tree"]),
        (
            {"curve": curve(0.001), "noise": ceiling(0.76)},
            ["predicts about as much as such answers allow"],
        ),
        (
            {"curve": curve(0.001), "tree_fit": fit(0.7, 0.86)},
            ["look at points in 5 dimensions"],
        ),
    ],
)
def test_advice(known, words):
    found = advised(**known)
    assert bool(found) == bool(words)
    for word in words:
        assert word in found


@pytest.mark.parametrize("noise", [ceiling(0.9), ceiling(0.76, half=0.2)])
def test_a_wide_ceiling_does_not_say_that_it_is_reached(noise):
    assert advised(curve=curve(0.001), noise=noise).endswith("settled is not known.")


def test_it_never_contradicts_what_is_known():
    """Whatever is known, mostly unstable joins are never called enough."""
    for m, is_chance, gain, share, best in product(
        [10, 100_000],
        [False, True],
        [None, -0.1, 0.0, 0.1],
        [0.1, 0.6, 0.9],
        [0.55, 0.9],
    ):
        known = {"curve": None if gain is None else curve(gain)}
        known |= {"support": support(share), "noise": ceiling(best)}
        found = advised(m=m, is_chance=is_chance, **known)
        if share < 0.9 or is_chance or gain == 0.1 or best == 0.55:
            assert "no more answers of this kind are needed" not in found
        if gain == 0.1 and best == 0.9:
            assert "ask more random questions" in found
        assert not found.endswith("..")


def test_two_objects_need_no_advice():
    assert advise(2, 0, 0, None, False, None, None, None, None) == ""


@pytest.mark.compiled
def test_the_result_gives_one_piece_of_advice():
    answers = animals(400).answers
    options = {"bound": False, "support": 5, "curve": True, "tree_fit": True}
    result = tt.cluster(answers, "adds-al", **options)
    assert str(result).endswith(f"what to do: {result.advice}")
    assert str(result).count("what to do") == 1
    assert str(result.tree_fit) in str(result)
    assert result.tree_fit.tree == pytest.approx(result.held_out["adds-al"].accuracy)
    assert result.ultrametric is None
    few = tt.cluster(answers[:20], "adds-al", **options)
    assert (few.tree_fit, few.curve) == (None, None)
    repeated = tt.concatenate([answers, tt.swap_near_far(answers)])
    asked = tt.cluster(repeated, "adds-al", n_folds=0, support=0, bound=False)
    assert asked.noise.accuracy == 0.5
    assert "clearer questions" in asked.advice
    twice = tt.concatenate([answers[:60], answers[:60]])
    read = tt.cluster(twice, "adds-al", n_folds=0, support=0, bound=False)
    n_questions = tt.summarise(twice).n_questions
    assert read.advice.startswith(f"{n_questions} questions are few for 20 objects")


@pytest.mark.parametrize("gain", [0.001, 0.5])
def test_the_gain_is_per_doubling(gain):
    made = curve(gain)
    assert (made.gain, made.is_rising) == (pytest.approx(gain), gain == 0.5)
    one = replace(made, n_answers=made.n_answers[:1], accuracy=made.accuracy[:1])
    assert one.gain is None
    assert not one.is_rising
