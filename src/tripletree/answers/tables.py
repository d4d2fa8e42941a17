"""A source of answers as an open table: files of any kind, and data frames.

A table is a FROM clause whose columns are called c0, c1, ... whatever their names are:
names, labels and paths reach the engine as parameters. Text files are read with every
option given: nothing about them is guessed from a sample but the separator, and every
value is text, as it is.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil

from tripletree._checks import check_fits, printable
from tripletree._files import OURS, temporary_folder
from tripletree._progress import OnProgress, Progress, ignore
from tripletree._signals import queries
from tripletree._threads import n_threads
from tripletree.answers.dialect import TextFormat, line_of_row, text_format
from tripletree.answers.duckdb_errors import explain_errors, keep_interrupts
from tripletree.answers.exports import make_ordinary
from tripletree.answers.header import Columns, check_columns
from tripletree.answers.layout import MIXED, Layout, Options, understand_columns
from tripletree.answers.sources import (
    Ending,
    as_frame,
    check_whole,
    ending_of,
    files_of,
    is_path,
    same_answers,
    unpacked,
)
from tripletree.answers.unused_columns import check_names
from tripletree.errors import CONVERT, InvalidComparisons, refuse_if

LONGEST_LINE = 2**21  # characters; longer ones are not answers
HEAD = 20  # lines that are looked at for the separator
OBJECT_SIZES = (2**24, 2**27, 2**30)  # bytes of a JSON object: a list may be one
KEYS_OF = 100  # JSON lines whose order of keys is kept
BYTES_PER_TEXT = 100  # of memory, in a table of items
SMALL_FILES = 2**20  # bytes: one thread reads them sooner than two
LARGE_FILES = 2**24  # bytes: the engine that read them would keep tens of megabytes
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
SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Files may change between two uses.
    "enable_external_file_cache": "false",
    # It makes a join of a long IN, and rows lose their order (24398).
    "disabled_optimizers": "in_clause",
}
idle: list[Any] = []  # the engine that is not in use, if there is one


@contextmanager
def connected(
    memory: int | None = None, beside: Path | None = None, *, n_bytes: int = SMALL_FILES
) -> Iterator[Any]:
    """A connection to an engine that nothing else uses, in memory, without the network.

    memory: the most bytes it may use before it uses the disk, a share of what is
    available by default; beside: the folder in which it then makes one for itself;
    n_bytes: of the files; if there is little to do, several threads only wait on each
    other.

    An engine is used again, for starting one takes longer than reading a small file,
    but after large files it is closed, for its memory.
    Frames and what is temporary end with the connection: let all else be in order.
    """
    import duckdb

    limit = memory or int(MEMORY_SHARE * psutil.virtual_memory().available)
    with temporary_folder(beside) as folder, keep_interrupts():
        settings: dict[str, Any] = {
            "memory_limit": f"{max(limit // 10**6, 64)}MB",
            "temp_directory": str(folder).replace("'", "''"),
            "threads": 1 if n_bytes < SMALL_FILES else n_threads(),
            "preserve_insertion_order": "true",
            # In an interactive Python it would be drawn where results go.
            "enable_progress_bar": "false",
        }
        try:
            engine = idle.pop()
        except IndexError:
            engine = duckdb.connect(":memory:", config=SETTINGS)
        connection = engine.cursor()
        queries.append(connection)
        try:
            for name, value in settings.items():
                connection.execute(f"SET {name} = '{value}'")
            yield connection
        finally:
            queries.remove(connection)
            connection.close()
            try:  # this fails if it has written to the disk, or is out of order
                engine.execute("SET temp_directory = ''")
                idle.append(engine)
                del idle[1:]
            except duckdb.Error:
                engine.close()
            if n_bytes >= LARGE_FILES:
                close_idle()


def close_idle() -> None:
    """Close engines that are not in use: their threads do not survive a fork."""
    with suppress(IndexError):  # another thread may take one meanwhile
        while True:
            idle.pop().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=close_idle)


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

    @property
    def alias(self) -> str:
        """The names of the columns in queries."""
        return ", ".join(f"c{at}" for at in range(len(self.names)))

    def run(self, query: str, own: dict[str, Any] | None = None) -> Any:
        """Run a query, in which {table} stands for the table."""
        return self.connection.execute(*self.query(query, own))

    def query(
        self, query: str, own: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """The text of a query and its parameters."""
        query = query.replace("{table}", f"{self.call} AS t({self.alias})")
        return query, self.parameters | (own or {})

    @cached_property
    def types(self) -> dict[int, str]:
        """The engine's types of all columns."""
        described = self.run("DESCRIBE SELECT * FROM {table}").fetchall()
        found = {at: str(row[1]) for at, row in enumerate(described)}
        return found | {at: MIXED for at in self.mixed if found[at] == "VARCHAR"}

    def texts(self, positions: Sequence[int]) -> list[tuple[str | None, ...]]:
        """All rows of some columns, as text."""
        (n,) = self.run("SELECT count(*) FROM {table}").fetchone()
        check_fits(
            n * len(positions) * BYTES_PER_TEXT,
            f"{self.name}: a table of {n:,} items",
            "give fewer.",
        )
        texts = ", ".join(text_of(at, self.types[at]) for at in positions)
        return self.run(f"SELECT {texts} FROM {{table}}").fetchall()  # type: ignore[no-any-return]

    def place(self, row: int) -> tuple[str, str]:
        """Where a row is, for a message: the file, and the line or the row."""
        ending = self.ending
        if ending is None:
            return self.name, f"row {row} (counted from 0)"
        path = self.paths[-1]  # rows are not counted where there is only one file
        for other in self.paths[:-1]:
            own = {"files": [engine_path(other)]}
            (count,) = self.run("SELECT count(*) FROM {table}", own).fetchone()
            if row < count:
                path = other
                break
            row -= count
        line, is_packed = None, ending.compression == "gzip"
        # Parquet has no lines, and zstd is beyond Python's library.
        if ending.kind in ("text", "json") and ending.compression != "zstd":
            line = line_of_row(path, self.text, row, is_packed)
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


