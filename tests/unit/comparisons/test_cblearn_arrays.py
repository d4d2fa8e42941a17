from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import sparse
from tripletree import InvalidComparisons
from tripletree.comparisons.answer_checks import (
    as_ids,
    as_responses,
    as_weights,
    from_tensor,
)


def test_tensor_in_both_shapes():
    """(0, 1, 2) three times, (2, 0, 1) once the other way round."""
    tensor = sparse.COO([[0, 2], [1, 0], [2, 1]], [3, -1], shape=(3, 3, 3))
    table = csr_array(([3, -1], ([0, 2], [1 * 3 + 2, 0 * 3 + 1])), shape=(3, 9))
    for given in (tensor, table):
        rows, counts, n = from_tensor(given)
        assert rows.tolist() == [[0, 1, 2], [2, 0, 1]]
        assert counts.tolist() == [3, -1]
        assert n == 3


def test_other_things_are_no_tensor():
    for given in ([[0, 1, 2]], np.zeros((3, 3)), np.zeros((2, 2, 2)), None):
        assert from_tensor(given) is None
    with pytest.raises(InvalidComparisons, match=r"\(3, 8\): give the tensor"):
        from_tensor(csr_array((3, 8)))


def test_ids():
    for given in ([[0, 1, 2]], [[0.0, 1.0, 2.0]], np.array([[0, 1, 2]], object)):
        ids = as_ids(np.asarray(given))
        assert ids.dtype.kind == "i"
        assert ids.tolist() == [[0, 1, 2]]
    for wrong in ([[0.5, 1, 2]], [["a", "b", "c"]], [[1e300, 1, 2]], [[True] * 3]):
        with pytest.raises(InvalidComparisons, match="integer object ids"):
            as_ids(np.asarray(wrong))


def test_weights():
    assert as_weights([1.0, 2.0]).dtype == np.int64
    assert as_weights([0.5, 2.0]).dtype == np.float64
    assert np.isnan(as_weights([np.nan, 1.0])[0])  # refused where rows are checked
    with pytest.raises(InvalidComparisons, match="zero for all"):
        as_weights([0.0, 0.0])


def test_responses():
    assert as_responses([[1], [-1]]).tolist() == [1, -1]
    assert as_responses(np.array([True, False], object)).dtype == np.bool_
    assert as_responses([0, 0]).tolist() == [0, 0]
    assert as_responses([0, 1, -1]).tolist() == [0, 1, -1]
    with pytest.raises(InvalidComparisons, match="0 is undecided"):
        as_responses([0, 1.0])
