"""Pair sums: how often every pair was near, and how often it was far.

By Theorem 1 of the paper they are all that linkage, search and revenue need of the
answers. They add up: the sums of two days are the sums of both, and what an annotator
answered can be taken away again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits, check_labels, freeze, refuse_mask
from tripletree.comparisons.label_order import natural_order
from tripletree.errors import InvalidComparisons, Mismatch

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BYTES_PER_PAIR = 80  # both triangles, as coordinates and then as rows
LARGEST_TOTAL = 2**62  # so that two of them can be added


@dataclass(frozen=True, eq=False, repr=False, init=False)
class PairSums:
    """Near and far weights of pairs of objects, each pair at most once.

    Parameters
    ----------
    labels : sequence of str
        The objects in their order.
    pairs : array_like of int, shape (k, 2)
        Ids of the objects of each pair. The smaller one is put first, and pairs are
        put in order.
    near, far : array_like of int or float, shape (k,)
        How often, or with what weight, each pair was the near and the far pair.

    Raises
    ------
    InvalidComparisons
        If a pair occurs twice, has an unknown object or twice the same, a sum is below
        0, or integers add up to 2^62 or more.

    Examples
    --------
    >>> sums = PairSums(["carp", "hawk", "owl"], [[1, 2], [0, 2]], [1, 0], [0, 1])
    >>> sums
    PairSums(2 pairs of 3 objects, 1 comparisons)
    >>> sums.similarity.toarray().tolist()
    [[0, 0, -1], [0, 0, 1], [-1, 1, 0]]
    >>> (sums + sums).near.tolist(), (sums - sums).near.tolist()
    ([0, 2], [0, 0])
    """

    labels: tuple[str, ...]
    pairs: npt.NDArray[np.int32]
    near: npt.NDArray[Any]
    far: npt.NDArray[Any]

    def __init__(
        self,
        labels: Iterable[object],
        pairs: npt.ArrayLike,
        near: npt.ArrayLike,
        far: npt.ArrayLike,
    ) -> None:
        names = check_labels(_listed(labels), len(_listed(labels)), InvalidComparisons)
        assert names is not None
        rows = _checked_pairs(pairs, len(names))
        sums = _checked_sums(near, far, len(rows))
        rows = np.sort(rows, axis=1)
        order = np.lexsort(rows.T[::-1])
        if (order[1:] < order[:-1]).any():
            rows, sums = rows[order], (sums[0][order], sums[1][order])
        same = (rows[1:] == rows[:-1]).all(axis=1)
        if same.any():
            i, j = rows[int(same.argmax())].tolist()
            message = f"pair ({names[i]!r:.80}, {names[j]!r:.80}) occurs twice: add up."
            raise InvalidComparisons(message)
        object.__setattr__(self, "labels", names)
        object.__setattr__(self, "pairs", freeze(rows, np.int32))
        object.__setattr__(self, "near", freeze(sums[0], sums[0].dtype))
        object.__setattr__(self, "far", freeze(sums[1], sums[1].dtype))

    def __reduce__(self) -> tuple[Any, ...]:
        return PairSums, (self.labels, self.pairs, self.near, self.far)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        total = self.n_comparisons
        shown = f"{total:g}" if isinstance(total, float) else str(total)
        return (
            f"PairSums({len(self)} pairs of {self.n_objects} objects, "
            f"{shown} comparisons)"
        )

    @property
    def n_objects(self) -> int:
        """How many objects there are."""
        return len(self.labels)

    @property
    def n_comparisons(self) -> int | float:
        """The number of comparisons, or their weight: each has one near pair."""
        total: int | float = self.near.sum().item()
        return total

    @property
    def similarity(self) -> csr_array:
        """AddS: near minus far, symmetric, shape (n, n), without the zeros."""
        from scipy.sparse import coo_array

        what = f"the similarity of {len(self)} pairs"
        check_fits(BYTES_PER_PAIR * len(self), what, "sum fewer answers.")
        values = self.near - self.far
        kept = values != 0
        i, j = self.pairs[kept].T
        values = values[kept]
        both = np.concatenate([i, j]), np.concatenate([j, i])
        shape = (self.n_objects, self.n_objects)
        return coo_array((np.tile(values, 2), both), shape).tocsr()

    def __add__(self, other: object) -> PairSums:
        if not isinstance(other, PairSums):
            return NotImplemented
        return _combined(self, other, 1)

    def __sub__(self, other: object) -> PairSums:
        if not isinstance(other, PairSums):
            return NotImplemented
        return _combined(self, other, -1)


def _listed(labels: Iterable[object]) -> Any:
    if isinstance(labels, str | bytes) or not hasattr(labels, "__len__"):
        message = f"labels are of type {type(labels).__name__}: give a list of labels."
        raise InvalidComparisons(message)
    return labels


def _checked_sums(
    near: npt.ArrayLike, far: npt.ArrayLike, n: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    both = []
    for name, values in (("near", near), ("far", far)):
        refuse_mask(name, values, InvalidComparisons)
        try:
            array: npt.NDArray[Any] = np.asarray(values)
        except ValueError:
            array = np.empty(0, np.object_)
        if array.shape != (n,) or (array.dtype.kind not in "iuf" and n):
            message = (
                f"{name} has shape {array.shape} and type {array.dtype}: give one "
                f"number for each of {n} pairs."
            )
            raise InvalidComparisons(message)
        fits = np.isfinite(array) & (array >= 0)
        if not fits.all():
            at = int(fits.argmin())
            message = f"{name}[{at}] = {array[at]}: sums are finite, 0 or more."
            raise InvalidComparisons(message)
        _check_total(name, array)
        both.append(array)
    is_float = any(array.dtype.kind == "f" and n for array in both)
    kind = np.float64 if is_float else np.int64
    return both[0].astype(kind), both[1].astype(kind)


def _check_total(name: str, values: npt.NDArray[Any]) -> None:
    """Refuse sums of which the total is no number that can be held."""
    with np.errstate(over="ignore"):
        total: int | float = float(values.astype(np.float64).sum())
    is_float = values.dtype.kind == "f"
    if not is_float and total < 1.1 * LARGEST_TOTAL:
        total = int(values.astype(np.int64).sum())  # exactly: it cannot wrap
    if total >= (1e300 if is_float else LARGEST_TOTAL):
        message = (
            f"{name} adds up to {total:.3g}: whole numbers must stay below 2^62, "
            "others below 1e300. Divide near and far by a constant."
        )
        raise InvalidComparisons(message)


def _checked_pairs(pairs: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
    refuse_mask("pairs", pairs, InvalidComparisons)
    try:
        rows: npt.NDArray[Any] = np.asarray(pairs)
    except ValueError:
        rows = np.empty(0, np.object_)
    if rows.size == 0 and rows.dtype.kind in "iuf" and len(rows) == 0:
        return np.empty((0, 2), np.int64)
    if rows.shape[1:] != (2,) or rows.dtype.kind not in "iu":
        message = (
            f"pairs have shape {rows.shape} and dtype {rows.dtype}: give two ids of "
            "objects for each pair, shape (k, 2)."
        )
        raise InvalidComparisons(message)
    wrong = ((rows < 0) | (rows >= n)).any(axis=1) | (rows[:, 0] == rows[:, 1])
    if wrong.any():
        message = (
            f"pair {tuple(rows[int(wrong.argmax())].tolist())}: give two different "
            f"objects from 0 to {n - 1}."
        )
        raise InvalidComparisons(message)
    return rows.astype(np.int64)


def _combined(one: PairSums, two: PairSums, sign: int) -> PairSums:
    """Sums by label. What is taken away must be there; its pairs stay, at 0."""
    labels = one.labels
    if labels != two.labels:
        more = {*two.labels} - {*labels}
        if more and sign < 0:
            label = natural_order(more)[0]
            message = (
                f"cannot take away sums about {label[:80]!r}, which the first sums "
                "know nothing about."
            )
            raise Mismatch(message)
        if more:
            labels = tuple(natural_order({*labels, *more}))
    number = {label: at for at, label in enumerate(labels)}
    keys, near, far = [], [], []
    for part, factor in ((one, 1), (two, sign)):
        ids = np.array([number[label] for label in part.labels], np.int64)
        low, high = np.sort(ids[part.pairs].reshape(-1, 2), axis=1).T
        keys.append(low * len(labels) + high)
        near.append(factor * part.near)
        far.append(factor * part.far)
    unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    sums = []
    for parts in (near, far):
        values = np.concatenate(parts)
        if sign > 0:
            _check_total("near or far of both together", values)
        total = np.zeros(len(unique), values.dtype)
        np.add.at(total, inverse, values)
        sums.append(total)
    pairs = np.column_stack(np.divmod(unique, len(labels)))
    if sign < 0:
        _check_left(labels, pairs, sums)
        kept = np.isin(unique, keys[0])
        pairs, sums = pairs[kept], [np.maximum(total[kept], 0) for total in sums]
    return PairSums(labels, pairs, sums[0], sums[1])


def _check_left(
    labels: tuple[str, ...],
    pairs: npt.NDArray[np.int64],
    sums: list[npt.NDArray[Any]],
) -> None:
    slack = 1e-9 if sums[0].dtype.kind == "f" else 0
    largest = max(float(np.abs(total).max(initial=0)) for total in sums)
    wrong = (sums[0] < -slack * largest) | (sums[1] < -slack * largest)
    if wrong.any():
        i, j = pairs[int(wrong.argmax())].tolist()
        message = (
            f"more is taken away than there is, of the pair {labels[i][:80]!r} and "
            f"{labels[j][:80]!r}: are these sums part of the first?"
        )
        raise Mismatch(message)
