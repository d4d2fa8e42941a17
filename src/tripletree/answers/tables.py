"""A source of answers as an open table: files of any kind, and data frames.

A table is a FROM clause whose columns are called c0, c1, ... whatever their names are:
names, labels and paths reach the engine as parameters. Text files are read with every
option given: nothing about them is guessed from a sample but the separator, and every
value is text, as it is.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from tripletree._checks import check_fits, printable
from tripletree._files import OURS, temporary_folder
from tripletree._signals import queries
from tripletree._threads import n_threads
from tripletree.answers.duckdb_errors import heard_by_engine, translated
from tripletree.answers.exports import ordinary
from tripletree.answers.header import Columns, check_columns, has_positions
from tripletree.answers.questions import MIXED, PAIRS, Options, Questions, understood
from tripletree.answers.sources import (
    Ending,
    TextFormat,
    as_frame,
    check_gzip,
    check_list,
    ending_of,
    files_of,
    is_path,
    line_of_row,
    text_format,
    unpacked,
)
from tripletree.errors import CONVERT, InvalidComparisons, refuse_if

LONGEST_LINE = 2**21  # characters; longer ones are no answers
HEAD = 20  # lines that are looked at for the separator
OBJECT_SIZES = (2**24, 2**27, 2**30)  # bytes of a JSON object: a list may be one
KEYS_OF = 100  # JSON lines whose order of keys is kept
BYTES_PER_TEXT = 100  # of memory, in a table of items
LARGEST_TO_COMPARE, MOST_TO_COMPARE = 2**23, 500  # bytes, files: row by row
FEWEST_ROWS = 3  # of a file that is part of another, hardly by chance
BYTES_ALIKE = 4096  # with which large files begin that are compared
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
    "read_json($files, format=$format, records='true', columns=$columns, "
    "maximum_object_size=$largest, compression=$compression, hive_partitioning=false)"
)
OBJECTS = (
    "read_json_objects($files, format=$format, maximum_object_size=$largest, "
    "compression=$compression, hive_partitioning=false)"
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
    with temporary_folder(beside) as folder:
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
    blank: tuple[int, ...] = ()  # columns that are empty where nothing was asked
    made: dict[int, int] = field(default_factory=dict)  # columns, and of which each
    warnings: tuple[str, ...] = ()

    @property
    def is_as_written(self) -> bool:
        """Whether all columns and rows are those of the source."""
        return self.call in (CSV, JSON, PARQUET, "frame")

    def run(self, query: str, own: dict[str, Any] | None = None) -> Any:
        """Run a query, in which {table} stands for the table."""
        with translated(self.name):
            return self.connection.execute(*self.query(query, own))

    def query(
        self, query: str, own: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """The text of a query and its parameters."""
        alias = ", ".join(f"c{at}" for at in range(len(self.names)))
        query = query.replace("{table}", f"{self.call} AS t({alias})")
        return query, self.parameters | (own or {})

    @cached_property
    def types(self) -> dict[int, str]:
        """The engine's types of all columns."""
        described = self.run("DESCRIBE SELECT * FROM {table}").fetchall()
        found = {at: str(row[1]) for at, row in enumerate(described)}
        return found | {at: MIXED for at in self.mixed if found[at] == "VARCHAR"}

    def texts(self, positions: Sequence[int]) -> list[tuple[str | None, ...]]:
        """All rows of some columns, as text."""
        kinds = self.types
        (n,) = self.run("SELECT count(*) FROM {table}").fetchone()
        needed = n * len(positions) * BYTES_PER_TEXT
        check_fits(needed, f"{self.name}: a table of {n:,} items", "give fewer.")
        texts = ", ".join(text_of(at, kinds[at]) for at in positions)
        with translated(self.name):
            found = self.run(f"SELECT {texts} FROM {{table}}")
            return found.fetchall()  # type: ignore[no-any-return]

    def place(self, row: int) -> tuple[str, str]:
        """Where a row is, for a message: the file, and the line or the row."""
        if self.ending is None:
            return self.name, f"row {row} (counted from 0)"
        path = self.paths[-1]  # rows are not counted where there is only one file
        for other in self.paths[:-1]:
            own = {"files": [engine_path(other)]}
            (count,) = self.run("SELECT count(*) FROM {table}", own).fetchone()
            if row < count:
                path = other
                break
            row -= count
        line = line_of_row(path, self.ending, self.text, row)
        return shown_path(path), f"row {row + 1}" if line is None else f"line {line}"


def text_of(at: int, kind: str) -> str:
    """SQL for the text of the values at a position, of this type."""
    if kind == "VARCHAR":
        return f"c{at}"
    return f"(c{at} ->> '$')" if kind == "JSON" else f"CAST(c{at} AS VARCHAR)"


def shown_path(path: Path) -> str:
    """A path for a message: without line breaks, and not endless.

    Of an unpacked file, the archive and its name there.
    """
    if is_unpacked(path):
        path = Path(*path.parts[-2:])
    shown = printable(str(path))
    return shown if len(shown) <= 200 else "..." + shown[-200:]


