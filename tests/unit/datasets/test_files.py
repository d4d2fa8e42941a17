"""Downloads against a server on this machine: nothing leaves it."""

from __future__ import annotations

import gzip
import hashlib
import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tripletree import DataUnavailable, InvalidFile, InvalidOption, fetch_car
from tripletree.datasets import files
from tripletree.datasets.files import FILES, ORIGINS, Address, read_data_file

GOOD = b"1 2 3\n" * 1000
SHA256 = hashlib.sha256(GOOD).hexdigest()


class Server:
    """Answers `pages` by path; counts what was asked for."""

    def __init__(self):
        self.pages = {"/good": GOOD, "/other": b"not the file"}
        self.asked = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.path)
                body = server.pages.get(self.path)
                if self.path == "/moved":
                    self.send_response(302)
                    self.send_header("Location", "/good")
                    self.end_headers()
                    return
                if self.path == "/truncated":
                    body = GOOD
                if body is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                cut = len(body) // 2 if self.path == "/truncated" else len(body)
                self.wfile.write(body[:cut])

            def log_message(self, *words):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(files, "cache_folder", lambda: folder)
    monkeypatch.setattr(files, "FILES", dict(FILES))
    origins = {**ORIGINS, "cars": {"page": "https://example.org/cars"}}
    monkeypatch.setattr(files, "ORIGINS", origins)
    monkeypatch.delenv("TRIPLETREE_DATA", raising=False)
    return folder


def data_file(server, *paths, sha256=SHA256, member=None):
    addresses = [Address(server.address + path, sha256, member) for path in paths]
    files.FILES["cars/answers.txt"] = tuple(addresses)
    return "cars/answers.txt"


def files_in(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_right_hash_is_kept_and_asked_for_once(server, cache):
    file = data_file(server, "/good")
    assert read_data_file(file) == GOOD
    assert read_data_file(file) == GOOD
    assert server.asked == ["/good"]
    assert files_in(cache) == ["cars/answers.txt"]


def test_redirections_are_followed(server, cache):
    assert read_data_file(data_file(server, "/moved")) == GOOD
    assert server.asked == ["/moved", "/good"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/other", "ValueError: SHA256 hash"),
        ("/missing", "HTTPError: 404"),
        ("/truncated", "ChunkedEncodingError|ConnectionError|ValueError: SHA256"),
    ],
)
def test_failures_leave_nothing_and_the_second_mirror_takes_over(
    server, cache, path, reason
):
    with pytest.raises(DataUnavailable) as caught:
        read_data_file(data_file(server, path))
    text = str(caught.value)
    assert caught.match(f"{server.address}{path}: ({reason})")
    assert text.startswith("cars/answers.txt is not here and could not be downloaded")
    assert "Get it by hand from https://example.org/cars" in text
    assert "put it at cars/answers.txt below a folder" in text
    assert "TRIPLETREE_DATA" in text
    assert files_in(cache) == []

    assert read_data_file(data_file(server, path, "/good")) == GOOD
    assert server.asked == [path, path, "/good"]
    assert files_in(cache) == ["cars/answers.txt"]


def test_offline(server, cache, tmp_path):
    file = data_file(server, "/good", "/moved")
    server.stop()
    server.stop = lambda: None
    with pytest.raises(DataUnavailable) as caught:
        read_data_file(file)
    assert str(caught.value).count(": ConnectionError: ") == 2
    assert files_in(cache) == []
    with pytest.raises(OSError, match=f"put it at {tmp_path}/cars/answers.txt"):
        read_data_file(file, tmp_path)
    (tmp_path / "cars").mkdir()
    (tmp_path / "cars" / "answers.txt").write_bytes(b"by hand")
    assert read_data_file(file, tmp_path) == b"by hand"


def test_what_was_kept_serves_offline(server, cache):
    file = data_file(server, "/good")
    read_data_file(file)
    server.stop()
    server.stop = lambda: None
    assert read_data_file(file) == GOOD


def test_a_damaged_cache_is_mended(server, cache):
    file = data_file(server, "/good")
    read_data_file(file)
    (cache / "cars" / "answers.txt").write_bytes(GOOD[:-1])
    assert read_data_file(file) == GOOD
    assert server.asked == ["/good", "/good"]


