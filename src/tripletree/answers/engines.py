"""The engine that reads a source, and how much memory it may use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tripletree._checks import check_int
from tripletree.answers.layout import Options
from tripletree.answers.on_duckdb import DuckDB, on_duckdb
from tripletree.answers.on_spark import Spark, is_frame, is_session, on_spark
from tripletree.errors import InvalidOption, refuse_if

Engine = DuckDB | Spark
ADDRESSES = ("local", "spark://", "yarn", "k8s://")
LEAST, MOST = 64 * 10**6, 2**60
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
BINARY = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*(?:([kmgt])(i?)b?|b?)", re.I)


def check_memory(memory: str | int | None) -> int | None:
    """A number of bytes from 64 MB on: an integer, or text such as "2GB".

    Examples
    --------
    >>> check_memory("2GB"), check_memory("1.5 GiB"), check_memory(10**9)
    (2000000000, 1610612736, 1000000000)
    """
    if not isinstance(memory, str):
        return None if memory is None else check_int("memory", memory, LEAST, MOST)
    found = SIZE.fullmatch(memory.strip())
    number, unit, is_binary = found.groups() if found else ("0", "", "")
    units = BINARY if is_binary else UNITS
    n_bytes = int(float(number) * units[(unit or "").lower()])
    refuse_if(
        not LEAST <= n_bytes <= MOST,
        InvalidOption,
        f"memory = {memory!r:.80}: give bytes, or text such as '2GB' or '500MB'; at "
        "least 64 MB.",
    )
    return n_bytes


@contextmanager
def open_engine(
    source: Any,
    options: Options,
    engine: Any,
    memory: str | int | None,
    beside: Path | None,
    minus: tuple[Path, ...] = (),
) -> Iterator[Engine]:
    """A source on the engine that is asked for."""
    limit = check_memory(memory)
    if is_frame(source):
        engine = source.sparkSession if engine is None else engine
        own = "a Spark data frame is summed by its own session: leave engine out."
        refuse_if(not is_session(engine), InvalidOption, own)
    named = engine if isinstance(engine, str) else ""
    if engine is None or named == "duckdb":
        with on_duckdb(source, options, limit, beside, minus) as duckdb:
            yield duckdb
        return
    refuse_if(
        named != "spark" and not named.startswith(ADDRESSES) and not is_session(engine),
        InvalidOption,
        f"engine = {engine!r:.80}: give 'duckdb', 'spark', a Spark session, or the "
        "address of a Spark master such as 'local[4]' or 'spark://host:7077'.",
    )
    address = "local[*]" if named == "spark" else engine
    with on_spark(source, options, address, limit, minus) as spark:
        yield spark
