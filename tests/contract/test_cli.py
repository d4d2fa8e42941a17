"""The command line through its main, with tiny experiments."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import tripletree as tt
from tests.environments import unmeasured
from tripletree.cli import main
from tripletree.experiments import theorem2


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(theorem2, "QUICK_SIZES", (9,))
    monkeypatch.setattr(theorem2, "QUICK_RATIOS", ("1",))


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


@pytest.mark.usefixtures("tiny")
def test_reproduce(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["reproduce", "theorem2", "--quick", "--out", str(out)]) == 0
    found = capsys.readouterr()
    assert found.out.startswith("Theorem 2: triplets for a share")
    assert str(out) in found.err
    assert set(contents(out)) == {f"theorem2.{x}" for x in ("csv", "txt", "png", "pdf")}
    assert found.out == (out / "theorem2.txt").read_text() + "\n"
    assert len(list((out / "cells").iterdir())) == 3 * 2 * 2
    before = contents(out)
    for path in out.glob("theorem2.*"):
        path.unlink()
    again = ["reproduce", "theorem2", "--quick", "--out", str(out), "--jobs", "1"]
    assert main(again) == 0
    assert contents(out) == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["reproduce", "table9"], 2, "'table9' is not one of"),
        (["reproduce"], 2, "Missing argument"),
        (["reproduce", "table1", "--seeds", "0"], 2, "'--seeds'"),
        (["reproduce", "table1", "--jobs", "x"], 2, "'--jobs'"),
        (["nothing"], 2, "nothing"),
        (["reproduce", "real", "--out", os.devnull], 1, "tripletree: error: "),
    ],
)
def test_wrong_usage(arguments, code, words, capsys):
    assert main(arguments) == code
    found = capsys.readouterr()
    assert words in found.err
    assert "Traceback" not in found.err
    assert not found.out
    if code == 1:
        assert found.err.count("\n") == 1


def test_help_and_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("tripletree ")
    assert main(["reproduce", "--help"]) == 0
    assert "--quick" in capsys.readouterr().out


# A process with few and small cells; when two of them are there, it can get a signal
# with its whole group, as a terminal sends Ctrl-C.
FEW_CELLS = """
import os, signal, sys
from pathlib import Path
from tripletree.__main__ import main
from tripletree.experiments import theorem2

theorem2.QUICK_SIZES = (20, 30)
rename, cells = os.replace, []

def rename_and_press(source, target):
    rename(source, target)
    if Path(target).parent.name == "cells":
        cells.append(target)
        if len(cells) == 2:
            os.killpg(0, getattr(signal, which))

which = sys.argv.pop(1)
if which != "none":
    os.replace = rename_and_press
if __name__ == "__main__":
    sys.exit(main())
"""


def run_few_cells(which, *arguments):
    return subprocess.run(
        [sys.executable, "-c", FEW_CELLS, which, *arguments],
        env=unmeasured(),
        check=False,
        capture_output=True,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
def test_python_m():
    arguments = [sys.executable, "-m", "tripletree", "reproduce", "nothing"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing there")
def test_interrupt_and_resume(tmp_path):
    """Ctrl-C when two cells are there, then on to the same bytes."""
    given = ["reproduce", "theorem2", "--quick", "--seeds", "1"]
    out, whole = tmp_path / "out", tmp_path / "whole"
    cells = out / "cells"
    stopped = run_few_cells("SIGINT", *given, "--jobs", "2", "--out", str(out))
    assert stopped.returncode == 130
    assert stopped.stdout == ""
    assert stopped.stderr.count("\n") == 1
    assert "goes on from there" in stopped.stderr
    kept = contents(cells)
    assert 2 <= len(kept) < 36
    assert all(json.loads(content)["records"] for content in kept.values())
    assert contents(out) == {}
    for jobs, folder in (("1", out), ("2", whole)):
        done = run_few_cells("none", *given, "--jobs", jobs, "--out", str(folder))
        assert done.returncode == 0, done.stderr
    assert contents(out) == contents(whole)
    assert len(contents(out)) == 4
    assert contents(cells) == contents(whole / "cells")
    assert kept.items() <= contents(cells).items()


@pytest.mark.slow
def test_quick(tmp_path, capsys):
    assert main(["reproduce", "table1", "--quick", "--out", str(tmp_path)]) == 0
    assert "n²/16" in capsys.readouterr().out
    assert len(contents(tmp_path)) == 4


def test_summary(tmp_path, capsys):
    path = tmp_path / "answers.csv"
    path.write_text("head,winner,loser,worker\na,b,c,w1\nb,a,c,w2\nb,c,a,w2\n")
    assert main(["summary", str(path)]) == 0
    found = capsys.readouterr().out
    assert "3 triplets about 3 objects" in found
    assert "answered both ways      1" in found
    assert "2 people" in found


def test_summary_as_json(tmp_path, capsys):
    path = tmp_path / "answers.csv"
    text = "target,left,right,answer,worker,weight\na,b,c,b,w1,2\nb,a,c,,w2,1.5\n"
    path.write_text(text + "b,a,c,right,w2,1\n")
    assert main(["summary", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = vars(tt.summarise(tt.read_comparisons(path)))
    assert found.keys() == {*expected, "people"}
    assert found["n_answers"] == found["n_people"] == 2
    assert found["dropped"] == {"undecided": 1}
    assert found["total_weight"] == 3.0
    assert found["comparisons_per_object"] == {"smallest": 2, "median": 2, "largest": 2}
    assert sorted(found["people"]["names"]) == ["w1", "w2"]
    path.write_text("head,winner,loser\na,b,c\n")
    assert main(["summary", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["people"] is found["answers_per_person"] is None


@pytest.mark.parametrize(
    "contents", [b"", b"\x00\x01\x02", b"a,b\n1,2\n", b"head,winner,loser\na,a,b\n"]
)
def test_wrong_files_give_one_line(tmp_path, capsys, contents):
    path = tmp_path / "answers.csv"
    path.write_bytes(contents)
    assert main(["summary", str(path)]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("tripletree: error: ")
    assert found.err.count("\n") == 1
    assert str(path) in found.err
    assert main(["summary", str(tmp_path / "none.csv")]) == 1
