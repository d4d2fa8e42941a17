"""Answers from files and data frames: read them, see what was left out.

Labels are text, exactly as it stands in the file: "01" and "1" are two objects, and
an integer of twenty digits is one. Files that count from 1 need no care, for labels are
labels. Objects are numbered in natural order (integers by value, img2 before img10),
which does not depend on the order of rows; `items=` gives any other order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_flag
from tripletree.answers import relation
from tripletree.answers.checking import (
    checked,
    first_reading,
    found_labels,
    looked,
    no_answers,
    refuse_unknown,
)
from tripletree.answers.header import Columns
from tripletree.answers.items import item_labels
from tripletree.answers.npz import read_npz
from tripletree.answers.on_duckdb import DuckDB, on_duckdb
from tripletree.answers.questions import Options
from tripletree.answers.relation import STAY, Reading
from tripletree.answers.rules import Choice
from tripletree.answers.sources import ending_of, files_of, is_path
from tripletree.answers.sql import columns as columns_of
from tripletree.comparisons.answers import Comparisons
from tripletree.comparisons.label_order import WHOLE, natural_order
from tripletree.comparisons.rows import own_trials
from tripletree.comparisons.triplets import Quadruplets, Triplets
from tripletree.errors import InvalidComparisons, InvalidOption

Arrays = dict[str, npt.NDArray[Any]]
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
) -> Comparisons:
    """Read answers from a file, from several, or from a data frame.

    Parameters
    ----------
    source : path, list of paths, or table
        A file that ends in .csv, .tsv, .txt, .jsonl (each also .gz or .zst), .parquet
        or .npz; a pattern such as "round*.csv"; a pandas or polars frame; an Arrow or
        Ibis table.
    columns : dict or list, optional
        Which column is which, where the header does not say: a dictionary of roles,
        ``{"target": "ref", "near": "a", "far": "b"}``, or a list of three (target,
        near, far) or four. Roles are target, near, far; near_1, near_2, far_1, far_2;
        target, left, right, answer; first, second (, third), odd or central; and
        annotator, response_time, weight (None to leave one out). Positions from 0, in
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

    Returns
    -------
    Triplets or Quadruplets
        With labels, and annotators and weights where there are columns for them;
        `dropped` counts the rows left out by reason, each row once; `notes` says what
        was assumed where the file does not tell.

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
    row says (an answer, ties, counts) and that no option mentions is refused.

    Three columns of integers without a header are taken as target, near, far, and
    answers that could be labels or positions 1, 2, 3 as labels if all are labels of
    their rows, as positions if most are not; `notes` says so.

    Labels are kept as they are, blanks included; labels that differ in blanks only, in
    signs that do not show or in their encoding, and 2 beside 2.0, are refused, unless
    `items` has both. Text files are UTF-8. Two passes over the source; memory for the
    result, not for the text.

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
    drop_degenerate = check_flag("drop_degenerate", drop_degenerate)
    labels = item_labels(items)
    if is_path(source):
        paths = files_of(source)
        if any(ending_of(path).kind == "npz" for path in paths):
            asked = (columns, drop, keep, min_response_time, drop_degenerate or None)
            if len(paths) > 1 or any(option is not None for option in asked):
                message = (
                    f"{paths[0]}: an .npz file holds comparisons, not a table: read "
                    "one at a time, with no option but items; then select or "
                    "concatenate."
                )
                raise InvalidOption(message)
            return _in_order(read_npz(paths[0]), labels, str(paths[0]))
    chosen = (columns, drop, keep, min_response_time, drop_degenerate)
    options = Options(*chosen, labels, with_annotators=True)
    with on_duckdb(source, options) as engine:
        return comparisons_of(engine, options)


def comparisons_of(engine: DuckDB, options: Options) -> Comparisons:
    """The comparisons in an open table of answers."""
    q, given = engine.questions, options.labels
    if q.form == "pairs":
        message = (
            f"{q.name} holds pair sums, not answers: only cluster and read_pairs take "
            "them."
        )
        raise InvalidComparisons(message, code="pair sums")
    found = looked(engine, with_labels=given is None and not q.are_whole)
    names = None
    if q.annotator is not None:
        texts = found.get("names") or ()
        names = natural_order(name for name in texts if name is not None)
        engine.name_annotators(names)
    labels: list[str] = []
    if q.are_whole:
        reading = first_reading(engine, found, (), given)
    else:
        labels = found_labels(engine, found, given)
        reading = first_reading(engine, found, labels, given)
        like = {*reading.like_positions}
        codes = [at for at, label in enumerate(labels) if label in like]
        reading = replace(reading, like_positions=codes)
        engine.number(labels)
    arrays = _fetched(engine, reading)
    n_items = None if given is None else len(given)
    counts = _counted(arrays)
    outcome = checked(engine, reading, counts, options.drop_degenerate, n_items)
    if outcome.reading.is_position:
        arrays = _fetched(engine, outcome.reading)
    if q.are_whole:
        labels, arrays = _numbered(engine, arrays, given)
    if not labels:
        raise no_answers(q.name, outcome.dropped)
    return _made(engine, arrays, labels, names, outcome.dropped, outcome.notes)


def _fetched(engine: DuckDB, reading: Reading) -> Arrays:
    """All rows of the relation: p0, p1, ..., fault, said, weight, annotator."""
    q, sql = engine.questions, engine.sql()
    kind = "BIGINT" if q.are_whole else "INTEGER"
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
    looked_at = {*q.filters.positions} & {*q.shown, q.annotator}
    may_read_ids = q.answer is None and not looked_at and not reading.may_repeat_header
    rows = relation.relation(sql, q, reading)
    query = f"SELECT {columns_of(select)} FROM {rows}"
    return engine.arrays(sql, query, may_read_ids)


