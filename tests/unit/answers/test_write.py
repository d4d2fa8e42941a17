"""Writing answers: whole or not at all, and read as they were."""

import os

import numpy as np
import pytest

from tests.unit.answers.cases import spelled
from tripletree import (
    InvalidComparisons,
    PairSums,
    Triplets,
    UnreadableFile,
    odd_one_out,
    read_comparisons,
    write_comparisons,
    write_pairs,
)

ENDINGS = ["a.csv", "a.csv.gz", "a.jsonl", "a.parquet", "a.npz"]
FINE = Triplets([[0, 1, 2]], 3)


def test_writing_is_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("before")

    def fails(*_):
        message = "disk full"
        raise OSError(message)

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(UnreadableFile, match="cannot be written: disk full"):
        write_comparisons(FINE, path)
    monkeypatch.undo()
    for name in ("no/a.csv", "no/a.parquet", "no/a.npz", "a.csv/b.jsonl"):
        with pytest.raises(UnreadableFile, match="cannot be written"):
            write_comparisons(FINE, tmp_path / name)
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]


def named(*labels):
    return Triplets([[0, 1, 2]], len(labels), labels=labels)


PAIRS = PairSums(["a", "b"], [[0, 1]], [3], [1])
MISSING = r"a missing value .*, or write an \.npz file"


@pytest.mark.parametrize(
    ("write", "given", "name", "code", "words"),
    [
        (write_comparisons, [[0, 1, 2]], "a.csv", "", "give Triplets or Quadruplets"),
        (write_comparisons, FINE, "a.xlsx", "unknown ending", "end in"),
        (write_comparisons, FINE, "a", "unknown ending", "end in"),
        (write_comparisons, FINE, "a.csv.zst", "unknown ending", "only read"),
        (write_comparisons, FINE, "a.zip", "unknown ending", "are only read"),
        (write_pairs, PAIRS, "a.csv", "unknown ending", "parquet"),
        (write_pairs, 3, "a.parquet", "no pair sums", "give"),
        *(
            (write_comparisons, named(*labels), name, code, words)
            for *labels, name, code, words in (
                ("a", "b", "\ud800", "a.csv", "not UTF-8", "not valid text"),
                ("a", "b", "b ", "a.parquet", "two spellings", "look the same"),
                ("2", "2.0", "a", "a.csv", "two spellings", "'2' and '2.0' look the "),
                ("target", "near", "far", "a.csv", "header again", "as the header of"),
                (
                    '{"ImportId":1}',
                    "b",
                    "c",
                    "a.csv",
                    "no label",
                    "a description of columns",
                ),
                ("a", "b", " null", "a.jsonl", "no label", MISSING),
                ("a", "b", "?", "a.parquet", "no label", MISSING),
            )
        ),
        *(
            (write_comparisons, named("a", "b", label), "a.csv", "no label", MISSING)
            for label in ("", "NA", "NaN", "None", "#N/A")
        ),
    ],
)
def test_what_is_not_written(tmp_path, write, given, name, code, words):
    with pytest.raises(InvalidComparisons, match=words) as caught:
        write(given, tmp_path / name)
    assert (caught.value.code, [*tmp_path.iterdir()]) == (code, [])


@pytest.mark.parametrize(
    "labels",
    [("a", "b", "NA"), ("a", "b", ""), ("2", "2.0", "a"), ("target", "near", "far")],
)
def test_labels_that_tables_cannot_hold(tmp_path, labels):
    """An .npz file does, and so do tables where no row has them, or another order."""
    npz, csv = tmp_path / "a.npz", tmp_path / "a.csv"
    write_comparisons(named(*labels), npz)
    assert read_comparisons(npz).labels == labels
    assert spelled(read_comparisons(npz)) == [" ".join(labels)]
    other = Triplets([[0, 1, 3]], 4, labels=[*labels, "c"])
    if labels[0] == "target":
        other = Triplets([[0, 2, 1]], 3, labels=labels)
    if labels[0] != "2":
        write_comparisons(other, csv)
        assert spelled(read_comparisons(csv)) == spelled(other)


