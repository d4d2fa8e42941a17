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
LABELS = ["a,b,c,b", "a,b,c,c", "a,c,b,b"] * 10
UNUSED = {  # a column beside a ready triplet, and what it holds
    "signs": ("z", SIGNS, "holds 1 and -1"),
    "signs at the end": ("z", ["a,b,c,1"] * 3_000 + ["b,a,c,-1"], "holds 1 and -1"),
    "floats": ("z", [f"{row}.0" for row in SIGNS], "holds 1 and -1"),
    "some missing": ("z", [*SIGNS, "a,b,c,", "a,b,c,NA"], "holds 1 and -1"),
    "zeros": ("z", [*SIGNS, *["a,b,c,0"] * 300], "holds 1 and -1"),
    "zeros first": ("z", [*["a,b,c,0.0"] * 1_500, *SIGNS], "holds 1 and -1"),
    "a stray cell": ("z", ["a,b,c,oops", *SIGNS], "holds 1 and -1"),
    "labels": ("best", LABELS, "holds labels of its row"),
    "a stray label": ("best", ["a,b,c,d", *LABELS], "holds labels of its row"),
    "the far one": ("best", ["a,b,c,c", "a,c,b,b"] * 5, "holds labels of its row"),
    "numbers": (
        "best",
        ["1,2,3,2", "1,2,3,3", "4,1,3,3"] * 4,
        "holds labels of its row",
    ),
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
        ("i,j,k,copy", ["a,b,c,b", "a,c,b,c"] * 10),
        ("i,j,k,session", ["a,b,c,b", "a,c,b,b"] * 10),
        ("i,j,k,session", ["a,b,c,b", "b,c,a,c", "a,c,b,b"]),
        ("i,j,k,change", ["a,b,c,0", "a,c,b,1"] * 10),
        ("i,j,k,age", ["a,b,c,1"] * 9 + ["a,b,c,-1", "a,b,c,20"]),
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
    path = written(
        table("i,j,k,z,catch", *(f"{x},0" for x in SIGNS), *["a,b,c,7,1"] * 9)
    )
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


@pytest.mark.parametrize("word", ["NA", "<NA>", "#N/A", "-", "None", " "])
def test_words_for_a_missing_value_are_ties_and_nobody(written, tmp_path, word):
    rows = ["a,b,c,left,ann", f"a,b,c,{word},ann"]
    path = written(table("target,left,right,answer,worker", *rows))
    answers = tt.read_comparisons(path)
    assert dict(answers.dropped) == {"undecided": 1}
    text = table("i,j,k,worker", "a,b,c,ann", f"a,b,c,{word}")
    for source in (written(text), frame(text)):
        with pytest.raises(tt.InvalidComparisons) as caught:
            tt.read_comparisons(source)
        assert caught.value.code == "no annotator"
        assert f"drop={{'worker': {word!r}}}" in str(caught.value)
        answers = tt.read_comparisons(source, drop={"worker": word})
        assert answers.annotator_names == ("ann",)
    answers = tt.Triplets([[0, 1, 2]], 3, annotators=[word])
    with pytest.raises(tt.InvalidComparisons, match=r"annotator .* a missing value"):
        tt.write_comparisons(answers, tmp_path / "b.csv")


def test_labels_like_words_for_a_missing_value(written, tmp_path):
    text = table("first,second,third,odd", "Na,K,Cl,Na", "Nil,Nan,Nat,Nil")
    for source in (written(text), frame(text)):
        answers = tt.read_comparisons(source)
        assert answers.labels == ("Cl", "K", "Na", "Nan", "Nat", "Nil")
        assert not answers.dropped
        assert tt.pair_sums(source).n_comparisons == 4
    tt.write_comparisons(answers, tmp_path / "b.csv")
    assert tt.read_comparisons(tmp_path / "b.csv").labels == answers.labels


def said_by_all(source, **options):
    """The warnings of reading, which all readers, commands and files repeat."""
    answers = tt.read_comparisons(source, **options)
    assert tt.pair_sums(source, **options).warnings == answers.warnings
    assert tt.pair_sums(source, **options).notes == answers.notes
    result = tt.cluster(answers, "adds-al", n_folds=0, support=0)
    assert result.warnings[: len(answers.warnings)] == answers.warnings
    assert all(f"warning: {text}" in str(result) for text in answers.warnings)
    return answers.warnings


TIMES = {
    "seconds for milliseconds": (
        0.3,
        [2_000, 800, 1_500],
        "milliseconds",
        'the filter "response time below 0.3" removed no rows: response times seem to '
        "be in milliseconds; for 0.3 s give 300.",
    ),
    "right": (300, [2_000, 80, 1_500], "milliseconds", None),
    "seconds": (0.3, [2, 0.08, 1.5], "seconds", None),
    "no fast answer": (
        0.3,
        [2, 0.8, 1.5],
        "seconds",
        'the filter "response time below 0.3" removed no rows: response times seem to '
        "be in seconds.",
    ),
    "nearly all": (
        300,
        [2] * 97 + [400],
        "seconds",
        'the filter "response time below 300" removed 97 of 98 rows: response times '
        "seem to be in seconds; for 300 ms give 0.3.",
    ),
}


@pytest.mark.parametrize("case", TIMES)
def test_the_unit_of_response_times(written, case):
    shortest, times, unit, warning = TIMES[case]
    path = written(table("i,j,k,rt", *(f"a,b,c,{time}" for time in times)))
    given = {"min_response_time": shortest}
    found = said_by_all(path, **given)
    assert found == ((warning,) if warning else ())
    assert tt.read_comparisons(path, **given).notes == (
        f"response times taken as {unit}",
    )


def test_response_times_in_another_unit_that_leave_nothing(written):
    path = written(table("i,j,k,rt", "a,b,c,2", "a,c,b,1.5"))
    for code, message in refusals(path, min_response_time=300):
        assert code == "no answers"
        assert "for 300 ms give 0.3" in message


def test_an_empty_response_time_is_not_fast(written):
    rows = ["a,b,c,", "a,b,c,NA", "a,b,c,0.1", "a,b,c,1", "a,c,b,2", "a,c,b,n/a"]
    for source in (written(table("i,j,k,rt", *rows)), frame(table("i,j,k,rt", *rows))):
        answers = tt.read_comparisons(source, min_response_time=0.3)
        expected = {"no response time": 3, "response time below 0.3": 1}
        assert dict(answers.dropped) == expected
        assert len(answers) == tt.pair_sums(source, min_response_time=0.3).n_comparisons


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        ({"keep": {"kind": ["x", "y"]}}, "the filter \"keep 'kind'\" removed no rows."),
        ({"drop": {"kind": None}}, "the filter \"drop 'kind'\" removed no rows."),
        ({"keep": {"kind": "y"}}, None),
        ({"drop": {"kind": "x"}}, "the filter \"drop 'kind'\" removed 99 of 100 rows."),
        ({"drop": {"kind": "y"}}, None),
    ],
)
def test_filters_that_do_nothing_or_too_much(written, options, warning):
    path = written(table("i,j,k,kind", *["a,b,c,x"] * 99, "a,b,c,y"))
    found = said_by_all(path, **options)
    assert found == ((warning,) if warning else ())