def _counted(arrays: Arrays) -> dict[tuple[int, int], int]:
    """How many rows have which fault and say what."""
    if "said" not in arrays:
        counts = np.bincount(arrays["fault"])
        return {(fault, 0): n for fault, n in enumerate(counts.tolist()) if n}
    keys = arrays["fault"].astype(np.uint16) * 256 + arrays["said"]
    counts = np.bincount(keys)
    both = {key: counts[key].item() for key in np.flatnonzero(counts).tolist()}
    return {divmod(key, 256): n for key, n in both.items()}


def _numbered(engine: DuckDB, arrays: Arrays, given: Any) -> tuple[list[str], Arrays]:
    """Labels of integers, and the same rows with ids in their place."""
    stay = np.isin(arrays["fault"], STAY)
    places = [name for name in arrays if name[0] == "p"]
    arrays = {name: one if stay.all() else one[stay] for name, one in arrays.items()}
    values = [arrays[name] for name in places]
    if not len(values[0]):
        return [], arrays
    if given is not None:
        known = {int(x): at for at, x in enumerate(given) if WHOLE.fullmatch(x)}
        known = {x: at for x, at in known.items() if -(2**63) <= x < 2**63}
        ids = [_places(one, known) for one in values]
        for one, found in zip(values, ids, strict=True):
            if (found < 0).any():
                label = one[int((found < 0).argmax())].item()
                refuse_unknown(engine, label, len(given))
        labels = list(given)
    else:
        numbers, ids = _compacted(values)
        labels = [str(number) for number in numbers.tolist()]
    return labels, arrays | dict(zip(places, ids, strict=True))


def _places(
    values: npt.NDArray[np.int64], known: dict[int, int]
) -> npt.NDArray[np.int32]:
    """The place of each value among those known, or -1."""
    numbers = np.array(sorted(known), np.int64)
    if not len(numbers):
        return np.full(len(values), -1, np.int32)
    order = np.array([known[number] for number in numbers.tolist()], np.int32)
    at = np.searchsorted(numbers, values).clip(0, len(numbers) - 1)
    return np.where(numbers[at] == values, order[at], np.int32(-1))


def _compacted(
    columns: list[npt.NDArray[np.int64]],
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int32]]]:
    """The different numbers in order, and the place of each value among them."""
    low = min(int(one.min()) for one in columns)
    span = max(int(one.max()) for one in columns) - low + 1
    if span <= max(ROWS_TO_SPAN * sum(map(len, columns)), 2**16):
        is_there = np.zeros(span, np.bool_)
        for one in columns:
            is_there[one - low] = True
        number = np.cumsum(is_there, dtype=np.int32) - np.int32(1)
        ids = [number[one - low] for one in columns]
        return np.flatnonzero(is_there) + low, ids
    found = [_sorted_out(one) for one in columns]
    every = np.sort(np.concatenate([numbers for numbers, _ in found]))
    every = every[np.append(True, every[1:] != every[:-1])]
    places = [np.searchsorted(every, numbers).astype(np.int32) for numbers, _ in found]
    return every, [at[one] for at, (_, one) in zip(places, found, strict=True)]


def _sorted_out(
    values: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The different values in order, and the place of each among them."""
    order = np.argsort(values)
    ordered = values[order]
    is_new = np.append(True, ordered[1:] != ordered[:-1])
    places = np.empty(len(values), np.int32)
    places[order] = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
    return ordered[is_new], places


def _made(
    engine: DuckDB,
    arrays: Arrays,
    labels: list[str],
    names: list[str] | None,
    dropped: dict[str, int],
    notes: tuple[str, ...],
) -> Comparisons:
    """Triplets or quadruplets of the rows that say something."""
    q, kept = engine.questions, arrays["fault"] == 0
    rows = np.stack([arrays[x] for x in arrays if x[0] == "p"], axis=1, dtype=np.int32)
    weights, annotators, trials = arrays.get("weight"), arrays.get("annotator"), None
    if not kept.all():
        rows = rows[kept]
        weights = None if weights is None else weights[kept]
        annotators = None if annotators is None else annotators[kept]
    if q.form.startswith(("odd", "central")):
        # Odd o of {a, b, o}: (a, b, o), (b, a, o); central c: (a, c, b), (b, c, a).
        order = [0, 1, 2, 1, 0, 2] if q.form.startswith("odd") else [0, 2, 1, 1, 2, 0]
        rows = rows[:, order].reshape(-1, 3)
        weights = None if weights is None else np.repeat(weights, 2)
        annotators = None if annotators is None else np.repeat(annotators, 2)
        trials = own_trials(len(rows)) // 2
    rows.flags.writeable = False
    make = Quadruplets if q.form == "quadruplet" else Triplets
    more = (annotators, names, dropped, notes, trials)
    try:
        return make(rows, len(labels), weights, labels, *more)
    except InvalidComparisons as error:  # weights that overflow together
        message = f"{q.name}: {error}"
        raise InvalidComparisons(message, code="weights") from None


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
        message = (
            f"{name}: {len(unknown)} objects, {unknown[0][:80]!r} first, are none of "
            f"the {len(labels)} items: add them to the items."
        )
        raise InvalidComparisons(message, code="unknown label")
    rows = np.array([number[label] for label in own], np.int32)[found.rows]
    rows.flags.writeable = False
    return replace(found, rows=rows, n_objects=len(labels), labels=labels)
