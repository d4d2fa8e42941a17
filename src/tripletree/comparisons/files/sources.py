"""What answers can be read from: paths, patterns, and the frames of other libraries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tripletree.comparisons.files.paths import ENDINGS, files_of, is_path
from tripletree.comparisons.files.tables import Table, connected, open_files, open_frame
from tripletree.errors import InvalidComparisons

SOURCES = (
    f"the path of a file ({ENDINGS}), a pattern, a list of paths, a pandas or polars "
    "frame, or an Arrow or Ibis table"
)


@contextmanager
def opened(
    source: Any,
    no_header: bool,
    memory: int | None = None,
    beside: Path | None = None,
) -> Iterator[Table]:
    """A source as a table, closed at the end.

    no_header: every line of a text file is an answer, whatever it looks like. memory
    and beside: what the engine may use, see `connected`.
    """
    if is_path(source):
        paths = files_of(source)
        with connected(memory, beside) as connection:
            yield open_files(connection, paths, no_header)
        return
    frame = as_frame(source)
    with connected(memory, beside) as connection:
        yield open_frame(connection, frame, type(source).__name__)


def as_frame(source: Any) -> Any:
    """What the engine can read of a data frame: pandas as it is, the rest as Arrow."""
    library = type(source).__module__.split(".")[0]
    if hasattr(source, "to_pyarrow"):  # Ibis
        source, library = source.to_pyarrow(), "pyarrow"
    elif library == "polars":
        source = _to_arrow(source)
        library = "pyarrow"
    if (
        library == "pandas"
        and hasattr(source, "set_axis")
        and hasattr(source, "dtypes")
    ):
        return source
    if library == "pyarrow" and hasattr(source, "rename_columns"):
        return source
    message = f"cannot read answers from {type(source).__name__}: give {SOURCES}."
    if library == "numpy":
        message += " An array of ids is read by Triplets(rows, n_objects=n)."
    raise InvalidComparisons(message)


def _to_arrow(source: Any) -> Any:
    frame = source.collect() if hasattr(source, "collect") else source
    if not hasattr(frame, "to_arrow") or not hasattr(frame, "columns"):
        message = f"cannot read answers from {type(source).__name__}: give {SOURCES}."
        raise InvalidComparisons(message)
    try:
        return frame.to_arrow()
    except ImportError:
        message = "polars frames are read through pyarrow: pip install pyarrow."
        raise InvalidComparisons(message) from None