def test_filters_that_share_their_rows(written):
    rows = ["a,b,c,left,yes,yes"] * 3 + ["a,b,c,left,no,no"] * 3 + [",,,,,"]
    header = "target,left,right,key_resp.keys,catch,practice,psychopyVersion"
    path = written(table(header, *(f"{row},1" for row in rows)))
    both = {"drop": {"catch": "yes", "practice": "yes"}}
    assert said_by_all(path, **both) == ()
    assert dict(tt.read_comparisons(path, **both).dropped)["drop 'catch'"] == 3
    assert said_by_all(path, keep={"catch": ["yes", "no"]}) == ()  # not the blank row


def test_warnings_travel_with_what_was_read(written, tmp_path, capsys):
    path = written(table("i,j,k,rt", "a,b,c,2000", "a,c,b,800"))
    words = 'the filter "response time below 0.3" removed no rows'
    given = ["--min-response-time", "0.3"]
    tt.write_tree(tt.Tree.from_newick("((a,b),c);"), tmp_path / "t.nwk")
    for before, after in (
        (["summary"], []),
        (["cluster"], ["--out", str(tmp_path / "out")]),
        (["revenue", str(tmp_path / "t.nwk")], []),
        (["pairs"], ["-o", str(tmp_path / "p.parquet")]),
    ):
        assert main([*before, str(path), *given, *after]) == 0
        assert words in "".join(capsys.readouterr())
    for name in ("summary.json", "report.html"):
        assert "response time below 0.3" in (tmp_path / "out" / name).read_text()
    answers = tt.read_comparisons(path, min_response_time=0.3)
    tt.write_comparisons(answers, tmp_path / "a.npz")
    again = tt.read_comparisons(tmp_path / "a.npz")
    assert again.warnings == answers.warnings == answers[:1].warnings
    both = tt.concatenate([answers, answers])
    assert both.warnings == answers.warnings
    sums = tt.pair_sums(path, min_response_time=0.3)
    assert (sums + sums).warnings == sums.warnings == answers.warnings
    assert tt.cluster(sums).warnings[:1] == answers.warnings
    tree = tt.read_tree(tmp_path / "t.nwk")
    assert tt.score(tree, path, min_response_time=0.3).warnings == answers.warnings


