"""What could be misread, and is not refused: notes, warnings and merged spellings."""

import numpy as np
import pandas as pd
import pytest

import tripletree as tt
from tests.unit.answers.cases import MISSING, check_read, frame, spelled, table
from tripletree.answers import sources, tables
from tripletree.cli import main

FILTER = 'the filter "response time below {}" removed {}: response times seem to be in '
CYCLE = ["a,b,c", "b,c,a", "c,a,b", "t,a,b", "a,n,b"]
BOTH = "always the target: 't'; never the target: 'n'; all others sometimes are"
NEVER = "never the target: 'n'; all others are: check the spelling."
ASKED = ["like the owl?,a,b", "like the cat?,b,c"]
# A table, options, and all notes and warnings.
TOLD = [
    *(
        (header, rows, {}, [f"not used: {', '.join(header.split(',')[3:])}"], [])
        for header, rows in [
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
        ]
    ),
    (
        "i,j,k," + ",".join(f"x{n}" for n in range(30)),
        ["a,b,c" + ",5" * 30],
        {},
        [f"not used: {', '.join(f'x{n}' for n in range(12))} and 18 more"],
        [],
    ),
    # Spellings that are refused can be merged.
    *(
        (
            "i,j,k",
            ["owl,b,c", f"b,{other},c"],
            {"merge_spellings": True},
            [f"merged spellings: {other!a} becomes 'owl'"],
            [],
        )
        for other in ("owl ", "\u00a0owl", "o\u200bwl")
    ),
    # A column of signs, but for rows of catch trials, which are not left out here.
    (
        "i,j,k,z,catch",
        ["a,b,c,1,0", "a,c,b,1,0", "b,a,c,-1,0"] * 40 + ["a,b,c,7,1"] * 9,
        {},
        ["not used: z, catch"],
        [NEVER.replace("'n'", "'c'")],
    ),
    *(
        (
            "i,j,k,rt",
            [f"a,b,c,{time}" for time in times],
            {"min_response_time": shortest},
            [f"response times taken as {unit}"],
            [warning] if warning else [],
        )
        for shortest, times, unit, warning in [
            (
                0.3,
                [2_000, 800, 1_500],
                "milliseconds",
                FILTER.format(0.3, "no rows") + "milliseconds; for 0.3 s give 300.",
            ),
            (300, [2_000, 80, 1_500], "milliseconds", None),
            (0.3, [2, 0.08, 1.5], "seconds", None),
            (0.3, [2, 0.8, 1.5], "seconds", FILTER.format(0.3, "no rows") + "seconds."),
            (
                300,
                [2] * 97 + [400],
                "seconds",
                FILTER.format(300, "97 of 98 rows") + "seconds; for 300 ms give 0.3.",
            ),
        ]
    ),
    *(
        (
            "i,j,k,kind",
            ["a,b,c,x"] * 99 + ["a,b,c,y"],
            options,
            [],
            warnings,
        )
        for options, *warnings in [
            (
                {"keep": {"kind": ["x", "y"]}},
                "the filter \"keep 'kind'\" removed no rows.",
            ),
            ({"drop": {"kind": None}}, "the filter \"drop 'kind'\" removed no rows."),
            ({"keep": {"kind": "y"}},),
            (
                {"drop": {"kind": "x"}},
                "the filter \"drop 'kind'\" removed 99 of 100 rows.",
            ),
            ({"drop": {"kind": "y"}},),
        ]
    ),
    *(
        ("i,j,k", [f"{one},x,y", f"x,{two},y"], {}, [], [])
        for one, two in [
            ("img1.png", "img2.png"),
            ("owl", "owls"),
            ("1", "2"),
            ("a", "b.c"),
        ]
    ),
    *(
        (header, rows, {}, [], words)
        for header, rows, words in [
            ("i,j,k", CYCLE * 10, [f"{BOTH}: check the spelling."]),
            (
                "target,left,right,answer",
                [f"{row},left" for row in CYCLE] * 10,
                [f"{BOTH}: check the spelling."],
            ),
            ("i,j,k", ["a,b,c", "b,c,a", "c,a,n"] * 20, [NEVER]),
            ("i,j,k", CYCLE * 9, []),  # so few may be by chance
            ("i,j,k", ["t,a,b", "t,b,a"] * 30, []),
            (
                "i,j,k",
                ASKED * 30,
                [
                    "no target ('like the cat?', 'like the owl?') is ever among the "
                    "other objects ('a', 'b', 'c'): are the targets objects, or "
                    "texts of questions?"
                ],
            ),
        ]
    ),
]