@pytest.mark.parametrize("path", [None, 3, b"a.csv", "a\0.csv", "", "\udcff.csv"])
def test_names_that_are_no_files(path):
    with pytest.raises(UnreadableFile, match="is not a valid path: give a path"):
        write_comparisons(FINE, path)


@pytest.mark.posix
@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
@pytest.mark.parametrize("name", ENDINGS)
def test_writing_keeps_permissions_and_links(tmp_path, name):
    path, link = tmp_path / name, tmp_path / f"link.{name[2:]}"
    for mode in (0o600, 0o444, 0o640):
        path.unlink(missing_ok=True)
        path.touch()
        path.chmod(mode)
        write_comparisons(FINE, path)
        assert path.stat().st_mode & 0o777 == mode
    for target in (path, tmp_path / f"new.{name[2:]}"):
        link.unlink(missing_ok=True)
        link.symlink_to(target.name)
        write_comparisons(FINE, link)
        assert link.is_symlink()
        assert len(read_comparisons(target)) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_and_folders_are_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name, what in {"pipe": "a pipe or a device", "folder": "a folder"}.items():
        path = tmp_path / f"{name}.csv"
        with pytest.raises(UnreadableFile, match=f"{name}.csv' is {what}: give the"):
            write_comparisons(FINE, path)
        assert not path.is_file()
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("name", ENDINGS)
def test_rows_of_one_answer_stay_together(read, tmp_path, name):
    answers = read("first,second,odd,worker\na,b,c,w\nb,c,d,w\na,c,d,v\n")
    assert answers.trials.tolist() == [0, 0, 1, 1, 2, 2]
    turned = answers[[5, 0, 2, 1, 3, 4]]
    for given, trials in ((answers, [0, 0, 1, 1, 2, 2]), (turned, [2, 0, 1, 0, 1, 2])):
        write_comparisons(given, tmp_path / name)
        found = read_comparisons(tmp_path / name)
        assert found.trials.tolist() == given.trials.tolist() == trials
        assert found.rows.tolist() == given.rows.tolist()
    if name != "a.npz":  # trials are whole where a filter takes rows away
        found = read_comparisons(tmp_path / name, keep={"annotator": "w"})
        assert found.trials.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_trials_of_several_files_are_not_mixed_up(tmp_path, ending):
    """Not those of equal answers either."""
    for who in ("v", "w"):
        answers = odd_one_out([[0, 1, 2]], [2], 3, annotators=[who])
        write_comparisons(answers, tmp_path / f"{who}.{ending}")
    found = read_comparisons(str(tmp_path / f"*.{ending}"))
    assert (found.n_answers, len(found)) == (2, 4)
    assert sorted(found.trials.tolist()) == [0, 0, 1, 1]
    assert np.array_equal(found.trials == found.trials[0], found.annotators == 0)


@pytest.mark.parametrize(
    "numbers", ["0 0 1 1", "1 2 1 2", "tt1-0 tt1-1 tt1-2 1", "tt1- tt1- tt1- tt1-"]
)
def test_trials_of_other_programs_are_not_looked_at(read, numbers):
    lines = [f"a,b,{x},{n}\n" for x, n in zip("cdef", numbers.split(), strict=True)]
    assert read("target,near,far,trial\n" + "".join(lines)).trials is None


def test_a_row_added_by_hand_is_an_answer_of_its_own(tmp_path):
    path = tmp_path / "a.csv"
    write_comparisons(odd_one_out([[0, 1, 2], [1, 2, 3]], [2, 1], 4), path)
    path.write_text(path.read_text() + "0,1,3,\n")
    assert read_comparisons(path).trials.tolist() == [1, 1, 2, 2, 0]
