"""What notebooks show: results and trees as HTML, frames, a line of progress."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import tripletree as tt
from tests.strategies import random_rows
from tests.unit.report.test_page import HOSTILE
from tripletree._progress import Progress, ProgressLine
from tripletree.datasets.animals import animals
from tripletree.report.page_text import figure_tiles, percent

matplotlib.use("Agg")
pytestmark = pytest.mark.compiled
EXAMPLE = Path(__file__).parents[3] / "examples" / "from_answers_to_figure.ipynb"


@pytest.fixture(scope="module")
def result():
    told = replace(animals(500).answers, annotators=["ann", "bob"] * 250)
    return tt.cluster(told, "climb", people=True, support=12)


def test_a_result_shows_its_figures_and_its_tree(result):
    text = result._repr_html_()
    root = ElementTree.fromstring(text)  # well-formed
    assert f"<b>{result.revenue:,}</b>" in text
    assert f"<b>{result.stable_tree.n_shown} of 19</b><br/>joins are stable" in text
    assert {x.text for x in root.iter("{http://www.w3.org/2000/svg}text")} == {
        *result.labels
    }
    most = f"<b>{percent(result.noise.accuracy)}</b><br/>of unseen answers at most"
    assert most in text
    assert "<script" not in text
    few = tt.cluster(tt.Triplets([[0, 1, 2]], 3), "adds-al", n_folds=0, support=0)
    assert "What to do: " in few._repr_html_()


def test_the_share_of_the_bound_is_rounded_down_wherever_it_is_shown(result):
    gap = replace(result.gap, revenue=94_378, bound=100_000, shift=0)
    near = replace(result, gap=gap)
    assert "at least 94.3% of the largest possible" in str(near)
    for text in (near._repr_html_(), figure_tiles(near)):
        assert re.search(r"≥.94\.3.%", text)
    proved = replace(result, gap=replace(gap, revenue=100_000))
    for text in (proved._repr_html_(), figure_tiles(proved)):
        assert re.search(r">100.%", text)


def test_a_tree_is_drawn_at_its_place():
    tree = tt.Tree([[0, 1], [3, 2]], heights=[1, 4], labels=["a", "b", "c"])
    root = ElementTree.fromstring(tree._repr_html_())
    (path,) = (x.get("d") for x in root if x.tag.endswith("path"))
    numbers = [float(x) for x in re.findall(r"[\d.]+", path)]
    ends = np.reshape(numbers, (2, 5))  # M x y H x V y H x
    assert ends[:, 2].tolist() == sorted(ends[:, 2], reverse=True)  # the root is left
    assert ends[0, 1] < ends[0, 3] < ends[1, 3]
    assert ends[1, 1] == pytest.approx((ends[0, 1] + ends[0, 3]) / 2, abs=0.1)


@pytest.mark.parametrize("numbers", [(3, 7, 97), (0.03, 0.07, 0.97)])
def test_support_in_percent_is_a_share_as_in_figures(numbers):
    tree = tt.Tree.from_newick("((a,b){},((c,d){},e){});".format(*numbers))
    assert tree._repr_html_().count("<circle") == 1


def test_hostile_labels_stay_text():
    labels = [x.replace("\ud800", "") for x in HOSTILE]
    answers = tt.Triplets(random_rows(0, 200, len(labels)), len(labels), labels=labels)
    shown = tt.cluster(answers, "adds-al", n_folds=0, support=0)._repr_html_()
    ElementTree.fromstring(shown)
    assert not [x for x in ("<script", "<img", "\0", "\u202e") if x in shown]


@pytest.mark.parametrize("n", [1, 2, 3, 150, 2_001])
def test_trees_of_all_sizes(n):
    text = tt.balanced_tree(n)._repr_html_()
    assert (text is None) == (n > 2_000)
    assert n > 2_000 or ("<text" in text) == (n <= 120)


def test_frames(result, monkeypatch):
    joins, clusters = result.to_frame("joins"), result.to_frame("clusters")
    assert joins["is_stable"].sum() == result.stable_tree.n_shown
    assert joins["stability"].tolist() == result.support.stability.tolist()
    assert joins["similarity"].tolist() == (-result.tree.heights).tolist()
    objects = result.to_frame()
    assert objects["cluster"].tolist() == result.clusters.labels.tolist()
    for row in clusters.itertuples():
        own = objects["label"][objects["cluster"] == row.cluster]
        assert sorted(row.members) == sorted(own)
    assert result.to_frame("people")["name"].tolist() == [*result.people.names]
    monkeypatch.setattr(
        "tripletree.report.notebook.find_spec", lambda name: name != "pandas" or None
    )
    assert type(result.to_frame("clusters")).__module__.startswith("polars")
    monkeypatch.setattr("tripletree.report.notebook.find_spec", lambda name: None)
    with pytest.raises(tt.InvalidOption, match="neither is installed"):
        result.to_frame()
    with pytest.raises(tt.InvalidOption, match="give objects, joins"):
        result.to_frame("x")
    with pytest.raises(tt.InvalidOption, match="does not compare people"):
        replace(result, people=None).to_frame("people")


def test_plot_shows_the_stable_tree(result):
    ax = result.plot(layout="vertical")
    lines = sum(len(path.vertices) for c in ax.collections for path in c.get_paths())
    assert lines == 5 * 19
    assert len(ax.get_xticklabels()) == 20
    assert result.tree.plot(clusters=2).get_xlabel().startswith("similarity")
    plt.close("all")


def test_a_line_of_progress(capsys):
    times = iter([0.0, 0.01, 5.0, 5.01, 9.0, 10.0, 12.0])
    line = ProgressLine(lambda: next(times))
    for done in (0, 1, 25, 26):  # the second and the last come too soon
        line(Progress("support", done, 100))
    line(Progress("report"))
    for done in (60, 40):  # it begins again
        line(Progress("report", done, 80))
    line.clear()
    shown = capsys.readouterr().err.split("\r")[1:]
    assert [text.strip() for text in shown] == [
        f"support: 0 of 100 [{20 * '-'}]",
        f"support: 25 of 100 [{5 * '#'}{15 * '-'}] about 15 s left",
        "report",
        f"report: 60 of 80 [{15 * '#'}{5 * '-'}] about 0 s left",
        f"report: 40 of 80 [{10 * '#'}{10 * '-'}] about 0 s left",
        "",
        "",
    ]
    # Nothing is left of the longer line, and then the next one starts at its start.
    assert [len(text) for text in shown[1:]] == [*[len(shown[1])] * 5, 0]


def test_a_line_of_progress_fits_into_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    ProgressLine()(Progress("how certain each cluster is", 7, 100))
    assert capsys.readouterr().err == "\rhow certain each clu"[:20]


@pytest.mark.slow
def test_the_notebook_runs(tmp_path, monkeypatch):
    shell = pytest.importorskip("IPython.core.interactiveshell")
    monkeypatch.chdir(tmp_path)
    notebook = shell.InteractiveShell()
    shown = []
    for cell in json.loads(EXAMPLE.read_text())["cells"]:
        if cell["cell_type"] == "code":
            done = notebook.run_cell("".join(cell["source"]))
            done.raise_error()
            shown.append(notebook.display_formatter.format(done.result)[0])
    assert "<svg" in shown[1]["text/html"]
    assert "person 100" in shown[2]["text/plain"]
    assert "data:image" in (tmp_path / "results" / "report.html").read_text()
    plt.close("all")
