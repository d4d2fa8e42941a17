"""What could be misread: refused, or said by all readers alike."""

from __future__ import annotations

import pandas as pd
import pytest

import tripletree as tt
from tripletree.cli import main


@pytest.fixture
def written(tmp_path):
    def write(text, name="a.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def table(header, *rows):
    return "\n".join([header, *rows]) + "\n"


def frame(text):
    """The same table as a data frame, of numbers where it has numbers."""
    header, *rows = (line.split(",") for line in text.splitlines())
    found = pd.DataFrame(rows, columns=header)
    for name in header:
        numbers = pd.to_numeric(found[name], errors="coerce")
        if numbers.notna().all():
            found[name] = numbers
    return found


def refusals(source, **options):
    """The codes with which both readers refuse."""
    for read in (tt.read_comparisons, tt.pair_sums):
        with pytest.raises(tt.InvalidComparisons) as caught:
            read(source, **options)
        yield caught.value.code, str(caught.value)


SIGNS = ["a,b,c,1", "a,c,b,1", "b,a,c,-1"] * 40
UNUSED = {  # a column beside a ready triplet, and what it holds
    "signs": ("z", SIGNS, "holds 1 and -1"),
    "signs at the end": ("z", ["a,b,c,1"] * 3_000 + ["b,a,c,-1"], "holds 1 and -1"),
    "floats": ("z", [f"{row}.0" for row in SIGNS], "holds 1 and -1"),
    "some missing": ("z", [*SIGNS, "a,b,c,", "a,b,c,NA"], "holds 1 and -1"),
    "labels": ("best", ["a,b,c,b", "a,b,c,c", "a,c,b,b"], "holds labels of its row"),
    "the far one": ("best", ["a,b,c,c", "a,c,b,b"], "holds labels of its row"),
    "numbers": ("best", ["1,2,3,2", "1,2,3,3", "4,1,3,3"], "holds labels of its row"),
    **{
        name: (name, ["a,b,c,x"], "is not used, and could change")
        for name in "y sign response result resp picked chosen answer correct".split()
    },
}


@pytest.mark.parametrize("case", UNUSED)
def test_a_column_that_could_be_the_answer_is_refused(written, case):
    name, rows, words = UNUSED[case]
    text = table(f"i,j,k,{name}", *rows)
    path = written(text)
    for source in (path, frame(text)):
        for code, message in refusals(source):
            assert code == "unused column"
            assert f"column {name!r}" in message
            assert words in message
    answers = tt.read_comparisons(path, columns=["i", "j", "k"])
    assert answers.notes == (f"not used: {name}",)


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("i,j,k,sex,session", ["a,b,c,f,1", "a,c,b,m,1"]),
        ("i,j,k,confidence", ["a,b,c,1", "a,c,b,-1", "a,b,c,0.5"]),
        ("i,j,k,copy", ["a,b,c,b", "a,c,b,c"]),
        ("i,j,k,late", ["a,b,c,1"] * 1_500 + ["a,b,c,2"]),
        ("head,winner,loser,left,right", ["a,b,c,b,c", "a,c,b,b,c"]),
        ("i,j,k,trial,block", ["a,b,c,1,7", "a,c,b,2,7"]),
        ("i,j,k,empty", ["a,b,c,", "a,c,b,"]),
    ],
)
def test_other_columns_are_named_as_not_used(written, tmp_path, capsys, header, rows):
    text = table(header, *rows)
    path, said = written(text), f"not used: {', '.join(header.split(',')[3:])}"
    answers = tt.read_comparisons(path)
    tree = tt.Tree.from_newick("((a,b),c);")
    assert answers.notes == tt.score(tree, path).notes == (said,)
    assert tt.read_comparisons(frame(text)).notes == (said,)
    for command in ("summary", "cluster", "pairs"):
        more = ["-o", str(tmp_path / "p.parquet")] if command == "pairs" else []
        assert main([command, str(path), *more]) == 0
        assert said in "".join(capsys.readouterr())
    assert said in tt.cluster(answers).read.assumed


def test_rows_that_are_left_out_do_not_count_as_answers(written):
    path = written(table("i,j,k,z,catch", *(f"{x},0" for x in SIGNS), "a,b,c,7,1"))
    tt.read_comparisons(path)
    for code, _ in refusals(path, drop={"catch": 1}):
        assert code == "unused column"


def test_many_columns_are_not_all_listed(written):
    path = written(
        table("i,j,k," + ",".join(f"x{n}" for n in range(30)), "a,b,c" + ",5" * 30)
    )
    (note,) = tt.read_comparisons(path).notes
    assert note.startswith("not used: x0, x1,")
    assert note.endswith("x11 and 18 more")


@pytest.mark.parametrize(
    "word", "NA N/A #N/A <NA> n/a NaT none None NULL ? - . undefined #NULL! nan".split()
)
def test_words_for_a_missing_value_are_no_labels(written, word):
    text = table("i,j,k", "a,b,c", f"a,{word},c")
    for source in (written(text), frame(text)):
        for code, message in refusals(source):
            assert code == "no label"
            assert f"drop={{'j': {word!r}}}" in message
        assert len(tt.read_comparisons(source, drop={"j": word})) == 1
        answers = tt.read_comparisons(source, items=["a", "b", "c", word])
        assert answers.rows.tolist() == [[0, 1, 2], [0, 3, 2]]
        assert len(tt.pair_sums(source, items=["a", "b", "c", word])) == 3
