"""On which line of a file a row is; looked for only when the row is wrong."""

from __future__ import annotations

import csv
import gzip
import io
from itertools import islice
from pathlib import Path
from typing import IO

from tripletree.comparisons.files.paths import Ending
from tripletree.comparisons.files.separators import TextFormat


def line_of_row(
    path: Path, ending: Ending | None, text: TextFormat | None, row: int
) -> int | None:
    """The line, counted from 1, on which a row (from 0) ends; None where unknown.

    Values can have line breaks in them, and blank lines are no rows, so the file is
    read up to the row. Parquet has no lines, and zstd is beyond Python's library.
    """
    if ending is None or ending.kind not in ("text", "json"):
        return None
    if ending.compression == "zstd":
        return None
    try:
        with _opened(path, ending) as lines:
            if ending.kind == "json":
                numbered = (n for n, line in enumerate(lines, 1) if line.strip())
                return next(islice(numbered, row, None), None)
            if text is None:
                return None
            reader = csv.reader(
                lines, delimiter=text.delimiter[0], skipinitialspace=text.is_spaced
            )
            ends = (reader.line_num for cells in reader if cells)
            return next(islice(ends, row + text.has_header, None), None)
    except (OSError, EOFError, ValueError, csv.Error):
        return None


def _opened(path: Path, ending: Ending) -> IO[str]:
    if ending.compression == "gzip":
        raw: IO[bytes] = gzip.open(path)  # type: ignore[assignment]
    else:
        raw = path.open("rb")
    return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
