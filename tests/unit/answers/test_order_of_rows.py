"""Rows come out in the order of the file, however many there are."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from tripletree import InvalidComparisons, read_comparisons

N, WRONG = 10**6, 700_001  # more rows than one thread of the engine takes at once
TABLE = (
    'SELECT r % 7 AS target, 7 + r % 11 AS "left", 18 + r % 5 AS "right", '
    f"CASE WHEN r = {WRONG} THEN 'nonsense' WHEN r % 3 = 0 THEN 'left' ELSE 'right' "
    f"END AS answer FROM range({N}) AS t(r)"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "place"), [("csv", f"line {WRONG + 2}"), ("parquet", f"row {WRONG + 1}")]
)
def test_a_million_rows(tmp_path, ending, place):
    """Words for answers are looked up in long lists, which once mixed up the rows."""
    path = tmp_path / f"answers.{ending}"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({TABLE}) TO '{path}'")
    with pytest.raises(InvalidComparisons, match=rf"\.{ending}, {place} .*'nonsense'"):
        read_comparisons(path)
    answers = read_comparisons(path, drop={"answer": ["nonsense"]})
    r = np.delete(np.arange(N), WRONG)
    left, right = 7 + r % 11, 18 + r % 5
    expected = [r % 7, *np.where(r % 3 == 0, (left, right), (right, left))]
    found = np.array(answers.labels, np.int64)[answers.rows]
    assert np.array_equal(found, np.column_stack(expected))
