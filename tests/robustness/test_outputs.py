"""What commands print and write: streams that fail, files of others, harmless text."""

import csv
import errno
import io
import json
import os
import re
import sys

import duckdb
import numpy as np
import pytest

import tripletree as tt
from tests.processes import run_command
from tripletree.cli import main
from tripletree.commands import data, studies, trees
from tripletree.datasets.animals import animals

posix = pytest.mark.skipif(os.name == "nt", reason="streams of POSIX")
QUICKLY = "--method adds-al --support 0"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The current folder, with a file of answers."""
    monkeypatch.chdir(tmp_path)
    tt.write_comparisons(animals(60).answers, "a.csv")
    return tmp_path


# Streams


@posix
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("redirected", "encoding"),
    [
        ("> >(exec true)", "utf-8"),
        ("> /dev/full", "utf-8"),
        (">&-", "utf-8"),
        ("2> /dev/full", "utf-8"),
        ("2>&-", "utf-8"),
        ("", "cp1252"),
    ],
)
def test_printing_fails_no_command_whose_files_are_written(
    redirected, encoding, folder
):
    line = f"cluster a.csv {QUICKLY} --out out {redirected}"
    done = run_command(line, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert len([*(folder / "out").iterdir()]) == 6
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert ("No space left" in done.stderr) == (redirected == "> /dev/full")
    assert ("??" in done.stdout) == (encoding != "utf-8")


@posix
@pytest.mark.parametrize("line", ["summary a.csv", "--help", "--version"])
def test_a_result_that_goes_nowhere_is_an_error(line):
    for where, words in (("/dev/full", "No space left"), ("&-", "Bad file descriptor")):
        done = run_command(f"{line} >{where}")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert words in done.stderr
    assert run_command(f"{line} > /dev/full 2> /dev/full").returncode == 1


@posix
@pytest.mark.parametrize("limit", ["-v 300000", "-d 100000"])
def test_too_little_memory_to_load_libraries(limit):
    done = run_command("summary a.csv", before=f"ulimit {limit};")
    assert done.returncode == 1
    assert done.stderr == (
        f"tripletree: error: the limit of memory (ulimit {limit}) is too low: allow at "
        "least 1953125.\n"
    )


def test_json_on_a_terminal_of_another_encoding(monkeypatch):
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, "cp1252", write_through=True)
    labels = ["żaba", "b", "c"]
    tt.write_comparisons(tt.Triplets([[0, 1, 2]], 3, labels=labels), "a.csv")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["cluster", "a.csv", "--method", "adds-al", "--json"]) == 0
    assert {*json.loads(buffer.getvalue())["clusters"]} == {*labels}


@pytest.mark.parametrize("chosen", ["0", "-1", "abc", "99999999999", "1.5", "\u0663"])
def test_a_wrong_number_of_threads(chosen, command, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", chosen)
    err = command("summary a.csv", code=2).err
    assert err.count("\n") == 1
    assert f"NUMBA_NUM_THREADS is {chosen!r}: set it to a number" in err


# Files that are there


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("line", "name"),
    [
        (f"cluster a.csv {QUICKLY} --out .", "linkage.npy"),
        (f"report a.csv {QUICKLY} -o page.html", "page.html"),
        ("pairs a.csv -o pairs.parquet", "pairs.parquet"),
        ("pairs p.parquet --without p.parquet -o less.parquet", "less.parquet"),
        ("convert a.csv b.csv", "b.csv"),
        ("convert t.nwk t.json", "t.json"),
        ("simulate b.csv --objects 8", "b.csv"),
        ("simulate b.csv --objects 8 --truth t.json", "t.json"),
        ("datasets digits -o b.npz", "b.npz"),
        pytest.param("demo -o demo.html", "demo.html", marks=pytest.mark.slow),
    ],
)
def test_no_command_replaces_a_file_that_came_meanwhile(
    line, name, folder, monkeypatch, command
):
    """The first look at names is before the work, as if the file came after it."""
    (folder / "t.nwk").write_text("((a,b),c);")
    if "--without" in line:
        command("pairs a.csv -o p.parquet")
    for module in (trees, data, studies):
        monkeypatch.setattr(module, "check_new", lambda *_: None)
    (folder / name).write_text("another run")
    before = {path.name for path in folder.iterdir()}
    assert f"{name}' is there already" in command(line, code=2).err
    assert (folder / name).read_text() == "another run"
    assert {path.name for path in folder.iterdir()} == before
    command(f"{line} --force")
    assert (folder / name).read_bytes() != b"another run"


@pytest.mark.parametrize("truth", ["t.nwk", "other/t.nwk"])
def test_simulated_answers_and_their_tree_are_written_together(
    truth, folder, monkeypatch, command
):
    (folder / "other").mkdir()
    line = f"simulate b.csv --objects 8 --truth {truth}"

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(tt, "write_tree", full)
        command(line, code=1)
    assert not (folder / "b.csv").exists()
    command(line)
    assert tt.read_tree(truth).n_leaves == tt.read_comparisons("b.csv").n_objects
    names = {path.name for path in folder.rglob("*")}
    assert names == {"a.csv", "b.csv", "other", "t.nwk"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("b.csv --truth nowhere/t.nwk", r"nowhere' cannot be written: No such file"),
        ("b.csv --truth t.csv", r"error: 't\.csv': the name does not say"),
        ("b.what --truth t.nwk", r"error: 'b\.what': the name does not say"),
        ("b.zip --truth t.nwk", r"error: 'b\.zip': .* only read"),
    ],
)
def test_the_file_of_two_that_cannot_be_written_is_named(line, words, folder, command):
    assert re.search(words, command(f"simulate {line} --objects 8", code=1).err)
    assert {path.name for path in folder.iterdir()} == {"a.csv"}


@pytest.mark.compiled
def test_files_of_another_version_say_so(folder, command):
    later = "SELECT 'a' AS a, 'b' AS b, 1 AS near, 0 AS far, 2 AS tied"
    duckdb.sql(later).write_parquet("pairs.parquet")
    np.savez("rows.npz", rows=[[0, 1, 2]], schema=2)
    leaves = '[{"label": "a"}, {"label": "b"}]'
    (folder / "tree.json").write_text(f'{{"schema": 2, "children": {leaves}}}')
    for line in (
        "cluster pairs.parquet",
        "summary rows.npz",
        "revenue tree.json a.csv",
    ):
        err = command(line, code=1).err
        assert "version" in err
        assert "tripletree" in err.removeprefix("tripletree: error")
    np.savez("rows.npz", rows=[[0, 1, 2]], schema=1)
    command("summary rows.npz")


# Text in files and on terminals

EVIL = ("\x85next", "\x9b31mred", "\u202eright", "\u2066left", "\u200eplain", "fish")
LABELS = tuple(f"x{x}" for x in EVIL)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["b.csv", "b.tsv", "b.jsonl", "b.parquet", "b.npz"])
def test_labels_are_read_back_as_they_were(name, folder):
    tt.write_comparisons(tt.Triplets([[0, 1, 2], [3, 4, 5]], 6, labels=LABELS), name)
    assert tt.read_comparisons(name, items=LABELS).labels == LABELS
    if name == "b.jsonl":
        assert (folder / name).read_text("utf-8").replace("\n", "").isprintable()


@pytest.mark.compiled
def test_nothing_steers_a_terminal(command, folder):
    """Neither labels, names of annotators and of files, reasons, nor notes."""
    title = "\x1b]0;{}\x07\x9b2J".format
    answers = tt.Triplets(
        [[0, 1, 2], [3, 4, 5], [1, 0, 3]],
        n_objects=8,
        labels=[*LABELS, title("a"), "never compared" + title("b")],
        annotators=[title("c"), title("d"), title("c")],
        dropped={title("e"): 3},
        notes=[title("f")],
    )
    tt.write_comparisons(answers, "a.npz")
    steering = "\x9b\u202e"
    printed = ""
    for line, code in (
        (f"cluster a.npz {QUICKLY} --out out", 0),
        (f"cluster a.npz {QUICKLY} --json", 0),
        ("summary a.npz", 0),
        (f"summary no{steering}.csv", 1),
        (f"revenue out/tree.json no{steering}.csv", 1),
        (f"convert out/tree.json {steering}.nwk", 0),
        (f"convert out/tree.json {steering}.nwk", 2),  # there already
    ):
        found = command(line, code=code)
        printed += found.out + found.err
        if "--json" in line:
            assert {*json.loads(found.out)["clusters"]} == {*answers.labels}
    assert printed.replace("\n", "").isprintable()
    assert all(rf"\x1b]0;{letter}\x07" in printed for letter in "abcdef")
    text = (folder / "out" / "summary.json").read_text("utf-8")
    assert text.replace("\n", "").isprintable()
    assert {*json.loads(text)["clusters"]} == {*answers.labels}
    assert {*tt.read_tree("out/tree.json").labels} == {*answers.labels}


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.reader(file)][1:]


def test_clusters_show_no_steering_characters_and_answers_keep_them(folder):
    labels = ["a\x85", "\u202eb", "c\x1b[2J", "d\ne", "\u00e9\u200d\u4e2d, 2"]
    answers = tt.Triplets([[0, 1, 2], [1, 0, 3], [4, 3, 0]], 5, labels=labels)
    tt.cluster(answers, method="adds-al").write("out")
    clusters = rows_of(folder / "out" / "clusters.csv")
    shown = [r"a\x85", r"\u202eb", r"c\x1b[2J", r"d\ne", labels[4]]
    assert [label for label, _ in clusters] == shown
    summary = json.loads((folder / "out" / "summary.json").read_text("utf-8"))
    assert [*summary["clusters"]] == labels
    for name in ("a.csv", "a.tsv"):
        tt.write_comparisons(answers, name)
        again = tt.read_comparisons(name, items=labels)
        assert again.labels == answers.labels
        assert again.rows.tolist() == answers.rows.tolist()
    sums = tt.pair_sums("a.csv", items=labels)
    tt.write_pairs(sums, "a.parquet")
    assert tt.read_pairs("a.parquet", items=labels).labels == answers.labels


@pytest.mark.compiled
def test_cells_are_harmless_to_spreadsheets_if_asked_for(command, folder):
    labels = ("=1+1", "+1", "-1", "@x", " =2", "\t=3", "\uff1d4", "a=b")
    cells = ("'=1+1", "'+1", "'-1", "'@x", "' =2", "\\t=3", "'\uff1d4", "a=b")
    given = tt.Triplets([[0, 1, 2], [3, 4, 5], [6, 7, 0]], 8, labels=labels)
    tt.write_comparisons(given, "a.npz")
    shown = tuple(label.replace("\t", "\\t") for label in labels)
    for option, expected, text in (
        ("", labels, shown),
        ("--spreadsheet", cells, cells),
    ):
        command(f"cluster a.npz {QUICKLY} --out out --force {option}")
        clusters = rows_of(folder / "out" / "clusters.csv")
        assert tuple(label for label, _ in clusters) == text
        command(f"convert a.npz b.csv --force {option}")
        assert {x for row in rows_of(folder / "b.csv") for x in row} == {*expected}
    command("convert a.npz b.csv --force")
    assert tt.read_comparisons("b.csv", items=labels).labels == labels
    same = tt.Triplets([[0, 1, 2]], 3, labels=["=1", "'=1", "x"])
    with pytest.raises(tt.InvalidComparisons, match="repeats"):
        tt.write_comparisons(same, "b.csv", spreadsheet=True)
