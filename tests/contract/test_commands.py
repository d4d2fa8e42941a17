"""Every command: what it prints and writes."""

import json
import re
from pathlib import Path
from unittest.mock import Mock

import pytest

import tripletree as tt
from tripletree.answers import tables
from tripletree.cli import COMMANDS, main
from tripletree.commands import trees
from tripletree.experiments import theorem2

pytestmark = pytest.mark.usefixtures("folder")
OUT = {"tree.nwk", "tree.json", "linkage.npy", "clusters.csv", "summary.json"}
OUT |= {"tree-stable.nwk", "report.html"}


@pytest.fixture
def json_of(command):
    """What a command prints with --json."""
    return lambda line: json.loads(command(f"{line} --json").out)


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_help_and_version(command):
    assert command("--version").out.startswith("tripletree ")
    for name in (one.__name__ for one in COMMANDS):
        out = command(f"{name} --help").out
        assert name in ("summary", "reproduce", "demo") or "Example" in out


def test_debug_shows_where(command):
    with pytest.raises(tt.TripletreeError):
        main(["summary", "none.csv", "--debug"])
    command("summary none.csv", code=1)


# About files of answers and trees


PEOPLE = "summary people.csv --columns target=ref,near=x,far=y,annotator=who"
SHOWN = [
    (
        "summary workers.csv",
        "3 triplets about 3 objects",
        "answered both ways      1",
        "2 people, 3 answers; of the comparisons that the others decide",
    ),
    ("summary alone.csv", "  people                  1\n"),
    (f"{PEOPLE} --drop-degenerate", "3 triplets"),
    (f"{PEOPLE} --drop-degenerate --unique", "2 triplets"),
    (f"{PEOPLE} --drop who=3 --keep who=2", "1 triplet about 3 objects"),
    (
        "compare tree.nwk other.nwk --answers answers.csv",
        "Robinson-Foulds distance  4 of 4 clusters (100.0%)",
        "triplet distance          4 of 4 triples of leaves (100.0%)",
        "tree.nwk: revenue 6, 100.0% satisfied",
    ),
    (
        "compare tree.nwk other.nwk --answers weighted.csv",
        "tree.nwk: revenue 1, 100.0% satisfied",
    ),
    ("datasets", "car "),
    ("plan --objects 6", "60 triplets"),
]


@pytest.mark.parametrize(("line", "words"), [(line, words) for line, *words in SHOWN])
def test_what_is_shown(line, words, command):
    out = command(line).out
    assert [word for word in words if word not in out] == []
    assert "alone" not in line or not re.search("agree|w1", out)


def test_summary_as_json(json_of, folder):
    text = "target,left,right,answer,worker,weight\na,b,c,b,w1,2\nb,a,c,,w2,1.5\n"
    (folder / "a.csv").write_text(text + "b,a,c,right,w2,1\n")
    found = json_of("summary a.csv")
    assert found.keys() == {
        *vars(tt.summarise(tt.read_comparisons("a.csv"))),
        "people",
    }
    assert sorted(found.pop("people")["names"]) == ["w1", "w2"]
    assert (
        found.items()
        >= {
            "n_answers": 2,
            "n_people": 2,
            "dropped": {"undecided": 1},
            "total_weight": 3.0,
            "comparisons_per_object": {"smallest": 2, "median": 2, "largest": 2},
        }.items()
    )
    found = json_of("summary answers.csv")
    assert found["people"] is found["answers_per_person"] is None


def test_answers_in_words_of_their_own(command, json_of, folder):
    for given in (
        "--answers a=left,b=right,s=tie",
        "--answer-words 'a=first, B=second,s=same'",
    ):
        assert json_of(f"summary words.csv {given}")["dropped"] == {"undecided": 1}
    (folder / "xyz.nwk").write_text("((x,y),z);")
    words = "--answer-words a=left,b=right,s=tie"
    command(f"compare xyz.nwk xyz.nwk --answers words.csv {words}")


@pytest.mark.parametrize(
    "line", ["cluster", "report --out page.html", "revenue six.nwk", "summary"]
)
def test_what_was_assumed_is_said(line, command, folder):
    words = "no header: columns taken as target, near, far"
    found = command(f"{line} numbers.csv")
    assert words in (found.out if line == "summary" else found.err)
    if "page" in line:
        assert words[1:] in (folder / "page.html").read_text()
        line += " --force"
    found = command(f"{line} numbers.csv --columns 0,1,2")
    assert "taken as" not in found.out + found.err


