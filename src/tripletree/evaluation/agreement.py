"""Agreement of a tree with a known truth: the adjusted Rand index, per level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int, check_same_objects, refuse_mask
from tripletree.errors import InvalidOption, Mismatch, refuse_if
from tripletree.tree.tree import Tree, check_tree


def adjusted_rand_index(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    r"""Agreement of two flat clusterings, 1 if equal and 0 on average by chance.

    .. math:: \frac{\sum_{kl} \binom{n_{kl}}{2} - E}{\frac12(P + Q) - E},
              \qquad P = \sum_k \binom{n_k}{2}, \; Q = \sum_l \binom{n_l}{2},
              \; E = P Q / \binom{n}{2}

    Parameters
    ----------
    first, second : array_like, shape (n,)
        A cluster label per object, of any types; only equality counts.

    Returns
    -------
    float
        1.0 if both have a single cluster, or both a cluster per object.

    Raises
    ------
    InvalidOption
        If a clustering does not have one label per object.
    Mismatch
        If they are about different numbers of objects.

    References
    ----------
    Hubert and Arabie, "Comparing partitions", 1985.

    Examples
    --------
    >>> adjusted_rand_index([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    one, two = _as_numbers(first), _as_numbers(second)
    refuse_if(
        len(one) != len(two),
        Mismatch,
        f"clusterings of {len(one)} and of {len(two)} objects.",
    )
    n_second = int(two.max(initial=0)) + 1
    both = np.unique(one * n_second + two, return_counts=True)[1]
    together = _pairs_within(both)
    in_first, in_second = (_pairs_within(np.bincount(x)) for x in (one, two))
    everything = len(one) * (len(one) - 1) // 2
    # Multiplied by 2 * everything, all terms are integers: exact until the division.
    above = 2 * (together * everything - in_first * in_second)
    below = (in_first + in_second) * everything - 2 * in_first * in_second
    return above / below if below else 1.0


def ari_per_level(
    tree: Tree,
    truth: Tree | Sequence[npt.ArrayLike] | npt.NDArray[np.generic],
    *,
    n_levels: int | None = None,
) -> npt.NDArray[np.float64]:
    """The adjusted Rand index of a tree at each of the top levels of the truth.

    Parameters
    ----------
    tree : Tree
    truth : Tree, or one clustering of the objects per level
        Level l of a tree is the cut into 2^l clusters, by the order of merges. Level l
        of given clusterings (from coarse to fine, each an array of n labels) has as
        many clusters as there are different labels.
    n_levels : int, optional
        How many levels to compare. By default all that are given, or all levels of a
        tree with at most n clusters.

    Returns
    -------
    ndarray of float64, shape (n_levels,)
        Level l compares the truth with the cut of the tree into as many clusters.

    Raises
    ------
    InvalidTree, InvalidOption
        If there is no tree, the truth has no levels, or fewer than n_levels.
    Mismatch
        If the truth is about other objects than the tree.

    Examples
    --------
    >>> from tripletree import balanced_tree, caterpillar_tree
    >>> ari_per_level(balanced_tree(8), balanced_tree(8)).tolist()
    [1.0, 1.0, 1.0]
    """
    levels = [_as_numbers(level) for level in _truth_levels(tree, truth, n_levels)]
    cuts = [tree.cut(int(labels.max(initial=0)) + 1) for labels in levels]
    return np.array(list(map(adjusted_rand_index, cuts, levels)))


def aari(
    tree: Tree,
    truth: Tree | Sequence[npt.ArrayLike] | npt.NDArray[np.generic],
    *,
    n_levels: int | None = None,
) -> float:
    """The averaged adjusted Rand index over the top levels of the truth.

    The mean of :func:`ari_per_level`; 1 if all levels agree.

    Parameters
    ----------
    tree : Tree
    truth : Tree, or one clustering of the objects per level
    n_levels : int, optional
        As in :func:`ari_per_level`.

    Returns
    -------
    float

    Raises
    ------
    InvalidTree, InvalidOption, Mismatch
        As for :func:`ari_per_level`.

    References
    ----------
    Ghoshdastidar, Perrot, von Luxburg, "Foundations of comparison-based hierarchical
    clustering", 2019.

    Examples
    --------
    >>> from tripletree import balanced_tree
    >>> aari(balanced_tree(4), [[0, 0, 1, 1], [0, 1, 2, 3]])
    1.0
    """
    return float(ari_per_level(tree, truth, n_levels=n_levels).mean())


def _truth_levels(
    tree: Tree,
    truth: Tree | Sequence[npt.ArrayLike] | npt.NDArray[np.generic],
    n_levels: int | None,
) -> Iterable[npt.ArrayLike]:
    check_tree(tree)
    n = tree.n_leaves
    levels: Iterable[npt.ArrayLike]
    if isinstance(truth, Tree):
        what = "a tree of {} leaves and a true tree of {} leaves"
        check_same_objects(n, tree.labels, truth.n_leaves, truth.labels, what)
        most = n.bit_length() - 1
        refuse_if(
            most == 0, InvalidOption, "a tree with one leaf has no levels to compare."
        )
        levels = (truth.cut(2**level) for level in range(1, most + 1))
    else:
        levels = given = _given_levels(truth, n)
        most = len(given)
    chosen = most if n_levels is None else check_int("n_levels", n_levels, 1, most)
    return islice(levels, chosen)


def _given_levels(truth: Any, n: int) -> list[npt.NDArray[Any]]:
    refuse_mask("the truth", truth, InvalidOption)
    is_number = isinstance(truth, np.ndarray) and truth.ndim == 0
    has_levels = hasattr(truth, "__iter__") and not is_number
    given = [_as_array(labels) for labels in truth] if has_levels else []
    refuse_if(
        len(given) > 0 and given[0].ndim == 0,
        InvalidOption,
        "the truth must be a tree or a list of clusterings, one per level: for a "
        "single level, give [labels].",
    )
    refuse_if(
        not given,
        InvalidOption,
        "the truth has no levels: give at least one clustering.",
    )
    for level, labels in enumerate(given):
        refuse_if(
            labels.shape != (n,),
            Mismatch,
            f"level {level} of the truth has shape {labels.shape}: give one label for "
            f"each of the {n} leaves of the tree.",
        )
    return given


def _as_numbers(labels: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Labels as integers 0, 1, ... without gaps."""
    array = _as_array(labels)
    refuse_if(
        array.ndim != 1,
        InvalidOption,
        f"a clustering has one label per object, shape (n,); this has shape "
        f"{array.shape}.",
    )
    if array.dtype.kind == "O":  # any objects, not only those that can be sorted
        number: dict[object, int] = {}
        try:
            found = [number.setdefault(label, len(number)) for label in array.tolist()]
        except TypeError:
            message = "labels of clusters must be hashable: numbers, strings, tuples."
            raise InvalidOption(message) from None
        return np.array(found, np.int64)
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def _as_array(labels: npt.ArrayLike) -> npt.NDArray[Any]:
    """Labels as an array; of objects if they have several types.

    NumPy would turn [1, "1"] into strings, and two clusters into one.
    """
    refuse_mask("labels of clusters", labels, InvalidOption)
    if isinstance(labels, list | tuple) and len(set(map(type, labels))) > 1:
        return np.fromiter(labels, np.object_, len(labels))
    try:
        return np.asarray(labels)
    except ValueError:
        message = "a clustering has one label per object: these are lists of labels."
        raise InvalidOption(message) from None


def _pairs_within(sizes: npt.NDArray[np.int64]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
