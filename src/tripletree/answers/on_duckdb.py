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
from tripletree.answers.duckdb_errors import translated
from tripletree.answers.questions import Options, Questions
from tripletree.answers.sql import Sql, columns
from tripletree.answers.tables import (
    PARQUET,
    Table,
    engine_path,
    opened,
    questions_of,
    text_of,
)
from tripletree.errors import InvalidComparisons, InvalidOption, Remedy, TooLarge

ROWS_PER_GROUP = 10**6
ROWS_PER_BATCH = 2**18
CASTS = {"whole": "BIGINT", "number": "DOUBLE", "text": "VARCHAR"}


class DuckDB:
    """A table of answers, and queries over the table *answers* that it makes of it.

    minus: files of pair sums that are taken away from those of the table.
    """

    def __init__(
        self, table: Table, questions: Questions, minus: tuple[Path, ...] = ()
    ) -> None:
        self.table, self.questions, self.minus = table, questions, minus
        self.numbers: str | None = None  # how x0, x1, ... get their ids
        self.labels: Sequence[str] = ()
        self.lowest: int | None = None
        self.has_names = False  # of annotators

    def sql(self) -> Sql:
        """A query in the making."""
        return Sql(is_spark=False)

    def number(self, labels: Sequence[str]) -> None:
        """From now on x0, x1, ... are places among these labels, or NULL."""
        self._create_enum("label_names", labels)
        self.labels = labels
        self.numbers = "enum_code(TRY_CAST({} AS label_names))"

    def number_from(self, low: int, high: int) -> None:
        """From now on x0, x1, ... are distances from the lowest label, an integer."""
        self.lowest = low
        self.numbers = (
            f"CASE WHEN {{0}} BETWEEN {low} AND {high} THEN {{0}} - {low} END"
        )

    def name_annotators(self, names: Sequence[str]) -> None:
        """From now on `who` is a place among these names, or NULL."""
        self._create_enum("annotator_names", names)
        self.has_names = True

    def rows(self, sql: Sql, query: str) -> list[dict[str, Any]]:
        """All rows of a small result."""
        with translated(self.table.name):
            found = self._run(sql, query)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def arrays(
        self, sql: Sql, query: str, may_read_ids: bool
    ) -> dict[str, npt.NDArray[Any]]:
        """All rows of a large result, in the order of the file.

        may_read_ids: nothing but their ids is asked of labels and annotators. In a text
        file they are then read as ids right away, a fifth faster; a label that has none
        is an error, and all is read again as text.
        """
        q = self.questions
        is_text = self.table.text is not None and self.table.is_as_written
        if may_read_ids and is_text:
            types = dict.fromkeys(q.shown, "label_names")
            if q.annotator is not None:
                types[q.annotator] = "annotator_names"
            with suppress(InvalidComparisons), translated(self.table.name):
                return self._run(sql, query, types).fetchnumpy()  # type: ignore[no-any-return]
        with translated(self.table.name):
            return self._run(sql, query).fetchnumpy()  # type: ignore[no-any-return]

    def write(self, sql: Sql, query: str, path: Path) -> None:
        """Write a large result to a Parquet file."""
        tail = f") TO $out (FORMAT parquet, ROW_GROUP_SIZE {ROWS_PER_GROUP})"
        sql.parameters["out"] = str(path)
        texts = np.array(self.labels, np.object_)
        try:
            with translated(self.table.name):
                found = {"label": texts, "id": np.arange(len(texts))}
                self.table.connection.register("labels", found)
                self.table.connection.execute("SET preserve_insertion_order = false")
                self._run(sql, query, head="COPY (", tail=tail)
        except TooLarge:
            what = "the pair sums need more memory than the limit allows: give more "
            instead = ", or sum the files in parts and merge them."
            raise TooLarge(what, Remedy("memory"), instead) from None

    def batches(self, sql: Sql, query: str) -> Iterator[Any]:
        """A result of any length, as batches of Arrow, in any order."""
        with translated(self.table.name):
            self.table.connection.execute("SET preserve_insertion_order = false")
            text, own = self._query(sql, query)
            # Not executed: a result of that kind would be in memory as a whole.
            rows = self.table.connection.sql(text, params=own)
            try:
                reader = rows.to_arrow_reader(ROWS_PER_BATCH)
            except ImportError:
                message = "answers are scored through pyarrow: pip install pyarrow."
                raise InvalidOption(message) from None
            yield from reader

    def find(self, sql: Sql, rows: str, test: str) -> tuple[int | None, dict[str, Any]]:
        """The first row of a relation for which something holds, and what it says."""
        query = f"SELECT * FROM {rows} WHERE {test} ORDER BY nr LIMIT 1"
        with translated(self.table.name):
            found = self._run(sql, query, with_row=True)
            names = [column[0] for column in found.description]
            values = dict(zip(names, found.fetchone(), strict=True))
        return values["nr"], values

    def place(self, row: int) -> tuple[str, str]:
        """The file of a row, and its line or number there."""
        return self.table.place(row)

    def _create_enum(self, name: str, values: Sequence[str]) -> None:
        # An enumeration cannot be empty; the stand-in has no code that anyone sees.
        query = f"CREATE TYPE {name} AS ENUM (SELECT unnest($values))"
        parameters = {"values": list(values) or [""]}
        with translated(self.table.name):
            self.table.connection.execute(query, parameters)

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
        own = sql.parameters
        if read_as is not None:
            types = {f"c{at}": kind for at, kind in read_as.items()}
            own = own | {"columns": self.table.parameters["columns"] | types}
        answers = self._answers(sql, read_as or {}, with_row)
        return self.table.query(f"{head}WITH answers AS ({answers}) {query}{tail}", own)

    def _answers(self, sql: Sql, read_as: dict[int, str], with_row: bool) -> str:
        q, types = self.questions, self.table.types
        select = {
            f"c{at}": f"CAST({text_of(at, types[at])} AS {CASTS[q.kinds[at]]})"
            for at in q.used
        }
        if q.is_json:
            kinds = {f"j{n}": f"json_type(c{at})" for n, at in enumerate(q.shown)}
            select |= kinds
        if with_row:
            select["nr"] = "row_number() OVER () - 1"
        rows = f"SELECT {columns(select)} FROM {{table}}"
        if q.form == "pairs":
            rows = f"SELECT *, 1 AS sign FROM ({rows}) AS t"
        if self.minus:
            sql.parameters["minus"] = [engine_path(path) for path in self.minus]
            other = f"{PARQUET.replace('$files', '$minus')} AS t(c0, c1, c2, c3)"
            rows += f" UNION ALL SELECT {columns(select)}, -1 AS sign FROM {other}"
        if read_as:
            rows = "SELECT * FROM {table}"
        ids = {
            f"x{n}": self._id(sql, at, at in read_as) for n, at in enumerate(q.shown)
        }
        if q.annotator is not None:
            who = f"c{q.annotator}"
            if self.has_names:
                name = who if read_as else f"TRY_CAST({who} AS annotator_names)"
                who = f"CAST(enum_code({name}) AS INTEGER)"
            ids["who"] = who
        return f"SELECT *, {columns(ids)} FROM ({rows}) AS t"

    def _id(self, sql: Sql, at: int, is_read: bool) -> str:
        """SQL for the object in a column: its label, or its id once there are some."""
        if is_read:
            return f"CAST(enum_code(c{at}) AS INTEGER)"
        text = relation.label(sql, self.questions, at)
        if self.numbers is None:
            return text
        code = self.numbers.format(text)
        return f"CAST({code} AS INTEGER)"


@contextmanager
def on_duckdb(
    source: Any,
    options: Options,
    memory: int | None = None,
    beside: Path | None = None,
    minus: tuple[Path, ...] = (),
) -> Iterator[DuckDB]:
    """A source of answers, or of pair sums, on DuckDB."""
    with opened(source, options.columns, memory, beside) as table:
        yield DuckDB(table, questions_of(table, options), minus)
