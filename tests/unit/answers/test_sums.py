"""Pair sums: on DuckDB as in memory; their files are whole or not there."""

import os
import pickle
import tempfile
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

import tripletree as tt
from tests import definitions, strategies
from tests.processes import run_python
from tests.strategies import examples
from tests.unit.answers.cases import CASES, check_same, check_sums
from tripletree import (
    PairSums,
    merge_pair_files,
    pair_sums,
    read_pairs,
    write_pair_sums,
    write_pairs,
)
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
def test_text_files(name, written):
    text, options = CASES[name]
    path = written(text)
    check_sums(pair_sums(path, **options), tt.read_comparisons(path, **options))


@examples(15)
@given(answers=strategies.comparisons())
def test_any_answers(answers, tmp_path):
    assume(len(answers))
    path, weights = tmp_path / "answers.parquet", answers.weights
    tt.write_comparisons(answers, path)
    sums = pair_sums(path)
    check_sums(sums, tt.read_comparisons(path))
    assert sums.n_comparisons == (len(answers) if weights is None else weights.sum())


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


@pytest.mark.parametrize("form", ["target left right", "first second third"])
@pytest.mark.parametrize("items", [None, [9, 3, 5, 8], ["8", "x", "9", "5", "3"]])
def test_answers_of_integers_name_the_same_objects_as_in_memory(form, items):
    rng, names = np.random.default_rng(0), form.split()
    ids = np.array([3, 5, 8, 9 if items else 10**12])
    shown = ids[np.stack([rng.permutation(4)[:3] for _ in range(40)])]
    last = "answer" if names[0] == "target" else "odd"
    chosen = shown[np.arange(40), rng.integers(last == "answer", 3, 40)]
    frame = pd.DataFrame({**dict(zip(names, shown.T, strict=True)), last: chosen})
    in_memory = tt.read_comparisons(frame, items=items)
    check_sums(pair_sums(frame, items=items), in_memory)


def test_the_file_is_in_order_and_small_memory_does(tmp_path):
    path, out = tmp_path / "answers.parquet", tmp_path / "pairs.parquet"
    tt.write_comparisons(many_answers(40_000), path)
    assert write_pair_sums(path, out, memory="200MB") == {}
    found = duckdb.sql(
        f"SELECT CAST(a AS INT) AS a, CAST(b AS INT) AS b, * FROM '{out}'"
    ).fetchnumpy()
    assert (np.diff(found["a"] * 1000 + found["b"]) > 0).all()
    assert found["near"].dtype == np.int64
    check_sums(read_pairs(out), tt.read_comparisons(path))
    assert sorted(os.listdir(tmp_path)) == ["answers.parquet", "pairs.parquet"]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("i,j,k\na,b,c\n", ["summing 1 row"]),
        (
            "1,2,3\n3,2,1\n",
            ["no header: columns taken as target, near, far", "summing 2 rows"],
        ),
    ],
)
def test_progress_says_what_is_done_and_assumed(written, tmp_path, text, steps):
    path, said = written(text), []
    write_pair_sums(path, tmp_path / "pairs.parquet", progress=said.append)
    begun = ["opening files", "looking at the rows"]
    assert [one.step for one in said] == [*begun, *steps]
    assert tt.read_comparisons(path).notes == tuple(steps[:-1])


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


def test_an_object_compared_with_itself_only_has_no_pair(written):
    path = written("i,j,k\na,b,c\nx,x,x\ny,y,a\n")
    sums = pair_sums(path, drop_degenerate=True)
    assert sums.labels == ("a", "b", "c", "y")
    sums = pair_sums(path, drop_degenerate=True, items=["a", "b", "c", "x", "y"])
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


def test_wrong_sources_and_options(written, tmp_path):
    path = written('{"i": 1, "j": 2, "k": 3}\n', "a.jsonl")
    check_sums(pair_sums(path), tt.read_comparisons(path))
    npz, path, out = tmp_path / "a.npz", written("i,j,k\na,b,c\n"), tmp_path / "out.csv"
    tt.write_comparisons(tt.Triplets([[0, 1, 2]], 3), npz)
    for source, options, error, words in (
        (npz, {}, InvalidComparisons, "with write_comparisons"),
        (tmp_path / "b.csv", {}, UnreadableFile, "there is no file"),
        (path, {"engine": "pony"}, InvalidOption, "engine = 'pony'"),
        *(
            (path, {"memory": memory}, InvalidOption, "memory")
            for memory in ("2 cows", "1MB", -1, "9999999TB")
        ),
    ):
        with pytest.raises(error, match=words):
            pair_sums(source, **options)
    with pytest.raises(InvalidComparisons, match=r"\.parquet"):
        write_pair_sums(path, out)


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [(None, None), ("64MB", 64 * 10**6), (" 2 gib ", 2**31), ("1.5g", 15 * 10**8)],
)
def test_memory_in_words(text, n_bytes):
    assert check_memory(text) == n_bytes


