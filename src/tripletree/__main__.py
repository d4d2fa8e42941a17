"""`python -m tripletree`: the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Load and run the command line; Ctrl-C while it loads is answered by one line.

    Before that, while Python loads the package itself, Python answers.
    """
    try:
        from tripletree.cli import main as run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("tripletree: stopped.\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
