"""`tripletree cluster`: answers in, a tree out, with all there is to know about it."""

from __future__ import annotations

import csv
import io
import json as jsons
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tripletree._interrupts import no_hasty_trees
from tripletree.clustering import Clustering
from tripletree.commands.console import (
    check_new,
    one_line_errors,
    print_json,
    say,
    steps,
)
from tripletree.commands.reading import reads_answers
from tripletree.comparisons.answers import Comparisons
from tripletree.errors import InvalidOption
from tripletree.revenue.flat import FlatCut, best_cut
from tripletree.similarity.pair_table import PairSums

FILES = ("tree.nwk", "tree.json", "linkage.npy", "clusters.csv", "summary.json")
REPORT = "report.html"
MOST_DRAWN = 40  # leaves, in the terminal
MOST_IN_REPORT = 20_000  # objects

MethodOption = Annotated[
    str,
    typer.Option(
        help="auto, climb, complete, adds-al, mulk-al, 4k-al or tste-al. auto: the one "
        "of adds-al, climb and complete that earns most on held-out answers."
    ),
]
ClustersOption = Annotated[
    str,
    typer.Option(metavar="NUMBER|auto", help="Flat clusters; auto: as answers ask."),
]
SupportOption = Annotated[
    int,
    typer.Option(min=0, help="Bootstrap replicates for the support of each cluster."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="The same seed, the same tree.")]
TimeOption = Annotated[
    float | None, typer.Option(min=0, help="About how many seconds to spend.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite.")]


@reads_answers
def cluster(
    answers: Comparisons | PairSums,
    files: list[Path],
    items: Path | None,
    method: MethodOption = "auto",
    clusters: ClustersOption = "auto",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="A folder for tree.nwk, tree.json, linkage.npy (SciPy), clusters.csv, "
            "summary.json and report.html (up to 20,000 objects).",
        ),
    ] = None,
    support: SupportOption = 0,
    seed: SeedOption = 0,
    time_limit: TimeOption = None,
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    force: ForceOption = False,
) -> None:
    """Find the tree that answers ask for, and say how good it is.

    A file of pair sums, made by `tripletree pairs`, does in place of answers.

    \b
    Examples:
      tripletree cluster answers.csv
      tripletree cluster answers.csv --out results
      tripletree cluster "round*.csv" --items objects.csv --support 200 --json
    """
    with one_line_errors():
        has_page = not isinstance(answers, PairSums)
        has_page = has_page and answers.n_objects <= MOST_IN_REPORT
        names = (*FILES, REPORT) if has_page else FILES
        if out is not None:
            check_new([out / name for name in names], force)
        result, cut = found(answers, method, clusters, support, seed, time_limit)
        values = described(result, answers, cut)
        if json:
            print_json(values)
        else:
            typer.echo(str(result))
            typer.echo(f"{cut.n_clusters} flat clusters")
            if result.tree.n_leaves <= MOST_DRAWN:
                typer.echo(result.tree.to_text())
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            write_results(out, result, cut, values)
            if not isinstance(answers, PairSums) and has_page:
                write_page(out / REPORT, result, answers, cut, files, items)
            say(f"{', '.join(names)} are in {out}.")


def found(
    answers: Comparisons | PairSums,
    method: str,
    clusters: str,
    n_replicates: int,
    seed: int,
    time_limit: float | None,
) -> tuple[Clustering, FlatCut]:
    """The tree, with support if asked for, and its flat clusters.

    Ctrl-C ends the command; for the best tree within some time there is --time-limit.
    """
    from dataclasses import replace

    from tripletree.cluster import cluster
    from tripletree.evaluation.support import bootstrap_support

    n_clusters = parse_clusters(clusters, answers.n_objects)
    if n_replicates and isinstance(answers, PairSums):
        message = "--support draws answers again, and pair sums have none."
        raise InvalidOption(message)
    with steps() as step, no_hasty_trees() as check_interrupts:
        result = cluster(
            answers, method, seed=seed, time_limit=time_limit, progress=step
        )
        check_interrupts()
        if n_replicates and not isinstance(answers, PairSums):
            step("support of every cluster")
            certain = bootstrap_support(
                result.tree,
                answers,
                method="adds-al" if result.method == "adds-al" else "climb",
                n_replicates=n_replicates,
                seed=seed,
                progress=lambda done, n: step(f"support: {done} of {n} replicates"),
            )
            result = replace(result, tree=certain.tree)
        check_interrupts()
    sums = answers.similarity if isinstance(answers, PairSums) else answers
    cut = best_cut(result.tree, sums)
    if n_clusters is not None:
        labels = result.tree.cut(n_clusters)
        cut = FlatCut(labels, n_clusters, float("nan"))
    return result, cut


def parse_clusters(text: str, n_objects: int) -> int | None:
    """The option --clusters; None for auto."""
    if text == "auto":
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= n_objects):
        message = f"--clusters {text!r:.80}: give 1 to {n_objects}, or auto."
        raise InvalidOption(message)
    return int(text)


def described(
    result: Clustering, answers: Comparisons | PairSums, cut: FlatCut
) -> dict[str, Any]:
    """All that is known about a result, as JSON can hold it."""
    import tripletree

    tree, gap = result.tree, result.gap
    labels = tree.labels or tuple(str(leaf) for leaf in range(tree.n_leaves))
    return {
        "n_objects": answers.n_objects,
        "n_answers": (
            answers.n_answers if isinstance(answers, PairSums) else len(answers)
        ),
        "method": result.method,
        "reason": result.reason,
        "revenue": result.revenue,
        "normalised_revenue": result.normalised_revenue,
        "bound": result.bound,
        "share_of_bound": None if gap is None or gap.is_estimate else gap.share,
        "held_out": {
            name: {"revenue": one.revenue, "accuracy": one.accuracy}
            for name, one in result.held_out.items()
        },
        **(vars(result.satisfaction) if result.satisfaction is not None else {}),
        "warnings": list(result.warnings),
        "advice": result.advice,
        "n_clusters": cut.n_clusters,
        "clusters": dict(zip(labels, cut.labels.tolist(), strict=True)),
        "newick": tree.to_newick(),
        "tripletree": tripletree.__version__,
    }


def write_results(
    folder: Path, result: Clustering, cut: FlatCut, values: dict[str, Any]
) -> None:
    """Everything but the report, each file whole or not there."""
    from tripletree._files import write_whole
    from tripletree.tree.files import write_tree

    for name in FILES[:3]:
        write_tree(result.tree, folder / name)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["label", "cluster"])
    writer.writerows(values["clusters"].items())
    write_whole(folder / "clusters.csv", table.getvalue())
    text = jsons.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)
    write_whole(folder / "summary.json", text + "\n")


def write_page(
    path: Path,
    result: Clustering,
    answers: Comparisons,
    cut: FlatCut,
    files: list[Path],
    items: Path | None,
) -> None:
    """The report, with the pictures of the items."""
    from tripletree.comparisons.files.items import read_items
    from tripletree.report.page import write_report

    with steps() as step:
        step("report")
        write_report(
            result,
            answers,
            path,
            items=None if items is None else read_items(str(items)),
            image_folder="." if items is None else items.parent,
            n_clusters=cut.n_clusters,
            title=", ".join(file.name for file in files[:3]),
            command=shlex.join(["tripletree", *sys.argv[1:]]),
            overwrite=True,
        )
