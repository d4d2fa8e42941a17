"""Public data sets of answers that people gave: read from a folder, or downloaded."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_array
from tripletree.comparisons.question_types import most_central, odd_one_out, rankings
from tripletree.comparisons.row_checks import Ints
from tripletree.comparisons.triplets import Triplets
from tripletree.datasets.data_files import (
    ORIGINS,
    Folder,
    find_local,
    read_data_file,
    reading_as,
    refuse_file_if,
)
from tripletree.datasets.data_sets import (
    ComparisonSet,
    all_differ,
    answered_set,
    json_of,
    number_names,
    read_names,
    read_table,
)
from tripletree.errors import DataUnavailable, InvalidFile, InvalidOption, refuse_if

# Numbers from 1, as in the README of the authors.
CARS = {
    "ordinary": "2 6 7 8 9 10 11 12 16 17 25 32 35 36 37 38 39 41 44 45 46 55 58 60",
    "sports": "15 19 20 28 40 42 47 48 49 50 51 52 54 56 59",
    "off-road": "1 3 4 5 13 14 18 22 24 26 27 29 31 33 34 43 57",
    "outlier": "21 23 30 53",
}
SURVEY = (
    "survey_round",
    "chosen_center",
    "triplet_object_1",
    "triplet_object_2",
    "triplet_object_3",
    "response_time",
)
ODD_ONE_OUT: dict[str, Any] = {
    "columns": ("a", "b", "odd"),
    "delimiter": None,
    "has_header": False,
}


def fetch_car(*, data_home: Folder | None = None) -> ComparisonSet:
    """Car: 7,097 answers "which of these three cars is the most central?".

    c, the most central of {c, j, k}, gives (j, c, k) and (k, c, j): 14,194 triplets
    about 60 cars. One question was asked in every round of the survey, and repeated
    answers are kept, as in the paper. Rounds of the survey are the annotators.

    Parameters
    ----------
    data_home : path, optional
        A folder with car/survey_data.csv, which is read as it is. Not given, the
        folder in the environment variable TRIPLETREE_DATA; without the file there, it
        is downloaded once, its sha256 is checked, and it is kept in pooch's cache.

    Returns
    -------
    ComparisonSet
        With ``.classes``: ordinary, sports, off-road, outlier.

    Raises
    ------
    DataUnavailable
        If the file is not here and cannot be downloaded: where to get and put it.
    InvalidFile
        If the file is not what it should be, with the line.
    InvalidOption
        If data_home is not a folder.

    References
    ----------
    Kleindessner, von Luxburg, "Lens depth function and k-relative neighborhood graph",
    JMLR 18(58), 2017.

    Examples
    --------
    >>> fetch_car()  # doctest: +SKIP
    ComparisonSet('car', 7097 answers, Triplets(14194 rows, 60 objects, 146 annotators))
    """
    path = "car/survey_data.csv"
    kind = {int(car): name for name, cars in CARS.items() for car in cars.split()}
    n = len(kind)
    numbers = read_table(path, data_home, columns=SURVEY).integers(0, 5)
    rounds, center, shown = numbers[:, 0], numbers[:, 1], numbers[:, 2:]
    is_wrong = (
        ((shown == center[:, None]).sum(axis=1) != 1)
        | ~all_differ(shown)
        | (shown < 1).any(axis=1)
        | (shown > n).any(axis=1)
    )
    refuse_file_if(
        is_wrong.any(),
        path,
        f"line {is_wrong.argmax() + 2}: one of three different objects 1..{n} is "
        "chosen",
    )
    labels, classes = zip(*((f"car {x}", kind[x]) for x in sorted(kind)), strict=True)
    answers = most_central(shown - 1, center - 1, n, labels=labels, annotators=rounds)
    return ComparisonSet("car", answers, len(shown), classes, **ORIGINS["car"])


def fetch_vogue(*, data_home: Folder | None = None) -> ComparisonSet:
    """Vogue Cover: 1,107 answers "which of these three covers is the odd one out?".

    o, the odd one out of {a, b, o}, gives (a, b, o) and (b, a, o).

    Parameters
    ----------
    data_home : path, optional
        A folder with vogue/vogue_triplets.txt; otherwise as for :func:`fetch_car`.

    Returns
    -------
    ComparisonSet

    Raises
    ------
    DataUnavailable, InvalidFile, InvalidOption
        As for :func:`fetch_car`.

    References
    ----------
    Heikinheimo, Ukkonen, "The crowd-median algorithm", HCOMP 2013.

    Examples
    --------
    >>> fetch_vogue()  # doctest: +SKIP
    ComparisonSet('vogue', 1107 answers, Triplets(2214 rows, 60 objects))
    """
    return _odd_images("vogue", data_home)


def fetch_nature(*, data_home: Folder | None = None) -> ComparisonSet:
    """Nature Scene: 3,355 answers "which of these three scenes is the odd one out?".

    As :func:`fetch_vogue`, about 120 scenes.

    Parameters
    ----------
    data_home : path, optional
        A folder with nature/nature_triplets.txt; otherwise as for :func:`fetch_car`.

    Returns
    -------
    ComparisonSet

    Raises
    ------
    DataUnavailable, InvalidFile, InvalidOption
        As for :func:`fetch_car`.

    References
    ----------
    Heikinheimo, Ukkonen, "The crowd-median algorithm", HCOMP 2013.

    Examples
    --------
    >>> fetch_nature()  # doctest: +SKIP
    ComparisonSet('nature', 3355 answers, Triplets(6710 rows, 120 objects))
    """
    return _odd_images("nature", data_home)


def _odd_images(name: str, data_home: Folder | None) -> ComparisonSet:
    """Three names per line, the third the odd one out; ids follow sorted names."""
    table = read_table(f"{name}/{name}_triplets.txt", data_home, **ODD_ONE_OUT)
    return _odd_ones(name, *number_names(table.cells))


def _odd_ones(name: str, shown: Ints, labels: Sequence[str]) -> ComparisonSet:
    return answered_set(
        name,
        shown,
        lambda kept: odd_one_out(kept, kept[:, 2], len(labels), labels=labels),
    )


def fetch_things(*, data_home: Folder | None = None) -> ComparisonSet:
    """THINGS: 50,000 answers "which of these three objects is the odd one out?".

    A random sample of the 4.7 million answers about 1,854 objects; two triplets each,
    as for :func:`fetch_vogue`.

    Parameters
    ----------
    data_home : path, optional
        A folder with things/test_10.txt (or .txt.gz) and things/unique_id.txt;
        otherwise as for :func:`fetch_car`.

    Returns
    -------
    ComparisonSet

    Raises
    ------
    DataUnavailable, InvalidFile, InvalidOption
        As for :func:`fetch_car`.

    References
    ----------
    Hebart, Zheng, Pereira, Baker, "Revealing the multidimensional mental
    representations of natural objects underlying human similarity judgements", Nature
    Human Behaviour 4, 2020.

    Examples
    --------
    >>> fetch_things()  # doctest: +SKIP
    ComparisonSet('things', 50000 answers, Triplets(100000 rows, 1854 objects))
    """
    labels = read_names("things/unique_id.txt", data_home, 1854)
    path = "things/test_10.txt"
    shown = read_table(path, data_home, **ODD_ONE_OUT).integers()
    _check_objects(shown, len(labels), path)
    return _odd_ones("things", shown, labels)


def fetch_imagenet(*, data_home: Folder | None = None) -> ComparisonSet:
    """ImageNet Images v0.1: 25,273 trials "rank the 2 of 8 most like this image".

    The first choice is closer than the 7 others, the second than the 6 not chosen: 13
    triplets a trial, about 1,000 images. Needs h5py.

    Parameters
    ----------
    data_home : path, optional
        A folder with imagenet/obs-118.hdf5 and imagenet/catalog.hdf5; otherwise as for
        :func:`fetch_car`.

    Returns
    -------
    ComparisonSet

    Raises
    ------
    DataUnavailable, InvalidFile, InvalidOption
        As for :func:`fetch_car`; the first also if h5py is not installed.

    References
    ----------
    Roads, Love, "Enriching ImageNet with human similarity judgments and psychological
    embeddings", CVPR 2021.

    Examples
    --------
    >>> fetch_imagenet()  # doctest: +SKIP
    ComparisonSet('imagenet', 25273 answers, Triplets(328549 rows, 1000 objects))
    """
    path = "imagenet/obs-118.hdf5"
    shown, n_select, is_ranked = _hdf5(
        path, ["stimulus_set", "n_select", "is_ranked"], data_home
    )
    (paths,) = _hdf5("imagenet/catalog.hdf5", ["stimulus_filepath"], data_home)
    refuse_file_if(
        shown.ndim != 2
        or shown.shape[1] != 9
        or len(shown) == 0
        or shown.dtype.kind not in "iu"
        or not (n_select == 2).all()
        or not is_ranked.astype(bool).all(),
        path,
        "its trials are not all of the kind `rank 2 of 8`",
    )
    ids, trials = np.unique(shown, return_inverse=True)
    refuse_file_if(
        ids[0] < 0 or ids[-1] >= len(paths), path, "an object is not in the catalogue"
    )
    names = (paths[at] for at in ids.tolist())
    labels = [n.decode() if isinstance(n, bytes) else str(n) for n in names]
    return answered_set(
        "imagenet",
        trials.reshape(-1, 9),
        partial(rankings, n_objects=len(labels), n_chosen=2, labels=labels),
    )


def _hdf5(
    path: str, keys: list[str], data_home: Folder | None
) -> list[npt.NDArray[Any]]:
    """Arrays of a file of psiz 0.4.1, by name."""
    data = read_data_file(path, data_home)
    try:
        import h5py
    except ImportError:
        raise DataUnavailable(
            path, " is an HDF5 file, which h5py reads: pip install h5py."
        ) from None
    with (
        reading_as(f"an HDF5 file with {', '.join(keys)}", path),
        h5py.File(io.BytesIO(data), mode="r") as file,
    ):
        arrays = [np.asarray(file[key][()]) for key in keys]
    return arrays


def fetch_musician(*, data_home: Folder | None = None) -> ComparisonSet:
    """Musician: 9,107 triplets about 400 artists, 17 of them degenerate and dropped.

    Artists are known by number only: labels are the numbers in the file, which run
    from 1 to 412 with gaps.

    Parameters
    ----------
    data_home : path, optional
        A folder with musician/music_triplets.mat; otherwise as for :func:`fetch_car`.

    Returns
    -------
    ComparisonSet

    Raises
    ------
    DataUnavailable, InvalidFile, InvalidOption
        As for :func:`fetch_car`.

    References
    ----------
    Ellis, Whitman, Berenzweig, Lawrence, "The quest for ground truth in musical artist
    similarity", ISMIR 2002.

    Examples
    --------
    >>> fetch_musician().comparisons  # doctest: +SKIP
    Triplets(9090 rows, 400 objects, 17 answers dropped)
    """
    from scipy.io import loadmat

    path = "musician/music_triplets.mat"
    source: Any = io.BytesIO(read_data_file(path, data_home))  # stubs know only paths
    with reading_as("a MATLAB file", path):
        table: Any = loadmat(source, variable_names=["triplets"]).get("triplets")
    refuse_file_if(
        not isinstance(table, np.ndarray)
        or table.size == 0
        or table.shape[1:] != (3,)
        or table.dtype.kind not in "iu",
        path,
        "it holds no matrix `triplets` of three integers a row",
    )
    ids, rows = np.unique(table, return_inverse=True)
    labels = [str(name) for name in ids.tolist()]
    return answered_set(
        "musician",
        rows.reshape(-1, 3),
        partial(Triplets, n_objects=len(labels), labels=labels),
    )


def fetch_material(
    subset: str = "train", *, data_home: Folder | None = None
) -> ComparisonSet:
    """Material: votes "which of these two materials looks more like this one?".

    One row per vote: 92,892 to train on, 11,800 to test with, about 100 materials. The
    two subsets ask different questions.

    Parameters
    ----------
    subset : {"train", "test"}, default "train"
    data_home : path, optional
        A folder with material/answers_processed_train.json (or .json.gz); if
        material/material_names.txt is there too, its lines are the labels. Otherwise
        as for :func:`fetch_car`.

    Returns
    -------
    ComparisonSet
        Without labels if downloaded: the repository does not include them.

    Raises
    ------
    DataUnavailable, InvalidFile, InvalidOption
        As for :func:`fetch_car`.

    References
    ----------
    Lagunas et al., "A similarity measure for material appearance", ACM Transactions on
    Graphics 38(4), 2019.

    Examples
    --------
    >>> fetch_material("test")  # doctest: +SKIP
    ComparisonSet('material', 11800 answers, Triplets(11800 rows, 100 objects))
    """
    refuse_if(
        not isinstance(subset, str) or subset not in ("train", "test"),
        InvalidOption,
        f"subset = {subset!r}: give 'train' or 'test'.",
    )
    names, n = "material/material_names.txt", 100
    is_named = find_local(names, data_home) is not None
    labels = read_names(names, data_home, n) if is_named else None
    path = f"material/answers_processed_{subset}.json"
    contents = json_of(read_data_file(path, data_home), path)
    refuse_file_if(
        not isinstance(contents, dict),
        path,
        "it holds no object with `answers` and `agreement`",
    )
    questions, votes = (
        check_array(
            f"{path}: `{key}`",
            contents.get(key),
            "i",
            (None, width),
            f"a list of lists of {width} integers",
            InvalidFile,
        )
        for key, width in (("answers", 3), ("agreement", 2))
    )
    refuse_file_if(
        len(questions) != len(votes),
        path,
        f"{len(questions)} `answers` and {len(votes)} `agreement`",
    )
    _check_objects(questions, n, path)
    refuse_file_if(
        ((votes < 0) | (votes > 10_000)).any(),
        path,
        "a question has fewer than 0 or more than 10000 votes",
    )
    # [i, a, b] as often as there are votes for a, then [i, b, a] for those for b.
    both_ways = np.stack([questions, questions[:, [0, 2, 1]]], axis=1).reshape(-1, 3)
    rows = np.repeat(both_ways, votes.reshape(-1), axis=0)
    return answered_set("material", rows, partial(Triplets, n_objects=n, labels=labels))


def _check_objects(ids: Ints, n_objects: int, where: str) -> None:
    is_wrong = ((ids < 0) | (ids >= n_objects)).any(axis=1)
    refuse_file_if(
        is_wrong.any(),
        where,
        f"answer {is_wrong.argmax()} has an object not in 0..{n_objects - 1}",
    )
