"""Public tables of features, from which comparisons can be drawn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tripletree._checks import freeze
from tripletree.datasets import sources
from tripletree.datasets.data_sets import FeatureSet, Origin
from tripletree.datasets.downloads import Folder, read_data_file
from tripletree.datasets.parsing import (
    Ints,
    floats_of,
    integers_of,
    table_of,
    wrong_file,
)

ZOO_FEATURES = (
    "hair feathers eggs milk airborne aquatic predator toothed backbone breathes "
    "venomous fins legs tail domestic catsize"
).split()
GLASS_FEATURES = "RI Na Mg Al Si K Ca Ba Fe".split()
POINTS_PER_DIGIT = 200

Floats = npt.NDArray[np.float64]


def load_zoo(
    *, as_published: bool = False, data_home: Folder | None = None
) -> FeatureSet:
    """Zoo: 100 animals, 16 features, 7 classes.

    42 animals repeat the features of an earlier one: cosines tie. "girl" is left out as
    in the paper; the two animals named "frog" are labelled "frog" and "frog (2)".

    Parameters
    ----------
    as_published : bool, default False
        The features of the paper's experiments: the class is a 17th column.
    data_home : path, optional
        A folder with zoo/zoo.csv; not given, the folder in the environment variable
        TRIPLETREE_DATA, or else a hash-checked download that is kept.

    Returns
    -------
    FeatureSet

    Raises
    ------
    DataUnavailable
        If the file is not here and cannot be downloaded: where to get and put it.
    InvalidFile
        If the file is not the table it should be.

    Examples
    --------
    >>> load_zoo()  # doctest: +SKIP
    FeatureSet('zoo', 100 objects, 16 features)
    """
    where = sources.ZOO_TABLE.path
    cells = table_of(
        read_data_file(sources.ZOO_TABLE, data_home),
        where,
        columns=["animal_name", *ZOO_FEATURES, "class_type"],
    )
    numbers = integers_of([row[1:] for row in cells], where)
    names = list(ZOO_FEATURES)
    features = numbers[:, :-1]
    if as_published:
        names, features = [*names, "class_type"], numbers
    labels = _different([row[0].strip() for row in cells])
    return _feature_set(sources.ZOO, features, names, labels, numbers[:, -1])


def load_glass(
    *, as_published: bool = False, data_home: Folder | None = None
) -> FeatureSet:
    """Glass: 214 splinters, 9 features, 6 types.

    Parameters
    ----------
    as_published : bool, default False
        The features of the paper's experiments: each column scaled to [-1, 1].
    data_home : path, optional
        A folder with glass/glass.csv, as for :func:`load_zoo`.

    Returns
    -------
    FeatureSet

    Raises
    ------
    DataUnavailable, InvalidFile
        As for :func:`load_zoo`.

    Examples
    --------
    >>> load_glass()  # doctest: +SKIP
    FeatureSet('glass', 214 objects, 9 features)
    """
    where = sources.GLASS_TABLE.path
    cells = table_of(
        read_data_file(sources.GLASS_TABLE, data_home),
        where,
        columns=[*GLASS_FEATURES, "Type"],
    )
    features = floats_of([row[:-1] for row in cells], where)
    types = integers_of([row[-1:] for row in cells], where)[:, 0]
    if as_published:
        features = _scaled(features)
    labels = tuple(f"glass {number}" for number in range(len(cells)))
    return _feature_set(sources.GLASS, features, GLASS_FEATURES, labels, types)


def load_mnist_tsne(
    *, as_published: bool = False, data_home: Folder | None = None
) -> FeatureSet:
    """MNIST: 10,000 images of digits, embedded in two dimensions by t-SNE.

    Parameters
    ----------
    as_published : bool, default False
        The points of the paper's experiments: 200 per digit, drawn as the authors drew
        them, each coordinate scaled to [-1, 1].
    data_home : path, optional
        A folder with mnist_tsne/reduced_test_X.csv and mnist_tsne/test_labels.csv, as
        for :func:`load_zoo`.

    Returns
    -------
    FeatureSet
        Labels are "digit number", the number of the point in the file.

    Raises
    ------
    DataUnavailable, InvalidFile
        As for :func:`load_zoo`.

    Examples
    --------
    >>> load_mnist_tsne(as_published=True)  # doctest: +SKIP
    FeatureSet('mnist_tsne', 2000 objects, 2 features)
    """
    where = sources.MNIST_POINTS.path
    cells = table_of(
        read_data_file(sources.MNIST_POINTS, data_home),
        where,
        columns=["x", "y"],
        has_header=False,
    )
    points = floats_of(cells, where, has_header=False)
    where = sources.MNIST_DIGITS.path
    cells = table_of(
        read_data_file(sources.MNIST_DIGITS, data_home),
        where,
        columns=["digit"],
        has_header=False,
    )
    digits = integers_of(cells, where, has_header=False)[:, 0]
    if len(digits) != len(points):
        raise wrong_file(where, f"{len(digits)} digits for {len(points)} points")
    kept = np.arange(len(points))
    if as_published:
        kept = _published_points(digits, where)
        points, digits = _scaled(points[kept]), digits[kept]
    labels = tuple(
        f"{digit} {at}" for digit, at in zip(digits.tolist(), kept, strict=True)
    )
    return _feature_set(sources.MNIST_TSNE, points, ["x", "y"], labels, digits)


def _published_points(digits: Ints, where: str) -> Ints:
    """200 points of each digit, as pandas' ``sample(n=200, random_state=0)`` drew."""
    kept = []
    for digit in range(10):
        points = np.flatnonzero(digits == digit)
        if len(points) < POINTS_PER_DIGIT:
            what = (
                f"{len(points)} points of digit {digit}; {POINTS_PER_DIGIT} are drawn"
            )
            raise wrong_file(where, what)
        source = np.random.RandomState(0)
        drawn = source.choice(len(points), POINTS_PER_DIGIT, replace=False)
        kept.append(points[drawn])
    return np.concatenate(kept)


def _scaled(features: Floats) -> Floats:
    """Each column from -1 to 1; a column of one value becomes -1."""
    low, high = features.min(axis=0), features.max(axis=0)
    span = np.where(high > low, high - low, 1)
    scaled: Floats = 2 * (features - low) / span - 1
    return scaled


def _different(names: list[str]) -> tuple[str, ...]:
    """Names with a number behind those that came before."""
    times: dict[str, int] = {}
    labels = []
    for name in names:
        times[name] = times.get(name, 0) + 1
        labels.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return tuple(labels)


def _feature_set(
    origin: Origin,
    features: npt.NDArray[np.generic],
    feature_names: list[str],
    labels: tuple[str, ...],
    classes: Ints,
) -> FeatureSet:
    return FeatureSet(
        name=origin.name,
        features=freeze(features, np.float64),
        feature_names=tuple(feature_names),
        labels=labels,
        classes=freeze(classes, np.int64),
        citation=origin.citation,
        licence=origin.licence,
        page=origin.page,
    )
