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
from tripletree.comparisons.answers import Comparisons
from tripletree.comparisons.files.decoding import Decoded, Decoder
from tripletree.comparisons.files.filters import Choice, make_filters
from tripletree.comparisons.files.headers import (
    Columns,
    check_left_over,
    has_positions,
    recognise,
)
from tripletree.comparisons.files.items import item_labels
from tripletree.comparisons.files.npz import read_npz
from tripletree.comparisons.files.paths import ending_of, files_of, is_path
from tripletree.comparisons.files.sources import opened
from tripletree.comparisons.files.spoken import TIE
from tripletree.comparisons.files.tables import Table
from tripletree.comparisons.quadruplets import Quadruplets
from tripletree.comparisons.rows import own_trials
from tripletree.comparisons.triplets import Triplets
from tripletree.errors import InvalidComparisons, InvalidOption

BY_PLACE = "no header: columns taken as target, near, far"


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
                    f"{paths[0]}: an .npz file holds comparisons, no table: read one "
                    "at a time, with no option but items; then select or concatenate."
                )
                raise InvalidOption(message)
            return _in_order(read_npz(paths[0]), labels, str(paths[0]))
    with opened(source, has_positions(columns)) as table:
        given, columns = columns, columns_by_place(table, columns)
        header = recognise(table.names, columns, table.name)
        filters = make_filters(
            table.names, header, keep, drop, min_response_time, table.name
        )
        check_left_over(table.names, header, columns, filters.positions, table.name)
        decoder = Decoder(table, header, labels, filters)
        if columns is not given:
            decoder.notes.append(BY_PLACE)
        return _decided(decoder, drop_degenerate)


def columns_by_place(table: Table, columns: Columns) -> Columns:
    """The option `columns`; without a header, integers have their meaning by place."""
    if columns is not None or table.text is None or table.text.has_header:
        return columns
    n = len(table.names)
    if n == 4:
        message = (
            f"{table.name}: 4 columns of integers without a header may be quadruplets, "
            "or triplets and a worker or a response: say which, with columns=[0, 1, 2, "
            "3], or columns={'target': 0, 'near': 1, 'far': 2, 'annotator': 3}."
        )
        raise InvalidComparisons(message)
    if n != 3:
        message = (
            f"{table.name}: {n} columns of integers without a header, and only 3 have "
            "a known meaning: say which is which, for example columns={'target': 0, "
            "'near': 1, 'far': 2}."
        )
        raise InvalidComparisons(message)
    return [0, 1, 2]


def no_answers(name: str, dropped: dict[str, int]) -> InvalidComparisons:
    """The error about a table of which nothing is left."""
    left_out = ", ".join(f"{why}: {n}" for why, n in dropped.items() if n)
    but = f" but those left out ({left_out})" if left_out else ""
    return InvalidComparisons(
        f"{name} has no answers{but}: check the file and the options."
    )


def _decided(decoder: Decoder, drop_degenerate: bool) -> Comparisons:
    """Read the table; leave out ties, and rows that compare an object with itself."""
    decoded, form = decoder.decoded(), decoder.header.form
    dropped = decoder.filters.dropped(decoded.reason)
    kept = decoded.reason == 0
    if decoded.answer is not None:
        is_tie = kept & (decoded.answer == TIE)
        dropped["undecided"] = int(is_tie.sum())
        kept &= ~is_tie
    rows = _ordered(decoded, form)
    wrong = _is_degenerate(rows) & kept
    if wrong.any():
        if not drop_degenerate:
            message = (
                f"{decoder.describe(int(wrong.argmax()))}: an object is compared with "
                "itself, which says nothing. Correct it, or leave such rows out with "
                "drop_degenerate=True."
            )
            raise InvalidComparisons(message)
        dropped["degenerate"] = int(wrong.sum())
        kept &= ~wrong
    return _made(rows, kept, decoded, form, decoder.table.name, dropped)


def _ordered(decoded: Decoded, form: str) -> npt.NDArray[np.int32]:
    """Rows as target, near, far; pair and odd; or others and central: (m, 3 or 4)."""
    codes, answer = decoded.codes, decoded.answer
    if answer is None:
        return np.stack(codes, axis=1)
    if form == "choice":
        target, left, right = codes
        near, far = np.where(answer == 1, (left, right), (right, left))
        return np.stack([target, near, far], axis=1)
    one = np.where(answer == 1, codes[1], codes[0])
    two = np.where(answer == 3, codes[1], codes[2])
    marked = np.choose(np.clip(answer, 1, 3) - 1, codes)
    return np.stack([one, two, marked], axis=1)


def _is_degenerate(rows: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    first, second = rows[:, 0], rows[:, 1]
    if rows.shape[1] == 3:
        third = rows[:, 2]
        wrong: npt.NDArray[np.bool_] = (first == second) | (first == third)
        wrong |= second == third
        return wrong
    third, fourth = rows[:, 2], rows[:, 3]
    wrong = (first == second) | (third == fourth)
    wrong |= (first == third) & (second == fourth)
    wrong |= (first == fourth) & (second == third)
    return wrong


def _made(
    rows: npt.NDArray[np.int32],
    kept: npt.NDArray[np.bool_],
    decoded: Decoded,
    form: str,
    name: str,
    dropped: dict[str, int],
) -> Comparisons:
    """Triplets or quadruplets of the rows that stay."""
    if not decoded.labels:
        raise no_answers(name, dropped)
    weights, annotators, trials = decoded.weights, decoded.annotators, None
    if not kept.all():
        rows = rows[kept]
        weights = None if weights is None else weights[kept]
        annotators = None if annotators is None else annotators[kept]
    if form.startswith(("odd", "central")):
        # Odd o of {a, b, o}: (a, b, o), (b, a, o); central c: (a, c, b), (b, c, a).
        order = [0, 1, 2, 1, 0, 2] if form.startswith("odd") else [0, 2, 1, 1, 2, 0]
        rows = rows[:, order].reshape(-1, 3)
        weights = None if weights is None else np.repeat(weights, 2)
        annotators = None if annotators is None else np.repeat(annotators, 2)
        trials = own_trials(len(rows)) // 2
    rows.flags.writeable = False
    make = Quadruplets if form == "quadruplet" else Triplets
    labels, names = decoded.labels, decoded.annotator_names
    more = (annotators, names, dropped, decoded.notes, trials)
    try:
        return make(rows, len(labels), weights, labels, *more)
    except InvalidComparisons as error:  # weights that overflow together
        message = f"{name}: {error}"
        raise InvalidComparisons(message) from None


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
        raise InvalidComparisons(message)
    rows = np.array([number[label] for label in own], np.int32)[found.rows]
    rows.flags.writeable = False
    return replace(found, rows=rows, n_objects=len(labels), labels=labels)
