"""From the questions that data sets asked to rows (i, j, k): i is closer to j than k.

The rows of one answer stand together, in the order of the answers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def rows_of_most_central(center: Ints, others: Ints) -> Ints:
    """c is the most central of {c, j, k}: (j, c, k) and (k, c, j); others is (m, 2)."""
    j, k = others.T
    return _together([j, center, k], [k, center, j])


def rows_of_odd_one_out(shown: Ints) -> Ints:
    """o is the odd one out of {a, b, o}: (a, b, o) and (b, a, o); o is the third."""
    a, b, odd = shown.T
    return _together([a, b, odd], [b, a, odd])


def rows_of_ranks(trials: Ints, n_ranked: int) -> Ints:
    """A reference and its candidates, the first n_ranked from nearest on, others after.

    Each ranked candidate is closer than every later one: "rank 2 of 8" gives 7 + 6.
    """
    n_candidates = trials.shape[1] - 1
    columns = [
        trials[:, [0, near, far]]
        for near in range(1, n_ranked + 1)
        for far in range(near + 1, n_candidates + 1)
    ]
    return np.stack(columns, axis=1).reshape(-1, 3)


def rows_of_grid(probe: int, chosen: list[int], rest: list[int]) -> Ints:
    """Every chosen object is closer to the probe than every one not chosen."""
    rows = np.empty((len(chosen) * len(rest), 3), np.int64)
    rows[:, 0] = probe
    rows[:, 1] = np.repeat(np.array(chosen, np.int64), len(rest))
    rows[:, 2] = np.tile(np.array(rest, np.int64), len(chosen))
    return rows


def rows_of_votes(questions: Ints, votes: Ints) -> Ints:
    """Questions (i, a, b), votes for a and for b: one row per vote."""
    return np.repeat(
        np.stack([questions, questions[:, [0, 2, 1]]], axis=1).reshape(-1, 3),
        votes.reshape(-1),
        axis=0,
    )


def without_degenerate(rows: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """The rows of three different objects, and which rows these were."""
    i, j, k = rows.T
    is_kept = (i != j) & (i != k) & (j != k)
    return rows[is_kept], is_kept


def _together(first: list[Ints], second: list[Ints]) -> Ints:
    one, two = np.column_stack(first), np.column_stack(second)
    return np.stack([one, two], axis=1).reshape(-1, 3)
