"""Reading answers: forms of tables, labels, filters, items, frames; and writing."""

from __future__ import annotations

import gzip
import os

import numpy as np
import pytest

from tripletree import (
    InvalidComparisons,
    InvalidOption,
    Items,
    PairSums,
    Quadruplets,
    Triplets,
    UnreadableFile,
    odd_one_out,
    read_comparisons,
    read_items,
    write_comparisons,
    write_pairs,
)
from tripletree._checks import natural_order


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, name="answers.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_comparisons(path, **options)

    return write_and_read


def spelled(answers):
    """Rows with labels in place of ids."""
    return [tuple(answers.labels[i] for i in row) for row in answers]


@pytest.mark.parametrize(
    "header",
    [
        "target,near,far",
        "head,winner,loser",
        "anchor,positive,negative",
        "i,j,k",
        "Reference,Closer,Farther",
        "reference;more similar;less similar",
        '"target"\t"near"\t"far"',
        "target, near, far",
        "I|J|K",
    ],
)
def test_headers_of_triplets(read, header):
    separator = next(s for s in (", ", ",", ";", "\t", "|") if s in header)
    answers = read(header + "\n" + separator.join(["owl", "hawk", "carp"]) + "\n")
    assert isinstance(answers, Triplets)
    assert spelled(answers) == [("owl", "hawk", "carp")]
    assert answers.labels == ("carp", "hawk", "owl")
    assert answers.weights is None
    assert answers.annotators is None
    assert answers.dropped == {}


@pytest.mark.parametrize(
    "header", ["i,j,k,l", "near_1,near_2,far_1,far_2", "Near A,Near B,Far A,Far B"]
)
def test_headers_of_quadruplets(read, header):
    answers = read(header + "\na,b,c,d\n")
    assert isinstance(answers, Quadruplets)
    assert spelled(answers) == [("a", "b", "c", "d")]


@pytest.mark.parametrize(
    ("answer", "near"),
    [("b", "b"), ("c", "c"), ("left", "b"), ("Right ", "c"), ("L", "b"), ("R", "c")],
)
def test_choices(read, answer, near):
    answers = read(f"Center,Left,Right,Answer\na,b,c,{answer}\n")
    far = {"b": "c", "c": "b"}[near]
    assert spelled(answers) == [("a", near, far)]


def test_ties_are_left_out_and_counted(read):
    words = ["same", "TIE", "undecided", "", '""', "The same", "b"]
    text = "Center,Left,Right,Answer\n" + "".join(f"a,b,c,{w}\n" for w in words)
    answers = read(text)
    assert spelled(answers) == [("a", "b", "c")]
    assert dict(answers.dropped) == {"undecided": 6}


def test_a_label_may_be_a_word_for_a_tie(read):
    answers = read("Center,Left,Right,Answer\na,same,c,same\n")
    assert spelled(answers) == [("a", "same", "c")]
    assert answers.dropped == {}


def test_a_label_that_is_the_other_side_is_refused(read):
    words = r"answers.csv, line 2 .*label of one object, and a word for the place"
    with pytest.raises(InvalidComparisons, match=words):
        read("Center,Left,Right,Answer\na,right,c,right\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("first,second,odd\na,b,c\n", [("a", "b", "c"), ("b", "a", "c")]),
        ("a,b,c,odd\nx,y,z,y\n", [("x", "z", "y"), ("z", "x", "y")]),
        ("image1,image2,image3,odd_one_out\nx,y,z,left\n", [("y", "z", "x")] * 1),
        ("image1,image2,image3,odd\n7,8,9,3\n7,8,9,1\n", [("7", "8", "9")]),
        ("first,second,central\na,b,c\n", [("a", "c", "b"), ("b", "c", "a")]),
        ("item1,item2,item3,center\nx,y,z,z\n", [("x", "z", "y"), ("y", "z", "x")]),
    ],
)
def test_odd_and_central(read, text, expected):
    answers = read(text)
    assert spelled(answers)[: len(expected)] == expected
    assert len(answers) == 2 * (text.count("\n") - 1)


@pytest.mark.parametrize(
    ("header", "answers", "expected", "note"),
    [
        ("image1,image2,image3,odd", "1,2,3,3", "abcc", ""),
        ("image1,image2,image3,odd", "0,1,2,2", "abcc", "0, 1, 2 are taken as pos"),
        ("image1,image2,image3,odd", "0,0,1,NA", "aab", "0, 1, 2 are taken as pos"),
        ("image1,image2,image3,odd", "1.0,3.0,,2.0", "acb", ""),
        ("target,left,right,answer", "1,2,2,1", "abba", "1, 2 are taken as positions"),
        ("target,left,right,response", "0,1,1,0", "abba", "0, 1 are taken as pos"),
        ("target,left,right,button_pressed", "0,0,,0", "aaa", "0, 1 are taken as pos"),
    ],
)
def test_positions_are_counted_from_0_or_from_1(read, header, answers, expected, note):
    """A 0, or the largest number, shows which."""
    is_odd = "odd" in header
    shown = "a,b,c" if is_odd else "z,a,b"
    rows = [f"{shown},{answer}\n" for answer in answers.split(",")]
    found = read(f"{header}\n{''.join(rows)}")
    chosen = [found.labels[x] for x in found.rows[:, 2 if is_odd else 1]]
    if is_odd:
        chosen = chosen[::2]
    assert "".join(chosen) == expected
    assert note in "".join(found.notes)
    assert bool(note) == bool(found.notes)


@pytest.mark.parametrize(
    ("header", "answers", "one", "two"),
    [
        (
            "image1,image2,image3,odd",
            "12",
            {"1": "first", "2": "second"},
            {"1": "second", "2": "third"},
        ),
        ("target,left,right,answer", "11", {"1": "left"}, {"1": "right"}),
        (
            "target,left,right,answer",
            "01",
            {"0": "left", "1": "right"},
            {"1": "left", "0": "right"},
        ),
    ],
)
def test_numbers_that_do_not_tell_what_they_stand_for(read, header, answers, one, two):
    """1 and 2 alone could be counted from 0; 0 and 1 could be no and yes."""
    text = f"{header}\n" + "".join(f"7,8,9,{answer}\n" for answer in answers)
    with pytest.raises(InvalidComparisons, match="answers are") as error:
        read(text)
    assert error.value.code == "which position"
    assert [x.value for x in error.value.remedies] == [one, two]
    found = [read(text, **{x.option: x.value}) for x in error.value.remedies]
    assert found[0].rows.tolist() != found[1].rows.tolist()


