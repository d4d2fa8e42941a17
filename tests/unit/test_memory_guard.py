"""Large tables are refused before they are made, and the error names what to do."""

import duckdb
import numpy as np
import psutil
import pytest
from scipy.sparse import csr_array

import tripletree as tt
from tripletree.answers.engines import DuckDB
from tripletree.cli import main
from tripletree.errors import TooLarge

ANSWERS = tt.Triplets([[0, 1, 2]], 40)
CALLS = {
    "adds": (lambda: tt.adds_similarity(ANSWERS, sparse=False), "sparse=True"),
    "mulk": (lambda: tt.mulk_similarity(ANSWERS), "adds_similarity"),
    "cosine": (lambda: tt.cosine_similarity(np.eye(40)), "sample comparisons"),
    "points": (lambda: tt.euclidean_similarity(np.eye(40)), "adds_similarity"),
    "linkage": (lambda: tt.average_linkage(np.eye(40)), "sparse_average_linkage"),
    "climb": (lambda: tt.climb(tt.caterpillar_tree(40), np.eye(40)), "csr_array"),
    "bound": (
        lambda: tt.upper_bound(csr_array((40, 40)), method="three objects"),
        "need no dense form",
    ),
    "estimate": (lambda: tt.estimated_bound(np.eye(40)), "sample fewer"),
    "planted": (lambda: tt.planted(rng=np.random.default_rng(0)), "fewer levels"),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_does_not_fit_is_refused(name, monkeypatch):
    call, words = CALLS[name]
    call()
    little = type("Memory", (), {"available": 1000})
    monkeypatch.setattr(psutil, "virtual_memory", little)
    with pytest.raises(TooLarge, match=words):
        call()


FILES = {  # a table of 10^5 equal rows takes some hundred bytes as Parquet
    "triplets": "1 AS i, 2 AS j, 3 AS k",
    "text": "'a' AS target, 'b' AS near, 'c' AS far",
    "odd one out": "'a' AS first, 'b' AS second, 'c' AS third, 'a' AS odd, 1 AS worker",
    "quadruplets": "1 AS near_1, 2 AS near_2, 1 AS far_1, 3 AS far_2, 0.5 AS weight",
}


@pytest.fixture
def with_little_memory(monkeypatch):
    """2 MB are free; the engine has its own limit."""
    memory = type("Memory", (), {"available": 2 * 10**6})
    monkeypatch.setattr(psutil, "virtual_memory", memory)


@pytest.mark.parametrize("name", FILES)
def test_rows_are_counted_before_they_are_fetched(
    name, tmp_path, with_little_memory, monkeypatch, capsys
):
    path = str(tmp_path / "a.parquet")
    duckdb.sql(f"SELECT {FILES[name]} FROM range(100_000)").write_parquet(path)
    monkeypatch.setattr(DuckDB, "arrays", None)  # nothing is fetched
    with pytest.raises(TooLarge, match=r"100,000 rows needs .* with pair_sums, or"):
        tt.read_comparisons(path)
    assert main(["cluster", path]) == 1
    assert "with `tripletree pairs`, or" in capsys.readouterr().err


def test_tables_of_items_are_counted_first(tmp_path, with_little_memory):
    path = str(tmp_path / "items.parquet")
    duckdb.sql("SELECT 'a' AS label FROM range(100_000)").write_parquet(path)
    with pytest.raises(TooLarge, match="100,000 items"):
        tt.read_items(path)


def test_objects_far_beyond_the_rows_are_refused(tmp_path, capsys):
    path = tmp_path / "few.npz"
    np.savez(path, rows=np.array([[0, 1, 2]]), n_objects=2**31 - 3)
    answers = tt.read_comparisons(path)
    for call in (
        lambda: tt.cluster(answers),
        lambda: tt.adds_similarity(answers),
        lambda: tt.summarise(answers),
        lambda: tt.RevenueClustering().fit([[0, 1, 10**8]]),
    ):
        with pytest.raises(TooLarge, match=r"rows name 3 .*return_inverse=True"):
            call()
    assert main(["cluster", str(path)]) == 1
    assert "from 0 on and write the file again" in capsys.readouterr().err
    tt.adds_similarity(tt.Triplets([[0, 1, 2]], 10**6))  # any study may have gaps
