"""Results are never lost, nor mixed: what else may happen while files are written."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

import tripletree as tt
from tripletree import _files
from tripletree.cli import main
from tripletree.commands import data, studies, trees
from tripletree.datasets.animals import animals

posix = pytest.mark.skipif(os.name == "nt", reason="streams and locks of POSIX")
NAMES = ("one", "two", "three")
RESULT = {
    *("tree.nwk", "tree.json", "linkage.npy"),
    *("clusters.csv", "summary.json", "report.html"),
}


@pytest.fixture
def answers(tmp_path):
    tt.write_comparisons(animals(60).answers, tmp_path / "a.csv")
    return tmp_path / "a.csv"


def write_set(folder, text, names=NAMES, overwrite=True):
    with _files.published(folder, NAMES, overwrite) as new:
        for name in names:
            (new / name).write_text(text)


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def everywhere(text, names=NAMES):
    return dict.fromkeys(names, text)


# Streams


def shell(command, **environment):
    return subprocess.run(
        ["bash", "-c", f"exec {sys.executable} -m tripletree {command}"],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
    )


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
    redirected, encoding, answers, tmp_path
):
    out = tmp_path / "out"
    command = f"cluster {answers} --method adds-al --support 0 --out {out} {redirected}"
    done = shell(command, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in out.iterdir()} == RESULT
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert ("No space left" in done.stderr) == (redirected == "> /dev/full")
    assert ("??" in done.stdout) == (encoding != "utf-8")


@posix
@pytest.mark.parametrize("command", ["summary a.csv", "--help", "--version"])
def test_a_result_that_goes_nowhere_is_an_error(command, answers):
    command = command.replace("a.csv", str(answers))
    done = shell(f"{command} > /dev/full")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr
    assert shell(f"{command} > /dev/full 2> /dev/full").returncode == 1


@posix
@pytest.mark.parametrize("limit", ["-v 300000", "-d 100000"])
def test_too_little_memory_to_load_libraries(limit, answers):
    done = subprocess.run(
        [
            *("bash", "-c"),
            f"ulimit {limit}; exec {sys.executable} -m tripletree summary {answers}",
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"tripletree: error: the limit of memory (ulimit {limit}) is too low: allow at "
        "least 1953125.\n"
    )


def test_json_on_a_terminal_of_another_encoding(answers, monkeypatch):
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, "cp1252", write_through=True)
    labels = ["żaba", "b", "c"]
    tt.write_comparisons(tt.Triplets([[0, 1, 2]], 3, labels=labels), answers)
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["cluster", str(answers), "--method", "adds-al", "--json"]) == 0
    assert set(json.loads(buffer.getvalue())["clusters"]) == {*labels}


# One file


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_came_meanwhile_is_not_replaced(links, tmp_path, monkeypatch):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "a.txt"
    move = _files._move

    def late(source, target):
        path.write_text("first")
        move(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(_files, "_move", late)
        with pytest.raises(tt.UnreadableFile, match="is there already") as caught:
            _files.write_whole(path, "second", overwrite=False)
    assert caught.value.in_shell().endswith("or give --force to replace it.")
    assert contents(tmp_path) == {"a.txt": "first"}
    _files.write_whole(tmp_path / "b.txt", "new", overwrite=False)
    assert contents(tmp_path) == {"a.txt": "first", "b.txt": "new"}


def no_links(source, target):
    raise OSError(errno.EPERM, "no links here")


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("cluster a.csv --method adds-al --support 0 --out .", "linkage.npy"),
        ("report a.csv --method adds-al --support 0 -o page.html", "page.html"),
        ("pairs a.csv -o pairs.parquet", "pairs.parquet"),
        ("pairs pairs --without pairs -o less.parquet", "less.parquet"),
        ("convert a.csv b.csv", "b.csv"),
        ("convert t.nwk t.json", "t.json"),
        ("simulate b.csv --objects 8", "b.csv"),
        ("simulate b.csv --objects 8 --truth t.json", "t.json"),
        ("datasets digits -o b.npz", "b.npz"),
        pytest.param("demo -o demo.html", "demo.html", marks=pytest.mark.slow),
    ],
)
def test_no_command_replaces_a_file_that_came_meanwhile(
    command, name, answers, tmp_path, monkeypatch, capsys
):
    """The first look at names is before the work, as if the file came after it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.nwk").write_text("((a,b),c);")
    if "--without" in command:
        assert main(["pairs", "a.csv", "-o", "p.parquet"]) == 0
        command = command.replace("pairs pairs", "pairs p.parquet")
        command = command.replace("--without pairs", "--without p.parquet")
    for module in (trees, data, studies):
        monkeypatch.setattr(module, "check_new", lambda *_: None)
    (tmp_path / name).write_text("another run")
    assert main(command.split()) == 2
    assert f"{name}' is there already" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "another run"
    if command.startswith("cluster"):
        assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "t.nwk", name}
    assert main([*command.split(), "--force"]) == 0
    assert (tmp_path / name).read_bytes() != b"another run"


