"""What answers can be read from: paths, patterns, and the frames of other libraries.

What kind of file it is, the ending of its name says; archives are unpacked. A study may
be exported more than once, and all exports lie in one folder: files are compared, for
the answers of the first would count twice.
"""

from __future__ import annotations

import glob
import gzip
import os
import shutil
import zipfile
import zlib
from codecs import BOM_UTF8
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED

import numpy as np

from tripletree._files import check_name, check_readable, is_utf8
from tripletree.answers.header import PAIRS
from tripletree.errors import (
    InvalidComparisons,
    TooLarge,
    TripletreeError,
    UnreadableFile,
    refuse_if,
)

if TYPE_CHECKING:
    from tripletree.answers.tables import Table

LARGEST_TO_COMPARE, MOST_TO_COMPARE = 2**23, 500  # bytes, files: row by row
FEWEST_ROWS = 3  # of a file that is part of another, hardly by chance
BYTES_ALIKE = 4096  # with which large files begin that are compared
LARGEST_MEMBER = 2**32  # bytes, of a file in an archive
KINDS = {
    ".csv": ("text", ",;\t|"),
    ".tsv": ("text", "\t"),
    ".txt": ("text", ",;\t| "),
    ".json": ("array", ""),
    ".jsonl": ("json", ""),
    ".ndjson": ("json", ""),
    ".parquet": ("parquet", ""),
    ".pq": ("parquet", ""),
    ".npz": ("npz", ""),
    ".zip": ("zip", ""),
}
WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods", ".numbers")
PACKED = {".gz": "gzip", ".zst": "zstd"}
ENDINGS = (
    ".csv, .tsv, .txt, .json, .jsonl (each also with .gz or .zst), .parquet, .npz or "
    ".zip"
)
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

    @property
    def is_json(self) -> bool:
        """Whether it holds JSON: an object per line, or a list of objects."""
        return self.kind in ("json", "array")


def ending_of(path: Path) -> Ending:
    """What kind of file it is, by the ending of its name."""
    *_, before, last = "", "", *(ending.lower() for ending in path.suffixes)
    compression = PACKED.get(last, "none")
    kind, separators = KINDS.get(before if last in PACKED else last, ("", ""))
    workbook = " Workbooks are neither read nor written: in Excel, save the sheet as "
    workbook = f"{workbook}'CSV UTF-8'." if last in WORKBOOKS else ""
    refuse_if(
        not kind or (last in PACKED and kind in ("parquet", "npz", "zip")),
        InvalidComparisons,
        f"{str(path)!r:.200}: the name does not say what kind of file this is: "
        f"let it end in {ENDINGS}.{workbook}",
        code="unknown ending",
    )
    return Ending(kind, separators, compression)


def check_whole(path: Path, ending: Ending) -> None:
    """Refuse a file that is cut off or damaged, where the engine does not notice.

    It does not compare the check sum at the end of a packed file, and reads a JSON list
    up to where it was cut off.
    """
    is_packed, is_list = ending.compression == "gzip", ending.kind == "array"
    if ending.compression == "zstd" or not (is_packed or is_list):
        return
    try:
        with gzip.open(path) if is_packed else path.open("rb") as file:
            first = last = file.read(2**20)
            while chunk := file.read(2**20):
                last = last[-100:] + chunk
    except (OSError, EOFError, zlib.error):
        message = (
            f"{str(path)!r:.200}: the packed file is cut off or damaged, or not packed "
            "as its ending says. Copy or download it again."
        )
        raise InvalidComparisons(message, code="damaged file") from None
    is_open = is_list and first.removeprefix(BOM_UTF8).lstrip().startswith(b"[")
    refuse_if(
        is_open and first.startswith(BOM_UTF8),
        InvalidComparisons,
        f"{str(path)!r:.200}: a byte order mark (BOM) stands before the JSON list. "
        "Save the file as UTF-8 without one.",
        code="not JSON",
    )
    refuse_if(
        is_open and not last.rstrip().endswith(b"]"),
        InvalidComparisons,
        f"{str(path)!r:.200}: the JSON list has no end: was it exported whole?",
        code="not JSON",
    )


