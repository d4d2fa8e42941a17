"""`tripletree demo`: the built-in example, from answers to a report with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tripletree.commands.cluster import ForceOption
from tripletree.commands.console import (
    check_new,
    check_page,
    one_line_errors,
    say,
    steps,
)

N_IMAGES, N_QUESTIONS = 100, 20_000
N_SHOWN = 3


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")] = Path(
        "tripletree-demo.html"
    ),
    force: ForceOption = False,
) -> None:
    """Cluster images of digits by simulated answers, and write a report with pictures.

    Needs no network, and a minute at most.
    """
    from tripletree.clustering.call import cluster
    from tripletree.datasets.feature_tables import digit_images, load_digits_example
    from tripletree.evaluation.agreement import adjusted_rand_index
    from tripletree.report.page import write_report

    with one_line_errors():
        check_new([out], force)
        check_page(out)
        example = load_digits_example(N_QUESTIONS, n_images=N_IMAGES)
        answers = example.comparisons
        typer.echo(
            f"{answers.n_answers} simulated answers about {N_IMAGES} images of digits, "
            "5 % of them wrong:"
        )
        assert answers.labels is not None
        assert example.classes is not None
        for row in answers.rows[:N_SHOWN].tolist():
            i, j, k = (answers.labels[at].split()[0] for at in row)
            typer.echo(f"    this {i} looks more like this {j} than like that {k}")
        with steps() as step:
            result = cluster(answers, curve=True, progress=lambda x: step(str(x)))
            step("report")
            write_report(
                result,
                out,
                images=digit_images(N_IMAGES)[0],
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
        say(f"open {out} in a browser. ({result.seconds:.0f} s)")
        say("with answers of your own: tripletree cluster answers.csv --out results")
