"""The raw files of the answered data sets, each in its own format, into rows.

Each function takes the contents of a file and the name to use for it in errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree.datasets.conversions import (
    Ints,
    rows_of_grid,
    rows_of_most_central,
    rows_of_odd_one_out,
    rows_of_ranks,
    rows_of_votes,
)
from tripletree.datasets.parsing import (
    LARGEST,
    integers_of,
    json_of,
    lines_of,
    table_of,
    wrong_file,
)
from tripletree.errors import DataUnavailable

SURVEY = (
    "survey_round",
    "chosen_center",
    "triplet_object_1",
    "triplet_object_2",
    "triplet_object_3",
    "response_time",
)


@dataclass(frozen=True, eq=False)
class RawAnswers:
    """Rows, the answers they were made from, and what else a file says."""

    rows: Ints
    n_answers: int
    labels: tuple[str, ...] | None = None
    annotators: Ints | None = None
    n_catch_trials: int = 0


def survey_of_cars(data: bytes, where: str, n_objects: int) -> RawAnswers:
    """Most-central answers, ids from 1; the rounds of the survey as annotators."""
    cells = table_of(data, where, columns=SURVEY)
    table = integers_of([row[:5] for row in cells], where)
    rounds, center, shown = table[:, 0], table[:, 1], table[:, 2:]
    ordered = np.sort(shown, axis=1)
    is_wrong = (
        ((shown == center[:, None]).sum(axis=1) != 1)
        | (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        | (shown < 1).any(axis=1)
        | (shown > n_objects).any(axis=1)
    )
    if is_wrong.any():
        line = int(is_wrong.argmax()) + 2
        what = f"line {line}: one of three different objects 1..{n_objects} is chosen"
        raise wrong_file(where, what)
    others = shown[shown != center[:, None]].reshape(-1, 2)
    rows = rows_of_most_central(center - 1, others - 1)
    return RawAnswers(rows, len(table), annotators=np.repeat(rounds, 2))


def odd_ones_by_number(data: bytes, where: str, n_objects: int) -> RawAnswers:
    """Three ids from 0 per line, the third the odd one out."""
    cells = table_of(
        data, where, columns=["a", "b", "odd"], delimiter=None, has_header=False
    )
    shown = integers_of(cells, where, has_header=False)
    _check_below(shown, n_objects, where)
    return RawAnswers(rows_of_odd_one_out(shown), len(shown))


def odd_ones_by_name(data: bytes, where: str) -> RawAnswers:
    """Three names per line, the third the odd one out; ids follow sorted names."""
    cells = table_of(
        data, where, columns=["a", "b", "odd"], delimiter=None, has_header=False
    )
    names = sorted(set(chain.from_iterable(cells)))
    number = {name: at for at, name in enumerate(names)}
    shown = np.array([[number[name] for name in row] for row in cells], np.int64)
    return RawAnswers(rows_of_odd_one_out(shown), len(shown), tuple(names))


def triplets_of_mat(data: bytes, where: str) -> RawAnswers:
    """A MATLAB file with triplets, any ids; objects are the ids that occur."""
    import io

    from scipy.io import loadmat

    source: Any = io.BytesIO(data)  # SciPy's stubs know only of paths
    try:
        table: Any = loadmat(source, variable_names=["triplets"]).get("triplets")
    except Exception as error:  # the parser of SciPy raises whatever it meets
        what = f"it is no MATLAB file ({type(error).__name__}: {str(error)[:80]})"
        raise wrong_file(where, what) from None
    is_table = isinstance(table, np.ndarray) and table.ndim == 2 and table.size > 0
    if not is_table or table.shape[1] != 3 or table.dtype.kind not in "iu":
        raise wrong_file(where, "it holds no matrix `triplets` of three integers a row")
    ids, rows = np.unique(table, return_inverse=True)
    labels = tuple(str(name) for name in ids.tolist())
    return RawAnswers(rows.reshape(-1, 3).astype(np.int64), len(table), labels)


def votes_of_json(data: bytes, where: str, n_objects: int) -> RawAnswers:
    """Questions [i, a, b] and [votes for a, votes for b]: one row per vote."""
    contents = json_of(data, where)
    if not isinstance(contents, dict):
        raise wrong_file(where, "it holds no object with `answers` and `agreement`")
    questions = _matrix(contents.get("answers"), 3, f"{where}, `answers`")
    votes = _matrix(contents.get("agreement"), 2, f"{where}, `agreement`")
    if len(questions) != len(votes):
        what = f"{len(questions)} `answers` and {len(votes)} `agreement`"
        raise wrong_file(where, what)
    _check_below(questions, n_objects, where)
    if (votes > 10_000).any():
        raise wrong_file(where, "a question has more than 10000 votes")
    return RawAnswers(rows_of_votes(questions, votes), int(votes.sum()))


def ranks_of_hdf5(trials: bytes, catalogue: bytes, where: str) -> RawAnswers:
    """Trials "rank 2 of 8" of psiz 0.4.1, and the catalogue with the names."""
    found = _hdf5(trials, where, ["stimulus_set", "n_select", "is_ranked"])
    shown, n_select, is_ranked = (np.asarray(array) for array in found)
    (paths,) = _hdf5(catalogue, f"{where} (catalogue)", ["stimulus_filepath"])
    if (
        shown.ndim != 2
        or shown.shape[1] != 9
        or shown.dtype.kind not in "iu"
        or not (n_select == 2).all()
        or not is_ranked.astype(bool).all()
    ):
        raise wrong_file(where, "its trials are not all of the kind `rank 2 of 8`")
    ids, trial = np.unique(shown, return_inverse=True)
    if ids[0] < 0 or ids[-1] >= len(paths):
        raise wrong_file(where, "an object is not in the catalogue")
    names = [paths[at] for at in ids.tolist()]
    labels = tuple(n.decode() if isinstance(n, bytes) else str(n) for n in names)
    rows = rows_of_ranks(trial.reshape(-1, 9).astype(np.int64), 2)
    return RawAnswers(rows, len(shown), labels)


def grids_of_json(files: dict[str, bytes], where: str) -> RawAnswers:
    """Food: grid screens, "choose the images closest to the probe", catch trials out.

    Files are read in the order of their names. Objects are the images of all screens,
    sorted; workers are annotators.
    """
    screens: list[tuple[str, list[str], list[str]]] = []
    workers: list[int] = []
    n_catch_trials = 0
    for name in sorted(files):
        for worker, screen in _screens(json_of(files[name], name), name):
            if screen["is_catchtrial"]:
                n_catch_trials += 1
                continue
            chosen = screen["near_answer"]
            rest = [image for image in screen["images"] if image not in chosen]
            screens.append((screen["probe"], chosen, rest))
            workers.append(worker)
    if not screens:
        raise wrong_file(where, "it holds no screen")
    images = {image for probe, near, far in screens for image in (probe, *near, *far)}
    names = sorted(images)
    number = {image: at for at, image in enumerate(names)}
    grids = [
        rows_of_grid(number[probe], [number[x] for x in near], [number[x] for x in far])
        for probe, near, far in screens
    ]
    return RawAnswers(
        rows=np.concatenate(grids),
        n_answers=len(screens),
        labels=tuple(name.removeprefix("images/") for name in names),
        annotators=np.repeat(workers, [len(grid) for grid in grids]),
        n_catch_trials=n_catch_trials,
    )


def _screens(hits: Any, where: str) -> list[tuple[int, dict[str, Any]]]:
    """The checked screens of one file of Food, each with its worker."""
    if not isinstance(hits, list):
        raise wrong_file(where, "it holds no list")
    found = []
    for at, hit in enumerate(hits):
        worker = hit.get("worker_id") if isinstance(hit, dict) else None
        screens = hit.get("HIT_screens") if isinstance(hit, dict) else None
        if type(worker) is not int or not 0 <= worker <= LARGEST:
            raise wrong_file(where, f"entry {at} has no number `worker_id`")
        if not isinstance(screens, list):
            raise wrong_file(where, f"entry {at} has no list `HIT_screens`")
        for number, screen in enumerate(screens):
            _check_screen(screen, f"{where}, entry {at}, screen {number}")
            found.append((worker, screen))
    return found


def _check_screen(screen: Any, where: str) -> None:
    if not isinstance(screen, dict):
        raise wrong_file(where, "it is no object")
    if not isinstance(screen.get("is_catchtrial"), bool):
        raise wrong_file(where, "`is_catchtrial` is neither true nor false")
    if not isinstance(screen.get("probe"), str):
        raise wrong_file(where, "`probe` is no name of an image")
    for key in ("images", "near_answer"):
        names = screen.get(key)
        if not isinstance(names, list) or not all(isinstance(x, str) for x in names):
            raise wrong_file(where, f"`{key}` is no list of names of images")
        if len(set(names)) != len(names) or len(names) > 1000:
            raise wrong_file(where, f"`{key}` repeats an image, or has over 1000")
    if not set(screen["near_answer"]) <= set(screen["images"]):
        raise wrong_file(where, "`near_answer` has an image that was not shown")


def triplets_by_name(data: bytes, where: str) -> RawAnswers:
    """Lines "target;near;far" of image names: the authors' own triplets of Food."""
    cells = table_of(
        data, where, columns=["target", "near", "far"], delimiter=";", has_header=False
    )
    stripped = [[cell.strip() for cell in row] for row in cells]
    names = sorted(set(chain.from_iterable(stripped)))
    number = {name: at for at, name in enumerate(names)}
    rows = np.array([[number[name] for name in row] for row in stripped], np.int64)
    labels = tuple(name.removeprefix("images/") for name in names)
    return RawAnswers(rows, len(rows), labels)


