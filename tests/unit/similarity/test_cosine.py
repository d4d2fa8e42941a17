import numpy as np
import pytest

from tests import definitions
from tests.strategies import rng
from tripletree import (
    cosine_similarity,
    sample_quadruplets,
    sample_triplets,
)


def test_by_hand():
    s = cosine_similarity([[3, 4], [4, 3], [0, 0], [-6, -8]])
    assert s[[0, 2]].tolist() == [[1, 0.96, 0, -1], [0, 0, 0, 0]]
    assert s.dtype == np.float64
    s = cosine_similarity([[1e300, 1e300], [1e-300, 0], [5e-324, 5e-324]])
    assert s[0].tolist() == pytest.approx([1, np.sqrt(0.5), 1])


@pytest.mark.parametrize("shape", [(1, 1), (7, 0), (150, 3), (70, 90)])
def test_it_is_the_cosine(shape):
    vectors = rng().normal(size=shape)
    s = cosine_similarity(vectors)
    lengths = np.linalg.norm(vectors, axis=1)
    expected = (
        vectors @ vectors.T / np.where(lengths > 0, np.outer(lengths, lengths), 1)
    )
    assert np.allclose(s, expected, rtol=0, atol=1e-12)
    assert np.array_equal(s, s.T)
    assert (np.diagonal(s) == (shape[1] > 0)).all()


def test_equal_vectors_have_equal_rows():
    vectors = rng().normal(size=(10, 5))[rng().integers(0, 10, 200)]
    s = cosine_similarity(vectors)
    is_same = (vectors[:, None] == vectors).all(axis=2)
    assert (s[is_same] == 1).all()
    for i, j in np.argwhere(is_same):
        assert np.array_equal(s[i], s[j])


def test_equal_cosines_of_integers_are_equal_floats():
    vectors = rng().integers(-3, 4, (40, 5)).tolist()
    s = cosine_similarity(vectors)
    exact = [definitions.signed_squared_cosine(x, y) for x in vectors for y in vectors]
    both = {*zip(exact, s.ravel().tolist(), strict=True)}
    assert len(both) == len({*exact}) == len(np.unique(s))


@pytest.mark.parametrize("sample", [sample_triplets, sample_quadruplets])
def test_samples_from_features_and_from_cosines_are_the_same(sample):
    vectors = rng().normal(size=(90, 33))
    one = sample(features=vectors, n_questions=20_000, rng=rng())
    two = sample(cosine_similarity(vectors), 20_000, rng=rng())
    assert np.array_equal(one.rows, two.rows)