@pytest.mark.parametrize(
    "line",
    [
        "cluster answers.csv --method adds-al --support 0 --out out",
        "report answers.csv --method adds-al --support 0",
        "summary answers.csv",
        "revenue tree.nwk answers.csv",
        "compare tree.nwk other.nwk --answers answers.csv",
        "convert answers.csv again.parquet",
        "pairs answers.csv -o again.parquet",
    ],
)
def test_each_file_is_opened_once(line, command, monkeypatch):
    opened = Mock(wraps=tables._open_file)
    monkeypatch.setattr(tables, "_open_file", opened)
    understood = Mock(wraps=tables.understand_columns)
    monkeypatch.setattr(tables, "understand_columns", understood)
    Path("items.csv").write_text("label\nowl\nhawk\ncarp\ntrout\n")
    command(f"{line} --items items.csv")
    names = [call.args[1].name for call in opened.call_args_list]
    assert sorted(names) == ["answers.csv", "items.csv"]
    assert understood.call_count == 1


def test_revenue(command, json_of):
    assert command("revenue tree.nwk answers.csv").out.split() == [
        *("revenue", "6", "normalised", "1.0000", "satisfied", "3", "(100.0%)"),
        *("undecided", "0", "(0.0%)", "violated", "0", "(0.0%)"),
    ]
    assert json_of("revenue tree.nwk answers.csv")["revenue"] == 6
    assert json_of("compare tree.nwk tree.nwk")["triplet_distance"]["distance"] == 0


def test_convert(command, folder):
    command("convert answers.csv new.parquet")
    again, first = (
        tt.read_comparisons("new.parquet"),
        tt.read_comparisons("answers.csv"),
    )
    assert again.labels == first.labels
    assert again.rows.tolist() == first.rows.tolist()
    command("convert answers.csv new.parquet --force")
    command("convert tree.nwk tree.json")
    assert tt.read_tree("tree.json").labels == ("owl", "hawk", "trout", "carp")
    command("convert tree.json back.nwk")
    words = "keeps no labels: its leaf 0 is 'owl', 1 is 'hawk', 2 is 'trout'"
    assert words in command("convert tree.nwk new.npy").err
    (folder / "a.json").write_text('[{"target": "x", "near": "y", "far": "z"}]')
    command("convert a.json a.csv")
    assert (folder / "a.csv").read_text() == "target,near,far\nx,y,z\n"


# Simulated answers, plans, data sets


def test_numbers_as_labels_stay_the_same_numbers(command, json_of, folder):
    """Newick files list leaves as they are drawn, matrices by number."""
    command("simulate a.npz --objects 16 --truth truth.nwk --model latent")
    assert not (folder / "truth.nwk").read_text().lstrip("(").startswith("0,1")
    assert "no labels" not in command("convert truth.nwk truth.npy").err
    command("convert a.npz a.csv")
    for tree in ("truth.nwk", "truth.npy"):
        for answers in ("a.npz", "a.csv"):
            assert json_of(f"revenue {tree} {answers}")["violated"] == 0
    assert json_of("compare truth.nwk truth.npy")["triplet_distance"]["distance"] == 0


@pytest.mark.parametrize("model", ["planted", "latent"])
def test_simulate(model, command, json_of, folder):
    given = f"simulate a.csv --model {model} --objects 24 --answers 900 --truth t.nwk"
    command(given)
    found = tt.read_comparisons("a.csv")
    assert found.n_objects == tt.read_tree("t.nwk").n_leaves == 24
    assert len(found) == 900
    values = json_of("revenue t.nwk a.csv")
    assert values["satisfied"] > 5 * values["violated"]
    before = (folder / "a.csv").read_bytes()
    command(f"{given} --force")
    assert (folder / "a.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("given", "n"),
    [
        ("--answers 1001 --wrong 0.1", 1001),
        ("--answers 1 --objects 3", 1),
        ("--answers 999 --quadruplets", 999),
        ("--answers 1001 --model latent --wrong 0.1", 1001),
        ("--answers 1 --objects 3 --model latent", 1),
        ("--objects 3 --model latent", 2),
        ("--objects 16 --answers 1680", 1680),
        ("--objects 8 --answers 378 --quadruplets", 378),
    ],
)
def test_simulate_writes_this_many_answers(given, n, command, folder):
    command(f"simulate a.csv {given}")
    assert len((folder / "a.csv").read_text().splitlines()) == n + 1


def test_datasets(command):
    assert "cite: E. Alpaydin" in command("datasets digits -o digits.npz").out
    assert tt.read_comparisons("digits.npz").n_objects == 1797


