r"""The largest revenue of all trees, for few objects, by a programme over subsets.

Among all trees on a set S, the best one splits S into A and B, with the best trees on
both below it:

.. math:: R(S) = \max_{A \cup B = S} R(A) + R(B) - |S| \, s(A, B)

Sets are bit masks, and :math:`s(A, B) = W(S) - W(A) - W(B)` with the sums W inside the
sets. Every set is split in every way: :math:`O(3^n)` time, :math:`O(2^n)` memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._lazy import kernel_module
from tripletree._threads import row_chunks

kernels = kernel_module("tripletree.objective._subsets_kernel")

MOST_OBJECTS = 16
SETS_PER_STEP = 4096


def best_splits(s: npt.NDArray[Any]) -> tuple[int | float, npt.NDArray[np.int64]]:
    """The largest revenue, and for every set one half of its best split, (2^n,)."""
    n = len(s)
    size = np.bitwise_count(np.arange(2**n)).astype(np.int64)
    within, best = np.zeros(2**n, s.dtype), np.zeros(2**n, s.dtype)
    split = np.zeros(2**n, np.int64)
    kernels.fill_within(s, within)
    for sets in row_chunks(2**n, SETS_PER_STEP):  # so that Ctrl-C is heard
        kernels.fill_best(within, size, sets.start, sets.stop, best, split)
    return best[-1].item(), split
