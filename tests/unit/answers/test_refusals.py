"""Files that are wrong: one error each, with a code, a place and remedies.

None of them may end in an error of the engine, of NumPy or of the archive's library.
"""

import gzip
import io
import json
import re
import zipfile
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from tests.unit.answers.cases import (
    ALIKE,
    JSPSYCH,
    MISSING,
    NAMED,
    NUMBERED,
    PSYCHOPY,
    QUALTRICS,
    TRIALS,
    TRIALS_JSON,
    TWO_FORMS,
    archive,
    spelled,
    table,
)
from tripletree import (
    InvalidComparisons,
    TooLarge,
    UnreadableFile,
    pair_sums,
    read_comparisons,
    read_items,
    write_pair_sums,
)
from tripletree.answers.duckdb_errors import explain_errors
from tripletree.answers.tables import connected
from tripletree.cli import main
from tripletree.errors import Remedy

HEADER = "head,winner,loser\n"
GOOD = HEADER + "a,b,c\n"
WEIGHTED = "i,j,k,weight\na,b,c,1\n"
ANSWERED = "Center,Left,Right,Answer\na,b,c,left\n"
CHOICE = "target,left,right,answer\n"
ODD = "first,second,third,odd\n"
FILTERED = "i,j,k,worker,catch\na,b,c,w1,0\na,c,b,w2,1\n"
JSON = '{"i": "a", "j": "b", "k": "c"}\n'
DESCRIBED = ",".join(['"{""ImportId"":""QID""}"'] * 3)
SIGNS = ["a,b,c,1", "a,c,b,1", "b,a,c,-1"] * 40
LABELS = ["a,b,c,b", "a,b,c,c", "a,c,b,b"] * 10

ITEMS, COLUMNS = Remedy("items"), Remedy("columns")
MERGE = Remedy("merge_spellings", True)
READY = Remedy("columns", {"target": "i", "near": "j", "far": "k"})
UNKNOWN = (
    Remedy("columns", {"target": ..., "near": ..., "far": ...}),
    Remedy("columns", {"target": ..., "left": ..., "right": ..., "answer": ...}),
    Remedy("columns", {"first": ..., "second": ..., "third": ..., "odd": ...}),
    Remedy("columns", [0, 1, 2]),
)
NO_WEIGHT = ("no weight", 3, Remedy("columns", {"weight": None}))
DROP_ANSWER = Remedy("drop", {"Answer": ...})
TWO_READINGS = (
    Remedy("columns", {"target": "head", "near": "winner", "far": "loser"}),
    Remedy(
        "columns",
        {"target": "Center", "left": "Left", "right": "Right", "answer": "Answer"},
    ),
)


def wrong(content, code, place=None, *remedies, name="a.csv", words="", **options):
    """A file, the options to read it with, words of the message, and the error.

    place: the number of the line, or a text.
    """
    line = f"line {place}" if isinstance(place, int) else place
    return name, content, options, words, (code, line, remedies)


def no_label(content, place, column, value, **options):
    remedies = Remedy("drop", {column: value}), *([ITEMS] if value else [])
    return wrong(content, "no label", place, *remedies, **options)


def unused(name, *rows, holds=""):
    """A column beside i, j, k that could be the answer."""
    asked = {"target": "i", "left": "j", "right": "k", "answer": name}
    words = f"column '{name}' is not used{holds}, and could change .*closer object"
    content, remedies = table(f"i,j,k,{name}", *rows), (Remedy("columns", asked), READY)
    return wrong(content, "unused column", None, *remedies, words=words)


def which_position(header, *answers, **remedies):
    """Numbers that can be counted from 0 or from 1, or be no and yes."""
    content = table(header, *(f"7,8,9,{answer}" for answer in answers))
    words = (Remedy("answer_words", words) for words in remedies.values())
    return wrong(content, "which position", 2, *words, words="answers are")


