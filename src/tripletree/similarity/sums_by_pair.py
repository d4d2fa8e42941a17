"""Pair sums: how often every pair was near, and how often it was far.

By Theorem 1 of the paper, linkage, search and revenue need nothing else from the
answers. Sums of several days add up, and the answers of an annotator can be subtracted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import (
    check_array,
    check_fits,
    check_texts,
    freeze,
    natural_order,
    refuse_first,
)
from tripletree.comparisons.row_checks import check_notes
from tripletree.errors import InvalidComparisons, Mismatch, refuse_if

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
    notes, warnings : sequence of str, optional
        What was assumed when the answers were read, and what may be wrong.

    Raises
    ------
    InvalidComparisons
        If a pair occurs twice, has an unknown object or the same object twice, a sum is
        below 0, or integers add up to 2^62 or more.

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
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    def __init__(
        self,
        labels: Iterable[object],
        pairs: npt.ArrayLike,
        near: npt.ArrayLike,
        far: npt.ArrayLike,
        notes: Sequence[str] = (),
        warnings: Sequence[str] = (),
    ) -> None:
        wanted = "a list of labels, in the order of the objects"
        names = check_texts("labels", labels, wanted, InvalidComparisons)
        rows = _check_pairs(pairs, len(names))
        order = np.lexsort(rows.T[::-1])
        rows = rows[order]
        twice = rows[1:][(rows[1:] == rows[:-1]).all(axis=1)]
        refuse_if(
            len(twice) > 0,
            InvalidComparisons,
            f"the pair {_shown(names, twice)} occurs twice: add up its sums.",
        )
        sums = [
            _check_sums("near", near, len(rows)),
            _check_sums("far", far, len(rows)),
        ]
        is_float = len(rows) > 0 and "f" in {values.dtype.kind for values in sums}
        dtype = np.float64 if is_float else np.int64
        vars(self).update(  # frozen: attributes cannot be set
            labels=names,
            pairs=freeze(rows, np.int32),
            near=freeze(sums[0][order], dtype),
            far=freeze(sums[1][order], dtype),
            notes=check_notes(notes, "pair sums"),
            warnings=check_notes(warnings, "pair sums", "warnings"),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return PairSums, tuple(getattr(self, one.name) for one in fields(self))

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
        """The number of objects."""
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
        return _combined(self, other, 1)

    def __sub__(self, other: object) -> PairSums:
        return _combined(self, other, -1)


def _shown(labels: Sequence[str], pairs: npt.NDArray[Any]) -> str:
    """The names of the first pair."""
    return " and ".join(repr(labels[x][:80]) for x in pairs[:1].ravel())


def _check_pairs(pairs: npt.ArrayLike, n: int) -> npt.NDArray[np.int32]:
    """Pairs of 0..n-1, the smaller object first."""
    wanted = "two ids of objects for each pair, shape (k, 2)"
    rows = check_array("pairs", pairs, "iu", (None, 2), wanted)
    refuse_first(
        ((rows < 0) | (rows >= n)).any(axis=1) | (rows[:, 0] == rows[:, 1]),
        "pairs",
        rows,
        f": give two different objects from 0 to {n - 1}.",
    )
    return np.sort(rows.astype(np.int32), axis=1)


def _check_sums(name: str, given: npt.ArrayLike, n: int) -> npt.NDArray[Any]:
    """A finite number, 0 or more, for each pair, whose total does not overflow."""
    wanted = f"one number for each of {n} pairs"
    values = check_array(name, given, "iuf", (n,), wanted)
    is_right = np.isfinite(values) & (values >= 0)
    refuse_first(~is_right, name, values, ": sums are finite, 0 or more.")
    with np.errstate(over="ignore"):
        total: int | float = float(values.astype(np.float64).sum())
    is_float = values.dtype.kind == "f"
    if not is_float and total < 1.1 * LARGEST_TOTAL:
        total = int(values.astype(np.int64).sum())  # exactly: it cannot wrap
    refuse_if(
        total >= (1e300 if is_float else LARGEST_TOTAL),
        InvalidComparisons,
        f"{name} adds up to {total:.3g}: whole numbers must stay below 2^62, others "
        "below 1e300. Divide near and far by a constant.",
    )
    return values


def _combined(one: PairSums, two: object, sign: int) -> PairSums:
    """Sums by label. A subtracted pair must be there; it stays, even at 0."""
    if not isinstance(two, PairSums):
        return NotImplemented  # type: ignore[no-any-return]
    new = natural_order({*two.labels} - {*one.labels})
    refuse_if(
        sign < 0 and len(new) > 0,
        Mismatch,
        f"cannot subtract sums about {''.join(new[:1])[:80]!r}: the first sums do not "
        "have this object.",
    )
    labels = tuple(natural_order([*one.labels, *new])) if new else one.labels
    number = {label: at for at, label in enumerate(labels)}
    keys, values = [], []
    for part, factor in ((one, 1), (two, sign)):
        ids = np.array([number[label] for label in part.labels], np.int64)
        low, high = np.sort(ids[part.pairs].reshape(-1, 2), axis=1).T
        keys.append(low * len(labels) + high)
        values.append(factor * np.column_stack([part.near, part.far]))
    unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    pairs = np.column_stack(np.divmod(unique, len(labels)))
    given = np.concatenate(values)
    sums = np.zeros((len(unique), 2), given.dtype)  # below 2^63: neither reached 2^62
    np.add.at(sums, inverse, given)
    if sign < 0:
        slack = 1e-9 * np.abs(sums).max(initial=0) if sums.dtype.kind == "f" else 0
        wrong = pairs[(sums < -slack).any(axis=1)]
        refuse_if(
            len(wrong) > 0,
            Mismatch,
            f"the sums of the pair {_shown(labels, wrong)} would fall below 0: are the "
            "subtracted sums part of the first?",
        )
        is_kept = np.isin(unique, keys[0])
        pairs, sums = pairs[is_kept], np.maximum(sums[is_kept], 0)
    notes, warnings = (*one.notes, *two.notes), (*one.warnings, *two.warnings)
    return PairSums(labels, pairs, sums[:, 0], sums[:, 1], notes, warnings)
