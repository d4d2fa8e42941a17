import base64
import io

import numpy as np
import pytest
from PIL import Image

from tripletree import InvalidFile, InvalidOption, Mismatch, UnreadableFile
from tripletree.report.thumbnails import make_sheet


def decoded(sheet):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(sheet.uri.split(",")[1]))))


def test_tiny_pictures_keep_their_pixels():
    pixels = np.arange(5 * 4 * 4).reshape(5, 4, 4).astype(np.uint8)
    sheet = make_sheet(pixels, 5, ".")
    assert sheet.uri.startswith("data:image/png;base64,")
    assert (sheet.cell, sheet.has) == (4, (True,) * 5)
    whole = decoded(sheet)
    for at in range(5):
        row, column = divmod(at, sheet.columns)
        part = whole[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        assert np.array_equal(part, pixels[at])


def test_other_numbers_are_scaled():
    whole = decoded(make_sheet(np.linspace(-1, 1, 2 * 3 * 3).reshape(2, 3, 3), 2, "."))
    assert (whole.min(), whole.max()) == (0, 255)
    assert not decoded(make_sheet(np.ones((2, 3, 3)), 2, ".")).any()


def test_colours_and_transparency():
    pixels = np.zeros((2, 3, 3, 4), np.uint8)
    pixels[1] = (10, 20, 30, 255)
    colours = np.unique(decoded(make_sheet(pixels, 2, ".")).reshape(-1, 4), axis=0)
    assert colours.tolist() == [[0, 0, 0, 0], [10, 20, 30, 255]]


def test_files(tmp_path):
    Image.new("RGB", (300, 100), (200, 0, 0)).save(tmp_path / "wide.png")
    Image.new("L", (50, 90), 128).save(tmp_path / "high.jpg")
    names = ["wide.png", None, "high.jpg", "", "https://example.org/x.png"]
    sheet = make_sheet(names, 5, tmp_path)
    assert sheet == make_sheet(names, 5, tmp_path)  # the same bytes
    assert sheet.has == (True, False, True, False, False)
    assert (sheet.n_on_the_web, sheet.cell) == (1, 64)
    whole = decoded(sheet)
    assert abs(int(whole[32, 32, 0]) - 200) < 8  # the middle of the first
    assert whole[2, 32, 3] == 0  # above a wide picture there is nothing
    assert abs(int(whole[64 + 32, 32, 0]) - 128) < 8


PNG = io.BytesIO()
Image.new("RGB", (99, 99)).save(PNG, "png")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.png", b"<svg onload=alert(1)>"),
        ("b.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("c.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n"),
        ("half.png", PNG.getvalue()[:80]),
    ],
)
def test_what_is_not_a_picture(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidFile, match=rf"\[0\] = '{name}' is not an image"):
        make_sheet([name], 1, tmp_path)


def test_too_many_pixels(tmp_path, monkeypatch):
    monkeypatch.setattr("tripletree.report.thumbnails.MOST_PIXELS", 99)
    Image.new("1", (10, 10)).save(tmp_path / "a.png")
    with pytest.raises(InvalidFile, match="more than 99 pixels"):
        make_sheet(["a.png"], 1, tmp_path)


@pytest.mark.posix
@pytest.mark.parametrize("name", ["none.png", "folder", "\0", 3, "device"])
def test_no_such_file(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(UnreadableFile, match="there is no such file"):
        make_sheet([name], 1, tmp_path)


@pytest.mark.parametrize(
    ("images", "n", "error", "words"),
    [
        (np.zeros((3, 4, 4)), 5, InvalidOption, r"shape \(3, 4, 4\)"),
        (np.full((1, 2, 2), np.nan), 1, InvalidOption, "NaN"),
        ("a.png", 1, InvalidOption, "images of type str"),
        (3, 1, InvalidOption, "images of type int"),
        (["", ""], 3, Mismatch, "2 images for 3 objects"),
        ([], 10_001, InvalidOption, "at most 10000"),
    ],
)
def test_wrong_input(images, n, error, words):
    with pytest.raises(error, match=words):
        make_sheet(images, n, ".")
