"""Files as other programs write them, read as they are."""

from __future__ import annotations

import pytest

from tests.unit.answers.cases import check_score, check_sums
from tripletree import InvalidComparisons, pair_sums, read_comparisons


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
