"""Reading answers: forms of tables, labels, filters, items, frames."""

import gzip
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.unit.answers.cases import ALIKE, check_read, spelled, table
from tripletree import (
    InvalidComparisons,
    InvalidOption,
    Items,
    read_comparisons,
    read_items,
)
from tripletree._checks import natural_order
from tripletree.answers import engines, read as reader

CHOICE = "Center,Left,Right,Answer"
ODD = "image1,image2,image3,odd"
HOSTILE = "'); DROP TABLE x; --"
NAMED = {"target": "ref", "near": "f", "far": "n"}
AS_LABELS = ("answers 1, 2, 3 could be labels or positions: taken as labels",)
AS_POSITIONS = ("answers 1, 2, 3 are taken as positions, not as labels",)
DROP_X = {"drop": {"c": "x"}}
WORDED = "target,left,right,answer\nz,a,b,A \nz,a,b,b\nz,a,b,s\nz,b,a,b\nz,a,b,left\n"
BESIDE = "target,Worker ID,near,far,note,weight\na,w2,b,c,x,2\nb,w10,a,c,y,{}\n"
COUNTED = "i,j,k,count\na,b,c,4\n"
TWO = ["a b c", "b a c"]
PLAIN = {"weights": None, "people": None, "dropped": {}}
BARE, BARE_ROWS = "1,2,3\n10,1,2\n", ["1 2 3", "10 1 2"]
BY_PLACE = ("no header: columns taken as target, near, far",)
LINE = '{"i": "a", "j": "b", "k": "c"}\n'
LINES = """
{"i": "a", "j": "01", "k": "\\ud83d\\ude00", "weight": 2}

{"k": "c", "x": [1], "i": "d", "j": "b", "weight": 3}
"""
CATCH = (
    "i,j,k,worker,catch,rt\n"
    "a,b,c,w1,0,1.5\nx,y,z,w1,1,1.5\na,c,b,w2,0,0.1\nb,a,c,w2,0,2\nc,a,b,w3,,3\n"
)
EVERY = ["a b c", "a c b", "b a c", "c a b"]
SLOW = "head,winner,loser,rt\na,b,c,500\nb,a,c,slow\nb,c,a,2e2\n"
TIES = ["same", "TIE", "undecided", "", '""', "The same", "b"]


def answered(odd, *rows):
    """The comparisons of rows of three, of which these are the odd ones."""
    found = []
    for one, row in zip(odd, rows, strict=True):
        a, b = (label for label in row.split(",")[:3] if label != one)
        found += [f"{a} {b} {one}", f"{b} {a} {one}"]
    return found


