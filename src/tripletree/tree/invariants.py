"""The invariants of a tree, checked on construction; tree.py lists them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import as_floats, freeze, refuse_mask
from tripletree.errors import InvalidTree, refuse_if

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def check_children(given: npt.ArrayLike) -> Ints:
    refuse_mask("children", given, InvalidTree)
    try:
        array: npt.NDArray[Any] = np.asarray(given)
    except ValueError:
        message = "children are no rectangular array: give two node ids per merge."
        raise InvalidTree(message) from None
    if array.shape in ((0,), (0, 0), (0, 2)):
        array = np.empty((0, 2), np.int64)
    refuse_if(
        array.ndim != 2 or array.shape[1] != 2,
        InvalidTree,
        f"children have shape {array.shape}: give (n-1, 2), one row of two node "
        "ids for each merge.",
    )
    refuse_if(
        array.dtype.kind not in "iu",
        InvalidTree,
        f"children have dtype {array.dtype}: give integers (node ids).",
    )
    n = len(array) + 1
    made = np.arange(n, 2 * n - 1)[:, None]
    wrong = np.argwhere((array < 0) | (array >= made))
    if wrong.size:
        t, side = map(int, wrong[0])
        message = (
            f"children[{t}, {side}] = {array[t, side]}: merge {t} makes node {n + t} "
            f"and can only join nodes 0..{n + t - 1} (leaves are 0..{n - 1})."
        )
        raise InvalidTree(message)
    children: Ints = freeze(array, np.int64)
    uses = np.bincount(children.ravel(), minlength=2 * n - 2)
    if (uses > 1).any():
        node = int(np.argmax(uses > 1))
        rows = np.flatnonzero((children == node).any(axis=1)).tolist()
        message = (
            f"node {node} is joined twice (merge {' and '.join(map(str, rows))}) and "
            f"node {np.argmin(uses)} never: each node but the root must be a child "
            "exactly once."
        )
        raise InvalidTree(message)
    return children


def check_values(name: str, given: npt.ArrayLike | None, n: int) -> Floats | None:
    if given is None:
        return None
    refuse_mask(name, given, InvalidTree)
    try:
        array = as_floats(given)
    except (TypeError, ValueError, OverflowError):
        message = f"{name}: give one number for each of the {n - 1} merges."
        raise InvalidTree(message) from None
    refuse_if(
        array.shape != (n - 1,),
        InvalidTree,
        f"{name} of shape {array.shape}: give one number for each of the {n - 1} "
        "merges.",
    )
    wrong = np.isinf(array) if name == "support" else ~np.isfinite(array)
    if wrong.any():
        t = int(np.argmax(wrong))
        message = f"{name}[{t}] = {array[t]}: give finite numbers."
        raise InvalidTree(message)
    frozen: Floats = freeze(array, np.float64)
    return frozen


def check_heights_sorted(heights: Floats) -> None:
    falls = np.flatnonzero(heights[1:] < heights[:-1])
    if heights.size and math.isinf(float(heights[-1]) - float(heights[0])):
        message = (
            f"heights run from {heights[0]} to {heights[-1]}: their differences are "
            "too large for floats. Divide them by a constant."
        )
        raise InvalidTree(message)
    if falls.size:
        t = int(falls[0]) + 1
        message = (
            f"heights[{t}] = {heights[t]} is below heights[{t - 1}] = "
            f"{heights[t - 1]}: merges come in the order of their heights. "
            "Tree(children).with_heights(heights) puts them in order."
        )
        raise InvalidTree(message)
