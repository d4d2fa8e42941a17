"""The example of the demo: everyday things, drawn here, and simulated people.

The pictures are in everyday.txt, as a few shapes each.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from itertools import combinations

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_int
from tripletree.comparisons.question_types import odd_one_out
from tripletree.comparisons.triplets import Triplets
from tripletree.tree.ancestors import common_ancestor_sizes
from tripletree.tree.tree import Tree

HIERARCHY = (
    "((((((dog,cat),(cow,pig),rabbit),(owl,duck,penguin,hen)),(bee,butterfly,ladybird,"
    "spider)),(((apple,pear),(orange,lemon),cherry),((oak,fir),(tulip,sunflower)))),"
    "((((car,bus),bicycle),((boat,ship),(aeroplane,balloon))),((((cup,teapot),(fork,"
    "spoon)),(chair,table,lamp,bed),(hammer,saw,screwdriver,spanner)),((shirt,"
    "trousers),(hat,sock),glove))));"
)
CARE, SPREAD = 3.0, 0.25  # how clearly people see differences, and how they differ
SIDE, FINE = 64, 4  # pixels of a picture, and in how many parts of it is drawn
COLOURS = {
    "tile": "#eef1f5",
    "red": "#dc4437",
    "rose": "#e8708a",
    "pink": "#f5b3c1",
    "rust": "#b9683a",
    "orange": "#f08a24",
    "gold": "#eab035",
    "yellow": "#f8d148",
    "cream": "#fbe8cf",
    "tan": "#d9a875",
    "brown": "#80513a",
    "lime": "#a3c644",
    "green": "#4d9e4a",
    "pine": "#2f7250",
    "sky": "#92caee",
    "blue": "#3b7dd8",
    "navy": "#2c4a7c",
    "purple": "#8b5fb8",
    "white": "#ffffff",
    "steel": "#c2ccd6",
    "grey": "#919dab",
    "dark": "#3d4753",
    "black": "#20262d",
}


@dataclass(frozen=True)
class Everyday:
    """The answers, and the hierarchy they were made from.

    `groups` and `pictures`, (n, 64, 64, 4), are of the objects.
    """

    answers: Triplets
    truth: Tree
    groups: tuple[str, ...]
    pictures: npt.NDArray[np.uint8]


def everyday(n_people: int = 100, *, n_careless: int = 5, seed: int = 0) -> Everyday:
    """Answers to "which of these three things is the odd one out?".

    Every three things are shown once, one in twenty of them twice. The closer two
    things are in the hierarchy, the more often the third is the odd one, less surely if
    the differences are small. Some people look less closely than others, and the last
    ones choose by chance.

    Parameters
    ----------
    n_people : int, default 100
        How many people share the questions.
    n_careless : int, default 5
        How many of them answer by chance.
    seed : int, default 0

    Returns
    -------
    Everyday

    Examples
    --------
    >>> everyday().answers
    Triplets(31878 rows, 46 objects, 100 annotators)
    """
    n_people = check_int("n_people", n_people, 1, 10_000)
    n_careless = check_int("n_careless", n_careless, 0, n_people)
    rng = np.random.default_rng(check_int("seed", seed, 0, 2**63))
    truth = Tree.from_newick(HIERARCHY)
    assert truth.labels is not None
    n = truth.n_leaves
    shown = np.array([*combinations(range(n), 3)])
    again = rng.choice(len(shown), len(shown) // 20, replace=False)
    shown = rng.permutation(np.concatenate([shown, shown[again]]))
    m = len(shown)
    person = np.arange(m) * n_people // m
    care = CARE * np.exp(rng.normal(0, SPREAD, n_people))
    care[n_people - n_careless :] = 0
    # The size of the smallest cluster with the other two: small, if this is odd.
    others = [
        common_ancestor_sizes(truth, shown[:, two]) for two in ([1, 2], [0, 2], [0, 1])
    ]
    oddness = -care[person, None] * np.log(np.stack(others, axis=1))
    odd = np.argmax(oddness + rng.gumbel(size=(m, 3)), axis=1)
    answers = odd_one_out(
        shown,
        shown[np.arange(m), odd],
        n,
        labels=truth.labels,
        annotators=person,
        annotator_names=[f"person {at + 1}" for at in range(n_people)],
    )
    groups, shapes = zip(*map(_drawings().__getitem__, truth.labels), strict=True)
    return Everyday(answers, truth, groups, np.stack([*map(_picture, shapes)]))


def _drawings() -> dict[str, tuple[str, str]]:
    """The group of each thing, and its shapes."""
    file = resources.files("tripletree.datasets") / "everyday.txt"
    group, found = "", {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            group = line[2:]
        elif not line.startswith("#"):
            name, shapes = line.split(": ")
            found[name] = (group, shapes)
    return found


def _picture(shapes: str) -> npt.NDArray[np.uint8]:
    """Shapes one over the other on a tile, larger than needed and scaled down."""
    from PIL import Image, ImageDraw

    unit = SIDE * FINE / 32
    image = Image.new("RGBA", (SIDE * FINE,) * 2)
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((0, 0, *image.size), 5 * unit, COLOURS["tile"])
    for shape in shapes.split("; "):
        name, kind, *texts = shape.split()
        colour, numbers = COLOURS[name], [unit * float(text) for text in texts]
        if kind == "o":
            x, y, *radii = numbers
            pen.ellipse(_box(x, y, radii[0], radii[-1]), colour)
        elif kind == "p":
            pen.polygon(numbers, colour)
        elif kind == "r":
            pen.rounded_rectangle(numbers[:4], numbers[4], colour)
        elif kind == "a":
            width, *place = numbers[:5]
            start, end = map(float, texts[5:])
            pen.arc(_box(*place), start, end, colour, round(width))
        else:
            width, *points = numbers
            pen.line(points, colour, round(width), joint="curve")
            for x, y in zip(points[::2], points[1::2], strict=True):  # round ends
                pen.ellipse(_box(x, y, width / 2, width / 2), colour)
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.LANCZOS))


def _box(x: float, y: float, rx: float, ry: float) -> tuple[float, float, float, float]:
    return x - rx, y - ry, x + rx, y + ry
