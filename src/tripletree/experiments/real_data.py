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
from tripletree.datasets.catalogue import fetch_car
from tripletree.datasets.feature_tables import load_glass, load_mnist_tsne, load_zoo
from tripletree.datasets.food import fetch_food

Floats = npt.NDArray[np.float64]

FILES = {
    "zoo": ("zoo/zoo.csv",),
    "glass": ("glass/glass.csv",),
    "mnist": ("mnist_tsne/reduced_test_X.csv", "mnist_tsne/test_labels.csv"),
    "car": ("car/survey_data.csv",),
    "food": ("food/raw-json.tar.gz",),
    "vogue": (),
    "nature": (),
    "imagenet": (),
}
OF_FEATURES = {"zoo": load_zoo, "glass": load_glass, "mnist": load_mnist_tsne}


def digest(name: str, folder: Path | None) -> str | None:
    """A hash of the files of a data set; None if they are not there."""
    paths = [folder / file for file in FILES[name]] if folder is not None else []
    if not paths or not all(path.is_file() for path in paths):
        return None
    content = b"".join(hashlib.sha256(path.read_bytes()).digest() for path in paths)
    return hashlib.sha256(content).hexdigest()[:12]


def similarity(name: str, folder: Path) -> Floats:
    """The cosines of zoo, glass or mnist."""
    features = OF_FEATURES[name](as_published=True, data_home=folder).features
    unit = features / np.sqrt((features * features).sum(axis=1))[:, None]
    s: Floats = unit @ unit.T
    return (s + s.T) / 2


def triplets(name: str, folder: Path) -> Triplets:
    """The answers of car (repeated ones kept) or food (unique rows)."""
    if name == "car":
        return fetch_car(data_home=folder).comparisons
    return drop_duplicates(fetch_food(data_home=folder).comparisons)