# DuckDB counts one line too many where JSON is cut.
REFUSED = {
    # Columns
    "wrong column": wrong(
        "head,winner,looser\na,b,c\n",
        "unknown columns",
        None,
        Remedy("columns", {"target": "head", "near": "winner", "far": ...}),
        *UNKNOWN,
        words="role far is missing",
    ),
    "a line for Excel": wrong(
        "sep=;\r\ni;j;k\r\na;b;c\r\n",
        "unknown columns",
        words="'sep=', is for Excel alone",
    ),
    "unknown names": wrong(
        "x,y,z\na,b,c\n",
        "unknown columns",
        None,
        *UNKNOWN,
        words=r"'x', 'y', 'z' are not known .* columns=\{'target'",
    ),
    "one column": wrong("head\na\n", "unknown columns", None, *UNKNOWN),
    "no answer": wrong(
        "center,left,right,voted\na,b,c,b\n",
        "unknown columns",
        None,
        Remedy(
            "columns",
            {"target": "center", "left": "left", "right": "right", "answer": ...},
        ),
        *UNKNOWN,
        words="role answer is missing: name it with columns=",
    ),
    "duplicate header": wrong("i,j,j\na,b,c\n", "unknown columns", None, *UNKNOWN),
    "one role twice": wrong(
        "i,j,j,k\n1,2,3,4\n",
        "two columns",
        None,
        COLUMNS,
        words="columns 2 and 3, 'j' and 'j', could both be",
    ),
    "two annotators": wrong(
        "i,j,k,worker,user\n1,2,3,a,b\n",
        "two columns",
        None,
        Remedy("columns", {"annotator": "worker"}),
        Remedy("columns", {"annotator": None}),
        words="both 'worker' and 'user' could be the annotator",
    ),
    "two response times": wrong(
        "target,near,far,instr.rt,resp.rt\na,b,c,3,9\n",
        "two columns",
        None,
        Remedy("columns", {"response_time": "instr.rt"}),
        Remedy("columns", {"response_time": None}),
        words="could be the response_time",
        min_response_time=1,
    ),
    "two keyboards": wrong(
        PSYCHOPY.replace("trials.thisN", "instr.keys"),
        "two columns",
        None,
        Remedy(
            "columns",
            {
                "target": "target",
                "left": "left",
                "right": "right",
                "answer": "key_resp.keys",
            },
        ),
        words="could both be the answer",
    ),
    "two forms": wrong(
        "i,j,k,target,near,far\n1,2,3,1,2,3\n",
        "two forms",
        None,
        Remedy("columns", {"target": "target", "near": "near", "far": "far"}),
        READY,
        words="choose with columns=.* or columns=",
    ),
    "two columns": wrong(
        "i,j\n1,2\n",
        "unknown columns",
        None,
        *UNKNOWN,
        words="'i', 'j' are not known",
    ),
    "no such column": wrong(
        "i,j,k\na,b,c\n",
        "no such column",
        words="no column 'q'. The columns are 'i', 'j'",
        columns=["i", "j", "q"],
    ),
    "no such weight": wrong(
        "i,j,k\na,b,c\n", "no such column", columns={"weight": "q"}
    ),
    "no column to drop": wrong(
        "i,j,k\na,b,c\n", "no such column", words="'katch'", drop={"katch": 1}
    ),
    # Ready triplets beside a question, whose answer says something else
    **{
        f"contradiction: {why}": wrong(
            f"{NAMED}{row}\n",
            "two forms",
            4,
            *TWO_READINGS,
            words="contradict",
        )
        for why, row in {
            "turned round": "owl,carp,hawk,w1,9,owl,hawk,carp,hawk,a",
            "undecided": "owl,hawk,carp,w1,9,owl,hawk,carp,,a",
            "another target": "hawk,owl,carp,w1,9,owl,hawk,carp,hawk,a",
            "another object": "owl,hawk,carp,w1,9,owl,hawk,cod,hawk,a",
        }.items()
    },
    "numbers that stand for two objects": wrong(
        NUMBERED + "9,50,3,w2,1,#2E3,#E6A,#5E2,left,random\n",
        "two forms",
        5,
        *TWO_READINGS,
        words="contradict",
    ),
    # The two names of an object are one name where both columns have it.
    "a contradiction in the only row": wrong(
        TWO_FORMS + "a,b,c,w1,9,a,b,c,c,x\n",
        "two forms",
        2,
        *TWO_READINGS,
        words="contradict",
    ),
    # Headers
    "only a header": wrong(HEADER, "no answers"),
    "five columns of numbers": wrong(
        "1,2,3,4,5\n",
        "no header",
        None,
        Remedy("columns", {"target": 0, "near": 1, "far": 2}),
        words="5 columns of integers without a",
    ),
    "four columns of numbers": wrong(
        "1 2 3 4\n",
        "no header",
        None,
        Remedy("columns", [0, 1, 2, 3]),
        Remedy("columns", {"target": 0, "near": 1, "far": 2, "annotator": 3}),
        name="a.txt",
        words="triplets and a worker or a response",
    ),
    **{
        f"a header that is {first}": wrong(
            f"{first}\n1,2,3\n",
            "header",
            1,
            words="line 1 looks like a header",
            columns=[0, 1, 2],
        )
        for first in ("head,winner,loser", "i,j,k", "x,y,z")
    },
    "header again": wrong(
        GOOD + HEADER, "header again", 3, ITEMS, words="repeats the header"
    ),
    "header again with a mark": wrong(
        GOOD + "\ufeffhead,winner,loser \n", "header again", 3, ITEMS
    ),
    "header of answers again": wrong(
        ANSWERED + "Center,Left,Right,Answer\n", "header again", 3, ITEMS
    ),
    "header with a worker and a weight again": wrong(
        "target,near,far,worker,weight\na,b,c,w,1\ntarget,near,far,worker,weight\n",
        "header again",
        3,
        ITEMS,
    ),
    "description": wrong(GOOD + f"a,c,b\n{DESCRIBED}", "description", 4),
    "two exports of Qualtrics": wrong(
        f"{HEADER}Which?,Near?,Far?\n{DESCRIBED}\na,b,c\nWhich?,Near?,Far?\n{DESCRIBED}\n",
        "description",
        6,
        words="Qualtrics's description",
    ),
    # Columns not in use that could change what rows say
    "signs": unused("z", *SIGNS, holds=", holds 1 and -1"),
    "signs at the end": unused(
        "z", *["a,b,c,1"] * 3_000, "b,a,c,-1", holds=", holds 1 and -1"
    ),
    "signs as floats": unused(
        "z", *(f"{row}.0" for row in SIGNS), holds=", holds 1 and -1"
    ),
    "signs, some missing": unused(
        "z", *SIGNS, "a,b,c,", "a,b,c,NA", holds=", holds 1 and -1"
    ),
    "signs and zeros": unused(
        "z", *SIGNS, *["a,b,c,0"] * 300, holds=", holds 1 and -1"
    ),
    "signs after zeros": unused(
        "z", *["a,b,c,0.0"] * 1_500, *SIGNS, holds=", holds 1 and -1"
    ),
    "signs and a stray cell": unused(
        "z", "a,b,c,oops", *SIGNS, holds=", holds 1 and -1"
    ),
    "labels": unused("best", *LABELS, holds=", holds labels of its row"),
    "labels and a stray one": unused(
        "best", "a,b,c,d", *LABELS, holds=", holds labels of its row"
    ),
    "the far label": unused(
        "best", *["a,b,c,c", "a,c,b,b"] * 5, holds=", holds labels of its row"
    ),
    "numbers as labels": unused(
        "best",
        *["1,2,3,2", "1,2,3,3", "4,1,3,3"] * 4,
        holds=", holds labels of its row",
    ),
    **{
        name: unused(name, "a,b,c,x")
        for name in "y sign response result resp picked chosen Answer vote".split()
    },
    "signs among the rows that stay": wrong(
        table("i,j,k,z,catch", *(f"{x},0" for x in SIGNS), *["a,b,c,7,1"] * 9),
        "unused column",
        None,
        Remedy("columns", {"target": "i", "left": "j", "right": "k", "answer": "z"}),
        READY,
        drop={"catch": 1},
    ),
    **{
        name: wrong(
            f"i,j,k,{name}\na,b,c,1\n",
            "unused column",
            None,
            Remedy("columns", {"weight": name}),
            READY,
        )
        for name in ("n", "count", "Votes")
    },
    **{
        name: wrong(
            f"i,j,k,{name}\na,b,c,1\n",
            "unused column",
            None,
            Remedy("drop", {name: ...}),
            Remedy("keep"),
            READY,
        )
        for name in ("is_tie", "correct")
    },
    **{
        name: wrong(
            f"i,j,k,{name}\na,b,c,0\n",
            "unused column",
            None,
            READY,
            words=f"'{name}' is not used.*swap the near and",
        )
        for name in ("flipped", "is_reversed", "swap")
    },
    "a tie beside an answer": wrong(
        "Center,Left,Right,Answer,tie\na,b,c,b,1\n",
        "unused column",
        None,
        Remedy("drop", {"tie": ...}),
        Remedy("keep"),
        TWO_READINGS[1],
    ),
    "a choice beside quadruplets": wrong(
        "near_1,near_2,far_1,far_2,choice\na,b,c,b,1\n",
        "unused column",
        None,
        Remedy(
            "columns",
            {name: name for name in ("near_1", "near_2", "far_1", "far_2")},
        ),
        words="in the order that the answer says",
    ),
    "a key of JSON in a late line": wrong(
        JSON * 5_000 + JSON.replace("}", ', "response": -1}'),
        "unused column",
        None,
        Remedy(
            "columns",
            {"target": "i", "left": "j", "right": "k", "answer": "response"},
        ),
        READY,
        name="a.jsonl",
    ),
    # Labels
    "missing value": no_label(GOOD + "a,,c\n", 3, "winner", None),
    "missing value in quotes": no_label(GOOD + 'a,"",c\n', 3, "winner", ""),
    "NA": no_label(
        GOOD + "a,NA,c\n", 3, "winner", "NA", words="truly called 'NA', give items="
    ),
    **{
        f"{word} for a missing value": no_label(f"i,j,k\na,{word},c\n", 2, "j", word)
        for word in MISSING
    },
    "missing beside a trial": no_label(
        "target,near,far,trial\na,,c,0\n",
        2,
        "near",
        None,
        words=r"\(target = 'a', far = 'c'\): no la",
    ),
    "missing in jsPsych": no_label(
        PSYCHOPY + "owl,,carp,3,left,0.5,p1,2023.2.3,\n", 7, "left", None
    ),
    # Line breaks in labels and blank lines count.
    "missing in line 9": no_label(
        'i,j,k\na,"b\nb\r\nb",c\n\n\na,c,"b\nb"\na,b,\n', 9, "k", None
    ),
    "missing in line 9 of packed text": no_label(
        gzip.compress(b'i,j,k\na,"b\nb\r\nb",c\n\n\na,c,"b\nb"\na,b,\n'),
        9,
        "k",
        None,
        name="a.csv.gz",
    ),
    "missing in an archive": no_label(
        archive({"a.csv": GOOD + "a,,c\n"}),
        3,
        "winner",
        None,
        name="data.zip",
        words="^data.zip/a.csv, line 3",
    ),
    "missing in several columns": wrong(
        GOOD + "a,b,\na,NA,c\n ,b,c\na,,c\n",
        "no label",
        3,
        Remedy("drop", {"loser": None, "head": " ", "winner": "NA"}),
        ITEMS,
        words=r"'loser', and in other rows none in 'head', 'winner'\. Fill.*'NA', give",
    ),
    "missing but for the answer": no_label(ODD + "a,b,c,b\n,,,1\n", 3, "first", None),
    "missing key": no_label(
        JSON + '{"i": "a", "j": "b"}\n', 2, "k", None, name="a.jsonl"
    ),
    "self comparison": wrong(
        GOOD + "a,b,a\n",
        "same object",
        3,
        Remedy("drop_degenerate", True),
        words="compared with itself",
    ),
    "one object when merged": wrong(
        "i,j,k\nOwl,owl,c\nowl,b,c\nOwl,b,c\n",
        "same object",
        2,
        Remedy("drop_degenerate", True),
        merge_spellings=True,
    ),
    "blanks": wrong(
        GOOD + "a ,b,c\n",
        "two spellings",
        None,
        MERGE,
        ITEMS,
        words="'a' and 'a ' differ in blanks only",
    ),
    **{
        f"{one} and {two!a}": wrong(
            f"i,j,k\n{one},x,y\nx,{two},y\n",
            "two spellings",
            None,
            MERGE,
            ITEMS,
            words=re.escape(f"{one!a} and {two!a}")
            + ".* one object, .*merge_spellings",
        )
        for one, others in ALIKE.items()
        for two in others
    },
    "unknown label": wrong(
        "i,j,k\na,b,c\n",
        "unknown label",
        2,
        Remedy("drop", {"k": "c"}),
        words="'c' in column 'k' is not one of the 2 items",
        items=["a", "b"],
    ),
    "unknown labels": wrong(
        "i,j,k\na,b,c\na,d,e\n",
        "unknown label",
        2,
        Remedy("drop", {"k": "c"}),
        words=r"'c' in column 'k' is not one of the 2 items \(others: 'd', 'e'\)",
        items=["a", "b"],
    ),
    "unknown label, also in a row that is left out": wrong(
        FILTERED + "c,x,b,w1,1\na,x,b,w1,0\n",
        "unknown label",
        5,
        Remedy("drop", {"j": "x"}),
        items=["a", "b", "c"],
        drop={"catch": 1},
    ),
    "unknown label of an image": wrong(
        "i,j,k\na,b,<img src='owl.png'>\n",
        "unknown label",
        2,
        Remedy("drop", {"k": "<img src='owl.png'>"}),
        words="'owl.png' in column 'k' is not one of the 2 items",
        items=["a", "b"],
    ),
    # Answers
    "unknown answer": wrong(
        ANSWERED + "a,b,c,up\n",
        "unknown answer",
        3,
        Remedy("answer_words", {"up": ...}),
        DROP_ANSWER,
        words="neither a label",
    ),
    "unknown answers": wrong(
        ANSWERED + "a,b,c,foo\na,b,c,bar\na,b,c,b\n",
        "unknown answer",
        3,
        Remedy("answer_words", {"foo": ..., "bar": ...}),
        DROP_ANSWER,
        words=r"others: 'bar'\. Replace",
    ),
    "number as answer": wrong(
        ANSWERED + "a,b,c,1\n",
        "unknown answer",
        3,
        Remedy("answer_words", {"1": ...}),
        DROP_ANSWER,
    ),
    "unknown answer in jsPsych": wrong(
        JSPSYCH + 'x,9,d8,5,mob.png,7,random,"[""fow.png"",""fyw.png""]",\n',
        "unknown answer",
        10,
        Remedy("answer_words", {"7": ...}),
        Remedy("drop", {"response": ...}),
    ),
    "unknown answer in Qualtrics": wrong(
        QUALTRICS + "R_3,owl,hawk,carp,up\n",
        "unknown answer",
        7,
        Remedy("answer_words", {"up": ...}),
        Remedy("drop", {"answer": ...}),
    ),
    "label and place": wrong(
        ANSWERED + "a,right,c,right\n",
        "two meanings",
        3,
        DROP_ANSWER,
        words="label of one object, and a word for the place",
    ),
    # All answers could be positions; but all but one are labels of their rows.
    **{
        f"label or position{why}": wrong(
            ODD + "1,2,3,1\n2,3,1,3\n2,5,1,3\n",
            "label or position",
            4,
            words=r"\(first = '2', .*, odd = '3'\): the answer is not a label of its "
            r"row.*objects have these names.*write first, .*correct this one\.$",
            **options,
        )
        for why, options in {"": {}, " of items": {"items": [*"12345"]}}.items()
    },
    "positions from 0 or from 1 of three": which_position(
        ODD.strip(),
        1,
        2,
        one={"1": "first", "2": "second"},
        two={"1": "second", "2": "third"},
    ),
    "positions from 0 or from 1 of two": which_position(
        CHOICE.strip(), 1, 1, one={"1": "left"}, two={"1": "right"}
    ),
    "positions, or no and yes": which_position(
        CHOICE.strip(),
        0,
        1,
        one={"0": "left", "1": "right"},
        two={"1": "left", "0": "right"},
    ),
    "odd or central": wrong(
        json.dumps([{"stimulus": [*"abc"], "response": n} for n in (0, 1, 2)]),
        "unknown columns",
        None,
        *(
            Remedy(
                "columns",
                {x: x for x in ("first", "second", "third")} | {one: "response"},
            )
            for one in ("odd", "central")
        ),
        name="a.json",
        words="is one of three",
    ),
    "two sizes of questions": wrong(
        json.dumps(
            [
                {"stimulus": "z", "choices": [*"ab"], "response": 0},
                {"stimulus": "z", "choices": [*"abc"], "response": 2},
            ]
        ),
        "unknown columns",
        None,
        *UNKNOWN,
        name="a.json",
    ),
    "a cell that is no triple": wrong(
        "triplet,x\nab|c,1\njunk,2\nac|b,1\n",
        "no label",
        3,
        Remedy("drop", {"triplet": "junk"}),
        words="triplet = 'junk'.*column 'triplet' does not list all objects",
    ),
    "a triple of glued names": wrong(
        "triple\nab|c\nowlhawk|c\n" + "ab|c\n" * 30,
        "no label",
        3,
        Remedy("drop", {"triple": "owlhawk|c"}),
        name="a.tsv",
        words="does not list all",
    ),
    "a list without a label": wrong(
        json.dumps([*TRIALS[3:5], TRIALS[3] | {"choices": ["", "b"]}]),
        "no label",
        "row 3",
        Remedy("drop", {"choices": '["","b"]'}),
        name="a.json",
        words="column 'choices' does not list all objects",
    ),
    # Weights, filters, response times
    **{
        f"weight {weight[:9]}": wrong(WEIGHTED + f"a,b,c,{weight}\n", *NO_WEIGHT)
        for weight in ("nan", "", "-1", "two", "9" * 31, "1e999", "nan\na,b,c,0.5")
    },
    "an empty text to drop": wrong(
        FILTERED,
        "no such value",
        words="A cell without a value is None",
        drop={"worker": ""},
    ),
    "huge sum": wrong(WEIGHTED + "a,b,c,9000000000000000000\n", "weights"),
    **{
        f"no such value to {option}: {value}": wrong(
            FILTERED,
            "no such value",
            words=f"{option} '{column}' has the value {shown}: give one",
            **{option: {column: value}},
        )
        for option, column, value, shown in (
            ("drop", "worker", "nobody", "'nobody', .*'w1', 'w2'"),
            ("keep", "worker", ["w1", "W2"], "'W2', .*'w1', 'w2'"),
            ("drop", "catch", "True", "'True', .*'0', '1'"),
            ("keep", "catch", 2, "2, .*'0', '1'"),
        )
    },
    "all dropped": wrong(
        FILTERED,
        "no answers",
        words="no answers but those left out",
        drop={"worker": ["w1", "w2"]},
    ),
    "a word as response time": wrong(
        "i,j,k,rt\na,b,c,500\nb,a,c,slow\n",
        "no response time",
        3,
        Remedy("drop", {"rt": "slow"}),
        words=r"\(.*rt = 'slow'\): the response time is not a number",
        min_response_time=300,
    ),
    "a comma in a response time": wrong(
        'i,j,k,rt\na,b,c,"0,35"\n',
        "no response time",
        2,
        Remedy("drop", {"rt": "0,35"}),
        words="with a point: 0.35",
        min_response_time=0.2,
    ),
    "too fast": wrong(
        "i,j,k,rt\na,b,c,2\na,c,b,1.5\n",
        "no answers",
        words="for 300 ms give 0.3",
        min_response_time=300,
    ),
    "no column of times": wrong(
        "i,j,k\na,b,c\n",
        "no response times",
        None,
        Remedy("min_response_time", 2),
        Remedy("columns", {"response_time": ...}),
        words="no column of .*a.csv is known to hold response times",
        min_response_time=2,
    ),
    "a column of times that is not to be used": wrong(
        "i,j,k,rt\na,b,c,1\n",
        "no response times",
        None,
        Remedy("min_response_time", 1),
        Remedy("columns", {"response_time": ...}),
        min_response_time=1,
        columns={"response_time": None},
    ),
    # Text
    "empty": wrong("", "empty"),
    "only blank lines": wrong("\n\n\n", "empty"),
    "too few columns": wrong(GOOD + "a,b\n", "number of columns", 3),
    "too many columns": wrong(GOOD + "a,b,c,d\n", "number of columns", 3),
    "comma in a bare label": wrong(GOOD + "a,b,c, wild\n", "number of columns", 3),
    "open quote": wrong(GOOD + 'a,"b,c\n', "open quote", 3),
    "open quote in header": wrong('head,"winner,loser\n', "open quote", 1),
    "two open quotes": wrong(
        HEADER + 'a,"b,c\na,"c,b\na,b,c\n',
        "open quote",
        2,
        words="begins with a quote that the line does not",
    ),
    "text after quote": wrong(
        HEADER + 'a,"b"x,c\na,c,b\n',
        "open quote",
        2,
        words="text follows a closing quote",
    ),
    "text after the first quote": wrong(
        GOOD + '"a"x,b,c\n', "open quote", 3, words="text follows a closing quote"
    ),
    **{
        f"mixed line ends: {end}": wrong(content, "mixed line ends", line, words=words)
        for end, content, line, words in (
            ("CR LF", HEADER + "a,b,c\r\na,c,b\n", 2, r"with \\r\\n, .* with \\n\."),
            ("LF", "i,j,k\r\na,b,c\n", 2, r"ends with \\n, and .* with \\r\\n\."),
            ("CR", HEADER + "a,b,c\n" * 50 + "a,c,b\r", 52, r"with \\r, .* with \\n\."),
            ("in quotes", HEADER + 'a,"b\r\nx",c\r\na,c,b\n', 3, r"with \\r\\n, and"),
        )
    },
    "zeros": wrong(bytes(1000), "not UTF-8", 1),
    "junk": wrong(bytes(range(128, 256)) * 9, "not UTF-8", 1),
    "UTF-16": wrong("i,j,k\na,b,c\n".encode("utf-16"), "not UTF-8", 1),
    "Latin-1": wrong((GOOD + "a,b,é\n").encode("latin-1"), "not UTF-8", 3),
    "long line": wrong(GOOD + "a,b," + "x" * 10**7, "long line", 3),
    "long first line": wrong("x" * 10**7, "long line", 1),
    # Packed files and archives
    "truncated gzip": wrong(
        gzip.compress(GOOD.encode() * 99)[:-9], "damaged file", name="a.csv.gz"
    ),
    "gzip without its check sum": wrong(
        gzip.compress(GOOD.encode())[:-8] + bytes(8), "damaged file", name="a.csv.gz"
    ),
    "no gzip": wrong(GOOD, "damaged file", name="a.csv.gz"),
    "no zstd": wrong(GOOD, "damaged file", name="a.csv.zst"),
    **{
        f"archive: {why}": wrong(content, code, name="data.zip", words=words)
        for why, content, code, words in (
            ("none", "PK no archive", "damaged file", ""),
            ("cut", archive({"a.csv": GOOD * 99})[:-30], "damaged file", ""),
            (
                "check sum",
                archive({"a.csv": GOOD}, zipfile.ZIP_STORED).replace(b"b,c", b"b,d"),
                "damaged file",
                "",
            ),
            ("empty", archive({}), "archive", ""),
            (
                "two files",
                archive({"a.csv": GOOD, "b.csv": GOOD}),
                "archive",
                r"holds 2 files \('a.csv', 'b.csv'\)",
            ),
            ("nested", archive({"a.zip": archive({"a.csv": GOOD})}), "archive", ""),
            ("LZMA", archive({"a.csv": GOOD}, zipfile.ZIP_LZMA), "archive", ""),
            (
                "a document",
                archive({"a.doc": GOOD}),
                "unknown ending",
                r"^'/(?!.*\.tripletree-).*/data.zip/a.doc'",
            ),
        )
    },
    # Other formats
    "unknown ending": wrong(GOOD, "unknown ending", name="a.dat"),
    "workbook": wrong(
        GOOD, "unknown ending", name="a.xlsx", words="save the sheet as 'CSV UTF-8'"
    ),
    "no ending": wrong(GOOD, "unknown ending", name="answers"),
    "packed parquet": wrong(GOOD, "unknown ending", name="a.parquet.gz"),
    "junk parquet": wrong("PAR1junkjunkPAR1", "not Parquet", name="a.parquet"),
    "short parquet": wrong("PAR1", "not Parquet", name="a.parquet"),
    "text as parquet": wrong(GOOD, "not Parquet", name="a.parquet"),
    "cut JSON": wrong(JSON + '{"i": "a", "j"\n' + JSON, "not JSON", 3, name="a.jsonl"),
    "JSON arrays": wrong('["a", "b", "c"]\n', "not JSON", name="a.jsonl"),
    "JSON array later": wrong(
        JSON + '["a", "b", "c"]\n', "not JSON", 2, name="a.jsonl"
    ),
    "JSON key twice": wrong(
        '{"i": 1, "j": 2, "k": 3, "k": 4}\n', "key twice", 1, name="a.jsonl"
    ),
    "JSON types": wrong(
        JSON + '{"i": 1, "j": 2, "k": 3}\n', "mixed labels", name="a.jsonl"
    ),
    "JSON float": wrong(
        '{"i": 1.0, "j": 2, "k": 3}\n', "type of labels", name="a.jsonl"
    ),
    "JSON nested": wrong(
        '{"i": {}, "j": 2, "k": 3}\n', "type of labels", name="a.jsonl"
    ),
    "a mark before a JSON list": wrong(
        f"\ufeff[{JSON}]", "not JSON", name="a.json", words="byte order mark"
    ),
    "deep JSON": wrong('{"i": ' + "[" * 10**5, "not JSON", 2, name="a.jsonl"),
    "CSV as JSON": wrong(GOOD, "not JSON", 2, name="a.jsonl"),
    "long JSON": wrong(
        '{"i": "' + "x" * (4 * 10**7) + '"}\n', "long line", name="a.jsonl"
    ),
    # The engine would read the rows before the cut, and say nothing.
    **{
        f"a list that was cut off: {name}": wrong(
            content, "not JSON", name=name, words="the JSON list has no end"
        )
        for cut in [TRIALS_JSON[: TRIALS_JSON.rindex(", {") + 2]]
        for name, content in (
            ("a.json", cut),
            ("a.json.gz", gzip.compress(cut.encode())),
        )
    },
    **{
        f"JSON {text}": wrong(text, "not JSON", name="a.json")
        for text in ("[]", "[1, 2]", '"x"', "{}", "[{]")
    },
    "NEXT without triplets": wrong(
        json.dumps(
            {
                "participant_responses": {
                    "p": [
                        {"target_indices": [{"label": "single", "target_id": 1}]},
                        {},
                    ]
                }
            }
        ),
        "no answers",
        name="a.json",
        words="no question: 2",
    ),
    **{
        f"NEXT of {people}": wrong(
            json.dumps({"participant_responses": people}),
            "no answers",
            name="a.json",
            words="has no answers",
        )
        for people in (None, {"p": 3}, {"p": [7]}, {"p": [{"target_indices": 7}]})
    },
}