SPELLINGS = [
    ("1", "+1"),
    ("1000", "1.0e+03"),
    ("1", "1,0"),
    ("1", "01"),
    ("&", "&amp;"),
    ("Owl", "owl"),
    ("owl", "owl.png"),
    ("owl", "Owl.JPG"),
]


@pytest.mark.parametrize(("one", "two"), SPELLINGS)
def test_two_spellings_of_one_object(written, capsys, one, two):
    text = table("i,j,k", f'"{one}",b,c', f'b,"{two}",c', f'c,"{one}",d')
    path = written(text)
    (warning,) = said_by_all(path)
    assert f"two spellings: {one!r} and {two!r}. If so, merge_spellings" in warning
    assert {one, two} < {*tt.read_comparisons(path).labels}
    assert tt.read_comparisons(path, items=["b", "c", "d", one, two]).warnings == ()
    given = {"merge_spellings": True}
    assert said_by_all(path, **given) == ()
    merged = tt.read_comparisons(path, **given)
    assert {*merged.labels} == {"b", "c", "d", one}
    assert merged.notes == (
        f"merged spellings, the last of each stays: {two!r} and {one!r}",
    )
    right = tt.read_comparisons(written(text.replace(f'"{two}"', f'"{one}"'), "b.csv"))
    assert merged.labels == right.labels
    assert merged.rows.tolist() == right.rows.tolist()
    items = ["b", "c", "d", two]
    assert tt.read_comparisons(path, items=items, **given).labels == tuple(items)
    assert main(["summary", str(path), "--merge-spellings"]) == 0
    assert "merged spellings" in capsys.readouterr().out


@pytest.mark.parametrize("other", ["owl ", "\u00a0owl", "o\u200bwl"])
def test_spellings_that_are_refused_can_be_merged(written, other):
    path = written(table("i,j,k", "owl,b,c", f"b,{other},c"))
    for code, message in refusals(path):
        assert code == "two spellings"
        assert "if one, merge_spellings=True" in message
    assert said_by_all(path, merge_spellings=True) == ()
    assert tt.read_comparisons(path, merge_spellings=True).n_objects == 3


def test_merged_spellings_of_answers_and_of_one_row(written):
    rows = ["Owl,b,c,owl", "b,owl,c,OWL", "c,b,owl,b", "c,b,owl,same"]
    path = written(table("first,second,third,odd", *rows))
    answers = tt.read_comparisons(path, merge_spellings=True)
    spelled = [[answers.labels[x] for x in row] for row in answers.rows[::2].tolist()]
    assert [row[2] for row in spelled] == ["Owl", "Owl", "b"]
    assert tt.pair_sums(path, merge_spellings=True).n_comparisons == 6
    path = written(table("i,j,k,w", "Owl,owl,c,1", "owl,b,c,1", "Owl,b,c,2"))
    for code, _ in refusals(path, merge_spellings=True):
        assert code == "same object"
    given = {"merge_spellings": True, "drop": {"i": "Owl"}}  # as it is written
    assert len(tt.read_comparisons(path, **given)) == 1


