"""What new users found in their files: read as they mean it, or said plainly."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import tripletree as tt
from tripletree.answers import tables
from tripletree.cli import main
from tripletree.datasets.animals import animals

QUESTIONS = {"target": "stimulus", "left": "a", "right": "b", "answer": "response"}


def read(folder, text, name="a.csv", **options):
    path = folder / name
    path.write_text(text)
    return tt.read_comparisons(path, **options)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("i,j,k,flipped\na,b,c,0\n", {}, "'flipped' is not used.*swap the near and"),
        ("head,winner,loser,is_reversed\na,b,c,0\n", {}, "'is_reversed' is not used"),
        (
            "center,left,right,voted\na,b,c,b\n",
            {},
            r"role answer is missing: name it with columns=\{'target': 'center', "
            r"'left': 'left', 'right': 'right', 'answer': \.\.\.\}",
        ),
        ("head,winner\na,b\n", {}, "role far is missing"),
        (
            "center,left,right,answer\na,b,c,foo\na,b,c,bar\na,b,c,b\n",
            {},
            r"others: 'bar'\. Replace .*answer_words=\{'foo': \.\.\., 'bar': \.\.\.\}",
        ),
        (
            "i,j,k\na,b,c\na,d,e\n",
            {"items": ["a", "b"]},
            r"'d' in column 'j' is none of the 2 items \(others: 'c', 'e'\)",
        ),
        ('i,j,k,rt\na,b,c,"0,35"\n', {"min_response_time": 0.2}, "with a point: 0.35"),
    ],
)
def test_what_to_do_is_said(text, options, words, tmp_path):
    with pytest.raises(tt.InvalidComparisons, match=words):
        read(tmp_path, text, **options)


def test_integers_and_arrays_that_are_no_items_are_all_named(tmp_path):
    rows = np.array([[1, 2, 3], [1, 4, 5]])
    path = tmp_path / "a.parquet"
    tt.write_comparisons(tt.Triplets(rows, 6), path)
    with pytest.raises(tt.InvalidComparisons, match=r"'3'.* \(others: '4', '5'\)"):
        tt.read_comparisons(path, items=["1", "2"])
    path = tmp_path / "a.npz"
    tt.write_comparisons(tt.Triplets(rows, 6), path)
    with pytest.raises(tt.InvalidComparisons, match="2 objects, '4', '5', are none"):
        tt.read_comparisons(path, items=["0", "1", "2", "3"])


def test_rows_of_jspsych_without_a_question_are_left_out_with_columns_given(tmp_path):
    text = (
        "trial_type,time_elapsed,stimulus,a,b,response\nwelcome,1,hello,,,\n"
        "choice,2,owl,hawk,carp,0\nchoice,3,hawk,owl,carp,1\npause,4,,,,\n"
    )
    found = read(tmp_path, text, columns=QUESTIONS)
    assert len(found) == 2
    assert found.dropped["no question"] == 2


@pytest.mark.parametrize("items", [None, ["owl.png", "carp.png", "img/hawk.png"]])
def test_images_are_called_by_their_files(items, tmp_path):
    images = ('<img src="owl.png">', "<img width=9 src='img/hawk.png'/>")
    shown = [*images, "<IMG SRC=carp.png>"]
    rows = [{**dict(zip("ijk", shown, strict=True))}]
    answers = read(tmp_path, json.dumps(rows), "a.json", items=items)
    assert [answers.labels[at] for at in answers.rows[0]] == [
        *("owl.png", "img/hawk.png", "carp.png")
    ]
    assert "called by their files: 'owl.png'" in " ".join(answers.notes).replace(
        "'img/hawk.png', ", ""
    ).replace("'carp.png', ", "")


def test_images_in_answers_and_in_two_spellings(tmp_path):
    text = (
        "target,left,right,answer\n<img src=owl.png>,Hawk.png,carp.png,"
        "<img src=hawk.png>\nowl.png,<img src=hawk.png>,carp.png,<img src=hawk.png>\n"
    )
    found = read(tmp_path, text, merge_spellings=True)
    assert found.n_objects == 3
    assert found.rows[0].tolist() == found.rows[1].tolist()


@pytest.mark.parametrize("names", [("a", "b", "c"), (10, 20, 30), (1, 2**40, 2**41)])
def test_labels_that_are_never_targets_are_warned_of_whatever_their_type(
    names, tmp_path
):
    pd = pytest.importorskip("pandas")
    one, two, three = names
    rows = [[one, two, three], [two, one, three]] * 20
    found = tt.read_comparisons(pd.DataFrame(rows, columns=["i", "j", "k"]))
    assert f"never the target: '{three}'" in found.warnings[0]


def test_copies_of_files_are_found_by_one_query(tmp_path, monkeypatch):
    for n, last in enumerate(["cow", "cow", "[x]"]):
        (tmp_path / f"[{n}].csv").write_text(f"i,j,k\nowl,hawk,{last}\n")
    asked = []
    run = tables.Table.run
    monkeypatch.setattr(
        tables.Table, "run", lambda *args: asked.append(args[1]) or run(*args)
    )
    found = tt.read_comparisons([tmp_path / f"[{n}].csv" for n in range(3)])
    (warning,) = found.warnings
    assert "[1].csv' are in " in warning
    assert sum("hash(" in query for query in asked) == 1


def test_copies_of_pair_sums_are_warned_of(tmp_path, capsys):
    sums = tt.pair_sums(write_answers(tmp_path))
    paths = [tmp_path / f"{name}.parquet" for name in ("one", "two")]
    for path in paths:
        tt.write_pairs(sums, path)
    assert "count twice" in tt.read_pairs(paths).warnings[0]
    assert tt.read_pairs(paths[0]).warnings == ()
    out = tmp_path / "sum.parquet"
    with pytest.warns(UserWarning, match="count twice"):
        tt.merge_pair_files(paths, out)
    assert main(["pairs", *map(str, paths), "-o", str(out), "--force"]) == 0
    assert "count twice" in capsys.readouterr().err
    more = tmp_path / "more.parquet"
    tt.write_pairs(sums + sums, more)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tt.read_pairs([paths[0], more]).warnings == ()


def write_answers(folder):
    path = folder / "answers.csv"
    tt.write_comparisons(animals(60).answers, path)
    return path


@pytest.mark.slow
def test_a_packed_object_larger_than_its_file(tmp_path):
    """It is read as large as it is, whatever its packed size."""
    duckdb = pytest.importorskip("duckdb")
    side = '{"label": "%s", "target": {"target_id": "%s"}, "index": %d}'
    sides = [("center", "owl"), ("left", "hawk"), ("right", "carp")]
    targets = ", ".join(side % (*two, n) for n, two in enumerate(sides))
    response = f'{{"target_indices": [{targets}], "index_winner": 1}}'
    text = f'{{"participant_responses": {{"w": [{", ".join([response] * 90_000)}]}}}}'
    path, packed = tmp_path / "next.txt", tmp_path / "next.json.zst"
    path.write_text(text)
    how = "(FORMAT csv, HEADER false, QUOTE '', DELIM '\x1f', COMPRESSION zstd)"
    with duckdb.connect() as connection:
        rows = connection.read_csv(
            str(path), header=False, sep="\x1f", quotechar="", max_line_size=2**26
        )
        connection.execute(f"COPY (SELECT * FROM rows) TO '{packed}' {how}")
        del rows
    assert len(text) > tables.OBJECT_SIZES[0] > packed.stat().st_size
    assert len(tt.read_comparisons(packed)) == 90_000


def test_convert_says_which_columns_are_lost(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("i,j,k,worker,rt,is_catch,sex\na,b,c,w,0.5,no,f\na,b,c,w,9,yes,f\n")
    options = ["--drop", "is_catch=yes", "--min-response-time", "0.1"]
    assert main(["convert", str(path), str(tmp_path / "b.csv"), *options]) == 0
    said = capsys.readouterr().err.splitlines()
    assert "not carried over: rt, is_catch, sex" in said
    assert "not used: sex" in said
    given = [str(tmp_path / name) for name in ("b.csv", "c.npz")]
    assert main(["convert", *given]) == 0
    assert main(["convert", given[1], str(tmp_path / "d.csv")]) == 0
    assert "carried" not in capsys.readouterr().err
