"""What errors advise: options that the command has, and that do what they promise."""

from __future__ import annotations

import re
import shlex

import pytest
import typer.main

from tripletree.cli import app, main

OPTIONS = {
    name: {option for one in command.params for option in one.opts}
    for name, command in typer.main.get_command(app).commands.items()
}
READING = ["cluster", "summary", "report", "revenue", "compare", "convert", "pairs"]
BAD = {
    "unknown columns": "a,b,c\nx,y,z\n",
    "no header, four columns": "1,2,3,4\n2,3,1,4\n",
    "no header, five columns": "1,2,3,4,5\n2,3,1,4,5\n",
    "compared with itself": "target,near,far\nx,y,z\nx,y,y\n",
    "no label": "target,near,far\nx,y,z\nx,,y\n",
    "NA": "target,near,far\nx,y,z\nx,NA,y\n",
    "header again": "target,near,far\nx,y,z\ntarget,near,far\n",
    "unknown answer": "anchor,left,right,answer\nx,y,z,up\n",
    "which position": "first,second,third,odd\nx,y,z,1\nx,y,z,2\n",
    "no annotator": "target,near,far,worker\nx,y,z,w\nx,y,z,\n",
    "wrong weight": "target,near,far,weight\nx,y,z,-1\n",
    "left over": "target,near,far,answer\nx,y,z,left\n",
    "nothing": "target,near,far\n",
    "other leaves": "target,near,far\nx,y,q\n",
}


def refused(capsys, name, answers, folder, *more):
    """What a command says about a file of answers; None if it takes it."""
    tree, out = folder / "tree.nwk", folder / "out"
    tree.write_text("((x,y),z);")
    given = {
        "report": [answers, "-o", out.with_suffix(".html")],
        "revenue": [tree, answers],
        "compare": [tree, tree, "--answers", answers],
        "convert": [answers, out.with_suffix(".csv")],
        "pairs": [answers, "-o", out.with_suffix(".parquet")],
    }.get(name, [answers])
    code = main([name, *map(str, given), *more])
    err = capsys.readouterr().err
    assert (code == 0) == ("tripletree: error: " not in err)
    return err if code else None


@pytest.mark.parametrize("name", READING)
def test_errors_advise_options_of_the_command(name, tmp_path, capsys):
    path = tmp_path / "a.csv"
    n_refused = 0
    for what, text in BAD.items():
        if (what, name) == ("other leaves", "report"):
            continue  # these are answers like others, and a report takes long
        path.write_text(text)
        err = refused(capsys, name, path, tmp_path)
        n_refused += err is not None
        advised = {*re.findall(r"--[a-z-]+", err or "")}
        assert advised <= OPTIONS[name], (what, err)
        is_python = re.search(r"\w=\{|\bitems=|read_comparisons", err or "")
        assert not is_python, (what, err)
    assert n_refused >= len(BAD) - 2


def test_the_shell_is_told_of_commands(tmp_path, capsys):
    """Names of functions are for Python; in the shell there are commands."""
    csv, pairs, tree = tmp_path / "a.csv", tmp_path / "p.parquet", tmp_path / "t.nwk"
    csv.write_text("target,near,far\nx,y,z\n")
    tree.write_text("((x,y),q);")
    assert main(["pairs", str(csv), "-o", str(pairs)]) == 0
    assert main(["convert", str(csv), str(tmp_path / "a.npz")]) == 0
    capsys.readouterr()
    for given, words in (
        (["summary", pairs], "`tripletree cluster`"),
        (["pairs", pairs, "-o", "x.parquet", "--without", csv], "pair sums"),
        (["pairs", csv, "-o", "x.parquet", "--without", pairs], "`tripletree pairs`"),
        (["pairs", tmp_path / "a.npz", "-o", "x.parquet"], "`tripletree convert`"),
        (["compare", tree, tmp_path / "tree.nwk"], "Rename the leaves"),
    ):
        assert refused(capsys, "summary", csv, tmp_path) is None  # writes a tree
        assert main([*map(str, given)]) == 1
        err = capsys.readouterr().err
        assert words in err
        assert not re.search(r"[a-z]+_[a-z]+[(=]|\b(read|write)_\w+|with_labels", err)


@pytest.mark.parametrize("name", READING)
def test_commands_that_read_answers_read_alike(name):
    reading = "--columns --items --drop --keep --min-response-time --drop-degenerate"
    reading += " --answer-words"
    assert {*reading.split()} <= OPTIONS[name]


@pytest.mark.parametrize("name", ["summary", "revenue", "compare", "convert", "pairs"])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("near", value) for value in ("", "NA")),
        *(("rt", value) for value in ("a b", "it's", "1,5")),
    ],
)
def test_rows_are_left_out_as_advised(name, column, value, tmp_path, capsys):
    """The advice, as it is printed, is taken by a shell and by the command."""
    path = tmp_path / "a.csv"
    row = f'x,y,z,"{value}"' if column == "rt" else f'x,"{value}",z,9'
    path.write_text(f"target,near,far,rt\nx,y,z,9\ny,x,z,9\n{row}\n")
    more = ["--min-response-time", "1"]
    err = refused(capsys, name, path, tmp_path, *more)
    advice = re.search(r"--drop (?:'.*=.*'|[^ ]*=[^ ]*?)(?=\.( |$))", err)
    assert advice, err
    assert refused(capsys, name, path, tmp_path, *more, *shlex.split(advice[0])) is None


def test_options_of_reading_are_about_answers(tmp_path, capsys):
    tree = tmp_path / "tree.nwk"
    tree.write_text("((x,y),z);")
    for given, what in [
        (["convert", tree, tmp_path / "tree.json"], "holds a tree"),
        (["compare", tree, tree], "without --answers"),
    ]:
        assert main([*map(str, given), "--drop", "a=b"]) == 2
        err = capsys.readouterr().err
        assert "--drop is about answers" in err
        assert what in err
    assert not (tmp_path / "tree.json").exists()
