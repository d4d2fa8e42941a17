"""Public tables of features, from which comparisons can be drawn.

The images of digits come with scikit-learn: examples with them need no network.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tripletree._checks import check_int, check_number, freeze
from tripletree.comparisons.row_checks import Floats, Ints
from tripletree.comparisons.sampling import sample_triplets
from tripletree.datasets.data_files import ORIGINS, Folder, refuse_file_if
from tripletree.datasets.data_sets import (
    ComparisonSet,
    FeatureSet,
    read_table,
)

ZOO_FEATURES = (
    "hair feathers eggs milk airborne aquatic predator toothed backbone breathes "
    "venomous fins legs tail domestic catsize"
).split()
GLASS_FEATURES = "RI Na Mg Al Si K Ca Ba Fe".split()
POINTS_PER_DIGIT = 200
N_IMAGES = 1797


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
    names = [*ZOO_FEATURES, "class_type"]
    table = read_table("zoo/zoo.csv", data_home, columns=["animal_name", *names])
    features = table.integers(1)
    classes = features[:, -1]
    if not as_published:
        names, features = ZOO_FEATURES, features[:, :-1]
    labels = _different([row[0].strip() for row in table.cells])
    return _feature_set("zoo", features, names, labels, classes)


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
    columns = [*GLASS_FEATURES, "Type"]
    table = read_table("glass/glass.csv", data_home, columns=columns)
    features, types = table.floats(0, -1), table.integers(len(GLASS_FEATURES))[:, 0]
    if as_published:
        features = _scaled(features)
    labels = [f"glass {number}" for number in range(len(types))]
    return _feature_set("glass", features, GLASS_FEATURES, labels, types)


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
    names = ["x", "y"]
    table = read_table(
        "mnist_tsne/reduced_test_X.csv", data_home, columns=names, has_header=False
    )
    points = table.floats()
    path = "mnist_tsne/test_labels.csv"
    table = read_table(path, data_home, columns=["digit"], has_header=False)
    digits = table.integers()[:, 0]
    refuse_file_if(
        len(digits) != len(points),
        path,
        f"{len(digits)} digits for {len(points)} points",
    )
    kept = np.arange(len(points))
    if as_published:
        kept = _published_points(digits, path)
        points, digits = _scaled(points[kept]), digits[kept]
    labels = [f"{digit} {at}" for digit, at in zip(digits.tolist(), kept, strict=True)]
    return _feature_set("mnist_tsne", points, names, labels, digits)


def _published_points(digits: Ints, where: str) -> Ints:
    """200 points of each digit, as pandas' ``sample(n=200, random_state=0)`` drew."""
    kept = []
    for digit in range(10):
        points = np.flatnonzero(digits == digit)
        n = len(points)
        refuse_file_if(
            n < POINTS_PER_DIGIT,
            where,
            f"{n} points of digit {digit}; {POINTS_PER_DIGIT} are drawn",
        )
        drawn = np.random.RandomState(0).choice(n, POINTS_PER_DIGIT, replace=False)
        kept.append(points[drawn])
    return np.concatenate(kept)


def _scaled(features: Floats) -> Floats:
    """Each column from -1 to 1; a column of one value becomes -1."""
    low, high = features.min(axis=0), features.max(axis=0)
    span = np.where(high > low, high - low, 1)
    scaled: Floats = 2 * (features - low) / span - 1
    return scaled


def _different(names: list[str]) -> list[str]:
    """Names with a number behind those that came before."""
    before = [names[:at].count(name) for at, name in enumerate(names)]
    numbered = zip(names, before, strict=True)
    return [f"{name} ({n + 1})" if n else name for name, n in numbered]


def _feature_set(
    name: str,
    features: Floats | Ints,
    feature_names: list[str],
    labels: list[str],
    classes: Ints,
) -> FeatureSet:
    return FeatureSet(
        name,
        freeze(features, np.float64),
        tuple(feature_names),
        tuple(labels),
        freeze(classes, np.int64),
        **ORIGINS[name],
    )


def load_digits_example(
    n_questions: int = 100_000,
    *,
    n_images: int = N_IMAGES,
    share_wrong: float = 0.05,
    seed: int = 0,
) -> ComparisonSet:
    """Simulated answers about the 1,797 images of digits that come with scikit-learn.

    Random questions "is this image closer to that one or to the other?" are answered
    by the cosine of the images. Needs no network.

    Parameters
    ----------
    n_questions : int, default 100000
        How many questions to ask; those whose two cosines are equal have no answer.
    n_images : int, default 1797
        About the first so many images only.
    share_wrong : float, default 0.05
        The probability that an answer is turned round.
    seed : int, default 0

    Returns
    -------
    ComparisonSet
        With ``.classes``, the digit of each image; labels are "digit number".

    Raises
    ------
    InvalidOption
        If an option is outside its range.

    Examples
    --------
    >>> load_digits_example(5000)
    ComparisonSet('digits', 5000 answers, Triplets(5000 rows, 1797 objects))
    """
    n_questions = check_int("n_questions", n_questions, 0, 10**9)
    share_wrong = check_number("share_wrong", share_wrong, 0, 1)
    seed = check_int("seed", seed, 0, 2**63)
    pictures, digits = digit_images(n_images)
    answers = sample_triplets(
        features=pictures.reshape(len(pictures), -1),
        n_questions=n_questions,
        flip=share_wrong,
        rng=np.random.default_rng(seed),
    )
    classes = tuple(str(digit) for digit in digits)
    labels = tuple(f"{digit} {at}" for at, digit in enumerate(classes))
    answers = replace(answers, labels=labels)
    return ComparisonSet("digits", answers, len(answers), classes, **ORIGINS["digits"])


def digit_images(n_images: int = N_IMAGES) -> tuple[Floats, Ints]:
    """The images of the digits, (n, 8, 8) from 0 (white) to 16, and which they show."""
    from sklearn.datasets import load_digits

    n_images = check_int("n_images", n_images, 3, N_IMAGES)
    found = load_digits()
    return found.images[:n_images], found.target[:n_images].astype(np.int64)
