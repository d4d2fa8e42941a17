"""The one Numba decorator.

Kernels are compiled when first called, cached on disk, and release the interpreter
lock. Importing Numba takes longer than importing the rest of tripletree, so only
kernel modules import this one, and they are loaded by `_lazy.kernel_module`.
"""

from __future__ import annotations

import numba

kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
