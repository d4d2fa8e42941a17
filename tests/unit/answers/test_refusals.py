"""Files that are wrong: one error each, with a code, a place and remedies.

None of them may end in an error of the engine, of NumPy or of the archive's library.
"""

from __future__ import annotations

import gzip
import io
import pickle
import zipfile
from pathlib import Path

import duckdb
import numpy as np
import pytest

from tripletree import (
    InvalidComparisons,
    TooLarge,
    UnreadableFile,
    pair_sums,
    read_comparisons,
    write_pair_sums,
)
from tripletree.answers.duckdb_errors import translated
from tripletree.answers.tables import connected
from tripletree.cli import main
from tripletree.errors import Remedy

GOOD = b"head,winner,loser\na,b,c\n"
WEIGHTED = b"i,j,k,weight\na,b,c,1\n"
TIMED = b"i,j,k,rt\na,b,c,1\n"
ANSWERED = b"Center,Left,Right,Answer\na,b,c,left\n"
SHOWN = b"first,second,third,odd\n1,2,3,1\n2,3,1,3\n"
DAMAGED = gzip.compress(GOOD)[:-8] + bytes(8)  # without its check sum
JSON = b'{"i": "a", "j": "b", "k": "c"}\n'
DESCRIBED = b",".join([b'"{""ImportId"":""QID""}"'] * 3)

ITEMS, COLUMNS = Remedy("items"), Remedy("columns")
UNKNOWN = (
    Remedy("columns", {"target": ..., "near": ..., "far": ...}),
    Remedy("columns", [0, 1, 2]),
)
NO_WEIGHT = ("no weight", "line 3", (Remedy("columns", {"weight": None}),))
FIVE = (Remedy("columns", {"target": 0, "near": 1, "far": 2}),)
DROP_ANSWER = (Remedy("drop", {"Answer": ...}),)


def no_label(column, value, place="line 3"):
    return "no label", place, (Remedy("drop", {column: value}), ITEMS)


