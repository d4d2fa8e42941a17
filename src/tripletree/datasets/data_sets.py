"""What the functions for public data sets return."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from tripletree.comparisons.triplets import Triplets


@dataclass(frozen=True, eq=False)
class ComparisonSet:
    """Answers that people gave, and where they come from.

    ``comparisons`` are the Triplets, with labels and annotators where these are known,
    and with what was left out, by reason: ``{"degenerate rows": 17}``. ``n_answers``
    counts the answers that were read (screens, trials, votes), and ``classes`` has the
    class of each object, where known. ``citation``, ``licence`` and ``page`` say whom
    to thank and what is allowed.
    """

    name: str
    comparisons: Triplets
    n_answers: int
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
    classes: npt.NDArray[np.int64]
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
    comparisons: Triplets,
    n_answers: int,
    classes: tuple[str, ...] | None = None,
) -> ComparisonSet:
    """A data set of this origin."""
    return ComparisonSet(
        comparisons=comparisons, n_answers=n_answers, classes=classes, **asdict(origin)
    )
