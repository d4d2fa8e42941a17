"""Comparisons in NPZ files: every array as it is, with nothing that could be run.

An NPZ file is a ZIP archive of arrays. A stranger's archive can hold pickled objects,
which run code when they are loaded, or arrays that claim to be larger than they are: so
each array is looked at before it is read, and nothing but numbers is taken.
"""

from __future__ import annotations

import math
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_fits
from tripletree.answers.tables import shown_path
from tripletree.comparisons.answers import Comparisons
from tripletree.comparisons.triplets import Quadruplets, Triplets
from tripletree.errors import InvalidComparisons, TripletreeError

ROWS = ("rows", "triplets", "quadruplets", "arr_0")
NUMBERS = ("n_objects", "weights", "annotators", "counts", "trial_of_row")
TEXTS = ("labels", "annotator_names", "reasons", "reading_notes")

Arrays = dict[str, npt.NDArray[Any]]


def read_npz(path: Path) -> Comparisons:
    """Comparisons from an NPZ file, one of ours or any with an array of rows."""
    name = shown_path(path)
    arrays = _arrays(path, name)
    keys = [key for key in ROWS if key in arrays]
    if len(keys) != 1:
        message = (
            f"{name}: arrays {sorted(arrays)} were found: give one of rows, triplets "
            "or quadruplets, of shape (m, 3) or (m, 4)."
        )
        raise InvalidComparisons(message)
    rows = arrays[keys[0]]
    width = rows.shape[1] if rows.ndim == 2 else 0
    make = Quadruplets if width == 4 else Triplets
    try:
        labels = _texts(arrays, "labels")
        n = int(rows.max(initial=0)) + 1 if rows.dtype.kind in "iu" else 1
        n = n if labels is None else len(labels)
        given = arrays.get("n_objects", np.array(n))
        n = given.item() if given.size == 1 else given.tolist()
        annotators, names = arrays.get("annotators"), _texts(arrays, "annotator_names")
        reasons, counts = _texts(arrays, "reasons"), arrays.get("counts")
        dropped = {}
        if reasons is not None and counts is not None:
            dropped = dict(zip(reasons, counts.reshape(-1).tolist(), strict=False))
        weights = arrays.get("weights")
        notes = _texts(arrays, "reading_notes") or ()
        more = (dropped, notes, arrays.get("trial_of_row"))
        return make(rows, n, weights, labels, annotators, names, *more)
    except TripletreeError as error:
        message = f"{name}: {error}"
        raise InvalidComparisons(message) from None


def write_npz(comparisons: Comparisons, file: IO[bytes]) -> None:
    """All of the comparisons, to be read back exactly."""
    arrays: Arrays = {
        "rows": comparisons.rows,
        "n_objects": np.int64(comparisons.n_objects),  # type: ignore[dict-item]
    }
    if comparisons.weights is not None:
        arrays["weights"] = comparisons.weights
    if comparisons.annotators is not None:
        arrays["annotators"] = comparisons.annotators
    if comparisons.trials is not None:
        arrays["trial_of_row"] = comparisons.trials
    if comparisons.labels is not None:
        arrays |= _packed(comparisons.labels, "labels")
    if comparisons.annotator_names is not None:
        arrays |= _packed(comparisons.annotator_names, "annotator_names")
    if comparisons.dropped:
        arrays |= _packed(tuple(comparisons.dropped), "reasons")
        arrays["counts"] = np.array(list(comparisons.dropped.values()), np.int64)
    if comparisons.notes:
        arrays |= _packed(comparisons.notes, "reading_notes")
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


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
        message = f"{key} are not UTF-8 text: write the file again."
        raise InvalidComparisons(message) from None


def _unpacked(array: npt.NDArray[Any], ends: npt.NDArray[Any], key: str) -> list[bytes]:
    """What `_packed` joined."""
    cuts = [0, *ends.reshape(-1).tolist()]
    is_bytes = array.dtype == np.uint8 and ends.dtype == np.int64
    if not is_bytes or cuts[-1] != array.size or sorted(cuts) != cuts:
        message = f"{key} and {key}_ends do not fit: write the file again."
        raise InvalidComparisons(message)
    data = array.tobytes()
    return [data[a:b] for a, b in pairwise(cuts)]


def _arrays(path: Path, name: str) -> Arrays:
    """The arrays of an archive that have names we know."""
    arrays: Arrays = {}
    wanted = {*ROWS, *NUMBERS, *TEXTS, *(f"{key}_ends" for key in TEXTS)}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                key = member.filename.removesuffix(".npy")
                if key in wanted and key not in arrays:
                    arrays[key] = _array(archive, member, name)
    except TripletreeError:
        raise
    except Exception as error:  # what is no archive can fail in any way
        message = (
            f"{name}: not a whole NPZ file ({type(error).__name__}): copy or write it "
            "again, for example with write_comparisons."
        )
        raise InvalidComparisons(message, code="not NPZ") from None
    return arrays


def _array(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str
) -> npt.NDArray[Any]:
    with archive.open(member) as file:
        try:
            version = np.lib.format.read_magic(file)
            is_first = version == (1, 0)
            read = "read_array_header_1_0" if is_first else "read_array_header_2_0"
            shape, is_fortran, dtype = getattr(np.lib.format, read)(file)
        except Exception:  # a header is parsed as Python: it can fail in any way
            message = (
                f"{name}: {member.filename[:80]!r} is not an array: write it again."
            )
            raise InvalidComparisons(message) from None
        if dtype.hasobject or dtype.kind not in "biufUS":
            message = (
                f"{name}: array {member.filename[:80]!r} has dtype {dtype}, which can "
                "hold code, and is not read. Save integers, or text as dtype=str."
            )
            raise InvalidComparisons(message)
        n_bytes = math.prod([dtype.itemsize, *shape])
        if min(shape, default=0) < 0 or n_bytes > member.file_size:
            message = f"{name}: array {member.filename[:80]!r} is cut off: write again."
            raise InvalidComparisons(message)
        check_fits(
            3 * n_bytes, f"array {member.filename[:80]!r} of {name}", "split it."
        )
        data = file.read(n_bytes)
    if len(data) != n_bytes:
        message = f"{name}: array {member.filename[:80]!r} is cut off: write again."
        raise InvalidComparisons(message)
    array = np.frombuffer(data, dtype)
    return array.reshape(shape, order="F" if is_fortran else "C")