# What is wrong: the file, its content, and the error: code, place, remedies. DuckDB
# counts one line too many where JSON is cut.
REFUSED = {
    "wrong column": (
        "a.csv",
        b"head,winner,looser\na,b,c\n",
        "unknown columns",
        None,
        (Remedy("columns", {"target": "head", "near": "winner", "far": ...}), *UNKNOWN),
    ),
    "missing value": ("a.csv", GOOD + b"a,,c\n", *no_label("winner", None)),
    "missing value in quotes": ("a.csv", GOOD + b'a,"",c\n', *no_label("winner", "")),
    "NA": ("a.csv", GOOD + b"a,NA,c\n", *no_label("winner", "NA")),
    "too few columns": ("a.csv", GOOD + b"a,b\n", "number of columns", "line 3", ()),
    "too many columns": (
        "a.csv",
        GOOD + b"a,b,c,d\n",
        "number of columns",
        "line 3",
        (),
    ),
    "comma in a bare label": (
        "a.csv",
        GOOD + b"a,b,c, wild\n",
        "number of columns",
        "line 3",
        (),
    ),
    "open quote": ("a.csv", GOOD + b'a,"b,c\n', "open quote", "line 3", ()),
    "open quote in header": (
        "a.csv",
        b'head,"winner,loser\n',
        "open quote",
        "line 1",
        (),
    ),
    "text after quote": ("a.csv", GOOD + b'a,"b"x,c\n', "open quote", "line 3", ()),
    "mixed line ends": (
        "a.csv",
        GOOD + b"a,b,c\r\na,c,b\n",
        "mixed line ends",
        "line 3",
        (),
    ),
    "only blank lines": ("a.csv", b"\n\n\n", "empty", None, ()),
    "only a header": ("a.csv", b"head,winner,loser\n", "no answers", None, ()),
    "one column": ("a.csv", b"head\na\n", "unknown columns", None, UNKNOWN),
    "five columns of numbers": ("a.csv", b"1,2,3,4,5\n", "no header", None, FIVE),
    "empty": ("a.csv", b"", "empty", None, ()),
    "zeros": ("a.csv", bytes(1000), "not UTF-8", "line 1", ()),
    "junk": ("a.csv", bytes(range(128, 256)) * 9, "not UTF-8", "line 1", ()),
    "UTF-16": ("a.csv", "i,j,k\na,b,c\n".encode("utf-16"), "not UTF-8", "line 1", ()),
    "Latin-1": ("a.csv", GOOD + "a,b,é\n".encode("latin-1"), "not UTF-8", "line 3", ()),
    "long line": ("a.csv", GOOD + b"a,b," + b"x" * 10**7, "long line", "line 3", ()),
    "long first line": ("a.csv", b"x" * 10**7, "long line", "line 1", ()),
    "duplicate header": ("a.csv", b"i,j,j\na,b,c\n", "unknown columns", None, UNKNOWN),
    "one role twice": ("a.csv", b"i,j,j,k\n1,2,3,4\n", "two columns", None, (COLUMNS,)),
    "two forms": (
        "a.csv",
        b"i,j,k,target,near,far\n1,2,3,1,2,3\n",
        "two forms",
        None,
        (
            Remedy("columns", {"target": "target", "near": "near", "far": "far"}),
            Remedy("columns", {"target": "i", "near": "j", "far": "k"}),
        ),
    ),
    "NaN weight": ("a.csv", WEIGHTED + b"a,b,c,nan\n", *NO_WEIGHT),
    "no weight": ("a.csv", WEIGHTED + b"a,b,c,\n", *NO_WEIGHT),
    "negative weight": ("a.csv", WEIGHTED + b"a,b,c,-1\n", *NO_WEIGHT),
    "word as weight": ("a.csv", WEIGHTED + b"a,b,c,two\n", *NO_WEIGHT),
    "huge weight": ("a.csv", WEIGHTED + b"a,b,c,9" + b"9" * 30, *NO_WEIGHT),
    "infinite weight": ("a.csv", WEIGHTED + b"a,b,c,1e999\n", *NO_WEIGHT),
    "float and NaN": ("a.csv", WEIGHTED + b"a,b,c,nan\na,b,c,0.5\n", *NO_WEIGHT),
    "huge sum": (
        "a.csv",
        WEIGHTED + b"a,b,c,9000000000000000000\n",
        "weights",
        None,
        (),
    ),
    "self comparison": (
        "a.csv",
        GOOD + b"a,b,a\n",
        "same object",
        "line 3",
        (Remedy("drop_degenerate", True),),
    ),
    "unknown answer": (
        "a.csv",
        ANSWERED + b"a,b,c,up\n",
        "unknown answer",
        "line 3",
        (Remedy("answer_words", {"up": ...}), *DROP_ANSWER),
    ),
    "number as answer": (
        "a.csv",
        ANSWERED + b"a,b,c,1\n",
        "unknown answer",
        "line 3",
        (Remedy("answer_words", {"1": ...}), *DROP_ANSWER),
    ),
    "label and place": (
        "a.csv",
        ANSWERED + b"a,right,c,right\n",
        "two meanings",
        "line 3",
        DROP_ANSWER,
    ),
    "label or position": (
        "a.csv",
        SHOWN + b"2,5,1,3\n",
        "label or position",
        "line 4",
        (),
    ),
    "unused column": (
        "a.csv",
        b"i,j,k,n\na,b,c,1\n",
        "unused column",
        None,
        (
            Remedy("columns", {"weight": "n"}),
            Remedy("columns", {"target": "i", "near": "j", "far": "k"}),
        ),
    ),
    "header again": (
        "a.csv",
        GOOD + b"head,winner,loser\n",
        "header again",
        "line 3",
        (ITEMS,),
    ),
    "header again with a mark": (
        "a.csv",
        GOOD + b"\xef\xbb\xbfhead,winner,loser \n",
        "header again",
        "line 3",
        (ITEMS,),
    ),
    "description": (
        "a.csv",
        GOOD + b"a,c,b\n" + DESCRIBED,
        "description",
        "line 4",
        (),
    ),
    "blanks": (
        "a.csv",
        GOOD + b"a ,b,c\n",
        "two spellings",
        None,
        (ITEMS, Remedy("merge_spellings", True)),
    ),
    "truncated gzip": (
        "a.csv.gz",
        gzip.compress(GOOD * 99)[:-9],
        "damaged file",
        None,
        (),
    ),
    "damaged gzip": ("a.csv.gz", DAMAGED, "damaged file", None, ()),
    "no gzip": ("a.csv.gz", GOOD, "damaged file", None, ()),
    "no zstd": ("a.csv.zst", GOOD, "damaged file", None, ()),
    "unknown ending": ("a.xlsx", GOOD, "unknown ending", None, ()),
    "no ending": ("answers", GOOD, "unknown ending", None, ()),
    "packed parquet": ("a.parquet.gz", GOOD, "unknown ending", None, ()),
    "junk parquet": ("a.parquet", b"PAR1junkjunkPAR1", "not Parquet", None, ()),
    "short parquet": ("a.parquet", b"PAR1", "not Parquet", None, ()),
    "text as parquet": ("a.parquet", GOOD, "not Parquet", None, ()),
    "missing key": (
        "a.jsonl",
        JSON + b'{"i": "a", "j": "b"}\n',
        *no_label("k", None, "line 2"),
    ),
    "cut JSON": (
        "a.jsonl",
        JSON + b'{"i": "a", "j"\n' + JSON,
        "not JSON",
        "line 3",
        (),
    ),
    "JSON arrays": ("a.jsonl", b'["a", "b", "c"]\n', "not JSON", None, ()),
    "JSON array later": (
        "a.jsonl",
        JSON + b'["a", "b", "c"]\n',
        "not JSON",
        "line 2",
        (),
    ),
    "JSON key twice": (
        "a.jsonl",
        b'{"i": 1, "j": 2, "k": 3, "k": 4}\n',
        "key twice",
        "line 1",
        (),
    ),
    "JSON types": (
        "a.jsonl",
        JSON + b'{"i": 1, "j": 2, "k": 3}\n',
        "mixed labels",
        None,
        (),
    ),
    "JSON float": (
        "a.jsonl",
        b'{"i": 1.0, "j": 2, "k": 3}\n',
        "type of labels",
        None,
        (),
    ),
    "JSON nested": (
        "a.jsonl",
        b'{"i": {}, "j": 2, "k": 3}\n',
        "type of labels",
        None,
        (),
    ),
    "deep JSON": ("a.jsonl", b'{"i": ' + b"[" * 10**5, "not JSON", "line 2", ()),
    "CSV as JSON": ("a.jsonl", GOOD, "not JSON", "line 2", ()),
    "long JSON": (
        "a.jsonl",
        b'{"i": "' + b"x" * (4 * 10**7) + b'"}\n',
        "long line",
        None,
        (),
    ),
}
# Seen by read_comparisons only: sums need no annotators, and come from tables.
READ = {
    "no annotator": (
        "a.csv",
        b"i,j,k,worker\na,b,c,\n",
        "no annotator",
        "line 2",
        (Remedy("drop", {"worker": None}), Remedy("columns", {"annotator": None})),
    ),
    "no zip": ("a.npz", GOOD, "not NPZ", None, ()),
}
# The same with options: what it is asked to do.
ASKED = {
    "unknown label": (
        {"items": ["a", "b"]},
        "i,j,k\na,b,c\n",
        "unknown label",
        "line 2",
        (Remedy("drop", {"k": "c"}),),
    ),
    "no such value": (
        {"drop": {"w": 2}},
        "i,j,k,w\na,b,c,1\n",
        "no such value",
        None,
        (),
    ),
    "no response time": (
        {"min_response_time": 1},
        "i,j,k,rt\na,b,c,x\n",
        "no response time",
        "line 2",
        (Remedy("drop", {"rt": "x"}),),
    ),
    "too fast": (
        {"min_response_time": 2},
        "i,j,k,rt\na,b,c,1\n",
        "no answers",
        None,
        (),
    ),
    "no column of times": (
        {"min_response_time": 2},
        "i,j,k\na,b,c\n",
        "no response times",
        None,
        (Remedy("min_response_time", 2), Remedy("columns", {"response_time": ...})),
    ),
    "no such column": (
        {"columns": ["i", "j", "q"]},
        "i,j,k\na,b,c\n",
        "no such column",
        None,
        (),
    ),
    "a header": ({"columns": [0, 1, 2]}, "i,j,k\n1,2,3\n", "header", "line 1", ()),
}


