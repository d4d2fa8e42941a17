"""The table on real data: the revenue of all methods on eight data sets.

Zoo, Glass and MNIST: n² triplets or quadruplets about cosines, 5 % of them wrong, the
published draws. Car and Food: the answers of people, which also serve as quadruplets
(i, j, i, k); only tSTE-AL is random there. Vogue, Nature and Imagenet cannot be had
from a public repository: they are reported as absent, like any set whose files are not
there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.comparisons.answers import Comparisons
from tripletree.datasets.files import VARIABLE
from tripletree.datasets.published_draws import (
    published_quadruplets,
    published_triplets,
)
from tripletree.experiments import real_data
from tripletree.experiments.cells import Cell, Record, Results, cell
from tripletree.experiments.drawing import LOOKS, panels
from tripletree.experiments.methods import (
    NAMES,
    OWN_METHODS,
    QUADRUPLET_METHODS,
    TRIPLET_METHODS,
    own_trees,
    published_tree,
)
from tripletree.experiments.plan import Plan, Report
from tripletree.experiments.published import Printed, difference, published
from tripletree.experiments.tables import Table, column, figure_text, mean_of, select
from tripletree.objective.value import revenue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLIP = 0.05
KINDS = {
    "triplets": (*TRIPLET_METHODS, "cosine3_al"),
    "quadruplets": (*QUADRUPLET_METHODS, "cosine4_al"),
}
TITLES = {
    "zoo": "Zoo",
    "glass": "Glass",
    "mnist": "MNIST",
    "car": "Car",
    "food": "Food",
    "vogue": "Vogue",
    "nature": "Nature",
    "imagenet": "Imagenet",
}


def data_folder() -> Path | None:
    """Where the user keeps the data sets: the environment variable TRIPLETREE_DATA."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def cells(plan: Plan) -> list[Cell]:
    """One cell per data set that is there, kind of answers, run and kind of method."""
    return [one for name in TITLES for one in _cells_of(name, plan)]


def _cells_of(name: str, plan: Plan) -> Iterator[Cell]:
    digest = real_data.digest(name, plan.data)
    if digest is None or (name == "mnist" and plan.is_quick):
        return
    assert plan.data is not None
    os.environ[VARIABLE] = str(plan.data)  # for the processes that run the cells
    for kind in KINDS:
        for run in range(plan.n_seeds):
            for methods in _methods(name, kind, run, plan):
                yield cell(
                    "real",
                    name=name,
                    kind=kind,
                    run=run,
                    methods=methods,
                    digest=digest,
                )


def _methods(name: str, kind: str, run: int, plan: Plan) -> list[str]:
    """What to run: tripletree's methods take longest, so once where once will do."""
    if name in real_data.OF_FEATURES:
        own = "drafts" if plan.is_quick or name == "mnist" else "own"
        return ["published", own] if name != "mnist" or run == 0 else ["published"]
    if run > 0:
        return ["embedding"] if kind == "triplets" else []
    own = "drafts" if plan.is_quick else "own"
    return ["published", own] if kind == "triplets" else ["published"]


def run_cell(name: str, kind: str, run: int, methods: str, digest: str) -> list[Record]:
    """What methods earn on one set of answers."""
    folder = data_folder()
    assert folder is not None
    answers, s = _answers(name, kind, run, folder)
    if methods in ("own", "drafts"):
        trees = own_trees(answers, seed=run, is_draft=methods == "drafts")
    else:
        chosen = ("tste_al",) if methods == "embedding" else KINDS[kind]
        trees = {
            method: (published_tree(method, answers, seed=run, similarity=s), method)
            for method in chosen
            if s is not None or not method.startswith("cosine")
        }
    return [
        {
            "data": name,
            "kind": kind,
            "n_objects": answers.n_objects,
            "n_answers": len(answers),
            "run": run,
            "method": method,
            "made_by": made_by,
            "effort": methods,
            "revenue": int(revenue(tree, answers)),
        }
        for method, (tree, made_by) in trees.items()
    ]


def _answers(name: str, kind: str, run: int, folder: Path) -> tuple[Comparisons, Any]:
    if name not in real_data.OF_FEATURES:
        triplets = real_data.triplets(name, folder)
        return triplets if kind == "triplets" else triplets.to_quadruplets(), None
    s = real_data.similarity(name, folder)
    draw = published_triplets if kind == "triplets" else published_quadruplets
    return draw(s, len(s) ** 2, run, flip=FLIP), s


