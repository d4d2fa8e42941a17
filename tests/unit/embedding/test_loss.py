import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons, examples, random_rows, seeds
from tripletree import Quadruplets, Triplets, swap_near_far
from tripletree.embedding import loss as losses
from tripletree.embedding.loss import Objective, group_answers

KINDS = {3: Triplets, 4: Quadruplets}
ALPHAS = [0.5, 1.0, 2.0, 3.0, 6.0, 17.0]


def evaluate(answers, points, alpha):
    """Loss and gradient (n, d) of answers at points (n, d)."""
    objective = Objective(group_answers(answers), points.shape[1], alpha)
    loss, gradient = objective(points.T.ravel())
    again, same_gradient = objective(points.T.ravel())
    assert loss == again
    assert np.array_equal(gradient, same_gradient)
    return loss, gradient.reshape(points.shape[::-1]).T


def random_answers(width, n=30, m=2_000, seed=0):
    return KINDS[width](random_rows(seed, m, n, width), n)


@examples(150)
@given(st.data())
def test_loss_is_the_definition(data):
    answers = data.draw(comparisons())
    d, alpha = data.draw(st.integers(1, 4)), data.draw(st.sampled_from(ALPHAS))
    spread = data.draw(st.sampled_from([0.0, 0.1, 1.0, 30.0]))
    rng = np.random.default_rng(data.draw(seeds))
    points = spread * rng.normal(size=(answers.n_objects, d))
    loss, gradient = evaluate(answers, points, alpha)
    assert spread or not gradient.any()  # where points coincide, all is a guess
    weights = None if answers.weights is None else answers.weights.tolist()
    near, far = answers.near.tolist(), answers.far.tolist()
    expected = definitions.tste_loss(points.tolist(), near, far, weights, alpha)
    assert loss == pytest.approx(expected, rel=1e-11, abs=1e-13)


@examples(60)
@given(st.data())
def test_gradient_is_that_of_the_loss(data):
    answers = data.draw(comparisons())
    d, alpha = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(ALPHAS))
    points = np.random.default_rng(data.draw(seeds)).normal(size=(answers.n_objects, d))
    _, gradient = evaluate(answers, points, alpha)
    step = 1e-5
    for place in np.ndindex(points.shape):
        shift = np.zeros_like(points)
        shift[place] = step
        up, _ = evaluate(answers, points + shift, alpha)
        down, _ = evaluate(answers, points - shift, alpha)
        assert gradient[place] == pytest.approx((up - down) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("width", [3, 4])
@pytest.mark.parametrize("n", [30, 250])
def test_chunks_and_threads_change_nothing(width, n, monkeypatch):
    """30 objects have all partners, 250 objects have lists of them."""
    answers = random_answers(width, n)
    points = np.random.default_rng(1).normal(size=(n, 3))
    whole = evaluate(answers, points, 2.0)
    monkeypatch.setattr(losses, "ROWS_PER_CHUNK", 10)
    monkeypatch.setattr(losses, "ROWS_PER_THREAD", 1)
    results = []
    for n_threads in ("1", "2", "5"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
        results.append(evaluate(answers, points, 2.0))
    for loss, gradient in results:
        assert loss == results[0][0]
        assert np.array_equal(gradient, results[0][1])
        assert loss == pytest.approx(whole[0], rel=1e-12)
        assert np.allclose(gradient, whole[1], rtol=0, atol=1e-14)


@pytest.mark.parametrize("width", [3, 4])
@pytest.mark.parametrize("most", [2, 6])
def test_repeated_rows_are_weights(width, most):
    """Few repetitions stay as rows, and many are counted."""
    answers = random_answers(width, m=300)
    weights = np.random.default_rng(2).integers(0, most + 1, 300)
    kind = type(answers)
    points = np.random.default_rng(1).normal(size=(30, 2))
    once = evaluate(kind(answers.rows, 30, weights), points, 1.0)
    tripled = evaluate(kind(answers.rows, 30, weights * 1.5e199), points, 1.0)
    repeated = evaluate(kind(np.repeat(answers.rows, weights, axis=0), 30), points, 1.0)
    for loss, gradient in (tripled, repeated):
        assert loss == pytest.approx(once[0], rel=1e-13)
        assert np.allclose(gradient, once[1], rtol=0, atol=1e-15)
    used = answers.rows[weights > 0]
    n_kinds = len(np.unique(used if width == 3 else as_pairs(used), axis=0))
    grouped = group_answers(kind(answers.rows, 30, weights))
    shape = (weights.sum(), 0) if most == 2 else (n_kinds, n_kinds)
    assert (len(grouped.near), len(grouped.weights)) == shape


def as_pairs(rows):
    return np.sort(rows.reshape(-1, 2, 2), axis=2).reshape(-1, 4)


@pytest.mark.compiled
def test_many_objects_need_other_keys():
    """Beyond 2^21 objects, i, j and k no longer fit into one number."""
    n = 2**22
    one = group_answers(Triplets([[0, 1, 2]] * 5 + [[2**20, 1, 2]] * 5, n))
    assert len(one.near) == 2
    rows = [[n - 1, 0, n - 2]] * 7 + [[n - 1, n - 2, 0]] * 2 + [[0, 1, 2]]
    grouped = group_answers(Triplets(rows, n))
    assert grouped.weights.tolist() == [0.1, 0.7, 0.2]
    assert grouped.partners.tolist() == [1, 2, 0, n - 2]
    assert (grouped.near.tolist(), grouped.far.tolist()) == ([0, 0, 1], [1, 1, 0])


@pytest.mark.parametrize("alpha", [6.0, 300.0])
def test_enormous_distances_stay_finite(alpha):
    answers = random_answers(3)
    points = 1e30 * np.random.default_rng(1).normal(size=(30, 7))
    for turned in (answers, swap_near_far(answers)):
        loss, gradient = evaluate(turned, points, alpha)
        assert np.isfinite(loss)
        assert np.isfinite(gradient).all()
