"""The version: from the installation, quickly, and without git."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

import tripletree
from tripletree import _version


def test_version_is_that_of_the_installation():
    assert tripletree.__version__ == importlib.metadata.version("tripletree")
    assert re.match(r"\d+(\.\d+)*", tripletree.__version__)


def test_sources_that_were_never_installed(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert _version.version() == "0+unknown"
    assert tripletree.__version__ == "0+unknown"


def test_version_costs_nothing_on_import():
    # Most of the time of importlib.metadata goes into the parser of e-mail.
    code = "import sys, tripletree; print('importlib.metadata' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_types_are_announced():
    from importlib.resources import files

    assert files("tripletree").joinpath("py.typed").is_file()