def refused(read, *args, **options):
    with pytest.raises(InvalidComparisons) as caught:
        read(*args, **options)
    error = caught.value
    message = str(error)
    assert "\n" not in message
    assert len(message) < 1_000
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    assert error.place is None or f", {error.place}" in message
    return message, (error.code, error.place, error.remedies)


@pytest.mark.parametrize("case", {**REFUSED, **READ})
def test_refused(tmp_path, case):
    name, content, *expected = {**REFUSED, **READ}[case]
    path = tmp_path / name
    path.write_bytes(content)
    message, found = refused(read_comparisons, path)
    assert found == tuple(expected), message
    assert str(path) in message
    if case in REFUSED:
        assert refused(pair_sums, path)[1] == found


@pytest.mark.parametrize("case", ASKED)
def test_refused_as_asked(tmp_path, case):
    options, text, *expected = ASKED[case]
    path, out = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    path.write_text(text)
    for read, args in ((read_comparisons, (path,)), (write_pair_sums, (path, out))):
        message, found = refused(read, *args, **options)
        assert found == tuple(expected), message
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("case", ["NA", "self comparison", "huge weight", "one column"])
def test_refused_on_the_command_line(tmp_path, capsys, case):
    name, content, _, _, remedies = REFUSED[case]
    path = tmp_path / name
    path.write_bytes(content)
    assert main(["summary", str(path)]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("tripletree: error: ")
    assert found.err.count("\n") == 1
    assert all(remedy.in_shell() in found.err for remedy in remedies)


def test_remedies_in_python_and_in_the_shell():
    for remedy, python, shell in (
        (Remedy("items"), "items=", "--items"),
        (
            Remedy("drop", {"kind": "catch"}),
            "drop={'kind': 'catch'}",
            "--drop kind=catch",
        ),
        (Remedy("drop", {"a b": None}), "drop={'a b': None}", "--drop 'a b='"),
        (Remedy("keep", {"x": ...}), "keep={'x': ...}", "--keep x=..."),
        (
            Remedy("columns", {"target": "a", "near": ...}),
            "columns={'target': 'a', 'near': ...}",
            "--columns target=a,near=...",
        ),
        (Remedy("columns", [0, 1, 2]), "columns=[0, 1, 2]", "--columns 0,1,2"),
        (Remedy("drop_degenerate", True), "drop_degenerate=True", "--drop-degenerate"),
        (
            Remedy("min_response_time", 2),
            "min_response_time=2",
            "--min-response-time 2",
        ),
    ):
        assert str(remedy) == python
        assert remedy.in_shell() == shell
    error = InvalidComparisons("leave out with ", Remedy("drop", {"k": 1}), code="c")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code) == ("leave out with drop={'k': 1}", "c")
    assert again.in_shell() == "leave out with --drop k=1"


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for source, words in {
        "missing.csv": "there is no file .*missing.csv': check the path",
        "folder.csv": "folder.csv' is a folder: give a file, or",
        "*.tsv": "no file fits the pattern",
        "x\0.csv": "is not a valid path",
        "\udcff.csv": "is not a valid path",
        "x" * 5_000 + ".csv": "cannot be read: File name too long",
    }.items():
        with pytest.raises(UnreadableFile, match=words) as caught:
            read_comparisons(f"{tmp_path}/{source}")
        assert len(str(caught.value)) < 500
    for address in ("http://example.org/a.csv", Path("s3://bucket/*.csv")):
        words = "'(http://e|s3://b).* is an address: download the file first"
        with pytest.raises(UnreadableFile, match=words):
            read_comparisons(address)
    with pytest.raises(UnreadableFile, match="is a pipe or a device"):
        read_comparisons("/dev/null")
    with pytest.raises(UnreadableFile, match="is not a valid path"):
        read_comparisons("")
    with pytest.raises(InvalidComparisons, match="no files to read"):
        read_comparisons([])