WORDED = "target,left,right,answer\nz,a,b,A \nz,a,b,b\nz,a,b,s\nz,b,a,b\nz,a,b,left\n"


def test_answers_in_words_of_their_own(read):
    """They come before labels: the object a is on the right in the fourth row."""
    found = read(WORDED, answer_words={"a": "right", "b": "left", "s": "tie"})
    near = "".join(found.labels[x] for x in found.rows[:, 1])
    assert near == "baba"
    assert found.dropped == {"undecided": 1}
    odd = "first,second,third,odd\n1,2,3,x\n1,2,3,9\n"
    found = read(odd, answer_words={"x": "middle", 9: "third"})
    assert found.rows[:, 2].tolist() == [1, 1, 2, 2]


def test_answers_in_words_on_integers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"target": [1], "left": [2], "right": [3], "answer": [7]})
    found = read_comparisons(frame, answer_words={7: "right"})
    assert found.rows.tolist() == [[0, 2, 1]]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"a": "up"}, "give each word once"),
        ({}, "give each word once"),
        ("a=left", "give each word once"),
        ({"a": "left", "A ": "right"}, "give each word once"),
        ({"a": "middle"}, "among 2 there is no such place"),
        ({"a": ["left"]}, "give each word once"),
    ],
)
def test_words_that_are_none(read, words, why):
    with pytest.raises(InvalidOption, match=why):
        read(WORDED, answer_words=words)


def test_words_need_answers(read):
    with pytest.raises(InvalidOption, match="has no column of answers"):
        read("i,j,k\na,b,c\n", answer_words={"a": "left"})


@pytest.mark.parametrize("worker", ["worker", "participant", "annotator", "Worker ID"])
def test_roles_have_the_names_that_columns_have(read, worker):
    text = "i,j,k,who,ms\na,b,c,w1,5\na,c,b,w2,1\n"
    given = {"target": "i", "near": "j", "far": "k", worker: "who", "rt": "ms"}
    found = read(text, columns=given, min_response_time=2, keep={worker: "w1"})
    assert found.annotator_names == ("w1",)
    assert len(found) == 1
    with pytest.raises(InvalidOption, match="one role in two ways"):
        read(text, columns={"worker": "who", "subject": "who"})


def test_labels_come_before_positions(read):
    """Each answer is a label of its row, so that 3 is an object."""
    answers = read("image1,image2,image3,odd\n3,2,1,3\n3,2,1,2\n")
    assert spelled(answers)[0] == ("2", "1", "3")
    both = ("answers 1, 2, 3 could be labels or positions: taken as labels",)
    assert answers.notes == both
    same = read("image1,image2,image3,odd\n1,2,3,3\n1,2,3,2\n1,2,3,tie\n")
    assert same.notes == ()  # the same objects in both readings
    other = read("image1,image2,image3,odd\n3,2,1,3\n3,2,5,5\n")
    assert other.notes == ()  # 5 is no position
    dropped = read("image1,image2,image3,odd,c\n3,2,1,3,\n3,2,5,5,x\n", drop={"c": "x"})
    assert dropped.notes == both


def test_positions_of_numbered_objects_are_positions(read):
    """Most answers are no label of their row, though some happen to be."""
    text = "image1,image2,image3,odd\n7,8,9,3\n7,8,2,1\n3,8,2,2\n4,3,1,3\n9,6,5,2\n"
    answers = read(text)
    assert [answers.labels[row[2]] for row in answers][::2] == list("97816")
    assert answers.notes == ("answers 1, 2, 3 are taken as positions, not as labels",)


def test_a_wrong_label_does_not_turn_the_others_into_positions(read):
    """All answers could be positions; but all but one are labels of their rows."""
    text = "image1,image2,image3,odd\n1,2,3,1\n2,3,1,3\n2,5,1,3\n"
    words = (
        r"answers.csv, line 4 \(image1 = '2', .*, odd = '3'\): the answer is not a "
        r"label of its row.*objects called so.*write first, .*correct this one\.$"
    )
    with pytest.raises(InvalidComparisons, match=words):
        read(text)
    with pytest.raises(InvalidComparisons, match=words):
        read(text, items=list("12345"))
    for n, word in enumerate(("first", "second", "third"), 1):
        text = text.replace(f",{n}\n", f",{word}\n")
    assert spelled(read(text))[2:4] == [("2", "3", "1"), ("3", "2", "1")]
    # No row that stays has an object that is called like a position.
    kept = "first,second,third,odd,c\n7,8,9,3,\n1,2,3,1,x\n"
    answers = read(kept, drop={"c": "x"}, items=list("123789"))
    assert spelled(answers)[0] == ("7", "8", "9")
    assert answers.notes == ()


def test_weights_annotators_and_other_columns(read):
    text = "target,Worker ID,near,far,note,weight\na,w2,b,c,x,2\nb,w10,a,c,y,3\n"
    answers = read(text)
    assert spelled(answers) == [("a", "b", "c"), ("b", "a", "c")]
    assert answers.weights.tolist() == [2, 3]
    assert answers.weights.dtype == np.int64
    assert answers.annotator_names == ("w2", "w10")
    assert answers.annotators.tolist() == [0, 1]
    floats = read(text.replace(",3\n", ",0.5\n"))
    assert floats.weights.tolist() == [2.0, 0.5]
    assert floats.weights.dtype == np.float64
    without = read(text, columns={"weight": None, "annotator": None})
    assert without.weights is None
    assert without.annotators is None


