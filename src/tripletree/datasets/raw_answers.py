"""The raw files of the answered data sets, each in its own format, into triplets.

Each function takes the contents of a file and the name to use for it in errors, and
returns the triplets and the number of answers that the file holds. Answers in which an
object occurs twice say nothing: they are dropped, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree.comparisons.queries import cblearn_triplets, most_central, odd_one_out
from tripletree.comparisons.rankings import rankings
from tripletree.comparisons.triplets import Triplets
from tripletree.datasets.parsing import (
    LARGEST,
    Ints,
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

Found = tuple[Triplets, int]


def survey_of_cars(data: bytes, where: str, labels: Sequence[str]) -> Found:
    """Most-central answers, ids from 1; the rounds of the survey as annotators."""
    n = len(labels)
    cells = table_of(data, where, columns=SURVEY)
    table = integers_of([row[:5] for row in cells], where)
    rounds, center, shown = table[:, 0], table[:, 1], table[:, 2:]
    is_wrong = (
        ((shown == center[:, None]).sum(axis=1) != 1)
        | ~_all_differ(shown)
        | (shown < 1).any(axis=1)
        | (shown > n).any(axis=1)
    )
    if is_wrong.any():
        line = int(is_wrong.argmax()) + 2
        what = f"line {line}: one of three different objects 1..{n} is chosen"
        raise wrong_file(where, what)
    answers = most_central(shown - 1, center - 1, n, labels=labels, annotators=rounds)
    return answers, len(table)


def odd_ones_by_number(data: bytes, where: str, labels: Sequence[str]) -> Found:
    """Three ids from 0 per line, the third the odd one out."""
    cells = _odd_cells(data, where)
    shown = integers_of(cells, where, has_header=False)
    _check_below(shown, len(labels), where)
    return _odd_ones(shown, labels)


def odd_ones_by_name(data: bytes, where: str) -> Found:
    """Three names per line, the third the odd one out; ids follow sorted names."""
    return _odd_ones(*_numbered(_odd_cells(data, where)))


def _odd_cells(data: bytes, where: str) -> list[list[str]]:
    columns = ["a", "b", "odd"]
    return table_of(data, where, columns=columns, delimiter=None, has_header=False)


def _odd_ones(shown: Ints, labels: Sequence[str]) -> Found:
    is_kept = _all_differ(shown)
    kept = shown[is_kept]
    answers = odd_one_out(kept, kept[:, 2], len(labels), labels=labels)
    return _without_degenerate(answers, is_kept)


def triplets_by_name(data: bytes, where: str) -> Found:
    """Lines "target;near;far" of image names: the authors' own triplets of Food."""
    columns = ["target", "near", "far"]
    cells = table_of(data, where, columns=columns, delimiter=";", has_header=False)
    names = [[cell.strip().removeprefix("images/") for cell in row] for row in cells]
    return _triplets(*_numbered(names))


def triplets_of_mat(data: bytes, where: str) -> Found:
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
    return _triplets(rows.reshape(-1, 3), [str(name) for name in ids.tolist()])


def _triplets(rows: Ints, labels: Sequence[str]) -> Found:
    is_kept = _all_differ(rows)
    answers = Triplets(rows[is_kept], len(labels), labels=labels)
    return _without_degenerate(answers, is_kept)


def votes_of_json(
    data: bytes, where: str, n_objects: int, labels: Sequence[str] | None
) -> Found:
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
    asked = np.repeat(questions, votes.sum(axis=1), axis=0)
    is_for_a = np.repeat(np.tile([True, False], len(votes)), votes.reshape(-1))
    is_kept = _all_differ(asked)
    answers = cblearn_triplets(
        asked[is_kept], is_for_a[is_kept], n_objects, labels=labels
    )
    return _without_degenerate(answers, is_kept)


