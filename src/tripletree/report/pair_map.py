"""The pair sums in the order of the leaves, in so few cells that a page can show them.

Neighbouring leaves share a cell where there are many: a cell is the mean of its pairs.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, check_int, check_same_objects
from tripletree.comparisons.answers import Comparisons
from tripletree.similarity.adds import adds_similarity
from tripletree.similarity.matrix import is_sparse
from tripletree.tree.tree import Tree, check_tree

Floats = npt.NDArray[np.float64]

MOST_CELLS = 300  # per side
SHADES = 127  # on either side of 0
QUANTILE = 0.98  # of the sizes of cells: those beyond have the strongest colour


@dataclass(frozen=True, eq=False)
class PairMap:
    """Means of pair sums; `edges` says which places in leaf order a cell spans.

    `means` is (cells, cells), NaN where a cell has no pair (a single leaf with itself).
    """

    edges: npt.NDArray[np.int64]
    means: Floats

    def strongest(self) -> float:
        """The size at which colours are strongest; above 0."""
        sizes = np.abs(self.means[np.isfinite(self.means)])
        sizes = sizes[sizes > 0]
        return float(np.quantile(sizes, QUANTILE)) if sizes.size else 1.0

    def encoded(self) -> str:
        """A signed byte per cell, row by row, in base 64; -128 for NaN."""
        shades = np.nan_to_num(self.means / self.strongest()) * SHADES
        bytes_ = np.clip(np.rint(shades), -SHADES, SHADES).astype(np.int8)
        bytes_[np.isnan(self.means)] = -128
        return base64.b64encode(bytes_.tobytes()).decode("ascii")


def pair_map(
    tree: Tree, comparisons: Comparisons, *, n_cells: int = MOST_CELLS
) -> PairMap:
    """The mean pair sum of blocks of neighbouring leaves.

    Parameters
    ----------
    tree : Tree
    comparisons : Triplets or Quadruplets
    n_cells : int, default 300
        At most so many cells per side; with as many leaves or fewer, a cell is a pair.

    Returns
    -------
    PairMap

    Notes
    -----
    O(m + n^2) time, or O(m + n) where the sums are sparse. The sums are exact.
    """
    check_tree(tree)
    n = tree.n_leaves
    what = "a tree of {} leaves and comparisons about {} objects"
    check_same_objects(n, tree.labels, comparisons.n_objects, comparisons.labels, what)
    n_cells = min(n, check_int("n_cells", n_cells, 1, 10_000))
    check_fits(40 * n_cells**2, f"a map of {n_cells} x {n_cells}", "use fewer cells.")
    edges = np.arange(n_cells + 1) * n // n_cells
    cell = np.empty(n, np.int64)
    cell[tree.leaf_order] = np.repeat(np.arange(n_cells), np.diff(edges))
    s: Any = adds_similarity(comparisons)
    sums = np.zeros((n_cells, n_cells), s.dtype)
    if is_sparse(s):
        coordinates = s.tocoo()
        row, column = coordinates.coords
        np.add.at(sums, (cell[row], cell[column]), coordinates.data)
    else:
        order, starts = tree.leaf_order, edges[:-1]
        for at in range(n_cells):
            row = s[order[edges[at] : edges[at + 1]]].sum(axis=0)
            sums[at] = np.add.reduceat(row[order], starts)
    sizes = np.diff(edges)
    pairs = np.outer(sizes, sizes) - np.diag(sizes)  # no object with itself
    means = np.divide(sums, pairs, out=np.full(sums.shape, np.nan), where=pairs > 0)
    return PairMap(edges, means)
