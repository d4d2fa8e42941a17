"""Answers from files and data frames: read them, see what was left out.

Labels are text, exactly as it stands in the file: "01" and "1" are two objects, and
an integer of twenty digits is one. Files that count from 1 need no care, for labels are
labels. Objects are numbered in natural order (integers by value, img2 before img10),
which does not depend on the order of rows; `items=` gives any other order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, natural_order
from tripletree._lazy import kernel_module
from tripletree.answers import relation
from tripletree.answers.checking import (
    Outcome,
    checked,
    first_reading,
    found_labels,
    looked,
    no_answers,
    shows_images,
    unknown_labels,
)
from tripletree.answers.header import Columns
from tripletree.answers.items import item_labels
from tripletree.answers.labels import is_missing, one_sided, some_labels
from tripletree.answers.npz import read_npz
from tripletree.answers.on_duckdb import DuckDB, on_duckdb
from tripletree.answers.questions import Options, Questions
from tripletree.answers.relation import STAY, Reading, orders_of
from tripletree.answers.rules import Choice
from tripletree.answers.sources import ending_of, files_of, is_path
from tripletree.answers.sql import Sql
from tripletree.answers.sql import columns as columns_of
from tripletree.comparisons.row_checks import number_answers
from tripletree.comparisons.triplets import Comparisons, Quadruplets, Triplets
from tripletree.errors import (
    SUM_ON_DISK,
    InvalidComparisons,
    InvalidOption,
    Remedy,
    refuse_if,
)

kernels = kernel_module("tripletree.comparisons._rows_kernel")

Arrays = dict[str, npt.NDArray[Any]]
BESIDE = {"weights": "weight", "annotators": "annotator"}
TRIAL = r"\Att([0-9]{1,9})-([0-9]{1,10})\z"  # as `write_comparisons` marks trials
ROWS_TO_SPAN = 4  # integers are numbered by a table of at most so many places per row


def read_comparisons(
    source: Any,
    *,
    columns: Columns = None,
    items: Any = None,
    drop: Choice | None = None,
    keep: Choice | None = None,
    min_response_time: float | None = None,
    drop_degenerate: bool = False,
    answer_words: Mapping[str, str] | None = None,
    merge_spellings: bool = False,
) -> Comparisons:
    """Read answers from a file, from several, or from a data frame.

    Parameters
    ----------
    source : path, list of paths, or table
        A file that ends in .csv, .tsv, .txt, .json, .jsonl (each also .gz or .zst),
        .parquet, .npz, or .zip with one such file (no .npz); a pattern such as
        "round*.csv"; a pandas or polars frame; an Arrow or Ibis table.
    columns : dict or list, optional
        Which column is which, where the header does not say: a dictionary of roles,
        ``{"target": "ref", "near": "a", "far": "b"}``, or a list of three (target,
        near, far) or four. Roles are target, near, far; near_1, near_2, far_1, far_2;
        target, left, right, answer; first, second (, third), odd or central; and
        annotator (or worker), response_time (or rt), weight (None to leave one out).
        Positions from 0, in
        place of names, say that a text file has no header.
    items : list of labels, path or table, optional
        All objects in their order, see :func:`read_items`. Other labels are refused.
    drop, keep : dict, optional
        Rows to leave out, or to keep, by column and value or values:
        ``drop={"is_catch": True}``, ``keep={"worker": ["w1", "w2"]}``. None stands for
        a missing value, True and False for yes and no as well. A value that occurs in
        no row is refused.
    min_response_time : float, optional
        Leave out answers faster than this, in the unit of the file.
    drop_degenerate : bool, default False
        Leave out rows that compare an object with itself, rather than refuse them.
    answer_words : dict, optional
        What answers in words of their own mean: left, right, middle, first, second,
        third or tie, for example ``{"a": "left", "b": "right", "s": "tie"}``.
    merge_spellings : bool, default False
        Take labels that differ in blanks, in upper and lower case, in the ending of a
        file (owl.png), in how a number is written (1, +1, 1.0) or in &amp; for & as
        one object, called by the shortest of them, or as in `items`.

    Returns
    -------
    Triplets or Quadruplets
        With labels, and annotators and weights where there are columns for them;
        `dropped` counts the rows left out by reason, each row once; `notes` says what
        was assumed where the file does not tell, `warnings` what may be wrong.

    Raises
    ------
    InvalidComparisons
        Naming the file, the line where it is known, and what to do.
    InvalidOption
        If an option is not as described.
    UnreadableFile
        If there is no such file.

    Notes
    -----
    An odd one out, and a most central one, give two triplets each. Ties ("same",
    "undecided", no answer) are left out and counted. A column that could change what a
    row says (an answer, ties, counts; beside triplets, 1 and -1, or labels of the row)
    and that no option mentions is refused. `notes` names other columns not used.

    Three columns of integers without a header are taken as target, near, far, and
    answers that could be labels or positions 1, 2, 3 as labels if all are labels of
    their rows, as positions if most are not; `notes` says so.

    A column called trial in which :func:`write_comparisons` has marked the rows of one
    answer is read as `trials`. Anybody else's numbers of trials are not looked at.

    Words for a missing value (NA, N/A, null, none, ?, -, ...) are no labels, unless
    `items` has them. Other labels are kept as they are, blanks included; labels that
    differ in blanks only, in signs that do not show or in their encoding, and 2 beside
    2.0, are refused, unless `items` has both. Other labels that may be two spellings
    of one object are warned of, and so are labels that are never, or only, targets.
    Text files are UTF-8. Two passes over the source; memory for the result, not for the
    text.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "answers.csv")
    ...     _ = path.write_text("head,winner,loser\\nowl,hawk,carp\\nowl,carp,hawk\\n")
    ...     answers = read_comparisons(path)
    >>> answers.labels, answers.rows.tolist()
    (('carp', 'hawk', 'owl'), [[2, 1, 0], [2, 0, 1]])
    """
    options = Options.of(locals(), item_labels(items), with_annotators=True)
    if is_path(source):
        paths = files_of(source)
        if any(ending_of(path).kind == "npz" for path in paths):
            refuse_if(
                len(paths) > 1 or options.are_about_rows,
                InvalidOption,
                f"{paths[0]}: an .npz file holds comparisons, not a table: read one at "
                "a time, with no option but items.",
            )
            return _in_order(read_npz(paths[0]), options.labels, str(paths[0]))
    with on_duckdb(source, options) as engine:
        return comparisons_of(engine)


def columns_not_kept(source: Any, columns: Columns = None) -> list[str]:
    """The names of the columns of a file that comparisons do not keep."""
    if any(ending_of(path).kind == "npz" for path in files_of(source)):
        return []
    options = Options(columns, with_annotators=True)
    with on_duckdb(source, options) as engine:
        return engine.questions.lost


def comparisons_of(engine: DuckDB) -> Comparisons:
    """The comparisons in an open table of answers."""
    q = engine.questions
    what = f"{q.name} holds pair sums, not answers: they are for "
    parts = (what, Remedy("read_pairs", shell="`tripletree cluster`"), ".")
    refuse_if(q.form == "pairs", InvalidComparisons, *parts, code="pair sums")
    is_open = q.items is None or q.merges or shows_images(engine)
    found = looked(engine, with_labels=is_open or q.are_whole)
    names = None
    if q.annotator is not None:
        texts = {*(found["names"] or ())} - {None}
        names = natural_order({text for text in texts if not is_missing(text)})
        engine.name_annotators(names)
    labels: list[str] = []
    if not q.are_whole:
        labels = found_labels(engine, found)
        engine.number(labels)
    reading = first_reading(engine, found, labels)
    _check_memory(q, found["n_rows"])
    width = _id_type(q, found)
    arrays = _fetched(engine, reading, width)
    if q.trial is not None and (arrays["trial"] < 0).all():  # of another program
        unused = (*engine.questions.unused, q.trial)
        engine.questions = replace(engine.questions, unused=unused)
    outcome = checked(engine, reading, _counted(arrays))
    if outcome.reading.start is not None:
        arrays = _fetched(engine, outcome.reading, width)
    if q.are_whole:
        labels, arrays, warning = _numbered(engine, arrays)
        outcome = replace(outcome, warnings=(*outcome.warnings, *warning))
    if not labels:
        raise no_answers(q.name, outcome)
    return _made(q, arrays, labels, names, outcome)


def _check_memory(q: Questions, n_rows: int) -> None:
    """Refuse more rows than fit into memory: packed well, 10^8 of them take a page."""
    width, n_orders = (4 if q.form == "quadruplet" else 3), len(orders_of(q.form))
    beside = 1 + (q.answer is not None) + 4 * (q.annotator is not None)
    beside += 8 * (q.weight is not None) + 8 * (q.trial is not None)
    fetched = (8 if q.are_whole else 4) * width + beside
    made = 4 * width if n_orders == 1 else 40 * n_orders  # with trials, and copies
    check_fits(
        n_rows * (2 * fetched + made),
        f"{q.name}: reading {n_rows:,} rows",
        "sum them on the disk, with ",
        SUM_ON_DISK,
        ", or read the file in parts.",
    )


def _id_type(q: Questions, found: dict[str, Any]) -> str:
    """The engine's type of ids, or of integer labels: half as wide if they fit."""
    if not q.are_whole:
        return "INTEGER"
    ends = [found[f"{end}{n}"] for end in ("low", "high") for n in range(len(q.shown))]
    fits = all(end is not None and 0 <= end < 2**31 for end in ends)
    return "INTEGER" if fits and not q.filters.positions else "BIGINT"


