"""What answers can be read from: paths, patterns, and the frames of other libraries.

Of a text file also how it is written: separator, header, and on which line a row is.
"""

from __future__ import annotations

import csv
import glob
import gzip
import io
import os
import re
import shutil
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED

from tripletree._files import check_name, check_readable, is_utf8
from tripletree.answers.header import is_known_name, squashed
from tripletree.answers.labels import DESCRIPTION
from tripletree.errors import (
    InvalidComparisons,
    TooLarge,
    TripletreeError,
    UnreadableFile,
    refuse_if,
)

LARGEST_MEMBER = 2**32  # bytes, of a file in an archive
LOOKED_AT = 2**24  # characters that are looked at for what is wrong with lines
LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r)")
# ab|c for letters, else a,b|c or a b|c; in brackets or not: groups 1, 2 or 3, 4 or 5, 6
# are closer to each other than to 7. Names of columns of them.
TRIPLE = (
    r"\s*\(?\s*(?:(\w)(\w)|([^|,;()]*[^|,;()\s])\s*[,;]\s*([^|,;()]*[^|,;()\s])|"
    r"([^|,;()\s]+)\s+([^|,;()\s]+))\s*\)?\s*\|\s*([^|,;()]*[^|,;()\s])\s*"
)
TRIPLES = ("triple", "triples", "triplet", "triplets", "rootedtriple", "rootedtriples")
INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")

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
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    compression = "none"
    if endings and endings[-1] in PACKED:
        compression = PACKED[endings.pop()]
    kind, separators = KINDS.get(endings[-1] if endings else "", ("", ""))
    is_binary = kind in ("parquet", "npz", "zip")
    is_wrong = not kind or (compression != "none" and is_binary)
    refuse_if(
        is_wrong,
        InvalidComparisons,
        f"{str(path)!r:.200}: the name does not say what kind of file this is: "
        f"let it end in {ENDINGS}.",
        code="unknown ending",
    )
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


def check_list(path: Path, compression: str) -> None:
    """Refuse a JSON list that is cut off: the engine reads it up to there."""
    if compression not in ("none", "gzip"):
        return
    opened = path.open("rb") if compression == "none" else gzip.open(path)
    with opened as file:
        first = last = file.read(2**20)
        while chunk := file.read(2**20):
            last = last[-100:] + chunk
    is_cut = first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    is_cut = is_cut and not last.rstrip().endswith(b"]")
    message = f"{str(path)!r:.200}: the JSON list has no end: was it exported whole?"
    refuse_if(is_cut, InvalidComparisons, message, code="not JSON")


