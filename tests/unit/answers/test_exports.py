"""Files as other programs write them, read as they are."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest

from tests.unit.answers.cases import check_score, check_sums
from tripletree import (
    InvalidComparisons,
    TooLarge,
    Triplets,
    pair_sums,
    read_comparisons,
    write_comparisons,
)
from tripletree.answers import sources


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, name="answers.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_comparisons(path, **options)

    return write_and_read


def spelled(answers):
    """Rows with labels in place of ids, as one text each."""
    return [" ".join(answers.labels[i] for i in row) for row in answers]


# As tripletTools writes them: numbers of the objects beside their names.
TWO_FORMS = "head,winner,loser,worker_id,rt,Center,Left,Right,Answer,sampleAlg\n"
NUMBERED = TWO_FORMS + (
    "9,50,3,w1,2855,#5E2,#E6A,#2E3,#E6A,random\n"
    "50,9,3,w1,3729,#E6A,#2E3,#5E2,#5E2,random\n"
    "3,50,9,w2,1469,#2E3,#E6A,#5E2,left,random\n"
)
NAMED = TWO_FORMS + (
    "owl,hawk,carp,w1,9,owl,hawk,carp,hawk,a\nowl,cod,carp,w2,9,owl,carp,cod,cod,a\n"
)


@pytest.mark.parametrize(
    ("text", "rows", "other_names"),
    [
        (NUMBERED, ["9 50 3", "50 9 3", "3 50 9"], True),
        (NAMED, ["owl hawk carp", "owl cod carp"], False),
        ("target,near,far,left,right,choice\na,b,c,c,b,2\n", ["a b c"], False),
    ],
)
def test_ready_triplets_beside_the_question(read, text, rows, other_names, tmp_path):
    found = read(text)
    assert spelled(found) == rows
    note = "".join(found.notes)
    assert " are taken, and " in note
    assert ("other names" in note) == other_names
    path = tmp_path / "answers.csv"
    check_sums(pair_sums(path, items=found.labels), found)
    check_score(path, {})


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("owl,carp,hawk,w1,9,owl,hawk,carp,hawk,a", 4),  # turned round
        ("owl,hawk,carp,w1,9,owl,hawk,carp,,a", 4),  # undecided
        ("hawk,owl,carp,w1,9,owl,hawk,carp,hawk,a", 4),  # another target
        ("owl,hawk,carp,w1,9,owl,hawk,cod,hawk,a", 4),  # another object
    ],
)
def test_ready_triplets_that_the_answer_contradicts(read, row, line):
    with pytest.raises(InvalidComparisons, match="say something else") as error:
        read(f"{NAMED}{row}\n")
    assert error.value.code == "two forms"
    assert error.value.place == f"line {line}"
    ready, asked = error.value.remedies
    assert ready.in_shell() == "--columns target=head,near=winner,far=loser"
    assert "answer=Answer" in asked.in_shell()
    for one in (ready, asked):
        assert len(read(f"{NAMED}{row}\n", **{one.option: one.value})) in (2, 3)


def test_numbers_that_stand_for_two_objects(read):
    with pytest.raises(InvalidComparisons, match="say something else") as error:
        read(NUMBERED + "9,50,3,w2,1,#2E3,#E6A,#5E2,left,random\n")
    assert error.value.place == "line 5"


def test_a_contradiction_in_the_only_row(read):
    """The two names of an object are one name where both columns have it."""
    with pytest.raises(InvalidComparisons, match="say something else"):
        read(TWO_FORMS + "a,b,c,w1,9,a,b,c,c,x\n")


GOOD = "head,winner,loser\n"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (
            GOOD + "a,b,c\r\na,c,b\n",
            2,
            r"ends with \\r\\n, .* before it end with \\n\.",
        ),
        (GOOD.replace("\n", "\r\n") + "a,b,c\n", 2, r"with \\n, and .* with \\r\\n\."),
        (GOOD + "a,b,c\n" * 50 + "a,c,b\r", 52, r"ends with \\r, and .* with \\n\."),
        (GOOD + 'a,"b\r\nx",c\r\na,c,b\n', 3, r"ends with \\r\\n, and"),
        (GOOD + 'a,"b,c\na,c,b\n', 2, "begins with a quote that the line does not"),
        (GOOD + 'a,"b"x,c\na,c,b\n', 2, "text follows a closing quote"),
        (GOOD + 'a,b,c\n"a"x,b,c\n', 3, "text follows a closing quote"),
        (GOOD + 'a,"b,c\na,"c,b\na,b,c\n', 2, "begins with a quote that the line"),
    ],
)
def test_what_is_wrong_with_a_line(read, text, place, words):
    with pytest.raises(InvalidComparisons, match=words) as error:
        read(text)
    assert error.value.place == f"line {place}"


@pytest.mark.parametrize(
    "text",
    [
        GOOD + "a,b,c,\na,c,b,\n",
        "head,winner,loser,\na,b,c\na,c,b\n",
        "head,winner,loser,\na,b,c,\na,c,b,\n",
        "head;winner;loser;\na;b;c\na;c;b\n",
    ],
)
def test_a_separator_at_the_end_of_lines(read, text):
    assert spelled(read(text)) == ["a b c", "a c b"]


def test_a_separator_at_the_end_of_lines_without_a_header(read):
    assert spelled(read("1,2,3,\n2,3,1,\n")) == ["1 2 3", "2 3 1"]


# As jsPsych's data.get().csv() writes: choices as JSON, responses counted from 0.
JSPSYCH = """\
trial_type,trial_index,worker_id,rt,stimulus,response,trial_category,choices,correct
preload,0,d8,,,,,,
html-keyboard-response,1,d8,12092,Press any key to begin., ,,,
html-button-response,2,d8,2849,"<p>In each trial,
you see three images.</p>",0,,"[""Continue""]",
html-keyboard-response,3,d8,null,+,null,,,
html-keyboard-response,4,d8,1856,fow.png,0,random,"[""fyw.png"",""myb.png""]",
html-keyboard-response,5,d8,614,mob.png,1,random,"[""fow.png"",""fyw.png""]",
html-keyboard-response,6,d8,null,mob.png,null,random,"[""fow.png"",""fyw.png""]",
"""
ROWS = ["fow.png fyw.png myb.png", "mob.png fyw.png fow.png"]
TRIALS = [
    {"trial_type": "preload", "success": True},
    {"rt": 2849, "stimulus": "Read this.", "response": 0, "trial_index": 1},
    {"rt": None, "stimulus": "+", "response": None},
    {"rt": 5, "stimulus": "fow.png", "response": 0, "choices": ["fyw.png", "myb.png"]},
    {"rt": 9, "stimulus": "mob.png", "response": 1, "choices": ["fow.png", "fyw.png"]},
    {"rt": 4, "stimulus": "mob.png", "choices": ["fow.png", "fyw.png"]},
]


def test_jspsych_as_csv(read, tmp_path):
    found = read(JSPSYCH)
    assert spelled(found) == ROWS
    assert found.dropped == {"no question": 4, "undecided": 1}
    assert found.annotator_names == ("d8",)
    assert "answers 0, 1 are taken as positions" in found.notes
    check_sums(pair_sums(tmp_path / "answers.csv", items=found.labels), found)
    check_score(tmp_path / "answers.csv", {})
    answered = JSPSYCH.rpartition("html")[0]
    assert spelled(read(answered, min_response_time=1000)) == ROWS[:1]


def test_an_error_in_jspsych_names_its_line(read):
    with pytest.raises(InvalidComparisons, match="neither a label") as error:
        read(JSPSYCH + 'x,9,d8,5,mob.png,7,random,"[""fow.png"",""fyw.png""]",\n')
    assert error.value.place == "line 10"


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_jspsych_as_json(read, name, indent):
    text = json.dumps(TRIALS, indent=indent).encode()
    found = read(gzip.compress(text) if name.endswith("gz") else text, name)
    assert spelled(found) == ROWS
    assert found.dropped == {"no question": 3, "undecided": 1}
    lines = "\n".join(map(json.dumps, TRIALS))
    assert spelled(read(lines, "a.jsonl")) == spelled(read(lines, "b.json")) == ROWS


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_a_list_that_was_cut_off_is_refused(read, name):
    """The engine would read the rows before the cut, and say nothing."""
    whole = json.dumps(TRIALS).encode()
    cut = whole[: whole.rindex(b", {") + 2]
    with pytest.raises(InvalidComparisons, match="the JSON list has no end"):
        read(gzip.compress(cut) if name.endswith("gz") else cut, name)


def test_lists_in_a_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(TRIALS[3:5])
    assert spelled(read_comparisons(frame)) == ROWS
    frame["choices"] = frame["choices"].map(json.dumps)
    assert spelled(read_comparisons(frame)) == ROWS


def test_one_of_three_is_odd_or_central(read):
    """The file does not tell: both are offered, and work."""
    trial = {"stimulus": ["a", "b", "c"], "rt": 5}
    trials = [trial | {"response": n} for n in (0, 1, 2)]
    with pytest.raises(InvalidComparisons, match="is one of three") as error:
        read(json.dumps(trials), "a.json")
    odd, central = error.value.remedies
    found = read(json.dumps(trials), "a.json", **{odd.option: odd.value})
    assert spelled(found)[::2] == ["b c a", "a c b", "a b c"]
    found = read(json.dumps(trials), "a.json", **{central.option: central.value})
    assert spelled(found)[:2] == ["b a c", "c a b"]


def test_questions_of_two_sizes_are_not_mixed(read):
    trials = [{"stimulus": "z", "choices": list("ab"), "response": 0}]
    trials.append({"stimulus": "z", "choices": list("abc"), "response": 2})
    with pytest.raises(InvalidComparisons):
        read(json.dumps(trials), "a.json")


BOTH = '"[""b"",""c""]"'


@pytest.mark.parametrize(
    ("header", "row", "rows"),
    [
        ("target,left,right,choices,response", f"a,b,c,{BOTH},b", ["a b c"]),
        ("target,left,right,choices,response", 'a,b,c,"[""f"",""j""]",left', ["a b c"]),
        ("target,near,far,choices", f"a,b,c,{BOTH}", ["a b c"]),
        ("target,near,far,triplet", "a,b,c,ab|c", ["a b c"]),
        ("first,second,odd,triplet", "a,b,c,ab|c", ["a b c", "b a c"]),
        ("first,second,third,odd,images", f"a,b,c,c,{BOTH}", ["a b c", "b a c"]),
        ("target,left,right,response,stimulus,rt", "a,b,c,b,<p>,9", ["a b c"]),
        ("head,winner,loser,stimulus", "a,b,c,<p>", ["a b c"]),
        ("target,left,right,answer,resp.keys", "a,b,c,b,f", ["a b c"]),
        ("target,near,far,instr.rt,resp.rt", "a,b,c,3,9", ["a b c"]),
    ],
)
def test_columns_beside_a_whole_form(read, header, row, rows):
    """They are left alone: neither a second form, nor another column of the first."""
    found = read(f"{header}\n{row}\n")
    assert spelled(found) == rows
    left = [name for name in header.split(",") if name in ("resp.rt", "stimulus")]
    assert all(name in found.notes[-1] for name in left)


@pytest.mark.parametrize("first", ["q,left,x", "q,option 1,x", "q,l,r"])
def test_columns_that_are_given_or_there_are_not_made_again(read, first):
    names = first.split(",")[1:]
    roles = {"target": "q", "left": names[0], "right": names[1], "answer": "response"}
    rows = f"a,b,c,{BOTH},b\nb,a,c,,c\n"
    found = read(f"{first},choices,response\n{rows}", columns=roles)
    assert spelled(found) == ["a b c", "b c a"]
    roles["right"] = "right"
    found = read(f"q,left,x,choices,response\n{rows}", columns=roles | {"left": "left"})
    assert spelled(found) == ["a b c"]
    assert found.notes == ("not used: x",)


def test_several_response_times_are_refused_where_they_matter(read):
    text = "target,near,far,instr.rt,resp.rt\na,b,c,3,9\n"
    with pytest.raises(InvalidComparisons, match="could be the response_time") as error:
        read(text, min_response_time=1)
    assert error.value.code == "two columns"


@pytest.mark.parametrize("size", [1, 3, 4])
@pytest.mark.parametrize("name", ["a.json", "a.csv", "a.parquet"])
def test_other_questions_among_those_of_a_kind(read, name, size, tmp_path):
    pd = pytest.importorskip("pandas")
    trials = [
        *TRIALS[3:5],
        {"stimulus": "Sex?", "choices": ["f", "m", "x", "-"][:size]},
    ]
    if name == "a.parquet":
        pd.DataFrame(trials).to_parquet(tmp_path / name)
        found = read_comparisons(tmp_path / name)
    elif name == "a.csv":
        frame = pd.DataFrame(trials)
        frame["choices"] = frame["choices"].map(json.dumps)
        found = read(frame.to_csv())
    else:
        found = read(json.dumps(trials), name)
    assert spelled(found) == ROWS
    assert found.dropped == {"no question": 1}
    unused = "column 1 (no name), rt" if name == "a.csv" else "rt"
    assert f"not used: {unused}" in found.notes


# As PsychoPy writes: a comma at the end of lines, routines without a question.
PSYCHOPY = """\
target,left,right,trials.thisN,key_resp.keys,key_resp.rt,participant,psychopyVersion,
,,,,space,3.1,p1,2023.2.3,
owl,hawk,carp,0,left,0.8,p1,2023.2.3,
hawk,carp,owl,1,right,0.6,p1,2023.2.3,
hawk,carp,cod,2,None,,p1,2023.2.3,
,,,,,,p1,2023.2.3,
"""


def test_psychopy(read):
    found = read(PSYCHOPY)
    assert spelled(found) == ["owl hawk carp", "hawk owl carp"]
    assert found.dropped == {"no question": 2, "undecided": 1}
    assert found.annotator_names == ("p1",)
    keys = PSYCHOPY.replace("left,0.8", "f,0.8").replace("right,0.6", "j,0.6")
    found = read(keys, answer_words={"f": "left", "j": "right"})
    assert spelled(found) == ["owl hawk carp", "hawk owl carp"]
    with pytest.raises(InvalidComparisons, match="no label") as error:
        read(PSYCHOPY + "owl,,carp,3,left,0.5,p1,2023.2.3,\n")
    assert error.value.place == "line 7"


def test_two_keyboards_in_psychopy(read):
    text = PSYCHOPY.replace("trials.thisN", "instr.keys")
    with pytest.raises(InvalidComparisons, match="could both be the answer") as error:
        read(text)
    (remedy,) = error.value.remedies
    assert remedy.value["answer"] == "key_resp.keys"
    assert len(read(text, **{remedy.option: remedy.value})) == 2


# As Qualtrics writes: the texts of the questions, with breaks, and the import ids.
QUALTRICS = (
    "ResponseId,target,left,right,answer\n"
    'Response ID,"Which is\ncloser, left or right?",left,right,answer\n'
    + ",".join('"{""ImportId"":""QID1""}"' for _ in range(5))
    + "\nR_1,owl,hawk,carp,hawk\nR_2,hawk,carp,owl,owl\n"
)


def test_qualtrics(read):
    assert spelled(read(QUALTRICS)) == ["owl hawk carp", "hawk owl carp"]
    tabbed = QUALTRICS.replace("closer,", "closer").replace(",", "\t")
    assert spelled(read(tabbed, "a.tsv")) == ["owl hawk carp", "hawk owl carp"]
    with pytest.raises(InvalidComparisons, match="neither a label") as error:
        read(QUALTRICS + "R_3,owl,hawk,carp,up\n")
    assert error.value.place == "line 7"


def side(label, name, version, index):
    if version == 1:
        return {"index": index, "label": label, "target": {"target_id": name}}
    return {"label": label, "target_id": index, "primary_description": name}


@pytest.mark.parametrize("version", [1, 2])
def test_next(read, version):
    def response(center, left, right, winner):
        names = {"center": center, "left": left, "right": right}
        every = [(label, name, at) for at, (label, name) in enumerate(names.items(), 7)]
        targets = [side(label, name, version, at) for label, name, at in every]
        found = {"target_indices": targets, "response_time": 1.5, "alg_label": "Test"}
        key = "index_winner" if version == 1 else "target_winner"
        at = next((at for label, _, at in every if label == winner), None)
        return found if at is None else found | {key: at}

    people = {
        "exp_p1": [response("owl", "hawk", "carp", "left")],
        "exp_p'2\"": [
            response("hawk", "carp", "owl", "right"),
            response("hawk", "cod", "owl", None),
        ],
        "exp_p3": [],
    }
    export = {"participant_responses": people, "meta": {"status": "OK"}}
    found = read(json.dumps(export, indent=1), "a.json")
    assert spelled(found) == ["owl hawk carp", "hawk owl carp"]
    assert found.dropped == {"undecided": 1}
    assert found.annotator_names == ("exp_p1", "exp_p'2\"")
    assert found.warnings == ()


def test_next_without_triplets(read):
    rating = {"target_indices": [{"label": "single", "target_id": 1}], "rating": 2}
    export = {"participant_responses": {"p": [rating, {}]}}
    with pytest.raises(InvalidComparisons, match="no question: 2"):
        read(json.dumps(export), "a.json")


@pytest.mark.parametrize(
    "people", [None, 3, [1, 2], {"p": 3}, {"p": [7]}, {"p": [{"target_indices": 7}]}]
)
def test_next_that_is_something_else(read, people):
    with pytest.raises(InvalidComparisons, match="has no answers"):
        read(json.dumps({"participant_responses": people}), "a.json")


def test_next_as_csv(read):
    header = "participant_uid,target_center,target_left,target_right,target_winner"
    found = read(f"{header}\np1,owl,hawk,carp,carp\n")
    assert spelled(found) == ["owl carp hawk"]
    assert found.annotator_names == ("p1",)


@pytest.mark.parametrize(
    "text",
    [
        "triple\nab|c\nac|d\n",
        "ab|c\nac|d\n",
        "triple\n(a,b)|c\na , c | d\n",
        "a b|c\na c |d\n",
        "worker,triple\nw1,ab|c\nw2,ac|d\n",
        'worker;rooted triple\nw1;a,b|c\nw2;"a,c|d"\n',
    ],
)
def test_triples(read, text):
    expected = ["a b c", "b a c", "a c d", "c a d"]
    for name in ("a.csv", "a.txt"):
        assert spelled(read(text, name)) == expected


def test_triples_with_longer_names(read):
    found = read("wild carp,cod|barn owl\n")
    assert spelled(found)[0] == "wild carp cod barn owl"
    with pytest.raises(InvalidComparisons, match="not list all") as error:
        read("triple\nab|c\nowlhawk|c\n" + "ab|c\n" * 30, "x.tsv")
    assert error.value.place == "line 3"


@pytest.mark.parametrize(
    ("text", "name", "column", "cell"),
    [
        ("triplet,x\nab|c,1\njunk,2\nac|b,1\n", "a.csv", "triplet", "junk"),
        (
            json.dumps([*TRIALS[3:5], TRIALS[3] | {"choices": ["", "b"]}]),
            "a.json",
            "choices",
            '["","b"]',
        ),
    ],
)
def test_a_cell_that_does_not_list_all_objects(read, text, name, column, cell):
    message = f"column '{column}' does not list all objects"
    with pytest.raises(InvalidComparisons, match=message) as error:
        read(text, name)
    assert error.value.place in ("line 3", "row 3")
    assert f"{column} = {cell!r}" in str(error.value)
    (remedy,) = error.value.remedies
    assert remedy.value == {column: cell}
    assert read(text, name, **{remedy.option: remedy.value}).dropped[f"drop '{column}'"]


@pytest.mark.parametrize("text", ["[]", "[1, 2]", '"x"', "{}", "[{]", "null", "[[]]"])
def test_json_that_holds_no_answers(read, text):
    with pytest.raises(InvalidComparisons):
        read(text, "a.json")


def archive(files, method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as into:
        for name, content in files.items():
            into.writestr(name, content)
    return packed.getvalue()


FOUND = GOOD + "a,b,c\na,c,b\n"


@pytest.mark.parametrize(
    "files",
    [
        {"answers.csv": FOUND},
        {"data/": "", "data/answers.tsv": FOUND.replace(",", "\t")},
        {"__MACOSX/._answers.csv": "x", ".DS_Store": "x", "answers.csv": FOUND},
        {"../../answers.csv": FOUND},
        {"a.csv.gz": gzip.compress(FOUND.encode())},
        {"a.json": '[{"i":"a","j":"b","k":"c"},{"i":"a","j":"c","k":"b"}]'},
    ],
)
def test_one_file_in_an_archive(read, files, tmp_path):
    assert spelled(read(archive(files), "data.zip")) == ["a b c", "a c b"]
    assert [path.name for path in tmp_path.iterdir()] == ["data.zip"]


def test_several_archives(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        text = f"i,j,k\n{name},b,c\n"
        (tmp_path / name / "a.zip").write_bytes(archive({"a.csv": text}))
    found = read_comparisons([tmp_path / "one" / "a.zip", tmp_path / "two" / "a.zip"])
    assert spelled(found) == ["one b c", "two b c"]


def test_an_error_in_an_archive_names_the_archive(read):
    with pytest.raises(InvalidComparisons, match=r"^data.zip/a.csv, line 4") as error:
        read(archive({"a.csv": FOUND + "a,,c\n"}), "data.zip")
    assert error.value.code == "no label"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"PK no archive", "damaged file"),
        (archive({"a.csv": FOUND * 99})[:-30], "damaged file"),
        (
            archive({"a.csv": FOUND}, zipfile.ZIP_STORED).replace(b"b,c", b"b,d"),
            "damaged file",
        ),
        (archive({}), "archive"),
        (archive({"a.csv": FOUND, "b.csv": FOUND}), "archive"),
        (archive({"a.zip": archive({"a.csv": FOUND})}), "archive"),
        (archive({"a.csv": FOUND}, zipfile.ZIP_LZMA), "archive"),
        (archive({"a.doc": FOUND}), "unknown ending"),
    ],
)
def test_archives_that_are_not_read(read, content, code, tmp_path):
    with pytest.raises(InvalidComparisons) as error:
        read(content, "data.zip")
    assert error.value.code == code
    assert [path.name for path in tmp_path.iterdir()] == ["data.zip"]


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


def test_an_archive_of_several_files_says_so(read):
    with pytest.raises(InvalidComparisons, match=r"holds 2 files \('a.csv', 'b.csv'\)"):
        read(archive({"a.csv": FOUND, "b.csv": FOUND}), "data.zip")


def test_files_with_different_endings(tmp_path):
    paths = [tmp_path / "a.csv", tmp_path / "b.txt"]
    for path in paths:
        path.write_text(FOUND)
    with pytest.raises(InvalidComparisons, match="have different endings"):
        read_comparisons(paths)


def test_an_archive_is_not_written(tmp_path):
    with pytest.raises(InvalidComparisons, match="are only read"):
        write_comparisons(Triplets([[0, 1, 2]], 3), tmp_path / "a.zip")
