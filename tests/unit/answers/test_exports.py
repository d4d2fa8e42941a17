"""Files as other programs write them, read as they are.

Those that are refused are among the cases of `test_refusals`.
"""

import gzip
import json

import duckdb
import pandas as pd
import pytest

from tests.unit.answers.cases import (
    JSPSYCH,
    NAMED,
    NUMBERED,
    PSYCHOPY,
    QUALTRICS,
    TRIALS,
    TRIALS_JSON,
    archive,
    check_read,
    check_score,
    check_sums,
    spelled,
)
from tripletree import (
    InvalidComparisons,
    TooLarge,
    pair_sums,
    read_comparisons,
)
from tripletree.answers import sources, tables
from tripletree.answers.exports import PARTS

TRIALS_ROWS = ["fow.png fyw.png myb.png", "mob.png fyw.png fow.png"]
ABC = ["a b c", "b a c"]
OWLS = ["owl hawk carp", "hawk owl carp"]
FOUND = "head,winner,loser\na,b,c\na,c,b\n"
BOTH = '"[""b"",""c""]"'
KEYS = PSYCHOPY.replace("left,0.8", "f,0.8").replace("right,0.6", "j,0.6")
# jsPsych with columns of its own for the objects.
OWN = (
    "trial_type,time_elapsed,stimulus,a,b,response\nwelcome,1,hello,,,\n"
    "choice,2,owl,hawk,carp,0\nchoice,3,hawk,carp,owl,1\npause,4,,,,\n"
)
ASKED = {"target": "stimulus", "left": "a", "right": "b", "answer": "response"}
QUOTED = (
    '"rt","stimulus","response","trial_type","choices"\n'
    '"null","+","null","html-keyboard-response",""\n'
    '"900","Odd?","0","html-button-response","[""carp"",""owl"",""hawk""]"\n'
    '"9000","","{""age"":""24""}","survey-text",""\n'
)
ODD = dict(zip(PARTS[3], PARTS[3], strict=True), odd="response")
GIVEN = {"target": "q", "answer": "response"}
LISTS = f"a,b,c,{BOTH},b\nb,a,c,,c\n"
NEXT_CSV = "participant_uid,target_center,target_left,target_right,target_winner\n"
IMAGES = ('<img src="owl.png">', "<img width=9 src='img/hawk.png'/>", "<IMG SRC=c.png>")
AGAIN = ("<img src=owl.png>", *IMAGES[1:])
CALLED = "images are named by their files: 'c.png', 'owl.png', 'img/hawk.png'"
SHOWN = ["owl.png img/hawk.png c.png"]
HTML = (
    "target,left,right,answer\n<img src=owl.png>,Hawk.png,carp.png,<img src=hawk.png>\n"
    "owl.png,<img src=hawk.png>,carp.png,<img src=hawk.png>\n"
)


def next_export(version):
    """An export of NEXT: a choice of the left, one of the right, and an open one."""

    def response(winner, *names):
        labels = ("center", "left", "right")
        targets = [
            {"index": at, "label": label, "target": {"target_id": name}}
            if version == 1
            else {"label": label, "target_id": at, "primary_description": name}
            for at, (label, name) in enumerate(zip(labels, names, strict=True), 7)
        ]
        key = "index_winner" if version == 1 else "target_winner"
        chosen = {} if winner is None else {key: 7 + labels.index(winner)}
        return {"target_indices": targets, "response_time": 1.5} | chosen

    people = {
        "exp_p1": [response("left", "owl", "hawk", "carp")],
        "exp_p'2\"": [
            response("right", "hawk", "carp", "owl"),
            response(None, "hawk", "cod", "owl"),
        ],
        "exp_p3": [],
    }
    export = {"participant_responses": people, "meta": {"status": "OK"}}
    return json.dumps(export, indent=1)