def test_rows_without_labels_and_answer_ask_nothing(read, capsys, written):
    """As spreadsheets leave them below a table, or above a second one."""
    answers = read(table("i,j,k,weight", "a,b,c,2", ",,,", "b,a,c,3", " ,,, "))
    assert spelled(answers) == ["a b c", "b a c"]
    assert (answers.weights.tolist(), answers.weights.dtype) == ([2, 3], np.int64)
    assert answers.dropped == {"no question": 2}
    path = written(table("i,j,k", "a,b,c", ",,"))
    for line in (f"summary {path}", f"pairs {path} -o {path.parent / 'p.parquet'}"):
        assert main(line.split()) == 0
        told = "".join(capsys.readouterr())
        assert (
            "left out, no question   1 row\n" in told or "1 row (no question)" in told
        )
    frame_of = pd.DataFrame(
        {x: pd.array([n, None], "Int64") for n, x in enumerate("ijk")}
    )
    assert tt.read_comparisons(frame_of).dropped == {"no question": 1}


@pytest.mark.parametrize(
    ("labels", "is_told"),
    [
        ([1, 2, -99], True),
        (["a", "b", "-99"], True),
        ([1, -2, -99], False),
        (["a", "2", "-99"], False),
        (["a", "b", "-c"], False),
    ],
)
def test_one_negative_number_may_stand_for_a_missing_value(labels, is_told, written):
    one, two, three = labels
    rows = [[one, two, three], [two, one, three]]
    told = ["'-99' is the only negative label"] if is_told else []
    both = pd.DataFrame(rows, columns=["i", "j", "k"])
    path = written(table("i,j,k", *(",".join(map(str, row)) for row in rows)))
    for source in (both, path):
        for found in (tt.read_comparisons(source), tt.pair_sums(source)):
            assert [text.partition(", and")[0] for text in found.warnings] == told


@pytest.mark.parametrize(("header", "rows", "options", "notes", "warnings"), TOLD)
def test_notes_and_warnings(read, header, rows, options, notes, warnings):
    answers = read(table(header, *rows), **options)
    assert (list(answers.notes), list(answers.warnings)) == (notes, warnings)


@pytest.mark.slow
def test_all_readers_and_commands_say_the_same(written, tmp_path, capsys):
    text = table("i,j,k,rt,sex", "a,b,c,2000,f", "a,c,b,800,m")
    path, given = written(text), {"min_response_time": 0.3}
    tree = tt.Tree.from_newick("((a,b),c);")
    tt.write_tree(tree, tmp_path / "t.nwk")
    answers = tt.read_comparisons(path, **given)
    (warning,) = answers.warnings
    assert warning.startswith('the filter "response time below 0.3" removed no rows')
    assert "not used: sex" in answers.notes
    for before, after in (
        (["summary"], []),
        (["cluster"], ["--out", str(tmp_path / "out")]),
        (["revenue", str(tmp_path / "t.nwk")], []),
        (["pairs"], ["-o", str(tmp_path / "p.parquet")]),
    ):
        assert main([*before, str(path), "--min-response-time", "0.3", *after]) == 0
        printed = "".join(capsys.readouterr())
        assert warning[:50] in printed
        assert "not used: sex" in printed
    for name in ("summary.json", "report.html"):
        assert "response time below 0.3" in (tmp_path / "out" / name).read_text()
    tt.write_comparisons(answers, tmp_path / "a.npz")
    assert tt.read_comparisons(tmp_path / "a.npz").warnings == answers.warnings
    both = tt.concatenate([answers, answers])
    assert both.warnings == answers[:1].warnings == answers.warnings
    sums = tt.pair_sums(path, **given)
    assert (sums + sums).warnings == answers.warnings
    for found in (sums, tt.score(tree, path, **given)):
        assert (found.warnings, found.notes) == (answers.warnings, answers.notes)
    assert tt.read_comparisons(frame(text), **given).notes == answers.notes
    for result in (tt.cluster(sums), tt.cluster(answers, support=0)):
        assert result.warnings[:1] == answers.warnings
        assert f"warning: {warning}" in str(result)
    assert "not used: sex" in result.read.assumed


