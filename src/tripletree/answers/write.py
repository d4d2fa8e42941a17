"""Comparisons to files that other programs read, and that are whole or not there."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from tripletree._checks import check_flag, check_labels, json_text, spreadsheet_text
from tripletree._files import check_name, is_utf8, replaced
from tripletree._threads import row_chunks
from tripletree.answers.duckdb_errors import explain_errors
from tripletree.answers.header import FORMS
from tripletree.answers.labels import DESCRIPTION, is_missing, twice_spelled
from tripletree.answers.npz import write_npz
from tripletree.answers.sources import Ending, ending_of
from tripletree.answers.tables import connected
from tripletree.comparisons.row_checks import Trials
from tripletree.comparisons.triplets import Comparisons, check_comparisons
from tripletree.errors import InvalidComparisons, refuse_if

ROWS_PER_CHUNK = 10**5
BLANK = " \ufeff"


def write_comparisons(
    comparisons: Comparisons,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = True,
    spreadsheet: bool = False,
) -> None:
    """Write comparisons to a file; what kind of file, its ending says.

    The columns are target, near, far (or near_1, near_2, far_1, far_2), and annotator
    and weight where known; and trial, where several rows are one answer, as the two of
    an odd one out: equal for such rows, and marked so that it is read back as `trials`.
    Objects are written by their labels, or their ids if they have none. The file
    appears when it is whole: after an error there is no file, or the one that was there
    before. Its permissions stay, and links are followed.

    An .npz file keeps everything. The others are tables of answers: objects that no
    answer is about, and the order of the objects, are kept by giving
    ``items=comparisons.labels`` when reading.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets
    path : path
        Ending in .csv, .tsv, .jsonl (each also with .gz), .parquet or .npz.
    overwrite : bool, default True
        Whether to replace a file that is there.
    spreadsheet : bool, default False
        Whether to make labels in .csv and .tsv files harmless to spreadsheets: those
        that begin with =, +, - or @ get a ' before them, and control characters are
        written out. They are then not read back as they were.

    Raises
    ------
    InvalidComparisons
        If the ending is another, a label cannot be written as UTF-8, or would
        not be read back: words for a missing value (NA, null, nothing, ...), also as
        annotators, and labels that look the same, in all but .npz files.
    UnreadableFile
        If the file cannot be written there, or may not be replaced.
    InvalidOption
        If overwrite or spreadsheet are not True or False.

    Returns
    -------
    None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from tripletree import Triplets
    >>> answers = Triplets([[0, 1, 2]], 3, labels=["owl", "hawk", "carp, wild"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "answers.csv")
    ...     write_comparisons(answers, path)
    ...     path.read_text().splitlines()
    ['target,near,far', 'owl,hawk,"carp, wild"']
    """
    check_comparisons(comparisons)
    shown = spreadsheet_text if check_flag("spreadsheet", spreadsheet) else str
    target = Path(check_name(path))
    ending = written_ending(target)
    _check_names(comparisons, ending.kind)
    with replaced(target, overwrite) as new:
        if ending.kind == "parquet":
            _write_parquet(comparisons, target.name, new)
            return
        opened: Any = gzip.open if ending.compression == "gzip" else open
        with opened(new, "wb") as file:
            if ending.kind == "npz":
                write_npz(comparisons, file)
            else:
                _write_text(comparisons, target.name, ending, file, shown)


def written_ending(target: Path) -> Ending:
    """What kind of file is to be written; some are only read."""
    ending = ending_of(target)
    refuse_if(
        ending.compression == "zstd" or ending.kind in ("array", "zip"),
        InvalidComparisons,
        f"{str(target)!r:.200}: .zst, .zip and .json files are only read: write "
        ".gz, or .jsonl.",
        code="unknown ending",
    )
    return ending


def _check_names(comparisons: Comparisons, kind: str) -> None:
    """Refuse labels and annotators that would not be read back as they are."""
    labels, people = comparisons.labels, comparisons.annotator_names
    for text in (*(labels or ()), *(people or ())):
        refuse_if(
            not is_utf8(text),
            InvalidComparisons,
            f"label {text[:80]!r} is not valid text: half a character in it.",
            code="not UTF-8",
        )
    if kind == "npz":
        return
    used = {
        "label": _in_use(labels, comparisons.rows),
        "annotator": _in_use(people, comparisons.annotators),
    }
    for what, name in ((what, name) for what, names in used.items() for name in names):
        refuse_if(
            is_missing(name),
            InvalidComparisons,
            f"{what} {name[:80]!r} stands for a missing value in a table. Rename it, "
            "or write an .npz file.",
            code=f"no {what}",
        )
    if kind == "text" and labels is not None:
        _check_text_labels(comparisons, labels, used["label"])
    one, two = twice_spelled(used["label"]) or ("", "")
    refuse_if(
        one != two,
        InvalidComparisons,
        f"labels {one[:80]!a} and {two[:80]!a} look the same, and would be refused as "
        "one object on reading. Rename one, or write an .npz file.",
        code="two spellings",
    )


def _in_use(names: Sequence[str] | None, ids: Any) -> list[str]:
    return [] if names is None else [names[at] for at in np.unique(ids).tolist()]


def _check_text_labels(
    comparisons: Comparisons, every: tuple[str, ...], labels: list[str]
) -> None:
    for label in labels:
        refuse_if(
            label.startswith(DESCRIPTION),
            InvalidComparisons,
            f"label {label[:80]!r} stands for a description of columns in text files. "
            "Rename the object, or write a .parquet or .npz file.",
            code="no label",
        )
    names, plain = _form(comparisons), [label.strip(BLANK) for label in every]
    if comparisons.weights is None and {*names} <= {*plain}:
        # The row that a reader takes for the header; a weight is never "weight".
        rows = (tuple(plain[at] for at in row) for row in comparisons.rows.tolist())
        refuse_if(
            names in rows,
            InvalidComparisons,
            f"a row has the labels {', '.join(names)}, as the header of a text file. "
            "Rename an object, or write a .parquet or .npz file.",
            code="header again",
        )


def _form(comparisons: Comparisons) -> tuple[str, ...]:
    return FORMS["triplet" if comparisons.rows.shape[1] == 3 else "quadruplet"]


def _columns(
    comparisons: Comparisons, name: str, quoted: Callable[[str], str]
) -> dict[str, tuple[list[str] | None, Any]]:
    """For each column its texts and the position of each row's, or its numbers."""
    labels = comparisons.labels
    texts = None if labels is None else [quoted(label) for label in labels]
    columns: dict[str, tuple[list[str] | None, Any]] = {
        role: (texts, comparisons.rows[:, at])
        for at, role in enumerate(_form(comparisons))
    }
    if comparisons.annotator_names is not None:
        people = [*map(quoted, comparisons.annotator_names)]
        columns["annotator"] = (people, comparisons.annotators)
    if comparisons.weights is not None:
        columns["weight"] = (None, comparisons.weights)
    if comparisons.trials is not None:
        mark = _mark(comparisons, comparisons.trials, name)
        trials = [quoted(f"tt{mark}-{n}") for n in range(comparisons.n_answers)]
        columns["trial"] = (trials, comparisons.trials)
    return columns


def _mark(comparisons: Comparisons, trials: Trials, name: str) -> int:
    """A number below 10^9 that files of other names or comparisons hardly share.

    Read together, their trials are then kept apart.
    """
    mark = zlib.crc32(trials.tobytes(), zlib.crc32(comparisons.rows.tobytes()))
    for names in (comparisons.labels, comparisons.annotator_names, (name,)):
        mark = zlib.crc32("\0".join(names or ()).encode(), mark)
    return mark % 10**9


def _write_text(
    comparisons: Comparisons,
    name: str,
    ending: Ending,
    file: IO[bytes],
    shown: Callable[[str], str],
) -> None:
    """Write a line for each row: separated values, or a JSON object."""
    is_json = ending.kind == "json"
    separator = "\t" if ending.separators == "\t" else ","

    def quoted(text: str) -> str:
        text = shown(text)
        is_safe = text.isprintable() and text == text.strip() and text != ""
        is_safe &= '"' not in text and separator not in text
        return text if is_safe else '"' + text.replace('"', '""') + '"'

    columns = _columns(comparisons, name, json_text if is_json else quoted)
    line: Callable[[tuple[str, ...]], str] = separator.join
    if is_json:
        line = ("{" + ", ".join(f'"{role}": %s' for role in columns) + "}").__mod__
    else:
        labels = comparisons.labels or ()
        check_labels(map(shown, labels), len(labels), InvalidComparisons)
        file.write((separator.join(columns) + "\n").encode())
    for chunk in row_chunks(len(comparisons), ROWS_PER_CHUNK):
        cells = [
            map(repr if texts is None else texts.__getitem__, values[chunk].tolist())
            for texts, values in columns.values()
        ]
        lines = map(line, zip(*cells, strict=True))
        file.write(("\n".join(lines) + "\n").encode())


def _write_parquet(comparisons: Comparisons, name: str, path: Path) -> None:
    columns = _columns(comparisons, name, str)
    arrays = {
        role: values if texts is None else np.array(texts, np.object_)[values]
        for role, (texts, values) in columns.items()
    }
    with connected() as connection, explain_errors(str(path)):
        connection.register("answers", arrays)
        select = ", ".join(
            f"CAST({name} AS VARCHAR) AS {name}"
            if columns[name][0] is not None
            else name
            for name in columns
        )
        connection.sql(f"SELECT {select} FROM answers").write_parquet(str(path))