def test_a_plan_begins_with_a_line(command, monkeypatch):
    monkeypatch.setattr("tripletree.planning.PER_OBJECT", (1,))
    monkeypatch.setattr("tripletree.planning.N_RUNS", 1)
    found = command("plan --objects 16")
    assert found.err.startswith("simulating studies")
    assert "16 objects, 10% of the answers wrong" in found.out


# A tree of the answers


def test_cluster(command, json_of, folder):
    given = "cluster answers.csv --method climb --clusters 2"
    found = command(f"{given} --out out")
    assert found.err.startswith("read 3 answers about 4 objects\n")
    assert "report.html in a browser" in found.err
    for words in (
        "Tree of 4 objects by climb",
        "2 flat clusters (number given):\n  1 (2, s",
        "└─",
    ):
        assert words in found.out
    assert names(folder / "out") == OUT
    expected = {"carp": 1, "hawk": 2, "owl": 2, "trout": 1}  # from the top of the tree
    lines = (folder / "out" / "clusters.csv").read_text().splitlines()
    assert lines == ["label,cluster", *(f"{k},{v}" for k, v in expected.items())]
    assert json.loads((folder / "out" / "summary.json").read_text())["revenue"] == 6
    again = command(f"{given} --out out", code=2)
    assert "--force" in again.err
    assert again.out == ""
    command(f"{given} --out out --force")
    values = json_of(f"{given} --support 5")
    assert (values["clusters"], values["n_clusters"]) == (expected, 2)
    assert len(values["cluster_support"]) == len(values["cluster_stability"]) == 2
    assert (values["n_replicates"], values["drawn"]) == (5, "answers")


def test_cluster_says_the_same_with_and_without_a_page(command, folder):
    """The one recommendation weighs the same things, whatever is written."""
    command("simulate a.csv --objects 8 --answers 60")
    said = "cluster a.csv --method adds-al --support 10"
    assert command(said).out == command(f"{said} --out out").out
    values = json.loads((folder / "out" / "summary.json").read_text())
    assert values["tree_fit"] is not None
    assert values["learning_curve"]["accuracy"][-1] == pytest.approx(
        values["held_out"]["adds-al"]["accuracy"]
    )
    assert json.loads(command(f"{said} --json").out) == values


def test_cluster_says_what_was_left_out_and_what_to_do_next(command, folder):
    rows = "a,b,c,w1,\n" * 3 + "b,a,c,w2,x\n"
    (folder / "a.csv").write_text(f"head,winner,loser,worker,kind\n{rows}")
    found = command("cluster a.csv --drop kind=x")
    read = "read 3 answers about 3 objects by 1 person; left out: 1 answer (drop"
    assert found.err.startswith(read)
    assert "--out FOLDER" in found.err
    assert "no flat clusters: no cut has only clusters of 3 or more" in found.out
    assert "stability" not in command("cluster a.csv --drop kind=x --support 0").out


def test_what_is_read_and_what_is_left_out_have_their_units(command, json_of):
    """An odd one out is one answer and two comparisons."""
    said = "read 1 answer (2 comparisons) about 3 objects; left out: 1 answer "
    assert command("cluster odd.csv").err.startswith(said + "(undecided)\n")
    values = json_of("cluster odd.csv")
    units = ("objects", "answers", "comparisons", "questions", "people")
    assert [values[f"n_{unit}"] for unit in units] == [3, 1, 2, 2, None]
    assert (values["left_out"], values["assumed"]) == ({"undecided": 1}, [])
    assert len(json_of("cluster numbers.csv")["assumed"]) == 1
    command("pairs odd.csv -o sums.parquet")
    said = "read 2 comparisons about 3 objects, summed by pair\n"
    told = command("cluster sums.parquet").err
    assert told.startswith(said)
    assert told.endswith("--out FOLDER writes the tree and the clusters.\n")


def test_pair_sums_do_in_place_of_answers(command, json_of, folder):
    values = json_of("cluster pairs.parquet")
    assert values["method"] == "climb"
    assert (values["revenue"], values["n_comparisons"]) == (6, 3)
    command("cluster pairs.parquet --out out")
    assert names(folder / "out") == OUT - {"report.html", "tree-stable.nwk"}