def join_tables(tables: list[Table]) -> Table:
    """Tables of files of one kind, one after the other, as one."""
    first = tables[0]
    for one in tables[1:]:
        _check_alike(first, one)
    if len(tables) == 1:
        return first
    paths = tuple(one.paths[0] for one in tables)
    own = first.parameters | {"files": [engine_path(path) for path in paths]}
    if first.call == JSON:
        own["largest"] = max(one.parameters["largest"] for one in tables)
    return replace(
        first,
        name=f"{first.name} and {len(paths) - 1} more",
        parameters=own,
        paths=paths,
    )


def _check_alike(first: Table, one: Table) -> None:
    """Refuse files that cannot be read as one table."""
    names = [f"{', '.join(some.names)!r:.200}" for some in (one, first)]
    same_names = one.names == first.names
    are_other = (one.names, one.call, one.text) != (first.names, first.call, first.text)
    other_types = first.call == PARQUET and not are_other and one.types != first.types
    for is_wrong, parts in (
        (
            are_other and same_names,
            (
                f" and {first.name} are not written in the same way: their separators, "
                "or the lines above the answers, differ. Bring both into one form "
                "first, with ",
                CONVERT,
                ".",
            ),
        ),
        (
            are_other,
            (
                f" does not have the columns of {first.name}: found "
                f"{' and '.join(names)}. Bring both into one form first, with ",
                CONVERT,
                ".",
            ),
        ),
        (
            one.ending != first.ending,
            (f" and {first.name} have different endings: read them separately.",),
        ),
        (
            other_types,
            (
                f" does not have the types of {first.name}: write both with the same "
                "types first, with ",
                CONVERT,
                ".",
            ),
        ),
    ):
        refuse_if(is_wrong, InvalidComparisons, one.name, *parts, code="other columns")


def _open_file(connection: Any, path: Path, no_header: bool) -> Table:
    ending, name, text = ending_of(path), shown_path(path), None
    own: dict[str, Any] = {"files": [engine_path(path)]}
    check_whole(path, ending)
    if ending.kind == "parquet":
        call = PARQUET
        query = f"DESCRIBE SELECT * FROM {PARQUET}"
        names = tuple(str(row[0]) for row in _fetch(connection, name, query, own))
    elif ending.is_json:
        call = JSON
        own["compression"] = ending.compression
        names = _keys(connection, own, name, ending)
        own["columns"] = dict.fromkeys(names, "JSON")
    else:
        call = CSV
        own |= {"compression": ending.compression, "longest": LONGEST_LINE}
        query = f"SELECT c0 FROM {LINES} LIMIT {HEAD}"
        lines = [row[0] or "" for row in _fetch(connection, name, query, own)]
        text = text_format(lines, ending.separators, no_header, name)
        names = text.names
        own |= {
            "delimiter": text.delimiter,
            "skip": text.skip,
            "columns": {f"c{at}": "VARCHAR" for at in range(len(names))},
        }
    return Table(connection, name, names, call, own, (path,), ending, text)


