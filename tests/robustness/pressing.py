"""Ctrl-C at random moments of every public function, thousands of times, by a timer.

By hand: ``python -m tests.robustness.pressing --seconds 5``, so many for each. A call
gives its result, a part of a search, or KeyboardInterrupt, leaves no file that is not
renamed yet, and afterwards gives the same as before. If one hangs, it says where.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import tripletree as tt
from tests.robustness.worlds import CALLS, plain, world

PATIENCE = 60  # seconds, for calls that take a fraction of one


def large_world(folder):
    """Answers for several threads, about as few objects as all functions allow."""
    rng = np.random.default_rng(0)
    s = tt.planted(4, 2, rng=rng).similarity
    rows = np.tile(tt.sample_triplets(s, 1_000, flip=0.1, rng=rng).rows, (40, 1))
    return world(tt.Triplets(rows, 16, annotators=np.arange(len(rows)) % 30), folder)


class Key:
    """Ctrl-C from a timer, raised between the beginning and the end of a call alone.

    It can be late, as any thread may take the signal.
    """

    def __init__(self):
        self.is_on = False
        signal.signal(signal.SIGINT, self.hear)
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))

    def hear(self, number, frame):
        if self.is_on:
            self.is_on = False
            raise KeyboardInterrupt

    def pressed(self, call, seconds):
        """Call it once, with a key after so many seconds; what came of it."""
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        try:
            self.is_on = True
            signal.setitimer(signal.ITIMER_REAL, seconds)
            call()
            self.is_on = False
        except KeyboardInterrupt:
            return "stopped"
        except Exception as error:
            self.is_on = False
            return f"{type(error).__name__}: {error}"
        finally:
            faulthandler.cancel_dump_traceback_later()
        return "done"


def press(name, seconds, folder, key):
    """Press keys for so many seconds; how often what came of them."""
    rng, w = random.Random(0), large_world(folder)

    def call():
        return CALLS[name](w)

    try:
        first = plain(call())
    except tt.TripletreeError:  # which has other arguments
        return Counter()
    began = time.monotonic()
    is_same = plain(call()) == first  # what has no seed may differ
    length = time.monotonic() - began
    found = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found[key.pressed(call, rng.uniform(1e-6, 1.1 * length))] += 1
    hidden = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if hidden:
        found[f"left: {hidden}"] += 1
    if is_same and plain(call()) != first:
        found["another result afterwards"] += 1
    return found


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.pressing")
    parser.add_argument("names", nargs="*", help="public functions; all of them")
    parser.add_argument("--seconds", type=float, default=5)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda unraisable: None  # Python's: a key in a callback
    n_wrong, key = 0, Key()
    for name in asked.names or CALLS:
        with tempfile.TemporaryDirectory() as folder:
            found = press(name, asked.seconds, Path(folder), key)
        n_stopped, n_done = found.pop("stopped", 0), found.pop("done", 0)
        n_wrong += len(found)
        sys.stdout.write(f"{name}: {n_stopped} stopped, {n_done} done, {dict(found)}\n")
        sys.stdout.flush()
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
