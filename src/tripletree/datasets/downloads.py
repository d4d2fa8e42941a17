"""Files of public data sets: from a folder of the user, or downloaded once.

Looked for, in this order::

    data_home=, or else the folder in TRIPLETREE_DATA     as it is, perhaps with .gz
    pooch's cache folder of tripletree                    if its sha256 is right
    each address in turn                                  if its sha256 is right

What a user put into a folder is the user's choice, and is read whatever its hash. What
comes over the network is used only with the hash it should have; a download that fails
leaves nothing in the cache.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tripletree.datasets.archives import MOST_BYTES, gunzip, unpack_zip
from tripletree.errors import DataUnavailable, InvalidFile, InvalidOption

VARIABLE = "TRIPLETREE_DATA"
SECONDS = 30

Folder = str | os.PathLike[str]


@dataclass(frozen=True)
class Address:
    """Where a file can be had; member is its name if that is a zip archive."""

    url: str
    sha256: str
    member: str | None = None


@dataclass(frozen=True)
class DataFile:
    """A file, its place below a data folder, and where it comes from."""

    path: str
    page: str
    addresses: tuple[Address, ...]


def github(repository: str, path: str, sha256: str, *, commit: str = "HEAD") -> Address:
    """The address of a file in a public GitHub repository."""
    url = f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"
    return Address(url, sha256)


def cache_folder() -> Path:
    """Where downloads are kept."""
    import pooch

    return Path(pooch.os_cache("tripletree"))


def local_folder(data_home: Folder | None) -> Path | None:
    """The folder that the user named, by option or environment, or None."""
    given: Folder | None = data_home
    name = "data_home"
    if given is None:
        given, name = os.environ.get(VARIABLE) or None, VARIABLE
    if given is None:
        return None
    try:
        folder = Path(given)
        is_folder = given != "" and folder.is_dir()
    except (TypeError, ValueError):
        is_folder = False
    if not is_folder:
        message = (
            f"{name} = {str(given)[:200]!r} is no folder: give one that holds the "
            "files of the data sets, for example car/survey_data.csv below it."
        )
        raise InvalidOption(message)
    return folder


def find_local(file: DataFile, data_home: Folder | None) -> Path | None:
    """The user's copy of a file, packed with gzip or not, or None."""
    folder = local_folder(data_home)
    if folder is None:
        return None
    plain = folder / file.path
    packed = plain.with_name(plain.name + ".gz")
    return next((path for path in (plain, packed) if path.exists()), None)


def read_data_file(file: DataFile, data_home: Folder | None = None) -> bytes:
    """The contents of a file: the user's copy, the cached one, or downloaded now.

    Raises
    ------
    DataUnavailable
        If it is nowhere, saying what each address answered and where to put the file.
    InvalidFile
        If an archive is damaged or hostile.
    """
    local = find_local(file, data_home)
    if local is not None:
        contents = _contents(local)
        is_packed = local.suffix == ".gz" and not file.path.endswith(".gz")
        return gunzip(contents, str(local)) if is_packed else contents
    reasons = []
    for address in sorted(
        file.addresses, key=lambda address: not _place(address, file).exists()
    ):
        try:
            path = _retrieved(address, file)
        except (OSError, ValueError) as error:  # errors of requests are OSErrors
            reasons.append(f"{address.url}: {_reason(error)}")
            continue
        return _member(path, address)
    raise _unavailable(file, reasons, data_home)


def _contents(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            contents = file.read(MOST_BYTES + 1)
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}): check its permissions."
        raise DataUnavailable(message) from None
    if len(contents) > MOST_BYTES:
        message = (
            f"{path} has more than {MOST_BYTES} bytes: it is not the file of the data "
            "set. Get it again from its source."
        )
        raise InvalidFile(message)
    return contents


def _place(address: Address, file: DataFile) -> Path:
    """Where a download is kept; two files of one archive share it."""
    name = file.path if address.member is None else f"{address.sha256[:16]}.zip"
    return cache_folder() / name


def _retrieved(address: Address, file: DataFile) -> Path:
    """Where pooch put the file after it checked its hash."""
    import pooch

    place = _place(address, file)
    path: str = pooch.retrieve(
        address.url,
        known_hash=f"sha256:{address.sha256}",
        fname=place.name,
        path=place.parent,
        downloader=_download,
    )
    return Path(path)


class _Limited:
    """A file that refuses to grow beyond what any data set needs."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = MOST_BYTES

    def write(self, chunk: bytes) -> None:
        self._left -= len(chunk)
        if self._left < 0:
            message = f"it sends more than {MOST_BYTES} bytes"
            raise OSError(message)
        self._file.write(chunk)

    def flush(self) -> None:
        self._file.flush()


def _download(url: str, output_file: str, pooch: object) -> None:
    from pooch import HTTPDownloader

    with Path(output_file).open("wb") as file:
        HTTPDownloader(timeout=SECONDS, chunk_size=2**16)(url, _Limited(file), pooch)


def _reason(error: Exception) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"HTTP status {response.status_code}"
    if isinstance(error, ValueError) and not isinstance(error, OSError):
        return "another sha256 than expected; what came was thrown away"
    if hasattr(error, "request"):  # an error of requests
        return f"no whole answer ({type(error).__name__})"
    return str(error)[:160]


def _member(path: Path, address: Address) -> bytes:
    contents = _contents(path)
    member = address.member
    if member is None:
        return contents
    found = unpack_zip(contents, str(path), lambda name: name == member)
    if member not in found:
        message = f"{path} (from {address.url}) holds no file {member!r}."
        raise InvalidFile(message)
    return found[member]


def _unavailable(
    file: DataFile, reasons: list[str], data_home: Folder | None
) -> DataUnavailable:
    folder = local_folder(data_home)
    tried = "".join(f"\n  {reason}" for reason in reasons)
    if folder is not None:
        place = f"put it at {folder / file.path}."
    else:
        place = (
            f"put it at {file.path} below a folder of yours, and name that folder with "
            f"data_home= or the environment variable {VARIABLE}."
        )
    message = (
        f"{file.path} is not here and could not be downloaded:{tried}\n"
        f"Get it by hand from {file.page}, and {place}"
    )
    return DataUnavailable(message)