def test_endless_bodies_are_cut(server, cache, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", len(GOOD) - 1)
    with pytest.raises(DataUnavailable, match=f"sends more than {len(GOOD) - 1} bytes"):
        read_data_file(data_file(server, "/good"))
    assert files_in(cache) == []


def test_a_cache_that_cannot_be_written_is_named(server, cache, tmp_path):
    cache.write_text("a file where the folder should be")
    with pytest.raises(DataUnavailable, match=r"cars/answers\.txt is not here"):
        read_data_file(data_file(server, "/good"))


def test_a_file_of_an_archive(server, cache):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside/answers.txt", GOOD)
    server.pages["/all.zip"] = packed.getvalue()
    sha256 = hashlib.sha256(packed.getvalue()).hexdigest()
    file = data_file(server, "/all.zip", sha256=sha256, member="inside/answers.txt")
    assert read_data_file(file) == GOOD
    assert files_in(cache) == [f"{sha256[:16]}.zip"]
    dead = Address(f"{server.address}/missing", SHA256)
    files.FILES[file] = (dead, *files.FILES[file])
    assert read_data_file(file) == GOOD  # what is cached goes before what is not
    other = data_file(server, "/all.zip", sha256=sha256, member="inside/else.txt")
    with pytest.raises(InvalidFile, match=r"holds no file 'inside/else\.txt'"):
        read_data_file(other)
    assert server.asked == ["/all.zip"]


def test_local_copies_come_first_and_as_they_are(server, cache, tmp_path, monkeypatch):
    file = data_file(server, "/good")
    for name in ("one", "two", "empty"):
        (tmp_path / name / "cars").mkdir(parents=True)
    (tmp_path / "one" / "cars" / "answers.txt").write_bytes(b"one")
    packed = gzip.compress(b"two")
    (tmp_path / "two" / "cars" / "answers.txt.gz").write_bytes(packed)
    monkeypatch.setenv("TRIPLETREE_DATA", str(tmp_path / "two"))
    assert read_data_file(file, tmp_path / "one") == b"one"
    assert read_data_file(file, str(tmp_path / "one")) == b"one"
    assert read_data_file(file) == b"two"
    assert server.asked == []
    assert read_data_file(file, tmp_path / "empty") == GOOD
    monkeypatch.setenv("TRIPLETREE_DATA", "")
    assert read_data_file(file) == GOOD
    assert server.asked == ["/good"]


def test_wrong_local_files(server, cache, tmp_path, monkeypatch):
    file = data_file(server, "/good")
    (tmp_path / "cars").mkdir()
    path = tmp_path / "cars" / "answers.txt.gz"
    path.write_bytes(gzip.compress(GOOD)[:-10])
    with pytest.raises(InvalidFile, match=r"answers\.txt\.gz is not a whole gzip"):
        read_data_file(file, tmp_path)
    path.unlink()
    path.with_suffix("").mkdir()
    with pytest.raises(DataUnavailable, match=r"answers\.txt cannot be read"):
        read_data_file(file, tmp_path)
    assert server.asked == []
    for wrong in (tmp_path / "nowhere", "", 7, "a\0b"):
        with pytest.raises(InvalidOption, match=r"data_home = .* is not a folder"):
            read_data_file(file, wrong)
    monkeypatch.setenv("TRIPLETREE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InvalidOption, match=r"TRIPLETREE_DATA = .*nowhere' is not a"):
        read_data_file(file)


def test_a_data_set_from_end_to_end(server, cache):
    survey = (
        b"survey_round,chosen_center,triplet_object_1,triplet_object_2,"
        b"triplet_object_3,response_time\n7,32,32,16,30,11.1\n8,1,2,1,60,3\n"
    )
    server.pages["/survey"] = survey
    sha256 = hashlib.sha256(survey).hexdigest()
    addresses = (
        Address(f"{server.address}/missing", sha256),
        Address(f"{server.address}/survey", sha256),
    )
    files.FILES["car/survey_data.csv"] = addresses
    cars = fetch_car()
    rows = [[15, 31, 29], [29, 31, 15], [1, 0, 59], [59, 0, 1]]
    assert cars.comparisons.rows.tolist() == rows
    assert cars.comparisons.annotators.tolist() == [0, 0, 1, 1]
    assert cars.comparisons.annotator_names == ("7", "8")
    assert files_in(cache) == ["car/survey_data.csv"]


def test_addresses_are_complete():
    """Every file has a page, a place of its own, and hashes that can be hashes."""
    assert len(FILES) == 17
    by_hand = {path for path, addresses in FILES.items() if not addresses}
    assert by_hand == {"food/raw-json.tar.gz", "material/material_names.txt"}
    for path, addresses in FILES.items():
        assert ORIGINS[path.split("/")[0]]["page"].startswith("http")
        assert not Path(path).is_absolute()
        for address in addresses:
            assert address.url.startswith("http")
            assert len(address.sha256) == 64
            int(address.sha256, 16)
