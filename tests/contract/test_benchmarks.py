"""The one command of the benchmarks, and the page made of its results."""

import json
import sys

import pytest
from benchmarks import __main__ as command, record
from benchmarks.plots import scaling_plots
from benchmarks.record import fitted_exponent

from benchmark_page import texts_of


@pytest.fixture
def entries(monkeypatch):
    found = []
    monkeypatch.setattr(record, "entries", found)
    return found


def test_help_says_what_each_case_measures(capsys):
    with pytest.raises(SystemExit, match="0"):
        command.main(["--help"])
    text = capsys.readouterr().out
    for name, case in command.CASES.items():
        assert name in text
        assert case.__doc__.splitlines()[0] in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["no_case"], "no case is called no_case"), (["--rounds", "0"], "at least 1")],
)
def test_wrong_usage(arguments, words, capsys, tmp_path):
    with pytest.raises(SystemExit, match="2"):
        command.main([*arguments, "--out", str(tmp_path / "out")])
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_exponent():
    sizes = [10, 100, 1000]
    assert fitted_exponent(sizes, [3 * n**1.5 for n in sizes]) == pytest.approx(1.5)


def test_ratios_are_multiples_of_tripletree(entries, capsys):
    record.times("both", {"peer": 3.0, "tripletree.f": 2.0})
    assert [row["ratio"] for row in entries[0]["rows"]] == [1.5, 1.0]
    assert "x 1.50" in capsys.readouterr().out


def test_what_is_measured_reaches_the_page(tmp_path, entries):
    record.note("a_b takes 3 MB | more")
    record.times("both", {"tripletree.f": 2.0, "peer": 3.0})
    record.figures("quality", ["", "revenue"], [["ours", 152116]])
    seconds = {"tripletree.f": [0.1, 1.0, 10.0], "peer": [0.1, 10.0]}
    record.scaling("growth", "objects", [10, 100, 1000], seconds)
    case = {"name": "one", "what": "A case.", "seconds": 1.0, "entries": entries}
    scaling_plots(case, tmp_path)
    assert (tmp_path / "one-1.png").read_bytes().startswith(b"\x89PNG")
    results = {
        "when": "2026-01-01 12:00",
        "is_small": True,
        "rounds": 2,
        "machine": {"cores": "2"},
        "versions": {"tripletree": "0.1"},
        "cases": [case],
    }
    command.write(results, tmp_path / "results.json")
    assert json.loads((tmp_path / "results.json").read_text()) == results
    texts = texts_of(tmp_path, "beside")
    assert [*texts] == ["", "one"]
    assert texts["one"].startswith("A case.")
    for page, text in (
        ("", "a tenth of the usual sizes"),
        ("", "| tripletree | 0.1 |"),
        ("one", "- a\\_b takes 3 MB \\| more"),
        ("one", "| peer | 3.0000 | 1.50 |"),
        ("one", "| ours | 152116 |"),
        ("one", "| tripletree.f | 1,000 | 10.0000 | 1.00 |"),
        ("one", "| peer | 100 | 10.0000 | 2.00 |"),
        ("one", "![growth](beside/one-1.png)"),
    ):
        assert text in texts[page]


def test_page_without_a_run(tmp_path):
    (text,) = texts_of(tmp_path, "beside").values()
    assert text.startswith("Not measured on this machine")


def test_a_case_that_fails_is_told(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "run", lambda *arguments: None)
    with pytest.raises(SystemExit, match="these cases fail: import"):
        command.main(["import", "--out", str(tmp_path)])
    assert not (tmp_path / "results.json").exists()


def test_one_case_runs(tmp_path, capfd):
    command.main(["import", "--small", "--rounds", "1", "--out", str(tmp_path)])
    results = json.loads((tmp_path / "results.json").read_text())
    (case,) = results["cases"]
    names = [row["name"] for row in case["entries"][0]["rows"]]
    assert names == ["tripletree, import", "numpy, import"]
    assert results["machine"]["Python"] == sys.version.split()[0]
    assert "numpy, import" in capfd.readouterr().out