def _fetched(engine: DuckDB, reading: Reading, kind: str) -> Arrays:
    """All rows of the relation: p0, p1, ..., fault, said, weight, annotator.

    kind: the type of p0, p1, ...
    """
    q, sql = engine.questions, engine.sql()
    n = 4 if q.form == "quadruplet" else 3
    select = {f"p{at}": f"coalesce(CAST(p{at} AS {kind}), -1)" for at in range(n)}
    select["fault"] = "CAST(fault AS UTINYINT)"
    if q.answer is not None:
        select["said"] = "CAST(said AS UTINYINT)"
    if q.annotator is not None:
        select["annotator"] = "coalesce(who, -1)"
    if q.weight is not None:
        nothing = "-1" if reading.is_whole else "CAST('nan' AS DOUBLE)"
        select["weight"] = f"coalesce(weight, {nothing})"
    if q.trial is not None:
        select["trial"] = _trial(sql, q.trial)
    looked_at = {*q.filters.positions} & {*q.shown, q.annotator}
    may_read_ids = q.answer is None and not looked_at and not reading.may_repeat_header
    may_read_ids = may_read_ids and not q.merged
    rows = relation.relation(sql, q, reading)
    query = f"SELECT {columns_of(select)} FROM {rows}"
    return engine.arrays(sql, query, may_read_ids)


