"""Hearing of Ctrl-C where it could be lost: in a chain of searches, each of which
answers by ending early, and in callbacks, where Python drops it.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

A_MOMENT = 0.05  # seconds: longer than callbacks take, too short to be felt


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


@contextmanager
def no_lost_interrupts() -> Iterator[list[int]]:
    """Press Ctrl-C again where Python dropped it; a list that is not empty if it did.

    What is raised in a callback of C code or in a finalizer, of which a compiler has
    many, ends nothing: Python prints it and goes on. So Ctrl-C is pressed once more a
    moment later, whenever it was dropped. An error that follows may come from the
    callback that was cut short, hence the list.
    """
    lost: list[int] = []
    ended = threading.Event()
    before = sys.unraisablehook

    def press_later() -> None:
        if not ended.wait(A_MOMENT):
            _press()

    def press_again(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            lost.append(signal.SIGINT)
            _thread.start_new_thread(
                press_later, ()
            )  # waits for nothing, unlike Thread
        else:
            before(unraisable)

    sys.unraisablehook = press_again
    try:
        yield lost
    finally:
        sys.unraisablehook = before
        ended.set()


def _press() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main:  # wakes a call that waits, too
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()