def header(shape, dtype="<i4"):
    file = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, described)
    return file.getvalue()


def saved(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("it was run",)


ROW = np.array([[0, 1, 2]])
WHOLE = saved(rows=np.arange(3000).reshape(-1, 3))
# Seen by read_comparisons only: sums need no annotators, and come from tables.
READ = {
    "no annotator": wrong(
        "i,j,k,worker\na,b,c,\n",
        "no annotator",
        2,
        Remedy("drop", {"worker": None}),
        Remedy("columns", {"annotator": None}),
    ),
    "NA as annotator": wrong(
        "i,j,k,worker\na,b,c,ann\na,b,c,NA\n",
        "no annotator",
        3,
        Remedy("drop", {"worker": "NA"}),
        Remedy("columns", {"annotator": None}),
    ),
    **{
        f"NPZ: {why}": wrong(content, code, name="a.npz", words=words, **options)
        for why, content, code, words, options in (
            ("text", GOOD, "not NPZ", "", {}),
            ("cut", WHOLE[:-100], "not NPZ", "not a whole NPZ file", {}),
            (
                "a bit",
                WHOLE[:500] + bytes([WHOLE[500] ^ 1]) + WHOLE[501:],
                "not NPZ",
                "not a whole NPZ file",
                {},
            ),
            (
                "code",
                saved(rows=ROW, labels=np.array([Bomb()], object)),
                "not NPZ",
                "Object arrays cannot be loaded",
                {},
            ),
            (
                "Latin-1",
                saved(rows=ROW, labels=np.array([b"a", b"b", b"\xe9"])),
                "not UTF-8",
                "labels are not UTF-8",
                {},
            ),
            (
                "items",
                saved(rows=ROW, labels=np.array(["a", "b", "c"])),
                "unknown label",
                "2 objects, 'b', 'c', are not among the 1 items",
                {"items": ["a"]},
            ),
        )
    },
    **{
        f"NPZ: {key} of {at}": wrong(
            archive({f"{key}.npy": content}), code, name="a.npz", words=words
        )
        for at, (key, content, code, words) in enumerate(
            [
                ("rows", b"", "not NPZ", "not a whole NPZ file"),
                ("rows", b"\x93NUMPY\x01\x00\x05\x00{}{}{", "not NPZ", "TokenError"),
                ("rows", header((2, 3)), "not NPZ", "ValueError: EOF"),
                ("rows", header((10**15, 3)) + bytes(99), "not NPZ", "MemoryError"),
                ("rows", header((-1, 3)) + bytes(99), "not NPZ", "ValueError"),
                (
                    "rows",
                    header((1, 5)) + bytes(99),
                    "not comparisons",
                    r"shape \(1, 5\)",
                ),
                ("rows", header((1, 3)) + bytes(99), "not comparisons", "must differ"),
                ("other", header((1, 3)) + bytes(99), "no rows", "give one of rows"),
            ]
        )
    },
    **{
        f"NPZ: {n} objects": wrong(
            saved(rows=ROW, n_objects=np.asarray(n)),
            "not comparisons",
            name="a.npz",
            words=r"a\.npz: n_objects = .*: give",
        )
        for n in ("3", np.nan, 3.5, 3.0, True, [3, 3], [], 2**63, -1)
    },
}
# One case of each code, the first.
FIRST = {case[-1][0]: name for name, case in reversed(REFUSED.items())}.values()


def refused(read, *args, **options):
    with pytest.raises(InvalidComparisons) as caught:
        read(*args, **options)
    error = caught.value
    message = str(error)
    assert "\n" not in message
    assert len(message) < 1_000
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    assert error.place is None or f", {error.place}" in message
    return message, (error.code, error.place, error.remedies)


@pytest.mark.parametrize("case", REFUSED | READ)
def test_refused(written, case):
    name, content, options, words, expected = (REFUSED | READ)[case]
    path = written(content, name)
    message, found = refused(read_comparisons, path, **options)
    assert found == expected, message
    assert (name if name == "data.zip" else str(path)) in message
    assert re.search(words, message)
    if case in FIRST:
        assert refused(pair_sums, path, **options)[1] == found
    assert [one.name for one in path.parent.iterdir()] == [name]


@pytest.mark.parametrize(
    "case",
    [
        "two keyboards",
        "contradiction: turned round",
        "contradiction: undecided",
        "positions from 0 or from 1 of three",
        "positions from 0 or from 1 of two",
        "positions, or no and yes",
        "odd or central",
        "a cell that is no triple",
        "a list without a label",
        "NA as annotator",
    ],
)
def test_remedies_work(read, case):
    """And each gives another reading."""
    name, content, options, _, (_, _, remedies) = (REFUSED | READ)[case]
    found = [read(content, name, **options, **{x.option: x.value}) for x in remedies]
    assert len({tuple(spelled(answers)) for answers in found}) == len(remedies)


def test_refused_sums_leave_no_file(written, tmp_path):
    path, out = written("i,j,k\na,b,c\n"), tmp_path / "pairs.parquet"
    _, (code, place, _) = refused(write_pair_sums, path, out, items=["a", "b"])
    assert (code, place) == ("unknown label", "line 2")
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("case", ["NA", "one column"])
def test_refused_on_the_command_line(written, capsys, case):
    name, content, _, _, (_, _, remedies) = REFUSED[case]
    assert main(["summary", str(written(content, name))]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("tripletree: error: ")
    assert found.err.count("\n") == 1
    assert all(remedy.in_shell() in found.err for remedy in remedies)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"i": ["a"] * 2, "j": ["b"] * 2, "k": ["c", None]}, r"row 1 \(counted from 0"),
        ({"i": ["a"], "j": ["b"], "k": [None]}, "column 'k' is of type .?NULL"),
        ({"i": [1.0], "j": [2.0], "k": [3.0]}, "column 'i' is of type DOUBLE, and"),
        ({"i": [True], "j": ["b"], "k": ["c"]}, "column 'i' is of type BOOLEAN"),
        ({"i": [[1]], "j": ["b"], "k": ["c"]}, r"type (INTEGER|BIGINT)\[\]"),
        ({"i": [1], "j": ["b"], "k": ["c"]}, "some labels are text and others numbers"),
        ({"i": ["a", 1], "j": ["b"] * 2, "k": ["c"] * 2}, "some labels are text and"),
        ({"i": ["a"], "j": ["NA"], "k": ["c"]}, r"drop=\{'j': 'NA'\}"),
        ({"x": ["a"], "y": ["b"], "z": ["c"]}, "DataFrame: columns 'x', 'y', 'z'"),
        ({"i": ["a"], 0: ["b"], ("x", 1): ["c"]}, "DataFrame: columns 'i', '0'"),
        (
            {"i": [*"ab"] * 9, "j": [*"bc"] * 9, "k": [*"ca"] * 9, "z": [1.0, -1] * 9},
            "column 'z' is not used, holds 1 and -1",
        ),
        *(
            (
                {"i": [*"ab"] * 9, "j": [*"bc"] * 9, "k": [*"ca"] * 9, "z": values},
                "column 'z' is not used, holds 1 and -1",
            )
            for values in (
                pd.Categorical(["1", "-1"] * 9),
                [1, "-1"] * 9,
                [Decimal("1.0"), Decimal("-1.0")] * 9,
            )
        ),
        (
            {"i": [1, 4] * 9, "j": [2, 1] * 9, "k": [3, 3] * 9, "z": [3, 1] * 9},
            "column 'z' is not used, holds labels of its row",
        ),
        (
            {"i": ["a"], "j": ["b"], "k": ["c"], "worker": ["NA"]},
            r"drop=\{'worker': 'NA'\}",
        ),
        ({}, "DataFrame cannot be read as a table"),
    ],
)
def test_refused_frames(columns, words):
    message, _ = refused(read_comparisons, pd.DataFrame(columns))
    assert re.search(words, message)