# The text of a file, options, and what is read: the rows, and more of `check_read`.
READ = [
    *(
        (
            table(header, separator.join(row)),
            {},
            [" ".join(row)],
            PLAIN | {"labels": tuple(sorted(row))},
        )
        for header, separator in [
            ("target,near,far", ","),
            ("head,winner,loser", ","),
            ("anchor,positive,negative", ","),
            ("i,j,k", ","),
            ("Reference,Closer,Farther", ","),
            ("reference;more similar;less similar", ";"),
            ('"target"\t"near"\t"far"', "\t"),
            ("target, near, far", ", "),
            ("I|J|K", "|"),
            ("i,j,k,l", ","),
            ("near_1,near_2,far_1,far_2", ","),
            ("Near A,Near B,Far A,Far B", ","),
        ]
        for row in [["owl", "hawk", "carp", "cod"][: header.count(separator) + 1]]
    ),
    *(
        (text, options, rows, {})
        for text, options, rows in [
            (table(CHOICE, "a,b,c,b", "a,b,c,c"), {}, ["a b c", "a c b"]),
            (
                table(
                    CHOICE, *(f"a,b,c,{word}" for word in ("left", "Right ", "L", "R"))
                ),
                {},
                ["a b c", "a c b"] * 2,
            ),
            (table(CHOICE, "a,same,c,same"), {}, ["a same c"]),  # no word for a tie
            ("first,second,odd\na,b,c\n", {}, ["a b c", "b a c"]),
            ("a,b,c,odd\nx,y,z,y\n", {}, ["x z y", "z x y"]),
            (f"{ODD}_one_out\nx,y,z,left\n", {}, ["y z x", "z y x"]),
            (
                table(ODD, "7,8,9,3", "7,8,9,1"),
                {},
                ["7 8 9", "8 7 9", "8 9 7", "9 8 7"],
            ),
            ("first,second,central\na,b,c\n", {}, ["a c b", "b c a"]),
            ("item1,item2,item3,center\nx,y,z,z\n", {}, ["x z y", "y z x"]),
            ("ref,n,f\na,b,c\n", {"columns": NAMED}, ["a c b"]),
            ("ref,n,f\na,b,c\n", {"columns": ["n", "ref", "f"]}, ["b a c"]),
            (
                "trial,near,far\n0,1,2\n",
                {"columns": ["trial", "near", "far"]},
                ["0 1 2"],
            ),
            ("1,2,3\n10,1,2\n", {"columns": [0, 1, 2]}, ["1 2 3", "10 1 2"]),
            ("x,y,z\n", {"columns": [0, 1, 2]}, ["x y z"]),
            ("1 2 3 4\n", {"columns": [0, 1, 2, 3]}, ["1 2 3 4"]),
            (
                "1 2 3\n",
                {"columns": {"first": 0, "second": 1, "odd": 2}},
                ["1 2 3", "2 1 3"],
            ),
            (b"\xef\xbb\xbfhead,winner,loser\r\na,b,c\r\n\r\n", {}, ["a b c"]),
            ('i,j,k\n"a, ""b""","c\nd",\U0001f600\n', {}, ['a, "b" c\nd \U0001f600']),
            (
                "i,j,k\n01,1,9007199254740993\n9007199254740992,1,01\n",
                {},
                ["01 1 9007199254740993", "9007199254740992 1 01"],
            ),
            (
                f'i,j,k,"w\'"\n{HOSTILE},$files,c1,q\n',
                {"keep": {"w'": "q"}},
                [f"{HOSTILE} $files c1"],
            ),
            # Words for a missing value, and labels that look alike, can be items.
            ("i,j,k\nNA,a,b\n", {"items": ["a", "b", "NA"]}, ["NA a b"]),
            ('i,j,k\n"",a," a"\n', {"items": ["", " a", "a"]}, [" a  a"]),
            # Spellings that differ.
            ("i,j,k\n1,01,1.5\n2.0,a,A\n", {}, ["1 01 1.5", "2.0 a A"]),
            ("i,j,k\n2.05,v2,v2.0\n", {}, ["2.05 v2 v2.0"]),
            # A header that is read again only where it is one.
            ("i,j,k\ni,j,k\n", {"items": ["i", "j", "k"]}, ["i j k"]),
            ("i,j,k\ni,k,j\n", {}, ["i k j"]),
            ("a,b,c,odd\na,b,c,b\n", {}, ["a c b", "c a b"]),
            (
                "i,j,k,file\na,b,c,1\ni,j,k,file\n",
                {"drop": {"file": "file"}},
                ["a b c"],
            ),
            # A column that changes the answer, and was decided about.
            (
                "i,j,k,response\na,b,c,c\na,b,c,b\n",
                {"columns": ["i", "j", "k"]},
                ["a b c"] * 2,
            ),
            (
                "i,j,k,response\na,b,c,c\na,b,c,b\n",
                {"drop": {"response": "c"}},
                ["a b c"],
            ),
            (
                "i,j,k,response\na,b,c,c\n",
                {
                    "columns": {
                        "target": "i",
                        "left": "j",
                        "right": "k",
                        "answer": "response",
                    }
                },
                ["a c b"],
            ),
        ]
    ),
    # Positions count from 0 or from 1: a 0, or the largest number, shows it.
    *(
        (table(ODD, *(f"a,b,c,{x}" for x in answers.split(","))), {}, rows, notes)
        for answers, odd, note in [
            ("1,2,3,3", "abcc", ()),
            ("0,1,2,2", "abcc", ("answers 0, 1, 2 are taken as positions",)),
            ("0,0,1,NA", "aab", ("answers 0, 1, 2 are taken as positions",)),
            ("1.0,3.0,,2.0", "acb", ()),
        ]
        for rows, notes in [(answered(odd, *["a,b,c"] * len(odd)), {"notes": note})]
    ),
    *(
        (
            table(f"target,left,right,{name}", *(f"z,a,b,{x}" for x in answers)),
            {},
            ["z a b" if near == "a" else "z b a" for near in chosen],
            {"notes": (f"answers {numbers} are taken as positions",)},
        )
        for name, answers, chosen, numbers in [
            ("answer", "1221", "abba", "1, 2"),
            ("response", "0110", "abba", "0, 1"),
            ("button_pressed", ["0", "0", "", "0"], "aaa", "0, 1"),
        ]
    ),
    *(
        (
            table(f"{ODD},c", *rows),
            options,
            answered(
                odd, *(row for row in rows if row[-1] != "x" and "tie" not in row)
            ),
            {"notes": notes if "drop" in options else (*notes, "not used: c")},
        )
        for rows, options, odd, notes in [
            # Each answer is a label of its row, so that 3 is an object.
            (["3,2,1,3,", "3,2,1,2,"], {}, "32", AS_LABELS),
            (["1,2,3,3,", "1,2,3,2,", "1,2,3,tie,"], {}, "32", ()),  # both say the same
            (["3,2,1,3,", "3,2,5,5,"], {}, "35", ()),  # 5 is not a position
            (["3,2,1,3,", "3,2,5,5,x"], DROP_X, "3", AS_LABELS),
            # Most answers are not a label of their row, though some happen to be.
            (
                ["7,8,9,3,", "7,8,2,1,", "3,8,2,2,", "4,3,1,3,", "9,6,5,2,"],
                {},
                "97816",
                AS_POSITIONS,
            ),
            # No row that stays has an object that is called like a position.
            (["7,8,9,3,", "1,2,3,1,x"], DROP_X | {"items": list("123789")}, "9", ()),
            (["1,2,3,first,", "2,3,1,third,", "2,5,1,third,"], {}, "111", ()),
        ]
    ),
    *(
        (text, {"columns": columns}, rows, {"weights": weights, "people": people})
        for text, columns, weights, people, rows in [
            (BESIDE.format(3), None, [2, 3], ["w2", "w10"], TWO),
            (BESIDE.format(0.5), None, [2.0, 0.5], ["w2", "w10"], TWO),
            (BESIDE.format(3), {"weight": None, "annotator": None}, None, None, TWO),
            (COUNTED, {"weight": "count"}, [4], None, TWO[:1]),
            (COUNTED, {"weight": None}, None, None, TWO[:1]),
            (
                "first,second,odd,worker,weight\na,b,c,u,2\na,c,b,v,3\n",
                None,
                [2, 2, 3, 3],
                ["u", "u", "v", "v"],
                answered("cb", "a,b,c", "a,b,c"),
            ),
        ]
    ),
    *(
        (text, options, rows, {"dropped": dropped})
        for text, options, rows, dropped in [
            (CATCH, {"drop": {"catch": 1}}, EVERY, {"drop 'catch'": 1}),
            (CATCH, {"drop": {"catch": True}}, EVERY, {"drop 'catch'": 1}),
            (CATCH, {"drop": {"catch": [1, None]}}, EVERY[:3], {"drop 'catch'": 2}),
            (
                CATCH,
                {"keep": {"annotator": ["w2", "w3"]}},
                EVERY[1:],
                {"keep 'annotator'": 2},
            ),
            (
                CATCH,
                {"drop": {"worker": None}},  # need not occur
                ["a b c", "x y z", *EVERY[1:]],
                {},
            ),
            (
                CATCH,
                {
                    "drop": {"catch": "1"},
                    "keep": {"worker": "w2"},
                    "min_response_time": 0.2,
                },
                ["b a c"],
                {"drop 'catch'": 1, "keep 'worker'": 2, "response time below 0.2": 1},
            ),
            # Own words come before labels: a is on the right in the fourth row.
            (
                WORDED,
                {"answer_words": {"a": "right", "b": "left", "s": "tie"}},
                ["z b a", "z a b", "z b a", "z a b"],
                {"undecided": 1},
            ),
            (
                "first,second,third,odd\n1,2,3,x\n1,2,3,9\n",
                {"answer_words": {"x": "middle", 9: "third"}},
                ["1 3 2", "3 1 2", "1 2 3", "2 1 3"],
                {},
            ),
            # Response times that are numbers once a filter has left out others.
            (
                SLOW,
                {"min_response_time": 300, "drop": {"rt": "slow"}},
                ["a b c"],
                {"drop 'rt'": 1, "response time below 300": 1},
            ),
            (
                table(CHOICE, *(f"a,b,c,{word}" for word in TIES)),
                {},
                ["a b c"],
                {"undecided": 6},
            ),
            (
                "i,j,k\na,b,c\na,a,c\na,b,b\n",
                {"drop_degenerate": True},
                ["a b c"],
                {"degenerate": 2},
            ),
            (
                "i,j,k,l\na,b,b,a\na,b,a,b\na,a,b,c\na,b,c,c\na,b,a,c\n",
                {"drop_degenerate": True},
                ["a b a c"],
                {"degenerate": 4},
            ),
            *(
                (
                    f"i,j,k,catch\na,b,c,{yes}\nb,a,c,{no}\n",
                    {option: {"catch": value}},
                    [row],
                    {f"{option} 'catch'": 1},
                )
                for yes, no in (
                    ("yes", "no"),
                    ("Y", "N"),
                    ("True", "False"),
                    ("WAHR", "FALSCH"),
                    ("1", "0"),
                )
                for option, value, row in (
                    ("drop", True, "b a c"),
                    ("keep", True, "a b c"),
                    ("keep", False, "b a c"),
                )
            ),
        ]
    ),
    # Roles may have the names that columns have.
    *(
        (
            "i,j,k,who,ms\na,b,c,w1,5\na,c,b,w2,1\n",
            {
                "columns": {"target": "i", "near": "j", "far": "k", name: "who"}
                | {"rt": "ms"},
                "min_response_time": 2,
                "keep": {name: "w1"},
            },
            ["a b c"],
            {"people": ["w1"]},
        )
        for name in ("worker", "person", "annotator", "Worker ID", "PROLIFIC_PID")
    ),
    (BARE, {}, BARE_ROWS, {"notes": BY_PLACE, "labels": ("1", "2", "3", "10")}),
    (BARE, {"columns": [0, 1, 2]}, BARE_ROWS, {"notes": ()}),
    ("i,j,k\n10,1,2\n", {}, ["10 1 2"], {"notes": ()}),
    (gzip.compress(b"i,j,k\na,b,c\n", mtime=0), {}, ["a b c"], {"name": "a.csv.gz"}),
    (
        pa.compress(b"i\tj\tk\na\tb\tc\n", "zstd", asbytes=True),
        {},
        ["a b c"],
        {"name": "a.tsv.zst"},
    ),
    (
        LINES,
        {},
        ["a 01 \U0001f600", "d b c"],
        {"name": "a.jsonl", "weights": [2, 3], "notes": ("not used: x",)},
    ),
    (
        '{"i": 3, "j": -1, "k": 18446744073709551615}\n',
        {},
        ["3 -1 18446744073709551615"],
        {"name": "a.ndjson", "labels": ("-1", "3", "18446744073709551615")},
    ),
    (
        LINE.replace("}", ', "who": 7}') + LINE * 200,
        {},
        ["a b c"] * 201,
        {"name": "a.jsonl"},
    ),
]


