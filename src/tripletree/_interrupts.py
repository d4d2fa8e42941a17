"""Hearing of Ctrl-C in a chain of searches, each of which answers by ending early."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def heard_interrupts() -> Iterator[list[int]]:
    """A list that is not empty once Ctrl-C was heard, though a search may swallow it.

    The handler before it is called as ever. In other threads, and where Ctrl-C is
    ignored or ends the process at once, the list stays empty.
    """
    heard: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not callable(before) or not is_main:
        yield heard
        return

    def note(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def no_hasty_trees() -> Iterator[Callable[[], None]]:
    """A check to call after each tree: it raises the Ctrl-C that a search swallowed.

    A measurement must not depend on when a key was pressed, and has to end.
    """
    with heard_interrupts() as heard:

        def check() -> None:
            if heard:
                raise KeyboardInterrupt

        yield check
