"""Answers from files and data frames: read them, see what was left out.

Labels are text, exactly as it stands in the file: "01" and "1" are two objects, and
an integer of twenty digits is one. Files that count from 1 need no care, for labels are
labels. Objects are numbered in natural order (integers by value, img2 before img10),
which does not depend on the order of rows; `items=` gives any other order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tripletree._checks import check_fits, read_only
from tripletree._progress import OnProgress
from tripletree.answers.checking import check_faults, unknown_labels
from tripletree.answers.engines import DuckDB, on_duckdb
from tripletree.answers.filters import Choice
from tripletree.answers.first_look import (
    compare_forms,
    find_labels,
    find_names,
    look,
    no_answers,
    prepare_counting,
)
from tripletree.answers.header import Columns
from tripletree.answers.items import item_labels
from tripletree.answers.labels import (
    one_negative,
    one_sided,
    some_labels,
)
from tripletree.answers.layout import Layout, Options
from tripletree.answers.npz import Arrays, read_npz
from tripletree.answers.relation import STAY, orders_of, relation
from tripletree.answers.sources import ending_of, files_of, is_path
from tripletree.answers.sql import Sql
from tripletree.answers.sql import columns as columns_of
from tripletree.comparisons import _rows_kernel as kernels
from tripletree.comparisons.row_checks import Bools, Ints, Rows, number_answers
from tripletree.comparisons.triplets import Comparisons, Quadruplets, Triplets
from tripletree.errors import (
    SUM_ON_DISK,
    InvalidComparisons,
    InvalidOption,
    Remedy,
    refuse_if,
)

TRIAL = r"\Att([0-9]{1,9})-([0-9]{1,10})\z"  # as `write_comparisons` marks trials
ROWS_TO_SPAN = 4  # integers are numbered by a table of at most 4 places per row


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
    progress: OnProgress | None = None,
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
        one object, called by the most frequent of them, or as in `items`.
    progress : callable, optional
        Called with a `Progress` before each file, and while large files are read, then
        from another thread.

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
    answer is read as `trials`. Numbers of trials by others are ignored.

    Words for a missing value (NA, N/A, null, none, ?, -, ...) are not labels, unless
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
    return read_with(source, Options.of(locals(), item_labels(items), True))[0]


def read_with(source: Any, options: Options) -> tuple[Comparisons, list[str]]:
    """The comparisons of a source, and the names of the columns they do not keep."""
    paths = files_of(source) if is_path(source) else []
    if any(ending_of(path).kind == "npz" for path in paths):
        refuse_if(
            len(paths) > 1 or options.are_about_rows,
            InvalidOption,
            f"{paths[0]}: an .npz file holds comparisons, not a table: read one at "
            "a time, with no option but items.",
        )
        return _in_order(read_npz(paths[0]), options.labels, str(paths[0])), []
    with on_duckdb(source, options) as engine:
        return comparisons_of(engine), engine.layout.lost


def comparisons_of(engine: DuckDB) -> Comparisons:
    """The comparisons in an open table of answers."""
    refuse_if(
        engine.layout.form == "pairs",
        InvalidComparisons,
        f"{engine.layout.name} holds pair sums, not answers: they are for ",
        Remedy("read_pairs", shell="`tripletree cluster`"),
        ".",
        code="pair sums",
    )
    compare_forms(engine)
    q = engine.layout
    found = look(engine)
    labels = [] if q.are_whole else find_labels(engine, found)
    names = find_names(engine, found)
    prepare_counting(engine, found, labels)
    _check_memory(q, found["n_rows"])
    are_hashed = not q.are_whole and q.text is not None
    if are_hashed:
        said = {engine.layout.merged.get(x, x) for x in found.get("said") or ()}
        hashes = engine.number_by_hash([*labels, *(said - {None, *labels})])
    elif not q.are_whole:
        engine.number(labels)
    name, hashes_of_names = engine.hashes(names or ())
    columns = _id_columns, "BIGINT" if are_hashed else _id_type(q, found), name
    arrays = engine.arrays(*columns)
    if q.trial is not None and (arrays["trial"] < 0).all():  # of another program
        engine.layout = replace(engine.layout, unused=(*engine.layout.unused, q.trial))
    dropped = check_faults(engine, _count(arrays))
    if engine.layout.start is not None:
        arrays = engine.arrays(*columns)
    if q.are_whole:
        labels, arrays = _number_integers(engine, arrays)
    arrays = _chosen(arrays, arrays["fault"] == 0)
    if are_hashed:
        _number_texts(q.name, arrays, "p", hashes)
    _number_texts(q.name, arrays, "annotator", hashes_of_names)
    if not labels:
        raise no_answers(engine.layout, dropped)
    return _make_comparisons(engine.layout, arrays, labels, names, dropped)


def _check_memory(q: Layout, n_rows: int) -> None:
    """Refuse more rows than fit into memory: packed well, 10^8 of them take a page."""
    width, n_orders = (4 if q.form == "quadruplet" else 3), len(orders_of(q.form))
    numbers = (q.annotator, q.weight, q.trial)
    beside = 1 + (q.answer is not None) + 8 * sum(at is not None for at in numbers)
    fetched = 8 * width + beside
    made = 4 * width if n_orders == 1 else 40 * n_orders  # with trials, and copies
    check_fits(
        n_rows * (2 * fetched + made),
        f"{q.name}: reading {n_rows:,} rows",
        "sum them on the disk, with ",
        SUM_ON_DISK,
        ", or read the file in parts.",
    )


def _id_type(q: Layout, found: dict[str, Any]) -> str:
    """The engine's type of ids, or of integer labels: half as wide if they fit."""
    if not q.are_whole:
        return "INTEGER"
    ends = [found.get(f"{x}{n}") for x in ("low", "high") for n in range(len(q.shown))]
    fits = all(end is not None and 0 <= end < 2**31 for end in ends)
    return "INTEGER" if fits and not q.filters.positions else "BIGINT"