def test_weight_and_annotator_of_two_triplets(read):
    answers = read("first,second,odd,worker,weight\na,b,c,u,2\na,c,b,v,3\n")
    assert answers.weights.tolist() == [2, 2, 3, 3]
    assert answers.annotators.tolist() == [0, 0, 1, 1]


def test_columns_by_name(read):
    text = "ref,n,f,who\na,b,c,w\n"
    named = {"target": "ref", "near": "f", "far": "n", "annotator": "who"}
    answers = read(text, columns=named)
    assert spelled(answers) == [("a", "c", "b")]
    assert answers.annotator_names == ("w",)
    assert spelled(read(text, columns=["n", "ref", "f"])) == [("b", "a", "c")]


@pytest.mark.parametrize(
    ("header", "advice"),
    [
        ("i,j,k,response", "'target': 'i', 'left': 'j', 'right': 'k', 'answer': 'resp"),
        ("target,near,far,Answer", "names the closer object"),
        ("near_1,near_2,far_1,far_2,choice", "in the order that the answer says"),
        ("target,near,far,is_tie", r"drop=\{'is_tie': ...\}"),
        ("Center,Left,Right,Answer,tie", r"drop=\{'tie': ...\}"),
        ("i,j,k,count", r"columns=\{'weight': 'count'\}"),
        ("i,j,k,n", r"columns=\{'weight': 'n'\}"),
        ("i,j,k,Votes", r"columns=\{'weight': 'Votes'\}"),
        ("first,second,odd,correct", r"drop=\{'correct': ...\}"),
    ],
)
def test_a_column_that_changes_the_answer_is_not_passed_over(read, header, advice):
    row = "a,b,c,b,1\n" if header.count(",") == 4 else "a,b,c,1\n"
    name = header.split(",")[-1]
    words = f"column '{name}' is not used, and could change .*{advice}.*columns={{"
    with pytest.raises(InvalidComparisons, match=words):
        read(f"{header}\n{row}")


def test_a_column_that_changes_the_answer_and_was_decided_about(read):
    text = "i,j,k,response\na,b,c,c\na,b,c,b\n"
    chosen = {"target": "i", "left": "j", "right": "k", "answer": "response"}
    assert spelled(read(text, columns=chosen)) == [("a", "c", "b"), ("a", "b", "c")]
    assert len(read(text, columns=["i", "j", "k"])) == 2
    assert len(read(text, drop={"response": "c"})) == 1
    counted = "i,j,k,count\na,b,c,4\n"
    assert read(counted, columns={"weight": "count"}).weights.tolist() == [4]
    assert read(counted, columns={"weight": None}).weights is None


def test_files_without_a_header(read):
    assert spelled(read("1,2,3\n10,1,2\n")) == [("1", "2", "3"), ("10", "1", "2")]
    found = read("1,2,3\n10,1,2\n")
    assert found.labels == ("1", "2", "3", "10")
    assert found.notes == ("no header: columns taken as target, near, far",)
    assert repr(found) == f"Triplets(2 rows, 4 objects, {found.notes[0]})"
    assert read("1,2,3\n10,1,2\n", columns=[0, 1, 2]).notes == ()
    assert read("i,j,k\n10,1,2\n").notes == ()
    four = read("1 2 3 4\n", "answers.txt", columns=[0, 1, 2, 3])
    assert isinstance(four, Quadruplets)
    with pytest.raises(InvalidComparisons, match="triplets and a worker or a response"):
        read("1 2 3 4\n", "answers.txt")
    odd = {"first": 0, "second": 1, "odd": 2}
    assert spelled(read("1 2 3\n", "a.txt", columns=odd))[1] == ("2", "1", "3")
    assert spelled(read("x,y,z\n", columns=[0, 1, 2])) == [("x", "y", "z")]
    with pytest.raises(InvalidComparisons, match="5 columns of integers without a"):
        read("1,2,3,4,5\n")


@pytest.mark.parametrize("first", ["head,winner,loser", "i,j,k", "x,y,z"])
def test_a_header_is_no_answer(read, first):
    with pytest.raises(InvalidComparisons, match="line 1 looks like a header"):
        read(f"{first}\n1,2,3\n", columns=[0, 1, 2])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,y,z\na,b,c\n", r"'x', 'y', 'z' are not known .* columns=\{'target'"),
        (
            "i,j,k,target,near,far\n1,2,3,1,2,3\n",
            "choose with columns=.* or columns=",
        ),
        ("i,j,j,k\n1,2,3,4\n", "columns 2 and 3, 'j' and 'j', could both be"),
        ("i,j,k,worker,user\n1,2,3,a,b\n", "both 'worker' and 'user' could be the ann"),
        ("i,j\n1,2\n", "'i', 'j' are not known"),
        ("center,left,right\n1,2,3\n", "not known"),
    ],
)
def test_headers_that_do_not_say(read, text, words):
    with pytest.raises(InvalidComparisons, match=words):
        read(text)


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        (
            {"target": "i", "near": "j"},
            InvalidOption,
            "columns gives target, near:",
        ),
        ({"tarjet": "i"}, InvalidOption, "the role 'tarjet'"),
        ("ijk", InvalidOption, "give a list of 3 or 4"),
        (["i", "j"], InvalidOption, "give a list of 3 or 4"),
        ({"target": 1.5}, InvalidOption, r"columns\['target'\] = 1.5"),
        ({"target": None}, InvalidOption, r"columns\['target'\] = None"),
        (["i", 1, "k"], InvalidOption, "names and positions"),
        (["i", "j", "q"], InvalidComparisons, "no column 'q'. The columns are 'i', 'j"),
        ({"weight": "q"}, InvalidComparisons, "no column 'q'"),
    ],
)
def test_columns_that_do_not_fit(read, columns, error, words):
    with pytest.raises(error, match=words):
        read("i,j,k\n1,2,3\n", columns=columns)


def test_labels_are_exact(read):
    answers = read("i,j,k\n01,1,9007199254740993\n9007199254740992,1,01\n")
    assert set(answers.labels) == {"01", "1", "9007199254740993", "9007199254740992"}
    assert spelled(answers)[0] == ("01", "1", "9007199254740993")
    answers = read('i,j,k\n"a, ""b""","c\nd",\U0001f600\n')
    assert spelled(answers) == [('a, "b"', "c\nd", "\U0001f600")]