def test_what_only_looks_like_a_frame_is_refused():
    class Dataset:
        column_names = ("i", "j", "k")

        def rename_columns(self, names):
            return names.items()

    message, _ = refused(read_comparisons, Dataset())
    assert "cannot read answers from Dataset" in message


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
def test_refused_items(written, text, words, code):
    message, found = refused(read_items, written(text, "items.csv"))
    assert re.search(words, message)
    assert found[0] == code


def test_nested_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    for value, words in {
        "['a']": r"column 'i' is of type VARCHAR\[\]",
        "{'x': 1}": "column 'i' is of type STRUCT",
        "1.5::DOUBLE": "column 'i' is of type DOUBLE",
        "NULL::VARCHAR": "row 1 .*no label in",
    }.items():
        duckdb.sql(f"SELECT {value} AS i, 'b' AS j, 'c' AS k").write_parquet(str(path))
        assert re.search(words, refused(read_comparisons, path)[0])
    duckdb.sql("SELECT 1 AS i, 3 AS j, 4 AS k").write_parquet(str(path))
    message, _ = refused(read_comparisons, path, items=["1", "2"])
    assert "'3' in column 'j' is not one of the 2 items (others: '4')" in message


@pytest.mark.posix
@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("{}/no.csv", UnreadableFile, "there is no file .*no.csv': check the path"),
        ("{}", UnreadableFile, "' is a folder: give a file, or"),
        ("{}/*.tsv", UnreadableFile, "no file fits the pattern"),
        ("{}/x\0.csv", UnreadableFile, "is not a valid path"),
        ("{}/\udcff.csv", UnreadableFile, "is not a valid path"),
        ("", UnreadableFile, "is not a valid path"),
        ("{}/" + "x" * 5_000, UnreadableFile, "cannot be read: File name too long"),
        ("http://example.org/a.csv", UnreadableFile, "'http://e.* download the file"),
        (Path("s3://bucket/*.csv"), UnreadableFile, "'s3://b.* is an address: downl"),
        ("/dev/null", UnreadableFile, "is a pipe or a device"),
        ([], InvalidComparisons, "no files to read"),
    ],
)
def test_files_that_are_not_there(tmp_path, source, error, words):
    given = source.format(tmp_path) if isinstance(source, str) else source
    with pytest.raises(error, match=words) as caught:
        read_comparisons(given)
    assert len(str(caught.value)) < 500