@pytest.mark.parametrize(("content", "options", "rows", "more"), READ)
def test_what_is_read(written, content, options, rows, more):
    more = {"name": "a.txt"} | more if content[:3] == "1 2" else more
    check_read(written, content, options, rows, more)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        *(
            ({"answer_words": words}, "give each word once")
            for words in (
                {"a": "up"},
                {},
                "a=left",
                {"a": "left", "A ": "right"},
                {"a": ["left"]},
            )
        ),
        (
            {"answer_words": {"a": "middle"}},
            "a question about 2 objects does not have this place",
        ),
        (
            {"answer_words": {"a": "left"}, "columns": ["target", "left", "right"]},
            "does not have a column of answers",
        ),
        (
            {"columns": {"target": "left", "near": "right"}},
            "columns gives target, near:",
        ),
        ({"columns": {"worker": "z", "subject": "z"}}, "one role under two names"),
        ({"columns": {"tarjet": "i"}}, "has 'tarjet', which is not a role"),
        ({"columns": "ijk"}, "give a list of 3 or 4"),
        ({"columns": ["i", "j"]}, "give a list of 3 or 4"),
        ({"columns": {"target": 1.5}}, r"columns\['target'\] = 1.5"),
        ({"columns": {"target": None}}, r"columns\['target'\] = None"),
        ({"columns": ["i", 1, "k"]}, "names and positions"),
        ({"drop": "catch"}, "drop = 'catch': give a dictionary"),
        ({"keep": {1: "x"}}, "the key 1"),
        ({"keep": {"left": 1.5}}, "value 1.5: give text, integers"),
        ({"keep": {"left": [1.5]}}, "value 1.5: give text, integers"),
        ({"min_response_time": -1}, "min_response_time = -1"),
    ],
)
def test_wrong_options(read, options, words):
    with pytest.raises(InvalidOption, match=words):
        read(WORDED, **options)


