"""Tables of answers, opened through DuckDB: files of any kind, and data frames.

A table is a FROM clause whose columns are called c0, c1, ... whatever their names are:
names, labels and paths come from strangers, so they reach the engine as parameters and
never as text of a query. Text files are read with every option given: nothing about
them is guessed from a sample but the separator, and every value is text, as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from tripletree._checks import printable
from tripletree._files import temporary_folder
from tripletree._signals import queries
from tripletree._threads import n_threads
from tripletree.comparisons.files.engine_errors import heard_by_engine, translated
from tripletree.comparisons.files.line_numbers import line_of_row
from tripletree.comparisons.files.paths import Ending, check_gzip, ending_of
from tripletree.comparisons.files.separators import TextFormat, text_format
from tripletree.errors import InvalidComparisons

LONGEST_LINE = 2**21  # characters; longer ones are no answers
HEAD = 20  # lines that are looked at for the separator
KEYS_OF = 100  # JSON lines whose order of keys is kept
MEMORY_SHARE = 0.5  # of what is available; beyond, the engine uses the disk

CSV = (
    "read_csv($files, columns=$columns, delim=$delimiter, quote='\"', escape='\"', "
    "header=false, skip=$skip, auto_detect=false, allow_quoted_nulls=false, "
    "hive_partitioning=false, compression=$compression, max_line_size=$longest)"
)
LINES = (
    "read_csv($files, columns={'c0': 'VARCHAR'}, delim='\x1f', quote='', escape='', "
    "header=false, auto_detect=false, strict_mode=false, compression=$compression, "
    "hive_partitioning=false, max_line_size=$longest)"
)
JSON = (
    "read_json($files, format='newline_delimited', records='true', columns=$columns, "
    "compression=$compression, hive_partitioning=false)"
)
OBJECTS = (
    "read_json_objects($files, format='newline_delimited', compression=$compression, "
    "hive_partitioning=false)"
)
PARQUET = "read_parquet($files, hive_partitioning=false)"


@contextmanager
def connected(memory: int | None = None, beside: Path | None = None) -> Iterator[Any]:
    """A connection to an engine of its own, in memory, without the network.

    memory: the most bytes it may use before it uses the disk, a share of what is
    available by default; beside: the folder in which it then makes one for itself.
    """
    import duckdb

    limit = memory or int(MEMORY_SHARE * psutil.virtual_memory().available)
    with temporary_folder(".tripletree-", beside) as folder:
        config: dict[str, Any] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "memory_limit": f"{max(limit // 10**6, 64)}MB",
            "temp_directory": str(folder),
            "threads": n_threads(),
        }
        with heard_by_engine():
            connection = duckdb.connect(":memory:", config=config)
            queries.append(connection)
            try:
                # In an interactive Python it would be drawn where results go.
                connection.execute("SET enable_progress_bar = false")
                # It makes a join of a long IN, and rows lose their order (24398).
                connection.execute("SET disabled_optimizers = 'in_clause'")
                yield connection
            finally:
                queries.remove(connection)
                connection.close()


@dataclass(frozen=True)
class Table:
    """An open table: its names, and what the engine needs to read it again."""

    connection: Any
    name: str
    names: tuple[str, ...]
    call: str
    parameters: dict[str, Any] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()
    ending: Ending | None = None
    text: TextFormat | None = None
    mixed: frozenset[int] = frozenset()  # columns with values of several types

    def run(
        self,
        select: str,
        used: Sequence[int],
        parameters: dict[str, Any] | None = None,
        tail: str = "",
    ) -> Any:
        """Run a query over the columns c0, c1, ... at the positions used."""
        query, own = self.query(select, used, parameters, tail)
        with translated(self.name):
            return self.connection.execute(query, own)

    def query(
        self,
        select: str,
        used: Sequence[int],
        parameters: dict[str, Any] | None = None,
        tail: str = "",
    ) -> tuple[str, dict[str, Any]]:
        """The text of a query and its parameters."""
        own = dict(self.parameters)
        aliases = range(len(self.names))
        if self.ending is not None and self.ending.kind == "json":
            aliases = sorted(set(used))  # type: ignore[assignment]
            own["columns"] = {self.names[at]: "JSON" for at in aliases}
        alias = ", ".join(f"c{at}" for at in aliases)
        query = f"{select} FROM {self.call} AS t({alias}){tail}"
        return query, own | (parameters or {})

    def types(self, used: Sequence[int]) -> dict[int, str]:
        """The engine's types of the columns at these positions."""
        if not used:
            return {}
        chosen = ", ".join(f"c{at}" for at in used)
        with translated(self.name):
            described = self.run(f"DESCRIBE SELECT {chosen}", used).fetchall()
        return {at: str(row[1]) for at, row in zip(used, described, strict=True)}

    def typed(self, types: dict[int, str]) -> Table:
        """A text file whose columns at some positions are read as these types."""
        columns = self.parameters["columns"] | {f"c{at}": t for at, t in types.items()}
        return replace(self, parameters=self.parameters | {"columns": columns})

    def place(self, row: int) -> str:
        """Where a row is, for a message: file and line, or the row of a frame."""
        if not self.paths:
            return f"{self.name}, row {row} (counted from 0)"
        path, within = self.paths[0], row
        if len(self.paths) > 1:
            for path in self.paths:
                one = self._only(path)
                (count,) = one.run("SELECT count(*)", [0]).fetchone()
                if within < count:
                    break
                within -= count
        line = line_of_row(path, self.ending, self.text, within)
        shown = shown_path(path)
        return f"{shown}, row {within + 1}" if line is None else f"{shown}, line {line}"

    def _only(self, path: Path) -> Table:
        own = self.parameters | {"files": [engine_path(path)]}
        name = shown_path(path)
        return replace(self, name=name, parameters=own, paths=(path,))


