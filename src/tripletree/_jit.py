"""The one Numba decorator.

Kernels are compiled when first called, cached on disk, and release the interpreter
lock. Importing Numba takes longer than importing the rest of tripletree, so only
kernel modules import this one, and they are loaded by `_lazy.kernel_module`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tripletree._threads import n_threads

n_threads()  # refuses what Numba would refuse at import, with other words

import numba  # noqa: E402


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel; without a cache where no folder can be written to."""
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # "no locator available": a read-only installation
        return numba.njit(nogil=True, error_model="numpy")(function)
