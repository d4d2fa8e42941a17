"""Settings of the property tests, and where the real data is."""

import os
import pkgutil
import shlex
import signal
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.processes import without_first_run

# No deadline, and no complaint about slow examples: kernels compile during the first
# one, and a machine can be busy. Examples may share a folder and write there again.
CHECKS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
PATIENT = {"deadline": None, "suppress_health_check": CHECKS}
settings.register_profile("default", max_examples=100, **PATIENT)
settings.register_profile("quick", max_examples=10, **PATIENT)
settings.register_profile("ci", max_examples=100, derandomize=True, **PATIENT)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# Background jobs of a shell ignore Ctrl-C, and so would the tests of it and all that
# they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="accept what users see now"
    )


def pytest_collection_finish():
    """Where examples must not change from run to run: import the whole package.

    Hypothesis also draws numbers and texts that it finds in modules imported so far,
    and which these are would depend on the tests that a worker has run before.
    """
    if os.environ.get("CI"):
        import tripletree

        for module in pkgutil.walk_packages(tripletree.__path__, "tripletree."):
            if module.name != "tripletree.__main__":
                import_module(module.name)


def pytest_collection_modifyitems(config, items):
    """Leave out what is run by hand, unless `-m stress` asks for it."""
    if "stress" not in config.option.markexpr:
        by_hand = [item for item in items if item.get_closest_marker("stress")]
        config.hook.pytest_deselected(items=by_hand)
        items[:] = [item for item in items if item not in by_hand]


def pytest_make_parametrize_id(val):
    """Name no test by bytes: packed files hold the time, and processes must agree."""
    return f"{len(val)}-bytes" if isinstance(val, bytes) else None


@pytest.fixture
def data_folder() -> Path:
    """The folder of real data sets; skips where there is none."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("TRIPLETREE_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data: set TRIPLETREE_DATA to its folder ({folder})")
    return folder


@pytest.fixture
def command(capsys):
    """Runs a command line in this process; what it printed, as `out` and `err`."""
    from tripletree.cli import main

    def run(line, *more, code=0):
        found = main([*shlex.split(line), *map(str, more)])
        printed = capsys.readouterr()
        printed = printed._replace(err=without_first_run(printed.err))
        assert found == code, printed.err
        assert "Traceback" not in printed.err
        return printed

    return run
