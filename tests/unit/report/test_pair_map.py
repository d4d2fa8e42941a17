from __future__ import annotations

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import definitions
from tests.strategies import comparisons, seeds
from tripletree import Mismatch, Triplets, adds_similarity, balanced_tree, random_tree
from tripletree.report.plots import pair_map


@given(comparisons(), seeds, st.integers(1, 9), st.booleans())
def test_cells_are_means_of_pairs(answers, seed, n_cells, is_sparse):
    tree = random_tree(answers.n_objects, rng=np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patch:
        if is_sparse:
            patch.setattr(
                "tripletree.report.plots.adds_similarity",
                lambda answers: adds_similarity(answers, sparse=True),
            )
        patch.setattr("tripletree.report.plots.MOST_CELLS", n_cells)
        found = pair_map(tree, answers)
    s = adds_similarity(answers).tolist()
    order, edges = tree.leaf_order.tolist(), found.edges.tolist()
    assert len(edges) == min(n_cells, answers.n_objects) + 1
    means = definitions.mean_of_blocks(s, order, edges)
    expected = [[np.nan if x is None else x for x in row] for row in means]
    assert np.allclose(found.means, expected, rtol=1e-12, atol=1e-12, equal_nan=True)


def test_bytes_say_how_strong():
    answers = Triplets([[0, 1, 2]] * 4, 3)
    found = pair_map(balanced_tree(3), answers)
    cells = np.frombuffer(base64.b64decode(found.encoded()), np.int8).reshape(3, 3)
    assert found.strongest() == 4
    assert cells.diagonal().tolist() == [-128] * 3
    assert sorted(cells[~np.eye(3, dtype=bool)]) == [-127, -127, 0, 0, 127, 127]


def test_nothing_to_show():
    one, two = (
        pair_map(balanced_tree(n), Triplets(np.empty((0, 3), int), n)) for n in (1, 2)
    )
    assert two.strongest() == 1.0
    assert np.isnan(one.means).all()
    assert base64.b64decode(one.encoded()) == b"\x80"


def test_wrong_input():
    with pytest.raises(Mismatch, match="a tree of 4 leaves"):
        pair_map(balanced_tree(4), Triplets([[0, 1, 2]], 3))
