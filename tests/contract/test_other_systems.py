"""What Windows and macOS need: no name of POSIX alone, no encoding left to the system.

Types are checked as on Windows by `make check`. Here commands are run in a process that
looks like Windows to the package, see tests/as_windows.py.
"""

from __future__ import annotations

import ast
import sys
import zipfile
from pathlib import Path

import pytest

import tripletree
from tests.processes import environment, run, run_python

MODULES = sorted(Path(tripletree.__file__).parent.rglob("*.py"))
ANSWERS = "head,winner,loser\nKäse,梨,carp\n梨,Käse,carp\ncarp,cod,Käse\ncod,carp,梨\n"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.name))
def test_texts_are_read_and_written_with_an_encoding(path):
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name not in ("open", "read_text", "write_text", "TextIOWrapper"):
            continue
        given = {keyword.arg for keyword in call.keywords}
        modes = [x.value for x in call.args if isinstance(x, ast.Constant)]
        owner = ast.unparse(call.func).split(".")[0]
        is_other = owner in ("os", "tarfile", "gzip", "zipfile", "Image", "archive")
        is_bytes = is_other or any("b" in str(mode) for mode in modes)
        is_said = "encoding" in given or "utf-8" in modes
        assert is_bytes or is_said, f"{path.name}:{call.lineno}: which encoding?"


def as_windows(folder, *command):
    """What a command says on standard error; it must succeed."""
    options = ("-X", "warn_default_encoding", "-m", "tests.as_windows")
    env = environment(TMPDIR=str(folder.parent))  # others tidy the one of the system
    done = run(
        *(sys.executable, *options, *command), cwd=folder, env=env, encoding="cp1252"
    )
    assert done.returncode == 0, done.stderr
    assert "as_windows:" not in done.stderr
    assert not [*folder.parent.rglob(".tripletree-*")]
    return done.stderr


def test_commands_on_windows(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "answers.csv").write_text(ANSWERS, encoding="utf-8")
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.write(folder / "answers.csv", "again.csv")
    as_windows(folder, "cluster", "answers.csv", "--out", "results")
    files = ("answers.csv", "more.zip")
    assert "read 8 answers" in as_windows(
        folder, "cluster", *files, "--out", "results", "--force"
    )
    tree = tripletree.read_tree(folder / "results" / "tree.nwk")
    assert {*tree.labels} == {"Käse", "梨", "carp", "cod"}


def test_the_demo_on_windows(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    as_windows(folder, "demo")
    assert (folder / "tripletree-demo.html").stat().st_size > 100_000


REFUSED = """
import tempfile, os
from contextlib import suppress
from pathlib import Path
from tests.as_windows import become_windows

folder = Path(tempfile.mkdtemp())
become_windows()
import os, signal
assert not hasattr(os, "geteuid") and not hasattr(signal, "SIGHUP")
def is_refused(do, *arguments):
    try:
        do(*arguments)
    except (OSError, ImportError):
        return True
file = (folder / "open").open("wb")
(folder / "there").write_bytes(b"")
assert is_refused((folder / "open").unlink)
assert is_refused(os.replace, folder / "open", folder / "new")
assert is_refused(os.rename, folder, f"{folder}2")
assert is_refused(os.rename, folder / "there", folder / "there")
assert is_refused(os.open, folder, os.O_RDONLY)
assert is_refused((folder / "a:b").write_bytes, b"")
assert is_refused(__import__, "fcntl", globals())
file.close()
(folder / "open").unlink()
(folder / "there").rename(folder / "new")
"""


def test_what_windows_refuses_is_refused():
    run_python(REFUSED, check=True)
