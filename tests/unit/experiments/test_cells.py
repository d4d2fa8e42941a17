"""Cells: run in processes, kept in files, and never run again."""

import json
import multiprocessing
import os
import signal
from contextlib import closing
from dataclasses import dataclass
from unittest.mock import Mock

import pytest

from tripletree.errors import ExperimentFailed, InvalidOption
from tripletree.experiments.cells import (
    ONE_THREAD,
    Cell,
    grid,
    run_cells,
    run_in_processes,
)

pytestmark = pytest.mark.compiled


def refuse():
    message = "no such run."
    raise InvalidOption(message)


ACTIONS = {
    "die": lambda: os._exit(1),
    "fail": lambda: 1 / 0,
    "refuse": refuse,
    "threads": lambda: [os.environ.get(name) for name in ONE_THREAD],
    "interrupt": lambda: signal.raise_signal(signal.SIGINT),  # as Ctrl-C does to all
}


@dataclass(frozen=True)
class Task(Cell):
    """A cell that needs no kernels, so the process starts quickly."""

    def run(self):
        what = dict(self.parameters)["what"]
        action = ACTIONS.get(what, lambda: [{"what": what, "value": int(what) / 3}])
        return action()


def task(what, n=7):
    return Task("task", (("what", what), ("n", n)))


def results(*whats, n_jobs=2):
    tasks = [task(what) for what in whats]
    with closing(run_in_processes(tasks, n_jobs)) as finished:
        return {dict(one.parameters)["what"]: result for one, result in finished}


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    assert multiprocessing.active_children() == []


def test_every_task_is_run():
    found = results(*map(str, range(7)))
    assert found == {str(k): task(str(k)).run() for k in range(7)}
    assert results() == {}


def test_processes_have_one_thread_and_do_not_hear_interrupts(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "7")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    handler = signal.getsignal(signal.SIGINT)  # Spark in the same process has its own
    found = results("threads", "interrupt", n_jobs=1)
    assert found == {"threads": ["1"] * len(ONE_THREAD), "interrupt": None}
    assert os.environ["NUMBA_NUM_THREADS"] == "7"
    assert "OMP_NUM_THREADS" not in os.environ
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("fail", r"task\(what=fail, n=7\): ZeroDivisionError: division by zero"),
        ("die", r"task\(what=die, n=7\): its process ended unexpectedly"),
    ],
)
def test_what_goes_wrong_is_said(what, words):
    with pytest.raises(ExperimentFailed, match=words):
        results(what)


def test_a_key_while_processes_start_is_answered_after(monkeypatch):
    """It is not lost, and no process that has started is forgotten."""
    context = multiprocessing.get_context("spawn")
    started = Mock(wraps=context.Pipe)
    handler = signal.getsignal(signal.SIGINT)

    def press():
        signal.raise_signal(signal.SIGINT)
        return started()

    monkeypatch.setattr(context, "Pipe", press)
    with pytest.raises(KeyboardInterrupt):
        results("1", "2")
    assert started.call_count == 2
    assert signal.getsignal(signal.SIGINT) is handler
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


CELLS = [task(str(run)) for run in range(4)]


def run_all(folder, cells=CELLS, n_jobs=1, version="1", **options):
    return run_cells(cells, folder, version=version, n_jobs=n_jobs, **options)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.slow
def test_same_bytes_for_any_number_of_jobs(tmp_path):
    cells = grid(
        "theorem2", shape=["random"], n=[7], flip=[0.0], ratio=["1"], run=range(4)
    )
    one = run_all(tmp_path / "one", cells)
    assert one == run_all(tmp_path / "two", [*cells[::-1], cells[0]], n_jobs=2)
    assert len(contents(tmp_path / "one")) == 4
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    records = one[cells[2]]
    assert [r["method"] for r in records] == ["adds3_al", "climb", "complete", "auto"]
    assert records == cells[2].run()


@pytest.mark.slow
def test_an_interrupted_run_goes_on_from_what_is_finished(tmp_path):
    seen, again = [], []

    def stop(progress):
        seen.append((progress.done, progress.total))
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(tmp_path, n_jobs=2, progress=stop)
    kept = contents(tmp_path)
    found = run_all(tmp_path, progress=lambda p: again.append((p.done, p.total)))
    assert seen == [(0, 4), (1, 4), (2, 4)]
    assert again == [(2, 4), (3, 4), (4, 4)]
    assert len(kept) == 2
    assert kept.items() <= contents(tmp_path).items()
    assert found == run_all(tmp_path / "whole")


def test_finished_cells_are_read_and_not_run(tmp_path):
    run_all(tmp_path, CELLS[:1])
    (path,) = tmp_path.iterdir()
    stored = json.loads(path.read_text()) | {"records": [{"made": "up"}]}
    path.write_text(json.dumps(stored))
    assert run_all(tmp_path, CELLS[:1]) == {CELLS[0]: [{"made": "up"}]}


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "{", "[]", '{"records": []}', '{"version": 1}'])
def test_a_broken_file_is_made_again(tmp_path, text):
    whole = run_all(tmp_path, CELLS[:1])
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    path.write_text(text)
    assert run_all(tmp_path, CELLS[:1]) == whole
    assert path.read_bytes() == content


def test_a_grid_is_every_combination():
    assert [str(one) for one in grid("tiny", a=[1, 2], b="xy")] == [
        "tiny(a=1, b=x)",
        "tiny(a=1, b=y)",
        "tiny(a=2, b=x)",
        "tiny(a=2, b=y)",
    ]


def test_cells_differ_by_parameters_and_version(tmp_path):
    run_all(tmp_path, [CELLS[0], task("0", n=8)])
    run_all(tmp_path, CELLS[:1], version="2")
    assert len(contents(tmp_path)) == 3


def test_a_cell_that_fails_is_named_and_the_others_are_kept(tmp_path):
    with pytest.raises(ExperimentFailed, match=r"task\(what=refuse, n=7\): no such"):
        run_all(tmp_path, [CELLS[0], task("refuse"), CELLS[1]])
    assert len(contents(tmp_path)) == 1
