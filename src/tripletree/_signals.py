"""Signals that end a command: one line, nothing temporary left, an exit code.

Only the command line uses this. The library installs no handler: Ctrl-C raises
KeyboardInterrupt in it, as anywhere in Python.

A command does not wait until KeyboardInterrupt has found its way out. When it did, of
231 presses three were lost, as Python drops what is raised in a finalizer (llvmlite has
them), and one hung, for a reason that was not found. So the process ends where the
signal is heard, after what is named here is removed. A kernel finishes its step first.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no SIGHUP
]
SHOW_CURSOR = "\r\x1b[2K\x1b[?25h"  # a progress line hides it
ATTEMPTS = 100  # to remove a folder that threads of DuckDB still write to

line = "stopped."  # what is said; a command can say more
queries: list[Any] = []  # open connections of DuckDB
# Folders that are there for a while. No list: `remove` runs Python code to compare
# paths, and while it does another thread may change the list.
temporary: dict[Path, None] = {}
waiting: list[int] | None = None  # signals that came while files were moved


def run_until_signal(run: Callable[[], int]) -> int:
    """Run a command as the last thing that a process does; its exit code.

    After a signal the process ends, with 128 plus its number. The next one ends it at
    once, without cleaning up.
    """
    heard = [s for s in SIGNALS if signal.getsignal(s) != signal.SIG_IGN]  # nohup

    def end(number: int, frame: FrameType | None) -> None:
        if waiting is not None:
            waiting.append(number)
            return
        for each in heard:
            signal.signal(each, signal.SIG_DFL)
        _clean_up()
        cursor = SHOW_CURSOR if os.isatty(2) else ""
        with suppress(OSError):  # the reader has gone
            os.write(2, f"{cursor}tripletree: {line}\n".encode(errors="replace"))
        os._exit(128 + number)

    for each in heard:
        signal.signal(each, end)
    code = run()
    for each in heard:
        signal.signal(each, signal.SIG_DFL)
    return code


def _clean_up() -> None:
    """End queries and processes, and remove what is temporary."""
    for connection in queries:
        connection.interrupt()
    processes = sys.modules.get("multiprocessing")
    for process in processes.active_children() if processes else ():
        process.kill()
        process.join()
    for path in [*temporary]:
        for _ in range(ATTEMPTS):
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                break


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let signals that end a command wait while files that belong together move."""
    global waiting
    waiting = []
    try:
        yield
    finally:
        heard, waiting = waiting, None
        for number in heard or ():
            signal.raise_signal(number)
