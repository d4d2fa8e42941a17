"""Downloads against a server on this machine (nothing leaves it), and archives."""

import gzip
import hashlib
import io
import socket
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from tripletree import DataUnavailable, InvalidFile, InvalidOption
from tripletree.datasets import data_files as files
from tripletree.datasets.data_files import (
    FILES,
    ORIGINS,
    Address,
    gunzip,
    read_data_file,
    unpack_tar_gz,
    unpack_zip,
)

GOOD = b"1 2 3\n" * 1000
SHA256 = hashlib.sha256(GOOD).hexdigest()
FILE = "cars/answers.txt"


def tar_gz(contents, kind=tarfile.REGTYPE):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in contents.items():
            member = tarfile.TarInfo(name)
            member.size, member.type = len(data), kind
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=0)


def zipped(contents):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in contents.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        body = self.server.pages.get(self.path, b"")
        self.send_response({"/missing": 404, "/moved": 302}.get(self.path, 200))
        self.send_header("Location", "/good")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.path == "/half" else body)

    def log_message(self, *words):
        pass


@pytest.fixture
def server():
    """A server with some pages that notes what is asked for."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.pages = {"/good": GOOD, "/half": GOOD, "/other": b"not the file"}
        running.asked = []
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(files, "cache_folder", lambda: folder)
    monkeypatch.setattr(files, "FILES", dict(FILES))
    origins = {**ORIGINS, "cars": {"page": "https://example.org/cars"}}
    monkeypatch.setattr(files, "ORIGINS", origins)
    monkeypatch.delenv("TRIPLETREE_DATA", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return folder


def offer(server, *pages, contents=GOOD, member=None, file=FILE):
    """Say that these pages have the file; with this hash."""
    sha256 = hashlib.sha256(contents).hexdigest()
    base = f"http://127.0.0.1:{server.server_port}"
    files.FILES[file] = tuple(Address(base + page, sha256, member) for page in pages)


def files_in(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_right_hash_is_kept_and_asked_for_once(server, cache):
    """Then it serves offline, too."""
    offer(server, "/moved")
    assert read_data_file(FILE) == read_data_file(FILE) == GOOD
    assert (server.asked, files_in(cache)) == (["/moved", "/good"], [FILE])
    (cache / FILE).write_bytes(GOOD[:-1])  # damaged: it is got again
    assert (read_data_file(FILE), server.asked) == (GOOD, ["/moved", "/good"] * 2)
    server.pages.clear()
    assert (read_data_file(FILE), len(server.asked)) == (GOOD, 4)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("/other", "ValueError: SHA256 hash"),
        ("/missing", "HTTPError: 404"),
        ("/half", "ChunkedEncodingError|ConnectionError|ValueError: SHA256"),
    ],
)
def test_failures_leave_nothing_and_the_second_mirror_takes_over(
    server, cache, page, reason
):
    offer(server, page)
    with pytest.raises(DataUnavailable) as caught:
        read_data_file(FILE)
    assert caught.match(f"{page}: ({reason})")
    for words in (
        f"{FILE} is not here and could not be downloaded",
        "Get it by hand from https://example.org/cars",
        f"put it at {FILE}, and name the folder above with data_home= or",
        "TRIPLETREE_DATA",
    ):
        assert words in str(caught.value)
    assert files_in(cache) == []
    offer(server, page, "/good")
    assert (read_data_file(FILE), files_in(cache)) == (GOOD, [FILE])
    assert server.asked == [page, page, "/good"]


def test_offline(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("TRIPLETREE_DATA", str(tmp_path))
    with socket.socket() as reserved:  # nobody listens there, nor can anyone else
        reserved.bind(("127.0.0.1", 0))
        offer(SimpleNamespace(server_port=reserved.getsockname()[1]), "/good", "/moved")
        with pytest.raises(DataUnavailable) as caught:
            read_data_file(FILE)
    assert str(caught.value).count(": ConnectionError: ") == 2
    assert caught.match(f"put it at {tmp_path}/cars/answers.txt")
    assert files_in(cache) == []


def test_endless_bodies_and_a_cache_that_cannot_be_written(server, cache, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", len(GOOD) - 1)
    offer(server, "/good")
    with pytest.raises(DataUnavailable, match=f"sends more than {len(GOOD) - 1} bytes"):
        read_data_file(FILE)
    assert files_in(cache) == []
    cache.rename(cache.with_name("other"))
    cache.write_text("a file where the folder should be")
    with pytest.raises(DataUnavailable, match=r"cars/answers\.txt is not here"):
        read_data_file(FILE)


def test_a_file_of_an_archive(server, cache):
    packed = server.pages["/all.zip"] = zipped({"inside/answers.txt": GOOD})
    offer(server, "/all.zip", contents=packed, member="inside/answers.txt")
    assert read_data_file(FILE) == GOOD
    assert files_in(cache) == [f"{hashlib.sha256(packed).hexdigest()[:16]}.zip"]
    dead = Address("http://127.0.0.1/missing", SHA256)
    files.FILES[FILE] = (dead, *files.FILES[FILE])
    assert read_data_file(FILE) == GOOD  # what is cached goes before what is not
    offer(server, "/all.zip", contents=packed, member="inside/else.txt")
    with pytest.raises(InvalidFile, match=r"holds no file 'inside/else\.txt'"):
        read_data_file(FILE)
    assert server.asked == ["/all.zip"]


def test_local_copies_come_first_and_as_they_are(server, cache, tmp_path, monkeypatch):
    offer(server, "/good")
    for name, ending, data in (
        ("one", "txt", b"one"),
        ("two", "txt.gz", gzip.compress(b"two")),
        ("empty", "else", b""),
    ):
        (tmp_path / name / "cars").mkdir(parents=True)
        (tmp_path / name / "cars" / f"answers.{ending}").write_bytes(data)
    monkeypatch.setenv("TRIPLETREE_DATA", str(tmp_path / "two"))
    for home in (tmp_path / "one", str(tmp_path / "one")):
        assert read_data_file(FILE, home) == b"one"
    assert (read_data_file(FILE), server.asked) == (b"two", [])
    assert read_data_file(FILE, tmp_path / "empty") == GOOD
    monkeypatch.setenv("TRIPLETREE_DATA", "")
    assert (read_data_file(FILE), server.asked) == (GOOD, ["/good"])


def test_wrong_local_files(server, cache, put, tmp_path, monkeypatch):
    offer(server, "/good")
    put(f"{FILE}.gz", gzip.compress(GOOD)[:-10])
    with pytest.raises(InvalidFile, match=r"answers\.txt\.gz: not a whole gzip"):
        read_data_file(FILE)
    (tmp_path / FILE).mkdir()
    with pytest.raises(DataUnavailable, match=r"answers\.txt cannot be read"):
        read_data_file(FILE)
    assert server.asked == []
    for wrong in (tmp_path / "nowhere", "", 7, "a\0b"):
        with pytest.raises(InvalidOption, match=r"data_home = .* is not a folder"):
            read_data_file(FILE, wrong)
    monkeypatch.setenv("TRIPLETREE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InvalidOption, match=r"TRIPLETREE_DATA = .*nowhere' is not a"):
        read_data_file(FILE)


def test_addresses_are_complete():
    """Every file has a page, a place of its own, and hashes that can be hashes."""
    assert len(FILES) == 17
    by_hand = {path for path, addresses in FILES.items() if not addresses}
    assert by_hand == {"food/raw-json.tar.gz", "material/material_names.txt"}
    for path, addresses in FILES.items():
        assert ORIGINS[path.split("/")[0]]["page"].startswith("http")
        for address in addresses:
            assert address.url.startswith("http")
            assert len(bytes.fromhex(address.sha256)) == 32


def everything(name):
    return True


def gunzip_all(packed, where, wanted):
    return gunzip(packed, where)


@pytest.mark.parametrize(
    ("pack", "unpack"), [(tar_gz, unpack_tar_gz), (zipped, unpack_zip)]
)
def test_wanted_files_come_back(pack, unpack):
    contents = {"a/one.json": b"1", "a/two.txt": b"2" * 5000, "three.json": b""}
    assert unpack(pack(contents), "x", everything) == contents
    found = unpack(pack(contents), "x", lambda name: name.endswith(".json"))
    assert found == {"a/one.json": b"1", "three.json": b""}


TWO = {"a": bytes(300_000), "b": bytes(300_000)}


@pytest.mark.parametrize(
    ("unpack", "bomb", "n_bytes", "n_found"),
    [
        (unpack_tar_gz, tar_gz(TWO), len(gzip.decompress(tar_gz(TWO))), 2),
        (unpack_zip, zipped(TWO), 600_000, 2),
        (gunzip_all, gzip.compress(bytes(600_000)), 600_000, 600_000),
    ],
    ids=["tar", "zip", "gzip"],
)
def test_size_is_counted_while_unpacking(unpack, bomb, n_bytes, n_found, monkeypatch):
    assert len(bomb) < 5000
    monkeypatch.setattr(files, "MOST_BYTES", n_bytes - 1)
    with pytest.raises(InvalidFile, match=f"it has more than {n_bytes - 1} bytes"):
        unpack(bomb, "x", everything)
    monkeypatch.setattr(files, "MOST_BYTES", n_bytes)
    assert len(unpack(bomb, "x", everything)) == n_found


WHOLE = {"a": bytes(range(256)) * 40, "b": b"2"}
INSIDE = gzip.decompress(tar_gz({"a": b"1" * 512, "b": b"2"}))
DAMAGED, ENCRYPTED = bytearray(zipped(WHOLE)), bytearray(zipped({"a": b"secret"}))
DAMAGED[200] ^= 255
ENCRYPTED[6] |= 1
ENCRYPTED[ENCRYPTED.index(b"PK\1\2") + 8] |= 1


@pytest.mark.parametrize(
    ("unpack", "packed", "words"),
    [
        *[
            (
                unpack,
                pack(WHOLE)[: int(share * len(pack(WHOLE)))],
                "x: not a whole .* Get the file again",
            )
            for pack, unpack in ((tar_gz, unpack_tar_gz), (zipped, unpack_zip))
            for share in (0, 0.3, 0.9, 0.999)
        ],
        *[  # a tar cut between or within files
            (unpack_tar_gz, gzip.compress(INSIDE[:size]), "not a whole tar .*")
            for size in (512, 1024, 1500, 2048)
        ],
        *[
            (gunzip_all, packed, "x: not a whole gzip")
            for packed in (b"abc", gzip.compress(b"abc")[:-6], b"\x1f\x8b junk")
        ],
        (unpack_zip, bytes(DAMAGED), "not a whole zip .*"),
        (unpack_zip, bytes(ENCRYPTED), r"not a whole zip file \(.*encrypted.*"),
    ],
)
def test_damage_is_noticed(unpack, packed, words):
    with pytest.raises(InvalidFile, match=words):
        unpack(packed, "x", everything)


def test_links_are_left_out():
    assert unpack_tar_gz(tar_gz({"link": b""}, tarfile.SYMTYPE), "x", everything) == {}
