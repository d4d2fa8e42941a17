"""Small files in the formats of the public data sets, right and wrong."""

import io
import json
import sys
from functools import partial

import numpy as np
import pytest
import scipy.io

from tests.unit.datasets.test_data_files import tar_gz, zipped
from tripletree import (
    DataUnavailable,
    InvalidFile,
    fetch_car,
    fetch_food,
    fetch_imagenet,
    fetch_material,
    fetch_musician,
    fetch_nature,
    fetch_things,
    fetch_vogue,
)

SURVEY = (
    "survey_round,chosen_center,triplet_object_1,triplet_object_2,triplet_object_3,"
    "response_time"
)


def screen(probe, near, images, is_catchtrial=False):
    return {
        "probe": f"images/{probe}.jpg",
        "near_answer": [f"images/{x}.jpg" for x in near],
        "images": [f"images/{x}.jpg" for x in images],
        "is_catchtrial": is_catchtrial,
    }


HITS = [
    {
        "worker_id": 5,
        "HIT_screens": [screen("d", "ca", "abc"), screen("a", "z", "zy", True)],
    },
    {"worker_id": 9, "HIT_screens": [screen("a", "b", "cbd")]},
]


def mat(**arrays):
    packed = io.BytesIO()
    scipy.io.savemat(packed, arrays)
    return packed.getvalue()


def survey(*lines):
    return {"car/survey_data.csv": "\n".join([SURVEY, *lines, ""])}


def food(*hits, name="food/raw-json.tar.gz", pack=tar_gz, **others):
    """An archive with these runs, and others: README, triplets."""
    contents = {
        f"food100-dataset/raw-json/{at}_food.json": json.dumps(hit).encode()
        for at, hit in enumerate(hits)
    }
    for other, data in others.items():
        contents[f"food100-dataset/{other}.csv".replace("_", "-")] = data.encode()
    return {name: pack(contents)}


from_authors = partial(food, name="food/food100-dataset.zip", pack=zipped)
TRIPLETS = "images/d.jpg;images/c.jpg;images/b.jpg \nimages/a.jpg;images/b.jpg;x.jpg\n"
ODD = "b.jpg a.jpg c.jpg\nc.jpg d.jpg a.jpg\nd.jpg d.jpg a.jpg\n"
ODD_ROWS = "b a c, a b c, c d a, d c a"
THINGS = "".join(f"thing{i}\n" for i in range(1854))
MUSIC = "musician/music_triplets.mat"
SILENT = [screen("d", "", "abc"), screen("a", "bc", "bc"), screen("b", "", "")]


def votes(subset="train", **contents):
    return {f"material/answers_processed_{subset}.json": json.dumps(contents)}


VOTES = votes(
    answers=[[84, 7, 81], [5, 6, 5], [1, 2, 3]], agreement=[[2, 1], [3, 2], [0, 1]]
)
NAMES = {"material/material_names.txt": "\n".join(f"m{i}" for i in range(100))}


@pytest.mark.parametrize(
    ("fetch", "contents", "rows", "who", "n_answers", "dropped"),
    [
        (
            fetch_car,
            survey("1,32,32,16,30,11.108", "2,1,2,3,1,1"),
            "16 32 30, 30 32 16, 2 1 3, 3 1 2",
            "1 1 2 2",
            2,
            {},
        ),
        (
            fetch_food,
            food(HITS, README="no JSON"),
            "d c b, d a b, a b c, a b d",
            "5 5 9 9",
            2,
            {"catch trials": 1},
        ),
        (
            fetch_food,  # nothing or everything chosen, or nothing shown
            food([{"worker_id": 7, "HIT_screens": SILENT}]),
            "",
            "",
            3,
            {"nothing chosen": 2, "everything chosen": 1},
        ),
        (
            fetch_food,
            food([{"worker_id": 7, "HIT_screens": SILENT}], HITS),
            "d c b, d a b, a b c, a b d",
            "5 5 9 9",
            5,
            {"nothing chosen": 2, "everything chosen": 1, "catch trials": 1},
        ),
        (
            fetch_food,
            food([{"worker_id": 7, "HIT_screens": SILENT[2:]}]),
            "",
            "",
            1,
            {"nothing chosen": 1},
        ),
        (fetch_food, from_authors(all_triplets=TRIPLETS), "d c b, a b x", None, 2, {}),
        (
            fetch_food,
            from_authors(HITS, all_triplets=TRIPLETS),
            "d c b, d a b, a b c, a b d",
            "5 5 9 9",
            2,
            {"catch trials": 1},
        ),
        (
            fetch_vogue,
            {"vogue/vogue_triplets.txt": ODD},
            ODD_ROWS,
            None,
            3,
            {"degenerate rows": 1},
        ),
        (
            fetch_nature,
            {"nature/nature_triplets.txt": ODD},
            ODD_ROWS,
            None,
            3,
            {"degenerate rows": 1},
        ),
        (
            fetch_things,
            {
                "things/test_10.txt": "3 1 1853\n0 2 1\n",
                "things/unique_id.txt": THINGS,
            },
            "thing3 thing1 thing1853, thing1 thing3 thing1853, "
            "thing0 thing2 thing1, thing2 thing0 thing1",
            None,
            2,
            {},
        ),
        (
            fetch_musician,
            {MUSIC: mat(triplets=np.array([[9, 4, 412], [4, 4, 9], [412, 9, 4]]))},
            "9 4 412, 412 9 4",
            None,
            3,
            {"degenerate rows": 1},
        ),
        (
            fetch_material,
            {**VOTES, **NAMES},
            "m84 m7 m81, m84 m7 m81, m84 m81 m7, m1 m3 m2",
            None,
            9,
            {"degenerate rows": 5},
        ),
        (
            fetch_car,  # Windows line ends and a byte-order mark do no harm
            {
                path: "\ufeff" + text.replace("\n", "\r\n")
                for path, text in survey("1,32,32,16,30,11.108", "").items()
            },
            "16 32 30, 30 32 16",
            "1 1",
            1,
            {},
        ),
    ],
)
def test_answers(put, fetch, contents, rows, who, n_answers, dropped):
    for path, data in contents.items():
        put(path, data)
    found = fetch()
    answers = found.comparisons
    short = [x.removesuffix(".jpg").removeprefix("car ") for x in answers.labels]
    assert ", ".join(" ".join(short[i] for i in row) for row in answers) == rows
    assert (found.n_answers, answers.dropped) == (n_answers, dropped)
    if who is None:
        assert answers.annotators is None
    else:
        assert [answers.annotator_names[x] for x in answers.annotators] == who.split()


