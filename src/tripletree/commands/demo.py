"""`tripletree demo`: the built-in example, from answers to a report with pictures."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tripletree.commands.console import (
    check_new,
    check_page,
    one_line_errors,
    say,
    steps,
)
from tripletree.commands.finding import ForceOption

N_IMAGES, N_QUESTIONS, N_REPLICATES = 100, 20_000, 50
N_SHOWN = 3


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")] = Path(
        "tripletree-demo.html"
    ),
    force: ForceOption = False,
) -> None:
    """Cluster images of digits by made-up answers, and write a report with pictures.

    Needs no network, and a minute at most.
    """
    from dataclasses import replace

    from tripletree.cluster import cluster
    from tripletree.datasets.digits import digit_images, load_digits_example
    from tripletree.evaluation.agreement import adjusted_rand_index
    from tripletree.evaluation.support import bootstrap_support
    from tripletree.report.page import write_report
    from tripletree.revenue.flat import best_cut

    with one_line_errors():
        check_new([out], force)
        check_page(out)
        began = time.monotonic()
        example = load_digits_example(N_QUESTIONS, n_images=N_IMAGES)
        answers = example.comparisons
        typer.echo(
            f"{len(answers)} made-up answers about {N_IMAGES} images of digits, 5 % of "
            "them wrong:"
        )
        assert answers.labels is not None
        assert example.classes is not None
        for row in answers.rows[:N_SHOWN].tolist():
            i, j, k = (answers.labels[at].split()[0] for at in row)
            typer.echo(f"    this {i} looks more like this {j} than like that {k}")
        with steps() as step:
            result = cluster(answers, progress=step)
            step("how sure each cluster is")
            support = bootstrap_support(result.tree, answers, n_replicates=N_REPLICATES)
            result = replace(result, tree=support.tree)
            cut = best_cut(result.tree, answers)
            step("report")
            write_report(
                result,
                answers,
                out,
                images=digit_images(N_IMAGES)[0],
                support=support,
                n_clusters=cut.n_clusters,
                title="Images of digits",
                command="tripletree demo",
                overwrite=True,
            )
        typer.echo(f"\n{result}\n")
        agreement = adjusted_rand_index(result.tree.cut(10), example.classes)
        typer.echo(
            f"cut into 10 clusters, the adjusted Rand index with the digits is "
            f"{agreement:.2f}"
        )
        seconds = time.monotonic() - began
        say(f"open {out} in a browser. ({seconds:.0f} s)")
        say("with answers of your own: tripletree cluster answers.csv --out results")