def test_windows_line_ends_and_a_byte_order_mark(read):
    answers = read(b"\xef\xbb\xbfhead,winner,loser\r\na,b,c\r\n\r\n")
    assert spelled(answers) == [("a", "b", "c")]


def test_natural_order():
    assert natural_order(["10", "9", "-3", "-20", "0"]) == ["-20", "-3", "0", "9", "10"]
    assert natural_order(["x10", "x9", "x09", "x"]) == ["x", "x09", "x9", "x10"]
    huge = ["9" * 6_000, "1" + "0" * 6_000]
    assert natural_order(huge[::-1]) == huge
    assert natural_order(["1", "01"]) == ["01", "1"]
    longer = ["x" + "1" * 1_200_000, "x" + "2" * 1_200_000, "y"]
    assert natural_order(longer[::-1]) == longer


def test_many_labels_keep_their_numbers(read):
    """More labels than the engine handles at a time, in an order that is not theirs."""
    labels = [f"o{i}" for i in range(30_000)]
    rows = "".join(
        f"o{i},o{(i * 7 + 1) % 30_000},o{29_999 - i}\n" for i in range(9_000)
    )
    answers = read("i,j,k\n" + rows, items=labels, drop_degenerate=True)
    assert answers.labels == tuple(labels)
    expected = [(i, (i * 7 + 1) % 30_000, 29_999 - i) for i in range(9_000)]
    assert [tuple(row) for row in answers] == [x for x in expected if len({*x}) == 3]


def test_items_fix_the_objects(read, tmp_path):
    text = "i,j,k\nb,a,c\n"
    answers = read(text, items=["c", "never", "b", "a"])
    assert answers.labels == ("c", "never", "b", "a")
    assert answers.rows.tolist() == [[2, 3, 0]]
    table = tmp_path / "items.csv"
    table.write_text("image,label,group\nc.png,c,g1\na.png,a,\nb.png,b,g2\n")
    items = read_items(table)
    assert items.labels == ("c", "a", "b")
    assert items.groups == ("g1", "", "g2")
    assert items.images == ("c.png", "a.png", "b.png")
    assert read(text, items=table).labels == read(text, items=items).labels
    words = r"answers.csv, line 2 .*: 'c' in column 'k' is none of the 2 items"
    with pytest.raises(InvalidComparisons, match=words):
        read(text, items=["a", "b"])


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        ("label\na\na\n", r"labels\[1\] = 'a' repeats", "label twice"),
        ("thing\na\n", "not known as items", "unknown columns"),
        ("id,label,Label\n1,a,b\n", "both 'label' and 'Label'.* label", "two columns"),
        ("label,image,IMAGE\n", "both 'image' and 'IMAGE'.* image", "two columns"),
        ("label,group\n,x\n", "line 2: no label", "no label"),
        ("label,group\n", "no items", "no items"),
    ],
)
def test_items_that_are_none(tmp_path, text, words, code):
    path = tmp_path / "items.csv"
    path.write_text(text)
    with pytest.raises(InvalidComparisons, match=words) as caught:
        read_items(path)
    assert caught.value.code == code


def test_empty_and_spaced_labels_need_items(read):
    text = 'i,j,k\n"",a," a"\n'
    with pytest.raises(InvalidComparisons, match="differ in blanks only"):
        read(text)
    answers = read(text, items=["", " a", "a"])
    assert spelled(answers) == [("", "a", " a")]
    with pytest.raises(InvalidComparisons, match="no label in column 'i'"):
        read('i,j,k\n"",a,b\n')
    with pytest.raises(InvalidComparisons, match="truly called 'NA', give items="):
        read("i,j,k\nNA,a,b\n")
    assert spelled(read("i,j,k\nNA,a,b\n", items=["a", "b", "NA"]))[0][0] == "NA"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("2", "2.0"),
        ("-2", "-2.000"),
        ("\u00e9", "e\u0301"),
        ("wild carp", "wild\u00a0carp"),
        ("wild carp", "wild  carp"),
        ("owl", "o\u200bwl"),
        ("owl", "\ufeffowl"),
        ("owl", "\uff4f\uff57\uff4c"),
    ],
)
def test_one_object_under_two_spellings(read, one, two):
    text = f"i,j,k\n{one},x,y\nx,{two},y\n"
    with pytest.raises(InvalidComparisons) as caught:
        read(text)
    assert f"labels {one!a} and" in str(caught.value)
    assert ascii(two) in str(caught.value)
    answers = read(text, items=[one, two, "x", "y"])
    assert spelled(answers) == [(one, "x", "y"), ("x", two, "y")]


def test_spellings_that_differ(read):
    text = "i,j,k\n1,01,1.5\n2.0,a,A\n2.05,v2,v2.0\n"
    assert len(read(text).labels) == 9


CATCH = (
    "i,j,k,worker,catch,rt\n"
    "a,b,c,w1,0,1.5\nx,y,z,w1,1,1.5\na,c,b,w2,0,0.1\nb,a,c,w2,0,2\nc,a,b,w3,,3\n"
)


def test_filters(read):
    answers = read(CATCH, drop={"catch": 1})
    assert answers.labels == ("a", "b", "c")
    assert dict(answers.dropped) == {"drop 'catch'": 1}
    assert len(read(CATCH, drop={"catch": True})) == 4
    assert len(read(CATCH, drop={"catch": [1, None]})) == 3
    kept = read(CATCH, keep={"annotator": ["w2", "w3"]})
    assert spelled(kept) == [("a", "c", "b"), ("b", "a", "c"), ("c", "a", "b")]
    assert kept.annotator_names == ("w2", "w3")
    all_of_it = read(
        CATCH, drop={"catch": "1"}, keep={"worker": "w2"}, min_response_time=0.2
    )
    assert spelled(all_of_it) == [("b", "a", "c")]
    assert dict(all_of_it.dropped) == {
        "drop 'catch'": 1,
        "keep 'worker'": 2,
        "response time below 0.2": 1,
    }
    with pytest.raises(InvalidComparisons, match="no answers but those left out"):
        read(CATCH, drop={"worker": ["w1", "w2", "w3"]})


