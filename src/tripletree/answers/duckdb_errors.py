"""DuckDB's errors in our own words: what is wrong with the file, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tripletree.answers.dialect import mixed_ends
from tripletree.errors import (
    SUM_ON_DISK,
    InvalidComparisons,
    TooLarge,
    TripletreeError,
    UnreadableFile,
)

LINE = re.compile(r"CSV Error on Line: ([0-9]+)|in line ([0-9]+)")
FILE = re.compile(r'^ +file = (.+)$|in file "([^"]+)"', re.MULTILINE)
COLUMNS = re.compile(r"Expected Number of Columns: ([0-9]+) Found: ([0-9]+)")
INTERRUPTED = re.compile(
    r"Query interrupted|KeyboardInterrupt: |"
    r"Traceback \(most recent call last\):\n(.*\n)*KeyboardInterrupt\b.*\s*\Z"
)
INVALID = "state machine reached an invalid state"
MORE = re.compile(r" and [0-9]+ more$")
FULL = re.compile(
    r"No space left|max_temp_directory_size|[Ff]ile too large|[Dd]isk quota"
)
DISK = (
    "the disk is full: make room, or choose another folder. What does not fit into "
    "memory is written there, too."
)
# Seen with Parquet files of which one byte is wrong; may be a fault of the engine, too.
BROKEN = "the engine failed on it. Is it broken? Write or download it again"
KNOWN = (  # a pattern of what it says, our code and words
    (
        r"Maximum line size|maximum_object_size",
        "long line",
        "the line is too long to be an answer. Is a quote or a line break missing?",
    ),
    (
        r"nvalid unicode|UTF-8|utf-8|Invalid string encoding",
        "not UTF-8",
        "not UTF-8 text. Save it as UTF-8, not as UTF-16 or Latin-1 (in Excel, choose "
        "'CSV UTF-8'). If it is not a text file, its name must end as its kind "
        "does, such as .parquet.",
    ),
    (
        r'Original Line: (.*[,;\t| ])?"([^"\n]|"")*"[^",;\t|\s](.|\n)*unterminated',
        "open quote",
        'text follows a closing quote. Write quotes in a quoted value twice ("").',
    ),
    (
        r"unterminated quote",
        "open quote",
        "a value begins with a quote that the line does not close. Close it; a quote "
        'that belongs to the label is written twice, in quotes ("""b").',
    ),
    (
        INVALID,
        "open quote",
        "quotes are not in order. Write those in a quoted value twice, and close each.",
    ),
    (
        r"GZIP stream|Unknown frame descriptor|gzip|ZSTD|zstd|[Dd]ecompress|DECODE",
        "damaged file",
        "the packed file is cut off, or not packed as its ending says. Copy or "
        "download it again.",
    ),
    (r"duplicate key", "key twice", "an object has the same key twice. Rename one."),
    (
        r"Malformed JSON|JSON transform error|recursion depth",
        "not JSON",
        "not a flat JSON object. Write one object per line, such as "
        '{"target": "a", "near": "b", "far": "c"}.',
    ),
    (
        r"[Pp]arquet|Footer|thrift|TProtocol|Snappy|magic bytes",
        "not Parquet",
        "not a whole Parquet file. Write or download it again.",
    ),
)


@contextmanager
def keep_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt again, which the engine turned into its own error."""
    import duckdb

    try:
        yield
    except Exception as error:
        is_interrupt = isinstance(error, duckdb.InterruptException)
        if is_interrupt or INTERRUPTED.match(str(error)):
            raise KeyboardInterrupt from None
        raise


@contextmanager
def explain_errors(name: str) -> Iterator[None]:
    """Turn errors of the engine about a table into errors of this package."""
    import duckdb

    try:
        with keep_interrupts():
            yield
    except duckdb.OutOfMemoryException as error:
        if FULL.search(str(error)):
            raise UnreadableFile(name, f": {DISK}") from None
        raise TooLarge(
            name,
            " needs more memory than there is: sum the answers on the disk, with ",
            SUM_ON_DISK,
            ", or read it in parts.",
        ) from None
    except duckdb.Error as error:
        raise _in_words(str(error), name) from None


def _in_words(text: str, name: str) -> TripletreeError:
    # The engine quotes the line, which can have millions of characters.
    start, rest = text[:400], text[-4_000:]
    line = LINE.search(start)
    file = FILE.search(rest) or FILE.search(start)
    if file and MORE.search(name):  # which of several files it is
        name = file.group(1) or file.group(2)
    place = None if line is None else f"line {line.group(1) or line.group(2)}"
    where = name if place is None else f"{name}, {place}"
    columns = COLUMNS.search(start) or COLUMNS.search(rest)
    if columns:
        expected, found = columns.groups()
        message = (
            f"{where}: {found} columns, and {expected} in the first line. Put values "
            'that contain the separator in quotes ("a, b"); give every line all.'
        )
        return InvalidComparisons(message, code="number of columns", place=place)
    if FULL.search(start) or FULL.search(rest):
        return UnreadableFile(f"{where}: {DISK}")
    ends = mixed_ends(Path(file.group(1) or "")) if file and INVALID in start else None
    if ends:
        place, first, other = f"line {ends[0]}", *ends[1:]
        message = (
            f"{name}, {place} ends with {other}, and the lines before it end with "
            f"{first}. Save the file again with one kind of line end."
        )
        return InvalidComparisons(message, code="mixed line ends", place=place)
    for pattern, code, words in KNOWN:
        if re.search(pattern, start) or re.search(pattern, rest):
            return InvalidComparisons(f"{where}: {words}", code=code, place=place)
    first = " ".join(start.split("\n", 1)[0].split())[:200]
    if start.startswith(("IO Error", "Permission Error")):
        return UnreadableFile(f"{where} cannot be read: {first}")
    if start.startswith("INTERNAL Error"):
        return InvalidComparisons(f"{where}: {BROKEN} ({first}).", code="broken file")
    message = f"{where} cannot be read as a table: {first}"
    return InvalidComparisons(message, code="not a table")
