"""Pair sums of answers, which need not fit into memory, and their Parquet files.

An engine computes them; a file has the columns a, b, near, far.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tripletree._checks import check_fits, counted
from tripletree._files import check_name, replaced, temporary_folder
from tripletree._progress import OnProgress, Progress, ignore
from tripletree.answers import relation
from tripletree.answers.duckdb_errors import explain_errors
from tripletree.answers.engines import Engine, on_duckdb, open_engine
from tripletree.answers.filters import Choice
from tripletree.answers.first_look import number_objects
from tripletree.answers.header import Columns
from tripletree.answers.items import item_labels
from tripletree.answers.layout import Options
from tripletree.answers.sources import ending_of, files_of
from tripletree.answers.tables import connected, engine_path
from tripletree.errors import (
    SUM_ON_DISK,
    InvalidComparisons,
    Mismatch,
    Remedy,
    refuse_if,
)
from tripletree.similarity.sums_by_pair import PairSums

BYTES_PER_PAIR = 96  # the arrays of the result, and those they are made of


def pair_sums(
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
    engine: Any = None,
    memory: str | int | None = None,
) -> PairSums:
    """Pair sums of answers that need not fit into memory.

    The answers stay on the engine; what comes back is one row for each pair of objects
    that was asked about. They are all that linkage, search and revenue need.

    Parameters
    ----------
    source : path, list of paths, or table
        Files that end in .csv, .tsv, .txt, .jsonl (each also .gz or .zst) or .parquet
        (Spark: no .jsonl, no .zst); a pattern such as ``"day*/*.parquet"``; a pandas
        or polars frame, an Arrow or Ibis table; a Spark data frame; or files of pair
        sums, which are added up.
    columns, items : optional
    drop, keep : dict, optional
    min_response_time : float, optional
    drop_degenerate : bool, default False
    answer_words : dict, optional
    merge_spellings : bool, default False
        As in :func:`read_comparisons`.
    engine : None, "duckdb", "spark", SparkSession or str, optional
        DuckDB, in this process, by default. A Spark session, or the address of a Spark
        master such as "local[4]" or "spark://host:7077"; "spark" is "local[*]".
    memory : int or str, optional
        The most memory the engine may use, in bytes or as text such as "2GB"; beyond,
        it uses the disk. By default half of what is available (Spark: its own). For
        Spark, of each Java process that is started.

    Returns
    -------
    PairSums
        Objects in the order of `items`, else in natural order, as read_comparisons
        has them. An object that is only ever compared with itself is not among them.

    Raises
    ------
    InvalidComparisons
        If rows are wrong, naming the first and its line (Spark: one of them).
    TooLarge
        If the sums do not fit into memory: use :func:`write_pair_sums`.
    InvalidOption
        If an option is not as described.
    UnreadableFile
        If there is no such file.

    Notes
    -----
    What read_comparisons assumes is assumed here, too; `notes` and `warnings` say so.
    Files do not keep them; the `progress` of :func:`write_pair_sums` gets them.

    Exact for integers. With weights that are floats, the order of additions, and so
    the last digits, is the engine's choice. Ties make a row of sums 0. Annotators are
    not looked at, unless `drop` or `keep` do. Two passes over the source (three if
    labels are text).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "answers.csv")
    ...     _ = path.write_text("head,winner,loser\\nowl,hawk,carp\\nowl,hawk,cod\\n")
    ...     sums = pair_sums(path)
    >>> sums.labels, sums.near.tolist(), sums.far.tolist()
    (('carp', 'cod', 'hawk', 'owl'), [0, 0, 2], [1, 1, 0])
    """
    options = Options.of(locals(), item_labels(items))
    with temporary_folder() as folder:
        path = folder / "pairs.parquet"
        with open_engine(source, options, engine, memory, folder) as opened:
            _write_sums(opened, path)
        sums = read_pairs(path, items=options.labels)
    layout = opened.layout
    return replace(sums, notes=layout.all_notes, warnings=layout.warnings)


def write_pair_sums(
    source: Any,
    path: str | os.PathLike[str],
    *,
    columns: Columns = None,
    items: Any = None,
    drop: Choice | None = None,
    keep: Choice | None = None,
    min_response_time: float | None = None,
    drop_degenerate: bool = False,
    answer_words: Mapping[str, str] | None = None,
    merge_spellings: bool = False,
    engine: Any = None,
    memory: str | int | None = None,
    progress: OnProgress | None = None,
    overwrite: bool = True,
) -> dict[str, int]:
    """Write the pair sums of answers to a Parquet file; nothing passes through Python.

    The file has the columns a, b (labels), near and far (BIGINT, or DOUBLE if weights
    are not all integers), one row for each pair that was asked about, in the order of
    labels; rows whose sums cancel are kept. It appears when it is whole. What does not
    fit into memory is written beside it for a while. Objects without a pair, which
    are only ever compared with themselves, are not in it.

    Parameters
    ----------
    source : path, list of paths, or table
        As in :func:`pair_sums`.
    path : path
        Ending in .parquet.
    columns, items : optional
    drop, keep : dict, optional
    min_response_time : float, optional
    drop_degenerate : bool, default False
    answer_words : dict, optional
    merge_spellings : bool, default False
        As in :func:`read_comparisons`.
    engine : None, "duckdb", "spark", SparkSession or str, optional
        As in :func:`pair_sums`.
    memory : int or str, optional
        As in :func:`pair_sums`.
    progress : callable, optional
        Called with a `Progress` when a step begins, and with what is assumed where the
        source does not tell, or may be wrong; and, from another thread, while large
        files are read on DuckDB.
    overwrite : bool, default True
        Whether to replace a file that is there.

    Returns
    -------
    dict of str to int
        How many rows were left out, by reason.

    Raises
    ------
    InvalidComparisons
        If rows are wrong, naming the first and its line (Spark: one of them).
    InvalidOption
        If an option is not as described.
    UnreadableFile
        If there is no such file, or it cannot be written: no such folder, a full disk,
        or a file that may not be replaced.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     answers = pathlib.Path(folder, "answers.csv")
    ...     _ = answers.write_text("i,j,k\\n3,1,2\\n3,1,2\\n")
    ...     _ = write_pair_sums(answers, pathlib.Path(folder, "pairs.parquet"))
    ...     read_pairs(pathlib.Path(folder, "pairs.parquet")).near.tolist()
    [2, 0]
    """
    options = Options.of(locals(), item_labels(items))
    with (
        new_pair_file(path, overwrite) as new,
        open_engine(source, options, engine, memory, new.parent) as opened,
    ):
        return _write_sums(opened, new, progress or ignore)


def _write_sums(
    engine: Engine, path: Path, progress: OnProgress = ignore
) -> dict[str, int]:
    """Write the pair sums of an open table; how many rows are left out, by reason."""
    progress(Progress("looking at the rows"))
    n_rows, dropped = number_objects(engine)
    warned = (f"warning: {text}" for text in engine.layout.warnings)
    for text in (*engine.layout.all_notes, *warned):
        progress(Progress(text))
    progress(Progress(f"summing {counted(n_rows, 'row')}"))
    engine.write(path, relation.labelled_pair_sums, engine.lowest)
    return dropped


def merge_pair_files(
    sources: Any,
    path: str | os.PathLike[str],
    *,
    without: Any = (),
    engine: Any = None,
    memory: str | int | None = None,
    overwrite: bool = True,
) -> None:
    """Add up files of pair sums, and take others away, on an engine.

    Parameters
    ----------
    sources : path or list of paths
        Files of pair sums, or patterns.
    path : path
        The file to write, ending in .parquet.
    without : path or list of paths, optional
        Files of pair sums that are part of the sources, such as those of an annotator
        or a day. Pairs that only they asked about stay, with sums of 0.
    engine : None, "duckdb", "spark", SparkSession or str, optional
        As in :func:`pair_sums`.
    memory : int or str, optional
        As in :func:`pair_sums`.
    overwrite : bool, default True
        Whether to replace a file that is there.

    Returns
    -------
    None

    Raises
    ------
    InvalidComparisons
        If a file holds no pair sums.
    Mismatch
        If more is taken away than there is, or sums of weights that are not integers
        from sums of integers.
    InvalidOption
        If engine or memory are not as described.
    UnreadableFile
        If there is no such file, or it cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from tripletree import PairSums, write_pairs
    >>> one = PairSums(["a", "b", "c"], [[0, 1], [0, 2]], [1, 0], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     two, both = pathlib.Path(folder, "2.parquet"), pathlib.Path(folder, "b.pq")
    ...     write_pairs(one + one, two)
    ...     merge_pair_files(two, both)
    ...     read_pairs(both).near.tolist()
    [2, 0]
    """
    is_none = without is None or (isinstance(without, list | tuple) and not without)
    minus = () if is_none else tuple(files_of(without))
    with new_pair_file(path, overwrite) as new:
        with open_engine(
            sources, Options(), engine, memory, new.parent, minus
        ) as opened:
            _check_sums(opened, minus, memory, new.parent)
            _write_sums(opened, new)
        for text in opened.layout.warnings:
            warnings.warn(text, UserWarning, stacklevel=2)
        check_sums_not_negative(new, opened.layout.is_whole)


def _check_sums(
    engine: Engine, minus: tuple[Path, ...], memory: str | int | None, beside: Path
) -> None:
    """Refuse what are not pair sums, or not part of those they are taken away from."""
    layout = engine.layout
    refuse_if(
        layout.form != "pairs",
        InvalidComparisons,
        f"{layout.name} holds answers, not pair sums: sum them first, with ",
        Remedy("write_pair_sums", shell="`tripletree pairs`"),
        ".",
        code="no pair sums",
    )
    for one in minus:
        with open_engine(str(one), Options(), None, memory, beside) as other:
            found = other.layout
        refuse_if(
            found.form != "pairs",
            InvalidComparisons,
            f"{one} does not hold pair sums: it cannot be taken away.",
            code="no pair sums",
        )
        refuse_if(
            layout.kinds[2] == "whole" != found.kinds[2],
            Mismatch,
            f"{one} holds sums of weights with fractions, and {layout.name} sums of "
            "integers: the first cannot be part of the other.",
        )


def write_pairs(
    pairs: PairSums, path: str | os.PathLike[str], *, overwrite: bool = True
) -> None:
    """Write pair sums to a Parquet file, which appears when it is whole.

    Parameters
    ----------
    pairs : PairSums
    path : path
        Ending in .parquet.
    overwrite : bool, default True
        Whether to replace a file that is there.

    Returns
    -------
    None

    Raises
    ------
    InvalidComparisons
        If these are not pair sums, or the ending is another.
    UnreadableFile
        If the file cannot be written there, or may not be replaced.
    InvalidOption
        If overwrite is not True or False.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> sums = PairSums(["a", "b"], [[0, 1]], [3], [1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_pairs(sums, pathlib.Path(folder, "pairs.parquet"))
    """
    refuse_if(
        not isinstance(pairs, PairSums),
        InvalidComparisons,
        f"cannot write {type(pairs).__name__} as pair sums: give PairSums.",
        code="no pair sums",
    )
    labels = np.array(pairs.labels, np.object_)
    columns = {
        "low": pairs.pairs[:, 0],
        "high": pairs.pairs[:, 1],
        "near": pairs.near,
        "far": pairs.far,
    }
    with (
        new_pair_file(path, overwrite) as new,
        connected() as connection,
        explain_errors(str(path)),
    ):
        connection.register("sums", columns)
        connection.register("labels", {"label": labels, "id": np.arange(len(labels))})
        query = (
            "SELECT CAST(one.label AS VARCHAR) AS a, CAST(two.label AS VARCHAR) AS b, "
            f"near, far FROM {relation.with_label_tables('sums')} ORDER BY low, high"
        )
        connection.sql(query).write_parquet(str(new))


def read_pairs(source: Any, *, items: Any = None) -> PairSums:
    """Read pair sums from a file; from several, their sum.

    Parameters
    ----------
    source : path or list of paths
        Written by :func:`write_pairs`, :func:`write_pair_sums` or ``tripletree pairs``;
        or patterns.
    items : list of labels, path or table, optional
        All objects in their order; by default those of the file, in natural order.

    Returns
    -------
    PairSums

    Raises
    ------
    InvalidComparisons
        If a file does not hold pair sums, or an object is not among the items.
    TooLarge
        If the sums do not fit into the memory that is available.
    UnreadableFile
        If there is no such file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> sums = PairSums(["a", "b", "c"], [[0, 1], [0, 2]], [1, 0], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "pairs.parquet")
    ...     write_pairs(sums, path)
    ...     read_pairs(path)
    PairSums(2 pairs of 3 objects, 1 comparisons)
    """
    with on_duckdb(source, Options(labels=item_labels(items))) as engine:
        name = engine.layout.name
        refuse_if(
            engine.layout.form != "pairs",
            InvalidComparisons,
            f"{name} does not hold pair sums: they have the columns a, b, near, far. "
            "Sum answers with ",
            SUM_ON_DISK,
            ".",
            code="no pair sums",
        )
        (n,) = engine.table.run("SELECT count(*) FROM {table}").fetchone()
        check_fits(
            BYTES_PER_PAIR * n,
            f"a table of {n} pair sums",
            "score works without reading it; to cluster, use fewer objects, or a "
            "machine with more memory.",
        )
        number_objects(engine)
        found = engine.arrays(relation.sorted_pair_sums)
    pairs = np.column_stack([found["low"], found["high"]])
    try:
        made = PairSums(engine.labels, pairs, found["near"], found["far"])
    except InvalidComparisons as error:
        raise InvalidComparisons(name, f": {error}", code="no pair sums") from None
    return replace(made, warnings=engine.layout.warnings)


def new_pair_file(path: Any, overwrite: bool) -> AbstractContextManager[Path]:
    """A new file of pair sums that takes the place of one at the end."""
    target = Path(check_name(path))
    refuse_if(
        ending_of(target).kind != "parquet",
        InvalidComparisons,
        f"{str(target)!r:.200}: pair sums are written to .parquet files.",
        code="unknown ending",
    )
    return replaced(target, overwrite)


def check_sums_not_negative(path: Path, is_whole: bool) -> None:
    """Refuse sums from which more was taken away than there was."""
    with connected() as connection, explain_errors(str(path)):
        query = (
            "SELECT a, b FROM read_parquet($files) WHERE least(near, far) < -$slack * "
            "(SELECT max(greatest(near, far)) FROM read_parquet($files)) LIMIT 1"
        )
        wrong = connection.execute(
            query, {"files": [engine_path(path)], "slack": 0 if is_whole else 1e-9}
        ).fetchone()
    one, two = wrong or ("", "")
    refuse_if(
        wrong is not None,
        Mismatch,
        f"more is taken away than there is, of the pair {one[:80]!r} and "
        f"{two[:80]!r}: are these sums part of the others?",
    )
