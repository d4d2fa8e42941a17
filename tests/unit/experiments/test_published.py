from __future__ import annotations

import pytest

from tripletree.experiments.published import Printed, agrees, difference, published


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


@pytest.mark.parametrize(
    ("value", "printed", "words"),
    [
        (112_588, Printed("1.125e5"), "="),
        (1.53e6, Printed("1.50e6", "2e4"), "+1.5 sd"),
        (0.58, Printed("0.600", "0.040"), "-0.5 sd"),
        (1.1e5, Printed("1.00e5"), "+10.00%"),
    ],
)
def test_difference(value, printed, words):
    assert difference(value, printed) == words


def test_all_printed_figures_are_numbers():
    printed = published()
    assert {len(rows) for rows in printed["planted"].values()} == {10}
    assert {
        len(row) for rows in printed["planted"].values() for row in rows.values()
    } == {4}
    assert list(printed["figure2"]) == ["adds3_al", "tste_al", "mulk3_al"]
    assert len(printed["real"]) == 8
    assert sum(map(len, printed["real"].values())) == 3 * 7 + 5 * 5
    for table in (*printed["planted"].values(), *printed["real"].values()):
        for texts in table.values():
            assert all(float(text) > 0 for text in texts)
            figure = Printed(*texts[:2])
            assert figure.value > (figure.spread or 0) / 2
