"""Small files in the formats of the public data sets, right and wrong."""

from __future__ import annotations

import io
import json
import sys
import tarfile
import zipfile

import numpy as np
import pytest
import scipy.io

from tripletree import (
    DataUnavailable,
    InvalidFile,
    InvalidOption,
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
    "response_time\n"
)


@pytest.fixture
def put(tmp_path, monkeypatch):
    """A function that writes a file below a data folder, which TRIPLETREE_DATA names"""
    monkeypatch.setenv("TRIPLETREE_DATA", str(tmp_path))

    def write(path, contents):
        target = tmp_path / path
        target.parent.mkdir(exist_ok=True)
        data = contents.encode() if isinstance(contents, str) else contents
        target.write_bytes(data)

    return write


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


def runs(*hits):
    return {
        f"raw-json/{at}_food.json": json.dumps(hit).encode()
        for at, hit in enumerate(hits)
    }


def tar_gz(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, contents in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(contents)
            archive.addfile(member, io.BytesIO(contents))
    return packed.getvalue()


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, contents in files.items():
            archive.writestr(name, contents)
    return packed.getvalue()


def test_car(put):
    put("car/survey_data.csv", SURVEY + "1,32,32,16,30,11.108\n2,1,2,3,1,1\n")
    cars = fetch_car()
    rows = [[15, 31, 29], [29, 31, 15], [1, 0, 2], [2, 0, 1]]
    assert cars.comparisons.rows.tolist() == rows
    assert cars.comparisons.annotators.tolist() == [0, 0, 1, 1]
    assert cars.comparisons.annotator_names == ("1", "2")
    assert cars.comparisons.labels[31] == "car 32"
    assert cars.classes[31] == "ordinary"
    assert sorted(cars.classes).count("outlier") == 4
    assert not cars.comparisons.dropped
    assert "2017" in cars.citation
    assert "citation" in cars.licence
    assert repr(cars) == (
        "ComparisonSet('car', 2 answers, Triplets(4 rows, 60 objects, 2 annotators))"
    )


def test_food(put):
    put("food/raw-json.tar.gz", tar_gz({**runs(HITS), "README": b"no JSON"}))
    food = fetch_food()
    a, b, c, d = range(4)
    rows = [[d, c, b], [d, a, b], [a, b, c], [a, b, d]]
    assert food.comparisons.rows.tolist() == rows
    assert food.comparisons.labels == ("a.jpg", "b.jpg", "c.jpg", "d.jpg")
    assert food.comparisons.annotators.tolist() == [0, 0, 1, 1]
    assert food.comparisons.annotator_names == ("5", "9")
    assert food.n_answers == 2
    assert food.comparisons.dropped == {"catch trials": 1}


def test_screens_of_food_that_say_nothing(put):
    """Nothing or everything chosen, or nothing shown; screens of different sizes."""
    shown = [screen("d", "", "abc"), screen("a", "bc", "bc"), screen("b", "", "")]
    silent = [{"worker_id": 7, "HIT_screens": shown}]
    put("food/raw-json.tar.gz", tar_gz(runs(silent)))
    nothing = fetch_food()
    assert len(nothing.comparisons) == 0
    assert nothing.n_answers == 3
    dropped = {"nothing chosen": 2, "everything chosen": 1, "catch trials": 1}
    put("food/raw-json.tar.gz", tar_gz(runs(silent, HITS)))
    food = fetch_food()
    assert food.comparisons.dropped == dropped
    assert len(food.comparisons) == 4
    assert food.comparisons.annotator_names == ("5", "7", "9")
    silent[0]["HIT_screens"] = shown[2:]
    put("food/raw-json.tar.gz", tar_gz(runs(silent)))
    assert fetch_food().comparisons.dropped == {"nothing chosen": 1}


def test_food_from_the_authors_archive(put):
    table = "images/d.jpg;images/c.jpg;images/b.jpg \nimages/a.jpg;images/b.jpg;x.jpg\n"
    files = {"food100-dataset/all-triplets.csv": table.encode()}
    put("food/food100-dataset.zip", zipped(files))
    food = fetch_food()
    assert food.comparisons.labels == ("a.jpg", "b.jpg", "c.jpg", "d.jpg", "x.jpg")
    assert food.comparisons.rows.tolist() == [[3, 2, 1], [0, 1, 4]]
    raw = {f"food100-dataset/{name}": run for name, run in runs(HITS).items()}
    put("food/food100-dataset.zip", zipped({**files, **raw}))
    assert fetch_food().n_answers == 2


@pytest.mark.parametrize(
    ("fetch", "path"),
    [
        (fetch_vogue, "vogue/vogue_triplets.txt"),
        (fetch_nature, "nature/nature_triplets.txt"),
    ],
)
def test_odd_ones_by_name(put, fetch, path):
    put(path, "b.jpg a.jpg c.jpg\nc.jpg d.jpg a.jpg\nd.jpg d.jpg a.jpg\n")
    found = fetch()
    rows = [[1, 0, 2], [0, 1, 2], [2, 3, 0], [3, 2, 0]]
    assert found.comparisons.rows.tolist() == rows
    assert found.comparisons.labels == ("a.jpg", "b.jpg", "c.jpg", "d.jpg")
    assert found.n_answers == 3
    assert found.comparisons.dropped == {"degenerate rows": 1}


def test_things(put):
    put("things/test_10.txt", "3 1 1853\n0 2 1\n")
    put("things/unique_id.txt", "".join(f"thing{i}\n" for i in range(1854)))
    found = fetch_things()
    rows = [[3, 1, 1853], [1, 3, 1853], [0, 2, 1], [2, 0, 1]]
    assert found.comparisons.rows.tolist() == rows
    assert found.comparisons.labels[1853] == "thing1853"


def mat(**arrays):
    packed = io.BytesIO()
    scipy.io.savemat(packed, arrays)
    return packed.getvalue()


def test_musician_drops_degenerate_rows(put):
    rows = np.array([[9, 4, 412], [4, 4, 9], [412, 9, 4]], np.uint16)
    put("musician/music_triplets.mat", mat(triplets=rows))
    found = fetch_musician()
    assert found.comparisons.rows.tolist() == [[1, 0, 2], [2, 1, 0]]
    assert found.comparisons.labels == ("4", "9", "412")
    assert found.n_answers == 3
    assert found.comparisons.dropped == {"degenerate rows": 1}


def test_material(put):
    questions = [[84, 7, 81], [5, 6, 5], [1, 2, 3]]
    contents = {"answers": questions, "agreement": [[2, 1], [3, 2], [0, 1]]}
    put("material/answers_processed_test.json", json.dumps(contents))
    found = fetch_material("test")
    rows = [[84, 7, 81], [84, 7, 81], [84, 81, 7], [1, 3, 2]]
    assert found.comparisons.rows.tolist() == rows
    assert found.comparisons.n_objects == 100
    assert found.comparisons.labels is None
    assert found.n_answers == 9
    assert found.comparisons.dropped == {"degenerate rows": 5}
    put("material/material_names.txt", "\n".join(f"m{i}" for i in range(100)))
    assert fetch_material("test").comparisons.labels[84] == "m84"
    for wrong in ("validation", None, ["train"]):
        with pytest.raises(InvalidOption, match=r"subset = .*: give 'train' or 'test'"):
            fetch_material(wrong)


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
    assert found.n_answers == 3
    assert found.comparisons.dropped == {"degenerate rows": 1}
    assert found.comparisons.rows[:3].tolist() == [[0, 1, 2], [0, 1, 3], [0, 1, 4]]
    assert found.comparisons.rows[7:9].tolist() == [[0, 2, 3], [0, 2, 4]]
    assert found.comparisons.rows[13].tolist() == [8, 7, 6]
    assert len(found.comparisons) == 26
    assert found.comparisons.labels[0] == "n0/20.JPEG"


def test_imagenet_without_h5py(put, monkeypatch):
    put_imagenet(put, [list(range(9))])
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(DataUnavailable, match="pip install h5py"):
        fetch_imagenet()


@pytest.mark.parametrize(
    "options",
    [
        {"n_select": 1},
        {"is_ranked": False},
        {"shown": [[0, 1, 2]]},
        {"shown": np.empty((0, 9), int)},
    ],
)
def test_other_trials_are_refused(put, options):
    put_imagenet(put, **{"shown": [list(range(9))], **options})
    with pytest.raises(InvalidFile, match="not all of the kind `rank 2 of 8`"):
        fetch_imagenet()


def test_wrong_hdf5(put):
    put_imagenet(put, [list(range(22, 31))])
    with pytest.raises(InvalidFile, match="an object is not in the catalogue"):
        fetch_imagenet()
    put("imagenet/obs-118.hdf5", b"junk")
    with pytest.raises(InvalidFile, match=r"obs-118\.hdf5: not an HDF5 file with"):
        fetch_imagenet()
    put("imagenet/obs-118.hdf5", hdf5(stimulus_set=np.zeros((1, 9), int)))
    with pytest.raises(InvalidFile, match="not an HDF5 file with stimulus_set, n_s"):
        fetch_imagenet()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"car/survey_data\.csv: its header is \[\] and should be"),
        ("a,b\n1,2\n", r"its header is \['a', 'b'\] and should be"),
        (SURVEY, "it has no rows"),
        (SURVEY + "1,2,2,3,4,5\n1,2,3\n", "line 3 has 3 columns and should have 6"),
        (
            SURVEY + "1,2,2,3,4,5\n1,x,2,3,4,5\n",
            "line 3, column 2 is 'x', which is not",
        ),
        (SURVEY + "1,-2,2,3,4,5\n", "line 2, column 2 is '-2'"),
        (SURVEY + "1,99999999999,2,3,4,5\n", "line 2, column 2 is '99999999999'"),
        (SURVEY + "1,2,2,3,61,5\n", r"line 2: one of three different objects 1\.\.60"),
        (SURVEY + "1,2,2,0,4,5\n", "line 2: one of three"),
        (SURVEY + "1,2,2,3,3,5\n", "line 2: one of three"),
        (SURVEY + "1,2,4,3,5,5\n", "line 2: one of three"),
        (b"\xff\xfe\0", "byte 0 is not UTF-8 text"),
    ],
)
def test_wrong_surveys(put, text, words):
    put("car/survey_data.csv", text)
    with pytest.raises(InvalidFile, match=words):
        fetch_car()


