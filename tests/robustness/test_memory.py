"""A long search does not grow: what it needs, it needs from the beginning."""

import numpy as np
import psutil
import pytest

import tripletree as tt

pytestmark = pytest.mark.stress  # memory of a process is the system's business
MEGABYTE = 2**20


def growth_of(search, s, keep=lambda: None):
    """Megabytes by which a process grows in the later three quarters of a search."""
    samples, here = [], psutil.Process()

    def look(_):
        keep()
        samples.append(here.memory_info().rss / MEGABYTE)

    search(s, progress=look)
    return max(samples[-4:]) - samples[len(samples) // 4]


@pytest.mark.parametrize("n", [80, 400])
def test_long_search(n):
    rng = np.random.default_rng(0)
    model = tt.planted(n // 8, 3, rng=rng)
    answers = tt.sample_triplets(model.similarity, n * n, flip=0.1, rng=rng)
    s = tt.adds_similarity(answers)

    def search(s, progress):
        tt.maximise_revenue(s, time_limit=6, n_restarts=10**9, progress=progress)

    tt.maximise_revenue(s, n_restarts=12)  # compiles, and fills what is kept
    # Keeping one tree for every restart would take tens of megabytes by then.
    assert growth_of(search, s) < 4
    kept = []
    assert growth_of(search, s, lambda: kept.append(b"x" * (MEGABYTE // 2))) > 4
