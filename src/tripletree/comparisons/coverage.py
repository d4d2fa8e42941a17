"""Which objects were compared, how often, and with which others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import freeze, printable
from tripletree._lazy import kernel_module
from tripletree._threads import row_chunks
from tripletree.comparisons.answers import Comparisons, check_comparisons

kernels = kernel_module("tripletree.comparisons._coverage_kernel")

ROWS_PER_CHUNK = 10**7  # between two moments at which Ctrl-C is heard

MOST_NAMES = 5  # of objects in a warning

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Coverage:
    """How the comparisons cover the objects.

    Attributes
    ----------
    counts : ndarray of int64, shape (n,)
        In how many comparisons each object occurs.
    group : ndarray of int64, shape (n,)
        Objects that a chain of comparisons joins have the same number; groups are
        numbered by their smallest object. An object never compared is a group alone.
    """

    counts: Ints
    group: Ints

    @property
    def never_compared(self) -> Ints:
        """The objects in no comparison."""
        return np.flatnonzero(self.counts == 0)

    @property
    def n_groups(self) -> int:
        """How many groups of compared objects there are; 1 if all are joined.

        Objects never compared have a number in ``group``, but are not counted here.
        """
        return int(self.group.max()) + 1 - len(self.never_compared)

    def warnings(self, labels: tuple[str, ...] | None = None) -> list[str]:
        """What in the answers leaves parts of any tree to chance, in sentences."""
        found = []
        never = self.never_compared
        if len(never):
            some = never[:MOST_NAMES]
            names = [printable(labels[x]) if labels else str(x) for x in some]
            shown = ", ".join(names) + (", ..." if len(never) > MOST_NAMES else "")
            found.append(
                f"{len(never)} of {len(self.counts)} objects occur in no answer "
                f"({shown}): where they are in the tree means nothing."
            )
        if self.n_groups > 1:
            found.append(
                f"no answer joins the {self.n_groups} groups into which the compared "
                "objects fall: how the tree joins them means nothing."
            )
        return found


def coverage(comparisons: Comparisons) -> Coverage:
    """Count the comparisons of each object, and find groups that none joins.

    Where there are several groups, how they are joined in a tree is not told by any
    answer.

    Parameters
    ----------
    comparisons : Triplets or Quadruplets

    Returns
    -------
    Coverage

    Raises
    ------
    InvalidComparisons
        If these are no comparisons.

    Notes
    -----
    O(m) time and O(n) memory. Weights do not matter.

    Examples
    --------
    >>> from tripletree import Triplets
    >>> found = coverage(Triplets([[0, 1, 2], [4, 5, 6]], n_objects=8))
    >>> found.group.tolist(), found.n_groups, found.never_compared.tolist()
    ([0, 0, 0, 1, 2, 2, 2, 3], 2, [3, 7])
    """
    check_comparisons(comparisons)
    n = comparisons.n_objects
    counts, leader = np.zeros(n, np.int64), np.arange(n)
    for chunk in row_chunks(len(comparisons), ROWS_PER_CHUNK):
        kernels.count_and_join(comparisons.rows[chunk], counts, leader)
    group = np.empty(n, np.int64)
    kernels.number_groups(leader, group)
    return Coverage(freeze(counts, np.int64), freeze(group, np.int64))
