"""All methods on the paper's planted model: is the tree right, and could we have known?

The similarity and the answers are the published ones. For each number of triplets and
each method: mean and least AARI, revenue, held-out revenue and seconds, and Kendall's
tau between held-out revenue and AARI over the methods, run by run. In the last row what
`cluster` chooses by itself; the best published mean stands in the title.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

import tripletree as tt
from benchmarks import record
from tripletree.datasets.published_draws import published_planted, published_triplets

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