def test_words_for_a_missing_value_can_be_dropped_or_be_labels(written):
    text = table("i,j,k", "a,b,c", *(f"a,{word},c" for word in MISSING))
    for source in (written(text), frame(text)):
        assert len(tt.read_comparisons(source, drop={"j": MISSING})) == 1
        items = ["a", "b", "c", *MISSING]
        answers = tt.read_comparisons(source, items=items)
        assert answers.rows[:, 1].tolist() == [1, *range(3, len(items))]
        assert len(tt.pair_sums(source, items=items)) == len(MISSING) + 2


def test_words_for_a_missing_value_are_ties_and_nobody(read, tmp_path):
    words = [*MISSING, " "]
    rows = ["a,b,c,left,ann", *(f"a,b,c,{word},ann" for word in words)]
    answers = read(table("target,left,right,answer,worker", *rows))
    assert dict(answers.dropped) == {"undecided": len(words)}
    rows = ["a,b,c,ann", *(f"a,b,c,{word}" for word in words)]
    answers = read(table("i,j,k,worker", *rows), drop={"worker": words})
    assert answers.annotator_names == ("ann",)
    for word in words:
        answers = tt.Triplets([[0, 1, 2]], 3, annotators=[word])
        with pytest.raises(tt.InvalidComparisons, match=r"annotator .* a missing val"):
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


def test_an_empty_response_time_is_not_fast(written):
    rows = ["a,b,c,", "a,b,c,NA", "a,b,c,0.1", "a,b,c,1", "a,c,b,2", "a,c,b,n/a"]
    text = table("i,j,k,rt", *rows)
    expected = {"no response time": 3, "response time below 0.3": 1}
    for source in (written(text), frame(text)):
        answers = tt.read_comparisons(source, min_response_time=0.3)
        assert dict(answers.dropped) == expected
        assert len(answers) == tt.pair_sums(source, min_response_time=0.3).n_comparisons


def test_spreadsheets_with_semicolons_write_decimals_with_a_comma(written):
    rows = ["a;b;c;0,29;9", "b;a;c;0,31;0,5", "c;a;b;1;2", "c;a;b;1.5;1,25"]
    path = written(table("i;j;k;rt;weight", *rows))
    answers = tt.read_comparisons(path, min_response_time=0.3)
    assert dict(answers.dropped) == {"response time below 0.3": 1}
    assert answers.weights.tolist() == [0.5, 2, 1.25]
    assert tt.pair_sums(path, min_response_time=0.3).n_comparisons == 3.75


@pytest.mark.parametrize(
    ("values", "is_noted"),
    [
        (["1,200", "2,500", "NA"], True),
        (["1,200", "2,5", "NA"], False),
        (["0,350", "1,200", "NA"], False),
        (["1,2", "2,5", "3"], False),
    ],
)
@pytest.mark.parametrize("name", ["weight", "rt"])
def test_commas_that_may_separate_thousands(written, name, values, is_noted):
    if name == "weight":
        values = [value.replace("NA", values[0]) for value in values]
    rows = [f"a;b;c;{value}" for value in values]
    path = written(table(f"i;j;k;{name}", *rows))
    options = {"min_response_time": 0.01} if name == "rt" else {}
    note = (
        f"{name}: 1,200 is taken as 1.2 (a decimal comma, as columns are separated by "
        "semicolons)"
    )
    for found in (
        tt.read_comparisons(path, **options),
        tt.pair_sums(path, **options),
    ):
        assert (note in found.notes) == is_noted


