"""What is shared by many modules and has no other place."""

import pytest

from tripletree._checks import printable


@pytest.mark.parametrize(
    "text",
    [
        "owl",
        "می\N{ZERO WIDTH NON-JOINER}خواهم",
        "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}",
        "a\N{NO-BREAK SPACE}b\N{IDEOGRAPHIC SPACE}c",
        "c:\\new",
    ],
)
def test_labels_of_any_script_are_printed_as_they_are(text):
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines", "two\\nlines"),
        ("\N{RIGHT-TO-LEFT OVERRIDE}gpj.exe", "\\u202egpj.exe"),
        ("\N{LINE SEPARATOR}", "\\u2028"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_steers_a_terminal_is_written_out(text, written):
    assert printable(text) == written
