"""Files that are whole or not there, and their names.

What is written is prepared in a hidden folder beside its place, and moved there when
all of it is whole::

    results/.tripletree-5f3c01d2a9be/
        lock        held as long as the process lives
        new/        what is being written; called ready/ when all of it is there
        old/        what it takes the place of

A set of files is moved in two steps: all old ones into old/, then all new ones out of
ready/. So files of two runs never stand side by side; after an error all are moved
back. A process that is killed leaves its folder. The next one that writes beside it
takes the lock, moves what is in ready/ out (or, without it, what is in old/ back), and
removes the folder. One that was left without a lock is removed when it is an hour old.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tripletree._checks import check_flag
from tripletree._signals import temporary, undisturbed
from tripletree.errors import Remedy, TripletreeError, UnreadableFile, refuse_if

if sys.platform == "win32":
    fcntl: Any = None
else:
    import fcntl

ADDRESS = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+")  # pathlib keeps one slash of two
THERE_ALREADY = "there already"
HALF_CHARACTERS = re.compile(r"[\ud800-\udfff]+")  # surrogates without their pair
OURS = re.compile(r"\.tripletree-[0-9a-f]{12}")
SECONDS_TO_LOCK = 3600  # far more than a new folder needs to have its lock


def check_name(path: Any) -> str:
    """The text of a path; nothing else is one."""
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or not text or not is_utf8(text) or "\0" in text:
        raise UnreadableFile(
            repr(text)[:200], " is not a valid path: give a path as text."
        )
    refuse_if(
        ADDRESS.match(text) is not None and not os.path.lexists(text),
        UnreadableFile,
        repr(ADDRESS.sub(r"\1://", text, count=1)[:200]),
        " is an address: download the file first. Results go to a local path.",
    )
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
    for is_wrong, what in (
        (
            stat.S_ISDIR(status.st_mode),
            " is a folder: give a file, or for answers a pattern such as '*.csv'.",
        ),
        (
            not stat.S_ISREG(status.st_mode),
            " is a pipe or a device: save its content to a file first.",
        ),
        (
            not os.access(path, os.R_OK),
            " may not be read: change its permissions.",
        ),
    ):
        refuse_if(is_wrong, UnreadableFile, shown, what)
    return status


def is_utf8(text: str) -> bool:
    """Whether a text is without half characters, which no file can hold."""
    return not HALF_CHARACTERS.search(text)


def check_new(overwrite: bool, *paths: Path | None) -> None:
    """Refuse to replace files, unless that is asked for."""
    may_replace = check_flag("overwrite", overwrite)
    for path in paths:
        refuse_if(
            path is not None and os.path.lexists(check_name(path)) and not may_replace,
            UnreadableFile,
            f"{str(path)!r:.200} is there already: choose another name, or give ",
            Remedy("overwrite=True", shell="--force"),
            " to replace it.",
            code=THERE_ALREADY,
        )


def write_whole(
    path: str | os.PathLike[str], content: str | bytes, overwrite: bool = True
) -> None:
    """Write bytes, or a text as UTF-8; the file appears when it is whole."""
    half = HALF_CHARACTERS.search(content) if isinstance(content, str) else None
    if half:
        raise UnreadableFile(
            repr(str(path))[:200],
            f": {half[0]!a} is half a character, which no file can hold. Rename that ",
            "object.",
        )
    with replaced(Path(path), overwrite) as new:
        new.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replaced(given: Path, overwrite: bool = True) -> Iterator[Path]:
    """A new file that takes the place of the target at the end, or is removed.

    Through a link, the file that it leads to is replaced. Who may read and write the
    file stays as it was.
    """
    check_new(overwrite, given)
    target = Path(os.path.realpath(given))
    with published(target.parent, (target.name,), overwrite, given) as new:
        yield new / target.name


@contextmanager
def replaced_together(given: Sequence[Path], overwrite: bool) -> Iterator[list[Path]]:
    """New files that take the places of several at the end: all of them, or none.

    Those of different folders are all whole before the first of them is moved.
    """
    check_new(overwrite, *given)
    targets = [Path(os.path.realpath(path)) for path in given]
    with ExitStack() as stack:
        new = {
            folder: stack.enter_context(
                published(
                    folder, [x.name for x in targets if x.parent == folder], overwrite
                )
            )
            for folder in dict.fromkeys(target.parent for target in targets)
        }
        yield [new[target.parent] / target.name for target in targets]


@contextmanager
def published(
    folder: Path, names: Sequence[str], overwrite: bool, given: Path | None = None
) -> Iterator[Path]:
    """A new folder whose files get their place in another at the end, all or none.

    Only files of the given names are replaced, or removed if none is new.
    """
    places = [folder / name for name in names]
    try:
        _remove_left_over(folder)  # before the checks: it may move files here
        check_new(overwrite, *places)
        for place in places:
            _mode(place)
        with temporary_folder(folder) as work:
            (work / "new").mkdir()
            yield work / "new"
            with _locked(folder):
                _move_in(work, places, overwrite)
    except OSError as error:
        # A file of a set is written as a set of its own: the outer one is named.
        is_inner = any(map(OURS.fullmatch, folder.parts))
        if is_inner or isinstance(error, TripletreeError):
            raise
        if isinstance(error, FileExistsError):
            check_new(False, *places)
        advice = "Choose a folder that exists and may be written to."
        if any(map(os.path.lexists, places)):
            advice = "What was there is as it was."
        raise UnreadableFile(
            repr(str(given or folder))[:200],
            f" cannot be written: {error.strerror or error}. {advice}",
        ) from error


def _move_in(work: Path, places: list[Path], overwrite: bool) -> None:
    """Move new files to their places; after an error all is as it was."""
    new, ready, old = work / "new", work / "ready", work / "old"
    targets = [place for place in places if os.path.lexists(new / place.name)]
    check_new(overwrite, *places)
    for place in places:
        mode = _mode(place)
        if mode is not None and place in targets:
            os.chmod(new / place.name, mode)
    if len(places) == 1:
        (os.replace if overwrite else _move)(new / places[0].name, places[0])
        return
    with undisturbed():
        old.mkdir()
        try:
            for place in places:
                with suppress(FileNotFoundError):
                    os.replace(place, old / place.name)
            os.rename(new, ready)
            for target in targets:
                _move(ready / target.name, target)
        except BaseException as error:
            _move_back(work, targets, error)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _move(source: Path, target: Path) -> None:
    """Give a file a name that no file has; it may keep the other name as well."""
    if sys.platform == "win32":
        os.rename(source, target)
        return
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        try:
            os.replace(source, target)
        except OSError:
            target.unlink()
            raise


def _move_back(work: Path, targets: list[Path], error: BaseException) -> None:
    ready, old = work / "ready", work / "old"
    try:
        if ready.exists():
            for target in targets:
                source, is_there = ready / target.name, target.exists()
                if is_there and (not source.exists() or target.samefile(source)):
                    target.unlink()
            os.rename(ready, work / "new")
        for path in old.iterdir():
            os.replace(path, targets[0].parent / path.name)
        old.rmdir()
    except OSError as second:
        left = ", ".join(path.name for path in old.iterdir())
        raise UnreadableFile(
            repr(str(targets[0].parent))[:200],
            f" cannot be written: {error}. Some files that were there are now in "
            f"{str(old)!r:.200} ({second}): {left}.",
        ) from None


@contextmanager
def temporary_folder(beside: Path | None = None) -> Iterator[Path]:
    """A new folder, in another or where the system has its own, removed at the end.

    Those that killed processes have left there are removed first.
    """
    parent = Path(beside or tempfile.gettempdir())
    _remove_left_over(parent)
    folder = parent / f".tripletree-{secrets.token_hex(6)}"
    temporary[folder] = None  # before it is there, and until it is gone
    try:
        folder.mkdir(0o700)
        with _held_lock(folder):
            yield folder
    finally:
        if not os.path.lexists(folder / "old"):  # else files could not be moved back
            shutil.rmtree(folder, ignore_errors=True)
        del temporary[folder]


def _held_lock(folder: Path) -> IO[bytes]:
    """The open lock of a new folder, which gets its name when it is held."""
    if sys.platform == "win32":  # an open file cannot be removed
        return (folder / "lock").open("wb")
    lock = (folder / "held").open("wb")
    with suppress(OSError):  # without locks no other process removes the folder
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(folder / "held", folder / "lock")
    return lock


def _remove_left_over(parent: Path) -> None:
    """Finish what killed processes of this user began in a folder."""
    with suppress(OSError):
        for name in filter(OURS.fullmatch, os.listdir(parent)):
            with suppress(OSError), _locked(parent), _taken_lock(parent / name):
                _finish(parent / name)


@contextmanager
def _taken_lock(folder: Path) -> Iterator[None]:
    """The lock that a killed process held; an OSError if it cannot be taken.

    A process that was killed before it held its lock has left an empty folder, or a
    lock under its first name: these are taken when they are old.
    """
    lock, found = folder / "lock", folder.lstat()
    if sys.platform != "win32" and (
        not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid()
    ):
        raise PermissionError(str(folder))
    if time.time() - found.st_mtime > SECONDS_TO_LOCK and not os.path.lexists(lock):
        lock = folder / "held"
        if not os.path.lexists(lock):
            folder.rmdir()
    if sys.platform == "win32":
        lock.unlink()
        yield
        return
    held = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(held)


def _finish(folder: Path) -> None:
    """Move new files in, or old ones back, and remove a folder that was left.

    There is an old/ only while files are moved: without it there is nothing to finish,
    and files that were removed since then do not come back.
    """
    ready, old = folder / "ready", folder / "old"
    kept = ready if ready.exists() else old
    for path in kept.iterdir() if old.exists() else ():
        if not os.path.lexists(folder.parent / path.name):
            os.replace(path, folder.parent / path.name)
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let processes that move files into a folder wait for each other, if possible."""
    if sys.platform == "win32":
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _mode(target: Path) -> int | None:
    """The permissions of a file that is there; None if it does not exist yet."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    what = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
    refuse_if(
        not stat.S_ISREG(mode),
        UnreadableFile,
        f"{str(target)!r:.200} is {what}: give the name of a file.",
    )
    return stat.S_IMODE(mode) & 0o777
