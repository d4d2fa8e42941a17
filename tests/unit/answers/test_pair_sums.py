"""Pair sums in memory, and their files."""

from __future__ import annotations

import pickle
from dataclasses import replace

import duckdb
import numpy as np
import pytest
from hypothesis import given

import tripletree as tt
from tests import definitions, strategies
from tests.unit.answers.cases import check_same
from tripletree import PairSums, TooLarge, read_pairs, write_pairs
from tripletree.errors import InvalidComparisons, Mismatch


def sums_of(answers):
    """Pair sums in plain Python."""
    labels = [f"o{at}" for at in range(answers.n_objects)]
    found = definitions.pair_sums(replace(answers, labels=labels))
    number = {label: at for at, label in enumerate(labels)}
    pairs = [(number[a], number[b]) for a, b in found]
    near, far = zip(*found.values(), strict=True) if found else ((), ())
    return PairSums(labels, np.array(pairs, int).reshape(-1, 2), near, far)


@given(strategies.comparisons())
def test_similarity_is_adds(answers):
    sums = sums_of(answers)
    similarity = tt.adds_similarity(answers, sparse=True)
    assert np.allclose(sums.similarity.toarray(), similarity.toarray(), atol=1e-12)
    total = len(answers) if answers.weights is None else answers.weights.sum()
    assert np.isclose(sums.n_comparisons, total)


def by_pair(sums):
    """The sums of each pair that has any, whatever the order of its objects."""
    rows = zip(sums.pairs.tolist(), sums.near.tolist(), sums.far.tolist(), strict=True)
    return {
        frozenset(sums.labels[x] for x in pair): tuple(both)
        for pair, *both in rows
        if any(both)
    }


@given(strategies.comparisons(kind=None), strategies.comparisons(kind=None))
def test_sums_add_up_and_can_be_taken_away(one, two):
    first, second = sums_of(one), sums_of(two)
    both = first + second
    assert both.n_comparisons == len(one) + len(two)
    assert {*both.labels} == {*first.labels, *second.labels}
    assert by_pair(both - second) == by_pair(first)


def test_pairs_are_put_in_order():
    sums = PairSums(["a", "b", "c"], [[2, 1], [1, 0]], [1, 2], [0, 5])
    assert sums.pairs.tolist() == [[0, 1], [1, 2]]
    assert sums.near.tolist() == [2, 1]
    assert sums.pairs.dtype == np.int32
    assert not sums.near.flags.writeable
    again = pickle.loads(pickle.dumps(sums))
    assert again.pairs.tolist() == sums.pairs.tolist()
    assert repr(sums) == "PairSums(2 pairs of 3 objects, 3 comparisons)"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((["a", "b"], [[0, 1], [1, 0]], [1, 1], [0, 0]), "occurs twice"),
        ((["a", "b"], [[0, 0]], [1], [0]), "two different"),
        ((["a", "b"], [[0, 2]], [1], [0]), "from 0 to 1"),
        ((["a", "b"], [[-1, 1]], [1], [0]), "from 0 to 1"),
        ((["a", "b"], [[0, 1]], [-1], [0]), r"near\[0\] = -1"),
        ((["a", "b"], [[0, 1]], [1], [np.nan]), r"far\[0\] = nan"),
        ((["a", "b"], [[0, 1]], [1, 2], [0]), "one number for each of 1 pairs"),
        ((["a", "b"], [[0.0, 1.0]], [1], [0]), "ids of objects"),
        ((["a", "b"], [[0, 1], [1]], [1, 1], [0, 0]), "pairs: not a rectangular"),
        ((["a", "a"], [[0, 1]], [1], [0]), "repeats"),
        (("ab", [[0, 1]], [1], [0]), "list of labels"),
    ],
)
def test_what_is_no_pair_sums(arguments, words):
    with pytest.raises(InvalidComparisons, match=words):
        PairSums(*arguments)


A_AND_B = PairSums(["a", "b"], [[0, 1]], [1], [0])
THIRDS = PairSums(["a", "b", "c"], [[0, 1], [0, 2]], [0.3, 5.0], [0.0, 0.0])


