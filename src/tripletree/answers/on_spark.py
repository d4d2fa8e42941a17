"""Tables of answers on Apache Spark: on this machine, or on a cluster.

The head of a file is looked at here, by DuckDB, so that headers mean the same on every
engine; the rows are read by Spark alone. All nodes must see the files under the same
paths. What is stored elsewhere (HDFS, S3, a warehouse) is given as a Spark data frame.

Labels that are text get their ids from a join; rows have no order and no numbers.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tripletree.answers import relation
from tripletree.answers.dialect import TextFormat
from tripletree.answers.duckdb_errors import DISK, FULL
from tripletree.answers.layout import Layout, Options, understand_columns
from tripletree.answers.sources import is_path
from tripletree.answers.sql import Query, Sql, columns
from tripletree.answers.tables import is_unpacked, layout_of, open_table
from tripletree.answers.unused_columns import check_names
from tripletree.errors import (
    CONVERT,
    InvalidComparisons,
    InvalidOption,
    UnreadableFile,
    refuse_if,
)

CASTS = {"whole": "BIGINT", "number": "DOUBLE", "text": "STRING"}
TYPES = {
    "byte": "TINYINT",
    "short": "SMALLINT",
    "integer": "INTEGER",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
}
WORKERS = re.compile(r"No module named 'pyarrow|PYTHON_VERSION_MISMATCH")
ROUNDING = 16 * 2**20  # Java takes a little more than its limit
LEAST = 512 * 10**6  # of memory, with which Spark starts
LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


class Spark:
    """A data frame, and queries over the table *answers* that it makes of it.

    It answers to the same methods as `DuckDB`.
    """

    def __init__(self, session: Any, frame: Any, layout: Layout) -> None:
        self.session, self.layout = session, layout
        self.lowest: int | None = None
        self.highest = 0
        names = [f"c{at}" for at in range(len(layout.names))]
        frame = frame.toDF(*names, *frame.columns[len(names) :])
        self.frames = {"frame": frame}  # and labels, once objects have ids

    def number(self, labels: Sequence[str]) -> None:
        """From now on x0, x1, ... are places among these labels, or NULL."""
        import pyarrow as pa

        ids = {
            "label": pa.array(labels, pa.string()),
            "id": pa.array(range(len(labels)), pa.int32()),
        }
        self.frames["labels"] = self.session.createDataFrame(pa.table(ids))

    def number_from(self, low: int, high: int) -> None:
        """From now on x0, x1, ... are distances from the lowest label, an integer."""
        self.lowest, self.highest = low, high

    def rows(self, build: Query, *args: Any) -> list[dict[str, Any]]:
        """All rows of a small result."""
        return [row.asDict() for row in self._frame(build, *args).collect()]

    def find_row(
        self, test: str, given: Sequence[object]
    ) -> tuple[tuple[str, str] | None, dict[str, Any]]:
        """A row for which a test holds; rows on many machines have no numbers."""
        return None, self.rows(relation.one_row, test, given, "")[0]

    def write(self, path: Path, build: Query, *args: Any) -> None:
        """Write a large result to a Parquet file."""
        folder = path.with_name(f"{path.name[:80]}.spark")
        try:
            frame = self._frame(build, *args).coalesce(1)
            frame.write.parquet(folder.absolute().as_uri())
            (part,) = folder.glob("part-*.parquet")
            os.replace(part, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def batches(self, build: Query, *args: Any) -> Iterator[Any]:
        """A result of any length, as batches of Arrow, one part after the other."""
        import pyarrow as pa

        def packed(parts: Iterator[Any]) -> Iterator[Any]:
            # Runs on the workers, which know pyarrow but not this package: as a local
            # function it is sent there whole.
            import pyarrow as pa

            for part in parts:
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, part.schema) as stream:
                    stream.write_batch(part)
                content = pa.array([sink.getvalue().to_pybytes()], pa.binary())
                yield pa.RecordBatch.from_arrays([content], ["content"])

        frame = self._frame(build, *args).mapInArrow(packed, "content binary")
        for row in frame.toLocalIterator():
            with pa.ipc.open_stream(pa.py_buffer(row.content)) as stream:
                yield from stream

    def _frame(self, build: Query, *args: Any) -> Any:
        sql = Sql(is_spark=True)
        query = build(sql, self.layout, *args)
        tables = {"answers": self._answers(sql)}
        if "labels" in self.frames:
            tables["labels"] = "SELECT * FROM {labels}"
        before = ", ".join(f"{name} AS ({text})" for name, text in tables.items())
        return self.session.sql(
            f"WITH {before} {query}", args=sql.parameters, **self.frames
        )

    def _answers(self, sql: Sql) -> str:
        q = self.layout
        select = {f"c{at}": f"CAST(c{at} AS {CASTS[q.kinds[at]]})" for at in q.used}
        if q.form == "pairs":
            select["sign"] = "sign"
        rows, ids = f"(SELECT {columns(select)} FROM {{frame}}) AS t", {}
        texts = {f"x{n}": relation.label(sql, q, at) for n, at in enumerate(q.shown)}
        if q.answer is not None:
            texts["given"] = relation.spelled(sql, q, q.answer)
        for name, text in texts.items():
            ids[name] = text
            if self.lowest is not None:
                test = f"{text} BETWEEN {self.lowest} AND {self.highest}"
                number = f"CAST({text} - {self.lowest} AS INT)"
                ids[name] = f"CASE WHEN {test} THEN {number} END"
            elif "labels" in self.frames:
                rows += f" LEFT JOIN {{labels}} AS {name} ON {text} = {name}.label"
                ids[name] = f"{name}.id"
        return f"SELECT t.*, {columns(ids)} FROM {rows}"


@contextmanager
def explain_spark_errors(name: str) -> Iterator[None]:
    """Turn errors of Spark into errors of this package, one line each."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        text = str(error)
        if FULL.search(text):
            raise UnreadableFile(name, f": {DISK}") from None
        if WORKERS.search(text):
            raise InvalidOption(
                name,
                ": Spark's workers need this version of Python, with pyarrow: before "
                "the session starts, set PYSPARK_PYTHON to its path.",
            ) from None
        first = next((line for line in text.splitlines() if line.strip()), "")
        raise InvalidComparisons(
            name, f": Spark says {first.strip()[:300]}", code="not for Spark"
        ) from None


