"""Public data sets of answers that people gave: read from a folder, or downloaded."""

from __future__ import annotations

from tripletree.datasets import sources
from tripletree.datasets.archives import unpack_tar_gz, unpack_zip
from tripletree.datasets.data_sets import ComparisonSet, Origin, comparison_set
from tripletree.datasets.downloads import (
    DataFile,
    Folder,
    find_local,
    read_data_file,
)
from tripletree.datasets.raw_answers import (
    grids_of_json,
    names_of_lines,
    odd_ones_by_name,
    odd_ones_by_number,
    ranks_of_hdf5,
    survey_of_cars,
    triplets_by_name,
    triplets_of_mat,
    votes_of_json,
)
from tripletree.errors import InvalidOption

# Numbers from 1, as in the README of the authors.
CARS = {
    "ordinary": ("2 6 7 8 9 10 11 12 16 17 25 32 35 36 37 38 39 41 44 45 46 55 58 60"),
    "sports": "15 19 20 28 40 42 47 48 49 50 51 52 54 56 59",
    "off-road": "1 3 4 5 13 14 18 22 24 26 27 29 31 33 34 43 57",
    "outlier": "21 23 30 53",
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
        If data_home is no folder.

    References
    ----------
    Kleindessner, von Luxburg, "Lens depth function and k-relative neighborhood graph",
    JMLR 18(58), 2017.

    Examples
    --------
    >>> fetch_car()  # doctest: +SKIP
    ComparisonSet('car', 7097 answers, Triplets(14194 rows, 60 objects, 146 annotators))
    """
    file = sources.CAR_SURVEY
    kind = {int(car): name for name, cars in CARS.items() for car in cars.split()}
    classes = tuple(kind[car] for car in range(1, 61))
    labels = tuple(f"car {car}" for car in range(1, 61))
    answers = survey_of_cars(read_data_file(file, data_home), file.path, labels)
    return comparison_set(sources.CAR, *answers, classes)


def fetch_food(*, data_home: Folder | None = None) -> ComparisonSet:
    """Food: 15,320 screens "choose the dishes that taste most like this one".

    Every chosen image is closer to the probe than every one not chosen: 250,320
    triplets about 100 dishes. The usual benchmark is `drop_duplicates` of them, 190,376
    rows. The catch trials are left out, as the authors do. Workers are the annotators.

    Parameters
    ----------
    data_home : path, optional
        A folder with food/raw-json.tar.gz, or food/food100-dataset.zip of the authors;
        otherwise as for :func:`fetch_car`.

    Returns
    -------
    ComparisonSet

    Raises
    ------
    DataUnavailable, InvalidFile, InvalidOption
        As for :func:`fetch_car`; also for an archive that is damaged or hostile.

    References
    ----------
    Wilber, Kwak, Belongie, "Cost-effective HITs for relative similarity comparisons",
    HCOMP 2014.

    Examples
    --------
    >>> fetch_food().comparisons  # doctest: +SKIP
    Triplets(250320 rows, 100 objects, 243 annotators, 3830 answers dropped)
    """
    if find_local(sources.FOOD_RAW, data_home) is not None:
        where = sources.FOOD_RAW.path
        packed = read_data_file(sources.FOOD_RAW, data_home)
        files = unpack_tar_gz(packed, where, _is_run_of_food)
        return comparison_set(sources.FOOD, *grids_of_json(files, where))
    where = sources.FOOD_ZIP.path
    table = "food100-dataset/all-triplets.csv"
    files = unpack_zip(
        read_data_file(sources.FOOD_ZIP, data_home),
        where,
        lambda name: _is_run_of_food(name) or name == table,
    )
    triplets = files.pop(table, b"")
    if files:
        return comparison_set(sources.FOOD, *grids_of_json(files, where))
    answers = triplets_by_name(triplets, f"{where}: {table}")
    return comparison_set(sources.FOOD, *answers)


def _is_run_of_food(name: str) -> bool:
    return name.endswith("_food.json") and "raw-json/" in name


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
    return _odd_images(sources.VOGUE, sources.VOGUE_ANSWERS, data_home)


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
    return _odd_images(sources.NATURE, sources.NATURE_ANSWERS, data_home)


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
    file = sources.IMAGENET_TRIALS
    trials = read_data_file(file, data_home)
    catalogue = read_data_file(sources.IMAGENET_CATALOGUE, data_home)
    answers = ranks_of_hdf5(trials, catalogue, file.path)
    return comparison_set(sources.IMAGENET, *answers)


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
    file, names = sources.THINGS_ANSWERS, sources.THINGS_NAMES
    labels = names_of_lines(read_data_file(names, data_home), names.path, 1854)
    answers = odd_ones_by_number(read_data_file(file, data_home), file.path, labels)
    return comparison_set(sources.THINGS, *answers)


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
    file = sources.MUSICIAN_ANSWERS
    answers = triplets_of_mat(read_data_file(file, data_home), file.path)
    return comparison_set(sources.MUSICIAN, *answers)


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
        Without labels if downloaded: the repository has no file of them.

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
    if not isinstance(subset, str) or subset not in sources.MATERIAL_ANSWERS:
        message = f"subset = {subset!r}: give 'train' or 'test'."
        raise InvalidOption(message)
    file, names = sources.MATERIAL_ANSWERS[subset], sources.MATERIAL_NAMES
    labels = None
    if find_local(names, data_home) is not None:
        labels = names_of_lines(read_data_file(names, data_home), names.path, 100)
    answers = votes_of_json(read_data_file(file, data_home), file.path, 100, labels)
    return comparison_set(sources.MATERIAL, *answers)


def _odd_images(
    origin: Origin, file: DataFile, data_home: Folder | None
) -> ComparisonSet:
    answers = odd_ones_by_name(read_data_file(file, data_home), file.path)
    return comparison_set(origin, *answers)
