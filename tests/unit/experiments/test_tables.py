from __future__ import annotations

import pytest

from tripletree.experiments.tables import (
    Table,
    csv_text,
    figure_text,
    scientific,
    select,
    times_n_squared,
)


def test_table():
    table = Table("Title", ("a", "method", "value"), [("1", "x", "22")], ["A note."])
    assert str(table).splitlines() == [
        "Title",
        "",
        "a  method  value",
        "----------------",
        "1  x          22",
        "A note.",
    ]


def test_csv():
    assert csv_text([]) == ""
    text = csv_text([{"a": 1, "b": "x,y"}, {"a": 0.1, "b": ""}])
    assert text == 'a,b\n1,"x,y"\n0.1,\n'


@pytest.mark.parametrize(
    ("value", "text"), [(73470000, "7.347e7"), (0, "0.000e0"), (-0.0123, "-1.230e-2")]
)
def test_scientific(value, text):
    assert scientific(value) == text


def test_figures():
    assert figure_text([2e6, 4e6]) == "3.000e6 ± 1.0e6"
    assert figure_text([0.25, 0.75], is_share=True) == "0.500 ± 0.250"
    assert figure_text([152116]) == "1.521e5"


@pytest.mark.parametrize(
    ("ratio", "text"), [("16", "16 n²"), ("1", "n²"), ("1/32", "n²/32")]
)
def test_multiples_of_n_squared(ratio, text):
    assert times_n_squared(ratio) == text


def test_select():
    records = [{"a": 1, "b": 2}, {"a": 1, "b": 3}]
    assert select(records, a=1, b=3) == [{"a": 1, "b": 3}]
