"""What new users found: streams, names and files of the command line."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

import tripletree as tt
from tripletree import _files
from tripletree.cli import main
from tripletree.datasets.animals import animals

posix = pytest.mark.skipif(os.name == "nt", reason="streams and locks of POSIX")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tt.write_comparisons(animals(60).answers, "a.csv")
    return tmp_path


@pytest.mark.parametrize("truth", ["t.nwk", "other/t.nwk"])
def test_simulated_answers_and_their_tree_are_written_together(
    truth, folder, monkeypatch, capsys
):
    (folder / "other").mkdir()
    command = ["simulate", "b.csv", "--objects", "8", "--truth", truth]

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(tt, "write_tree", full)
        assert main(command) == 1
    assert not (folder / "b.csv").exists()
    assert main(command) == 0
    assert tt.read_tree(truth).n_leaves == tt.read_comparisons("b.csv").n_objects
    assert main(command) == 2
    assert "'b.csv' is there already" in capsys.readouterr().err
    assert {path.name for path in folder.rglob("*")} == {
        *("a.csv", "b.csv", "other", "t.nwk")
    }


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["cluster", "a.csv", "--out", ""], "--out"),
        (["cluster", "a.csv", "--out="], "--out"),
        (["report", "a.csv", "-o", ""], "-o"),
        (["simulate", ""], "an argument"),
    ],
)
def test_empty_names_are_refused(command, name, folder, capsys):
    assert main(command) == 2
    assert f"error: {name} is empty: give a value" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["a.csv"]


@posix
@pytest.mark.parametrize("command", ["summary a.csv", "--help", "--version"])
def test_a_closed_standard_output_is_an_error(command):
    python = f"exec {sys.executable} -m tripletree {command} >&-"
    done = subprocess.run(
        ["bash", "-c", python], check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "Bad file descriptor" in done.stderr


@posix
@pytest.mark.parametrize("names", [(), ("held",)])
def test_folders_without_a_lock_are_removed_when_they_are_old(names, folder):
    left = folder / ".tripletree-0123456789ab"
    left.mkdir()
    for name in names:
        (left / name).touch()
    with _files.temporary_folder(folder):
        assert left.exists()
    os.utime(left, (0, 0))
    with _files.temporary_folder(folder):
        assert not left.exists()


@posix
def test_a_folder_in_use_stays_although_it_is_old_and_without_a_lock(folder):
    """As on a file system where files are not renamed while they are locked."""
    fcntl = pytest.importorskip("fcntl")
    left = folder / ".tripletree-0123456789ab"
    left.mkdir()
    with (left / "held").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.utime(left, (0, 0))
        with _files.temporary_folder(folder):
            assert left.exists()
