"""`python -m tripletree`: the command line."""

from __future__ import annotations

import signal
import sys

from tripletree._interrupts import is_main_thread, no_lost_interrupts


def main() -> int:
    """Load and run the command line, as the last thing that a process does.

    Ctrl-C while it loads is answered by one line; before, while Python loads the
    package itself, Python answers. When the exit code is known, all is done: Ctrl-C is
    ignored, so that nothing cuts Python's own end short.
    """
    code = None
    try:
        with no_lost_interrupts():
            from tripletree.cli import main as run

            code = run()
        _ignore_interrupts()
    except KeyboardInterrupt:
        _ignore_interrupts()
        if code is None:
            sys.stderr.write("tripletree: stopped.\n")
            code = 130
    if code == 130:  # what was cut short may be at odds with itself
        sys.unraisablehook = lambda unraisable: None
    return code


def _ignore_interrupts() -> None:
    if is_main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
