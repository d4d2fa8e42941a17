"""`python -m tripletree`: the command line."""

from __future__ import annotations

import sys

from tripletree._signals import run_until_signal


def main() -> int:
    """Load and run the command line, as the last thing that a process does."""
    return run_until_signal(_load_and_run)


def _load_and_run() -> int:
    from tripletree.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