def is_unpacked(path: Path) -> bool:
    """Whether a file was in an archive, and is only there while it is read."""
    return len(path.parts) > 3 and OURS.fullmatch(path.parts[-4]) is not None


def engine_path(path: Path) -> str:
    """A path as the engine takes it: absolute, with no sign that stands for others."""
    return glob.escape(str(path.absolute()))


def open_files(connection: Any, paths: list[Path], no_header: bool) -> Table:
    """Files of one kind, one after the other, as one table."""
    tables = [_open_file(connection, path, no_header) for path in paths]
    first = tables[0]
    for one in tables[1:]:
        refuse_if(
            (one.names, one.call, one.text) != (first.names, first.call, first.text),
            InvalidComparisons,
            f"{one.name} does not have the columns of {first.name}: found "
            f"{', '.join(one.names)!r:.200} and {', '.join(first.names)!r:.200}. "
            "Bring both into one form first, with ",
            CONVERT,
            ".",
            code="other columns",
        )
        refuse_if(
            one.ending != first.ending,
            InvalidComparisons,
            f"{one.name} and {first.name} have different endings: read them "
            "separately.",
            code="other columns",
        )
        refuse_if(
            first.call == PARQUET and one.types != first.types,
            InvalidComparisons,
            f"{one.name} does not have the types of {first.name}: write both with the "
            "same types first, with ",
            CONVERT,
            ".",
            code="other columns",
        )
    if len(tables) == 1:
        return first
    files = [engine_path(path) for path in paths]
    own = first.parameters | {"files": files}
    if first.call == JSON:
        own["largest"] = max(one.parameters["largest"] for one in tables)
    name = f"{first.name} and {len(paths) - 1} more"
    table = replace(first, name=name, parameters=own, paths=tuple(paths))
    return replace(table, warnings=_twice(table, tables))


def _twice(every: Table, tables: list[Table]) -> tuple[str, ...]:
    """A warning of files whose rows are all in another one.

    Files that are small together are compared row by row, in any order of rows; of
    large ones, whether one begins with all of the other.
    """
    sizes = [one.paths[0].stat().st_size for one in tables]
    is_small = sum(sizes) <= LARGEST_TO_COMPARE and len(tables) <= MOST_TO_COMPARE
    found = _contained(every) if is_small else _begun(tables, sizes)
    if not found:
        return ()
    one, other = (tables[at].name for at in found[0])
    more = f", and so for {len(found) - 1} more" if len(found) > 1 else ""
    return (
        f"all rows of {one!r} are in {other!r} as well{more}: if these are the same "
        "answers, they count twice. Give one of the files.",
    )


def _contained(table: Table) -> list[tuple[int, int]]:
    """The files whose rows are all in another, as often; few rows may be so by chance.

    A row is known by its hash; another file must have the row that fewest files have.
    Pair sums of a part of the answers are others: of them, only copies are found.
    """
    names = ", ".join(f"c{n}" for n in range(len(table.names)))
    call = table.call.replace("$files,", "$files, filename=true,")
    query = (
        f"SELECT file, hash({names}), count(*) FROM {call} AS t({names}, file) "
        "GROUP BY ALL"
    )
    number = {str(path.absolute()): at for at, path in enumerate(table.paths)}
    counts: list[dict[int, int]] = [{} for _ in table.paths]
    files: dict[int, list[int]] = {}
    for file, row, n in table.run(query).fetchall():
        counts[number[file]][row] = n
        files.setdefault(row, []).append(number[file])
    fewest = np.inf if table.names == PAIRS else FEWEST_ROWS
    found = []
    for at, rows in enumerate(counts):
        rare = min(rows, key=lambda row: len(files[row]), default=None)
        for other in files.get(rare, []) if rare is not None else []:
            is_same = rows == counts[other]
            is_chance = at < other if is_same else sum(rows.values()) < fewest
            if other == at or is_chance:
                continue
            if all(counts[other].get(row, 0) >= n for row, n in rows.items()):
                found.append((at, other))
                break
    return found


def _begun(tables: list[Table], sizes: list[int]) -> list[tuple[int, int]]:
    """The files with which another one begins; both have the same first bytes."""
    alike: dict[bytes, list[int]] = {}
    for at in sorted(range(len(tables)), key=sizes.__getitem__, reverse=True):
        with tables[at].paths[0].open("rb") as file:
            alike.setdefault(file.read(BYTES_ALIKE), []).append(at)
    found = []
    for group in alike.values():
        for other, at in pairwise(group):
            with ExitStack() as stack:
                both = [tables[x].paths[0].open("rb") for x in (at, other)]
                one, two = (stack.enter_context(file) for file in both)
                chunks = iter(lambda one=one: one.read(2**20), b"")  # type: ignore[misc]
                if all(chunk == two.read(len(chunk)) for chunk in chunks):
                    found.append((at, other))
    return found


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
    if ending.is_json:
        is_list = ending.kind == "array"  # may be one object, as large as the file
        if is_list:
            check_list(path, ending.compression)
        own["format"] = "auto" if is_list else "newline_delimited"
        names = _keys(
            connection, own, name, OBJECT_SIZES if is_list else OBJECT_SIZES[:1]
        )
        own["columns"] = dict.fromkeys(names, "JSON")
        return Table(connection, name, names, JSON, own, (path,), ending)
    own["longest"] = LONGEST_LINE
    with translated(name):
        query = f"SELECT c0 FROM {LINES} LIMIT {HEAD}"
        lines = [row[0] or "" for row in connection.execute(query, own).fetchall()]
    text = text_format(lines, ending.separators, no_header, name)
    own |= {
        "delimiter": text.delimiter,
        "skip": text.skip,
        "columns": {f"c{at}": "VARCHAR" for at in range(len(text.names))},
    }
    return Table(connection, name, text.names, CSV, own, (path,), ending, text)


