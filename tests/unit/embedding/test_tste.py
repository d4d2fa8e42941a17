import numpy as np
import pytest

from tests import definitions
from tests.strategies import random_rows
from tripletree import (
    InvalidOption,
    Quadruplets,
    Triplets,
    euclidean_similarity,
    tste,
)
from tripletree.embedding.loss import Objective, group_answers


@pytest.fixture
def answers():
    """True answers about twenty points in the plane."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(20, 2))
    rows = rng.permuted(np.tile(np.arange(20), (600, 1)), axis=1)[:, :3]
    i, j, k = points[rows].transpose(1, 0, 2)
    is_far = np.linalg.norm(i - j, axis=1) > np.linalg.norm(i - k, axis=1)
    rows[is_far] = rows[is_far][:, [0, 2, 1]]
    return Triplets(rows, 20, labels=[f"object {i}" for i in range(20)])


def loss_of(points, answers, alpha):
    near, far = answers.near.tolist(), answers.far.tolist()
    return definitions.tste_loss(points.tolist(), near, far, None, alpha)


def test_agrees_with_nearly_all_answers(answers):
    embedding = tste(answers)
    i, j, k = embedding.points[answers.rows].transpose(1, 0, 2)
    is_right = np.linalg.norm(i - j, axis=1) < np.linalg.norm(i - k, axis=1)
    assert is_right.mean() > 0.9  # alpha = 1 knows no sharp answers
    assert embedding.loss == pytest.approx(loss_of(embedding.points, answers, 1))
    assert embedding.loss == pytest.approx(0.29332, abs=1e-5)
    assert embedding.is_converged
    assert embedding.labels == answers.labels


@pytest.mark.compiled
def test_starts_end_at_the_same_loss(answers):
    """Twenty objects are easy: here is one optimum, wherever one comes from."""
    losses = [tste(answers, n_starts=1, seed=seed).loss for seed in range(5)]
    assert max(losses) - min(losses) < 1e-5


def test_ends_at_a_minimum():
    """Noisy answers, so that the points do not run away."""
    answers = Triplets(random_rows(0, 900, 12), 12)
    for d in (1, 2, 3):
        embedding = tste(answers, n_dimensions=d)
        assert embedding.alpha == max(d - 1, 1)
        assert embedding.loss < np.log(2)
        objective = Objective(group_answers(answers), d, embedding.alpha)
        loss, gradient = objective(embedding.points.T.flatten())
        assert loss == pytest.approx(embedding.loss, rel=1e-12)
        assert np.abs(gradient).max() < 1e-3


def test_points_are_centred_and_turned(answers):
    points = tste(answers, n_dimensions=3).points
    assert points.shape == (20, 3)
    assert not points.flags.writeable
    assert np.allclose(points.mean(axis=0), 0, atol=1e-9 * np.abs(points).max())
    spread = points.std(axis=0)
    assert spread.tolist() == sorted(spread, reverse=True)
    products = points.T @ points
    assert np.abs(products - np.diag(np.diag(products))).max() < 1e-9 * products.max()
    assert (points.max(axis=0) >= -points.min(axis=0)).all()


@pytest.mark.compiled
def test_seed_decides(answers):
    one, two = tste(answers, seed=5), tste(answers, seed=5)
    assert np.array_equal(one.points, two.points)
    assert not np.array_equal(one.points, tste(answers, seed=6).points)


def test_start_is_where_it_starts(answers):
    found = tste(answers)
    again = tste(answers, start=found.points)
    assert again.loss <= found.loss
    assert again.n_iterations < found.n_iterations / 4
    assert loss_of(np.zeros((20, 2)), answers, 1) == pytest.approx(np.log(2))
    flat = tste(answers, start=np.zeros((20, 2)))  # a saddle: no way leads down
    assert (flat.loss, flat.n_iterations) == (pytest.approx(np.log(2)), 0)


@pytest.mark.compiled
def test_more_starts_end_lower(answers):
    few = answers[:50]  # with many local optima
    one, four = (
        [tste(few, n_starts=n_starts, seed=seed).loss for seed in (0, 3)]
        for n_starts in (1, 4)
    )
    assert np.mean(four) < np.mean(one) - 0.01


def test_no_time_at_all(answers):
    stopped = tste(answers, time_limit=0)
    assert (stopped.n_iterations, stopped.is_converged) == (0, False)
    assert stopped.loss == pytest.approx(loss_of(stopped.points, answers, 1))
    start = np.random.default_rng(0).normal(size=(20, 2))
    stopped = tste(answers, start=start, time_limit=0)
    assert np.allclose(
        euclidean_similarity(stopped), euclidean_similarity(start), atol=1e-12
    )


def test_progress_never_gets_worse(answers):
    seen = []
    found = tste(answers, progress=seen.append)
    assert found.n_iterations == len(seen)
    assert found.loss == seen[-1].value < np.log(2)
    assert [p.value for p in seen] == sorted((p.value for p in seen), reverse=True)
    assert [p.done for p in seen] == list(range(1, len(seen) + 1))


def test_errors_of_the_callback_are_the_users(answers):
    def fail(progress):
        message = "mine"
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match="mine"):
        tste(answers, progress=fail)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("make", [Triplets, Quadruplets])
def test_smallest(n, make):
    embedding = tste(make([], n), n_dimensions=4)
    assert (embedding.points.shape, embedding.loss) == ((n, 4), 0)
    assert embedding.is_converged


def test_many_objects_take_little_memory():
    """Nothing of size (n, n), which would be 80 GB here."""
    embedding = tste(Triplets([[0, 1, 2]], 100_000), time_limit=0)
    assert embedding.points.shape == (100_000, 2)


def test_one_answer():
    embedding = tste(Triplets([[0, 1, 2]], 3))
    assert embedding.loss < 0.01
    similarity = euclidean_similarity(embedding)
    assert similarity[0, 1] > similarity[0, 2]
    assert tste(Triplets([[0, 1, 2]], 3, weights=[0])).loss == 0


@pytest.mark.parametrize(
    ("message", "option", "values"),
    [
        ("give an integer from", "n_dimensions", [0]),
        ("give an integer from", "n_starts", [0]),
        ("give an integer from", "seed", [-1]),
        (
            r"alpha = .*give a number from",
            "alpha",
            [0, -1, np.nan, np.inf, "one", "2", True],
        ),
        ("give seconds", "time_limit", [-1, np.nan, "soon"]),
        (
            "2 numbers for each of the 20",
            "start",
            [[[0, 0]], "here", np.zeros((20, 3)), [[1], [1, 2]]],
        ),
        (
            "start must be finite",
            "start",
            [np.full((20, 2), value) for value in (np.nan, np.inf, -1e7)],
        ),
    ],
)
def test_wrong_options(answers, message, option, values):
    for value in values:
        with pytest.raises(InvalidOption, match=message):
            tste(answers, **{option: value})


def test_distances_by_hand():
    near = euclidean_similarity([[3, 4], [-6, -8], [0, 0], [4, -3]])
    assert near.tolist() == near.T.tolist()
    assert np.allclose(near[0], [0, -15, -5, -np.sqrt(50)])
    assert euclidean_similarity([[1e150], [-1e150]])[0, 1] == -2e150


def test_wrong_points():
    for points in ([1, 2], "here", [], np.empty((0, 2)), [[1], [1, 2]]):
        with pytest.raises(InvalidOption, match="points have shape"):
            euclidean_similarity(points)
    with pytest.raises(InvalidOption, match=r"points\[1\] = .*nan.* within"):
        euclidean_similarity([[1, 2], [3, np.nan]])
