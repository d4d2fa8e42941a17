"""Files that are whole or not there, and their names."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tripletree._signals import temporary
from tripletree.errors import UnreadableFile, refuse_if

ADDRESS = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+")  # pathlib keeps one slash of two


def check_name(path: Any) -> str:
    """The text of a path; nothing else is one."""
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or not text or not is_utf8(text) or "\0" in text:
        message = f"{text!r:.200} is not a valid path: give a path as text."
        raise UnreadableFile(message)
    if ADDRESS.match(text) and not os.path.lexists(text):
        address = ADDRESS.sub(r"\1://", text, count=1)[:200]
        how = " is an address: download the file first. Results go to a local path."
        raise UnreadableFile(repr(address), how)
    return text


def check_readable(path: Path) -> os.stat_result:
    """Refuse what is not a regular file that may be read: pipes and devices hang."""
    shown = f"{str(path)!r:.200}"
    try:
        status = path.stat()
    except FileNotFoundError:
        message = f"there is no file {shown}: check the path and the working folder."
        raise UnreadableFile(message) from None
    except OSError as error:
        raise UnreadableFile(shown, f" cannot be read: {error.strerror}.") from None
    is_folder, is_file = stat.S_ISDIR(status.st_mode), stat.S_ISREG(status.st_mode)
    what = " is a folder: give a file, or for answers a pattern such as '*.csv'."
    refuse_if(is_folder, UnreadableFile, shown, what)
    what = " is not a regular file and cannot be read twice: save it."
    refuse_if(not is_file, UnreadableFile, shown, what)
    what = " may not be read: change its permissions."
    refuse_if(not os.access(path, os.R_OK), UnreadableFile, shown, what)
    return status


def is_utf8(text: str) -> bool:
    """Whether a text has no half characters, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def replaced(given: Path) -> Iterator[Path]:
    """A new file beside the target that takes its place at the end, or is removed.

    Through a link, the file that it leads to is replaced. Who may read and write the
    file stays as it was, from the first byte on.
    """
    target = Path(os.path.realpath(given))
    new = target.with_name(f".{secrets.token_hex(6)}.{target.name[-80:]}")
    temporary.append(new)
    try:
        mode = _mode(target)
        allowed = 0o666 if mode is None else mode | stat.S_IWUSR
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, allowed))
        yield new
        if mode is not None:
            os.chmod(new, mode)
        os.replace(new, target)
    except UnreadableFile:
        raise
    except OSError as error:
        message = (
            f"{str(given)!r:.200} cannot be written: {error.strerror or error}. "
            "Choose a folder that exists and may be written to."
        )
        raise UnreadableFile(message) from None
    finally:
        with suppress(OSError):
            new.unlink()
        temporary.remove(new)


@contextmanager
def temporary_folder(prefix: str, beside: Path | None = None) -> Iterator[Path]:
    """A new folder, in another or where the system has its own, removed at the end."""
    folder = Path(beside or tempfile.gettempdir(), prefix + secrets.token_hex(6))
    temporary.append(folder)  # before it is there, and until it is gone
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        temporary.remove(folder)


def _mode(target: Path) -> int | None:
    """The permissions of a file that is there; None if there is none."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
        message = f"{str(target)!r:.200} is {what}: give the name of a file."
        raise UnreadableFile(message)
    return stat.S_IMODE(mode) & 0o777


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write bytes, or a text as UTF-8; the file appears when it is whole."""
    try:
        data = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        message = (
            f"{str(path)!r:.200}: {error.object[error.start : error.end]!a} is half a "
            "character, which no file can hold. Rename that object."
        )
        raise UnreadableFile(message) from None
    with replaced(Path(path)) as new:
        new.write_bytes(data)
