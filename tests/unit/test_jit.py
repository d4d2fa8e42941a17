from __future__ import annotations

import numba

from tripletree._jit import kernel


def test_kernels_work_where_nothing_can_be_cached(monkeypatch):
    """In a read-only installation without a home, Numba refuses cache=True."""
    original = numba.njit

    def refusing(cache=False, **options):
        if cache:
            message = "cannot cache function: no locator available"
            raise RuntimeError(message)
        return original(**options)

    monkeypatch.setattr(numba, "njit", refusing)

    @kernel
    def double(x):
        return 2 * x

    assert double(4) == 8
