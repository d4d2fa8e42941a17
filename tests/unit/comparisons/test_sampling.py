from collections import Counter

import numpy as np
import pytest

from tests.strategies import rng
from tripletree import (
    sample_quadruplets,
    sample_triplets,
    swap_near_far,
)
from tripletree.comparisons import sampling
from tripletree.comparisons.sampling import (
    draw_without_replacement,
    questions_of_numbers,
)

LINE = -np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0) ** 1.3))
LINE = LINE + LINE.T  # no two pairs are equally similar
SAMPLERS = [sample_triplets, sample_quadruplets]


def number_of_pair(i, j, n):
    return i * (2 * n - i - 1) // 2 + j - i - 1


def pairs_at_the_edges(n):
    """The first and the last pairs of the first, last and some middle rows."""
    rows = {0, 1, n // 3, n // 2, n - 3, n - 2}
    return [(i, j) for i in sorted(rows) for j in sorted({i + 1, n - 1})]


def pair_of(number, n):
    """By counting rows, in Python's integers."""
    i = next(i for i in range(n) if number_of_pair(i, n - 1, n) >= number)
    return [i, number - number_of_pair(i, i + 1, n) + i + 1]


def triplet_questions(n):
    """Those of some objects, by their numbers, and how many there are."""
    n_pairs = (n - 1) * (n - 2) // 2
    return n * n_pairs, {
        i * n_pairs + number_of_pair(j, k, n - 1): [i, j + (j >= i), k + (k >= i)]
        for i in (0, n // 2, n - 1)
        for j, k in pairs_at_the_edges(n - 1)
    }


def quadruplet_questions(n):
    n_pairs = n * (n - 1) // 2
    return n_pairs * (n_pairs - 1) // 2, {
        number_of_pair(one, two, n_pairs): pair_of(one, n) + pair_of(two, n)
        for one, two in pairs_at_the_edges(n_pairs)
    }


@pytest.mark.parametrize(
    ("questions", "n", "width"),
    [
        *((triplet_questions, n, 3) for n in (10**3, 10**5, 2_097_153)),
        *((quadruplet_questions, n, 4) for n in (10**3, 77_936)),
    ],
)
def test_numbers_of_questions_about_many_objects(questions, n, width):
    """Where rows of pairs begin and end, a rounded root may slip by one."""
    n_all, asked = questions(n)
    assert max(asked) == n_all - 1 < 2**62
    numbers = np.array([*asked], np.int64)
    assert questions_of_numbers(numbers, n, width).tolist() == [*asked.values()]


@pytest.mark.parametrize(
    ("n_all", "m"),
    [(40, 2), (12, 2), (5, 3), (4, 4)],
    ids=["hashed", "marked", "left out", "all"],
)
def test_draws_are_uniform_in_sets_and_order(n_all, m):
    """Chi-square on ordered samples: its mean is the number of kinds."""
    generator, n_draws = rng(1), 20_000
    found = Counter(
        tuple(draw_without_replacement(n_all, m, rng=generator).tolist())
        for _ in range(n_draws)
    )
    n_kinds = int(np.prod(np.arange(n_all, n_all - m, -1)))
    assert all(len(set(sample)) == m for sample in found)
    expected = n_draws / n_kinds
    seen = sum((count - expected) ** 2 / expected for count in found.values())
    chi_square = seen + (n_kinds - len(found)) * expected
    assert abs(chi_square - n_kinds) < 4 * np.sqrt(2 * n_kinds)


@pytest.mark.parametrize(("n_all", "m"), [(10**12, 300_000), (10**6, 300_000), (9, 0)])
def test_many_draws_are_different(n_all, m):
    drawn = draw_without_replacement(n_all, m, rng=rng())
    assert len(set(drawn.tolist())) == len(drawn) == m
    assert m == 0 or (drawn.min() >= 0 and drawn.max() < n_all)


@pytest.mark.parametrize(
    ("sample", "n_all"), [(sample_triplets, 60), (sample_quadruplets, 105)]
)
def test_asking_everything_or_nothing(sample, n_all):
    for p, n_asked in ((1.0, n_all), (0.0, 0)):
        answers = sample(LINE, probability=p, rng=rng())
        assert len(answers) == len({*map(tuple, answers)}) == n_asked


@pytest.mark.parametrize("sample", SAMPLERS)
def test_flips(sample):
    right, wrong = (sample(LINE, 50, flip=flip, rng=rng()) for flip in (0, 1))
    assert np.array_equal(swap_near_far(right).rows, wrong.rows)
    s = np.add.outer(np.arange(40.0), np.arange(40.0) ** 2)
    s += s.T
    right, mixed = (sample(s, 10_000, flip=flip, rng=rng()) for flip in (0, 0.2))
    assert 0.18 < (right.rows != mixed.rows).any(axis=1).mean() < 0.22


def test_a_probability_gives_a_binomial_number():
    numbers = [
        len(sample_triplets(LINE, probability=0.3, rng=rng(seed)))
        for seed in range(400)
    ]
    assert len(set(numbers)) > 10
    assert abs(np.mean(numbers) - 0.3 * 60) < 4 * np.sqrt(0.21 * 60 / 400)
    assert abs(np.var(numbers) - 0.21 * 60) < 4


@pytest.mark.parametrize("sample", SAMPLERS)
def test_seeds_and_parts(sample, monkeypatch):
    """Equal seeds give equal answers, also if these are made in parts."""
    one, other = (sample(LINE, 25, flip=0.3, rng=rng(seed)).rows for seed in (3, 4))
    assert not np.array_equal(one, other)
    monkeypatch.setattr(sampling, "ROWS_PER_CHUNK", 7)
    assert np.array_equal(one, sample(LINE, 25, flip=0.3, rng=rng(3)).rows)


@pytest.mark.parametrize("sample", SAMPLERS)
def test_billions_of_questions_from_features(sample):
    """2,000 objects: 4e9 triplet and 2e12 quadruplet questions."""
    angle = np.sort(rng().random(2000))
    vectors = np.column_stack([np.cos(angle), np.sin(angle)])
    answers = sample(features=vectors, n_questions=5000, rng=rng())
    assert (len(answers), len(np.unique(answers.rows, axis=0))) == (5000, 5000)
    near, far = (np.diff(angle[x], axis=1) for x in (answers.near, answers.far))
    assert (np.abs(near) < np.abs(far) + 1e-12).all()
    assert len(np.unique(answers.rows[:, 0])) > 1000


def test_lengths_of_vectors_and_the_diagonal_do_not_matter():
    vectors, s = rng().normal(size=(6, 4)), LINE.copy()
    sizes = np.ldexp(1.0, [0, 900, -900, 3, 1, -70])
    np.fill_diagonal(s, np.nan)
    for one, two in (
        ({"features": vectors}, {"features": vectors * sizes[:, None]}),
        ({"similarity": LINE}, {"similarity": s}),
    ):
        rows = sample_triplets(**one, n_questions=40, rng=rng()).rows
        same = sample_triplets(**two, n_questions=40, rng=rng()).rows
        assert np.array_equal(rows, same)


@pytest.mark.parametrize("sample", SAMPLERS)
def test_few_objects(sample):
    for n in (1, 2):
        answers = sample(np.zeros((n, n)), 0, rng=rng())
        assert (len(answers), answers.n_objects) == (0, n)
        assert len(sample(np.zeros((n, n)), probability=0.5, rng=rng())) == 0


def test_as_many_objects_as_there_can_be():
    most = np.zeros((77_936, 1))
    assert len(sample_quadruplets(features=most, n_questions=5, rng=rng())) == 0
