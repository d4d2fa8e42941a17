"""The objects of a study: their labels in a fixed order, groups and images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree._checks import check_labels
from tripletree.answers.header import plain_name, some_names
from tripletree.answers.tables import open_table
from tripletree.errors import InvalidComparisons, refuse_if

NAMES = {
    "label": "label labels name object objectid item itemid stimulus id",
    "group": "group class category cluster type",
    "image": "image imagepath imagefile path file filename url",
}


@dataclass(frozen=True, eq=False)
class Items:
    """The objects that answers are about, in their order.

    Attributes
    ----------
    labels : tuple of str
    groups : tuple of str, or None
        The group of each object, where known.
    images : tuple of str, or None
        Where the picture of each object is.
    """

    labels: tuple[str, ...]
    groups: tuple[str, ...] | None = None
    images: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("labels", "groups", "images"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, str):
                object.__setattr__(self, name, tuple(given))


def read_items(source: Any) -> Items:
    """Read the table of objects: a label each, and maybe a group and an image.

    Parameters
    ----------
    source : path, or a pandas or polars frame, or an Arrow or Ibis table
        With a column called label (or name, object, item, stimulus, id), and maybe
        one called group (class, category) and one called image (path, file, url).

    Returns
    -------
    Items

    Raises
    ------
    InvalidComparisons
        If there is no column of labels, or a label is missing or occurs twice.
    UnreadableFile
        If there is no such file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "items.csv")
    ...     _ = path.write_text("label,group\\nowl,bird\\ncarp,fish\\n")
    ...     items = read_items(path)
    >>> items.labels, items.groups
    (('owl', 'carp'), ('bird', 'fish'))
    """
    with open_table(source) as table:
        found = _columns(table.names, table.name)
        refuse_if(
            "label" not in found,
            InvalidComparisons,
            f"{table.name}: columns {some_names(table.names)} are not known as items. "
            "Call the column of labels 'label'.",
            code="unknown columns",
        )
        rows = table.texts(list(found.values()))
        columns = dict(zip(found, zip(*rows, strict=True), strict=False))
        labels = columns.get("label", ())
        if None in labels:
            file, place = table.place(labels.index(None))
            raise InvalidComparisons(
                file,
                f", {place}: no label. Every item needs one.",
                code="no label",
                place=place,
            )
        labels = _checked_labels(labels, table.name)
    others = {
        role: tuple(value or "" for value in columns[role])
        for role in ("group", "image")
        if role in columns
    }
    return Items(labels, others.get("group"), others.get("image"))


def _columns(names: Sequence[str], where: str) -> dict[str, int]:
    """The position of the column of each role: that with the first name it may have."""
    short = [plain_name(name) for name in names]
    found: dict[str, int] = {}
    for role, known in NAMES.items():
        first = next((name for name in known.split() if name in short), None)
        fits = [at for at, name in enumerate(short) if name == first]
        both = " and ".join(repr(names[at][:40]) for at in fits[:2])
        refuse_if(
            len(fits) > 1,
            InvalidComparisons,
            f"{where}: both {both} could be the {role}: rename one.",
            code="two columns",
        )
        if fits:
            found[role] = fits[0]
    return found


def item_labels(items: Any) -> tuple[str, ...] | None:
    """The labels that the option `items` gives: a list, a table, or Items."""
    if items is None:
        return None
    if isinstance(items, Items):
        return _checked_labels(items.labels, "items")
    if isinstance(items, list | tuple | range | np.ndarray):
        return _checked_labels(items, "items")
    return read_items(items).labels


def _checked_labels(labels: Any, name: str) -> tuple[str, ...]:
    refuse_if(
        len(labels) == 0,
        InvalidComparisons,
        f"{name}: no items: give the label of every object.",
        code="no items",
    )
    try:
        checked = check_labels(labels, len(labels), InvalidComparisons)
    except InvalidComparisons as error:
        raise InvalidComparisons(name, ": ", *error.parts, code="label twice") from None
    return checked or ()
