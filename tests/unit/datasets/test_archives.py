from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest

from tripletree import InvalidFile
from tripletree.datasets import files
from tripletree.datasets.files import gunzip, unpack_tar_gz, unpack_zip


def everything(name):
    return True


def tar_gz(files, link=None):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, contents in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(contents)
            archive.addfile(member, io.BytesIO(contents))
        if link is not None:
            member = tarfile.TarInfo("link")
            member.type, member.linkname = tarfile.SYMTYPE, link
            archive.addfile(member)
    return packed.getvalue()


def zipped(files, **options):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, contents in files.items():
            archive.writestr(name, contents)
    return packed.getvalue()


UNPACK = [(tar_gz, unpack_tar_gz), (zipped, unpack_zip)]


@pytest.mark.parametrize(("pack", "unpack"), UNPACK)
def test_wanted_files_come_back(pack, unpack):
    files = {"a/one.json": b"1", "a/two.txt": b"2" * 5000, "three.json": b""}
    assert unpack(pack(files), "x", everything) == files
    found = unpack(pack(files), "x", lambda name: name.endswith(".json"))
    assert found == {"a/one.json": b"1", "three.json": b""}


@pytest.mark.parametrize(("pack", "unpack"), UNPACK)
@pytest.mark.parametrize(
    "name", ["../evil", "a/../../evil", "/etc/evil", "a\\..\\evil", "C:/evil"]
)
def test_names_that_lead_out_are_refused(pack, unpack, name):
    packed = pack({"good": b"1", name: b"2"})
    with pytest.raises(InvalidFile, match=r"x\.zip holds a file named .*evil'.* leads"):
        unpack(packed, "x.zip", lambda wanted: wanted == "good")


@pytest.mark.parametrize(("pack", "unpack"), UNPACK)
def test_size_is_counted_while_unpacking(pack, unpack, monkeypatch):
    bomb = pack({"a": bytes(300_000), "b": bytes(300_000)})
    assert len(bomb) < 5000
    monkeypatch.setattr(files, "MOST_BYTES", 400_000)
    with pytest.raises(InvalidFile, match="unpacks to more than 400000 bytes"):
        unpack(bomb, "x", everything)
    monkeypatch.setattr(files, "MOST_BYTES", 700_000)
    assert len(unpack(bomb, "x", everything)) == 2


@pytest.mark.parametrize(("pack", "unpack"), UNPACK)
def test_number_of_files_is_limited(pack, unpack, monkeypatch):
    monkeypatch.setattr(files, "MOST_MEMBERS", 3)
    assert len(unpack(pack(dict.fromkeys("abc", b"")), "x", everything)) == 3
    with pytest.raises(InvalidFile, match="more than 3 files"):
        unpack(pack(dict.fromkeys("abcd", b"")), "x", everything)


@pytest.mark.parametrize(("pack", "unpack"), UNPACK)
@pytest.mark.parametrize("share", [0, 0.3, 0.9, 0.999])
def test_every_cut_is_noticed(pack, unpack, share):
    whole = pack({"a": bytes(range(256)) * 40, "b": b"2"})
    with pytest.raises(InvalidFile, match=r"x is not a whole .*cut off or damaged"):
        unpack(whole[: int(share * len(whole))], "x", everything)


@pytest.mark.parametrize("size", [512, 1024, 1500, 2048])
def test_a_tar_cut_between_or_within_files_is_noticed(size):
    inside = gzip.decompress(tar_gz({"a": b"1" * 512, "b": b"2"}))
    with pytest.raises(InvalidFile, match="not a whole tar"):
        unpack_tar_gz(gzip.compress(inside[:size]), "x", everything)


def test_links_are_refused():
    with pytest.raises(InvalidFile, match="'link' is neither a file nor a folder"):
        unpack_tar_gz(tar_gz({"a": b"1"}, link="/etc/passwd"), "x", everything)


def test_damage_is_noticed():
    packed = bytearray(zipped({"a": bytes(range(256)) * 40}))
    packed[200] ^= 255
    with pytest.raises(InvalidFile, match="not a whole zip"):
        unpack_zip(bytes(packed), "x", everything)
    encrypted = bytearray(zipped({"a": b"secret"}))
    encrypted[6] |= 1
    encrypted[encrypted.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(InvalidFile, match=r"not a whole zip file \(.*encrypted"):
        unpack_zip(bytes(encrypted), "x", everything)


def test_gunzip(monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 3)
    assert gunzip(gzip.compress(b"abc"), "x") == b"abc"
    with pytest.raises(InvalidFile, match="more than 3 bytes"):
        gunzip(gzip.compress(b"abcd"), "x")
    for junk in (b"abc", gzip.compress(b"abc")[:-6], b"\x1f\x8b junk"):
        with pytest.raises(InvalidFile, match="not a whole gzip"):
            gunzip(junk, "x")
