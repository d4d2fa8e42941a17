"""What commands refuse: exit code, words, advice that holds, and nothing written."""

import os
import re
import shlex

import pytest
import typer.main

from tripletree.cli import app

OPTIONS = {
    name: {option for one in command.params for option in one.opts}
    for name, command in typer.main.get_command(app).commands.items()
}
DIGITS = "9" * 5_000  # Python refuses to read integers of more than 4,300 digits
ANSWERS_ONLY = "is about answers"
# A command on the files of conftest.py, its exit code, and words of its error. Commands
# that are wrong in themselves say so before they read the answers.
REFUSED = [
    ("nothing", 2, "nothing"),
    ("reproduce", 2, "Missing argument"),
    ("reproduce table9", 2, "'table9' is not one of"),
    ("reproduce table1 --seeds 0", 2, "'--seeds'"),
    ("reproduce table1 --jobs x", 2, "'--jobs'"),
    (f"reproduce real --out {os.devnull}", 1, ""),
    ("datasets cars", 2, "choose car, food"),
    ("plan --objects 2", 2, ""),
    ("summary none.csv", 1, "none.csv"),
    (
        "summary people.csv --columns target=ref,near=x,far=y,annotator=who",
        1,
        "compared with itself",
    ),
    # Names of files to write
    ("convert answers.csv pairs.parquet", 2, "--force"),
    ("convert answers.csv x.nwk", 2, "tripletree cluster"),
    ("convert answers.csv x.json", 2, "answers become answers"),
    ("convert none.csv x.xyz", 1, "'x.xyz'"),
    ("convert none.csv no/x.csv", 2, "there is no folder"),
    ("datasets digits --out x.xyz", 1, "'x.xyz'"),
    ("datasets digits --out no/x.csv", 2, "there is no folder"),
    ("pairs answers.csv", 2, "--out"),
    (
        "pairs answers.csv -o pairs.parquet",
        2,
        "is there already: choose another name, or give --force",
    ),
    ("simulate answers.csv", 2, "--force"),
    ("simulate ''", 2, "error: an argument is empty: give a value"),
    ("cluster answers.csv --out ''", 2, "error: --out is empty: give a value"),
    ("cluster answers.csv --out=", 2, "error: --out is empty: give a value"),
    ("cluster answers.csv --out answers.csv", 2, "is a file, not a folder"),
    ("cluster answers.csv --out answers.csv/x", 2, "is a file, not a folder"),
    ("report answers.csv -o ''", 2, "error: -o is empty: give a value"),
    ("report answers.csv -o page.txt", 2, ".html"),
    ("report answers.csv -o no/page.html", 2, "there is no folder"),
    ("demo -o page.txt", 2, ".html"),
    ("demo -o no/page.html", 2, "there is no folder"),
    # Values of options
    ("cluster answers.csv --method best", 2, "--method 'best'"),
    ("cluster answers.csv --method cosine-al", 2, "choose auto, climb"),
    ("cluster answers.csv --clusters 0", 2, "'0': give a number from 1 on, or auto"),
    ("cluster answers.csv --clusters x", 2, "'x': give a number from 1 on, or auto"),
    ("cluster answers.csv --clusters 5", 2, "--clusters"),
    (f"cluster answers.csv --clusters {DIGITS}", 2, ""),
    (f"cluster answers.csv --columns {DIGITS},1,2", 2, ""),
    ("cluster answers.csv --support all", 2, "'all': give a number from 0 on, or auto"),
    ("summary people.csv --drop who", 2, "COLUMN=VALUE"),
    ("summary people.csv --columns ref,x", 2, "three or four"),
    ("summary people.csv --columns target=ref,x", 2, "three or four"),
    *(
        (f"summary words.csv --answers {wrong}", 2, "a=left,b=right")
        for wrong in (
            *("a", "=left", "a=", "a=up", "a=left,a=right"),
            *("'a=left, a=right'", "'a=, a=left'"),
        )
    ),
    ("pairs answers.csv -o x.parquet --memory x", 2, "memory = 'x'"),
    ("pairs answers.csv -o x.parquet --master local[2]", 2, "add --engine spark"),
    ("pairs answers.csv -o x.parquet --engine pony", 2, "'pony'"),
    ("simulate x.csv --model latent --quadruplets", 2, "triplets only"),
    *(
        (
            f"simulate x.csv --model {model} --objects 24 --answers 10000000",
            2,
            "--answers 10000000: 24 objects have only",
        )
        for model in ("planted", "latent")
    ),
    # Options about answers, where there are none
    ("convert tree.nwk x.json --drop a=b", 2, f"--drop {ANSWERS_ONLY}"),
    ("convert tree.nwk x.json --drop a=b", 2, "holds a tree"),
    ("compare tree.nwk tree.nwk --drop a=b", 2, "without --answers"),
    ("cluster pairs.parquet --drop x=1", 2, f"--drop {ANSWERS_ONLY}"),
    ("cluster pairs.parquet --unique", 2, f"--unique {ANSWERS_ONLY}"),
    ("cluster pairs.parquet --columns 0,1,2", 2, f"--columns {ANSWERS_ONLY}"),
    ("cluster pairs.parquet --support 5", 2, "--support 0"),
    ("cluster pairs.parquet --method complete", 2, "pair sums are enough for"),
    (
        "pairs pairs.parquet --without pairs.parquet -o x.parquet --keep a=b",
        2,
        f"--keep {ANSWERS_ONLY}",
    ),
    # Files of the wrong kind
    ("summary pairs.parquet", 1, "`tripletree cluster`"),
    ("pairs pairs.parquet -o x.parquet --without answers.csv", 1, "pair sums"),
    ("pairs answers.csv -o x.parquet --without pairs.parquet", 1, "`tripletree pairs`"),
    ("pairs answers.npz -o x.parquet", 1, "`tripletree convert`"),
    # Leaves and labels
    ("revenue cod.nwk answers.csv", 1, "'cod' is in the tree only"),
    ("revenue three.nwk answers.csv", 1, "'trout' is in the answers only"),
    ("revenue tree.npy answers.csv", 1, "has no labels, so which leaf is "),
    ("compare tree.nwk tree.npy", 1, "Give both as .nwk or .json, which keep labels"),
    ("compare tree.npy tree.nwk", 1, "Give both as .nwk or .json, which keep labels"),
    ("compare tree.nwk cod.nwk", 1, "Rename the leaves"),
    # Pictures, before the work; a tree on the terminal needs none
    ("cluster answers.csv --items items.csv -o x", 1, "'no.png': there is no such"),
    ("report answers.csv --items items.csv -o x.html", 1, "'no.png': there is no such"),
    ("cluster answers.csv --items broken.csv -o x", 1, "not an image of a known kind"),
]
AFTER_READING = ("--clusters 5", "pairs.parquet --support", "--method complete")


