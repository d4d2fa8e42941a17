"""Large tables are refused before they are made, and the error names what to do."""

import tracemalloc

import duckdb
import numpy as np
import pytest
from scipy.sparse import csr_array

import tripletree as tt
from tests.strategies import random_rows, random_similarity, rng
from tripletree.answers.engines import DuckDB
from tripletree.cli import main
from tripletree.comparisons import answer_checks
from tripletree.errors import TooLarge
from tripletree.similarity import adds, mulk

ANSWERS = tt.Triplets([[0, 1, 2]], 40)
PEOPLE = tt.Triplets([[0, 1, 2]], 3, annotators=["a"])
MANY = tt.Triplets(random_rows(0, 600, 20), 20)
ROWS = random_rows(0, 20_000, 200)
THREE = tt.Triplets(ROWS, 200)
TREE, ZEROS = tt.balanced_tree(10), np.zeros((50, 50), int)


# A call, words of its error, and bytes that are too few and enough.
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
    "planted": (lambda: tt.planted(rng=rng()), "fewer levels"),
    "exact linkage": (  # with columns for new clusters
        lambda: tt.average_linkage(ZEROS),
        "average linkage of 50 objects",
        *(50 * 312 * 8 - 1, 50 * 312 * 8),
    ),
    "sparse linkage": (
        lambda: tt.sparse_average_linkage(csr_array(random_similarity(rng(), 99, 3))),
        "sparse average linkage of",
    ),
    "sparse climb": (
        lambda: tt.climb(tt.caterpillar_tree(400), csr_array((400, 400), dtype=int)),
        "climbing with 400 objects and",
    ),
    "exact cosine": (
        lambda: tt.cosine_similarity(np.ones((20, 3))),
        "sample comparisons from the features",
        *(8 * 20**2 + 8 * 60 - 1, 8 * 20**2 + 8 * 60),
    ),
    "exact mulk": (
        lambda: tt.mulk_similarity(tt.Triplets([[0, 1, 2]] * 10, 50)),
        "MulK of 50 objects and 10 comparisons",
        *(24 * 50**2 + 960 - 1, 24 * 50**2 + 960),
    ),
    "sample": (
        lambda: tt.sample_triplets(np.zeros((6, 6)), 60, rng=rng()),
        "a sample of 60 questions .* ask fewer",
        *(60 * 56 - 1, 60 * 56),
    ),
    "induced triplets": (
        lambda: tt.induced_triplets(TREE),
        r"240 triplets .* use sample_induced_triplets",
    ),
    "sample of a tree": (
        lambda: tt.sample_induced_triplets(TREE, 1, rng=rng()),
        "240 triplets .* ask fewer questions",
    ),
    "induced similarity": (
        lambda: tt.induced_similarity(TREE),
        "a similarity of 10 objects",
    ),
    "people": (
        lambda: tt.annotator_agreement(PEOPLE),
        "agreement of annotators",
        *(9, 2**40),
    ),
    "grouping": (lambda: tt.tste(MANY, time_limit=0), "grouping 600 comparisons"),
    "embedding": (
        lambda: tt.tste(MANY, n_dimensions=300, time_limit=0),
        "fewer objects or dimensions",
        10**5,
        2**40,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_does_not_fit_is_refused(name, memory):
    call, words, *limits = CALLS[name]
    few, enough = limits or (1000, 2**40)
    memory.available = enough
    call()
    memory.available = few
    with pytest.raises(TooLarge, match=words):
        call()


TABLE = np.argsort(rng().random((3_000, 9)), axis=1)
CHECKED = {
    "MulK3": (mulk, lambda: tt.mulk_similarity(THREE)),
    "MulK4": (mulk, lambda: tt.mulk_similarity(THREE.to_quadruplets())),
    "sparse AddS": (adds, lambda: tt.adds_similarity(THREE, sparse=True)),
    "odd of 3": (answer_checks, lambda: tt.odd_one_out(ROWS, ROWS[:, 0], 200)),
    "odd of 9": (answer_checks, lambda: tt.odd_one_out(TABLE, TABLE[:, 0], 9)),
    "rankings": (answer_checks, lambda: tt.rankings(TABLE, 9, n_chosen=4)),
}


@pytest.mark.parametrize("name", CHECKED)
def test_no_more_is_needed_than_was_checked(name, monkeypatch):
    module, call = CHECKED[name]
    call()  # with its imports
    checked = []
    monkeypatch.setattr(module, "check_fits", lambda needed, *_: checked.append(needed))
    tracemalloc.start()
    try:
        call()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most <= max(checked)


FILES = {  # a table of 10^5 equal rows takes some hundred bytes as Parquet
    "triplets": "1 AS i, 2 AS j, 3 AS k",
    "text": "'a' AS target, 'b' AS near, 'c' AS far",
    "odd one out": "'a' AS first, 'b' AS second, 'c' AS third, 'a' AS odd, 1 AS worker",
    "quadruplets": "1 AS near_1, 2 AS near_2, 1 AS far_1, 3 AS far_2, 0.5 AS weight",
}


@pytest.fixture
def with_little_memory(memory):
    """2 MB are free; the engine has its own limit."""
    memory.available = 2 * 10**6


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
