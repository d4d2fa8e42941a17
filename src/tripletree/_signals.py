"""Signals that end a command: one line, nothing temporary left, an exit code.

Only the command line uses this; the library itself installs no handler, and Ctrl-C
raises KeyboardInterrupt in it as anywhere in Python. In a command SIGTERM and SIGHUP
do the same as Ctrl-C: KeyboardInterrupt in the main thread, so that whatever holds
temporary files, spill folders or worker processes removes them on the way out. A kernel
finishes its step first. The next signal then ends the process at once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows has no SIGHUP
]

line = "stopped."  # what is said; a command can say more
queries: list[Any] = []  # open connections of DuckDB, whose queries are to end


def run_until_signal(run: Callable[[], int]) -> int:
    """Run a command as the last thing that a process does; its exit code.

    After a signal the process ends here: 128 plus its number. Python's own end is left
    out, as what was cut short (a compiler, a thread) might never let it finish.
    """
    received: list[int] = []
    heard = [s for s in SIGNALS if signal.getsignal(s) != signal.SIG_IGN]  # nohup

    def stop(number: int, frame: FrameType | None) -> None:
        for each in heard:
            signal.signal(each, signal.SIG_DFL)
        received.append(number)
        for connection in queries:  # or DuckDB may finish its query first
            connection.interrupt()
        raise KeyboardInterrupt

    try:
        for each in heard:
            signal.signal(each, stop)
        code = run()
        for each in heard:
            signal.signal(each, signal.SIG_DFL)
    except BaseException:
        if not received:
            raise
        code = 128 + received[0]
    if code == 0 or not received:
        return code
    with suppress(OSError, ValueError):  # whoever read the output has gone
        sys.stderr.write(f"tripletree: {line}\n")
        sys.stderr.flush()
        sys.stdout.flush()
    os._exit(128 + received[0])