def test_windows_line_ends_and_a_mark_of_bytes_do_no_harm(put):
    text = "\ufeff" + SURVEY + "1,32,32,16,30,11.108\n\n"
    put("car/survey_data.csv", text.replace("\n", "\r\n"))
    assert fetch_car().comparisons.rows.tolist() == [[15, 31, 29], [29, 31, 15]]


@pytest.mark.parametrize(
    ("hits", "words"),
    [
        ({}, "it holds no list"),
        ([7], "entry 0 has no number `worker_id`"),
        ([{"worker_id": True, "HIT_screens": []}], "no number `worker_id`"),
        ([{"worker_id": 1}], "entry 0 has no list `HIT_screens`"),
        ([{"worker_id": 1, "HIT_screens": [7]}], "entry 0, screen 0: not an object"),
        ([{"worker_id": 1, "HIT_screens": []}], "holds no screen"),
    ],
)
def test_wrong_json_of_food(put, hits, words):
    put("food/raw-json.tar.gz", tar_gz(runs(hits)))
    with pytest.raises(InvalidFile, match=words):
        fetch_food()


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("is_catchtrial", 1, "`is_catchtrial` is not of type bool"),
        ("probe", None, "`probe` is not of type str"),
        ("images", "abc", "`images` is not of type list"),
        ("near_answer", [3], "something else than names of images"),
        ("near_answer", ["images/x.jpg"], "or has one that was not shown"),
        ("near_answer", ["images/a.jpg"] * 2, "`near_answer` repeats an image"),
        ("images", ["images/a.jpg", "images/a.jpg"], "`images` repeats an image"),
        ("probe", "images/a.jpg", "has the probe itself"),
    ],
)
def test_wrong_screens_of_food(put, key, value, words):
    hit = {"worker_id": 5, "HIT_screens": [{**screen("d", "a", "abc"), key: value}]}
    put("food/raw-json.tar.gz", tar_gz(runs(HITS, [*HITS, hit])))
    with pytest.raises(InvalidFile, match=f"1_food.json, entry 2, screen 0: .*{words}"):
        fetch_food()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        (b"\xff", "it is not JSON"),
        ("[1]", "no object with `answers` and `agreement`"),
        ("{}", "`answers` .*: give a list of lists of 3 integers"),
        ('{"answers": [[1, 2]]}', "give a list of lists of 3 integers"),
        ('{"answers": [[1, 2], [3]]}', "`answers`: not a rectangular array"),
        ('{"answers": [[1, 2, 1e0]]}', "give a list of lists of 3 integers"),
        ('{"answers": [[1, 2, -1]], "agreement": [[1, 0]]}', "answer 0 has an object"),
        (
            '{"answers": [[1, 2, 3]], "agreement": [[1, 0], [0, 1]]}',
            "1 `answers` and 2 `agreement`",
        ),
        (
            '{"answers": [[1, 2, 100]], "agreement": [[1, 0]]}',
            r"answer 0 has an object not in 0\.\.99",
        ),
        (
            '{"answers": [[1, 2, 3]], "agreement": [[1000000000, 0]]}',
            "or more than 10000 votes",
        ),
    ],
)
def test_wrong_json_of_material(put, text, words):
    put("material/answers_processed_train.json", text)
    with pytest.raises(InvalidFile, match=words):
        fetch_material()


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (b"junk", "not a MATLAB file"),
        (b"", "not a MATLAB file"),
        (mat(other=np.ones((2, 3), int)), "it holds no matrix `triplets`"),
        (mat(triplets=np.ones((2, 4), int)), "it holds no matrix `triplets`"),
        (mat(triplets=np.ones((2, 3))), "it holds no matrix `triplets`"),
        (mat(triplets="words"), "it holds no matrix `triplets`"),
        (mat(triplets=np.ones((200, 3), int))[:300], "not a MATLAB file"),
    ],
)
def test_wrong_mat(put, contents, words):
    put("musician/music_triplets.mat", contents)
    with pytest.raises(InvalidFile, match=words):
        fetch_musician()


def test_wrong_things(put):
    put("things/unique_id.txt", "one\n")
    put("things/test_10.txt", "1 2 1854\n")
    with pytest.raises(InvalidFile, match="1 different names for 1854 objects"):
        fetch_things()
    put("things/unique_id.txt", "".join(f"thing{i}\n" for i in range(1854)))
    with pytest.raises(InvalidFile, match=r"answer 0 has an object not in 0\.\.1853"):
        fetch_things()
