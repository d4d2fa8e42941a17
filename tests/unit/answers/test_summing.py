"""Pair sums on DuckDB: as those of the answers in memory, and whole or not there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import tripletree as tt
from tests import definitions, strategies
from tests.strategies import examples
from tests.unit.answers.cases import CASES, check_sums
from tripletree import merge_pair_files, pair_sums, read_pairs, write_pair_sums
from tripletree.answers import engines
from tripletree.answers.engines import check_memory
from tripletree.answers.layout import Options
from tripletree.answers.relation import sorted_pair_sums
from tripletree.errors import (
    InvalidComparisons,
    InvalidOption,
    Mismatch,
    TooLarge,
    UnreadableFile,
)


@pytest.mark.parametrize("name", CASES)
def test_text_files(name, tmp_path):
    text, options = CASES[name]
    path = tmp_path / "answers.csv"
    path.write_text(text)
    check_sums(pair_sums(path, **options), tt.read_comparisons(path, **options))


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answers=strategies.comparisons())
def test_any_answers(answers, tmp_path):
    if not len(answers):
        return
    if answers.weights is not None and answers.weights.dtype.kind == "f":
        # Halves add up exactly in any order.
        weights = np.rint(answers.weights * 2).clip(0, 2**40) / 2
        answers = type(answers)(answers.rows, answers.n_objects, weights)
    path = tmp_path / "answers.parquet"
    tt.write_comparisons(answers, path)
    sums = pair_sums(path)
    check_sums(sums, tt.read_comparisons(path))
    weights = answers.weights
    total = len(answers) if weights is None else weights.sum()
    assert sums.n_comparisons == total


def test_frames_and_several_files(tmp_path):
    frame = pd.DataFrame({"i": ["a", "b"], "j": ["b", "c"], "k": ["c", "a"]})
    check_sums(pair_sums(frame), tt.read_comparisons(frame))
    for n in (1, 2):
        frame.to_csv(tmp_path / f"{n}.csv.gz", index=False)
    source = str(tmp_path / "*.csv.gz")
    check_sums(pair_sums(source), tt.read_comparisons(source))


def test_integers_far_apart_get_ids_from_their_labels(tmp_path):
    path = tmp_path / "far.parquet"
    query = "SELECT -9000000000000000000 AS i, 9000000000000000001 AS j, 5 AS k"
    duckdb.sql(query).write_parquet(str(path))
    check_sums(pair_sums(path), tt.read_comparisons(path))
    items = ["5", "x", "9000000000000000001", "-9000000000000000000"]
    check_sums(pair_sums(path, items=items), tt.read_comparisons(path, items=items))


def test_the_file_is_in_order_and_small_memory_does(tmp_path):
    rng = np.random.default_rng(0)
    i, steps = rng.integers(0, 900, 40_000), rng.integers(1, 450, 40_000)
    rows = np.column_stack([i, (i + steps) % 900, (i - steps) % 900])
    answers = tt.Triplets(rows, 900)
    path, out = tmp_path / "answers.parquet", tmp_path / "pairs.parquet"
    tt.write_comparisons(answers, path)
    assert write_pair_sums(path, out, memory="200MB") == {}
    found = duckdb.sql(
        f"SELECT CAST(a AS INT) AS a, CAST(b AS INT) AS b, * FROM '{out}'"
    ).fetchnumpy()
    assert (np.diff(found["a"] * 1000 + found["b"]) > 0).all()
    assert found["near"].dtype == np.int64
    check_sums(read_pairs(out), tt.read_comparisons(path))
    assert sorted(os.listdir(tmp_path)) == ["answers.parquet", "pairs.parquet"]


def test_what_is_assumed_is_said(tmp_path):
    path, said = tmp_path / "answers.csv", []
    path.write_text("1,2,3\n3,2,1\n")
    write_pair_sums(path, tmp_path / "pairs.parquet", progress=said.append)
    assert said[1].step == "no header: columns taken as target, near, far"
    assert tt.read_comparisons(path).notes == (said[1].step,)


ROWS = st.lists(
    st.tuples(st.permutations("01234567"), st.sampled_from("123 170")),
    min_size=1,
    max_size=5,
)


@examples(40)
@given(rows=ROWS, shift=st.sampled_from([0, 0, 10]))
def test_labels_or_positions_are_decided_as_in_memory(rows, shift):
    """And in memory as the definition says."""
    shown = [[str(int(label) + shift) for label in labels[:3]] for labels, _ in rows]
    answers = [answer.strip() for _, answer in rows]
    lines = [",".join([*x, y]) for x, y in zip(shown, answers, strict=True)]
    odd, note = definitions.odd_ones(shown, answers)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.csv")
        path.write_text("\n".join(["first,second,third,odd", *lines]))
        if odd is None:
            for read in (tt.read_comparisons, pair_sums):
                with pytest.raises(InvalidComparisons, match=note):
                    read(path)
            return
        found = tt.read_comparisons(path)
        assert [found.labels[row[2]] for row in found][::2] == [x for x in odd if x]
        assert len(found.notes) == bool(note)
        assert all(note in said for said in found.notes)
        check_sums(pair_sums(path, items=found.labels), found)
        tree = tt.balanced_tree(found.n_objects).with_labels(found.labels)
        assert tt.score(tree, path).notes == found.notes


def test_labels_called_as_the_columns_are_no_header(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("i,j,k\nj,i,k\nk,j,i\n")
    check_sums(pair_sums(path), tt.read_comparisons(path))


def test_an_object_compared_with_itself_only_has_no_pair(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("i,j,k\na,b,c\nx,x,x\ny,y,a\n")
    sums = pair_sums(path, drop_degenerate=True)
    assert sums.labels == ("a", "b", "c", "y")
    items = ["a", "b", "c", "x", "y"]
    sums = pair_sums(path, drop_degenerate=True, items=items)
    check_sums(sums, tt.read_comparisons(path, drop_degenerate=True))


def test_sums_of_floats_are_no_part_of_sums_of_integers(tmp_path):
    paths = {}
    for name, near in {"whole": [3, 0], "half": [0.5, 0.0]}.items():
        paths[name] = tmp_path / f"{name}.parquet"
        sums = tt.PairSums(["a", "b", "c"], [[0, 1], [0, 2]], near, near[::-1])
        tt.write_pairs(sums, paths[name])
    left = tmp_path / "left.parquet"
    with pytest.raises(Mismatch, match=r"with fractions.*cannot be part"):
        merge_pair_files(paths["whole"], left, without=paths["half"])
    assert not left.exists()
    tt.write_pairs(read_pairs(paths["half"]) + read_pairs(paths["whole"]), left)
    merge_pair_files(left, left, without=paths["whole"])
    assert read_pairs(left).near.tolist() == [0.5, 0.0]


def test_wrong_sources_and_options(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"i": 1, "j": 2, "k": 3}\n')
    check_sums(pair_sums(path), tt.read_comparisons(path))
    tt.write_comparisons(tt.Triplets([[0, 1, 2]], 3), tmp_path / "a.npz")
    with pytest.raises(InvalidComparisons, match="with write_comparisons"):
        pair_sums(tmp_path / "a.npz")
    with pytest.raises(UnreadableFile, match="there is no file"):
        pair_sums(tmp_path / "b.csv")
    path = tmp_path / "a.csv"
    path.write_text("i,j,k\na,b,c\n")
    for memory in ("2 cows", "1MB", -1, "9999999TB"):
        with pytest.raises(InvalidOption, match="memory"):
            pair_sums(path, memory=memory)
    with pytest.raises(InvalidOption, match="engine = 'pony'"):
        pair_sums(path, engine="pony")
    with pytest.raises(InvalidComparisons, match=r"\.parquet"):
        write_pair_sums(path, tmp_path / "out.csv")


def test_memory_in_words():
    assert check_memory(None) is None
    assert check_memory("64MB") == 64 * 10**6
    assert check_memory(" 2 gib ") == 2**31
    assert check_memory("1.5g") == 1_500_000_000


def test_merging_and_taking_away(tmp_path):
    texts = {"1": "i,j,k\na,b,c\nb,c,d\n", "2": "i,j,k\nx,b,c\na,b,c\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text)
        write_pair_sums(tmp_path / f"{name}.csv", tmp_path / f"{name}.parquet")
    one, two, both = (tmp_path / f"{n}.parquet" for n in ("1", "2", "both"))
    merge_pair_files([one, two], both)
    sources = [tmp_path / "1.csv", tmp_path / "2.csv"]
    check_sums(read_pairs(both), tt.read_comparisons(sources))
    check_sums(pair_sums([one, two]), tt.read_comparisons(sources))
    left = tmp_path / "left.parquet"
    merge_pair_files(both, left, without=two)
    found, expected = read_pairs(left), read_pairs(both) - read_pairs(two)
    assert found.labels == expected.labels
    assert found.pairs.tolist() == expected.pairs.tolist()
    assert found.near.tolist() == expected.near.tolist()
    assert found.far.tolist() == expected.far.tolist()
    left.unlink()
    with pytest.raises(Mismatch, match="more is taken away"):
        merge_pair_files(one, left, without=[both])
    with pytest.raises(InvalidComparisons, match="holds answers"):
        merge_pair_files(tmp_path / "1.csv", left)
    with pytest.raises(InvalidComparisons, match="rows are chosen when"):
        pair_sums(one, drop={"a": "x"})
    assert not left.exists()


def test_an_interruption_leaves_nothing(tmp_path, monkeypatch):
    path, out = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    path.write_text("i,j,k\na,b,c\n")

    def stop(self, new, build, *args):
        new.write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(engines.DuckDB, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        write_pair_sums(path, out)
    assert os.listdir(tmp_path) == ["a.csv"]


KILLED = """
import os, signal, sys
from tripletree import write_pair_sums
from tripletree.answers import engines
write = engines.DuckDB.write
def write_and_die(self, *args):
    write(self, *args)
    os.kill(os.getpid(), signal.SIGKILL)
