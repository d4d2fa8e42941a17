"""The table on real data: the revenue of all methods on eight data sets.

Zoo, Glass and MNIST: n² triplets or quadruplets about cosines, 5 % of them wrong, the
published draws. The cosines are left as the floating point rounds them, as in the
published code: many cosines of Zoo are equal in truth, and rounding alone says which of
them is larger. Car (repeated answers kept) and Food (unique rows): the answers of
people, which also serve as quadruplets (i, j, i, k); only tSTE-AL is random there.

All are read from a folder that the user provides (environment variable TRIPLETREE_DATA)
and never made up. Vogue, Nature and Imagenet cannot be had from a public repository:
they are reported as absent, like any set whose files are not there.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import tripletree as tt
from tripletree.datasets.data_files import VARIABLE
from tripletree.datasets.planted import (
    published_quadruplets,
    published_triplets,
)
from tripletree.experiments.cells import Cell, Record, grid
from tripletree.experiments.paper_methods import (
    NAMES,
    OWN_METHODS,
    QUADRUPLET_METHODS,
    TRIPLET_METHODS,
    own_trees,
    published_trees,
)
from tripletree.experiments.reporting import (
    LOOKS,
    Plan,
    PrintedTable,
    Report,
    column,
    compared,
    levels,
    panels,
    printed_numbers,
    select,
)

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
FILES = {
    "zoo": ["zoo/zoo.csv"],
    "glass": ["glass/glass.csv"],
    "mnist": ["mnist_tsne/reduced_test_X.csv", "mnist_tsne/test_labels.csv"],
    "car": ["car/survey_data.csv"],
    "food": ["food/raw-json.tar.gz"],
}
OF_FEATURES = {"zoo": tt.load_zoo, "glass": tt.load_glass, "mnist": tt.load_mnist_tsne}


def digest(files: Sequence[str]) -> str:
    """A hash of these files in the folder of data; empty if they are not there."""
    folder = os.environ.get(VARIABLE)
    paths = [Path(folder, file) for file in files] if folder else []
    if not paths or not all(path.is_file() for path in paths):
        return ""
    content = b"".join(hashlib.sha256(path.read_bytes()).digest() for path in paths)
    return hashlib.sha256(content).hexdigest()[:12]


def cells(plan: Plan) -> list[Cell]:
    """One cell per data set that is there, kind of answers, run and kind of method."""
    digests = {name: digest(files) for name, files in FILES.items()}
    if plan.is_quick:
        del digests["mnist"]
    return [
        cell
        for name, kind, run in product(digests, KINDS, range(plan.n_seeds))
        if digests[name]
        for cell in grid(
            "real",
            name=[name],
            kind=[kind],
            run=[run],
            methods=_methods(name, kind, run, plan),
            digest=[digests[name]],
        )
    ]


def _methods(name: str, kind: str, run: int, plan: Plan) -> list[str]:
    """What to run: tripletree's methods take longest, so once where once will do."""
    own = "drafts" if plan.is_quick or name == "mnist" else "own"
    if name in OF_FEATURES:
        return ["published", own] if name != "mnist" or run == 0 else ["published"]
    if kind == "quadruplets":
        return ["published"] if run == 0 else []
    return ["published", own] if run == 0 else ["embedding"]


def run_cell(name: str, kind: str, run: int, methods: str, digest: str) -> list[Record]:
    """What methods earn on one set of answers."""
    answers, s = _answers(name, kind, run)
    if methods in ("own", "drafts"):
        trees = own_trees(answers, seed=run, is_draft=methods == "drafts")
    else:
        chosen = ("tste_al",) if methods == "embedding" else KINDS[kind]
        if s is None:
            chosen = tuple(one for one in chosen if not one.startswith("cosine"))
        trees = published_trees(chosen, answers, seed=run, similarity=s)
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
            "revenue": int(tt.revenue(tree, answers)),
        }
        for method, (tree, made_by) in trees.items()
    ]