def export(name, content, options, rows, dropped, people, **more):
    """A file, and what is read of it: who answered is in the order of the rows."""
    people = people and list(people) * (len(rows) // len(people))
    more |= {"name": name, "dropped": dropped, "people": people, "warnings": ()}
    return content, options, rows, more


EXPORTS = {
    "jsPsych": export(
        "a.csv",
        JSPSYCH,
        {},
        TRIALS_ROWS,
        {"no question": 4, "undecided": 1},
        ("d8",),
        notes=(
            "answers 0, 1 are taken as positions",
            "not used: trial_type, trial_index, rt, trial_category, correct",
        ),
    ),
    "jsPsych, answered": export(
        "a.csv",
        JSPSYCH.rpartition("html")[0],
        {"min_response_time": 1000},
        TRIALS_ROWS[:1],
        {"no question": 4, "response time below 1000": 1},
        ("d8",),
    ),
    # jsPsych quotes every cell: those of other trials are texts of length 0.
    "jsPsych, all in quotes": export(
        "a.csv",
        QUOTED,
        {"columns": ODD},
        ["owl hawk carp", "hawk owl carp"],
        {"no question": 2},
        None,
    ),
    "jsPsych, own columns": export(
        "a.csv", OWN, {"columns": ASKED}, OWLS, {"no question": 2}, None
    ),
    **{
        f"jsPsych, {name}": export(
            name, text, {}, TRIALS_ROWS, {"no question": 3, "undecided": 1}, None
        )
        for name, text in {
            "a.json": TRIALS_JSON,
            "b.json": json.dumps(TRIALS, indent=1),
            "c.json": "\n".join(map(json.dumps, TRIALS)),
            "a.jsonl": "\n".join(map(json.dumps, TRIALS)),
            "a.json.gz": gzip.compress(TRIALS_JSON.encode()),
        }.items()
    },
    "PsychoPy": export(
        "a.csv", PSYCHOPY, {}, OWLS, {"no question": 2, "undecided": 1}, ("p1",)
    ),
    "PsychoPy, keys": export(
        "a.csv",
        KEYS,
        {"answer_words": {"f": "left", "j": "right"}},
        OWLS,
        {"no question": 2, "undecided": 1},
        ("p1",),
    ),
    "Qualtrics": export("a.csv", QUALTRICS, {}, OWLS, {}, None),
    "Qualtrics, tabbed": export(
        "a.tsv",
        QUALTRICS.replace("closer,", "closer").replace(",", "\t"),
        {},
        OWLS,
        {},
        None,
    ),
    **{
        f"NEXT {version}": export(
            "a.json",
            next_export(version),
            {},
            OWLS,
            {"undecided": 1},
            ("exp_p1", "exp_p'2\""),
        )
        for version in (1, 2)
    },
    "NEXT, CSV": export(
        "a.csv",
        NEXT_CSV + "p1,owl,hawk,carp,hawk\n",
        {},
        OWLS[:1],
        {},
        ("p1",),
    ),
    **{
        f"triples, {name}: {text}": export(
            name,
            text,
            {"columns": {"annotator": None}} if "worker" in text else {},
            ["a b c", "b a c", "a c d", "c a d"],
            {},
            None,
        )
        for name in ("a.csv", "a.txt")
        for text in (
            "triple\nab|c\nac|d\n",
            "ab|c\nac|d\n",
            "triple\n(a,b)|c\na , c | d\n",
            "a b|c\na c |d\n",
            "worker,triple\nw1,ab|c\nw2,ac|d\n",
            'worker;rooted triple\nw1;a,b|c\nw2;"a,c|d"\n',
        )
    },
    "triples of longer names": export(
        "a.csv",
        "wild carp,cod|barn owl\n",
        {},
        ["wild carp cod barn owl", "cod wild carp barn owl"],
        {},
        None,
    ),
    **{
        f"images, {items}": export(
            "a.json",
            json.dumps([dict(zip("ijk", x, strict=True)) for x in (IMAGES, AGAIN)]),
            {"items": items},
            SHOWN * 2,
            {},
            None,
            notes=(CALLED,),
        )
        for items in (None, ["owl.png", "c.png", "img/hawk.png"])
    },
    "images in answers and in two spellings": export(
        "a.csv",
        HTML,
        {"merge_spellings": True},
        ["owl.png Hawk.png carp.png"] * 2,
        {},
        None,
    ),
    # Columns that are given, or are there, are not made again of a list.
    **{
        f"given {one} and {two}": export(
            "a.csv",
            f"q,{one},{two},choices,response\n{LISTS}",
            {"columns": GIVEN | {"left": one, "right": two}},
            ["a b c", "b c a"],
            {},
            None,
        )
        for one, two in (("left", "x"), ("option 1", "x"), ("l", "r"))
    },
    "a side of a list": export(
        "a.csv",
        f"q,left,x,choices,response\n{LISTS}",
        {"columns": GIVEN | {"left": "left", "right": "right"}},
        ["a b c"],
        {"no question": 1},
        None,
        notes=("not used: x",),
    ),
    **{
        f"a separator at the end: {text}": export(
            "a.csv",
            text,
            {},
            ["a b c", "a c b"],
            {},
            None,
        )
        for text in (
            "head,winner,loser\na,b,c,\na,c,b,\n",
            "head,winner,loser,\na,b,c\na,c,b\n",
            "head,winner,loser,\na,b,c,\na,c,b,\n",
            "head;winner;loser;\na;b;c\na;c;b\n",
        )
    },
    "a separator at the end, no header": export(
        "a.csv",
        "1,2,3,\n2,3,1,\n",
        {},
        ["1 2 3", "2 3 1"],
        {},
        None,
    ),
    **{
        f"an archive of {', '.join(files)}": export(
            "data.zip",
            archive(files),
            {},
            ["a b c", "a c b"],
            {},
            None,
        )
        for files in (
            {"answers.csv": FOUND},
            {"data/": "", "data/answers.tsv": FOUND.replace(",", "\t")},
            {"__MACOSX/._answers.csv": "x", ".DS_Store": "x", "answers.csv": FOUND},
            {"../../answers.csv": FOUND},
            {"a.csv.gz": gzip.compress(FOUND.encode())},
            {"a.json": '[{"i":"a","j":"b","k":"c"},{"i":"a","j":"c","k":"b"}]'},
        )
    },
    # They are left alone: neither a second form, nor another column of the first.
    **{
        f"beside a whole form: {header}, {row}": export(
            "a.csv", f"{header}\n{row}\n", {}, rows, {}, None, **notes
        )
        for header, row, rows, notes in [
            ("target,left,right,choices,response", f"a,b,c,{BOTH},b", ABC[:1], {}),
            (
                "target,left,right,choices,response",
                'a,b,c,"[""f"",""j""]",left',
                ABC[:1],
                {},
            ),
            ("target,near,far,choices", f"a,b,c,{BOTH}", ABC[:1], {}),
            ("target,near,far,triplet", "a,b,c,ab|c", ABC[:1], {}),
            ("first,second,odd,triplet", "a,b,c,ab|c", ABC, {}),
            ("first,second,third,odd,images", f"a,b,c,c,{BOTH}", ABC, {}),
            (
                "target,left,right,response,stimulus,rt",
                "a,b,c,b,<p>,9",
                ABC[:1],
                {"notes": ("not used: stimulus, rt",)},
            ),
            (
                "head,winner,loser,stimulus",
                "a,b,c,<p>",
                ABC[:1],
                {"notes": ("not used: stimulus",)},
            ),
            ("target,left,right,answer,resp.keys", "a,b,c,b,f", ABC[:1], {}),
            (
                "target,near,far,instr.rt,resp.rt",
                "a,b,c,3,9",
                ABC[:1],
                {"notes": ("not used: instr.rt, resp.rt",)},
            ),
        ]
    },
}


@pytest.mark.parametrize("case", EXPORTS)
def test_exports(written, case):
    check_read(written, *EXPORTS[case])


@pytest.mark.parametrize(
    ("text", "rows", "other_names"),
    [
        (NUMBERED, ["9 50 3", "50 9 3", "3 50 9"], True),
        (NAMED, ["owl hawk carp", "owl cod carp"], False),
        ("target,near,far,left,right,choice\na,b,c,c,b,2\n", ["a b c"], False),
        (JSPSYCH, TRIALS_ROWS, None),
    ],
)
def test_exports_on_an_engine(written, text, rows, other_names):
    """Also ready triplets beside the question, which are compared with it."""
    path = written(text)
    found = read_comparisons(path)
    assert spelled(found) == rows
    note = "".join(found.notes)
    assert (" are taken, and " in note) == (other_names is not None)
    assert ("other names" in note) == bool(other_names)
    check_sums(pair_sums(path, items=found.labels), found)
    check_score(path, {})


@pytest.mark.parametrize("size", [1, 3, 4])
@pytest.mark.parametrize("kind", ["frame", "texts", "json", "csv", "parquet"])
def test_other_questions_among_those_of_a_kind(written, tmp_path, kind, size):
    choices = ["f", "m", "x", "-"][:size]
    trials = [*TRIALS[3:5], {"stimulus": "Sex?", "choices": choices}]
    frame = pd.DataFrame(trials)
    texts = frame.assign(choices=frame["choices"].map(json.dumps))
    frame.to_parquet(tmp_path / "a.parquet")
    made = {
        "frame": frame,
        "texts": texts,
        "csv": written(texts.to_csv()),
        "json": written(json.dumps(trials), "a.json"),
        "parquet": tmp_path / "a.parquet",
    }
    found = read_comparisons(made[kind])
    assert spelled(found) == TRIALS_ROWS
    assert found.dropped == {"no question": 1}
    unused = "column 1 (no name), rt" if kind == "csv" else "rt"
    assert f"not used: {unused}" in found.notes


def test_several_archives_and_other_endings(tmp_path, written):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        written(archive({"a.csv": f"i,j,k\n{name},b,c\n"}), f"{name}/a.zip")
    found = read_comparisons([tmp_path / "one" / "a.zip", tmp_path / "two" / "a.zip"])
    assert spelled(found) == ["one b c", "two b c"]
    with pytest.raises(InvalidComparisons, match="have different endings"):
        read_comparisons([written(FOUND, "a.csv"), written(FOUND, "b.txt")])


def test_archives_that_are_larger_than_they_look(read, monkeypatch):
    """Refused before a byte is written, by what the archive says; no more comes out."""
    monkeypatch.setattr(sources, "LARGEST_MEMBER", 1000)
    bomb = archive({"a.csv": FOUND + "a,b,c\n" * 10**5})
    assert len(bomb) < 2000
    with pytest.raises(TooLarge, match=r"600,0.. bytes, and at most 1,000"):
        read(bomb, "data.zip")
    # An archive that says less than it holds: the check sum of the part is wrong.
    size = (len(FOUND) + 6 * 10**5).to_bytes(4, "little")
    assert bomb.count(size) == 2
    with pytest.raises(InvalidComparisons) as error:
        read(bomb.replace(size, (500).to_bytes(4, "little")), "data.zip")
    assert error.value.code == "damaged file"


@pytest.mark.slow
def test_a_packed_object_larger_than_its_file(written, tmp_path):
    """It is read as large as it is, whatever its packed size."""
    side = '{"label": "%s", "target": {"target_id": "%s"}, "index": %d}'
    sides = [("center", "owl"), ("left", "hawk"), ("right", "carp")]
    targets = ", ".join(side % (*two, n) for n, two in enumerate(sides))
    response = f'{{"target_indices": [{targets}], "index_winner": 1}}'
    text = f'{{"participant_responses": {{"w": [{", ".join([response] * 90_000)}]}}}}'
    path, packed = written(text, "next.txt"), tmp_path / "next.json.zst"
    how = "(FORMAT csv, HEADER false, QUOTE '', DELIM '\x1f', COMPRESSION zstd)"
    rows = (
        f"read_csv('{path}', header=false, delim='\x1f', quote='', "
        "max_line_size=67108864)"
    )
    duckdb.connect().execute(f"COPY (SELECT * FROM {rows}) TO '{packed}' {how}")
    assert len(text) > tables.OBJECT_SIZES[0] > packed.stat().st_size
    assert len(read_comparisons(packed)) == 90_000
