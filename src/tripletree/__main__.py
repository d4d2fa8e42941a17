"""`python -m tripletree`: the command line, as the last thing that a process does."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from tripletree._signals import run_until_signal

OBJECTS_PER_COLLECTION = 100_000  # loading makes many objects, and hardly any garbage
FEWEST_BYTES = 2 * 10**9  # of addresses; with less, libraries crash while they load


def main() -> int:
    """Load and run the command line."""
    gc.set_threshold(OBJECTS_PER_COLLECTION)
    for number in range(3):  # a file to write must not get the number of a stream
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # to write there is an error
    if sys.stdout is None:  # else what is printed is lost without an error
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    code = run_until_signal(_load_and_run)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):  # Python would try again, and complain
            with suppress(OSError, AttributeError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


def _load_and_run() -> int:
    try:
        _check_limits()
        from tripletree.cli import main as run
    except (ImportError, OSError, MemoryError) as error:
        if "--debug" in sys.argv:
            raise
        text = " ".join(str(error).split()) or "there is not enough memory."
        with suppress(OSError):
            print(f"tripletree: error: {text}", file=sys.stderr)  # noqa: T201
        return 1
    return run()


def _check_limits() -> None:
    """Refuse a limit of memory under which no library can be loaded safely."""
    if sys.platform == "win32":
        return
    import resource

    for name, option in ((resource.RLIMIT_AS, "-v"), (resource.RLIMIT_DATA, "-d")):
        limit, _ = resource.getrlimit(name)
        if limit != resource.RLIM_INFINITY and limit < FEWEST_BYTES:
            message = (
                f"the limit of memory (ulimit {option} {limit // 1024}) is too low: "
                f"allow at least {FEWEST_BYTES // 1024}."
            )
            raise MemoryError(message)


if __name__ == "__main__":
    sys.exit(main())