def _trial(sql: Sql, at: int) -> str:
    """SQL for the trial of a row as one number; -1 for what `write` has not written."""
    mark = sql.value(TRIAL)
    file, number = (f"regexp_extract(c{at}, {mark}, {n})" for n in (1, 2))
    both = f"TRY_CAST({file} AS BIGINT) * 4294967296 + TRY_CAST({number} AS UINTEGER)"
    return f"coalesce({both}, -1)"


def _counted(arrays: Arrays) -> dict[tuple[int, int], int]:
    """How many rows have which fault and say what."""
    if "said" not in arrays:
        counts = np.bincount(arrays["fault"])
        return {(fault, 0): n for fault, n in enumerate(counts.tolist()) if n}
    keys = arrays["fault"].astype(np.uint16) * 256 + arrays["said"]
    counts = np.bincount(keys)
    both = {key: counts[key].item() for key in np.flatnonzero(counts).tolist()}
    return {divmod(key, 256): n for key, n in both.items()}


def _numbered(
    engine: DuckDB, arrays: Arrays
) -> tuple[list[str], Arrays, tuple[str, ...]]:
    """Labels of integers, the same rows with ids in their place, and warnings."""
    stays = np.isin(np.arange(256), STAY)
    arrays = _chosen(arrays, stays[arrays["fault"]])
    places = [name for name in arrays if name[0] == "p"]
    if not len(arrays["p0"]):
        return [], arrays, ()
    numbers, ids, sides = _compacted([arrays[name] for name in places])
    labels, items = [str(x) for x in numbers.tolist()], engine.questions.items
    warning = ""
    if items is None and engine.questions.form in ("triplet", "choice"):
        targets, others = ({labels[at] for at in np.flatnonzero(x)} for x in sides)
        warning = one_sided(targets, others, len(ids[0]))
    if items is not None:
        number = {label: at for at, label in enumerate(items)}
        unknown = [label for label in labels if label not in number]
        if unknown:
            raise unknown_labels(engine, [int(label) for label in unknown])
        order = np.array([number[label] for label in labels], np.int32)
        labels, ids = list(items), [order[one] for one in ids]
    arrays |= dict(zip(places, ids, strict=True))
    return labels, arrays, (warning,) if warning else ()


def _chosen(arrays: Arrays, is_chosen: npt.NDArray[np.bool_]) -> Arrays:
    """Some of the rows; nothing is copied if these are all."""
    if is_chosen.all():
        return arrays
    return {name: one[is_chosen] for name, one in arrays.items()}


