"""All methods on the paper's planted model: is the tree right, and could we have known?

`bench_auto` and `bench_people` ask whether `auto` chooses well: on draws of the planted
model, and on people's answers. Every figure is kept as it is made, in build/, so that a
run that was stopped goes on; LABEL in the environment names what is measured, as in
`LABEL=before PYTHONPATH=../before/src python -m benchmarks auto`. `bench_people` stands
beside the records of BEFORE, split by split, if there are any; SETS=car,things leaves
the other sets out, and OTHERS=no the candidates that `auto` does not choose.

`bench_methods`: the similarity and the answers are the published ones. For each number
of triplets and each method: mean and least AARI, revenue, held-out revenue and seconds,
and Kendall's tau between held-out revenue and AARI over the methods, run by run. In the
last row what `cluster` chooses by itself; the best published mean stands in the title.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

import tripletree as tt
from benchmarks import record
from tripletree.clustering.method_choice import CANDIDATES
from tripletree.datasets.planted import published_planted, published_triplets
from tripletree.evaluation.holdout import assign_folds
from tripletree.methods import make_tree
from tripletree.objective.value import normalised_revenue

METHODS = ("adds-al", "mulk-al", "tste-al", "climb", "complete", "auto")
BEST_PUBLISHED = dict(
    zip(
        ("16", "8", "4", "2", "1", "1/2", "1/4", "1/8", "1/16", "1/32"),
        (0.937, 0.905, 0.874, 0.867, 0.868, 0.860, 0.851, 0.840, 0.720, 0.549),
        strict=True,
    )
)
COLUMNS = ["", "AARI", "least AARI", "revenue", "held out", "seconds"]


def bench_methods(rounds: int, scale: int) -> None:
    """Every method on the paper's planted model: AARI, revenue, held-out revenue."""
    model = published_planted()
    n = len(model.similarity)
    ratios = [*BEST_PUBLISHED] if scale == 1 else ["1", "1/16"]
    runs = 2 if scale == 1 else 1
    taus = []
    for ratio in ratios:
        m = int(Fraction(ratio) * n * n)
        table = np.array([one_run(model, m, run) for run in range(runs)])
        for figures in table[:, :-1]:  # without auto, which is one of the others
            taus.append(kendalltau(figures[:, 2], figures[:, 0]).statistic)
        rows: list[list[Any]] = []
        for place, method in enumerate(METHODS):
            right, earned, held_out, seconds = table[:, place].mean(axis=0)
            least = table[:, place, 0].min()
            rows.append([method, right, least, earned, held_out, seconds])
        best = BEST_PUBLISHED[ratio]
        title = f"m/n² = {ratio}, n = {n}, {runs} runs; best published AARI {best}"
        record.figures(title, COLUMNS, rows)
    mean = np.mean(taus)
    record.note(f"Kendall's tau of held-out revenue and AARI, mean: {mean:.3f}")


def one_run(model: tt.Planted, m: int, run: int) -> npt.NDArray[np.float64]:
    """A row of AARI, revenue, held-out revenue and seconds for each method."""
    answers = published_triplets(model.similarity, m, run)
    rows = np.empty((len(METHODS), 4))
    for row, method in zip(rows, METHODS, strict=True):
        began = time.perf_counter()
        found = tt.cluster(answers, method)
        seconds = time.perf_counter() - began
        right = tt.aari(found.tree, model.labels)
        row[:] = right, found.revenue, found.held_out_revenue, seconds
    return rows


RECORDS = Path("build", "benchmarks", "records")
LABEL = os.environ.get("LABEL", "now")
FIRST_DRAW = 1_000  # nothing was chosen on these draws
# Signal to noise, answers over n^2, kind of comparisons, and the AARI to reach.
PLANTED = (
    *((1.5, "1", "triplets", 0.995), (1.5, "1/2", "triplets", 0.98)),
    *((1.5, "1/4", "triplets", 0.93), (1.5, "1/8", "triplets", 0.85)),
    *((1.5, "1/16", "triplets", 0.81), (1.5, "1/32", "triplets", 0.585)),
    *((1.0, "1/16", "triplets", 0.74), (0.5, "1/16", "triplets", 0.37)),
    *((1.5, "1/4", "quadruplets", 0.90), (1.5, "1/16", "quadruplets", 0.78)),
)
PEOPLE = ("car", "food", "food 2500", "food 625", "musician", "material", "things")


def bench_auto(rounds: int, scale: int) -> None:
    """AARI of `auto` on the planted model, against what it must reach, by draw."""
    todo = [(row[:3], FIRST_DRAW + at) for at in range(rounds) for row in PLANTED]
    found = recorded("auto", todo, lambda unit: planted_run(*unit))
    rows: list[list[Any]] = []
    for *row, must in PLANTED:
        mine = [one for (of, _), one in found.items() if of == tuple(row)]
        if not mine:
            continue
        aaris = np.array([one["aari"] for one in mine])
        chosen = ", ".join(sorted({one["method"] for one in mine}))
        seconds = np.mean([one["seconds"] for one in mine])
        error = aaris.std(ddof=1) / len(aaris) ** 0.5 if len(mine) > 1 else np.nan
        rows.append([str(row), must, aaris.mean(), error, len(mine), seconds, chosen])
    columns = [
        "planted",
        "to reach",
        "AARI",
        "standard error",
        "draws",
        "CPU s",
        "chosen",
    ]
    record.figures(f"auto ({LABEL}), {rounds} draws from {FIRST_DRAW}", columns, rows)


