"""Files of public data sets: from a folder of the user, or downloaded once.

Looked for, in this order::

    data_home=, or else the folder in TRIPLETREE_DATA     as it is, perhaps with .gz
    pooch's cache folder of tripletree                    if its sha256 is right
    each address in turn                                  if its sha256 is right

What a user put into a folder is the user's choice, and is read whatever its hash. What
comes over the network is used only with the hash it should have; a download that fails
leaves nothing in the cache.

gzip, tar and zip are unpacked in memory, trusting nothing that they say. Nothing is
written to disk, so no name can lead out of a folder; names that try are refused all the
same, because such an archive was made to do harm. What is unpacked is counted while it
is unpacked, never taken from a header.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from tripletree.datasets.data_sets import FILES, ORIGINS, Address
from tripletree.errors import (
    DataUnavailable,
    InvalidFile,
    InvalidOption,
    Remedy,
    refuse_if,
)

VARIABLE = "TRIPLETREE_DATA"
SECONDS = 30
MOST_BYTES = 2**28
MOST_MEMBERS = 10_000

Folder = str | os.PathLike[str]
Wanted = Callable[[str], bool]


def cache_folder() -> Path:
    """Where downloads are kept."""
    import pooch

    return Path(pooch.os_cache("tripletree"))


def local_folder(data_home: Folder | None) -> Path | None:
    """The folder that the user named, by option or environment, or None."""
    name, given = "data_home", data_home
    if data_home is None:
        name, given = VARIABLE, os.environ.get(VARIABLE) or None
    if given is None:
        return None
    is_path = isinstance(given, str | os.PathLike) and isinstance(os.fspath(given), str)
    refuse_if(
        not is_path or not os.path.isdir(given),
        InvalidOption,
        f"{name} = {str(given)[:200]!r} is not a folder: give one that holds the files "
        "of the data sets, for example car/survey_data.csv below it.",
    )
    return Path(given)


def find_local(path: str, data_home: Folder | None) -> Path | None:
    """The user's copy of a file, packed with gzip or not, or None."""
    folder = local_folder(data_home)
    if folder is None:
        return None
    places = (folder / path, folder / f"{path}.gz")
    return next((place for place in places if place.exists()), None)


def read_data_file(path: str, data_home: Folder | None = None) -> bytes:
    """The contents of a file: the user's copy, the cached one, or downloaded now.

    Raises
    ------
    DataUnavailable
        If it is nowhere, saying what each address answered and where to put the file.
    InvalidFile
        If an archive is damaged or hostile.
    """
    local = find_local(path, data_home)
    if local is not None:
        contents = _contents(local)
        is_packed = local.suffix == ".gz" and not path.endswith(".gz")
        return gunzip(contents, str(local)) if is_packed else contents
    tried = ""
    for address in sorted(
        FILES[path], key=lambda address: not _place(address, path).exists()
    ):
        try:
            found = _retrieved(address, path)
        except (OSError, ValueError) as error:  # errors of requests are OSErrors
            tried += f"\n  {address.url}: {_reason(error)}"
        else:
            return _member(found, address)
    folder, variable = local_folder(data_home), f"the environment variable {VARIABLE}"
    mine = f"{path} below a folder of yours, and name that folder with "
    place = mine, Remedy(f"data_home= or {variable}", shell=variable)
    message = (
        f"{path} is not here and could not be downloaded:{tried}\n"
        f"Get it by hand from {ORIGINS[path.split('/')[0]]['page']}, and put it at "
    )
    there = place if folder is None else (str(folder / path),)
    raise DataUnavailable(message, *there, ".")


def _contents(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            contents = file.read(MOST_BYTES + 1)
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}): check its permissions."
        raise DataUnavailable(message) from None
    _check_size(len(contents), f"{path} has")
    return contents


def _place(address: Address, path: str) -> Path:
    """Where a download is kept; two files of one archive share it."""
    name = path if address.member is None else f"{address.sha256[:16]}.zip"
    return cache_folder() / name


def _retrieved(address: Address, path: str) -> Path:
    """Where pooch put the file after it checked its hash."""
    import pooch

    place = _place(address, path)
    found: str = pooch.retrieve(
        address.url,
        known_hash=f"sha256:{address.sha256}",
        fname=place.name,
        path=place.parent,
        downloader=_download,
    )
    return Path(found)