def _compacted(
    columns: list[npt.NDArray[np.int64]],
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int32]], npt.NDArray[np.bool_]]:
    """The different numbers in order, and the place of each value among them.

    Also which numbers are in the first column, and which in the others.
    """
    low = min(int(one.min()) for one in columns)
    span = max(int(one.max()) for one in columns) - low + 1
    most = max(ROWS_TO_SPAN * sum(map(len, columns)), 2**16)
    if 0 <= low and low + span <= most:
        low, span = 0, low + span  # nothing to subtract
    if span <= most:
        sides = np.zeros((2, span), np.bool_)
        for at, one in enumerate(columns):
            sides[min(at, 1), one - low if low else one] = True
        is_there = sides.any(axis=0)
        if low == 0 and is_there.all():  # the labels are the ids
            ids = [one.astype(np.int32, copy=False) for one in columns]
            return np.arange(span), ids, sides
        number = np.cumsum(is_there, dtype=np.int32) - np.int32(1)
        ids = [number[one - low if low else one] for one in columns]
        return np.flatnonzero(is_there) + low, ids, sides[:, is_there]
    table, found, n_found = np.zeros((2**13, 2), np.int64), np.empty(2**12, np.int64), 0
    codes = [np.empty(len(one), np.int32) for one in columns]
    for one, code in zip(columns, codes, strict=True):
        done = 0
        while done < len(one):
            if n_found == len(found):  # half of the table is taken: make a larger one
                table = np.zeros((4 * len(table), 2), np.int64)
                old, found = found, np.empty(len(table) // 2, np.int64)
                again = np.empty(n_found, np.int32)
                kernels.number_values(old, again, 0, table, found, 0)
            where = (done, table, found, n_found)
            done, n_found = kernels.number_values(one, code, *where)
    order = np.argsort(found[:n_found])
    place = np.empty(n_found, np.int32)
    place[order] = np.arange(n_found, dtype=np.int32)
    ids = [place[code] for code in codes]
    sides = np.zeros((2, n_found), np.bool_)
    for at, one_column in enumerate(ids):
        sides[min(at, 1), one_column] = True
    return found[order], ids, sides


def _made(
    q: Questions,
    arrays: Arrays,
    labels: list[str],
    names: list[str] | None,
    outcome: Outcome,
) -> Comparisons:
    """Triplets or quadruplets of the rows that say something."""
    arrays = _chosen(arrays, arrays["fault"] == 0)
    rows = np.stack([arrays[x] for x in arrays if x[0] == "p"], axis=1, dtype=np.int32)
    more = {key: arrays.get(name) for key, name in BESIDE.items()}
    orders = orders_of(q.form)
    if len(orders) > 1:  # each row makes several comparisons, which are one trial
        rows = rows[:, np.concatenate(orders)].reshape(-1, len(orders[0]))
        for key, values in more.items():
            more[key] = None if values is None else np.repeat(values, len(orders))
        more["trials"] = number_answers(len(rows)) // len(orders)
    elif "trial" in arrays:
        is_marked, alone = arrays["trial"] >= 0, -1 - number_answers(len(rows))
        if is_marked.any():  # other rows are answers of their own
            more["trials"] = np.where(is_marked, arrays["trial"], alone)
    rows.flags.writeable = False
    make = Quadruplets if q.form == "quadruplet" else Triplets
    try:
        return make(
            rows,
            len(labels),
            labels=labels,
            annotator_names=names,
            dropped=outcome.dropped,
            notes=outcome.notes,
            warnings=outcome.warnings,
            **more,
        )
    except InvalidComparisons as error:  # weights that overflow together
        raise InvalidComparisons(q.name, ": ", *error.parts, code="weights") from None


def _in_order(
    found: Comparisons, labels: tuple[str, ...] | None, name: str
) -> Comparisons:
    """The same comparisons, their objects in the order of the labels."""
    if labels is None:
        return found
    own = found.labels or tuple(str(at) for at in range(found.n_objects))
    number = {label: at for at, label in enumerate(labels)}
    unknown = [label for label in own if label not in number]
    if unknown:
        raise InvalidComparisons(
            name,
            f": {len(unknown)} objects, {some_labels(unknown)}, are none of the "
            f"{len(labels)} items: add them to the items.",
            code="unknown label",
        )
    rows = np.array([number[label] for label in own], np.int32)[found.rows]
    rows.flags.writeable = False
    return replace(found, rows=rows, n_objects=len(labels), labels=labels)