def test_ctrl_c_stays_an_interrupt():
    for raised in (RuntimeError("Query interrupted"), duckdb.InterruptException("x")):
        with pytest.raises(KeyboardInterrupt), explain_errors("a.csv"):
            raise raised

    trace = "Traceback (most recent call last):\n  File 'a.py', line 1, in f\n"
    for said in ("KeyboardInterrupt: ", f"{trace}KeyboardInterrupt: "):
        for caught in (explain_errors("a.csv"), connected()):
            with pytest.raises(KeyboardInterrupt), caught:
                raise duckdb.Error(said)
    said = f"{trace}KeyboardInterrupt: \nTypeError: it is another"
    with pytest.raises(InvalidComparisons), explain_errors("a.csv"):
        raise duckdb.Error(said)
    with pytest.raises(RuntimeError, match="another"), explain_errors("a.csv"):
        raise RuntimeError("another")  # noqa: EM101
    with pytest.raises(InvalidComparisons, match="cannot be read as a table: odd"):
        with explain_errors("a.csv"):
            raise duckdb.Error("odd")  # noqa: EM101


def test_what_the_engine_itself_did_not_expect():
    said = "INTERNAL Error: Information loss on integer cast: value -21\nStack Trace:"
    words = r"a\.parquet: .* Is it broken\? .* \(INTERNAL Error: .* value -21\)\.$"
    with pytest.raises(InvalidComparisons, match=words):
        with explain_errors("a.parquet"):
            raise duckdb.InternalException(said)


def test_an_archive_whose_label_is_a_number(read):
    content = archive(
        {"rows.npy": header((0, 3)), "labels.npy": header((), "<f8") + bytes(8)}
    )
    assert read(content, "a.npz").labels == ("0.0",)


def test_an_archive_that_unpacks_to_more_than_the_memory(written, monkeypatch):
    content = archive({"rows.npy": header((10**6, 3)) + bytes(12 * 10**6)})
    assert len(content) < 10**5
    memory = type("Memory", (), {"available": 10**7})()
    monkeypatch.setattr("psutil.virtual_memory", lambda: memory)
    with pytest.raises(TooLarge, match=r"array 'rows.npy' of .*a.npz needs 0.0 GB"):
        read_comparisons(written(content, "a.npz"))
