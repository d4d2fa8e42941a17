"""Ctrl-C at any moment of every long command: it ends, and leaves nothing half done.

Moments are drawn with a seed, as shares of the time that the command takes once its
package has loaded. (Before, while Python loads it, Python itself answers: a traceback,
and the same 130 in a shell.)
"""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

import tripletree as tt
from tripletree.cli import main
from tripletree.commands import console

SECONDS = 60  # to end in; tens of times more than it takes
AT_ONCE = 0.5  # seconds between pressing a key and hearing of it, at most
LONGEST = 5  # seconds of a command in which moments are drawn
SHARES = [random.Random(seed).uniform(0.02, 0.95) for seed in range(3)]
# Says when the package has loaded and when the command was done, and lets Ctrl-C
# through if it is ignored here.
RUN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import tripletree.__main__ as command
open("loaded", "x").close()
code = command.main()
signal.signal(signal.SIGINT, signal.SIG_IGN)
if code == 0:
    open("done", "x").close()
sys.exit(code)
"""
LAST_BYTES = {
    ".html": b"</html>",
    ".pdf": b"%%EOF",
    ".png": b"IEND\xaeB`\x82",
    ".txt": b"",
}
COMMANDS = {
    "cluster": "cluster answers.csv --out out --support 100",
    "report": "report answers.csv --out report.html --support 100",
    "pairs": "pairs many.csv --out pairs.parquet",
    "reproduce": "reproduce table1 --quick --jobs 2 --out again",
    "plan": "plan --objects 200",
    "simulate": "simulate made.csv --objects 2000 --answers 3000000",
    "demo": "demo --out demo.html",
    "convert": "convert many.csv other.csv.gz",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with answers of 200 objects, and a larger file of them."""
    folder = tmp_path_factory.mktemp("answers")
    rng = np.random.default_rng(0)
    s = tt.planted(25, 3, rng=rng).similarity
    for name, m in (("answers.csv", 40_000), ("many.csv", 1_500_000)):
        tt.write_comparisons(tt.sample_triplets(s, m, flip=0.1, rng=rng), folder / name)
    return folder


def of_session(number):
    """Processes that a session of processes has left."""
    found = []
    for process in psutil.process_iter():
        try:
            is_alive = process.status() != psutil.STATUS_ZOMBIE
            if is_alive and os.getsid(process.pid) == number:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def left_after_a_while(number):
    """The same, once the tracker of shared resources has had time to end."""
    deadline = time.monotonic() + SECONDS / 4
    while of_session(number) and time.monotonic() < deadline:
        time.sleep(0.05)
    return of_session(number)


def started(name, folder, given):
    """Run a command in a folder with these files; once it has loaded, return it."""
    (folder / "tmp").mkdir(parents=True)
    for file in given.iterdir():
        (folder / file.name).symlink_to(file)
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *COMMANDS[name].split()],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TMPDIR": str(folder / "tmp"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (folder / "loaded").exists():
        assert process.poll() is None
        time.sleep(0.01)
    return process


def pressed(process):
    """Press Ctrl-C, if the process has not ended; when, and what it says."""
    moment = time.time()
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail("Ctrl-C did not end the command")
    return moment, errors


@pytest.fixture(scope="module")
def lengths(folder, tmp_path_factory):
    """Seconds that each command takes after loading, of those that were asked for."""
    found = {}

    def length(name):
        if name not in found:
            process = started(name, tmp_path_factory.mktemp(name) / "run", folder)
            began = time.monotonic()
            try:
                process.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                pressed(process)
            found[name] = time.monotonic() - began
        return found[name]

    return length


@pytest.mark.slow
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", COMMANDS)
def test_interrupt(name, share, folder, lengths, tmp_path):
    seconds, at = share * lengths(name), tmp_path / "0"
    while not is_stopped(name, seconds, at, folder):  # it was done: press sooner
        seconds /= 2
        at = at.with_name(f"{int(at.name) + 1}")


