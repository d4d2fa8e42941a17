"""A long search does not grow: what it needs, it needs from the beginning."""

from __future__ import annotations

import mmap
import threading

import numpy as np
import psutil
import pytest

import tripletree as tt

pytestmark = pytest.mark.stress  # it looks at a running search by the clock

MEGABYTE = 2**20


def memory_of(call):
    """Megabytes in use, before, four times a second while the call runs, and after."""
    samples, is_over, here = [], threading.Event(), psutil.Process()

    def look():
        samples.append(here.memory_info().rss / MEGABYTE)

    def watch():
        while not is_over.wait(0.25):
            look()

    look()
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        call()
    finally:
        is_over.set()
        watcher.join()
    look()
    return samples


@pytest.mark.parametrize("n", [80, 400])
def test_long_search(n):
    rng = np.random.default_rng(0)
    model = tt.planted(n // 8, 3, rng=rng)
    answers = tt.sample_triplets(model.similarity, n * n, flip=0.1, rng=rng)
    s = tt.adds_similarity(answers)
    tt.maximise_revenue(s, n_restarts=12)  # compiles, and fills what is kept
    samples = memory_of(lambda: tt.maximise_revenue(s, time_limit=6, n_restarts=10**9))
    early, late = samples[len(samples) // 4], max(samples[-4:])
    # Keeping one tree for every restart would take tens of megabytes by then.
    assert late - early < 4


def test_the_measurement_sees_what_is_kept():
    """Pages of the system: Python's own may be those of something before."""
    kept = []

    def keep():
        for _ in range(8):
            kept.append(mmap.mmap(-1, 8 * MEGABYTE))
            kept[-1].write(bytes(8 * MEGABYTE))
            threading.Event().wait(0.2)

    samples = memory_of(keep)
    assert len(samples) > 2
    assert samples[-1] - samples[0] > 20
