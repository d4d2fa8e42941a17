"""Files: what is written is read back; a table says what its definition says."""

import csv
import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests import definitions
from tests.strategies import comparisons, examples
from tripletree import InvalidComparisons, read_comparisons, write_comparisons
from tripletree._checks import natural_order
from tripletree.answers.header import FORMS
from tripletree.answers.labels import is_missing, label_key, twice_spelled

HARD = [
    "",
    " ",
    "a",
    " a",
    "a,b",
    '"',
    '""',
    "a\nb",
    "\r",
    "\r\n",
    "01",
    "1",
    "NA",
    "?",
]
HARD += [
    "\U0001f600",
    "e\u0301",
    "\t",
    "'; --",
    "9007199254740993",
    "null",
    "\0",
    "\x1f",
]
texts = st.one_of(st.sampled_from(HARD), st.text(max_size=6))


@st.composite
def labelled(draw):
    """Comparisons with labels that files have trouble with, weights, annotators."""
    bare = draw(comparisons(max_rows=20))
    n, m = bare.n_objects, len(bare)
    labels = draw(st.lists(texts, min_size=n, max_size=n, unique=True))
    trials = draw(st.none() | st.lists(st.integers(0, 9), min_size=m, max_size=m))
    who = draw(st.none() | st.lists(texts.filter(bool), min_size=m, max_size=m))
    if who is not None and trials is not None:  # a trial is of one person
        who = [who[trial % m] for trial in trials]
    return type(bare)(bare.rows, n, bare.weights, labels, who, trials=trials)


def names(answers):
    if answers.annotators is None:
        return None
    return [answers.annotator_names[code] for code in answers.annotators]


def assert_same(one, two):
    assert type(one) is type(two)
    assert (one.n_objects, one.labels) == (two.n_objects, two.labels)
    assert names(one) == names(two)
    for field in ("rows", "trials", "weights"):
        np.testing.assert_array_equal(getattr(one, field), getattr(two, field))
    if one.weights is not None and len(one):
        assert one.weights.dtype == two.weights.dtype


def spelled(answers):
    return [tuple(answers.labels[i] for i in row) for row in answers]


def is_writable(answers):
    """Whether a table can hold the labels of the compared objects, and annotators."""
    compared = {label for row in spelled(answers) for label in row}
    one_each = len({definitions.spelling(label) for label in compared})
    written = compared | {*(names(answers) or ())}
    return not any(map(is_missing, written)) and one_each == len(compared)


@pytest.mark.parametrize(
    "ending", ["csv", "tsv", "txt", "csv.gz", "jsonl", "jsonl.gz", "parquet"]
)
@examples(40)
@given(answers=labelled())
def test_what_is_written_is_read_back(ending, answers):
    """With the labels of all objects, and without: then the compared ones are there."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"answers.{ending}")
        if not is_writable(answers):
            with pytest.raises(InvalidComparisons, match=r"\.npz file"):
                write_comparisons(answers, path)
            assert not [*Path(folder).iterdir()]
            return
        write_comparisons(answers, path)
        if ending.startswith("jsonl") and not len(answers):
            with pytest.raises(InvalidComparisons, match=r"is empty|no JSON object"):
                read_comparisons(path)
            return
        assert_same(read_comparisons(path, items=answers.labels), answers)
        assert [one.name for one in Path(folder).iterdir()] == [path.name]
        if len(answers):
            read = read_comparisons(path)
            assert spelled(read) == spelled(answers)
            assert {*read.labels} == {label for row in spelled(read) for label in row}
            assert names(read) == names(answers)
            assert np.array_equal(read.weights, answers.weights)
            assert np.array_equal(read.trials, answers.trials)


@examples(40)
@given(answers=labelled(), is_bare=st.booleans(), notes=st.lists(texts, max_size=2))
def test_npz_files_keep_everything(answers, is_bare, notes):
    if is_bare:
        answers = type(answers)(answers.rows, answers.n_objects, answers.weights)
    answers = replace(answers, notes=notes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.npz")
        write_comparisons(answers, path)
        read = read_comparisons(path)
        assert_same(read, answers)
        assert read.annotator_names == answers.annotator_names
        assert (read.dropped, read.notes) == (answers.dropped, answers.notes)


@examples(40)
@given(answers=comparisons(max_rows=20))
def test_ids_are_labels_where_there_are_no_others(answers):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.csv")
        write_comparisons(answers, path)
        read = read_comparisons(path, items=range(answers.n_objects))
        assert np.array_equal(read.rows, answers.rows)
        assert read.labels == tuple(str(i) for i in range(answers.n_objects))


PLAIN = ["a", "b", "c10", "c9", "7", "d e"]


@st.composite
def tables(draw):
    """The form of a table, and rows of labels that fit it."""
    form = draw(st.sampled_from(list(FORMS)))
    row = st.permutations(PLAIN).map(lambda shown: shown[: len(FORMS[form])])
    rows = draw(st.lists(row, min_size=1, max_size=12))
    if form == "choice" or form.endswith("of three"):  # the last is one of the others
        first = 1 if form == "choice" else 0
        for row in rows:
            row[3] = draw(st.sampled_from(row[first:3]))
    return form, rows


@examples(60)
@given(tables(), st.permutations(range(4)), st.sampled_from(["csv", "jsonl"]))
def test_a_table_says_what_its_definition_says(table, order, ending):
    form, rows = table
    roles = FORMS[form]
    order = [at for at in order if at < len(roles)]
    expected = [
        answer for row in rows for answer in definitions.answers_of_row(form, row)
    ]
    labels = {label for row in expected for label in row}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"answers.{ending}")
        if ending == "csv":
            file = io.StringIO()
            header = [f"column {at}" for at in order]
            csv.writer(file).writerows(
                [header, *([r[at] for at in order] for r in rows)]
            )
            path.write_text(file.getvalue(), newline="")
        else:
            lines = ({f"column {at}": row[at] for at in order} for row in rows)
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        columns = {role: f"column {at}" for at, role in enumerate(roles)}
        answers = read_comparisons(path, columns=columns)
    assert list(answers.labels) == definitions.in_natural_order(labels)
    assert [tuple(answers.labels[i] for i in row) for row in answers] == expected


@given(st.lists(st.text("1.0 ae\u0301\u00e9\u00a0\u200b\uff11\ufeff-", max_size=6)))
def test_spellings_are_their_definition(labels):
    for label in labels:
        assert label_key(label) == definitions.spelling(label)
    keys = {definitions.spelling(label) for label in labels}
    assert (not twice_spelled(labels)) == (len(keys) == len({*labels}))


@given(st.lists(st.text("0123-ab", min_size=1, max_size=5), unique=True))
def test_natural_order_is_its_definition(labels):
    assert natural_order(labels) == definitions.in_natural_order(labels)


@examples(200)
@given(
    st.binary(max_size=60), st.sampled_from(["csv", "jsonl", "parquet", "npz", "txt"])
)
def test_any_bytes_are_read_or_refused(content, ending):
    """No other error than ours, whatever a file holds."""
    starts = {"csv": b"i,j,k\n", "txt": b"1 2 3\n", "jsonl": b'{"i":1,"j":2,"k":3}\n'}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"answers.{ending}")
        path.write_bytes(starts.get(ending, b"") + content)
        try:
            answers = read_comparisons(path)
        except InvalidComparisons as error:
            assert str(path) in str(error)  # noqa: PT017
        else:
            assert answers.n_objects >= 3
