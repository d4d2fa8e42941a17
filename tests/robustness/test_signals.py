"""Ctrl-C, SIGTERM and SIGHUP: the library raises, a command ends and leaves nothing.

By hand, `make stress` also sends signals at random moments of every long command.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import psutil
import pytest
from scipy.sparse import csr_array

import tripletree as tt
from tests.processes import environment, run_python
from tripletree.cli import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

# A command that gets a signal each time a file is whole and about to get its name.
BEFORE_RENAMING = """
import os, signal, sys
from pathlib import Path
from tripletree.__main__ import main

number = int(sys.argv.pop(1))
signal.signal(number, signal.SIG_DFL)  # the tests may run under nohup

def stopping(rename):
    def stop_and_rename(source, target):
        is_ours = Path(target).absolute().is_relative_to(Path.cwd())
        if is_ours and ".tripletree-" not in str(target):
            assert Path(source).exists()
            signal.raise_signal(number)
        rename(source, target)
    return stop_and_rename

os.replace, os.link = stopping(os.replace), stopping(os.link)
"""
RUN = "sys.exit(main())\n"
# Removing a temporary folder is when the second signal comes.
AGAIN = """
import shutil
shutil.rmtree = lambda *_, **__: signal.raise_signal(signal.SIGTERM)
"""
NOHUP = "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a file of answers and a folder for temporary files."""
    rng = np.random.default_rng(0)
    s = tt.planted(2, 2, rng=rng).similarity
    tt.write_comparisons(tt.sample_triplets(s, 100, rng=rng), tmp_path / "few.csv")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.delenv("TRIPLETREE_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(code, number, command):
    return run_python(code, int(number), *command.split())


def names(folder):
    return {path.name for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)]
)
def test_a_signal_ends_a_command_and_leaves_nothing(name, code, folder):
    number = getattr(signal, name)
    done = run(BEFORE_RENAMING + RUN, number, "pairs few.csv --out pairs.parquet")
    assert done.returncode == code
    *_, last = done.stderr.splitlines()
    assert last == "tripletree: stopped. Nothing was written."
    assert "Traceback" not in done.stderr
    assert names(folder) == {"few.csv", "tmp"}


def test_one_line(folder):
    command = "cluster few.csv --method adds-al --out out"
    done = run(BEFORE_RENAMING + RUN, signal.SIGTERM, command)
    assert done.returncode == 143
    lines = done.stderr.splitlines()
    assert [line for line in lines if "stopped" in line] == lines[-1:]
    assert lines[-1] == "tripletree: stopped."
    files = {path.name for path in (folder / "out").iterdir()}
    assert len(files) == 7  # they belong together: the signal waits until all are there


def test_a_second_signal_ends_at_once(folder):
    code = BEFORE_RENAMING + AGAIN + RUN
    done = run(code, signal.SIGINT, "pairs few.csv --out pairs.parquet")
    assert done.returncode == -signal.SIGTERM
    assert "stopped" not in done.stderr


def test_an_ignored_signal_stays_ignored(folder):
    code = BEFORE_RENAMING + NOHUP + RUN
    done = run(code, signal.SIGHUP, "pairs few.csv --out pairs.parquet")
    assert done.returncode == 0, done.stderr
    assert names(folder) == {"few.csv", "tmp", "pairs.parquet"}


@pytest.mark.parametrize(
    ("command", "n_files"),
    [
        ("cluster few.csv --method adds-al --out out", 7),
        ("report few.csv --method adds-al --support 0 --out report.html", 1),
        ("pairs few.csv --out pairs.parquet", 1),
        ("simulate made.csv --objects 20 --answers 100", 1),
        ("convert few.csv other.csv.gz", 1),
        ("reproduce real --quick --jobs 1 --out again", 2),
    ],
)
def test_all_files_are_written_or_none(command, n_files, folder, monkeypatch):
    renames = {"replace": os.replace, "link": os.link}
    for n_whole in range(n_files + 1):
        made = []

        def stop_or(rename, made=made, n_whole=n_whole):
            def stop_or_rename(source, target):
                is_ours = Path(target).absolute().is_relative_to(folder)
                if is_ours and ".tripletree-" not in str(target):
                    if len(made) == n_whole:
                        raise KeyboardInterrupt
                    made.append(Path(target).absolute())
                rename(source, target)

            return stop_or_rename

        for name, rename in renames.items():
            monkeypatch.setattr(os, name, stop_or(rename))
        force = ["--force"] if n_whole and not command.startswith("reproduce") else []
        code = main([*command.split(), *force])
        files = {path for path in folder.rglob("*") if path.is_file()}
        assert (len(made), code) == (n_whole, 130 if n_whole < n_files else 0)
        assert files - {folder / "few.csv"} == (set() if code else {*made})


def press(*_):
    signal.raise_signal(signal.SIGINT)