@contextmanager
def on_spark(
    source: Any,
    options: Options,
    engine: Any,
    memory: int | None,
    minus: tuple[Path, ...] = (),
) -> Iterator[Spark]:
    """A source of answers, or of pair sums, on Spark."""
    with started(engine, memory) as session:
        if is_frame(source):
            types = {
                at: TYPES.get(field.dataType.typeName(), field.dataType.typeName())
                for at, field in enumerate(source.schema.fields)
            }
            layout = understand_columns(
                "the data frame", source.columns, types, options
            )
            frame, layout = source, check_names(layout)
        else:
            frame, layout = _open_files(session, source, options)
        with explain_spark_errors(layout.name):
            if layout.form == "pairs":
                frame = _signed(session, frame, minus)
            yield Spark(session, frame, layout)


@contextmanager
def started(engine: Any, memory: int | None) -> Iterator[Any]:
    """A session: the one given, the one that is there, or a new one for a while."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        message = "Spark is not installed: pip install 'tripletree[spark]'."
        raise InvalidOption(message) from None

    if is_session(engine):
        refuse_if(
            memory is not None,
            InvalidOption,
            "memory is given with a session: set it where that is made.",
        )
        yield engine
        return
    refuse_if(
        memory is not None and memory < LEAST,
        InvalidOption,
        f"memory is {memory} bytes: Spark needs at least {LEAST}. Give more, or use "
        "DuckDB.",
    )
    refuse_if(
        SparkSession.getActiveSession() is not None,
        InvalidOption,
        f"engine = {engine!r:.80}, and a Spark session is there already: give it as "
        "engine=, or stop it first.",
    )
    with explain_spark_errors(engine), _own_python(engine):
        session = _builder(SparkSession.builder, engine, memory).getOrCreate()
    try:
        if memory is not None:
            _check_memory(session, memory)
        yield session
    finally:
        session.stop()


def _builder(builder: Any, engine: str, memory: int | None) -> Any:
    """Settings of a new session."""
    settings = {"spark.ui.enabled": "false"}
    if engine.startswith("local"):
        settings |= LOCAL
    if memory is not None:
        settings["spark.driver.memory"] = f"{memory // 2**20}m"
        if not engine.startswith("local"):
            settings["spark.executor.memory"] = f"{memory // 2**20}m"
    return builder.master(engine).appName("tripletree").config(map=settings)


@contextmanager
def _own_python(engine: str) -> Iterator[None]:
    """Workers on this machine run this Python, unless the user names another."""
    name = "PYSPARK_PYTHON"
    if not engine.startswith("local") or name in os.environ:
        yield
        return
    os.environ[name] = sys.executable
    try:
        yield
    finally:
        del os.environ[name]


def _check_memory(session: Any, memory: int) -> None:
    """Java keeps the limit with which it was started: refuse one that came too late."""
    found = session.sparkContext._jvm.java.lang.Runtime.getRuntime().maxMemory()
    refuse_if(
        found > memory + ROUNDING,
        InvalidOption,
        f"memory is {memory} bytes, and Spark's Java was started earlier in this "
        f"process with {found}: give memory the first time, or restart Python.",
    )


def is_session(engine: object) -> bool:
    """Whether this is a session of Spark."""
    return hasattr(engine, "createDataFrame") and hasattr(engine, "catalog")


def is_frame(source: object) -> bool:
    """Whether this is a data frame of Spark."""
    return hasattr(source, "sparkSession") and hasattr(source, "schema")


def _open_files(session: Any, source: Any, options: Options) -> tuple[Any, Layout]:
    """The rows of files, or of a small frame, as Spark reads them."""
    refuse_if(
        not is_path(source),
        InvalidComparisons,
        f"Spark cannot read {type(source).__name__}: give paths of files, or a Spark "
        "data frame.",
        code="not for Spark",
    )
    with open_table(source, options.columns) as table:
        layout = layout_of(table, options)
        files = [path.absolute().as_uri() for path in table.paths]
        assert table.ending is not None
        is_described = table.text is not None and table.text.n_described > 0
        refuse_if(
            table.ending.is_json or not table.is_as_written or is_described,
            InvalidComparisons,
            f"{table.name}: Spark sums .csv, .tsv, .txt and .parquet files with a "
            "column for each object. Turn it into a .parquet file with ",
            CONVERT,
            ".",
            code="not for Spark",
        )
        refuse_if(
            table.ending.compression == "zstd" or any(map(is_unpacked, table.paths)),
            InvalidComparisons,
            f"{table.name}: Spark may not read .zst and .zip files: unpack it first.",
            code="not for Spark",
        )
        if table.text is not None:
            return _text(session, table.names, table.text, files), layout
        read = session.read.parquet(*files)
        # Spark adds columns for folders called key=value.
        names = (f"`{name.replace('`', '``')}`" for name in table.names)
        return read.select(*names), layout


def _text(
    session: Any, columns: Sequence[str], text: TextFormat, files: list[str]
) -> Any:
    """A text file, every value as it is, read as DuckDB reads it."""
    from pyspark.sql.types import StringType, StructField, StructType

    names = list(columns)
    if not text.has_header or len({name.lower() for name in names}) < len(names):
        names = [f"c{at}" for at in range(len(names))]  # else Spark warns of the header
    schema = StructType([StructField(name, StringType()) for name in names])
    return session.read.schema(schema).csv(
        files,
        sep=text.delimiter,
        header=text.has_header,
        quote='"',
        escape='"',
        multiLine=True,
        mode="FAILFAST",
        enforceSchema=True,
        encoding="UTF-8",
    )


def _signed(session: Any, frame: Any, minus: tuple[Path, ...]) -> Any:
    from pyspark.sql import functions

    signed = frame.withColumn("sign", functions.lit(1))
    if minus:
        files = [path.absolute().as_uri() for path in minus]
        other = session.read.parquet(*files).select("a", "b", "near", "far")
        signed = signed.unionAll(other.withColumn("sign", functions.lit(-1)))
    return signed
