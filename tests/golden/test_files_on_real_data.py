"""The reader on the raw files of real data sets: every count as published with them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.golden.test_real_data import car, food
from tripletree import InvalidComparisons, drop_duplicates, read_comparisons


def ids(answers, first):
    """Rows with the integers of the file, less the first of them."""
    return np.array([int(label) for label in answers.labels])[answers.rows] - first


def test_car(data_folder):
    """Known by its header: three cars, the most central one, a response time."""
    path = data_folder / "car" / "survey_data.csv"
    answers = read_comparisons(path)
    assert (len(answers), answers.n_objects) == (14_194, 60)
    assert len(drop_duplicates(answers)) == 13_152
    expected = sorted(map(tuple, car(data_folder).rows.tolist()))
    assert sorted(map(tuple, ids(answers, 1).tolist())) == expected
    columns = {"central": 0, "first": 1, "second": 2}
    reduced = read_comparisons(data_folder / "car" / "ALL.csv", columns=columns)
    assert sorted(map(tuple, ids(reduced, 1).tolist())) == expected
    slow = read_comparisons(path, min_response_time=2)
    dropped = slow.dropped["response time below 2"]
    assert len(slow) + 2 * dropped == 14_194
    seconds = np.loadtxt(path, delimiter=",", skiprows=1, usecols=5)
    assert dropped == (seconds < 2).sum() > 0
    rounds = read_comparisons(path, columns={"annotator": "survey_round"})
    assert len(rounds.annotator_names) == 146


def test_food(data_folder):
    answers = read_comparisons(data_folder / "food" / "triplets.csv.gz")
    assert (len(answers), answers.n_objects) == (250_320, 100)
    assert len(drop_duplicates(answers)) == 190_376
    assert len(answers.annotator_names) == 243
    assert np.array_equal(ids(answers, 0), food(data_folder).rows)


def test_musician(data_folder):
    path = data_folder / "musician" / "music_triplets.csv.gz"
    with pytest.raises(InvalidComparisons, match="compared with itself"):
        read_comparisons(path)
    answers = read_comparisons(path, drop_degenerate=True)
    assert (len(answers), answers.n_objects) == (9_107 - 17, 400)
    assert dict(answers.dropped) == {"degenerate": 17}


def test_things(data_folder):
    """Separated by blanks, without a header; the third is the odd one."""
    path = data_folder / "things" / "test_10.txt.gz"
    columns = {"first": 0, "second": 1, "odd": 2}
    answers = read_comparisons(path, columns=columns)
    assert (len(answers), answers.n_objects) == (100_000, 1_854)
    assert len(drop_duplicates(answers)) == 99_362
    a, b, odd = np.loadtxt(path, dtype=int).T
    expected = np.stack([a, b, odd, b, a, odd], axis=1).reshape(-1, 3)
    assert np.array_equal(ids(answers, 0), expected)
