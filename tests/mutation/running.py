"""Running tests in a process of their own, with a fault or without.

Processes are forked from one that has loaded NumPy, pytest and the like, but nothing of
tripletree. Kernels run as plain Python: nothing has to be compiled, no cache can be
stale, and a place outside an array is an error. A module with a fault is never written
to disk: an import hook gives its code.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

import pytest

ROOT = Path(__file__).resolve().parents[2]
LARGEST_MEMORY = 8 * 2**30
LARGEST_TIME = 1800.0  # of a process, by the clock: for threads that wait for ever
T = TypeVar("T")


def load_libraries() -> None:
    """Load what most tests need, before the first fork."""
    os.environ.update(NUMBA_DISABLE_JIT="1", CI="1", OPENBLAS_NUM_THREADS="1")
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    for name in (
        "numpy",
        "numba",
        "scipy.sparse",
        "scipy.cluster.hierarchy",
        "hypothesis.extra.numpy",
        "duckdb",
        "pandas",
    ):
        importlib.import_module(name)


def run_all(
    works: Sequence[tuple[T, Callable[[], Any]]], jobs: int
) -> Iterator[tuple[T, Any]]:
    """Do each work in a process of its own, a few at a time; answers as they come.

    An answer is what the work returned (as JSON), or the number of the signal that
    ended it, or None if it ended otherwise.
    """
    todo = list(works)[::-1]
    running: dict[int, tuple[T, int, float]] = {}
    while todo or running:
        while todo and len(running) < jobs:
            name, work = todo.pop()
            pid, answers = _start(work)
            running[pid] = name, answers, time.monotonic()
        time.sleep(0.02)
        for pid, (name, answers, began) in list(running.items()):
            if time.monotonic() - began > LARGEST_TIME:
                os.kill(pid, signal.SIGKILL)
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del running[pid]
                with os.fdopen(answers) as file:
                    text = file.read()
                by_signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
                yield name, json.loads(text) if text else by_signal


def _start(work: Callable[[], Any]) -> tuple[int, int]:
    """Fork; the child's answer goes into a file without a name."""
    answers = os.memfd_create("answer")
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid, answers
    errors = os.dup(2)
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        resource.setrlimit(resource.RLIMIT_AS, (LARGEST_MEMORY, LARGEST_MEMORY))
        text = json.dumps(work()).encode()
        os.pwrite(answers, text, 0)
    except BaseException:
        os.write(errors, traceback.format_exc().encode())
    finally:
        os._exit(0)  # without the ends of the parent


class _Plugin:
    """Settings of Hypothesis, and what pytest reports."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings

        # A fault has been found when one example fails: there is no need to shrink it.
        phases = [Phase.explicit, Phase.generate]
        usual = settings.get_profile("ci")
        settings.register_profile("mutation", usual, phases=phases)
        settings.load_profile("mutation")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


class _TooSlow(Exception):
    """A test takes longer than all tests of a fault together may."""


class _Measuring(_Plugin):
    """How long each test takes, and which functions of the package it enters.

    Tests that take longer than most seconds are stopped and left out.
    """

    def __init__(self, most: float) -> None:
        super().__init__()
        self.most, self.is_too_slow = most, False
        self.tests: dict[str, dict[str, Any]] = {}
        self.entered: set[CodeType] = set()

    def enter(self, frame: FrameType, event: str, argument: Any) -> None:
        """For `sys.settrace`: a function begins. Its lines are of no interest."""
        self.entered.add(frame.f_code)

    def stop(self, number: int, frame: FrameType | None) -> None:
        """For the signal that comes when a test has had its time."""
        self.is_too_slow = True
        raise _TooSlow

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self) -> Iterator[None]:
        signal.setitimer(signal.ITIMER_PROF, self.most)
        yield
        signal.setitimer(signal.ITIMER_PROF, 0)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.entered.clear()
        n_failed, self.is_too_slow = len(self.failed), False
        began = time.process_time()
        sys.settrace(self.enter)
        threading.settrace(self.enter)
        yield
        sys.settrace(None)
        threading.settrace(None)
        seconds = time.process_time() - began
        if self.is_too_slow:
            del self.failed[n_failed:]
            return
        package = str(ROOT / "src") + "/"
        names = {
            f"{code.co_filename.removeprefix(package)}:{code.co_qualname}"
            for code in self.entered
            if code.co_filename.startswith(package)
        }
        self.tests[item.nodeid] = {"seconds": seconds, "functions": sorted(names)}


class _Selecting(_Plugin):
    """Only these tests in this order, none of them for much longer than usual."""

    def __init__(self, seconds: dict[str, float]) -> None:
        super().__init__()
        self.seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        by_name = {item.nodeid: item for item in items}
        items[:] = [by_name[name] for name in self.seconds if name in by_name]

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        now = time.process_time()
        limit = int(now + 4 + 5 * self.seconds[item.nodeid])
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _pytest(arguments: Sequence[str], plugin: _Plugin) -> int:
    quiet = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
    # Hypothesis was loaded before pytest could rewrite its assertions.
    loaded = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    arguments = [*quiet, *loaded, "-o", "addopts=", *arguments]
    return int(pytest.main(arguments, plugins=[plugin]))


def measure(file: str, most: float) -> dict[str, Any]:
    """All tests of a file without any fault: seconds and functions of each.

    Without those that take longer than most seconds.
    """
    plugin = _Measuring(most)
    signal.signal(signal.SIGPROF, plugin.stop)
    code = _pytest(["--maxfail=1000", file], plugin)
    package = sys.modules.get("tripletree")
    where = getattr(package, "__file__", None) or str(ROOT / "src")
    if not where.startswith(str(ROOT / "src")):
        plugin.failed.append(f"{file} tests {where}")
    # A test that is stopped at a bad moment takes pytest with it.
    is_whole = code in (0, 1, pytest.ExitCode.NO_TESTS_COLLECTED)
    return {"failed": plugin.failed, "tests": plugin.tests, "is_whole": is_whole}


def catch(module: str, code: CodeType, seconds: dict[str, float]) -> str:
    """The first test that fails with this code of a module, or "".

    seconds are the usual times of the tests to run, in their order.
    """
    sys.meta_path.insert(0, _Finder(module, code))
    plugin = _Selecting(seconds)
    files = list(dict.fromkeys(name.partition("::")[0] for name in seconds))
    ended = _pytest(files, plugin)
    if plugin.failed:
        return plugin.failed[0]
    return "" if ended == pytest.ExitCode.OK else f"pytest ended with {ended}"


class _Finder:
    """Finds the one module that has a fault."""

    def __init__(self, module: str, code: CodeType) -> None:
        self.module, self.code = module, code

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> ModuleSpec | None:
        if name != self.module:
            return None
        file = str(ROOT / "src" / Path(*name.split("."))) + ".py"
        loader = _Loader(name, file)
        loader.code = self.code
        return importlib.util.spec_from_file_location(name, file, loader=loader)


class _Loader(SourceFileLoader):
    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code
