import pytest

import tripletree as tt
from tripletree.errors import Remedy


@pytest.mark.parametrize("kind", [tt.InvalidComparisons, tt.UnreadableFile])
def test_all_parts_are_said(kind):
    error = kind("a.csv: give ", Remedy("drop", {"near": "NA"}), " or not.", code="x")
    assert str(error) == "a.csv: give drop={'near': 'NA'} or not."
    assert error.in_shell() == "a.csv: give --drop near=NA or not."
    assert (error.remedies, error.code) == ((Remedy("drop", {"near": "NA"}),), "x")


@pytest.mark.parametrize(
    ("remedy", "typed"),
    [
        (Remedy("drop", {"near": None}), "--drop 'near='"),
        (Remedy("drop", {"my kind": ...}), "--drop 'my kind=...'"),
        (Remedy("columns", {"target": "a", "near": "b"}), "--columns target=a,near=b"),
        (Remedy("columns", [0, 1, 2]), "--columns 0,1,2"),
        (Remedy("columns", {}), "--columns"),
        (Remedy("columns", []), "--columns"),
        (
            Remedy("answer_words", {"a": "left", "s": "tie"}),
            "--answer-words a=left,s=tie",
        ),
        (Remedy("drop_degenerate", True), "--drop-degenerate"),
        (Remedy("items"), "--items"),
        (Remedy("support", 0), "--support 0"),
    ],
)
def test_remedies_can_be_typed(remedy, typed):
    assert remedy.in_shell() == typed