def _id_columns(sql: Sql, q: Layout, kind: str, name: str) -> str:
    """SQL for all rows of the relation: p0, p1, ..., fault, said, weight, ...

    kind: the type of p0, p1, ...; name: what is made of the name of an annotator.
    """
    n = 4 if q.form == "quadruplet" else 3
    select = {f"p{at}": f"coalesce(CAST(p{at} AS {kind}), -1)" for at in range(n)}
    select["fault"] = "CAST(fault AS UTINYINT)"
    if q.answer is not None:
        select["said"] = "CAST(said AS UTINYINT)"
    if q.annotator is not None:
        select["annotator"] = name.format(f"c{q.annotator}")
    if q.weight is not None:
        nothing = "-1" if q.is_whole else "CAST('nan' AS DOUBLE)"
        select["weight"] = f"coalesce(weight, {nothing})"
    if q.trial is not None:
        select["trial"] = _trial(sql, q.trial)
    return f"SELECT {columns_of(select)} FROM {relation(sql, q)}"


def _trial(sql: Sql, at: int) -> str:
    """SQL for the trial of a row as one number; -1 for what `write` has not written."""
    mark = sql.value(TRIAL)
    file, number = (f"regexp_extract(c{at}, {mark}, {n})" for n in (1, 2))
    both = f"TRY_CAST({file} AS BIGINT) * 4294967296 + TRY_CAST({number} AS UINTEGER)"
    return f"coalesce({both}, -1)"


