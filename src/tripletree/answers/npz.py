"""Comparisons in NPZ files: every array as it is, with nothing that could be run.

An NPZ file is a ZIP archive of arrays. A stranger's archive can hold pickled objects,
which NumPy refuses to load, or more than fits into memory, which is refused here.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree.answers.tables import shown_path
from tripletree.comparisons.triplets import Comparisons, Quadruplets, Triplets
from tripletree.errors import InvalidComparisons, TripletreeError, refuse_if

ROWS = ("rows", "triplets", "quadruplets", "arr_0")
NUMBERS = ("n_objects", "weights", "annotators", "counts", "trial_of_row", "schema")
TEXTS = ("labels", "annotator_names", "reasons", "reading_notes", "reading_warnings")
SCHEMA = 1  # of the archive; a later one would have an array of this name

Arrays = dict[str, npt.NDArray[Any]]


def read_npz(path: Path) -> Comparisons:
    """Comparisons from an NPZ file, one of ours or any with an array of rows."""
    name = shown_path(path)
    arrays = _arrays(path, name)
    keys = [key for key in ROWS if key in arrays]
    refuse_if(
        len(keys) != 1,
        InvalidComparisons,
        f"{name}: arrays {sorted(arrays)} were found: give one of rows, triplets or "
        "quadruplets, of shape (m, 3) or (m, 4).",
        code="no rows",
    )
    version = arrays.get("schema", np.array(SCHEMA))
    refuse_if(
        version.tolist() != SCHEMA,
        InvalidComparisons,
        f"{name}: its schema is {version.tolist()!r:.40}, and this version of "
        f"tripletree reads {SCHEMA}. Use the version that wrote it, or a later one.",
        code="another version",
    )
    rows = arrays[keys[0]]
    make = Quadruplets if rows.shape[1:] == (4,) else Triplets
    try:
        labels = _texts(arrays, "labels")
        n = int(rows.max(initial=0)) + 1 if rows.dtype.kind in "iu" else 1
        given = arrays.get("n_objects", np.array(n if labels is None else len(labels)))
        counts = arrays.get("counts", np.empty(0)).reshape(-1).tolist()
        return make(
            rows,
            given.item() if given.size == 1 else given.tolist(),
            arrays.get("weights"),
            labels,
            arrays.get("annotators"),
            _texts(arrays, "annotator_names"),
            dict(zip(_texts(arrays, "reasons") or (), counts, strict=False)),
            _texts(arrays, "reading_notes") or (),
            arrays.get("trial_of_row"),
            _texts(arrays, "reading_warnings") or (),
        )
    except TripletreeError as error:
        raise InvalidComparisons(
            name, ": ", *error.parts, code=error.code or "not comparisons"
        ) from None


def write_npz(comparisons: Comparisons, file: IO[bytes]) -> None:
    """All of the comparisons, to be read back exactly."""
    given, dropped = comparisons, comparisons.dropped
    arrays: dict[str, Any] = {
        "rows": given.rows,
        "n_objects": np.int64(given.n_objects),
        "weights": given.weights,
        "annotators": given.annotators,
        "trial_of_row": given.trials,
        "counts": np.array([*dropped.values()], np.int64) if dropped else None,
    }
    texts = {
        "labels": given.labels,
        "annotator_names": given.annotator_names,
        "reasons": tuple(dropped),
        "reading_notes": given.notes,
        "reading_warnings": given.warnings,
    }
    for key, some in texts.items():
        if some:
            arrays |= _packed(some, key)
    np.savez_compressed(file, **{k: x for k, x in arrays.items() if x is not None})


def _packed(texts: tuple[str, ...], key: str) -> Arrays:
    """Texts as UTF-8 and the place where each ends: NumPy's own strings lose NULs."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    joined = np.frombuffer(b"".join(encoded), np.uint8)
    return {key: joined, f"{key}_ends": ends}


def _texts(arrays: Arrays, key: str) -> list[str] | None:
    if key not in arrays:
        return None
    flat, ends = arrays[key].reshape(-1), arrays.get(f"{key}_ends")
    texts = flat.tolist() if ends is None else _unpacked(flat, ends, key)
    try:
        return [x.decode() if isinstance(x, bytes) else str(x) for x in texts]
    except UnicodeDecodeError:
        raise InvalidComparisons(
            key, " are not UTF-8 text: write the file again.", code="not UTF-8"
        ) from None


def _unpacked(array: npt.NDArray[Any], ends: npt.NDArray[Any], key: str) -> list[bytes]:
    """What `_packed` joined."""
    cuts = [0, *ends.reshape(-1).tolist()]
    is_bytes = array.dtype == np.uint8 and ends.dtype == np.int64
    refuse_if(
        not is_bytes or cuts[-1] != array.size or sorted(cuts) != cuts,
        InvalidComparisons,
        f"{key} and {key}_ends do not fit: write the file again.",
        code="damaged file",
    )
    data = array.tobytes()
    return [data[a:b] for a, b in pairwise(cuts)]


def _arrays(path: Path, name: str) -> Arrays:
    """The arrays of an archive that have names we know; NumPy runs no code in them."""
    wanted = {*ROWS, *NUMBERS, *TEXTS, *(f"{key}_ends" for key in TEXTS)}
    arrays: Arrays = {}
    try:
        with path.open("rb") as file, np.load(file) as archive:
            for member in archive.zip.infolist():
                key, what = member.filename.removesuffix(".npy"), member.filename[:80]
                if key in wanted:
                    check_fits(
                        3 * member.file_size, f"array {what!r} of {name}", "split it."
                    )
                    arrays[key] = archive[key].view(np.ndarray)
    except TripletreeError:
        raise
    except Exception as error:  # what is not an archive can fail in any way
        raise InvalidComparisons(
            name,
            f": not a whole NPZ file of numbers and text ({type(error).__name__}: "
            f"{error!s:.80}). Copy or write it again.",
            code="not NPZ",
        ) from None
    return arrays
