"""Expressions run by DuckDB, in this process, beyond memory on the disk.

Ibis compiles an expression to SQL, and DuckDB runs that on a connection of our own: so
paths and options of files stay parameters, as in the reader, and limits are set where
the connection is made. The tables that an expression names stand before it as common
table expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tripletree.comparisons.files.engine_errors import translated
from tripletree.comparisons.files.headers import has_positions
from tripletree.comparisons.files.paths import ending_of, files_of, is_path
from tripletree.comparisons.files.reading import BY_PLACE, columns_by_place
from tripletree.comparisons.files.sources import opened
from tripletree.comparisons.files.tables import PARQUET, Table, engine_path
from tripletree.engines.questions import Options, Questions, understood
from tripletree.errors import InvalidComparisons, InvalidOption, TooLarge

CASTS = {"whole": "BIGINT", "number": "DOUBLE", "text": "VARCHAR"}
MORE_MEMORY = (
    "the pair sums need more memory than the limit allows: give more with memory= "
    "(--memory), or sum the files in parts and merge them."
)
ROWS_PER_GROUP = 10**6
ROWS_PER_BATCH = 2**18


class DuckDB:
    """A table of answers that expressions can be run over.

    minus: files of pair sums that are taken away from those of the table.
    """

    def __init__(
        self, table: Table, questions: Questions, minus: tuple[Path, ...] = ()
    ) -> None:
        self.table, self.questions, self.minus = table, questions, minus

    def put(self, name: str, columns: dict[str, Any]) -> None:
        """Make a small table that expressions can name."""
        with translated(self.table.name):
            self.table.connection.register(f"new_{name}", columns)
            query = f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM new_{name}"
            self.table.connection.execute(query)
            self.table.connection.unregister(f"new_{name}")

    def rows(self, expression: Any) -> list[dict[str, Any]]:
        """All rows of a small result."""
        with translated(self.table.name):
            found = self._run("", expression, "")
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def write(self, expression: Any, path: Path) -> None:
        """Write a large result to a Parquet file."""
        tail = f") TO $out (FORMAT parquet, ROW_GROUP_SIZE {ROWS_PER_GROUP})"
        try:
            with translated(self.table.name):
                self._run("COPY (", expression, tail, {"out": str(path)})
        except TooLarge:
            raise TooLarge(MORE_MEMORY) from None

    def batches(self, expression: Any) -> Iterator[Any]:
        """A result of any length, as batches of Arrow."""
        query, own = self._query("", expression, "", {})
        with translated(self.table.name):
            # Not executed: a result of that kind would be in memory as a whole.
            rows = self.table.connection.sql(query, params=own)
            try:
                reader = rows.to_arrow_reader(ROWS_PER_BATCH)
            except ImportError:
                message = "answers are scored through pyarrow: pip install pyarrow."
                raise InvalidOption(message) from None
            yield from reader

    def _run(
        self,
        head: str,
        expression: Any,
        tail: str,
        parameters: dict[str, Any] | None = None,
    ) -> Any:
        query, own = self._query(head, expression, tail, parameters or {})
        return self.table.connection.execute(query, own)

    def _query(
        self, head: str, expression: Any, tail: str, parameters: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        import ibis

        own = dict(parameters)
        casts = ", ".join(
            f"CAST(c{at} AS {CASTS[kind]}) AS c{at}"
            for at, kind in sorted(self.questions.kinds.items())
            if at < len(self.questions.names)
        )
        end = ""
        if self.questions.form == "pairs":
            if self.minus:
                own["minus"] = [engine_path(path) for path in self.minus]
                call = f"{PARQUET.replace('$files', '$minus')} AS t(c0, c1, c2, c3)"
                end = f" UNION ALL SELECT {casts}, -1 AS c4 FROM {call}"
            casts += ", 1 AS c4"
        sql = ibis.to_sql(expression, dialect="duckdb")
        return self.table.query(
            f"{head}WITH answers AS (SELECT {casts}",
            self.questions.used,
            own,
            f"{end}) SELECT * FROM ({sql}){tail}",
        )


@contextmanager
def on_duckdb(
    source: Any,
    options: Options,
    memory: int | None,
    beside: Path | None,
    minus: tuple[Path, ...] = (),
) -> Iterator[DuckDB]:
    """A source of answers, or of pair sums, on DuckDB."""
    if is_path(source):
        check_kinds(files_of(source))
    with opened(source, has_positions(options.columns), memory, beside) as table:
        table.connection.execute("SET preserve_insertion_order = false")
        yield DuckDB(table, questions_of(table, options), minus)


def check_kinds(paths: list[Path]) -> None:
    """Refuse the kinds of files that only the reader in memory knows."""
    for path in paths:
        if ending_of(path).kind in ("json", "npz"):
            message = (
                f"{str(path)!r:.200}: engines sum .csv, .tsv, .txt and .parquet files. "
                "Turn it into a .parquet file with write_comparisons, or `tripletree "
                "convert`."
            )
            raise InvalidComparisons(message)


def questions_of(table: Table, options: Options) -> Questions:
    """The meaning of the columns of an open table."""
    columns = columns_by_place(table, options.columns)
    notes = () if columns is options.columns else (BY_PLACE,)
    options = replace(options, columns=columns)
    types = table.types(range(len(table.names)))
    if table.mixed:
        types |= dict.fromkeys(table.mixed, "mixed text and numbers")
    has_header = table.text is None or table.text.has_header
    is_text = table.text is not None
    found = understood(table.name, table.names, types, options, is_text, has_header)
    return replace(found, notes=notes)
