"""Fixtures of the tests of files: one that is written, and one that is read as well."""

import pytest

import tripletree as tt


@pytest.fixture
def written(tmp_path):
    """Write text, or bytes, into a file, and return its path."""

    def write(content, name="answers.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def read(written):
    """Write text, or bytes, into a file, and read the comparisons in it."""

    def write_and_read(content, name="answers.csv", **options):
        return tt.read_comparisons(written(content, name), **options)

    return write_and_read
