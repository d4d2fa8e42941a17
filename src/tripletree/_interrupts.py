"""Hearing of Ctrl-C where it could be lost or do harm: in a chain of searches, each of
which answers by ending early, in callbacks, where Python drops it, in a compiler, and
between threads.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

A_MOMENT = 0.01  # seconds until a key is pressed again: too short to be felt
DELICATE = (  # packages and modules that must not be cut short
    *("numba", "llvmlite", "threading"),
    *("importlib", "_frozen_importlib", "_frozen_importlib_external"),
)
WAITING = ("wait", "join", "_wait_for_tstate_lock")  # what can be, in `threading`


def is_main_thread() -> bool:
    """Whether this is the thread that hears Ctrl-C.

    (Asking for the current thread would leave a stand-in for a bare one.)
    """
    return threading.get_ident() == threading.main_thread().ident


@contextmanager
def heard_interrupts() -> Iterator[list[int]]:
    """A list that is not empty once Ctrl-C was heard, though a search may swallow it.

    The handler before it is called as ever: it is heard if that raises. In other
    threads, and where Ctrl-C is ignored or ends the process at once, the list stays
    empty.
    """
    heard: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or not is_main_thread():
        yield heard
        return

    def note(number: int, frame: FrameType | None) -> None:
        try:
            before(number, frame)  # which may wait for a better moment
        except BaseException:
            heard.append(number)
            raise

    try:
        signal.signal(signal.SIGINT, note)
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

    A compiler that is cut short leaves locks taken and frees memory twice, a condition
    of threads stays locked, and an import leaves half a module: there, Ctrl-C waits
    until they are through. What is raised in a callback of C code or in a finalizer
    ends nothing: Python prints it and goes on. In all these cases it is pressed again,
    until it is raised.

    An error that follows may come from what was cut short, and libraries put errors of
    their own in the place of Ctrl-C: hence the list, which is not empty once it was
    raised. An error ends the waiting: it is raised, the key not.
    """
    keys = _Keys(signal.getsignal(signal.SIGINT), sys.unraisablehook)
    if not callable(keys.handler) or not is_main_thread():
        yield keys.raised
        return
    try:
        sys.unraisablehook = keys.press_again
        signal.signal(signal.SIGINT, keys.wait_or_raise)
        yield keys.raised
    finally:
        keys.is_over = True  # from here on nothing is raised
        with keys.lock:  # nor pressed
            keys.ended.set()
        sys.unraisablehook = keys.hook
        signal.signal(signal.SIGINT, keys.handler)
    if keys.is_waiting:  # the end came first
        keys.handler(signal.SIGINT, None)


class _Keys:
    """Keys that were pressed and not raised yet, however many: one is raised."""

    def __init__(self, handler: Any, hook: Callable[[Any], object]) -> None:
        self.handler, self.hook = handler, hook
        self.raised: list[int] = []
        self.n_delicate = _n_delicate(sys._getframe(1))
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.is_waiting = self.is_pressing = self.is_over = False

    def wait_or_raise(self, number: int, frame: FrameType | None) -> None:
        """In place of Python's handler, in the main thread."""
        if self.is_over or _n_delicate(frame) > self.n_delicate:
            self._wait()
        else:
            self.is_waiting = False
            try:
                self.handler(number, frame)
            except BaseException:
                self.raised.append(number)
                raise

    def press_again(self, unraisable: sys.UnraisableHookArgs) -> None:
        """In place of Python's hook for errors that it drops."""
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            self.raised.append(signal.SIGINT)
            self._wait()
        elif not self.raised:  # else it comes from what was cut short
            self.hook(unraisable)

    def _wait(self) -> None:
        self.is_waiting = True
        if not self.is_pressing:
            self.is_pressing = True
            try:  # a bare thread: Python does not wait for it when it ends
                _thread.start_new_thread(self._press_on, ())
            except RuntimeError:  # no more threads: the next key tries again
                self.is_pressing = False

    def _press_on(self) -> None:
        while not self.ended.wait(A_MOMENT):
            with self.lock:
                if self.is_waiting and not self.is_over:
                    _press()


def _n_delicate(frame: FrameType | None) -> int:
    """How many calls of what must not be cut short lead here."""
    n, is_waiting = 0, frame is not None and frame.f_code.co_name in WAITING
    while frame is not None:
        package, _, _ = str(frame.f_globals.get("__name__")).partition(".")
        n += package in DELICATE and not (is_waiting and package == "threading")
        frame = frame.f_back
    return n


def _press() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main:  # wakes a call that waits, too
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()