def unpacked(path: Path, folder: Path) -> Path:
    """The one file that a ZIP archive holds, written to a new folder.

    No more is written than the archive says, and that is bounded: few bytes can stand
    for very many.
    """
    name = f"{str(path)!r:.200}"
    try:
        with zipfile.ZipFile(path) as archive:
            found = [one for one in archive.infolist() if _is_content(one)]
            names = ", ".join(f"{one.filename!r:.80}" for one in found[:5])
            refuse_if(
                len(found) != 1,
                InvalidComparisons,
                f"{name}: the archive holds {len(found)} files ({names or 'none'}): "
                "only archives with one file can be read. Unpack it, and give the "
                "files to read.",
                code="archive",
            )
            member = found[0]
            inner = PurePath(member.filename).name[-100:]
            target = folder / path.name[-100:] / inner
            ending = ending_of(path / inner)
            is_encrypted = member.flag_bits & 1 == 1
            refuse_if(
                is_encrypted
                or ending.kind in ("npz", "zip")
                or member.compress_type not in (ZIP_STORED, ZIP_DEFLATED),
                InvalidComparisons,
                f"{name}: {names} is not read from an archive: unpack it first.",
                code="archive",
            )
            most = min(LARGEST_MEMBER, shutil.disk_usage(folder.parent).free // 2)
            refuse_if(
                member.file_size > most,
                TooLarge,
                f"{name}: {names} takes {member.file_size:,} bytes, and at most "
                f"{most:,} are unpacked here: unpack it first.",
            )
            target.parent.mkdir(parents=True)
            with archive.open(member) as packed, target.open("wb") as file:
                shutil.copyfileobj(packed, file)
            return target
    except TripletreeError:
        raise
    except OSError as error:
        raise UnreadableFile(name, f" cannot be unpacked: {error.strerror}.") from None
    except Exception:  # what is not an archive can fail in any way
        raise InvalidComparisons(
            name,
            ": not a whole ZIP archive. Copy or download it again.",
            code="damaged file",
        ) from None


def _is_content(member: zipfile.ZipInfo) -> bool:
    """Whether it is a file, and not one that a Mac or an editor adds."""
    parts = PurePath(member.filename).parts
    is_hidden = any(x.startswith((".", "__MACOSX")) and x != ".." for x in parts)
    return bool(parts) and not member.is_dir() and not is_hidden


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
    refuse_if(
        not paths,
        InvalidComparisons,
        "no files to read: give the path of at least one.",
        code="no files",
    )
    seen: dict[object, Path] = {}
    for path in paths:
        status = check_readable(path)
        refuse_if(
            status.st_size == 0,
            InvalidComparisons,
            f"{str(path)!r:.200} is empty: was it exported completely?",
            code="empty",
        )
        same = (status.st_dev, status.st_ino) if status.st_ino else path.resolve()
        other = seen.setdefault(same, path)  # the same file, perhaps by links
        both = " and ".join(dict.fromkeys(f"{str(x)!r:.200}" for x in (other, path)))
        refuse_if(
            other is not path,
            InvalidComparisons,
            f"{both}: the same file is given twice, and its answers would count "
            "twice. Give it once; do patterns overlap?",
            code="file twice",
        )
    return paths


def _matching(source: Any) -> list[Path]:
    text = check_name(source)
    if os.path.lexists(text) or not glob.has_magic(text):
        return [Path(text)]
    found = sorted(path for path in glob.glob(text, recursive=True) if is_utf8(path))
    refuse_if(
        not found,
        UnreadableFile,
        f"no file fits the pattern {text!r:.200}: check the folder.",
    )
    return [Path(path) for path in found]


def as_frame(source: Any) -> Any:
    """What DuckDB can read of a data frame: pandas as it is, the rest as Arrow."""
    library, given = type(source).__module__.split(".")[0], type(source).__name__
    if library == "polars" and hasattr(source, "collect"):
        source = source.collect()
    if hasattr(source, "to_pyarrow"):  # Ibis
        source = source.to_pyarrow()
    elif library == "polars" and hasattr(source, "to_arrow"):
        try:
            source = source.to_arrow()
        except ImportError:
            message = "polars frames are read through pyarrow: pip install pyarrow."
            raise InvalidComparisons(message, code="no pyarrow") from None
    is_pandas = library == "pandas" and hasattr(source, "dtypes")
    is_arrow = type(source).__module__.split(".")[0] == "pyarrow"
    message = f"cannot read answers from {given}: give {SOURCES}."
    if library == "numpy":
        message += " An array of ids is read by Triplets(rows, n_objects=n)."
    refuse_if(
        not (is_pandas and hasattr(source, "columns"))
        and not (is_arrow and hasattr(source, "rename_columns")),
        InvalidComparisons,
        message,
        code="not a table",
    )
    return source


def same_answers(every: Table, tables: list[Table]) -> tuple[str, ...]:
    """A warning of files whose rows are all in another one.

    Files that are small together are compared row by row, in any order of rows; of
    large ones, whether one begins with all of the other.
    """
    sizes = [one.paths[0].stat().st_size for one in tables]
    is_small = sum(sizes) <= LARGEST_TO_COMPARE and len(tables) <= MOST_TO_COMPARE
    found = _contained(every) if is_small else _begun(tables, sizes)
    more = f", and so for {len(found) - 1} more" if len(found) > 1 else ""
    return tuple(
        f"all rows of {tables[one].name!r} are in {tables[other].name!r} as "
        f"well{more}: if these are the same answers, they count twice. Give one of "
        "the files."
        for one, other in found[:1]
    )


def _contained(table: Table) -> list[tuple[int, int]]:
    """The files whose rows are all in another, as often; few rows may be so by chance.

    A row is known by its hash; another file must have the row that fewest files have.
    Pair sums of a part of the answers are others: of them, only copies are found.
    """
    call = table.call.replace("$files,", "$files, filename=true,")
    query = (
        f"SELECT file, hash({table.alias}), count(*) FROM {call} AS "
        f"t({table.alias}, file) GROUP BY ALL"
    )
    number = {path.absolute(): at for at, path in enumerate(table.paths)}
    counts: list[dict[int, int]] = [{} for _ in table.paths]
    files: dict[int, list[int]] = {}
    for file, row, n in table.run(query).fetchall():
        at = number[Path(file)]  # Windows has two ways to write a path
        counts[at][row] = n
        files.setdefault(row, []).append(at)
    fewest = np.inf if table.names == PAIRS else FEWEST_ROWS

    def is_part(at: int, other: int) -> bool:
        rows = counts[at]
        if rows == counts[other]:
            return at > other
        are_few = at == other or sum(rows.values()) < fewest
        return not are_few and all(
            counts[other].get(x, 0) >= n for x, n in rows.items()
        )

    found = []
    for at, rows in enumerate(counts):
        rare = min(rows, key=lambda row: len(files[row]), default=None)
        others = [] if rare is None else files[rare]
        found += [(at, other) for other in others if is_part(at, other)][:1]
    return found


def _begun(tables: list[Table], sizes: list[int]) -> list[tuple[int, int]]:
    """The files with which another one begins; both have the same first bytes."""
    alike: dict[bytes, list[int]] = {}
    for at in sorted(range(len(tables)), key=sizes.__getitem__, reverse=True):
        with tables[at].paths[0].open("rb") as file:
            alike.setdefault(file.read(BYTES_ALIKE), []).append(at)
    return [
        (at, other)
        for group in alike.values()
        for other, at in pairwise(group)
        if _begins(tables[other].paths[0], tables[at].paths[0])
    ]


def _begins(whole: Path, part: Path) -> bool:
    """Whether a file begins with all of another."""
    with part.open("rb") as one, whole.open("rb") as two:
        chunks = iter(lambda: one.read(2**20), b"")
        return all(chunk == two.read(len(chunk)) for chunk in chunks)