def text_of(at: int, kind: str) -> str:
    """SQL for the text of the values at a position, of this type."""
    if kind == "VARCHAR":
        return f"c{at}"
    return f"(c{at} ->> '$')" if kind == "JSON" else f"CAST(c{at} AS VARCHAR)"


def shown_path(path: Path) -> str:
    """A path for a message: without line breaks, and not endless."""
    shown = printable(str(path))
    return shown if len(shown) <= 200 else "..." + shown[-200:]


def engine_path(path: Path) -> str:
    """A path as the engine takes it: absolute, with no sign that stands for others."""
    import glob

    return glob.escape(str(path.absolute()))


def open_files(connection: Any, paths: list[Path], no_header: bool) -> Table:
    """Files of one kind, one after the other, as one table."""
    tables = [_open_file(connection, path, no_header) for path in paths]
    first = tables[0]
    for one in tables[1:]:
        if (one.names, one.call, one.text) != (first.names, first.call, first.text):
            message = (
                f"{one.name} does not have the columns of {first.name}: found "
                f"{', '.join(one.names)!r:.200} and {', '.join(first.names)!r:.200}. "
                "Read files of different kinds one by one, and concatenate."
            )
            raise InvalidComparisons(message)
        if one.ending != first.ending:
            message = f"{one.name} and {first.name} are packed differently: read apart."
            raise InvalidComparisons(message)
        if first.ending and first.ending.kind == "parquet":
            every = list(range(len(first.names)))
            if one.types(every) != first.types(every):
                message = (
                    f"{one.name} does not have the types of {first.name}: write both "
                    "with the same types, or read one by one, and concatenate."
                )
                raise InvalidComparisons(message)
    if len(tables) == 1:
        return first
    files = [engine_path(path) for path in paths]
    own = first.parameters | {"files": files}
    name = f"{first.name} and {len(paths) - 1} more"
    return replace(first, name=name, parameters=own, paths=tuple(paths))


def _open_file(connection: Any, path: Path, no_header: bool) -> Table:
    ending = ending_of(path)
    own: dict[str, Any] = {"files": [engine_path(path)]}
    name = shown_path(path)
    if ending.kind == "parquet":
        with translated(name):
            found = connection.execute(f"DESCRIBE SELECT * FROM {PARQUET}", own)
            names = tuple(str(row[0]) for row in found.fetchall())
        return Table(connection, name, names, PARQUET, own, (path,), ending)
    own["compression"] = ending.compression
    if ending.compression == "gzip":
        check_gzip(path)
    if ending.kind == "json":
        names = _keys(connection, own, name)
        return Table(connection, name, names, JSON, own, (path,), ending)
    own["longest"] = LONGEST_LINE
    with translated(name):
        query = f"SELECT c0 FROM {LINES} LIMIT {HEAD}"
        lines = [row[0] or "" for row in connection.execute(query, own).fetchall()]
    text = text_format(lines, ending.separators, no_header, name)
    own |= {
        "delimiter": text.delimiter,
        "skip": int(text.has_header),
        "columns": {f"c{at}": "VARCHAR" for at in range(len(text.names))},
    }
    return Table(connection, name, text.names, CSV, own, (path,), ending, text)


def _keys(connection: Any, own: dict[str, Any], name: str) -> tuple[str, ...]:
    """The keys of all JSON lines: those of the first in the order in which they come.

    A key that only a late line has can change what its answer means.
    """
    keys_of = f"SELECT json_keys(c0) AS k FROM {OBJECTS} AS t(c0)"
    with translated(name):
        first = connection.execute(f"{keys_of} LIMIT {KEYS_OF}", own).fetchall()
        query = f"SELECT DISTINCT unnest(k) AS k FROM ({keys_of}) ORDER BY k"
        every = connection.execute(query, own).fetchall()
    keys = dict.fromkeys(key for row in first for key in row[0] or ())
    keys |= dict.fromkeys(row[0] for row in every)
    if not keys:
        message = (
            f"{name}: no JSON object with keys was found: write one object per line, "
            'for example {"target": "a", "near": "b", "far": "c"}.'
        )
        raise InvalidComparisons(message)
    return tuple(keys)


def open_frame(connection: Any, frame: Any, name: str) -> Table:
    """A pandas frame, or an Arrow table: what `as_frame` makes of others."""
    is_arrow = hasattr(frame, "rename_columns")
    columns = frame.column_names if is_arrow else list(frame.columns)
    short = [f"c{at}" for at in range(len(columns))]
    renamed = frame.rename_columns(short) if is_arrow else frame.set_axis(short, axis=1)
    with translated(name):
        connection.register("frame", renamed)
    mixed = frozenset() if is_arrow else _mixed(frame)
    return Table(connection, name, tuple(map(str, columns)), "frame", mixed=mixed)


def _mixed(frame: Any) -> frozenset[int]:
    """The columns of a pandas frame in which text and numbers meet."""
    from pandas.api.types import infer_dtype

    columns = (frame.iloc[:, at] for at in range(frame.shape[1]))
    return frozenset(
        at
        for at, column in enumerate(columns)
        if column.dtype == object and "mixed" in infer_dtype(column, skipna=True)
    )