def _fetch(connection: Any, name: str, query: str, own: dict[str, Any]) -> list[Any]:
    with explain_errors(name):
        return connection.execute(query, own).fetchall()  # type: ignore[no-any-return]


def _keys(
    connection: Any, own: dict[str, Any], name: str, ending: Ending
) -> tuple[str, ...]:
    """The keys of all JSON lines: those of the first in the order in which they come.

    A key that only a late line has can change what its answer means. A list may be one
    object, as large as the file: the first of the sizes that suffices is set.
    """
    is_list = ending.kind == "array"
    own["format"] = "auto" if is_list else "newline_delimited"
    keys_of = f"SELECT json_keys(c0) AS k FROM {OBJECTS} AS t(c0)"
    distinct = f"SELECT DISTINCT unnest(k) AS k FROM ({keys_of}) ORDER BY k"
    sizes = OBJECT_SIZES if is_list else OBJECT_SIZES[:1]
    for size in sizes:
        own["largest"] = size
        try:
            first = _fetch(connection, name, f"{keys_of} LIMIT {KEYS_OF}", own)
            every = _fetch(connection, name, distinct, own)
            break
        except InvalidComparisons as error:
            if error.code != "long line" or size == sizes[-1]:
                raise
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
    """A pandas frame, or an Arrow table: what `as_frame` makes of others.

    Columns of a type that the engine does not know are read as text.
    """
    is_arrow = hasattr(frame, "rename_columns")
    names = frame.column_names if is_arrow else list(frame.columns)
    short = [f"c{at}" for at in range(len(names))]
    renamed = frame.rename_columns(short) if is_arrow else frame.set_axis(short, axis=1)
    if not is_arrow and not _is_known(connection, renamed):
        unknown = [x for x in short if not _is_known(connection, renamed[[x]])]
        renamed = renamed.astype(dict.fromkeys(unknown, str))
    connection.register("frame", renamed)
    return Table(
        connection,
        name,
        tuple(map(str, names)),
        "frame",
        mixed=frozenset() if is_arrow else _mixed(frame),
    )


def _is_known(connection: Any, frame: Any) -> bool:
    """Whether the engine knows the types of a pandas frame: not periods, for example.

    It asks for those of all columns, in use or not.
    """
    import duckdb

    try:
        connection.register("frame", frame)
    except duckdb.NotImplementedException:
        return False
    return True


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
def open_table(
    source: Any,
    columns: Columns = None,
    memory: int | None = None,
    beside: Path | None = None,
    progress: OnProgress = ignore,
) -> Iterator[Table]:
    """A source as a table, closed at the end.

    columns: as the options have them; by position, every line of a text file is an
    answer, whatever it looks like. memory and beside: what the engine may use, see
    `connected`. progress: called before each file.
    """
    given = check_columns(columns)
    paths = files_of(source) if is_path(source) else []
    frame = None if paths else as_frame(source)
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
    by_position = any(isinstance(column, int) for column in given.values())
    kind = type(source).__name__
    n_bytes = sum(x.stat().st_size for x in paths) if paths else SMALL_FILES
    with connected(memory, beside, n_bytes=n_bytes) as connection:
        whole = [_unpacked(connection, path, n) for n, path in enumerate(paths)]
        with explain_errors(shown_path(paths[0]) if paths else kind):
            tables = []
            for n, path in enumerate(whole):
                progress(Progress("opening files", n, len(whole)))
                tables.append(_open_file(connection, path, by_position))
            tables = tables or [open_frame(connection, frame, kind)]
            table = join_tables(tables)
        with explain_errors(table.name):
            twice = same_answers(table, tables) if len(tables) > 1 else ()
            yield replace(make_ordinary(table, given), warnings=twice)


def _unpacked(connection: Any, path: Path, number: int) -> Path:
    """A file, or the one in an archive, unpacked where the engine has its own files."""
    if ending_of(path).kind != "zip":
        return path
    (folder,) = connection.execute(
        "SELECT current_setting('temp_directory')"
    ).fetchone()
    return unpacked(path, Path(folder, str(number)))


def layout_of(table: Table, options: Options) -> Layout:
    """The meaning of the columns of an open table."""
    layout = understand_columns(
        table.name,
        table.names,
        table.types,
        options,
        table.text,
        table.blank,
        table.made,
    )
    return check_names(layout).warning(*table.warnings)
