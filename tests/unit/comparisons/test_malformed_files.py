"""Files that are wrong: one error each, naming the file, the line and what to do.

None of them may end in an error of the engine, of NumPy or of the archive's library.
"""

from __future__ import annotations

import gzip
import io
import re
import zipfile

import duckdb
import numpy as np
import pytest

from tripletree import InvalidComparisons, TooLarge, UnreadableFile, read_comparisons
from tripletree.cli import main
from tripletree.comparisons.files.engine_errors import translated
from tripletree.comparisons.files.tables import connected

GOOD = b"head,winner,loser\na,b,c\n"
WEIGHTED = b"i,j,k,weight\na,b,c,1\n"
ANSWERED = b"Center,Left,Right,Answer\na,b,c,left\n"
DAMAGED = gzip.compress(GOOD)[:-8] + bytes(8)  # without its check sum
JSON = b'{"i": "a", "j": "b", "k": "c"}\n'

MALFORMED = {
    "wrong column": ("a.csv", b"head,winner,looser\na,b,c\n", "'looser' are not known"),
    "missing value": (
        "a.csv",
        GOOD + b"a,,c\n",
        "line 3 .*no label in column 'win",
    ),
    "missing value in quotes": ("a.csv", GOOD + b'a,"",c\n', "line 3 .*no label in"),
    "NA": ("a.csv", GOOD + b"a,NA,c\n", "line 3 .*no label .* 'NA', give items="),
    "too few columns": (
        "a.csv",
        GOOD + b"a,b\n",
        "line 3: 2 columns, and 3",
    ),
    "too many columns": ("a.csv", GOOD + b"a,b,c,d\n", "line 3: 4 columns, and 3 in"),
    "comma in a bare label": ("a.csv", GOOD + b"a,b,c, wild\n", "in quotes"),
    "open quote": ("a.csv", GOOD + b'a,"b,c\n', "line 3: a quoted value has no end"),
    "open quote in header": (
        "a.csv",
        b'head,"winner,loser\n',
        "line 1: a quoted",
    ),
    "text after quote": ("a.csv", GOOD + b'a,"b"x,c\n', "line 3: a quoted value"),
    "mixed line ends": ("a.csv", GOOD + b"a,b,c\r\na,c,b\n", "lines end differently"),
    "only blank lines": ("a.csv", b"\n\n\n", "no text in its first line"),
    "only a header": (
        "a.csv",
        b"head,winner,loser\n",
        "has no answers: check",
    ),
    "one column": ("a.csv", b"head\na\n", "columns 'head' are not known"),
    "five columns of numbers": ("a.csv", b"1,2,3,4,5\n", "5 columns of integers"),
    "empty": ("a.csv", b"", "is empty: was it exported completely"),
    "zeros": ("a.csv", bytes(1000), "binary data"),
    "junk": ("a.csv", bytes(range(128, 256)) * 9, "no UTF-8 text"),
    "UTF-16": ("a.csv", "i,j,k\na,b,c\n".encode("utf-16"), "no UTF-8 text"),
    "Latin-1": (
        "a.csv",
        GOOD + "a,b,é\n".encode("latin-1"),
        "line 3: .* no UTF-8",
    ),
    "long line": (
        "a.csv",
        GOOD + b"a,b," + b"x" * 10**7,
        "line 3: .* too long",
    ),
    "long first line": ("a.csv", b"x" * 10**7, "the line is too long"),
    "duplicate header": ("a.csv", b"i,j,j\na,b,c\n", "'i', 'j', 'j' are not known"),
    "NaN weight": ("a.csv", WEIGHTED + b"a,b,c,nan\n", "line 3 .*weights are numbers"),
    "no weight": ("a.csv", WEIGHTED + b"a,b,c,\n", "line 3 .*weights are numbers"),
    "negative weight": ("a.csv", WEIGHTED + b"a,b,c,-1\n", "line 3 .*weight = '-1'"),
    "word as weight": ("a.csv", WEIGHTED + b"a,b,c,two\n", "line 3 .*weight = 'two'"),
    "huge weight": ("a.csv", WEIGHTED + b"a,b,c,9" + b"9" * 30, "line 3 .*below 2.63"),
    "infinite weight": ("a.csv", WEIGHTED + b"a,b,c,1e999\n", "line 3 .*weights are"),
    "huge sum": ("a.csv", WEIGHTED + b"a,b,c,9000000000000000000\n", "add up to more"),
    "no annotator": ("a.csv", b"i,j,k,worker\na,b,c,\n", "line 2 .*no 'worker'. Fill"),
    "self comparison": ("a.csv", GOOD + b"a,b,a\n", "line 3 .*compared with itself"),
    "unknown answer": (
        "a.csv",
        ANSWERED + b"a,b,c,up\n",
        "line 3 .*Answer = 'up'",
    ),
    "number as answer": ("a.csv", ANSWERED + b"a,b,c,1\n", "line 3 .*neither a label"),
    "blanks": (
        "a.csv",
        GOOD + b"a ,b,c\n",
        "'a' and 'a ' differ in blanks only",
    ),
    "truncated gzip": (
        "a.csv.gz",
        gzip.compress(GOOD * 99)[:-9],
        "cut off or damaged",
    ),
    "damaged gzip": ("a.csv.gz", DAMAGED, "cut off or damaged"),
    "no gzip": ("a.csv.gz", GOOD, "not packed as its ending says"),
    "no zstd": ("a.csv.zst", GOOD, "not packed as its ending says"),
    "unknown ending": ("a.xlsx", GOOD, "let it end in .csv"),
    "no ending": ("answers", GOOD, "let it end in .csv"),
    "packed parquet": ("a.parquet.gz", GOOD, "let it end in .csv"),
    "junk parquet": ("a.parquet", b"PAR1junkjunkPAR1", "no whole Parquet file"),
    "short parquet": ("a.parquet", b"PAR1", "no whole Parquet file"),
    "text as parquet": ("a.parquet", GOOD, "no whole Parquet file"),
    "missing key": (
        "a.jsonl",
        JSON + b'{"i": "a", "j": "b"}\n',
        "line 2 .*no label in",
    ),
    "cut JSON": ("a.jsonl", JSON + b'{"i": "a", "j"\n' + JSON, "no flat JSON object"),
    "JSON arrays": ("a.jsonl", b'["a", "b", "c"]\n', "no JSON object with keys"),
    "JSON array later": (
        "a.jsonl",
        JSON + b'["a", "b", "c"]\n',
        "line 2: .* no flat",
    ),
    "JSON key twice": ("a.jsonl", b'{"i": 1, "j": 2, "k": 3, "k": 4}\n', "key twice"),
    "JSON types": (
        "a.jsonl",
        JSON + b'{"i": 1, "j": 2, "k": 3}\n',
        "text and others",
    ),
    "JSON float": ("a.jsonl", b'{"i": 1.0, "j": 2, "k": 3}\n', "JSON type DOUBLE"),
    "JSON nested": ("a.jsonl", b'{"i": {}, "j": 2, "k": 3}\n', "JSON type OBJECT"),
    "deep JSON": ("a.jsonl", b'{"i": ' + b"[" * 10**5, "no flat JSON object"),
    "CSV as JSON": ("a.jsonl", GOOD, "no flat JSON object"),
    "long JSON": ("a.jsonl", b'{"i": "' + b"x" * (4 * 10**7) + b'"}\n', "too long"),
    "no zip": ("a.npz", GOOD, "no whole NPZ file"),
}