@pytest.mark.parametrize(
    "labels",
    [
        ["-20", "-3", "0", "9", "10"],
        ["x", "x09", "x9", "x10"],
        ["01", "1"],
        ["9" * 6_000, "1" + "0" * 6_000],
        ["x" + "1" * 1_200_000, "x" + "2" * 1_200_000, "y"],
    ],
    ids=["integers", "names", "zeros", "long", "longer"],
)
def test_natural_order(labels):
    assert natural_order(labels[::-1]) == labels


def test_many_labels_keep_their_numbers(read):
    """More labels than the engine handles at a time, in an order that is not theirs."""
    rows = [(i, (i * 7 + 1) % 30_000, 29_999 - i) for i in range(9_000)]
    labels = [f"o{i}" for i in range(30_000)]
    text = table("i,j,k", *("o{},o{},o{}".format(*row) for row in rows))
    answers = read(text, items=labels, drop_degenerate=True)
    assert answers.labels == tuple(labels)
    assert [tuple(row) for row in answers] == [row for row in rows if len({*row}) == 3]


@pytest.mark.parametrize("n_hashes", [4, 5, 2**63])
def test_labels_that_share_a_hash(n_hashes, read, monkeypatch):
    monkeypatch.setattr(engines, "HASH", f"CAST(hash({{}}) % {n_hashes} AS BIGINT)")
    answers = read("i,j,k,worker\na,b,c,x\nb,c,a,y\nc,a,b,z\nc,b,a,x\n")
    assert answers.labels == ("a", "b", "c")
    assert answers.rows.tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    assert answers.annotators.tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("where", ["find_labels", "find_names"])
