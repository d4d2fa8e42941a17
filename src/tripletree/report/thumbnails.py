"""Images of the objects, as one sheet of thumbnails inside the page.

All images are decoded, scaled down and encoded again, so that only the pixels of a file
get into the page. A sheet is a single image to decode, however many objects there are;
object i is in its column i % columns and row i // columns.
"""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps

from tripletree._files import check_readable
from tripletree.errors import (
    InvalidFile,
    InvalidOption,
    Mismatch,
    UnreadableFile,
    refuse_if,
)
from tripletree.report.dendrogram import check_pixels

CELL = 64  # pixels: twice the displayed size, for high-resolution screens
LARGEST_TINY = 32  # images up to this size keep their pixels
MOST_IMAGES = 10_000
MOST_PIXELS = 8 * 10**7  # of one file
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "PPM")
ON_THE_WEB = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")


@dataclass(frozen=True)
class Sheet:
    """Thumbnails side by side: the image as a data URI, and where each one is.

    `has` says which objects have an image, `n_on_the_web` how many have one on the web,
    which is not downloaded.
    """

    uri: str
    cell: int
    columns: int
    has: tuple[bool, ...]
    n_on_the_web: int


def make_sheet(images: Any, n: int, folder: str | os.PathLike[str]) -> Sheet:
    """Put the images of n objects on one sheet.

    Parameters
    ----------
    images : array_like, shape (n, height, width) or (n, height, width, 3 or 4), or
        sequence of n file names, None or "" for objects without an image
    n : int
    folder : path
        The folder that file names are relative to.

    Raises
    ------
    InvalidOption, Mismatch
        If these are not images of n objects.
    UnreadableFile, InvalidFile
        If a file is missing or not an image.
    """
    _check_number(n)
    if isinstance(images, np.ndarray) and images.dtype.kind in "biuf":
        return _sheet_of_pixels(images, n)
    refuse_if(
        isinstance(images, str | bytes) or not isinstance(images, Sequence),
        InvalidOption,
        f"images of type {type(images).__name__}: give an array (n, height, width) or "
        "a list of files, one per object.",
    )
    refuse_if(
        len(images) != n,
        Mismatch,
        f"{len(images)} images for {n} objects: give one per object, or None.",
    )
    pictures = [
        _thumbnail(Path(folder), name, at) if _is_file(name) else None
        for at, name in enumerate(images)
    ]
    return _paste(pictures, CELL, "RGBA", sum(map(_is_on_the_web, images)))


def check_image_files(names: Sequence[str], folder: str | os.PathLike[str]) -> None:
    """Refuse now what `make_sheet` would refuse after hours of work.

    Only the beginning of each file is read.

    Raises
    ------
    InvalidOption
        If there are too many.
    UnreadableFile, InvalidFile
        If a file is missing or not an image.
    """
    _check_number(len(names))
    for at, name in enumerate(names):
        if _is_file(name):
            with _open_image(Path(folder), name, at):
                pass


def _check_number(n: int) -> None:
    refuse_if(
        n > MOST_IMAGES,
        InvalidOption,
        f"images of {n} objects: at most {MOST_IMAGES} fit into a page.",
    )


def _is_on_the_web(name: Any) -> bool:
    return isinstance(name, str) and bool(ON_THE_WEB.match(name))


def _is_file(name: Any) -> bool:
    return name is not None and name != "" and not _is_on_the_web(name)


def _sheet_of_pixels(pixels: npt.NDArray[Any], n: int) -> Sheet:
    check_pixels(pixels, n)
    if pixels.dtype != np.uint8:
        refuse_if(
            not np.isfinite(pixels).all(),
            InvalidOption,
            "images contain NaN or infinity: give numbers.",
        )
        low, high = float(pixels.min()), float(pixels.max())
        scaled = (pixels.astype(np.float64) - low) * (255 / max(high - low, 1e-300))
        pixels = scaled.round().astype(np.uint8)
    pictures = [Image.fromarray(np.ascontiguousarray(one)) for one in pixels]
    largest = max(pixels.shape[1:3])
    cell = largest if largest <= LARGEST_TINY else CELL
    return _paste(pictures, cell, "L" if pixels.ndim == 3 else "RGBA", 0)


def _thumbnail(folder: Path, name: Any, at: int) -> Image.Image:
    """The image in a file, scaled down."""
    with _open_image(folder, name, at) as picture:
        picture.draft("RGB", (2 * CELL, 2 * CELL))
        turned = ImageOps.exif_transpose(picture).convert("RGBA")
    turned.thumbnail((CELL, CELL))
    return turned


@contextmanager
def _open_image(folder: Path, name: Any, at: int) -> Iterator[Image.Image]:
    """The image in a file, of which only the beginning has been read."""
    where = f"images[{at}] = {str(name)[:200]!r}"
    try:
        check_readable(folder / name)
        file = (folder / name).open("rb")
    except (OSError, TypeError, ValueError):
        raise UnreadableFile(
            where,
            f": there is no such file that can be read (from {str(folder)!r}). Give "
            "names relative to that folder, or '' for objects without an image.",
        ) from None
    try:
        with file, Image.open(file, formats=FORMATS) as picture:
            refuse_if(
                picture.width * picture.height > MOST_PIXELS,
                InvalidFile,
                f"{where} has more than {MOST_PIXELS:,} pixels: give a smaller one.",
            )
            yield picture
    except InvalidFile:
        raise
    except Exception:  # a decoder can raise nearly anything on a broken file
        raise InvalidFile(
            where, f" is not an image of a known kind: {', '.join(FORMATS)}."
        ) from None


def _paste(
    pictures: Sequence[Image.Image | None], cell: int, mode: str, n_on_the_web: int
) -> Sheet:
    columns = max(1, round(len(pictures) ** 0.5))
    rows = -(-len(pictures) // columns)
    sheet = Image.new(mode, (columns * cell, rows * cell), 0)
    for at, picture in enumerate(pictures):
        if picture is not None:
            small = picture.convert(mode)
            small.thumbnail((cell, cell))
            x = at % columns * cell + (cell - small.width) // 2
            y = at // columns * cell + (cell - small.height) // 2
            sheet.paste(small, (x, y))
    kind = "PNG" if cell <= LARGEST_TINY else "WEBP"
    file = io.BytesIO()
    sheet.save(file, kind, **({"optimize": True} if kind == "PNG" else {"quality": 80}))
    text = base64.b64encode(file.getvalue()).decode("ascii")
    has = tuple(picture is not None for picture in pictures)
    uri = f"data:image/{kind.lower()};base64,{text}"
    return Sheet(uri, cell, columns, has, n_on_the_web)