@pytest.mark.parametrize(
    ("line", "code", "words"), REFUSED, ids=[line[:70] for line, *_ in REFUSED]
)
def test_refused(line, code, words, command, folder):
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    found = command(line, code=code)
    assert words in found.err
    assert found.out == ""
    assert not of_python(found.err)
    if not found.err.startswith("Usage: "):  # as Typer begins
        *before_it, error = found.err.splitlines()
        assert error.startswith("tripletree: error: ")
        assert len(before_it) == any(words in line for words in AFTER_READING)
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before


def of_python(text):
    """Names of functions and arguments are for Python; the shell has commands."""
    return re.search(r"[a-z]+_[a-z]+[(=]|\b(read|write)_\w+|with_labels|\w=\{", text)


# Files of answers that are wrong: every command refuses them, and its advice holds.
WRONG = {
    "nothing at all": b"",
    "not text": b"\x00\x01\x02",
    "two columns": b"a,b\n1,2\n",
    "unknown columns": b"a,b,c\nx,y,z\n",
    "no header, four columns": b"1,2,3,4\n2,3,1,4\n",
    "no header, five columns": b"1,2,3,4,5\n2,3,1,4,5\n",
    "compared with itself": b"target,near,far\nx,y,z\nx,y,y\n",
    "no label": b"target,near,far\nx,y,z\nx,,y\n",
    "NA": b"target,near,far\nx,y,z\nx,NA,y\n",
    "header again": b"target,near,far\nx,y,z\ntarget,near,far\n",
    "unknown answer": b"anchor,left,right,answer\nx,y,z,up\n",
    "which position": b"first,second,third,odd\nx,y,z,1\nx,y,z,2\n",
    "no annotator": b"target,near,far,worker\nx,y,z,w\nx,y,z,\n",
    "wrong weight": b"target,near,far,weight\nx,y,z,-1\n",
    "left over": b"target,near,far,answer\nx,y,z,left\n",
    "nothing": b"target,near,far\n",
}
# Summed by pair, who answered does not matter.
TAKEN = {("pairs", "no annotator")}
READING = {
    "cluster": "cluster a.csv",
    "summary": "summary a.csv",
    "report": "report a.csv -o x.html",
    "revenue": "revenue xyz.nwk a.csv",
    "compare": "compare xyz.nwk xyz.nwk --answers a.csv",
    "convert": "convert a.csv x.csv",
    "pairs": "pairs a.csv -o x.parquet --force",
}


@pytest.fixture
def xyz(folder):
    (folder / "xyz.nwk").write_text("((x,y),z);")
    return folder


@pytest.mark.parametrize("name", READING)
def test_wrong_answers_are_refused_with_options_of_the_command(name, command, xyz):
    for what, text in WRONG.items():
        (xyz / "a.csv").write_bytes(text)
        found = command(READING[name], code=0 if (name, what) in TAKEN else 1)
        assert {*re.findall(r"--[a-z-]+", found.err)} <= OPTIONS[name], what
        if (name, what) not in TAKEN:
            *others, last = found.err.splitlines()
            assert last.startswith("tripletree: error: "), what
            assert others in ([], ["tripletree: looking at the rows"]), what
            assert "a.csv" in last, what
            assert not of_python(last), what


@pytest.mark.parametrize("name", READING)
def test_commands_that_read_answers_read_alike(name):
    reading = "--columns --items --drop --keep --min-response-time --drop-degenerate"
    reading += " --answer-words"
    assert {*reading.split()} <= OPTIONS[name]


def test_columns_that_are_not_known_are_named_by_an_option(command, folder):
    (folder / "a.csv").write_text("label,group,image\na,b,c\n")
    found = command("cluster a.csv", code=1).err
    assert "--columns target=...,near=...,far=..." in found
    assert "--columns 0,1,2" in found


@pytest.mark.parametrize("name", ["summary", "revenue", "compare", "convert", "pairs"])
@pytest.mark.parametrize(
    "row",
    [
        *(f'x,"{value}",z,9' for value in ("", "NA")),
        *(f'x,y,z,"{value}"' for value in ("a b", "it's", "1,5")),
    ],
)
def test_rows_are_left_out_as_advised(name, row, command, xyz):
    """The advice, as it is printed, is taken by a shell and by the command."""
    (xyz / "a.csv").write_text(f"target,near,far,rt\nx,y,z,9\ny,x,z,9\n{row}\n")
    given = f"{READING[name]} --min-response-time 1"
    error = command(given, code=1).err
    advice = re.search(r"--drop (?:'.*=.*'|[^ ]*=[^ ]*?)(?=\.( |$))", error)
    assert advice, error
    command(given, *shlex.split(advice[0]))
