"""What the functions for public data sets return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tripletree._checks import freeze
from tripletree.comparisons.triplets import Triplets
from tripletree.datasets.conversions import Ints, without_degenerate


@dataclass(frozen=True, eq=False)
class ComparisonSet:
    """Answers that people gave, and where they come from.

    ``comparisons`` are the Triplets, with labels where the objects have names.
    ``n_answers`` counts the answers they were made from (screens, trials, votes), and
    ``dropped`` what was left out, by reason: ``{"degenerate rows": 17}``.
    ``annotators`` holds who gave each row, and ``classes`` the class of each object,
    where known. ``citation``, ``licence`` and ``page`` say whom to thank and what is
    allowed.
    """

    name: str
    comparisons: Triplets
    n_answers: int
    dropped: Mapping[str, int]
    annotators: Ints | None
    classes: tuple[str, ...] | None
    citation: str
    licence: str
    page: str

    def __repr__(self) -> str:
        return (
            f"ComparisonSet({self.name!r}, {self.n_answers} answers, "
            f"{self.comparisons!r})"
        )


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """Objects with features and classes, to draw comparisons from.

    ``features`` is (n, d), its columns named by ``feature_names``; ``labels`` are the
    names of the objects, all different, and ``classes`` (n,) their true classes.
    """

    name: str
    features: npt.NDArray[np.float64]
    feature_names: tuple[str, ...]
    labels: tuple[str, ...]
    classes: Ints
    citation: str
    licence: str
    page: str

    def __repr__(self) -> str:
        n, d = self.features.shape
        return f"FeatureSet({self.name!r}, {n} objects, {d} features)"


@dataclass(frozen=True)
class Origin:
    """Where a data set comes from, in words."""

    name: str
    citation: str
    licence: str
    page: str


def comparison_set(
    origin: Origin,
    rows: Ints,
    *,
    n_objects: int,
    n_answers: int,
    labels: tuple[str, ...] | None = None,
    classes: tuple[str, ...] | None = None,
    annotators: Ints | None = None,
    dropped: Mapping[str, int] | None = None,
) -> ComparisonSet:
    """A data set of the rows that compare three different objects."""
    kept, is_kept = without_degenerate(rows)
    who = None if annotators is None else freeze(annotators[is_kept], np.int64)
    return ComparisonSet(
        name=origin.name,
        comparisons=Triplets(kept, n_objects, labels=labels),
        n_answers=n_answers,
        dropped={**(dropped or {}), "degenerate rows": len(rows) - len(kept)},
        annotators=who,
        classes=classes,
        citation=origin.citation,
        licence=origin.licence,
        page=origin.page,
    )
