"""The command line, in a process that looks like Windows to the package.

`python -m tests.as_windows cluster answers.csv --out results` runs a command with the
following changes. It needs Linux, which says what is open.

- Modules of tripletree get no module or name that only POSIX has; other libraries do.
- A file that is open cannot be moved or removed, nor a folder that holds one; a folder
  cannot be opened; `os.rename` replaces nothing; names have no character such as a
  colon.
- What is printed is encoded in cp1252.
- To read or write text without saying its encoding is an error.
"""

from __future__ import annotations

import builtins
import errno
import os
import re
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from types import ModuleType

MODULES = "fcntl resource termios tty pty pwd grp posix readline syslog curses".split()
NAMES = {
    "os": """fork forkpty getuid geteuid getgid getegid getgroups getpgid getpgrp killpg
        setuid setgid setsid chown fchown lchown fchmod lchmod mkfifo mknod chroot nice
        sched_getaffinity sched_setaffinity getloadavg uname sysconf confstr pread
        pwrite preadv pwritev statvfs fstatvfs sendfile posix_spawn openpty ttyname
        wait wait3 wait4 WNOHANG lockf posix_fallocate pipe2 O_NOFOLLOW O_NONBLOCK
        O_DIRECTORY O_CLOEXEC O_SYNC O_DSYNC O_NOCTTY O_TMPFILE O_PATH""",
    "signal": """SIGHUP SIGKILL SIGALRM SIGUSR1 SIGUSR2 SIGPIPE SIGCHLD SIGCONT SIGSTOP
        SIGTSTP SIGQUIT SIGWINCH alarm setitimer pause siginterrupt pthread_sigmask
        pthread_kill sigwait sigpending SIG_BLOCK SIG_UNBLOCK SIG_SETMASK""",
    "time": "tzset clock_gettime clock_settime CLOCK_MONOTONIC CLOCK_REALTIME",
    "shutil": "chown",
}
REFUSED_IN_NAMES = re.compile(r'[<>:"|?*\x00-\x1f]')


class Missing(ModuleType):
    """A module without some of its names."""

    def __init__(self, module, own=()):
        super().__init__(module.__name__)
        self.__dict__.update(own)
        self.module = module

    def __getattr__(self, name):
        if name in NAMES.get(self.__name__, "").split():
            message = f"Windows has no {self.__name__}.{name}"
            raise AttributeError(message)
        return getattr(self.module, name)


def rename(source, target):
    """Move a file to where none is."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    os.rename(source, target)


def open_file(path, flags, *rest, **options):
    """Open a file: a folder cannot be opened."""
    if os.path.isdir(path):
        refuse(f"{path} is a folder, which cannot be opened")
    return os.open(path, flags, *rest, **options)


SEEN = {
    "sys": Missing(sys, {"platform": "win32"}),
    "os": Missing(os, {"name": "nt", "rename": rename, "open": open_file}),
}
SEEN |= {name: Missing(__import__(name)) for name in NAMES if name not in SEEN}
real_import = builtins.__import__


def see(name, globals=None, locals=None, fromlist=(), level=0):
    """What an import gets: other modules, for those of the package."""
    importer = (globals or {}).get("__name__", "")
    if importer.split(".")[0] == "tripletree" or importer == "__main__":
        if name.split(".")[0] in MODULES:
            message = f"Windows has no {name}"
            raise ModuleNotFoundError(message)
        if name in SEEN:
            return SEEN[name]
    return real_import(name, globals, locals, fromlist, level)


def opened():
    """The files that this process holds open, by any library, or has mapped."""
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of this listing
            yield os.readlink(link)
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        yield line.split(maxsplit=5)[-1]


def check(event, arguments):
    """Refuse what the file system of Windows refuses, wherever it is asked for."""
    new = None
    if event in ("os.rename", "os.remove"):
        folder = arguments[-1] if event == "os.remove" else -1
        beside = "." if folder == -1 else os.readlink(f"/proc/self/fd/{folder}")
        own = os.path.realpath(os.path.join(beside, os.fsdecode(arguments[0])))
        for path in opened():
            is_in = path.startswith(f"{own}/") and not os.path.isdir(path)
            if path == own or is_in:
                refuse(f"{path} is open: it cannot be moved or removed")
        new = arguments[1] if event == "os.rename" else None
    elif event == "os.mkdir":
        new = arguments[0]
    elif event == "open" and arguments[2] & os.O_CREAT:
        new = arguments[0]
    if isinstance(new, str | os.PathLike) and REFUSED_IN_NAMES.search(os.fspath(new)):
        refuse(f"{new!r} cannot be the name of a file")


def refuse(message):
    """Say what was refused, because the package may go on without it."""
    os.write(2, f"as_windows: {message}\n".encode())
    raise PermissionError(errno.EACCES, message)


def become_windows():
    """From now on the package sees another system; there is no way back."""
    builtins.__import__ = see
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="cp1252")
    sys.addaudithook(check)


def main():
    """Become Windows, and run the command."""
    warnings.filterwarnings("error", category=EncodingWarning, module="tripletree")
    assert sys.flags.warn_default_encoding
    become_windows()
    from tripletree.__main__ import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
