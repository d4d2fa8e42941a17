import pickle

import pytest

import tripletree as tt
from tripletree.errors import Remedy


@pytest.mark.parametrize("kind", [tt.InvalidComparisons, tt.UnreadableFile])
def test_all_parts_are_said(kind):
    made = kind("a.csv: give ", Remedy("drop", {"near": "NA"}), " or not.", code="x")
    for error in (made, pickle.loads(pickle.dumps(made))):
        assert str(error) == "a.csv: give drop={'near': 'NA'} or not."
        assert error.in_shell() == "a.csv: give --drop near=NA or not."
        assert (error.remedies, error.code) == ((Remedy("drop", {"near": "NA"}),), "x")


@pytest.mark.parametrize(
    ("option", "value", "python", "typed"),
    [
        ("drop", {"near": None}, "drop={'near': None}", "--drop 'near='"),
        ("drop", {"kind": "catch"}, "drop={'kind': 'catch'}", "--drop kind=catch"),
        ("drop", {"a b": None}, "drop={'a b': None}", "--drop 'a b='"),
        ("drop", {"my kind": ...}, "drop={'my kind': ...}", "--drop 'my kind=...'"),
        ("keep", {"x": ...}, "keep={'x': ...}", "--keep x=..."),
        (
            "columns",
            {"target": "a", "near": ...},
            "columns={'target': 'a', 'near': ...}",
            "--columns target=a,near=...",
        ),
        ("columns", [0, 1, 2], "columns=[0, 1, 2]", "--columns 0,1,2"),
        ("columns", {}, "columns={}", "--columns"),
        ("columns", [], "columns=[]", "--columns"),
        (
            "answer_words",
            {"a": "left", "s": "tie"},
            "answer_words={'a': 'left', 's': 'tie'}",
            "--answer-words a=left,s=tie",
        ),
        ("drop_degenerate", True, "drop_degenerate=True", "--drop-degenerate"),
        ("min_response_time", 2, "min_response_time=2", "--min-response-time 2"),
        ("support", 0, "support=0", "--support 0"),
        ("items", ..., "items=", "--items"),
    ],
)
def test_remedies_in_python_and_in_the_shell(option, value, python, typed):
    remedy = Remedy(option, value)
    assert (str(remedy), remedy.in_shell()) == (python, typed)