def unpacked(path: Path, folder: Path) -> Path:
    """The one file that a ZIP archive holds, written to a folder.

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
            target = folder / path.name[-100:] / PurePath(member.filename).name[-100:]
            ending = ending_of(target)
            is_odd = ending.kind in ("npz", "zip") or member.flag_bits & 1 == 1
            is_odd |= member.compress_type not in (ZIP_STORED, ZIP_DEFLATED)
            what = f"{name}: {names} is not read from an archive: unpack it first."
            refuse_if(is_odd, InvalidComparisons, what, code="archive")
            most = min(LARGEST_MEMBER, shutil.disk_usage(folder).free // 2)
            refuse_if(
                member.file_size > most,
                TooLarge,
                f"{name}: {names} takes {member.file_size:,} bytes, and at most "
                f"{most:,} are unpacked here: unpack it first.",
            )
            target.parent.mkdir()
            with archive.open(member) as packed, target.open("wb") as file:
                shutil.copyfileobj(packed, file)
            return target
    except TripletreeError:
        raise
    except OSError as error:
        raise UnreadableFile(name, f" cannot be unpacked: {error.strerror}.") from None
    except Exception:  # what is no archive can fail in any way
        what = ": not a whole ZIP archive. Copy or download it again."
        raise InvalidComparisons(name, what, code="damaged file") from None


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
    nothing = "no files to read: give the path of at least one."
    refuse_if(not paths, InvalidComparisons, nothing, code="no files")
    for path in paths:
        is_empty = check_readable(path).st_size == 0
        what = f"{str(path)!r:.200} is empty: was it exported completely?"
        refuse_if(is_empty, InvalidComparisons, what, code="empty")
    _check_once(paths)
    return paths


def _check_once(paths: list[Path]) -> None:
    """Refuse a file that is given twice, or by links: its answers count twice."""
    seen: dict[object, Path] = {}
    for path in paths:
        status = path.stat()
        same = (status.st_dev, status.st_ino) if status.st_ino else path.resolve()
        other = seen.setdefault(same, path)
        both = " and ".join(dict.fromkeys(f"{str(x)!r:.200}" for x in (other, path)))
        refuse_if(
            other is not path,
            InvalidComparisons,
            f"{both}: the same file is given twice, and its answers would count "
            "twice. Give it once; do patterns overlap?",
            code="file twice",
        )


def _matching(source: Any) -> list[Path]:
    text = check_name(source)
    if os.path.lexists(text) or not glob.has_magic(text):
        return [Path(text)]
    found = sorted(path for path in glob.glob(text, recursive=True) if is_utf8(path))
    what = f"no file fits the pattern {text!r:.200}: check the folder."
    refuse_if(not found, UnreadableFile, what)
    return [Path(path) for path in found]


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


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written, and the names of its columns.

    Without a header, the names are the positions "0", "1", ...; n_described lines
    follow the header and describe the columns.
    """

    delimiter: str
    has_header: bool
    names: tuple[str, ...]
    n_described: int = 0

    @property
    def skip(self) -> int:
        """How many lines are no answers."""
        return self.has_header + self.n_described

    @property
    def is_spaced(self) -> bool:
        """Whether a blank belongs to the separator."""
        return len(self.delimiter) > 1


def text_format(
    lines: list[str], separators: str, no_header: bool, name: str
) -> TextFormat:
    """What the first lines of a file say.

    The separator is the first of `separators` that makes three columns of the first
    line, else two. Every cell starting with a blank, it is the separator and a blank.
    The first line is a header unless all of it are integers, or `no_header` says so.
    """
    nothing = " has no text in its first line: was it exported completely?"
    refuse_if(not any(lines), InvalidComparisons, name, nothing, code="empty")
    where = f"{name}, line 1"
    if "\0" in lines[0]:
        raise InvalidComparisons(
            where,
            ": binary data, not text. Let the ending of the name say what kind of file "
            "it is, or save it as text (UTF-8).",
            code="not UTF-8",
            place="line 1",
        )
    if not no_header and _are_triples(lines):
        is_header = squashed(lines[0]) in TRIPLES
        return TextFormat("\x1f", is_header, ("triple",))
    rows = {mark: _cells(lines, mark) for mark in separators}
    wide = [mark for mark in separators if rows[mark] and len(rows[mark][0]) >= 3]
    wide += [mark for mark in separators if rows[mark] and len(rows[mark][0]) == 2]
    delimiter = wide[0] if wide else separators[0]
    found = [row for row in rows[delimiter] if row]
    if not found:
        why = ": a quoted value has no end: close the quotes."
        raise InvalidComparisons(where, why, code="open quote", place="line 1")
    if _is_spaced(lines, delimiter):
        delimiter += " "
    first = _without_end(found[0], found[1:])
    if no_header:
        _refuse_header(first, found[1:], where)
    has_header = not (no_header or all(INTEGER.fullmatch(cell) for cell in first))
    names = first if has_header else [str(at) for at in range(len(first))]
    described = (
        n for n in (1, 2) if any(x.startswith(DESCRIPTION) for x in (*found, [], [])[n])
    )
    stripped = tuple(cell.strip() for cell in names)
    return TextFormat(delimiter, has_header, stripped, next(described, 0))