# Sets of files


def test_a_set_replaces_files_of_its_own_names_only(tmp_path):
    (tmp_path / "mine").write_text("mine")
    write_set(tmp_path, "old")
    with pytest.raises(tt.UnreadableFile, match="is there already"):
        write_set(tmp_path, "new", overwrite=False)
    assert contents(tmp_path) == everywhere("old") | {"mine": "mine"}
    write_set(tmp_path, "new", ("one", "two"))
    assert contents(tmp_path) == everywhere("new", ("one", "two")) | {"mine": "mine"}
    (tmp_path / "three").mkdir()
    with pytest.raises(tt.UnreadableFile, match="three' is a folder"):
        write_set(tmp_path, "newer")
    assert (tmp_path / "one").read_text() == "new"


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("fails", NAMES)
def test_a_set_is_put_back_if_one_file_cannot_be_moved(
    fails, overwrite, links, tmp_path, monkeypatch
):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    if overwrite:
        write_set(tmp_path, "old")
    move = _files._move

    def full(source, target):
        if target.name == fails:
            raise OSError(errno.ENOSPC, "No space left on device")
        move(source, target)

    monkeypatch.setattr(_files, "_move", full)
    words = "What was there is as it was" if overwrite else "Choose a folder"
    with pytest.raises(tt.UnreadableFile, match=f"No space left on device. {words}"):
        write_set(tmp_path, "new", overwrite=overwrite)
    assert contents(tmp_path) == (everywhere("old") if overwrite else {})


def test_a_full_disk_leaves_the_old_set_and_names_its_folder(tmp_path, monkeypatch):
    write_set(tmp_path, "old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with (
        pytest.raises(tt.UnreadableFile) as caught,
        _files.published(tmp_path, NAMES, True) as new,
    ):
        _files.write_whole(new / "one", "new")
    assert str(caught.value) == (
        f"{str(tmp_path)!r} cannot be written: No space left on device. What was there "
        "is as it was."
    )
    assert contents(tmp_path) == everywhere("old")


