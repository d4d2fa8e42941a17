"""Unpack gzip, tar and zip in memory, trusting nothing that they say.

Nothing is written to disk, so no name can lead out of a folder; names that try are
refused all the same, because such an archive was made to do harm. What is unpacked is
counted while it is unpacked, never taken from a header.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from tripletree.errors import InvalidFile

MOST_BYTES = 2**28
MOST_MEMBERS = 10_000

Wanted = Callable[[str], bool]


def gunzip(data: bytes, where: str, *, most: int = MOST_BYTES) -> bytes:
    """The contents of a gzip file, of at most so many bytes."""
    import gzip
    import io
    import zlib

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            contents = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(where, "gzip", error) from None
    if len(contents) > most:
        raise _too_large(where, most)
    return contents


def unpack_tar_gz(
    data: bytes, where: str, wanted: Wanted, *, most: int = MOST_BYTES
) -> dict[str, bytes]:
    """The wanted files of a .tar.gz by name; at most so many bytes in all."""
    import io
    import tarfile

    packed = gunzip(data, where, most=most)
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as archive:
            for number, member in enumerate(archive):
                _check_member(member.name, number, where)
                if member.isdir():
                    continue
                if not member.isreg():
                    message = (
                        f"{where}: {member.name[:80]!r} is neither a file nor a "
                        "folder: links and devices are not read. Get the file again "
                        "from its source."
                    )
                    raise InvalidFile(message)
                file = archive.extractfile(member) if wanted(member.name) else None
                if file is not None:
                    found[member.name] = file.read()
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        if isinstance(error, InvalidFile):
            raise
        raise _damaged(where, "tar", error) from None
    if packed[-1024:].strip(b"\0"):  # every tar ends with two empty blocks
        raise _damaged(where, "tar", "it has no end") from None
    return found


def unpack_zip(
    data: bytes, where: str, wanted: Wanted, *, most: int = MOST_BYTES
) -> dict[str, bytes]:
    """The wanted files of a zip by name; at most so many bytes in all."""
    import io
    import zipfile
    import zlib

    found: dict[str, bytes] = {}
    left = most
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for number, member in enumerate(archive.infolist()):
                _check_member(member.filename, number, where)
                if member.is_dir() or not wanted(member.filename):
                    continue
                with archive.open(member) as file:
                    contents = file.read(left + 1)
                left -= len(contents)
                if left < 0:
                    raise _too_large(where, most)
                found[member.filename] = contents
    except InvalidFile:
        raise
    # RuntimeError: encrypted; NotImplementedError: an unknown compression.
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError) as error:
        raise _damaged(where, "zip", error) from None
    except (RuntimeError, NotImplementedError, ValueError) as error:
        raise _damaged(where, "zip", error) from None
    return found


def _check_member(name: str, number: int, where: str) -> None:
    if number >= MOST_MEMBERS:
        message = (
            f"{where} holds more than {MOST_MEMBERS} files: this is not the archive "
            "of the data set. Get it again from its source."
        )
        raise InvalidFile(message)
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name or "\0" in name:
        message = (
            f"{where} holds a file named {name[:80]!r}, which leads out of its folder: "
            "nothing of the archive was read. Get it again from its source."
        )
        raise InvalidFile(message)


def _too_large(where: str, most: int) -> InvalidFile:
    message = (
        f"{where} unpacks to more than {most} bytes, the most that is read: this is "
        "not the file of the data set. Get it again from its source."
    )
    return InvalidFile(message)


def _damaged(where: str, kind: str, error: object) -> InvalidFile:
    message = (
        f"{where} is no whole {kind} file ({error}): it is cut off or damaged. Get it "
        "again from its source."
    )
    return InvalidFile(message)
