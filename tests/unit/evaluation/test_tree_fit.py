"""Is it a tree: compared with points and flat clusters, and by the open questions."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons, examples, random_rows, seeds
from tripletree import (
    InvalidComparisons,
    InvalidOption,
    Quadruplets,
    Tree,
    Triplets,
    caterpillar_tree,
    concatenate,
    held_out,
    maximise_revenue,
    odd_one_out,
    random_tree,
    sample_triplets,
    tree_fit,
    ultrametric_index,
)
from tripletree.evaluation import tree_fit as module
from tripletree.evaluation.holdout import assign_folds

pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True, scope="module")
def few_are_enough():
    """Small cases are compared with their definition."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEWEST_QUESTIONS", 0)
        yield


def climbed(train):
    return maximise_revenue(train, n_restarts=5).tree


@given(comparisons(min_objects=4), seeds)
@examples(50)
def test_fit_is_as_defined(answers, seed):
    rng, n, n_folds = np.random.default_rng(seed), answers.n_objects, 3
    trees = [random_tree(n, rng=rng) for _ in range(n_folds)]
    points = {d: rng.integers(0, 4, (n_folds, n, d)).astype(float) for d in (1, 3)}
    in_turn, of_folds = iter(trees), {d: iter(x) for d, x in points.items()}

    def place(train, n_dimensions, **options):
        return SimpleNamespace(points=next(of_folds[n_dimensions]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "tste", place)
        found = tree_fit(answers, lambda train: next(in_turn), dimensions=[1, 3])
    weights = np.ones(len(answers)) if answers.weights is None else answers.weights
    if not weights.sum():
        assert (found.tree, found.flat, found.embedding, found.kept) == (
            *(0.5, 0.5, 0.5),
            None,
        )
        return
    expected = definitions.tree_fit(
        answers.near.tolist(),
        answers.far.tolist(),
        weights.tolist(),
        assign_folds(answers, n_folds, 0).tolist(),
        trees,
        points,
    )
    assert (found.tree, found.flat, found.embedding) == pytest.approx(expected[:3])
    assert (found.n_clusters, found.n_dimensions) == expected[3:5]
    assert found.error == pytest.approx(expected[5], abs=1e-9)
    assert [*found.by_dimension] == [1, 3]


def judged(s, n_each, seed=0):
    """Answers to every question about objects with this similarity, some wrong."""
    i, j, k = np.array(definitions.triplet_questions(len(s))).T.repeat(n_each, axis=1)
    chance = 1 / (1 + np.exp(3 * (s[i, k] - s[i, j])))
    is_near = np.random.default_rng(seed).random(len(i)) < chance
    return Triplets(np.where(is_near, [i, j, k], [i, k, j]).T, len(s))


def levels(n, *sizes):
    """How many of the clusters of these sizes two objects share."""
    at = np.arange(n)
    return sum(1.0 * (at[:, None] // size == at // size) for size in sizes)


def test_answers_of_a_tree_need_no_space():
    answers = judged(levels(16, 2, 4, 8), 1)
    found = tree_fit(answers, climbed)
    assert found.tree == held_out(answers, climbed).accuracy > 0.8
    assert found.is_better in (True, None)
    assert found.flat < found.tree
    assert ("describes these answers well" in str(found)) == bool(found.is_better)
    assert found.kept > 0.95


def test_points_on_a_line_are_not_a_tree():
    places = np.random.default_rng(0).normal(size=40)
    near = -np.abs(np.subtract.outer(places, places))
    answers = sample_triplets(near, 3_000, flip=0.05, rng=np.random.default_rng(1))
    found = tree_fit(answers, climbed, dimensions=[1, 2])
    assert found.is_better is False
    assert found.kept < 0.9
    assert f"it keeps {found.kept:.0%} of what is beyond guessing" in str(found)


def test_guesses_are_called_so():
    rows = random_rows(0, 300, 12)
    both = concatenate([Triplets(rows, 12), Triplets(rows[:, [0, 2, 1]], 12)])
    found = tree_fit(both, climbed, dimensions=[2])
    assert found.kept is None
    assert "neither" in str(found)


def test_a_handful_of_questions_says_little():
    """Points get all of three questions right, and the tree none."""
    rows = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    wrong = Tree.from_newick("((((0,2),1),((3,5),4)),((6,8),7));")
    places = np.array([0, 1, 3, 0, 1, 3, 0, 1, 3.0])[:, None]

    def fitted(answers):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                module, "tste", lambda *_, **__: SimpleNamespace(points=places)
            )
            return tree_fit(answers, lambda train: wrong, dimensions=[1])

    few, same = (fitted(Triplets(rows * times, 9)) for times in (1, 50))
    assert (few.tree, few.embedding, few.error) == (0, 1, 2**0.5 / 5)
    assert same.error == pytest.approx(few.error)  # of the same three questions


def test_few_questions_say_nothing(monkeypatch):
    monkeypatch.setattr(module, "FEWEST_QUESTIONS", 30)
    rows = np.array([[x, x + 1, x + 2] for x in range(30)])
    for n in (29, 30):
        answers = concatenate([Triplets(rows[:n], 32)] * 2)  # no question is new
        found = tree_fit(answers, lambda train: caterpillar_tree(32), dimensions=[1])
        assert (found is None) == (n < 30)


def test_no_time_and_wrong_options():
    answers = Triplets([[0, 1, 2], [1, 2, 3]], 4)
    assert tree_fit(answers, climbed, time_limit=0) is None
    for wrong in ([], 2, [3, 2], [2, 2], [0], [2.5]):
        with pytest.raises(InvalidOption, match="dimensions"):
            tree_fit(answers, climbed, dimensions=wrong)
    with pytest.raises(InvalidOption, match="must return a Tree with 4 leaves"):
        tree_fit(answers, lambda train: caterpillar_tree(5))
    for function in (ultrametric_index, lambda x: tree_fit(x, climbed)):
        with pytest.raises(InvalidComparisons):
            function(np.zeros((3, 3)))


TRIPLETS = st.permutations(range(5)).map(lambda x: x[:3])


@given(st.lists(TRIPLETS, max_size=150))
def test_index_is_as_defined(rows):
    check_index(Triplets(np.reshape(rows, (-1, 3)).astype(int), 5), False)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), max_size=150))