def names_of_lines(data: bytes, where: str, n_objects: int) -> tuple[str, ...]:
    """One name per line, for so many objects."""
    names = tuple(lines_of(data, where))
    if len(names) != n_objects or len(set(names)) != n_objects:
        what = f"{len(set(names))} different names for {n_objects} objects"
        raise wrong_file(where, what)
    return names


def _check_below(ids: Ints, n_objects: int, where: str) -> None:
    is_wrong = (ids >= n_objects).any(axis=1)
    if is_wrong.any():
        what = (
            f"answer {int(is_wrong.argmax())} has an object not in 0..{n_objects - 1}"
        )
        raise wrong_file(where, what)


def _matrix(value: Any, width: int, where: str) -> Ints:
    """A JSON list of lists of so many integers from 0 on."""
    rows = value if isinstance(value, list) else []
    for at, row in enumerate(rows):
        if (
            not isinstance(row, list)
            or len(row) != width
            or not all(type(x) is int and 0 <= x <= LARGEST for x in row)
        ):
            raise wrong_file(where, f"entry {at} is no list of {width} numbers from 0")
    if not rows:
        raise wrong_file(where, f"it is no list of lists of {width} numbers")
    return np.array(rows, np.int64)


def _hdf5(data: bytes, where: str, keys: list[str]) -> list[npt.NDArray[Any]]:
    try:
        import h5py
    except ImportError:
        message = f"{where} is an HDF5 file, which h5py reads: pip install h5py."
        raise DataUnavailable(message) from None
    import io

    try:
        with h5py.File(io.BytesIO(data), mode="r") as file:
            return [np.asarray(file[key][()]) for key in keys]
    except Exception as error:  # HDF5 raises whatever it meets
        what = f"it is no HDF5 file with {', '.join(keys)} ({type(error).__name__})"
        raise wrong_file(where, what) from None
