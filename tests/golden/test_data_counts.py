"""The table of the real data sets: rows, different rows, questions, contradictions."""

from __future__ import annotations

import csv
import gzip
import json
import tarfile

import numpy as np

from tripletree import (
    Triplets,
    cblearn_triplets,
    drop_duplicates,
    grid_choices,
    most_central,
    odd_one_out,
    summarise,
)


def counts(answers):
    found = summarise(answers)
    return (
        found.n_objects - found.n_never_compared,
        found.n_rows,
        found.n_unique,
        found.n_questions,
        found.n_contradictory,
    )


def car(folder):
    """Survey rounds as annotators; 1-based."""
    with open(folder / "car" / "survey_data.csv", newline="") as file:
        table = [[int(x) for x in row[:5]] for row in list(csv.reader(file))[1:]]
    table = np.array(table)
    shown, central = table[:, 2:] - 1, table[:, 1] - 1
    return most_central(shown, central, 60, annotators=table[:, 0])


def food(folder):
    """Every real screen of every run, from the raw files; workers as annotators."""
    names = (folder / "food" / "image_names.txt").read_text().split()
    number = {name: at for at, name in enumerate(names)}
    rows, is_chosen, workers = [], [], []
    with tarfile.open(folder / "food" / "raw-json.tar.gz") as archive:
        for member in sorted(archive.getnames()):
            if not member.endswith(".json"):
                continue
            for hit in json.load(archive.extractfile(member)):
                for screen in hit["HIT_screens"]:
                    if screen["is_catchtrial"]:
                        continue
                    shown = [x.split("/")[1] for x in screen["images"]]
                    near = {x.split("/")[1] for x in screen["near_answer"]}
                    probe = number[screen["probe"].split("/")[1]]
                    rows.append([probe, *(number[x] for x in shown)])
                    is_chosen.append([x in near for x in shown])
                    workers.append(hit["worker_id"])
    width = max(map(len, rows))
    table = np.full((len(rows), width), -1)
    ticked = np.zeros((len(rows), width - 1), bool)
    for at, (row, ticks) in enumerate(zip(rows, is_chosen, strict=True)):
        table[at, : len(row)] = row
        ticked[at, : len(ticks)] = ticks
    return grid_choices(table, ticked, 100, labels=names, annotators=workers)


def things(folder):
    table = np.loadtxt(folder / "things" / "test_10.txt.gz", dtype=int)
    return odd_one_out(table, table[:, 2], 1854)


def musician(folder):
    """1-based ids up to 412, of which 400 occur; two of three are equal in some."""
    path = folder / "musician" / "music_triplets.csv.gz"
    rows = np.loadtxt(path, delimiter=",", skiprows=1, dtype=int) - 1
    i, j, k = rows.T
    is_degenerate = (i == j) | (i == k) | (j == k)
    dropped = {"degenerate": int(is_degenerate.sum())}
    return Triplets(rows[~is_degenerate], 412, dropped=dropped)


def material(folder, part):
    """One row per vote: for the first and for the second of each question."""
    path = folder / "material" / f"answers_processed_{part}.json.gz"
    with gzip.open(path) as file:
        data = json.load(file)
    questions, votes = np.array(data["answers"]), np.array(data["agreement"])
    both = np.concatenate([questions, questions])
    signed = np.concatenate([votes[:, 0], -votes[:, 1]])
    return cblearn_triplets(both, signed, 100)


def test_car(data_folder):
    answers = car(data_folder)
    assert counts(answers) == (60, 14_194, 13_152, 12_910, 242)
    assert summarise(answers).n_annotators == 146
    assert summarise(answers).n_groups == 1


def test_food(data_folder):
    answers = food(data_folder)
    assert counts(answers) == (100, 250_320, 190_376, 181_027, 9_349)
    assert summarise(answers).n_annotators == 243
    assert not answers.dropped
    unique = drop_duplicates(answers)
    assert counts(unique) == (100, 190_376, 190_376, 181_027, 9_349)
    path = data_folder / "food" / "triplets.csv.gz"
    table = np.loadtxt(path, delimiter=",", skiprows=1, dtype=int)
    workers = np.array(answers.annotator_names, int)[answers.annotators]
    mine = np.column_stack([answers.rows, workers])
    derived = table[:, [0, 1, 2, 4]]
    assert np.array_equal(np.unique(mine, axis=0), np.unique(derived, axis=0))


def test_things(data_folder):
    answers = things(data_folder)
    assert counts(answers) == (1_854, 100_000, 99_362, 99_176, 186)


def test_musician(data_folder):
    """9,107 different rows, of which 17 are degenerate and dropped."""
    answers = musician(data_folder)
    usable = 9_107 - 17
    assert counts(answers) == (400, usable, usable, usable, 0)
    assert answers.dropped == {"degenerate": 17}


def test_material(data_folder):
    """Votes are weights here, so the votes are the total weight."""
    for part, expected in (
        ("train", (100, 92_892, 34_183, 22_801, 11_382)),
        ("test", (100, 11_800, 4_479, 3_000, 1_479)),
    ):
        answers = material(data_folder, part)
        n_objects, n_votes, *kinds = expected
        assert counts(answers) == (n_objects, kinds[0], *kinds)
        assert summarise(answers).total_weight == n_votes
        votes = answers[np.repeat(np.arange(len(answers)), answers.weights)]
        assert counts(Triplets(votes.rows, 100)) == expected