def test_merging_and_taking_away(written, tmp_path):
    texts = {"1": "i,j,k\na,b,c\nb,c,d\n", "2": "i,j,k\nx,b,c\na,b,c\n"}
    sources = [written(text, f"{name}.csv") for name, text in texts.items()]
    one, two, both = (tmp_path / f"{n}.parquet" for n in ("1", "2", "both"))
    for source, path in zip(sources, (one, two), strict=True):
        write_pair_sums(source, path)
    merge_pair_files([one, two], both)
    for sums in (read_pairs(both), pair_sums([one, two])):
        check_sums(sums, tt.read_comparisons(sources))
    left = tmp_path / "left.parquet"
    merge_pair_files(both, left, without=two)
    check_same(read_pairs(left), read_pairs(both) - read_pairs(two))
    left.unlink()
    with pytest.raises(Mismatch, match="more is taken away"):
        merge_pair_files(one, left, without=[both])
    with pytest.raises(InvalidComparisons, match="holds answers"):
        merge_pair_files(sources[0], left)
    with pytest.raises(InvalidComparisons, match="rows are chosen when"):
        pair_sums(one, drop={"a": "x"})
    assert not left.exists()


FULL = """
import resource, sys
from tripletree import write_pair_sums
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    write_pair_sums(sys.argv[1], sys.argv[2])
except OSError as error:
    print(type(error).__name__, error)
"""


def many_answers(n):
    rng = np.random.default_rng(0)
    i, steps = rng.integers(0, 900, n), rng.integers(1, 450, n)
    return tt.Triplets(np.column_stack([i, (i + steps) % 900, (i - steps) % 900]), 900)


@pytest.mark.posix
def test_a_full_disk_is_said(tmp_path):
    path, out = tmp_path / "a.parquet", tmp_path / "pairs.parquet"
    tt.write_comparisons(many_answers(90_000), path)
    said = run_python(FULL, path, out).stdout
    assert said.startswith("UnreadableFile")
    assert "the disk is full" in said
    assert os.listdir(tmp_path) == ["a.parquet"]


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        ("OutOfMemoryException: x", TooLarge, "memory="),
        (
            "OutOfMemoryException: max_temp_directory_size",
            UnreadableFile,
            "disk is full",
        ),
        ("IOException: No space left on device", UnreadableFile, "disk is full"),
    ],
)
def test_too_little_memory_is_said(written, tmp_path, monkeypatch, error, kind, words):
    def fail(self, *arguments, **options):
        name, _, text = error.partition(": ")
        raise getattr(duckdb, name)(text)

    monkeypatch.setattr(engines.DuckDB, "_run", fail)
    engine = engines.on_duckdb(written("i,j,k\na,b,c\n"), Options())
    with engine as opened, pytest.raises(kind, match=words):
        opened.write(tmp_path / "pairs.parquet", sorted_pair_sums)


# Only without a file as its main module does DuckDB take Python for interactive.
DRAWN = """
from tripletree.answers.tables import connected
with connected() as connection:
    query = "SELECT current_setting('enable_progress_bar')"
    print(connection.execute(query).fetchone()[0])
"""


def test_no_progress_is_drawn_on_stdout():
    assert run_python(DRAWN).stdout == "False\n"


# Pair sums in memory, and their files.


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
    assert (sums.pairs.tolist(), sums.near.tolist()) == ([[0, 1], [1, 2]], [2, 1])
    assert sums.pairs.dtype == np.int32
    assert not sums.near.flags.writeable
    assert pickle.loads(pickle.dumps(sums)).pairs.tolist() == sums.pairs.tolist()
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
        assert (again.labels, again.near.tolist()) == (sums.labels, near.tolist())
        assert again.near.dtype == kind
    merged = read_pairs([path], items=["x'", "new", "é", "b, c"])
    assert (merged.pairs.tolist(), merged.n_objects) == ([[0, 3], [2, 3]], 4)
    with pytest.raises(InvalidComparisons, match="is not one of the 2 items"):
        read_pairs(path, items=["x'", "é"])


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
    for module in ("answers.sums", "similarity.sums_by_pair"):
        monkeypatch.setattr(f"tripletree.{module}.BYTES_PER_PAIR", 10**15)
    with pytest.raises(TooLarge, match="a table of 1 pair sums"):
        read_pairs(path)
    with pytest.raises(TooLarge, match="the similarity of 1 pairs"):
        _ = PairSums(["a", "b"], [[0, 1]], [1], [0]).similarity
