"""The data sets of the paper's second table, prepared as the paper prepared them.

They are read from a folder that the user provides (environment variable
TRIPLETREE_DATA) and never made up: what is not there is reported as absent. Zoo, Glass
and MNIST are feature vectors with cosines between them. The cosines are left as the
floating point rounds them, as in the published code: many cosines of Zoo are equal in
truth, and rounding alone says which of them is larger.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tripletree.comparisons.answers import drop_duplicates
from tripletree.comparisons.triplets import Triplets

Floats = npt.NDArray[np.float64]

FILES = {
    "zoo": ("zoo/zoo.csv",),
    "glass": ("glass/glass.csv",),
    "mnist": ("mnist_tsne/reduced_test_X.csv", "mnist_tsne/test_labels.csv"),
    "car": ("car/survey_data.csv",),
    "food": ("food/triplets.csv.gz",),
    "vogue": (),
    "nature": (),
    "imagenet": (),
}
OF_FEATURES = ("zoo", "glass", "mnist")
N_PER_DIGIT = 200


def digest(name: str, folder: Path | None) -> str | None:
    """A hash of the files of a data set; None if they are not there."""
    paths = [folder / file for file in FILES[name]] if folder is not None else []
    if not paths or not all(path.is_file() for path in paths):
        return None
    content = b"".join(hashlib.sha256(path.read_bytes()).digest() for path in paths)
    return hashlib.sha256(content).hexdigest()[:12]


def similarity(name: str, folder: Path) -> Floats:
    """The cosines of zoo, glass or mnist."""
    features = {"zoo": _zoo, "glass": _glass, "mnist": _mnist}[name](folder)
    unit = features / np.sqrt((features * features).sum(axis=1))[:, None]
    s: Floats = unit @ unit.T
    return (s + s.T) / 2


def triplets(name: str, folder: Path) -> Triplets:
    """The answers of car (repeated ones kept) or food (unique rows)."""
    return _car(folder) if name == "car" else drop_duplicates(_food(folder))


def _zoo(folder: Path) -> Floats:
    """16 features and the class column, as they are."""
    return _columns(folder / FILES["zoo"][0], range(1, 18))


def _glass(folder: Path) -> Floats:
    return _scaled(_columns(folder / FILES["glass"][0], range(9)))


def _mnist(folder: Path) -> Floats:
    """The same positions of each digit's points, drawn with the published seed."""
    points = np.loadtxt(folder / FILES["mnist"][0], delimiter=",")
    digits = np.loadtxt(folder / FILES["mnist"][1], delimiter=",")
    chosen = []
    for digit in range(10):
        of_digit = np.flatnonzero(digits == digit)
        source = np.random.RandomState(0)
        chosen.append(
            of_digit[source.choice(len(of_digit), N_PER_DIGIT, replace=False)]
        )
    return _scaled(points[np.concatenate(chosen)])


def _columns(path: Path, columns: range) -> Floats:
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=list(columns))


def _scaled(features: Floats) -> Floats:
    """Every column from -1 to 1."""
    low, high = features.min(axis=0), features.max(axis=0)
    scaled: Floats = 2 * (features - low) / (high - low) - 1
    return scaled


def _car(folder: Path) -> Triplets:
    """Most-central answers: c of {c, j, k} gives (j, c, k) and (k, c, j); 1-based."""
    table = _columns(folder / FILES["car"][0], range(5)).astype(np.int64)
    center, shown = table[:, 1], table[:, 2:5]
    j, k = shown[shown != center[:, None]].reshape(-1, 2).T
    rows = [np.column_stack([j, center, k]), np.column_stack([k, center, j])]
    return Triplets(np.concatenate(rows) - 1, 60)


def _food(folder: Path) -> Triplets:
    return Triplets(_columns(folder / FILES["food"][0], range(3)).astype(np.int64), 100)
