"""Ctrl-C at any moment of every long command: it ends, and leaves nothing half done.

Moments are drawn with a seed, as shares of the time that the command takes once its
package has loaded. (Before, while Python loads it, Python itself answers: a traceback,
and the same 130 in a shell.)
"""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import numpy as np
import pytest

import tripletree as tt
from tests.robustness.stopping import COMMANDS, is_stopped, length, write_given
from tripletree.cli import main
from tripletree.commands import console

LONGEST = 5  # seconds of a command in which moments are drawn
SHARES = [random.Random(seed).uniform(0.02, 0.95) for seed in range(3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    write_given(folder)
    return folder


@pytest.fixture(scope="module")
def lengths(folder, tmp_path_factory):
    """Seconds of each command, of those that were asked for."""
    found = {}

    def length_of(name):
        if name not in found:
            here = tmp_path_factory.mktemp(name) / "run"
            found[name] = length(name, here, folder, LONGEST)
        return found[name]

    return length_of


@pytest.mark.slow
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", COMMANDS)
def test_interrupt(name, share, folder, lengths, tmp_path):
    seconds = share * lengths(name)
    for attempt in range(10):
        if is_stopped(name, seconds / 2**attempt, tmp_path / f"{attempt}", folder):
            return
    pytest.fail("it was always done before Ctrl-C")


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
