"""Pair sums on Apache Spark: the same as in memory. Really starts Spark."""

import importlib.util
import os
import shutil
import sys

import pytest

import tripletree as tt
from tests.processes import missing, run, run_python
from tests.unit.answers.cases import CASES, check_score, check_sums
from tripletree import merge_pair_files, pair_sums, read_pairs, write_pair_sums
from tripletree.answers.on_spark import started
from tripletree.errors import InvalidComparisons, InvalidOption, Mismatch

pytestmark = [
    pytest.mark.slow,
    # Sockets that pyspark leaves to the collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module", autouse=True)
def spark():
    if importlib.util.find_spec("pyspark") is None:
        missing("no pyspark: pip install 'tripletree[spark]'", "TRIPLETREE_SPARK")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        what = "no Java: Spark needs a Java runtime of version 17 or later"
        missing(what, "TRIPLETREE_SPARK")


@pytest.fixture(scope="module")
def session(spark):
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = builder.getOrCreate()
    yield session
    session.stop()


def test_the_python_of_workers_is_said(tmp_path, session, monkeypatch):
    path = tmp_path / "answers.csv"
    path.write_text("i,j,k\n0,1,2\n")
    fake = tmp_path / "python"
    fake.write_text(
        f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n'
    )
    fake.chmod(0o755)
    (tmp_path / "pyarrow.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'pyarrow'\")\n"
    )
    monkeypatch.setattr(session.sparkContext, "pythonExec", str(fake))
    with pytest.raises(InvalidOption, match="set PYSPARK_PYTHON"):
        tt.score(tt.caterpillar_tree(3), path, engine=session)


# Weights, ties, filters and each form; scoring starts more jobs than summing.
SCORED = ("choice", "odd", "central by number", "quadruplets", "float weights")


@pytest.mark.parametrize("name", CASES)
def test_text_files(name, tmp_path, session):
    text, options = CASES[name]
    path = tmp_path / "answers.csv"
    path.write_text(text)
    answers = tt.read_comparisons(path, **options)
    check_sums(pair_sums(path, engine=session, **options), answers)
    if name in SCORED:
        check_score(path, options, session)


@pytest.mark.parametrize("name", ["integers", "large weights", "float weights"])
def test_parquet_files(name, tmp_path, session):
    text, options = CASES[name]
    (tmp_path / "answers.csv").write_text(text)
    path = tmp_path / "answers.parquet"
    tt.write_comparisons(tt.read_comparisons(tmp_path / "answers.csv"), path)
    check_sums(pair_sums(path, engine=session), tt.read_comparisons(path, **options))


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
    check_sums(pair_sums(frame), tt.read_comparisons(frame.toPandas()))
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
    assert left.n_comparisons == expected.n_comparisons
    assert (left.similarity.toarray()[:3, :3] == expected.similarity.toarray()).all()


def test_sums_of_floats_are_no_part_of_sums_of_integers(tmp_path, session):
    paths = [tmp_path / "whole.parquet", tmp_path / "half.parquet"]
    for path, near in zip(paths, ([3], [0.5]), strict=True):
        tt.write_pairs(tt.PairSums(["a", "b"], [[0, 1]], near, [0]), path)
    with pytest.raises(Mismatch, match="cannot be part"):
        merge_pair_files(
            paths[0], tmp_path / "left.parquet", without=paths[1], engine=session
        )


def test_revenue_of_pair_sums_and_integers(tmp_path, session):
    answers = tt.Triplets([[0, 1, 2], [2, 0, 1], [3, 1, 0]], 4, [5, 2, 3])
    path, pairs = tmp_path / "answers.parquet", tmp_path / "pairs.parquet"
    tt.write_comparisons(answers, path)
    write_pair_sums(path, pairs)
    tree = tt.caterpillar_tree(4)
    found, of_sums = (tt.score(tree, p, engine=session) for p in (path, pairs))
    assert found.revenue == of_sums.revenue == tt.revenue(tree, answers)
    assert found.satisfaction == tt.satisfaction(tree, answers)
    assert found.n_comparisons == of_sums.n_comparisons == 10
    assert of_sums.satisfaction is None


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


# From here on sessions are started from an address, in Java processes of their own.
def test_the_command_starts_spark_from_an_address(tmp_path):
    path, out = tmp_path / "answers.csv", tmp_path / "pairs.parquet"
    path.write_text("i,j,k,weight\nowl,hawk,carp,2\nowl,hawk,cod,1\n")
    options = ["-o", out, "--engine", "spark", "--master", "local[2]"]
    given = "-m", "tripletree", "pairs", path, *options, "--memory", "1GB"
    done = run(sys.executable, *given)
    assert done.returncode == 0, done.stderr
    check_sums(read_pairs(out), tt.read_comparisons(path))


MEMORY = """
from tripletree.answers.on_spark import started
from tripletree.errors import InvalidOption
most = lambda s: s.sparkContext._jvm.java.lang.Runtime.getRuntime().maxMemory()
with started("local[1]", 600 * 10**6) as session:
    assert 400 * 10**6 < most(session) < 620 * 10**6, most(session)
    assert session.conf.get("spark.driver.host") == "127.0.0.1"
with started("local[1]", 700 * 10**6):
    pass
try:
    with started("local[1]", 520 * 10**6):
        pass
except InvalidOption as error:
    print(error)
"""


def test_memory_is_that_of_java(spark):
    done = run_python(MEMORY)
    assert done.returncode == 0, done.stderr
    assert "restart Python" in done.stdout
    with pytest.raises(InvalidOption, match="at least"), started("local[1]", 10**8):
        pass


CLUSTER = """
import sys
import tripletree as tt
from tripletree.answers.on_spark import started
with started("local-cluster[2,1,1024]", None) as session:
    found = tt.score(tt.read_tree(sys.argv[2]), sys.argv[1], engine=session)
    tt.write_pair_sums(sys.argv[1], sys.argv[3], engine=session)
print(found.revenue, found.satisfaction.satisfied)
"""


def test_a_cluster_of_two_workers(tmp_path):
    path, out = tmp_path / "answers.csv", tmp_path / "pairs.parquet"
    path.write_text("i,j,k\nowl,hawk,carp\nowl,hawk,cod\ncod,carp,owl\n")
    answers = tt.read_comparisons(path)
    tree = tt.average_linkage(tt.adds_similarity(answers), labels=answers.labels)
    tt.write_tree(tree, tmp_path / "tree.nwk")
    done = run_python(CLUSTER, path, tmp_path / "tree.nwk", out)
    assert done.returncode == 0, done.stderr
    satisfied = tt.satisfaction(tree, answers).satisfied
    assert done.stdout.split() == [str(tt.revenue(tree, answers)), str(satisfied)]
    check_sums(read_pairs(out), answers)
