import numpy as np
from sklearn.datasets import load_digits

from tripletree import (
    load_digits_example,
    load_glass,
    load_mnist_tsne,
    load_zoo,
)
from tripletree.datasets.feature_tables import GLASS_FEATURES, ZOO_FEATURES

ZOO = ",".join(["animal_name", *ZOO_FEATURES, "class_type"])
GLASS = ",".join([*GLASS_FEATURES, "Type"])
POINTS, DIGITS = "mnist_tsne/reduced_test_X.csv", "mnist_tsne/test_labels.csv"


def test_zoo(put):
    animals = ["frog" + ",1" * 16 + ",5", "newt" + ",0" * 16 + ",5"]
    put("zoo/zoo.csv", "\n".join([ZOO, *animals, animals[0]]))
    zoo, published = load_zoo(), load_zoo(as_published=True)
    assert zoo.features.tolist() == [[1] * 16, [0] * 16, [1] * 16]
    assert zoo.labels == ("frog", "newt", "frog (2)")
    assert (zoo.classes.tolist(), zoo.feature_names) == ([5, 5, 5], tuple(ZOO_FEATURES))
    assert repr(zoo) == "FeatureSet('zoo', 3 objects, 16 features)"
    assert np.array_equal(published.features[:, :-1], zoo.features)
    assert published.features[:, -1].tolist() == [5, 5, 5]
    assert published.feature_names[-1] == "class_type"
    assert not zoo.features.flags.writeable


def test_glass(put):
    splinters = "1.5,1,2,3,4,5,6,7,0,1\n2.5,3,2,1,4,6,6,7,0,7\n2,2,2,2,4,5,6,7,0,2"
    put("glass/glass.csv", f"{GLASS}\n{splinters}")
    glass = load_glass()
    assert glass.features[0].tolist() == [1.5, 1, 2, 3, 4, 5, 6, 7, 0]
    assert glass.classes.tolist() == [1, 7, 2]
    published = load_glass(as_published=True).features
    scaled = [[-1, 1, 0], [-1, 1, 0], [-1, -1, -1], [1, -1, 0]]
    assert published[:, :4].T.tolist() == scaled


def mnist(n_per_digit):
    """A random point for each digit, and the digits, as text."""
    digits = np.repeat(np.arange(10), n_per_digit)
    points = np.random.default_rng(0).normal(size=(len(digits), 2))
    text = "\n".join(f"{x!r},{y!r}" for x, y in points.tolist())
    return points, {POINTS: text, DIGITS: "\n".join(map(str, digits))}


def test_mnist(put):
    points, contents = mnist(300)
    for path, text in contents.items():
        put(path, text)
    found, published = load_mnist_tsne(), load_mnist_tsne(as_published=True)
    assert np.array_equal(found.features, points)
    assert found.labels[301] == "1 301"
    assert published.features.shape == (2000, 2)
    assert np.bincount(published.classes).tolist() == [200] * 10
    assert len(set(published.labels)) == 2000
    assert published.features.min(axis=0).tolist() == [-1, -1]
    assert published.features.max(axis=0).tolist() == [1, 1]
    drawn = [int(label.split()[1]) for label in published.labels]
    assert drawn[:3] == np.random.RandomState(0).permutation(300)[:3].tolist()
    assert drawn[200:203] == [300 + at for at in drawn[:3]]


def test_digits_are_answered_by_their_cosines():
    example = load_digits_example(300, share_wrong=0)
    images = load_digits()
    unit = images.data / np.linalg.norm(images.data, axis=1, keepdims=True)
    i, j, k = example.comparisons.rows.T
    assert ((unit[i] * unit[j]).sum(axis=1) > (unit[i] * unit[k]).sum(axis=1)).all()
    assert example.classes[5] == str(images.target[5])
    assert example.comparisons.labels[5] == f"{images.target[5]} 5"
    turned = load_digits_example(300, share_wrong=1).comparisons.rows[:, [0, 2, 1]]
    assert np.array_equal(turned, example.comparisons.rows)
