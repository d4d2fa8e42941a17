"""Hearing of Ctrl-C where it could be lost or do harm: in a chain of searches, each of
which answers by ending early, in callbacks, where Python drops it, and in a compiler.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

A_MOMENT = 0.01  # seconds until a key is pressed again: too short to be felt
DELICATE = ("numba", "llvmlite", "importlib")


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
    """Raise Ctrl-C only where it does no harm, and again where Python dropped it.

    A compiler that is cut short leaves locks taken and frees memory twice, and an
    import leaves half a module: there, Ctrl-C waits until they are through. What is
    raised in a callback of C code or in a finalizer ends nothing: Python prints it and
    goes on. In all these cases it is pressed again a moment later.

    An error that follows may come from a callback that was cut short: hence the list,
    which is not empty if any was.
    """
    lost: list[int] = []
    ended = threading.Event()
    hook, handler = sys.unraisablehook, signal.getsignal(signal.SIGINT)
    is_waiting = False

    def press_later() -> None:
        if not ended.wait(A_MOMENT):
            _press()

    def wait_or_raise(number: int, frame: FrameType | None) -> None:
        nonlocal is_waiting
        is_waiting = _is_delicate(frame)
        if is_waiting:
            _thread.start_new_thread(press_later, ())  # joined by nobody, unlike Thread
        elif callable(handler):
            handler(number, frame)

    def press_again(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            lost.append(signal.SIGINT)
            _thread.start_new_thread(press_later, ())
        else:
            hook(unraisable)

    is_main = threading.current_thread() is threading.main_thread()
    is_heard = callable(handler) and is_main
    sys.unraisablehook = press_again
    if is_heard:
        signal.signal(signal.SIGINT, wait_or_raise)
    try:
        yield lost
    finally:
        if is_heard:
            signal.signal(signal.SIGINT, handler)
        sys.unraisablehook = hook
        ended.set()
    if is_waiting:  # the end came first
        raise KeyboardInterrupt


def _is_delicate(frame: FrameType | None) -> bool:
    """Whether this is called, however far away, by what must not be cut short."""
    while frame is not None:
        package, _, _ = str(frame.f_globals.get("__name__")).partition(".")
        if package in DELICATE:
            return True
        frame = frame.f_back
    return False


def _press() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main:  # wakes a call that waits, too
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()