def _keys(
    connection: Any, own: dict[str, Any], name: str, sizes: Sequence[int]
) -> tuple[str, ...]:
    """The keys of all JSON lines: those of the first in the order in which they come.

    A key that only a late line has can change what its answer means. sizes: of the
    largest object; the first that suffices is set.
    """
    own["largest"] = sizes[0]
    try:
        return _keys_within(connection, own, name)
    except InvalidComparisons as error:
        if error.code != "long line" or len(sizes) == 1:
            raise
    return _keys(connection, own, name, sizes[1:])


def _keys_within(connection: Any, own: dict[str, Any], name: str) -> tuple[str, ...]:
    """The keys of all JSON lines, if no object is larger than set."""
    keys_of = f"SELECT json_keys(c0) AS k FROM {OBJECTS} AS t(c0)"
    with translated(name):
        first = connection.execute(f"{keys_of} LIMIT {KEYS_OF}", own).fetchall()
        query = f"SELECT DISTINCT unnest(k) AS k FROM ({keys_of}) ORDER BY k"
        every = connection.execute(query, own).fetchall()
    keys = dict.fromkeys(key for row in first for key in row[0] or ())
    keys |= dict.fromkeys(row[0] for row in every)
    refuse_if(
        not keys,
        InvalidComparisons,
        f"{name}: no JSON object with keys was found: write one object per line, for "
        'example {"target": "a", "near": "b", "far": "c"}.',
        code="not JSON",
    )
    return tuple(keys)


def open_frame(connection: Any, frame: Any, name: str) -> Table:
    """A pandas frame, or an Arrow table: what `as_frame` makes of others."""
    is_arrow = hasattr(frame, "rename_columns")
    names = frame.column_names if is_arrow else list(frame.columns)
    short = [f"c{at}" for at in range(len(names))]
    renamed = frame.rename_columns(short) if is_arrow else frame.set_axis(short, axis=1)
    with translated(name):
        connection.register("frame", renamed)
    mixed = frozenset() if is_arrow else _mixed(frame)
    return Table(connection, name, tuple(map(str, names)), "frame", mixed=mixed)


def _mixed(frame: Any) -> frozenset[int]:
    """The columns of a pandas frame in which text and numbers meet."""
    from pandas.api.types import infer_dtype

    every = (frame.iloc[:, at] for at in range(frame.shape[1]))
    return frozenset(
        at
        for at, column in enumerate(every)
        if column.dtype == object and "mixed" in infer_dtype(column, skipna=True)
    )


@contextmanager
def opened(
    source: Any,
    columns: Columns = None,
    memory: int | None = None,
    beside: Path | None = None,
) -> Iterator[Table]:
    """A source as a table, closed at the end.

    columns: as the options have them; by position, every line of a text file is an
    answer, whatever it looks like. memory and beside: what the engine may use, see
    `connected`.
    """
    given = check_columns(columns)
    if not is_path(source):
        frame = as_frame(source)
        with connected(memory, beside) as connection:
            table = open_frame(connection, frame, type(source).__name__)
            yield ordinary(table, given)
        return
    paths = files_of(source)
    for path in paths:
        refuse_if(
            ending_of(path).kind == "npz",
            InvalidComparisons,
            f"{str(path)!r:.200}: an .npz file holds comparisons, not a table: turn it "
            "into a .parquet file with ",
            CONVERT,
            ".",
            code="not a table",
        )
    with connected(memory, beside) as connection:
        for n, path in enumerate(paths):
            if ending_of(path).kind == "zip":
                folder = Path(_setting(connection, "temp_directory"), str(n))
                folder.mkdir()
                paths[n] = unpacked(path, folder)
        table = open_files(connection, paths, has_positions(columns))
        yield ordinary(table, given)


def _setting(connection: Any, name: str) -> str:
    (found,) = connection.execute(f"SELECT current_setting('{name}')").fetchone()
    return str(found)


def questions_of(table: Table, options: Options) -> Questions:
    """The meaning of the columns of an open table."""
    is_text = table.text is not None
    has_header = table.text is None or table.text.has_header
    args = (table.name, table.names, table.types, options, is_text, has_header)
    found = understood(*args, table.blank, table.made)
    return replace(found, warnings=(*found.warnings, *table.warnings))
