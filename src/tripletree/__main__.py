"""`python -m tripletree`: the command line."""

from __future__ import annotations

import signal
import sys

from tripletree._interrupts import no_lost_interrupts


def main() -> int:
    """Load and run the command line; Ctrl-C while it loads is answered by one line.

    Before that, while Python loads the package itself, Python answers. When the code is
    known, all is done: Python is left to end without being cut short.
    """
    try:
        with no_lost_interrupts():
            from tripletree.cli import main as run

            code = run()
    except KeyboardInterrupt:
        sys.stderr.write("tripletree: stopped.\n")
        code = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


if __name__ == "__main__":
    sys.exit(main())
