from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

from tripletree import InvalidFile, InvalidOption, Mismatch, UnreadableFile
from tripletree.report.thumbnails import make_sheet


def decoded(sheet):
    data = base64.b64decode(sheet.uri.split(",")[1])
    return Image.open(io.BytesIO(data))


def test_tiny_pictures_keep_their_pixels():
    pixels = np.arange(5 * 4 * 4).reshape(5, 4, 4).astype(np.uint8)
    sheet = make_sheet(pixels, 5, ".")
    assert sheet.uri.startswith("data:image/png;base64,")
    assert sheet.cell == 4
    assert all(sheet.has)
    whole = np.asarray(decoded(sheet))
    for at in range(5):
        row, column = divmod(at, sheet.columns)
        part = whole[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        assert np.array_equal(part, pixels[at])


def test_other_numbers_are_scaled():
    pixels = np.linspace(-1, 1, 2 * 3 * 3).reshape(2, 3, 3)
    whole = np.asarray(decoded(make_sheet(pixels, 2, ".")))
    assert whole.min() == 0
    assert whole.max() == 255
    assert not np.asarray(decoded(make_sheet(np.ones((2, 3, 3)), 2, "."))).any()


def test_colours_and_transparency():
    pixels = np.zeros((2, 3, 3, 4), np.uint8)
    pixels[1] = (10, 20, 30, 255)
    picture = decoded(make_sheet(pixels, 2, "."))
    assert picture.mode == "RGBA"
    colours = np.unique(np.asarray(picture).reshape(-1, 4), axis=0)
    assert colours.tolist() == [[0, 0, 0, 0], [10, 20, 30, 255]]


def test_files(tmp_path):
    Image.new("RGB", (300, 100), (200, 0, 0)).save(tmp_path / "wide.png")
    Image.new("L", (50, 90), 128).save(tmp_path / "high.jpg")
    names = ["wide.png", None, "high.jpg", "", "https://example.org/x.png"]
    sheet = make_sheet(names, 5, tmp_path)
    assert sheet.has == (True, False, True, False, False)
    assert sheet.n_on_the_web == 1
    assert sheet.cell == 64
    whole = np.asarray(decoded(sheet).convert("RGBA"))
    assert abs(int(whole[32, 32, 0]) - 200) < 8  # the middle of the first
    assert whole[2, 32, 3] == 0  # above a wide picture there is nothing
    assert abs(int(whole[64 + 32, 32, 0]) - 128) < 8


def test_the_same_pictures_make_the_same_bytes(tmp_path):
    rng = np.random.default_rng(0)
    Image.fromarray(rng.integers(0, 255, (80, 80, 3), np.uint8)).save(
        tmp_path / "a.png"
    )
    assert make_sheet(["a.png"], 1, tmp_path) == make_sheet(["a.png"], 1, tmp_path)


def test_what_is_no_picture(tmp_path):
    (tmp_path / "a.png").write_text("<svg onload=alert(1)>")
    (tmp_path / "b.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (tmp_path / "c.eps").write_text("%!PS-Adobe-3.0 EPSF-3.0\n")
    for name in ("a.png", "b.svg", "c.eps"):
        words = rf"images\[0\] = '{name}' is not an image"
        with pytest.raises(InvalidFile, match=words):
            make_sheet([name], 1, tmp_path)
    whole = tmp_path / "whole.png"
    Image.new("RGB", (99, 99)).save(whole)
    (tmp_path / "half.png").write_bytes(whole.read_bytes()[:80])
    with pytest.raises(InvalidFile, match="is not an image"):
        make_sheet(["half.png"], 1, tmp_path)


def test_too_many_pixels(tmp_path, monkeypatch):
    monkeypatch.setattr("tripletree.report.thumbnails.MOST_PIXELS", 99)
    Image.new("1", (10, 10)).save(tmp_path / "a.png")
    with pytest.raises(InvalidFile, match="more than 99 pixels"):
        make_sheet(["a.png"], 1, tmp_path)


@pytest.mark.parametrize("name", ["none.png", "folder", "\0", 3, "device"])
def test_no_such_file(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(UnreadableFile, match="there is no such file"):
        make_sheet([name], 1, tmp_path)


def test_wrong_input():
    with pytest.raises(InvalidOption, match=r"shape \(3, 4, 4\)"):
        make_sheet(np.zeros((3, 4, 4)), 5, ".")
    with pytest.raises(InvalidOption, match="NaN"):
        make_sheet(np.full((1, 2, 2), np.nan), 1, ".")
    with pytest.raises(InvalidOption, match="images of type str"):
        make_sheet("a.png", 1, ".")
    with pytest.raises(InvalidOption, match="images of type int"):
        make_sheet(3, 1, ".")
    with pytest.raises(Mismatch, match="2 images for 3 objects"):
        make_sheet(["", ""], 3, ".")
    with pytest.raises(InvalidOption, match="at most 10000"):
        make_sheet([], 10_001, ".")
