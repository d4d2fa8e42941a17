"""Simulated examples: animals, everyday things, digits."""

import numpy as np
import pytest

import tripletree as tt
from tripletree.datasets import everyday as module
from tripletree.datasets.animals import animals
from tripletree.datasets.everyday import everyday


@pytest.fixture(scope="module")
def example():
    return everyday()


def test_answers_about_animals_follow_their_hierarchy():
    right, wrong = (animals(500, share_wrong=share) for share in (0.0, 1.0))
    assert tt.satisfaction(right.truth, right.answers).satisfied == 500
    assert tt.satisfaction(wrong.truth, wrong.answers).violated == 500
    many = animals(100_000)
    tree = tt.average_linkage(tt.adds_similarity(many.answers))
    assert tree.is_same_hierarchy(many.truth)


def test_every_three_things_are_shown(example):
    answers, n = example.answers, 46
    asked = {frozenset(row) for row in answers.rows.tolist()}
    assert len(asked) == n * (n - 1) * (n - 2) // 6
    assert answers.n_answers == len(asked) + len(asked) // 20


def test_answers_about_things_follow_their_hierarchy(example, monkeypatch):
    """All but the careless see most differences; who looks closely sees all."""
    found = tt.annotator_agreement(example.answers)
    share = dict(zip(found.names, found.n_agreeing / found.n_comparisons, strict=True))
    careless = [f"person {at}" for at in range(96, 101)]
    assert max(share[name] for name in careless) < 0.6
    assert min(x for name, x in share.items() if name not in careless) > 0.7
    assert {*found.names[:5]} == {*careless}  # those to look at first
    monkeypatch.setattr(module, "CARE", 1e6)
    sure = everyday(n_careless=0)
    assert tt.satisfaction(sure.truth, sure.answers).violated == 0


def test_groups_are_clusters_and_pictures_differ(example):
    tree, n = example.truth, example.truth.n_leaves
    groups = np.array(example.groups)
    clusters = {tuple(sorted(tree.leaves(v))) for v in range(n, 2 * n - 1)}
    for group in set(example.groups):
        assert tuple(np.flatnonzero(groups == group)) in clusters
    assert example.pictures.shape == (n, 64, 64, 4)
    assert len({picture.tobytes() for picture in example.pictures}) == n


@pytest.mark.parametrize(
    "answers",
    [
        lambda seed: animals(seed=seed).answers,
        lambda seed: everyday(seed=seed).answers,
        lambda seed: tt.load_digits_example(300, seed=seed).comparisons,
    ],
    ids=["animals", "everyday", "digits"],
)
def test_seeds(answers):
    one, same, other = (answers(seed).rows.tolist() for seed in (0, 0, 1))
    assert one == same != other