def test_a_file_that_changes_while_it_is_read(where, read, monkeypatch):
    find = getattr(reader, where)
    monkeypatch.setattr(reader, where, lambda *given: find(*given)[:-1])
    with pytest.raises(InvalidComparisons, match="changed while it was read") as error:
        read("i,j,k,worker\na,b,c,x\na,c,b,y\n")
    assert error.value.code == "changed"


def test_items_fix_the_objects(read, written):
    text = "i,j,k\nb,a,c\n"
    path = written("image,label,group\nc.png,c,g1\na.png,a,\nb.png,b,g2\n", "items.csv")
    items = read_items(path)
    assert (items.labels, items.groups) == (("c", "a", "b"), ("g1", "", "g2"))
    assert items.images == ("c.png", "a.png", "b.png")
    for given, labels in (
        (["c", "never", "b", "a"], ("c", "never", "b", "a")),
        (path, ("c", "a", "b")),
        (items, ("c", "a", "b")),
        (Items(np.array(["c", "b", "a"])), ("c", "b", "a")),
        (Items(iter("cba")), ("c", "b", "a")),
    ):
        answers = read(text, items=given)
        assert answers.labels == labels
        assert spelled(answers) == ["b a c"]


def test_labels_that_look_the_same_can_be_items(read):
    labels = [*ALIKE, *(two for one in ALIKE.values() for two in one)]
    rows = [f"{one},{two},x" for one, others in ALIKE.items() for two in others]
    answers = read(table("i,j,k", *rows), items=[*labels, "x"])
    assert (answers.labels, len(answers)) == ((*labels, "x"), len(rows))


def test_several_files(written, tmp_path):
    rows = {"r1": "a,b,c", "r2": "c,a,b", "r10": "b,c,a"}
    paths = {name: written(f"i,j,k\n{rows[name]}\n", f"{name}.csv") for name in rows}
    assert spelled(read_comparisons([paths["r2"], paths["r1"]])) == ["c a b", "a b c"]
    pattern = str(tmp_path / "r*.csv")
    assert spelled(read_comparisons(pattern)) == ["a b c", "b c a", "c a b"]
    for text, words in {
        "i,k,j\na,b,c\n": r"r3.csv does not have the columns",
        "i;j;k\na;b;c\n": r"r3.csv and .* not written in the same way: .*separators",
        "i,j,k\na,b,c\na,b,\n": r"r3.csv, line 3 .*no label",
        "i,j,k\na,b,c\na,b\n": r"r3.csv, line 3: 2 columns",
    }.items():
        written(text, "r3.csv")
        with pytest.raises(InvalidComparisons, match=words):
            read_comparisons(pattern)


