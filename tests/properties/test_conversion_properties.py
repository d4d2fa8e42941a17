"""Answers of public data sets become the rows that their definitions say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tripletree.datasets.conversions import (
    rows_of_grid,
    rows_of_most_central,
    rows_of_odd_one_out,
    rows_of_ranks,
    rows_of_votes,
    without_degenerate,
)


def screens(width):
    """Questions that show so many different objects."""
    objects = st.permutations(range(12)).map(lambda order: order[:width])
    return st.lists(objects, min_size=1, max_size=6)


@given(screens(3))
def test_most_central(shown):
    table = np.array(shown)
    expected = definitions.most_central_rows(table[:, 0], table[:, 1:].tolist())
    rows = rows_of_most_central(table[:, 0], table[:, 1:])
    assert rows.tolist() == expected
    assert len(rows) == 2 * len(shown)


@given(screens(3))
def test_odd_one_out(shown):
    rows = rows_of_odd_one_out(np.array(shown))
    assert rows.tolist() == definitions.odd_one_out_rows(shown)
    assert len(rows) == 2 * len(shown)


@given(st.integers(3, 9).flatmap(screens), st.data())
def test_ranks(trials, data):
    n = len(trials[0]) - 1
    k = data.draw(st.integers(1, n - 1))
    rows = rows_of_ranks(np.array(trials), k)
    assert rows.tolist() == definitions.rank_rows(trials, k)
    assert len(rows) == len(trials) * sum(n - near for near in range(1, k + 1))


def test_rank_2_of_8_gives_13():
    assert len(rows_of_ranks(np.arange(9)[None], 2)) == 13


@given(st.integers(2, 9).flatmap(screens), st.data())
def test_grid(shown, data):
    for probe, *images in shown:
        n_chosen = data.draw(st.integers(0, len(images)))
        chosen, rest = images[:n_chosen], images[n_chosen:]
        rows = rows_of_grid(probe, chosen, rest)
        expected = [[probe, near, far] for near in chosen for far in rest]
        assert rows.tolist() == expected


@given(screens(3), st.data())
def test_votes(questions, data):
    pair = st.lists(st.integers(0, 4), min_size=2, max_size=2)
    votes = [data.draw(pair) for _ in questions]
    rows = rows_of_votes(np.array(questions), np.array(votes))
    assert rows.tolist() == definitions.vote_rows(questions, votes)
    assert len(rows) == np.sum(votes)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1))
def test_degenerate_rows(given_rows):
    rows, is_kept = without_degenerate(np.array(given_rows))
    assert is_kept.tolist() == [len(set(row)) == 3 for row in given_rows]
    assert rows.tolist() == [row for row in given_rows if len(set(row)) == 3]
