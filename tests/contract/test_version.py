"""The version: from the installation, and without git."""

import importlib.metadata
import re
from importlib.resources import files

import tripletree


def test_version_is_that_of_the_installation():
    assert tripletree.__version__ == importlib.metadata.version("tripletree")
    assert re.match(r"\d+(\.\d+)*", tripletree.__version__)


def test_sources_that_were_never_installed(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert tripletree.__version__ == "0+unknown"


def test_types_are_announced():
    assert files("tripletree").joinpath("py.typed").is_file()
