"""Wrong files and options: what data sets refuse, and in which words."""

import numpy as np
import pytest

from tests.strategies import rng
from tests.unit.datasets.test_catalogue import (
    HITS,
    MUSIC,
    THINGS,
    food,
    mat,
    screen,
    survey,
    votes,
)
from tests.unit.datasets.test_feature_tables import DIGITS, GLASS, ZOO, mnist
from tripletree import (
    InvalidFile,
    InvalidOption,
    InvalidSimilarity,
    TooLarge,
    Tree,
    caterpillar_tree,
    fetch_car,
    fetch_food,
    fetch_material,
    fetch_musician,
    fetch_things,
    load_digits_example,
    load_glass,
    load_mnist_tsne,
    load_zoo,
    planted,
    sample_induced_triplets,
    triplets_needed,
)
from tripletree.datasets.animals import animals
from tripletree.datasets.data_sets import table_of
from tripletree.datasets.everyday import everyday
from tripletree.datasets.planted import (
    published_planted,
    published_quadruplets,
    published_triplets,
)

TREE = Tree([[0, 1], [3, 2]])
SIMILARITY = published_planted(2, 1).similarity


def hits(*screens, **fields):
    return [{"worker_id": 1, "HIT_screens": [*screens], **fields}]


def wrong_screen(**fields):
    return food(HITS, [*HITS, *hits({**screen("d", "a", "abc"), **fields})])


WRONG_FILES = [
    *[
        (fetch_car, {"car/survey_data.csv": text}, words)
        for text, words in (
            ("", r"car/survey_data\.csv: its header is \[\] and should be"),
            ("a,b\n1,2\n", r"its header is \['a', 'b'\] and should be"),
            (b"\xff\xfe\0", "not UTF-8 text"),
        )
    ],
    *[
        (fetch_car, survey(*lines), words)
        for words, *lines in (
            ("it has no rows",),
            ("line 3 has 3 columns and should have 6", "1,2,2,3,4,5", "1,2,3"),
            ("line 3, column 2 is 'x', which", "1,2,2,3,4,5", "1,x,2,3,4,5"),
            ("line 2, column 2 is '-2'", "1,-2,2,3,4,5"),
            ("line 2, column 2 is '99999999999'", "1,99999999999,2,3,4,5"),
            (r"line 2: one of three different objects 1\.\.60", "1,2,2,3,61,5"),
            ("line 2: one of three", "1,2,2,0,4,5"),
            ("line 2: one of three", "1,2,2,3,3,5"),
            ("line 2: one of three", "1,2,4,3,5,5"),
        )
    ],
    *[
        (fetch_food, food(run), words)
        for run, words in (
            ({}, "it holds no list"),
            ([7], "entry 0 has no number `worker_id`"),
            (hits(worker_id=True), "no number `worker_id`"),
            ([{"worker_id": 1}], "entry 0 has no list `HIT_screens`"),
            (hits(7), "entry 0, screen 0: not an object"),
            (hits(), "holds no screen"),
        )
    ],
    *[
        (
            fetch_food,
            wrong_screen(**{key: x}),
            f"1_food.json, entry 2, .*0: .*{why}",
        )
        for key, x, why in (
            ("is_catchtrial", 1, "`is_catchtrial` is not of type bool"),
            ("probe", None, "`probe` is not of type str"),
            ("images", "abc", "`images` is not of type list"),
            ("near_answer", [3], "something else than names of images"),
            ("near_answer", ["images/x.jpg"], "or has one that was not shown"),
            ("near_answer", ["images/a.jpg"] * 2, "`near_answer` repeats an image"),
            ("images", ["images/a.jpg"] * 2, "`images` repeats an image"),
            ("probe", "images/a.jpg", "has the probe itself"),
        )
    ],
    *[
        (fetch_material, {"material/answers_processed_train.json": text}, words)
        for text, words in (
            ("{", "not JSON"),
            ("[" * 100_000, "not JSON"),
            (b"\xff", "not JSON"),
            ("[1]", "no object with `answers` and `agreement`"),
        )
    ],
    *[
        (fetch_material, votes(answers=questions, agreement=agreement), words)
        for questions, agreement, words in (
            (None, [], "`answers` .*: give a list of lists of 3 integers"),
            ([[1, 2]], [], "give a list of lists of 3 integers"),
            ([[1, 2], [3]], [], "`answers`: not a rectangular array"),
            ([[1, 2, 1.0]], [], "give a list of lists of 3 integers"),
            ([[1, 2, -1]], [[1, 0]], "answer 0 has an object not in"),
            ([[1, 2, 3]], [[1, 0], [0, 1]], "1 `answers` and 2 `agreement`"),
            ([[1, 2, 100]], [[1, 0]], r"answer 0 has an object not in 0\.\.99"),
            ([[1, 2, 3]], [[10**9, 0]], "or more than 10000 votes"),
        )
    ],
    *[
        (fetch_musician, {MUSIC: contents}, words)
        for contents, words in (
            (b"junk", "not a MATLAB file"),
            (b"", "not a MATLAB file"),
            (mat(triplets=np.ones((200, 3), int))[:300], "not a MATLAB file"),
            (mat(other=np.ones((2, 3), int)), "it holds no matrix `triplets`"),
            (mat(triplets=np.ones((2, 4), int)), "it holds no matrix `triplets`"),
            (mat(triplets=np.ones((2, 3))), "it holds no matrix `triplets`"),
            (mat(triplets="words"), "it holds no matrix `triplets`"),
        )
    ],
    (
        fetch_things,
        {"things/unique_id.txt": "one\n"},
        "1 different names for 1854 objects",
    ),
    (
        fetch_things,
        {"things/unique_id.txt": THINGS, "things/test_10.txt": "1 2 1854\n"},
        r"answer 0 has an object not in 0\.\.1853",
    ),
    *[
        (
            load_glass,
            {"glass/glass.csv": f"{GLASS}\n1,2,3,4,{wrong},6,7,8,9,1"},
            "line 2, column 5 is .* a finite number",
        )
        for wrong in ("nan", "inf", "", "x")
    ],
    # Columns count from the start of the line, also behind names and other numbers.
    (
        load_glass,
        {"glass/glass.csv": f"{GLASS}\n1,2,3,4,5,6,7,8,9,x"},
        "line 2, column 10 is 'x'",
    ),
    (
        load_zoo,
        {"zoo/zoo.csv": f"{ZOO}\nfrog,x" + ",1" * 16},
        "line 2, column 2 is 'x'",
    ),
    (load_mnist_tsne, mnist(199)[1], "199 points of digit 0; 200 are drawn"),
    (
        load_mnist_tsne,
        {**mnist(199)[1], DIGITS: "1\n2\n"},
        "2 digits for 1990 points",
    ),
]