def _are_triples(lines: list[str]) -> bool:
    """Whether every line, but perhaps the first, is a triple such as ab|c."""
    first, *others = lines
    fits = [re.fullmatch(TRIPLE, line) for line in others if line.strip()]
    is_first = re.fullmatch(TRIPLE, first) or (fits and squashed(first) in TRIPLES)
    return bool(is_first) and all(fits)


def _without_end(first: list[str], others: list[list[str]]) -> list[str]:
    """The first line without the separator at its end, where it ends no column.

    Beside a header, where no other line has one; without, where integers precede it.
    """
    if len(first) < 2 or first[-1]:
        return first
    are_shorter = bool(others) and all(len(row) < len(first) for row in others)
    are_integers = all(INTEGER.fullmatch(cell) for cell in first[:-1])
    return first[:-1] if are_shorter or are_integers else first


def mixed_ends(path: Path) -> tuple[int, str, str] | None:
    """The first line that ends otherwise than the first one, and how both end.

    None if there is none in the first megabytes; breaks in quotes end no line.
    """
    try:
        with _opened(path, ending_of(path)) as file:
            text = file.read(LOOKED_AT)
    except (OSError, EOFError, ValueError, InvalidComparisons):
        return None
    first, is_quoted, number = "", False, 0
    for piece in LINE.finditer(text):
        number += 1
        is_quoted ^= piece.group(1).count('"') % 2 == 1
        if is_quoted:
            continue
        first = first or piece.group(2)
        if piece.group(2) != first:
            return number, repr(first)[1:-1], repr(piece.group(2))[1:-1]
    return None


def _is_spaced(lines: list[str], delimiter: str) -> bool:
    """Whether a blank follows every separator: then it is part of the separator."""
    pattern = re.compile(re.escape(delimiter) + "(?! )")
    return delimiter in lines[0] and not any(pattern.search(line) for line in lines)


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    """The rows that the lines make, up to the first that has no end among them."""
    text = [line + "\n" for line in lines]
    spaced = _is_spaced(lines, delimiter)
    reader = csv.reader(text, delimiter=delimiter, strict=True, skipinitialspace=spaced)
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(reader)
    return rows


def _refuse_header(first: list[str], others: list[list[str]], where: str) -> None:
    """Columns by position count every line as an answer: a header must not slip in."""
    lower = [cell.strip().lower() for cell in first]
    is_header = all(is_known_name(cell) for cell in first) or lower[:3] == list("ijk")
    if others and not any(INTEGER.fullmatch(cell) for cell in first):
        is_header |= all(INTEGER.fullmatch(cell) for row in others for cell in row)
    if is_header:
        raise InvalidComparisons(
            where,
            f" looks like a header ({', '.join(first)!r:.80}), and columns by position "
            "are for files without: give columns by name.",
            code="header",
            place="line 1",
        )


def line_of_row(
    path: Path, ending: Ending, text: TextFormat | None, row: int
) -> int | None:
    """The line, counted from 1, on which a row (from 0) ends; None where unknown.

    Values can have line breaks in them, and blank lines are no rows, so the file is
    read up to the row. Parquet has no lines, and zstd is beyond Python's library.
    """
    if ending.kind in ("parquet", "array") or ending.compression == "zstd":
        return None
    try:
        with _opened(path, ending) as lines:
            if text is None:  # JSON
                numbered = (n for n, line in enumerate(lines, 1) if line.strip())
                return next(islice(numbered, row, None), None)
            reader = csv.reader(
                lines, delimiter=text.delimiter[0], skipinitialspace=text.is_spaced
            )
            ends = (reader.line_num for cells in reader if cells)
            return next(islice(ends, row + text.skip, None), None)
    except (OSError, EOFError, ValueError, csv.Error):
        return None


def _opened(path: Path, ending: Ending) -> IO[str]:
    raw: Any = gzip.open(path) if ending.compression == "gzip" else path.open("rb")
    return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