def ranks_of_hdf5(trials: bytes, catalogue: bytes, where: str) -> Found:
    """Trials "rank 2 of 8" of psiz 0.4.1, and the catalogue with the names."""
    found = _hdf5(trials, where, ["stimulus_set", "n_select", "is_ranked"])
    shown, n_select, is_ranked = (np.asarray(array) for array in found)
    (paths,) = _hdf5(catalogue, f"{where} (catalogue)", ["stimulus_filepath"])
    if (
        shown.ndim != 2
        or shown.shape[1] != 9
        or len(shown) == 0
        or shown.dtype.kind not in "iu"
        or not (n_select == 2).all()
        or not is_ranked.astype(bool).all()
    ):
        raise wrong_file(where, "its trials are not all of the kind `rank 2 of 8`")
    ids, trial = np.unique(shown, return_inverse=True)
    if ids[0] < 0 or ids[-1] >= len(paths):
        raise wrong_file(where, "an object is not in the catalogue")
    names = [paths[at] for at in ids.tolist()]
    labels = [n.decode() if isinstance(n, bytes) else str(n) for n in names]
    trial = trial.reshape(-1, 9)
    is_kept = _all_differ(trial)
    answers = rankings(trial[is_kept], len(labels), n_chosen=2, labels=labels)
    return _without_degenerate(answers, is_kept)


def grids_of_json(files: dict[str, bytes], where: str) -> Found:
    """Food: grid screens, "choose the images closest to the probe", catch trials out.

    Files are read in the order of their names. Objects are the images of all screens,
    sorted; workers are annotators.
    """
    screens: list[list[str]] = []
    n_chosen: list[int] = []
    workers: list[int] = []
    n_catch_trials = 0
    for name in sorted(files):
        for worker, screen in _screens(json_of(files[name], name), name):
            if screen["is_catchtrial"]:
                n_catch_trials += 1
                continue
            chosen = screen["near_answer"]
            rest = [image for image in screen["images"] if image not in chosen]
            shown = [screen["probe"], *chosen, *rest]
            screens.append([image.removeprefix("images/") for image in shown])
            n_chosen.append(len(chosen))
            workers.append(worker)
    if not screens:
        raise wrong_file(where, "it holds no screen")
    table, labels = _numbered(screens)
    answers = rankings(
        table,
        len(labels),
        n_chosen=n_chosen,
        ordered=False,
        labels=labels,
        annotators=workers,
    )
    dropped = {**answers.dropped, "catch trials": n_catch_trials}
    return replace(answers, dropped=dropped), len(screens)


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
    if screen["probe"] in screen["images"]:
        raise wrong_file(where, "`images` has the probe itself")


def names_of_lines(data: bytes, where: str, n_objects: int) -> tuple[str, ...]:
    """One name per line, for so many objects."""
    names = tuple(lines_of(data, where))
    if len(names) != n_objects or len(set(names)) != n_objects:
        what = f"{len(set(names))} different names for {n_objects} objects"
        raise wrong_file(where, what)
    return names


def _numbered(rows: list[list[str]]) -> tuple[Ints, list[str]]:
    """Names as positions among all of them, sorted, and these; -1 fills up rows."""
    names = sorted(set(chain.from_iterable(rows)))
    number = {name: at for at, name in enumerate(names)}
    width = max(2, *map(len, rows))  # a probe alone leaves a gap, and says nothing
    what = f"a table of {len(rows)} answers"
    check_fits(8 * len(rows) * width, what, "free memory, or get the file again.")
    table = np.full((len(rows), width), -1)
    for at, row in enumerate(rows):
        table[at, : len(row)] = [number[name] for name in row]
    return table, names


def _all_differ(table: Ints) -> npt.NDArray[np.bool_]:
    """Which rows have no object twice."""
    ordered = np.sort(table, axis=1)
    differ: npt.NDArray[np.bool_] = np.all(ordered[:, 1:] != ordered[:, :-1], axis=1)
    return differ


def _without_degenerate(answers: Triplets, is_kept: npt.NDArray[np.bool_]) -> Found:
    """The triplets of the answers that were kept, with a count of the others."""
    dropped = {**answers.dropped, "degenerate rows": int((~is_kept).sum())}
    return replace(answers, dropped=dropped), len(is_kept)


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
