"""The version: from the installation, quickly, and without git."""

import importlib.metadata
import re
from importlib.resources import files

import tripletree
from tests.processes import run_python


def test_version_is_that_of_the_installation():
    assert tripletree.__version__ == importlib.metadata.version("tripletree")
    assert re.match(r"\d+(\.\d+)*", tripletree.__version__)


def test_sources_that_were_never_installed(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert tripletree.__version__ == "0+unknown"


def test_version_costs_nothing_on_import():
    # Most of the time of importlib.metadata goes into the parser of e-mail.
    code = "import sys, tripletree; print('importlib.metadata' in sys.modules)"
    assert run_python(code, check=True).stdout.strip() == "False"


def test_types_are_announced():
    assert files("tripletree").joinpath("py.typed").is_file()