def test_lines_are_counted_past_line_breaks_and_blank_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'i,j,k\na,"b\nb\r\nb",c\n\n\na,c,"b\nb"\na,b,\n')
    with pytest.raises(InvalidComparisons, match=r"line 9 .*no label in column 'k'"):
        read_comparisons(path)
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(InvalidComparisons, match=r"line 9 .*no label in column 'k'"):
        read_comparisons(packed)


def test_ctrl_c_stays_an_interrupt():
    for raised in (RuntimeError("Query interrupted"), duckdb.InterruptException("x")):
        with pytest.raises(KeyboardInterrupt), translated("a.csv"):
            raise raised

    for caught in (translated("a.csv"), connected()):
        with pytest.raises(KeyboardInterrupt), caught:
            raise duckdb.Error("KeyboardInterrupt: ")  # noqa: EM101
    with pytest.raises(RuntimeError, match="another"), translated("a.csv"):
        raise RuntimeError("another")  # noqa: EM101
    with pytest.raises(InvalidComparisons, match="cannot be read as a table: odd"):
        with translated("a.csv"):
            raise duckdb.Error("odd")  # noqa: EM101


def test_what_the_engine_itself_did_not_expect():
    said = "INTERNAL Error: Information loss on integer cast: value -21\nStack Trace:"
    words = r"a\.parquet: .* Is it broken\? .* \(INTERNAL Error: .* value -21\)\.$"
    with pytest.raises(InvalidComparisons, match=words):
        with translated("a.parquet"):
            raise duckdb.InternalException(said)