@pytest.mark.parametrize(("load", "contents", "words"), WRONG_FILES)
def test_wrong_files(put, load, contents, words):
    for path, data in contents.items():
        put(path, data)
    is_published = load in (load_glass, load_mnist_tsne, load_zoo)
    with pytest.raises(InvalidFile, match=words):
        load(as_published=True) if is_published else load()


WRONG_OPTIONS = [
    *(
        (make, options, "give a")
        for make, options in [
            *(
                (everyday, {name: wrong})
                for name, wrong in [("n_people", 0), ("seed", 0.5)]
            ),
            *((everyday, {"n_careless": wrong}) for wrong in (101, -1)),
            *((animals, {"n_answers": wrong}) for wrong in (-1, 2.5)),
            *((animals, {"share_wrong": wrong}) for wrong in (2, "0")),
            (animals, {"seed": -1}),
            (load_digits_example, {"n_questions": -1}),
            (load_digits_example, {"share_wrong": 2}),
            (load_digits_example, {"seed": 0.5}),
        ]
    ),
    *(
        (fetch_material, {"subset": x}, "subset = .*: give 'train' or 'test'")
        for x in ("validation", None, ["train"])
    ),
    *(
        (triplets_needed, {"n_objects": 100, "epsilon": 0.1} | options, words)
        for options, words in [
            ({"n_objects": 2}, "n_objects = 2: give an integer from 3"),
            ({"epsilon": 0.0}, "epsilon = 0.0: give a number above 0 and below 0.5"),
            ({"epsilon": 0.5}, "epsilon = 0.5: give a number above 0 and below 0.5"),
            ({"epsilon": 0.08}, r"the theorem needs n > 8 / epsilon = 100;"),
            ({"alpha": 0}, "alpha = 0: give a number above 0"),
            ({"delta": 0.5}, "with half of the answers wrong"),
            ({"delta": -0.1}, "delta = -0.1: give a number from 0 to 0.5"),
        ]
    ),
    *(
        (sample_induced_triplets, {"tree": TREE, "rng": rng()} | options, words)
        for options, words in [
            ({"probability": 1.5}, r"probability = 1.5: give a number"),
            ({"probability": 1, "flip": -1}, "flip = -1: give a number"),
            ({"probability": 1, "rng": 0}, "rng is of type int"),
            ({"n_questions": 10**9}, "there are only"),
            ({}, "n_questions and probability"),
            ({"probability": 1, "n_questions": 1}, "n_questions and probability"),
            (
                {"tree": caterpillar_tree(3_100_000), "probability": 0},
                r"at most 2\^62 can be numbered",
            ),
        ]
    ),
    *(
        (planted, {"rng": rng()} | options, words)
        for options, words in [
            ({"n_per_cluster": 0}, "n_per_cluster = 0: give an integer from 1"),
            ({"n_levels": 0}, "n_levels = 0: give an integer from 1 to 20"),
            ({"mu": np.inf}, "mu = inf: give a number"),
            ({"delta": -0.1}, "delta = -0.1: give a number from 0"),
            ({"sigma": "0.1"}, "sigma = '0.1': give a number from 0"),
            ({"rng": 0}, "rng is of type int"),
        ]
    ),
    *(
        (draw, {"similarity": SIMILARITY, "n_questions": 3, "run": 0} | options, words)
        for draw, most in ((published_triplets, 12), (published_quadruplets, 15))
        for options, words in [
            ({"n_questions": 16}, f"n_questions = 16: .* 0 to {most}"),
            ({"run": -1}, "run = -1"),
            ({"flip": 2}, "flip = 2"),
            ({"similarity": [["a"]]}, "real numbers"),
        ]
    ),
]


@pytest.mark.parametrize(("make", "options", "words"), WRONG_OPTIONS)
def test_wrong_options(make, options, words):
    with pytest.raises((InvalidOption, InvalidSimilarity, TooLarge), match=words):
        make(**options)


def test_little_memory(memory):
    memory.available = 32 * 240**2 - 1
    with pytest.raises(TooLarge, match="planted similarity of 240 objects"):
        planted(rng=rng())


@pytest.mark.parametrize(
    "cell", ["1_0", "1.0", "1e1", "+1", "-0", "\u0661", "", "9" * 11]
)
def test_numbers_of_objects_are_digits(cell):
    options = {"columns": ["a", "b"], "has_header": False}
    with pytest.raises(InvalidFile, match="not the number of an object"):
        table_of(f"{cell},2\n".encode(), "file", **options).integers()
    assert table_of(b" 10,2\n", "file", **options).integers().tolist() == [[10, 2]]
