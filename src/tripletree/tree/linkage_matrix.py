"""Trees as SciPy linkage matrices: one row (child, child, height, size) per merge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_flag, check_floats, refuse_first
from tripletree.errors import InvalidOption, InvalidTree, refuse_if
from tripletree.tree.tree import Tree


def to_linkage(
    tree: Tree, *, by: Literal["height", "rank", "size"] | None = None
) -> npt.NDArray[np.float64]:
    """A linkage matrix that SciPy accepts: sorted, monotone, non-negative.

    Parameters
    ----------
    tree : Tree
    by : {"height", "rank", "size"}, optional
        The third column: the tree's own heights (raised by a constant if any is
        negative, so that the lowest merge is at 0), the number of the merge from 1 on,
        or the size of the new cluster. The default is "height" for a tree with heights
        and "rank" for one without. A collapsed merge has the value of the merge that it
        is shown as.

    Returns
    -------
    ndarray of float64, shape (n-1, 4)

    Examples
    --------
    >>> to_linkage(Tree([[2, 1], [0, 3]]))
    array([[1., 2., 1., 2.],
           [0., 3., 2., 3.]])
    """
    if by is None:
        by = "rank" if tree.heights is None else "height"
    refuse_if(
        not isinstance(by, str) or by not in ("height", "rank", "size"),
        InvalidOption,
        f'by = {by!r:.80}: choose "height", "rank" or "size".',
    )
    n = tree.n_leaves
    if by == "height":
        if tree.heights is None:
            message = 'this tree has no heights: use by="rank" or by="size".'
            raise InvalidTree(message)
        column = tree.heights - min(0.0, tree.heights[0]) if n > 1 else tree.heights
    elif by == "rank":
        column = np.arange(1.0, n)
    else:
        tree = tree.with_heights(tree.size[n:])
        column = tree.size[n:].astype(np.float64)
    if tree.collapsed is not None:
        column = np.sort(column[tree.shown[n:] - n])
        tree = tree.grouped
    children = np.sort(tree.children, axis=1).astype(np.float64)
    return np.column_stack([children, column, tree.size[n:].astype(np.float64)])


def from_linkage(
    matrix: npt.ArrayLike,
    *,
    heights: bool = True,
    labels: Iterable[object] | None = None,
) -> Tree:
    """A tree from a SciPy linkage matrix.

    Parameters
    ----------
    matrix : array_like of float, shape (n-1, 4)
    heights : bool, default True
        Whether to keep the third column. Matrices with inversions (a merge below one
        of its children, as centroid linkage makes) can only be read without.
    labels : sequence of str, optional

    Returns
    -------
    Tree

    Raises
    ------
    InvalidTree
        If the matrix does not describe a tree, or has wrong sizes.

    Examples
    --------
    >>> from_linkage([[1, 2, 0.5, 2], [0, 3, 2.0, 3]]).to_newick()
    '(0:2.0,(1:0.5,2:0.5):1.5);'
    """
    wants_heights = check_flag("heights", heights)
    wanted = "numbers of shape (n-1, 4)"
    array = check_floats("a linkage matrix", matrix, (None, 4), wanted, InvalidTree)
    ids = np.where(np.isfinite(array), array, 0.5)  # NaN may make floor warn
    ids[:, 2] = 0  # heights need not be whole
    refuse_first(
        (ids != np.floor(ids)) | (np.abs(ids) >= 2.0**53),
        "matrix",
        array,
        ": node ids and sizes must be whole numbers.",
        InvalidTree,
    )
    tree = Tree(ids[:, :2].astype(np.int64), labels=labels)
    n = tree.n_leaves
    differs = np.flatnonzero(ids[:, 3] != tree.size[n:])
    if differs.size:
        row = int(differs[0])
        message = (
            f"matrix[{row}, 3] = {ids[row, 3]:.0f}: the cluster of merge {row} has "
            f"{tree.size[n + row]} leaves."
        )
        raise InvalidTree(message)
    return tree.with_heights(array[:, 2]) if wants_heights else tree