def test_nested_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    write = pytest.importorskip("pyarrow.parquet").write_table
    path = tmp_path / "a.parquet"
    for value, words in {
        "list": ([["a"]], r"column 'i' is of type VARCHAR\[\]"),
        "struct": ([{"x": 1}], r"column 'i' is of type STRUCT"),
        "float": ([1.5], "column 'i' is of type DOUBLE"),
        "missing": (pyarrow.array([None], pyarrow.string()), "row 1 .*no label in"),
    }.values():
        write(pyarrow.table({"i": value, "j": ["b"], "k": ["c"]}), path)
        with pytest.raises(InvalidComparisons, match=words):
            read_comparisons(path)


def npz(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, content in members.items():
            archive.writestr(f"{key}.npy", content)


def header(shape, dtype="<i4"):
    file = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, described)
    return file.getvalue()


def test_pickled_objects_are_not_loaded(tmp_path):
    path = tmp_path / "a.npz"

    class Bomb:
        def __reduce__(self):
            return pytest.fail, ("it was run",)

    np.savez(path, rows=np.array([[0, 1, 2]]), labels=np.array([Bomb()], object))
    with pytest.raises(InvalidComparisons, match="which can hold code") as caught:
        read_comparisons(path)
    assert caught.value.code == "type of array"


@pytest.mark.parametrize(
    ("members", "words", "code"),
    [
        ({"rows": b""}, "is not an array", "not NPZ"),
        ({"rows": b"\x93NUMPY\x01\x00\x05\x00{}{}{"}, "is not an array", "not NPZ"),
        ({"rows": header((2, 3))}, "is cut off", "damaged file"),
        ({"rows": header((10**15, 3)) + bytes(99)}, "is cut off", "damaged file"),
        ({"rows": header((-1, 3)) + bytes(99)}, "is cut off", "damaged file"),
        ({"rows": header((1, 5)) + bytes(99)}, r"shape \(1, 5\)", "not comparisons"),
        ({"rows": header((1, 3)) + bytes(99)}, "must differ", "not comparisons"),
        ({"other": header((1, 3)) + bytes(99)}, "give one of rows", "no rows"),
    ],
)
def test_hostile_archives(tmp_path, members, words, code):
    path = tmp_path / "a.npz"
    npz(path, **members)
    with pytest.raises(InvalidComparisons, match=words) as caught:
        read_comparisons(path)
    assert caught.value.code == code


def test_an_archive_whose_label_is_a_number(tmp_path):
    path = tmp_path / "a.npz"
    npz(path, rows=header((0, 3)), labels=header((), "<f8") + bytes(8))
    assert read_comparisons(path).labels == ("0.0",)


@pytest.mark.parametrize(
    "n_objects", ["3", np.nan, 3.5, 3.0, True, [3, 3], [], 2**63, -1]
)
def test_archives_with_no_number_of_objects(tmp_path, n_objects):
    path = tmp_path / "a.npz"
    np.savez(path, rows=np.array([[0, 1, 2]]), n_objects=np.asarray(n_objects))
    with pytest.raises(InvalidComparisons, match=r"a\.npz: n_objects = .*: give"):
        read_comparisons(path)


def test_an_archive_that_unpacks_to_more_than_the_memory(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    npz(path, rows=header((10**6, 3)) + bytes(12 * 10**6))
    assert path.stat().st_size < 10**5
    memory = type("Memory", (), {"available": 10**7})()
    monkeypatch.setattr("psutil.virtual_memory", lambda: memory)
    with pytest.raises(TooLarge, match=r"array 'rows.npy' of .*a.npz needs 0.0 GB"):
        read_comparisons(path)


def test_a_damaged_archive(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, rows=np.arange(3000).reshape(-1, 3))
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(InvalidComparisons, match="not a whole NPZ file"):
        read_comparisons(path)
    damaged = bytearray(whole)
    damaged[500] ^= 1
    path.write_bytes(bytes(damaged))
    with pytest.raises(InvalidComparisons, match="not a whole NPZ file"):
        read_comparisons(path)