def test_what_is_known_of_cars(put):
    put("car/survey_data.csv", *survey("1,32,32,16,30,11.108").values())
    cars = fetch_car()
    assert (cars.classes[31], cars.comparisons.labels[31]) == ("ordinary", "car 32")
    assert (cars.classes.count("outlier"), len(cars.classes)) == (4, 60)
    assert "2017" in cars.citation
    assert "citation" in cars.licence
    assert repr(cars) == (
        "ComparisonSet('car', 1 answers, Triplets(2 rows, 60 objects, 1 annotators))"
    )


def test_materials_without_names(put):
    put("material/answers_processed_test.json", *VOTES.values())
    found = fetch_material("test").comparisons
    assert (found.n_objects, found.labels) == (100, None)


def hdf5(**arrays):
    h5py = pytest.importorskip("h5py")
    packed = io.BytesIO()
    with h5py.File(packed, "w") as file:
        for name, array in arrays.items():
            file[name] = array
    return packed.getvalue()


def put_imagenet(put, shown, n_select=2, is_ranked=True):
    m = len(shown)
    trials = hdf5(
        stimulus_set=np.array(shown),
        n_select=np.full(m, n_select),
        is_ranked=np.full(m, is_ranked),
    )
    put("imagenet/obs-118.hdf5", trials)
    names = [f"n0/{at}.JPEG".encode() for at in range(30)]
    put("imagenet/catalog.hdf5", hdf5(stimulus_filepath=names))


def test_imagenet(put):
    twice = [20, 21, 22, 23, 24, 25, 26, 27, 21]
    put_imagenet(put, [list(range(20, 29)), twice, list(range(28, 19, -1))])
    found = fetch_imagenet()
    answers = found.comparisons
    assert (found.n_answers, answers.dropped) == (3, {"degenerate rows": 1})
    expected = [[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 2, 3], [0, 2, 4], [8, 7, 6]]
    assert answers.rows[[0, 1, 2, 7, 8, 13]].tolist() == expected
    assert (len(answers), answers.labels[0]) == (26, "n0/20.JPEG")


def test_imagenet_without_h5py(put, monkeypatch):
    put_imagenet(put, [list(range(9))])
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(DataUnavailable, match="pip install h5py"):
        fetch_imagenet()


KIND = "not all of the kind `rank 2 of 8`"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_select": 1}, KIND),
        ({"is_ranked": False}, KIND),
        ({"shown": [[0, 1, 2]]}, KIND),
        ({"shown": np.empty((0, 9), int)}, KIND),
        ({"shown": [list(range(22, 31))]}, "an object is not in the catalogue"),
    ],
)
def test_other_trials_are_refused(put, options, words):
    put_imagenet(put, **{"shown": [list(range(9))], **options})
    with pytest.raises(InvalidFile, match=words):
        fetch_imagenet()


def test_wrong_hdf5(put):
    for contents in (b"junk", hdf5(stimulus_set=np.zeros((1, 9), int))):
        put("imagenet/obs-118.hdf5", contents)
        with pytest.raises(
            InvalidFile, match=r"obs-118\.hdf5: not an HDF5 file with st"
        ):
            fetch_imagenet()
