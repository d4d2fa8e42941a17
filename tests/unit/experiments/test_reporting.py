import pytest

from tripletree.experiments.reporting import (
    PrintedTable,
    agrees,
    column,
    compared,
    csv_text,
    difference,
    figure_text,
    levels,
    printed_numbers,
    scientific,
    select,
    times_n_squared,
)

RECORDS = [{"a": 1, "b": 2}, {"a": 1, "b": 3}]
TABLE = PrintedTable("Title", ("a", "method", "value"), [("1", "x", "22")], ["A note."])
PRINTED = ("1.50e6", "2e4")


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (scientific(73470000), "7.347e7"),
        (scientific(0), "0.000e0"),
        (scientific(-0.0123), "-1.230e-2"),
        (figure_text([2e6, 4e6]), "3.000e6 ± 1.0e6"),
        (figure_text([0.25, 0.75], is_share=True), "0.500 ± 0.250"),
        (figure_text([152116]), "1.521e5"),
        (times_n_squared("16"), "16 n²"),
        (times_n_squared("1"), "n²"),
        (times_n_squared("1/32"), "n²/32"),
        (difference([112_588], ["1.125e5"]), "="),
        (difference([1.53e6], ("1.50e6", "2e4")), "+1.5 sd"),
        (difference([0.58], ("0.600", "0.040")), "-0.5 sd"),
        (difference([1.1e5], ["1.00e5"]), "+10.00%"),
        (
            compared([1.53e6], PRINTED),
            ["1.50e6 ± 2e4", "1.530e6", "+1.5 sd"],
        ),
        (compared([], ["1.50e6"]), ["1.50e6", "absent", ""]),
        (compared([0.5], (), is_share=True), ["", "0.500", ""]),
        (select(RECORDS, a=1, b=3), RECORDS[1:]),
        (column(RECORDS, "b", a=1), [2, 3]),
        (levels(RECORDS, "a"), [1]),
        (csv_text([]), ""),
        (csv_text([{"a": 1, "b": "x,y"}, {"a": 0.1, "b": ""}]), 'a,b\n1,"x,y"\n0.1,\n'),
        (
            str(TABLE),
            "Title\n\na  method  value\n----------------\n1  x          22\nA note.\n",
        ),
    ],
)
def test_what_is_reported(found, text):
    assert found == text


@pytest.mark.parametrize(
    ("value", "is_right"),
    [
        (7.3464e7, False),
        (7.3466e7, True),
        (7.34799e7, True),
        (7.348e7, False),
        (float("nan"), False),
        (float("inf"), False),
    ],
)
def test_agreement(value, is_right):
    assert agrees(value, "7.347e7") is is_right
    assert agrees(value / 1e8, "0.7347") is is_right


def test_all_printed_figures_are_numbers():
    printed = printed_numbers()
    planted = printed["planted"].values()
    assert {len(rows) for rows in planted} == {10}
    assert {len(row) for rows in planted for row in rows.values()} == {4}
    assert list(printed["figure2"]) == ["adds3_al", "tste_al", "mulk3_al"]
    assert [*map(len, printed["real"].values())] == [7, 7, 7, 5, 5, 5, 5, 5]
    for table in (*planted, *printed["real"].values()):
        for texts in table.values():
            assert all(float(text) > 0 for text in texts)
            assert float(texts[0]) > float((*texts[:2], "0")[1]) / 2