def test_a_set_is_put_back_if_an_old_file_is_in_use(tmp_path, monkeypatch):
    """As on Windows, where a spreadsheet keeps the file it shows."""
    write_set(tmp_path, "old")
    replace = os.replace

    def in_use(source, target):
        if Path(source) == tmp_path / "two":
            raise PermissionError(errno.EACCES, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", in_use)
    with pytest.raises(tt.UnreadableFile, match="Permission denied"):
        write_set(tmp_path, "new")
    assert contents(tmp_path) == everywhere("old")


def test_files_that_cannot_be_put_back_are_named_and_kept(tmp_path, monkeypatch):
    write_set(tmp_path, "old")
    replace = os.replace

    def one_way(source, target):
        if Path(target).parent == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", one_way)
        patch.setattr(_files, "_move", no_links)
        with pytest.raises(tt.UnreadableFile, match=r"are now in .*old' \(") as caught:
            write_set(tmp_path, "new")
    assert all(name in str(caught.value) for name in NAMES)
    with _files.temporary_folder(tmp_path):  # what the next run does
        pass
    assert contents(tmp_path) == everywhere("old")


@posix
def test_sets_written_at_the_same_time_are_not_mixed(tmp_path):
    def write(text):
        for _ in range(20):
            write_set(tmp_path, text)

    threads = [Thread(target=write, args=(text,)) for text in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = contents(tmp_path)
    assert found == everywhere(found["one"])


# Killed runs

KILLED = """
import os, signal, sys
from pathlib import Path
from tripletree import _files

folder, n_moves = Path(sys.argv[1]), int(sys.argv[2])

def counted(move):
    def move_or_die(source, target, **more):
        global n_moves
        n_moves -= 1
        if n_moves < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        move(source, target, **more)
    return move_or_die

os.link, os.replace, os.rename = map(counted, (os.link, os.replace, os.rename))
with _files.published(folder, ("one", "two", "three"), True) as new:
    for name in ("one", "two"):
        (new / name).write_text("new")
"""


@posix
def test_a_killed_run_is_finished_or_undone_by_the_next(tmp_path):
    """At every moment all files are of one run, and in the end all of them are."""
    ends = []
    for n_moves in range(8):
        for path in tmp_path.iterdir():
            path.unlink()
        write_set(tmp_path, "old")
        command = [sys.executable, "-c", KILLED, str(tmp_path), str(n_moves)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        found = [path for path in tmp_path.iterdir() if path.is_file()]
        assert len({path.read_text() for path in found}) <= 1
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        with _files.temporary_folder(tmp_path):
            pass
        found = contents_of_files(tmp_path)
        ends.append("new" if found == everywhere("new", ("one", "two")) else "old")
        assert ends[-1] == "new" or found == everywhere("old")
        for path in tmp_path.glob(".tripletree-*"):  # killed before it had its lock
            assert [one.name for one in path.iterdir()] == ["held"]
            (path / "held").unlink()
            path.rmdir()
        if not done.returncode:
            break
    assert done.returncode == 0
    assert ends == sorted(ends, reverse=True)
    assert {*ends} == {"new", "old"}


def contents_of_files(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


@posix
def test_only_what_nobody_holds_is_removed(tmp_path):
    left = tmp_path / ".tripletree-0123456789ab"
    left.mkdir()
    (left / "lock").touch()
    (left / "tmp_pairs.parquet").touch()
    mine = tmp_path / ".tripletree-notes"
    mine.mkdir()
    (mine / "lock").touch()
    pipe = tmp_path / ".tripletree-0123456789ac"
    pipe.mkdir()
    os.mkfifo(pipe / "lock")
    with _files.temporary_folder(tmp_path) as one:
        assert not left.exists()
        with _files.temporary_folder(tmp_path) as two:
            assert {*tmp_path.iterdir()} >= {one, two, mine}
        assert one.exists()
    assert mine.exists()


@posix
def test_files_that_were_removed_do_not_come_back(tmp_path):
    """A run was killed after it had moved its files in; then they were deleted."""
    left = tmp_path / ".tripletree-0123456789ab" / "ready"
    left.mkdir(parents=True)
    (left.parent / "lock").touch()
    (left / NAMES[0]).write_text("first")
    write_set(tmp_path, "second", overwrite=False)
    assert contents(tmp_path) == everywhere("second")


@posix
def test_files_are_not_moved_in_while_others_are_moved(tmp_path, monkeypatch):
    """What a killed run left is finished before or after another set, never between."""
    left = tmp_path / ".tripletree-0123456789ab"
    for name in ("ready", "old"):
        (left / name).mkdir(parents=True)
    (left / "ready" / NAMES[0]).write_text("first")
    (left / "lock").touch()
    taken = []
    monkeypatch.setattr(_files, "_finish", lambda folder: taken.append(folder))
    fcntl = pytest.importorskip("fcntl")
    original = fcntl.flock

    def flock(file, how):
        taken.append(how)
        original(file, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with _files.temporary_folder(tmp_path):
        pass
    assert taken.index(fcntl.LOCK_EX) < taken.index(left)


@posix
@pytest.mark.parametrize("name", ["pairs.parquet", "b.csv", "b.parquet"])
def test_the_next_command_removes_what_a_killed_one_left(name, answers, tmp_path):
    """A command that is killed when its file is whole and about to get its name."""
    command = "pairs" if name == "pairs.parquet" else "convert"
    given = [command, "a.csv", *(["-o"] if command == "pairs" else []), name]
    code = (
        "import os, sys\n"
        "from tripletree.__main__ import main\n"
        "os.link = lambda *_: os.kill(os.getpid(), 9)\n"
        "main()\n"
    )
    killed = [sys.executable, "-c", code, *given]
    done = subprocess.run(killed, check=False, cwd=tmp_path, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert len([*tmp_path.iterdir()]) == 2
    again = [sys.executable, "-m", "tripletree", *given]
    subprocess.run(again, check=True, cwd=tmp_path, capture_output=True)
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", name}


# Files of another version


@pytest.mark.compiled
def test_files_of_another_version_say_so(answers, tmp_path, capsys):
    import duckdb
    import numpy as np

    pairs = tmp_path / "pairs.parquet"
    later = "SELECT 'a' AS a, 'b' AS b, 1 AS near, 0 AS far, 2 AS tied"
    duckdb.sql(later).write_parquet(str(pairs))
    rows = tmp_path / "rows.npz"
    np.savez(rows, rows=[[0, 1, 2]], schema=2)
    tree = tmp_path / "tree.json"
    tree.write_text('{"schema": 2, "children": [{"label": "a"}, {"label": "b"}]}')
    for command in (
        ["cluster", pairs],
        ["summary", rows],
        ["revenue", tree, answers],
    ):
        assert main([*map(str, command)]) == 1
        err = capsys.readouterr().err
        assert "version" in err
        assert "tripletree" in err.removeprefix("tripletree: error")
    np.savez(rows, rows=[[0, 1, 2]], schema=1)
    assert main(["summary", str(rows)]) == 0


# Text in files and on terminals

EVIL = ("\x85next", "\x9b31mred", "\u202eright", "\u2066left", "\u200eplain", "fish")


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["b.csv", "b.tsv", "b.jsonl", "b.parquet", "b.npz"])
def test_labels_are_read_back_as_they_were(name, tmp_path):
    path = tmp_path / name
    given = tt.Triplets([[0, 1, 2], [3, 4, 5]], 6, labels=[f"x{x}" for x in EVIL])
    tt.write_comparisons(given, path)
    assert tt.read_comparisons(path, items=given.labels).labels == given.labels
    if name == "b.jsonl":
        assert path.read_text("utf-8").replace("\n", "").isprintable()


@pytest.mark.compiled
def test_nothing_steers_a_terminal(tmp_path, capsys):
    labels = [f"x{x}" for x in EVIL]
    rows = [[0, 1, 2], [3, 4, 5], [1, 0, 3]]
    tt.write_comparisons(tt.Triplets(rows, 6, labels=labels), tmp_path / "a.npz")
    out, tree = tmp_path / "out", tmp_path / "out" / "tree.json"
    given = [str(tmp_path / "a.npz"), "--method", "adds-al", "--support", "0"]
    for command in (
        ["cluster", *given, "--out", str(out)],
        ["cluster", *given, "--json"],
        ["summary", given[0]],
        ["summary", str(tmp_path / "no\x9b\u202e.csv")],
        ["revenue", str(tree), str(tmp_path / "no\x9b\u202e.csv")],
        ["convert", str(tree), str(tmp_path / "\x9b\u202e.nwk")],
        ["convert", str(tree), str(tmp_path / "\x9b\u202e.nwk")],  # there already
    ):
        main(command)
        found = capsys.readouterr()
        assert (found.out + found.err).replace("\n", "").isprintable()
        if "--json" in command:
            assert {*json.loads(found.out)["clusters"]} == {*labels}
    text = (out / "summary.json").read_text("utf-8")
    assert text.replace("\n", "").isprintable()
    assert {*json.loads(text)["clusters"]} == {*labels}
    assert {*tt.read_tree(tree).labels} == {*labels}


@pytest.mark.compiled
def test_cells_are_harmless_to_spreadsheets_if_asked_for(tmp_path, capsys):
    labels = ("=1+1", "+1", "-1", "@x", " =2", "\t=3", "\uff1d4", "a=b")
    cells = ["'=1+1", "'+1", "'-1", "'@x", "' =2", "\\t=3", "'\uff1d4", "a=b"]
    given = tt.Triplets([[0, 1, 2], [3, 4, 5], [6, 7, 0]], 8, labels=labels)
    tt.write_comparisons(given, tmp_path / "a.npz")
    options = ["--method", "adds-al", "--support", "0"]
    command = ["cluster", str(tmp_path / "a.npz"), *options, "--out"]
    assert main([*command, str(tmp_path / "plain")]) == 0
    assert main([*command, str(tmp_path / "safe"), "--spreadsheet"]) == 0
    for folder, expected in (("plain", [*labels]), ("safe", cells)):
        with (tmp_path / folder / "clusters.csv").open(
            newline="", encoding="utf-8"
        ) as f:
            assert [row[0] for row in csv.reader(f)][1:] == expected
    path = tmp_path / "b.csv"
    convert = ["convert", str(tmp_path / "a.npz"), str(path)]
    assert main([*convert, "--spreadsheet"]) == 0
    with path.open(newline="", encoding="utf-8") as f:
        assert {x for row in [*csv.reader(f)][1:] for x in row} == {*cells}
    assert main([*convert, "--force"]) == 0
    assert tt.read_comparisons(path, items=labels).labels == labels
    same = tt.Triplets([[0, 1, 2]], 3, labels=["=1", "'=1", "x"])
    with pytest.raises(tt.InvalidComparisons, match="repeats"):
        tt.write_comparisons(same, path, spreadsheet=True)


@pytest.mark.parametrize("chosen", ["0", "-1", "abc", "99999999999", "1.5", "\u0663"])
def test_a_wrong_number_of_threads(chosen, answers, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_NUM_THREADS", chosen)
    assert main(["summary", str(answers)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"NUMBA_NUM_THREADS is {chosen!r}: set it to a number" in err