@pytest.mark.parametrize("option", ["drop", "keep"])
@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("worker", "nobody", "'nobody', .*'w1', 'w2', 'w3'"),
        ("worker", ["w1", "W2"], "'W2', .*'w1', 'w2', 'w3'"),
        ("catch", "True", "'True', .*'0', '1'"),
        ("catch", 2, "2, .*'0', '1'"),
    ],
)
def test_a_filter_that_matches_nothing(read, option, column, value, shown):
    words = f"{option} '{column}' has the value {shown}: give one"
    with pytest.raises(InvalidComparisons, match=words):
        read(CATCH, **{option: {column: value}})


@pytest.mark.parametrize(
    ("yes", "no"),
    [("yes", "no"), ("Y", "N"), ("True", "False"), ("WAHR", "FALSCH"), ("1", "0")],
)
def test_booleans_as_they_are_written(read, yes, no):
    text = f"i,j,k,catch\na,b,c,{yes}\nb,a,c,{no}\n"
    assert spelled(read(text, drop={"catch": True})) == [("b", "a", "c")]
    assert spelled(read(text, keep={"catch": True})) == [("a", "b", "c")]
    assert spelled(read(text, keep={"catch": False})) == [("b", "a", "c")]


def test_a_missing_value_to_drop_need_not_occur(read):
    assert len(read(CATCH, drop={"worker": None})) == 5


def test_response_times_that_are_no_numbers(read):
    text = "head,winner,loser,rt\na,b,c,500\nb,a,c,slow\nb,c,a,2e2\n"
    words = r"line 3 \(.*rt = 'slow'\): no response time that is a number"
    with pytest.raises(InvalidComparisons, match=words):
        read(text, min_response_time=300)
    answers = read(text, min_response_time=300, drop={"rt": "slow"})
    assert spelled(answers) == [("a", "b", "c")]
    assert dict(answers.dropped) == {"drop 'rt'": 1, "response time below 300": 1}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"drop": {"katch": 1}}, InvalidComparisons, "no column 'katch'"),
        ({"drop": "catch"}, InvalidOption, "drop = 'catch': give a dictionary"),
        ({"keep": {1: "x"}}, InvalidOption, "the key 1"),
        ({"keep": {"catch": 1.5}}, InvalidOption, "value 1.5: give text, integers"),
        ({"keep": {"catch": [1.5]}}, InvalidOption, "value 1.5: give text, integers"),
        ({"min_response_time": -1}, InvalidOption, "min_response_time = -1"),
        (
            {"min_response_time": 1, "columns": {"response_time": None}},
            InvalidComparisons,
            "no column that is known for",
        ),
    ],
)
def test_filters_that_do_not_fit(read, options, error, words):
    with pytest.raises(error, match=words):
        read(CATCH, **options)


def test_degenerate_rows(read):
    text = "i,j,k\na,b,c\na,a,c\na,b,b\n"
    with pytest.raises(InvalidComparisons, match=r"line 3 .*compared with itself"):
        read(text)
    answers = read(text, drop_degenerate=True)
    assert len(answers) == 1
    assert dict(answers.dropped) == {"degenerate": 2}
    text = "i,j,k,l\na,b,b,a\na,b,a,b\na,a,b,c\na,b,c,c\na,b,a,c\n"
    assert spelled(read(text, drop_degenerate=True)) == [("a", "b", "a", "c")]