@pytest.mark.parametrize("case", MALFORMED, ids=lambda case: case.replace(" ", "-"))
def test_malformed(tmp_path, case):
    name, content, words = MALFORMED[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidComparisons, match=f"(?s){words}") as caught:
        read_comparisons(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert len(message) < 1_000
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("case", MALFORMED, ids=lambda case: case.replace(" ", "-"))
def test_malformed_on_the_command_line(tmp_path, capsys, case):
    name, content, words = MALFORMED[case]
    path = tmp_path / name
    path.write_bytes(content)
    assert main(["summary", str(path)]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("tripletree: error: ")
    assert found.err.count("\n") == 1
    words = words.replace("give items=", "give --items")
    assert re.search(f"(?s){words}", found.err)


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for source, words in {
        "missing.csv": "there is no file .*missing.csv': check the path",
        "folder.csv": "folder.csv' is a folder: give a file, or a pattern",
        "*.tsv": "no file fits the pattern",
        "x\0.csv": "is no name of a file",
        "\udcff.csv": "is no name of a file",
        "x" * 5_000 + ".csv": "cannot be read: File name too long",
    }.items():
        with pytest.raises(UnreadableFile, match=words) as caught:
            read_comparisons(f"{tmp_path}/{source}")
        assert len(str(caught.value)) < 500
    with pytest.raises(UnreadableFile, match="is an address: download the file first"):
        read_comparisons("http://example.org/a.csv")
    with pytest.raises(UnreadableFile, match="no regular file"):
        read_comparisons("/dev/null")
    with pytest.raises(UnreadableFile, match="is no name of a file"):
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
    with pytest.raises(InvalidComparisons, match="dtype object, which can hold code"):
        read_comparisons(path)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"rows": b""}, "is no array"),
        ({"rows": b"\x93NUMPY\x01\x00\x05\x00{}{}{"}, "is no array"),
        ({"rows": header((2, 3))}, "is cut off"),
        ({"rows": header((10**15, 3)) + bytes(99)}, "is cut off"),
        ({"rows": header((-1, 3)) + bytes(99)}, "is cut off"),
        ({"rows": header((1, 5)) + bytes(99)}, r"shape \(1, 5\)"),
        ({"rows": header((1, 3)) + bytes(99)}, "must differ"),
        ({"other": header((1, 3)) + bytes(99)}, "give one of rows, triplets"),
        ({"rows": header((0, 3)), "labels": header((), "<f8") + bytes(8)}, "0.0"),
    ],
)
def test_hostile_archives(tmp_path, members, words):
    path = tmp_path / "a.npz"
    npz(path, **members)
    if words == "0.0":
        assert read_comparisons(path).labels == ("0.0",)
        return
    with pytest.raises(InvalidComparisons, match=words):
        read_comparisons(path)


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
    with pytest.raises(InvalidComparisons, match="no whole NPZ file"):
        read_comparisons(path)
    damaged = bytearray(whole)
    damaged[500] ^= 1
    path.write_bytes(bytes(damaged))
    with pytest.raises(InvalidComparisons, match="no whole NPZ file"):
        read_comparisons(path)
