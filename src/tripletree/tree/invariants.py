"""The invariants of a tree, checked on construction; tree.py lists them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_array, check_floats, freeze, refuse_first
from tripletree.errors import InvalidTree, refuse_if

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def check_children(given: npt.ArrayLike) -> Ints:
    wanted = "(n-1, 2) integers, the two nodes that each merge joins"
    array = check_array("children", given, "iu", (None, 2), wanted, InvalidTree)
    n = len(array) + 1
    refuse_first(
        (array < 0) | (array >= np.arange(n, 2 * n - 1)[:, None]),
        "children",
        array,
        f": merge t makes node {n} + t and can only join leaves 0..{n - 1} and nodes "
        "that were made before.",
        InvalidTree,
    )
    children: Ints = freeze(array, np.int64)
    uses = np.bincount(children.ravel(), minlength=2 * n - 1)
    refuse_if(
        uses.max() > 1,
        InvalidTree,
        f"node {np.argmax(uses > 1)} is joined twice and node {uses.argmin()} never: "
        "each node but the root must be a child exactly once.",
    )
    return children


def check_values(name: str, given: npt.ArrayLike, n: int) -> Floats:
    wanted = f"one number for each of the {n - 1} merges"
    array = check_floats(name, given, (n - 1,), wanted, InvalidTree)
    is_wrong = ~np.isfinite(array) if name == "heights" else np.isinf(array)
    refuse_first(is_wrong, name, array, ": give finite numbers.", InvalidTree)
    return freeze(array, np.float64)


def check_collapsed(given: npt.ArrayLike | None, n: int) -> Bools | None:
    """A mask of merges; None if it marks none of them."""
    if given is None or n == 1:
        return None
    wanted = f"one of True and False for each of the {n - 1} merges"
    array = check_array("collapsed", given, "b", (n - 1,), wanted, InvalidTree)
    refuse_if(
        bool(array[-1]),
        InvalidTree,
        f"collapsed[{n - 2}] = True: the root cannot be collapsed.",
    )
    return freeze(array, np.bool_) if array.any() else None


def check_heights_sorted(heights: Floats) -> None:
    refuse_if(
        heights.size > 0 and math.isinf(float(heights[-1]) - float(heights[0])),
        InvalidTree,
        "the differences of the heights are too large for floats. Divide them by a "
        "constant.",
    )
    refuse_first(
        heights < np.append(heights[:1], heights[:-1]),
        "heights",
        heights,
        " is below the height before it: merges come in the order of their heights. "
        "Tree(children).with_heights(heights) puts them in order.",
        InvalidTree,
    )