def test_several_files(tmp_path):
    for name, row in {"r1": "a,b,c", "r2": "c,a,b", "r10": "b,c,a"}.items():
        (tmp_path / f"{name}.csv").write_text(f"i,j,k\n{row}\n")
    paths = [tmp_path / "r2.csv", tmp_path / "r1.csv"]
    assert spelled(read_comparisons(paths)) == [("c", "a", "b"), ("a", "b", "c")]
    pattern = read_comparisons(str(tmp_path / "r*.csv"))
    assert spelled(pattern) == [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    (tmp_path / "r3.csv").write_text("i,k,j\na,b,c\n")
    with pytest.raises(InvalidComparisons, match=r"r3.csv does not have the columns"):
        read_comparisons(str(tmp_path / "r*.csv"))
    (tmp_path / "r3.csv").write_text("i,j,k\na,b,c\na,b,\n")
    with pytest.raises(InvalidComparisons, match=r"r3.csv, line 3 .*no label"):
        read_comparisons(str(tmp_path / "r*.csv"))
    (tmp_path / "r3.csv").write_text("i,j,k\na,b,c\na,b\n")
    with pytest.raises(InvalidComparisons, match=r"r3.csv, line 3: 2 columns"):
        read_comparisons(str(tmp_path / "r*.csv"))


def test_a_file_that_is_given_twice(tmp_path):
    path = tmp_path / "r1.csv"
    path.write_text("i,j,k\na,b,c\n")
    twice = "the same file is given twice"
    for other in (path, tmp_path / ".." / tmp_path.name / "r1.csv", f"{tmp_path}/r*"):
        with pytest.raises(InvalidComparisons, match=rf"r1.csv'.*{twice}"):
            read_comparisons([path, other])
    (tmp_path / "s1.csv").symlink_to(path)
    with pytest.raises(InvalidComparisons, match=rf"r1.csv' and .*s1.csv': {twice}"):
        read_comparisons(f"{tmp_path}/*.csv")
    (tmp_path / "s1.csv").unlink()
    (tmp_path / "s1.csv").write_text("i,j,k\na,b,c\n")
    assert len(read_comparisons(f"{tmp_path}/*.csv")) == 2


def test_names_of_files_are_no_patterns_nor_queries(tmp_path):
    folder = tmp_path / "a=1"
    folder.mkdir()
    names = ["x[1].csv", "x*.csv", "x'; DROP.csv", '"x".csv', "x\n.csv", "é ü.csv"]
    for at, name in enumerate(names):
        (folder / name).write_text(f"i,j,k\n{at},b,c\n")
    for at, name in enumerate(names):
        assert spelled(read_comparisons(folder / name)) == [(str(at), "b", "c")]


def test_labels_are_no_queries(read):
    label = "'); DROP TABLE x; --"
    answers = read(f'i,j,k,"w\'"\n{label},$files,c1,q\n', keep={"w'": "q"})
    assert spelled(answers) == [(label, "$files", "c1")]


def test_packed_text(read, tmp_path):
    text = b"i,j,k\na,b,c\n"
    assert spelled(read(gzip.compress(text), "a.csv.gz")) == [("a", "b", "c")]
    import duckdb

    path = tmp_path / "a.tsv.zst"
    columns = "SELECT 'a' AS i, 'b' AS j, 'c' AS k"
    query = f"COPY ({columns}) TO '{path}' (FORMAT csv, DELIM '\t', COMPRESSION zstd)"
    duckdb.connect().execute(query)
    assert spelled(read_comparisons(path)) == [("a", "b", "c")]


def test_json_lines(read):
    text = '{"i": "a", "j": "01", "k": "\\ud83d\\ude00", "weight": 2}\n\n'
    answers = read(
        text + '{"k": "c", "x": [1], "i": "d", "j": "b", "weight": 3}\n', "a.jsonl"
    )
    assert spelled(answers) == [("a", "01", "\U0001f600"), ("d", "b", "c")]
    assert answers.weights.tolist() == [2, 3]
    assert answers.weights.dtype == np.int64
    numbers = read('{"i": 3, "j": -1, "k": 18446744073709551615}\n', "a.ndjson")
    assert numbers.labels == ("-1", "3", "18446744073709551615")


def test_json_keys_of_late_lines(read):
    line = '{"i": "a", "j": "b", "k": "c"}\n'
    late = '{"i": "a", "j": "b", "k": "c", "response": -1}\n'
    with pytest.raises(InvalidComparisons, match="column 'response' is not used"):
        read(line * 5_000 + late, "a.jsonl")
    weighted = read(late.replace('"response": -1', '"who": 7') + line * 200, "a.jsonl")
    assert len(weighted) == 201


def test_a_header_in_the_middle(read):
    for text, line in {
        "i,j,k\na,b,c\ni,j,k\nb,a,c\n": 3,
        "i,j,k\na,b,c\nb,a,c\n\ufeffi,j,k\nb,a,c\n": 4,
        "Center,Left,Right,Answer\na,b,c,b\nCenter,Left,Right,Answer\n": 3,
        "target,near,far,worker,weight\na,b,c,w,1\ntarget,near,far,worker,weight\n": 3,
    }.items():
        with pytest.raises(InvalidComparisons, match=f"line {line} .*header again"):
            read(text)
    assert len(read("i,j,k\ni,j,k\n", items=["i", "j", "k"])) == 1
    assert len(read("i,j,k\ni,k,j\n")) == 1
    assert len(read("a,b,c,odd\na,b,c,b\n")) == 2
    text = "i,j,k,file\na,b,c,1\ni,j,k,file\n"
    assert len(read(text, drop={"file": "file"})) == 1


def test_descriptions_of_columns(read):
    described = ",".join(f'"{{""ImportId"":""QID{n}""}}"' for n in range(3))
    text = f"target,near,far\nWhich?,Near?,Far?\n{described}\na,b,c\n"
    assert spelled(read(text)) == [("a", "b", "c")]
    with pytest.raises(InvalidComparisons, match=r"line 6 .*Qualtrics's description"):
        read(f"{text}Which?,Near?,Far?\n{described}\n")  # put together


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "ibis", "parquet"])
def test_frames(kind, tmp_path):
    pandas = pytest.importorskip("pandas")
    columns = {
        "head": ["a", "b", "a"],
        "winner": ["b", "c", "c"],
        "loser": ["c", "a", "b"],
        "worker": [7, 10, 7],
        "weight": [1.0, 0.5, 2.0],
        "catch": [False, False, True],
    }
    frame = pandas.DataFrame(columns)
    if kind == "polars":
        frame = pytest.importorskip("polars").DataFrame(columns)
    elif kind != "pandas":
        arrow = pytest.importorskip("pyarrow").table(columns)
        frame = arrow
        if kind == "ibis":
            frame = type("Table", (), {"to_pyarrow": lambda self: arrow})()
        elif kind == "parquet":
            frame = tmp_path / "a.parquet"
            pytest.importorskip("pyarrow.parquet").write_table(arrow, frame)
    answers = read_comparisons(frame, drop={"catch": True})
    assert spelled(answers) == [("a", "b", "c"), ("b", "c", "a")]
    assert answers.annotator_names == ("7", "10")
    assert answers.weights.tolist() == [1.0, 0.5]
    assert dict(answers.dropped) == {"drop 'catch'": 1}


def test_integers_and_categories_in_frames():
    pandas = pytest.importorskip("pandas")
    numbers = pandas.DataFrame({"i": [2**62, 5], "j": [10, 10], "k": [9, 9]})
    assert read_comparisons(numbers).labels == ("5", "9", "10", str(2**62))
    kinds = pandas.DataFrame({x: pandas.Categorical([x, "q"]) for x in "ijk"})
    assert read_comparisons(kinds[:1]).labels == ("i", "j", "k")
    odd_names = pandas.DataFrame([["a", "b", "c"]], columns=["i", 0, ("x", 1)])
    with pytest.raises(InvalidComparisons, match="'i', '0'"):
        read_comparisons(odd_names)


