"""The relation on DuckDB, in this process.

Labels that are text get their ids from an enumeration type: as fast as a scan, and rows
keep their order, which a join would lose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree.answers import relation
from tripletree.answers.duckdb_errors import explain_errors
from tripletree.answers.layout import Layout, Options
from tripletree.answers.sql import Query, Sql, columns
from tripletree.answers.tables import (
    PARQUET,
    Table,
    engine_path,
    layout_of,
    open_table,
    text_of,
)
from tripletree.errors import InvalidComparisons, InvalidOption, Remedy, TooLarge

ROWS_PER_GROUP = 10**6
ROWS_PER_BATCH = 2**18
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
        self.has_names = False  # of annotators

    def number(self, labels: Sequence[str]) -> None:
        """From now on x0, x1, ... are places among these labels, or NULL."""
        self._create_enum("label_names", labels)
        self.labels = labels
        self.numbers = "CAST(enum_code(TRY_CAST({} AS label_names)) AS INTEGER)"

    def number_from(self, low: int, high: int) -> None:
        """From now on x0, x1, ... are distances from the lowest label, an integer."""
        self.lowest = low
        distance = f"CASE WHEN {{0}} BETWEEN {low} AND {high} THEN {{0}} - {low} END"
        self.numbers = f"CAST({distance} AS INTEGER)"

    def name_annotators(self, names: Sequence[str]) -> None:
        """From now on `who` is a place among these names, or NULL."""
        self._create_enum("annotator_names", names)
        self.has_names = True

    def rows(self, build: Query, *args: Any) -> list[dict[str, Any]]:
        """All rows of a small result."""
        sql = Sql(is_spark=False)
        return self._fetch(sql, build(sql, self.layout, *args))

    def arrays(
        self, build: Query, *args: Any, may_read_ids: bool = False
    ) -> dict[str, npt.NDArray[Any]]:
        """All rows of a large result, in the order of the file.

        may_read_ids: nothing but their ids is asked of labels and annotators. In a text
        file they are then read as ids right away, a fifth faster; a label that has none
        is an error, and all is read again as text.
        """
        sql = Sql(is_spark=False)
        query = build(sql, self.layout, *args)
        types = dict.fromkeys(self.layout.shown, "label_names")
        if self.layout.annotator is not None:
            types[self.layout.annotator] = "annotator_names"
        if may_read_ids and self.table.text is not None and self.table.is_as_written:
            with suppress(InvalidComparisons), explain_errors(self.table.name):
                return self._run(sql, query, types).fetchnumpy()  # type: ignore[no-any-return]
        with explain_errors(self.table.name):
            return self._run(sql, query).fetchnumpy()  # type: ignore[no-any-return]

    def write(self, path: Path, build: Query, *args: Any) -> None:
        """Write a large result to a Parquet file."""
        sql = Sql(is_spark=False)
        tail = f") TO $out (FORMAT parquet, ROW_GROUP_SIZE {ROWS_PER_GROUP})"
        texts = np.array(self.labels, np.object_)
        try:
            with explain_errors(self.table.name):
                found = {"label": texts, "id": np.arange(len(texts))}
                self.table.connection.register("labels", found)
                self.table.connection.execute("SET preserve_insertion_order = false")
                query = build(sql, self.layout, *args)
                sql.parameters["out"] = str(path)
                self._run(sql, query, head="COPY (", tail=tail)
        except TooLarge:
            what = "the pair sums need more memory than the limit allows: give more "
            instead = ", or sum the files in parts and merge them."
            raise TooLarge(what, Remedy("memory"), instead) from None

    def batches(self, build: Query, *args: Any) -> Iterator[Any]:
        """A result of any length, as batches of Arrow, in any order."""
        sql = Sql(is_spark=False)
        with explain_errors(self.table.name):
            self.table.connection.execute("SET preserve_insertion_order = false")
            text, own = self._query(sql, build(sql, self.layout, *args))
            # Not executed: a result of that kind would be in memory as a whole.
            rows = self.table.connection.sql(text, params=own)
            try:
                reader = rows.to_arrow_reader(ROWS_PER_BATCH)
            except ImportError:
                message = "answers are scored through pyarrow: pip install pyarrow."
                raise InvalidOption(message) from None
            yield from reader

    def find(
        self, test: str, given: Sequence[object]
    ) -> tuple[int | None, dict[str, Any]]:
        """The number of the first row for which a test holds, and what it says.

        given: what stands for {0}, {1}, ... in the test.
        """
        sql = Sql(is_spark=False)
        rows, test = relation.relation(sql, self.layout), sql.filled(test, given)
        query = f"SELECT * FROM {rows} WHERE {test} ORDER BY nr LIMIT 1"
        (values,) = self._fetch(sql, query, with_row=True)
        return values["nr"], values

    def place(self, row: int) -> tuple[str, str]:
        """The file of a row, and its line or number there."""
        return self.table.place(row)

    def _create_enum(self, name: str, values: Sequence[str]) -> None:
        # An enumeration cannot be empty; nothing ever has the code of the stand-in.
        query = f"CREATE TYPE {name} AS ENUM (SELECT unnest($values))"
        with explain_errors(self.table.name):
            self.table.connection.execute(query, {"values": list(values) or [""]})

    def _fetch(self, sql: Sql, query: str, **options: Any) -> list[dict[str, Any]]:
        with explain_errors(self.table.name):
            found = self._run(sql, query, **options)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def _run(self, sql: Sql, query: str, *args: Any, **options: Any) -> Any:
        return self.table.connection.execute(*self._query(sql, query, *args, **options))

    def _query(
        self,
        sql: Sql,
        query: str,
        read_as: dict[int, str] | None = None,
        with_row: bool = False,
        head: str = "",
        tail: str = "",
    ) -> tuple[str, dict[str, Any]]:
        """A query with the table *answers* before it.

        read_as: types as which columns of a text file are read; with_row: with the
        number of each row.
        """
        rows = self._columns(sql, with_row)
        own = sql.parameters
        if read_as is not None:
            types = {f"c{at}": kind for at, kind in read_as.items()}
            own = own | {"columns": self.table.parameters["columns"] | types}
            rows = "SELECT * FROM {table}"
        ids = columns(self._ids(sql, is_read=read_as is not None))
        answers = f"SELECT *, {ids} FROM ({rows}) AS t"
        return self.table.query(f"{head}WITH answers AS ({answers}) {query}{tail}", own)

    def _columns(self, sql: Sql, with_row: bool) -> str:
        """SQL for the columns in use, each as one of our kinds."""
        q, types = self.layout, self.table.types
        select = {
            f"c{at}": f"CAST({text_of(at, types[at])} AS {CASTS[q.kinds[at]]})"
            for at in q.used
        }
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

    def _ids(self, sql: Sql, is_read: bool) -> dict[str, str]:
        """SQL for objects and annotators: labels, or ids once there are some.

        is_read: they are read as values of an enumeration.
        """
        code, q = "CAST(enum_code({}) AS INTEGER)", self.layout
        ids = {
            f"x{n}": code.format(f"c{at}")
            if is_read
            else self.numbers.format(relation.label(sql, q, at))
            for n, at in enumerate(q.shown)
        }
        if q.annotator is not None:
            who = f"c{q.annotator}"
            name = who if is_read else f"TRY_CAST({who} AS annotator_names)"
            ids["who"] = code.format(name) if self.has_names else who
        return ids


@contextmanager
def on_duckdb(
    source: Any,
    options: Options,
    memory: int | None = None,
    beside: Path | None = None,
    minus: tuple[Path, ...] = (),
) -> Iterator[DuckDB]:
    """A source of answers, or of pair sums, on DuckDB."""
    with open_table(source, options.columns, memory, beside) as table:
        yield DuckDB(table, layout_of(table, options), minus)