@pytest.mark.parametrize(
    ("whole", "part", "words"),
    [
        (A_AND_B, A_AND_B + A_AND_B, "would fall below 0"),
        (THIRDS, PairSums([*"abc"], [[0, 1]], [0.3001], [0.0]), "would fall below 0"),
        # What is not known cannot be taken away, not even with a weight of 0.
        *(
            (A_AND_B, PairSums(["a", "c"], [[0, 1]], near, [0]), "sums about 'c'")
            for near in ([1], [0])
        ),
    ],
)
def test_more_cannot_be_taken_away_than_there_is(whole, part, words):
    with pytest.raises(Mismatch, match=words):
        _ = whole - part


def test_rounding_may_take_away_a_little_more_than_there_is():
    part = PairSums(["a", "b", "c"], [[0, 1]], [0.1 + 0.2], [0.0])
    assert (THIRDS - part).near.tolist() == [0, 5]
    with pytest.raises(TypeError):
        A_AND_B + 3


def test_round_trip(tmp_path):
    path = tmp_path / "pairs.parquet"
    for kind in (np.int64, np.float64):
        near = np.array([2**53 + 1, 0], kind)
        sums = PairSums(["b, c", "x'", "é"], [[0, 1], [0, 2]], near, near)
        write_pairs(sums, path)
        again = read_pairs(path)
        assert again.labels == sums.labels
        assert again.near.tolist() == near.tolist()
        assert again.near.dtype == kind
    merged = read_pairs([path], items=["x'", "new", "é", "b, c"])
    assert merged.pairs.tolist() == [[0, 3], [2, 3]]
    assert merged.n_objects == 4
    with pytest.raises(InvalidComparisons, match="is not one of the 2 items"):
        read_pairs(path, items=["x'", "é"])


def test_several_files_add_up(tmp_path):
    one = PairSums(["a", "b", "c"], [[0, 1], [0, 2]], [1, 0], [0, 1])
    two = PairSums(["b", "d"], [[0, 1]], [4], [0])
    write_pairs(one, tmp_path / "1.parquet")
    write_pairs(two, tmp_path / "2.parquet")
    check_same(read_pairs(str(tmp_path / "*.parquet")), one + two)


def test_files_that_are_no_pair_sums(tmp_path):
    path = tmp_path / "x.parquet"
    tt.write_comparisons(tt.Triplets([[0, 1, 2]], 3), path)
    with pytest.raises(InvalidComparisons, match="does not hold pair sums"):
        read_pairs(path)
    for select, words in {
        "1 AS a, 'b' AS b, 1 AS near, 1 AS far": "of types INTEGER",
        "'a' AS a, 'b' AS b, 'x' AS near, 1 AS far": "of types VARCHAR",
        "'a' AS a, 'b' AS b, CAST(NULL AS BIGINT) AS near, 1 AS far": "sums are num",
        "'a' AS a, 'b' AS b, -1 AS near, 1 AS far": "near = '-1'",
        "'a' AS a, 'a' AS b, 1 AS near, 1 AS far": "two different",
        "'a' AS a, 'a ' AS b, 1 AS near, 1 AS far": "blanks only",
    }.items():
        duckdb.sql(f"SELECT {select}").write_parquet(str(path))
        with pytest.raises(InvalidComparisons, match=words):
            read_pairs(path)


def test_tables_larger_than_memory_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "pairs.parquet"
    write_pairs(A_AND_B, path)
    for module in ("answers.pair_files", "similarity.sums_by_pair"):
        monkeypatch.setattr(f"tripletree.{module}.BYTES_PER_PAIR", 10**15)
    with pytest.raises(TooLarge, match="a table of 1 pair sums"):
        read_pairs(path)
    with pytest.raises(TooLarge, match="the similarity of 1 pairs"):
        _ = PairSums(["a", "b"], [[0, 1]], [1], [0]).similarity


def test_sums_too_large_to_add_are_refused():
    """Also unsigned ones, which would turn negative."""
    for near in (np.array([2**63 + 5], np.uint64), [2**62]):
        with pytest.raises(InvalidComparisons, match="near adds up to"):
            PairSums(list("abc"), [[0, 1]], near, [0])
    with pytest.raises(InvalidComparisons, match="far adds up to"):
        PairSums(list("abc"), [[0, 1], [1, 2]], [0, 0], [2**61, 2**61])
    most = PairSums(list("abc"), [[0, 1]], [2**62 - 2**10], [0])
    assert most.n_comparisons == 2**62 - 2**10
    with pytest.raises(InvalidComparisons, match="adds up to"):
        most + most
