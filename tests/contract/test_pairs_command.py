"""`tripletree pairs` through the command line's main."""

from __future__ import annotations

import os

import tripletree as tt
from tripletree.cli import main


def test_pairs(tmp_path, capsys):
    answers, out = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    answers.write_text("center,left,right,answer\na,b,c,left\na,b,c,same\n")
    command = ["pairs", str(answers), "-o", str(out)]
    assert main([*command, "--memory", "500MB"]) == 0
    found = capsys.readouterr()
    assert found.out == ""
    assert "left out 1 rows (undecided)" in found.err
    assert tt.read_pairs(out).n_answers == 1
    assert main(command) == 2
    assert "is there already: give another name, or --force" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    twice = tmp_path / "twice.parquet"
    tt.write_pairs(tt.read_pairs(out) + tt.read_pairs(out), twice)
    less = tmp_path / "less.parquet"
    assert main(["pairs", str(twice), "--without", str(out), "-o", str(less)]) == 0
    assert tt.read_pairs(less).n_answers == 1


def test_wrong_usage(tmp_path, capsys):
    answers, out = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    answers.write_text("i,j,k\na,b,\n")
    command = ["pairs", str(answers), "-o", str(out)]
    for more, code, words in (
        ([], 1, "no label in column 'k'"),
        (["--memory", "x"], 2, "memory = 'x'"),
        (["--master", "local[2]"], 2, "add --engine spark"),
        (["--engine", "pony"], 2, "'pony'"),
    ):
        assert main([*command, *more]) == code
        assert words in capsys.readouterr().err
    assert main(["pairs", str(answers)]) == 2
    assert os.listdir(tmp_path) == ["a.csv"]