@pytest.mark.parametrize("step", [1, 3, 2**40, -(2**48)])
def test_integers_far_apart_are_numbered_in_order(step):
    """More of them than fit into the first table of numbers, and into the next."""
    pandas = pytest.importorskip("pandas")
    rows = np.random.default_rng(0).permutation(30_000).reshape(-1, 3)
    labels = (rows - 15_000) * step + 7
    read = read_comparisons(pandas.DataFrame(labels, columns=["i", "j", "k"]))
    assert read.labels == tuple(map(str, sorted(labels.ravel().tolist())))
    assert np.array_equal(read.rows, rows if step > 0 else 29_999 - rows)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"i": ["a"] * 2, "j": ["b"] * 2, "k": ["c", None]}, r"row 1 \(counted from 0"),
        ({"i": ["a"], "j": ["b"], "k": [None]}, "column 'k' is of type .?NULL"),
        ({"i": [1.0], "j": [2.0], "k": [3.0]}, "column 'i' is of type DOUBLE, and"),
        ({"i": [True], "j": ["b"], "k": ["c"]}, "column 'i' is of type BOOLEAN"),
        (
            {"i": [[1]], "j": ["b"], "k": ["c"]},
            r"type (INTEGER|BIGINT)\[\]",
        ),
        ({"i": [1], "j": ["b"], "k": ["c"]}, "some labels are text and others numbers"),
        (
            {"i": ["a", 1], "j": ["b"] * 2, "k": ["c"] * 2},
            "some labels are text and others",
        ),
        ({"x": ["a"], "y": ["b"], "z": ["c"]}, "DataFrame: columns 'x', 'y', 'z'"),
    ],
)
def test_frames_that_are_wrong(columns, words):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InvalidComparisons, match=words):
        read_comparisons(pandas.DataFrame(columns))


@pytest.mark.parametrize("thing", [None, 5, {"i": [1]}, np.zeros((2, 3), int), [1, 2]])
def test_what_cannot_be_read(thing):
    with pytest.raises(InvalidComparisons, match="cannot read answers from"):
        read_comparisons(thing)


def test_writing_is_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("before")
    answers = Triplets([[0, 1, 2]], 3, labels=["a", "b", "\ud800"])
    with pytest.raises(InvalidComparisons, match="not valid text"):
        write_comparisons(answers, path)
    fine = Triplets([[0, 1, 2]], 3)

    def fails(*_):
        message = "disk full"
        raise OSError(message)

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(UnreadableFile, match="cannot be written: disk full"):
        write_comparisons(fine, path)
    monkeypatch.undo()
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]
    for name in ("no/a.csv", "no/a.parquet", "no/a.npz", "a.csv/b.jsonl"):
        with pytest.raises(UnreadableFile, match="cannot be written"):
            write_comparisons(fine, tmp_path / name)
    for name in ("a.xlsx", "a", "a.csv.zst"):
        with pytest.raises(InvalidComparisons, match=r"end in|only read"):
            write_comparisons(fine, tmp_path / name)
    with pytest.raises(InvalidComparisons, match="give Triplets or Quadruplets"):
        write_comparisons([[0, 1, 2]], path)


ENDINGS = ["a.csv", "a.csv.gz", "a.jsonl", "a.parquet", "a.npz"]


@pytest.mark.parametrize("name", ENDINGS)
def test_rows_of_one_answer_stay_together(tmp_path, name):
    path = tmp_path / "odd.csv"
    path.write_text("first,second,odd,worker\na,b,c,w\nb,c,d,w\na,c,d,v\n")
    answers = read_comparisons(path)
    assert answers.trials.tolist() == [0, 0, 1, 1, 2, 2]
    write_comparisons(answers, tmp_path / name)
    read = read_comparisons(tmp_path / name)
    assert read.trials.tolist() == [0, 0, 1, 1, 2, 2]
    assert read.rows.tolist() == answers.rows.tolist()
    turned = answers[[5, 0, 2, 1, 3, 4]]
    write_comparisons(turned, tmp_path / name)
    read = read_comparisons(tmp_path / name)
    assert read.trials.tolist() == turned.trials.tolist() == [2, 0, 1, 0, 1, 2]
    if name != "a.npz":  # trials are whole where a filter takes rows away
        read = read_comparisons(tmp_path / name, keep={"annotator": "w"})
        assert read.trials.tolist() == [0, 1, 0, 1]


def test_trials_of_several_files_are_not_mixed_up(tmp_path):
    for who in ("v", "w"):
        path = tmp_path / f"{who}.csv"
        path.write_text(f"first,second,odd,worker\na,b,c,{who}\n")
        write_comparisons(read_comparisons(path), tmp_path / f"{who}.parquet")
    read = read_comparisons(str(tmp_path / "*.parquet"))
    assert sorted(read.trials.tolist()) == [0, 0, 1, 1]
    assert np.array_equal(read.trials == read.trials[0], read.annotators == 0)


@pytest.mark.parametrize(
    "numbers", ["0 0 1 1", "1 2 1 2", "tt1-0 tt1-1 tt1-2 1", "tt1- tt1- tt1- tt1-"]
)
def test_trials_of_other_programs_are_not_looked_at(tmp_path, numbers):
    path = tmp_path / "a.csv"
    lines = [f"a,b,{x},{n}" for x, n in zip("cdef", numbers.split(), strict=True)]
    path.write_text("\n".join(["target,near,far,trial", *lines]))
    assert read_comparisons(path).trials is None
    path.write_text(path.read_text().replace("a,b,c", "a,,c"))
    with pytest.raises(InvalidComparisons, match=r"\(target = 'a', far = 'c'\): no la"):
        read_comparisons(path)


def test_equal_answers_of_two_files_stay_two(tmp_path):
    answers = odd_one_out([[0, 1, 2]], [2], 3)
    for name in ("p1.csv", "p2.csv"):
        write_comparisons(answers, tmp_path / name)
    read = read_comparisons(str(tmp_path / "p*.csv"))
    assert (read.n_answers, len(read)) == (2, 4)


def test_a_row_added_by_hand_is_an_answer_of_its_own(tmp_path):
    path = tmp_path / "a.csv"
    write_comparisons(odd_one_out([[0, 1, 2], [1, 2, 3]], [2, 1], 4), path)
    path.write_text(path.read_text() + "0,1,3,\n")
    assert read_comparisons(path).trials.tolist() == [1, 1, 2, 2, 0]