def test_report(command, folder):
    given = "report answers.csv -o r.html --method adds-al --support 3"
    command(given)
    text = (folder / "r.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "trout" in text
    command(given, code=2)
    command(f"{given} --force")


@pytest.mark.parametrize("name", ["cluster answers.csv -o out", "report answers.csv"])
@pytest.mark.parametrize("is_given", [False, True])
def test_switches_reach_the_clustering(name, is_given, command, monkeypatch):
    """What they do is tested in tests/unit, of strays in test_suggested_cuts.py."""
    made = Mock(side_effect=tt.InvalidOption("enough"))
    monkeypatch.setattr(tt, "cluster", made)
    command(f"{name}{' --attach-strays --no-people' * is_given}", code=2)
    assert made.call_args.kwargs["attach_strays"] is is_given
    assert made.call_args.kwargs["people"] is not is_given


@pytest.mark.parametrize("name", ["cluster", "report"])
def test_reading_takes_from_the_time_limit(name, command, monkeypatch):
    made, clock = Mock(side_effect=tt.InvalidOption("enough")), Mock()
    clock.monotonic.side_effect = [100, 103, 100, 120]
    monkeypatch.setattr(trees, "time", clock)
    monkeypatch.setattr(tt, "cluster", made)
    for limit, left in (("", None), ("--time-limit 10", 7), ("--time-limit 10", 0)):
        command(f"{name} answers.csv {limit}", code=2)
        assert made.call_args.kwargs["time_limit"] == left


def test_pictures_are_needed_by_pages_only(command):
    command("cluster answers.csv --items items.csv")


@pytest.mark.slow
def test_demo(command, folder):
    found = command("demo -o demo.html")
    assert "cuts into stable clusters" in found.out
    assert found.err.count("    tripletree ") == 3  # what to try next
    assert "data:image" in (folder / "demo.html").read_text()
    command("demo -o demo.html", code=2)


# Pair sums


def test_pairs(command):
    found = command("pairs odd.csv -o sums.parquet --memory 500MB")
    assert found.out == ""
    assert "left out 1 row (undecided)" in found.err
    sums = tt.read_pairs("sums.parquet")
    assert sums.n_comparisons == 2
    command("pairs odd.csv -o sums.parquet --force")
    tt.write_pairs(sums + sums, "twice.parquet")
    command("pairs twice.parquet --without sums.parquet -o less.parquet")
    assert tt.read_pairs("less.parquet").n_comparisons == 2


def test_pairs_of_chosen_answers(command, folder):
    """Every error gives the option that the next line adds."""
    (folder / "a.csv").write_text(
        "ref,a,b,kind,rt,weight\n"
        "x,y,z,real,900,1\n"
        "x,z,y,catch,900,1\n"
        "x,z,y,real,5,1\n"
        "z,y,,real,900,1\n"
        "z,NA,y,real,900,1\n"
        "z,x,y,real,fast,1\n"
    )
    (folder / "xyz.csv").write_text("label\nz\ny\nx\n")
    given = "pairs a.csv -o p.parquet"
    both = "no label in column 'b', and in other rows none in 'a'."
    truly = "--drop a=NA. If an object is truly called 'NA', give --items, the labels"
    for more, advice in (
        ("", "--columns target=...,near=...,far=..."),
        ("--columns target=ref,near=a,far=b,response_time=rt", both),
        ("", f"with --drop 'b=' {truly}"),
        ("--items xyz.csv", "'NA' in column 'a' is not one of the 3 it"),
        ("--drop a=NA", "with --drop 'b='."),
        ("--drop kind=catch --drop b= --min-response-time 100", "--drop rt=fast."),
    ):
        given = f"{given} {more}"
        assert advice in command(given, code=1).err
    command(f"{given} --drop rt=fast")
    found = tt.read_pairs("p.parquet", items=["x", "y", "z"])
    assert (found.near.tolist(), found.far.tolist()) == ([1, 0], [0, 1])


# The paper's experiments


def test_reproduce(command, folder, monkeypatch):
    monkeypatch.setattr(theorem2, "QUICK_SIZES", (9,))
    monkeypatch.setattr(theorem2, "QUICK_RATIOS", ("1",))
    out = folder / "out"
    found = command("reproduce theorem2 --quick --out out")
    assert found.out.startswith("Theorem 2: triplets for a share")
    assert found.out == (out / "theorem2.txt").read_text() + "\n"
    assert found.err.startswith("theorem2: 0 of 12 pieces are in out")
    before = {path.name: path.read_bytes() for path in out.glob("theorem2.*")}
    assert before.keys() == {f"theorem2.{x}" for x in ("csv", "txt", "png", "pdf")}
    assert len(names(out / "cells")) == 3 * 2 * 2
    for name in before:
        (out / name).unlink()
    command("reproduce theorem2 --quick --out out --jobs 1")
    assert {path.name: path.read_bytes() for path in out.glob("theorem2.*")} == before