@pytest.mark.parametrize(
    ("options", "dropped"),
    [
        ({"drop": {"catch": "yes", "practice": "yes"}}, {"drop 'catch'": 3}),
        ({"keep": {"catch": ["yes", "no"]}}, {}),
    ],
)
def test_filters_that_share_their_rows(written, options, dropped):
    """They do something, and the blank row does not count."""
    rows = ["a,b,c,left,yes,yes"] * 3 + ["a,b,c,left,no,no"] * 3 + [",,,,,"]
    header = "target,left,right,key_resp.keys,catch,practice,psychopyVersion"
    text = table(header, *(f"{row},1" for row in rows))
    found = ["a b c"] * (3 if dropped else 6)
    told = {"warnings": (), "dropped": {"no question": 1} | dropped}
    check_read(written, text, options, found, told)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("1", "+1"),
        ("1000", "1.0e+03"),
        ("1", "1,0"),
        ("1", "01"),
        ("&", "&amp;"),
        ("Owl", "owl"),
        ("owl", "owl.png"),
        ("owl", "Owl.JPG"),
    ],
)
def test_two_spellings_of_one_object(written, one, two):
    text = table("i,j,k", f'"{one}",b,c', f'b,"{two}",c', f'c,"{one}",d')
    warning = (
        f"maybe one object in two spellings: {one!r} and {two!r}. If so, "
        "merge_spellings=True (--merge-spellings) makes one of each."
    )
    rows = [f"{one} b c", f"b {two} c", f"c {one} d"]
    check_read(written, text, {}, rows, {"warnings": (warning,)})
    rows[1] = f"b {one} c"
    note = f"merged spellings: {two!r} becomes {one!r}"
    told = {"warnings": (), "notes": (note,)}
    check_read(written, text, {"merge_spellings": True}, rows, told)


def test_spellings_merged_by_items_by_sums_and_by_commands(written, capsys):
    path = written(table("i,j,k", "Owl,b,c", "b,owl,c", "c,Owl,d"))
    items = ["b", "c", "d", "owl"]
    assert tt.read_comparisons(path, items=[*items, "Owl"]).warnings == ()
    merged = tt.read_comparisons(path, items=items, merge_spellings=True)
    assert merged.labels == tuple(items)
    sums = tt.pair_sums(path)
    assert sums.warnings == tt.read_comparisons(path).warnings
    sums = tt.pair_sums(path, merge_spellings=True)
    assert (sums.warnings, sums.labels) == ((), ("Owl", "b", "c", "d"))
    assert main(["summary", str(path), "--merge-spellings"]) == 0
    assert "merged spellings" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["owl.png", "owl.png", "owl"], "owl.png"),
        (["owl.png", "owl"], "owl"),
        (["owl", "Owl"], "Owl"),
        (["OWL", "owl ", "owl "], "owl "),
    ],
)
def test_the_most_frequent_spelling_is_kept(written, texts, kept):
    path = written(table("i,j,k", *(f"{text},b,c" for text in texts)))
    for source in (path, frame(path.read_text())):
        answers = tt.read_comparisons(source, merge_spellings=True)
        assert kept in answers.labels
        assert len(answers.labels) == 3
        assert tt.pair_sums(source, merge_spellings=True).labels == answers.labels


def test_merged_spellings_of_answers_and_of_one_row(written):
    rows = ["Owl,b,c,owl", "b,owl,c,OWL", "c,b,owl,b", "c,b,owl,same"]
    path = written(table("first,second,third,odd", *rows))
    answers = tt.read_comparisons(path, merge_spellings=True)
    assert [answers.labels[x] for x in answers.rows[::2, 2]] == ["owl", "owl", "b"]
    assert tt.pair_sums(path, merge_spellings=True).n_comparisons == 6
    path = written(table("i,j,k,w", "Owl,owl,c,1", "owl,b,c,1", "Owl,b,c,2"))
    given = {"merge_spellings": True, "drop": {"i": "Owl"}}  # as it is written
    assert len(tt.read_comparisons(path, **given)) == 1


@pytest.mark.parametrize("names", [("a", "b", "c"), (10, 20, 30), (1, 2**40, 2**41)])
def test_labels_of_any_type_that_are_never_targets(names):
    one, two, three = names
    rows = [[one, two, three], [two, one, three]] * 20
    found = tt.read_comparisons(pd.DataFrame(rows, columns=["i", "j", "k"]))
    assert f"never the target: '{three}'" in found.warnings[0]
    assert repr(found).endswith(", 3 objects, 1 warning)")