def planted_run(row: tuple[float, str, str], draw: int) -> dict[str, Any]:
    """What `auto` makes of one draw of the planted model."""
    signal, ratio, kind = row
    rng = np.random.default_rng(draw)
    model = tt.planted(sigma=0.15 / signal, rng=rng)
    sample = tt.sample_triplets if kind == "triplets" else tt.sample_quadruplets
    m = int(Fraction(ratio) * len(model.similarity) ** 2)
    answers = sample(model.similarity, m, rng=rng)
    began = time.process_time()
    found = tt.cluster(answers, support=0, bound=False)
    seconds = time.process_time() - began
    right = float(tt.aari(found.tree, model.labels))
    return {"aari": right, "method": found.method, "seconds": seconds}


def bench_people(rounds: int, scale: int) -> None:
    """Held-out revenue of `auto` and its candidates on people's answers, normalised."""
    wanted = os.environ.get("SETS", ",".join(PEOPLE)).split(",")
    sets = [name for name in PEOPLE if name in wanted]
    todo = [(name, at) for at in range(rounds) for name in sets]
    found = recorded("people", todo, lambda unit: people_run(*unit))
    before = recorded("people", todo, None, os.environ.get("BEFORE", "before"))
    earned: list[list[Any]] = []
    compared: list[list[Any]] = []
    for name in sets:
        mine = {at: one for (of, at), one in found.items() if of == name}
        old = {at: one for (of, at), one in before.items() if of == name and at in mine}
        if mine:
            means = mean_revenues([*mine.values()])
            shown = [means.get(x, np.nan) for x in (*CANDIDATES, "auto")]
            chosen = ", ".join(sorted({one["method"] for one in mine.values()}))
            earned.append([name, *shown, len(mine), chosen])
            compared.append([name, *beside_best(mine, means), *beside_old(mine, old)])
    title = f"normalised held-out revenue ({LABEL}), splits from 0"
    columns = ["", *CANDIDATES, "auto", "splits", "chosen"]
    record.figures(title, columns, earned)
    columns = ["", "best", "auto - best", "s.e.", "auto - before", "s.e.", "splits"]
    columns += ["CPU s", "CPU s before", "ratio"]
    record.figures("the same, split by split", columns, compared)


def mean_revenues(runs: Sequence[dict[str, Any]]) -> dict[str, float]:
    """What the methods earn on average that made a tree for every split."""
    methods = [x for x in (*CANDIDATES, "auto") if all(x in one for one in runs)]
    return {x: float(np.mean([one[x] for one in runs])) for x in methods}


def beside_best(mine: dict[int, dict[str, Any]], means: dict[str, float]) -> list[Any]:
    """The candidate that is best on average, and how much more `auto` earns."""
    tried = [x for x in CANDIDATES if x in means]
    if len(tried) < 2:  # OTHERS=no
        return ["not known", np.nan, np.nan]
    best = max(tried, key=lambda x: means[x])
    return [best, *mean_and_error([one["auto"] - one[best] for one in mine.values()])]


def beside_old(
    mine: dict[int, dict[str, Any]], old: dict[int, dict[str, Any]]
) -> list[Any]:
    """How much more `auto` earns than before on the same splits, and CPU seconds."""
    if not old:
        return [np.nan, np.nan, 0, np.nan, np.nan, np.nan]
    change = [mine[at]["auto"] - one["auto"] for at, one in old.items()]
    seconds = float(np.mean([mine[at]["seconds"] for at in old]))
    before = float(np.mean([one["seconds"] for one in old.values()]))
    return [*mean_and_error(change), len(old), seconds, before, seconds / before]


def mean_and_error(differences: Sequence[float]) -> tuple[float, float]:
    """The mean, and its standard error if there is more than one."""
    found = np.array(differences)
    n = len(found)
    error = float(found.std(ddof=1)) / n**0.5 if n > 1 else np.nan
    return float(found.mean()), error


def people_run(name: str, split: int) -> dict[str, Any]:
    """Trees from two thirds of the questions, judged on the third one."""
    kind, _, n_rows = name.partition(" ")
    answers: Any = getattr(tt, f"fetch_{kind}")().comparisons
    if n_rows:
        rng = np.random.default_rng(split)
        answers = answers[np.sort(rng.permutation(len(answers))[: int(n_rows)])]
    fold = assign_folds(answers, 3, 1_000 + split)
    train, test = answers[fold != 0], answers[fold == 0]
    began = time.process_time()
    found = tt.cluster(train, support=0, bound=False)
    seconds = time.process_time() - began
    trees = {"auto": found.tree, found.method: found.tree}
    others = found.held_out if os.environ.get("OTHERS", "yes") == "yes" else ()
    for method in others:
        if method not in trees:
            trees[method] = make_tree(method, train)[0]
    judged: dict[str, Any] = {"method": found.method, "seconds": seconds}
    for method, tree in trees.items():
        judged[method] = normalised_revenue(tree, test, tt.revenue(tree, test))
    return judged


def recorded(
    case: str,
    todo: Sequence[Any],
    measure: Callable[[Any], dict[str, Any]] | None,
    label: str = LABEL,
) -> dict[Any, dict[str, Any]]:
    """Measure what has no record yet, if at all; PART=0/2 and PART=1/2 share it."""
    folder = RECORDS / f"{case}-{label}"
    if measure:
        folder.mkdir(parents=True, exist_ok=True)
    part, n_parts = map(int, os.environ.get("PART", "0/1").split("/"))
    found = {}
    for at, unit in enumerate(todo):
        name = "-".join(str(x).replace("/", "_of_") for x in np.hstack(unit))
        file = folder / f"{name}.json"
        if measure and not file.exists() and at % n_parts == part:
            kept = file.with_suffix(".new")
            kept.write_text(json.dumps(measure(unit)))
            kept.replace(file)
        if file.exists():
            found[unit] = json.loads(file.read_text())
    return found
