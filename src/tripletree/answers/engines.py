"""The engines that queries run on: DuckDB, in this process, or Spark.

On DuckDB, labels that are text get their ids from an enumeration type, or, where rows
are fetched from text files, by way of hashes (`number_by_hash`): both are about as fast
as a scan, and rows keep their order, which a join would lose.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil

from tripletree._checks import check_int
from tripletree._progress import OnProgress, Progress, ignore
from tripletree.answers import relation
from tripletree.answers.duckdb_errors import explain_errors
from tripletree.answers.layout import Layout, Options
from tripletree.answers.on_spark import Spark, is_frame, is_session, on_spark
from tripletree.answers.sql import Query, Sql, columns
from tripletree.answers.tables import (
    PARQUET,
    Table,
    engine_path,
    layout_of,
    open_table,
    text_of,
)
from tripletree.comparisons.row_checks import Ints
from tripletree.errors import (
    InvalidOption,
    Remedy,
    TooLarge,
    refuse_if,
)

ADDRESSES = ("local", "spark://", "yarn", "k8s://")
LEAST_MEMORY, MOST_MEMORY = 64 * 10**6, 2**60
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
BINARY = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*(?:([kmgt])(i?)b?|b?)", re.I)
ROWS_PER_GROUP = 10**6
ROWS_PER_BATCH = 2**18
SECONDS_BETWEEN = 0.2  # of telling how far a query is
UNORDERED = "SET preserve_insertion_order = false"
HASH = "CAST(hash({}) >> 1 AS BIGINT)"  # 63 bits
CASTS = {"whole": "BIGINT", "number": "DOUBLE", "text": "VARCHAR"}


class DuckDB:
    """A table of answers, and queries over the table *answers* that it makes of it.

    A query is built by a function of SQL under construction, the layout and what else
    it needs. minus: files of pair sums that are taken away from those of the table.
    """

    def __init__(
        self, table: Table, layout: Layout, minus: tuple[Path, ...] = ()
    ) -> None:
        self.table, self.layout, self.minus = table, layout, minus
        self.numbers = "{}"  # how x0, x1, ... get their ids
        self.labels: Sequence[str] = ()
        self.lowest: int | None = None

    def number(self, labels: Sequence[str]) -> None:
        """From now on x0, x1, ... are places among these labels, or NULL."""
        # An enumeration cannot be empty; nothing ever has the code of the stand-in.
        self.table.connection.execute(
            "CREATE TEMP TYPE label_names AS ENUM (SELECT unnest($labels))",
            {"labels": list(labels) or [""]},
        )
        self.labels = labels
        self.numbers = "CAST(enum_code(TRY_CAST({} AS label_names)) AS INTEGER)"

    def number_from(self, low: int, high: int) -> None:
        """From now on x0, x1, ... are distances from the lowest label, an integer."""
        self.lowest = low
        distance = f"CASE WHEN {{0}} BETWEEN {low} AND {high} THEN {{0}} - {low} END"
        self.numbers = f"CAST({distance} AS INTEGER)"

    def number_by_hash(self, texts: Sequence[str]) -> Ints:
        """From now on x0, x1, ... are integers; which ones stand for these texts.

        Of text files they are read in half the time that places take. An enumeration
        is as fast where the engine has numbers for texts already, as Parquet files do.
        """
        self.numbers, numbers = self.hashes(texts)
        return numbers

    def hashes(self, texts: Sequence[str]) -> tuple[str, Ints]:
        """SQL for an integer in place of a text {0}, and the integers of some texts.

        It is a hash, or another one in the rare case that two of these texts share it.
        """
        own = {"texts": [*texts, None]}  # what is missing has a hash as well
        for salt in count():
            made_of = f"concat({{0}}, '{salt}')" if salt else "{0}"
            of = HASH.format(made_of)
            each = "(SELECT unnest(CAST($texts AS VARCHAR[])) AS t)"
            query = f"SELECT {of.format('t')} AS number FROM {each}"
            numbers = self.table.connection.execute(query, own).fetchnumpy()["number"]
            if len(np.unique(numbers)) == len(numbers):
                break
        return of, numbers[:-1]

    def rows(self, build: Query, *args: Any, **options: Any) -> list[dict[str, Any]]:
        """All rows of a small result; options as in `_query`."""
        with self._telling("looking at the rows"):
            found = self._run(build, *args, **options)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def arrays(self, build: Query, *args: Any) -> dict[str, npt.NDArray[Any]]:
        """All rows of a large result, in the order of the file."""
        with self._telling("reading"):
            return self._run(build, *args).fetchnumpy()  # type: ignore[no-any-return]

    def write(self, path: Path, build: Query, *args: Any) -> None:
        """Write a large result to a Parquet file."""
        tail = f") TO $out (FORMAT parquet, ROW_GROUP_SIZE {ROWS_PER_GROUP})"
        labels = np.array(self.labels, np.object_)
        table = {"label": labels, "id": np.arange(len(labels))}
        try:
            with explain_errors(self.table.name), self._telling("summing"):
                self.table.connection.register("labels", table)
                self.table.connection.execute(UNORDERED)
                self._run(build, *args, around=("COPY (", tail), out=str(path))
        except TooLarge:
            what = "the pair sums need more memory than the limit allows: give more "
            raise TooLarge(
                what, Remedy("memory"), ", or sum the files in parts and merge them."
            ) from None

    def batches(self, build: Query, *args: Any) -> Iterator[Any]:
        """A result of any length, as batches of Arrow, in any order."""
        self.table.connection.execute(UNORDERED)
        text, own = self._query(build, *args)
        # Not executed: a result of that kind would be in memory as a whole.
        rows = self.table.connection.sql(text, params=own)
        try:
            return iter(rows.to_arrow_reader(ROWS_PER_BATCH))
        except ImportError:
            message = "answers are scored through pyarrow: pip install pyarrow."
            raise InvalidOption(message) from None

    def find_row(
        self, test: str, given: Sequence[object]
    ) -> tuple[tuple[str, str] | None, dict[str, Any]]:
        """The first row for which a test holds: its file and line, and its values.

        given: what stands for {0}, {1}, ... in the test.
        """
        (values,) = self.rows(
            relation.one_row, test, given, "ORDER BY nr", with_row=True
        )
        return self.table.place(values["nr"]), values

    def _telling(self, step: str) -> AbstractContextManager[None]:
        return telling(self.table.paths, step, self.layout.options.progress)

    def _run(self, build: Query, *args: Any, **options: Any) -> Any:
        return self.table.connection.execute(*self._query(build, *args, **options))

    def _query(
        self,
        build: Query,
        *args: Any,
        with_row: bool = False,
        around: tuple[str, str] = ("", ""),
        **own: Any,
    ) -> tuple[str, dict[str, Any]]:
        """A query with the table *answers* before it, and its parameters.

        with_row: with the number of each row; around: what is before and behind it,
        with parameters of its own.
        """
        sql = Sql(is_spark=False)
        query, rows = build(sql, self.layout, *args), self._columns(sql, with_row)
        ids = columns(self._ids(sql))
        text = f"WITH answers AS (SELECT *, {ids} FROM ({rows}) AS t) {query}"
        return self.table.query(text.join(around), sql.parameters | own)

    def _columns(self, sql: Sql, with_row: bool) -> str:
        """SQL for the columns in use, each as one of our kinds."""
        q, types = self.layout, self.table.types
        select = {}
        for at in q.used:
            is_text = q.kinds[at] == "text" or types[at] == "FLOAT"  # 0.1, as written
            value = text_of(at, types[at]) if is_text else f"c{at}"
            select[f"c{at}"] = f"CAST({value} AS {CASTS[q.kinds[at]]})"
        if q.is_json:
            select |= {f"j{n}": f"json_type(c{at})" for n, at in enumerate(q.shown)}
        if with_row:
            select["nr"] = "row_number() OVER () - 1"
        rows = f"SELECT {columns(select)} FROM {{table}}"
        if q.form == "pairs":
            rows = f"SELECT *, 1 AS sign FROM ({rows}) AS t"
        if self.minus:
            sql.parameters["minus"] = [engine_path(path) for path in self.minus]
            other = f"{PARQUET.replace('$files', '$minus')} AS t(c0, c1, c2, c3)"
            rows += f" UNION ALL SELECT {columns(select)}, -1 AS sign FROM {other}"
        return rows

    def _ids(self, sql: Sql) -> dict[str, str]:
        """SQL for objects: labels, or ids once there are some."""
        q = self.layout
        ids = {f"x{n}": relation.label(sql, q, at) for n, at in enumerate(q.shown)}
        if q.answer is not None:
            ids["given"] = relation.spelled(sql, q, q.answer)
        return {name: self.numbers.format(label) for name, label in ids.items()}


def bytes_read() -> int | None:
    """How many bytes this process has read so far, where that is known: on Linux.

    Containers may hide the counters, or lack some of them.
    """
    try:
        return int(psutil.Process().io_counters().read_chars)
    except (AttributeError, OSError, RuntimeError, ValueError, psutil.Error):
        return None


@contextmanager
def telling(
    paths: Sequence[Path], step: str, progress: OnProgress | None
) -> Iterator[None]:
    """Tell how many megabytes of the files a query has read, while it runs.

    The engine has a figure of its own, `query_progress`, but it weighs the parts of a
    plan alike, and may end at 15 %. Callbacks come from another thread; if one fails,
    so does the query, when it has ended.
    """
    began = bytes_read()
    if progress is None or not paths or began is None:
        yield
        return
    n_bytes, is_done = 0, threading.Event()
    with suppress(OSError):  # of a file that has gone the query tells
        n_bytes = sum(path.stat().st_size for path in paths)

    def watch() -> None:
        while not is_done.wait(SECONDS_BETWEEN):
            done = min((bytes_read() or began) - began, n_bytes)
            progress(Progress(f"{step} (MB)", done // 10**6, n_bytes // 10**6))

    with ThreadPoolExecutor(1) as pool:
        try:
            told = pool.submit(watch)
            yield
        finally:
            is_done.set()
        told.result()


Engine = DuckDB | Spark


@contextmanager
def on_duckdb(
    source: Any,
    options: Options,
    memory: int | None = None,
    beside: Path | None = None,
    minus: tuple[Path, ...] = (),
) -> Iterator[DuckDB]:
    """A source of answers, or of pair sums, on DuckDB."""
    progress = options.progress or ignore
    with open_table(source, options.columns, memory, beside, progress) as table:
        yield DuckDB(table, layout_of(table, options), minus)


def check_memory(memory: str | int | None) -> int | None:
    """A number of bytes from 64 MB on: an integer, or text such as "2GB".

    Examples
    --------
    >>> check_memory("2GB"), check_memory("1.5 GiB"), check_memory(10**9)
    (2000000000, 1610612736, 1000000000)
    """
    if memory is None:
        return None
    if not isinstance(memory, str):
        return check_int("memory", memory, LEAST_MEMORY, MOST_MEMORY)
    found = SIZE.fullmatch(memory.strip())
    number, unit, is_binary = found.groups() if found else ("0", "", "")
    units = BINARY if is_binary else UNITS
    n_bytes = int(float(number) * units[(unit or "").lower()])
    refuse_if(
        not LEAST_MEMORY <= n_bytes <= MOST_MEMORY,
        InvalidOption,
        f"memory = {memory!r:.80}: give bytes, or text such as '2GB' or '500MB'; at "
        "least 64 MB.",
    )
    return n_bytes


def open_engine(
    source: Any,
    options: Options,
    engine: Any,
    memory: str | int | None,
    beside: Path | None,
    minus: tuple[Path, ...] = (),
) -> AbstractContextManager[Engine]:
    """A source on the engine that is asked for."""
    limit = check_memory(memory)
    if is_frame(source):
        engine = source.sparkSession if engine is None else engine
        refuse_if(
            not is_session(engine),
            InvalidOption,
            "a Spark data frame is summed by its own session: leave engine out.",
        )
    named = engine if isinstance(engine, str) else ""
    if engine is None or named == "duckdb":
        return on_duckdb(source, options, limit, beside, minus)
    refuse_if(
        named != "spark" and not named.startswith(ADDRESSES) and not is_session(engine),
        InvalidOption,
        f"engine = {engine!r:.80}: give 'duckdb', 'spark', a Spark session, or the "
        "address of a Spark master such as 'local[4]' or 'spark://host:7077'.",
    )
    master = "local[*]" if named == "spark" else engine
    return on_spark(source, options, master, limit, minus)