def report(plan: Plan, results: Results) -> Report:
    """The table, and a figure of what each method earns beside AddS-AL."""
    records = [record for one in cells(plan) for record in results[one]]
    rows = [row for name in TITLES for row in _rows(name, plan, records)]
    table = Table(
        f"Real data: revenue, {plan.n_seeds} of 10 runs",
        ("data", "method", "published", "reproduced", "difference"),
        rows,
        (
            "= : equal to the printed digits. sd: printed standard deviations.",
            "climb, complete and auto are tripletree's; in brackets: what auto chose.",
            *_notes(plan),
        ),
    )
    figures = {"real": lambda: _draw(records)} if records else {}
    return Report([table], records, figures)


def _notes(plan: Plan) -> list[str]:
    notes = ["On Car and Food they run once: the answers are always the same."]
    if plan.is_quick:
        notes.append("*: a draft, with one restart. MNIST is left out.")
    else:
        notes.append("*: a draft, with one restart, on the first run alone.")
    if plan.data is None:
        notes.append(f"Set {VARIABLE} to the folder that has the data sets.")
    return notes


def _rows(name: str, plan: Plan, records: Sequence[Record]) -> list[list[str]]:
    printed = published()["real"][name]
    ours = select(records, data=name)
    rows = []
    for kind, methods in KINDS.items():
        for method in (*methods, *OWN_METHODS):
            found = select(ours, kind=kind, method=method)
            if method not in printed and not found:
                continue
            row = ["", _label(method, kind), "", "absent", ""]
            if found:
                row[3] = figure_text(column(found, "revenue"))
                if found[0]["effort"] == "drafts":
                    row[1] += " *"
                if method == "auto":
                    chosen = sorted({record["made_by"] for record in found})
                    row[1] += f" ({', '.join(chosen)})"
            if method in printed:
                one = Printed(*printed[method])
                row[2] = one.text + (f" ± {one.spread_text}" if one.spread_text else "")
                if found:
                    row[4] = difference(mean_of(column(found, "revenue")), one)
            rows.append(row)
    rows[0][0] = TITLES[name]
    return rows


def _label(method: str, kind: str) -> str:
    """The method, and the kind of answers where its name does not say it."""
    is_said = method in (*TRIPLET_METHODS, *QUADRUPLET_METHODS)
    return NAMES[method] if is_said else f"{NAMES[method]}, {kind}"


def _draw(records: Sequence[Record]) -> Figure:
    """Revenue over that of AddS-AL; hollow: as published."""
    figure, axes = panels(1, 2, width=4.4, height=3.6)
    for panel, (kind, methods) in zip(axes[0], KINDS.items(), strict=True):
        names = [
            name
            for name in TITLES
            if any(
                r["method"] == "climb" for r in select(records, data=name, kind=kind)
            )
        ]
        shown = (*methods, *OWN_METHODS)
        for at, method in enumerate(shown):
            shift = (at - (len(shown) - 1) / 2) * 0.1
            _draw_method(panel, records, kind, method, names, shift)
        panel.set_yticks(range(len(names)), [TITLES[name] for name in names])
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.set_title(f"{kind} (hollow: as published)")
        panel.legend(loc="upper center", bbox_to_anchor=(0.45, -0.14), ncols=4)
        panel.set_xlabel(f"revenue / revenue of {NAMES[methods[0]]} as published")
        panel.axvline(1, color="#999999", linewidth=0.8)
    return figure


def _draw_method(
    panel: Any,
    records: Sequence[Record],
    kind: str,
    method: str,
    names: Sequence[str],
    shift: float,
) -> None:
    look = {**LOOKS[method], "linestyle": "none"}
    base = KINDS[kind][0]
    label = NAMES[method]
    for at, name in enumerate(names):
        printed = published()["real"][name]
        unit = float(printed[base][0])
        values = np.array(
            column(select(records, data=name, kind=kind, method=method), "revenue")
        )
        if len(values):
            panel.errorbar(
                values.mean() / unit,
                at + shift,
                xerr=values.std() / unit,
                label=label,
                **look,
            )
            label = "_"
        if method in printed:
            place = float(printed[method][0]) / unit
            hollow = {"markerfacecolor": "none", "markersize": 9}
            panel.plot(place, at + shift, **look, **hollow)