class _Limited(io.BufferedWriter):
    """A file that refuses to grow beyond what any data set needs."""

    def write(self, chunk: Any) -> int:
        if self.tell() + len(chunk) > MOST_BYTES:
            message = f"it sends more than {MOST_BYTES} bytes"
            raise OSError(message)
        return super().write(chunk)


def _download(url: str, output_file: str, pooch: object) -> None:
    from pooch import HTTPDownloader

    with _Limited(io.FileIO(output_file, "w")) as file:
        HTTPDownloader(timeout=SECONDS, chunk_size=2**16)(url, file, pooch)


def _reason(error: Exception) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"HTTP status {response.status_code}"
    if not isinstance(error, OSError):
        return "another sha256 than expected; what came was thrown away"
    if hasattr(error, "request"):  # an error of requests
        return f"no whole answer ({type(error).__name__})"
    return str(error)[:160]


def _member(path: Path, address: Address) -> bytes:
    contents, member = _contents(path), address.member
    if member is None:
        return contents
    found = unpack_zip(contents, str(path), lambda name: name == member)
    refuse_if(
        member not in found,
        InvalidFile,
        f"{path} (from {address.url}) holds no file {member!r}.",
    )
    return found[member]


def gunzip(data: bytes, where: str) -> bytes:
    """The contents of a gzip file."""
    with _unpacking(where, "gzip"), gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        contents = file.read(MOST_BYTES + 1)
    _check_size(len(contents), f"{where} unpacks to")
    return contents


def unpack_tar_gz(data: bytes, where: str, wanted: Wanted) -> dict[str, bytes]:
    """The wanted files of a .tar.gz by name."""
    packed = gunzip(data, where)
    found: dict[str, bytes] = {}
    with (
        _unpacking(where, "tar"),
        tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as archive,
    ):
        for number, member in enumerate(archive):
            _check_member(member.name, number, where)
            refuse_if(
                not member.isdir() and not member.isreg(),
                InvalidFile,
                f"{where}: {member.name[:80]!r} is neither a file nor a folder: links "
                "and devices are not read. Get the file again from its source.",
            )
            file = archive.extractfile(member) if wanted(member.name) else None
            if file is not None:  # as it is for a folder
                found[member.name] = file.read()
    has_end = not packed[-1024:].strip(b"\0")  # two empty blocks
    refuse_if(not has_end, InvalidFile, _damaged(where, "tar", "it has no end"))
    return found


def unpack_zip(data: bytes, where: str, wanted: Wanted) -> dict[str, bytes]:
    """The wanted files of a zip by name."""
    found: dict[str, bytes] = {}
    n_bytes = 0
    with _unpacking(where, "zip"), zipfile.ZipFile(io.BytesIO(data)) as archive:
        for number, member in enumerate(archive.infolist()):
            name = member.filename
            _check_member(name, number, where)
            if member.is_dir() or not wanted(name):
                continue
            with archive.open(member) as file:
                found[name] = file.read(MOST_BYTES + 1 - n_bytes)
            n_bytes += len(found[name])
            _check_size(n_bytes, f"{where} unpacks to")
    return found


@contextmanager
def _unpacking(where: str, kind: str) -> Iterator[None]:
    """What a library says about a damaged archive becomes an error of ours."""
    try:
        yield
    except InvalidFile:
        raise
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        ValueError,
        RuntimeError,  # encrypted, or an unknown compression
    ) as error:
        raise InvalidFile(_damaged(where, kind, error)) from None


def _damaged(where: str, kind: str, error: object) -> str:
    return (
        f"{where} is not a whole {kind} file ({error}): it is cut off or damaged. Get "
        "it again from its source."
    )


def _check_size(n_bytes: int, what_has: str) -> None:
    refuse_if(
        n_bytes > MOST_BYTES,
        InvalidFile,
        f"{what_has} more than {MOST_BYTES} bytes, the most that is read: this is not "
        "the file of the data set. Get it again from its source.",
    )


def _check_member(name: str, number: int, where: str) -> None:
    refuse_if(
        number >= MOST_MEMBERS,
        InvalidFile,
        f"{where} holds more than {MOST_MEMBERS} files: this is not the archive of the "
        "data set. Get it again from its source.",
    )
    path = PurePosixPath(name.replace("\\", "/"))
    refuse_if(
        path.is_absolute() or ".." in path.parts or ":" in name or "\0" in name,
        InvalidFile,
        f"{where} holds a file named {name[:80]!r}, which leads out of its folder: "
        "nothing of the archive was read. Get it again from its source.",
    )
