"""Large tables are refused before they are made, and the error names what to do."""

from __future__ import annotations

import numpy as np
import psutil
import pytest
from scipy.sparse import csr_array

import tripletree as tt
from tripletree.errors import TooLarge

ANSWERS = tt.Triplets([[0, 1, 2]], 40)
CALLS = {
    "adds": (lambda: tt.adds_similarity(ANSWERS, sparse=False), "sparse=True"),
    "mulk": (lambda: tt.mulk_similarity(ANSWERS), "adds_similarity"),
    "cosine": (lambda: tt.cosine_similarity(np.eye(40)), "sample comparisons"),
    "points": (lambda: tt.euclidean_similarity(np.eye(40)), "adds_similarity"),
    "linkage": (lambda: tt.average_linkage(np.eye(40)), "sparse_average_linkage"),
    "climb": (lambda: tt.climb(tt.caterpillar_tree(40), np.eye(40)), "csr_array"),
    "bound": (
        lambda: tt.upper_bound(csr_array((40, 40)), method="three objects"),
        "need no dense form",
    ),
    "estimate": (lambda: tt.estimated_bound(np.eye(40)), "sample fewer"),
    "planted": (lambda: tt.planted(rng=np.random.default_rng(0)), "fewer levels"),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_does_not_fit_is_refused(name, monkeypatch):
    call, words = CALLS[name]
    call()
    little = type("Memory", (), {"available": 1000})
    monkeypatch.setattr(psutil, "virtual_memory", little)
    with pytest.raises(TooLarge, match=words):
        call()
