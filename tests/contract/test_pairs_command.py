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
    assert "left out 1 row (undecided)" in found.err
    assert tt.read_pairs(out).n_comparisons == 1
    assert main(command) == 2
    assert (
        "is there already: choose another name, or give --force"
        in capsys.readouterr().err
    )
    assert main([*command, "--force"]) == 0
    twice = tmp_path / "twice.parquet"
    tt.write_pairs(tt.read_pairs(out) + tt.read_pairs(out), twice)
    less = tmp_path / "less.parquet"
    assert main(["pairs", str(twice), "--without", str(out), "-o", str(less)]) == 0
    assert tt.read_pairs(less).n_comparisons == 1


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


def test_answers_are_chosen_as_for_other_commands(tmp_path, capsys):
    """An error of the engine gives advice in options that the command has."""
    answers, out = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    answers.write_text(
        "ref,a,b,kind,rt,weight\n"
        "x,y,z,real,900,1\n"
        "x,z,y,catch,900,1\n"
        "x,z,y,real,5,1\n"
        "z,y,,real,900,1\n"
    )
    command = ["pairs", str(answers), "-o", str(out)]
    assert main(command) == 1
    assert "--columns target=...,near=...,far=..." in capsys.readouterr().err
    command += ["--columns", "target=ref,near=a,far=b,response_time=rt"]
    assert main(command) == 1
    err = capsys.readouterr().err
    assert "with --drop 'b='." in err
    assert "{" not in err
    command += ["--drop", "kind=catch", "--drop", "b=", "--min-response-time", "100"]
    items = tmp_path / "items.csv"
    items.write_text("label\nz\ny\nx\n")
    assert main([*command, "--items", str(items)]) == 0
    found = tt.read_pairs(out, items=["x", "y", "z"])
    assert found.near.tolist() == [1, 0]
    assert found.far.tolist() == [0, 1]
    less = ["pairs", str(out), "--without", str(out), "-o", str(tmp_path / "0.parquet")]
    assert main([*less, "--keep", "kind=real"]) == 2
    assert "--keep is about answers" in capsys.readouterr().err
    assert main(less) == 0


def test_labels_that_look_like_none(tmp_path, capsys):
    """NA is no label, unless the items have it; the advice names what was found."""
    answers, out = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    answers.write_text(
        "image_1,image_2,image_3,odd,rt\nNA,b,c,c,9\na,b,c,c,8\na,b,c,b,fast\n"
    )
    command = ["pairs", str(answers), "-o", str(out)]
    assert main(command) == 1
    err = capsys.readouterr().err
    assert "with --drop image_1=NA. If an object is truly called 'NA', give" in err
    assert "--items, the labels of all objects." in err
    items = tmp_path / "items.csv"
    items.write_text("label\na\nb\nc\nNA\n")
    assert main([*command, "--items", str(items)]) == 0
    names = ["a", "b", "c", "NA"]
    found, read = (
        tt.read_pairs(out, items=names),
        tt.read_comparisons(answers, items=names),
    )
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    assert found.near.sum() == found.far.sum() == len(read) == 6
    items.write_text("label\na\nb\nc\n")
    assert main([*command, "--items", str(items), "--force"]) == 1
    assert "'NA' in column 'image_1' is not one of the 3 it" in capsys.readouterr().err
    command += ["--drop", "image_1=NA", "--force"]
    assert main([*command, "--min-response-time", "1"]) == 1
    err = capsys.readouterr().err
    assert "no response time that is a number in column 'rt'" in err
    assert "--drop rt=fast." in err
    assert main([*command, "--min-response-time", "1", "--drop", "rt=fast"]) == 0
    assert tt.read_pairs(out).n_comparisons == 2