ROWS = ["a,b,c", "b,c,a", "c,d,b", "d,a,b", "b,a,c"]
TWICE = "if these are the same answers, they count twice"


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize(
    ("one", "two", "is_twice"),
    [
        (ROWS, ROWS, {True, False}),
        (ROWS, ROWS[::-1], {False}),
        (ROWS[:3], ROWS, {True, False}),  # a later export
        (ROWS, ROWS[2:], {False}),  # an earlier export
        (ROWS[:3], ROWS[2:], {}),
        (ROWS[:3] + ROWS[:1], ROWS, {}),
        (ROWS[:2], ROWS, {True}),  # few rows by chance
    ],
)
def test_the_same_answers_twice(written, monkeypatch, one, two, is_twice, is_large):
    """Of large files the beginnings are compared."""
    if is_large:
        monkeypatch.setattr(sources, "LARGEST_TO_COMPARE", 0)
        one, two = (["x,y,z", "y,z,x", "z,x,y"] * 300 + rows for rows in (one, two))
    names = {"answers.csv": one, "answers (1).csv": two}
    paths = [written(table("i,j,k", *rows), name) for name, rows in names.items()]
    found = tt.read_comparisons(paths).warnings
    assert [TWICE in text for text in found] == [True] * (is_large in is_twice)


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_the_same_files_of_other_forms(tmp_path, ending):
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        tt.write_comparisons(tt.Triplets([[n, 4, 5] for n in range(4)], 6), path)
    (found,) = tt.read_comparisons(paths).warnings
    assert TWICE in found
    assert tt.pair_sums(paths).warnings == (found,)


def test_copies_of_files_are_found_by_one_query(written, monkeypatch):
    paths = [
        written(f"i,j,k\nowl,hawk,{last}\n", f"[{n}].csv")
        for n, last in enumerate(["cow", "cow", "[x]"])
    ]
    asked = []
    run = tables.Table.run
    monkeypatch.setattr(
        tables.Table, "run", lambda *args: asked.append(args[1]) or run(*args)
    )
    (warning,) = tt.read_comparisons(paths).warnings
    assert "[1].csv' are in " in warning
    assert sum("hash(" in query for query in asked) == 1


@pytest.mark.posix
def test_a_file_under_two_names_is_refused(tmp_path, written):
    path = written(table("i,j,k", *ROWS), "a.csv")
    (tmp_path / "hard.csv").hardlink_to(path)
    (tmp_path / "soft.csv").symlink_to(path)
    relative = f"../{tmp_path.name}/a.csv"
    for other in ("hard.csv", "soft.csv", "*.csv", "a.csv", relative):
        for read in (tt.read_comparisons, tt.pair_sums):
            words = "a.csv'.*the same file is given twice"
            with pytest.raises(tt.InvalidComparisons, match=words) as caught:
                read([path, f"{tmp_path}/{other}"])
            assert caught.value.code == "file twice"


def test_copies_of_pair_sums_are_warned_of(tmp_path, written, capsys):
    sums = tt.pair_sums(written(table("i,j,k", *ROWS)))
    paths = [tmp_path / f"{name}.parquet" for name in ("one", "two", "more")]
    for path, given in zip(paths, (sums, sums, sums + sums), strict=True):
        tt.write_pairs(given, path)
    one, two, more = map(str, paths)
    assert TWICE in tt.read_pairs([one, two]).warnings[0]
    assert tt.read_pairs(one).warnings == tt.read_pairs([one, more]).warnings == ()
    out = str(tmp_path / "sum.parquet")
    with pytest.warns(UserWarning, match=TWICE):
        tt.merge_pair_files([one, two], out)
    assert main(["pairs", one, two, "-o", out, "--force"]) == 0
    assert TWICE in capsys.readouterr().err


def test_convert_says_which_columns_are_lost(tmp_path, written, capsys):
    text = "i,j,k,worker,rt,is_catch,sex\na,b,c,w,0.5,no,f\na,b,c,w,9,yes,f\n"
    names = [str(written(text)), *(str(tmp_path / x) for x in ("b.csv", "c.npz"))]
    options = ["--drop", "is_catch=yes", "--min-response-time", "0.1"]
    assert main(["convert", *names[:2], *options]) == 0
    said = capsys.readouterr().err.splitlines()
    assert "not carried over: rt, is_catch, sex" in said
    assert "not used: sex" in said
    assert main(["convert", *names[1:]]) == 0
    assert main(["convert", names[2], str(tmp_path / "d.csv")]) == 0
    assert "carried" not in capsys.readouterr().err