def test_items_of_any_sequence(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("target,near,far\na,b,c\n")
    for labels in (["c", "b", "a"], np.array(["c", "b", "a"]), iter("cba")):
        items = Items(labels)
        assert items.labels == ("c", "b", "a")
        assert read_comparisons(path, items=items).labels == ("c", "b", "a")


def test_a_column_called_trial_can_be_a_label(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("trial,near,far\n0,1,2\n")
    read = read_comparisons(path, columns=["trial", "near", "far"])
    assert read.rows.tolist() == [[0, 1, 2]]


def test_errors_of_writing_have_codes(tmp_path):
    def code(answers, name):
        with pytest.raises(InvalidComparisons) as caught:
            write_comparisons(answers, tmp_path / name)
        return caught.value.code

    def named(*labels):
        return Triplets([[0, 1, 2]], 3, labels=labels)

    assert code(named("a", "b", "\ud800"), "a.csv") == "not UTF-8"
    assert code(named("a", "b", "c"), "a.csv.zst") == "unknown ending"
    assert code(named("a", "b", "NA"), "a.csv") == "no label"
    assert code(named("a", "b", "b "), "a.parquet") == "two spellings"
    assert code(named("target", "near", "far"), "a.csv") == "header again"
    pairs = PairSums(["a", "b"], [[0, 1]], [3], [1])
    for given, name, words in (
        (pairs, "a.csv", "unknown ending"),
        (3, "a.parquet", "no pair sums"),
    ):
        with pytest.raises(InvalidComparisons) as caught:
            write_pairs(given, tmp_path / name)
        assert caught.value.code == words


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
@pytest.mark.parametrize("name", ENDINGS)
def test_writing_keeps_permissions_and_links(tmp_path, name):
    answers = Triplets([[0, 1, 2]], 3)
    path = tmp_path / name
    for mode in (0o600, 0o444, 0o640):
        path.unlink(missing_ok=True)
        path.touch()
        path.chmod(mode)
        write_comparisons(answers, path)
        assert path.stat().st_mode & 0o777 == mode
        assert len(read_comparisons(path)) == 1
    link = tmp_path / f"link.{name[2:]}"
    for target in (path, tmp_path / f"new.{name[2:]}"):
        link.unlink(missing_ok=True)
        link.symlink_to(target.name)
        write_comparisons(answers, link)
        assert link.is_symlink()
        assert len(read_comparisons(target)) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_and_folders_are_not_replaced(tmp_path):
    answers = Triplets([[0, 1, 2]], 3)
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name, what in {"pipe": "a pipe or a device", "folder": "a folder"}.items():
        path = tmp_path / f"{name}.csv"
        with pytest.raises(UnreadableFile, match=f"{name}.csv' is {what}: give the"):
            write_comparisons(answers, path)
        assert not path.is_file()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("path", [None, 3, b"a.csv", "a\0.csv", "", "\udcff.csv"])
def test_names_that_are_no_files(path):
    with pytest.raises(UnreadableFile, match="is not a valid path: give a path"):
        write_comparisons(Triplets([[0, 1, 2]], 3), path)


@pytest.mark.parametrize("label", ["", "NA", "NaN", " null", "None", "?", "#N/A"])
def test_labels_that_tables_cannot_hold(tmp_path, label):
    answers = Triplets([[0, 1, 2]], 4, labels=["a", "b", label, "c"])
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        words = r"a missing value .*, or write an \.npz file"
        with pytest.raises(InvalidComparisons, match=words):
            write_comparisons(answers, tmp_path / name)
    write_comparisons(answers, tmp_path / "a.npz")
    assert spelled(read_comparisons(tmp_path / "a.npz")) == [("a", "b", label)]
    write_comparisons(
        Triplets([[0, 1, 3]], 4, labels=answers.labels), tmp_path / "b.csv"
    )
    assert spelled(read_comparisons(tmp_path / "b.csv")) == [("a", "b", "c")]


def test_labels_that_would_be_refused_on_reading(tmp_path):
    for labels, words in {
        ("2", "2.0", "a"): "'2' and '2.0' look the same",
        ("target", "near", "far"): "as the header of a text file",
        ('{"ImportId":1}', "near", "far"): "a description of columns",
    }.items():
        answers = Triplets([[0, 1, 2]], 3, labels=labels)
        with pytest.raises(InvalidComparisons, match=words):
            write_comparisons(answers, tmp_path / "a.csv")
        write_comparisons(answers, tmp_path / "a.npz")
        assert read_comparisons(tmp_path / "a.npz").labels == labels
    turned = Triplets([[0, 2, 1]], 3, labels=["target", "near", "far"])
    write_comparisons(turned, tmp_path / "a.csv")
    assert spelled(read_comparisons(tmp_path / "a.csv")) == [("target", "far", "near")]


def test_npz_files_of_others(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, triplets=np.array([[0, 1, 2], [2, 4, 1]]))
    answers = read_comparisons(path)
    assert answers.n_objects == 5
    assert answers.labels is None
    np.savez(path, rows=np.array([[0, 1, 2]]), labels=np.array(["a", "b", "c"]))
    assert read_comparisons(path).labels == ("a", "b", "c")
    np.savez(path, rows=np.array([[0, 1, 2]]), labels=np.array([b"a", b"b", b"c"]))
    assert read_comparisons(path).labels == ("a", "b", "c")
    np.savez(path, rows=np.array([[0, 1, 2]]), labels=np.array([b"a", b"b", b"\xe9"]))
    with pytest.raises(InvalidComparisons, match="labels are not UTF-8"):
        read_comparisons(path)
    np.savez(path, rows=np.array([[0, 1, 2]]), labels=np.array(["a", "b", "c"]))
    turned = read_comparisons(path, items=["c", "x", "b", "a"])
    assert turned.rows.tolist() == [[3, 2, 0]]
    assert turned.labels == ("c", "x", "b", "a")
    with pytest.raises(InvalidComparisons, match="'b', 'c', are none of the 1 items"):
        read_comparisons(path, items=["a"])
    with pytest.raises(InvalidOption, match="no option but items"):
        read_comparisons(path, drop={"x": 1})