def test_index_of_odd_ones_is_as_defined(drawn):
    places = {"a": [0, 1, 2], "b": [1, 2, 3], "c": [2, 3, 4]}
    shown = [places[name] for name, _ in drawn] or np.empty((0, 3), int)
    odd = [places[name][min(at, 2)] for name, at in drawn]  # the last is often odd
    check_index(odd_one_out(shown, odd, 5), True)


def check_index(answers, is_shared):
    expected = definitions.ultrametric_index(answers.rows.tolist(), is_shared)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tripletree.evaluation.noise.FEWEST_QUESTIONS", 1)
        found = ultrametric_index(answers)
    if found is None:
        assert expected[2] == 0
        return
    figures = found.index, found.by_noise, found.n_triples
    assert figures == pytest.approx([float(x) for x in expected])
    assert found.low <= found.index <= found.high
    assert (ultrametric_index(answers) is None) == (found.n_triples < 10)


@pytest.mark.parametrize("is_tree", [True, False])
def test_people_divide_over_open_questions_of_a_tree(is_tree):
    """Ten answers to each question about twelve objects, of a tree or on a line."""
    places = np.arange(12.0)
    on_a_line = -np.abs(np.subtract.outer(places, places))
    found = ultrametric_index(judged(levels(12, 3) if is_tree else on_a_line, 10))
    assert found.by_noise < 0.8
    assert (found.low < 1 < found.high) == is_tree
    if not is_tree:
        assert found.high < 0.5
    assert "over all repeated questions it is" in str(found)


def test_index_of_quadruplets_is_not_known():
    rows = np.array(definitions.triplet_questions(6) * 3)
    assert ultrametric_index(Triplets(rows, 6)) is not None
    assert ultrametric_index(Quadruplets(rows[:, [0, 1, 0, 2]], 6)) is None
