"""Engines are used again, and nothing of one use is left to the next."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

import tripletree as tt
from tests.processes import run_python
from tripletree._progress import ignore
from tripletree.answers import engines, first_look, read as reader, tables
from tripletree.answers.engines import telling
from tripletree.answers.tables import connected, idle

LEFT = """
    SELECT table_name FROM duckdb_tables() UNION ALL
    SELECT view_name FROM duckdb_views() WHERE NOT internal UNION ALL
    SELECT type_name FROM duckdb_types() WHERE NOT internal
"""
FOLDER = "SELECT current_setting('temp_directory')"


def settings():
    """All settings of a new connection but its folder."""
    with connected(memory=10**9) as connection:
        found = connection.execute("FROM duckdb_settings()").fetchall()
    return [x for x in found if x[0] != "temp_directory"]


def engine():
    """The engine that the next connection will use."""
    (one,) = idle
    return one


def test_nothing_is_left_but_the_engine(written, tmp_path):
    pandas = pytest.importorskip("pandas")
    idle.clear()
    before, first = settings(), engine()
    columns = "target,near,far,worker\n"
    tt.read_comparisons(written(columns + "a,b,c,w\n"))
    tt.read_comparisons(pandas.DataFrame({"i": ["a"], "j": ["b"], "k": ["c"]}))
    tt.write_pair_sums(written(columns + "d,e,f,v\n"), tmp_path / "pairs.parquet")
    with pytest.raises(tt.InvalidComparisons, match="no label"):
        tt.read_comparisons(written(columns + "a,,c,w\n"))
    assert engine() is first
    assert (first.execute(LEFT).fetchall(), settings()) == ([], before)


def test_a_file_that_changes_is_read_again(tmp_path):
    path = tmp_path / "answers.parquet"
    for rows in ([[0, 1, 2]], [[2, 1, 0]], [[0, 1, 2]]):
        tt.write_comparisons(tt.Triplets(rows, 3), path)
        os.utime(path, (10**9, 10**9))
        assert tt.read_comparisons(path).rows.tolist() == rows


@pytest.mark.slow
def test_an_engine_that_wrote_to_the_disk_is_closed():
    idle.clear()
    with connected(memory=64 * 10**6) as connection:
        query = "SELECT hash(range) AS h, range AS x FROM range(5000000) ORDER BY h"
        connection.execute(f"SELECT max(x) FROM (SELECT x FROM ({query}) OFFSET 9)")
        (folder,) = connection.execute(FOLDER).fetchone()
        assert os.listdir(folder)
    assert idle == []
    assert not os.path.exists(folder)


def test_an_engine_that_read_large_files_is_closed(written, monkeypatch):
    path = written("i,j,k\na,b,c\n")
    tt.read_comparisons(path)
    assert len(idle) == 1
    monkeypatch.setattr(tables, "LARGE_FILES", 10)
    tt.read_comparisons(path)
    assert idle == []


def test_readers_at_the_same_time_do_not_meet(written):
    def labels(n):
        text = f"i,j,k\na{n},b{n},c{n}\n"
        return tt.read_comparisons(written(text, f"{n}.csv")).labels

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(labels, range(20)))
    assert len(idle) == 1
    assert found == [(f"a{n}", f"b{n}", f"c{n}") for n in range(20)]


def test_progress_counts_files_and_what_is_read_of_them(written, monkeypatch):
    texts = {f"{n}.csv": f"i,j,k\na{n},b,c\n" for n in range(2)}
    paths, said = [written(text, name) for name, text in texts.items()], []
    tt.read_comparisons(paths, progress=lambda now: said.append(str(now)))
    assert said[:2] == ["opening files: 0 of 2", "opening files: 1 of 2"]

    n_read, is_told = iter([1, 1, 3_000_000, 10**9]), threading.Event()
    monkeypatch.setattr(engines, "bytes_read", lambda: next(n_read, 10**9))
    monkeypatch.setattr(engines, "SECONDS_BETWEEN", 1e-6)
    large, said = written("x" * 4_000_000), []

    def progress(now):
        said.append(str(now))
        if now.done == now.total:
            is_told.set()

    with telling([large], "reading", progress):
        assert is_told.wait(300)
    told = [f"reading (MB): {n} of 4" for n in (0, 2, 4)]
    assert said[:3] == told


@pytest.mark.parametrize("read", [None, 0])
def test_progress_that_fails_ends_the_reading(written, monkeypatch, read):
    """Where the system does not say what was read, nothing is told."""
    monkeypatch.setattr(engines, "bytes_read", lambda: read)
    monkeypatch.setattr(engines, "SECONDS_BETWEEN", 1e-6)
    is_called = threading.Event()

    def progress(now):
        is_called.set()
        raise ArithmeticError

    if read is None:
        with telling([written("")], "reading", progress):
            pass
        assert not is_called.is_set()
        return
    with (
        pytest.raises(ArithmeticError),
        telling([written("")], "reading", progress),
    ):
        assert is_called.wait(300)


@pytest.mark.parametrize(
    "error", [AttributeError, OSError, RuntimeError, ValueError, psutil.AccessDenied]
)
def test_counters_that_the_system_hides(monkeypatch, error):
    def io_counters(process):
        raise error

    monkeypatch.setattr(psutil.Process, "io_counters", io_counters, raising=False)
    assert engines.bytes_read() is None


@pytest.mark.parametrize("progress", [None, ignore])
def test_a_file_that_goes_away_while_it_is_read(written, monkeypatch, progress):
    path = written("i,j,k\na,b,c\n")

    def look(engine):
        path.unlink()
        return first_look.look(engine)

    monkeypatch.setattr(reader, "look", look)
    with pytest.raises(tt.UnreadableFile, match="cannot be read"):
        tt.read_comparisons(path, progress=progress)


FORKED = """
import os, sys
import tripletree as tt
rows = tt.read_comparisons(sys.argv[1])
child = os.fork()
again = tt.read_comparisons(sys.argv[1])
if child:
    print(os.waitpid(child, 0)[1], len(again))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_after_a_fork_both_processes_read(written):
    assert run_python(FORKED, written("i,j,k\na,b,c\n")).stdout == "0 1\n"
