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
    is_wide = rows.ndim == 2 and rows.shape[1] == 4
    make = Quadruplets if is_wide else Triplets
    try:
        labels = _texts(arrays, "labels")
        n = int(rows.max(initial=0)) + 1 if rows.dtype.kind in "iu" else 1
        given = arrays.get("n_objects", np.array(n if labels is None else len(labels)))
        counts = arrays.get("counts", np.empty(0)).reshape(-1).tolist()
        dropped = dict(zip(_texts(arrays, "reasons") or (), counts, strict=False))
        return make(
            rows,
            given.item() if given.size == 1 else given.tolist(),
            arrays.get("weights"),
            labels,
            arrays.get("annotators"),
            _texts(arrays, "annotator_names"),
            dropped,
            _texts(arrays, "reading_notes") or (),
            arrays.get("trial_of_row"),
            _texts(arrays, "reading_warnings") or (),
        )
    except TripletreeError as error:
        code = error.code or "not comparisons"
        raise InvalidComparisons(name, ": ", *error.parts, code=code) from None


def write_npz(comparisons: Comparisons, file: IO[bytes]) -> None:
    """All of the comparisons, to be read back exactly."""
    given = comparisons
    counts = np.array(list(given.dropped.values()), np.int64)
    arrays: dict[str, Any] = {
        "rows": given.rows,
        "n_objects": np.int64(given.n_objects),
        "weights": given.weights,
        "annotators": given.annotators,
        "trial_of_row": given.trials,
        "counts": counts if given.dropped else None,
    }
    texts = {
        "labels": given.labels,
        "annotator_names": given.annotator_names,
        "reasons": tuple(given.dropped) or None,
        "reading_notes": given.notes or None,
        "reading_warnings": given.warnings or None,
    }
    for key, some in texts.items():
        arrays |= {} if some is None else _packed(some, key)
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
    array, ends = arrays[key], arrays.get(f"{key}_ends")
    flat = array.reshape(-1)
    texts = flat.tolist() if ends is None else _unpacked(flat, ends, key)
    try:
        return [x.decode() if isinstance(x, bytes) else str(x) for x in texts]
    except UnicodeDecodeError:
        why = " are not UTF-8 text: write the file again."
        raise InvalidComparisons(key, why, code="not UTF-8") from None


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
                    needed = 3 * member.file_size
                    check_fits(needed, f"array {what!r} of {name}", "split it.")
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