engines.DuckDB.write = write_and_die
write_pair_sums(sys.argv[1], sys.argv[2])
"""


def test_a_killed_run_leaves_no_output(tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    path.write_text("i,j,k\na,b,c\n")
    command = [sys.executable, "-c", KILLED, str(path), str(out)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    names = {*os.listdir(tmp_path)} - {"a.csv"}
    assert names
    assert all(name.startswith(".") for name in names)


FULL = """
import resource, sys
from tripletree import write_pair_sums
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    write_pair_sums(sys.argv[1], sys.argv[2])
except OSError as error:
    print(type(error).__name__, error)
"""


def test_a_full_disk_is_said(tmp_path):
    path, out = tmp_path / "a.parquet", tmp_path / "pairs.parquet"
    rng = np.random.default_rng(0)
    i, steps = rng.integers(0, 900, 90_000), rng.integers(1, 450, 90_000)
    rows = np.column_stack([i, (i + steps) % 900, (i - steps) % 900])
    tt.write_comparisons(tt.Triplets(rows, 900), path)
    command = [sys.executable, "-c", FULL, str(path), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("UnreadableFile")
    assert "the disk is full" in done.stdout
    assert os.listdir(tmp_path) == ["a.parquet"]


def test_too_little_memory_is_said(tmp_path, monkeypatch):
    path, out = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    path.write_text("i,j,k\na,b,c\n")

    full = "max_temp_directory_size"
    for error, kind, words in (
        (duckdb.OutOfMemoryException("x"), TooLarge, "memory="),
        (duckdb.OutOfMemoryException(full), UnreadableFile, "disk is full"),
        (duckdb.IOException("No space left on device"), UnreadableFile, "disk is full"),
    ):

        def fail(self, *arguments, error=error, **options):
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(engines.DuckDB, "_run", fail)
            engine = engines.on_duckdb(path, Options())
            with engine as opened, pytest.raises(kind, match=words):
                opened.write(out, sorted_pair_sums)


def test_progress_says_what_is_done(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("i,j,k\na,b,c\n")
    words = []
    write_pair_sums(path, tmp_path / "p.parquet", progress=words.append)
    assert [word.step for word in words] == ["looking at the rows", "summing 1 row"]


# Only without a file as its main module does DuckDB take Python for interactive.
DRAWN = """
from tripletree.answers.tables import connected
with connected() as connection:
    query = "SELECT current_setting('enable_progress_bar')"
    print(connection.execute(query).fetchone()[0])
"""


def test_no_progress_is_drawn_on_stdout():
    command = [sys.executable, "-c", DRAWN]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
