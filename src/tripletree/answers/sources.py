"""What answers can be read from: paths, patterns, and the frames of other libraries."""

from __future__ import annotations

import glob
import gzip
import os
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripletree._files import check_name, is_utf8
from tripletree.errors import InvalidComparisons, UnreadableFile

KINDS = {
    ".csv": ("text", ",;\t|"),
    ".tsv": ("text", "\t"),
    ".txt": ("text", ",;\t| "),
    ".jsonl": ("json", ""),
    ".ndjson": ("json", ""),
    ".parquet": ("parquet", ""),
    ".pq": ("parquet", ""),
    ".npz": ("npz", ""),
}
PACKED = {".gz": "gzip", ".zst": "zstd"}
ENDINGS = ".csv, .tsv, .txt, .jsonl (each also with .gz or .zst), .parquet or .npz"
SOURCES = (
    f"the path of a file ({ENDINGS}), a pattern, a list of paths, a pandas or polars "
    "frame, or an Arrow or Ibis table"
)


@dataclass(frozen=True)
class Ending:
    """What the ending of a file name says about the file."""

    kind: str
    separators: str
    compression: str


def ending_of(path: Path) -> Ending:
    """What kind of file it is, by the ending of its name."""
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    compression = "none"
    if endings and endings[-1] in PACKED:
        compression = PACKED[endings.pop()]
    kind, separators = KINDS.get(endings[-1] if endings else "", ("", ""))
    if not kind or (compression != "none" and kind in ("parquet", "npz")):
        message = (
            f"{str(path)!r:.200}: the name does not say what kind of file this is: "
            f"let it end in {ENDINGS}."
        )
        raise InvalidComparisons(message, code="unknown ending")
    return Ending(kind, separators, compression)


def check_gzip(path: Path) -> None:
    """Refuse a damaged file: the engine does not compare the check sum at its end."""
    try:
        with gzip.open(path) as file:
            while file.read(2**20):
                pass
    except (OSError, EOFError, zlib.error):
        message = (
            f"{str(path)!r:.200}: the packed file is cut off or damaged, or not packed "
            "as its ending says. Copy or download it again."
        )
        raise InvalidComparisons(message, code="damaged file") from None


def is_path(source: object) -> bool:
    """Whether a source is the name of a file, or a list of names."""
    if isinstance(source, list | tuple):
        return all(isinstance(one, str | os.PathLike) for one in source)
    return isinstance(source, str | os.PathLike)


def files_of(source: Any) -> list[Path]:
    """The files that a path, a pattern or a list of both stands for; each can be read.

    Raises
    ------
    UnreadableFile
        If a file is missing, is a folder, or may not be read.
    InvalidComparisons
        If a file is empty or given twice, or no file fits a pattern.
    """
    sources = source if isinstance(source, list | tuple) else [source]
    paths = [path for one in sources for path in _matching(one)]
    if not paths:
        message = "no files to read: give the path of at least one."
        raise InvalidComparisons(message, code="no files")
    for path in paths:
        _check_file(path)
    _check_once(paths)
    return paths


def _check_once(paths: list[Path]) -> None:
    """Refuse a file that is given twice: its answers would count twice."""
    seen: dict[str, Path] = {}
    for path in paths:
        other = seen.setdefault(os.path.realpath(path), path)
        if other is not path:
            both = f"{str(other)!r:.200}"
            if str(other) != str(path):
                both += f" and {str(path)!r:.200}"
            message = (
                f"{both}: the same file is given twice, and its answers would count "
                "twice. Give it once; do patterns overlap?"
            )
            raise InvalidComparisons(message, code="file twice")


def _matching(source: Any) -> list[Path]:
    text = check_name(source)
    if "://" in text and not os.path.lexists(text):
        message = f"{text!r:.200} is an address: download the file first."
        raise UnreadableFile(message)
    if os.path.lexists(text) or not glob.has_magic(text):
        return [Path(text)]
    found = sorted(path for path in glob.glob(text, recursive=True) if is_utf8(path))
    if not found:
        message = f"no file fits the pattern {text!r:.200}: check the folder."
        raise UnreadableFile(message)
    return [Path(path) for path in found]


def _check_file(path: Path) -> None:
    shown = f"{str(path)!r:.200}"
    try:
        status = path.stat()
    except FileNotFoundError:
        message = f"there is no file {shown}: check the path and the working folder."
        raise UnreadableFile(message) from None
    except OSError as error:
        message = f"{shown} cannot be read: {error.strerror}."
        raise UnreadableFile(message) from None
    if stat.S_ISDIR(status.st_mode):
        message = f"{shown} is a folder: give a file, or a pattern such as '*.csv'."
        raise UnreadableFile(message)
    if not stat.S_ISREG(status.st_mode):
        message = f"{shown} is not a regular file and cannot be read twice: save it."
        raise UnreadableFile(message)
    if not os.access(path, os.R_OK):
        message = f"{shown} may not be read: change its permissions."
        raise UnreadableFile(message)
    if status.st_size == 0:
        message = f"{shown} is empty: was it exported completely?"
        raise InvalidComparisons(message, code="empty")


def as_frame(source: Any) -> Any:
    """What DuckDB can read of a data frame: pandas as it is, the rest as Arrow."""
    library = type(source).__module__.split(".")[0]
    if hasattr(source, "to_pyarrow"):  # Ibis
        source, library = source.to_pyarrow(), "pyarrow"
    elif library == "polars":
        frame = source.collect() if hasattr(source, "collect") else source
        if hasattr(frame, "to_arrow") and hasattr(frame, "columns"):
            source, library = _to_arrow(frame), "pyarrow"
    if library == "pandas" and hasattr(source, "dtypes") and hasattr(source, "columns"):
        return source
    if library == "pyarrow" and hasattr(source, "rename_columns"):
        return source
    message = f"cannot read answers from {type(source).__name__}: give {SOURCES}."
    if library == "numpy":
        message += " An array of ids is read by Triplets(rows, n_objects=n)."
    raise InvalidComparisons(message, code="not a table")


def _to_arrow(frame: Any) -> Any:
    try:
        return frame.to_arrow()
    except ImportError:
        message = "polars frames are read through pyarrow: pip install pyarrow."
        raise InvalidComparisons(message, code="no pyarrow") from None
