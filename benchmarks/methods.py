"""All methods on the paper's planted model: is the tree right, and could we have known?

    python -m benchmarks.methods [--runs 2] [--ratios 16,4,1,1/4,1/16] [--auto]

The similarity and the answers are the published ones. For each number of triplets and
each method: mean AARI, revenue, held-out revenue and seconds, and Kendall's tau between
held-out revenue and AARI over the methods, run by run. With --auto also what `cluster`
chooses by itself, beside the best published mean.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

import numpy as np
from scipy.stats import kendalltau

import tripletree as tt
from tripletree.datasets.published_draws import published_planted, published_triplets

METHODS = ("adds-al", "mulk-al", "tste-al", "climb", "complete")
BEST_PUBLISHED = dict(
    zip(
        ("16", "8", "4", "2", "1", "1/2", "1/4", "1/8", "1/16", "1/32"),
        (0.937, 0.905, 0.874, 0.867, 0.868, 0.860, 0.851, 0.840, 0.720, 0.549),
        strict=True,
    )
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.methods",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--ratios", default=",".join(BEST_PUBLISHED))
    parser.add_argument("--auto", action="store_true", help="only what auto chooses")
    chosen = parser.parse_args()
    model = published_planted()
    n = len(model.similarity)
    methods = ("auto",) if chosen.auto else METHODS
    taus = []
    print("m / n^2  method      AARI (least)      revenue     held out  seconds")
    for ratio in chosen.ratios.split(","):
        table = np.empty((chosen.runs, len(methods), 4))
        names: set[str] = set()
        for run in range(chosen.runs):
            m = int(Fraction(ratio) * n * n)
            answers = published_triplets(model.similarity, m, run)
            for row, method in zip(table[run], methods, strict=True):
                began = time.perf_counter()
                found = tt.cluster(answers, method)
                seconds = time.perf_counter() - began
                right = tt.aari(found.tree, model.labels)
                row[:] = right, found.revenue, found.held_out_revenue, seconds
                names.add(found.method)
            if len(methods) > 1:
                taus.append(kendalltau(table[run, :, 2], table[run, :, 0]).statistic)
        for place, method in enumerate(methods):
            right, earned, held_out, seconds = table[:, place].mean(axis=0)
            least = table[:, place, 0].min()
            print(
                f"{ratio:>7}  {method:<10} {right:6.3f} ({least:.3f}) {earned:12.5g} "
                f"{held_out:12.5g} {seconds:8.1f}",
                flush=True,
            )
        if chosen.auto:
            took = ", ".join(sorted(names))
            print(f"         best published {BEST_PUBLISHED.get(ratio)}; chose {took}")
        else:
            print(f"         tau {np.mean(taus[-chosen.runs :]):.2f}", flush=True)
    if taus:
        print(f"Kendall's tau of held-out revenue and AARI, mean: {np.mean(taus):.3f}")


if __name__ == "__main__":
    main()
