import pytest


@pytest.fixture
def put(tmp_path, monkeypatch):
    """A function that writes a file below the folder that TRIPLETREE_DATA names."""
    monkeypatch.setenv("TRIPLETREE_DATA", str(tmp_path))

    def write(path, contents):
        target = tmp_path / path
        target.parent.mkdir(exist_ok=True)
        data = contents.encode() if isinstance(contents, str) else contents
        target.write_bytes(data)

    return write
