"""Files of public data sets: from a folder of the user, or downloaded once.

Looked for, in this order::

    data_home=, or else the folder in TRIPLETREE_DATA     as it is, perhaps with .gz
    pooch's cache folder of tripletree                    if its sha256 is right
    each address in turn                                  if its sha256 is right

What a user put into a folder is the user's choice, and is read whatever its hash. What
comes over the network is used only with the hash it should have; a download that fails
leaves nothing in the cache.

gzip, tar and zip are unpacked in memory, trusting nothing that they say. Nothing is
written to disk, so no name can lead out of a folder, and links are left out. What is
unpacked is counted while it is unpacked, never taken from a header.

Addresses and hashes are in sources.toml. Hashes of files that people unpacked are of
the contents. Addresses and hashes of archives, and of files on OSF, are those
that cblearn documents.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

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

Folder = str | os.PathLike[str]
Wanted = Callable[[str], bool]


@dataclass(frozen=True)
class Address:
    """Where a file can be had; member is its name if that is a zip archive."""

    url: str
    sha256: str
    member: str | None = None


_TEXT = (resources.files("tripletree.datasets") / "sources.toml").read_text("utf-8")
_SOURCES = tomllib.loads(_TEXT)

# Citation, licence and page of each set.
ORIGINS: dict[str, dict[str, str]] = {
    name: {key: text for key, text in source.items() if key != "files"}
    for name, source in _SOURCES.items()
}

# Where each file can be had, the best place first; none: only by hand.
FILES: dict[str, tuple[Address, ...]] = {
    f"{name}/{file}": tuple(Address(**address) for address in addresses)
    for name, source in _SOURCES.items()
    for file, addresses in source.get("files", {}).items()
}


def wrong_file(where: str, what: str) -> InvalidFile:
    """The error about a file that is not what it should be."""
    return InvalidFile(where, ": ", what, ". Get the file again from its source.")


def refuse_file_if(is_wrong: bool | np.bool_, where: str, what: str) -> None:
    """Refuse a file that is not what it should be."""
    if is_wrong:
        raise wrong_file(where, what)


@contextmanager
def reading_as(kind: str, where: str) -> Iterator[None]:
    """Whatever a library says about a file becomes an error of ours."""
    try:
        yield
    except (InvalidFile, MemoryError):
        raise
    except Exception as error:
        raise wrong_file(
            where, f"not {kind} ({type(error).__name__}: {error!s:.80})"
        ) from None


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
        contents, is_packed = _contents(local), local.name == f"{Path(path).name}.gz"
        return gunzip(contents, str(local)) if is_packed else contents
    import pooch

    tried = ""
    for address in sorted(FILES[path], key=lambda one: not _place(one, path).exists()):
        place = _place(address, path)
        try:
            pooch.retrieve(
                address.url,
                known_hash=f"sha256:{address.sha256}",
                fname=place.name,
                path=place.parent,
                downloader=_download,
            )
        except (OSError, ValueError) as error:  # errors of requests are OSErrors
            tried += f"\n  {address.url}: {type(error).__name__}: {error!s:.160}"
        else:
            return _member(place, address)
    folder, variable = local_folder(data_home), f"the environment variable {VARIABLE}"
    raise DataUnavailable(
        path,
        f" is not here and could not be downloaded:{tried}\nGet it by hand from "
        f"{ORIGINS[path.split('/')[0]]['page']}, put it at "
        f"{path if folder is None else folder / path}, and name the folder above with ",
        Remedy(f"data_home= or {variable}", shell=variable),
        ".",
    )


def _contents(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            contents = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DataUnavailable(
            str(path), f" cannot be read ({error.strerror}): check its permissions."
        ) from None
    _check_size(len(contents), str(path))
    return contents


def _place(address: Address, path: str) -> Path:
    """Where a download is kept; two files of one archive share it."""
    return cache_folder() / (
        path if address.member is None else f"{address.sha256[:16]}.zip"
    )


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


def _member(path: Path, address: Address) -> bytes:
    contents, member = _contents(path), address.member
    if member is None:
        return contents
    found = unpack_zip(contents, str(path), lambda name: name == member)
    refuse_file_if(
        member not in found,
        str(path),
        f"it comes from {address.url} and holds no file {member!r}",
    )
    return found[member]


def gunzip(data: bytes, where: str) -> bytes:
    """The contents of a gzip file."""
    with (
        reading_as("a whole gzip file", where),
        gzip.GzipFile(fileobj=io.BytesIO(data)) as file,
    ):
        contents = file.read(MOST_BYTES + 1)
    _check_size(len(contents), where)
    return contents


def unpack_tar_gz(data: bytes, where: str, wanted: Wanted) -> dict[str, bytes]:
    """The wanted files of a .tar.gz by name."""
    packed = gunzip(data, where)
    with (
        reading_as("a whole tar file", where),
        tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as archive,
    ):
        files = [one for one in archive if one.isreg() and wanted(one.name)]
        found = {one.name: archive.extractfile(one).read() for one in files}  # type: ignore[union-attr]
    refuse_file_if(
        any(packed[-1024:]),  # it ends in two empty blocks
        where,
        "not a whole tar file (it has no end)",
    )
    return found


def unpack_zip(data: bytes, where: str, wanted: Wanted) -> dict[str, bytes]:
    """The wanted files of a zip by name."""
    found: dict[str, bytes] = {}
    with (
        reading_as("a whole zip file", where),
        zipfile.ZipFile(io.BytesIO(data)) as archive,
    ):
        for name in filter(wanted, archive.namelist()):
            with archive.open(name) as file:
                found[name] = file.read(MOST_BYTES + 1)
            _check_size(sum(map(len, found.values())), where)
    return found


def _check_size(n_bytes: int, where: str) -> None:
    refuse_file_if(
        n_bytes > MOST_BYTES,
        where,
        f"it has more than {MOST_BYTES} bytes, the most that is read",
    )