def is_stopped(name, seconds, here, folder):
    """Stop a command after some seconds, check what is left; False if it was done."""
    process = started(name, here, folder)
    time.sleep(seconds)
    moment, errors = pressed(process)
    files = [path for path in here.rglob("*") if path.is_file()]
    given = {"answers.csv", "many.csv", "loaded", "done"}
    made = [path for path in files if path.name not in given]
    assert not left_after_a_while(process.pid)
    assert not [path for path in made if (here / "tmp") in path.parents]
    assert not [path for path in made if path.name.startswith(".")]  # not renamed yet
    done = here / "done"
    if done.exists() and done.stat().st_mtime < moment + AT_ONCE:
        # Python itself was ending, if there was still anything to stop.
        assert process.returncode in (0, 130, -signal.SIGINT), errors
        return False
    # Python ends itself by the signal if a string that it runs was interrupted, too:
    # a shell shows 130 for both.
    assert process.returncode in (130, -signal.SIGINT), errors
    *_, last = ["", *errors.splitlines()]
    assert last.startswith("tripletree: stopped."), errors
    assert "Traceback" not in errors
    for path in made:
        check_whole(path)
    return True


def check_whole(path: Path) -> None:
    """What a command wrote before it was stopped can be read: no part of a file."""
    content = path.read_bytes()
    if path.suffix in (".nwk", ".npy") or path.name == "tree.json":
        tt.read_tree(path)
    elif path.suffix == ".json":
        json.loads(content)
    elif path.suffix == ".parquet":
        tt.read_pairs(path)
    elif path.name in ("made.csv", "other.csv.gz"):
        assert len(tt.read_comparisons(path)) in (1_500_000, 3_000_000)
    elif path.suffix == ".csv":
        rows = list(csv.reader(content.decode().splitlines()))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}
        assert content.endswith(b"\n")
    else:
        assert content.rstrip(b"\n").endswith(LAST_BYTES[path.suffix])


@pytest.mark.parametrize(
    ("command", "n_files"),
    [
        ("cluster few.csv --method adds-al --out out", 6),
        ("report few.csv --method adds-al --support 0 --out report.html", 1),
        ("pairs few.csv --out pairs.parquet", 1),
        ("simulate made.csv --objects 20 --answers 100", 1),
        ("convert few.csv other.csv.gz", 1),
        ("reproduce real --quick --jobs 1 --out again", 2),
    ],
)
def test_interrupt_while_a_file_is_written(
    command, n_files, tmp_path, monkeypatch, capsys
):
    """At the last moment, when its content is there but not its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRIPLETREE_DATA", raising=False)
    rng = np.random.default_rng(0)
    s = tt.planted(2, 2, rng=rng).similarity
    tt.write_comparisons(tt.sample_triplets(s, 100, rng=rng), "few.csv")
    rename = os.replace
    for n_whole in range(n_files + 1):
        made = []

        def stop_or_rename(source, target, made=made, n_whole=n_whole):
            if Path(target).is_relative_to(tmp_path):  # a compiler's files are not
                if len(made) == n_whole:
                    raise KeyboardInterrupt
                made.append(Path(target))
            rename(source, target)

        monkeypatch.setattr(os, "replace", stop_or_rename)
        force = ["--force"] if n_whole and not command.startswith("reproduce") else []
        monkeypatch.setattr(console, "has_said_stopped", False)
        code = main([*command.split(), *force])
        said = capsys.readouterr().err.splitlines()
        files = {path for path in tmp_path.rglob("*") if path.is_file()}
        assert files - {tmp_path / "few.csv"} == {*made}
        assert len(made) == n_whole
        if n_whole < n_files:
            assert code == 130
            assert said[-1].startswith("tripletree: stopped.")
        else:
            assert code == 0
        for path in made:
            path.unlink()


def test_measurements_do_not_go_on_with_hasty_trees():
    """A search that swallows Ctrl-C must not make a measurement of it."""
    answers = tt.Triplets([[0, 1, 2], [3, 2, 0], [1, 2, 3]] * 5, 4)
    n_calls = []

    def make_tree(_):
        n_calls.append(1)
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            pass  # as climb does, to give back its best tree
        return tt.caterpillar_tree(4)

    for measure in (tt.held_out, tt.learning_curve):
        n_calls.clear()
        with pytest.raises(KeyboardInterrupt):
            measure(answers, make_tree)
        assert len(n_calls) == 1
