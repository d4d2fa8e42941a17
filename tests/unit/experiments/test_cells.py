from __future__ import annotations

import json
import multiprocessing
from dataclasses import dataclass

import pytest

from tripletree._files import write_whole
from tripletree.errors import ExperimentFailed, InvalidOption
from tripletree.experiments.cells import Cell, grid, run_cells

pytestmark = pytest.mark.compiled


@dataclass(frozen=True)
class Tiny(Cell):
    """A cell that needs no kernels, so that its process starts quickly."""

    def run(self):
        given = dict(self.parameters)
        if given["run"] < 0:
            message = "run is below 0."
            raise InvalidOption(message)
        return [{"run": given["run"], "value": given["run"] / 3}]


def tiny(run, n=7):
    return Tiny("tiny", (("run", run), ("n", n)))


CELLS = [tiny(run) for run in range(4)]


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
    two = run_all(tmp_path / "two", [*cells[::-1], cells[0]], n_jobs=2)
    assert one == two
    assert len(contents(tmp_path / "one")) == 4
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    records = one[cells[2]]
    assert [r["method"] for r in records] == ["adds3_al", "climb", "complete", "auto"]
    assert records == cells[2].run()


@pytest.mark.slow
def test_an_interrupted_run_goes_on_from_what_is_finished(tmp_path):
    seen = []

    def stop(progress):
        seen.append((progress.done, progress.total))
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(tmp_path, n_jobs=2, progress=stop)
    assert multiprocessing.active_children() == []
    assert len(kept := contents(tmp_path)) == 2
    assert not any(name.endswith(".part") for name in kept)
    again = []
    found = run_all(tmp_path, progress=lambda p: again.append((p.done, p.total)))
    assert seen == [(0, 4), (1, 4), (2, 4)]
    assert again == [(2, 4), (3, 4), (4, 4)]
    assert kept.items() <= contents(tmp_path).items()
    assert found == run_all(tmp_path / "whole")


def test_finished_cells_are_read_and_not_run(tmp_path):
    run_all(tmp_path, CELLS[:1])
    (path,) = tmp_path.iterdir()
    stored = json.loads(path.read_text())
    stored["records"] = [{"made": "up"}]
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


def test_cells_are_told_apart_by_parameters_and_version(tmp_path):
    run_all(tmp_path, [tiny(0), tiny(0, n=8)])
    run_all(tmp_path, [tiny(0)], version="2")
    assert len(contents(tmp_path)) == 3


def test_a_cell_that_fails_is_named_and_the_others_are_kept(tmp_path):
    with pytest.raises(ExperimentFailed, match=r"tiny\(run=-1, n=7\): run is below 0"):
        run_all(tmp_path, [CELLS[0], tiny(-1), CELLS[1]])
    assert len(contents(tmp_path)) == 1


def test_no_part_of_a_file_is_left(tmp_path, monkeypatch):
    write_whole(tmp_path / "a", b"old")

    def interrupted(new, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", b"new")
    assert contents(tmp_path) == {"a": b"old"}