def _count(arrays: Arrays) -> dict[tuple[int, int], int]:
    """How many rows have which fault and say what."""
    keys = arrays["fault"]
    if "said" in arrays:
        keys = keys.astype(np.uint16) + arrays["said"] * np.uint16(256)
    counts = np.bincount(keys)
    return {
        (key % 256, key // 256): counts[key].item()
        for key in np.flatnonzero(counts).tolist()
    }


def _number_integers(engine: DuckDB, arrays: Arrays) -> tuple[list[str], Arrays]:
    """Labels of integers, and the same rows with ids in their place."""
    stays = np.isin(np.arange(256), STAY)
    arrays = _chosen(arrays, stays[arrays["fault"]])
    places = [name for name in arrays if name[0] == "p"]
    if not len(arrays["p0"]):
        return [], arrays
    numbers, ids, sides = _compacted([arrays[name] for name in places])
    labels, items = [*map(str, numbers.tolist())], engine.layout.options.labels
    if items is None:
        engine.layout = engine.layout.warning(one_negative(labels))
    if items is None and engine.layout.form in ("triplet", "choice"):
        never, only = ([labels[at] for at in np.flatnonzero(~side)] for side in sides)
        engine.layout = engine.layout.warning(
            one_sided(never, only, len(labels), len(ids[0]))
        )
    if items is not None:
        order, unknown = _places(labels, items)
        if unknown:
            raise unknown_labels(engine, [int(label) for label in unknown])
        labels, ids = list(items), [order[one] for one in ids]
    return labels, arrays | dict(zip(places, ids, strict=True))


def _places(labels: Sequence[str], items: Sequence[str]) -> tuple[Rows, list[str]]:
    """The place of each label among the items, and the labels that are not there."""
    number = {label: at for at, label in enumerate(items)}
    unknown = [label for label in labels if label not in number]
    return np.array([number.get(x, -1) for x in labels], np.int32), unknown


def _chosen(arrays: Arrays, is_chosen: Bools) -> Arrays:
    """Some of the rows; nothing is copied if these are all."""
    if is_chosen.all():
        return arrays
    return {name: one[is_chosen] for name, one in arrays.items()}


def _compacted(
    columns: list[Ints],
) -> tuple[Ints, list[Rows], Bools]:
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
    codes, found = _numbered(columns)
    order = np.argsort(found)
    place = np.empty(len(found), np.int32)
    place[order] = np.arange(len(found), dtype=np.int32)
    ids = [place[code] for code in codes]
    sides = np.zeros((2, len(found)), np.bool_)
    for at, one_column in enumerate(ids):
        sides[min(at, 1), one_column] = True
    return found[order], ids, sides


def _number_texts(where: str, arrays: Arrays, start: str, numbers: Ints) -> None:
    """Put ids in the place of what the engine has made of texts, column by column.

    start: of the names of the columns; numbers: what it makes of each text.
    """
    names = [name for name in arrays if name.startswith(start)]
    (_, *ids), found = _numbered([numbers, *(arrays[name] for name in names)])
    refuse_if(
        len(found) > len(numbers),
        InvalidComparisons,
        f"{where} has changed while it was read: read it again.",
        code="changed",
    )
    arrays |= dict(zip(names, ids, strict=True))


def _numbered(columns: list[Ints]) -> tuple[list[Rows], Ints]:
    """The number of each value, by its first occurrence; and the numbered values."""
    table, found, n_found = np.zeros((2**13, 2), np.int64), np.empty(2**12, np.int64), 0
    codes = [np.empty(len(one), np.int32) for one in columns]
    for one, code in zip(columns, codes, strict=True):
        done = 0
        while done < len(one):
            if n_found == len(found):  # half of the table is taken: make a larger one
                table = np.zeros((4 * len(table), 2), np.int64)
                old, found = found, np.empty(len(table) // 2, np.int64)
                kernels.number_values(
                    old, np.empty(n_found, np.int32), 0, table, found, 0
                )
            done, n_found = kernels.number_values(
                one, code, done, table, found, n_found
            )
    return codes, found[:n_found]


def _make_comparisons(
    q: Layout,
    arrays: Arrays,
    labels: list[str],
    names: list[str] | None,
    dropped: dict[str, int],
) -> Comparisons:
    """Triplets or quadruplets of the rows that say something."""
    rows = np.stack([arrays[x] for x in arrays if x[0] == "p"], axis=1, dtype=np.int32)
    more = {
        "weights": arrays.get("weight"),
        "annotators": arrays.get("annotator"),
    }
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
    make = Quadruplets if q.form == "quadruplet" else Triplets
    try:
        return make(
            read_only(rows),
            len(labels),
            labels=labels,
            annotator_names=names,
            dropped=dropped,
            notes=q.all_notes,
            warnings=q.warnings,
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
    order, unknown = _places(
        found.labels or [*map(str, range(found.n_objects))], labels
    )
    refuse_if(
        bool(unknown),
        InvalidComparisons,
        f"{name}: {len(unknown)} objects, {some_labels(unknown)}, are not among the "
        f"{len(labels)} items: add them to the items.",
        code="unknown label",
    )
    return replace(
        found,
        rows=read_only(order[found.rows]),
        n_objects=len(labels),
        labels=labels,
    )
