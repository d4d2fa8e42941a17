"""Food: which dishes taste alike, from the raw answers or the triplets of the authors.

The raw answers are screens: a probe, the images shown beside it, those chosen of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tripletree.comparisons.question_types import rankings
from tripletree.comparisons.triplets import Triplets
from tripletree.datasets.data_files import (
    ORIGINS,
    Folder,
    find_local,
    read_data_file,
    refuse_file_if,
    unpack_tar_gz,
    unpack_zip,
)
from tripletree.datasets.data_sets import (
    LARGEST,
    ComparisonSet,
    answered_set,
    json_of,
    number_names,
    table_of,
)

RAW, ZIP = "food/raw-json.tar.gz", "food/food100-dataset.zip"
TRIPLETS = "food100-dataset/all-triplets.csv"

Screen = dict[str, Any]
KINDS = {"is_catchtrial": bool, "probe": str, "images": list, "near_answer": list}


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
    is_raw = find_local(RAW, data_home) is not None
    path, unpack = (RAW, unpack_tar_gz) if is_raw else (ZIP, unpack_zip)
    files = unpack(read_data_file(path, data_home), path, _is_wanted)
    triplets = files.pop(TRIPLETS, None)
    if triplets is None or files:
        return _from_screens(files, path)
    return _from_triplets(triplets, f"{path}: {TRIPLETS}")


def _is_wanted(name: str) -> bool:
    is_run = name.endswith("_food.json") and "raw-json/" in name
    return is_run or name == TRIPLETS


def _from_triplets(data: bytes, where: str) -> ComparisonSet:
    """Lines "target;near;far" of image names: the authors' own triplets."""
    columns = ["target", "near", "far"]
    table = table_of(data, where, columns=columns, delimiter=";", has_header=False)
    rows, labels = number_names(
        [[_name(cell.strip()) for cell in row] for row in table.cells]
    )
    to_triplets = partial(Triplets, n_objects=len(labels), labels=labels)
    return answered_set("food", rows, to_triplets)


def _name(image: str) -> str:
    return image.removeprefix("images/")


def _from_screens(files: dict[str, bytes], where: str) -> ComparisonSet:
    """Files in the order of their names, catch trials out, workers as annotators."""
    found = [pair for name in sorted(files) for pair in _screens(files[name], name)]
    kept = [pair for pair in found if not pair[1]["is_catchtrial"]]
    refuse_file_if(not kept, where, "it holds no screen")
    table, labels = number_names([_images(screen) for _, screen in kept])
    answers = rankings(
        table,
        len(labels),
        n_chosen=[len(screen["near_answer"]) for _, screen in kept],
        ordered=False,
        labels=labels,
        annotators=[worker for worker, _ in kept],
    )
    dropped = {**answers.dropped, "catch trials": len(found) - len(kept)}
    answers = replace(answers, dropped=dropped)
    return ComparisonSet("food", answers, len(kept), None, **ORIGINS["food"])


def _images(screen: Screen) -> list[str]:
    """The probe, then what was chosen, then the rest."""
    chosen = screen["near_answer"]
    rest = [image for image in screen["images"] if image not in chosen]
    return [_name(image) for image in (screen["probe"], *chosen, *rest)]


def _screens(data: bytes, where: str) -> Iterator[tuple[int, Screen]]:
    """The checked screens of one file, each with its worker."""
    hits = json_of(data, where)
    refuse_file_if(not isinstance(hits, list), where, "it holds no list")
    for at, hit in enumerate(hits):
        given: Any = hit if isinstance(hit, dict) else {}
        worker, screens = given.get("worker_id"), given.get("HIT_screens")
        is_number = type(worker) is int and 0 <= worker <= LARGEST
        refuse_file_if(not is_number, where, f"entry {at} has no number `worker_id`")
        refuse_file_if(
            not isinstance(screens, list),
            where,
            f"entry {at} has no list `HIT_screens`",
        )
        for number, screen in enumerate(screens):
            _check_screen(screen, f"{where}, entry {at}, screen {number}")
            yield worker, screen


def _check_screen(screen: Any, where: str) -> None:
    refuse_file_if(not isinstance(screen, dict), where, "not an object")
    for key, kind in KINDS.items():
        refuse_file_if(
            not isinstance(screen.get(key), kind),
            where,
            f"`{key}` is not of type {kind.__name__}",
        )
    shown, chosen = screen["images"], screen["near_answer"]
    refuse_file_if(
        not all(isinstance(name, str) for name in (*shown, *chosen)),
        where,
        "`images` or `near_answer` has something else than names of images",
    )
    refuse_file_if(
        len({screen["probe"], *shown}) != 1 + len(shown) or len(shown) > 1000,
        where,
        "`images` repeats an image, has the probe itself, or has over 1000",
    )
    refuse_file_if(
        not {*chosen} <= {*shown} or len({*chosen}) != len(chosen),
        where,
        "`near_answer` repeats an image, or has one that was not shown",
    )