@pytest.mark.parametrize(
    "labels", [("img1.png", "img2.png"), ("owl", "owls"), ("1", "2"), ("a", "b.c")]
)
def test_other_labels_are_two_objects(written, labels):
    one, two = labels
    path = written(table("i,j,k", f"{one},x,y", f"x,{two},y"))
    assert said_by_all(path) == ()


def test_labels_that_are_never_or_only_targets(written):
    rows = ["a,b,c", "b,c,a", "c,a,b", "t,a,b", "a,n,b"]
    said = "always the target: 't'; never the target: 'n'; all others sometimes are"
    warnings = said_by_all(written(table("i,j,k", *rows * 10)))
    assert warnings == (f"{said}: check the spelling.",)
    path = written(table("i,j,k", *["a,b,c", "b,c,a", "c,a,n"] * 20))
    (warning,) = said_by_all(path)
    assert warning == "never the target: 'n'; all others are: check the spelling."
    assert repr(tt.read_comparisons(path)).endswith(", 4 objects, 1 warning)")
    rows = [f"{row},left" for row in rows]
    path = written(table("target,left,right,answer", *rows * 10))
    assert said_by_all(path) == warnings
    few = table("i,j,k", *(row[:5] for row in rows * 9))  # so few may be by chance
    assert said_by_all(written(few)) == ()
    assert said_by_all(written(table("i,j,k", *["t,a,b", "t,b,a"] * 30))) == ()
    asked = ["like the owl?,a,b", "like the cat?,b,c"]
    (warning,) = said_by_all(written(table("i,j,k", *asked * 30)))
    assert "no target ('like the cat?', 'like the owl?') is ever among" in warning


ROWS = ["a,b,c", "b,c,a", "c,d,b", "d,a,b", "b,a,c"]
TWICE = {
    "the same": (ROWS, ROWS, True),
    "another order": (ROWS, ROWS[::-1], True),
    "a later export": (ROWS[:3], ROWS, True),
    "an earlier export": (ROWS, ROWS[2:], True),
    "other rows": (ROWS[:3], ROWS[2:], False),
    "a row more often": (ROWS[:3] + ROWS[:1], ROWS, False),
    "few rows by chance": (ROWS[:2], ROWS, False),
}


@pytest.mark.parametrize("limit", [2**23, 0])
@pytest.mark.parametrize("case", TWICE)
def test_the_same_answers_twice(written, monkeypatch, case, limit):
    one, two, is_twice = TWICE[case]
    monkeypatch.setattr("tripletree.answers.tables.LARGEST_TO_COMPARE", limit)
    if not limit:  # large files: the same beginning
        one, two = (["x,y,z", "y,z,x", "z,x,y"] * 300 + rows for rows in (one, two))
        is_twice = case in ("the same", "a later export", "few rows by chance")
    paths = [
        written(table("i,j,k", *rows), name)
        for rows, name in ((one, "answers.csv"), (two, "answers (1).csv"))
    ]
    found = said_by_all(paths)
    assert len(found) == is_twice
    assert all("if these are the same answers, they count twice" in x for x in found)


def test_the_same_parquet_files_and_other_forms(tmp_path, written):
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in paths:
        frame(table("i,j,k", *ROWS)).to_parquet(path)
    assert len(said_by_all(paths)) == 1
    lines = "".join(f'{{"i": "{n}", "j": "b", "k": "c"}}\n' for n in range(4))
    assert len(said_by_all([written(lines, "a.jsonl"), written(lines, "b.jsonl")])) == 1


def test_a_file_under_two_names_is_refused(tmp_path, written):
    path = written(table("i,j,k", *ROWS))
    (tmp_path / "hard.csv").hardlink_to(path)
    (tmp_path / "soft.csv").symlink_to(path)
    for other in ("hard.csv", "soft.csv", "*.csv", "a.csv"):
        for code, _ in refusals([path, str(tmp_path / other)]):
            assert code == "file twice"
