"""Revenue and satisfaction on DuckDB: as those of the answers in memory."""

import sys

import numpy as np
import pytest
from hypothesis import given

import tripletree as tt
from tests import strategies
from tests.processes import run_python
from tests.strategies import examples
from tests.unit.answers.cases import CASES, check_score
from tripletree import score
from tripletree.answers import engines
from tripletree.answers.tables import connected
from tripletree.errors import InvalidComparisons, InvalidOption, InvalidTree


@pytest.mark.parametrize("name", CASES)
def test_text_files(name, tmp_path):
    text, options = CASES[name]
    path = tmp_path / "answers.csv"
    path.write_text(text)
    check_score(path, options)


@examples(15)
@given(answers=strategies.comparisons(), number=strategies.st.integers(0, 2**32))
def test_any_answers_and_their_pair_sums(answers, number, tmp_path):
    if not len(answers):
        return
    path, pairs = tmp_path / "answers.parquet", tmp_path / "pairs.parquet"
    tt.write_comparisons(answers, path)
    tree = tt.random_tree(answers.n_objects, rng=np.random.default_rng(number))
    found, earned = score(tree, path), tt.revenue(tree, answers)
    expected = tt.satisfaction(tree, answers)
    tt.write_pair_sums(path, pairs)
    of_sums = score(tree, pairs)
    assert of_sums.satisfaction is None
    if isinstance(earned, int):
        assert (found.revenue, found.satisfaction) == (earned, expected)
        assert of_sums.revenue == earned
        assert of_sums.n_comparisons == found.n_comparisons == expected.total
    else:
        for one in (found, of_sums):
            assert np.isclose(one.revenue, earned, rtol=1e-9, atol=1e-6)
        counts = [[*vars(one).values()] for one in (found.satisfaction, expected)]
        assert np.allclose(*counts)


def test_batches_and_several_files(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    i, steps = rng.integers(0, 50, 7_000), rng.integers(1, 25, 7_000)
    rows = np.column_stack([i, (i + steps) % 50, (i - steps) % 50])
    weights = rng.integers(0, 2**40, 7_000)
    answers = tt.Triplets(rows, 50, weights)
    for n in (0, 1):
        tt.write_comparisons(answers[n::2], tmp_path / f"{n}.parquet")
    monkeypatch.setattr(engines, "ROWS_PER_BATCH", 2048)
    tree = tt.random_tree(50, rng=rng)
    found = score(tree, str(tmp_path / "*.parquet"), memory="100MB")
    assert found.revenue == tt.revenue(tree, answers)
    assert found.satisfaction == tt.satisfaction(tree, answers)
    assert found.n_comparisons == weights.sum()


def test_leaves_need_not_be_asked_about_but_objects_are_leaves(tmp_path):
    text, numbers = tmp_path / "answers.csv", tmp_path / "answers.parquet"
    text.write_text("i,j,k\nowl,hawk,carp\n")
    tt.write_comparisons(tt.Triplets([[0, 1, 5]], 6), numbers)
    named = ["hawk", "cod", "owl", "carp"]
    for path, labels, earned in (
        (text, named, 1),
        (numbers, None, 4),
        (numbers, ["0", "5", "1", "2"], -1),
    ):
        tree = tt.caterpillar_tree(6 if labels is None else 4).with_labels(labels)
        assert score(tree, path).revenue == earned
    three = tt.caterpillar_tree(3).with_labels(named[:3])
    for path, tree, words in (
        (text, three, "'carp' in column 'k' is not one of the 3"),
        (text, tt.caterpillar_tree(4), r"line 2 .* is not one of the 4"),
        (numbers, tt.caterpillar_tree(5), "'5' in column 'far' is not one of the 5"),
    ):
        with pytest.raises(InvalidComparisons, match=words):
            score(tree, path)
    with pytest.raises(InvalidTree):
        score("tree.nwk", text)


def test_pyarrow_is_asked_for(tmp_path, monkeypatch):
    path = tmp_path / "answers.csv"
    path.write_text("i,j,k\n0,1,2\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InvalidOption, match="pip install pyarrow"):
        score(tt.caterpillar_tree(3), path)


MEASURED = """
import resource, sys
import tripletree as tt
tree = tt.caterpillar_tree(20)
tt.score(tree, sys.argv[1], memory="200MB")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = tt.score(tree, sys.argv[2], memory="200MB")
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(found.n_comparisons, (after - before) / 1e3)
"""


@pytest.mark.stress
def test_answers_are_never_in_memory_at_once(tmp_path):
    paths = []
    for n in (1000, 3 * 10**7):  # 360 MB of ids
        paths.append(str(tmp_path / f"{n}.parquet"))
        with connected() as connection:
            connection.execute(
                "COPY (SELECT (r % 7)::INT AS i, (7 + r % 11)::INT AS j, "
                "(18 + r % 2)::INT AS k FROM range($n) AS t(r)) TO $out",
                {"n": n, "out": paths[-1]},
            )
    n_answers, megabytes = run_python(MEASURED, *paths, check=True).stdout.split()
    assert int(n_answers) == 3 * 10**7
    assert float(megabytes) < 200