def test_names_of_files_are_no_patterns_nor_queries(tmp_path):
    folder = tmp_path / "a=1"
    folder.mkdir()
    names = ["x[1].csv", "x*.csv", "x'; DROP.csv", '"x".csv', "x\n.csv", "é ü.csv"]
    for at, name in enumerate(names):
        (folder / name).write_text(f"i,j,k\n{at},b,c\n")
    for at, name in enumerate(names):
        assert spelled(read_comparisons(folder / name)) == [f"{at} b c"]


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
    "arrow": pa.table,
    "ibis": lambda columns: SimpleNamespace(to_pyarrow=lambda: pa.table(columns)),
}


@pytest.mark.parametrize("kind", [*FRAMES, "parquet"])
def test_frames(kind, tmp_path):
    columns = {
        "head": ["a", "b", "a"],
        "winner": ["b", "c", "c"],
        "loser": ["c", "a", "b"],
        "worker": [7, 10, 7],
        "weight": [1.0, 0.5, 2.0],
        "catch": [False, False, True],
    }
    pd.DataFrame(columns).to_parquet(tmp_path / "a.parquet")
    source = FRAMES[kind](columns) if kind in FRAMES else tmp_path / "a.parquet"
    answers = read_comparisons(source, drop={"catch": True})
    assert spelled(answers) == ["a b c", "b c a"]
    assert answers.annotator_names == ("7", "10")
    assert answers.weights.tolist() == [1.0, 0.5]
    assert dict(answers.dropped) == {"drop 'catch'": 1}


@pytest.mark.parametrize(
    "odd",
    [
        np.array([1j, 2]),
        pd.period_range("2020", periods=2, freq="M"),
        pd.interval_range(0, 2),
        pd.arrays.SparseArray([4, 5]),
    ],
    ids=["complex", "period", "interval", "sparse"],
)
def test_columns_of_types_that_the_engine_does_not_know(odd):
    columns = {"i": ["a", "b"], "j": ["b", "c"], "k": ["c", "a"], "x": odd}
    given = pd.DataFrame(columns)
    answers = read_comparisons(given)
    assert spelled(answers) == ["a b c", "b c a"]
    assert answers.notes == ("not used: x",)
    first = str(given["x"][0])
    assert spelled(read_comparisons(given, drop={"x": first})) == ["b c a"]
    assert [*given.columns] == ["i", "j", "k", "x"]
    assert given["x"].dtype == pd.Series(odd).dtype


def test_integers_and_categories_in_frames():
    numbers = pd.DataFrame({"i": [2**62, 5], "j": [10, 10], "k": [9, 9]})
    assert read_comparisons(numbers).labels == ("5", "9", "10", str(2**62))
    kinds = pd.DataFrame({x: pd.Categorical([x, "q"]) for x in "ijk"})
    assert read_comparisons(kinds[:1]).labels == ("i", "j", "k")


@pytest.mark.parametrize("step", [1, 3, 2**40, -(2**48)])
def test_integers_far_apart_are_numbered_in_order(step):
    """More of them than fit into the first table of numbers, and into the next."""
    rows = np.random.default_rng(0).permutation(30_000).reshape(-1, 3)
    labels = (rows - 15_000) * step + 7
    read = read_comparisons(pd.DataFrame(labels, columns=["i", "j", "k"]))
    assert read.labels == tuple(map(str, sorted(labels.ravel().tolist())))
    assert np.array_equal(read.rows, rows if step > 0 else 29_999 - rows)


@pytest.mark.parametrize("thing", [None, 5, {"i": [1]}, np.zeros((2, 3), int), [1, 2]])
def test_what_cannot_be_read(thing):
    with pytest.raises(InvalidComparisons, match="cannot read answers from"):
        read_comparisons(thing)


def test_npz_files_of_others(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, triplets=np.array([[0, 1, 2], [2, 4, 1]]))
    answers = read_comparisons(path)
    assert (answers.n_objects, answers.labels) == (5, None)
    for labels in (["a", "b", "c"], [b"a", b"b", b"c"]):
        np.savez(path, rows=np.array([[0, 1, 2]]), labels=np.array(labels))
        assert read_comparisons(path).labels == ("a", "b", "c")
    turned = read_comparisons(path, items=["c", "x", "b", "a"])
    assert turned.rows.tolist() == [[3, 2, 0]]
    assert turned.labels == ("c", "x", "b", "a")
    with pytest.raises(InvalidOption, match="no option but items"):
        read_comparisons(path, drop={"x": 1})


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
