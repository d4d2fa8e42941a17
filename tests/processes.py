"""Processes that tests start: Python, or the command in a shell."""

import os
import re
import subprocess
import sys

import pytest


def environment(*, measured=True, **settings):
    """The environment of a process that imports what this one does.

    measured: by coverage. One that Ctrl-C stops anywhere must not be, because locks of
    coverage would stay locked.
    """
    own = {
        name: value
        for name, value in os.environ.items()
        if measured or not name.startswith("COVERAGE_")
    }
    return {**own, "PYTHONPATH": os.pathsep.join(sys.path), **settings}


def run(*command, check=False, env=None, encoding="utf-8", **options):
    """A process that has ended, and the text that it printed."""
    done = subprocess.run(
        [str(part) for part in command],
        check=check,
        env=environment() if env is None else env,
        capture_output=True,
        encoding=encoding,
        **options,
    )
    done.stderr = without_first_run(done.stderr)
    return done


def without_first_run(text):
    """What was printed, but for the line about compiling, which comes only once."""
    return re.sub(r"(?m)^First run: compiling .*\n", "", text)


def missing(what, variable):
    """Skip; or fail, where the environment says that it is required."""
    if os.environ.get(variable) == "required":
        pytest.fail(what)
    pytest.skip(what)


def run_python(code, *arguments, **options):
    return run(sys.executable, "-c", code, *arguments, **options)


def run_command(line, before="", **settings):
    """A command line of tripletree in a shell, after another command of the shell."""
    line = f"{before} exec {sys.executable} -m tripletree {line}"
    return run("bash", "-c", line, env=environment(**settings))
