"""Every command through main: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json

import pytest

import tripletree as tt
from tripletree.cli import COMMANDS as ALL
from tripletree.cli import main

COMMANDS = [command.__name__ for command in ALL]
ROWS = "head,winner,loser\nowl,hawk,carp\nhawk,owl,carp\ncarp,trout,owl\n"


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "tree.nwk"
    path.write_text("((owl,hawk),(trout,carp));")
    return path


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    found = capsys.readouterr()
    assert "Traceback" not in found.err
    return code, found.out, found.err


def test_revenue(answers, tree, capsys):
    code, out, _ = run(capsys, "revenue", tree, answers)
    assert code == 0
    assert out.split() == [
        *("revenue", "6", "normalised", "1.0000", "satisfied", "3", "(100.0%)"),
        *("undecided", "0", "(0.0%)", "violated", "0", "(0.0%)"),
    ]
    code, out, _ = run(capsys, "revenue", tree, answers, "--json")
    assert json.loads(out)["revenue"] == 6


def test_leaves_are_matched_by_name(answers, tmp_path, capsys):
    other = tmp_path / "other.nwk"
    other.write_text("((owl,hawk),(trout,cod));")
    code, out, err = run(capsys, "revenue", other, answers)
    assert (code, out) == (1, "")
    assert "'cod' is in the tree only" in err
    other.write_text("((owl,hawk),carp);")
    code, _, err = run(capsys, "revenue", other, answers)
    assert code == 1
    assert "'trout' is in the answers only" in err


def test_labels_and_numbers_are_never_mixed_up(answers, tree, tmp_path, capsys):
    """A matrix has no labels: what is lost is said, and never guessed later."""
    matrix = tmp_path / "tree.npy"
    code, _, err = run(capsys, "convert", tree, matrix)
    assert code == 0
    assert "keeps no labels: its leaf 0 is 'owl', 1 is 'hawk', 2 is 'trout'" in err
    code, _, err = run(capsys, "revenue", matrix, answers)
    assert code == 1
    assert "has no labels, so which leaf is " in err
    for both in ((matrix, tree), (tree, matrix)):
        code, _, err = run(capsys, "compare", *both)
        assert code == 1
        assert "Give both as .nwk or .json, which keep labels" in err
        assert "with_labels" not in err


def test_numbers_as_labels_stay_the_same_numbers(tmp_path, capsys):
    """Newick files list leaves as they are drawn, matrices by number."""
    rows, truth = tmp_path / "a.npz", tmp_path / "truth.nwk"
    given = "--objects", 16, "--truth", truth, "--model", "latent"
    assert run(capsys, "simulate", rows, *given)[0] == 0
    assert not truth.read_text().lstrip("(").startswith("0,1")
    matrix, table = tmp_path / "truth.npy", tmp_path / "a.csv"
    code, _, err = run(capsys, "convert", truth, matrix)
    assert (code, "no labels" in err) == (0, False)
    run(capsys, "convert", rows, table)
    for tree in (truth, matrix):
        for answers in (rows, table):
            _, out, _ = run(capsys, "revenue", tree, answers, "--json")
            assert json.loads(out)["violated"] == 0
    code, out, _ = run(capsys, "compare", truth, matrix, "--json")
    assert json.loads(out)["triplet_distance"]["distance"] == 0


def test_convert(answers, tree, tmp_path, capsys):
    target = tmp_path / "answers.parquet"
    assert run(capsys, "convert", answers, target)[0] == 0
    again, first = tt.read_comparisons(target), tt.read_comparisons(answers)
    assert again.labels == first.labels
    assert again.rows.tolist() == first.rows.tolist()
    code, _, err = run(capsys, "convert", answers, target)
    assert code == 2
    assert "--force" in err
    assert run(capsys, "convert", answers, target, "--force")[0] == 0
    assert run(capsys, "convert", tree, tmp_path / "tree.json")[0] == 0
    assert tt.read_tree(tmp_path / "tree.json").labels == (
        *("owl", "hawk", "trout", "carp"),
    )
    code, _, err = run(capsys, "convert", answers, tmp_path / "x.nwk")
    assert code == 2
    assert "tripletree cluster" in err


@pytest.mark.parametrize("model", ["planted", "latent"])
def test_simulate(model, tmp_path, capsys):
    out, truth = tmp_path / "a.csv", tmp_path / "t.nwk"
    given = ["--model", model, "--objects", 24, "--answers", 900, "--truth", truth]
    assert run(capsys, "simulate", out, *given)[0] == 0
    found, tree = tt.read_comparisons(out), tt.read_tree(truth)
    assert found.n_objects == tree.n_leaves == 24
    assert len(found) == 900
    code, text, _ = run(capsys, "revenue", truth, out, "--json")
    assert code == 0
    values = json.loads(text)
    assert values["satisfied"] > 5 * values["violated"]
    before = out.read_bytes()
    assert run(capsys, "simulate", out, *given)[0] == 2
    assert run(capsys, "simulate", out, *given, "--force")[0] == 0
    assert out.read_bytes() == before


def test_json_is_converted_to_what_the_target_is(tmp_path, capsys):
    path, tree = tmp_path / "a.json", tmp_path / "t.json"
    path.write_text('[{"target": "x", "near": "y", "far": "z"}]')
    assert run(capsys, "convert", path, tmp_path / "a.csv")[0] == 0
    assert (tmp_path / "a.csv").read_text() == "target,near,far\nx,y,z\n"
    (tmp_path / "t.nwk").write_text("((x,y),z);")
    assert run(capsys, "convert", tmp_path / "t.nwk", tree)[0] == 0
    assert run(capsys, "convert", tree, tmp_path / "u.nwk")[0] == 0
    code, _, err = run(capsys, "convert", tmp_path / "a.csv", tmp_path / "b.json")
    assert code == 2
    assert "answers become answers" in err


def test_answers_in_words_of_their_own(tmp_path, capsys):
    path, tree = tmp_path / "a.csv", tmp_path / "t.nwk"
    path.write_text("target,left,right,answer\nx,y,z,a\ny,x,z,b\nz,x,y,s\n")
    tree.write_text("((x,y),z);")
    words = "a=left,b=right,s=tie"
    for given in (["--answers", words], ["--answer-words", "a=first, B=second,s=same"]):
        code, out, _ = run(capsys, "summary", path, "--json", *given)
        assert code == 0
        assert json.loads(out)["dropped"] == {"undecided": 1}
    given = ["--answers", path, "--answer-words", words]
    assert run(capsys, "compare", tree, tree, *given)[0] == 0
    for wrong in ("a", "=left", "a=", "a=left,a=right", "a=up"):
        code, _, err = run(capsys, "summary", path, "--answers", wrong)
        assert code == 2
        assert "a=left,b=right" in err


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
def test_simulate_writes_as_many_answers_as_were_asked_for(given, n, tmp_path, capsys):
    out = tmp_path / "a.csv"
    assert run(capsys, "simulate", out, *given.split())[0] == 0
    assert len(out.read_text().splitlines()) == n + 1


@pytest.mark.parametrize("model", ["planted", "latent"])
def test_simulate_refuses_more_answers_than_there_are(model, tmp_path, capsys):
    given = ["--model", model, "--objects", 24, "--answers", 10**7]
    code, _, err = run(capsys, "simulate", tmp_path / "a.csv", *given)
    assert code == 2
    assert "--answers 10000000: 24 objects have only" in err


def test_latent_trees_have_no_quadruplets(tmp_path, capsys):
    given = ["--model", "latent", "--quadruplets"]
    code, _, err = run(capsys, "simulate", tmp_path / "a.csv", *given)
    assert code == 2
    assert "triplets only" in err


def test_datasets(tmp_path, capsys):
    code, out, _ = run(capsys, "datasets")
    assert code == 0
    assert "car " in out
    code, _, err = run(capsys, "datasets", "cars")
    assert code == 2
    assert "choose car, food" in err
    target = tmp_path / "digits.npz"
    code, out, _ = run(capsys, "datasets", "digits", "-o", target)
    assert code == 0
    assert "cite: E. Alpaydin" in out
    assert tt.read_comparisons(target).n_objects == 1797


def test_plan(capsys):
    code, out, _ = run(capsys, "plan", "--objects", 6)
    assert (code, "60 triplets" in out) == (0, True)
    assert run(capsys, "plan", "--objects", 2)[0] == 2


def test_options_of_reading(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("ref,x,y,who\na,b,c,1\na,b,c,1\nb,a,c,2\nc,c,a,3\n")
    given = ["summary", path, "--columns", "target=ref,near=x,far=y,annotator=who"]
    code, _, err = run(capsys, *given)
    assert code == 1
    assert "compared with itself" in err
    code, out, _ = run(capsys, *given, "--drop-degenerate")
    assert "3 triplets" in out
    code, out, _ = run(capsys, *given, "--drop-degenerate", "--unique")
    assert "2 triplets" in out
    code, out, _ = run(capsys, *given, "--drop", "who=3", "--keep", "who=2")
    assert "1 triplet about 3 objects" in out
    for option, value, words in [
        ("--drop", "who", "COLUMN=VALUE"),
        ("--columns", "ref,x", "three or four"),
        ("--columns", "target=ref,x", "three or four"),
    ]:
        code, _, err = run(capsys, "summary", path, option, value)
        assert code == 2
        assert words in err
        assert err.count("\n") == 1


def test_errors_of_files_name_options(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("label,group,image\na,b,c\n")
    code, _, err = run(capsys, "cluster", path)
    assert code == 1
    assert "--columns target=...,near=...,far=..." in err
    assert "--columns 0,1,2" in err
    assert "{" not in err
    path.write_text("anchor,left,right,answer\na,b,c,up\n")
    code, _, err = run(capsys, "cluster", path)
    assert code == 1
    assert err.endswith("--drop answer=....\n")


@pytest.mark.parametrize("option", ["--clusters {}", "--columns {},1,2"])
def test_endless_numbers(answers, capsys, option):
    """Python refuses to read integers of more than 4,300 digits."""
    given = option.format("9" * 5_000).split()
    code, _, err = run(capsys, "cluster", answers, *given)
    assert code == 2
    assert err.splitlines()[-1].startswith("tripletree: error: ")


@pytest.mark.parametrize("command", ["cluster", "summary"])
def test_labels_do_not_steer_the_terminal(tmp_path, capsys, command):
    """Nor do names of annotators, reasons, or objects that were never compared."""
    evil = [f"\x1b]0;{name}\x07\x9b2J" for name in "abcdefg"]
    answers = tt.Triplets(
        [[0, 1, 2], [1, 0, 3]],
        n_objects=5,
        labels=evil[:5],
        annotators=evil[5:],
        dropped={evil[0]: 3},
        notes=[evil[1]],
    )
    tt.write_comparisons(answers, tmp_path / "a.npz")
    code, out, err = run(capsys, command, tmp_path / "a.npz")
    assert code == 0
    assert r"\x1b]0;a" in out
    assert r"\x1b]0;b\x07" in out + err
    assert all(x.isprintable() or x == "\n" for x in out + err)


@pytest.mark.parametrize("command", ["cluster", "report", "revenue", "summary"])
def test_what_was_assumed_is_said(tree, tmp_path, capsys, command):
    path, page = tmp_path / "a.csv", tmp_path / "page.html"
    path.write_text("0,1,2\n1,0,3\n3,2,0\n4,5,0\n5,4,1\n")
    tt.write_tree(tt.balanced_tree(6), tmp_path / "t.nwk")
    given = {"report": ["--out", page], "revenue": []}.get(command, [])
    before = [tmp_path / "t.nwk"] if command == "revenue" else []
    code, out, err = run(capsys, command, *before, path, *given)
    assert code == 0
    words = "no header: columns taken as target, near, far"
    assert words in (out if command == "summary" else err)
    if command == "report":
        assert words[1:] in page.read_text()
    code, out, err = run(capsys, command, *before, path, *given, "--columns", "0,1,2")
    assert "taken as" not in out + err


def test_debug_shows_where(tmp_path, capsys):
    with pytest.raises(tt.TripletreeError):
        main(["summary", str(tmp_path / "none.csv"), "--debug"])
    assert run(capsys, "summary", tmp_path / "none.csv")[0] == 1


def test_compare(tree, answers, tmp_path, capsys):
    other = tmp_path / "other.nwk"
    other.write_text("((owl,carp),(hawk,trout));")
    code, out, _ = run(capsys, "compare", tree, other, "--answers", answers)
    assert code == 0
    assert "robinson foulds   4 of 4 (100.0%)" in out
    assert "triplet distance  4 of 4 (100.0%)" in out
    assert f"{tree}: revenue 6, 100.0% satisfied" in out
    row, other_row = "owl,hawk,carp,0.25\n", "carp,trout,owl,0.25\n"
    answers.write_text(f"head,winner,loser,weight\n{row}{other_row}")
    code, out, _ = run(capsys, "compare", tree, other, "--answers", answers)
    assert f"{tree}: revenue 1, 100.0% satisfied" in out
    code, out, _ = run(capsys, "compare", tree, tree, "--json")
    assert json.loads(out)["triplet_distance"]["distance"] == 0
    other.write_text("((owl,carp),cod);")
    code, out, err = run(capsys, "compare", tree, other)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1


FILES = {
    *("tree.nwk", "tree.json", "linkage.npy"),
    *("clusters.csv", "summary.json", "report.html"),
}


CLUSTERS = ["carp,1", "hawk,2", "owl,2", "trout,1"]  # from the top of the tree on


def test_cluster(answers, tmp_path, capsys):
    given = ["cluster", answers, "--method", "climb", "--clusters", 2]
    code, out, err = run(capsys, *given, "--out", tmp_path / "out")
    assert code == 0
    assert err.startswith("read 3 answers about 4 objects\n")
    assert "report.html in a browser" in err
    assert "Tree of 4 objects by climb" in out
    assert "2 flat clusters (number given):\n  1 (2, stability " in out
    assert "└─" in out
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    clusters = (tmp_path / "out" / "clusters.csv").read_text().splitlines()
    assert clusters == ["label,cluster", *CLUSTERS]
    values = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert values["revenue"] == 6
    found = tt.read_tree(tmp_path / "out" / "tree.nwk")
    assert found.labels is not None
    assert found.cut(2).tolist() in ([0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 0, 1])
    code, out, err = run(capsys, *given, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert "--force" in err
    assert run(capsys, *given, "--out", tmp_path / "out", "--force")[0] == 0
    code, out, _ = run(capsys, *given, "--json", "--support", 5)
    values = json.loads(out)
    assert [f"{k},{v}" for k, v in values["clusters"].items()] == CLUSTERS
    assert values["n_clusters"] == 2
    assert len(values["cluster_support"]) == len(values["cluster_stability"]) == 2
    assert (values["n_replicates"], values["drawn"]) == (5, "answers")
    for option, value in [("--method", "best"), ("--clusters", 5), ("--clusters", "x")]:
        code, out, err = run(capsys, "cluster", answers, option, value)
        assert (code, out) == (2, "")
        assert err.count("tripletree: error: ") == 1
        assert err.count("\n") <= 2  # what was read, perhaps, and what is wrong


def test_cluster_says_what_was_left_out_and_what_to_do_next(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text(
        "head,winner,loser,worker,kind\n" + "a,b,c,w1,\n" * 3 + "b,a,c,w2,x\n"
    )
    code, out, err = run(capsys, "cluster", path, "--drop", "kind=x")
    assert code == 0
    assert err.startswith(
        "read 3 answers about 3 objects by 1 person; left out: 1 answer (drop"
    )
    assert "--out FOLDER" in err
    assert "no cut: the tree does not fall into stable clusters" in out
    code, out, err = run(capsys, "cluster", path, "--drop", "kind=x", "--support", 0)
    assert "stability" not in out


def test_a_page_that_cannot_be_is_refused_before_the_work(answers, tmp_path, capsys):
    for command in (["report", answers], ["demo"]):
        code, out, err = run(capsys, *command, "-o", tmp_path / "page.txt")
        assert (code, out) == (2, "")
        assert ".html" in err
        code, out, err = run(capsys, *command, "-o", tmp_path / "no" / "page.html")
        assert (code, out) == (2, "")
        assert "there is no folder" in err


def test_what_is_wrong_is_refused_before_reading(answers, tmp_path, capsys):
    for given, words in [
        (["--out", answers], "is a file, not a folder"),
        (["--out", answers / "x"], "is a file, not a folder"),
        (["--method", "cosine-al"], "--method 'cosine-al': choose auto, climb"),
        (["--clusters", "0"], "--clusters '0': give a number from 1 on, or auto"),
        (["--support", "all"], "--support 'all': give a number from 0 on, or auto"),
    ]:
        code, out, err = run(capsys, "cluster", answers, *given)
        assert (code, out) == (2, "")
        assert words in err
        assert "read 3" not in err


def test_options_about_answers_are_refused_for_pair_sums(answers, tmp_path, capsys):
    pairs = tmp_path / "pairs.parquet"
    assert run(capsys, "pairs", answers, "-o", pairs)[0] == 0
    for given in (["--drop", "x=1"], ["--unique"], ["--columns", "0,1,2"]):
        code, _, err = run(capsys, "cluster", pairs, *given)
        assert code == 2
        assert f"{given[0]} is about answers" in err


def test_report(answers, tmp_path, capsys):
    out = tmp_path / "r.html"
    given = ["report", answers, "-o", out, "--method", "adds-al", "--support", 3]
    assert run(capsys, *given)[0] == 0
    text = out.read_text()
    assert text.startswith("<!doctype html>")
    assert "trout" in text
    assert run(capsys, *given)[0] == 2
    assert run(capsys, *given, "--force")[0] == 0


@pytest.mark.slow
def test_demo(tmp_path, capsys):
    out = tmp_path / "demo.html"
    code, text, _ = run(capsys, "demo", "-o", out)
    assert code == 0
    assert "adjusted Rand index" in text
    assert "data:image" in out.read_text()
    assert run(capsys, "demo", "-o", out)[0] == 2


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_helps_with_an_example(name, capsys):
    code, out, _ = run(capsys, name, "--help")
    assert code == 0
    assert name in ("summary", "reproduce", "demo") or "Example" in out


def test_what_was_read_is_told(tmp_path, capsys):
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c,odd\nx,y,z,z\nx,y,z,\nz,y,w,w\n")
    code, out, _ = run(capsys, "cluster", path, "--json")
    assert code == 0
    values = json.loads(out)
    told = [values[f"n_{unit}"] for unit in ("objects", "answers", "comparisons")]
    assert told == [4, 2, 4]
    assert (values["n_questions"], values["n_people"]) == (4, None)
    assert (values["left_out"], values["assumed"]) == ({"undecided": 1}, [])
    path.write_text("0,1,2\n3,1,0\n")
    values = json.loads(run(capsys, "cluster", path, "--json")[1])
    assert (values["n_answers"], values["n_comparisons"]) == (2, 2)
    assert len(values["assumed"]) == 1


def test_pair_sums_do_in_place_of_answers(answers, tmp_path, capsys):
    pairs = tmp_path / "pairs.parquet"
    assert run(capsys, "pairs", answers, "-o", pairs)[0] == 0
    code, out, _ = run(capsys, "cluster", pairs, "--json")
    assert code == 0
    values = json.loads(out)
    told = values["method"], values["revenue"], values["n_comparisons"]
    assert told == ("climb", 6, 3)
    out = tmp_path / "out"
    assert run(capsys, "cluster", pairs, "--out", out)[0] == 0
    assert {path.name for path in out.iterdir()} == FILES - {"report.html"}
    for given, words in [
        (["cluster", pairs, "--unique"], "--unique is about answers"),
        (["cluster", pairs, "--support", 5], "--support 0"),
        (["cluster", pairs, "--method", "complete"], "pair sums are enough for"),
    ]:
        code, _, err = run(capsys, *given)
        assert code == 2
        assert words in err
    code, _, err = run(capsys, "summary", pairs)
    assert code == 1


def test_pictures_that_are_not_there_are_refused_before_the_work(
    answers, tmp_path, capsys
):
    items, out = tmp_path / "items.csv", tmp_path / "out"
    names = ["owl,no.png", "hawk,", "carp,https://a.org/carp.png", "trout,"]
    items.write_text("\n".join(["label,image", *names]))
    for given in (["cluster", "-o", out], ["report", "-o", out.with_suffix(".html")]):
        code, text, err = run(capsys, *given, answers, "--items", items)
        assert (code, text) == (1, "")
        assert "'no.png': there is no such file" in err
        assert "read 3" not in err
        assert not out.exists()
    (tmp_path / "no.png").write_text("no picture")
    code, text, err = run(capsys, "cluster", answers, "--items", items, "-o", out)
    assert (code, text, out.exists()) == (1, "", False)
    assert "not an image of a known kind" in err
    assert run(capsys, "cluster", answers, "--items", items)[0] == 0  # needs no page


def test_what_is_read_and_what_is_left_out_have_their_units(tmp_path, capsys):
    """An odd one out is one answer and two comparisons."""
    path, pairs = tmp_path / "a.csv", tmp_path / "pairs.parquet"
    path.write_text("image_1,image_2,image_3,odd\na,b,c,c\na,b,c,\n")
    code, _, err = run(capsys, "cluster", path)
    assert code == 0
    said = "read 1 answer (2 comparisons) about 3 objects; left out: 1 answer "
    assert err.startswith(said + "(undecided)\n")
    assert run(capsys, "pairs", path, "-o", pairs)[0] == 0
    code, _, err = run(capsys, "cluster", pairs)
    assert err.startswith("read 2 comparisons about 3 objects, summed by pair\n")


def test_one_person_has_no_others_to_agree_with(tmp_path, capsys):
    path = tmp_path / "one.csv"
    path.write_text("target,near,far,participant\nx,y,z,p1\nx,z,y,p1\n")
    code, out, _ = run(capsys, "summary", path)
    assert code == 0
    assert "  people                  1\n" in out
    assert "agree" not in out
    assert "p1" not in out
    path.write_text(path.read_text() + "x,y,z,p2\n")
    code, out, _ = run(capsys, "summary", path)
    assert "2 people, 3 answers; of the comparisons that the others decide" in out
