"""Stopping a command by Ctrl-C at a moment, and looking at what it leaves.

By hand, at many moments over the whole length of a command, some seconds each:
``python -m tests.robustness.stopping plan --count 100``. All commands without a name.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

import tripletree as tt
from tests.environments import unmeasured

SECONDS = 60  # to end in; tens of times more than it takes
# Says when the package has loaded, when Ctrl-C was heard, and when all was done.
RUN = """
import signal, sys

def hear(number, frame):
    open("heard", "a").close()
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, hear)
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


def write_given(folder):
    """Answers about 200 objects, and a larger file of them."""
    rng = np.random.default_rng(0)
    s = tt.planted(25, 3, rng=rng).similarity
    for name, m in (("answers.csv", 40_000), ("many.csv", 1_500_000)):
        tt.write_comparisons(tt.sample_triplets(s, m, flip=0.1, rng=rng), folder / name)


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
        env=unmeasured(
            PYTHONPATH=os.pathsep.join(sys.path), TMPDIR=str(folder / "tmp")
        ),
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
    """Press Ctrl-C, if the process has not ended; what it says."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        message = "Ctrl-C did not end the command"
        raise AssertionError(message) from None
    return errors


def length(name, folder, given, longest=None):
    """Seconds that a command takes after loading; it is stopped after the longest."""
    process = started(name, folder, given)
    began = time.monotonic()
    try:
        process.communicate(timeout=longest)
    except subprocess.TimeoutExpired:
        pressed(process)
    return time.monotonic() - began


def is_stopped(name, seconds, here, folder):
    """Stop a command after some seconds, check what is left; False if it was done."""
    process = started(name, here, folder)
    time.sleep(seconds)
    errors = pressed(process)
    given = {"answers.csv", "many.csv", "loaded", "heard", "done"}
    files = [path for path in here.rglob("*") if path.is_file()]
    made = [path for path in files if path.name not in given]
    running = left_after_a_while(process.pid)
    assert not running, f"still running: {running}"
    for path in made:
        assert here / "tmp" not in path.parents, f"left: {path}"
        assert not path.name.startswith("."), f"not renamed yet: {path}"
    if not (here / "heard").exists():
        assert (here / "done").exists(), errors
        assert process.returncode == 0, errors
        return False
    # Python ends itself by the signal if a string that it runs was interrupted, too:
    # a shell shows 130 for both.
    assert process.returncode in (130, -signal.SIGINT), errors
    *_, last = ["", *errors.splitlines()]
    assert last.startswith("tripletree: stopped."), errors
    assert "Traceback" not in errors, errors
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
        assert len(rows) > 1, f"half a file: {path}"
        assert {len(row) for row in rows} == {len(rows[0])}, f"half a file: {path}"
        assert content.endswith(b"\n"), f"half a file: {path}"
    else:
        is_whole = content.rstrip(b"\n").endswith(LAST_BYTES[path.suffix])
        assert is_whole, f"half a file: {path}"


def sweep(name, count, folder, given):
    """Stop a command at so many moments of its length; how many went wrong."""
    seconds = length(name, folder / name, given)
    n_stopped, wrong = 0, []
    for number in range(count):
        share = 1.02 * number / max(1, count - 1)
        try:
            here = folder / f"{name}-{number}"
            n_stopped += is_stopped(name, share * seconds, here, given)
        except AssertionError as error:
            wrong.append(share)
            sys.stderr.write(f"{name}, {share * seconds:.3f} s: {error}\n")
    sys.stdout.write(
        f"{name}: {seconds:.1f} s long, {count} moments, {n_stopped} stopped before "
        f"the end, {len(wrong)} wrong\n"
    )
    return len(wrong)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.stopping")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(COMMANDS)}; all")
    parser.add_argument("--count", type=int, default=100)
    asked = parser.parse_args()
    unknown = {*asked.names} - {*COMMANDS}
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder, "given")
        given.mkdir()
        write_given(given)
        names = asked.names or COMMANDS
        return sum(sweep(name, asked.count, Path(folder), given) for name in names) > 0


if __name__ == "__main__":
    sys.exit(main())