ANSWERS = tt.Triplets([[0, 1, 2], [3, 2, 0], [1, 2, 3], [4, 3, 5]] * 5, 6)
TREE = tt.caterpillar_tree(6)
LONG = {
    "climb": lambda: tt.climb(TREE, ANSWERS, progress=press),
    "sparse": lambda: tt.climb(
        TREE, csr_array(tt.adds_similarity(ANSWERS)), progress=press
    ),
    "maximise": lambda: tt.maximise_revenue(ANSWERS, progress=press),
    "tste": lambda: tt.tste(ANSWERS, progress=press),
    "completed": lambda: tt.completed_similarity(ANSWERS, progress=press),
    "support": lambda: tt.bootstrap_support(
        TREE, ANSWERS, method="climb", progress=press
    ),
    "in threads": lambda: tt.bootstrap_support(TREE, ANSWERS, method=press),
    "held out": lambda: tt.held_out(ANSWERS, press),
    "curve": lambda: tt.learning_curve(ANSWERS, press),
    "plan": lambda: tt.plan_study(16, progress=press),
    "cluster": lambda: tt.cluster(ANSWERS, progress=press),
}


@pytest.mark.parametrize("name", LONG)
def test_the_library_lets_ctrl_c_raise(name, monkeypatch):
    # A third thread could press when the first two keys have ended the test.
    monkeypatch.setenv("NUMBA_NUM_THREADS", "2")
    with pytest.raises(KeyboardInterrupt):
        LONG[name]()


def test_the_library_installs_no_handler():
    found = []
    tt.cluster(ANSWERS, progress=lambda _: found.append(signal.getsignal(2)))
    assert {*found} == {signal.default_int_handler}


COMMANDS = {
    "cluster": "cluster answers.csv --out out --support 100",
    "report": "report answers.csv --out report.html --support 100",
    "pairs": "pairs many.csv --out pairs.parquet --memory 100MB",
    "reproduce": "reproduce table1 --quick --jobs 2 --out again",
    "plan": "plan --objects 200",
    "simulate": "simulate made.csv --objects 2000 --answers 3000000",
    "demo": "demo --out demo.html",
    "convert": "convert many.csv other.csv.gz",
}
LONGEST = 8  # seconds after which the last signals come
PATIENCE = 60  # seconds to end in


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    rng = np.random.default_rng(0)
    s = tt.planted(25, 3, rng=rng).similarity
    for name, m in (("answers.csv", 40_000), ("many.csv", 1_500_000)):
        tt.write_comparisons(tt.sample_triplets(s, m, flip=0.1, rng=rng), folder / name)
    return folder


@pytest.mark.stress
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", COMMANDS)
def test_at_any_moment(name, seed, many, folder):
    rng = random.Random(f"{name} {seed}")
    number = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    for file in many.iterdir():
        (folder / file.name).symlink_to(file)
    process = subprocess.Popen(
        [sys.executable, "-m", "tripletree", *COMMANDS[name].split()],
        env=environment(measured=False),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        process.wait(rng.uniform(0.5, LONGEST))
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    children = psutil.Process().children(recursive=True)
    _, said = process.communicate(timeout=PATIENCE)
    psutil.wait_procs(children, PATIENCE)
    assert not [child for child in children if child.is_running()]
    assert process.returncode in (0, 128 + number), said
    if process.returncode:
        assert said.splitlines()[-1].startswith("tripletree: stopped."), said
        assert "Traceback" not in said
    temporary = (".", "tmp_")  # ours, and those of DuckDB
    assert not [p for p in folder.rglob("*") if p.name.startswith(temporary)]
    assert not [*(folder / "tmp").iterdir()]


# A process with few and small cells; when two of them are there, it can get a signal
# with its whole group, as a terminal sends Ctrl-C.
FEW_CELLS = """
import os, signal, sys
from pathlib import Path
from tripletree.__main__ import main
from tripletree.experiments import theorem2

theorem2.QUICK_SIZES = (20, 30)
rename, cells = os.replace, []

def rename_and_press(source, target):
    rename(source, target)
    if Path(target).parent.name == "cells":
        cells.append(target)
        if len(cells) == 2:
            os.killpg(0, getattr(signal, which))

which = sys.argv.pop(1)
if which != "none":
    os.replace = rename_and_press
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.mark.slow
def test_interrupt_and_resume(tmp_path):
    """Ctrl-C when two cells are there, then on to the same bytes."""
    out, whole = tmp_path / "out", tmp_path / "whole"

    def reproduce(which, jobs, folder):
        given = f"reproduce theorem2 --quick --seeds 1 --jobs {jobs} --out".split()
        how = {"env": environment(measured=False), "start_new_session": True}
        return run_python(FEW_CELLS, which, *given, folder, **how)

    def contents(folder):
        return {x.name: x.read_bytes() for x in folder.iterdir() if x.is_file()}

    stopped = reproduce("SIGINT", 2, out)
    assert (stopped.returncode, stopped.stdout) == (130, "")
    first, last = stopped.stderr.splitlines()
    assert first.startswith("theorem2: 0 of ")
    assert "goes on from there" in last
    kept = contents(out / "cells")
    assert 2 <= len(kept) < 36
    assert all(json.loads(content)["records"] for content in kept.values())
    assert contents(out) == {}
    for jobs, folder in ((1, out), (2, whole)):
        done = reproduce("none", jobs, folder)
        assert done.returncode == 0, done.stderr
    assert (contents(out), len(contents(out))) == (contents(whole), 4)
    assert contents(out / "cells") == contents(whole / "cells")
    assert kept.items() <= contents(out / "cells").items()
