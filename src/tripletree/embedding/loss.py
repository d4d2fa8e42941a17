r"""The mean log-loss of answers under t-STE, and its gradient, evaluated many times.

With :math:`b_{xy} = 1 + |x - y|^2 / \alpha` and :math:`u = b^{(\alpha + 1) / 2}`, an
answer with near pair u and far pair v has the probability v / (u + v). Only this ratio
is needed per answer; everything else is done once per pair::

    anchor i   partners  j0  j1  j2 ...     u_0  u_1  u_2   one pass over the partners
               rows      near 0, far 2      pull_0 += q, pull_2 -= q,  q = u_0/(u_0+u_2)
                         near 1, far 0      ...
               gradient  sum of pull_a / b_a * (x_i - x_ja)   one pass over the partners

So rows are sorted by anchor once, equal rows are counted where there are many, and
their objects are written as places in the list of the anchor's partners. Where most
pairs occur, all objects are partners and no list is needed. The pairs of quadruplets
are numbered altogether, and the three steps go over all of them one after the other.

Chunks of the work depend on the answers alone, and their results are added in order:
neither loss nor gradient depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tripletree._checks import check_fits
from tripletree._threads import n_threads, row_chunks, share_chunks
from tripletree.comparisons.row_checks import Floats, Ints, Rows, Weights
from tripletree.comparisons.triplets import Comparisons, Triplets, rows_that_count
from tripletree.embedding import _tste_kernel as kernels
from tripletree.embedding.descent import MEMORY

MOST_CHUNKS = 16
ROWS_PER_CHUNK = 2**12  # at least, so that small problems have few chunks
ROWS_PER_THREAD = 2**14  # at least: fewer are done before one more has started


class GroupedAnswers(NamedTuple):
    """Answers in the layout that is evaluated.

    The partners of object i are partners[pair_starts[i] : pair_starts[i + 1]], or all
    objects if there are no partners at all. near and far are places among the partners
    of the anchor (triplets, whose rows are row_starts[i] : row_starts[i + 1]) or among
    all pairs (quadruplets, without row_starts). weights add up to 1; empty weights
    count every row 1 / m.
    """

    n_objects: int
    pair_starts: Ints
    partners: Rows
    row_starts: Ints
    near: Rows
    far: Rows
    weights: Floats


def group_answers(comparisons: Comparisons) -> GroupedAnswers:
    """Sort, count and number the answers; those of weight 0 are left out."""
    m = len(comparisons)
    check_fits(80 * m, f"grouping {m} comparisons", "take a random part of them.")
    counted = rows_that_count(comparisons)
    rows, weights, n = counted.rows, counted.weights, counted.n_objects
    if isinstance(comparisons, Triplets):
        return _group_triplets(rows, weights, n)
    return _group_quadruplets(rows, weights, n)


def _group_triplets(rows: Rows, weights: Weights | None, n: int) -> GroupedAnswers:
    i, j, k = (rows[:, c].astype(np.int64) for c in range(3))
    pair = i * n + j
    if n > 2**21:  # i, j and k would not fit into one key
        pair = np.unique(pair, return_inverse=True)[1]
    chosen, counted = _counted(pair * n + k, weights)
    # Of each anchor, answers stay in the order they came: where equal objects follow
    # one another, each addition to a pull has to wait for the one before.
    order = np.argsort(i[chosen], kind="stable")
    chosen = chosen[order]
    counted = counted[order] if len(counted) else counted
    row_starts = np.searchsorted(i[chosen], np.arange(n + 1)).astype(np.int64)
    j, k = rows[chosen, 1], rows[chosen, 2]
    m, pair_starts = len(chosen), np.zeros(n + 1, np.int64)
    if 4 * m >= n * n:
        none = np.empty(0, np.int32)
        return GroupedAnswers(n, pair_starts, none, row_starts, j, k, counted)
    partners, number = np.empty(2 * m, np.int32), np.full(n, -1, np.int32)
    near, far = np.empty((2, m), np.int32)
    n_pairs = kernels.number_partners(
        (row_starts, j, k), number, partners, pair_starts, near, far
    )
    partners = partners[:n_pairs].copy()
    return GroupedAnswers(n, pair_starts, partners, row_starts, near, far, counted)


def _group_quadruplets(rows: Rows, weights: Weights | None, n: int) -> GroupedAnswers:
    pairs = np.sort(rows.reshape(-1, 2), axis=1).astype(np.int64)
    keys, number = np.unique(pairs[:, 0] * n + pairs[:, 1], return_inverse=True)
    near, far = number.reshape(-1, 2).T
    chosen, counted = _counted(near * max(1, len(keys)) + far, weights)
    pair_starts = np.searchsorted(keys // n, np.arange(n + 1)).astype(np.int64)
    partners = (keys % n).astype(np.int32)
    near, far = near[chosen].astype(np.int32), far[chosen].astype(np.int32)
    return GroupedAnswers(
        n, pair_starts, partners, np.empty(0, np.int64), near, far, counted
    )


def _counted(keys: Ints, weights: Weights | None) -> tuple[Ints, Floats]:
    """One row of each kind of key, and the share of each in the whole.

    No shares if all are the same. Then fewer logarithms are needed: so where less than
    half of the rows are repetitions, they stay, and small weights become repetitions.
    """
    if weights is None or weights.dtype.kind == "i":
        ordered = np.sort(keys)
        n_rows = len(keys) if weights is None else int(weights.sum())
        if 2 * np.count_nonzero(ordered[1:] != ordered[:-1]) + 2 >= n_rows:
            once = np.arange(len(keys))
            if weights is not None:
                once = np.repeat(once, weights.astype(np.int64))
            return once, np.empty(0)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    is_new = np.ones(len(keys), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    first = np.flatnonzero(is_new)
    if len(first) == 0:
        return order, np.empty(0)
    values = np.ones(len(keys)) if weights is None else weights / float(weights.max())
    sums = np.add.reduceat(values[order], first)
    if (sums == sums[0]).all():
        return order[first], np.empty(0)
    return order[first], sums / sums.sum()


class Objective:
    """The mean log-loss of grouped answers and its gradient, a function of points."""

    def __init__(
        self, answers: GroupedAnswers, n_dimensions: int, alpha: float
    ) -> None:
        self.answers = answers
        self.shape = (n_dimensions, answers.n_objects)
        self.alpha = alpha
        n_rows, width = len(answers.near), answers.n_objects
        if len(answers.partners):
            width = int(np.diff(answers.pair_starts).max())
        n_chunks = max(1, min(MOST_CHUNKS, n_rows // ROWS_PER_CHUNK))
        starts = answers.row_starts if len(answers.row_starts) else answers.pair_starts
        goals = np.linspace(0, starts[-1], n_chunks + 1)
        self.anchors = np.searchsorted(starts, goals)
        self.anchors[0], self.anchors[-1] = 0, answers.n_objects
        n_pairs = 0 if len(answers.row_starts) else len(answers.partners)
        needed = 8 * n_chunks * ((2 * n_dimensions + 3) * width + n_pairs)
        # Gradients, and the vectors that a descent remembers.
        needed += 8 * (n_chunks + 2 * MEMORY + 8) * n_dimensions * answers.n_objects
        what = f"an embedding of {answers.n_objects} objects"
        check_fits(needed, what, "use fewer objects or dimensions.")
        room = np.zeros((n_chunks, 2, n_dimensions, width))
        lists = np.zeros((n_chunks, 3, width))
        self.work = [kernels.Work(*room[c], *lists[c]) for c in range(n_chunks)]
        self.gradients = np.empty((n_chunks, *self.shape))
        self.bases, self.raised = np.empty(n_pairs), np.empty(n_pairs)
        self.pulls = np.zeros((n_chunks, n_pairs))
        most = max(1, n_rows // ROWS_PER_THREAD)
        self.n_threads = min(n_threads(), n_chunks, most)

    def __call__(self, flat_points: Floats) -> tuple[float, Floats]:
        """The mean log-loss at points (d * n,) and its gradient of the same shape."""
        points = flat_points.reshape(self.shape)
        n_rows = len(self.answers.near)
        losses = np.zeros(len(self.gradients))
        if len(self.answers.row_starts):
            self._add_triplets(points, losses)
        else:
            self._add_quadruplets(points, losses)
        loss, gradient = float(sum(losses.tolist())), self.gradients.sum(axis=0)
        if len(self.answers.weights) == 0 and n_rows:
            loss, gradient = loss / n_rows, gradient / n_rows
        return loss, gradient.ravel()

    def _add_triplets(self, points: Floats, losses: Floats) -> None:
        def one(c: int) -> None:
            self.gradients[c] = 0.0
            first, last = self.anchors[c : c + 2]
            losses[c] = kernels.add_triplets(
                (points, self.alpha),
                self.answers,
                first,
                last,
                self.work[c],
                self.gradients[c],
            )

        self._in_threads(one)

    def _add_quadruplets(self, points: Floats, losses: Floats) -> None:
        a, model = self.answers, (points, self.alpha)
        size = max(1, -(-len(a.near) // len(losses)))
        parts = row_chunks(len(a.near), size)

        def find(c: int) -> None:
            first, last = self.anchors[c : c + 2]
            kernels.fill_pair_bases(
                model, a, first, last, self.work[c], self.bases, self.raised
            )

        def pull(c: int) -> None:
            if c < len(parts):
                rows = parts[c]
                weights = a.weights[rows] if len(a.weights) else a.weights
                near, far = a.near[rows], a.far[rows]
                losses[c] = kernels.add_losses(
                    near, far, weights, self.raised, self.pulls[c]
                )

        def push(c: int) -> None:
            self.gradients[c] = 0.0
            first, last = self.anchors[c : c + 2]
            pairs = slice(a.pair_starts[first], a.pair_starts[last])
            for other in self.pulls[1:, pairs]:
                self.pulls[0, pairs] += other
                other[:] = 0.0
            of_pairs, own = (self.bases, self.pulls[0]), self.gradients[c]
            kernels.add_pair_forces(model, a, first, last, of_pairs, self.work[c], own)

        for step in (find, pull, push):
            self._in_threads(step)

    def _in_threads(self, step: Callable[[int], Any]) -> None:
        """Take every chunk through one step; any thread may do it."""
        share_chunks(
            lambda _, c: step(c), range(self.n_threads), range(len(self.gradients))
        )
