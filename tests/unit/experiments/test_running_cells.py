from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import closing
from dataclasses import dataclass

import pytest

from tripletree.errors import ExperimentFailed, InvalidOption
from tripletree.experiments.cells import ONE_THREAD, run_in_processes


@dataclass(frozen=True)
class Task:
    """What a process is to do."""

    what: str

    def run(self):
        if self.what == "die":
            os._exit(1)
        if self.what == "refuse":
            message = "this is not allowed."
            raise InvalidOption(message)
        if self.what == "fail":
            return 1 / 0
        if self.what == "threads":
            return [os.environ.get(name) for name in ONE_THREAD]
        if self.what == "interrupt":
            os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C does to the whole group
        return self.what.upper()


def results(*whats, n_jobs=2):
    tasks = [Task(what) for what in whats]
    with closing(run_in_processes(tasks, n_jobs)) as finished:
        found = {task.what: result for task, result in finished}
    assert multiprocessing.active_children() == []
    return found


def test_every_task_is_run():
    whats = [f"task {number}" for number in range(7)]
    assert results(*whats) == {what: what.upper() for what in whats}
    assert results() == {}


def test_processes_have_one_thread_and_do_not_hear_interrupts(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "7")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    found = results("threads", "interrupt", n_jobs=1)
    assert found == {"threads": ["1"] * len(ONE_THREAD), "interrupt": "INTERRUPT"}
    assert os.environ["NUMBA_NUM_THREADS"] == "7"
    assert "OMP_NUM_THREADS" not in os.environ
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("refuse", r"Task\(what='refuse'\): this is not allowed"),
        ("fail", r"Task\(what='fail'\): ZeroDivisionError: division by zero"),
        ("die", r"Task\(what='die'\): its process ended without a word"),
    ],
)
def test_what_goes_wrong_is_said_and_nothing_is_left_running(what, words):
    with pytest.raises(ExperimentFailed, match=words):
        results(what)
    assert multiprocessing.active_children() == []


def test_a_key_while_processes_start_is_answered_after(monkeypatch):
    """It is not lost, and no process that has started is forgotten."""
    started = []
    pipe = multiprocessing.get_context("spawn").Pipe

    def press(*arguments):
        signal.raise_signal(signal.SIGINT)
        started.append(1)
        return pipe(*arguments)

    monkeypatch.setattr(multiprocessing.get_context("spawn"), "Pipe", press)
    with pytest.raises(KeyboardInterrupt):
        results("a", "b")
    assert len(started) == 2
    assert multiprocessing.active_children() == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_leaving_early_ends_the_processes():
    tasks = [Task("a"), Task("b"), Task("c")]
    with closing(run_in_processes(tasks, 2)) as finished:
        next(finished)
    assert multiprocessing.active_children() == []