def _answers(name: str, kind: str, run: int) -> tuple[tt.Comparisons, Any]:
    """The answers, and the similarity that they are about if it is known."""
    if name in OF_FEATURES:
        features = OF_FEATURES[name](as_published=True).features
        unit = features / np.sqrt((features * features).sum(axis=1))[:, None]
        s = unit @ unit.T
        s = (s + s.T) / 2
        draw = published_triplets if kind == "triplets" else published_quadruplets
        return draw(s, len(s) ** 2, run, flip=FLIP), s
    if name == "car":
        triplets = tt.fetch_car().comparisons
    else:
        triplets = tt.drop_duplicates(tt.fetch_food().comparisons)
    return triplets if kind == "triplets" else triplets.to_quadruplets(), None


def report(plan: Plan, records: Sequence[Record]) -> Report:
    """The table, and a figure of what each method earns beside AddS-AL."""
    draft = "*: a draft, with one restart, on the first run alone."
    if plan.is_quick:
        draft = "*: a draft, with one restart. MNIST is left out."
    notes = [
        "= : equal to the printed digits. sd: printed standard deviations.",
        "climb, complete and auto are tripletree's; in brackets: what auto chose.",
        "On Car and Food they run once: the answers are always the same.",
        draft,
    ]
    if not os.environ.get(VARIABLE):
        notes.append(f"Set {VARIABLE} to the folder that has the data sets.")
    table = PrintedTable(
        f"Real data: revenue, {plan.n_seeds} of 10 runs",
        ("data", "method", "published", "reproduced", "difference"),
        [row for name in TITLES for row in _rows(name, select(records, data=name))],
        notes,
    )
    return Report([table], records, {"real": lambda: _draw(records)} if records else {})


def _rows(name: str, records: Sequence[Record]) -> list[list[str]]:
    printed = printed_numbers()["real"][name]
    rows = []
    for kind, methods in KINDS.items():
        for method in (*methods, *OWN_METHODS):
            found = select(records, kind=kind, method=method)
            if found or method in printed:
                texts = compared(column(found, "revenue"), printed.get(method, ()))
                rows.append(["", _label(method, kind, found), *texts])
    rows[0][0] = TITLES[name]
    return rows


def _label(method: str, kind: str, records: Sequence[Record]) -> str:
    """The method, the kind of answers where its name does not say it, and how."""
    label = NAMES[method]
    if method not in (*TRIPLET_METHODS, *QUADRUPLET_METHODS):
        label += f", {kind}"
    if "drafts" in column(records, "effort"):
        label += " *"
    if method == "auto" and records:
        label += f" ({', '.join(sorted(levels(records, 'made_by')))})"
    return label


def _draw(records: Sequence[Record]) -> Figure:
    """Revenue over that of AddS-AL; hollow: as published."""
    figure, axes = panels(1, 2, width=4.4, height=3.6)
    for panel, (kind, (base, *_)) in zip(axes[0], KINDS.items(), strict=True):
        ours = select(records, kind=kind)
        names = levels(select(ours, method="climb"), "data")
        printed = [printed_numbers()["real"][name] for name in names]
        units = np.array([float(figures[base][0]) for figures in printed])
        shown = levels(ours, "method")
        for at, method in enumerate(shown):
            rows = np.arange(len(names)) + (at - (len(shown) - 1) / 2) * 0.1
            look = {**LOOKS[method], "linestyle": "none"}
            runs = [
                column(ours, "revenue", data=name, method=method) or [np.nan]
                for name in names
            ]
            panel.errorbar(
                [np.mean(values) for values in runs] / units,
                rows,
                xerr=[np.std(values) for values in runs] / units,
                label=NAMES[method],
                **look,
            )
            hollow = [float(figures.get(method, ["nan"])[0]) for figures in printed]
            look |= {"markerfacecolor": "none", "markersize": 9}
            panel.plot(hollow / units, rows, **look)
        panel.set_yticks(range(len(names)), [TITLES[name] for name in names])
        panel.set(
            ylim=(len(names) - 0.5, -0.5),
            title=f"{kind} (hollow: as published)",
            xlabel=f"revenue / revenue of {NAMES[base]} as published",
        )
        panel.legend(loc="upper center", bbox_to_anchor=(0.45, -0.14), ncols=4)
        panel.axvline(1, color="#999999", linewidth=0.8)
    return figure
