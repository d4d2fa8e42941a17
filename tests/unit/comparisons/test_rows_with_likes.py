"""Rows that may ask a question twice, found without grouping all rows."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons, random_rows
from tripletree import noise_ceiling, odd_one_out, ultrametric_index
from tripletree.comparisons.row_checks import rows_with_likes
from tripletree.comparisons.summary import count_different


@contextmanager
def always_in_buckets(n_per_row=8):
    """Also few rows, of which all would be grouped."""
    with pytest.MonkeyPatch.context() as patch:
        module = "tripletree.comparisons.row_checks"
        patch.setattr(f"{module}.FEW_ROWS", 0)
        patch.setattr(f"{module}.BUCKETS_PER_ROW", n_per_row)
        yield


@given(comparisons(), st.sampled_from([1, 8]), st.sampled_from([1, 3, 2**20]))
def test_rows_that_are_left_out_ask_what_no_other_does(answers, n_per_row, factor):
    assert rows_with_likes(answers.rows).tolist() == [*range(len(answers))]
    with always_in_buckets(n_per_row):
        found = rows_with_likes(answers.rows * np.int32(factor)).tolist()
    assert found == sorted({*found})
    assert {*definitions.rows_with_likes(answers.rows.tolist())} <= {*found}


@pytest.mark.parametrize("step", [1, 1000, 2**20])
def test_most_rows_with_a_question_of_their_own_are_left_out(step):
    """Expected: less than 1 in 8, the rows of buckets over the buckets."""
    triples = np.array(definitions.triplet_questions(20), np.int32) * step
    pairs = np.column_stack([triples, np.zeros(len(triples), np.int32)])
    for rows in (triples[:: len(triples) // 900], pairs[:900]):
        with always_in_buckets():
            n_alone = len(rows) - len(rows_with_likes(rows))
        assert n_alone > 0.8 * (len(rows) - len(definitions.rows_with_likes(rows)))


@given(comparisons())
def test_what_is_counted_is_the_same(answers):
    """Questions, with more objects than one integer per question allows, and votes."""
    expected = definitions.kinds(answers.near.tolist(), answers.far.tolist())[:2]
    ceiling, index = noise_ceiling(answers), ultrametric_index(answers)
    with always_in_buckets():
        assert count_different(answers.rows, 2**20) == expected
        assert noise_ceiling(answers) == ceiling
        assert ultrametric_index(answers) == index


def test_repeated_answers_among_many_others():
    rows = np.concatenate([random_rows(0, 400, 9), 9 + random_rows(1, 300, 300)])
    shown = np.sort(np.random.default_rng(2).permutation(rows), axis=1)
    for answers in (odd_one_out(shown, shown[:, at], 309) for at in (0, 2)):
        ceiling, index = noise_ceiling(answers), ultrametric_index(answers)
        assert ceiling is not None
        with always_in_buckets():
            assert (noise_ceiling(answers), ultrametric_index(answers)) == (
                ceiling,
                index,
            )
