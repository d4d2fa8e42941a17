"""Pair sums on Apache Spark: the same as in memory. Really starts Spark."""

from __future__ import annotations

import os
import shutil

import pytest

import tripletree as tt
from tests.unit.engines.cases import CASES, check_sums
from tripletree import merge_pair_files, pair_sums, read_pairs, write_pair_sums
from tripletree.errors import InvalidComparisons, InvalidOption

pyspark = pytest.importorskip(
    "pyspark", reason="no pyspark: pip install 'tripletree[spark]'"
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("java") or os.environ.get("JAVA_HOME")),
        reason="no Java: Spark needs a Java runtime of version 17 or later",
    ),
    # Sockets that pyspark leaves to the collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def session(request):
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = pyspark.sql.SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("name", CASES)
def test_text_files(name, tmp_path, session):
    text, options = CASES[name]
    path = tmp_path / "answers.csv"
    path.write_text(text)
    answers = tt.read_comparisons(path, **options)
    check_sums(pair_sums(path, engine=session, **options), answers)


@pytest.mark.parametrize("name", ["integers", "large weights", "float weights"])
def test_parquet_files(name, tmp_path, session):
    text, options = CASES[name]
    (tmp_path / "answers.csv").write_text(text)
    path = tmp_path / "answers.parquet"
    tt.write_comparisons(tt.read_comparisons(tmp_path / "answers.csv"), path)
    answers = tt.read_comparisons(path, **options)
    check_sums(pair_sums(path, engine=session), answers)


def test_ids_several_files_and_order(tmp_path, session):
    one, two = tt.Triplets([[0, 1, 2]], 9), tt.Triplets([[8, 1, 2], [2, 0, 1]], 9)
    for name, answers in (("1", one), ("2", two)):
        tt.write_comparisons(answers, tmp_path / f"{name}.parquet")
    source = str(tmp_path / "?.parquet")
    out, other = tmp_path / "spark.parquet", tmp_path / "duckdb.parquet"
    write_pair_sums(source, out, engine=session)
    write_pair_sums(source, other)
    import duckdb

    rows = [duckdb.sql(f"SELECT * FROM '{path}'").fetchall() for path in (out, other)]
    assert rows[0] == rows[1]
    assert len(os.listdir(tmp_path)) == 4


def test_frames_of_spark(session):
    frame = session.createDataFrame(
        [("a", "b", "c"), ("b", "c", "a")], ["anchor", "positive", "negative"]
    )
    answers = tt.read_comparisons(frame.toPandas())
    check_sums(pair_sums(frame), answers)
    with pytest.raises(InvalidOption, match="its own session"):
        pair_sums(frame, engine="duckdb")


def test_merging_and_taking_away(tmp_path, session):
    for name, text in {"1": "i,j,k\na,b,c\n", "2": "i,j,k\nx,b,c\na,b,c\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text)
        write_pair_sums(tmp_path / f"{name}.csv", tmp_path / f"{name}.parquet")
    one, two, both = (tmp_path / f"{n}.parquet" for n in ("1", "2", "both"))
    merge_pair_files([one, two], both, engine=session)
    check_sums(
        read_pairs(both), tt.read_comparisons([tmp_path / "1.csv", tmp_path / "2.csv"])
    )
    merge_pair_files(both, tmp_path / "left.parquet", without=two, engine=session)
    left, expected = read_pairs(tmp_path / "left.parquet"), read_pairs(one)
    assert left.n_answers == expected.n_answers
    assert (left.similarity.toarray()[:3, :3] == expected.similarity.toarray()).all()


def test_errors_are_ours(tmp_path, session):
    path, out = tmp_path / "answers.csv", tmp_path / "pairs.parquet"
    path.write_text("i,j,k\na,b,\n")
    with pytest.raises(InvalidComparisons, match="no label in column 'k'"):
        write_pair_sums(path, out, engine=session)
    path.write_text("i,j,k\na,b,c\na,b,c,d\n")
    with pytest.raises(InvalidComparisons, match="Spark says"):
        write_pair_sums(path, out, engine=session)
    with pytest.raises(InvalidOption, match="set it where that is made"):
        pair_sums(path, engine=session, memory="1GB")
    with pytest.raises(InvalidOption, match="is there already"):
        pair_sums(path, engine="local[1]")
    assert os.listdir(tmp_path) == ["answers.csv"]
